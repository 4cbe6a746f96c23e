"""Masks on one page: for each mask the scores that it leaves, and the weights that the softmax makes of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.figure import Figure
from numpy import ndarray as Array

from attention_posters.cells import draw_cells
from attnlib.checks import as_array, forbid
from attnlib.plots.grid import LETTER
from attnlib.plots.style import COLOURS, MUTED, WIDTH, drawing
from attnlib.scaled_dot_product import softmax

SMALL, EDGE = 9.5, 0.05  # points; inches
ARROW, SUM, ROW = 0.62, 0.44, 0.29  # inches: between the grids, the column of sums, a row's height


def masks_page(
    tokens: Sequence[str],
    scores: Float[Array, "n n"],
    masks: Mapping[str, tuple[str, Bool[Array, "n n"]]],
    *,
    title: str = "",
    provenance: str = "hand-made",
) -> Figure:
    """Each mask as a pair of grids: the scores with −∞ where it is False, and the weights of each row with their sum.

    Args:
        tokens: a name for each row and column.
        scores: of each query (row) with each key (column), (n, n).
        masks: for each name what to say beside it, and the mask, True where a query may attend to a key, (n, n).
        title: above the figure.
        provenance: where the numbers come from, for the note below.

    Returns:
        The figure, closed.

    Raises:
        ValueError: for sizes that do not fit, naming them, and for a query that may attend to no key.

    >>> figure = masks_page(["a", "b"], np.zeros((2, 2)), {"causal": ("j ≤ i", np.tri(2, dtype=bool))})
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['causal', 'j ≤ i']
    """
    n, scores = len(tokens), as_array("scores", scores)
    masks = {name: (says, as_array(f"the mask {name!r}", mask, "b")) for name, (says, mask) in masks.items()}
    if scores.shape != (n, n) or not masks or not n:
        raise ValueError(f"scores of shape {scores.shape} and {len(masks)} masks for {n} tokens")
    for name, (_, mask) in masks.items():
        if mask.shape != (n, n):
            raise ValueError(f"the mask {name!r} has shape {mask.shape} for {n} tokens")
        empty = np.asarray(~mask.any(axis=1))
        forbid(f"the mask {name!r}", empty, empty, "is a query that may attend to no key")
    longest = LETTER * max(map(len, tokens))
    names = EDGE + longest + 0.12
    cell = (WIDTH - names - ARROW - SUM - EDGE) / (2 * n)
    beside = EDGE + 0.2 + 0.115 * max(map(len, masks))  # of the names, which are larger and bold
    tall = 0.3 + longest + 0.1 + n * ROW + 0.22  # of one mask
    aside: dict[str, Any] = {"ha": "center", "va": "center", "color": MUTED}
    arrow = {"arrowstyle": "-|>", "color": MUTED}
    with drawing(height=len(masks) * tall + 0.35 * bool(title) + 0.3) as (figure, [axes]):
        for place, (name, (says, mask)) in enumerate(masks.items()):
            head = -place * tall - 0.12
            axes.text(EDGE, head, name, va="center", fontsize=11.5, weight="bold", color=COLOURS[0])
            axes.text(beside, head, says, va="center", fontsize=SMALL)
            top = head - 0.18 - longest - 0.1
            weights = softmax(np.where(mask, scores, -np.inf))
            left = names + n * cell + ARROW  # of the weights
            for i, token in enumerate(tokens):
                axes.text(names - 0.06, top - (i + 0.5) * ROW, token, ha="right", va="center", fontsize=SMALL)
                for start in (names, left):
                    column = start + (i + 0.5) * cell
                    axes.text(column, top + 0.06, token, ha="center", va="bottom", rotation=90, fontsize=SMALL)
            draw_cells(axes, (names, top), (cell, ROW), scores, mask, digits=1, blocked="−∞", shade=False)
            draw_cells(axes, (left, top), (cell, ROW), weights, mask, blocked="0")
            middle, right = top - n * ROW / 2, names + n * cell
            axes.annotate("", (right + ARROW - 0.08, middle), (right + 0.08, middle), arrowprops=arrow)
            axes.text(right + ARROW / 2, middle + 0.13, "softmax", fontsize=8.5, **aside)
            total = left + n * cell + SUM / 2 + 0.02
            axes.text(total, top + 0.06, "sum", ha="center", va="bottom", fontsize=8.5, color=MUTED)
            for i, row in enumerate(weights):
                axes.text(total, top - (i + 0.5) * ROW, f"{row.sum():.2f}", fontsize=SMALL, **aside)
        note = f"Query (row) reads from key (column). Numbers: {provenance}."
        bottom = -len(masks) * tall
        axes.text(EDGE, bottom - 0.08, note, va="center", fontsize=SMALL, color=MUTED)
        axes.set(xlim=(0, WIDTH), ylim=(bottom - 0.25, 0), title=title)
        axes.axis("off")
    return figure
