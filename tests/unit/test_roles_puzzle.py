"""RolesPuzzle on the Python side: a wall at one half while each word has one place, and none with two."""

import numpy as np
import pytest

from attnlib.widgets import InputError
from attnlib.widgets.roles_puzzle import START, TARGETS, TOKENS, RolesPuzzle, solution

RNG = np.random.default_rng(0)
NEAR = [[-3, -2.9], [-2.9, -3], [0.8, -0.7], [0, -2.2]]  # of places in tenths, those that came nearest to one half


def by_loops(points, asked, targets):
    """Scores, weights and shares, number by number."""
    n = len(points)
    scores = [[sum(points[i][c] * asked[j][c] for c in (0, 1)) for j in range(n)] for i in range(n)]
    weights = [[np.exp(score) / sum(np.exp(row)) for score in row] for row in scores]
    return scores, weights, [weights[i][at] for i, at in enumerate(targets)]


@pytest.mark.parametrize("n", [3, 4, 8])
def test_the_widget_scores_and_weighs_as_loops_do(n):
    others = RNG.integers(1, n, size=n)
    targets = (np.arange(n) + others) % n
    points, asked = RNG.uniform(-3, 3, size=(2, n, 2))
    for handed, second in ((False, points), (True, asked)):
        puzzle = RolesPuzzle(["t"] * n, targets, points, asked, handed=handed)
        scores, weights, shares = by_loops(points, second, targets)
        assert np.allclose(puzzle.scores, scores, atol=1e-12)
        assert np.allclose(puzzle.weights, weights, atol=1e-12)
        assert puzzle.shares == pytest.approx(shares, abs=1e-12)


def test_at_the_start_the_smallest_share_is_low_and_the_others_are_too():
    puzzle = RolesPuzzle()
    assert puzzle.tokens == list(TOKENS)
    assert puzzle.targets == list(TARGETS)
    assert puzzle.shares == pytest.approx([0.254, 0.264, 0.207, 0.207], abs=0.001)


def test_where_they_are_asked_counts_nothing_until_it_is_handed_over():
    other = RNG.uniform(-3, 3, size=(4, 2))
    assert (RolesPuzzle(asked=other).scores == RolesPuzzle().scores).all()
    assert (RolesPuzzle(handed=True).scores == RolesPuzzle().scores).all()
    assert not np.allclose(RolesPuzzle(asked=other, handed=True).scores, RolesPuzzle().scores)


def random_places(rng, targets):
    """Places of every size, some of them with the words of a pair close to each other."""
    points = rng.uniform(-3, 3, size=(len(targets), 2)) * rng.choice([0.1, 0.5, 1])
    points[targets[0]] = np.clip(points[0] + rng.normal(size=2) * rng.choice([0, 0.1, 3]), -3, 3)
    return points


@pytest.mark.parametrize("targets", [[*TARGETS], [1, 0, 3, 2], [1, 2, 0], [1, 2, 3, 4, 5, 6, 7, 0], [2, 0, 1, 0]])
def test_with_one_place_for_each_the_words_of_a_circle_do_not_all_reach_a_half(targets):
    for _ in range(200):
        puzzle = RolesPuzzle(["t"] * len(targets), targets, points := random_places(RNG, targets), points)
        assert puzzle.shares.min() <= 0.5 + 1e-12


def test_the_wall_is_of_the_pair_and_the_others_can_pass():
    puzzle = RolesPuzzle(points=NEAR)
    assert 0.497 < puzzle.shares.min() < 0.5
    assert puzzle.shares[:2].min() < 0.5
    others = RolesPuzzle(points=[[2.2, -0.8], [2.9, 2.2], [-0.4, 1.8], [0.9, 2.6]])
    assert others.shares[2:].min() > 0.6


@pytest.mark.parametrize("targets", [[*TARGETS], [1, 0, 0], [1, 2, 3, 4, 5, 6, 7, 0], [1, 0, 1, 0, 1, 0, 1, 0]])
def test_with_two_places_every_share_passes_the_goal(targets):
    points, asked = solution(targets)
    puzzle = RolesPuzzle(["t"] * len(targets), targets, points, asked, handed=True)
    assert puzzle.shares.min() > (0.99 if len(targets) < 5 else 0.6)


def test_it_is_won_from_the_start_by_asking_where_the_other_is_asked():
    places = np.array(START)
    dropped = RolesPuzzle(points=places[list(TARGETS)], handed=True)
    assert dropped.shares.min() > 0.6
    assert RolesPuzzle(points=np.clip(2 * places[list(TARGETS)], -3, 3), handed=True).shares.min() > 0.8


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tokens": ["a", "b"]}, "tokens must have from 3 to 8 entries, got 2"),
        ({"tokens": ["t"] * 9}, "tokens must have from 3 to 8 entries, got 9"),
        ({"tokens": ["t"] * 5}, "5 tokens for 4 targets"),
        ({"targets": [1, 0, 3]}, "4 tokens for 3 targets"),
        ({"targets": [1, 0, 3, 4]}, r"targets\[3\] is 4, none of the other words, 0 … 3"),
        ({"targets": [1, -1, 3, 1]}, r"targets\[1\] is −1, none of the other words, 0 … 3"),
        ({"targets": [1, 0, 2, 1]}, r"targets\[2\] is 2, none of the other words, 0 … 3"),
        ({"targets": [1, 0.5, 3, 1]}, r"targets\[1\] is 0.5, none of the other words, 0 … 3"),
        ({"points": np.zeros((3, 2))}, "4 tokens for 3 points"),
        ({"points": np.zeros((4, 3))}, r"points must have shape \(n, 2\) with n ≥ 1, got \(4, 3\)"),
        ({"points": [[0, 0], [0, 3.5], [0, 0], [0, 0]]}, r"points\[1, 1\] is 3.5, outside −3 to 3"),
        ({"asked": np.zeros((5, 2))}, "4 tokens for 5 asked"),
        ({"asked": [[0, 0], [0, 0], [-4, 0], [0, 0]]}, r"asked\[2, 0\] is −4, outside −3 to 3"),
        ({"asked": [[np.nan, 0]] + [[0, 0]] * 3}, r"asked\[0, 0\] is nan"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        RolesPuzzle(**options)


def test_without_a_script_the_start_and_what_wins_stand_in_print(page_of):
    cells = page_of(RolesPuzzle()).cells
    assert cells[6:10] == ["0.72", "0.25", "0.02", "0.01"]
    assert cells[-20:-15] == ["we → have", "25%", "(0.00, 3.00)", "(0.00, 3.00)", "100%"]
    assert [cells[at] for at in (-19, -14, -9, -4)] == ["25%", "26%", "21%", "21%"]
    assert [cells[at] for at in (-16, -11, -6, -1)] == ["100%"] * 4
    handed = page_of(RolesPuzzle(points=np.array(START)[list(TARGETS)], handed=True)).cells
    assert [handed[at] for at in (-16, -11, -6, -1)] == ["69%", "72%", "62%", "69%"]
