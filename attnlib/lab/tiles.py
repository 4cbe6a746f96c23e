"""Which numbers of multi-head attention are computed from which: each number is a tile, in stages from X to the output."""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool
from numpy import ndarray as Array

from attnlib.checks import as_choice, as_divisor, as_integer
from attnlib.multihead import merge_heads, split_heads

Stage = Literal["project", "split", "weights", "heads", "merge", "output"]
Forgotten = Literal["nowhere", "split", "merge", "both"]
MOST = 64  # tokens, and columns


def tile_parents(
    stage: Stage, n: int, d: int, num_heads: int, forgotten: Forgotten = "nowhere"
) -> Bool[Array, "tiles before"]:
    """True where a tile of a stage is computed from a tile of the stage before it, under a causal mask in each head.

    A stage's tiles are counted row by row. X, Q, "merge" and "output" have n × d of them, the split and "heads" have
    h × n × d/h, and "weights" has h × n × n, of which those that the mask blocks are computed from nothing. Q, K and V
    are cut alike: one tile stands for the three numbers at its place.

    Args:
        stage: "project" (from X), "split", "weights", "heads" (their outputs), "merge" or "output" (times W_O).
        n, d: the tokens and the columns of X, 64 of each at most.
        num_heads: h, which divides d.
        forgotten: where swapaxes is left out: the split reshapes (n, d) straight to (h, n, d/h), the merge (h, n, d/h)
            straight to (n, d).

    Returns:
        One row for each tile of the stage, one column for each tile of the stage before it.

    Raises:
        ValueError: for another stage or place, sizes out of range, and heads that do not divide d.

    >>> tile_parents("split", 2, 2, 2).argmax(axis=1)  # head 0 takes column 0 of both tokens: tiles 0 and 2
    array([0, 2, 1, 3])
    >>> tile_parents("split", 2, 2, 2, "split").argmax(axis=1)  # head 0 takes all of token 0
    array([0, 1, 2, 3])
    """
    stage = as_choice("stage", stage, get_args(Stage))  # type: ignore[assignment]
    forgotten = as_choice("forgotten", forgotten, get_args(Forgotten))  # type: ignore[assignment]
    n, d = as_integer("n", n, 1, MOST), as_integer("d", d, 1, MOST)
    h = as_divisor("num_heads", num_heads, d, "d")
    tiles = np.arange(n * d)
    if stage in ("project", "output"):
        return np.equal.outer(tiles // d, tiles // d)
    if stage in ("split", "merge"):
        if forgotten not in ("both", stage):
            tiles = (
                split_heads(tiles.reshape(n, d), h) if stage == "split" else merge_heads(tiles.reshape(h, n, d // h))
            )
        return np.eye(n * d, dtype=bool)[tiles.ravel()]
    a, i, j = np.indices((h, n, n)).reshape(3, -1, 1)
    b, k, _ = np.indices((h, n, d // h)).reshape(3, 1, -1)
    read = (a == b) & (j <= i) & (k <= i) if stage == "weights" else ((a == b) & (j <= i) & (k == i)).T
    return np.asarray(read)
