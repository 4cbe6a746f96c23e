"""HeadTiles: the numbers of X as tiles that are split into heads and merged again, and what each is computed from."""

from collections.abc import Sequence
from functools import reduce
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import traitlets
from jaxtyping import Bool
from numpy import ndarray as Array

from anywidget_static import InputError, OneOf, Texts, Whole
from attnlib.lab.tiles import Forgotten, tile_parents
from attnlib.widgets.base import PageWidget, check_index, fixed
from attnlib.widgets.tables import Row, table

TOKENS = ("we", "have", "a", "problem")
STAGES = ("X", "project", "split", "weights", "heads", "merge", "output")
LETTERS = "ABCDEFGH"


class HeadTiles(PageWidget):
    """X (n `tokens` × `d` numbers, 2 to 6 × 2 to 8) split into `num_heads` (2 to 4, dividing d), and merged again.

    Seven stages: 0 X, 1 Q, K and V, 2 the split, 3 the weights of each head (causal), 4 their outputs, 5 the merge, 6
    times W_O. They are shown up to `stage`, without it up to `at`. The chosen tile is tile number `tile` of stage `at`,
    counted row by row, head by head; with `at` = −1 none is chosen. What it is computed from lights up, and what is
    computed from it. `forgotten` says where swapaxes is left out: "nowhere", "split", "merge" or "both". All are synced.

    Raises:
        ValueError: an `InputError`, for a size, a stage or a tile out of range, naming it, and for heads that
            do not divide d.

    >>> HeadTiles(forgotten="split", at=6, tile=0).read  # the output at "we" reads its future
    ['we', 'a']
    >>> HeadTiles(forgotten="both").outputs[2]  # no future, but "a" cannot read "we" and "have"
    array([False, False,  True, False])
    """

    _alive = "go from X to the output, press any square, and forget swapaxes"
    title = traitlets.Unicode("Split and merged").tag(sync=True)
    provenance = traitlets.Unicode("not shown, only what each is computed from").tag(sync=True)
    tokens = Texts(minlen=2, maxlen=6).tag(sync=True)
    d = Whole(4, min=2, max=8).tag(sync=True)
    num_heads = Whole(2, min=2, max=4).tag(sync=True)
    forgotten = OneOf(get_args(Forgotten), "nowhere").tag(sync=True, link=True)
    stage = Whole(0, min=0, max=6).tag(sync=True, link=True)
    at = Whole(-1, min=-1, max=6).tag(sync=True, link=True)
    tile = Whole(0, min=0).tag(sync=True, link=True)
    constants = fixed(stages=list(STAGES), letters=LETTERS)

    def __init__(self, tokens: Sequence[str] = TOKENS, *, at: int = -1, **options: Any) -> None:
        super().__init__(tokens=list(tokens), at=at, **{"stage": max(at, 0)} | options)

    @property
    def parents(self) -> list[Bool[Array, "tiles before"]]:
        """For each stage after X, which of its tiles are computed from which of the stage before."""
        sizes = len(self.tokens), self.d, self.num_heads
        return [tile_parents(stage, *sizes, self.forgotten) for stage in STAGES[1:]]  # type: ignore[arg-type]

    @property
    def cone(self) -> list[Bool[Array, "tiles"]]:
        """Stage by stage from X on, what the chosen tile is computed from, itself, and what is computed from it."""
        parents = self.parents
        lit = [np.zeros(len(each), dtype=bool) for each in (parents[0].T, *parents)]
        if self.at < 0:
            return lit
        lit[self.at][self.tile] = True
        for k in range(self.at, 0, -1):
            lit[k - 1] = lit[k] @ parents[k - 1]
        for k in range(self.at + 1, len(lit)):
            lit[k] = parents[k - 1] @ lit[k - 1]
        return lit

    @property
    def read(self) -> list[str]:
        """The tokens that the chosen tile is computed from."""
        lit = self.cone[0].reshape(-1, self.d)
        return [token for token, row in zip(self.tokens, lit, strict=True) if row.any()]

    @property
    def outputs(self) -> Bool[Array, "n n"]:
        """Which tokens (columns) the output of each token (rows) is computed from."""
        n = len(self.tokens)
        made: Array = reduce(np.matmul, reversed(self.parents)).reshape(n, self.d, n, self.d)
        return np.asarray(made.any(axis=(1, 3)))

    def check(self, inputs: SimpleNamespace) -> None:
        n, h = len(inputs.tokens), inputs.num_heads
        if inputs.d % h:
            raise InputError(f"num_heads must divide d = {inputs.d}, got {h}")
        if inputs.at > inputs.stage:
            raise InputError(f"the tile is of stage {inputs.at}, and stages are shown up to {inputs.stage}")
        check_index("tile", inputs.tile, h * n * n if STAGES[inputs.at] == "weights" else n * inputs.d)

    def fallback(self) -> str:
        n, h = len(self.tokens), self.num_heads
        names = [f"{i + 1}{letter}" for i in range(n) for letter in LETTERS[: self.d]]
        split = self.parents[1].argmax(axis=1).reshape(h, n, -1)
        heads: list[Row] = [
            (f"head {a + 1}", [" ".join(names[t] for t in row) for row in head]) for a, head in enumerate(split)
        ]
        numbered = ", ".join(f"{i + 1} {token}" for i, token in enumerate(self.tokens))
        caption = self.caption(
            f"which numbers of Q, K and V stand in the rows of each head, by token ({numbered}) and column (A, B, …). "
            f"Where swapaxes is forgotten: {self.forgotten}."
        )
        words = np.where(np.triu(np.ones((n, n), dtype=bool), 1), "future", "read")
        rows: list[Row] = [
            (token, np.where(read, row, "–").tolist())
            for token, read, row in zip(self.tokens, self.outputs, words, strict=True)
        ]
        return table(caption, [f"row {i + 1}" for i in range(n)], heads) + table(
            "Which tokens (columns) each output (row) is computed from.", self.tokens, rows
        )
