"""What every figure shares: colours, letters, and an empty figure that is none of pyplot's, so that it needs no window."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib import rcsetup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attnlib.plots.colours import even_scale

# After Okabe & Ito. Markers and dashes go with them, so that lines survive grey printing and colour blindness.
COLOURS = ("#0f5c97", "#a8480a", "#3b7a57", "#5b4a8a")
MARKERS, DASHES = "os^D", ("-", "--", "-.", ":")
WIDTH, HEIGHT = 5.2, 3.3  # inches: its letters stay readable on a phone
STYLE: dict[Any, Any] = {
    "figure.figsize": (WIDTH, HEIGHT),
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": rcsetup.cycler("color", COLOURS),
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "figure.titlesize": "medium",
    "font.size": 11.5,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "attnlib",  # the same figure gives the same file
}

# As in the widgets (ui.css): the shades of weight 0 and of weight 1, light lines, and what is said in passing.
WEIGHT_0, WEIGHT_1 = "#f1f1ee", "#6aa5d8"
WEIGHTS = even_scale(WEIGHT_0, WEIGHT_1, "attention weight")
SHADES = even_scale(
    WEIGHT_0, COLOURS[0], "attention weight without a number"
)  # which could not be read on the dark end
LINE, MUTED = "#c9c6bf", "#57606a"

if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():  # in a notebook figures are sharp at any size
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    by = {"Date": None, "Creator": "attnlib.plots, with Matplotlib"}  # by its name ui.css finds it, to turn it dark
    set_matplotlib_formats("svg", metadata=by)  # type: ignore[no-untyped-call]
    matplotlib.rcParams["svg.hashsalt"] = STYLE["svg.hashsalt"]  # read when the notebook saves the figure


@contextmanager
def drawing(rows: int = 1, columns: int = 1, height: float = HEIGHT) -> Iterator[tuple[Figure, list[Axes]]]:
    """An empty figure in the book's style, and its panels row by row.

    >>> with drawing(2, 3) as (figure, panels):
    ...     len(panels)
    6
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height))
        yield figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def look(i: int) -> dict[str, Any]:
    """Colour and marker of line `i`: the first four differ in each, the first sixteen in both together.

    >>> look(0)
    {'color': '#0f5c97', 'marker': 'o'}
    """
    return {"color": COLOURS[i % 4], "marker": MARKERS[(i + i // 4) % 4]}
