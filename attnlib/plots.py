"""The book's static figures: one look, shared with the widgets."""

import sys
from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from jaxtyping import Bool, Float
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy import ndarray as Array

# Distinct in lightness as well as hue (Okabe & Ito), so that they survive grey printing and colour blindness.
COLOURS = ("#0f5c97", "#a8480a", "#3b7a57", "#5b4a8a")
STYLE = {
    "figure.figsize": (5.2, 3.3),  # inches: its letters stay readable on a phone
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "font.size": 11.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "attnlib",  # the same figure gives the same file
}

# The scale of weights, as in the widgets (theme.css): from the shade of 0 to that of 1, in even steps of OKLab.
WEIGHT_0, WEIGHT_1 = "#f1f1ee", "#6aa5d8"
_TO_LMS = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                    [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
_TO_LAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip


def oklab(colours: Float[Array, "n 3"]) -> Float[Array, "n 3"]:
    """Lightness, green–red and blue–yellow of sRGB colours with entries from 0 to 1 (Björn Ottosson, 2020)."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T


def _from_oklab(lab: Float[Array, "n 3"]) -> Float[Array, "n 3"]:
    linear = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * np.abs(linear) ** (1 / 2.4) - 0.055).clip(0, 1)


def _weight_map() -> matplotlib.colors.ListedColormap:
    ends = oklab(np.array([matplotlib.colors.to_rgb(colour) for colour in (WEIGHT_0, WEIGHT_1)]))
    return matplotlib.colors.ListedColormap(_from_oklab(np.linspace(*ends, 256)), name="attention weight")


WEIGHTS = _weight_map()

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


def draw_grid(
    axes: Axes,
    tokens: Sequence[str],
    weights: Float[Array, "n_q n_k"],
    mask: Bool[Array, "n_q n_k"] | None = None,
    *,
    keys: Sequence[str] = (),
) -> None:
    """Draw weights into `axes` as the widgets do: query (row) reads from key (column), every cell with its number.

    Where `mask` is False the cell is hatched. `keys` names the columns where they are not the rows' tokens.

    Raises ValueError when the names or the mask do not fit the sizes, or a weight is not between 0 and 1.

    >>> draw_grid(plt.figure().add_subplot(), ["a", "b"], np.eye(2))
    """
    keys = keys or tokens
    if weights.shape != (len(tokens), len(keys)):
        raise ValueError(f"weights has shape {weights.shape} for {len(tokens)} query tokens and {len(keys)} key tokens")
    if mask is not None and mask.shape != weights.shape:
        raise ValueError(f"mask has shape {mask.shape}, the weights have shape {weights.shape}")
    if bad := [(int(i), int(j)) for i, j in np.argwhere(~((weights >= 0) & (weights <= 1)))]:
        raise ValueError(f"weights{list(bad[0])} is {weights[bad[0]]}: a weight lies between 0 and 1")
    axes.pcolormesh(weights, cmap=WEIGHTS, vmin=0, vmax=1, edgecolor="white", linewidth=3)
    for (i, j), weight in np.ndenumerate(weights):
        blocked = mask is not None and not mask[i, j]
        if blocked:
            axes.add_patch(Rectangle((j, i), 1, 1, facecolor="white", edgecolor="#c9c6bf", hatch="////", linewidth=0))
        axes.text(j + 0.5, i + 0.5, "–" if blocked else f"{weight:.2f}", ha="center", va="center")
    axes.set(xticks=np.arange(len(keys)) + 0.5, yticks=np.arange(len(tokens)) + 0.5, frame_on=False)
    axes.set_xticklabels(keys)
    axes.set_yticklabels(tokens)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.invert_yaxis()
