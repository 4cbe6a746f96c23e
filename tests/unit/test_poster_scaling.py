"""The sheet on scaling: what it says is computed, it has the shape of paper, and nothing touches or leaves it."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import attention_posters
from attention_posters.scaling import BROKEN, KEYS, QUERIES, SHOWN, WIDTHS
from attnlib import softmax
from attnlib.lab import draw_scores, saturation, score_variance
from attnlib.lab.scaling import BROKEN as ASSUMPTIONS
from attnlib.plots import style


@pytest.fixture(scope="module")
def page():
    figure = attention_posters.scaling_page(seed=3)
    figure.draw_without_rendering()
    return figure


def titled(page, start):
    (axes,) = (axes for axes in page.axes if axes.get_title(loc="left").startswith(start))
    return axes


def scores(d_k, broken="none"):
    return draw_scores(QUERIES, KEYS, d_k, broken=broken, seed=3)


def test_it_is_a_sheet_of_paper_as_wide_as_other_figures_and_closed(page):
    width, height = page.get_size_inches()
    assert width == style.WIDTH
    assert height / width == pytest.approx(297 / 210, abs=0.01)
    assert plt.get_fignums() == []


@pytest.mark.parametrize(("name", "by"), [("not scaled: one row", 1), ("scaled: one row", SHOWN**0.5)])
def test_the_bars_are_the_weights_of_one_query(page, name, by):
    heights = [bar.get_height() for bar in titled(page, name).patches]
    assert heights == pytest.approx(softmax(scores(SHOWN) / by)[0])


@pytest.mark.parametrize(("name", "which"), [("largest weight", "largest"), ("slope", "slope")])
def test_the_lines_are_measures_with_and_without_the_root(page, name, which):
    raw, scaled = (line.get_ydata() for line in titled(page, name).lines)
    assert raw == pytest.approx([getattr(saturation(scores(d_k)), which) for d_k in WIDTHS])
    assert scaled == pytest.approx([getattr(saturation(scores(d_k) / d_k**0.5), which) for d_k in WIDTHS])


def test_the_histograms_spread_as_the_scores_do_before_the_division_and_after(page):
    spreads = {}
    for name in ("scores: as wide", "scores ÷"):
        spreads[name] = []
        for outline in titled(page, name).patches:
            density, edges, _ = outline.get_data()
            assert (density * np.diff(edges)).sum() == pytest.approx(1)
            middle = (edges[1:] + edges[:-1]) / 2
            spreads[name].append((density * np.diff(edges) * middle**2).sum() ** 0.5)
    assert spreads["scores: as wide"] == pytest.approx([scores(4).std(), scores(64).std()], rel=0.05)
    assert spreads["scores ÷"] == pytest.approx([scores(4).std() / 2, scores(64).std() / 8], rel=0.05)
    assert max(spreads["scores ÷"]) < 1.2 * min(spreads["scores ÷"])


def test_the_table_breaks_every_assumption_with_its_variance_and_what_is_left(page):
    assert set(BROKEN) == set(ASSUMPTIONS)
    written = [text.get_text() for text in page.axes[-1].texts]
    for broken, (name, formula) in BROKEN.items():
        row = written.index(name)
        assert written[row + 1] == formula
        assert float(written[row + 2]) == pytest.approx(score_variance(SHOWN, broken=broken) / SHOWN, rel=0.2)
        largest = saturation(scores(SHOWN, broken) / SHOWN**0.5).largest
        assert float(written[row + 3]) == pytest.approx(largest, abs=0.006)


def test_no_two_texts_touch_and_nothing_leaves_the_sheet(page, assert_tidy):
    assert_tidy(page)
