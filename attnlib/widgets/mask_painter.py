"""MaskPainter: paint who may read whom, replace a token, and see which outputs move."""

from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import traitlets
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from anywidget_static import Booleans, InputError, Numbers, OneOf, Texts, Whole
from attnlib import houston
from attnlib.lab.cones import preset_mask
from attnlib.masks import TorchAPI, as_torch_reads
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_weights
from attnlib.widgets.base import ProjectedWidget, check_index, check_mask, fixed
from attnlib.widgets.tables import table

PRESETS = ("none", "causal", "padding", "window", "prefix", "painted")
CONTROLS = ("preset", "leaky", "api")
LAUNCH = (1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.2)  # noun, verb, and its letters over 5
MOVED = 1e-12  # less is rounding


class MaskPainter(ProjectedWidget):
    """A mask to paint, and a token to replace: with the causal mask no output before it moves at all.

    Put the zeros after the softmax instead (`leaky`), and they all move, though every blocked weight is 0.

    `x` (n × d) becomes queries, keys and values by `w_q`, `w_k` and `w_v`; without them it is taken as it is.
    `preset` names the mask: "none", "causal", "padding" (the first `size` keys), "window" (the last `size`),
    "prefix" (causal, but the first `size` keys are open to all), or "painted", which is `mask` (n × n, True = may
    attend; None blocks nothing). The tokens in `replaced` become `other_token`, whose row of x is `other`.
    `api` says for which function of torch the mask is printed, and `controls` which of `preset`, `leaky` and `api` can be
    changed in the page (None: all); without "api" the mask is not printed. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, and for a query without a key.

    >>> MaskPainter().moved.round(2)
    array([0. , 0. , 0. , 0. , 0.5])
    """

    _alive = "paint the mask, replace any token, and see which outputs move"
    title = traitlets.Unicode("Paint a mask").tag(sync=True)
    tokens = Texts(minlen=1, maxlen=16).tag(sync=True)
    other_token = traitlets.Unicode("blank").tag(sync=True)
    other = Numbers("d").tag(sync=True)
    preset = OneOf(PRESETS, "causal").tag(sync=True, link=True)
    size = Whole(1, min=1).tag(sync=True, link=True)
    mask = Booleans().tag(sync=True, link=True)
    replaced = traitlets.List(Whole(0, min=0)).tag(sync=True, link=True)
    leaky = traitlets.Bool(False).tag(sync=True, link=True)
    api = OneOf(get_args(TorchAPI), "scaled_dot_product_attention").tag(sync=True, link=True)
    controls = traitlets.List(traitlets.Enum(CONTROLS), None, allow_none=True).tag(sync=True)
    constants = fixed(moved=MOVED)

    def _beside(self, given: dict[str, Any]) -> dict[str, Any]:
        """Any other `x` is taken as it is, and its last token replaced by zeros."""
        n = len(given.get("tokens", houston.TOKENS))
        own = {"replaced": [n - 1] if n else [], "size": min(3, max(n, 1))}
        if "x" not in given:
            return own if "other" in given else own | {"other_token": "launch", "other": LAUNCH}
        try:
            width = np.shape(given["x"])[-1] or 1
        except (ValueError, IndexError):  # no matrix: its trait says so
            width = 1
        return own | dict.fromkeys(("w_q", "w_k", "w_v"), np.eye(width)) | {"other": np.zeros(width)}

    @property
    def allowed(self) -> Bool[Array, "n n"]:
        """The mask in force: True where a query may attend."""
        if self.preset != "painted":
            return preset_mask(self.preset, len(self.tokens), self.size)
        return np.ones((len(self.tokens),) * 2, dtype=bool) if self.mask is None else np.array(self.mask)

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
        weights = attention_weights(query, key, None if self.leaky else self.allowed) * self.allowed
        return weights, weights @ value

    def check(self, inputs: SimpleNamespace) -> None:
        super().check(inputs)
        n, d = np.shape(inputs.x)
        if len(inputs.other) != d:
            raise InputError(f"x has width {d}, other has {len(inputs.other)} entries")
        for i in inputs.replaced:
            check_index("replaced token", i, n)
        if inputs.size > n:
            raise InputError(f"size must lie between 1 and the {n} tokens, got {inputs.size}")
        check_mask(inputs.mask, n, n)

    def fallback(self) -> str:
        names = [self.other_token if i in self.replaced else token for i, token in enumerate(self.tokens)]
        rows = [
            (name, [*(w if ok else "–" for w, ok in zip(row, may_attend, strict=True)), row.sum(), _size(change)])
            for name, row, may_attend, change in zip(names, self.weights, self.allowed, self.moved, strict=True)
        ]
        where = "after" if self.leaky else "before"
        caption = (
            f"query (row) reads from key (column), – is blocked {where} the softmax. The last column says by how much an "
            f"output moves{self._replacement()}."
        )
        return table(self.caption(caption), [*names, "sum", "output moves"], rows, self.weights)


def _size(change: float) -> str | float:
    if change <= MOVED:
        return "no"
    return "< 0.01" if change < 0.005 else change
