"""Drawings of how the parts fit together: a language model, what one query does in it, and how a grid is made in pieces."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Real
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from numpy import ndarray as Array

from attnlib.checks import as_array
from attnlib.plots.grid import LETTER
from attnlib.plots.style import COLOURS, LINE, MUTED, WEIGHT_0, WEIGHTS, WIDTH, drawing
from attnlib.scaled_dot_product import attention_scores, softmax

SMALL = 9.5  # points
EDGE = 0.05  # inches


def pipeline(tokens: Sequence[str], next_word: str, *, blocks: int = 2, title: str = "") -> Figure:
    """How a language model reads: tokens, embeddings, blocks, next word. Attention is inside every block.

    Each token's vector runs along a line of its own. In the attention of a block the lines are joined, from each token to
    itself and to those before it; the rest of the block, its feed-forward part, works on each line by itself.

    Args:
        tokens: what is read.
        next_word: what the model says comes next.
        blocks: how many are drawn, 1 to 3.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: without a token, or for `blocks` outside 1 to 3.

    >>> figure = pipeline(["we", "have", "a"], "problem")
    >>> [text.get_text() for text in figure.axes[0].texts if "block" in text.get_text()]
    ['block 1', 'block 2']
    """
    if not tokens or not 1 <= blocks <= 3:
        raise ValueError(f"a pipeline needs 1 or more tokens and 1 to 3 blocks, got {len(tokens)} and {blocks}")
    n, names = len(tokens), LETTER * max(map(len, tokens)) + 0.16
    across = EDGE + names + 0.18  # where the embeddings begin
    first = across + 0.44 + 0.18
    last = WIDTH - EDGE - max(LETTER * len(next_word) + 0.16, 0.75)
    each = (last - 0.14 - first) / blocks
    lines = -0.62 - 0.36 * np.arange(n)  # a line for each token
    bottom = float(lines[-1]) - 0.26
    legend = bottom - 0.32
    with drawing(height=0.35 * bool(title) + 0.55 - legend) as (figure, [axes]):
        for line, token in zip(lines, tokens, strict=True):
            _box(axes, EDGE, line, names, token)
            axes.plot(
                [EDGE + names, last - (0.14 if line > lines[-1] else 0)], [line, line], color=MUTED, lw=1, zorder=0
            )
            for cell in range(4):
                axes.add_patch(Rectangle((across + 0.11 * cell, line - 0.1), 0.11, 0.2, fc="white", ec=MUTED, lw=0.8))
        _box(axes, last, float(lines[-1]), WIDTH - EDGE - last, next_word, color=COLOURS[1])
        for block in range(blocks):
            _block(axes, first + block * each, each - 0.12, lines, bottom, f"block {block + 1}")
        heads = {EDGE + names / 2: "tokens", across + 0.22: "vectors", (last + WIDTH - EDGE) / 2: "next word"}
        for at, head in heads.items():
            axes.text(at, -0.18, head, ha="center", va="center", fontsize=SMALL, color=MUTED)
        axes.plot([EDGE, EDGE + 0.3], [legend] * 2, color=COLOURS[0], lw=1.6)
        axes.text(EDGE + 0.38, legend, "attention: read from words", va="center", fontsize=SMALL)
        axes.add_patch(Rectangle((2.76, legend - 0.07), 0.14, 0.14, fc=WEIGHT_0, ec=COLOURS[2], lw=1.2))
        axes.text(2.98, legend, "feed-forward: each by itself", va="center", fontsize=SMALL)
        _bare(axes, legend - 0.16, title)
    return figure


def calculation(
    tokens: Sequence[str],
    query: Real[Array, "d_k"],
    key: Real[Array, "n_k d_k"],
    value: Real[Array, "n_k d_v"],
    *,
    asks: str = "query",
    scale: float | None = 1.0,
    key_axes: Sequence[str] = (),
    value_axes: Sequence[str] = (),
    title: str = "",
) -> Figure:
    """What one query does, in numbers: a score with each key, a weight for each score, and the values' weighted sum.

    Args:
        tokens: a name for each key.
        query: one query, (d_k,).
        key: rows of keys, (n_k, d_k).
        value: rows of values, one for each key, (n_k, d_v).
        asks: the query's name.
        scale: what the dot products are multiplied by; None means 1/√d_k.
        key_axes: names above the columns of query and keys, d_k of them, or none.
        value_axes: names above the columns of the values, d_v of them, or none.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when the sizes do not fit, and as `attention_scores`.

    >>> figure = calculation(["a", "b"], np.array([1]), np.array([[0], [0]]), np.array([[1], [3]]))
    >>> figure.axes[0].texts[-1].get_text()
    '2'
    """
    query, key, value = as_array("query", query), as_array("key", key), as_array("value", value)
    if query.ndim != 1 or value.ndim != 2 or not len(tokens) == len(key) == len(value):
        raise ValueError(
            f"query of shape {query.shape}, key {key.shape} and value {value.shape} do not fit {len(tokens)} tokens"
        )
    for name, axes_names, rows_of in (("key_axes", key_axes, key), ("value_axes", value_axes, value)):
        if axes_names and len(axes_names) != rows_of.shape[1]:
            raise ValueError(f"{name} has {len(axes_names)} names for {rows_of.shape[1]} columns")
    scores = attention_scores(query[None], key, scale=scale)[0]  # (n_k,)
    weights = softmax(scores)
    names = LETTER * max(map(len, [*tokens, asks])) + 0.12
    wide, gap, tall = 0.5, 0.14, 0.31  # a score's or a weight's width, what parts the groups, a row's height
    cell = min(0.5, (WIDTH - 2 * EDGE - names - 2 * wide - 3 * gap) / (key.shape[1] + value.shape[1]))
    keys = EDGE + names
    score = keys + cell * key.shape[1] + gap
    weight = score + wide + gap
    values = weight + wide + gap
    top = -0.5 - 0.05 * bool(key_axes)
    rows = top - 0.6 - tall * np.arange(len(tokens))  # upper edges
    end = float(rows[-1]) - tall - 0.16
    with drawing(height=0.35 * bool(title) + 0.15 - (end - tall)) as (figure, [axes]):
        _name(axes, keys, top - tall / 2, asks)
        _cells(axes, keys, top, cell, tall, query, COLOURS[1])
        above = 0.2 * bool(value_axes)
        groups = {
            "query": (keys, cell * len(query), top), "keys": (keys, cell * len(query), rows[0]),
            "score": (score, wide, rows[0]), "weight": (weight, wide, rows[0]),
            "values": (values, cell * value.shape[1], rows[0] + above),
        }  # fmt: skip
        if key_axes:  # their names stand above the query
            axes.text(keys + cell * len(query) + 0.1, top - tall / 2, "query", va="center", fontsize=SMALL, color=MUTED)
            del groups["query"]
        columns = [
            (keys + cell * (c + 0.5), top + 0.13 + 0.17 * (c % 2 == 0)) for c in range(len(key_axes))
        ]  # staggered
        columns += [(values + cell * (c + 0.5), rows[0] + 0.13) for c in range(len(value_axes))]
        for at, name in zip(columns, [*key_axes, *value_axes], strict=True):
            axes.text(*at, name, ha="center", va="center", fontsize=SMALL, color=MUTED)
        for head, (left, width, upper) in groups.items():
            axes.text(left + width / 2, upper + 0.13, head, ha="center", va="center", fontsize=SMALL, color=MUTED)
        for i, row in enumerate(rows):
            _name(axes, keys, row - tall / 2, tokens[i])
            _cells(axes, keys, row, cell, tall, key[i])
            says = f"{scores[i]:.2f}".replace("-", "−")
            axes.text(score + wide / 2, row - tall / 2, says, ha="center", va="center", fontsize=SMALL)
            _cells(axes, weight, row, wide, tall, weights[i : i + 1], shade=True)
            _cells(axes, values, row, cell, tall, value[i])
        axes.plot([values, values + cell * value.shape[1]], [end + 0.08] * 2, color=MUTED, lw=1)
        _name(axes, values, end - tall / 2, "sum of weight × value", MUTED)
        _cells(axes, values, end, cell, tall, weights @ value, COLOURS[1])
        _bare(axes, end - tall - 0.05, title)
    return figure


def three_tilings(titles: Sequence[str]) -> Figure:
    """A grid of scores made in three ways: whole, some whole rows at a time, a tile at a time. Sizes are not to scale.

    What is in the fast memory at one time is in colour. An arrow shows which way a tile goes next.

    Args:
        titles: one for each way, of up to three lines.

    Returns:
        The figure, closed.

    Raises:
        ValueError: unless there are three titles.

    >>> len(three_tilings(["whole", "rows", "tiles"]).axes)
    3
    """
    if len(titles) != 3:
        raise ValueError(f"three_tilings needs three titles, got {len(titles)}")
    size = 8  # cells on a side
    held = [(0, 0, 0), (2, 1, size), (1, 3, 2)]  # the first row, rows and columns: none of a whole grid stays
    with drawing(1, 3, 2.4) as (figure, axes):
        for panel, title, (top, rows, columns) in zip(axes, titles, held, strict=True):
            for row in range(size):
                for column in range(size):
                    there = top <= row < top + rows and column < columns
                    fill = COLOURS[0] if there else "white" if rows else WEIGHT_0
                    panel.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor=LINE, linewidth=0.8))
            if 0 < columns < size:
                at, arrow = top + rows / 2, {"arrowstyle": "->", "color": COLOURS[0], "lw": 1.6}
                panel.annotate("", xy=(size - 0.3, at), xytext=(columns + 0.1, at), arrowprops=arrow)
            panel.set(xlim=(-1.1, size + 0.1), ylim=(size + 1.2, -0.1), aspect="equal")
            panel.set_title(title, fontsize=SMALL)
            panel.set_axis_off()
            panel.text(size / 2, size + 0.2, "keys →", ha="center", va="top", fontsize=SMALL)
            panel.text(-0.2, size / 2, "queries", ha="right", va="center", rotation=90, fontsize=SMALL)
    return figure


def _bare(axes: Axes, bottom: float, title: str) -> None:
    """No axes, inches for units: y runs from `bottom` up to 0."""
    axes.set(xlim=(0, WIDTH), ylim=(bottom, 0), title=title)
    axes.axis("off")


def _box(axes: Axes, left: float, middle: float, width: float, text: str, color: str = MUTED) -> None:
    shape = FancyBboxPatch(
        (left, middle - 0.13), width, 0.26, boxstyle="round,pad=0,rounding_size=0.06", fc="white", ec=color, lw=1.2
    )
    axes.add_patch(shape)
    axes.text(left + width / 2, middle, text, ha="center", va="center", fontsize=SMALL)


def _block(axes: Axes, left: float, width: float, lines: Float[Array, " n"], bottom: float, name: str) -> None:
    """A frame with both parts of a block: lines that join each token to those before it, and a square for each alone."""
    frame = Rectangle((left, bottom + 0.06), width, -0.34 - bottom - 0.06, fc="none", ec=LINE, lw=1.2)
    axes.add_patch(frame)
    axes.text(left + width / 2, -0.18, name, ha="center", va="center", fontsize=SMALL, color=MUTED)
    begin, end, alone = left + 0.1 * width, left + 0.62 * width, left + 0.81 * width
    for i, to in enumerate(lines):
        for origin in lines[: i + 1]:
            axes.plot([begin, end], [origin, to], color=COLOURS[0], lw=1.4)
        axes.add_patch(Rectangle((alone - 0.09, to - 0.09), 0.18, 0.18, fc=WEIGHT_0, ec=COLOURS[2], lw=1.2))


def _name(axes: Axes, right: float, middle: float, text: str, color: str = "black") -> None:
    axes.text(right - 0.08, middle, text, ha="right", va="center", fontsize=SMALL, color=color)


def _cells(
    axes: Axes,
    left: float,
    upper: float,
    width: float,
    height: float,
    numbers: Real[Array, " m"],
    color: str = LINE,
    *,
    shade: bool = False,
) -> None:
    """A row of cells with their numbers; `shade` fills them as weights."""
    for c, number in enumerate(numbers):
        fill = WEIGHTS(float(number)) if shade else "white"
        cell = Rectangle((left + c * width, upper - height), width, height, fc=fill, ec=color, lw=1, zorder=2)
        axes.add_patch(cell)
        written = f"{number:.2f}" if shade else f"{round(float(number), 2) + 0.0:g}".replace("-", "−")
        axes.text(
            left + (c + 0.5) * width, upper - height / 2, written, ha="center", va="center", fontsize=SMALL, zorder=3
        )
