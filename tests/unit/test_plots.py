"""Static figures: one even, colour-blind-safe scale, cells where they belong, and errors that name the sizes."""

import inspect
import io
import os
import re
import runpy
import subprocess
import sys
from itertools import combinations, pairwise
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

import attention_posters
from attnlib import houston, plots
from attnlib.lab import convex_hull
from attnlib.plots import style

# What eyes without one kind of cone see, as a matrix on linear RGB (Machado, Oliveira & Fernandes 2009, severity 1).
MISSING = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def seen(colours, missing):
    """OKLab of what such eyes see of sRGB colours."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    linear = (linear @ np.array(MISSING[missing]).T).clip(0, 1)
    return plots.oklab(np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055))


def test_oklab_gives_the_published_values():
    red_white_black = np.array([[1.0, 0, 0], [1, 1, 1], [0, 0, 0]])
    expected = [[0.6280, 0.2249, 0.1258], [1, 0, 0], [0, 0, 0]]
    assert plots.oklab(red_white_black) == pytest.approx(np.array(expected), abs=2e-4)


@pytest.mark.parametrize("scale", [style.WEIGHTS, style.SHADES], ids=["numbered", "large"])
@pytest.mark.parametrize("missing", MISSING)
def test_equal_steps_of_weight_look_equal_to_every_eye(missing, scale):
    lab = seen(scale(np.linspace(0, 1, 11))[:, :3], missing)
    steps = np.linalg.norm(np.diff(lab, axis=0), axis=1)
    assert steps.min() > 0.6 * steps.max()
    assert (np.diff(lab[:, 0]) < -0.01).all()  # darker with each step: it survives a grey print


@pytest.mark.parametrize("missing", MISSING)
def test_the_first_two_line_colours_are_told_apart_by_every_eye(missing):
    pair = np.array([matplotlib.colors.to_rgb(colour) for colour in plots.COLOURS[:2]])
    first, second = seen(pair, missing)
    assert np.linalg.norm(first - second) > 0.1


def test_a_number_is_readable_on_every_shade_of_the_scale():
    def luminance(colour):
        linear = np.where(
            np.array(colour) <= 0.04045, np.array(colour) / 12.92, ((np.array(colour) + 0.055) / 1.055) ** 2.4
        )
        return linear @ [0.2126, 0.7152, 0.0722]

    for shade in plots.WEIGHTS(np.linspace(0, 1, 11))[:, :3]:
        assert (luminance(shade) + 0.05) / (luminance(matplotlib.colors.to_rgb("#1d2126")) + 0.05) > 4.5


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_row_i_of_a_drawn_grid_is_query_i(axes):
    weights = np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    plots.draw_grid(
        axes, ["q0", "q1"], weights, np.array([[True, True, True], [True, False, True]]), keys=["a", "b", "c"]
    )
    axes.figure.canvas.draw()
    where = {text.get_text(): axes.transData.transform(text.get_position()) for text in axes.texts}
    assert set(where) == {"0.10", "0.20", "0.70", "0.50", "–", "0.25"}
    assert where["0.10"][1] > where["0.50"][1]  # the first query stands on top
    assert where["0.10"][0] < where["0.20"][0] < where["0.70"][0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b", "c"]
    rows = sorted(zip([tick.get_window_extent().y0 for tick in axes.get_yticklabels()], ["q0", "q1"], strict=True))
    assert [name for _, name in rows] == ["q1", "q0"]


@pytest.mark.parametrize(
    ("weights", "mask", "message"),
    [
        (np.eye(3), None, r"weights has shape \(3, 3\) for 2 query tokens and 2 key tokens"),
        (np.eye(2), np.ones((3, 2), dtype=bool), r"mask has shape \(3, 2\), the weights have shape \(2, 2\)"),
        (np.array([[0.5, 0.5], [0.0, 1.5]]), None, r"weights\[1, 1\] is 1.5: a weight lies between 0 and 1"),
        (np.array([[0.5, np.nan], [0.0, 1.0]]), None, r"weights\[0, 1\] is nan"),
    ],
)
def test_a_grid_that_does_not_fit_is_refused(weights, mask, message, axes, unchecked):
    with pytest.raises(ValueError, match=message):
        plots.draw_grid(axes, ["a", "b"], weights, mask)


def test_blocked_cells_are_hatched_and_no_others(axes):
    mask = np.array([[True, False, False, True], [True, True, True, True], [False, True, False, False]])
    plots.draw_grid(axes, ["q0", "q1", "q2"], np.full((3, 4), 0.5), mask, keys=["a", "b", "c", "d"])
    hatched = {
        (int(patch.get_y()), int(j))
        for patch in axes.patches
        for j in np.arange(patch.get_x(), patch.get_x() + patch.get_width())
        if patch.get_hatch()
    }
    assert hatched == {(int(i), int(j)) for i, j in np.argwhere(~mask)}


def test_a_grid_without_numbers_has_the_same_rows_and_columns(axes):
    weights = np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    plots.draw_grid(axes, ["q0", "q1"], weights, keys=["a", "b", "c"], numbers=False)
    (image,) = axes.images
    assert not axes.texts
    assert image.get_array().tolist() == weights.tolist()
    assert image.origin == "upper"  # the first row of the array stands on top
    assert image.get_extent() == [0, 3, 2, 0]
    assert axes.get_ylim() == (2, 0)


def test_only_a_matrix_is_one_grid(axes, unchecked):
    with pytest.raises(ValueError, match=r"weights has shape \(1, 2, 2\): a grid has two axes"):
        plots.draw_grid(axes, ["a", "b"], np.zeros((1, 2, 2)))


def rows_of_weights(*shape):
    weights = np.random.default_rng(3).random(shape)
    return weights / weights.sum(axis=-1, keepdims=True)


def labels(texts):
    return [text.get_text() for text in texts]


def numbers(axes):
    """The text of every cell, by the place where it is drawn: the first row on top."""
    found = {(int(y), int(x)): text.get_text() for text in axes.texts for x, y in [text.get_position()]}
    return [[found[i, j] for j in range(1 + max(found)[1])] for i in range(1 + max(found)[0])]


def test_each_head_has_its_own_panel_under_its_own_name():
    weights = rows_of_weights(3, 2, 4)
    masks = np.ones((3, 2, 4), dtype=bool)
    masks[1, 0, 3] = False
    figure = plots.heatmap(["q0", "q1"], weights, masks, keys=list("abcd"), names=["who", "what", "where"])
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["who", "what", "where"]
    for panel, head, mask in zip(figure.axes, weights, masks, strict=True):
        assert panel.collections[0].get_array().reshape(2, 4).tolist() == head.tolist()
        expected = [
            [f"{w:.2f}" if may else "–" for w, may in zip(*row, strict=True)] for row in zip(head, mask, strict=True)
        ]
        assert numbers(panel) == expected
        assert labels(panel.get_xticklabels()) == ["a", "b", "c", "d"]


def test_heads_without_names_are_numbered_from_0_and_one_grid_has_no_name():
    figure = plots.heatmap(["a", "b"], rows_of_weights(2, 2, 2))
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["head 0", "head 1"]
    assert [panel.get_title(loc="left") for panel in plots.heatmap(["a", "b"], np.eye(2)).axes] == [""]
    assert [panel.get_title(loc="left") for panel in plots.heatmap(["a"], np.eye(1), names=["who"]).axes] == ["who"]


def test_one_mask_holds_for_every_head():
    figure = plots.heatmap(["a", "b"], rows_of_weights(2, 2, 2), np.array([[True, False], [True, True]]))
    assert [numbers(panel)[0][1] for panel in figure.axes] == ["–", "–"]
    assert "–" not in [numbers(panel)[1][0] for panel in figure.axes]


def test_heads_stand_two_in_a_row_and_the_left_one_names_the_rows():
    figure = plots.heatmap(list("abc"), rows_of_weights(3, 3, 3))
    figure.draw_without_rendering()
    first, second, third = (panel.get_window_extent() for panel in figure.axes)
    assert first.x1 < second.x0
    assert first.y0 == second.y0
    assert third.x0 == first.x0
    assert third.y1 < first.y0
    written = [[label.get_text() for label in panel.get_yticklabels() if label.get_visible()] for panel in figure.axes]
    assert written == [["a", "b", "c"], [], ["a", "b", "c"]]


def test_a_grid_says_who_reads_from_whom_and_where_its_numbers_come_from():
    figure = plots.heatmap(["a", "b"], np.eye(2), title="Each reads itself", provenance="trained, seed 3")
    said = figure.get_supxlabel().replace("\n", " ")
    assert said == "Query (row) reads from key (column). Numbers: trained, seed 3."
    assert figure.get_suptitle() == "Each reads itself"
    assert "hand-made" in plots.heatmap(["a", "b"], np.eye(2)).get_supxlabel()
    moved = plots.heatmap(["a", "b"], np.eye(2), note="1.00: it moved.").get_supxlabel()
    assert moved == "1.00: it moved. Numbers: hand-made."


def test_a_large_grid_has_a_bar_in_place_of_numbers():
    weights = rows_of_weights(13, 13) / 2
    grid, bar = plots.heatmap(list("abcdefghijklm"), weights).axes
    assert not grid.texts
    assert grid.images[0].get_clim() == (0, weights.max())
    assert bar.get_ylabel() == "weight"
    assert bar.get_ylim() == (0, weights.max())
    assert len(plots.heatmap(list("abcdefghijkl"), rows_of_weights(12, 12)).axes[0].texts) == 144
    assert plots.heatmap(list("abcdefghijklm"), np.zeros((13, 13))).axes[0].images[0].get_clim() == (0, 1)


def test_the_panels_of_a_large_figure_share_one_scale():
    weights = rows_of_weights(2, 8, 8)
    weights[1] /= 4
    *grids, _ = plots.heatmap(list("abcdefgh"), weights).axes
    assert [grid.images[0].get_clim() for grid in grids] == [(0, weights.max())] * 2
    assert [grid.images[0].get_array().tolist() for grid in grids] == weights.tolist()


def test_a_name_that_is_written_stands_at_its_own_row_and_column():
    tokens = [f"w{i}" for i in range(40)]
    keys = [f"key{i}" for i in range(40)]
    grid = plots.heatmap(tokens, rows_of_weights(40, 40), keys=keys).axes[0]
    for ticks, written, names in [
        (grid.get_yticks(), labels(grid.get_yticklabels()), tokens),
        (grid.get_xticks(), labels(grid.get_xticklabels()), keys),
    ]:
        assert 10 < len(written) < 40  # not all: they would touch
        assert written == [names[int(at)] for at in ticks]
        assert (ticks % 1 == 0.5).all()


WORDS = (
    "the rocket left with twelve spaceships a minute after lunch while nobody at mission control looked up " * 3
).split()
GRIDS = {
    "one": (houston.TOKENS, houston.TOKENS, 1),
    "four heads": (houston.TOKENS, houston.TOKENS, 4),
    "twelve words": (WORDS[:12], WORDS[:12], 1),
    "two heads of six": (WORDS[:6], WORDS[:6], 2),
    "two heads of eight": (WORDS[:8], WORDS[:8], 2),
    "forty words": (WORDS[:40], WORDS[:40], 1),
    "forty letters": (
        list("it was the best of times it was the worst")[:40],
        list("it was the age of wisdom, it was foolish")[:40],
        3,
    ),
    "one query": (["now"], WORDS[:40], 1),
    "one key": (WORDS[:40], ["now"], 1),
}


@pytest.mark.parametrize("case", GRIDS)
def test_no_two_names_touch_and_nothing_leaves_the_figure(case):
    tokens, keys, heads = GRIDS[case]
    figure = plots.heatmap(tokens, rows_of_weights(heads, len(tokens), len(keys)), keys=keys, title=case)
    figure.draw_without_rendering()
    panels = [panel for panel in figure.axes if panel.texts or panel.images]
    assert len(panels) == heads
    for panel in panels:
        across = [label.get_window_extent() for label in panel.get_xticklabels() if label.get_text().strip()]
        down = [label.get_window_extent() for label in panel.get_yticklabels() if label.get_visible()]
        assert all(left.x1 < right.x0 for left, right in pairwise(across))
        assert all(upper.y0 > lower.y0 + 8 for upper, lower in pairwise(down))
        cell = panel.transData.transform((1, 0)) - panel.transData.transform((0, 1))
        for text in panel.texts:
            assert text.get_window_extent().width < 0.9 * cell[0]
            assert text.get_window_extent().height < cell[1]
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert drawn.x0 > -0.01
    assert drawn.y0 > -0.01
    assert drawn.x1 < width + 0.01
    assert drawn.y1 < height + 0.01


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        (np.zeros(2), {}, r"weights has shape \(2,\) for 2 query tokens and 2 key tokens"),
        (np.zeros((2, 2, 2)), {"names": ["who"]}, r"weights has shape \(2, 2, 2\), .* or 1 names"),
        (np.zeros((3, 2, 3)), {}, r"weights has shape \(3, 2, 3\) for 2 query tokens and 2 key tokens"),
        (np.zeros((2, 3)), {"keys": ["k"]}, "for 2 query tokens and 1 key tokens"),
        (np.zeros((0, 2, 2)), {}, r"weights has shape \(0, 2, 2\)"),
        (np.zeros((3, 2, 2)), {"mask": np.ones((2, 2, 2), dtype=bool)}, r"mask has shape \(2, 2, 2\)"),
        (np.array([[[0, 0], [0, 0]], [[0, 0], [0, -0.5]]]), {}, r"weights\[1, 1, 1\] is -0.5: a weight lies"),
    ],
)
def test_heads_that_do_not_fit_are_refused(weights, options, message, unchecked):
    with pytest.raises(ValueError, match=message):
        plots.heatmap(["a", "b"], weights, **options)


WRITTEN = {"x_label": "x", "y_label": "y", "title": "t"}


@pytest.mark.parametrize("figure", [plots.ranges, plots.log_log])
@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({}, "runs is empty"),
        ({"loss": np.ones((2, 3))}, r"'loss' has shape \(2, 3\); it needs \(runs, 2\)"),
        ({"loss": np.ones((0, 2))}, r"'loss' has shape \(0, 2\)"),
        ({"loss": np.ones(2)}, r"'loss' has shape \(2,\)"),
        ({"fine": np.ones((1, 2)), "loss": np.array([[1, 1], [1, np.inf]])}, r"'loss'\[1, 1\] is inf"),
        ({"loss": np.array([[1, np.nan]])}, r"'loss'\[0, 1\] is nan"),
    ],
)
def test_runs_that_do_not_fit_are_refused(figure, runs, message, unchecked):
    with pytest.raises(ValueError, match=message):
        figure([1, 2], runs, **WRITTEN)


@pytest.mark.parametrize(
    ("x", "values", "message"),
    [
        ([1, 2], [[1.0, 0.0]], r"'loss'\[0, 1\] is 0.0: a logarithmic axis needs it positive and finite"),
        ([0, 2], [[1.0, 1.0]], r"'x'\[0, 0\] is 0: a logarithmic axis"),
        ([1, 2, 3], [[1.0, 1.0, 1.0]], "1 of the 3 x reach fit_from = 2.5: a slope needs two or more"),
    ],
)
def test_sizes_that_no_slope_fits_are_refused(x, values, message):
    with pytest.raises(ValueError, match=message):
        plots.log_log(x, {"loss": np.array(values)}, fit_from=2.5 if len(x) == 3 else None, **WRITTEN)


def test_a_band_runs_from_the_least_to_the_greatest_run():
    figure = plots.ranges([0, 1], {"loss": np.array([[1.0, 4.0], [3.0, 2.0]])}, **WRITTEN)
    (line,) = figure.axes[0].lines
    assert line.get_ydata().tolist() == [2, 3]
    corners = figure.axes[0].collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == 1
    assert corners[:, 1].max() == 4


def test_the_axis_starts_at_zero_unless_a_run_goes_below():
    assert plots.ranges([0, 1], {"loss": np.array([[3.0, 4.0]])}, **WRITTEN).axes[0].get_ylim()[0] == 0
    assert plots.ranges([0, 1], {"loss": np.array([[-3.0, 4.0]])}, **WRITTEN).axes[0].get_ylim()[0] < -3


def test_sizes_that_double_stand_at_equal_distances_on_a_logarithmic_axis():
    (axes,) = plots.ranges([1, 2, 4], {"loss": np.ones((1, 3))}, **WRITTEN, log_x=True).axes
    assert axes.get_xscale() == "log"
    assert labels(axes.get_xticklabels()) == ["1", "2", "4"]
    assert plots.ranges([0, 1], {"loss": np.ones((1, 2))}, **WRITTEN).axes[0].get_xscale() == "linear"
    with pytest.raises(ValueError, match=r"x\[0\] is 0: a logarithmic axis needs it positive"):
        plots.ranges([0, 1], {"loss": np.ones((1, 2))}, **WRITTEN, log_x=True)


def test_a_level_is_a_named_line_across_at_its_height():
    figure = plots.ranges([0, 1], {"loss": np.array([[3.0, 4.0]])}, **WRITTEN, levels={"ln 2": np.log(2)})
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["ln 2"]
    assert axes.texts[0].get_position()[1] == np.log(2)
    assert np.log(2) in [line.get_ydata()[0] for line in axes.lines]
    assert axes.get_legend_handles_labels()[1] == ["loss"]
    below = plots.ranges([0, 1], {"loss": np.array([[3.0, 4.0]])}, **WRITTEN, levels={"−1": -1.0})
    assert below.axes[0].get_ylim()[0] < -1
    with pytest.raises(ValueError, match=r"the level 'none' is nan"):
        plots.ranges([0, 1], {"loss": np.array([[3.0, 4.0]])}, **WRITTEN, levels={"none": np.nan})


def test_a_logarithmic_x_writes_out_its_sizes_and_refuses_those_that_have_no_logarithm():
    runs = {"loss": np.array([[3.0, 2.0, 1.0]])}
    (axes,) = plots.ranges([1, 16, 256], runs, log_x=True, **WRITTEN).axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    assert labels(axes.get_xticklabels()) == ["1", "16", "256"]
    assert axes.lines[0].get_xdata().tolist() == [1, 16, 256]
    with pytest.raises(ValueError, match=r"x\[0\] is 0: a logarithmic axis"):
        plots.ranges([0, 16, 256], runs, log_x=True, **WRITTEN)


def test_each_value_has_a_dot_in_its_row_and_its_number_above():
    rows = {"alone": {"": 0.5}, "drawn": {"": np.array([0.3, 0.1, 0.2])}}
    (axes,) = plots.dots(rows, x_label="weight", title="t").axes
    places = [line.get_xydata().tolist() for line in axes.lines if line.get_linestyle() == "None"]
    assert places == [[[0.5, 0]], [[0.3, 1], [0.1, 1], [0.2, 1]]]
    assert labels(axes.get_yticklabels()) == ["alone", "drawn"]
    written = [(text.get_text(), text.xy) for text in axes.texts]
    assert written == [("0.50", (0.5, 0)), ("0.10", (0.1, 1)), ("0.30", (0.3, 1))]  # the least and the greatest
    assert axes.yaxis_inverted()  # the first row is at the top
    assert axes.get_xlim()[0] < 0 < axes.get_xlim()[1]
    assert not axes.figure.legends


def test_values_near_each_other_share_a_number_and_equal_ones_have_one():
    rows = {"far": {"": [0.0, 16.0]}, "near": {"": [2.5, 3.0]}, "equal": {"": [8.0, 8.0]}}
    (axes,) = plots.dots(rows, x_label="hits", title="t", digits=1).axes
    assert [text.get_text() for text in axes.texts] == ["0.0", "16.0", "2.5 to 3.0", "8.0"]
    assert axes.texts[2].xy == (2.75, 1)
    (rounded,) = plots.dots({"far, but the same when rounded": {"": [0.1, 0.4]}}, x_label="", title="", digits=0).axes
    assert [(text.get_text(), text.xy[0]) for text in rounded.texts] == [("0", 0.25)]
    axes.figure.draw_without_rendering()
    assert all(tick % 1 == 0 for tick in axes.get_xticks())


def test_levels_to_compare_with_cross_all_rows_and_have_their_names_above():
    rows = {"alone": {"": 0.5}, "drawn": {"": [0.3, 0.1]}}
    (axes,) = plots.dots(rows, x_label="weight", title="t", levels={"half": 0.25, "all": 0.45}).axes
    across = [list(line.get_xdata()) for line in axes.lines if line.get_linestyle() == "--"]
    assert across == [[0.25, 0.25], [0.45, 0.45]]
    named = {text.get_text(): text.xy for text in axes.texts}
    assert (named["half"][0], named["all"][0]) == (0.25, 0.45)
    assert max(named["half"][1], named["all"][1]) < named["0.50"][1] < named["0.10"][1]  # downwards


def test_a_series_looks_the_same_in_all_rows_and_stands_once_in_the_legend():
    rows = {"heads": {"partners": 0.5, "strangers": -0.1}, "none": {"strangers": 0.4}}
    figure = plots.dots(rows, x_label="cosine", title="t", digits=1)
    drawn = [line for line in figure.axes[0].lines if line.get_marker() != "None"]
    looks = {(line.get_label(), line.get_marker(), line.get_color()) for line in drawn}
    assert (len(drawn), len(looks), {name for name, *_ in looks}) == (3, 2, {"partners", "strangers"})
    assert labels(figure.legends[0].get_texts()) == ["partners", "strangers"]
    assert figure.axes[0].get_xlim()[0] > -0.5


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({}, "rows is empty"),
        ({"a": {}}, "one of them is"),
        ({"a": {"b": []}}, r"rows\['a'\]\['b'\] is \[\]"),
        ({"a": {"b": [0.5, np.nan]}}, r"rows\['a'\]\['b'\] is \[0.5, nan\]"),
    ],
)
def test_rows_without_values_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        plots.dots(rows, x_label="x", title="t")


def test_the_exponent_can_be_that_of_another_size():
    legend = plots.log_log([1, 4], {"scores": np.array([[1.0, 4.0]])}, size="d_k", **WRITTEN).axes[0].get_legend()
    assert labels(legend.get_texts()) == ["scores, $d_k^{1.0}$"]


def test_growth_is_drawn_by_the_median_on_two_logarithmic_axes():
    runs = {"naive": np.array([[1.0, 4.0, 16.0], [2.0, 9.0, 20.0], [9.0, 5.0, 90.0]])}
    (axes,) = plots.log_log([10, 20, 40], runs, x_label="tokens", y_label="seconds", title="It grows").axes
    (line,) = axes.lines
    assert line.get_xydata().tolist() == [[10, 2], [20, 5], [40, 20]]
    assert line.get_marker() == "o"
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    band = {tuple(corner) for corner in axes.collections[0].get_paths()[0].vertices.tolist()}
    assert band == {(10, 1), (10, 9), (20, 4), (20, 9), (40, 16), (40, 90)}
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left")) == ("tokens", "seconds", "It grows")


def test_each_line_is_named_with_its_exponent_the_highest_line_first():
    n = np.array([64.0, 256.0, 1024.0, 4096.0])
    runs = {"linear": 3e-6 * n[None], "flat": 1e-3 * n[None] ** -0.001, "naive": 1e-7 * n[None] ** 2}
    legend = plots.log_log(n.tolist(), runs, **WRITTEN).axes[0].get_legend()
    assert labels(legend.get_texts()) == ["naive, $n^{2.0}$", "linear, $n^{1.0}$", "flat, $n^{0.0}$"]
    colours = [handle.get_color() for handle in legend.legend_handles]
    assert colours == [plots.COLOURS[2], plots.COLOURS[0], plots.COLOURS[1]]
    assert legend.get_title().get_text() == ""


def test_the_exponent_is_fitted_from_the_size_asked_for():
    medians = [8.0, 8.0, 8.0, 100.0, 512.0]  # an overhead, and then about n³
    runs = {"naive": np.array([np.ones(5), medians, 1e6 * np.arange(5, 0, -1)])}
    legend = plots.log_log([1, 2, 4, 8, 16], runs, fit_from=4, **WRITTEN).axes[0].get_legend()
    assert labels(legend.get_texts()) == ["naive, $n^{3.0}$"]
    assert legend.get_title().get_text() == "exponents fitted from 4 on"
    legend = plots.log_log([1, 2, 4, 8, 16], runs, **WRITTEN).axes[0].get_legend()
    assert labels(legend.get_texts()) == ["naive, $n^{1.6}$"]


@pytest.mark.parametrize(
    ("x", "written"),
    [
        ([256, 512, 1024, 2048], ["256", "512", "1,024", "2,048"]),
        ([0.5, 1, 2], ["0.5", "1", "2"]),
        ([1, 1000, 1001, 1002], ["1", "1,002"]),
        ([2**i for i in range(21)], None),
    ],
)
def test_sizes_are_written_out_where_they_were_measured(x, written):
    figure = plots.log_log(x, {"a": np.array([x], dtype=float)}, **WRITTEN)
    figure.draw_without_rendering()
    ticks = figure.axes[0].get_xticklabels()
    assert written in (None, labels(ticks))
    assert len(ticks) > 1
    boxes = [tick.get_window_extent() for tick in ticks]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert not figure.axes[0].get_xticks(minor=True).size


@pytest.mark.parametrize(("values", "some"), [([0.002, 3.0], "0.01"), ([1.0, 1.02], "1.01")])
def test_amounts_are_written_without_powers_of_ten(values, some):
    figure = plots.log_log([1, 2], {"a": np.array([values])}, **WRITTEN)
    figure.draw_without_rendering()
    axis = figure.axes[0].yaxis
    written = labels(axis.get_ticklabels() + axis.get_ticklabels(minor=True))
    assert some in written
    assert set("".join(written)) <= set("0123456789.,")


@given(
    st.floats(-4, 4),
    st.floats(1e-3, 1e3),
    st.lists(st.floats(1, 1e4), min_size=2, max_size=9).filter(lambda x: max(x) > 1.01 * min(x)),
)
def test_the_exponent_of_a_power_is_that_power(power, factor, x):
    assert plots.exponent(x, [factor * size**power for size in x]) == pytest.approx(power, abs=1e-6)


def test_the_exponent_is_that_of_least_squares_on_logarithms():
    rng = np.random.default_rng(5)
    x, y = rng.uniform(1, 100, 7), rng.uniform(1, 100, 7)
    assert plots.exponent(x, y) == pytest.approx(np.polyfit(np.log(x), np.log(y), 1)[0])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0, 2.0], [1.0], r"x has shape \(2,\) and y \(1,\)"),
        ([[1.0, 2.0]], [[1.0, 2.0]], r"x has shape \(1, 2\)"),
        ([1.0, 2.0], [1.0, 0.0], r"y\[1\] is 0.0: a logarithm needs it positive and finite"),
        ([np.inf, 2.0], [1.0, 1.0], r"x\[0\] is inf"),
        ([1.0], [1.0], r"two different x or more, got \[1.0\]"),
        ([3.0, 3.0], [1.0, 2.0], r"two different x or more, got \[3.0, 3.0\]"),
        ([], [], r"two different x or more, got \[\]"),
    ],
)
def test_no_exponent_without_two_sizes(x, y, message, unchecked):
    with pytest.raises(ValueError, match=message):
        plots.exponent(x, y)


def test_lines_differ_without_their_colour():
    runs = {f"d = {d}": np.ones((1, 2)) for d in (4, 16, 64, 256, 1024)}
    lines = plots.ranges([0, 1], runs, **WRITTEN).axes[0].lines
    assert len({line.get_marker() for line in lines[:4]}) == 4
    assert len({(line.get_marker(), line.get_color()) for line in lines}) == 5
    assert len({tuple(style.look(i).values()) for i in range(16)}) == 16


def test_a_walk_starts_at_0_and_ends_at_its_sum_between_the_roots_of_its_steps():
    steps = np.array([[1.0, -1, 3, 1], [0, 0, 0, -2]])
    lines = plots.walks(steps, **WRITTEN).axes[0].lines
    assert [line.get_ydata()[[0, -1]].tolist() for line in lines] == [[0, 4], [0, -2], [0, 2], [0, -2]]
    assert all(len(line.get_xdata()) == 5 for line in lines)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (np.ones(3), r"steps has shape \(3,\)"),
        (np.ones((2, 0)), r"steps has shape \(2, 0\)"),
        (np.array([[1.0, np.nan]]), r"steps\[0, 1\] is nan"),
    ],
)
def test_steps_that_are_no_walks_are_refused(steps, message, unchecked):
    with pytest.raises(ValueError, match=message):
        plots.walks(steps, **WRITTEN)


def test_the_three_variances_mark_a_cell_of_each_grid_a_row_and_a_column():
    marked = []
    for axes in plots.three_variances().axes:
        in_colour = [
            p.get_xy() for p in axes.patches if p.get_facecolor() == matplotlib.colors.to_rgba(plots.COLOURS[1])
        ]
        assert len(axes.patches) == 48
        marked.append(tuple(map(len, map(set, zip(*in_colour, strict=True)))))
    assert marked == [(3, 3), (4, 1), (1, 4)]


FIVE = np.array([[2.4, 0.6], [1.2, 2.1], [-1.6, 1.2], [-0.9, -1.4], [1.5, -1.1]])


def test_arrows_run_from_the_origin_to_the_vectors_in_equal_units():
    figure = plots.plane(houston.TOKENS, FIVE, title="Five words")
    (axes,) = figure.axes
    (arrows,) = axes.collections
    assert not arrows.XY.any()
    assert np.stack([arrows.U, arrows.V], axis=1).tolist() == FIVE.tolist()
    assert (arrows.angles, arrows.scale, arrows.scale_units) == ("xy", 1, "xy")
    figure.draw_without_rendering()
    (x, y), (x_0, y_0) = axes.transData.transform((1, 1)), axes.transData.transform((0, 0))
    assert x - x_0 == pytest.approx(y - y_0)
    low, high = zip(axes.get_xlim(), axes.get_ylim(), strict=True)
    assert ((low < FIVE) & (high > FIVE)).all()
    assert axes.get_title(loc="left") == "Five words"
    assert not figure.legends


def written_names(figure):
    figure.draw_without_rendering()
    return [(text, text.get_window_extent()) for text in figure.axes[0].texts]


@pytest.mark.parametrize(
    "vectors",
    [
        FIVE,
        [[1, 0], [3, 0], [2, 0], [0, 2], [0, -2]],
        [[1.0, 0.02], [1.02, 0.15], [0.98, -0.15], [0, 0], [-1, 0]],
        [[3, 0], [4, 0], [5, 0.0], [6, 0], [7, 0]],
        [[1e-3, 0], [0, 1e3], [-500, 0], [0, -300], [400, 400]],
    ],
    ids=["apart", "collinear", "close", "flat", "uneven"],
)
def test_each_name_stands_at_its_tip_and_covers_no_arrow_nor_name(vectors):
    vectors = np.array(vectors, dtype=float)
    figure = plots.plane(houston.TOKENS, vectors, outputs=vectors / 2)
    names = written_names(figure)
    assert labels(text for text, _ in names) == list(houston.TOKENS)
    to_screen = figure.axes[0].transData.transform
    shafts = to_screen(np.linspace(0 * vectors, vectors, 50).reshape(-1, 2))
    for (_, box), tip in zip(names, to_screen(vectors), strict=True):
        assert not any(box.contains(*point) for point in shafts)
        away = np.maximum(0, [box.x0 - tip[0], tip[0] - box.x1, box.y0 - tip[1], tip[1] - box.y1]).max()
        assert away < 12  # pixels
    for (_, one), (_, other) in combinations(names, 2):
        assert not one.overlaps(other)


def test_a_name_stands_ahead_of_its_arrow_where_there_is_room():
    figure = plots.plane(["east", "north", "west", "south"], np.array([[1, 0], [0, 1], [-1, 0], [0, -1]]))
    tips = figure.axes[0].transData.transform(np.array([[1, 0], [0, 1], [-1, 0], [0, -1]]))
    boxes = dict(zip(["east", "north", "west", "south"], (box for _, box in written_names(figure)), strict=True))
    assert boxes["east"].x0 > tips[0][0]
    assert boxes["north"].y0 > tips[1][1]
    assert boxes["west"].x1 < tips[2][0]
    assert boxes["south"].y1 < tips[3][1]


def test_outputs_are_rings_that_a_dotted_line_joins_to_their_own_vector():
    outputs = FIVE[::-1] / 3
    figure = plots.plane(houston.TOKENS, FIVE, outputs=outputs)
    *_, rings = figure.axes[0].lines
    assert rings.get_xydata().tolist() == outputs.tolist()
    assert (rings.get_marker(), rings.get_linestyle(), rings.get_markerfacecolor()) == ("o", "None", "white")
    dotted = [line.get_xydata().tolist() for line in figure.axes[0].lines if line.get_linestyle() == ":"]
    assert dotted == np.stack([FIVE, outputs], axis=1).tolist()
    assert labels(figure.legends[0].get_texts()) == ["output"]


def test_the_hull_goes_around_the_vectors_and_not_around_the_outputs():
    points = np.concatenate([FIVE, [[0.1, 0.2]]])
    figure = plots.plane(list("abcdef"), points, hull=True, outputs=-9 * points)
    (area,) = figure.axes[0].patches
    assert area.get_xy()[:-1].tolist() == points[convex_hull(points)].tolist()
    assert labels(figure.legends[0].get_texts()) == ["convex hull", "output"]
    assert not plots.plane(list("abcdef"), points).axes[0].patches


def test_a_plane_of_nothing_but_the_origin_can_be_drawn():
    figure = plots.plane(["a", "b"], np.zeros((2, 2)), hull=True)
    figure.draw_without_rendering()
    assert np.ptp(figure.axes[0].get_xlim()) > 0


@pytest.mark.parametrize(
    ("vectors", "outputs", "message"),
    [
        (np.zeros((3, 2)), None, r"vectors has shape \(3, 2\) for 2 names"),
        (np.zeros((2, 3)), None, r"vectors has shape \(2, 3\)"),
        (np.zeros((2, 2)), np.zeros((3, 2)), r"outputs has shape \(3, 2\) for 2 names"),
        (np.array([[0, 0], [0, np.nan]]), None, r"vectors\[1, 1\] is nan: every coordinate must be finite"),
        (np.zeros((2, 2)), np.array([[np.inf, 0], [0, 0]]), r"outputs\[0, 0\] is inf"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(vectors, outputs, message, unchecked):
    with pytest.raises(ValueError, match=message):
        plots.plane(["a", "b"], vectors, outputs=outputs)


def test_no_vectors_are_refused(unchecked):
    with pytest.raises(ValueError, match=r"vectors has shape \(0, 2\) for 0 names"):
        plots.plane([], np.zeros((0, 2)))


@pytest.mark.parametrize("dpi", [72, 150])
def test_an_arrow_runs_from_the_frame_of_one_box_to_that_of_the_next(dpi):
    figure = plots.three_spaces()
    figure.set_dpi(dpi)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    frames = [text.get_bbox_patch().get_window_extent() for text in axes.texts if text.zorder == 2 and text.get_text()]
    found = arrows(axes)
    assert found
    for arrow in found:
        points = arrow.get_transform().transform(arrow.get_path().vertices)
        apart = [np.hypot(*(points.clip(frame.min, frame.max) - points).T).min() * 72 / dpi for frame in frames]
        assert sum(points_apart < 4 for points_apart in apart) == 2  # in points: it touches two boxes
        tip = points[np.argmin([np.hypot(*(point - points[-3:].mean(axis=0))) for point in points])]
        assert not any(frame.padded(-2).contains(*tip) for frame in frames)  # its head is not hidden by one


def arrows(axes):
    return [text.arrow_patch for text in axes.texts if getattr(text, "arrow_patch", None)]


def test_a_diagram_reads_downwards_and_frames_parameters_in_dashes():
    boxes = {"x": (0.0, 0.0), "w": (1.0, 0.0), "q": (0.0, 1.0)}
    figure = plots.flow(boxes, [("x", "q", "times"), ("w", "q", "")], parameters=["w"], title="t", note="n")
    (axes,) = figure.axes
    written = {text.get_text(): text for text in axes.texts if text.get_text()}
    assert set(written) == {"x", "w", "q", "times"}
    where = {name: axes.transData.transform(text.get_position()) for name, text in written.items()}
    assert where["x"][1] > where["times"][1] > where["q"][1]
    assert where["x"][0] < where["w"][0]
    assert {name: written[name].get_bbox_patch().get_linestyle() for name in boxes} == {"x": "-", "w": "--", "q": "-"}
    assert len(arrows(axes)) == 2


@pytest.mark.parametrize(
    ("boxes", "arrows", "message"),
    [
        ({}, [], "boxes is empty"),
        ({"x": (0, 0)}, [("x", "q", "")], "'q' is none of the boxes 'x'"),
        ({"x": (0, 0), "q": (0, 0)}, [], "two of the 2 boxes share a place"),
    ],
)
def test_diagrams_that_do_not_fit_are_refused(boxes, arrows, message):
    with pytest.raises(ValueError, match=message):
        plots.flow(boxes, arrows)


def drawn():
    return {
        "ranges": plots.ranges([0, 1], {"a": np.ones((1, 2))}, **WRITTEN),
        "log_log": plots.log_log([1, 2], {"a": np.ones((1, 2))}, **WRITTEN),
        "walks": plots.walks(np.ones((1, 2)), **WRITTEN),
        "three variances": plots.three_variances(),
        "three tilings": plots.three_tilings(["whole", "rows", "tiles"]),
        "heatmap": plots.heatmap(["a"], np.ones((1, 1))),
        "plane": plots.plane(["a"], np.ones((1, 2))),
        "three spaces": plots.three_spaces(),
        "stages": attention_posters.stages_page(["a"], {"one": ("", "", np.ones((1, 1)), None)}),
        "shapes": attention_posters.multi_head_shapes(5, 7, 3, 4, 2),
        "margins": attention_posters.margins_page({"a": np.ones(3)}),
    }


def test_lists_are_drawn_as_arrays(unchecked):
    assert plots.heatmap(["a", "b"], [[1, 0], [0.5, 0.5]], [[True, False], [True, True]]).axes
    assert plots.plane(["a"], [[1, 2]], outputs=[[0, 1]]).axes
    assert plots.ranges([0, 1], {"a": [[1, 2]]}, **WRITTEN).axes
    assert plots.calculation(["a"], [1], [[2]], [[3]]).axes
    with pytest.raises(TypeError, match="weights must be an array, got <class 'object'>"):
        plots.heatmap(["a"], object)


def test_every_figure_is_none_of_pyplots_as_wide_as_the_others_and_leaves_the_style_alone():
    assert {figure.get_figwidth() for figure in drawn().values()} == {style.WIDTH}
    assert plt.get_fignums() == []
    assert {key: matplotlib.rcParams[key] for key in style.STYLE} == {
        key: matplotlib.rcParamsDefault[key] for key in style.STYLE
    }


def in_python(code, **variables):
    command = [sys.executable, "-c", inspect.cleandoc(code)]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)


def test_a_figure_needs_no_backend_that_could_open_a_window():
    code = """
        import io
        import numpy as np
        from attnlib import plots
        plots.heatmap(["a", "b"], np.eye(2)).savefig(file := io.StringIO(), format="svg")
        print(file.getvalue()[-7:])
    """
    done = in_python(code, MPLBACKEND="module://no_such_backend")
    assert done.stdout == "</svg>\n\n", done.stderr


def test_in_a_notebook_figures_are_svg_without_a_date(monkeypatch):
    asked = []
    inline = SimpleNamespace(set_matplotlib_formats=lambda *formats, **options: asked.append((formats, options)))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: "a shell"))
    monkeypatch.setitem(sys.modules, "matplotlib_inline.backend_inline", inline)
    with matplotlib.rc_context():
        runpy.run_path(style.__file__)
        assert matplotlib.rcParams["svg.hashsalt"] == "attnlib"
    assert asked == [(("svg",), {"metadata": {"Date": None, "Creator": "attnlib.plots, with Matplotlib"}})]


def test_in_a_notebook_the_same_figure_gives_the_same_file():
    code = """
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        shell.enable_gui = lambda gui: None
        import numpy as np
        from attnlib import plots
        show = lambda: shell.display_formatter.format(plots.heatmap(["a", "b"], np.eye(2), np.tri(2, dtype=bool)))[0]
        one, other = show(), show()
        assert one["image/svg+xml"] == other["image/svg+xml"]
        print("the same")
    """
    done = in_python(code)
    assert done.stdout == "the same\n", done.stderr


def test_no_two_elements_of_a_figure_have_one_id_where_its_grids_are_equal():
    figure, both = plt.subplots(1, 2)
    for axes in both:
        plots.draw_grid(axes, ["a", "b"], np.eye(2), numbers=False)
    file = io.StringIO()
    figure.savefig(file, format="svg")
    plt.close(figure)
    ids = re.findall(r'\bid="([^"]+)"', file.getvalue())
    assert {"grid-0", "grid-1"} < set(ids)
    assert len(ids) == len(set(ids))


def test_the_shades_run_to_the_largest_weight_that_is_seen():
    weights = np.full((13, 13), 0.1)
    weights[0, 12] = 1.0  # which the mask hides
    figure = plots.heatmap(list("abcdefghijklm"), weights, np.tri(13, dtype=bool))
    assert figure.axes[0].images[0].get_clim() == (0, 0.1)
