"""KinPuzzle on the Python side: useless axes hide the kin, two remedies do not bring all back, and being told does."""

import numpy as np
import pytest

from attnlib.lab import seeded_uniform, standardise
from attnlib.widgets import InputError, KinPuzzle

SEEDS = range(12)


def by_hand(seed, useless, remedy):
    """The share that finds its kin, token by token."""
    drawn = seeded_uniform(60 * 16, seed=seed).reshape(60, 16)
    x = np.hstack([0.7 * drawn[:, :4], 3 * drawn[:, 4 : 4 + useless]])
    for i in range(60):
        x[i, i // 15] += 2
    if remedy == "standardised":
        x = standardise(x)
    if remedy == "of length 1":
        x = np.array([row / (row @ row) ** 0.5 for row in x])
    if remedy == "told":
        x = standardise(x[:, :4])
    found = 0
    for i in range(60):
        best = max((j for j in range(60) if j != i), key=lambda j: x[i] @ x[j])
        found += best // 15 == i // 15
    return found / 60


@pytest.mark.parametrize("remedy", ["as they are", "of length 1", "standardised", "told"])
@pytest.mark.parametrize("useless", [0, 1, 5, 12])
def test_the_share_is_counted_token_by_token(remedy, useless):
    way = {"handed": True} if remedy == "told" else {"remedy": remedy}
    assert KinPuzzle(useless=useless, seed=3, **way).share == by_hand(3, useless, remedy)


def test_no_remedy_reaches_the_goal_in_any_of_twelve_draws_and_being_told_nearly_does():
    for remedy, most in (("as they are", 0.5), ("of length 1", 0.5), ("standardised", 0.8)):
        assert max(KinPuzzle(seed=seed, remedy=remedy).share for seed in SEEDS) < most
    told = [KinPuzzle(seed=seed, handed=True).share for seed in SEEDS]
    assert min(told) > 0.85
    assert KinPuzzle(handed=True).share >= 0.9


def test_told_which_axes_count_the_useless_ones_play_no_part():
    few, many = (KinPuzzle(handed=True, useless=useless) for useless in (0, 12))
    assert (few.scores == many.scores).all()


def test_the_table_has_a_row_for_each_remedy_and_a_column_for_each_number(page_of):
    cells = page_of(KinPuzzle(useless=7)).cells
    assert cells[:6] == ["", "0 useless", "1 useless", "4 useless", "7 useless", "12 useless"]
    rows = {cells[at]: cells[at + 1 : at + 6] for at in range(6, len(cells), 6)}
    assert list(rows) == ["as they are", "of length 1", "standardised", "told which axes count"]
    assert rows["standardised"][4] == f"{by_hand(0, 12, 'standardised'):.0%}"
    assert rows["as they are"][3] == f"{by_hand(0, 7, 'as they are'):.0%}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"useless": 13}, "useless must be from 0 to 12, got 13"),
        ({"remedy": "length"}, "remedy must be one of as they are, of length 1, standardised, got 'length'"),
        ({"seed": -1}, "seed must be from 0 to 1048576, got -1"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(InputError, match=message):
        KinPuzzle(**options)
