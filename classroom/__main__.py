"""The classroom from the command line; `make classroom` and its sisters call this."""

import argparse
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from classroom import course as courses
from classroom import downloads, grades, persons, sets, texts, walls
from classroom.course import Course, CourseError
from classroom.limits import Refused
from classroom.rows import export, shown

COURSE = Path("course")


def main(arguments: list[str] | None = None) -> int:
    chosen = _parser().parse_args(arguments)
    try:
        with _ended_by_signals():
            return _run(chosen, Course(chosen.course.resolve()))
    except (CourseError, sets.SetError, Refused) as error:
        print(texts.clean(str(error)), file=sys.stderr)
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(f"{texts.line(what)}. What was done before is kept; run the command again.", file=sys.stderr)
    except SQLAlchemyError as error:
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
    collect = commands.add_parser("collect", help="bring in a download of a learning platform")
    collect.add_argument("download", type=path, help="a zip or a folder")
    collect.add_argument("set", help="the set that it answers")
    grade = commands.add_parser("grade", help="grade what is new, write grades and feedback")
    grade.add_argument("sets", nargs="*", help="which sets (all that were released)")
    grade.add_argument("--again", action="store_true", help="also what was graded before")
    demo = commands.add_parser("demo", help="a whole cycle with made-up submissions")
    demo.add_argument("--keep", type=path, help="leave the course folder here")
    return parser


def _run(chosen: argparse.Namespace, course: Course) -> int:
    if chosen.command == "demo":
        from classroom.demo import run

        return run.main(chosen.keep)
    if chosen.command == "grade" and not chosen.sets and not course.assignments():
        raise CourseError(f"Nothing was released in {course.folder}: run the release first.")
    with course.locked():
        if chosen.command == "release":
            _say(courses.release(course, chosen.graded, chosen.sets or None))
        elif chosen.command == "collect":
            _say(downloads.collect(course, chosen.set, chosen.download))
        else:
            _say(walls.sentences(walls.chosen()))
            for name in chosen.sets or course.assignments():
                _grade(course, name, chosen.again)
    return 0


def _grade(course: Course, name: str, again: bool) -> None:
    start = time.monotonic()
    rows = grades.grade(course, name, again)
    print(f"\n{name}: {len(rows)} submissions, {time.monotonic() - start:.0f} s\n{shown(rows)}\n")
    print(f"Grades: {export(course, name, rows)}")
    print("Feedback: " + "\n".join(grades.feedback(course, name)))
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
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    own = str(Path(sys.executable).parent)  # of this Python's programs, nbgrader calls one by its name alone
    os.environ["PATH"] = os.pathsep.join([own, os.environ.get("PATH", os.defpath)])
    sys.exit(main())
