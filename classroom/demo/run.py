"""The whole cycle with a made-up class: released, collected, graded twice, with feedback, held against `grades.csv`."""

import csv
import shutil
import tempfile
import time
from pathlib import Path

from classroom import cells, downloads, grades, lesson, sets, temporary
from classroom import course as courses
from classroom.course import Course
from classroom.demo.submissions import download
from classroom.rows import Row, export, shown
from classroom.walls import chosen, sentences, strays

SET = "chapter_01"
EXPECTED = Path(__file__).parent / "grades.csv"


def main(keep: Path | None = None) -> int:
    """Run the demo and say what came of it; 1 when anything is not as it should be."""
    start = time.monotonic()
    folder = Path(keep or tempfile.mkdtemp(prefix="classroom-")).resolve()
    if keep and folder.exists() and any(folder.iterdir()):
        print(f"{folder} is not empty.")
        return 1
    try:
        print("\n".join(sentences(chosen())))
        course = Course(folder)
        print("\n".join(courses.release(course, only=[SET])))
        download(course.released(SET), folder / "download.zip")
        print("\n".join(downloads.collect(course, SET, folder / "download.zip")))
        rows = grades.grade(course, SET)
        print("grading all of them again")
        again = grades.grade(course, SET, again=True, say=lambda _: None)
        print("\n" + shown(rows) + "\n")
        print(f"grades in {export(course, SET, rows)}")
        print("\n".join(grades.feedback(course, SET)))
        print(lesson.write(course, SET, rows))
        wrong = problems(course, rows, again)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(wrong) or "All as expected, twice; no hidden test in any feedback; no process left behind.")
    print(f"{time.monotonic() - start:.0f} s")
    return 1 if wrong else 0


def problems(course: Course, rows: list[Row], again: list[Row]) -> list[str]:
    """Everything that is not as it should be."""
    wrong = [] if lines(rows) == lines(again) else ["The second run gave other grades than the first."]
    found, expected = lines(rows), list(csv.reader(EXPECTED.read_text(encoding="utf8").splitlines()))
    wrong += [f"not expected: {','.join(line)}" for line in found if line not in expected]
    wrong += [f"missing: {','.join(line)}" for line in expected if line not in found]
    wrong += leaks(course)
    wrong += [] if (course.folder / f"lesson-{SET}.html").exists() else ["There is no page about the class."]
    if left := strays(temporary.folder(), within=True):
        wrong.append(f"Processes left behind: {left}")
    return wrong


def lines(rows: list[Row]) -> list[list[str]]:
    """The table as in `grades.csv`: points by cell (– where none were given), and whether a person must look."""
    table = [["student", *rows[0].most, "state"]]
    for row in rows:
        points = ["–" if row.points[cell] is None else f"{row.points[cell]:g}" for cell in row.most]
        table.append([row.student, *points, row.state])
    return table


def leaks(course: Course) -> list[str]:
    """Lines of hidden tests that stand in a student's feedback."""
    own = sets.read(sets.GRADED / f"{SET}.md").cells
    shown = "\n".join(sets.handed_out(cell) for cell in own)
    hidden = {line.strip() for cell in own if cells.kind(cell) == "test" for line in cells.split(cell.source)[1]}
    secret = {line for line in hidden if len(line) > 12 and line not in shown}
    pages = {file: file.read_text(encoding="utf8") for file in course.folder.glob("feedback/**/*.html")}
    found = [f"{file.parts[-3]}: {line}" for file, page in pages.items() for line in sorted(secret) if line in page]
    return found if pages else ["There is no feedback."]
