"""Training against writing, and a chunk on a cache: what is drawn is what is computed."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_hex

from attnlib import causal_mask, plots
from attnlib.plots import style


def dark(axes):
    """The cells of a frame whose scores are new in it, and those of before."""
    colours = [to_hex(colour) for colour in axes.collections[0].to_rgba(axes.collections[0].get_array().ravel())]
    grid = np.reshape(colours, axes.collections[0].get_array().shape)
    return grid == style.COLOURS[0], grid == style.WEIGHT_1


def assert_apart(figure):
    """Titles and counters stand upon no other, and inside the figure."""
    figure.draw_without_rendering()
    texts = [text for axes in figure.axes for text in (axes.title, axes._left_title, axes.xaxis.label)]
    boxes = [text.get_window_extent() for text in [*texts, figure._suptitle, figure._supxlabel] if text.get_text()]
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    assert all(figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes)


@pytest.mark.parametrize("n", [2, 5, 6])
def test_each_frame_computes_its_rows_and_the_counters_add_up(n, assert_tidy):
    figure = plots.training_and_writing(n, title="Training and writing")
    training, *writing = figure.axes
    assert (dark(training)[0] == np.tri(n, dtype=bool)).all()
    assert training.get_xlabel() == f"{n} rows\n{n * (n + 1) // 2} scores"
    again, cached = writing[:n], writing[n:]
    rows = scores = 0
    for t in range(1, n + 1):
        new, old = dark(again[t - 1])
        assert (new == np.tri(n, dtype=bool) & (np.arange(n) < t)[:, None]).all()
        assert not old.any()
        rows, scores = rows + t, scores + t * (t + 1) // 2
        assert again[t - 1].get_xlabel().replace("s", "") == f"{rows} row\n{scores} core"
        new, old = dark(cached[t - 1])
        assert (np.flatnonzero(new.any(axis=1)) == [t - 1]).all()
        assert new.sum() == t
        assert old.sum() == t * (t - 1) // 2
        assert cached[t - 1].get_xlabel().replace("s", "") == f"{t} row\n{t * (t + 1) // 2} core"
    assert_tidy(figure)
    assert_apart(figure)


@pytest.mark.parametrize(("new", "cached"), [(3, 10), (1, 1), (6, 14)])
def test_a_chunk_is_drawn_with_the_right_corner_and_with_the_wrong_one(new, cached, assert_tidy):
    figure = plots.chunk(new, cached, title="A chunk")
    right, wrong = (axes.images[0].get_array() for axes in figure.axes)
    assert (right == causal_mask(new, new + cached, offset=cached)).all()
    assert (wrong == causal_mask(new, new + cached)).all()
    assert figure.axes[0].get_title(loc="left") == f"right: j ≤ i + {cached}"
    assert_tidy(figure)
    assert_apart(figure)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: plots.training_and_writing(1), "n must .* got 1"),
        (lambda: plots.training_and_writing(7), "n must .* got 7"),
        (lambda: plots.chunk(0), "new must .* got 0"),
        (lambda: plots.chunk(3, 15), "cached must .* got 15"),
    ],
)
def test_sizes_that_cannot_be_drawn_are_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()
