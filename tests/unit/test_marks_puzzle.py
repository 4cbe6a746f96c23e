"""MarksPuzzle on the Python side: keys are sums of rows, and a query finds as many of them as the hull has corners."""

import itertools

import numpy as np
import pytest

from attnlib.widgets import InputError, MarksPuzzle

SEEDS = range(20)


def drawn(seed):
    return np.random.default_rng(seed).uniform(-1.5, 1.5, (4, 2)).round(2)


def found_by_turning(puzzle):
    """The keys that are read most by a query in one of many directions."""
    angles = np.linspace(-np.pi, np.pi, 5000)
    queries = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return set((queries @ puzzle.points.T).argmax(axis=1).tolist())


def test_a_key_is_the_sum_of_the_rows_with_the_signs_of_its_marks():
    rows = drawn(0)
    keys = MarksPuzzle(rows=rows).points
    for i, marks in enumerate(itertools.product([-1, 1], repeat=4)):
        by_hand = sum(sign * row for sign, row in zip(marks[::-1], rows, strict=True))  # the first mark changes fastest
        assert keys[i] == pytest.approx(by_hand)
        assert MarksPuzzle.marks(i) == " ".join("+" if sign > 0 else "−" for sign in marks[::-1])


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_the_rows_some_query_reads_8_keys_most_and_none_a_ninth(seed):
    puzzle = MarksPuzzle(rows=drawn(seed))
    assert len(puzzle.reachable) == 8
    assert found_by_turning(puzzle) <= set(puzzle.reachable)


def test_turning_the_query_finds_what_can_be_found():
    assert found_by_turning(MarksPuzzle()) == set(MarksPuzzle().reachable)
    corners = MarksPuzzle().points[MarksPuzzle().reachable]
    assert [MarksPuzzle(query=corner).leader for corner in corners] == MarksPuzzle().reachable
    free = MarksPuzzle(handed=True)
    assert found_by_turning(free) == set(free.reachable) == set(range(16))


def test_rows_on_one_line_leave_two_keys_and_equal_keys_share_the_lead():
    flat = MarksPuzzle(rows=[[1, 0], [0.5, 0], [0.25, 0], [0.125, 0]])
    assert flat.reachable == [0, 15]
    assert found_by_turning(flat) == {0, 15}
    gone = MarksPuzzle(rows=np.zeros((4, 2)))
    assert gone.reachable == []
    assert gone.leader is None
    assert MarksPuzzle(query=[0, 0]).leader is None


def test_rows_that_are_parallel_leave_no_false_corners():
    puzzle = MarksPuzzle(rows=[[0.28, 0.02], [0.56, 0.04], [0.47, 0.16], [1.48, -0.39]])
    assert len(puzzle.reachable) == 6
    assert found_by_turning(puzzle) <= set(puzzle.reachable)


def test_the_table_says_of_each_key_whether_a_query_reads_it_most(page_of):
    cells = page_of(MarksPuzzle()).cells
    assert cells[:4] == ["", "key", "some query reads it most", "if the keys are free"]
    rows = [cells[at : at + 4] for at in range(4, 68, 4)]
    assert [row[0] for row in rows] == [MarksPuzzle.marks(i) for i in range(16)]
    assert rows[7] == ["+ + + −", "(3.25, 1.35)", "yes", "yes"]
    assert [i for i, row in enumerate(rows) if row[2] == "yes"] == MarksPuzzle().reachable
    assert {row[3] for row in rows} == {"yes"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": [[0, 0], [0, 1.6], [0, 0], [0, 0]]}, r"rows\[1, 1\] is 1.6, outside −1.5 to 1.5"),
        ({"rows": np.zeros((3, 2))}, r"rows must have shape \(4, 2\), got \(3, 2\)"),
        ({"query": [1]}, r"query must have shape \(2,\), got \(1,\)"),
        ({"seen": 2**16}, "seen must be from 0 to 65535, got 65536"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(InputError, match=message):
        MarksPuzzle(**options)
