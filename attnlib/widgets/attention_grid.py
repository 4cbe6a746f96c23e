"""AttentionGrid: who reads from whom, cell by cell, with the arithmetic behind each."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Bool, Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Booleans, InputError, Numbers, Real, Texts
from attnlib.formatting import text
from attnlib.masks import causal_mask
from attnlib.scaled_dot_product import attention_weights
from attnlib.widgets.base import PageWidget, check_count, check_mask
from attnlib.widgets.tables import weights_table

CONTROLS = ("temperature", "scaled", "masked")


class AttentionGrid(PageWidget):
    """A grid of attention weights: query (row) reads from key (column).

    `query` (n_q × d_k) and `key` (n_k × d_k) are taken as they are: `scaled` divides their scores by
    √d_k, `bias` (n_q × n_k) is added, `temperature` divides the sum, and `masked` applies `mask` (n_q × n_k, True = may
    attend; None means causal). `axes` names the d_k components in the arithmetic, `selected` is the
    cell (row, column) whose arithmetic is shown, `provenance` says where the numbers come from, and
    `controls` which of the three can be changed below the grid (None: all). All of these are synced: set them
    from Python, or observe what the reader does. Beyond 24 keys the cells are shades, without numbers.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, and for entries that are not
            finite, naming the index.

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
    temperature = Real(1.0, min=0).tag(sync=True, link=True)
    scaled = traitlets.Bool(False).tag(sync=True, link=True)
    masked = traitlets.Bool(False).tag(sync=True, link=True)
    controls = traitlets.List(traitlets.Enum(CONTROLS), None, allow_none=True).tag(sync=True)
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
        options |= {"query": query, "key": query if key is None else key, "bias": bias}
        key_tokens = tokens if key_tokens is None else key_tokens
        super().__init__(query_tokens=list(tokens), key_tokens=list(key_tokens), **options)

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
        check_count(inputs.query_tokens, inputs.query, "queries")
        check_count(inputs.key_tokens, inputs.key, "keys")
        check_mask(inputs.mask, n_q, n_k)
        if inputs.bias is not None and np.shape(inputs.bias) != (n_q, n_k):
            raise InputError(f"bias has shape {np.shape(inputs.bias)}, the scores have shape {(n_q, n_k)}")
        if inputs.axes and len(inputs.axes) != width:
            raise InputError(f"{len(inputs.axes)} names of axes for vectors of width {width}")
        cell = inputs.selected
        if cell is not None and not (len(cell) == 2 and 0 <= cell[0] < n_q and 0 <= cell[1] < n_k):
            raise InputError(f"selected cell {cell} is outside the {n_q} × {n_k} grid")
        if not inputs.temperature:
            raise InputError("temperature must be above 0, got 0.0")

    def fallback(self) -> str:
        weights, allowed = self.weights, self.allowed
        read = np.ones(weights.shape, bool) if allowed is None else allowed
        cells = [[text(w) if r else "–" for w, r in zip(*row, strict=True)] for row in zip(weights, read, strict=True)]
        caption = self.caption("query (row) reads from key (column).")
        return weights_table(caption, self.query_tokens, self.key_tokens, weights, cells)
