"""CheatPuzzle on the Python side: what acts after the softmax never hides the coin, and −∞ before it does."""

import itertools
import math

import numpy as np
import pytest

from attnlib.widgets import InputError
from attnlib.widgets.cheat_puzzle import COINS, SCORES, VALUES, CheatPuzzle

FACTORS = [step / 10 for step in range(1, 21)]  # every place of the slider


def by_loops(weight, factor, masked):
    """Weights and outputs, number by number, for heads and tails."""
    weights, outputs = [], []
    for score, side in zip(SCORES, VALUES, strict=True):
        raised = 0 if masked else math.exp(score)
        own, coin = 1 / (1 + raised), 0 if weight else raised / (1 + raised)
        weights.append([own, coin])
        outputs.append((own * 1 + coin * side) * factor)
    return weights, outputs


def guessed(outputs):
    """The coins that a threshold gets right, of all that are between two outputs, above it, or below."""
    best = 0
    for threshold in (-9, np.mean(outputs), 9):
        for above, below in ("HT", "TH"):
            guesses = [above if outputs["HT".index(coin)] > threshold else below for coin in COINS]
            best = max(best, sum(guess == coin for guess, coin in zip(guesses, COINS, strict=True)))
    return best


def test_there_are_as_many_heads_as_tails():
    assert [COINS.count(side) for side in "HT"] == [10, 10]
    assert len(COINS) == 20


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("weight", [False, True])
def test_weights_outputs_and_guesses_are_those_of_loops(weight, masked):
    for factor in FACTORS:
        puzzle = CheatPuzzle(erase_weight=weight, factor=factor, handed=True, masked=masked)
        weights, outputs = by_loops(weight, factor, masked)
        assert np.allclose(puzzle.weights, weights, atol=1e-15)
        assert puzzle.outputs == pytest.approx(outputs, abs=1e-15)
        assert puzzle.right == guessed(outputs) == (10 if masked else 20)
        assert (puzzle.scores[:, 1] == ([-np.inf] * 2 if masked else SCORES)).all()


def test_after_the_softmax_no_setting_hides_the_coin():
    for weight, factor in itertools.product([False, True], FACTORS):
        puzzle = CheatPuzzle(erase_weight=weight, factor=factor)
        assert puzzle.right == 20
        assert abs(np.diff(puzzle.outputs).item()) > 0.05  # which three decimals show


def test_the_outputs_stay_apart_by_the_same_ratio_whatever_the_factor():
    erased = (1 + math.exp(SCORES[0])) / (1 + math.exp(SCORES[1]))  # tails to heads: 1/(1 + eˢ) each, times the factor
    for factor in FACTORS:
        heads, tails = CheatPuzzle(erase_weight=True, factor=factor).outputs
        assert tails / heads == pytest.approx(erased)
        heads, tails = CheatPuzzle(factor=factor).outputs
        assert tails / heads == pytest.approx(math.tanh(0.5))


def test_dividing_by_what_is_left_would_hide_it_as_the_chapter_says():
    puzzle = CheatPuzzle(erase_weight=True)
    assert puzzle.weights.sum(axis=1).round(3).tolist() == [0.119, 0.731]
    divided = puzzle.outputs / puzzle.weights.sum(axis=1)
    masked = CheatPuzzle(handed=True, masked=True)
    assert divided.tolist() == masked.outputs.tolist() == [1, 1]
    assert masked.weights.tolist() == [[1, 0], [1, 0]]


def test_the_mask_counts_nothing_until_it_is_handed_over():
    assert CheatPuzzle(masked=True).outputs.tolist() == CheatPuzzle().outputs.tolist()
    assert CheatPuzzle(handed=True).right == CheatPuzzle(masked=True).right == 20


@pytest.mark.parametrize("factor", [0, 0.09, 2.1, -1, math.nan, math.inf])
def test_a_factor_that_hides_all_or_none_is_refused(factor):
    with pytest.raises(InputError, match=r"factor must be from 0.1 to 2, got "):
        CheatPuzzle(factor=factor)


def test_without_a_script_the_start_and_what_wins_stand_in_print(page_of):
    cells = page_of(CheatPuzzle()).cells
    begin = cells.index("score on coin")
    assert cells[begin : begin + 3] == ["score on coin", "2", "−1"]
    begin = cells.index("output")
    assert cells[begin : begin + 3] == ["output", "1.000", "0.462"]
    assert cells[-12:-8] == ["the weight on the coin erased", "0.119", "0.731", "20 of 20"]
    assert cells[-4:] == ["before the softmax, the score on the coin made −∞", "1.000", "1.000", "10 of 20"]
    shown = page_of(CheatPuzzle(erase_weight=True, factor=0.5, handed=True, masked=True)).cells
    begin = shown.index("score on coin")
    assert shown[begin : begin + 3] == ["score on coin", "−∞", "−∞"]
    assert shown[shown.index("output") + 1] == "0.500"
