"""Margins of many answers: a histogram for each way to ask, one scale for all, and what lies below 0."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure
from numpy import ndarray as Array

from attnlib.plots.style import COLOURS, MUTED, drawing

STEP = 0.5  # of the margins, a bar's width: 0 is an edge
PANEL, BESIDE = 0.85, 1.1  # inches: a panel's height, and of titles, axis and note together


def margins_page(
    margins: Mapping[str, Float[Array, " answers"]], *, title: str = "", provenance: str = "trained"
) -> Figure:
    """Histograms below each other, with a line at 0, the mean, and the share that lies below 0, which is coloured.

    All have the same axes, so that a high panel's answers lie close together.

    Args:
        margins: for each name the margins of its answers, (answers,).
        title: above the figure.
        provenance: where the numbers come from, for the note below.

    Returns:
        The figure, closed.

    >>> figure = margins_page({"whole": np.array([1.0, 2.0, 6.0]), "without": np.array([-2.0, 1.0, 3.0])})
    >>> [axes.get_title(loc="right") for axes in figure.axes]
    ['0 % below 0', '33 % below 0']
    """
    every = np.concatenate(list(margins.values()))
    edges = np.arange(np.floor(every.min()), np.ceil(every.max()) + 1.5 * STEP, STEP)
    shares = {name: np.histogram(values, edges)[0] / len(values) for name, values in margins.items()}
    top = 1.05 * max(share.max() for share in shares.values())
    with drawing(len(margins), height=PANEL * len(margins) + BESIDE) as (figure, panels):
        for axes, (name, share) in zip(panels, shares.items(), strict=True):
            for colour, side in ((COLOURS[1], edges[:-1] < 0), (COLOURS[0], edges[:-1] >= 0)):
                axes.stairs(np.where(side, share, 0), edges, fill=True, color=colour)
            axes.axvline(0, color="black", linewidth=1)
            axes.axvline(margins[name].mean(), color=MUTED, linewidth=1.2, linestyle="--")
            axes.set(xlim=(edges[0], edges[-1]), ylim=(0, top), yticks=[])
            axes.spines["left"].set_visible(False)
            axes.tick_params(labelsize=9, labelbottom=axes is panels[-1])
            axes.set_title(name, fontsize=10)
            lost = f"{(margins[name] < 0).mean():.0%}".replace("%", " %")
            axes.set_title(f"{lost} below 0", loc="right", fontsize=10, color=COLOURS[1])
        panels[-1].set_xlabel("margin", fontsize=10)
        figure.suptitle(title, x=0.01, ha="left")
        note = f"Dashed: the mean. Numbers: {provenance}."
        figure.supxlabel(note, x=0.01, ha="left", fontsize=10, color=MUTED)
    return figure
