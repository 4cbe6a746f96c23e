"""HeadsPuzzle and the mathematics behind it: one blend never gives both numbers, and two that differ do."""

import numpy as np
import pytest

from attnlib.lab import blend_errors, blend_readout
from attnlib.widgets import InputError
from attnlib.widgets.heads_puzzle import HeadsPuzzle

RNG = np.random.default_rng(0)
GRID = np.arange(21) / 20  # where the sliders stand


def blends(count=None):
    shares = RNG.random(count or RNG.integers(1, 5))
    return shares, np.stack([shares, 1 - shares], axis=1), float(RNG.uniform(0.01, 1))


@pytest.mark.parametrize("share", GRID)
@pytest.mark.parametrize("noise", [0, 0.05, 0.3])
def test_one_blend_leaves_a_sum_of_errors_of_one_or_more(share, noise):
    both, power = HeadsPuzzle(first=share, noise=noise).errors, share**2 + (1 - share) ** 2
    assert sum(both) == pytest.approx(1 + noise**2 / (power + noise**2), abs=1e-12)
    if noise == 0:
        assert both == pytest.approx(((1 - share) ** 2 / power, share**2 / power), abs=1e-12)
    assert max(both) >= 0.5


def test_no_share_wins_alone_however_fine_the_scan_and_no_copies_do():
    for share in np.linspace(0, 1, 2001):
        for count in (1, 2, 7):
            both = blend_errors([share] * count, 0.05)
            assert sum(both) >= 1
            assert max(both) >= 0.5


def test_of_two_blends_those_win_that_differ_by_a_fifth():
    for first in GRID:
        for second in GRID:
            worst = max(HeadsPuzzle(first=first, second=second, handed=True).errors)
            if abs(first - second) > 0.19:
                assert worst < 0.1
            if abs(first - second) < 0.06:
                assert worst > 0.25


def test_without_noise_any_two_shares_that_differ_are_enough():
    for first in GRID:
        for second in GRID:
            both = HeadsPuzzle(first=first, second=second, handed=True, noise=0).errors
            assert (both == (0, 0)) == (first != second)
    assert blend_errors([0.5, 0.5 + 1e-9]) == (0, 0)


def test_with_the_most_noise_two_blends_can_still_win():
    assert max(HeadsPuzzle(first=1, second=0, handed=True, noise=0.3).errors) < 0.1


def test_the_readout_is_that_of_linear_regression():
    for _ in range(200):
        shares, mixing, noise = blends()
        covariance = mixing @ mixing.T + noise**2 * np.eye(len(shares))
        readout = blend_readout(shares, noise)
        assert np.allclose(readout, np.linalg.solve(covariance, mixing), atol=1e-9)
        assert np.allclose(blend_errors(shares, noise), 1 - np.diag(mixing.T @ readout), atol=1e-9)


def test_the_errors_are_those_of_draws():
    shares, mixing, noise = np.array([0.6, 0.45]), np.array([[0.6, 0.4], [0.45, 0.55]]), 0.2
    wanted = RNG.normal(size=(100_000, 2))
    seen = wanted @ mixing.T + noise * RNG.normal(size=(100_000, 2))
    fitted = np.linalg.lstsq(seen, wanted, rcond=None)[0]
    assert np.allclose(fitted, blend_readout(shares, noise), atol=0.02)
    assert np.allclose(((wanted - seen @ fitted) ** 2).mean(axis=0), blend_errors(shares, noise), atol=0.01)


def test_no_other_linear_readout_does_better():
    shares, mixing, noise = blends(2)
    best, readout = blend_errors(shares, noise), blend_readout(shares, noise)
    for _ in range(100):
        other = readout + RNG.normal(size=(2, 2)) * RNG.choice([1e-3, 1])
        error = ((other.T @ mixing - np.eye(2)) ** 2).sum(axis=1) + noise**2 * (other**2).sum(axis=0)
        assert (error >= np.array(best) - 1e-12).all()


@pytest.mark.parametrize("noise", [0, 1e-200, 1e-3, 1])
def test_blends_however_near_each_other_have_finite_numbers(noise):
    for apart in (0, 5e-324, 1e-200, 1e-9):
        shares = [0.0, apart]
        u, v = blend_errors(shares, noise)
        assert 0 <= min(u, v) <= max(u, v) <= 1
        assert np.isfinite(blend_readout(shares, noise)).all()
    assert np.allclose(blend_readout([0.3, 0.3], noise), blend_readout([0.3], noise) / 2, atol=noise)


def test_the_second_share_counts_nothing_until_it_is_handed_over():
    assert HeadsPuzzle(second=0).errors == HeadsPuzzle().errors
    assert HeadsPuzzle(second=0).shares == [0.5]
    handed = HeadsPuzzle(first=0.25, second=1, handed=True)
    assert handed.shares == [0.25, 1]
    assert handed.errors == blend_errors([0.25, 1], 0.05)
    assert (handed.readout == blend_readout([0.25, 1], 0.05)).all()


def test_a_second_blend_like_the_first_changes_little():
    for share in GRID:
        alone, beside = HeadsPuzzle(first=share), HeadsPuzzle(first=share, second=share, handed=True)
        assert np.allclose(alone.errors, beside.errors, atol=0.003)


@pytest.mark.parametrize("function", [blend_errors, blend_readout])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([[]], r"shares must have shape \(h,\) with h ≥ 1, got \(0,\)"),
        ([np.zeros((2, 2))], r"shares must have shape \(h,\) with h ≥ 1, got \(2, 2\)"),
        ([[0.5, np.nan]], r"shares\[1\] is nan: it must be finite"),
        ([[0, 1.5]], r"shares\[1\] is 1.5: it must be from 0 to 1"),
        ([[-0.1]], r"shares\[0\] is -0.1: it must be from 0 to 1"),
        ([[0.5], -0.1], "noise must be from 0 to 1, got -0.1"),
        ([[0.5], 2], "noise must be from 0 to 1, got 2"),
        ([[0.5], np.nan], "noise must be finite, got nan"),
        ([["a"]], "shares must hold real numbers"),
    ],
)
def test_blends_that_cannot_be_are_named(function, arguments, says, unchecked):
    with pytest.raises(ValueError, match=says):
        function(*arguments)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"first": 1.1}, "first must be from 0 to 1, got 1.1"),
        ({"second": -0.1}, "second must be from 0 to 1, got -0.1"),
        ({"first": np.nan}, "first must be from 0 to 1, got nan"),
        ({"noise": 0.5}, "noise must be from 0 to 0.3, got 0.5"),
        ({"noise": -0.1}, "noise must be from 0 to 0.3, got -0.1"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        HeadsPuzzle(**options)


def test_without_a_script_both_ends_and_what_wins_stand_in_print(page_of):
    cells = page_of(HeadsPuzzle(first=0.75)).cells
    assert cells[1:4] == ["error of u", "error of v", "sum of both"]
    rows = {cells[at]: cells[at + 1 : at + 4] for at in range(4, len(cells), 4)}
    assert rows == {
        "one blend, share of u 0.75": ["10%", "90%", "100%"],
        "one blend, share of u 1.00": ["0%", "100%", "100%"],
        "one blend, share of u 0.00": ["100%", "0%", "100%"],
        "two blends, shares of u 1.00 and 0.00": ["0%", "0%", "0%"],
    }
    handed = page_of(HeadsPuzzle(first=0.5, second=0.6, handed=True)).cells
    assert handed[4:8] == ["two blends, shares of u 0.50 and 0.60", "8%", "12%", "20%"]
