"""RooflineLab on the Python side: a byte serves as many multiply–adds as its queries say, up to the machine's rate."""

import pytest

from attnlib.lab.budget import CARD
from attnlib.widgets import InputError, RooflineLab


@pytest.mark.parametrize("queries", [1, 7, 64, 163, 164, 1024])
def test_the_rate_is_the_lesser_of_bandwidth_and_processor(queries):
    lab = RooflineLab(queries=queries)
    bytes_moved = 2 * 64 * 4 / queries  # of a key and its value, for each query
    assert lab.intensity == pytest.approx(2 * 64 / bytes_moved)
    assert lab.rate == pytest.approx(min(41.3e12, lab.intensity * 1.008e12))
    assert lab.seconds == pytest.approx(12 * 2 * 100_000**2 * 768 / lab.rate)
    assert (lab.rate == CARD.peak) == (queries >= 164)


def test_the_table_says_what_is_waited_for(page_of):
    cells = page_of(RooflineLab(queries=100)).cells
    assert cells[:5] == ["", "multiply–adds a byte", "trillions a second", "seconds at best", "waits for"]
    rows = {cells[at]: cells[at + 1 : at + 5] for at in range(5, len(cells), 5)}
    assert list(rows) == ["1", "16", "64", "100", "128", "256"]
    assert rows["1"] == ["0.25", "0.252", "731 s", "bytes"]
    assert rows["64"] == ["16", "16.1", "11.4 s", "bytes"]
    assert rows["256"] == ["64", "41.3", "4.46 s", "the processor"]


@pytest.mark.parametrize(
    ("queries", "message"), [(0, "from 1 to 1024, got 0"), (1025, "from 1 to 1024, got 1025"), (True, "")]
)
def test_bad_input_is_named(queries, message):
    if message:
        with pytest.raises(InputError, match=message):
            RooflineLab(queries=queries)
    else:
        assert RooflineLab(queries=queries).queries == 1
