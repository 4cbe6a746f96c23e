"""Grade what was collected, and say for each submission what came of it: a grade, or why a person is needed."""

import csv
import glob
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook, MissingEntry

from classroom.course import Course, CourseError, digest
from classroom.marks import mark, safe

RECORD = ".graded.json"
ELSEWHERE = re.compile(
    r'<script[^>]* src="http[^>]*>\s*</script>'
)  # a page of feedback asks no other host for anything


@dataclass(frozen=True)
class Row:
    """One student's line: points by cell (None: not given yet), and whether a person must look."""

    student: str
    points: dict[str, float | None]
    most: dict[str, float]
    person: str = ""  # why a person must look, if so
    notes: str = ""

    @property
    def score(self) -> float:
        return sum(points or 0 for points in self.points.values())

    @property
    def state(self) -> str:
        waiting = sum(points is None for points in self.points.values())
        if self.person:
            return "needs a person"
        return f"{waiting} to mark" if waiting else "graded"


def grade(course: Course, name: str, again: bool = False, say: Callable[[str], None] = print) -> list[Row]:
    """Grade every submission of a set that is new or changed (`again`: all of them); one that fails stops no other."""
    if name not in course.assignments():
        raise CourseError(f"{name} was not released in {course.folder}: run the release first.")
    record = course.remember(RECORD)
    for folder in course.submissions(name):
        student, file = folder.parent.name, folder / f"{name}.ipynb"
        state = digest(course.source(name).read_bytes() + (file.read_bytes() if file.exists() else b""))
        known = record.get(f"{name}/{student}", {})
        graded = course.folder / "autograded" / student / name / f"{name}.ipynb"
        if not again and known.get("state") == state and (graded.exists() or known.get("problem")):
            continue
        say(f"grading {student}")
        record[f"{name}/{student}"] = {"state": state, "problem": _grade_one(course, name, student, file)}
        course.remember(RECORD, record)
    mark(course, name)
    return table(course, name)


def table(course: Course, name: str) -> list[Row]:
    """Every submission of the set, by student."""
    record = course.remember(RECORD)
    with Gradebook(course.database) as book:
        most = {cell.name: cell.max_score for cell in book.find_notebook(name, name).grade_cells}
        return [_row(course, book, name, folder.parent.name, most, record) for folder in course.submissions(name)]


def feedback(course: Course, name: str) -> list[str]:
    """Write a page for each graded student under `feedback/`; sentences about those that could not be written."""
    graded = sorted(course.folder.glob(f"autograded/*/{name}"))
    problems = []
    for folder in graded:
        student = folder.parent.name
        if trouble := course.make_feedback(name, student):
            problems.append(f"{student}: no feedback: {trouble}")
        for page in course.folder.glob(f"feedback/{glob.escape(student)}/{name}/*.html"):
            text = page.read_text(encoding="utf8")
            page.write_text(ELSEWHERE.sub("", text), encoding="utf8")
    return [f"{len(graded) - len(problems)} pages in {course.folder / 'feedback'}", *problems]


def export(course: Course, name: str, rows: list[Row]) -> Path:
    """The table as `grades-SET.csv`."""
    file = course.folder / f"grades-{name}.csv"
    cells = list(rows[0].most) if rows else []
    with file.open("w", newline="", encoding="utf-8-sig") as opened:
        writer = csv.writer(opened)
        writer.writerow(["student", "score", "of", "state", *cells, "needs a person because", "notes"])
        for row in rows:
            points = ["" if row.points.get(cell) is None else f"{row.points[cell]:g}" for cell in cells]
            of = f"{sum(row.most.values()):g}"
            writer.writerow(
                [safe(row.student), f"{row.score:g}", of, row.state, *points, safe(row.person), safe(row.notes)]
            )
    return file


def shown(rows: list[Row]) -> str:
    """The table for a terminal."""
    width = max([len(row.student) for row in rows], default=0)
    lines = []
    for row in rows:
        why = "; ".join(filter(None, (row.person, row.notes)))
        given = any(points is not None for points in row.points.values())
        score = f"{row.score:g} of {sum(row.most.values()):g}" if given else "–"
        lines.append(f"{row.student:{width}}  {score:>10}  {row.state:14}  {why[:300]}".rstrip())
    return "\n".join(lines)


def _grade_one(course: Course, name: str, student: str, file: Path) -> str:
    """Grade one submission; the reason, in a sentence, where that did not work."""
    if not file.exists():
        handed = ", ".join(sorted(other.name for other in file.parent.iterdir())) or "nothing"
        return f"handed in {handed}, no notebook"
    try:
        notebook = nbformat.reads(file.read_text(encoding="utf8"), 4)
        nbformat.validate(notebook)
    except Exception:  # whatever a broken file makes the reader say
        return "the file is no notebook that can be read"
    trouble = course.autograde(name, student)
    return f"nbgrader stopped: {trouble}"[:300] if trouble else ""


def _row(course: Course, book: Gradebook, name: str, student: str, most: dict, record: dict) -> Row:
    problem = record.get(f"{name}/{student}", {"problem": "not graded yet"})["problem"]
    file = course.folder / "autograded" / student / name / f"{name}.ipynb"
    nothing: dict[str, float | None] = dict.fromkeys(most)
    if problem or not file.exists():
        return Row(student, nothing, most, problem or "its graded copy is gone: grade again")
    found = json.loads(file.read_text(encoding="utf8"))["metadata"].get("classroom", {})
    try:
        grades = {cell: book.find_grade(cell, name, name, student) for cell in most}
    except MissingEntry:
        return Row(student, nothing, most, "not in the gradebook: grade again")
    points = {cell: g.auto_score if g.manual_score is None else g.manual_score for cell, g in grades.items()}
    return Row(student, points, most, "; ".join(found.get("person", [])), "; ".join(found.get("notes", [])))
