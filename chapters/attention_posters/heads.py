"""Multi-head attention on one page: every array as a rectangle of its size, with its shape."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from attnlib.checks import as_integer
from attnlib.plots.style import COLOURS, LINE, MUTED, WEIGHT_0, WIDTH, drawing

SAYS, SMALL = 11.0, 9.0  # points
EDGE, APART = 0.05, 0.1  # inches: at the page's sides, and between two heads' blocks
HEAD, FOOT = 0.54, 0.46  # inches: above and below what is drawn in a step


def multi_head_shapes(n: int, d: int, num_heads: int, d_k: int, d_v: int, *, title: str = "") -> Figure:
    """Causal multi-head attention from X to Y in six steps: what is done, by which code, and every array's shape.

    Arrays are drawn to scale, with a cell for each number; what belongs to one head has its colour.

    Args:
        n: how many tokens.
        d: the width of X and Y.
        num_heads: how many heads.
        d_k, d_v: the width of one head's queries and keys, and of its values.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: for a size below 1, for more heads than colours, and for sizes too large for the page.

    >>> figure = multi_head_shapes(5, 7, 3, 4, 2)
    >>> [text.get_text() for text in figure.axes[0].texts if "split" in text.get_text()]
    ['2  split: each head gets its own columns']
    """
    h, sizes = as_integer("num_heads", num_heads, 1, len(COLOURS)), (n, d, num_heads, d_k, d_v)
    for name, size in zip(("n", "d", "d_k", "d_v"), (n, d, d_k, d_v), strict=True):
        as_integer(name, size, 1)
    widest = max(d + 2 * h * d_k, h * (2 * d_k + d_v), h * n, h * d_v + 2 * d)
    cell = min(0.14, (WIDTH - 2 * EDGE - 1.4) / widest)
    if cell < 0.06:
        raise ValueError(f"{sizes} does not fit on the page: a cell would be {max(cell, 0):.2f} inches wide")
    rows = [max(n, d), n, n, n, n, max(n, h * d_v)]
    height = sum(rows) * cell + len(rows) * (HEAD + FOOT)
    with drawing(height=height + 0.35 * bool(title)) as (figure, [axes]):
        page = _Page(axes, cell, h)
        page.step(
            "1  project: the rows of X, times a matrix",
            f"q = x @ w_q        # the same with w_k, and w_v ({d} × {h * d_v})",
        )
        page.equation([("X", n, d, ""), ("$W_Q$", d, d_k, "columns"), ("Q", n, d_k, "columns")])
        page.step(
            "2  split: each head gets its own columns", "q = q.reshape(n, h, d_k).swapaxes(0, 1)        # and k, v"
        )
        page.apart([("Q", n, d_k), ("K", n, d_k), ("V", n, d_v)])
        page.step("3  compare: a grid of weights for each head", "weights = softmax(mask(q @ k.mT / sqrt(d_k)))")
        page.apart([("weights", n, n)], causal=True)
        page.step("4  blend: each head its own values", "heads = weights @ v")
        page.apart([("heads", n, d_v)])
        page.step("5  merge: the heads side by side again", "merged = heads.swapaxes(0, 1).reshape(n, h * d_v)")
        page.equation([("merged", n, d_v, "columns")])
        page.step("6  mix: each head writes to every column", "y = merged @ w_o")
        page.equation([("merged", n, d_v, "columns"), ("$W_O$", d_v, d, "rows"), ("Y", n, d, "")])
        axes.set(xlim=(0, WIDTH), ylim=(-height, 0), title=title)
        axes.axis("off")
    return figure


class _Page:
    """Steps drawn from the top down, in inches; `top` is where the next one begins."""

    def __init__(self, axes: Axes, cell: float, heads: int) -> None:
        self.axes, self.cell, self.heads, self.top = axes, cell, heads, 0.0

    def step(self, says: str, code: str) -> None:
        self.axes.text(EDGE, self.top - 0.14, says, va="center", fontsize=SAYS)
        self.axes.text(EDGE + 0.2, self.top - 0.35, code, va="center", family="monospace", color=MUTED, fontsize=SMALL)
        self.top -= HEAD

    def apart(self, arrays: list[tuple[str, int, int]], *, causal: bool = False) -> None:
        """Arrays of shape heads × rows × columns beside each other, one block for each head."""
        h = self.heads
        wides = [h * columns * self.cell + (h - 1) * APART for _, _, columns in arrays]
        for left, wide, (name, rows, columns) in zip(self._spread(wides), wides, arrays, strict=True):
            for a in range(h):
                self._block(left + a * (columns * self.cell + APART), 0, rows, columns, COLOURS[a], causal=causal)
            self._label(left + wide / 2, rows, f"{name}   {h} × {rows} × {columns}")
        self.top -= arrays[0][1] * self.cell + FOOT

    def equation(self, arrays: list[tuple[str, int, int, str]]) -> None:
        """A · B = C, or one array. Rows and columns are one head's where the heads stand side by side or below each other."""
        shapes = [
            (rows * (self.heads if heads == "rows" else 1), columns * (self.heads if heads == "columns" else 1))
            for _, rows, columns, heads in arrays
        ]
        lefts = self._spread([columns * self.cell for _, columns in shapes])
        tallest = max(rows for rows, _ in shapes)
        for left, (name, rows, columns, heads), (m, k) in zip(lefts, arrays, shapes, strict=True):
            for a in range(self.heads if heads else 1):
                right, down = (a * columns, 0) if heads == "columns" else (0, a * rows)
                self._block(left + right * self.cell, down, rows, columns, COLOURS[a] if heads else "")
            self._label(left + k * self.cell / 2, tallest, f"{name}   {m} × {k}")
        between = lefts[0]  # as wide as the page's margin
        for sign, left in zip("·=", lefts[1:], strict=False):
            middle = self.top - arrays[0][1] * self.cell / 2
            self.axes.text(left - between / 2, middle, sign, ha="center", va="center", fontsize=14)
        self.top -= tallest * self.cell + FOOT

    def _spread(self, wides: list[float]) -> list[float]:
        """Where arrays of these widths begin, with equal spaces between them and at both sides."""
        space = (WIDTH - sum(wides)) / (len(wides) + 1)
        return [space + sum(wides[:i]) + i * space for i in range(len(wides))]

    def _block(self, left: float, down: int, rows: int, columns: int, colour: str, *, causal: bool = False) -> None:
        """Cells of one colour, or grey without one; `causal` leaves those above the diagonal white."""
        cell, edge = self.cell, colour or LINE
        for i in range(rows if causal else 1):
            wide, tall = (min(i + 1, columns), 1) if causal else (columns, rows)
            corner = (left, self.top - (down + i + tall) * cell)
            fill = f"{colour}40" if colour else WEIGHT_0
            self.axes.add_patch(Rectangle(corner, wide * cell, tall * cell, fc=fill, lw=0))
        across = [[(0, i), (columns, i)] for i in range(rows + 1)]
        along = [[(j, 0), (j, rows)] for j in range(columns + 1)]
        ends = np.array([*across, *along], dtype=float).reshape(-1, 2) * cell * [1, -1]
        codes = [Path.MOVETO, Path.LINETO] * (rows + columns + 2)
        lines = Path(ends + np.array([left, self.top - down * cell]), codes)
        self.axes.add_patch(PathPatch(lines, fc="none", ec=edge, lw=0.7))

    def _label(self, middle: float, rows: int, text: str) -> None:
        self.axes.text(middle, self.top - rows * self.cell - 0.16, text, ha="center", va="center", fontsize=SMALL)
