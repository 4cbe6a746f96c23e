"""Answers in words, marked in a spreadsheet: `to-mark-SET.csv` holds each answer, and takes points and a comment.

The file is written when work is graded and read when work is graded again. Points stay until the answer changes;
emptied points are withdrawn. What was listed is recorded, so that a change can be told from what a spreadsheet does to a text.
"""

import re
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from classroom import sheets
from classroom.course import Course, CourseError, digest

COLUMNS = ["student", "cell", "points", "of", "comment", "answer"]
LISTED = ".marked.json"
Rows = dict[tuple[str, str], dict[str, str]]


def mark(course: Course, name: str, answers: dict[str, dict[str, str]]) -> list[str]:
    """Carry points and comments over to the gradebook and list the answers again; sentences about rows passed over."""
    file = course.folder / f"to-mark-{name}.csv"
    record = course.remember(LISTED)
    listed: dict[str, Any] = dict(record.get(name, {}))
    known, said = _known(file)
    rows = []
    with Gradebook(course.database) as book:
        entries = [entry for student in answers for entry in _entries(book, name, student, answers[student])]
        for student, cell, grade, _, _ in entries:
            _points(known.get((sheets.name(student), cell), {}), grade.max_score, file)  # all, before anything changes
        for student, cell, grade, comment, answer in entries:
            row, was = known.pop((sheets.name(student), cell), None), listed.get(f"{student}/{cell}")
            if not _same(answer, row, was):
                grade.manual_score = comment.manual_comment = None
            elif row:
                comment.manual_comment = row.get("comment", "").strip() or None
                if row["points"].strip() or (was and was["points"]):
                    grade.manual_score = _points(row, grade.max_score, file)
            grade.needs_manual_grade = grade.manual_score is None
            if grade.manual_score is None:
                grade.auto_score = None
            points = "" if grade.manual_score is None else f"{grade.manual_score:g}"
            words = comment.manual_comment or ""
            rows.append([sheets.name(student), cell, points, f"{grade.max_score:g}", words, answer])
            listed[f"{student}/{cell}"] = {"points": points, "answer": digest(answer.encode("utf8", "replace"))}
        book.db.commit()
    sheets.write(course, file, COLUMNS, rows, ["student", "cell"])
    course.remember(LISTED, record | {name: listed})
    past = "no such answer waits or was marked; passed over."
    return said + [f"{file.name}: {student}, {cell}: {past}" for student, cell in known]


def _known(file: Path) -> tuple[Rows, list[str]]:
    known: Rows = {}
    said = []
    for row in sheets.read(file, ["student", "cell", "points", "answer"]):
        key = row["student"].strip(), row["cell"].strip()
        if key in known and known[key]["points"].strip() != row["points"].strip():
            twice = f"{file.name}: {key[0]} has two rows with other points for {key[1]}"
            raise CourseError(f"{twice}. No grade was changed.")
        if key in known:
            said.append(f"{file.name}: {key[0]} has two rows for {key[1]}; the last counts.")
        known[key] = row
    return known, said


def _entries(book: Gradebook, name: str, student: str, answers: dict[str, str]) -> list[tuple[Any, ...]]:
    found = []
    for cell, answer in answers.items():
        try:
            grade, comment = (find(cell, name, name, student) for find in (book.find_grade, book.find_comment))
        except MissingEntry:
            continue
        found.append((student, cell, grade, comment, answer))
    return found


def _same(answer: str, row: dict[str, str] | None, was: dict[str, str] | None) -> bool:
    """Whether the answer is the one that was listed, and the row is about it."""
    if was and was["answer"] != digest(answer.encode("utf8", "replace")):
        return False
    return row is None or _bones(row["answer"]) == _bones(sheets.safe(answer))


def _bones(text: str) -> str:
    """What every spreadsheet and encoding leaves of a text."""
    return re.sub(r"[^A-Za-z0-9]", "", text)[:30_000]


def _points(row: dict[str, str], most: float, file: Path) -> float | None:
    given = row.get("points", "").strip()
    points = sheets.number(given, most) if given else None
    if given and points is None:
        wrong = f"{file.name}: {row['student']} has {given!r} for {row['cell']}"
        raise CourseError(f"{wrong}; write 0 to {most:g}. No grade was changed.")
    return points
