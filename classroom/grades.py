"""Grade what was collected, and say for each submission what came of it: a grade, or why a person is needed.

Each submission is graded in a process of its own, with a deadline, several at once (see `worker` and `apart`). What came
of it is recorded at once, so that it is graded again only when it, the set, or what stopped it has changed.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from classroom import apart, downloads, lateness, notebooks, pages, persons, progress, texts, whose, worker
from classroom.course import Course, CourseError, digest
from classroom.limits import Limits
from classroom.marks import LISTED, mark
from classroom.rows import Row, timed
from classroom.walls import best

RECORD = ".graded.json"
NAMED = 8  # students who are named as their grading begins; of more, their number is said


def grade(
    course: Course,
    name: str,
    again: bool = False,
    say: Callable[[str], None] = print,
    run: worker.Runner = worker.each,
) -> list[Row]:
    """Grade every submission of a set that is new or changed (`again`: all of them); one that fails stops no other.

    `run` has the work done; what comes of it is the same whichever does, and in whatever order.
    """
    if name not in course.assignments():
        raise CourseError(f"{name} was not released in {course.folder}: run `make classroom` first.")
    record, seconds, means = course.remember(RECORD), Limits.chosen().submission, _means()
    works = {folder.parent.name: _work(course, name, folder) for folder in course.submissions(name)}
    if again:  # stopped, the command goes on with the rest without being told again
        for student in works:
            record.setdefault(f"{name}/{student}", {})["retry"] = True
        course.remember(RECORD, record)
    due = [student for student in works if again or _due(record.get(f"{name}/{student}", {}), works[student], means)]
    if due:
        say(f"grading {_named(due)}")
    with contextlib.closing(_came(course, name, due, partial(run, seconds=seconds))) as came:
        for student, found in progress.told(came, len(due), "graded"):
            if found["problem"]:
                shutil.rmtree(course.autograded(name, student).parent, ignore_errors=True)  # of a version before
            record[f"{name}/{student}"] = {"work": works[student], "means": means, **found}
            course.remember(RECORD, dict(sorted(record.items())))
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
    listed = course.remember(LISTED).get(name, {})
    students = [folder.parent.name for folder in course.submissions(name)]
    drawn = {who: record.get(f"{name}/{who}", {}).get("drawn") for who in students}
    looked = whose.look(drawn, lateness.names(course, students))
    with Gradebook(course.database) as book:
        most = {cell.name: cell.max_score for cell in book.find_notebook(name, name).grade_cells}
        rows = []
        for folder in course.submissions(name):
            entry = record.get(f"{name}/{folder.parent.name}", {})
            entry = entry if "work" in entry else {"problem": "not graded yet", "work": ""}
            data = looked.get(folder.parent.name, whose.Looked())
            entry = entry | {"person": [*entry.get("person", []), *data.person]}
            entry = entry | {"notes": [*entry.get("notes", []), *data.remarks]}
            row = _row(book, name, folder.parent.name, most, entry, listed)
            row = replace(row, notes="; ".join(filter(None, (row.notes, told.get(row.student, {}).get("note")))))
            rows.append(_decided(row, decided.get(row.student)))
    return timed(course, name, rows)


def since(course: Course, name: str) -> list[str]:
    """Whose work, or whose set, is another now than what was graded."""
    record = course.remember(RECORD)
    entries = [(folder, record.get(f"{name}/{folder.parent.name}", {})) for folder in course.submissions(name)]
    return [
        folder.parent.name
        for folder, entry in entries
        if "work" in entry and entry["work"] != _work(course, name, folder)
    ]


def feedback(course: Course, name: str) -> list[str]:
    """Write each student's page where it has changed, under `feedback/`; sentences about what could not be written."""
    return pages.write(course, name, table(course, name))


def _came(course: Course, name: str, due: list[str], run: Callable[..., Any]) -> worker.Results:
    """Who was graded and what is to be recorded of it, as it comes; points and notebook are in the course by then."""
    kit = apart.kit(course, name) if due else apart.Kit(name, {})
    jobs, problems = [], dict[str, str]()
    for student in due:
        folder = course.folder / "submitted" / student / name
        if (folder / f"{name}.ipynb").is_file():
            jobs.append(student)
        else:
            problems[student] = _unread(course, name, folder)
    yield from ((student, {"problem": problem}) for student, problem in problems.items())
    if not jobs:
        return
    apart.ready(kit)

    def begun() -> Iterator[worker.Job]:
        for student in jobs:
            files: dict[str, bytes] = {}
            with contextlib.suppress(OSError):  # `apart.grade` says so
                files = apart.submitted(course.folder / "submitted" / student / name, name)
            yield worker.Job(student, apart.grade, (kit, student, files))

    with contextlib.closing(run(begun())) as results:
        for student, came in results:
            if isinstance(came, worker.Stopped):
                yield student, {"problem": str(came), "limited": True}
                continue
            if not came.found["problem"]:
                apart.enter(course, name, student, came)
            yield student, came.found


def _named(students: list[str]) -> str:
    """The students in a line, or the first of them and how many there are."""
    names = [texts.line(student, 60) for student in students[:NAMED]]
    more = len(students) - len(names)
    return f"{', '.join(names)}{f' and {more} more' if more else ''}"


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


def _unread(course: Course, name: str, folder: Path) -> str:
    """What lies there in the place of a notebook, as collecting said it."""
    told = downloads.told(course, name).get(folder.parent.name, {})
    handed = ", ".join(sorted(other.name for other in folder.iterdir() if other.name != "timestamp.txt"))
    return told.get("problem") or f"handed in {handed or 'nothing'}, no notebook"


def _row(
    book: Gradebook, name: str, student: str, most: dict[str, float], entry: dict[str, Any], listed: dict[str, Any]
) -> Row:
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
        was, answer = listed.get(f"{student}/{cell}"), entry["answers"].get(cell, "")
        if was and was["answer"] != digest(answer.encode("utf8", "replace")):
            points[cell] = None  # they are of the answer before: `mark` has not looked yet
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
