"""QueryStepper: one query token through scaled dot-product attention, with every sum written out."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from anywidget_static import InputError, Texts, Whole
from attnlib import houston
from attnlib.masks import causal_mask
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_scores, attention_weights, single_query_attention
from attnlib.widgets.base import ProjectedWidget, check_index
from attnlib.widgets.tables import table, vector

MOST = 12  # components


class QueryStepper(ProjectedWidget):
    """One query token, step by step through the figure of scaled dot-product attention.

    The surprise: every box of the famous figure is a handful of multiplications that you can check
    by hand. And when the mask hides a token, its weight vanishes and all others grow by one factor.

    `x` (n × d) holds the tokens, `w_q`, `w_k` (d × d_k) and `w_v` (d × d_v) make queries, keys and
    values; each that is None is that of *Houston we have a problem* (`attnlib.houston`). `selected`
    is the query token, `step` counts from 0 to 8 through query, keys, scores, scale, mask, softmax,
    values, weighted values and context; `scaled` divides by √d_k and `masked` hides the tokens after
    the query. `axes`, `key_axes` and `value_axes` name the components of the tokens, of queries and
    keys, and of values. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, for more than 24 tokens or 12
            components, and for entries that are not finite, naming the index.

    >>> stepper = QueryStepper(masked=True)
    >>> stepper.weights.round(2), stepper.context.round(2)
    (array([0.13, 0.74, 0.13, 0.  , 0.  ]), array([1.2 , 0.13, 0.1 ]))
    """

    _alive = "go through the figure box by box, choose the query token, and switch scaling and mask"
    title = traitlets.Unicode("One query, step by step").tag(sync=True)
    tokens = Texts(minlen=1, maxlen=24).tag(sync=True)
    axes = Texts().tag(sync=True)
    key_axes = Texts().tag(sync=True)
    value_axes = Texts().tag(sync=True)
    selected = Whole(0, min=0).tag(sync=True, link=True)
    step = Whole(0, min=0, max=8).tag(sync=True, link=True)
    scaled = traitlets.Bool(True).tag(sync=True, link=True)
    masked = traitlets.Bool(False).tag(sync=True, link=True)

    def _beside(self, given: dict[str, Any]) -> dict[str, Any]:
        """The names of the running example, where its numbers are shown."""
        named = {
            "axes": (houston.AXES, {"x"}),
            "key_axes": (houston.ROLE_AXES, {"w_q", "w_k"}),
            "value_axes": (houston.VALUE_AXES, {"w_v"}),
            "selected": (houston.TOKENS.index("have"), {"tokens"}),
        }
        return {name: value for name, (value, own) in named.items() if not own & given.keys()}

    @property
    def query(self) -> Float[Array, "d_k"]:
        """q = x W_Q for the selected token."""
        (query,) = project(np.array([self.x[self.selected]]), np.array(self.w_q))
        return np.asarray(query)

    @property
    def key(self) -> Float[Array, "n d_k"]:
        """X W_K, one row for each token."""
        return project(np.array(self.x), np.array(self.w_k))

    @property
    def value(self) -> Float[Array, "n d_v"]:
        """X W_V, one row for each token."""
        return project(np.array(self.x), np.array(self.w_v))

    @property
    def allowed(self) -> Bool[Array, "n"] | None:
        """True for the tokens that the query may read, None when nothing is masked."""
        return causal_mask(len(self.tokens))[self.selected] if self.masked else None

    @property
    def weights(self) -> Float[Array, "n"]:
        """How much the query reads from each token."""
        mask = None if self.allowed is None else self.allowed[None]
        (weights,) = attention_weights(self.query[None], self.key, mask, scale=self._scale)
        return np.asarray(weights)

    @property
    def context(self) -> Float[Array, "d_v"]:
        """The weighted sum of the values, by `attnlib.scaled_dot_product.single_query_attention`."""
        return single_query_attention(self.query, self.key, self.value, self.allowed, scale=self._scale)

    @property
    def _scale(self) -> float | None:
        return None if self.scaled else 1.0

    def check(self, inputs: SimpleNamespace) -> None:
        super().check(inputs)
        for name, matrix in (("axes", inputs.x), ("key_axes", inputs.w_q), ("value_axes", inputs.w_v)):
            names, width = len(getattr(inputs, name)), len(matrix[0])
            if width > MOST:
                raise InputError(f"at most {MOST} components can be shown, got {width} for {name}")
            if names not in (0, width):
                raise InputError(f"{names} {name} for {width} components")
        check_index("selected token", inputs.selected, len(inputs.tokens))

    def fallback(self) -> str:
        key, allowed = self.key, self.allowed
        scores = [attention_scores(self.query[None], key, scale=scale)[0] for scale in (1, None)[: 1 + self.scaled]]
        weights = [w if allowed is None or allowed[j] else "–" for j, w in enumerate(self.weights)]
        columns = [map(vector, key), *scores, weights, map(vector, self.value)]
        rows = [*zip(self.tokens, zip(*columns, strict=True), strict=True)]
        rows.append(("context vector: weights × values", ("", *[""] * len(scores), "", vector(self.context))))
        caption = f"{self.tokens[self.selected]} (query) reads from each token (row), with q = {vector(self.query)}."
        scaled = [f"÷ √{len(key[0])}"] if self.scaled else []
        return table(self.caption(caption), ["key k", "score q·k", *scaled, "weight", "value v"], rows)
