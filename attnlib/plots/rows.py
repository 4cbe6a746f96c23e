"""Numbers beside each other on one axis, in place of a table that would be read digit by digit."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Real
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy import ndarray as Array

from attnlib.plots.style import LINE, MUTED, drawing, look

ROW, AROUND = 0.36, 0.95  # inches: of a row, and of the title and axis
SIZE = 9.5  # points: of the numbers and of the levels' names


def dots(
    rows: Mapping[str, Mapping[str, float | Sequence[float] | Real[Array, " _values"]]],
    *,
    x_label: str,
    title: str,
    digits: int = 2,
    levels: Mapping[str, float] | None = None,
) -> Figure:
    """A row for each name, and in it a dot for each value, with its number above it.

    Args:
        rows: from the top, for each row its series, and for each series a value, or several of the same kind, such as
            one for each draw. A series has one look in all rows; a row may lack it. With one series alone there is no
            legend.
        x_label: what the values are.
        title: above the figure.
        digits: after the point, for the numbers above the dots. Of several values the least and the greatest have one.
        levels: values to compare with, each a line from top to bottom with its name above the rows.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when there is no row, a row is empty, or a value is not finite.

    >>> figure = dots({"one": {"": 0.5}, "two": {"": [0.1, 0.3]}}, x_label="weight", title="Two rows")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.50', '0.10', '0.30']
    """
    values = {name: {series: np.ravel(found) for series, found in row.items()} for name, row in rows.items()}
    for name, row in values.items():
        for series, found in row.items():
            if not np.isfinite(found).all() or not found.size:
                raise ValueError(f"rows[{name!r}][{series!r}] is {found.tolist()}: every row needs finite values")
    if not values or not all(values.values()):
        raise ValueError("rows is empty, or one of them is: nothing to draw")
    kinds = list(dict.fromkeys(series for row in values.values() for series in row))
    levels = levels or {}
    top = 0.8 + 0.6 * bool(levels)  # rows of room above the first
    with drawing(height=AROUND + ROW * (len(values) + top - 0.8) + (0.3 if len(kinds) > 1 else 0)) as (figure, [axes]):
        for name, level in levels.items():
            axes.plot([level, level], [len(values) - 0.5, 0.65 - top], "--", color=MUTED, linewidth=0.8, zorder=0)
            axes.annotate(name, (level, 0.15 - top), ha="center", va="top", fontsize=SIZE, color=MUTED)
        for i, row in enumerate(values.values()):
            axes.axhline(i, color=LINE, linewidth=0.8, zorder=0)
            for series, found in row.items():
                style = look(kinds.index(series))
                axes.plot(found, np.full(len(found), i), linestyle="", markersize=7, label=series, **style)
        axes.set_yticks(range(len(values)), list(values))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set(xlabel=x_label, ylim=(len(values) - 0.5, -top))
        figure.suptitle(title, x=0.01, ha="left")  # above the rows' names, too
        axes.margins(x=0.12)
        axes.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))
        if min(found.min() for row in values.values() for found in row.values()) >= 0:
            axes.update_datalim([(0, 0)])  # a length that is compared begins at 0
            axes.autoscale_view(scaley=False)
        if len(kinds) > 1:
            handles, names = axes.get_legend_handles_labels()
            shown = dict(zip(names, handles, strict=True))  # each once
            figure.legend(shown.values(), shown, loc="outside lower left", ncols=4, fontsize=10)
        figure.draw_without_rendering()  # settles the layout, and with it how long a unit is
        for i, row in enumerate(values.values()):
            for series, found in row.items():
                _write_ends(axes, found, i, digits, look(kinds.index(series))["color"])
    return figure


def _write_ends(axes: Axes, found: Real[Array, " values"], row: int, digits: int, color: str) -> None:
    """The least and the greatest value, each above its dot; in one where they are near each other, or the same."""
    ends = np.array([found.min(), found.max()])
    texts = list(dict.fromkeys(f"{end:.{digits}f}" for end in ends))
    left, right = axes.transData.transform([(end, row) for end in ends])[:, 0] * 72 / axes.figure.dpi  # points
    apart = len(texts) == 2 and right - left > 0.7 * SIZE * max(map(len, texts))
    places = dict(zip(texts, ends, strict=True)) if apart else {" to ".join(texts): ends.mean()}
    for text, x in places.items():
        axes.annotate(text, (x, row), (0, 6), textcoords="offset points", ha="center", fontsize=SIZE, color=color)
