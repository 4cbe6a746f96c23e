"""The same attention in O(n) memory, tile by tile, and token by token with a cache.

`attention` computes all n × n weights at once, as its formula reads. Here a band of queries meets one tile of
keys after the other and keeps three running things for each query: its largest score, the sum of its
exponentials, and their blend of the values (Milakov & Gimelshein 2018; Dao et al. 2022, algorithm 1).
"""

import math
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import check_rows, must_be_finite, scale_factor, working_copies

COLUMNS = 512  # keys in a tile
ROWS, CAUSAL_ROWS = 256, 128  # queries in a band; fewer where half of a tile on the diagonal is wasted
VECTORISED = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
# eˣ = 2^(x log₂ e), and where NumPy computes 2ˣ sixteen at a time it is the quicker
exp, LOG = (np.exp2, math.log2(math.e)) if {"X86_V4", "AVX512_SKX"} & set(VECTORISED) else (np.exp, 1.0)
SAFE = {np.dtype(np.float32): 60.0, np.dtype(np.float64): 500.0}  # a sum of exponentials of these stays in range


def streaming_attention(
    query: Real[Array, "*batch n_q d_k"],
    key: Real[Array, "*batch n_k d_k"],
    value: Real[Array, "*batch n_k d_v"],
    *,
    causal: bool = False,
    offset: int = 0,
    scale: float | None = None,
) -> Float[Array, "*batch n_q d_v"]:
    """`attention`, or with `causal` `attention` under `causal_mask(n_q, n_k, offset=offset)`, without an n × n array.

    Tiles above the diagonal are skipped. Where no score can be large, since |q·k| ≤ |q| |k|, exp needs no
    maximum subtracted, and the pass that finds it is saved.

    Raises ValueError for sizes that do not fit, an empty sequence, an entry that is not finite, a negative
    offset, and a score too large for its dtype.

    Source: Dao, Fu, Ermon, Rudra & Ré (2022), algorithm 1.

    >>> x = np.random.default_rng(0).normal(size=(3, 1000, 16))
    >>> from attnlib import attention
    >>> bool(np.allclose(streaming_attention(x, x, x), attention(x, x, x)))
    True
    """
    (query, key, value), dtype = working_copies(query=query, key=key, value=value)
    check_rows(query, key, value)
    if offset < 0:
        raise ValueError(f"offset must be 0 or more, got {offset}")
    out = _streamed(query, key, value, offset if causal else None, scale, _longest(key))
    return out.astype(dtype, copy=False)


class KeyValueCache:
    """Keys and values of what was read before, so that a new token costs O(n) and not O(n²).

    `batch` is the shape of the leading axes, such as (sequences, heads). The room grows by doubling.

    >>> cache = KeyValueCache((), d_k=2, d_v=1)
    >>> for t in range(3):
    ...     out = cache.attend(np.eye(2)[:1], np.eye(2)[:1], np.array([[float(t)]]))
    >>> len(cache), out
    (3, array([[1.]]))
    """

    def __init__(self, batch: tuple[int, ...], d_k: int, d_v: int, dtype: type | np.dtype = np.float64) -> None:
        self._key = np.empty((*batch, 0, d_k), dtype)
        self._value = np.empty((*batch, 0, d_v), dtype)
        self._length = 0
        self._longest_key = 0.0

    def __len__(self) -> int:
        return self._length

    def attend(
        self,
        query: Real[Array, "*batch n d_k"],
        key: Real[Array, "*batch n d_k"],
        value: Real[Array, "*batch n d_v"],
        *,
        scale: float | None = None,
    ) -> Float[Array, "*batch n d_v"]:
        """Append the keys and values of n new tokens; return what their queries read, each from all up to itself.

        Equal to the last n rows of causal attention over all tokens so far. The result has the cache's dtype.

        Raises ValueError when the three do not fit each other or the cache, naming the sizes, and for an
        entry that is not finite; the cache is then what it was before.
        """
        given, _ = working_copies(query=query, key=key, value=value)
        rows = given[1].shape[-2] if given[1].ndim > 1 else 1
        rooms = {"query": self._key, "key": self._key, "value": self._value}
        for (name, room), new in zip(rooms.items(), given, strict=True):
            expected = (*room.shape[:-2], rows, room.shape[-1])
            if new.shape != expected or rows == 0:
                raise ValueError(f"{name} of shape {new.shape} does not fit this cache, which needs {expected}")
        with np.errstate(over="ignore"):
            query, key, value = (new.astype(self._key.dtype, copy=False) for new in given)
        must_be_finite(query=query, key=key, value=value)
        before, after = self._length, self._length + rows
        self._key, self._value = (self._room(held, after) for held in (self._key, self._value))
        self._key[..., before:after, :], self._value[..., before:after, :] = key, value
        dtype = np.promote_types(self._key.dtype, np.float32)
        query, key, value = (
            x.astype(dtype, copy=False) for x in (query, self._key[..., :after, :], self._value[..., :after, :])
        )
        longest = max(self._longest_key, _longest(key[..., before:, :]))
        out = _streamed(query, key, value, before, scale, longest)
        self._length, self._longest_key = after, longest
        return out.astype(self._key.dtype, copy=False)

    def truncate(self, length: int) -> None:
        """Forget all but the first `length` tokens, as to try another continuation.

        Raises ValueError for a length that is negative or beyond what was read.
        """
        if not 0 <= length <= self._length:
            raise ValueError(f"the cache holds {self._length} tokens: it cannot be cut to {length}")
        self._length = length

    def _room(self, held: Array, needed: int) -> Array:
        if needed <= held.shape[-2]:
            return held
        larger = np.empty((*held.shape[:-2], max(needed, 2 * held.shape[-2]), held.shape[-1]), held.dtype)
        larger[..., : self._length, :] = held[..., : self._length, :]
        return larger


def tile_sizes(n_q: int, n_k: int, causal: bool) -> tuple[int, int, int]:
    """Queries, keys and heads in a tile.

    >>> tile_sizes(1000, 1000, False), tile_sizes(1000, 1000, True), tile_sizes(1, 8, True)
    ((256, 512, 1), (128, 512, 2), (1, 8, 16384))
    """
    rows = min(n_q, CAUSAL_ROWS if causal else ROWS)
    columns = min(n_k, max(COLUMNS, CAUSAL_ROWS * COLUMNS // rows))  # few queries, as when decoding: many keys
    return rows, columns, max(1, ROWS * COLUMNS // (rows * columns))  # short sequences: several heads


def _streamed(
    query: Array, key: Array, value: Array, offset: int | None, scale: float | None, longest_key: float
) -> Array:
    """Inputs are checked; `offset` None means that every query reads every key."""
    dtype, n_q, heads = query.dtype, query.shape[-2], math.prod(query.shape[:-2])
    out = np.empty((*query.shape[:-1], value.shape[-1]), dtype)
    factor = scale_factor(query, scale)
    bound = abs(float(factor)) * _longest(query) * longest_key
    if not bound < np.finfo(dtype).max / 2:
        _must_fit(query, key, factor)
    rows, columns, together = tile_sizes(n_q, key.shape[-2], offset is not None)
    apart = [x.reshape(heads, *x.shape[-2:]) for x in (out, query, key, value)]  # (heads, n, width)
    with np.errstate(over="ignore", invalid="ignore"):  # a difference beyond the range is −∞, whose exp is 0
        for head in range(0, heads, together):
            o, q, k, v = (x[head : head + together] for x in apart)
            for first in range(0, n_q, rows):
                band, place = slice(first, first + rows), None if offset is None else offset + first
                given = o[:, band], q[:, band] * (factor * dtype.type(LOG)), k, v, place, columns
                _fill(*given, bound < SAFE[dtype])
                if not np.isfinite(o[:, band]).all():  # values so large that their sums leave the range
                    _fill(*given, False)
    must_be_finite(out=out)
    return out


def _fill(out: Array, query: Array, key: Array, value: Array, place: int | None, columns: int, calm: bool) -> None:
    """Attention of one band of queries, into `out`. The first of them stands at `place` among the keys."""
    n_q, n_k = query.shape[1], key.shape[1]
    end = n_k if place is None else min(n_k, place + n_q)
    ones = np.ones((columns, 1), out.dtype)  # a product with it sums rows, faster than sum does
    total = np.zeros((*out.shape[:-1], 1), out.dtype)
    largest = total - np.inf
    for start in range(0, end, columns):
        tile = slice(start, min(start + columns, end))
        scores = query @ key[:, tile].swapaxes(1, 2)  # (heads, n_q, columns)
        if on_diagonal := place is not None and tile.stop > place + 1:
            corner, skipped = scores[..., max(0, place - start) :], max(0, start - place)
            behind = _behind(CAUSAL_ROWS, out.dtype)[:n_q, skipped : skipped + corner.shape[-1]]
        if not calm:
            if on_diagonal:
                np.copyto(corner, -np.inf, where=behind == 0)
            larger = np.maximum(largest, scores.max(axis=-1, keepdims=True))
            if start:
                shrink = exp(largest - larger)
                out *= shrink
                total *= shrink
            scores -= larger
            largest = larger
        exp(scores, out=scores)
        if calm and on_diagonal:
            corner *= behind
        total += scores @ ones[: scores.shape[-1]]
        if start:
            out += scores @ value[:, tile]
        else:
            np.matmul(scores, value[:, tile], out=out)
    out /= total


@cache
def _behind(n: int, dtype: np.dtype) -> Array:
    """1 where query i may read key j of a square on the diagonal."""
    return np.tri(n, dtype=dtype)


def _must_fit(query: Array, key: Array, factor: Any) -> None:
    """Raise for the first query with a score beyond the range of its dtype."""
    for index in np.ndindex(query.shape[:-1]):
        with np.errstate(over="ignore", invalid="ignore"):
            scores = key[index[:-1]] @ (query[index] * factor)
        if not np.isfinite(scores).all():
            raise ValueError(f"query{list(index)} has a score that is not finite: too large for {query.dtype}")


def _longest(x: Array) -> float:
    """The greatest length of a row, in float64."""
    with np.errstate(over="ignore"):
        return math.sqrt(np.vecdot(x, x).max(initial=0))
