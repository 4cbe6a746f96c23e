"""Margins as histograms: what is written is counted, a bar has one side of 0, and all panels have one scale."""

import numpy as np
import pytest

import attention_posters
from attnlib.plots.style import COLOURS

MARGINS = {"whole": np.array([1.0, 2.0, 6.2, 6.4]), "without": np.array([-2.0, -0.1, 0.0, 3.0])}


@pytest.fixture
def panels():
    return attention_posters.margins_page(MARGINS, title="Margins").axes


def test_the_share_below_0_is_counted_and_0_itself_is_not_below(panels):
    assert [axes.get_title(loc="right") for axes in panels] == ["0 % below 0", "50 % below 0"]
    assert [axes.get_title(loc="left") for axes in panels] == list(MARGINS)


def test_each_bar_is_a_share_of_its_answers_and_lies_on_one_side_of_0(panels):
    for axes, values in zip(panels, MARGINS.values(), strict=True):
        below, above = (patch.get_data() for patch in axes.patches)
        assert 0 in below.edges
        assert below.values.sum() == (values < 0).mean()
        assert above.values.sum() == (values >= 0).mean()
        assert not below.values[below.edges[:-1] >= 0].any()
        colours = [patch.get_facecolor() for patch in axes.patches]
        assert len(set(colours)) == len(COLOURS[:2])


def test_all_panels_have_one_scale_and_a_line_at_each_mean(panels):
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in panels}) == 1
    for axes, values in zip(panels, MARGINS.values(), strict=True):
        assert [line.get_xdata()[0] for line in axes.lines] == [0, values.mean()]
