"""Downloads of a learning platform are sorted by student: only what the platform wrote is read, and nothing is lost."""

import unicodedata

import pytest

from classroom.downloads import sort
from tests.helpers.archives import SET, archive, students

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
