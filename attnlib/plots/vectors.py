"""Vectors in the plane."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Real
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy import ndarray as Array

from attnlib.checks import as_array, forbid
from attnlib.lab.geometry import convex_hull
from attnlib.plots.style import COLOURS, LINE, MUTED, STYLE, WEIGHT_1, WIDTH, drawing

TURNS = np.deg2rad([0, 30, -30, 60, -60, 90, -90, 130, -130])  # where a name may stand, from straight ahead


def plane(
    names: Sequence[str],
    vectors: Real[Array, "n 2"],
    *,
    outputs: Real[Array, "n 2"] | None = None,
    hull: bool = False,
    title: str = "",
) -> Figure:
    """Vectors in the plane as arrows from the origin, each with its name at its tip, in equal units on both axes.

    Args:
        names: one for each vector.
        vectors: rows, (n, 2).
        outputs: rows, (n, 2): each is a ring, and a dotted line leads to it from the tip of its vector.
        hull: whether the vectors' convex hull is filled, which no weighted average of them leaves.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when the names, the vectors and the outputs differ in number, or an entry is not finite.

    >>> [name.get_text() for name in plane(["a", "b"], np.eye(2)).axes[0].texts]
    ['a', 'b']
    """
    vectors = as_array("vectors", vectors)
    ends = np.zeros((len(names), 2)) if outputs is None else as_array("outputs", outputs)
    for label, points in {"vectors": vectors, "outputs": ends}.items():
        if points.shape != (len(names), 2) or not len(names):
            raise ValueError(f"{label} has shape {points.shape} for {len(names)} names: it needs one row of two each")
        forbid(label, points, ~np.isfinite(points), "is {value}: every coordinate must be finite")
    drawn = np.concatenate([np.zeros((1, 2)), vectors, ends])
    extent = np.ptp(drawn, axis=0)
    longer = extent.max() or 1
    reach = np.maximum(0.6 * extent, 0.3 * longer) + 0.05 * longer  # from the middle, with room for the names
    low, high = (drawn.min(axis=0) + extent / 2 + sign * reach for sign in (-1, 1))
    with drawing(height=float(min(1, reach[1] / reach[0]) * WIDTH)) as (figure, [axes]):
        axes.axhline(0, color=LINE, linewidth=0.8, zorder=0)
        axes.axvline(0, color=LINE, linewidth=0.8, zorder=0)
        if hull:
            corners = vectors[convex_hull(vectors)]
            axes.fill(*corners.T, facecolor=WEIGHT_1 + "33", edgecolor=WEIGHT_1, linewidth=1.5, label="convex hull")
        still = np.zeros_like(vectors)
        axes.quiver(*still.T, *vectors.T, angles="xy", scale_units="xy", scale=1, color=COLOURS[0], zorder=2)
        if outputs is not None:
            for trail in np.stack([vectors, ends], axis=1):  # (n, 2 ends, 2)
                axes.plot(*trail.T, ":", color=COLOURS[1], linewidth=1.4)
            axes.plot(*ends.T, "o", mfc="white", mec=COLOURS[1], mew=2, markersize=7, label="output")
        ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(min(low), max(high))
        axes.set(title=title, aspect="equal", xticks=ticks, yticks=ticks)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, labelsize=9, labelcolor=MUTED)
        if axes.get_legend_handles_labels()[0]:
            figure.legend(loc="outside lower left", ncols=3, fontsize=10)
        _write_names(figure, axes, names, vectors, ends)
    return figure


def _write_names(
    figure: Figure, axes: Axes, names: Sequence[str], vectors: Real[Array, "n 2"], outputs: Real[Array, "n 2"]
) -> None:
    """Each name ahead of its tip, or turned aside where it would cover an arrow, an output or another name."""
    figure.draw_without_rendering()  # settles the layout, and with it how long a unit is
    size = STYLE["font.size"]

    def in_points(places: Real[Array, "m 2"]) -> Float[Array, "m 2"]:
        return np.asarray(axes.transData.transform(places)) * 72 / figure.dpi

    taken = in_points(np.concatenate([*np.linspace(0 * vectors, vectors, 30), outputs]))
    box = np.stack(np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 3)), axis=-1).reshape(-1, 2)
    for name, vector, tip in zip(names, vectors, in_points(vectors), strict=True):
        half = np.array([0.31 * len(name), 0.55]) * size  # of the name's width and height, in points
        turned = np.arctan2(vector[1], vector[0]) + TURNS
        offsets = np.stack([np.cos(turned), np.sin(turned)], axis=1) * (half + 5)
        covered = [(np.abs(taken - tip - offset) < half + 2).all(axis=1).sum() for offset in offsets]
        offset = offsets[np.argmin(covered)]
        taken = np.concatenate([taken, tip + offset + box * half])
        axes.annotate(
            name, tuple(vector), offset, textcoords="offset points", ha="center", va="center",
            path_effects=[withStroke(linewidth=3, foreground="white")],
        )  # fmt: skip
