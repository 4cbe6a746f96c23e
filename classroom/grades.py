"""Grade what was collected, and say for each submission what came of it: a grade, or why a person is needed.

Each submission is graded in a process of its own, with a deadline (see `worker`). What came of it is recorded, so that
it is graded again only when it, the set, or what stopped it has changed.
"""

import contextlib
import importlib
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry

from classroom import answers, cells, downloads, notebooks, pages, persons, texts, worker
from classroom.course import Course, CourseError, digest
from classroom.limits import Limits
from classroom.marks import mark
from classroom.rows import Row
from classroom.walls import best

RECORD = ".graded.json"
NOT_STARTED = "classroom.student.NotStarted: the student's Python did not start"  # nothing of the student's has run


def grade(course: Course, name: str, again: bool = False, say: Callable[[str], None] = print) -> list[Row]:
    """Grade every submission of a set that is new or changed (`again`: all of them); one that fails stops no other."""
    if name not in course.assignments():
        raise CourseError(f"{name} was not released in {course.folder}: run the release first.")
    record, seconds, means = course.remember(RECORD), Limits.chosen().submission, _means()
    folders = course.submissions(name)
    works = {folder.parent.name: _work(course, name, folder) for folder in folders}
    due = [student for student in works if again or _due(record.get(f"{name}/{student}", {}), works[student], means)]
    if due:
        _ready(course, name)
    for student in due:
        say(f"grading {texts.line(student)}")
        try:
            found = worker.run(seconds, _grade_one, course, name, student)
        except worker.Stopped as stopped:
            found = {"problem": str(stopped), "limited": True}
        if found["problem"]:
            shutil.rmtree(course.folder / "autograded" / student / name, ignore_errors=True)  # of a version before
        record[f"{name}/{student}"] = {"work": works[student], "means": means, **found}
        course.remember(RECORD, record)
    entries = {student: record[f"{name}/{student}"] for student in works}
    for sentence in mark(
        course, name, {who: entry["answers"] for who, entry in entries.items() if not entry["problem"]}
    ):
        say(texts.line(sentence))
    for sentence in persons.decide(course, name, table(course, name)):
        say(texts.line(sentence))
    return table(course, name)


def table(course: Course, name: str) -> list[Row]:
    """Every submission of the set, by student."""
    record, decided, told = course.remember(RECORD), persons.decided(course, name), downloads.told(course, name)
    with Gradebook(course.database) as book:
        most = {cell.name: cell.max_score for cell in book.find_notebook(name, name).grade_cells}
        rows = []
        for folder in course.submissions(name):
            entry = record.get(f"{name}/{folder.parent.name}", {})
            entry = entry if "work" in entry else {"problem": "not graded yet", "work": ""}
            row = _row(book, name, folder.parent.name, most, entry)
            row = replace(row, notes="; ".join(filter(None, (row.notes, told.get(row.student, {}).get("note")))))
            rows.append(_decided(row, decided.get(row.student)))
    return rows


def feedback(course: Course, name: str) -> list[str]:
    """Write each student's page where it has changed, under `feedback/`; sentences about what could not be written."""
    return pages.write(course, name, table(course, name))


def _ready(course: Course, name: str) -> None:
    """Read and import here, once, what the process of each submission needs."""
    answers.packed()
    source = nbformat.read(course.source(name), 4)
    setup = "\n".join(cell.source for cell in source.cells if cells.kind(cell) == "setup")
    for module in re.findall(r"^(?:import|from) +([\w.]+)", setup, re.MULTILINE):
        with contextlib.suppress(Exception):  # the submissions then say what is wrong with it
            importlib.import_module(module)


def _means() -> str:
    """What decides how far a submission may go; with other means, what was stopped is tried again."""
    return repr([Limits.chosen(), os.environ.get("CONTAIN", ""), best().name])


def _work(course: Course, name: str, folder: Path) -> str:
    """What is graded: the set, and each file of the submission as far as it is read, but for hidden ones."""
    handed_in = [
        (str(path), _read(folder / path))
        for path in sorted(file.relative_to(folder) for file in folder.rglob("*"))
        if not any(part.startswith(".") for part in path.parts)
    ]
    unread = "" if (folder / f"{name}.ipynb").is_file() else _unread(course, name, folder)
    return digest(repr([digest(course.source(name).read_bytes()), unread, handed_in]).encode("utf8", "replace"))


def _read(file: Path) -> str:
    """The digest of a file, nothing where it is none."""
    with contextlib.suppress(OSError):  # the process that grades it says why
        if file.is_file():
            return digest(notebooks.start(file))
    return ""


def _due(entry: dict[str, Any], work: str, means: str) -> bool:
    stopped = entry.get("limited") and entry.get("means") != means
    return entry.get("work") != work or bool(stopped or entry.get("retry"))


def _grade_one(course: Course, name: str, student: str) -> dict[str, Any]:
    """What came of one submission. Runs in a process of its own."""
    file = course.folder / "submitted" / student / name / f"{name}.ipynb"
    if not file.is_file():
        return {"problem": _unread(course, name, file.parent)}
    try:
        notebooks.read(notebooks.start(file))
    except notebooks.Unreadable as why:
        return {"problem": str(why)}
    if trouble := course.autograde(name, student):
        again = "retry" if trouble.startswith(NOT_STARTED) else "limited"  # what has run may take as long again
        return {"problem": f"the grader stopped: {trouble}"[:300], again: True}
    graded = nbformat.read(course.folder / "autograded" / student / name / f"{name}.ipynb", 4)
    ran = graded.metadata.get("classroom", {})
    found = {
        "problem": "",
        "notes": ran.get("notes", []),
        "person": ran.get("person", []),
        "ungraded": ran.get("ungraded", []),
        "limited": bool(ran.get("limited") or ran.get("ungraded")),
        "answers": _answers(graded, nbformat.read(course.released(name), 4)),
    }
    _without_grade(course, name, student, found["ungraded"])
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def _unread(course: Course, name: str, folder: Path) -> str:
    """What lies there in the place of a notebook, as collecting said it."""
    told = downloads.told(course, name).get(folder.parent.name, {})
    handed = ", ".join(sorted(other.name for other in folder.iterdir() if other.name != "timestamp.txt"))
    return told.get("problem") or f"handed in {handed or 'nothing'}, no notebook"


def _answers(graded: NotebookNode, released: NotebookNode) -> dict[str, str]:
    """What is for a person to mark: answers in words that are not as they were handed out, or stand elsewhere."""
    words, stubs = (
        {cells.grade_id(cell): cell.source for cell in nb.cells if cells.kind(cell) == "explain"}
        for nb in (graded, released)
    )
    changed = {cell: source for cell, source in words.items() if source != stubs[cell]}
    return changed | dict(graded.metadata["elsewhere"])


def _without_grade(course: Course, name: str, student: str, cells: list[str]) -> None:
    """Tests that could not be run are left without points in the gradebook too."""
    if cells:
        with Gradebook(course.database) as book:
            for cell in cells:
                grade = book.find_grade(cell, name, name, student)
                grade.auto_score, grade.needs_manual_grade = None, True
            book.db.commit()


def _row(book: Gradebook, name: str, student: str, most: dict[str, float], entry: dict[str, Any]) -> Row:
    problem, points = entry["problem"], dict[str, float | None](dict.fromkeys(most))
    try:
        grades = {} if problem else {cell: book.find_grade(cell, name, name, student) for cell in most}
    except MissingEntry:
        problem = "not in the gradebook: grade again"
    if problem:
        return Row(student, points, most, entry["work"], problem, graded=False)
    for cell, given in grades.items():
        automatic = None if cell in entry["ungraded"] else given.auto_score
        points[cell] = automatic if given.manual_score is None else given.manual_score
    complete = all(cell in entry["answers"] for cell in most if points[cell] is None)
    return Row(
        student, points, most, entry["work"], "; ".join(entry["person"]), "; ".join(entry["notes"]), complete=complete
    )


def _decided(row: Row, decided: dict[str, str] | None) -> Row:
    """The row with a person's decision, where it is about this work and this reason."""
    if decided is None or decided["key"] != row.key:
        return row
    said = f"{'cleared' if row.person else 'decided'}: {decided['comment'] or decided['decision']}"
    return replace(row, notes="; ".join(filter(None, (said, row.notes))), decision=decided["decision"])
