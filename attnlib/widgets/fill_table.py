"""FillTable: a table that the reader fills, cell by cell, before it is shown."""

import html
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import traitlets

from anywidget_static import InputError, Texts
from attnlib.markup import marked
from attnlib.widgets.base import PageWidget
from attnlib.widgets.tables import table

OPEN = -1  # of a cell in which nothing is chosen
MOST = 12  # options of a column


class FillTable(PageWidget):
    """A table to fill in: each cell is a menu of its column's options, and *Check* says which cells are right.

    `rows` (1 to 16) and `columns` (1 to 8) are names. `options` holds the texts of each column, 2 to 12, and `right`
    an index into them for each cell, row by row. `why` holds a sentence for each row, which is read once the row is
    right; it may hold `code` in backticks and *emphasis*. The cells in `given`, pairs of a row and a column, are
    filled in.

    `chosen` holds what the reader has chosen, an index or −1 in the form of `right`; `checked` what was chosen at the
    last check; `shown` says whether the reader had the rest shown. All can be observed. Where a table of this
    width has no room, each row is a block.

    Raises:
        ValueError: an `InputError`, for lengths that do not fit, naming the row or the column and both sizes,
            for an index outside the options, for fewer than 2 options, and for a text that is empty.

    >>> planets = FillTable(["Earth", "Mars"], ["moons"], [["0", "1", "2"]], [[1], [2]], ["The Moon.", "Two."])
    >>> planets.chosen = [[1], [-1]]
    >>> planets.counts
    (1, 1, 2)
    """

    _alive = "fill in the table, and have it checked"
    title = traitlets.Unicode("Fill in the table").tag(sync=True)
    provenance = traitlets.Unicode("").tag(sync=True)
    rows = Texts(minlen=1, maxlen=16).tag(sync=True)
    columns = Texts(minlen=1, maxlen=8).tag(sync=True)
    options = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    right = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    why = traitlets.List(traitlets.Unicode()).tag(sync=True)
    given = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    chosen = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True, link=True)
    checked = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True, link=True)
    shown = traitlets.Bool(False).tag(sync=True, link=True)

    def __init__(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        options: Sequence[Sequence[str]],
        right: Sequence[Sequence[int]],
        why: Sequence[str],
        given: Iterable[Sequence[int]] = (),
        title: str = "",
        **settings: Any,
    ) -> None:
        settings |= {"title": title} if title else {}
        body = {"options": options, "right": right, "why": why, "given": given}
        super().__init__(rows=rows, columns=columns, **{k: list(v) for k, v in body.items()}, **settings)

    @traitlets.default("chosen")
    def _nothing_chosen(self) -> list[list[int]]:
        return [[OPEN] * len(self.columns) for _ in self.rows]

    @traitlets.default("checked")
    def _nothing_checked(self) -> list[list[int]]:
        return self._nothing_chosen()

    @property
    def counts(self) -> tuple[int, int, int]:
        """Of the cells that are not given: how many are chosen rightly, how many are open, and how many there are."""
        cells = [
            (chosen, right)
            for i, row in enumerate(zip(self.chosen, self.right, strict=True))
            for j, (chosen, right) in enumerate(zip(*row, strict=True))
            if [i, j] not in self.given
        ]
        return sum(a == b for a, b in cells), sum(a == OPEN for a, _ in cells), len(cells)

    def check(self, inputs: SimpleNamespace) -> None:
        rows, columns = inputs.rows, inputs.columns
        for what, names in (("row", rows), ("column", columns)):
            _check_texts(f"{what} {{}} has no name", names)
        _check_length("options", inputs.options, columns, "columns")
        for column, texts in zip(columns, inputs.options, strict=True):
            if not 2 <= len(texts) <= MOST:
                raise InputError(f"column '{column}' has {len(texts)} options: 2 to {MOST} are needed")
            _check_texts(f"option {{}} of column '{column}' has no text", texts)
        for name, least in (("right", 0), ("chosen", OPEN), ("checked", OPEN)):
            cells = getattr(inputs, name)
            _check_length(name, cells, rows, "rows")
            for row, line in zip(rows, cells, strict=True):
                _check_length(f"row '{row}' of {name}", line, columns, "columns")
                for column, index, texts in zip(columns, line, inputs.options, strict=True):
                    if not least <= index < len(texts):
                        bounds = f"outside {least} … {len(texts) - 1}".replace("-", "−")
                        raise InputError(f"{name} of row '{row}', column '{column}' is {index}, {bounds}")
        _check_length("why", inputs.why, rows, "rows")
        _check_texts("why[{}] is empty", inputs.why)
        for k, cell in enumerate(inputs.given):
            if len(cell) != 2 or not (0 <= cell[0] < len(rows) and 0 <= cell[1] < len(columns)):
                raise InputError(f"given[{k}] is {cell}, no row and column of {len(rows)} × {len(columns)} cells")
        if len(set(map(tuple, inputs.given))) == len(rows) * len(columns):
            raise InputError("every cell is given: there is nothing to fill in")

    def fallback(self) -> str:
        asked = "".join(
            f"<li>{html.escape(column)}: {html.escape(' / '.join(texts))}</li>"
            for column, texts in zip(self.columns, self.options, strict=True)
        )
        cells = [[texts[k] for k, texts in zip(line, self.options, strict=True)] for line in self.right]
        answers = table(f"{self.title}: the answers.", self.columns, list(zip(self.rows, cells, strict=True)))
        why = "".join(
            f"<li>{html.escape(row)}: {marked(sentence)}</li>"
            for row, sentence in zip(self.rows, self.why, strict=True)
        )
        origin = f" Numbers: {self.provenance}." if self.provenance else ""
        caption = html.escape(f"{self.title}: what to choose from in each column, for {', '.join(self.rows)}.{origin}")
        return (
            f'<figure class="attn"><figcaption>{caption}</figcaption><ul>{asked}</ul>'
            f"<details><summary>Answers</summary>{answers}<ul>{why}</ul></details></figure>"
        )


def _check_length(what: str, given: Sequence[Any], names: Sequence[str], kind: str) -> None:
    if len(given) != len(names):
        raise InputError(f"{what} has {len(given)} entries, for {len(names)} {kind}")


def _check_texts(sentence: str, texts: Sequence[str]) -> None:
    for i, text in enumerate(texts):
        if not text.strip():
            raise InputError(sentence.format(i))
