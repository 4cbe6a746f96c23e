"""The page of shapes: every array that multi-head attention makes, in its true size, and nothing leaves the page."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch

import attention_posters
from attnlib import split_heads
from attnlib.plots.style import COLOURS, LINE

N, D, H, D_K, D_V = 5, 7, 3, 4, 2


def page(**options):
    return attention_posters.multi_head_shapes(N, D, H, D_K, D_V, **options)


def labels(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_labels_give_the_shapes_that_the_library_makes():
    x = np.zeros((N, D))
    q = x @ np.zeros((D, H * D_K))
    split = split_heads(q, H)
    written = labels(page())
    for name, array in {"X": x, "Q": q, "Y": np.zeros((N, D))}.items():
        assert f"{name}   {' × '.join(map(str, array.shape))}" in written
    assert f"Q   {' × '.join(map(str, split.shape))}" in written
    assert "weights   3 × 5 × 5" in written
    assert "V   3 × 5 × 2" in written
    assert written.count("merged   5 × 6") == 2
    assert "$W_O$   6 × 7" in written


def test_each_head_has_its_colour_and_its_blocks():
    edges = [to_hex(p.get_edgecolor()) for p in page().axes[0].patches if isinstance(p, PathPatch)]
    # W_Q, Q; the split Q, K, V; weights; heads; merged twice; W_O
    assert [edges.count(colour) for colour in COLOURS[:H]] == [10] * H
    assert edges.count(LINE) == 2  # X and Y belong to no head


def test_a_block_has_a_cell_for_each_number():
    block = next(p for p in page().axes[0].patches if isinstance(p, PathPatch))  # X
    corners = block.get_path().vertices
    across, along = np.ptp(corners, axis=0)
    assert np.isclose(across / along, D / N)
    assert len(corners) == 2 * (N + 1 + D + 1)


def test_nothing_leaves_the_page_or_covers_another_word(assert_tidy):
    assert_tidy(page(title="One page"))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0, 7, 3, 4, 2), "must be 1 or more"),
        ((5, 7, 5, 4, 2), "num_heads must be 1 or more and at most 4, got 5"),
        ((5, 64, 4, 16, 16), "does not fit on the page"),
    ],
)
def test_sizes_that_cannot_be_drawn_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        attention_posters.multi_head_shapes(*sizes)
