"""Downloads of a learning platform are sorted by student, and collecting again loses nothing."""

import copy
import json
import os
import tracemalloc
import unicodedata
import zipfile

import nbformat
import pytest

from classroom.course import CourseError
from classroom.demo.submissions import RIGHT, fill
from classroom.downloads import collect, sort

SET = "chapter_01"
TIME = "attempt_2026-03-01-10-00-00"
NAMES = {
    "Ada King_12345_assignsubmission_file/chapter_01.ipynb": "Ada-King_12345",
    "Ada King_12345_assignsubmission_file_/chapter_01 (1).ipynb": "Ada-King_12345",
    "Ada King_12345_assignsubmission_file_chapter_01.ipynb": "Ada-King_12345",
    "Group A-Ada King_12345_assignsubmission_file_/deep/er/chapter_01.ipynb": "Group-A-Ada-King_12345",
    "all/Ada King_12345_assignsubmission_file_/chapter_01.ipynb": "Ada-King_12345",
    "kingada_LATE_12345_67890_chapter_01-2.ipynb": "kingada_12345",
    "kingada_12345_67890_chapter_01.ipynb": "kingada_12345",
    "anon_x7Ab9_67890_chapter_01.ipynb": "anon_x7Ab9",
    "LATE_anon_x7Ab9_67890_chapter_01.ipynb": "anon_x7Ab9",
    f"Set 1_ada_{TIME}_chapter_01.ipynb": "ada",
    f"chapter_01_ada_k_{TIME}_work.ipynb": "ada_k",
    "Week 1/King, Ada(ada1)/Submission attachment(s)/chapter_01.ipynb": "King-Ada-ada1",
    "submissions/ada/work.ipynb": "",  # a student, or the folder of all
    "ada.ipynb": "ada",
    "ada_chapter_01.ipynb": "ada",
    "ada/Chapter_01.IPYNB": "ada",
    "ada/chapter_01.ipynb.txt": "ada",
    "bob/chapter_01.ipynb.json": "bob",
    "ada.ipynb.txt": "ada",
    "../ada.ipynb": "",
    f"My_set_1_ada_{TIME}_work.ipynb": "",  # of one name alone it cannot be said where the set's ends
}


def archive(folder, files, name="download.zip"):
    with zipfile.ZipFile(folder / name, "w") as made:
        for path, content in files.items():
            if isinstance(path, str):
                path = zipfile.ZipInfo(path, (2026, 3, 1, 10, 0, 0))
            made.writestr(path, content)
    return folder / name


def students(folder, *paths):
    """Whose notebooks are found, by whose content is theirs, and the remarks."""
    found = sort(archive(folder, {path: path for path in paths}), SET)
    return {student: one.content.decode() for student, one in found.notebooks.items()}, found.remarks


@pytest.mark.parametrize("name", NAMES)
def test_the_student_is_in_the_name(name, tmp_path):
    found = sort(archive(tmp_path, {name: "{}", "__MACOSX/._x.ipynb": ""}), SET)
    assert list(found.notebooks) == ([NAMES[name]] if NAMES[name] else [])
    assert bool(found.remarks) is not bool(NAMES[name])


SPOOFS = {  # an honest name, and one whose student called the file so that it looks like another's
    "moodle": (
        "Eve_1_assignsubmission_file_/f.ipynb",
        f"Mal_2_assignsubmission_file_/x_Eve_{TIME}_f.ipynb",
        "Eve_1",
        "Mal_2",
    ),
    "moodle folder": (
        "Eve_1_assignsubmission_file_/f.ipynb",
        "Mal_2_assignsubmission_file_/Eve_1_assignsubmission_file_/f.ipynb",
        "Eve_1",
        "Mal_2",
    ),
    "moodle flat": (
        "Eve_1_assignsubmission_file_f.ipynb",
        "Mal_2_assignsubmission_file_Eve_1_assignsubmission_file_f.ipynb",
        "Eve_1",
        "Mal_2",
    ),
    "blackboard": (f"Set_1_eve_{TIME}_f.ipynb", f"Set_1_mal_{TIME}_x_eve_{TIME}_f.ipynb", "eve", "mal"),
    "canvas": ("eve_1_10_f.ipynb", f"mal_2_20_x_eve_{TIME}_f.ipynb", "eve_1", "mal_2"),
    "canvas ids": ("eve_1_10_f.ipynb", "mal_2_20_eve_1_10_f.ipynb", "eve_1", "mal_2"),
    "folders": ("eve/f.ipynb", f"mal/x_eve_{TIME}_f.ipynb", "eve", "mal"),
    "sakai": (
        "Set/E, Eve(eve)/Submission attachment(s)/f.ipynb",
        "Set/M, Mal(mal)/Submission attachment(s)/E, Eve(eve)/Submission attachment(s)/f.ipynb",
        "E-Eve-eve",
        "M-Mal-mal",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SPOOFS)
def test_a_student_who_names_a_file_like_anothers_gets_it_as_their_own(kind, tmp_path):
    honest, spoof, eve, mal = SPOOFS[kind]
    assert students(tmp_path, honest, spoof)[0] == {eve: honest, mal: spoof}
    assert students(tmp_path, spoof, honest)[0] == {eve: honest, mal: spoof}


def test_two_files_that_look_like_another_platform_do_not_make_it_one(tmp_path):
    names = [f"mal_2_{n}_x_eve_{TIME}_f.ipynb" for n in (20, 21)]
    assert list(students(tmp_path, *names)[0]) == ["mal_2"]


CANVAS = [f"{name}_{number}_90{number}_chapter_01.ipynb" for number, name in enumerate(("anna", "ben", "carl"), 1)]
OTHERS = {  # names that one student of Canvas can give to any number of files
    "blackboard": [f"eve_5_95{n}_attempt_2024-01-01-01-01-0{n}_x.ipynb" for n in range(6)],
    "no form": [f"eve_5_95{n}_attempt_2024-x.ipynb" for n in range(6)],
    "moodle": [f"eve_5_95{n}_assignsubmission_file_x.ipynb" for n in range(6)],
    "lines": [f"eve_5_95{n}_x\n{n}.ipynb" for n in range(6)],
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("more", [[], [f"Set_x_{TIME}_f.ipynb", "list.txt"]])
def test_no_student_decides_the_form_of_the_download(kind, more, tmp_path):
    found, said = students(tmp_path, *CANVAS, *OTHERS[kind], *more)
    assert sorted(found) == ["anna_1", "ben_2", "carl_3", "eve_5"]
    assert sum("whose it is is not clear" in remark for remark in said) == len(more)


def test_a_set_and_students_of_blackboard_may_be_called_by_numbers(tmp_path):
    names = [f"Set_1_{number}_{TIME}_f.ipynb" for number in (2024001, 2024102, 2024203)]
    assert sorted(students(tmp_path, *names)[0]) == ["2024001", "2024102", "2024203"]


@pytest.mark.parametrize("root", ["", "late/"])
def test_what_is_in_the_folder_of_the_only_student_makes_no_others(root, tmp_path):
    found, said = students(tmp_path, f"{root}eve/anna/chapter_01.ipynb")
    assert (found, len(said)) == ({}, 1)
    assert said[0].startswith(f"{root or 'eve/'}"[:-1] + ": whether it is a student's folder")
    deep = [f"late/eve/{name}/chapter_01.ipynb" for name in ("anna", "ben")]
    assert students(tmp_path, *deep)[0] == {}
    assert students(tmp_path, "eve/a.ipynb", "eve/anna/b.ipynb", "eve/ben/c.ipynb")[0] == {}
    alike = [f"eve/Set_anna_{TIME}_{name}.ipynb" for name in "ab"]
    assert students(tmp_path, *alike)[0] == {}
    assert list(students(tmp_path, "eve/a.ipynb", "eve/data/a.txt")[0]) == ["eve"]
    found, said = students(tmp_path, "all/anna/a.ipynb", "all/ben/b.ipynb")
    assert sorted(found) == ["anna", "ben"]
    assert said == ["all was taken for the folder that all students are in, not for a student's."]


def test_many_files_of_one_student_leave_out_nobody_else(tmp_path):
    names = [f"eve/{number}.txt" for number in range(300)]
    found, said = students(tmp_path, "anna/a.ipynb", *names, "eve/z.ipynb", "zoe/a.ipynb")
    assert sorted(found) == ["anna", "eve", "zoe"]
    assert said == ["eve: 301 files; all but 200 are left out, notebooks last."]


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


def test_a_file_that_is_not_named_as_the_others_is_left_out_and_said(tmp_path):
    found, said = students(tmp_path, "eve_1_10_f.ipynb", "ada_2_20_f.ipynb", f"Set_eve_{TIME}_f.ipynb")
    assert sorted(found) == ["ada_2", "eve_1"]
    assert any("whose it is is not clear" in remark for remark in said)


def test_names_of_blackboard_may_hold_underlines(tmp_path):
    found, said = students(tmp_path, f"My_set_a_smith_{TIME}_f.ipynb", f"My_set_b_smith_{TIME}_f.ipynb")
    assert (sorted(found), said) == (["a_smith", "b_smith"], [])


def test_a_class_of_sakai_is_not_one_student(tmp_path):
    place = "Week 1/King, Ada(ada1)/Submission attachment(s)"
    found, said = students(
        tmp_path,
        f"{place}/a.ipynb",
        f"{place.replace('ada1', 'ada2')}/a.ipynb",
        "Week 1/grades.csv",
        "Week 1/King, Ada(ada1)/timestamp.txt",
    )
    assert (sorted(found), said) == (["King-Ada-ada1", "King-Ada-ada2"], [])


def test_a_flat_download_that_was_unpacked_into_a_folder_is_not_one_student(tmp_path):
    assert sorted(students(tmp_path, "all/eve_1_10_f.ipynb", "all/ada_2_20_f.ipynb")[0]) == ["ada_2", "eve_1"]
    assert sorted(students(tmp_path, "all/eve/f.ipynb", "all/ada/f.ipynb", "all/list.csv")[0]) == ["ada", "eve"]


def test_names_that_become_the_same_are_left_out_and_said_and_forms_of_a_letter_are_one(tmp_path):
    found, said = students(tmp_path, "Ada King/f.ipynb", "Ada-King/f.ipynb", "bob/f.ipynb")
    assert (list(found), said) == (
        ["bob"],
        ["Ada King and Ada-King cannot be told apart: their work is left out. Rename one."],
    )
    apart = unicodedata.normalize("NFD", "Jörg")
    assert list(students(tmp_path, f"{apart}/f.ipynb", "Jörg/g.ipynb", "bob/f.ipynb")[0]) == ["Jörg", "bob"]


def test_long_names_stay_different(tmp_path):
    found, _ = students(tmp_path, f"{'ada' * 40}1/f.ipynb", f"{'ada' * 40}2/f.ipynb")
    assert len(found) == 2
    assert all(len(student.encode()) <= 80 for student in found)


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
    assert found.notebooks["ada"].handed_in.endswith(" UTC")


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
    first, second = (nbformat.writes(fill(notebook, RIGHT, {"answer-thief": f"thief = {n}"})) for n in (1, 2))
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
    assert (folder / "timestamp.txt").read_text().startswith("2026-0")


def hand_in(folder, files):
    """A student's folder with these files, each newer than the one before."""
    (folder / "ada").mkdir(parents=True, exist_ok=True)
    for day, (name, content) in enumerate(files.items(), 1):
        (folder / "ada" / name).write_text(content)
        os.utime(folder / "ada" / name, (day * 86400, day * 86400))
    return folder


@pytest.mark.parametrize("other", ["chapter_01_solved.ipynb", "chapter_01 - Kopie.ipynb"])
def test_a_notebook_without_answers_never_wins_and_the_table_says_which_there_were(
    course, notebook, classroom, tmp_path, other, lines
):
    done, empty = nbformat.writes(fill(notebook, RIGHT)), nbformat.writes(notebook)
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
    solved.cells.append(nbformat.v4.new_code_cell("thief = 2.83"))
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
    hand_in(place, {"chapter_01.ipynb": nbformat.writes(fill(notebook, RIGHT))})
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
