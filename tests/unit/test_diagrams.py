"""Drawings of a language model and of one query: what they say is computed, and nothing touches or leaves the figure."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from attnlib import attention, attention_weights, houston, plots
from attnlib.plots import style

N, D_K, D_V = 5, 4, 3
RNG = np.random.default_rng(0)
QUERY, KEY, VALUE = RNG.normal(size=D_K), RNG.normal(size=(N, D_K)), RNG.normal(size=(N, D_V))


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def ends(figure, color):
    """Both ends of every line of a colour."""
    lines = [line for line in figure.axes[0].lines if to_hex(line.get_color()) == color]
    return [tuple(map(tuple, line.get_xydata().round(3).tolist())) for line in lines]


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_attention_is_inside_every_block_and_joins_each_token_to_itself_and_those_before(blocks):
    figure = plots.pipeline(houston.TOKENS[:4], "problem", blocks=blocks)
    written = texts(figure)
    assert [text for text in written if text.startswith("block")] == [f"block {b + 1}" for b in range(blocks)]
    frames = [p for p in figure.axes[0].patches if to_hex(p.get_edgecolor()) == style.LINE]
    assert len(frames) == blocks
    joined = [(a, b) for a, b in ends(figure, style.COLOURS[0]) if a[1] > -2.1]  # the legend's line is lower
    assert len(joined) == blocks * (4 * 5 // 2)
    assert all(origin[1] >= to[1] for origin, to in joined)  # never from a later token
    for (left, _), (right, _) in joined:
        assert any(f.get_x() < left < right < f.get_x() + f.get_width() for f in frames)


def test_the_next_word_follows_from_the_last_token():
    figure = plots.pipeline(["we", "have", "a"], "problem")
    place = {text.get_text(): text.get_position() for text in figure.axes[0].texts}
    assert place["problem"][1] == place["a"][1] < place["have"][1] < place["we"][1]
    assert place["we"][0] < place["vectors"][0] < place["block 1"][0] < place["block 2"][0] < place["problem"][0]


@pytest.mark.parametrize(("tokens", "blocks"), [([], 2), (["a"], 0), (["a"], 4)])
def test_a_pipeline_without_tokens_or_with_a_strange_number_of_blocks_is_refused(tokens, blocks):
    with pytest.raises(ValueError, match=f"got {len(tokens)} and {blocks}"):
        plots.pipeline(tokens, "problem", blocks=blocks)


@pytest.mark.parametrize("scale", [1.0, None])
def test_the_calculation_shows_scores_weights_and_the_sum_that_attention_gives(scale):
    figure = plots.calculation(houston.TOKENS, QUERY, KEY, VALUE, asks="have", scale=scale)
    weights = attention_weights(QUERY[None], KEY, scale=scale)[0]
    scores = KEY @ QUERY * (1 if scale else D_K**-0.5)
    out = attention(QUERY[None], KEY, VALUE, scale=scale)[0]
    written = texts(figure)
    assert {f"{w:.2f}" for w in weights} | {f"{s:.2f}".replace("-", "−") for s in scores} <= set(written)
    assert written[-D_V:] == [f"{round(x, 2) + 0.0:g}".replace("-", "−") for x in out]
    assert written.count("have") == 2  # it asks, and is one of the keys


def test_a_weight_is_as_dark_as_in_a_grid():
    figure = plots.calculation(houston.TOKENS, QUERY, KEY, VALUE)
    weights = attention_weights(QUERY[None], KEY, scale=1)[0]
    fills = [to_hex(patch.get_facecolor()) for patch in figure.axes[0].patches]
    assert [fill for fill in fills if fill != "#ffffff"] == [to_hex(plots.WEIGHTS(float(w))) for w in weights]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tokens": ["a", "b"]}, "do not fit 2 tokens"),
        ({"query": QUERY[None]}, r"query of shape \(1, 4\)"),
        ({"value": VALUE[:4]}, r"value \(4, 3\) do not fit 5 tokens"),
        ({"query": QUERY[:3]}, "must share d_k"),
        ({"key_axes": ("a", "b")}, "key_axes has 2 names for 4 columns"),
        ({"value_axes": ("a",)}, "value_axes has 1 names for 3 columns"),
    ],
)
def test_a_calculation_that_does_not_fit_is_refused(changed, message, unchecked):
    given = {"tokens": houston.TOKENS, "query": QUERY, "key": KEY, "value": VALUE} | changed
    with pytest.raises(ValueError, match=message):
        plots.calculation(**given)


def test_three_tilings_hold_nothing_some_whole_rows_and_a_block():
    held = []
    for axes in plots.three_tilings(["whole", "rows", "tiles"]).axes:
        cells = [patch for patch in axes.patches if to_hex(patch.get_facecolor()) == plots.COLOURS[0].lower()]
        held.append(tuple(len({cell.get_xy()[at] for cell in cells}) for at in (1, 0)))  # rows and columns
    assert held == [(0, 0), (1, 8), (3, 2)]


def test_three_tilings_need_three_titles():
    with pytest.raises(ValueError, match="needs three titles, got 2"):
        plots.three_tilings(["whole", "rows"])


FIGURES = {
    "three tilings": lambda: plots.three_tilings(
        ["whole grid:\n16 bytes", "64 rows:\n8 bytes", "tiles, 256 × 512:\n2 bytes"]
    ),
    "a model": lambda: plots.pipeline(houston.TOKENS[:4], "problem", title="How a model reads"),
    "one word": lambda: plots.pipeline(["a"], "problem"),
    "three blocks": lambda: plots.pipeline(houston.TOKENS, "okay", blocks=3),
    "a calculation": lambda: plots.calculation(houston.TOKENS, QUERY, KEY, VALUE, asks="have", title="One query"),
    "named axes": lambda: plots.calculation(
        houston.TOKENS, QUERY, KEY, VALUE, key_axes=houston.ROLE_AXES, value_axes=houston.VALUE_AXES, title="One query"
    ),
    "large numbers": lambda: plots.calculation(["a", "b"], QUERY[:1], -9.75 * np.ones((2, 1)), -9.75 * np.ones((2, 2))),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_two_texts_touch_and_nothing_leaves_the_figure(name, assert_tidy):
    assert_tidy(FIGURES[name]())
