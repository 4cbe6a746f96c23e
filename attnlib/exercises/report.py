"""What a check says of an answer, and what is done so far: rich in Jupyter and on the page, plain in a terminal."""

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from attnlib.exercises.harness import Exercise, minus
from attnlib.exercises.results import close
from attnlib.markup import marked, unmarked

Grids = tuple[np.ndarray, np.ndarray]

# What a notebook needs too, where the book's stylesheet is not.
LIST = "list-style:none;margin:.3rem 0 0;padding:0"
BESIDE = "display:flex;flex-wrap:wrap;gap:0 2rem"
DIFFERS = "color:inherit;background:color-mix(in srgb,#d9772b 28%,transparent)"


@dataclass(frozen=True)
class Report:
    """The properties of an answer, each with None where it holds, or the sentence that says what is wrong.

    `note` is what there is to say about a right answer. `beside` has for some properties the expected grid
    and the one that came.
    """

    exercise: Exercise
    results: tuple[tuple[str, str | None], ...]
    note: str = ""
    beside: Mapping[str, Grids] = field(default_factory=dict)

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

    def _lines(self) -> Iterator[tuple[str, str | None, Grids | None]]:
        """Each property, its sentence, and its grids; a sentence that was read already is not repeated."""
        read = set()
        for name, says in self.results:
            yield name, "As above." if says in read else says, None if says in read else self.beside.get(name)
            read |= {says} - {None}

    def __repr__(self) -> str:
        if self.exercise.question is not None:
            return " ".join(
                filter(
                    None, [self.verdict, *(says and unmarked(says) for _, says in self.results), unmarked(self.note)]
                )
            )
        lines = [self.verdict]
        for name, says, grids in self._lines():
            lines.append(f"{'✗' if says else '✓'} {name}{f': {says}' if says else ''}")
            lines += [f"    {line}" for line in _plain(*grids)] if grids else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        kind = "yes" if self.correct else "no"
        if self.exercise.question is not None:
            said = " ".join(marked(text) for text in [*(says or "" for _, says in self.results), self.note] if text)
            return f'<div class="check check-{kind}"><p><strong>{self.verdict}</strong> {said}</p></div>'
        items = ""
        for name, says, grids in self._lines():
            why = f"<br />{marked(says)}" if says else ""
            table = _table(*grids) if grids else ""
            items += (
                f'<li class="check-{"no" if says else "yes"}">{"✗" if says else "✓"} {marked(name)}{why}{table}</li>'
            )
        return f'<div class="check check-{kind}"><p><strong>{self.verdict}</strong></p><ul style="{LIST}">{items}</ul></div>'


def _texts(expected: np.ndarray, got: np.ndarray) -> tuple[list[list[str]], list[list[str]], list[list[bool]]]:
    """Both grids as texts with as many digits as tell them apart, and which cells of the second differ."""
    apart = ~close(got, expected)
    digits = 2
    while digits < 6 and any(
        f"{a:.{digits}f}" == f"{b:.{digits}f}" for a, b in zip(got[apart], expected[apart], strict=True)
    ):
        digits += 2
    shown = [[[_text(x, digits) for x in row] for row in grid.astype(float).tolist()] for grid in (expected, got)]
    return shown[0], shown[1], apart.tolist()


def _text(number: float, digits: int) -> str:
    """A true minus sign, and none before zero."""
    text = f"{number:.{digits}f}"
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


@dataclass(frozen=True)
class Progress:
    """For each chapter its exercises; for those that were tried, the most points and how many there are."""

    chapters: Mapping[int, tuple[Exercise, ...]]
    points: Mapping[str, tuple[int, int]]

    def done(self, chapter: int) -> int:
        """How many exercises of a chapter are right."""
        return sum(points == of for points, of in map(self._points, self.chapters[chapter]))

    def _points(self, exercise: Exercise) -> tuple[int, int]:
        return self.points.get(exercise.id, (0, max(1, len(exercise.properties))))

    def _heading(self, chapter: int) -> str:
        return f"Chapter {chapter}: {self.done(chapter)} of {len(self.chapters[chapter])} done"

    def _row(self, exercise: Exercise) -> tuple[str, str, str, str]:
        points, of = self._points(exercise)
        mark = "✓" if points == of else "·" if exercise.id in self.points else ""
        return mark, exercise.title, exercise.id, f"{points} of {of}" if exercise.id in self.points else ""

    def __repr__(self) -> str:
        lines = []
        for chapter, exercises in self.chapters.items():
            lines.append(self._heading(chapter))
            rows = [self._row(exercise) for exercise in exercises]
            widths = [max(len(row[i]) for row in rows) for i in (1, 2)]
            lines += [f"  {m or ' '} {t.ljust(widths[0])}  {i.ljust(widths[1])}  {p}".rstrip() for m, t, i, p in rows]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = ""
        for chapter, exercises in self.chapters.items():
            rows = ""
            for exercise in exercises:
                mark, title, id, points = map(html.escape, self._row(exercise))
                rows += (
                    f"<tr><td>{mark}</td><th scope='row'>{title}</th><td><code>{id}</code></td><td>{points}</td></tr>"
                )
            parts += f"<table class='check-progress'><caption>{self._heading(chapter)}</caption><tbody>{rows}</tbody></table>"
        return f"<div class='check'>{parts}</div>"
