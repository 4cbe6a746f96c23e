"""A small grid of cells, for figures that show many: placed in inches, anywhere in a drawing."""

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy import ndarray as Array

from attnlib.plots.style import LINE, MUTED, WEIGHTS


def draw_cells(
    axes: Axes,
    corner: tuple[float, float],
    size: tuple[float, float],
    entries: Float[Array, "n_q n_k"],
    mask: Bool[Array, "n_q n_k"],
    *,
    digits: int = 2,
    blocked: str = "",
    shade: bool = True,
) -> None:
    """Draw each entry as a cell with its number.

    Args:
        axes: what is drawn into, in inches.
        corner: the grid's left and top.
        size: a cell's width and height.
        entries: what is written, (n_q, n_k).
        mask: True where a query may attend to a key, (n_q, n_k); the other cells are hatched.
        digits: how many are written after the point.
        blocked: what is written in a hatched cell.
        shade: whether the entries are weights, and shaded as such; otherwise they are scores, on white.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> draw_cells(axes, (0, 0), (0.4, 0.2), np.eye(2), np.tri(2, dtype=bool), blocked="0")
    >>> [text.get_text() for text in axes.texts]
    ['1.00', '0', '0.00', '1.00']
    """
    (left, top), (width, height) = corner, size
    for (i, j), entry in np.ndenumerate(entries):
        x, y, allowed = left + j * width, top - (i + 1) * height, mask[i, j]
        fill = WEIGHTS(float(entry)) if allowed and shade else "white"
        hatch = None if allowed else "////"
        axes.add_patch(Rectangle((x, y), width, height, fc=fill, ec=LINE, lw=0.8, hatch=hatch))
        written = f"{entry:.{digits}f}".replace("-", "−") if allowed else blocked
        if written:
            text = axes.text(x + width / 2, y + height / 2, written, ha="center", va="center", fontsize=8.5)
            if not allowed:
                text.set(color=MUTED, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})
