"""RotaryDial's Python side: scores by complex numbers, the layouts, the errors, the tables."""

import json

import numpy as np
import pytest

from attnlib.widgets import InputError, RotaryDial

RNG = np.random.default_rng(0)
QUERY, KEY = RNG.normal(size=(2, 8))


def test_the_score_is_that_of_complex_numbers():
    dial = RotaryDial(
        QUERY, KEY, query_position=7, key_position=2, query_layout="interleaved", key_layout="interleaved"
    )
    query, key = ([complex(*pair) for pair in vector.reshape(-1, 2)] for vector in (QUERY, KEY))
    turns = np.exp(1j * 5 * 100.0 ** (-np.arange(4) / 4))
    assert dial.score == pytest.approx((np.array(query) * turns * np.conj(key)).real.sum())


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_the_score_stays_when_both_move_and_changes_with_the_distance(layout):
    dial = RotaryDial(QUERY, KEY, query_layout=layout, key_layout=layout)
    assert np.allclose([dial.score_after(shift) for shift in range(20)], dial.score)
    before = dial.score
    dial.query_position += 1
    assert abs(dial.score - before) > 0.01


def test_the_score_does_not_stay_when_the_layouts_differ():
    dial = RotaryDial(query_layout="half", key_layout="interleaved")
    assert max(abs(dial.score_after(shift) - dial.score) for shift in range(5)) > 1


def test_the_default_shows_both_within_two_decimals():
    dial = RotaryDial()
    assert f"{dial.score:.2f}" == f"{dial.score_after(1):.2f}"
    dial.key_layout = "interleaved"
    assert f"{dial.score:.2f}" != f"{dial.score_after(1):.2f}"


BAD = {
    "odd": (lambda: RotaryDial([1, 2, 3], [1, 2, 3]), "query and key must have an even number of columns, got 3"),
    "wide": (lambda: RotaryDial(np.ones(18), np.ones(18)), "query must have from 1 to 16 entries, got 18"),
    "rows": (lambda: RotaryDial(np.ones((2, 4)), KEY), r"query must have shape \(d,\).*\(2, 4\)"),
    "two rows": (lambda: setattr(RotaryDial(), "key", np.ones((2, 6))), r"key must have shape \(d,\).*\(2, 6\)"),
    "widths": (lambda: RotaryDial(QUERY, KEY[:4]), "query has width 8, key has width 4"),
    "NaN": (lambda: RotaryDial([1, np.nan], [1, 2]), r"query\[1\] is nan"),
    "empty": (lambda: RotaryDial([], []), r"query must have shape"),
    "position": (lambda: setattr(RotaryDial(), "query_position", 33), "query_position must be from 0 to 32, got 33"),
    "before": (lambda: RotaryDial(key_position=-1), "key_position must be from 0 to 32, got -1"),
    "base": (lambda: RotaryDial(base=0.0), "base must be above 0, got 0.0"),
    "infinite base": (lambda: RotaryDial(base=np.inf), "base must be finite, got inf"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_the_tables_show_the_pairs_the_arithmetic_and_what_moving_both_does(page_of, hostile):
    dial = RotaryDial(query_token=hostile, key_layout="interleaved")
    page = page_of(dial)
    rows = [page.cells[start : start + 8] for start in range(0, 48, 8)]
    assert [row[0] for row in rows] == ["", "query’s pair", "query, turned", "key’s pair", "key, turned", "product"]
    assert rows[1][1:] == ["0", "1", "2", "0", "1", "2", ""]
    assert rows[3][1:] == ["0", "0", "1", "1", "2", "2", ""]
    values = [[float(cell.replace("−", "-")) for cell in row[1:7]] for row in rows]
    query, key = dial.turned()
    assert np.abs(values[2] - query).max() <= 0.0051
    assert np.abs(values[4] - key).max() <= 0.0051
    assert float(rows[5][7]) == pytest.approx(dial.score, abs=0.0051)
    assert page.cells[-1] == f"{dial.score_after(8):.2f}".replace("-", "−")
    assert "img" not in page.tags
    assert json.loads(page.state) == dial.state()
