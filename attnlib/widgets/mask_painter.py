"""MaskPainter: paint who may read whom, replace a token, and see which outputs move."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import traitlets
from jaxtyping import Bool, Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Booleans, InputError, Numbers, Texts
from attnlib import houston
from attnlib.formatting import text
from attnlib.masks import TorchAPI, as_torch_reads, causal_mask, padding_mask, sliding_window_mask
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_weights
from attnlib.widgets.base import PageWidget, check_index, check_mask, check_projections
from attnlib.widgets.tables import table

PRESETS = ("none", "causal", "padding", "window", "prefix", "painted")
OTHER = ("launch", (1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.2))  # noun, verb, and its letters over 5
MOVED = 1e-12  # less is rounding


class MaskPainter(PageWidget):
    """A mask to paint, and a token to replace: with the causal mask no output before it moves at all.

    Put the zeros after the softmax instead (`leaky`), and they all move, though every blocked weight is 0.

    `x` (n × d) becomes queries, keys and values by `w_q`, `w_k` and `w_v`; without them it is taken as it is.
    `preset` names the mask: "none", "causal", "padding" (the first `size` keys), "window" (the last `size`),
    "prefix" (causal, but the first `size` keys are open to all), or "painted", which is `mask` (n × n, True = may
    attend; None blocks nothing). The tokens in `replaced` become `other_token`, whose row of x is `other`.
    `api` says for which function of torch the mask is printed. All are synced.

    Raises ValueError (`InputError`) for sizes that do not fit, naming them, and for a query without a key.

    >>> MaskPainter().moved.round(2)
    array([0. , 0. , 0. , 0. , 0.5])
    """

    _alive = "paint the mask, replace any token, and see which outputs move"
    title = traitlets.Unicode("Paint a mask").tag(sync=True)
    tokens = Texts().tag(sync=True)
    x = Numbers("n d").tag(sync=True)
    w_q = Numbers("n d").tag(sync=True)
    w_k = Numbers("n d").tag(sync=True)
    w_v = Numbers("n d").tag(sync=True)
    other_token = traitlets.Unicode().tag(sync=True)
    other = Numbers("n d").tag(sync=True)
    preset = traitlets.Enum(PRESETS, "causal").tag(sync=True, link=True)
    size = traitlets.Int(1).tag(sync=True, link=True)
    mask = Booleans().tag(sync=True, link=True)
    replaced = traitlets.List(traitlets.Int()).tag(sync=True, link=True)
    leaky = traitlets.Bool(False).tag(sync=True, link=True)
    api = traitlets.Enum(get_args(TorchAPI), "scaled_dot_product_attention").tag(sync=True, link=True)

    def __init__(
        self,
        tokens: Sequence[str] | None = None,
        x: ArrayLike | None = None,
        w_q: ArrayLike | None = None,
        w_k: ArrayLike | None = None,
        w_v: ArrayLike | None = None,
        *,
        other_token: str = "blank",
        other: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        """`x=None` means the running example; `other=None` a row of zeros."""
        if x is None:
            tokens, x = tokens or houston.TOKENS, houston.EMBEDDINGS
            w_q, w_k, w_v = (
                own if w is None else w for w, own in ((w_q, houston.W_Q), (w_k, houston.W_K), (w_v, houston.W_V))
            )
            if other is None:
                other_token, other = OTHER
        width = np.shape(x)[-1] if np.ndim(x) else 0
        eye = np.eye(width)
        super().__init__(
            **{
                "tokens": list(tokens or ()),
                "x": x,
                "w_q": eye if w_q is None else w_q,
                "w_k": eye if w_k is None else w_k,
                "w_v": eye if w_v is None else w_v,
                "other_token": other_token,
                "other": np.atleast_2d(np.zeros(width) if other is None else np.asarray(other, dtype=float)),
                "replaced": [len(tokens) - 1] if tokens else [],
                "size": min(3, len(tokens or "a")),
            }
            | options
        )

    @property
    def allowed(self) -> Bool[Array, "n n"]:
        """The mask in force: True where a query may attend."""
        n = len(self.tokens)
        padding = padding_mask(np.array(self.size), n)
        masks: dict[str, Array] = {
            "none": np.ones((n, n), dtype=bool),
            "causal": causal_mask(n),
            "padding": padding,
            "window": sliding_window_mask(n, window=self.size),
            "prefix": causal_mask(n) | padding,
            "painted": np.ones((n, n), dtype=bool) if self.mask is None else np.array(self.mask),
        }
        return masks[self.preset]

    @property
    def for_torch(self) -> Bool[Array, "n n"]:
        """The same mask as `api` reads it."""
        return as_torch_reads(self.allowed, self.api)

    @property
    def weights(self) -> Float[Array, "n n"]:
        """What the grid shows: the weights with the tokens replaced."""
        return self._attend(self._x(self.replaced))[0]

    @property
    def moved(self) -> Float[Array, "n"]:
        """The largest change that the replaced tokens make in the numbers of each output."""
        change = self._attend(self._x(self.replaced))[1] - self._attend(self._x([]))[1]
        largest: Array = np.abs(change).max(axis=1)
        return largest

    def _replacement(self) -> str:
        names = ", ".join(self.tokens[i] for i in self.replaced)
        return f" with {self.other_token} in place of {names}" if names else " when a token is replaced"

    def _x(self, replaced: list[int]) -> Array:
        x = np.array(self.x)
        x[replaced] = self.other
        return x

    def _attend(self, x: Array) -> tuple[Array, Array]:
        """The weights and the output."""
        query, key, value = (project(x, np.array(w)) for w in (self.w_q, self.w_k, self.w_v))
        weights = (
            attention_weights(query, key) * self.allowed if self.leaky else attention_weights(query, key, self.allowed)
        )
        return weights, weights @ value

    def check(self, inputs: SimpleNamespace) -> None:
        n, d = np.shape(inputs.x)
        check_projections(inputs)
        if np.shape(inputs.other) != (1, d):
            raise InputError(f"x has width {d}, other has shape {np.shape(inputs.other)}")
        for i in inputs.replaced:
            check_index("replaced token", i, n)
        if not 1 <= inputs.size <= n:
            raise InputError(f"size must lie between 1 and the {n} tokens, got {inputs.size}")
        check_mask(inputs.mask, n, n)

    def fallback(self) -> str:
        weights, moved = self.weights, self.moved
        names = [self.other_token if i in self.replaced else token for i, token in enumerate(self.tokens)]
        cells = [
            [text(weight) if ok else "–" for weight, ok in zip(row, may_attend, strict=True)]
            + [text(row.sum()), "no" if change <= MOVED else "< 0.01" if change < 0.005 else text(change)]
            for row, may_attend, change in zip(weights, self.allowed, moved, strict=True)
        ]
        where = "after" if self.leaky else "before"
        caption = (
            f"{self.title}: query (row) reads from key (column), – is blocked {where} the softmax. The last column says by "
            f"how much an output moves{self._replacement()}. Numbers: {self.provenance}."
        )
        return table(caption, [*names, "sum", "output moves"], list(zip(names, cells, strict=True)), weights)
