"""attnlib.lab.grids and stretch_matrix: against plain loops, and the facts that they are there to show."""

from itertools import combinations, permutations

import numpy as np
import pytest

from attnlib import attention_weights
from attnlib.lab import cycle_product, most_read, most_unequal_pair, stretch_matrix

RNG = np.random.default_rng(0)
GRIDS = [RNG.normal(size=(n, n)) for n in (2, 3, 5, 7)]


@pytest.mark.parametrize("grid", GRIDS)
def test_they_agree_with_plain_loops(grid):
    n = len(grid)
    assert most_read(grid) == [max((j for j in range(n) if j != i), key=lambda j: grid[i, j]) for i in range(n)]
    unequal = max(combinations(range(n), 2), key=lambda pair: abs(grid[pair] - grid[pair[::-1]]))
    assert most_unequal_pair(grid) == unequal


def test_of_equals_the_first_is_named():
    assert most_read(np.zeros((3, 3))) == [1, 0, 0]
    assert most_unequal_pair(np.eye(4)) == (0, 1)


def test_a_cycle_is_closed_and_goes_one_way():
    grid = np.array([[2, 3, 5], [7, 11, 13], [17, 19, 23]])
    assert cycle_product(grid, [0, 1, 2]) == 3 * 13 * 17
    assert cycle_product(grid, [0, 2, 1]) == 5 * 19 * 7
    assert cycle_product(grid, [1]) == 11


def test_symmetric_scores_give_weights_that_run_round_a_cycle_as_readily_backwards():
    x = RNG.normal(size=(6, 4)) @ RNG.normal(size=(4, 2))
    tied, free = attention_weights(x, x, scale=1), attention_weights(x, x[:, ::-1] * [1, -1], scale=1)
    gaps = [
        [abs(cycle_product(a, c) - cycle_product(a, c[::-1])) for c in permutations(range(6), 3)] for a in (tied, free)
    ]
    assert max(gaps[0]) < 1e-15
    assert max(gaps[1]) > 1e-3
    assert not np.allclose(tied, tied.T)


@pytest.mark.parametrize("degrees", [0, 30, 90, -135, 400])
def test_a_stretch_is_one_along_its_axis_and_another_across(degrees):
    along, across = 1.7, 0.4
    u = stretch_matrix(along, across, degrees)
    e = np.array([np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))])
    f = np.array([-e[1], e[0]])
    assert np.allclose([e @ u, f @ u], [along * e, across * f])
    assert np.isclose(np.linalg.norm(e / along @ u), 1)
    assert np.allclose(u, u.T)


def test_no_metric_of_the_plane_is_left_out():
    u = RNG.normal(size=(2, 2))
    (across, along), axes = np.linalg.eigh(u @ u.T)
    same = stretch_matrix(np.sqrt(along), np.sqrt(across), np.rad2deg(np.arctan2(*axes[::-1, 1])))
    assert np.allclose(same @ same.T, u @ u.T)


BAD = {
    "not square": (
        lambda: most_read(np.zeros((2, 3))),
        r"weights must be a square grid of 2 rows or more, got shape \(2, 3\)",
    ),
    "one token": (lambda: most_unequal_pair(np.zeros((1, 1))), r"got shape \(1, 1\)"),
    "a vector": (lambda: most_read(np.zeros(4)), r"got shape \(4,\)"),
    "NaN": (lambda: most_read(np.array([[0, 1], [np.nan, 0]])), r"weights\[1, 0\] is nan"),
    "no cycle": (lambda: cycle_product(np.eye(2), []), "cycle must be a list of one token or more"),
    "outside": (lambda: cycle_product(np.eye(2), [0, 2]), r"cycle\[1\] must be 0 or more and at most 1, got 2"),
    "negative": (lambda: cycle_product(np.eye(2), [0, -1]), r"cycle\[1\] must be 0 or more"),
    "infinite": (lambda: stretch_matrix(1.0, np.inf), "across must be finite, got inf"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
