"""Weights and vectors as bytes: what `attnlib.models.recording` keeps, and widgets/packed.mjs unpacks."""

import base64
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.checks import as_integer, as_text

SIDE = 32  # rows and columns of a small picture: a longer text's cells are joined to their largest weight
BLOCKED = -60_000.0  # as a bias: the query may not read the key. What float16 does not hold is an error, so no infinity

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
        """Those of a head of a stack; a mask other than the stack's own causal one is a bias of −60,000."""
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
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_RLE)
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
        vectors: those of each (layer, head), each of a width of its own, with a bias or none. A bias that several have
            is kept once.
        n_q, n_k: how many queries and keys each has.

    Raises:
        ValueError: for sizes that do not fit, and what float16 does not hold.
    """
    biases: dict[bytes, int] = {}  # each with its number
    heads: list[list[int | None]] = []
    data = []
    for at, given in vectors.items():
        one = halved(at, given, n_q, n_k)
        number = None if one.bias is None else biases.setdefault(_coded(one.bias), len(biases))
        heads.append([*at, one.queries.shape[1], number])
        data += [_coded(one.queries), _coded(one.keys)]
    return {"heads": heads, "data": b"".join(data), "biases": list(biases)} if heads else None


def unpack_vectors(given: Any, shape: tuple[int, int], n_q: int, n_k: int) -> dict[Head, Vectors]:
    """What `pack_vectors` was given, for a model of `shape` (layers, heads).

    Raises:
        ValueError: for bytes that are too few or too many, and a head or bias that is not there, with the sizes.
    """
    if given is None:
        return {}
    data, biases, found, start = bytes(given["data"]), [], {}, 0
    for number, kept in enumerate(map(bytes, given["biases"])):
        if len(kept) != 2 * n_q * n_k:
            raise ValueError(f"bias {number} has {len(kept)} bytes, for {n_q} × {n_k} tokens in float16")
        biases.append(np.frombuffer(kept, "<f2").reshape(n_q, n_k))
    heads = [(as_integer("vectors' width", width, 1), at, number) for *at, width, number in given["heads"]]
    needed = sum(2 * (n_q + n_k) * width for width, *_ in heads)
    if len(data) != needed:
        raise ValueError(f"vectors have {len(data)} bytes, and their {len(heads)} heads take {needed} in float16")
    for width, (layer, head), number in heads:
        at = as_integer("layer", layer, 0, shape[0] - 1), as_integer("head", head, 0, shape[1] - 1)
        rows = np.frombuffer(data, "<f2", (n_q + n_k) * width, start).reshape(-1, width)
        start += rows.nbytes
        bias = None if number is None else biases[as_integer("the number of a bias", number, 0, len(biases) - 1)]
        found[at] = Vectors(rows[:n_q], rows[n_q:], bias)
    return found


def _coded(array: Array) -> bytes:
    return array.astype("<f2").tobytes()


def with_base64(given: dict[str, Any]) -> dict[str, Any]:
    """What `to_dict` gave, bytes as base64: it can be JSON."""
    return _changed(given, lambda one: base64.b64encode(one).decode("ascii"))


def without_base64(given: dict[str, Any]) -> dict[str, Any]:
    """What `with_base64` was given."""
    return _changed(given, lambda one: base64.b64decode(one, validate=True))


def _changed(given: dict[str, Any], code: Callable[[Any], Any]) -> dict[str, Any]:
    vectors = given["vectors"] and given["vectors"] | {
        "data": code(given["vectors"]["data"]),
        "biases": [code(one) for one in given["vectors"]["biases"]],
    }
    scores = {name: code(score) for name, score in given["scores"].items()}
    heads = [code(one) for one in given["heads"]]
    return given | {"small": code(given["small"]), "heads": heads, "scores": scores, "vectors": vectors}
