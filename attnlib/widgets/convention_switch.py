"""ConventionSwitch: tokens as rows or tokens as columns, and every formula as its own mirror image."""

from collections.abc import Callable

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import Numbers, OneOf
from attnlib.multihead import merge_heads
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_scores, softmax
from attnlib.widgets.base import PageWidget, size
from attnlib.widgets.tables import Row, table

NUM_HEADS, HEADS = 3, "Concat(Y_1, Y_2, Y_3)"
BIAS = "(n×d)(d×d_k) + (n×1)(1×d_k)", "(d_k×d)(d×n) + (d_k×1)(1×n)"
# Four decimals: with one, sums end in a 5 so often that both ways round some of them differently.
RANDOM = np.random.default_rng(0).normal(size=101).round(4)
# What each formula says for rows and for columns, with the shapes behind the words.
FORMULAS = {
    "projection": ("Q = X W_Q", "n×d_k = (n×d)(d×d_k)", "Q = W_q X", "d_k×n = (d_k×d)(d×n)"),
    "scores": ("S = Q Kᵀ / √d_k", "n×n_z = (n×d_k)(d_k×n_z)", "S = Kᵀ Q / √d_k", "n_z×n = (n_z×d_k)(d_k×n)"),
    "weights": ("A = softmax(S)", "n×n_z, each row adds up to 1", "A = softmax(S)", "n_z×n, each column adds up to 1"),
    "output": ("Y = A V", "n×d_v = (n×n_z)(n_z×d_v)", "Y = V A", "d_v×n = (d_v×n_z)(n_z×n)"),
    "several heads": (f"Y = {HEADS} W_O", "n×d = (n×3d_v)(3d_v×d)", f"Y = W_o {HEADS}", "d×n = (d×3d_v)(3d_v×n)"),
    "bias": ("Q = X W_Q + 1 bᵀ", f"n×d_k = {BIAS[0]}", "Q = W_q X + b 1ᵀ", f"d_k×n = {BIAS[1]}"),
}


class ConventionSwitch(PageWidget):
    """A formula of attention, to flip between tokens as rows and tokens as columns.

    The surprise: every formula flips into its mirror image, with the order reversed and every matrix
    transposed, and the numbers stay the same.

    `formula` is one of projection, scores, weights, output, several heads (three of them) and bias;
    `convention` is "rows" (X W_Q, softmax over the last axis) or "columns" (W_q X, softmax over axis
    0). `n`, `n_z`, `d`, `d_k` and `d_v` lie between 1 and 8. The matrices are filled from `numbers`,
    which are used again where they do not suffice. All are synced.

    Raises:
        ValueError: an `InputError`, for a size outside 1 … 8, and for numbers that are none or not finite.

    >>> switch = ConventionSwitch(formula="output")
    >>> switch.row_result.shape, switch.column_result.shape
    ((3, 2), (2, 3))
    >>> bool(switch.difference < 1e-12)
    True
    """

    _alive = "flip each formula between rows and columns, and change the sizes"
    title = traitlets.Unicode("Rows or columns").tag(sync=True)
    provenance = traitlets.Unicode("random").tag(sync=True)
    formula = OneOf(tuple(FORMULAS), "projection").tag(sync=True, link=True)
    convention = OneOf(("rows", "columns"), "rows").tag(sync=True, link=True)
    n, n_z, d, d_k, d_v = size(3, 8), size(5, 8), size(7, 8), size(4, 8), size(2, 8)
    numbers = Numbers("n", RANDOM).tag(sync=True)

    @property
    def row_result(self) -> Float[Array, "n columns"]:
        """What the formula gives when tokens are rows."""
        x, w_q, q, k, s, v, heads, w_o, b = self._matrices()
        results: dict[str, Callable[[], Array]] = {
            "projection": lambda: project(x, w_q),
            "scores": lambda: attention_scores(q, k),
            "weights": lambda: softmax(s),
            "output": lambda: project(softmax(s), v),
            "several heads": lambda: project(merge_heads(heads.reshape(NUM_HEADS, self.n, self.d_v)), w_o),
            "bias": lambda: project(x, w_q, b[0]),
        }
        return results[self.formula]()

    @property
    def column_result(self) -> Float[Array, "columns n"]:
        """What it gives, computed the other way round, when tokens are columns."""
        x, w_q, q, k, s, v, heads, w_o, b = (matrix.T for matrix in self._matrices())
        results: dict[str, Callable[[], Array]] = {
            "projection": lambda: project(w_q, x),
            "scores": lambda: attention_scores(k.T, q.T),
            "weights": lambda: softmax(s, axis=0),
            "output": lambda: project(v, softmax(s, axis=0)),
            "several heads": lambda: project(w_o, np.concatenate(np.split(heads, NUM_HEADS, axis=1))),
            "bias": lambda: project(w_q, x) + project(b, np.ones((1, self.n))),
        }
        return results[self.formula]()

    @property
    def difference(self) -> float:
        """The largest difference between the one result and the transpose of the other."""
        return float(abs(self.row_result - self.column_result.T).max())

    def _matrices(self) -> list[Array]:
        """X, W_Q, Q, K, S, V, Y, W_O and b for tokens as rows, each from its own place; Y holds the heads below each other."""
        n, n_z, d, d_k, d_v = self.n, self.n_z, self.d, self.d_k, self.d_v
        shapes = [(n, d), (d, d_k), (n, d_k), (n_z, d_k), (n, n_z), (n_z, d_v), (NUM_HEADS * n, d_v)]
        shapes += [(NUM_HEADS * d_v, d), (1, d_k)]
        return [np.resize(np.roll(self.numbers, -11 * place), shape) for place, shape in enumerate(shapes)]

    def fallback(self) -> str:
        lead = f"{self.title}: the same formulas for tokens as rows and tokens as columns."
        lines: list[Row] = []
        for name, both in FORMULAS.items():
            lines += [(f"{name}, rows", both[:2]), (f"{name}, columns", both[2:])]
        out = table(f"{lead} W and b are parameters; all else is computed.", ["formula", "shapes"], lines)
        sizes = ", ".join(f"{name} = {getattr(self, name)}" for name in ("n", "n_z", "d", "d_k", "d_v"))
        by_row, _, by_column, _ = FORMULAS[self.formula]
        for name, result in ((f"Rows: {by_row}", self.row_result), (f"Columns: {by_column}", self.column_result)):
            numbered = [(str(i + 1), row) for i, row in enumerate(result)]
            columns = [str(j + 1) for j in range(result.shape[1])]
            out += table(f"{name}, with {sizes}. Numbers: {self.provenance}.", columns, numbered)
        return out
