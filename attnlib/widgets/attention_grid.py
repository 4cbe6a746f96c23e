"""AttentionGrid: who reads from whom, cell by cell, with the arithmetic behind each."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Bool, Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Booleans, InputError, Numbers, Texts
from attnlib.formatting import text
from attnlib.masks import causal_mask
from attnlib.scaled_dot_product import attention_weights
from attnlib.widgets.base import PageWidget, check_mask
from attnlib.widgets.tables import weights_table

CONTROLS = ("temperature", "scaled", "masked")


class AttentionGrid(PageWidget):
    """A grid of attention weights: query (row) reads from key (column).

    `query` (n_q × d_k) and `key` (n_k × d_k) are taken as they are: `scaled` divides their scores by
    √d_k, `bias` (n_q × n_k) is added, `temperature` divides the sum, and `masked` applies `mask` (n_q × n_k, True = may
    attend; None means causal). `axes` names the d_k components in the arithmetic, `selected` is the
    cell (row, column) whose arithmetic is shown, `provenance` says where the numbers come from, and
    `controls` which of the three can be changed below the grid. All of these are synced: set them
    from Python, or observe what the reader does. Beyond 24 keys the cells are shades, without numbers.

    Raises ValueError (`InputError`) for sizes that do not fit, naming them, and for entries that
    are not finite, naming the index.

    >>> grid = AttentionGrid(["a", "b"], np.array([[1, 0], [0, 1]]))
    >>> grid.weights.round(2)
    array([[0.73, 0.27],
           [0.27, 0.73]])
    """

    _alive = "point at a cell to see its arithmetic, and change temperature, scaling and mask"
    title = traitlets.Unicode("Attention weights").tag(sync=True)
    query_tokens = Texts().tag(sync=True)
    key_tokens = Texts().tag(sync=True)
    query = Numbers("n d").tag(sync=True)
    key = Numbers("n d").tag(sync=True)
    mask = Booleans().tag(sync=True)
    bias = Numbers("n d", allow_none=True).tag(sync=True)
    axes = Texts().tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True, link=True)
    scaled = traitlets.Bool(False).tag(sync=True, link=True)
    masked = traitlets.Bool(False).tag(sync=True, link=True)
    controls = traitlets.List(traitlets.Enum(CONTROLS), list(CONTROLS)).tag(sync=True)
    selected = traitlets.List(traitlets.Int(), None, allow_none=True).tag(sync=True, link=True)

    def __init__(
        self,
        tokens: Sequence[str],
        query: ArrayLike,
        key: ArrayLike | None = None,
        *,
        key_tokens: Sequence[str] | None = None,
        bias: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        """`key=None` and `key_tokens=None` mean the same as for the queries: self-attention."""
        super().__init__(
            query_tokens=list(tokens),
            key_tokens=list(tokens if key_tokens is None else key_tokens),
            query=query,
            key=query if key is None else key,
            bias=bias,
            **options,
        )

    @property
    def weights(self) -> Float[Array, "n_q n_k"]:
        """What the grid shows, computed by `attnlib.attention_weights` from the inputs."""
        scale = (len(self.key[0]) ** -0.5 if self.scaled else 1.0) / self.temperature
        bias = None if self.bias is None else np.array(self.bias) / self.temperature
        return attention_weights(np.array(self.query), np.array(self.key), self.allowed, scale=scale, bias=bias)

    @property
    def allowed(self) -> Bool[Array, "n_q n_k"] | None:
        """The mask in force: True where a query may attend, None when nothing is masked."""
        if not self.masked:
            return None
        return causal_mask(len(self.query), len(self.key)) if self.mask is None else np.array(self.mask)

    def check(self, inputs: SimpleNamespace) -> None:
        n_q, n_k, width = len(inputs.query), len(inputs.key), len(inputs.query[0])
        if len(inputs.key[0]) != width:
            raise InputError(f"query has width {width}, key has width {len(inputs.key[0])}")
        if (len(inputs.query_tokens), len(inputs.key_tokens)) != (n_q, n_k):
            raise InputError(
                f"{len(inputs.query_tokens)} query tokens and {len(inputs.key_tokens)} key tokens "
                f"for {n_q} queries and {n_k} keys"
            )
        check_mask(inputs.mask, n_q, n_k)
        if inputs.bias is not None and np.shape(inputs.bias) != (n_q, n_k):
            raise InputError(f"bias has shape {np.shape(inputs.bias)}, the scores have shape {(n_q, n_k)}")
        if inputs.axes and len(inputs.axes) != width:
            raise InputError(f"{len(inputs.axes)} names of axes for vectors of width {width}")
        cell = inputs.selected
        if cell is not None and not (len(cell) == 2 and 0 <= cell[0] < n_q and 0 <= cell[1] < n_k):
            raise InputError(f"selected cell {cell} is outside the {n_q} × {n_k} grid")
        if not (np.isfinite(inputs.temperature) and inputs.temperature > 0):
            raise InputError(f"temperature must be positive and finite, got {inputs.temperature}")

    def fallback(self) -> str:
        weights, allowed = self.weights, self.allowed
        cells = [[text(weight) for weight in row] for row in weights]
        if allowed is not None:
            for i, j in np.argwhere(~allowed):
                cells[i][j] = "–"
        caption = self.caption("query (row) reads from key (column).")
        return weights_table(caption, self.query_tokens, self.key_tokens, weights, cells)
