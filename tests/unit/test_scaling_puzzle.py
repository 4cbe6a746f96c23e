"""ScalingPuzzle on the Python side: no divisor serves two widths, the roots serve all four, and so for other draws."""

import numpy as np
import pytest

from attnlib.lab import seeded_uniform
from attnlib.widgets import InputError, ScalingPuzzle
from attnlib.widgets.scaling_puzzle import HOME, WIDTHS

ROOTS = np.sqrt(WIDTHS)
SEEDS = range(100)


def shares(puzzle, divisors):
    """The mean largest weight of each cloud, by the definition of a softmax."""
    raised = np.exp(puzzle.scores / np.array(divisors)[:, None, None])
    return (raised.max(axis=2) / raised.sum(axis=2)).mean(axis=1)


def at_home(measured):
    """As it is shown: whole percentages."""
    return (measured.round(2) >= HOME[0]) & (measured.round(2) <= HOME[1])


@pytest.fixture(scope="module")
def others():
    """The puzzle with other draws."""
    return [ScalingPuzzle(seed=seed) for seed in SEEDS]


def test_the_scores_are_those_of_vectors_that_grow_longer():
    puzzle = ScalingPuzzle(seed=5, dots=7)
    longest = max(WIDTHS)
    for i in range(7):
        components = seeded_uniform(4 * longest, seed=5, start=4 * longest * i)
        query, *keys = components.reshape(4, longest)
        for width, scores in zip(WIDTHS, puzzle.scores, strict=True):
            assert scores[i] == pytest.approx([query[:width] @ key[:width] for key in keys])


def test_the_widget_weighs_as_the_definition_says():
    for divisor in (1, 3.3, 64):
        assert ScalingPuzzle(divisor=divisor).shares == pytest.approx(shares(ScalingPuzzle(), [divisor] * 4))
    puzzle = ScalingPuzzle(handed=True, divisor=9, divisors=[64, 2.5, 1, 16])
    assert puzzle.shares == pytest.approx(shares(puzzle, [64, 2.5, 1, 16]))
    assert puzzle.weights.shape == (4, 100, 3)
    assert puzzle.weights.sum(axis=2) == pytest.approx(1)


def test_the_divisors_count_nothing_until_they_are_handed_over():
    assert (ScalingPuzzle(divisors=[2, 4, 8, 16]).weights == ScalingPuzzle().weights).all()
    assert (ScalingPuzzle(handed=True, divisors=[8] * 4).weights == ScalingPuzzle(divisor=8).weights).all()


def test_at_the_start_every_cloud_is_in_the_corners():
    assert ScalingPuzzle().shares.min() > 0.7


def test_the_roots_win_and_so_do_their_neighbours_on_the_slider():
    for factor in (2**-0.25, 1, 2**0.25):
        puzzle = ScalingPuzzle(handed=True, divisors=[float(f"{root * factor:.2g}") for root in ROOTS])
        assert at_home(puzzle.shares).all()


def test_a_larger_divisor_makes_every_mean_largest_weight_smaller():
    puzzle = ScalingPuzzle()
    measured = np.array([shares(puzzle, [divisor] * 4) for divisor in 2 ** np.linspace(0, 6, 200)])
    assert (np.diff(measured, axis=0) < 0).all()


def test_with_one_divisor_it_is_lost_by_two_numbers():
    """Of 8 and more the narrowest cloud stays below the goal, of 8 and less the widest stays above it."""
    narrowest, _, _, widest = ScalingPuzzle(divisor=8).shares
    assert narrowest == pytest.approx(0.41, abs=0.005)
    assert widest == pytest.approx(0.74, abs=0.005)


def test_no_divisor_has_two_clouds_at_home_and_some_divisor_has_each():
    puzzle = ScalingPuzzle()
    counts = np.array([at_home(shares(puzzle, [divisor] * 4)) for divisor in 2 ** np.linspace(0, 6, 500)])
    assert counts.sum(axis=1).max() == 1
    assert counts.any(axis=0).all()


def test_other_draws_are_won_by_the_roots_too(others):
    assert [seed for seed, puzzle in zip(SEEDS, others, strict=True) if not at_home(shares(puzzle, ROOTS)).all()] == []


def test_other_draws_are_lost_with_one_divisor_too(others):
    for puzzle in others:
        narrowest, _, _, widest = shares(puzzle, [8] * 4)
        assert narrowest < 0.5
        assert widest > 0.68


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"divisor": 0.5}, "divisor must be from 1 to 64, got 0.5"),
        ({"divisor": np.nan}, "divisor"),
        ({"divisors": [1, 2, 3]}, r"divisors must have shape \(4,\), got \(3,\)"),
        ({"divisors": [1, 2, 65, 3]}, r"divisors\[2\] is 65, outside 1 to 64"),
        ({"divisors": [1, -2, 5, 3]}, r"divisors\[1\] is −2, outside 1 to 64"),
        ({"divisors": [1, 2, np.inf, 3]}, r"divisors\[2\] is inf"),
        ({"seed": -1}, "seed must be from 0 to 1048576, got -1"),
        ({"dots": 0}, "dots must be from 1 to 400, got 0"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        ScalingPuzzle(**options)


def test_without_a_script_one_divisor_and_one_for_each_stand_in_print(page_of):
    cells = page_of(ScalingPuzzle()).cells
    assert cells[1:7] == ["÷ 1", "÷ 2", "÷ 4", "÷ 8", "÷ 16", "one for each"]
    rows = np.reshape(cells[7:], (4, 7)).T
    assert rows[0].tolist() == [f"dₖ\u00a0=\u00a0{width}" for width in WIDTHS]
    assert [list(column).count("✓") for column in map("".join, rows)] == [0, 0, 1, 1, 1, 1, 4]
    assert rows[4].tolist() == ["41%", "48%", "60% ✓", "74%"]
    assert rows[6].tolist() == ["÷ 2: 61% ✓", "÷ 4: 60% ✓", "÷ 8: 60% ✓", "÷ 16: 60% ✓"]
    moved = page_of(ScalingPuzzle(divisor=5.7, handed=True, divisors=[2, 4.5, 8, 64])).cells
    assert moved[4:6] == ["÷ 5.7", "÷ 8"]
    assert [cell.split(":")[0] for cell in moved[15::8]] == ["÷ 2", "÷ 4.5", "÷ 8", "÷ 64"]


def test_its_page_is_small():
    assert len(ScalingPuzzle(handed=True).to_html()) < 3500
