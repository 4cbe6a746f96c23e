"""HeadMixer: several heads side by side, and what each adds to the output."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Booleans, InputError, Numbers, Texts, Whole, base85
from attnlib import houston
from attnlib.formatting import text
from attnlib.lab.grids import weight_back
from attnlib.lab.heads import pool_heads
from attnlib.masks import causal_mask
from attnlib.multihead import merge_heads
from attnlib.projections import project
from attnlib.scaled_dot_product import attention, attention_weights
from attnlib.widgets.base import PageWidget, check_index, check_mask, fixed
from attnlib.widgets.tables import table

CHANGED = 1e-12  # less is rounding
CELLS = 1000  # more are summed up


class HeadMixer(PageWidget):
    """Heads to switch off: without W_O a head writes to its own columns of the output, with it to all of them.

    `query` and `key` (h × n × d_k) and `value` (h × n × d_v) hold a matrix for each of the `heads`, `w_o` is
    h·d_v × d, `mask` n × n and True = may attend. The heads in `zeroed` give 0; `mixed` multiplies by W_O;
    `num_kv_heads` = g < h lets h / g neighbours share the mean of their keys, and of their values; with `sharing` False
    there is no menu for it, nor a line on what the heads cost. `axes` names the columns of the output, `selected` is
    the head shown large. Beyond 12 tokens its cells are shades, without numbers, and the output is shown for the first
    12. Without any of them: `attnlib.houston.two_heads`.

    With `weights` (h × n × n) in place of all that, the grids are shown and nothing is computed. They travel in
    steps of 1/255, and only their lower triangles where the rest is 0. `columns` says how many grids stand in a row.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, and for entries that are not
            finite.

    >>> mixer = HeadMixer()
    >>> (mixer.change > 0).tolist()
    [True, True, True, False, False, False]
    >>> mixer.mixed = True
    >>> (mixer.change > 0).all()
    np.True_
    """

    _alive = "see every head large, set heads to zero, and let them share their keys and values"
    title = traitlets.Unicode("Several heads").tag(sync=True)
    tokens = Texts().tag(sync=True)
    heads = Texts().tag(sync=True)
    query = Numbers("h n d", optional=True).tag(sync=True)
    key = Numbers("h n d", optional=True).tag(sync=True)
    value = Numbers("h n d", optional=True).tag(sync=True)
    w_o = Numbers("n d").tag(sync=True)
    mask = Booleans().tag(sync=True)
    packed = traitlets.Unicode("").tag(sync=True)
    axes = Texts().tag(sync=True)
    columns = Whole(0, min=0).tag(sync=True)
    selected = traitlets.Int(0).tag(sync=True, link=True)
    zeroed = traitlets.List(traitlets.Int()).tag(sync=True, link=True)
    mixed = traitlets.Bool(False).tag(sync=True, link=True)
    num_kv_heads = Whole(1, min=1).tag(sync=True, link=True)
    sharing = traitlets.Bool(True).tag(sync=True)
    constants = fixed(changed=CHANGED)

    def __init__(
        self,
        tokens: Sequence[str] | None = None,
        query: ArrayLike | None = None,
        key: ArrayLike | None = None,
        value: ArrayLike | None = None,
        w_o: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        mask: ArrayLike | None = None,
        heads: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        """`heads=None` counts them from 1."""
        parts = {"query": query, "key": key, "value": value, "w_o": w_o, "mask": mask}
        given: dict[str, Any] = {name: part for name, part in parts.items() if part is not None}
        if weights is not None:
            if given:
                raise InputError("give either weights, or query, key, value, w_o and mask")
            weights = np.asarray(weights, dtype=float)
            given = {"packed": _pack(weights)}
        elif not given:
            tokens = tokens or houston.TOKENS
            given = houston.two_heads() | {"mask": causal_mask(len(houston.TOKENS))}
            options = {"axes": houston.AXES, "provenance": "trained", "zeroed": [0]} | options
        elif missing := [name for name in parts if name not in {*given, "mask"}]:
            raise InputError(f"{', '.join(missing)} missing: give query, key, value and w_o, or none of them")
        count = len(np.atleast_1d(given["query"] if weights is None else weights))
        names = [f"head {a + 1}" for a in range(count)] if heads is None else list(heads)
        super().__init__(**{"tokens": list(tokens or ()), "heads": names, "num_kv_heads": count} | given | options)

    @property
    def weights(self) -> Float[Array, "h n n"]:
        """What the grids show, with the keys that are shared."""
        if self.packed:
            return _unpack(self.packed, len(self.heads), len(self.tokens))
        return attention_weights(np.array(self.query), self._shared(self.key), self._mask)

    @property
    def output(self) -> Float[Array, "n d_out"]:
        """The heads side by side, those in `zeroed` as 0, and times W_O where `mixed`."""
        return self._output(self.zeroed)

    @property
    def change(self) -> Float[Array, "d_out"]:
        """How much the largest change in each column of the output is that `zeroed` makes."""
        largest: Array = np.abs(self._output(self.zeroed) - self._output([])).max(axis=0)
        return largest

    @property
    def _mask(self) -> Array | None:
        return None if self.mask is None else np.array(self.mask)

    def _shared(self, heads: list[list[list[float]]]) -> Array:
        return np.repeat(pool_heads(np.array(heads), self.num_kv_heads), len(heads) // self.num_kv_heads, axis=0)

    def _output(self, zeroed: list[int]) -> Array:
        if self.packed:
            raise InputError("weights alone give no output: pass query, key, value and w_o")
        parts = attention(np.array(self.query), self._shared(self.key), self._shared(self.value), self._mask)
        parts[zeroed] = 0
        beside = merge_heads(parts)
        return project(beside, np.array(self.w_o)) if self.mixed else beside

    def check(self, inputs: SimpleNamespace) -> None:
        h, n = len(inputs.heads), len(inputs.tokens)
        if inputs.packed:
            _unpack(inputs.packed, h, n)
        else:
            _check_heads(inputs, h, n)
        for a in inputs.zeroed:
            check_index("zeroed head", a, h)
        check_index("selected head", inputs.selected, h)
        if inputs.columns > h:
            raise InputError(f"columns must lie between 0 and the {h} heads, got {inputs.columns}")

    def fallback(self) -> str:
        weights = self.weights
        if weights.size > CELLS:
            return self._summary(weights)
        names = [f"{head}: {token}" for head in self.heads for token in self.tokens]
        flat, n = weights.reshape(-1, len(self.tokens)), len(self.tokens)
        triangles = self.packed and len(base85.decode(self.packed)) < weights.size
        allowed = np.tri(n, dtype=bool) if triangles else self._mask
        seen = np.tile(np.ones((n, n), bool) if allowed is None else allowed, (len(weights), 1))
        cells = [np.where(may, [text(w) for w in row], "–").tolist() for row, may in zip(flat, seen, strict=True)]
        caption = self.caption("query (row) reads from key (column).")
        grids = table(caption, self.tokens, zip(names, cells, strict=True), flat)
        return grids if self.packed else f"<div>{grids}{self._output_table()}</div>"

    def _output_table(self) -> str:
        change = self.change
        width = len(self.value[0][0])
        columns = [f"{head}, {c + 1}" if width > 1 else head for head in self.heads for c in range(width)]
        if self.mixed:
            columns = self.axes or [f"{c + 1}" for c in range(len(change))]
        sizes = ["0" if size <= CHANGED else "< 0.01" if size < 0.005 else text(size) for size in change]
        without = ", ".join(self.heads[a] for a in self.zeroed)
        what = f"{'Output' if self.mixed else 'Heads side by side'}{f', without {without}' if without else ''}"
        rows = [*zip(self.tokens, self.output, strict=True), ("largest change", sizes)]
        return table(f"{what}. Numbers: {self.provenance}.", columns, rows)

    def _summary(self, weights: Array) -> str:
        """One number for each head, where the weights are too many to read: its weight on the token before."""
        h, n = weights.shape[:2]
        wide = self.columns or min(h, 12)
        before = np.resize(weight_back(weights, 1) if n > 1 else np.zeros(h), -(-h // wide) * wide)
        before[h:] = 0
        rows = [
            (self.heads[a : a + wide], [*map(text, before[a : min(a + wide, h)]), *[""] * (a + wide - h)])
            for a in range(0, h, wide)
        ]
        named = [(f"{names[0]} to {names[-1]}" if len(names) > 1 else names[0], cells) for names, cells in rows]
        caption = self.caption(f"how much of its weight each of {h} heads puts on the token before, on average.")
        return table(caption, [str(c + 1) for c in range(wide)], named, before.reshape(-1, wide))


def _check_heads(inputs: SimpleNamespace, h: int, n: int) -> None:
    for name in ("query", "key", "value"):
        if np.shape(getattr(inputs, name))[:2] != (h, n):
            raise InputError(f"{name} has shape {np.shape(getattr(inputs, name))} for {h} heads and {n} tokens")
    d_k, d_v = len(inputs.query[0][0]), len(inputs.value[0][0])
    if len(inputs.key[0][0]) != d_k:
        raise InputError(f"query has width {d_k}, key has width {len(inputs.key[0][0])}")
    if len(inputs.w_o) != h * d_v:
        raise InputError(f"w_o has {len(inputs.w_o)} rows for {h} heads with values of width {d_v}")
    if inputs.axes and len(inputs.axes) != len(inputs.w_o[0]):
        raise InputError(f"{len(inputs.axes)} names of axes for the {len(inputs.w_o[0])} columns of w_o")
    check_mask(inputs.mask, n, n)
    if h % inputs.num_kv_heads:
        raise InputError(f"{h} heads do not divide into num_kv_heads = {inputs.num_kv_heads} groups")


def _is_lower(weights: Array) -> bool:
    return not np.triu(weights, 1).any()


def _pack(weights: Array) -> str:
    """The weights as bytes in base 85: all, or only the lower triangles where the rest is 0."""
    if weights.ndim != 3 or 0 in weights.shape or weights.shape[1] != weights.shape[2]:
        raise InputError(f"weights must have shape (h, n, n) with h, n ≥ 1, got {weights.shape}")
    for index in np.argwhere(~((weights >= 0) & (weights <= 1))):
        raise InputError(f"weights{index.tolist()} is {weights[tuple(index)]}: a weight lies between 0 and 1")
    steps = np.rint(weights * 255).astype(np.uint8)
    if _is_lower(weights):
        steps = steps[:, *np.tril_indices(weights.shape[1])]  # (h, n(n+1)/2)
    return base85.encode(steps.tobytes())


def _unpack(packed: str, h: int, n: int) -> Array:
    try:
        steps = np.frombuffer(base85.decode(packed), dtype=np.uint8) / 255
    except ValueError as error:
        raise InputError(f"the packed weights are not in base 85: {error}") from error
    if steps.size == h * n * n:
        return steps.reshape(h, n, n)
    if steps.size != h * n * (n + 1) // 2:
        raise InputError(f"{steps.size} weights for {h} heads of {n} tokens")
    weights = np.zeros((h, n, n))
    weights[:, *np.tril_indices(n)] = steps.reshape(h, -1)
    return weights
