"""Each student's page of feedback as a file: written when what it says has changed, never at odds with the grades."""

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry

from classroom import texts, worker
from classroom.course import Course, digest
from classroom.feedback import Points, page
from classroom.formulas import trouble
from classroom.limits import Limits
from classroom.rows import Row

WRITTEN = ".pages.json"
DECIDED = "decided-by-your-teacher"


def write(course: Course, name: str, rows: list[Row]) -> list[str]:
    """Write the pages that have changed, under `feedback/`; sentences about those that could not be written."""
    record, seconds, comments = course.remember(WRITTEN), Limits.chosen().submission, _comments(course, name, rows)
    released = nbformat.read(course.released(name), 4)
    page(released, {}, {}, "graded", released=released)  # typesets the set's formulas here, once for all
    done, problems = 0, []
    for row in rows:
        said = comments.get(row.student, {})
        file = course.folder / "feedback" / row.student / name / f"{name}.html"
        graded = course.folder / "autograded" / row.student / name / f"{name}.ipynb"
        work = digest(graded.read_bytes()) if graded.exists() else ""
        state = digest(repr([work, row, said]).encode("utf8", "replace"))
        done += 1
        if record.get(f"{name}/{row.student}") == state and file.exists():
            continue
        try:
            text = worker.run(seconds, _page, course, name, row, said)
        except worker.Stopped as stopped:
            done -= 1
            problems.append(texts.line(f"{row.student}: no feedback: {stopped}"))
            file.unlink(missing_ok=True)  # an old page would show other points
            continue
        course.write(file, text.encode("utf8", "replace"))
        record[f"{name}/{row.student}"] = state
    course.remember(WRITTEN, record)
    problems += filter(None, [trouble()])
    return [f"{done} pages in {course.folder / 'feedback'}", *problems]


def _page(course: Course, name: str, row: Row, comments: dict[str, str]) -> str:
    released = nbformat.read(course.released(name), 4)
    state = row.state if row.graded or row.decision else "waiting"
    if row.graded:
        notebook = nbformat.read(course.folder / "autograded" / row.student / name / f"{name}.ipynb", 4)
    else:
        notebook = released = _notice(released, row.person)
    return page(notebook, _points(row), comments, state, released=released)


def _notice(released: NotebookNode, reason: str) -> NotebookNode:
    """What a student is told whose work has no grade."""
    heading = next((line for cell in released.cells for line in cell.source.splitlines() if line.startswith("# ")), "")
    why = "it could not be graded." if reason.startswith("the grader") else f"{reason}."
    text = f"{heading}\n\nYour newest work has no grade yet: {why} Your teacher knows."
    return NotebookNode(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text.strip())]))


def _points(row: Row) -> Points:
    """Points by cell; where a person gave points for the whole set, what makes the sum right."""
    if row.decision in {"", "ok"} or row.score is None:
        return {cell: (points, row.most[cell]) for cell, points in row.points.items()}
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
