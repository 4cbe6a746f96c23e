"""The classroom from the command line; `make classroom` and its sisters call this."""

import argparse
import sys
import time
from pathlib import Path

from classroom import course as courses
from classroom import downloads, grades, sets
from classroom.course import Course, CourseError
from classroom.walls import best

COURSE = Path("course")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m classroom", description=__doc__)
    parser.add_argument("--course", type=place, default=COURSE, help="the course folder (course)")
    commands = parser.add_subparsers(dest="command", required=True)
    release = commands.add_parser("release", help="make the students' notebooks")
    release.add_argument("sets", nargs="*", help="which sets (all)")
    release.add_argument("--graded", type=place, default=sets.GRADED, help="the folder of the graded sets")
    collect = commands.add_parser("collect", help="bring in a download of a learning platform")
    collect.add_argument("download", type=place, help="a zip or a folder")
    collect.add_argument("set", help="the set that it answers")
    grade = commands.add_parser("grade", help="grade what is new, write grades and feedback")
    grade.add_argument("sets", nargs="*", help="which sets (all that were released)")
    grade.add_argument("--again", action="store_true", help="also what was graded before")
    demo = commands.add_parser("demo", help="a whole cycle with made-up submissions")
    demo.add_argument("--keep", type=place, help="leave the course folder here")
    chosen = parser.parse_args(arguments)
    course = Course(chosen.course.resolve())
    try:
        if chosen.command == "release":
            print("\n".join(courses.release(course, chosen.graded, chosen.sets or None)))
        elif chosen.command == "collect":
            print("\n".join(downloads.collect(course, chosen.set, chosen.download)))
        elif chosen.command == "grade":
            return _grade(course, chosen.sets, chosen.again)
        else:
            from classroom.demo import run

            return run.main(chosen.keep)
    except (CourseError, sets.SetError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def place(text: str) -> Path:
    """A path; `~` is the home folder, whatever the shell made of it."""
    return Path(text).expanduser()


def _grade(course: Course, names: list[str], again: bool) -> int:
    if not names and not course.assignments():
        raise CourseError(f"Nothing was released in {course.folder}: run the release first.")
    contained()
    for name in names or course.assignments():
        start = time.monotonic()
        rows = grades.grade(course, name, again)
        print(f"\n{name}: {len(rows)} submissions, {time.monotonic() - start:.0f} s\n{grades.shown(rows)}\n")
        print(f"Grades: {grades.export(course, name, rows)}")
        if any("to mark" in row.state for row in rows):
            print(
                f"Answers to mark: fill in the points in {course.folder / f'to-mark-{name}.csv'}, then run this again."
            )
        print("Feedback: " + "\n".join(grades.feedback(course, name)))
    return 0


def contained() -> None:
    """Say what a submission could do here."""
    walls = best()
    print(f"Submissions run in a process of their own, contained by {walls.name}.")
    for sentence in walls.remains:
        print(f"  NOT CONTAINED. {sentence}")


if __name__ == "__main__":
    sys.exit(main())
