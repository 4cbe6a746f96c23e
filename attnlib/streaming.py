"""The same attention in O(n) memory, tile by tile.

`attention_weights` computes all n × n weights at once, as the formula reads. Here a band of queries meets one tile of
keys after the other and keeps three running things for each query: its largest score, the sum of its
exponentials, and their blend of the values (Milakov & Gimelshein 2018; Dao et al. 2022, algorithm 1).
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Real
from numpy import ndarray as Array

from attnlib.arguments import Arguments, checked
from attnlib.checks import as_array, must_fit
from attnlib.threads import share_out

COLUMNS = 512  # keys in a tile
ROWS, CAUSAL_ROWS = 256, 128  # queries in a band; fewer where half of a tile on the diagonal is wasted
ALONE = 2**17  # cells that are not worth another thread
VECTORISED = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
# eˣ = 2^(x log₂ e), and where NumPy computes 2ˣ sixteen at a time it is the quicker
exp, LOG = (np.exp2, math.log2(math.e)) if {"X86_V4", "AVX512_SKX"} & set(VECTORISED) else (np.exp, 1.0)
SAFE = {np.dtype(np.float32): 60.0, np.dtype(np.float64): 500.0}  # a sum of exponentials of these stays in range


def streaming_attention(
    query: Real[Array, "*#batch n_q d_k"],
    key: Real[Array, "*#batch n_k d_k"],
    value: Real[Array, "*#batch n_k d_v"],
    mask: Bool[Array, "*#batch n_q n_k"] | None = None,
    *,
    causal: bool = False,
    offset: int = 0,
    bias: Real[Array, "*#batch n_q n_k"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    zero_blocked: bool = False,
) -> Float[Array, "*batch n_q d_v"]:
    """`attention` of the same arguments, in tiles of 2¹⁷ scores at most; `attention` does so for long sequences.

    Tiles above the diagonal are skipped. Where no score can be large, since |q·k| ≤ |q| |k|, exp needs no
    maximum subtracted, and the pass that finds it is saved.

    Args:
        query, key, value, mask, causal, offset, bias, scale, softcap, zero_blocked: as in `attention`.

    Returns:
        What each query reads, of shape (…, n_q, d_v).

    Raises:
        ValueError: as `attention`.
        TypeError: as `attention`.

    Source: Dao, Fu, Ermon, Rudra & Ré (2022), algorithm 1.

    >>> x = np.random.default_rng(0).normal(size=(3, 1000, 16))
    >>> from attnlib import attention_weights
    >>> bool(np.allclose(streaming_attention(x, x, x), attention_weights(x, x) @ x))
    True
    """
    given = checked(
        query, key, as_array("value", value), mask,
        causal=causal, offset=offset, bias=bias, scale=scale, softcap=softcap, zero_blocked=zero_blocked,
    )  # fmt: skip
    return in_tiles(given).astype(given.dtype, copy=False)


def tile_sizes(n_q: int, n_k: int, causal: bool) -> tuple[int, int, int]:
    """Queries, keys and heads in a tile.

    >>> tile_sizes(1000, 1000, False), tile_sizes(1000, 1000, True), tile_sizes(1, 8, True)
    ((256, 512, 1), (128, 512, 2), (1, 8, 16384))
    """
    rows = min(n_q, CAUSAL_ROWS if causal else ROWS)
    columns = min(n_k, max(COLUMNS, CAUSAL_ROWS * COLUMNS // rows))  # few queries, as when decoding: many keys
    return rows, columns, max(1, ROWS * COLUMNS // (rows * columns))  # short sequences: several heads


def in_tiles(given: Arguments) -> Array:
    """What each query reads, tile by tile, in the dtype to compute in: (*batch, n_q, d_v)."""
    dtype, n_q, n_k = given.query.dtype, given.query.shape[-2], given.key.shape[-2]
    bound = _bound(given)
    calm = bound < SAFE[dtype]
    small = given.longest_value * n_k * math.exp(bound if calm else 0) < float(np.finfo(dtype).max) / 2
    shift = 0 if small else n_k.bit_length()  # values so large that their sums might leave the range
    wide = not bound < float(np.finfo(dtype).max) / 2  # times `LOG` a score might leave the range
    power, log = (np.exp, dtype.type(1)) if wide else (exp, dtype.type(LOG))
    factor = given.factor * (log if given.softcap is None else dtype.type(1))
    out = np.empty((*given.batch, n_q, given.value.shape[-1]), dtype)
    total = np.empty((*given.batch, n_q, 1), dtype)
    arrays = _aligned(given.batch, out, total, given.query, given.mask, given.bias, given.key, given.value)
    rows, columns, together = tile_sizes(n_q, n_k, given.offset is not None)
    alone = given.cells < ALONE
    if not alone:
        together = min(together, -(-math.prod(given.batch) // 2)) or 1  # something for another thread

    def fill(task: tuple[tuple[int, ...], int, int]) -> None:
        lead, head, first = task
        heads = *lead, slice(head, head + together)
        o, t, q, mask, bias = (_part(x, (*heads, slice(first, first + rows))) for x in arrays[:5])
        key, value = (_part(x, heads) for x in arrays[5:])
        place = None if given.offset is None else given.offset + first
        with np.errstate(over="ignore", invalid="ignore"):  # a difference beyond the range is −∞, whose exp is 0
            band = _Band(q * factor, key, mask, bias, place, given.softcap, columns, power, log)
            band.read(value if small else np.ldexp(value, -shift), o, t, calm and small)

    heads = range(0, arrays[0].shape[-3], together)
    bands = range(0, n_q, rows)[::-1]  # of a causal attention the last take longest
    share_out(fill, itertools.product(np.ndindex(arrays[0].shape[:-3]), heads, bands), alone=alone)
    if given.mask is not None or given.bias is not None:
        given.treat_blocked(out, total[..., 0] == 0)
    if not small:
        with np.errstate(over="ignore"):
            must_fit("out", np.ldexp(out, shift, out=out), "the entries of value are")
    return out


@dataclass(frozen=True)
class _Band:
    """Queries that follow each other, for some heads, and all that they may read."""

    query: Array  # scaled
    key: Array
    mask: Array | None
    bias: Array | None
    place: int | None  # of the first query among the keys
    softcap: Any
    columns: int
    power: Callable[..., Array]  # eˣ of x times `log`
    log: Any

    def read(self, value: Array, out: Array, total: Array, calm: bool) -> None:
        """The blend of the values into `out`, and the sum of the exponentials into `total`: 0 where all is blocked."""
        n_q, n_k = self.query.shape[1], self.key.shape[1]
        end = n_k if self.place is None else min(n_k, self.place + n_q)
        ones = np.ones((self.columns, 1), out.dtype)  # a product with it sums rows, faster than sum does
        room = np.empty((*out.shape[:2], min(self.columns, end)), out.dtype)  # of every tile: it stays in cache
        largest = -np.inf
        for start in range(0, end, self.columns):
            tile = slice(start, min(start + self.columns, end))
            scores = self.scores(tile, room[..., : tile.stop - start])
            if not calm:
                self.block(scores, tile, False)
                larger = np.maximum(largest, scores.max(axis=-1, keepdims=True))
                base = np.where(larger == -np.inf, 0, larger)
                if start:
                    shrink = self.power(largest - base)
                    out *= shrink
                    total *= shrink
                scores -= base
                largest = larger
            self.power(scores, out=scores)
            if calm:
                self.block(scores, tile, True)
            if start:
                total += scores @ ones[: scores.shape[-1]]
                out += scores @ value[:, tile]
            else:
                np.matmul(scores, ones[: scores.shape[-1]], out=total)
                np.matmul(scores, value[:, tile], out=out)
        out /= total

    def scores(self, tile: slice, out: Array) -> Array:
        """Of one tile of keys, times `log`, into `out`: (heads, n_q, columns)."""
        scores: Array = np.matmul(self.query, self.key[:, tile].swapaxes(1, 2), out=out)
        if self.softcap is not None:
            scores /= self.softcap
            np.tanh(scores, out=scores)
            scores *= self.softcap
            scores *= self.log
        if self.bias is not None:
            scores += self.bias[..., tile] * self.log
        return scores

    def block(self, scores: Array, tile: slice, raised: bool) -> None:
        """What may not be read becomes −∞, and 0 once the scores are raised."""
        if self.mask is not None:
            np.copyto(scores, 0 if raised else -np.inf, where=~self.mask[..., tile])
        if self.place is None or tile.stop <= self.place + 1:
            return
        corner, skipped = scores[..., max(0, self.place - tile.start) :], max(0, tile.start - self.place)
        behind = _behind(CAUSAL_ROWS, scores.dtype)[: scores.shape[1], skipped : skipped + corner.shape[-1]]
        if raised:
            corner *= behind
        else:
            np.copyto(corner, -np.inf, where=behind == 0)


@cache
def _behind(n: int, dtype: np.dtype) -> Array:
    """1 where query i may read key j of a square on the diagonal."""
    return np.tri(n, dtype=dtype)


def _aligned(batch: tuple[int, ...], *arrays: Any) -> list[Any]:
    """Each array with one axis for all heads where all have the same batch axes, else with as many axes as `batch`."""
    if all(x is None or x.shape[:-2] == batch for x in arrays):
        return [None if x is None else x.reshape(math.prod(batch), *x.shape[-2:]) for x in arrays]
    return [x if x is None or x.shape[:-2] == batch else np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in arrays]


def _part(x: Any, index: Any) -> Any:
    return None if x is None else x[index]


def _bound(given: Arguments) -> float:
    """No score is larger than this; raises where one leaves the range of its dtype."""
    bound = abs(float(given.factor)) * given.longest_query * given.longest_key
    reach = 0.0 if given.bias is None else _reach(given.bias)
    most = float(np.finfo(given.query.dtype).max) / 4
    if not (bound < most and reach < most):
        given.must_fit()
    return reach + (bound if given.softcap is None else min(bound, float(given.softcap)))


def _reach(bias: Array) -> float:
    """How far a bias can move a score; −∞, which blocks, aside."""
    least = bias.min(initial=0)
    if least == -np.inf:
        least = bias.min(initial=0, where=bias > -np.inf)
    return float(max(bias.max(initial=0), -least))
