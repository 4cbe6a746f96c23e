"""How scores spread: sums that walk away from 0, and what a variance of scores can be taken over."""

import numpy as np
from jaxtyping import Real
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy import ndarray as Array

from attnlib.checks import as_array, forbid
from attnlib.plots.style import COLOURS, LINE, drawing


def walks(steps: Real[Array, "walks n"], *, x_label: str, y_label: str, title: str) -> Figure:
    """Sums that grow step by step, each as a line from 0, between the two branches of ±√n.

    Args:
        steps: a row for each walk, what each step adds, (walks, n).
        x_label, y_label: what the axes say.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when `steps` has not two axes, or is empty, or an entry is not finite.

    >>> figure = walks(np.array([[1.0, -1.0, 1.0]]), x_label="steps", y_label="sum", title="One walk")
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [0.0, 1.0, 0.0, 1.0]
    """
    steps = as_array("steps", steps)
    if steps.ndim != 2 or 0 in steps.shape:
        raise ValueError(f"steps has shape {steps.shape}; it needs (walks, n), neither of them 0")
    forbid("steps", steps, ~np.isfinite(steps), "is {value}: every entry must be finite")
    n = np.arange(steps.shape[1] + 1)
    with drawing() as (figure, [axes]):
        for walk in np.cumsum(steps, axis=1):
            axes.plot(n, [0.0, *walk], color=COLOURS[0], linewidth=0.8, alpha=0.45)
        for sign in (1, -1):
            axes.plot(n, sign * np.sqrt(n), color=COLOURS[1], linewidth=2.2)
            axes.text(
                1.01 * n[-1],
                sign * n[-1] ** 0.5,
                rf"${'+' if sign > 0 else '-'}\sqrt{{n}}$",
                va="center",
                color=COLOURS[1],
            )
        axes.set(xlabel=x_label, ylabel=y_label, title=title, xlim=(0, n[-1]))
    return figure


def three_variances() -> Figure:
    """What a variance of scores can be taken over, in three stacks of grids: draws, the keys of a row, rows.

    Returns:
        The figure, closed.

    >>> len(three_variances().axes)
    3
    """
    every = range(4)
    panels = {  # the grids, rows and columns that are in colour; grid 0 lies in front
        "over draws:\none cell of many grids": (range(3), [0], [3]),
        "over keys:\none row": ([0], [1], every),
        "over queries:\none column": ([0], every, [2]),
    }
    with drawing(1, 3, 2.3) as (figure, axes):
        for panel, (title, (grids, rows, columns)) in zip(axes, panels.items(), strict=True):
            for grid in (2, 1, 0):
                for row in every:
                    for column in every:
                        marked = grid in grids and row in rows and column in columns
                        corner = (column + 1.3 * grid, row - 1.3 * grid)
                        colour = COLOURS[1] if marked else "white"
                        panel.add_patch(Rectangle(corner, 1, 1, facecolor=colour, edgecolor=LINE, linewidth=0.8))
            panel.set(xlim=(-0.1, 6.8), ylim=(5.2, -2.7), aspect="equal")
            panel.set_title(title, fontsize=9.5)
            panel.set_axis_off()
            panel.text(2, 4.25, "keys →", ha="center", va="top", fontsize=9.5)
    return figure
