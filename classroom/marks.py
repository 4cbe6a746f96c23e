"""Answers in words, marked in a spreadsheet: `to-mark-SET.csv` holds each answer, and takes the points.

The file is written when work is graded and read when work is graded again; points that were filled in stay. An answer
that has changed since it was marked asks for its points anew.
"""

import csv
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook, MissingEntry

from classroom.course import Course, CourseError

COLUMNS = ["student", "cell", "points", "of", "answer"]


def mark(course: Course, name: str) -> int:
    """Carry the points over to the gradebook and list the answers again; how many still wait."""
    file = course.folder / f"to-mark-{name}.csv"
    known = {(row["student"], row["cell"]): row for row in _rows(file)}
    rows = []
    with Gradebook(course.database) as book:
        for folder in course.submissions(name):
            student = folder.parent.name
            for cell, answer in _answers(course, name, student):
                try:
                    grade = book.find_grade(cell, name, name, student)
                except MissingEntry:
                    continue
                before = known.get((student, cell))
                same = before is not None and _words(before["answer"]) == _words(safe(answer))
                if before and before["points"].strip():
                    grade.manual_score = _points(before, grade.max_score, file) if same else None
                if grade.manual_score is not None:
                    grade.needs_manual_grade = False
                elif grade.auto_score is not None:
                    continue  # left as it was handed out: nothing to mark
                points = "" if grade.manual_score is None else f"{grade.manual_score:g}"
                rows.append([student, cell, points, f"{grade.max_score:g}", safe(answer)])
        book.db.commit()
    _write(course, file, rows)
    return sum(not row[2] for row in rows)


def safe(text: str) -> str:
    """Text that a spreadsheet will not take for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def _answers(course: Course, name: str, student: str) -> list[tuple[str, str]]:
    file = course.folder / "autograded" / student / name / f"{name}.ipynb"
    if not file.exists():
        return []
    tags = [(cell, cell.metadata.get("nbgrader", {})) for cell in nbformat.read(file, 4).cells]
    return [(tag["grade_id"], cell.source) for cell, tag in tags if tag.get("grade") and tag.get("solution")]


def _points(row: dict[str, str], most: float, file: Path) -> float:
    try:
        points = float(row["points"].replace(",", "."))
    except ValueError:
        points = -1.0
    if not 0 <= points <= most:
        raise CourseError(
            f"{file.name}: {row['student']} has {row['points']!r} for {row['cell']}; write 0 to {most:g}. No grade was changed."
        )
    return points


def _rows(file: Path) -> list[dict[str, str]]:
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8-sig") as opened:
        first = opened.readline()
        opened.seek(0)
        rows = list(csv.DictReader(opened, delimiter=max(",;\t", key=first.count)))  # spreadsheets save what they like
    if rows and not set(COLUMNS) <= set(rows[0]):
        raise CourseError(f"{file.name} has lost a column; it needs {', '.join(COLUMNS)}. No grade was changed.")
    return rows


def _write(course: Course, file: Path, rows: list[list[str]]) -> None:
    before = [[row[column] for column in COLUMNS] for row in _rows(file)]
    if file.exists() and any(row[2].strip() and row not in rows for row in before):
        course.set_aside(file)
    with file.open("w", newline="", encoding="utf-8-sig") as opened:
        csv.writer(opened).writerows([COLUMNS, *rows])


def _words(text: str) -> str:
    return " ".join(text.split())
