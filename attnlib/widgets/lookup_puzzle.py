"""LookupPuzzle: a letter to be found with fixed weights, and then with weights that compare names."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float, Int
from numpy import ndarray as Array

from anywidget_static import InputError, Numbers, Real, Texts, Whole
from attnlib.lab.lookup import Lookup, compared_weights, largest_letter, lookup_rows, most_right, share_right
from attnlib.widgets.base import PageWidget, check_index
from attnlib.widgets.tables import Row, table

ITEMS, SIDE = 8, 4  # envelopes in a row; a name is a square of so many fields a side
LETTERS = "ABCDEFGHIJKLMNOP"


class LookupPuzzle(PageWidget):
    """Eight envelopes, each with a name, a square of 16 fields, and a letter: which letter has the name that is called?

    The answer is the letter with the largest share of the weights. Fixed weights are right as often as the commonest
    letter of a row is asked for, and no oftener (`attnlib.lab.most_right`). With `strength` above 0 an envelope's weight is
    in proportion to fixed · exp(strength · agreement): fields alike minus fields different. Where the page hands this control
    over, it sets the fixed weights alike. `rows` holds the questions, one row
    a text: a letter and a name as four hexadecimal digits for each envelope, as `written` makes them.

    Raises:
        ValueError: an `InputError`, for a row that cannot be read, naming it, and where all fixed weights are
            0.

    >>> LookupPuzzle(fixed=[1.0] * 8).right
    0.26953125
    >>> LookupPuzzle(fixed=[1.0] * 8, strength=1).right
    1.0
    """

    _alive = "move the weights, go to the next question, and hand over the control that compares names"
    title = traitlets.Unicode("Eight envelopes").tag(sync=True)
    provenance = traitlets.Unicode("random, seed 1").tag(sync=True)
    rows = Texts(minlen=1, maxlen=64).tag(sync=True)
    fixed = Numbers(str(ITEMS), np.eye(ITEMS)[0]).tag(sync=True, link=True)
    compares = traitlets.Bool(False).tag(sync=True, link=True)
    strength = Real(0.0, min=0, max=1).tag(sync=True, link=True)
    question = Whole(2, min=0, max=64 * ITEMS - 1).tag(sync=True, link=True)

    def __init__(self, rows: list[str] | None = None, **options: Any) -> None:
        super().__init__(rows=written(lookup_rows(np.random.default_rng(1))) if rows is None else rows, **options)

    @property
    def lookup(self) -> Lookup:
        """The names and letters of all rows."""
        return read(self.rows)

    @property
    def weights(self) -> Float[Array, "items"]:
        """Of the envelopes, for the question that is shown."""
        row, called = divmod(self.question, ITEMS)
        names = self.lookup.names[row]
        return compared_weights(names @ names[called], np.array(self.fixed), self.strength)

    @property
    def right(self) -> float:
        """The share of all questions that is answered rightly."""
        return share_right(*self.lookup, np.array(self.fixed), self.strength)

    def check(self, inputs: SimpleNamespace) -> None:
        rows = read(inputs.rows).letters
        check_index("question", inputs.question, rows.size)
        for i, weight in enumerate(inputs.fixed):
            if not 0 <= weight <= 1:
                raise InputError(f"fixed[{i}] is {weight}, outside 0 to 1")
        if not any(inputs.fixed):
            raise InputError("every weight is 0: nothing is mixed")

    def fallback(self) -> str:
        names, letters = self.lookup
        row, called = divmod(self.question, ITEMS)
        agreement = names[row] @ names[row, called]
        compared = compared_weights(agreement, np.ones(ITEMS), 1.0)
        rows: list[Row] = [
            (name[1:], [LETTERS[letter], str(score).replace("-", "−"), 1 / ITEMS, weight])
            for name, letter, score, weight in zip(
                self.rows[row].split(), letters[row], agreement, compared, strict=True
            )
        ]
        asked = (
            f"{self.rows[row].split()[called][1:]} is called, so {LETTERS[letters[row, called]]} is the right answer"
        )
        found = [LETTERS[largest_letter(weights, letters[row])] for weights in (np.ones(ITEMS), compared)]
        caption = self.caption(f"eight envelopes, each with a name and a letter. {asked}.")
        columns = ["letter", "fields alike − different", "weights all alike", "weights that compare names"]
        shown = table(caption, columns, [*rows, ("answer", ["", "", *found])])
        every = share_right(names, letters, np.ones(ITEMS), 1.0)
        alone = share_right(names, letters, np.eye(ITEMS)[0], 0.0)
        results: list[Row] = [
            ("the first envelope alone", [f"{alone:.0%}"]),
            ("the best that fixed weights can do", [f"{most_right(letters):.0%}"]),
            ("weights that compare names", [f"{every:.0%}"]),
        ]
        return shown + table(f"Right answers, of {letters.size} questions", ["right"], results)


def written(lookup: Lookup) -> list[str]:
    """Rows of envelopes as texts: a letter and four hexadecimal digits for each."""
    numbers = (lookup.names > 0) @ (2 ** np.arange(SIDE**2)[::-1])
    return [
        " ".join(f"{LETTERS[letter]}{number:04x}" for letter, number in zip(*row, strict=True))
        for row in zip(lookup.letters, numbers, strict=True)
    ]


def read(rows: list[str]) -> Lookup:
    """What `written` has written. Raises `InputError` for a row that is none, naming it."""
    names, letters = [], []
    for i, row in enumerate(rows):
        envelopes = row.split()
        if len(envelopes) != ITEMS:
            raise InputError(f"rows[{i}] has {len(envelopes)} envelopes, not {ITEMS}")
        for envelope in envelopes:
            if len(envelope) != 5 or envelope[0] not in LETTERS or set(envelope[1:]) - set("0123456789abcdef"):
                raise InputError(
                    f"rows[{i}]: {text_of(envelope)} is not a letter from A to P and four digits from 0 to f"
                )
        letters.append([LETTERS.index(envelope[0]) for envelope in envelopes])
        names.append([[1 if bit == "1" else -1 for bit in f"{int(one[1:], 16):016b}"] for one in envelopes])
    return Lookup(_whole(names), _whole(letters))


def _whole(numbers: list[Any]) -> Int[Array, "..."]:
    return np.array(numbers)


def text_of(envelope: str) -> str:
    """The envelope, cut where it is long."""
    return repr(envelope[:12])
