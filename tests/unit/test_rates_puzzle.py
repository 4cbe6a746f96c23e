"""RatesPuzzle on the Python side: the shares are the record's, and so are the rates that are good."""

import numpy as np
import pytest

from attnlib.lab.rates import recorded
from attnlib.widgets import InputError, RatesPuzzle
from attnlib.widgets.rates_puzzle import RATES, WAYS, WIDTHS

SETTINGS = [(way, shared) for shared in (False, True) for way in WAYS]
COUNTS = {  # of good rates, at each width and at all three
    ("without the root", False): [5, 3, 5, 3],
    ("with the root", False): [6, 7, 7, 6],
    ("small start", False): [6, 7, 7, 5],
    ("without the root", True): [2, 2, 3, 1],
    ("with the root", True): [3, 4, 6, 3],
    ("small start", True): [2, 2, 3, 1],
}


@pytest.mark.parametrize(("way", "shared"), SETTINGS)
def test_every_share_is_that_of_the_worst_seed_in_the_record(way, shared):
    found = recorded("SGD, one rate" if shared else "SGD")
    puzzle = RatesPuzzle(way=way, shared=shared)
    for rate, name in enumerate(RATES):
        top, _, below = name.partition("/")
        column = found.rates.index(int(top) / int(below or 1))
        puzzle.rate = rate
        rows = [found.right[WAYS[way]][found.widths.index(width), column] for width in WIDTHS]
        assert puzzle.right.tolist() == [row.min() for row in rows]
        assert [name in puzzle.good(width) for width in WIDTHS] == [bool((row >= 0.9).all()) for row in rows]
        assert (name in puzzle.common()) == all((row >= 0.9).all() for row in rows)


@pytest.mark.parametrize(("way", "shared"), SETTINGS)
def test_the_good_rates_are_as_many_as_the_chapter_says(way, shared):
    puzzle = RatesPuzzle(way=way, shared=shared)
    assert [*(len(puzzle.good(width)) for width in WIDTHS), len(puzzle.common())] == COUNTS[way, shared]


def test_the_start_is_good_nowhere():
    puzzle = RatesPuzzle()
    assert puzzle.right.max() < 0.9
    assert RATES[puzzle.rate] not in puzzle.common()


def test_the_table_says_how_many_rates_are_good_and_which(page_of):
    page = page_of(RatesPuzzle(rate=3))
    rows = [page.cells[at : at + 5] for at in range(5, 35, 5)]
    assert page.cells[1:5] == ["dₖ\u00a0=\u00a016", "dₖ\u00a0=\u00a064", "dₖ\u00a0=\u00a0256", "at all three"]
    assert rows[1] == ["with the root", "6: 1/16 to 2", "7: 1/16 to 4", "7: 1/16 to 4", "6: 1/16 to 2"]
    assert rows[3] == ["without the root, one rate for all", "2: 1/4, 1/2", "2: 1/8, 1/4", "3: 1/8 to 1/2", "1: 1/4"]
    assert [[int(cell.split(":")[0]) for cell in row[1:]] for row in rows] == list(COUNTS.values())


def test_what_is_left_out_between_two_rates_is_not_said_to_be_good(page_of):
    shares = np.zeros((6, 3, 16))
    shares[0, 0, [2, 3, 5]] = 0.9
    shares[0, 1, 4] = 0.8999
    cells = page_of(RatesPuzzle(shares=shares)).cells
    assert cells[5:10] == ["without the root", "3: 1/512, 1/256, 1/64", "none", "none", "none"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"way": "root"}, "way must be one of without the root, with the root, small start, got 'root'"),
        ({"rate": 16}, "rate must be from 0 to 15, got 16"),
        ({"tried": [0, 96]}, r"tried\[1\] is 96, outside 0 to 95"),
        ({"tried": [-1]}, r"tried\[0\] is -1, outside 0 to 95"),
        ({"shares": np.zeros((6, 3, 15))}, r"shares must have shape \(6, 3, 16\), got \(6, 3, 15\)"),
        ({"shares": np.full((6, 3, 16), 1.5)}, r"shares\[0\]\[0, 0\] is 1.5, outside 0 to 1"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(InputError, match=message):
        RatesPuzzle(**options)
