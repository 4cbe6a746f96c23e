"""Scaling on one page: why scores are divided by √d_k, what that mends, and what it rests on. Made to be printed."""

from typing import Literal

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy import ndarray as Array

from attnlib.lab.scaling import Saturation, draw_scores, saturation, score_variance
from attnlib.plots.style import COLOURS, LINE, MUTED, WIDTH, drawing
from attnlib.scaled_dot_product import softmax

PAGE = WIDTH * 2**0.5  # inches: the shape of a sheet of A4 paper
WIDTHS = tuple(4**power for power in range(7))  # d_k from 1 to 4096
KEYS, QUERIES, SHOWN = 16, 64, 64  # 16 keys, 64 queries, and the d_k of the bars
BROKEN = {  # what is broken: how Var(q·k) reads
    "none": ("nothing", "$d_k$"),
    "variance": ("variance 4", "$16\\,d_k$"),
    "mean": ("mean 1", "$3\\,d_k$"),
    "copies": ("both all equal", "$d_k^2$"),
    "sign": ("$k = q$ or $k = -q$", "$d_k^2 + 0.8\\,d_k$"),
    "unit": ("length 1", "$1/d_k$"),
}
ROWS = (1.05, 1.5, 1.25, 1.5, 2.0)  # heights, as shares


def scaling_page(seed: int = 1) -> Figure:
    """One sheet on scaling, computed from `draw_scores`: the sum, its spread, its softmax, its slopes, what may fail.

    The histograms are of d_k = 4 and 64; the bars are one query's weights at d_k = 64; the lines run up to 4096.

    Args:
        seed: of the draws.

    Returns:
        The figure, closed.

    >>> figure = scaling_page()
    >>> print(f"{figure.get_figheight() / figure.get_figwidth():.2f}", len(figure.axes))
    1.41 8
    """
    with drawing(len(ROWS), 2, PAGE) as (figure, panels):
        grid = panels[0].get_gridspec()
        assert grid is not None
        grid.set_height_ratios(ROWS)
        for axes in panels[:2] + panels[-2:]:
            axes.remove()
        _rule(figure.add_subplot(grid[0, :]))
        for column, scaled in enumerate((False, True)):
            _spread(panels[2 + column], seed, scaled=scaled)
            _one_row(panels[4 + column], seed, scaled=scaled)
        runs = {scaled: [_measures(d_k, seed, scaled=scaled) for d_k in WIDTHS] for scaled in (False, True)}
        _over_widths(panels[6], runs, "largest", "largest weight of a row", 1)
        _over_widths(panels[7], runs, "slope", "slope: norm of the Jacobian", 0.5)
        _table(figure.add_subplot(grid[-1, :]), seed)
        figure.suptitle("Scaling on one page", x=0.01, ha="left", fontsize=15)
    return figure


def _scores(d_k: int, seed: int, *, scaled: bool, broken: str = "none") -> Float[Array, "n_q n_k"]:
    scores: Array = draw_scores(QUERIES, KEYS, d_k, broken=broken, seed=seed) / (d_k**0.5 if scaled else 1)
    return scores


def _measures(d_k: int, seed: int, *, scaled: bool, broken: str = "none") -> Saturation:
    return saturation(_scores(d_k, seed, scaled=scaled, broken=broken))


def _bare(axes: Axes) -> None:
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")


def _rule(axes: Axes) -> None:
    """The formula, and in one line each where its root comes from and where it goes."""
    _bare(axes)
    axes.text(0, 0.82, r"$Y = \mathrm{softmax}\left(QK^{\top} / \sqrt{d_k}\right)V$", fontsize=13, va="center")
    lines = (
        r"$q \cdot k$ adds up $d_k$ uncorrelated products of variance 1: $\mathrm{Var}(q \cdot k) = d_k$.",
        r"Its spread is $\sqrt{d_k}$. Dividing by that gives spread 1 at every width.",
        "Divide scores, before the softmax: not weights, not values.",
    )
    for height, line in zip((0.5, 0.26, 0.02), lines, strict=True):
        axes.text(0, height, line, fontsize=9.5, va="center")


def _spread(axes: Axes, seed: int, *, scaled: bool) -> None:
    """How the scores of a narrow and of a wide query spread."""
    edges = np.linspace(-24, 24, 49) / (6 if scaled else 1)
    for d_k, colour, dashes in ((4, COLOURS[0], "-"), (64, COLOURS[1], "--")):
        density, _ = np.histogram(_scores(d_k, seed, scaled=scaled), edges, density=True)
        axes.stairs(density, edges, color=colour, linestyle=dashes, label=f"$d_k = {d_k}$", linewidth=1.5)
    axes.set_title(r"scores ÷ $\sqrt{d_k}$: alike" if scaled else r"scores: as wide as $\sqrt{d_k}$", fontsize=10)
    axes.legend(fontsize=8.5, loc="upper left", handlelength=1.2, borderpad=0, bbox_to_anchor=(-0.02, 1.02))
    _quiet(axes)


def _one_row(axes: Axes, seed: int, *, scaled: bool) -> None:
    """What one query gives to each key."""
    weights = softmax(_scores(SHOWN, seed, scaled=scaled))[0]
    axes.bar(range(KEYS), weights, color=COLOURS[0] if scaled else COLOURS[1])
    axes.set(ylim=(0, 1), yticks=(0, 0.5, 1), xlabel="key")
    axes.xaxis.label.set_fontsize(9)
    axes.set_title(f"{'scaled' if scaled else 'not scaled'}: one row, $d_k = {SHOWN}$", fontsize=10)
    axes.set_xticks([])
    axes.tick_params(labelsize=8.5)


def _over_widths(axes: Axes, runs: dict[bool, list[Saturation]], which: str, title: str, top: float) -> None:
    """One measure of `saturation` over d_k, scaled and not."""
    for scaled, marker, colour in ((False, "s", COLOURS[1]), (True, "o", COLOURS[0])):
        name = r"÷ $\sqrt{d_k}$" if scaled else "not scaled"
        axes.plot(
            WIDTHS,
            [getattr(run, which) for run in runs[scaled]],
            marker=marker,
            color=colour,
            label=name,
            markersize=4,
            linewidth=1.5,
        )
    axes.set(xscale="log", ylim=(0, top * 1.08), yticks=(0, top / 2, top))
    axes.set_xticks([1, 16, 256, 4096], ["1", "16", "256", "4096"])
    axes.set_xticks([], minor=True)
    free: Literal["center right", "lower left"] = "center right" if which == "largest" else "lower left"  # of lines
    axes.legend(fontsize=8, loc=free, handlelength=0.8, handletextpad=0.4, borderpad=0.1)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("$d_k$", fontsize=9)
    axes.tick_params(labelsize=8.5)


def _table(axes: Axes, seed: int) -> None:
    """Each assumption broken: the variance before and after the division, and the largest weight that is left."""
    _bare(axes)
    columns = (0, 0.34, 0.74, 1)
    heads = ("broken", r"$\mathrm{Var}(q \cdot k)$", f"divided, $d_k = {SHOWN}$", "largest weight")
    sides = ("left", "left", "right", "right")
    heights = np.linspace(0.95, 0.16, len(BROKEN) + 1)
    cells = [heads]
    for broken, (name, formula) in BROKEN.items():
        left = score_variance(SHOWN, broken=broken) / SHOWN
        largest = _measures(SHOWN, seed, scaled=True, broken=broken).largest
        cells.append((name, formula, f"{left:.3g}" if left > 0.001 else f"{left:.4f}", f"{largest:.2f}"))
    for row, (height, line) in enumerate(zip(heights, cells, strict=True)):
        for place, side, cell in zip(columns, sides, line, strict=True):
            axes.text(place, height, cell, ha=side, va="center", fontsize=9.5, color="black" if row else MUTED)
    axes.plot([0, 1], [heights[:2].mean()] * 2, color=LINE, linewidth=1)
    note = f"Uniform components; {QUERIES} queries, {KEYS} keys; all alike: {1 / KEYS:.2f} each."
    axes.text(0, 0.0, note, fontsize=8.5, color=MUTED, va="bottom")


def _quiet(axes: Axes) -> None:
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.tick_params(labelsize=8.5)
