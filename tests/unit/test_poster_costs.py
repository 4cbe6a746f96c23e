"""The page of costs: what it draws is what `attnlib.cost` counts, and nothing leaves the page."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import attention_posters
from attnlib import cost
from attnlib.plots.style import COLOURS

D, H = 60, 4
PROJECTIONS, GRIDS, FEED_FORWARD = COLOURS[0], COLOURS[1], COLOURS[2]


def page(**options):
    return attention_posters.cost_page(D, H, **options)


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("itemsize", [2, 4])
def test_nothing_leaves_the_page_or_covers_another_word(itemsize, assert_tidy):
    assert_tidy(attention_posters.cost_page(768, 12, itemsize=itemsize, title="Where the work goes"))


def test_the_shares_of_a_bar_are_those_of_the_counts():
    bars = [patch for patch in page().axes[1].patches if patch.get_height() > 0.4]
    assert len(bars) == 3 * 4
    for i, n in enumerate((10, 60, 360, 2160)):
        parts = cost.block_parts(n, D, num_heads=H)
        wide = {to_hex(bar.get_facecolor()): bar.get_width() for bar in bars[3 * i : 3 * i + 3]}
        total = sum(parts.values())
        assert wide[GRIDS] == pytest.approx((parts["QKᵀ"] + parts["AV"]) / total)
        assert wide[PROJECTIONS] == pytest.approx((parts["queries, keys, values"] + parts["W_O"]) / total)
        assert wide[FEED_FORWARD] == pytest.approx(parts["feed-forward"] / total)
        assert sum(wide.values()) == pytest.approx(1)


def test_the_grids_are_half_of_the_work_at_six_d_as_it_says():
    table, shares, _ = page().axes
    assert any("Here $d$ = 60, so $6d$ = 360." in text for text in texts(table))
    assert "n = 6d = 360" in texts(shares)
    assert "50 %" in texts(shares)


def test_the_table_has_every_part_and_its_formulas_add_up():
    written = texts(page().axes[0])
    times = {"$3\\,nd^2$": 3, "$nd^2$": 1, "$8\\,nd^2$": 8}
    for name, adds in cost.block_parts(7, D).items():
        formula = written[written.index(name) + 2]
        assert adds == (7 * 7 * D if formula == "$n^2 d$" else times[formula] * 7 * D * D)
    assert "$12\\,nd^2 + 2\\,n^2 d$" in written


def test_the_lines_are_the_bytes_of_the_cost_functions():
    lines = {line.get_label(): line for line in page(itemsize=4).axes[2].lines}
    n = lines["parameters"].get_xdata()
    shape = {"num_heads": H, "itemsize": 4}
    expected = {
        "grids and output": [cost.attention_cost(m, m, D // H, D // H, **shape).peak_bytes for m in n.tolist()],
        "one tile and output": [cost.streaming_cost(m, m, D // H, D // H, **shape).peak_bytes for m in n.tolist()],
        "keys and values": [cost.cache_bytes(m, H, D // H) for m in n.tolist()],
        "parameters": [cost.block_parameters(D) * 4] * len(n),
    }
    assert lines.keys() == expected.keys()
    for name, held in expected.items():
        assert np.array_equal(lines[name].get_ydata(), held)


@pytest.mark.parametrize("d", [0, 3, 64])
def test_a_width_that_six_does_not_divide_is_refused(d):
    with pytest.raises(ValueError, match=f"needs a d that 6 divides, since it draws n = d/6, got {d}"):
        attention_posters.cost_page(d, 1)
