"""Downloads of a learning platform are sorted by student, and collecting again loses nothing."""

import zipfile

import nbformat
import pytest

from classroom.course import CourseError
from classroom.demo.submissions import RIGHT, fill
from classroom.downloads import collect, sort

SET = "chapter_01"
NAMES = {
    "Ada King_12345_assignsubmission_file/chapter_01.ipynb": "Ada-King_12345",
    "Ada King_12345_assignsubmission_file_/chapter_01 (1).ipynb": "Ada-King_12345",
    "Ada King_12345_assignsubmission_file_chapter_01.ipynb": "Ada-King_12345",
    "kingada_LATE_12345_67890_chapter_01-2.ipynb": "kingada_12345",
    "kingada_12345_67890_chapter_01.ipynb": "kingada_12345",
    "Set 1_ada_attempt_2026-03-01-10-00-00_chapter_01.ipynb": "ada",
    "submissions/ada/work.ipynb": "ada",
    "ada.ipynb": "ada",
    "ada_chapter_01.ipynb": "ada",
    "../ada.ipynb": "",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_student_is_in_the_name(name, tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr(name, "{}")
        archive.writestr("__MACOSX/._x.ipynb", "")
    found = sort(tmp_path / "d.zip", SET)
    assert list(found.notebooks) == ([NAMES[name]] if NAMES[name] else [])
    assert bool(found.remarks) is not bool(NAMES[name])


def test_the_newest_of_several_is_taken_and_said(tmp_path):
    for day in ("02", "01"):
        (tmp_path / f"Set_ada_attempt_2026-03-{day}-10-00-00_a{day}.ipynb").write_text(day)
    found = sort(tmp_path, SET)
    assert found.notebooks["ada"].content == b"02"
    assert "the newest, Set_ada_attempt_2026-03-02-10-00-00_a02.ipynb, was taken" in found.remarks[0]


@pytest.mark.slow
def test_collecting_again_keeps_every_version(course, notebook, tmp_path):
    first, second = (nbformat.writes(fill(notebook, RIGHT, {"answer-thief": f"thief = {n}"})) for n in (1, 2))
    place = tmp_path / "download"
    for student in ("ada", "bob"):
        (place / student).mkdir(parents=True)
        (place / student / "work.ipynb").write_text(first)
    (place / "eve").mkdir()
    (place / "eve" / "essay.pdf").write_text("no")
    said = collect(course, SET, place)
    assert said[0] == "2 new, 0 changed, 0 unchanged."
    assert "eve: handed in essay.pdf, which is no notebook." in said
    assert collect(course, SET, place)[0] == "0 new, 0 changed, 2 unchanged."
    (place / "ada" / "work.ipynb").write_text(second)
    assert collect(course, SET, place)[0] == "0 new, 1 changed, 1 unchanged."
    assert (course.folder / "submitted" / "ada" / SET / f"{SET}.ipynb").read_text() == second
    assert [file.read_text() for file in (course.folder / "earlier").rglob("*.ipynb")] == [first]
    (place / "ada" / "work.ipynb").write_text(first)
    collect(course, SET, place)
    assert {file.read_text() for file in (course.folder / "earlier").rglob("*.ipynb")} == {first, second}


def test_collecting_says_what_is_wrong(course, tmp_path):
    with pytest.raises(CourseError, match="was not released"):
        collect(course, "chapter_99", tmp_path)
    with pytest.raises(CourseError, match="does not exist"):
        collect(course, SET, tmp_path / "none")
    (tmp_path / "text").write_text("no")
    with pytest.raises(CourseError, match="neither a folder nor a zip"):
        collect(course, SET, tmp_path / "text")
