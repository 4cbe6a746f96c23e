"""Static figures: one even, colour-blind-safe scale, cells where they belong, and errors that name the sizes."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt

from attnlib import plots

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


@pytest.mark.parametrize("missing", MISSING)
def test_equal_steps_of_weight_look_equal_to_every_eye(missing):
    lab = seen(plots.WEIGHTS(np.linspace(0, 1, 11))[:, :3], missing)
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


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((2, 3)), r"'loss' has shape \(2, 3\); it needs \(runs, 2\)"),
        (np.array([[0.0, np.inf]]), r"'loss' has an entry that is not finite at \[0 1\]"),
    ],
)
def test_runs_that_do_not_fit_are_refused(values, message, unchecked):
    with pytest.raises(ValueError, match=message):
        plots.ranges([0, 1], {"loss": values}, x_label="x", y_label="y", title="t")


def test_a_band_runs_from_the_least_to_the_greatest_run():
    figure = plots.ranges([0, 1], {"loss": np.array([[1.0, 4.0], [3.0, 2.0]])}, x_label="x", y_label="y", title="t")
    (line,) = figure.axes[0].lines
    assert line.get_ydata().tolist() == [2, 3]
    corners = figure.axes[0].collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == 1
    assert corners[:, 1].max() == 4
