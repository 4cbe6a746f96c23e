"""The stages of the book on one page: for each its grid, its formula, and a sentence."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.figure import Figure
from numpy import ndarray as Array

from attention_posters.cells import draw_cells
from attnlib.checks import forbid
from attnlib.plots.grid import LETTER
from attnlib.plots.style import COLOURS, MUTED, WIDTH, drawing

SMALL, EDGE = 9.5, 0.05  # points; inches
ROW, GRID, BESIDE = 0.23, 2.05, 0.18  # inches: a row's height, all columns, and between grid and words
LINES, LETTERS = 0.18, 0.074  # inches: a line of text, and a letter of it


def stages_page(
    tokens: Sequence[str],
    stages: Mapping[str, tuple[str, str, Float[Array, "n n"], Bool[Array, "n n"] | None]],
    *,
    title: str = "",
    provenance: str = "hand-made",
) -> Figure:
    """Grids of weights below each other, each with its number, its name, a formula and what to see in it.

    Args:
        tokens: a name for each row and column.
        stages: for each name its formula (text in which `$…$` is set as mathematics), a sentence, the weights, (n, n),
            and the mask, True where a query may attend to a key, (n, n), or None; what is blocked is hatched.
        title: above the figure.
        provenance: where the numbers come from, for the note below.

    Returns:
        The figure, closed.

    Raises:
        ValueError: for no stages, sizes that do not fit, and a weight that is not between 0 and 1.

    >>> figure = stages_page(["a", "b"], {"raw": ("$XX^T$", "Each reads itself.", np.eye(2), None)})
    >>> [text.get_text() for text in figure.axes[0].texts][:3]
    ['1  raw', '$XX^T$', 'Each reads itself.']
    """
    n = len(tokens)
    if not stages or not n:
        raise ValueError(f"{len(stages)} stages for {n} tokens: a page needs one or more of each")
    for name, (_, _, weights, mask) in stages.items():
        if weights.shape != (n, n) or (mask is not None and mask.shape != (n, n)):
            raise ValueError(f"the stage {name!r} has weights {weights.shape} for {n} tokens")
        forbid(f"the weights of {name!r}", weights, ~((weights >= 0) & (weights <= 1)), "is {value}: not from 0 to 1")
    longest = LETTER * max(map(len, tokens))
    left, cell = EDGE + longest + 0.1, GRID / n
    words = left + GRID + BESIDE
    tall = longest + 0.1 + n * ROW + 0.25  # of one stage
    note = textwrap.fill(f"Query (row) reads from key (column). Numbers: {provenance}.", 60)
    foot = LINES * (note.count("\n") + 1) + 0.07
    with drawing(height=len(stages) * tall + 0.35 * bool(title) + foot + 0.05) as (figure, [axes]):
        for place, (name, (formula, says, weights, mask)) in enumerate(stages.items()):
            top = -place * tall - longest - 0.1
            axes.text(
                words, top - 0.1, f"{place + 1}  {name}", va="center", fontsize=11.5, weight="bold", color=COLOURS[0]
            )
            axes.text(words, top - 0.38, formula, va="center", fontsize=SMALL)
            wrapped = textwrap.fill(says, int((WIDTH - words) / LETTERS))
            axes.text(words, top - 0.56, wrapped, va="top", fontsize=SMALL, linespacing=1.25)
            allowed = np.ones((n, n), dtype=bool) if mask is None else mask
            for i, token in enumerate(tokens):
                axes.text(left - 0.06, top - (i + 0.5) * ROW, token, ha="right", va="center", fontsize=SMALL)
                column = left + (i + 0.5) * cell
                axes.text(column, top + 0.05, token, ha="center", va="bottom", rotation=90, fontsize=SMALL)
            draw_cells(axes, (left, top), (cell, ROW), weights, allowed)
        bottom = -len(stages) * tall
        axes.text(EDGE, bottom, note, va="top", fontsize=SMALL, color=MUTED)
        axes.set(xlim=(0, WIDTH), ylim=(bottom - foot, 0), title=title)
        axes.axis("off")
    return figure
