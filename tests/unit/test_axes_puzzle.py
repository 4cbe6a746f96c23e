"""AxesPuzzle and the mathematics behind it, on the Python side."""

import numpy as np
import pytest

from attnlib.lab.axes import partner_share, standardise
from attnlib.widgets import InputError
from attnlib.widgets.axes_puzzle import PARTNERS, POINTS, AxesPuzzle

RNG = np.random.default_rng(0)


def test_at_the_start_both_shares_are_below_one_half():
    puzzle = AxesPuzzle()
    beside = 1 / (2 + np.exp(-2))  # scores 0, 0 and −2
    assert puzzle.shares == pytest.approx((beside, beside), abs=1e-15)
    assert (puzzle.weights[0] == puzzle.weights[1]).all()
    assert (np.diagonal(puzzle.weights, axis1=1, axis2=2) == 0).all()


@pytest.mark.parametrize("standardised", [False, True])
def test_one_grid_never_gives_both_partners_more_than_one_row_has(standardised):
    for _ in range(200):
        points = np.clip(RNG.normal(size=(4, 2)) * RNG.choice([0.1, 1, 4]), -12, 12)
        puzzle = AxesPuzzle(points=points, unit=float(RNG.uniform(0.25, 3)), standardise=standardised)
        assert sum(puzzle.shares) <= 1 + 1e-12
        alike = RNG.uniform(0, 3, size=2)  # and factors that are the same for both questions change nothing in this
        puzzle.factors, puzzle.handed = np.array([alike, alike]), True
        assert sum(puzzle.shares) <= 1 + 1e-12


def test_one_question_alone_can_be_answered():
    assert AxesPuzzle(unit=0.25).shares[0] > 0.6
    assert AxesPuzzle(unit=2.0).shares[1] > 0.6


def test_factors_for_each_question_win():
    assert min(AxesPuzzle(handed=True, factors=[[1, 0], [0, 1]]).shares) > 0.6
    assert min(AxesPuzzle(handed=True, factors=[[2, 0], [0, 2]]).shares) > 0.99


def test_factors_count_nothing_until_they_are_handed_over():
    assert AxesPuzzle(factors=[[2, 0], [0, 2]]).shares == AxesPuzzle().shares
    assert AxesPuzzle(handed=True).shares == AxesPuzzle().shares


def test_standardising_undoes_the_unit_and_a_shift():
    puzzle = AxesPuzzle(points=np.add(POINTS, [3, -2]), unit=2.5, standardise=True)
    assert np.allclose(puzzle.placed, POINTS, atol=1e-12)


def test_an_axis_without_spread_counts_nothing():
    flat = AxesPuzzle(points=[[1, 0.1]] * 2 + [[-1, 0.1]] * 2, unit=3.0, standardise=True)
    assert (flat.placed[:, 1] == 0).all()
    assert flat.shares[0] > 0.6
    assert AxesPuzzle(points=np.zeros((4, 2)), standardise=True).shares == pytest.approx((1 / 3, 1 / 3))


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e308])
def test_columns_of_any_size_are_standardised(size):
    x = np.array([[1.0, 0.3], [-0.5, 0.3], [0.25, 0.3]]) * size
    once = standardise(x)
    assert np.allclose(once.mean(axis=0), 0, atol=1e-12)
    assert once.std(axis=0) == pytest.approx([1, 0], abs=1e-12)
    assert np.allclose(standardise(once), once)


def test_whole_numbers_are_standardised_and_a_dtype_is_kept(unchecked):
    assert np.allclose(standardise([[1, 5], [3, 5]]), [[-1, 0], [1, 0]])
    assert standardise(np.full((3, 2), 0.1, np.float32)).tolist() == [[0, 0]] * 3
    assert standardise(np.ones((2, 3), np.float16)).dtype == np.float16
    assert standardise(np.full((2, 2), 2**62)).tolist() == [[0, 0]] * 2
    batch = RNG.normal(size=(3, 5, 2))
    assert np.allclose(standardise(batch), [standardise(x) for x in batch])


@pytest.mark.parametrize(
    ("x", "says"),
    [
        (np.zeros((0, 2)), r"x has no rows or no columns: it has shape \(0, 2\)"),
        (np.zeros((2, 0)), r"x has no rows or no columns: it has shape \(2, 0\)"),
        (np.zeros(3), r"x needs two axes or more, got shape \(3,\)"),
        ([[1.0, np.nan]], r"x\[0, 1\] is nan: it must be finite"),
        ([[1.0], [-np.inf]], r"x\[1, 0\] is -inf"),
        ([["a"]], "x must hold real numbers"),
    ],
)
def test_what_cannot_be_standardised_is_named(x, says, unchecked):
    with pytest.raises(ValueError, match=says):
        standardise(x)


def test_the_share_of_partners_is_that_of_a_loop():
    weights = RNG.random((5, 3))
    partners = RNG.integers(3, size=5).tolist()
    assert partner_share(weights, partners) == pytest.approx(np.mean([weights[i, j] for i, j in enumerate(partners)]))


@pytest.mark.parametrize(
    ("weights", "partners", "says"),
    [
        (np.eye(2), [0, 2], r"partners\[1\] must be 0 or more and at most 1, got 2"),
        (np.eye(2), [-1, 0], r"partners\[0\] must be 0 or more"),
        (np.eye(2), [0], r"partners must be one for each query, weights \(2, 2\), partners \(1,\)"),
        (np.eye(2), [0.0, 1.0], "partners must hold integers"),
        (np.full((2, 2), np.nan), [0, 1], r"weights\[0, 0\] is nan"),
        (np.full((2, 2), 1.7e308), [0, 1], "weights are too large for float64"),
        (np.zeros((0, 2)), [], r"weights must have shape \(n, n_k\), none of them 0, got \(0, 2\)"),
    ],
)
def test_shares_that_cannot_be_are_named(weights, partners, says, unchecked):
    with pytest.raises(ValueError, match=says):
        partner_share(weights, partners)


def test_partners_are_mutual_and_every_other_word_is_one_at_most_once():
    for partners in PARTNERS:
        assert [partners[j] for j in partners] == [0, 1, 2, 3]
    assert all(len({i, kind, size}) == 3 for i, (kind, size) in enumerate(zip(*PARTNERS, strict=True)))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tokens": ["a", "b"]}, "tokens must have from 4 to 4 entries, got 2"),
        ({"points": np.zeros((3, 2))}, r"points must have shape \(4, 2\), got \(3, 2\)"),
        ({"points": [[0, 0], [0, 12.5], [0, 0], [0, 0]]}, r"points\[1, 1\] is 12.5, outside −12 to 12"),
        ({"points": [[0, 0], [0, 0], [0, 0], [np.nan, 0]]}, r"points\[3, 0\] is nan"),
        ({"unit": 0.1}, "unit must be from 0.25 to 3, got 0.1"),
        ({"factors": [[1, 1], [1, 3.5]]}, r"factors\[1, 1\] is 3.5, outside 0 to 3"),
        ({"factors": [[1, -1], [1, 1]]}, r"factors\[0, 1\] is −1, outside 0 to 3"),
        ({"factors": [1, 1]}, r"factors must have shape \(2, 2\), got \(2,\)"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        AxesPuzzle(**options)


def test_without_a_script_both_states_stand_in_print(page_of):
    page = page_of(AxesPuzzle())
    assert page.cells[6:10] == ["–", "0.47", "0.47", "0.06"]
    start = page.cells.index("one grid for both")
    assert page.cells[start : start + 3] == ["one grid for both", "47%", "47%"]
    assert page.cells[-9:] == [
        "factor on kind",
        "2",
        "0",
        "factor on size",
        "0",
        "2",
        "then, a grid for each",
        "100%",
        "100%",
    ]
    handed = page_of(AxesPuzzle(handed=True, factors=[[1, 0], [0, 1]]))
    assert handed.cells[-3:] == ["then, a grid for each", "79%", "79%"]
