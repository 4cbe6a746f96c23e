"""Weights and vectors as bytes: what `attnlib.models.recording` keeps, and widgets/packed.mjs unpacks."""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.checks import as_integer, as_text

SIDE = 32  # rows and columns of a small picture: a longer text's cells are joined to their largest weight
BLOCKED = -60_000.0  # added to the score of a key that is not read: float16 has no infinity to be kept

Head = tuple[int, int]


@dataclass(frozen=True)
class Vectors:
    """A head's queries (n_q, d), keys (n_k, d), and what is added to its scores, (n_q, n_k) or None.

    >>> Vectors(np.ones((3, 2)), np.ones((4, 2))).bias is None
    True
    """

    queries: Float[Array, "n_q d"]
    keys: Float[Array, "n_k d"]
    bias: Float[Array, "n_q n_k"] | None = None

    @classmethod
    def of(cls, stack: Any, layer: int, head: int) -> "Vectors":
        """Those of a head of a stack; a mask other than the stack's own causal one counts as a bias of −60,000."""
        queries, keys, bias = stack.queries(layer, head), stack.keys(layer, head), stack.bias(layer, head)
        mask = np.asarray(stack.mask(layer))
        allowed = np.tril(np.ones(mask.shape, dtype=bool)) if stack.causal else np.ones(mask.shape, dtype=bool)
        if not mask[allowed].all():
            bias = np.where(mask, 0 if bias is None else bias, BLOCKED)
        return cls(queries, keys, bias)


def readable_text(name: str, text: Any) -> str:
    """A text whose lone surrogates, which no file can hold, are U+FFFD."""
    return as_text(name, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def kept_size(n_q: int, n_k: int, causal: bool) -> int:
    """How many weights of a head are kept: of a causal one the lower triangle."""
    return n_q * (n_q + 1) // 2 if causal else n_q * n_k


def kept_cells(n_q: int, n_k: int, causal: bool) -> tuple[Array, Array]:
    """The rows and the columns of the weights that are kept, row by row."""
    rows, columns = np.tril_indices(n_q, m=n_k) if causal else np.indices((n_q, n_k)).reshape(2, -1)
    return rows, columns


def flattened(grids: Array, causal: bool) -> Array:
    """The weights that are kept, row by row, (…, size)."""
    n_q, n_k = grids.shape[-2:]
    rows, columns = kept_cells(n_q, n_k, causal)
    return grids[..., rows, columns]


def pooled(grids: Array) -> Array:
    """At most 32 × 32 cells of each grid, each the largest of those that it stands for."""
    for axis in (-2, -1):
        n = grids.shape[axis]
        if n > SIDE:
            grids = np.maximum.reduceat(grids, np.arange(SIDE) * n // SIDE, axis=axis)
    return grids


def deflated(given: bytes) -> bytes:
    """The same bytes, deflated where that is shorter."""
    # Weights repeat, but seldom in longer patterns: 80 times as fast, and some percent larger at most.
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, strategy=zlib.Z_RLE)
    deflated = packer.compress(given) + packer.flush()
    return deflated if len(deflated) < len(given) else given


def inflated(what: str, given: bytes, size: int) -> bytes:
    """`size` bytes: those that are given, if they are as many, or else deflated ones.

    Raises:
        ValueError: for bytes that do not become so many, naming `what` and the sizes.
    """
    if len(given) == size:
        return given
    try:
        unpacker = zlib.decompressobj(-15)
        found = unpacker.decompress(given, size + 1)
        whole = unpacker.eof and not unpacker.unconsumed_tail
    except zlib.error:
        found, whole = b"", False
    if len(found) != size or not whole:
        raise ValueError(f"{what} has {len(given)} bytes, which do not unpack to its {size} weights")
    return found


def halved(at: Head, one: Vectors, n_q: int, n_k: int) -> Vectors:
    """Vectors in float16.

    Raises:
        ValueError: for sizes that do not fit, and what float16 does not hold, naming the head `at`.
    """
    queries, keys = np.asarray(one.queries), np.asarray(one.keys)
    if queries.ndim != 2 or queries.shape[0] != n_q or keys.shape != (n_k, queries.shape[1]):
        raise ValueError(f"head {at}: queries {queries.shape} and keys {keys.shape} for {n_q} and {n_k} tokens")
    bias = None if one.bias is None else np.asarray(one.bias)
    if bias is not None and bias.shape != (n_q, n_k):
        raise ValueError(f"head {at}: a bias {bias.shape} for {n_q} × {n_k} tokens")
    arrays = []
    for array in (queries, keys, bias):
        with np.errstate(over="ignore"):
            halves = None if array is None else array.astype(np.float16)
        if halves is not None and not np.isfinite(halves).all():
            raise ValueError(f"head {at}: float16 holds what is finite and below 65,520, and its vectors hold more")
        arrays.append(halves)
    return Vectors(*arrays)  # type: ignore[arg-type]


def pack_vectors(vectors: Mapping[Head, Vectors], n_q: int, n_k: int) -> dict[str, Any] | None:
    """Vectors of some heads as a page takes them, float16 in one piece, or None where there are none.

    Args:
        vectors: those of each (layer, head); all have the same width, and a bias or none.
        n_q, n_k: how many queries and keys each has.

    Raises:
        ValueError: for sizes that do not fit, and what float16 does not hold.
    """
    if not vectors:
        return None
    found = [halved(at, one, n_q, n_k) for at, one in vectors.items()]
    if len({(one.queries.shape[1], one.bias is None) for one in found}) > 1:
        raise ValueError("vectors must all have the same width, and a bias or none")
    arrays = [array for one in found for array in (one.queries, one.keys, one.bias) if array is not None]
    return {
        "heads": [list(at) for at in vectors],
        "width": found[0].queries.shape[1],
        "bias": found[0].bias is not None,
        "data": b"".join(array.astype("<f2").tobytes() for array in arrays),
    }


def unpack_vectors(given: Any, shape: tuple[int, int], n_q: int, n_k: int) -> dict[Head, Vectors]:
    """What `pack_vectors` was given, for a model of `shape` (layers, heads).

    Raises:
        ValueError: for bytes that are too few or too many, and a head that is not there, with the sizes.
    """
    if given is None:
        return {}
    width, biased, data = as_integer("vectors' width", given["width"], 1), bool(given["bias"]), bytes(given["data"])
    size = (n_q + n_k) * width + n_q * n_k * biased
    if len(data) != 2 * size * len(given["heads"]):
        raise ValueError(
            f"vectors have {len(data)} bytes, for {len(given['heads'])} heads of {2 * size} bytes in float16"
        )
    found = {}
    for row, (layer, head) in zip(np.frombuffer(data, "<f2").reshape(-1, size), given["heads"], strict=True):
        at = as_integer("layer", layer, 0, shape[0] - 1), as_integer("head", head, 0, shape[1] - 1)
        queries, keys, bias = np.split(row, [n_q * width, (n_q + n_k) * width])
        found[at] = Vectors(
            queries.reshape(n_q, width), keys.reshape(n_k, width), bias.reshape(n_q, n_k) if biased else None
        )
    return found


def with_base64(given: dict[str, Any]) -> dict[str, Any]:
    """What `to_dict` gave, bytes as base64: it can be JSON."""

    def code(one: bytes) -> str:
        return base64.b64encode(one).decode("ascii")

    vectors = given["vectors"] and given["vectors"] | {"data": code(given["vectors"]["data"])}
    return given | {"small": code(given["small"]), "heads": [code(one) for one in given["heads"]], "vectors": vectors}


def without_base64(given: dict[str, Any]) -> dict[str, Any]:
    """What `with_base64` was given."""

    def code(one: str) -> bytes:
        return base64.b64decode(one, validate=True)

    vectors = given["vectors"] and given["vectors"] | {"data": code(given["vectors"]["data"])}
    return given | {"small": code(given["small"]), "heads": [code(one) for one in given["heads"]], "vectors": vectors}
