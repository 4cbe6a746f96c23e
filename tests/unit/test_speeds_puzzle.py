"""SpeedsPuzzle on the Python side: its scores are those of turned vectors, and which speeds reach the goal."""

import numpy as np
import pytest

from attnlib.widgets import InputError, SpeedsPuzzle

SPEEDS = [(1.0, 0.1), (1.0, 0.05), (0.35, 0.2), (2.0, 0.005), (1.3, 0.025)]


@pytest.mark.parametrize(("fast", "slow"), SPEEDS)
def test_the_scores_are_those_of_a_query_that_is_turned_pair_by_pair(fast, slow):
    puzzle = SpeedsPuzzle(fast=fast, slow=slow)
    dials = [(2 - 3j, fast), (-2 + 6j, slow)]  # a pair as a complex number: a turn is a product
    by_hand = [sum((pair * np.exp(1j * speed * place)).real for pair, speed in dials) for place in range(61)]
    assert puzzle.scores == pytest.approx(by_hand)
    others = [score for place, score in enumerate(by_hand) if place != 1]
    assert puzzle.lead == pytest.approx(by_hand[1] - max(others))
    more = [place for place, score in enumerate(by_hand) if score > by_hand[1]]
    assert puzzle.first == (more[0] if more else None)


def test_a_slow_dial_that_is_fast_or_hardly_moves_misses_the_goal():
    leads = [SpeedsPuzzle(slow=slow).lead for slow in (0.2, 0.1, 0.045, 0.035, 0.025, 0.005)]
    assert [lead >= 1 for lead in leads] == [False, False, False, True, False, False]
    assert [lead > 0 for lead in leads] == [False, False, False, True, True, True]


def test_the_table_holds_the_speeds_of_the_chapter_and_those_that_are_set(page_of):
    cells = page_of(SpeedsPuzzle(slow=0.2)).cells
    assert cells[:4] == ["", "score of distance 1", "first that scores more", "lead"]
    rows = [cells[at : at + 4] for at in range(4, 28, 4)]
    assert [row[0] for row in rows] == [
        "1 and 0.2",
        "1 and 0.1",
        "1 and 0.05",
        "1 and 0.03",
        "1 and 0.01",
        "0.5 and 0.05",
    ]
    assert rows[1] == ["1 and 0.1", "1.02", "26", "−8.87"]
    assert rows[3] == ["1 and 0.03", "1.43", "none", "1.15 ✓"]
    assert rows[5][2] == "2"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fast": 0.1}, "fast must be from 0.2 to 2, got 0.1"),
        ({"slow": 0.21}, "slow must be from 0.005 to 0.2, got 0.21"),
        ({"slow": np.nan}, "slow must be from 0.005 to 0.2, got nan"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(InputError, match=message):
        SpeedsPuzzle(**options)
