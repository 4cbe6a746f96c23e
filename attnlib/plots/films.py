"""Training against writing, step by step, and a chunk of new queries on a cache: which scores are computed, and when."""

import numpy as np
from jaxtyping import Bool
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy import ndarray as Array

from attnlib.checks import as_integer
from attnlib.masks import causal_mask
from attnlib.plots.grid import draw_grid
from attnlib.plots.style import COLOURS, MUTED, WEIGHT_0, WEIGHT_1, WIDTH, drawing

KINDS = ListedColormap(["white", WEIGHT_0, WEIGHT_1, COLOURS[0]])  # blocked or not there yet, later, of before, new


def training_and_writing(n: int = 5, *, title: str = "") -> Figure:
    """Which scores of n tokens are computed when: in training at once, in writing again and again, or with a cache.

    One row of frames for each, and a frame for each step. Under a frame stand the rows and the scores that have been
    computed so far. Scores that the mask hides are not counted.

    Args:
        n: how many tokens there are, 2 to 6.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: for n outside 2 to 6.
        TypeError: for what is no integer.

    >>> [axes.get_xlabel() for axes in training_and_writing(2).axes if axes.get_xlabel()]  # training, again, cached
    ['2 rows\\n3 scores', '1 row\\n1 score', '3 rows\\n4 scores', '1 row\\n1 score', '2 rows\\n3 scores']
    """
    n = as_integer("n", n, 2, 6)
    causal = causal_mask(n)
    steps = [np.arange(n)[:, None] < t for t in range(n + 1)]  # the rows there are after each
    films = {
        "training": [(causal, causal & False)],
        "writing, again": [(causal & steps[t], causal & False) for t in range(1, n + 1)],
        "writing, cache": [(causal & steps[t] & ~steps[t - 1], causal & steps[t - 1]) for t in range(1, n + 1)],
    }
    side = min(1.0, WIDTH / n - 0.1)
    with drawing(3, n, 3 * side + 2.3 + 0.3 * bool(title)) as (figure, panels):
        for k, (name, frames) in enumerate(films.items()):
            rows = scores = 0
            for axes, (new, old) in zip(panels[k * n :], frames, strict=False):
                rows, scores = rows + int(new.any(axis=1).sum()), scores + int(new.sum())
                _frame(axes, 3 * new + 2 * old)
                axes.set_xlabel(f"{_count(rows, 'row')}\n{_count(scores, 'score')}", fontsize=9.5)
            panels[k * n].set_ylabel(name, fontsize=10)
            for axes in panels[k * n + len(frames) : (k + 1) * n]:
                axes.remove()
        for t in range(n):
            panels[n + t].set_title(f"step {t + 1}", fontsize=10, loc="center")
        panels[0].set_title("one pass", fontsize=10, loc="center")
        figure.suptitle(title, x=0.01, ha="left")
        note = (
            "Dark: computed in this step. Light: of an earlier step.\nBelow: the rows and the scores computed so far."
        )
        figure.supxlabel(note, x=0.01, ha="left", fontsize=10, color=MUTED)
    return figure


def chunk(new: int = 3, cached: int = 10, *, title: str = "") -> Figure:
    """The mask of a chunk of new queries on a cache, and below it the one that counts from the wrong corner.

    Args:
        new: how many queries come, 1 to 6.
        cached: how many keys are in the cache, 1 to 14.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: for counts out of range.
        TypeError: for what is no integer.

    >>> [axes.get_title(loc="left") for axes in chunk(3, 10).axes]
    ['right: j ≤ i + 10', 'wrong corner: j ≤ i']
    """
    new, cached = as_integer("new", new, 1, 6), as_integer("cached", cached, 1, 14)
    keys = [str(j) for j in range(cached + new)]
    masks: dict[str, Bool[Array, "new n"]] = {
        f"right: j ≤ i + {cached}": causal_mask(new, len(keys), offset=cached),
        "wrong corner: j ≤ i": causal_mask(new, len(keys)),
    }
    with drawing(2, 1, 1.4 + 0.5 * new + 0.3 * bool(title)) as (figure, panels):
        for axes, (name, mask) in zip(panels, masks.items(), strict=True):
            draw_grid(axes, keys[:new], mask.astype(float), mask, keys=keys, numbers=False)
            axes.set_title(name, fontsize=10)
            axes.tick_params(labelsize=9)
            axes.vlines(range(len(keys)), 0, new, color="white", linewidth=1.5)
            axes.hlines(range(new), 0, len(keys), color="white", linewidth=1.5)
            axes.axvline(cached, color=COLOURS[1], linewidth=2)  # the cache ends
        figure.suptitle(title, x=0.01, ha="left")
        note = "Query i (row) reads from key j (column), each counted from 0.\nLeft of the line: keys in the cache."
        figure.supxlabel(note, x=0.01, ha="left", fontsize=10, color=MUTED)
    return figure


def _frame(axes: Axes, kinds: Array) -> None:
    """Squares of scores, of which those below the diagonal may ever be computed."""
    later = np.tri(len(kinds)) * (kinds == 0)
    axes.pcolormesh(kinds + later, cmap=KINDS, vmin=0, vmax=3, edgecolor="white", linewidth=1.5)
    axes.set(xlim=(0, len(kinds)), ylim=(len(kinds), 0), aspect="equal", frame_on=False, xticks=[], yticks=[])


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
