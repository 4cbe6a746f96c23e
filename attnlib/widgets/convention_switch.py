"""ConventionSwitch: tokens as rows or tokens as columns, and every formula as its own mirror image."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import InputError
from attnlib.formatting import text
from attnlib.multihead import merge_heads
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_scores, softmax
from attnlib.widgets.base import PageWidget
from attnlib.widgets.tables import table

LARGEST, NUM_HEADS = 8, 3
SIZES = ("n", "n_z", "d", "d_k", "d_v")
SYMBOLS = ("X", "W_Q", "Q", "K", "S", "V", "Y", "W_O", "b")  # each takes its numbers from its own place
# What each formula says for rows and for columns, with the shapes behind the words.
FORMULAS = {
    "projection": ("Q = X W_Q", "n×d_k = (n×d)(d×d_k)", "Q = W_q X", "d_k×n = (d_k×d)(d×n)"),
    "scores": ("S = Q Kᵀ / √d_k", "n×n_z = (n×d_k)(d_k×n_z)", "S = Kᵀ Q / √d_k", "n_z×n = (n_z×d_k)(d_k×n)"),
    "weights": ("A = softmax(S)", "n×n_z, each row adds up to 1", "A = softmax(S)", "n_z×n, each column adds up to 1"),
    "output": ("Y = A V", "n×d_v = (n×n_z)(n_z×d_v)", "Y = V A", "d_v×n = (d_v×n_z)(n_z×n)"),
    "several heads": (
        "O = Concat(Y_1, Y_2, Y_3) W_O",
        "n×d = (n×3d_v)(3d_v×d)",
        "O = W_o Concat(Y_1, Y_2, Y_3)",
        "d×n = (d×3d_v)(3d_v×n)",
    ),
    "bias": (
        "Q = X W_Q + 1 bᵀ",
        "n×d_k = (n×d)(d×d_k) + (n×1)(1×d_k)",
        "Q = W_q X + b 1ᵀ",
        "d_k×n = (d_k×d)(d×n) + (d_k×1)(1×n)",
    ),
}


class ConventionSwitch(PageWidget):
    """A formula of attention, to flip between tokens as rows and tokens as columns.

    The surprise: every formula flips into its mirror image, with the order reversed and every matrix
    transposed, and the numbers stay the same.

    `formula` is one of projection, scores, weights, output, several heads (three of them) and bias;
    `convention` is "rows" (X W_Q, softmax over the last axis) or "columns" (W_q X, softmax over axis
    0). `n`, `n_z`, `d`, `d_k` and `d_v` lie between 1 and 8. The matrices are filled from `numbers`,
    which are used again where they do not suffice. All are synced.

    Raises ValueError (`InputError`) for a size outside 1 … 8, and for numbers that are none or not finite.

    >>> switch = ConventionSwitch(formula="output")
    >>> switch.row_result.shape, switch.column_result.shape
    ((3, 2), (2, 3))
    >>> bool(switch.difference < 1e-12)
    True
    """

    _alive = "flip each formula between rows and columns, and change the sizes"
    title = traitlets.Unicode("Rows or columns").tag(sync=True)
    provenance = traitlets.Unicode("random").tag(sync=True)
    formula = traitlets.Enum(list(FORMULAS), "projection").tag(sync=True, link=True)
    convention = traitlets.Enum(["rows", "columns"], "rows").tag(sync=True, link=True)
    n = traitlets.Int(3).tag(sync=True, link=True)
    n_z = traitlets.Int(5).tag(sync=True, link=True)
    d = traitlets.Int(7).tag(sync=True, link=True)
    d_k = traitlets.Int(4).tag(sync=True, link=True)
    d_v = traitlets.Int(2).tag(sync=True, link=True)
    numbers = traitlets.List(traitlets.Float()).tag(sync=True)

    def __init__(self, **options: Any) -> None:
        # Four decimals: with one, sums end in a 5 so often that both ways round some of them differently.
        drawn: list[float] = np.random.default_rng(0).normal(size=101).round(4).tolist()
        super().__init__(**{"numbers": drawn} | options)

    @property
    def row_result(self) -> Float[Array, "n columns"]:
        """What the formula gives when tokens are rows."""
        x, w_q, q, k, s, v, heads, w_o, b = self._matrices()
        if self.formula in ("projection", "bias"):
            return project(x, w_q, b[0] if self.formula == "bias" else None)
        if self.formula == "scores":
            return attention_scores(q, k)
        if self.formula == "weights":
            return softmax(s)
        if self.formula == "output":
            return project(softmax(s), v)
        return project(merge_heads(heads.reshape(NUM_HEADS, self.n, self.d_v)), w_o)

    @property
    def column_result(self) -> Float[Array, "columns n"]:
        """What it gives, computed the other way round, when tokens are columns."""
        x, w_q, q, k, s, v, heads, w_o, b = (matrix.T for matrix in self._matrices())
        if self.formula in ("projection", "bias"):
            ones = np.ones((1, self.n))
            return project(w_q, x) + (project(b, ones) if self.formula == "bias" else 0)
        if self.formula == "scores":
            return attention_scores(k.T, q.T)
        if self.formula == "weights":
            return softmax(s, axis=0)
        if self.formula == "output":
            return project(v, softmax(s, axis=0))
        return project(w_o, np.concatenate(np.split(heads, NUM_HEADS, axis=1)))

    @property
    def difference(self) -> float:
        """The largest difference between the one result and the transpose of the other."""
        return float(abs(self.row_result - self.column_result.T).max())

    def _matrices(self) -> list[Array]:
        """The matrices that `SYMBOLS` names, for tokens as rows; Y holds the heads below each other."""
        n, n_z, d, d_k, d_v = (getattr(self, name) for name in SIZES)
        shapes = [(n, d), (d, d_k), (n, d_k), (n_z, d_k), (n, n_z), (n_z, d_v), (NUM_HEADS * n, d_v)]
        shapes += [(NUM_HEADS * d_v, d), (1, d_k)]
        return [np.resize(np.roll(self.numbers, -11 * place), shape) for place, shape in enumerate(shapes)]

    def check(self, inputs: SimpleNamespace) -> None:
        for name in SIZES:
            if not 1 <= getattr(inputs, name) <= LARGEST:
                raise InputError(f"{name} must lie between 1 and {LARGEST}, got {getattr(inputs, name)}")
        if not inputs.numbers:
            raise InputError("numbers is empty: the matrices need at least one")
        if wrong := [i for i, number in enumerate(inputs.numbers) if not np.isfinite(number)]:
            raise InputError(f"numbers[{wrong[0]}] is {inputs.numbers[wrong[0]]}: every number must be finite")

    def fallback(self) -> str:
        sizes = ", ".join(f"{name} = {getattr(self, name)}" for name in SIZES)
        caption = f"{self.title}: the same formulas for tokens as rows and tokens as columns. W and b are parameters; all else is computed."
        lines = [
            (f"{name}, {way}", [*words])
            for name, both in FORMULAS.items()
            for way, words in (("rows", both[:2]), ("columns", both[2:]))
        ]
        parts = [table(caption, ["formula", "shapes"], lines)]
        by_row, _, by_column, _ = FORMULAS[self.formula]
        for name, result in ((f"Rows: {by_row}", self.row_result), (f"Columns: {by_column}", self.column_result)):
            rows = [(str(i + 1), [text(entry) for entry in row]) for i, row in enumerate(result)]
            columns = [str(j + 1) for j in range(result.shape[1])]
            parts.append(table(f"{name}, with {sizes}. Numbers: {self.provenance}.", columns, rows))
        return "".join(parts)
