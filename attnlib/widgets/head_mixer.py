"""HeadMixer: several heads side by side, and what each adds to the output."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Booleans, InputError, Numbers, Texts
from attnlib import houston
from attnlib.formatting import text
from attnlib.lab.grids import weight_back
from attnlib.lab.heads import pool_heads
from attnlib.masks import causal_mask
from attnlib.multihead import merge_heads
from attnlib.projections import project
from attnlib.scaled_dot_product import attention, attention_weights
from attnlib.widgets.base import PageWidget, check_index, check_mask
from attnlib.widgets.tables import table

CHANGED = 1e-12  # less is rounding
CELLS = 1000  # more are summed up
BACK = 1  # what the summary tells: the weight on the token before


TRAINED = {"axes": houston.AXES, "provenance": "trained", "zeroed": [0]}


def _trained() -> dict[str, Any]:
    return houston.two_heads() | {"mask": causal_mask(len(houston.TOKENS))}


class HeadMixer(PageWidget):
    """Heads to switch off: without W_O a head writes to its own columns of the output, with it to all of them.

    `query` and `key` (h × n × d_k) and `value` (h × n × d_v) hold a matrix for each of the `heads`, `w_o` is
    h·d_v × d, `mask` n × n and True = may attend. The heads in `zeroed` give 0; `mixed` multiplies by W_O;
    `num_kv_heads` = g < h lets h / g neighbours share the mean of their keys, and of their values. `axes` names the
    columns of the output, `selected` is the head shown large. Beyond 12 tokens its cells are shades, without numbers,
    and the output is shown for the first 12. Without any of them: `attnlib.houston.two_heads`.

    With `weights` (h × n × n) in place of all that, the grids are shown and nothing is computed. They travel in
    steps of 1/255, and only their lower triangles where the rest is 0. `columns` says how many grids stand in a row.

    Raises ValueError (`InputError`) for sizes that do not fit, naming them, and for entries that are not finite.

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
    columns = traitlets.Int(0).tag(sync=True)
    selected = traitlets.Int(0).tag(sync=True, link=True)
    zeroed = traitlets.List(traitlets.Int()).tag(sync=True, link=True)
    mixed = traitlets.Bool(False).tag(sync=True, link=True)
    num_kv_heads = traitlets.Int(1).tag(sync=True, link=True)

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
        parts = {"query": query, "key": key, "value": value, "w_o": w_o}
        missing = [name for name, part in parts.items() if part is None]
        given: dict[str, Any] = parts | {"mask": mask}
        if weights is not None:
            if len(missing) < len(parts) or mask is not None:
                raise InputError("give either weights, or query, key, value, w_o and mask")
            weights = np.asarray(weights, dtype=float)
            given, count = {"packed": _pack(weights)}, len(weights)
        else:
            if len(missing) == len(parts):
                tokens, given, options = tokens or houston.TOKENS, _trained(), TRAINED | options
            elif missing:
                raise InputError(f"{', '.join(missing)} missing: give query, key, value and w_o, or none of them")
            count = len(np.atleast_1d(given["query"]))
        names = [f"head {a + 1}" for a in range(count)] if heads is None else list(heads)
        super().__init__(**{"tokens": list(tokens or ()), "heads": names, "num_kv_heads": count} | given | options)

    @property
    def weights(self) -> Float[Array, "h n n"]:
        """What the grids show, with the keys that are shared."""
        if self.packed:
            return _unpack(self.packed, len(self.heads), len(self.tokens))
        mask = None if self.mask is None else np.array(self.mask)
        return attention_weights(np.array(self.query), self._shared(self.key), mask)

    @property
    def output(self) -> Float[Array, "n d_out"]:
        """The heads side by side, those in `zeroed` as 0, and times W_O where `mixed`."""
        return self._output(self.zeroed)

    @property
    def change(self) -> Float[Array, "d_out"]:
        """How much the largest change in each column of the output is that `zeroed` makes."""
        largest: Array = np.abs(self._output(self.zeroed) - self._output([])).max(axis=0)
        return largest

    def _shared(self, heads: list[list[list[float]]]) -> Array:
        return np.repeat(pool_heads(np.array(heads), self.num_kv_heads), len(heads) // self.num_kv_heads, axis=0)

    def _output(self, zeroed: list[int]) -> Array:
        if self.packed:
            raise InputError("weights alone give no output: pass query, key, value and w_o")
        mask = None if self.mask is None else np.array(self.mask)
        parts = attention(np.array(self.query), self._shared(self.key), self._shared(self.value), mask)
        parts[zeroed] = 0
        beside = merge_heads(parts)
        return project(beside, np.array(self.w_o)) if self.mixed else beside

    def check(self, inputs: SimpleNamespace) -> None:
        h, n = len(inputs.heads), len(inputs.tokens)
        if inputs.packed:
            _unpack(inputs.packed, h, n)
        else:
            _check_heads(inputs, h, n)
        for name in ("selected", "zeroed"):
            for a in np.atleast_1d(getattr(inputs, name)).tolist():
                check_index(f"{name} head", a, h)
        if not 0 <= inputs.columns <= h:
            raise InputError(f"columns must lie between 0 and the {h} heads, got {inputs.columns}")

    def fallback(self) -> str:
        weights = self.weights
        what = self.caption("query (row) reads from key (column).")
        if weights.size > CELLS:
            return self._summary(weights)
        names = [f"{head}: {token}" for head in self.heads for token in self.tokens]
        flat = weights.reshape(-1, weights.shape[-1])
        blocked = np.tile(~np.array(self.mask), (len(weights), 1)) if self.mask else np.zeros(flat.shape, bool)
        if self.packed and _is_lower(weights):
            blocked = np.tile(~np.tri(weights.shape[-1], dtype=bool), (len(weights), 1))
        rows = [
            (name, ["–" if no else text(weight) for weight, no in zip(row, hidden, strict=True)])
            for name, row, hidden in zip(names, flat, blocked, strict=True)
        ]
        grids = table(what, self.tokens, rows, flat)
        return grids if self.packed else f"<div>{grids}{self._output_table()}</div>"

    def _output_table(self) -> str:
        out, change = self.output, self.change
        width = len(self.value[0][0])
        columns = [
            (self.axes[c] if c < len(self.axes) else f"{c + 1}")
            if self.mixed
            else f"{self.heads[c // width]}, {c % width + 1}"
            for c in range(len(change))
        ]
        rows = [(token, [text(entry) for entry in row]) for token, row in zip(self.tokens, out, strict=True)]
        sizes = ["0" if size <= CHANGED else "< 0.01" if size < 0.005 else text(size) for size in change]
        without = ", ".join(self.heads[a] for a in self.zeroed)
        caption = f"Output{' times W_O' if self.mixed else ''}{f', without {without}' if without else ''}. Numbers: {self.provenance}."
        return table(caption, columns, [*rows, ("changes by", sizes)], np.zeros((len(rows) + 1, 0)))

    def _summary(self, weights: Array) -> str:
        """One number for each head, where the weights are too many to read."""
        before = weight_back(weights, BACK) if weights.shape[-1] > BACK else np.zeros(len(weights))
        wide = self.columns or min(len(weights), 12)
        rows = [range(first, min(first + wide, len(weights))) for first in range(0, len(weights), wide)]
        shades = np.array(
            [[before[a] if a < len(before) else 0 for a in range(row.start, row.start + wide)] for row in rows]
        )
        cells = [[text(before[a]) for a in row] + [""] * (wide - len(row)) for row in rows]
        named = [
            (f"{self.heads[row.start]} to {self.heads[row[-1]]}" if len(row) > 1 else self.heads[row.start])
            for row in rows
        ]
        caption = (
            f"{self.title}: how much of its weight each of {len(weights)} heads puts on the token before, on average. "
            f"Numbers: {self.provenance}."
        )
        return table(caption, [str(c + 1) for c in range(wide)], list(zip(named, cells, strict=True)), shades)


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
    if inputs.num_kv_heads < 1 or h % inputs.num_kv_heads:
        raise InputError(f"{h} heads do not divide into num_kv_heads = {inputs.num_kv_heads} groups")


def _is_lower(weights: Array) -> bool:
    return not np.triu(weights, 1).any()


def _pack(weights: Array) -> str:
    """The weights as bytes in base64: all, or only the lower triangles where the rest is 0."""
    if weights.ndim != 3 or 0 in weights.shape or weights.shape[1] != weights.shape[2]:
        raise InputError(f"weights must have shape (h, n, n) with h, n ≥ 1, got {weights.shape}")
    for index in np.argwhere(~((weights >= 0) & (weights <= 1))):
        raise InputError(f"weights{index.tolist()} is {weights[tuple(index)]}: a weight lies between 0 and 1")
    steps = np.rint(weights * 255).astype(np.uint8)
    if _is_lower(weights):
        steps = steps[:, *np.tril_indices(weights.shape[1])]  # (h, n(n+1)/2)
    return b64encode(steps.tobytes()).decode()


def _unpack(packed: str, h: int, n: int) -> Array:
    try:
        steps = np.frombuffer(b64decode(packed, validate=True), dtype=np.uint8) / 255
    except ValueError as error:
        raise InputError(f"the packed weights are not in base64: {error}") from error
    if steps.size == h * n * n:
        return steps.reshape(h, n, n)
    if steps.size != h * n * (n + 1) // 2:
        raise InputError(f"{steps.size} weights for {h} heads of {n} tokens")
    weights = np.zeros((h, n, n))
    weights[:, *np.tril_indices(n)] = steps.reshape(h, -1)
    return weights
