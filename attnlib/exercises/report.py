"""What a check says of an answer: rich in Jupyter and on the page, plain in a terminal."""

import html
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnlib.exercises.harness import Exercise, minus
from attnlib.exercises.results import Grids, close
from attnlib.markup import marked, unmarked

# What a notebook needs too, where the book's stylesheet is not.
LIST = "list-style:none;margin:.3rem 0 0;padding:0"
BESIDE = "display:flex;flex-wrap:wrap;gap:0 2rem"
WHY = "margin:0 0 .3rem 1.4em;text-indent:0"
# Mixed with the colour of the text, a colour can be read on light and on dark.
COLOURS = {True: "color-mix(in srgb,#1a9850 60%,currentColor)", False: "color-mix(in srgb,#d95f0e 60%,currentColor)"}
TERMINAL, PLAIN = {True: "\33[32m", False: "\33[31m"}, "\33[0m"
SIGNS = {True: "✓", False: "✗"}
DIFFERS = "color:inherit;background:color-mix(in srgb,#d9772b 28%,transparent)"


@dataclass(frozen=True)
class Report:
    """The properties of an answer, each with None where it holds, or the sentence that says what is wrong.

    `note` is what there is to say about a right answer, `notes` about a property that holds. `beside` has for some
    properties the expected grid and the one that came.
    """

    exercise: Exercise
    results: tuple[tuple[str, str | None], ...]
    note: str = ""
    beside: Mapping[str, Grids] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """How many properties hold."""
        return sum(says is None for _, says in self.results)

    @property
    def of(self) -> int:
        """How many there are."""
        return len(self.results)

    @property
    def correct(self) -> bool:
        """Whether every property holds."""
        return self.points == self.of

    def or_raise(self) -> "Report":
        """Itself when the answer is right; raises AssertionError with the sentences when it is not."""
        if not self.correct:
            raise AssertionError(repr(self))
        return self

    @property
    def verdict(self) -> str:
        """One line: right or not yet, and how many points."""
        word = "Right" if self.correct else "Not yet"
        return (
            f"{word}."
            if self.exercise.question is not None
            else f"{word}: {self.points} of {self.of} point{'' if self.of == 1 else 's'}."
        )

    def _lines(self) -> Iterator[tuple[str, bool, str, Grids | None]]:
        """Each property, whether it holds, what is said of it, and its grids; a sentence that was read is not repeated."""
        read = set()
        for name, says in self.results:
            holds, grids = says is None, None if says in read else self.beside.get(name)
            yield name, holds, "As above." if says in read else says or self.notes.get(name, ""), grids
            read |= {says} - {None}

    def __repr__(self) -> str:
        return self._text({True: "", False: ""})

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """IPython's form of it: in a terminal the signs have a colour."""
        coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        printer.text(self._text(TERMINAL) if coloured else repr(self))

    def _text(self, colours: Mapping[bool, str]) -> str:
        if self.exercise.question is not None:
            said = [*(says or "" for _, says in self.results), self.note]
            return " ".join([self.verdict, *(unmarked(text) for text in said if text)])
        lines = [self.verdict]
        for name, holds, says, grids in self._lines():
            sign = f"{colours[holds]}{SIGNS[holds]}{colours[holds] and PLAIN}"
            lines.append(f"{sign} {name}{f': {says}' if says else ''}")
            lines += [f"    {line}" for line in _plain(*grids)] if grids else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        kind = "yes" if self.correct else "no"
        verdict = f'<strong style="color:{COLOURS[self.correct]}">{SIGNS[self.correct]} {self.verdict}</strong>'
        if self.exercise.question is not None:
            said = " ".join(marked(text) for text in [*(says or "" for _, says in self.results), self.note] if text)
            return f'<div class="check check-{kind}"><p>{verdict} {said}</p></div>'
        items = ""
        for name, holds, says, grids in self._lines():
            sign = f'<b style="color:{COLOURS[holds]}">{SIGNS[holds]}</b>'
            table = _table(*grids) if grids else ""
            why = f'<div style="{WHY}">{marked(says)}{table}</div>' if says else ""
            items += f'<li class="check-{"yes" if holds else "no"}">{sign} {marked(name)}{why}</li>'
        return f'<div class="check check-{kind}"><p>{verdict}</p><ul style="{LIST}">{items}</ul></div>'


def _texts(expected: np.ndarray, got: np.ndarray) -> tuple[list[list[str]], list[list[str]], list[list[bool]]]:
    """Both grids as texts with as many digits as tell them apart, and which cells of the second differ."""
    apart = ~close(got, expected, 1e-6)  # what single precision leaves is no mistake
    if not apart.any():
        apart = ~close(got, expected)
    digits = 2
    while digits < 6 and any(
        f"{a:.{digits}f}" == f"{b:.{digits}f}" for a, b in zip(got[apart], expected[apart], strict=True)
    ):
        digits += 2
    shown = [[[_text(x, digits) for x in row] for row in grid.tolist()] for grid in (expected, got)]
    return shown[0], shown[1], apart.tolist()


def _text(value: bool | float, digits: int) -> str:
    """A truth value, or a number with a true minus sign, and none before zero."""
    if isinstance(value, bool):
        return str(value)
    text = f"{value:.{digits}f}"
    return text.replace("-", "") if float(text) == 0 else minus(text)


def _plain(expected: np.ndarray, got: np.ndarray) -> list[str]:
    right, theirs, apart = _texts(expected, got)
    theirs = [
        [f"{text}{'*' if differs else ' '}" for text, differs in zip(*pair, strict=True)]
        for pair in zip(theirs, apart, strict=True)
    ]
    sides = []
    for name, grid in (("expected", right), ("got", theirs)):
        width = max(len(text) for row in grid for text in row)
        rows = [name, *("  ".join(text.rjust(width) for text in row) for row in grid)]
        sides.append([row.ljust(max(map(len, rows))) for row in rows])
    return [f"{a}     {b}".rstrip() for a, b in zip(*sides, strict=True)]


def _table(expected: np.ndarray, got: np.ndarray) -> str:
    right, theirs, apart = _texts(expected, got)
    sides = []
    for name, grid, differ in (("expected", right, None), ("got", theirs, apart)):
        rows = ""
        for i, row in enumerate(grid):
            cells = (
                f'<mark style="{DIFFERS}">{text}</mark>' if differ and differ[i][j] else html.escape(text)
                for j, text in enumerate(row)
            )
            rows += f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        sides.append(f"<table><caption>{name}</caption><tbody>{rows}</tbody></table>")
    return f'<div style="{BESIDE}">{"".join(sides)}</div>'
