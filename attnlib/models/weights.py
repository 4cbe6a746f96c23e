"""Weights of all heads in 8 bits, small pictures of them, and what each head does: what a recording is made of.

A weight w, from 0 to 1, is kept as the whole number q = round(255 w), and read as q / 255: the error is at most 1/510.
Where no query reads a later key, the lower triangle alone is kept. Bytes are deflated where that is shorter. A score is
kept to three digits.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy import ndarray as Array

from attnlib.models.packing import SIDE, deflated, flattened, inflated, kept_size, pooled
from attnlib.models.scores import SCORES, head_scores, score_cases

BOUND = 1 / 510  # the largest error of a weight
MOST = 250_000_000  # bytes of all weights, before they are deflated
SCORE = 1000  # a score of 1, as it is kept: in whole numbers of two bytes

Side = tuple[list[str], list[bool]]  # tokens, and which of them are none of the text


def check_size(shape: tuple[int, int], n_q: int, n_k: int, causal: bool) -> None:
    """An error for more weights than can be kept, and for none."""
    if not (n_q and n_k and shape[0] and shape[1]):
        raise ValueError(f"there is nothing to record: {shape[0]} × {shape[1]} heads, {n_q} queries, {n_k} keys")
    size = math.prod(shape) * kept_size(n_q, n_k, causal)
    if size > MOST:
        raise ValueError(
            f"{shape[0]} × {shape[1]} heads of {n_q:,} × {n_k:,} weights are {size / 1e6:,.0f} MB, "
            f"more than {MOST // 10**6} MB: record a shorter text"
        )


def check_bytes(small: bytes, heads: Sequence[bytes], shape: tuple[int, int], n_q: int, n_k: int, causal: bool) -> None:
    """An error, with the sizes, for bytes that are not those of so many heads and tokens."""
    check_size(shape, n_q, n_k, causal)
    count = math.prod(shape)
    if len(heads) != (count if max(n_q, n_k) > SIDE else 0):
        raise ValueError(f"the recording holds {len(heads)} heads of their own, for {count} heads of {n_q} × {n_k}")
    inflated("small", small, count * kept_size(min(n_q, SIDE), min(n_k, SIDE), causal))
    for at, one in enumerate(heads):
        inflated(f"head {at // shape[1]}, {at % shape[1]}", one, kept_size(n_q, n_k, causal))


def kept_weights(
    layers: Iterable[Any],
    shape: tuple[int, int],
    asks: Side,
    is_read: Side | None,
    causal: bool,
    mask: Callable[[int], Array | None],
    sinks: Sequence[bool],
) -> dict[str, Any]:
    """The bytes of all weights, and the scores, as a recording holds them, by name.

    Args:
        layers: for each layer its heads' weights, (num_heads, n_q, n_k).
        shape: how many layers and heads there are.
        asks: the tokens that ask, and which are none of the text.
        is_read: the same of those that are read, for cross-attention; None means those that ask.
        causal: whether no query reads a later key.
        mask: of a layer, True where a query may read, (n_q, n_k), or None for what `causal` says.
        sinks: of each layer, whether its heads have a learned sink.

    Raises ValueError for weights of another shape or outside 0 … 1, for later keys that are read nevertheless, and for
    more than 250 MB of weights.
    """
    tokens, special = asks
    n_q, n_k = len(tokens), len((is_read or asks)[0])
    check_size(shape, n_q, n_k, causal)
    long = max(n_q, n_k) > SIDE
    read: dict[str, Any] = {} if is_read is None else {"key_tokens": is_read[0], "key_special": is_read[1]}
    small, heads, found, cases = [], [], [], []
    for layer, given in enumerate(layers):
        grids = np.asarray(given, dtype=float)
        _check(layer, grids, (shape[1], n_q, n_k), causal)
        bytes_of = np.rint(255 * np.minimum(grids, 1)).astype(np.uint8)
        small.append(flattened(pooled(bytes_of), causal))
        if long:
            heads += [deflated(flattened(grid, causal).tobytes()) for grid in bytes_of]
        sees = mask(layer)
        sees = np.tri(n_q, n_k, dtype=bool) if sees is None and causal else sees
        found.append(head_scores(grids, tokens, special, mask=sees, sinks=sinks[layer], **read))
        cases.append(score_cases(tokens, special, mask=sees, sinks=sinks[layer], **read))
    names = [name for name in SCORES if all(name in layer for layer in found)]
    return {
        "small": deflated(np.concatenate([part.ravel() for part in small]).tobytes()),
        "heads": heads,
        "scores": {name: packed_score(np.stack([layer[name] for layer in found])) for name in names},
        "cases": {name: min(layer[name] for layer in cases) for name in names},
    }


def packed_score(score: Array) -> bytes:
    """A score of each head, from 0 to 1, to three digits."""
    packed: bytes = np.rint(SCORE * score).astype("<u2").tobytes()
    return packed


def unpacked_scores(given: Mapping[str, bytes], shape: tuple[int, int]) -> dict[str, Array]:
    """By the name of each score its numbers, (num_layers, num_heads).

    Raises:
        ValueError: for one that is none, is above 1, or does not have so many numbers.
    """
    scores = {}
    for name, packed in given.items():
        score = np.frombuffer(packed, np.uint8)
        if name not in SCORES or score.size != 2 * math.prod(shape) or (score.view("<u2") > SCORE).any():
            raise ValueError(f"scores[{name!r}] of {score.size} bytes is no score, or does not fit {shape} heads")
        scores[name] = score.view("<u2").reshape(shape) / SCORE
    return scores


def _check(layer: int, grids: Array, shape: tuple[int, int, int], causal: bool) -> None:
    if grids.shape != shape:
        raise ValueError(
            f"layer {layer} has weights of shape {grids.shape}, for {shape[0]} heads of {shape[1]} × {shape[2]} tokens"
        )
    wrong = np.argwhere(~((grids >= 0) & (grids <= 1 + 1e-3)))
    for head, i, j in wrong[:1]:
        raise ValueError(f"layer {layer}, head {head}: weight [{i}, {j}] is {grids[head, i, j]}, outside 0 … 1")
    if causal and np.triu(grids, 1).any():
        raise ValueError(f"layer {layer} reads later keys, and the recording is to be causal")
