"""Grades a submission apart from its course: bytes go in, bytes and plain values come out.

So any process can do it, on any machine. The course itself, with its gradebook, is written by one process alone: `enter`.
"""

import contextlib
import importlib
import json
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader import api
from nbgrader.api import Gradebook
from sqlalchemy import Dialect, Engine, create_engine, event

from classroom import answers, cells, minutes, notebooks
from classroom.course import Course, quiet

NOT_STARTED = "classroom.student.NotStarted: the student's Python did not start"  # nothing of the student's has run
OF_STUDENTS = ("comment", "grade", "submitted_notebook", "submitted_assignment", "student")  # tables of the gradebook


def _create_engine(address: str, **options: Any) -> Engine:
    """As SQLAlchemy's. What nbgrader asks is compiled once, and not each time that it opens a gradebook."""
    engine = create_engine(address, **options)
    engine.dialect = _dialects.setdefault(engine.dialect.name, engine.dialect)
    engine.update_execution_options(compiled_cache=_compiled)
    if address in _short_lived:
        event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
    return engine


_dialects: dict[str, Dialect] = {}
_compiled: dict[Any, Any] = {}
_short_lived: set[str] = set()  # addresses of gradebooks that no disk need keep
api.create_engine = _create_engine


@dataclass(frozen=True)
class Kit:
    """What grading a set needs of a course: the set's name, and files by their place in the course folder."""

    name: str
    files: dict[str, bytes]


@dataclass(frozen=True)
class Graded:
    """What came of a submission: `found` is for the record; the rest is there unless that has a problem.

    `points` and `comments` are nbgrader's own, by cell; `time` is when the work was handed in, if that is known.
    """

    found: dict[str, Any]
    notebook: bytes = b""
    points: dict[str, float | None] = field(default_factory=dict)
    comments: dict[str, str | None] = field(default_factory=dict)
    time: datetime | None = None


def kit(course: Course, name: str) -> Kit:
    """The set as it was and is handed out, and the gradebook without any student."""
    book, copies = course.folder / "gradebook.db", [course.released(name), *course.handed_out_before(name)]
    files = {str(copy.relative_to(course.folder)): copy.read_bytes() for copy in copies}
    return Kit(name, files | {book.name: _without_students(book)})


def _without_students(file: Path) -> bytes:
    source = sqlite3.connect(file)
    with contextlib.closing(source) as book, contextlib.closing(sqlite3.connect(":memory:")) as copy:
        book.backup(copy)
        for table in OF_STUDENTS:
            copy.execute(f"DELETE FROM {table}")
        copy.commit()
        copy.execute("VACUUM")
        return copy.serialize()


def submitted(folder: Path, name: str) -> dict[str, bytes]:
    """Of what was handed in, the files that play a part in grading. Raises OSError where one cannot be read."""
    files = (folder / f"{name}.ipynb", folder / "timestamp.txt")
    return {file.name: notebooks.start(file) for file in files if file.is_file()}


def ready(kit: Kit) -> None:
    """Read, import and compile here, once, what the process of each submission needs."""
    answers.packed_at_hand()
    setup = "\n".join(cell.source for cell in _released(kit).cells if cells.kind(cell) == "setup")
    for module in re.findall(r"^(?:import|from) +([\w.]+)", setup, re.MULTILINE):
        with contextlib.suppress(Exception):  # the submissions then say what is wrong with it
            importlib.import_module(module)
    place = f"{kit.name}.ipynb"
    with _course(kit, "nobody", {place: kit.files[f"release/{kit.name}/{place}"]}) as course:
        course.autograde(kit.name, "nobody", run=False)
        _given(course, kit.name, "nobody")


@contextlib.contextmanager
def _course(kit: Kit, student: str, files: dict[str, bytes]) -> Iterator[Course]:
    """A course folder of this student alone."""
    own = {f"submitted/{student}/{kit.name}/{file}": content for file, content in files.items()}
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        course = Course(Path(folder).resolve())
        _short_lived.add(course.database)
        for place, content in (kit.files | own).items():
            course.write(course.folder / place, content)
        yield course


def _given(course: Course, name: str, student: str) -> tuple[dict[str, Any], dict[str, Any], datetime | None]:
    """What nbgrader gave: points and comments by cell, and when it takes the work to be handed in."""
    with Gradebook(course.database) as book:
        work = book.find_submission_notebook(name, name, student)
        points = {one.cell.name: one.auto_score for one in work.grades}
        comments = {one.cell.name: one.auto_comment for one in work.comments}
        return points, comments, book.find_submission(name, student).timestamp


def grade(kit: Kit, student: str, files: dict[str, bytes]) -> Graded:
    """Grade one submission in a folder of its own. Runs in a process of its own."""
    name = kit.name
    if f"{name}.ipynb" not in files:
        return Graded({"problem": "the file cannot be read"})
    try:
        notebooks.read(files[f"{name}.ipynb"])
    except notebooks.Unreadable as why:
        return Graded({"problem": str(why)})
    with _course(kit, student, files) as course:
        if trouble := course.autograde(name, student):
            again = "retry" if trouble.startswith(NOT_STARTED) else "limited"  # what has run may take as long again
            return Graded({"problem": f"the grader stopped: {trouble}"[:300], again: True})
        content = course.autograded(name, student).read_bytes()
        points, comments, time = _given(course, name, student)
    found = _found(nbformat.reads(content.decode(), 4), _released(kit))
    found["minutes"] = minutes.worked(files[f"{name}.ipynb"])
    return Graded(found, content, points | dict.fromkeys(found["ungraded"]), comments, time)


def enter(course: Course, name: str, student: str, graded: Graded) -> None:
    """Put what came of a submission into the course. What a person gave stays in the gradebook."""
    course.write(course.autograded(name, student), graded.notebook)
    with quiet(), Gradebook(course.database) as book:
        book.update_or_create_student(student)
        book.update_or_create_submission(name, student, **({"timestamp": graded.time} if graded.time else {}))
        work = book.find_submission_notebook(name, name, student)
        for grade in work.grades:
            grade.auto_score = graded.points[grade.cell.name]
            grade.needs_manual_grade = grade.auto_score is None or grade.manual_score is not None
        for comment in work.comments:
            comment.auto_comment = graded.comments[comment.cell.name]
        book.db.commit()


def _released(kit: Kit) -> NotebookNode:
    notebook: NotebookNode = nbformat.reads(kit.files[f"release/{kit.name}/{kit.name}.ipynb"].decode(), 4)
    return notebook


def _found(graded: NotebookNode, released: NotebookNode) -> dict[str, Any]:
    ran = graded.metadata.get("classroom", {})
    found = {
        "problem": "",
        "notes": ran.get("notes", []),
        "person": ran.get("person", []),
        "ungraded": ran.get("ungraded", []),
        "drawn": ran.get("drawn"),
        "limited": bool(ran.get("limited") or ran.get("ungraded")),
        "answers": _answers(graded, released),
    }
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def _answers(graded: NotebookNode, released: NotebookNode) -> dict[str, str]:
    """What is for a person to mark: answers in words that are not as they were handed out, or stand elsewhere."""
    words, stubs = (
        {cells.grade_id(cell): cell.source for cell in nb.cells if cells.kind(cell) == "explain"}
        for nb in (graded, released)
    )
    changed = {cell: source for cell, source in words.items() if source != stubs[cell]}
    return changed | dict(graded.metadata["elsewhere"])
