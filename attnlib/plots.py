"""The book's static figures: one look, shared with the widgets."""

import sys
from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from jaxtyping import Float
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy import ndarray as Array

# Distinct in lightness as well as hue (Okabe & Ito), so that they survive grey printing and colour blindness.
COLOURS = ("#0f5c97", "#a8480a", "#3b7a57", "#5b4a8a")
STYLE = {
    "figure.figsize": (6.4, 3.6),
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "font.size": 11,
    "svg.fonttype": "path",
    "svg.hashsalt": "attnlib",  # the same figure gives the same file
}

if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():  # in a notebook figures are sharp at any size
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")


def ranges(
    x: Sequence[float],
    runs: Mapping[str, Float[Array, "runs points"]],
    *,
    x_label: str,
    y_label: str,
    title: str,
) -> Figure:
    """Several experiments over `x`: for each name the mean over its runs, and a band from the least to the greatest.

    Each array has one row per run (seed) and one column per entry of `x`. The figure is closed, so that a
    notebook shows it once, as the cell's value.

    Raises ValueError when an array's columns do not match `x`, or an entry is not finite.

    >>> import numpy as np
    >>> runs = {"loss": np.array([[1.0, 0.5], [0.9, 0.4]])}
    >>> ranges([0, 1], runs, x_label="step", y_label="loss", title="Two seeds").axes[0].get_xlabel()
    'step'
    """
    for name, values in runs.items():
        if values.ndim != 2 or values.shape[1] != len(x):
            raise ValueError(f"{name!r} has shape {values.shape}; it needs (runs, {len(x)}), one column for each x")
        if not np.isfinite(values).all():
            raise ValueError(f"{name!r} has an entry that is not finite at {np.argwhere(~np.isfinite(values))[0]}")
    with matplotlib.rc_context(STYLE):
        figure, axes = plt.subplots()
        for marker, (name, values) in zip("os^D" * len(runs), runs.items(), strict=False):
            (line,) = axes.plot(x, values.mean(axis=0), marker=marker, label=name)
            axes.fill_between(
                x, values.min(axis=0), values.max(axis=0), color=line.get_color(), alpha=0.15, linewidth=0
            )
        axes.set(xlabel=x_label, ylabel=y_label, title=title, ylim=(0, None))
        axes.legend(frameon=False)
    plt.close(figure)
    return figure
