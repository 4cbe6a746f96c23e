"""The classroom from the command line; `make classroom` and its sisters call this."""

import argparse
import contextlib
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from classroom import course as courses
from classroom import (
    downloads,
    exchange,
    grades,
    handback,
    lateness,
    lesson,
    marks,
    persons,
    scheduler,
    sets,
    similar,
    temporary,
    texts,
    walls,
)
from classroom.course import Course, CourseError
from classroom.fences import SetError
from classroom.limits import Refused
from classroom.rows import export, shown
from classroom.worker import Runner, terminated

COURSE = Path("course")


def main(arguments: list[str] | None = None) -> int:
    chosen = _parser().parse_args(arguments)
    try:
        with _ended_by_signals(), temporary.used():
            return _run(chosen, Course(chosen.course.resolve()))
    except (CourseError, SetError, Refused) as error:
        print(texts.clean(str(error)), file=sys.stderr)
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(f"{texts.line(what)}. What was done before is kept; run the command again.", file=sys.stderr)
    except (SQLAlchemyError, sqlite3.Error) as error:
        said = texts.line(str(error).partition("\n")[0])
        print(f"The gradebook cannot be read or written: {said}. Run the command again.", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped. What was graded is kept; run the command again for the rest.", file=sys.stderr)
        return 130
    return 1


def path(text: str) -> Path:
    """A path; `~` is the home folder, whatever the shell made of it."""
    return Path(text).expanduser()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m classroom", description=__doc__)
    parser.add_argument("--course", type=path, default=COURSE, help="the course folder (course)")
    commands = parser.add_subparsers(dest="command", required=True)
    release = commands.add_parser("release", help="make the students' notebooks")
    release.add_argument("sets", nargs="*", help="which sets (all)")
    release.add_argument("--graded", type=path, default=sets.GRADED, help="the folder of the graded sets")
    new = commands.add_parser("new", help="start a graded set from the template")
    new.add_argument("name", help="what it is called, such as week_3")
    new.add_argument("--graded", type=path, default=sets.GRADED, help="the folder of the graded sets")
    collect = commands.add_parser("collect", help="bring in a platform's download, or a hub's exchange")
    collect.add_argument("download", type=path, help="a zip or a folder")
    collect.add_argument("set", help="the set that it answers")
    collect.add_argument("--times", type=path, help="Moodle's grading worksheet, for when each student handed in")
    hand = commands.add_parser("hand-out", help="put a set where a hub's students fetch it")
    hand.add_argument("set", help="which set")
    hand.add_argument("to", type=path, help="the hub's exchange, a folder")
    grade = commands.add_parser("grade", help="grade what is new, write grades and feedback")
    grade.add_argument("sets", nargs="*", help="which sets (all that were released)")
    grade.add_argument("--again", action="store_true", help="also what was graded before")
    names = grade.add_mutually_exclusive_group()
    names.add_argument("--anonymous", action="store_true", help="list answers in words without names from now on")
    names.add_argument("--names", action="store_true", help="list them with names again")
    back = commands.add_parser("return", help="grades and feedback as the learning platform takes them")
    back.add_argument("set", help="which set")
    back.add_argument("to", type=path, help="the platform's sheet: a grading worksheet, a gradebook, or a plain one")
    back.add_argument("--column", default="", help="the column of the sheet, where the set's name does not say")
    back.add_argument("--scale", action="store_true", help="scale points to the platform's maximum")
    alike = commands.add_parser("similar", help="list work that is alike, for a person to look at")
    alike.add_argument("set", help="which set")
    demo = commands.add_parser("demo", help="a whole cycle with made-up submissions")
    demo.add_argument("--keep", type=path, help="leave the course folder here")
    return parser


def _run(chosen: argparse.Namespace, course: Course) -> int:
    if chosen.command == "demo":
        from classroom.demo import run

        return run.main(chosen.keep)
    if chosen.command == "new":
        _say(
            [
                f"Fill in {sets.start(chosen.graded, chosen.name)}, then run `make classroom`: it says what is wrong, with its line."
            ]
        )
        return 0
    if chosen.command == "grade" and not chosen.sets and not course.assignments():
        raise CourseError(f"Nothing was released in {course.folder}: run `make classroom` first.")
    with course.locked():
        if chosen.command == "release":
            _say(courses.release(course, chosen.graded, chosen.sets or None))
        elif chosen.command == "collect":
            _say(downloads.collect(course, chosen.set, chosen.download, chosen.times))
        elif chosen.command == "hand-out":
            _say([exchange.hand_out(course, chosen.set, chosen.to)])
        elif chosen.command == "similar":
            _say(similar.similar(course, chosen.set))
        elif chosen.command == "return":
            rows = grades.table(course, chosen.set) if chosen.set in course.assignments() else []
            if not rows:
                raise CourseError(
                    f"No work for {chosen.set} was graded in {course.folder}: collect and grade it first."
                )
            if newer := grades.since(course, chosen.set):
                raise CourseError(
                    f"{len(newer)} handed in anew, or the set changed, since it was graded: {', '.join(newer[:5])}. "
                    "Grade first; nothing was written."
                )
            problems = grades.feedback(course, chosen.set)[1:]  # pages say what the sheet says
            _say(problems + handback.give_back(course, chosen.set, rows, chosen.to, chosen.column, chosen.scale))
        else:
            lateness.check(course)
            _say(walls.sentences(walls.chosen()))
            with scheduler.chosen() as runner:
                for name in chosen.sets or course.assignments():
                    if chosen.anonymous or chosen.names:
                        marks.anonymous(course, name, chosen.anonymous)
                    _grade(course, name, chosen.again, runner)
    return 0


def _grade(course: Course, name: str, again: bool, runner: Runner) -> None:
    start = time.monotonic()
    rows = grades.grade(course, name, again, run=runner)
    print(f"\n{name}: {len(rows)} submissions, {time.monotonic() - start:.0f} s\n{shown(rows)}\n")
    print(f"Grades: {export(course, name, rows)}")
    print("Feedback: " + "\n".join(grades.feedback(course, name)))
    print(lesson.write(course, name, rows))
    if any(row.waiting for row in rows):
        print(f"Answers to mark: fill in the points in {course.folder / f'to-mark-{name}.csv'}, then run this again.")
    if persons_needed := sum(row.state == "needs a person" for row in rows):
        need = "1 submission needs" if persons_needed == 1 else f"{persons_needed} submissions need"
        print(f"{need} a person: look, decide in {persons.file(course, name)}, then run this again.")


def _say(sentences: list[str]) -> None:
    print("\n".join(map(texts.clean, sentences)))


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM ends the command as Ctrl-C does: what was started is ended first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, partial(terminated, 143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    own = str(Path(sys.executable).parent)  # of this Python's programs, nbgrader calls one by its name alone
    os.environ["PATH"] = os.pathsep.join([own, os.environ.get("PATH", os.defpath)])
    sys.exit(main())
