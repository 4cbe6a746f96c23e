"""Spreadsheets that a teacher fills in, and text that harms neither a spreadsheet nor a terminal.

Students choose file names, messages and answers. All of it passes `safe` on the way to a file, and `texts.line` on the way
to a terminal.
"""

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

from classroom.course import Course, CourseError
from classroom.texts import clean, decoded, line

LONGEST = 32_000  # characters; a spreadsheet's cell holds 32 767
# The beginning of a cell: blanks, quotes and what has no width, and a sign of a formula if there is one.
BEGINNING = re.compile(
    r"((?:^|[;,|\t\n])"
    r"[\s\"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]*)"
    r"([=+\-@＝＋－＠﹦﹢﹣﹫\u2212]?)"
)
MARKED = re.compile(BEGINNING.pattern.replace("([=", "('?)([=", 1))


def safe(text: str) -> str:
    """Text that no spreadsheet takes for a formula, whichever of comma, semicolon and tab it splits at."""
    text = clean(text)
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} … (cut here: {len(text)} characters in all)"
    return marked(text)


def marked(text: str) -> str:
    """The text with an apostrophe before each sign that begins a formula."""
    return BEGINNING.sub(lambda found: f"{found[1]}'{found[2]}" if found[2] else found[1], text)


def unmarked(text: str) -> str:
    """The text without the apostrophes that `marked` put there."""
    return MARKED.sub(lambda found: found[1] + ("" if found[3] else found[2]) + found[3], text)


def name(student: str) -> str:
    """A student's name as it stands in every sheet."""
    return safe(line(student, 120))


def meant(text: str, names: Iterable[str]) -> str:
    """Which of the names a cell holds: a spreadsheet that takes 0815 for a number writes 815.

    The text itself, where it is none of them, or could be two.
    """
    known = set(names)
    same = [one for one in known if text.isdecimal() and one.isdecimal() and int(text) == int(one)]
    return same[0] if text not in known and len(same) == 1 else text


def read(file: Path, columns: list[str]) -> list[dict[str, str]]:
    """The rows of a sheet however a spreadsheet saved it: any of its encodings, with `,` `;` or tabs."""
    if not file.exists():
        return []
    text, _ = decoded(file.read_bytes())
    first = text.lstrip().partition("\n")[0]
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count)))
    except csv.Error as error:
        raise CourseError(f"{file.name} cannot be read: {error}. No grade was changed.") from None
    found = [{str(name).strip().lower(): value or "" for name, value in row.items() if name} for row in rows]
    if found and (lost := [column for column in columns if column not in found[0]]):
        raise CourseError(
            f"{file.name} has lost the column {', '.join(lost)}; it needs {', '.join(columns)}. No grade was changed."
        )
    return [row for row in found if any(value.strip() for value in row.values())]


def write(course: Course, file: Path, columns: list[str], rows: list[list[str]], keys: list[str]) -> None:
    """Write the sheet. What a teacher filled in about one of the `keys`, and it lacks now, is kept in `earlier/`."""
    made = [dict(zip(columns, map(safe, row), strict=True)) for row in rows]
    filled = [one for one in columns if one in {"points", "decision", "comment"} or one.startswith("criterion")]
    kept = [_words(row, keys + filled) for row in made]
    before = [_words(row, keys + filled) for row in read(file, [])]
    if any(row not in kept for row in before if any(row[len(keys) :])):
        course.set_aside(file)
    course.write(file, table([columns, *[list(row.values()) for row in made]]))


def table(rows: list[list[str]]) -> bytes:
    """Rows as bytes that spreadsheets read with their umlauts."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8-sig", "replace")


def number(text: str, most: float) -> float | None:
    """Points as a person writes them, `2,5` or `2.5`; None for what is not between 0 and `most`."""
    if not re.fullmatch(r"\d+([.,]\d*)?|[.,]\d+", text.strip(), re.ASCII):
        return None
    points = float(text.strip().replace(",", "."))
    return points if points <= most else None


def _words(row: dict[str, str], columns: list[str]) -> list[str]:
    """Whose row it is and what was filled in, as far as a spreadsheet leaves it alone."""
    return [" ".join(row.get(column, "").replace(",", ".").split()) for column in columns]
