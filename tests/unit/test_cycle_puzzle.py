"""CyclePuzzle and the mathematics behind it, on the Python side: the bounds hold, and are met where they can be."""

import math

import numpy as np
import pytest
import torch

from attnlib.lab.cycle import cycle_bound, cycle_loss, cycle_means
from attnlib.widgets import InputError
from attnlib.widgets.cycle_puzzle import POINTS, TOKENS, CyclePuzzle

RNG = np.random.default_rng(0)
ONE = np.zeros((3, 2))
RIGHT = [(0, 2), (1, 0), (2, 1)]  # rock beats scissors, paper rock, scissors paper


def of_points(points):
    return np.array(points) @ np.array(points).T


def differences(scores):
    own, right, wrong = cycle_means(scores)
    return own - right, wrong - right


def test_three_points_never_pass_the_wall():
    for size in RNG.choice([1e-6, 0.1, 1, 3], size=500):
        scores = of_points(RNG.normal(size=(3, 2)) * size)
        x, y = differences(scores)
        assert cycle_loss(scores) >= math.log(3) - 1e-12
        assert x >= -1e-12
        assert y == pytest.approx(0, abs=1e-12)


def test_the_wall_stands_in_every_width_too():
    for width in (1, 3, 8, 64):
        assert cycle_loss(of_points(RNG.normal(size=(3, width)))) >= math.log(3)


@pytest.mark.parametrize("point", [(0, 0), (1.3, -0.7), (-3, 3)])
def test_the_wall_is_reached_where_all_points_are_one(point):
    puzzle = CyclePuzzle(points=[point] * 3)
    assert puzzle.loss == pytest.approx(math.log(3), abs=1e-14)
    assert np.allclose(puzzle.weights, 1 / 3, atol=1e-15)


def test_points_that_are_not_one_lose():
    for _ in range(100):
        points = np.tile(RNG.normal(size=2), (3, 1))
        points[RNG.integers(3)] += RNG.normal(size=2)
        assert cycle_loss(of_points(points)) > math.log(3)


def test_no_scores_are_below_the_bound_at_their_means():
    for size in RNG.choice([0.1, 1, 3, 30], size=500):
        scores = RNG.normal(size=(3, 3)) * size
        assert cycle_loss(scores) >= cycle_bound(*differences(scores)) - 1e-12


def test_scores_that_are_the_same_in_every_row_meet_the_bound():
    for own, right, wrong in RNG.normal(size=(50, 3)) * 4:
        scores = np.array([[own, wrong, right], [right, own, wrong], [wrong, right, own]])
        assert cycle_means(scores) == pytest.approx((own, right, wrong))
        assert cycle_loss(scores) == pytest.approx(cycle_bound(own - right, wrong - right), abs=1e-12)


def test_symmetric_scores_stay_above_ln_2():
    for size in RNG.choice([0.1, 1, 5], size=500):
        drawn = RNG.normal(size=(3, 3)) * size
        scores = drawn + drawn.T
        x, y = differences(scores)
        assert cycle_loss(scores) > math.log(2)
        assert y == pytest.approx(0, abs=1e-12)
        assert cycle_loss(scores - 12 * np.eye(3)) >= cycle_bound(x - 12, 0) - 1e-12


def test_scores_that_are_not_symmetric_reach_any_loss():
    scores = np.zeros((3, 3))
    for i, j in RIGHT:
        scores[i, j] = 20
    assert cycle_loss(scores) == pytest.approx(2 * math.exp(-20))
    assert cycle_loss(20 * scores) == pytest.approx(2 * math.exp(-400), rel=1e-12)


@pytest.mark.parametrize("n", [3, 4, 7])
def test_the_loss_is_the_cross_entropy_of_torch(n):
    targets = torch.tensor([(i - 1) % n for i in range(n)])
    for size in (1e-3, 1.0, 50.0, 1e4):
        scores = RNG.normal(size=(n, n)) * size
        theirs = torch.nn.functional.cross_entropy(torch.from_numpy(scores), targets).item()
        assert cycle_loss(scores) == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("n", [3, 4, 7])
def test_the_means_are_those_of_loops(n):
    scores = RNG.normal(size=(n, n))
    cells = {0: [], 1: [], 2: []}
    for i in range(n):
        for j in range(n):
            cells[0 if i == j else 1 if j == (i - 1) % n else 2].append(scores[i, j])
    assert cycle_means(scores) == pytest.approx([np.mean(cells[k]) for k in range(3)])


def test_huge_scores_are_handled():
    assert cycle_loss(np.full((3, 3), 1.7e308)) == pytest.approx(math.log(3))
    assert cycle_means(np.full((3, 3), 1e308)) == pytest.approx((1e308,) * 3)
    assert cycle_loss(1e308 * np.eye(3)) == pytest.approx(1e308)
    assert cycle_bound(1e308, 1e308) == 1e308
    assert cycle_bound(-1e308, 3.0) == pytest.approx(math.log(1 + math.exp(3)))
    assert cycle_bound(-800, -40) == pytest.approx(math.exp(-40))
    assert cycle_bound(2, 1) == cycle_bound(1, 2) == pytest.approx(math.log(1 + math.e + math.e**2))


def test_lists_and_other_dtypes_will_do(unchecked):
    assert cycle_loss([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) == pytest.approx(math.log(2 + math.e))
    for dtype in (np.float16, np.float32, np.int8):
        assert cycle_loss(np.eye(3, dtype=dtype)) == pytest.approx(math.log(2 + math.e), abs=1e-15)
        assert cycle_means(np.eye(3, dtype=dtype)) == (1, 0, 0)


@pytest.mark.parametrize("function", [cycle_loss, cycle_means])
@pytest.mark.parametrize(
    ("scores", "says"),
    [
        (np.zeros((2, 2)), r"scores must be a square grid of 3 rows or more, got shape \(2, 2\)"),
        (np.zeros((3, 4)), r"scores must be a square grid of 3 rows or more, got shape \(3, 4\)"),
        (np.zeros(3), r"scores must be a square grid of 3 rows or more, got shape \(3,\)"),
        (np.zeros((0, 0)), r"got shape \(0, 0\)"),
        (np.array([[0, 0, 0], [0, 0, np.nan], [0, 0, 0]]), r"scores\[1, 2\] is nan: it must be finite"),
        (np.full((3, 3), -np.inf), r"scores\[0, 0\] is -inf"),
        ([["a"] * 3] * 3, "scores must hold real numbers"),
    ],
)
def test_grids_that_are_no_circle_are_named(function, scores, says, unchecked):
    with pytest.raises(ValueError, match=says):
        function(scores)


def test_what_leaves_the_range_or_is_no_number_is_named(unchecked):
    apart = np.full((3, 3), -1.7e308)
    apart[range(3), range(3)] = 1.7e308
    with pytest.raises(ValueError, match="the loss leaves its range: scores are too large for float64"):
        cycle_loss(apart)
    with pytest.raises(ValueError, match="x must be finite, got nan"):
        cycle_bound(math.nan, 0)
    with pytest.raises(ValueError, match="y must be finite, got inf"):
        cycle_bound(0, math.inf)
    with pytest.raises(TypeError, match="y must be a number"):
        cycle_bound(0, "1")


def test_the_widget_scores_weighs_and_counts_as_attnlib_does():
    puzzle = CyclePuzzle()
    scores = of_points(POINTS)
    assert np.allclose(puzzle.scores, scores, atol=1e-15)
    assert puzzle.weights.sum(axis=1) == pytest.approx(np.ones(3))
    assert puzzle.loss == pytest.approx(-np.mean([math.log(puzzle.weights[cell]) for cell in RIGHT]))
    assert puzzle.means == cycle_means(puzzle.scores)
    assert puzzle.tokens == list(TOKENS)


def test_what_is_added_counts_nothing_until_it_is_handed_over():
    assert CyclePuzzle(own=-5).loss == CyclePuzzle().loss
    assert CyclePuzzle(handed=True).loss == CyclePuzzle().loss
    handed = CyclePuzzle(handed=True, own=-5)
    assert np.allclose(handed.scores, CyclePuzzle().scores - 5 * np.eye(3))
    assert (handed.scores == handed.scores.T).all()


def test_with_it_the_goal_is_passed_and_a_half_is_not():
    assert CyclePuzzle(points=ONE, handed=True, own=-1.5).loss > -math.log(0.45)
    assert CyclePuzzle(points=ONE, handed=True, own=-1.6).loss < -math.log(0.45)
    for _ in range(200):
        puzzle = CyclePuzzle(points=RNG.uniform(-3, 3, size=(3, 2)), handed=True, own=-10)
        assert puzzle.loss >= cycle_bound(-10, 0) - 1e-12 > math.log(2)
    assert CyclePuzzle(points=ONE, handed=True, own=-10).loss == pytest.approx(cycle_bound(-10, 0))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tokens": ["a", "b"]}, "tokens must have from 3 to 3 entries, got 2"),
        ({"points": np.zeros((4, 2))}, r"points must have shape \(3, 2\), got \(4, 2\)"),
        ({"points": [[0, 0], [0, 3.5], [0, 0]]}, r"points\[1, 1\] is 3.5, outside −3 to 3"),
        ({"points": [[0, 0], [0, 0], [-4, 0]]}, r"points\[2, 0\] is −4, outside −3 to 3"),
        ({"points": [[np.nan, 0], [0, 0], [0, 0]]}, r"points\[0, 0\] is nan"),
        ({"own": 0.5}, "own must be from -10.* to 0, got 0.5"),
        ({"own": -10.5}, "own must be from -10.* to 0, got -10.5"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        CyclePuzzle(**options)


def test_without_a_script_the_start_the_wall_and_the_half_stand_in_print(page_of):
    cells = page_of(CyclePuzzle()).cells
    assert cells[-9:] == [
        *("these points", "3%", "3.51"),
        *("all three points are one, the wall", "33%", "1.10"),
        *("and −10 added to one's own score", "just under 50%", "0.69"),
    ]
    handed = page_of(CyclePuzzle(points=ONE, handed=True, own=-2)).cells
    assert handed[-9:-6] == ["these points, −2 added to one's own score", "47%", "0.76"]
    assert page_of(CyclePuzzle(bounds=False)).cells == cells[:-6]  # what a reader is to find is not told
