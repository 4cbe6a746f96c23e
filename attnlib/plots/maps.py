"""Maps of what came of trainings: how many answers were right, over learning rates and sizes."""

import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure
from numpy import ndarray as Array

from attnlib.checks import as_array, forbid
from attnlib.plots.style import COLOURS, MUTED, SHADES, drawing


def rate_maps(
    rates: Sequence[float],
    widths: Sequence[int],
    right: Mapping[str, Float[Array, "widths rates seeds"]],
    *,
    title: str = "",
    x_label: str = "learning rate",
    enough: float = 0.9,
) -> Figure:
    """Shares of right answers over learning rates (columns) and widths (rows): one panel below another for each way.

    A cell's shade is the share of its worst seed, and a dot marks the cells where every seed reaches `enough`.

    Args:
        rates: learning rates, each above 0, in rising order, (rates,).
        widths: sizes d_k, from the top row down, (widths,).
        right: for each name shares from 0 to 1, (widths, rates, seeds).
        title: above the figure.
        x_label: what the columns are.
        enough: the share that earns a dot.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when there is no panel, its shape does not fit the rates and widths, or a share or rate lies outside
            its bounds.

    >>> figure = rate_maps([0.5, 1], [4], {"plain": np.array([[[0.2, 0.3], [0.9, 1.0]]])})
    >>> figure.axes[0].get_title(loc="left"), len(figure.axes[0].lines[0].get_xdata())
    ('plain', 1)
    """
    if not right:
        raise ValueError("right is empty: nothing to draw")
    steps = as_array("rates", rates)
    forbid("rates", steps, ~((steps > 0) & (steps < np.inf)), "is {value}: a learning rate is positive and finite")
    checked = {name: _checked_shares(name, shares, len(widths), len(rates)) for name, shares in right.items()}
    some = range(len(rates) - 1, -1, -max(1, len(rates) // 8))  # labels that do not touch, the greatest among them
    with drawing(len(right), 1, 0.9 + len(right) * (0.35 + 0.25 * len(widths))) as (figure, panels):
        for axes, (name, shares) in zip(panels, checked.items(), strict=True):
            worst = shares.min(axis=-1)
            image = axes.imshow(worst, cmap=SHADES, vmin=0, vmax=1, aspect="auto", interpolation="none")
            down, along = np.nonzero(worst >= enough)
            axes.plot(along, down, "o", markersize=5.5, markerfacecolor="white", markeredgecolor=COLOURS[0])
            axes.set(title=name, frame_on=False)
            axes.title.set_fontsize(10)
            axes.set_yticks(range(len(widths)), [f"{width:,}" for width in widths])
            axes.set_xticks(some, [str(Fraction(float(steps[j])).limit_denominator(10**5)) for j in some])
            axes.tick_params(length=0, labelsize=9, labelbottom=axes is panels[-1])
        figure.suptitle(title, x=0.01, ha="left")
        figure.supylabel("$d_k$", fontsize=10)
        panels[-1].set_xlabel(x_label, fontsize=10)
        note = f"Shade: share right, worst seed. Dot: {enough:g} or more in all seeds."
        figure.supxlabel(textwrap.fill(note, 70), x=0.01, ha="left", fontsize=10, color=MUTED)
        bar = figure.colorbar(image, ax=panels, aspect=30, pad=0.03)
        bar.ax.tick_params(labelsize=9)
        bar.outline.set_visible(False)
    return figure


def _checked_shares(name: str, shares: Array, widths: int, rates: int) -> Array:
    """Shares from 0 to 1 of one seed or more, for each width and rate."""
    shares = as_array(f"right[{name!r}]", shares)
    if shares.ndim != 3 or shares.shape[:2] != (widths, rates) or not shares.size:
        raise ValueError(f"{name!r} has shape {shares.shape}, not ({widths}, {rates}, seeds): widths × rates × seeds")
    forbid(repr(name), shares, ~((shares >= 0) & (shares <= 1)), "is {value}: a share lies between 0 and 1")
    return shares
