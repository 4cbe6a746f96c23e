"""Downloads of a learning platform are sorted by student, and collecting again loses nothing."""

import copy
import json
import os
import tracemalloc
import zipfile

import nbformat
import pytest

from classroom.course import CourseError
from classroom.demo.submissions import RIGHT, fill
from classroom.downloads import collect, sort
from tests.helpers.archives import SET, archive, students

ADA = {"answer-student": "student = 'ada'"}
TIME = "attempt_2026-03-01-10-00-00"


CANVAS = [f"{name}_{number}_90{number}_chapter_01.ipynb" for number, name in enumerate(("anna", "ben", "carl"), 1)]


def test_a_file_is_read_when_it_is_taken(tmp_path):
    empty = bytes(10 << 20)
    place = archive(tmp_path, {f"eve/{number}.txt": empty for number in range(8)} | {"ada/f.ipynb": "{}"})
    tracemalloc.start()
    found = sort(place, SET)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sorted([*found.notebooks, *found.others]) == ["ada", "eve"]
    assert most < 4 * len(empty)


def test_a_file_name_makes_no_line_of_its_own(classroom, tmp_path):
    names = ("a.ipynb", "b.ipynb\nanna: has no work.\n\x1b[31mx\u202e.ipynb")
    place = archive(tmp_path, {f"eve/{name}": "{}" for name in names} | {"zoe/b\rChanged: anna.\n.pdf": "x"})
    said = classroom("collect", place, SET)[1].splitlines()
    assert [line.partition(" ")[0] for line in said] == ["1", "eve:", "zoe:"]


def test_whatever_a_file_is_called_its_student_has_a_row(course, classroom, tmp_path):
    names = {"eve": "---", "fay": "chapter_01.ipynb.", "gil": "timestamp.txt", "hal": ".hidden", "ida": "comments.txt"}
    names |= {"jo": "x_submissionText.html", "kim": "Feedback Attachment(s)/x.pdf"}
    place = archive(tmp_path, {f"{who}_1_assignsubmission_file_/{name}": "x" for who, name in names.items()})
    for _ in range(2):
        said = classroom("collect", place, SET)[1]
        assert "0 new, 0 changed, 0 unchanged." in said
        for who, name in names.items():
            assert f"{who}_1: handed in {name.rpartition('/')[2]}, no notebook." in said
    kept = {file.name for file in course.folder.glob(f"submitted/*/{SET}/*")}
    assert {"file", "chapter_01.ipynb.other", "timestamp.txt.other"} < kept
    assert not (course.folder / "earlier").exists()
    found, said = students(tmp_path, f"Set_---_{TIME}_f.ipynb", f"Set_ada_{TIME}_f.ipynb")
    assert (list(found), len(said)) == (["ada"], 1)
    found = sort(archive(tmp_path, dict.fromkeys([*CANVAS, "eve_5_950_submissionText.html", "grades.csv"], "x")), SET)
    assert (list(found.others), found.remarks) == (["eve_5"], [])


CHOICES = {  # files of one student with their hours, the one that is taken, and words of the remark
    "named like the set": (("chapter_01.ipynb", 9), ("notes.ipynb", 11), 0, "called like the set; not notes.ipynb."),
    "the newest copy": (
        ("chapter_01 (1).ipynb", 11),
        ("chapter_01.ipynb", 9),
        0,
        "taken, the newest; not chapter_01.ipynb.",
    ),
    "canvas' copy": (("chapter_01.ipynb", 9), ("chapter_01-2.ipynb", 9), 1, "the newest; not chapter_01.ipynb."),
    "the newest": (("a.ipynb", 9), ("b.ipynb", 11), 1, "taken, the newest; not a.ipynb."),
    "the same time": (("a.ipynb", 9), ("b.ipynb", 9), 1, "They have the same time: look which one is meant."),
}


@pytest.mark.parametrize("case", CHOICES)
def test_of_several_notebooks_the_likeliest_is_taken_and_the_others_are_said(case, tmp_path):
    *files, taken, words = CHOICES[case]
    entries = {zipfile.ZipInfo(f"ada/{name}", (2026, 3, 1, hour, 0, 0)): name for name, hour in files}
    found = sort(archive(tmp_path, entries), SET)
    assert found.notebooks["ada"].content.decode() == files[taken][0]
    assert len(found.remarks) == 1
    assert words in found.remarks[0]


def test_the_newest_attempt_is_taken_whatever_its_file_is_called(tmp_path):
    names = [f"Set_ada_attempt_2026-03-0{day}-10-00-00_{name}.ipynb" for day, name in ((1, SET), (2, "final"))]
    found = sort(archive(tmp_path, {name: name for name in names}), SET)
    assert found.notebooks["ada"].name == "final.ipynb"
    assert found.notebooks["ada"].upload.time == "2026-03-02-10-00-00"


def test_what_cannot_be_unpacked_or_is_too_large_stops_nothing(tmp_path):
    place = archive(
        tmp_path, {"ada/f.ipynb": "broken" * 50, "bob/f.ipynb": "right", "eve/f.ipynb": " " * ((10 << 20) + 1)}
    )
    content = bytearray(place.read_bytes())
    content[content.index(b"broken")] ^= 255
    place.write_bytes(content)
    found = sort(place, SET)
    assert list(found.notebooks) == ["bob"]
    assert found.others["eve"].too_large == "f.ipynb has 10.0 MB, and 10 MB is the most that is read"
    assert [remark.partition(":")[0] for remark in found.remarks] == ["ada"]


def test_collecting_again_keeps_every_version(course, notebook, tmp_path):
    first, second = (
        nbformat.writes(fill(notebook, RIGHT, {"answer-long_enough": f"long_enough = {n}"})) for n in (1, 2)
    )
    place = tmp_path / "download"
    for student in ("ada", "bob"):
        (place / student).mkdir(parents=True)
        (place / student / "work.ipynb").write_text(first)
    (place / "eve").mkdir()
    (place / "eve" / "essay.pdf").write_text("no")
    said = collect(course, SET, place)
    assert said[0] == "2 new, 0 changed, 0 unchanged."
    assert "eve: handed in essay.pdf, no notebook." in said
    assert collect(course, SET, place)[0] == "0 new, 0 changed, 2 unchanged."
    (place / "ada" / "work.ipynb").write_text(second)
    assert collect(course, SET, place)[0] == "0 new, 1 changed, 1 unchanged."
    assert (course.folder / "submitted" / "ada" / SET / f"{SET}.ipynb").read_text() == second
    assert [file.read_text() for file in (course.folder / "earlier").rglob("*.ipynb")] == [first]
    (place / "ada" / "work.ipynb").write_text(first)
    collect(course, SET, place)
    assert {file.read_text() for file in (course.folder / "earlier").rglob("*.ipynb")} == {first, second}
    (place / "bob" / "work.ipynb").unlink()
    (place / "bob" / "essay.pdf").write_text("no")
    assert "bob: handed in essay.pdf, no notebook; what was collected before stays." in collect(course, SET, place)


def test_what_is_collected_lies_as_nbgrader_has_it(course, notebook, classroom, tmp_path):
    place = archive(tmp_path, {"Eve \x1b[2J_1_assignsubmission_file_/f.ipynb": json.dumps(notebook)})
    code, said = classroom("collect", place, SET)
    assert code == 0
    assert "1 new" in said
    assert "\x1b" not in said
    folder = course.folder / "submitted" / "Eve-2J_1" / SET
    assert json.loads((folder / f"{SET}.ipynb").read_text()) == notebook
    assert not (folder / "timestamp.txt").exists()  # a file's own time is nobody's word
    name = f"{SET}_fay_{TIME}_{SET}.ipynb"
    classroom("collect", archive(tmp_path, {name: json.dumps(notebook)}, "blackboard.zip"), SET)
    assert (course.folder / "submitted" / "fay" / SET / "timestamp.txt").read_text().startswith("2026-0")


def hand_in(folder, files):
    """A student's folder with these files, each newer than the one before."""
    (folder / "ada").mkdir(parents=True, exist_ok=True)
    for day, (name, content) in enumerate(files.items(), 1):
        (folder / "ada" / name).write_text(content)
        os.utime(folder / "ada" / name, (day * 86400, day * 86400))
    return folder


@pytest.mark.parametrize(
    "other", ["chapter_01 - Kopie.ipynb", pytest.param("chapter_01_solved.ipynb", marks=pytest.mark.slow)]
)
def test_a_notebook_without_answers_never_wins_and_the_table_says_which_there_were(
    course, notebook, classroom, tmp_path, other, lines
):
    done, empty = nbformat.writes(fill(notebook, RIGHT, ADA)), nbformat.writes(notebook)
    place = hand_in(tmp_path / "download", {other: done, "chapter_01.ipynb": empty})
    said = f"several notebooks; {other} was taken, the only one that can be read and has answers; not chapter_01.ipynb"
    assert f"ada: {said}.\n" in classroom("collect", place, SET)[1]
    classroom("grade")
    row = lines(course)["ada"]
    assert (row["score"], row["state"], row["notes"]) == ("11", "1 to mark", said)
    (place / "ada" / "chapter_01.ipynb").unlink()
    classroom("collect", place, SET)
    classroom("grade")
    assert lines(course)["ada"]["notes"] == ""


def test_answers_count_as_such_wherever_they_stand(course, notebook, tmp_path):
    explained = copy.deepcopy(notebook)
    explained.cells.append(nbformat.v4.new_markdown_cell("They are averages."))
    solved = copy.deepcopy(notebook)
    solved.cells.append(nbformat.v4.new_code_cell("long_enough = 2.83"))
    for other in (explained, solved):
        files = {"other.ipynb": nbformat.writes(other), "chapter_01.ipynb": nbformat.writes(notebook)}
        found = sort(hand_in(tmp_path / "download", files), SET, notebook)
        assert found.notebooks["ada"].name == "other.ipynb"
    noted = copy.deepcopy(notebook)
    noted.cells.append(nbformat.v4.new_code_cell("1 + 1"))
    files = {"other.ipynb": nbformat.writes(noted), "chapter_01.ipynb": nbformat.writes(notebook)}
    assert sort(hand_in(tmp_path / "download", files), SET, notebook).notebooks["ada"].name == "chapter_01.ipynb"


def test_a_notebook_that_is_too_large_is_said_to_be_that(course, notebook, classroom, tmp_path, lines):
    place = hand_in(tmp_path / "download", {"chapter_01.ipynb": " " * (11 << 20)})
    said = "chapter_01.ipynb has 11.0 MB, and 10 MB is the most that is read"
    assert f"ada: {said}.\n" in classroom("collect", place, SET)[1]
    classroom("grade")
    assert lines(course)["ada"]["needs a person because"] == said
    assert f"no grade yet: {said}." in (course.folder / "feedback" / "ada" / SET / f"{SET}.html").read_text()
    hand_in(place, {"chapter_01.ipynb": nbformat.writes(fill(notebook, RIGHT, ADA))})
    classroom("collect", place, SET)
    classroom("grade")
    assert (lines(course)["ada"]["score"], lines(course)["ada"]["notes"]) == ("11", "")
    hand_in(place, {"chapter_01.ipynb": " " * (11 << 20)})
    classroom("collect", place, SET)
    classroom("grade")
    assert (lines(course)["ada"]["score"], lines(course)["ada"]["notes"]) == (
        "11",
        f"{said}; what was collected before stays",
    )


def test_what_was_handed_in_instead_of_a_notebook_is_said_anew_and_kept(course, classroom, tmp_path, lines):
    place = hand_in(tmp_path / "download", {"essay.pdf": "one"})
    classroom("collect", place, SET)
    classroom("grade")
    (place / "ada" / "essay.pdf").rename(place / "ada" / "other.pdf")
    classroom("collect", place, SET)
    classroom("grade")
    assert lines(course)["ada"]["needs a person because"] == "handed in other.pdf, no notebook"
    assert [file.read_text() for file in (course.folder / "earlier").rglob("essay.pdf")] == ["one"]


def test_collecting_says_what_is_wrong(course, tmp_path):
    with pytest.raises(CourseError, match="was not released"):
        collect(course, "chapter_99", tmp_path)
    with pytest.raises(CourseError, match="does not exist"):
        collect(course, SET, tmp_path / "none")
    (tmp_path / "text").write_text("no")
    with pytest.raises(CourseError, match="neither a folder nor a zip"):
        collect(course, SET, tmp_path / "text")
