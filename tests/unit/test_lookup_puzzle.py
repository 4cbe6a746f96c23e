"""LookupPuzzle and the look-up behind it, on the Python side."""

import numpy as np
import pytest

from attnlib import softmax
from attnlib.lab import compared_weights, lookup_rows, most_right, share_right
from attnlib.lab.lookup import largest_letter
from attnlib.widgets import InputError, LookupPuzzle
from attnlib.widgets.lookup_puzzle import read, written


@pytest.fixture(scope="module")
def rows():
    return lookup_rows(np.random.default_rng(1))


def test_no_two_names_of_a_row_are_alike():
    names, letters = lookup_rows(np.random.default_rng(0), num_rows=50, num_items=8, d=4, num_letters=5)
    assert all(len(np.unique(row, axis=0)) == 8 for row in names)
    assert set(np.unique(names)) == {-1, 1}
    assert set(np.unique(letters)) == set(range(5))
    with pytest.raises(ValueError, match="num_items must be at most 8 for names with d = 4, got 9"):
        lookup_rows(np.random.default_rng(0), num_items=9, d=4)


def test_no_fixed_weights_are_right_more_often_than_the_commonest_letter(rows):
    names, letters = rows
    wall = np.mean([np.bincount(row).max() for row in letters]) / 8
    assert most_right(letters) == wall
    assert share_right(names, letters, np.ones(8), 0) == wall  # and equal ones are
    drawn = np.random.default_rng(0).random((200, 8)) ** 3
    assert max(share_right(names, letters, fixed, 0) for fixed in drawn) <= wall


def test_weights_that_compare_names_find_every_letter(rows):
    assert share_right(*rows, np.ones(8), 1) == 1
    assert most_right(rows.letters) < share_right(*rows, np.ones(8), 0.05) < 1


def test_equal_fixed_weights_give_the_softmax():
    scores = np.array([[2.0, -1.0, 0.5], [900.0, 0.0, 901.0]])
    assert np.allclose(compared_weights(scores, np.ones(3), 0.5), softmax(scores / 2))
    assert compared_weights(scores[1], np.array([1.0, 1.0, 0.0]), 1).tolist() == [1, 0, 0]  # the highest counts 0


def test_of_equal_letters_the_first_is_the_answer():
    assert largest_letter(np.array([0.1, 0.2, 0.3]), np.array([4, 4, 2])) == 2
    assert largest_letter(np.array([0.25, 0.25, 0.5]), np.array([9, 9, 3])) == 3


@pytest.mark.parametrize(
    ("scores", "fixed", "strength", "says"),
    [
        ([1.0, 2.0], [1.0], 1, r"fixed must have one weight for each score of a row, scores \(2,\), fixed \(1,\)"),
        ([1.0, 2.0], [1.0, -1.0], 1, r"fixed\[1\] is below 0"),
        ([1.0, 2.0], [0.0, 0.0], 1, "nothing is mixed"),
        ([np.nan, 2.0], [1.0, 1.0], 1, r"scores\[0\] is nan"),
    ],
)
def test_weights_that_cannot_be_are_named(scores, fixed, strength, says):
    with pytest.raises(ValueError, match=says):
        compared_weights(np.array(scores), np.array(fixed), strength)


def test_rows_are_read_as_they_were_written(rows):
    again = read(written(rows))
    assert (again.names == rows.names).all()
    assert (again.letters == rows.letters).all()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rows": []}, "rows must have from 1 to 64 entries, got 0"),
        ({"rows": ["A0000"]}, r"rows\[0\] has 1 envelopes, not 8"),
        ({"rows": ["Q0000 " * 8]}, "'Q0000' is not a letter from A to P"),
        ({"fixed": np.zeros(8)}, "every weight is 0"),
        ({"fixed": [0.5] * 7 + [-1]}, r"fixed\[7\] is -1.0, outside 0 to 1"),
        ({"question": 256}, "question 256 is outside 0 … 255"),
        ({"strength": 2}, "strength must be from 0 to 1, got 2"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        LookupPuzzle(**options)


def test_without_a_script_both_ends_of_the_puzzle_stand_in_print(page_of):
    page = page_of(LookupPuzzle())
    assert {"19%", "27%", "100%"} <= set(page.cells)
    assert page.cells[page.cells.index("answer") :][:5] == ["answer", "", "", "G", "C"]
