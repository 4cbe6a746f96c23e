"""Grids of attention weights, as the widgets draw them."""

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from math import ceil

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy import ndarray as Array

from attnlib.checks import as_array, forbid
from attnlib.plots.style import LINE, MUTED, SHADES, WEIGHTS, WIDTH, drawing

LETTER, ROW = 0.077, 0.155  # inches: an average letter's width and a row's height, at 9 points


def draw_grid(
    axes: Axes,
    tokens: Sequence[str],
    weights: Float[Array, "n_q n_k"],
    mask: Bool[Array, "n_q n_k"] | None = None,
    *,
    keys: Sequence[str] = (),
    numbers: bool = True,
) -> None:
    """Draw weights as the widgets do: query (row) reads from key (column).

    Args:
        axes: what is drawn into.
        tokens: a name for each row.
        weights: from 0 to 1, (n_q, n_k).
        mask: True where a query may attend to a key, (n_q, n_k); the other cells are hatched.
        keys: a name for each column, where they are not the rows' tokens.
        numbers: whether each cell has its number; otherwise cells touch, and are one image, `axes.images[0]`.

    Raises:
        ValueError: when the names or the mask do not fit the sizes, or a weight is not between 0 and 1.

    >>> draw_grid(Figure().add_subplot(), ["a", "b"], np.eye(2))
    """
    keys = keys or tokens
    weights, mask = _checked_grid(tokens, keys, weights, mask)
    if weights.ndim != 2:
        raise ValueError(f"weights has shape {weights.shape}: a grid has two axes")
    if numbers:
        axes.pcolormesh(weights, cmap=WEIGHTS, vmin=0, vmax=1, edgecolor="white", linewidth=3)
    else:  # not a shape for each cell: a thousand of them make a page heavy
        extent = (0, len(keys), len(tokens), 0)
        image = axes.imshow(weights, cmap=SHADES, vmin=0, vmax=1, extent=extent, aspect="auto", interpolation="none")
        # of its own: as SVG two equal images of a figure would have one id
        image.set_gid(f"grid-{axes.figure.axes.index(axes)}")
    blocked = np.zeros(weights.shape, dtype=bool) if mask is None else ~mask
    for i, row in enumerate(blocked):
        for start, stop in np.flatnonzero(np.diff(row, prepend=False, append=False)).reshape(-1, 2):
            axes.add_patch(Rectangle((start, i), stop - start, 1, fc="white", ec=LINE, hatch="////", linewidth=0))
    if numbers:
        for (i, j), weight in np.ndenumerate(weights):
            axes.text(j + 0.5, i + 0.5, "–" if blocked[i, j] else f"{weight:.2f}", ha="center", va="center")
    axes.set(xlim=(0, len(keys)), ylim=(len(tokens), 0), frame_on=False)
    axes.set_xticks(np.arange(len(keys)) + 0.5, keys)
    axes.set_yticks(np.arange(len(tokens)) + 0.5, tokens)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)


def heatmap(
    tokens: Sequence[str],
    weights: Float[Array, "*heads n_q n_k"],
    mask: Bool[Array, "*#heads n_q n_k"] | None = None,
    *,
    keys: Sequence[str] = (),
    names: Sequence[str] = (),
    title: str = "",
    provenance: str = "hand-made",
    note: str = "Query (row) reads from key (column).",
) -> Figure:
    """Attention weights as a grid, or several heads as grids side by side, two in a row.

    Up to twelve rows, and twelve columns side by side, show their numbers. In larger grids the shades run to the
    largest weight that is drawn, with a bar beside them, and where names would touch only every second (third, …) is
    written.

    Args:
        tokens: a name for each row.
        weights: from 0 to 1, (n_q, n_k) or (h, n_q, n_k).
        mask: True where a query may attend to a key, (n_q, n_k) or as `weights`; the other cells are hatched.
        keys: a name for each column, where they are not the rows' tokens.
        names: the heads'; without them several heads are numbered from 0.
        title: above the figure.
        provenance: where the numbers come from, for the note below.
        note: what a cell says, at the beginning of that note.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when the names or the mask do not fit the sizes, or a weight is not between 0 and 1.

    >>> heatmap(["a", "b"], np.eye(2), title="Each reads itself").get_suptitle()
    'Each reads itself'
    """
    keys = keys or tokens
    weights, mask = _checked_grid(tokens, keys, weights, mask)
    heads = weights.shape[0] if weights.ndim == 3 else 1
    if weights.ndim not in (2, 3) or len(names) not in (0, heads):
        raise ValueError(f"weights has shape {weights.shape}, not (n_q, n_k) or (h, n_q, n_k), or {len(names)} names")
    names = names or [f"head {a}" if weights.ndim == 3 else "" for a in range(heads)]
    panels = weights.reshape(heads, len(tokens), len(keys))
    masks = [None] * heads if mask is None else np.broadcast_to(mask, panels.shape)

    columns = min(2, heads)
    rows = -(-heads // columns)
    numbers = columns * len(keys) <= 12 and len(tokens) <= 12
    cell, down, upright, steps = _spacing(tokens, keys, columns, numbers)
    over = (LETTER * max(map(len, keys)) if upright else ROW) + (0.25 if any(names) else 0)
    height = rows * (down * len(tokens) + over + 0.1) + 0.3 + (0.3 if title else 0)
    most = weights.max() if mask is None else np.where(mask, weights, 0).max()
    with drawing(rows, columns, height) as (figure, every):
        for a, axes in enumerate(every[:heads]):
            draw_grid(axes, tokens, panels[a], masks[a], keys=keys, numbers=numbers)
            axes.set_title(names[a], fontsize=10)
            axes.set_xticks(axes.get_xticks()[:: steps[1]], keys[:: steps[1]], rotation=90 if upright else 0)
            axes.set_yticks(axes.get_yticks()[:: steps[0]], tokens[:: steps[0]])
            axes.tick_params(labelsize=9 if columns == 2 or not numbers else 10, labelleft=a % columns == 0)
            for text in axes.texts:
                text.set_fontsize(min(11.5, 23 * cell))
            for mesh in axes.collections:
                mesh.set_linewidth(min(3, 6 * cell))
            for image in axes.images:
                image.set_clim(0, most or 1)
        for axes in every[heads:]:
            axes.remove()
        if not numbers:
            bar = figure.colorbar(every[0].images[0], ax=every[:heads], aspect=30, pad=0.03)
            bar.set_label("weight", fontsize=10)
            bar.ax.tick_params(labelsize=9)
            bar.outline.set_visible(False)
        figure.suptitle(textwrap.fill(title, 56), x=0.01, ha="left")
        below = f"{note} Numbers: {provenance}."
        figure.supxlabel(textwrap.fill(below, 64), x=0.01, ha="left", fontsize=10, color=MUTED)
    return figure


def _spacing(
    tokens: Sequence[str], keys: Sequence[str], columns: int, numbers: bool
) -> tuple[float, float, bool, tuple[int, int]]:
    """A cell's inches across and down, whether the columns' names stand upright, and which rows and columns are named.

    (2, 3) would name every second row and every third column.
    """
    room = max(1, WIDTH - LETTER * max(map(len, tokens)) - 0.15 * columns - (0 if numbers else 0.7))
    cell = room / (columns * len(keys))
    down = min(max(min(cell, 0.42), 0.7 / len(tokens)), 5 / len(tokens))
    touching = any(LETTER * ((len(a) + len(b)) / 2 + 0.7) > cell for a, b in pairwise(keys))
    longest = max(map(len, keys))
    upright = touching and longest > 2
    needed = ROW if upright else LETTER * (longest + 0.7) if touching else 0
    return cell, down, upright, (max(1, ceil(ROW / down)), max(1, ceil(needed / cell)))


def _checked_grid(
    tokens: Sequence[str], keys: Sequence[str], weights: Array, mask: Array | None
) -> tuple[Array, Array | None]:
    """Weights from 0 to 1 whose last two axes are as many as the names, and a mask that fits them."""
    weights, mask = as_array("weights", weights), None if mask is None else as_array("mask", mask, "b")
    if weights.shape[-2:] != (len(tokens), len(keys)) or not weights.size:
        raise ValueError(f"weights has shape {weights.shape} for {len(tokens)} query tokens and {len(keys)} key tokens")
    if mask is not None and mask.shape not in (weights.shape, weights.shape[-2:]):
        raise ValueError(f"mask has shape {mask.shape}, the weights have shape {weights.shape}")
    forbid("weights", weights, ~((weights >= 0) & (weights <= 1)), "is {value}: a weight lies between 0 and 1")
    return weights, mask
