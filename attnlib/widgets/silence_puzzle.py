"""SilencePuzzle: which heads must be silenced until a trained model loses whom a pronoun stands for?"""

import itertools
from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import InputError, Numbers, Texts, Whole
from attnlib import trained
from attnlib.decoder import decoder_weights
from attnlib.lab.silenced import HEADS, record, recorded, row
from attnlib.widgets.base import PageWidget, check_within, fixed
from attnlib.widgets.tables import Row, table

LOWEST = 3  # pairs in the table, where no script runs


class SilencePuzzle(PageWidget):
    """Eight heads of the trained model read *Anna met Tom . he*. Which of them must be silenced so that it errs?

    The meter shows the share of right habits after a pronoun without what is silenced, by `attnlib.lab.silenced`: the
    mean of five draws of fresh texts, with 0 in place of what the heads add. A reader silences one head at a time, and
    the goal of 35 % is out of reach. Where the page hands over what is missing (`handed`), any number of heads are
    silenced together.

    `silenced` is a set of heads as its row in that record (0 to 255): `attnlib.lab.silenced.row("1.2", "2.2")` is 34.
    Before `handed` only the first head of it counts. `tried` holds the rows that were tried. `tokens` and `habits` name
    what stands in the grids and in the bars, the right habit first.

    Raises:
        ValueError: an `InputError`, for rows that are none.

    >>> SilencePuzzle(silenced=row("1.2")).right.round(2)
    np.float64(0.69)
    >>> SilencePuzzle(silenced=row("1.2", "2.2"), handed=True).right.round(2)
    np.float64(0.25)
    """

    _alive = "silence a head, and hand over what is missing"
    title = traitlets.Unicode("Silence the pronoun").tag(sync=True)
    provenance = traitlets.Unicode("trained, and recorded").tag(sync=True)
    tokens = Texts(minlen=5, maxlen=5).tag(sync=True)
    habits = Texts(minlen=6, maxlen=6).tag(sync=True)
    shares = Numbers("256", maxlen=256).tag(sync=True)
    said = Numbers("256 6").tag(sync=True)
    grids = Numbers("8 5 5").tag(sync=True)
    silenced = Whole(0, min=0, max=255).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    tried = traitlets.List(traitlets.Int()).tag(sync=True, link=True)
    constants = fixed(heads=list(HEADS))

    def __init__(self, tokens: Sequence[str] | None = None, **options: Any) -> None:
        given = {} if tokens is None else {"tokens": list(tokens)}
        super().__init__(**_as_recorded() | given | options)

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads that are silenced, such as "1.2"."""
        return _named(self._row)

    @property
    def right(self) -> float:
        """The share of right habits after a pronoun without them."""
        return np.float64(self.shares[self._row])

    @property
    def chances(self) -> Float[Array, "6"]:
        """The probability of each habit as the next word of the sentence without them."""
        return np.array(self.said[self._row])

    @property
    def _row(self) -> int:
        return self.silenced if self.handed else self.silenced & -self.silenced

    def check(self, inputs: SimpleNamespace) -> None:
        for i, one in enumerate(inputs.tried):
            if not 0 <= one <= 255:
                raise InputError(f"tried[{i}] is {one}, outside 0 to 255")
        check_within("shares", [inputs.shares], 0, 1)
        check_within("said", inputs.said, 0, 1)

    def fallback(self) -> str:
        pairs = sorted((row(*pair) for pair in itertools.combinations(HEADS, 2)), key=lambda pair: self.shares[pair])
        sets = dict.fromkeys([self._row, 0, *(row(head) for head in HEADS), *pairs[:LOWEST]])
        rows: list[Row] = [
            (" + ".join(_named(one)) or "nothing", [f"{self.shares[one]:.0%}", *self.said[one]]) for one in sets
        ]
        *before, last = self.tokens
        caption = self.caption(
            "what is silenced, the share of right habits after a pronoun in fresh texts, and the probability of "
            f"six habits after “{' '.join(self.tokens)}”, the right one first."
        )
        reads: list[Row] = [(head, grid[-1]) for head, grid in zip(HEADS, self.grids, strict=True)]
        return table(caption, ["right", *self.habits], rows) + table(
            f"What “{last}” reads in each head, from {' '.join(before)} and itself.",
            self.tokens,
            reads,
            np.array(self.grids)[:, -1],
        )


@cache
def _as_recorded() -> dict[str, Any]:
    """The record that a page needs, and the grids of the whole model."""
    found, sentence = recorded(), record()["sentence"]
    return {
        "tokens": sentence.split(),
        "habits": list(found.habits),
        "shares": found.pronoun.mean(axis=1).round(4),
        "said": found.said,
        "grids": decoder_weights(trained.parameters(), trained.encode(sentence)).reshape(8, 5, 5).round(3),
    }


def _named(number: int) -> tuple[str, ...]:
    return tuple(head for i, head in enumerate(HEADS) if number >> i & 1)
