"""Answers in words, marked in a spreadsheet: `to-mark-SET.csv` holds each answer, and takes points and a comment.

The file is written when work is graded and read when work is graded again. Points stay until the answer changes;
emptied points are withdrawn. What was listed is recorded, so that a change can be told from what a spreadsheet does to a text.

Where a set is marked anonymously, a code stands in the place of the name. It belongs to the answer: equal answers have one
code and one row, and get the same points and comment. A set with a rubric has a column for each criterion.
"""

import hashlib
import re
import secrets
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from classroom import rubric, sheets
from classroom.course import Course, CourseError, digest
from classroom.rubric import Criteria

COLUMNS = ["points", "of", "comment"]
LISTED = ".marked.json"
CODES = ".codes.json"
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words; no digits, so no numbers
Rows = dict[tuple[str, str], dict[str, str]]
Entry = tuple[str, str, Any, Any, str]  # student, cell, nbgrader's grade and comment, answer


def anonymous(course: Course, name: str, on: bool | None = None) -> bool:
    """Whether a set is marked without names; `on` sets it, from then on."""
    record = course.remember(CODES) or {"salt": secrets.token_hex(16), "sets": []}
    if on is not None:
        sets = sorted({*record["sets"], name} if on else {*record["sets"]} - {name})
        record = course.remember(CODES, record | {"sets": sets})
    return name in record["sets"]


def mark(course: Course, name: str, answers: dict[str, dict[str, str]]) -> list[str]:
    """Carry points and comments over to the gradebook and list the answers again; sentences about rows passed over."""
    file = course.folder / f"to-mark-{name}.csv"
    record = course.remember(LISTED)
    listed: dict[str, Any] = dict(record.get(name, {}))
    known, said, coded = _known(file, [sheets.name(student) for student in answers])
    criteria = rubric.of_set(course.source(name))
    most = max(map(len, criteria.values()), default=0)
    with Gradebook(course.database) as book:
        entries = [entry for student in answers for entry in _entries(book, name, student, answers[student])]
        for student, cell, grade, comment, answer in entries:
            if not _same(answer, None, listed.get(f"{student}/{cell}")):
                grade.manual_score = comment.manual_comment = None  # points stay until the answer changes
                if coded:  # a row is its answer's, whoever gave another one before
                    del listed[f"{student}/{cell}"]
        labels = _labels(course, entries, coded)
        for student, cell, grade, _, _ in entries:  # all, before anything changes
            row = known.get((labels[student, cell], cell), {})
            _points(row, grade.max_score, file, criteria.get(cell, []), listed.get(f"{student}/{cell}"))
        for key in [*listed]:
            student, _, cell = key.partition("/")
            if student in answers and cell not in answers[student]:  # an answer that is gone takes its points along
                for _, _, grade, comment, _ in _entries(book, name, student, {cell: ""}):
                    grade.manual_score = comment.manual_comment = None
                    grade.needs_manual_grade = False
                del listed[key]
        for student, cell, grade, comment, answer in entries:
            filled, was = known.get((labels[student, cell], cell)), listed.get(f"{student}/{cell}")
            if filled and was and _same(answer, None, was) and not _same(answer, filled, was):
                said.append(f"{file.name}: {labels[student, cell]}, {cell}: its row has another answer; passed over.")
                filled = None  # a spreadsheet has written the answer anew, as a date
            given = was.get("criteria", []) if was else []
            if not _same(answer, filled, was):
                grade.manual_score = comment.manual_comment = None
                given = []
            elif filled:
                given = _criteria(filled, criteria.get(cell, []))
                comment.manual_comment = sheets.unmarked(filled.get("comment", "").strip()) or None
                if filled["points"].strip() or any(given) or (was and was["points"]):
                    grade.manual_score = _points(filled, grade.max_score, file, criteria.get(cell, []), was)
                if any(given) and not all(given):
                    said.append(f"{file.name}: {labels[student, cell]}, {cell}: not all criteria have points yet.")
            grade.needs_manual_grade = grade.manual_score is None
            if grade.manual_score is None:
                grade.auto_score = None
            points = "" if grade.manual_score is None else f"{grade.manual_score:g}"
            answered = digest(answer.encode("utf8", "replace"))
            listed[f"{student}/{cell}"] = {
                "points": points,
                "answer": answered,
                "criteria": given if any(given) else [],
            }
        used = {(label, cell) for (_, cell), label in labels.items()}
        now = anonymous(course, name)
        rows = _rows(entries, _labels(course, entries, now), listed, criteria, most)
        book.db.commit()
    who = ["code", "cell", "same"] if now else ["student", "cell"]
    numbered = [f"criterion {number}" for number in range(1, most + 1)]
    columns = [*who, *numbered, *COLUMNS, *(["rubric"] if most else []), "answer"]
    if now:
        counted = [[*row[:2], str(number), *row[2:]] for row, number in _counted(rows)]
        rows = sorted(counted, key=lambda row: (row[1], row[0]))
    sheets.write(course, file, columns, rows, [who[0], "cell"])
    course.remember(LISTED, record | {name: listed})
    past = "no such answer waits or was marked; passed over."
    return [*dict.fromkeys(said)] + [
        f"{file.name}: {one}, {cell}: {past}" for one, cell in known if (one, cell) not in used
    ]


def _known(file: Path, names: list[str]) -> tuple[Rows, list[str], bool]:
    """The rows by whose they are, sentences, and whether codes stand in the place of names."""
    known: Rows = {}
    said = []
    coded = any("code" in row for row in sheets.read(file, []))
    who = "code" if coded else "student"
    for row in sheets.read(file, [who, "cell", "points", "answer"]):
        key = sheets.meant(row[who].strip(), names), row["cell"].strip()
        filled = ["points", *(column for column in row if column.startswith("criterion"))]
        if key in known and any(known[key].get(column, "").strip() != row[column].strip() for column in filled):
            twice = f"{file.name}: {key[0]} has two rows with other points for {key[1]}"
            raise CourseError(f"{twice}. No grade was changed.")
        if key in known:
            said.append(f"{file.name}: {key[0]} has two rows for {key[1]}; the last counts.")
        known[key] = row | {"student": row[who]}
    return known, said, coded


def _entries(book: Gradebook, name: str, student: str, answers: dict[str, str]) -> list[Entry]:
    found = []
    for cell, answer in answers.items():
        try:
            grade, comment = (find(cell, name, name, student) for find in (book.find_grade, book.find_comment))
        except MissingEntry:
            continue
        found.append((student, cell, grade, comment, answer))
    return found


def _labels(course: Course, entries: list[Entry], coded: bool) -> dict[tuple[str, str], str]:
    """What each answer is listed under: the student's name, or a code of the answer.

    Equal answers that were marked apart before have codes of their own, so that nobody's points are lost.
    """
    if not coded:
        return {(student, cell): sheets.name(student) for student, cell, *_ in entries}
    salt = course.remember(CODES).get("salt", "")
    marked: dict[tuple[str, str], set[tuple[float | None, str]]] = {}
    for _, cell, grade, comment, answer in entries:
        if grade.manual_score is not None or comment.manual_comment:
            given = grade.manual_score, comment.manual_comment or ""
            marked.setdefault((cell, _plain(answer)), set()).add(given)
    return {
        (student, cell): _code(
            salt, cell, _plain(answer), student if len(marked.get((cell, _plain(answer)), ())) > 1 else ""
        )
        for student, cell, _, _, answer in entries
    }


def _plain(answer: str) -> str:
    """What equal answers have in common: all but blanks and ends of lines."""
    return " ".join(answer.split())


def _code(*parts: str) -> str:
    number = hashlib.sha256("\0".join(parts).encode("utf8", "replace")).digest()
    return "".join(LETTERS[byte % len(LETTERS)] for byte in number[:6])


def _rows(
    entries: list[Entry],
    labels: dict[tuple[str, str], str],
    listed: dict[str, Any],
    criteria: dict[str, Criteria],
    most: int,
) -> list[list[str]]:
    rows = []
    for student, cell, grade, comment, answer in entries:
        was, items = listed[f"{student}/{cell}"], criteria.get(cell, [])
        given = [*was["criteria"], *[""] * most][:most]
        rest = [was["points"], f"{grade.max_score:g}", comment.manual_comment or ""]
        rows.append([labels[student, cell], cell, *given, *rest, *([rubric.shown(items)] if most else []), answer])
    return rows


def _counted(rows: list[list[str]]) -> list[tuple[list[str], int]]:
    """One row for each code and cell, that with the most filled in, and how many it stands for."""
    found: dict[tuple[str, str], list[list[str]]] = {}
    for row in rows:
        found.setdefault((row[0], row[1]), []).append(row)
    return [(max(same, key=lambda row: sum(map(bool, row))), len(same)) for same in found.values()]


def _same(answer: str, row: dict[str, str] | None, was: dict[str, Any] | None) -> bool:
    """Whether the answer is the one that was listed, and the row is about it."""
    if was and was["answer"] != digest(answer.encode("utf8", "replace")):
        return False
    return row is None or _bones(row["answer"]) == _bones(sheets.safe(answer))


def _bones(text: str) -> str:
    """What every spreadsheet and encoding leaves of a text."""
    return re.sub(r"[^A-Za-z0-9]", "", text)[:30_000]


def _criteria(row: dict[str, str], items: Criteria) -> list[str]:
    """What stands in the columns of the criteria; nothing in a row of another rubric, whose points stay."""
    other = _bones(row.get("rubric", "")) not in {"", _bones(rubric.shown(items))}
    return ["" if other else row.get(f"criterion {number}", "").strip() for number in range(1, len(items) + 1)]


def _points(
    row: dict[str, str], most: float, file: Path, items: Criteria, was: dict[str, Any] | None = None
) -> float | None:
    """The points in a row: its own, or the sum of its criteria once all of them have theirs."""
    given, by = row.get("points", "").strip(), _criteria(row, items)
    earned = [
        _number(text, one, row, f"criterion {number}", file)
        for number, (text, (one, _)) in enumerate(zip(by, items, strict=True), 1)
    ]
    points = _number(given, most, row, "", file)
    if not any(by):
        return points
    total = None if None in earned else round(sum(one for one in earned if one is not None), 6)
    if given and points not in {total, sheets.number((was or {}).get("points", ""), most)}:
        wrong = f"{file.name}: {row['student']} has {given} points for {row['cell']}, and its criteria give"
        raise CourseError(
            f"{wrong} {'no sum yet' if total is None else f'{total:g}'}. Empty one of them. No grade was changed."
        )
    return total


def _number(text: str, most: float, row: dict[str, str], what: str, file: Path) -> float | None:
    points = sheets.number(text, most) if text else None
    if text and points is None:
        wrong = f"{file.name}: {row['student']} has {text!r} for {row['cell']}{', ' + what if what else ''}"
        raise CourseError(f"{wrong}; write 0 to {most:g}. No grade was changed.")
    return points
