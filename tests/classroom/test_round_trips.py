"""From each platform's download to its sheet, graded for real: honest students get their grades, whatever they are called there."""

import copy
import csv

import nbformat
import pytest

from classroom.demo.submissions import RIGHT, fill, named
from tests.helpers.archives import SET, archive, moodle

TIME = "attempt_2026-03-01-10-00-00"
# Each download: a student's file, as the platform names it, and the name that the student wrote.
PLATFORMS = {
    "moodle": {
        f"Ελένη Παππά_201_assignsubmission_file/{SET}.ipynb": "Ελένη Παππά",
        f"Anna Müller_203_assignsubmission_file/{SET}.ipynb": "Anna Mueller",
        f"Anna Müller_204_assignsubmission_file/{SET}.ipynb": "Anna Müller",
    },
    "canvas": {
        f"smithannmarie_503_9003_{SET}.ipynb": "Ann-Marie Smith",
        f"לוינועה_LATE_502_9002_{SET}-1.ipynb": "נועה לוי",
    },
    "blackboard": {
        f"{SET}_jberg_{TIME}_{SET}.ipynb": "Jonas Berg",
        f"{SET}_s1234567_{TIME}_{SET}.ipynb": "Mara Lind",
    },
    "sakai": {f"Week 1/Diaz, Iris(idiaz)/Submission attachment(s)/{SET}.ipynb": "Iris Díaz"},
}
HUB = {"tom.hale@example.org": "Tom Hale", "204017": "Una Ross"}
GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section,Chapter 1 (88)
    Points Possible,,,,,14
"Smith, Ann-Marie",503,,ams,A,
"לוי, נועה",502,,noa,A,
"""


@pytest.mark.slow
def test_honest_students_of_every_platform_get_their_grades_back(course, notebook, hub, classroom, lines, tmp_path):
    right = fill(notebook, RIGHT | {"explain-hull": notebook.cells[-1].source})
    written = lambda name: nbformat.writes(named(copy.deepcopy(right), name))  # noqa: E731
    for platform, files in PLATFORMS.items():
        made = archive(tmp_path, {path: written(name) for path, name in files.items()}, f"{platform}.zip")
        assert classroom("collect", made, SET)[1].startswith(f"{len(files)} new")
    for student, name in HUB.items():
        hub(student, named(copy.deepcopy(right), name))
    assert classroom("collect", hub.root, SET)[1].startswith("2 new")
    code, said = classroom("grade")
    assert code == 0, said
    rows = lines(course)
    assert {row["state"] for row in rows.values()} == {"graded"}, said
    assert {row["score"] for row in rows.values()} == {"11"}
    unclear = {student for student, row in rows.items() if "students.csv can say" in row["notes"]}
    assert unclear == {"s1234567", "204017"}
    (course.folder / "students.csv").write_text("student,name\ns1234567,Mara Lind\n204017,Una Ross\n")
    classroom("grade")
    assert not any("students.csv" in row["notes"] for row in lines(course).values())

    back = course.folder / "returned" / SET
    sheet = moodle(tmp_path / "moodle.csv", ("201", "203", "204"))
    assert "3 grades in" in classroom("return", SET, sheet)[1]
    (tmp_path / "canvas.csv").write_text(GRADEBOOK, encoding="utf8")
    assert "2 grades in" in classroom("return", SET, tmp_path / "canvas.csv")[1]
    with (back / "canvas.csv").open(encoding="utf8") as file:
        assert [row["Chapter 1 (88)"] for row in csv.DictReader(file)] == ["14", "11", "11"]
    plain = tmp_path / "plain.csv"
    plain.write_text(f"student,{SET}\n" + "".join(f'"{student}",\n' for student in rows), encoding="utf8")
    assert "10 grades in" in classroom("return", SET, plain)[1]
