"""Each student's page of feedback as a file: written when what it says has changed, never at odds with the grades."""

import contextlib
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry

from classroom import progress, texts, worker
from classroom.course import Course, digest
from classroom.feedback import Points, page
from classroom.formulas import trouble
from classroom.limits import Limits
from classroom.rows import Row

WRITTEN = ".pages.json"
DECIDED = "decided-by-your-teacher"
LATE = "handed-in-late"


def write(course: Course, name: str, rows: list[Row]) -> list[str]:
    """Write the pages that have changed, under `feedback/`; sentences about those that could not be written."""
    record, seconds, comments = course.remember(WRITTEN), Limits.chosen().submission, _comments(course, name, rows)
    released = nbformat.read(course.released(name), 4)
    page(released, {}, {}, "graded", released=released)  # typesets the set's formulas here, once for all
    done, states, jobs = 0, dict[str, str](), []
    for row in rows:
        said = comments.get(row.student, {})
        graded = course.autograded(name, row.student)
        work = digest(graded.read_bytes()) if graded.exists() else ""
        state = digest(repr([work, row, said]).encode("utf8", "replace"))
        if record.get(f"{name}/{row.student}") == state and _file(course, name, row.student).exists():
            done += 1
            continue
        states[row.student] = state
        jobs.append(worker.Job(row.student, _page, (course, name, row, said)))
    stopped = {}
    with contextlib.closing(worker.each(jobs, seconds)) as pages:
        for student, text in progress.told(pages, len(jobs), "pages"):
            file = _file(course, name, student)
            if isinstance(text, worker.Stopped):
                stopped[student] = str(text)
                file.unlink(missing_ok=True)  # an old page would show other points
                continue
            course.write(file, text.encode("utf8", "replace"))
            record[f"{name}/{student}"] = states[student]
            course.remember(WRITTEN, dict(sorted(record.items())))
            done += 1
    problems = [texts.line(f"{student}: no feedback: {stopped[student]}") for student in sorted(stopped)]
    problems += filter(None, [trouble()])
    return [f"{done} pages in {course.folder / 'feedback'}", *problems]


def _file(course: Course, name: str, student: str) -> Path:
    return course.folder / "feedback" / student / name / f"{name}.html"


def _page(course: Course, name: str, row: Row, comments: dict[str, str]) -> str:
    released = nbformat.read(course.released(name), 4)
    for copy in course.handed_out_before(name):  # nothing of it is the student's text
        released.cells += nbformat.read(copy, 4).cells
    state = row.state if row.graded or row.decision else "waiting"
    if row.graded:
        notebook = nbformat.read(course.autograded(name, row.student), 4)
    else:
        notebook = released = _notice(released, row.person, bool(row.decision))
    return page(notebook, _points(row), comments, "graded" if row.exempt else state, released=released, late=row.late)


def _notice(released: NotebookNode, reason: str, decided: bool = False) -> NotebookNode:
    """What a student is told whose work could not be graded: that it has no grade, or whose points these are."""
    heading = next((line for cell in released.cells for line in cell.source.splitlines() if line.startswith("# ")), "")
    why = "it could not be graded." if reason.startswith("the grader") else f"{reason}."
    said = f"Of your newest work: {why} Your teacher gave these points."
    text = f"{heading}\n\n{said if decided else f'Your newest work has no grade yet: {why} Your teacher knows.'}"
    return NotebookNode(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text.strip())]))


def _points(row: Row) -> Points:
    """Points by cell; where a person gave points for the whole set, what makes the sum right."""
    if row.decision in {"", "ok"} or row.score is None:
        found = {cell: (points, row.most[cell]) for cell, points in row.points.items()}
        given = sum(points for points, _ in found.values() if points is not None)
        return found | ({LATE: ((row.score or 0) - given, 0.0)} if row.off else {})
    earned = {cell: (points or 0.0, row.most[cell]) for cell, points in row.points.items()}
    return earned | {DECIDED: (row.score - sum(points for points, _ in earned.values()), 0.0)}


def _comments(course: Course, name: str, rows: list[Row]) -> dict[str, dict[str, str]]:
    """A person's words to each student, by cell."""
    found: dict[str, dict[str, str]] = {}
    with Gradebook(course.database) as book:
        cells = [cell.name for cell in book.find_notebook(name, name).solution_cells]
        for row in rows:
            for cell in cells if row.graded else []:
                try:
                    comment = book.find_comment(cell, name, name, row.student).manual_comment
                except MissingEntry:
                    continue
                if comment:
                    found.setdefault(row.student, {})[cell] = comment
    return found
