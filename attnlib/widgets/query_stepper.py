"""QueryStepper: one query token through scaled dot-product attention, with every sum written out."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Bool, Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, Texts
from attnlib import houston
from attnlib.formatting import text
from attnlib.masks import causal_mask
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_scores, attention_weights, single_query_attention
from attnlib.widgets.base import PageWidget, check_index, check_projections
from attnlib.widgets.tables import table

STEPS = ("query", "keys", "scores", "scale", "mask", "softmax", "values", "weighted values", "context")
MOST_TOKENS, MOST_COMPONENTS = 24, 12


class QueryStepper(PageWidget):
    """One query token, step by step through the figure of scaled dot-product attention.

    The surprise: every box of the famous figure is a handful of multiplications that you can check
    by hand. And when the mask hides a token, its weight vanishes and all others grow by one factor.

    `x` (n × d) holds the tokens, `w_q`, `w_k` (d × d_k) and `w_v` (d × d_v) make queries, keys and
    values; each that is None is that of *Houston we have a problem* (`attnlib.houston`). `selected`
    is the query token, `step` counts from 0 to 8 through query, keys, scores, scale, mask, softmax,
    values, weighted values and context; `scaled` divides by √d_k and `masked` hides the tokens after
    the query. `axes`, `key_axes` and `value_axes` name the components of the tokens, of queries and
    keys, and of values. All are synced.

    Raises ValueError (`InputError`) for sizes that do not fit, naming them, for more than 24 tokens
    or 12 components, and for entries that are not finite, naming the index.

    >>> stepper = QueryStepper(masked=True)
    >>> stepper.weights.round(2), stepper.context.round(2)
    (array([0.13, 0.74, 0.13, 0.  , 0.  ]), array([1.2 , 0.13, 0.1 ]))
    """

    _alive = "go through the figure box by box, choose the query token, and switch scaling and mask"
    title = traitlets.Unicode("One query, step by step").tag(sync=True)
    tokens = Texts().tag(sync=True)
    x = Numbers("n d").tag(sync=True)
    w_q = Numbers("n d").tag(sync=True)
    w_k = Numbers("n d").tag(sync=True)
    w_v = Numbers("n d").tag(sync=True)
    axes = Texts().tag(sync=True)
    key_axes = Texts().tag(sync=True)
    value_axes = Texts().tag(sync=True)
    selected = traitlets.Int(0).tag(sync=True, link=True)
    step = traitlets.Int(0).tag(sync=True, link=True)
    scaled = traitlets.Bool(True).tag(sync=True, link=True)
    masked = traitlets.Bool(False).tag(sync=True, link=True)

    def __init__(
        self,
        tokens: Sequence[str] | None = None,
        x: ArrayLike | None = None,
        w_q: ArrayLike | None = None,
        w_k: ArrayLike | None = None,
        w_v: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        named: dict[str, Any] = {} if x is not None else {"axes": houston.AXES}
        named |= {} if w_q is not None or w_k is not None else {"key_axes": houston.ROLE_AXES}
        named |= {} if w_v is not None else {"value_axes": houston.VALUE_AXES}
        named |= {} if tokens is not None else {"selected": houston.TOKENS.index("have")}
        super().__init__(
            tokens=list(houston.TOKENS if tokens is None else tokens),
            x=houston.EMBEDDINGS if x is None else x,
            w_q=houston.W_Q if w_q is None else w_q,
            w_k=houston.W_K if w_k is None else w_k,
            w_v=houston.W_V if w_v is None else w_v,
            **named | options,
        )

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
        n, (d, d_k, d_v) = len(inputs.tokens), (len(getattr(inputs, name)[0]) for name in ("x", "w_q", "w_v"))
        check_projections(inputs)
        if n > MOST_TOKENS or max(d, d_k, d_v) > MOST_COMPONENTS:
            raise InputError(
                f"{n} tokens of width {d}, d_k = {d_k}, d_v = {d_v}: "
                f"at most {MOST_TOKENS} tokens and {MOST_COMPONENTS} components can be shown"
            )
        for name, width in (("axes", d), ("key_axes", d_k), ("value_axes", d_v)):
            if len(getattr(inputs, name)) not in (0, width):
                raise InputError(f"{len(getattr(inputs, name))} {name} for {width} components")
        check_index("selected token", inputs.selected, n)
        check_index("step", inputs.step, len(STEPS))

    def fallback(self) -> str:
        key, value, weights, allowed = self.key, self.value, self.weights, self.allowed
        scores = [attention_scores(self.query[None], key, scale=scale)[0] for scale in (1, None)[: 1 + self.scaled]]
        rows = [
            (
                token,
                [
                    _vector(key[j]),
                    *(text(score[j]) for score in scores),
                    text(weights[j]) if allowed is None or allowed[j] else "–",
                    _vector(value[j]),
                ],
            )
            for j, token in enumerate(self.tokens)
        ]
        rows.append(("context vector: weights × values", ["", *[""] * len(scores), "", _vector(self.context)]))
        asks = self.tokens[self.selected]
        caption = self.caption(f"{asks} (query) reads from each token (row), with q = {_vector(self.query)}.")
        scaled = [f"÷ √{len(key[0])}"] if self.scaled else []
        return table(caption, ["key k", "score q·k", *scaled, "weight", "value v"], rows)


def _vector(entries: Float[Array, "d"]) -> str:
    return f"({', '.join(map(text, entries))})"
