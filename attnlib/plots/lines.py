"""Lines: experiments over x, and growth on logarithmic axes."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float, Real
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatter
from numpy import ndarray as Array

from attnlib.checks import as_array, forbid
from attnlib.plots.style import MUTED, drawing, look


def ranges(
    x: Sequence[float],
    runs: Mapping[str, Float[Array, "_runs points"]],
    *,
    x_label: str,
    y_label: str,
    title: str,
    levels: Mapping[str, float] | None = None,
    log_x: bool = False,
) -> Figure:
    """Several experiments over x: for each name the mean over its runs, and a band from the least to the greatest.

    Args:
        x: what is varied, (points,).
        runs: for each name one row per run (seed) and one column per entry of `x`, (runs, points).
        x_label, y_label: what the axes say.
        title: above the figure.
        levels: values to compare with: each is a thin line across, with its name at the right.
        log_x: whether the axis of `x` is logarithmic, with its entries written out where there is room.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when an array's columns do not match `x`, an entry or a level is not finite, or `log_x` meets an x
            that is not positive.

    >>> runs = {"loss": np.array([[1.0, 0.5], [0.9, 0.4]])}
    >>> ranges([0, 1], runs, x_label="step", y_label="loss", title="Two seeds").axes[0].get_xlabel()
    'step'
    """
    runs = _checked_runs(x, runs, -np.inf, "is {value}: every entry must be finite")
    if log_x:
        forbid("x", np.asarray(x), np.asarray(x) <= 0, "is {value}: a logarithmic axis needs it positive")
    levels = levels or {}
    for name, level in levels.items():
        if not np.isfinite(level):
            raise ValueError(f"the level {name!r} is {level}: it must be finite")
    with drawing() as (figure, [axes]):
        _draw_runs(axes, x, runs, np.mean, list(runs))
        for name, level in levels.items():
            axes.axhline(level, color=MUTED, linewidth=0.8, zorder=0)
            beside = axes.get_yaxis_transform()  # x as a share of the axes, y in data
            axes.text(1.01, level, name, transform=beside, va="center", fontsize=10, color=MUTED)
        axes.set(xlabel=x_label, ylabel=y_label, title=title)
        if log_x:
            _log_sizes(axes, x)
        if min(*levels.values(), *(values.min() for values in runs.values()), np.inf) >= 0:
            axes.set_ylim(bottom=0)
        figure.legend(loc="outside lower left", ncols=2, fontsize=10)  # inside it could cover a line
    return figure


def log_log(
    x: Sequence[float],
    runs: Mapping[str, Float[Array, "_runs points"]],
    *,
    x_label: str,
    y_label: str,
    title: str,
    fit_from: float | None = None,
    size: str = "n",
) -> Figure:
    """How a quantity grows with a size, on two logarithmic axes: medians over runs, bands, and exponents.

    The legend gives each name the `exponent` of its medians, and stands in the lines' order.

    Args:
        x: the sizes, (points,).
        runs: for each name one row per run and one column per entry of `x`, (runs, points).
        x_label, y_label: what the axes say.
        title: above the figure.
        fit_from: the least x that an exponent is fitted to; None means all, but small sizes measure the overhead.
        size: how the legend writes x.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when an array's columns do not match `x`, fewer than two x are left to fit, or an entry is not
            positive and finite.

    >>> runs = {"naive": np.array([[1.0, 4.0, 16.0]])}
    >>> figure = log_log([10, 20, 40], runs, x_label="tokens", y_label="seconds", title="Twice the size, four times")
    >>> figure.axes[0].get_legend_handles_labels()[1]
    ['naive, $n^{2.0}$']
    """
    runs = _checked_runs(x, runs, 0, "is {value}: a logarithmic axis needs it positive and finite")
    fitted = np.asarray(x) >= (0 if fit_from is None else fit_from)
    if fitted.sum() < 2:
        raise ValueError(f"{fitted.sum()} of the {len(x)} x reach fit_from = {fit_from}: a slope needs two or more")
    slopes = [exponent(np.asarray(x)[fitted], np.median(values, axis=0)[fitted]) for values in runs.values()]
    labels = [f"{name}, ${size}^{{{round(slope, 1) + 0.0}}}$" for name, slope in zip(runs, slopes, strict=True)]
    with drawing() as (figure, [axes]):
        lines = _draw_runs(axes, x, runs, np.median, labels)
        axes.set(yscale="log", xlabel=x_label, ylabel=y_label, title=title)
        _log_sizes(axes, x)
        axes.yaxis.set_major_formatter(_PlainLog())
        axes.yaxis.set_minor_formatter(_PlainLog())
        fitted_to = None if fit_from is None else f"exponents fitted from {_plain(fit_from)} on"
        in_order = sorted(lines, key=lambda line: -np.asarray(line.get_ydata())[-1])
        axes.legend(handles=in_order, title=fitted_to, alignment="left", title_fontsize=9)
    return figure


def exponent(x: Sequence[float] | Real[Array, " points"], y: Sequence[float] | Real[Array, " points"]) -> float:
    """The p of the y = c·xᵖ that fits best: the slope, by least squares, of log y over log x.

    Args:
        x: the sizes, two or more that differ, (points,).
        y: what was measured at each, (points,).

    Returns:
        The exponent p.

    Raises:
        ValueError: for lengths that differ, fewer than two different x, and entries that are not positive and finite.

    >>> round(exponent([1, 2, 4], [5.0, 20.0, 80.0]), 3)
    2.0
    """
    x, y = as_array("x", x).astype(float), as_array("y", y).astype(float)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"x has shape {x.shape} and y {y.shape}: they need one axis, and one y for each x")
    for name, array in {"x": x, "y": y}.items():
        forbid(name, array, ~(np.isfinite(array) & (array > 0)), "is {value}: a logarithm needs it positive and finite")
    if len(np.unique(x)) < 2:
        raise ValueError(f"a slope needs two different x or more, got {x.tolist()}")
    from_mean = np.log(x) - np.log(x).mean()
    return float(from_mean @ np.log(y) / (from_mean @ from_mean))


def _checked_runs(x: Sequence[float], runs: Mapping[str, Array], least: float, problem: str) -> dict[str, Array]:
    """The arrays, which must have a row, one column for each x, and finite entries above `least`."""
    runs = {name: as_array(f"runs[{name!r}]", values) for name, values in runs.items()}
    if not runs:
        raise ValueError("runs is empty: nothing to draw")
    for name, values in {"x": as_array("x", x)[None], **runs}.items():
        if values.ndim != 2 or not len(values) or values.shape[1] != len(x):
            raise ValueError(f"{name!r} has shape {values.shape}; it needs (runs, {len(x)}), one column for each x")
        forbid(repr(name), values, ~(np.isfinite(values) & (values > least)), problem)
    return runs


def _draw_runs(
    axes: Axes, x: Sequence[float], runs: Mapping[str, Array], middle: Callable[..., Array], labels: Sequence[str]
) -> list[Line2D]:
    """For each name a line through the middle of its runs, and a band from the least to the greatest."""
    lines: list[Line2D] = []
    every = max(1, len(x) // 12)  # a marker at each of 60 points would hide the line
    for i, (label, values) in enumerate(zip(labels, runs.values(), strict=True)):
        lines += axes.plot(x, middle(values, axis=0), label=label, markevery=every, **look(i))
        axes.fill_between(x, values.min(axis=0), values.max(axis=0), color=look(i)["color"], alpha=0.15, linewidth=0)
    return lines


def _log_sizes(axes: Axes, x: Sequence[float]) -> None:
    """A logarithmic axis on which the sizes `x` are written out where there is room."""
    axes.set_xscale("log")
    axes.set_xticks(_apart(x), [_plain(size) for size in _apart(x)])
    axes.set_xticks([], minor=True)


def _plain(value: float) -> str:
    """A number without powers of ten: 0.001, 4,096."""
    return f"{value:,.9f}".rstrip("0").rstrip(".")


class _PlainLog(LogFormatter):
    """Writes plainly what matplotlib chooses to write on a logarithmic axis: no minor ticks beyond one power of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return _plain(x) if super().__call__(x, pos) else ""


def _apart(x: Sequence[float]) -> list[float]:
    """Those of `x` whose labels do not touch on a logarithmic axis, from the largest down."""
    sizes = sorted(map(float, x), reverse=True)
    widest = max(len(_plain(size)) for size in sizes) + 1
    gap = np.ptp(np.log(sizes)) * widest / 45  # about 45 letters fit below the axis
    kept: list[float] = []
    for size in sizes:
        if not kept or np.log(kept[-1] / size) >= gap:
            kept.append(size)
    return kept[::-1]
