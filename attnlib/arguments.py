"""What every form of attention takes, checked in one place: a fault gives the same sentence from each of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray as Array

from attnlib.checks import (
    as_array,
    as_divisor,
    as_flag,
    as_integer,
    as_number,
    forbid,
    must_be_finite,
    must_fit,
    working_copies,
)

# The axes of a decoder's parameters: see `attnlib.decoder`
AXES = {
    "embedding": "v d",
    "w_q": "L d hk",
    "w_k": "L d hk",
    "w_v": "L d hv",
    "w_o": "L hv d",
    "bias": "L h reach",
    "unembedding": "d v",
}


@dataclass(frozen=True)
class Arguments:
    """Checked, and in the dtype to compute in. `offset` is None where attention is not causal."""

    query: Array
    key: Array
    value: Any  # an array, or None where weights are asked for
    mask: Array | None
    bias: Array | None
    offset: int | None
    factor: Any  # what scores are multiplied by
    softcap: Any
    zero_blocked: bool
    batch: tuple[int, ...]  # the leading axes of the result
    dtype: np.dtype  # of the result
    longest_query: float
    longest_key: float
    longest_value: float

    @property
    def cells(self) -> int:
        """How many scores there are."""
        return math.prod((*self.batch, self.query.shape[-2], self.key.shape[-2]))

    def scores(self) -> Array:
        """scale · Q Kᵀ, capped, plus the bias: (*batch, n_q, n_k); an error for one that leaves its range."""
        return self._scores(self.query, self.key, self.bias)

    def must_fit(self) -> None:
        """Raise for the first score that leaves its range, one query after the other."""
        query, key = (np.broadcast_to(x, (*self.batch, *x.shape[-2:])) for x in (self.query, self.key))
        grid = (*query.shape[:-1], key.shape[-2])
        bias = None if self.bias is None else np.broadcast_to(self.bias, grid)
        for index in np.ndindex(grid[:-1]):
            self._scores(query[index], key[index[:-1]], None if bias is None else bias[index], index)

    def _scores(self, query: Array, key: Array, bias: Array | None, at: tuple[int, ...] = ()) -> Array:
        """`at` is where the query stands, if it is one."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores: Array = (query * self.factor) @ np.swapaxes(key, -1, -2)
            must_fit("score", scores, "query and key are", at)
            if self.softcap is not None:
                scores = self.softcap * np.tanh(scores / self.softcap)
            if bias is not None:
                scores = scores + bias
                forbid("score", scores, scores == np.inf, f"leaves its range: bias is too large for {scores.dtype}", at)
        return scores

    def treat_blocked(self, result: Array, blocked: Array) -> None:
        """Queries that may attend to no key: their rows become 0 with `zero_blocked`, else the first is an error."""
        if not self.zero_blocked:
            forbid("query", blocked, blocked, "may attend to no key: its whole row is masked")
        result[blocked] = 0


def checked(
    query: Any,
    key: Any,
    value: Any = None,
    mask: Any = None,
    *,
    causal: bool = False,
    offset: int = 0,
    bias: Any = None,
    scale: float | None = None,
    softcap: float | None = None,
    zero_blocked: bool = False,
) -> Arguments:
    """The arguments of an attention, or an error that names the one at fault."""
    (query, key, value, bias), dtype = working_copies("value", "bias", query=query, key=key, value=value, bias=bias)
    check_rows(query, key, value)
    lengths = [longest(name, array) for name, array in (("query", query), ("key", key), ("value", value))]
    grid = query.shape[-2], key.shape[-2]
    if mask is not None:
        mask = _of_the_grid("mask", as_array("mask", mask, "b"), grid)
    if bias is not None:
        must_be_a_bias("bias", _of_the_grid("bias", bias, grid))
    return Arguments(
        *(query, key, value, mask, bias),
        longest_query=lengths[0],
        longest_key=lengths[1],
        longest_value=lengths[2],
        offset=as_offset(causal, offset),
        factor=scale_factor(query, scale),
        softcap=None
        if softcap is None
        else query.dtype.type(as_number("softcap", softcap, positive=True, dtype=query.dtype)),
        zero_blocked=as_flag("zero_blocked", zero_blocked),
        batch=broadcast_batch(query=query, key=key, value=value, mask=mask, bias=bias),
        dtype=dtype,
    )


def broadcast_batch(**arrays: Array | None) -> tuple[int, ...]:
    """The batch axes that all arrays have together, as NumPy broadcasts them.

    Args:
        **arrays: (…, rows, columns) or None, by the names that errors call them.
    """
    given = {name: array for name, array in arrays.items() if array is not None}
    if len({array.shape[:-2] for array in given.values()}) == 1:  # as nearly always
        return next(iter(given.values())).shape[:-2]
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in given.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in given.items())
        raise ValueError(f"the batch axes do not broadcast: {shapes}") from None


def scale_factor(query: Array, scale: float | None) -> Any:
    """What dot products are multiplied by, in the dtype of the queries, which a bare float64 would upcast.

    Args:
        query: rows of queries, (…, n_q, d_k).
        scale: the number; None means 1/√d_k.
    """
    factor = query.shape[-1] ** -0.5 if scale is None else as_number("scale", scale, dtype=query.dtype)
    return query.dtype.type(factor)


def check_rows(query: Array, key: Array, value: Array | None = None) -> None:
    """Raise when the arrays do not fit each other or hold no rows. Their batch axes are another matter.

    Args:
        query, key, value: (…, n_q, d_k), (…, n_k, d_k) and (…, n_k, d_v); a value may be None.
    """
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array is not None:
            as_array(name, array, ndim=2)
    for name, array in (("query", query), ("key", key)):
        if 0 in array.shape[-2:]:
            raise ValueError(f"{name} is an empty sequence or has no columns: it has shape {array.shape}")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query and key must share d_k, their last axis: query has shape {query.shape}, key {key.shape}"
        )
    if value is not None and value.shape[-2] != key.shape[-2]:
        raise ValueError(f"value must have one row for each key: key has shape {key.shape}, value {value.shape}")


def must_be_a_bias(name: str, array: Array) -> None:
    """Raise for the first entry that is NaN or ∞; −∞ blocks a cell."""
    if array.dtype.kind == "f" and not array.max(initial=-np.inf) < np.inf:  # NaN is not less either
        forbid(name, array, ~(array < np.inf), "is {value}: it must be finite, or −∞ to block")


def as_tokens(name: str, tokens: Any, vocabulary: int, ndim: int = 1) -> Array:
    """Rows of an embedding, (…, n), with so many axes or more."""
    ids = as_array(name, tokens, "iu", ndim)
    if not ids.size:
        raise ValueError(f"{name} must be 1 or more integers, got shape {ids.shape}")
    forbid(name, ids, (ids < 0) | (ids >= vocabulary), f"is {{value}}: it must be from 0 to {vocabulary - 1}")
    return ids


def as_parameters(parameters: Mapping[str, Array], called: str = "parameters") -> dict[str, Array]:
    """A decoder's parameters in the order of `AXES`, as they are; or an error that names what is missing or has no such axes."""
    if not isinstance(parameters, Mapping):
        raise TypeError(f"{called} must be a dict of arrays, got {type(parameters).__name__}")
    if missing := AXES.keys() - parameters.keys() - {"unembedding"}:
        raise ValueError(f"{called} lack {', '.join(sorted(missing))}")
    arrays = {name: as_array(name, parameters[name]) for name in AXES if name in parameters}
    for name, array in arrays.items():
        if array.ndim != len(AXES[name].split()) or 0 in array.shape:
            raise ValueError(_shape_told(name, array))
    return arrays


def checked_parameters(parameters: Mapping[str, Array]) -> tuple[dict[str, Array], np.dtype]:
    """A decoder's parameters, which fit each other, and the dtype of a result; or an error that names what does not fit."""
    arrays = as_parameters(parameters)
    sizes: dict[str, int] = {}
    for name, array in arrays.items():
        for axis, size in zip(AXES[name].split(), array.shape, strict=True):
            if sizes.setdefault(axis, size) != size:
                raise ValueError(f"{_shape_told(name, array)}, but {axis} = {sizes[axis]} elsewhere")
    for name in ("w_q", "w_v"):
        as_divisor("the number of heads in bias", sizes["h"], arrays[name].shape[-1], f"the columns of {name}")
    must_be_finite(**arrays)
    working, dtype = working_copies(**arrays)
    return dict(zip(arrays, working, strict=True)), dtype


def as_offset(causal: Any, offset: Any) -> int | None:
    """How many keys precede the first query of a causal attention, and None for one that is not causal."""
    causal, offset = as_flag("causal", causal), as_integer("offset", offset, 0)
    if offset and not causal:
        raise ValueError(f"offset moves the diagonal of a causal attention: pass causal=True with offset = {offset}")
    return offset if causal else None


def longest(name: str, rows: Array | None) -> float:
    """No row is longer than this, ∞ where that leaves the range; an error for an entry that is not finite."""
    if rows is None:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        tiny = float(np.finfo(rows.dtype).tiny)  # what a square may lose
        length = math.sqrt(float(np.vecdot(rows, rows).max(initial=0)) + rows.shape[-1] * tiny)
    if not math.isfinite(length):
        must_be_finite(**{name: rows})
    return length


def _of_the_grid(name: str, array: Array, grid: tuple[int, int]) -> Array:
    """The array, which must have one entry for each query and key; its batch axes broadcast."""
    if array.shape[-2:] != grid:
        raise ValueError(
            f"{name} of shape {array.shape} does not fit scores of shape (…, {grid[0]}, {grid[1]}): (…, n_q, n_k)"
        )
    return array


def _shape_told(name: str, array: Array) -> str:
    return f"{name} has shape {array.shape}, which stands for ({', '.join(AXES[name].split())})"
