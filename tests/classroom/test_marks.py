"""What a teacher writes into a sheet counts, however a spreadsheet saved it; what a student wrote acts in none."""

import re
import shutil

import nbformat
import pytest

from classroom import grades, sheets, worker
from classroom.__main__ import main
from classroom.demo.submissions import RIGHT, fill
from classroom.restore import defined

SET = "chapter_01"
HULL = "explain-hull"


@pytest.fixture(scope="module")
def graded_once(copied, place, once):
    """A class of two whose answers wait for their points, graded once."""

    def grade(folder):
        course = copied(folder)
        notebook = nbformat.read(course.released(SET), 4)
        for student, more in (("ada", ""), ("bob", " Für n → ∞.")):
            place(course, student, fill(notebook, RIGHT, {HULL: RIGHT[HULL] + more}))
        assert main(["--course", str(course.folder), "grade"]) == 0
        return course

    return once("marked", grade)


@pytest.fixture
def graded(course, graded_once):
    """This test's course, as that class left it."""
    shutil.copytree(graded_once.folder, course.folder, dirs_exist_ok=True)


def write(
    course,
    rows,
    columns=("student", "cell", "criterion 1", "criterion 2", "points", "of", "comment", "rubric", "answer"),
    sheet="to-mark",
    form=("utf-8-sig", ","),
):
    """Save a sheet as a spreadsheet would."""
    encoding, delimiter = form
    quoted = [delimiter.join('"' + value.replace('"', '""') + '"' for value in row) for row in (columns, *rows)]
    (course.folder / f"{sheet}-{SET}.csv").write_bytes("\r\n".join(quoted).encode(encoding, "replace"))


@pytest.fixture
def fill_in(course, lines):
    """Points and comments into the sheet's rows, by student."""

    def run(**given):
        rows = [{**row, **given.get(student, {})} for student, row in lines(course, "to-mark").items()]
        write(course, [list(row.values()) for row in rows])

    return run


@pytest.fixture
def decide(course, lines):
    """Decisions into the sheet of those that need a person: (decision, comment) by student."""

    def run(**given):
        asked = lines(course, "needs-a-person")
        rows = [[who, row["reason"], *given.get(who, (row["decision"], row["comment"]))] for who, row in asked.items()]
        write(course, rows, ("student", "reason", "decision", "comment"), "needs-a-person")

    return run


FORMS = {
    "Excel, German": ("cp1252", ";"),
    "Unicode text": ("utf-16", "\t"),
    "UTF-8 without a mark": ("utf-8", ","),
    "LibreOffice": ("utf-8", ";"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_points_and_comments_are_read_however_a_spreadsheet_saved_them(course, classroom, graded, form, lines):
    rows = [
        list(({**row, "points": " 2,5 ", "comment": "Schön!"}).values()) for row in lines(course, "to-mark").values()
    ]
    write(course, rows, form=form)
    assert classroom("grade")[0] == 0
    found = lines(course)
    assert [(found[who]["score"], found[who]["state"]) for who in ("ada", "bob")] == [("13.5", "graded")] * 2
    page = (course.folder / "feedback" / "bob" / SET / f"{SET}.html").read_text()
    assert "Schön!" in page
    assert "13.5 of 14" in page


def test_points_stay_until_they_are_emptied_or_the_answer_changes(
    course, classroom, graded, submit, notebook, lines, fill_in
):
    fill_in(ada={"points": "2"}, bob={"points": "3"})
    classroom("grade")
    classroom("grade", "--again")
    assert [row["score"] for row in lines(course).values()] == ["13", "14"]
    fill_in(ada={"points": ""})
    classroom("grade")
    assert (lines(course)["ada"]["score"], lines(course)["ada"]["state"]) == ("11", "1 to mark")
    (course.folder / f"to-mark-{SET}.csv").unlink()  # a lost sheet withdraws nothing
    classroom("grade")
    assert lines(course)["bob"]["score"] == "14"
    submit("bob", fill(notebook, RIGHT, {HULL: "=Something else"}))
    classroom("grade")
    assert lines(course)["bob"]["state"] == "1 to mark"
    assert lines(course, "to-mark")["bob"]["answer"] == "'=Something else"
    kept = [file.read_text(encoding="utf-8-sig") for file in (course.folder / "earlier").rglob("to-mark*.csv")]
    assert any("bob,explain-hull,,,3" in text for text in kept)


def test_points_of_the_answer_before_are_not_those_of_a_new_one(course, classroom, graded, submit, notebook, fill_in):
    fill_in(ada={"points": "3"}, bob={"points": "3"})
    classroom("grade")
    submit("bob", fill(notebook, RIGHT, {HULL: "No idea."}))
    fill_in(ada={"points": "2.5 pts"})
    assert classroom("grade")[0] == 1
    bob = {row.student: row for row in grades.table(course, SET)}["bob"]
    assert (bob.points[HULL], bob.state) == (None, "1 to mark")


def test_points_that_cannot_be_are_refused_and_change_nothing(course, classroom, graded, lines, fill_in):
    for points in ("4", "-1", "2.5 pts", "nan", "inf", "1e1", "²"):
        fill_in(ada={"points": points}, bob={"points": "3"})
        code, said = classroom("grade")
        assert code == 1
        assert f"ada has '{points}' for {HULL}; write 0 to 3. No grade was changed." in said
    fill_in(ada={"points": ""}, bob={"points": ""})
    classroom("grade")
    assert lines(course)["bob"]["score"] == "11"


def test_rows_that_are_about_nobody_or_twice_there_are_said(course, classroom, graded, lines):
    rows = [list(row.values()) for row in lines(course, "to-mark").values()]
    write(
        course,
        [*rows, rows[0], ["eve", HULL, "", "", "3", *rows[0][5:]], ["ada", "explain-none", "", "", "1", *rows[0][5:]]],
    )
    said = classroom("grade")[1]
    assert f"ada has two rows for {HULL}; the last counts." in said
    assert f"eve, {HULL}: no such answer waits or was marked; passed over." in said
    assert "ada, explain-none: no such answer" in said
    write(course, [[*rows[0][:4], points, *rows[0][5:]] for points in ("1", "2")])
    code, said = classroom("grade")
    assert code == 1
    assert f"ada has two rows with other points for {HULL}" in said
    write(course, [["ada", "1"]], ("student", "points"))
    assert "has lost the column cell, answer" in classroom("grade")[1]


def test_a_broken_version_after_a_marked_one_has_no_points_and_they_come_back(
    course, classroom, graded, submit, notebook, lines, fill_in
):
    fill_in(ada={"points": "2"})
    classroom("grade")
    submit("ada", b"{")
    _, said = classroom("grade")
    assert re.search(r"^ada +– +needs a person +the file is no notebook that can be read$", said, re.MULTILINE)
    assert "1 submission needs a person: look, decide in " in said
    row = lines(course)["ada"]
    assert (row["score"], row[HULL], row["test-long_enough"], row["state"]) == ("", "", "", "needs a person")
    page = (course.folder / "feedback" / "ada" / SET / f"{SET}.html").read_text()
    assert "has no grade yet: the file is no notebook" in page
    assert "13" not in re.sub(r"<style>.*?</style>|<meta[^>]*>", "", page, flags=re.DOTALL)
    submit("ada", fill(notebook, RIGHT))
    classroom("grade")
    assert lines(course)["ada"]["score"] == "13"


def test_needs_a_person_is_cleared_for_exactly_this_work_and_reason(course, classroom, submit, notebook, lines, decide):
    twice = fill(notebook, RIGHT)
    twice.cells.append({**twice.cells[-1], "source": "Another reason."})
    submit("ada", twice)
    submit("eve", b"{")
    classroom("grade")
    decide(ada=("ok", "the first is meant"))
    _, said = classroom("grade")
    assert lines(course)["ada"]["state"] == "1 to mark"
    assert lines(course)["ada"]["notes"] == "cleared: the first is meant"
    assert said.count("explain-hull is answered twice") == 1
    assert "1 submission needs a person" in said
    classroom("grade", "--again")
    assert lines(course)["ada"]["state"] == "1 to mark"
    decide(ada=("5", ""))
    classroom("grade")
    assert (lines(course)["ada"]["score"], lines(course)["ada"]["state"]) == ("5", "graded")
    assert "5 of 14" in (course.folder / "feedback" / "ada" / SET / f"{SET}.html").read_text()
    decide(ada=("", ""))
    classroom("grade")
    assert lines(course)["ada"]["state"] == "needs a person"
    decide(ada=("ok", "yes"))
    classroom("grade")
    twice.cells[-1]["source"] = "A third reason."
    submit("ada", twice)
    classroom("grade")
    assert lines(course)["ada"]["state"] == "needs a person"
    assert lines(course, "needs-a-person")["ada"]["decision"] == ""
    kept = [file.read_text(encoding="utf-8-sig") for file in (course.folder / "earlier").rglob("needs-a-person*.csv")]
    assert any("ok,yes" in text for text in kept)


def test_work_without_a_grade_can_be_given_points_but_not_confirmed(course, classroom, submit, lines, decide):
    submit("eve", b"{")
    classroom("grade")
    for decision, words in (
        ("ok", "there are tests without points: write points for the set, 0 to 14"),
        ("x", "write ok, or"),
    ):
        decide(eve=(decision, ""))
        code, said = classroom("grade")
        assert code == 1
        assert words in said
    decide(eve=("0", "never answered my mail"))
    classroom("grade")
    row = lines(course)["eve"]
    assert (row["score"], row["state"]) == ("0", "graded")
    assert row["notes"].startswith("cleared: never answered my mail")
    page = (course.folder / "feedback" / "eve" / SET / f"{SET}.html").read_text()
    assert "0 of 14" in page
    assert "has no grade yet" not in page


ROW = ("student", "reason", "decision", "comment")


def test_of_two_rows_about_a_student_the_one_with_a_decision_counts(course, classroom, submit, lines):
    submit("eve", b"{")
    classroom("grade")
    reason = lines(course, "needs-a-person")["eve"]["reason"]
    write(course, [["eve", reason, "4", ""], ["eve", reason, "", ""]], ROW, "needs-a-person")
    classroom("grade")
    assert lines(course)["eve"]["score"] == "4"
    write(course, [["eve", reason, "4", ""], ["eve", reason, "3", ""]], ROW, "needs-a-person")
    code, said = classroom("grade")
    assert (code, "eve has two rows with other decisions" in said) == (1, True)


def test_two_rows_with_other_criteria_are_refused(course, classroom, graded, lines):
    row = list(lines(course, "to-mark")["ada"].values())
    write(course, [[*row[:2], "1", "1", *row[4:]], row])
    assert classroom("grade")[0] == 1


@pytest.mark.slow
def test_points_for_the_set_can_be_given_to_a_student_about_whom_nobody_asked(
    course, classroom, graded, submit, notebook, lines
):
    write(course, [["ada", "", "12,5", "shown to me in class"]], ROW, "needs-a-person")
    assert classroom("grade")[0] == 0
    row = lines(course)["ada"]
    assert (row["score"], row["state"], row["notes"]) == ("12.5", "graded", "decided: shown to me in class")
    assert "12.5 of 14" in (course.folder / "feedback" / "ada" / SET / f"{SET}.html").read_text()
    assert lines(course)["bob"]["score"] == "11"
    classroom("grade", "--again")
    assert lines(course)["ada"]["score"] == "12.5"
    assert list(lines(course, "needs-a-person")) == ["ada"]
    write(course, [["ada", "", "15", ""]], ROW, "needs-a-person")
    assert "write ok, or points for the set, 0 to 14" in classroom("grade")[1]
    write(course, [["ada", "", "", ""], ["eve", "", "3", ""]], ROW, "needs-a-person")
    assert "eve handed nothing in; passed over." in classroom("grade")[1]
    assert lines(course)["ada"]["score"] == "11"
    assert lines(course, "needs-a-person") == {}
    write(course, [["ada", "", "3", "for what she had"]], ROW, "needs-a-person")
    submit("ada", fill(notebook, RIGHT, {"answer-long_enough": RIGHT["answer-long_enough"] + "  # to two digits"}))
    assert "ada has other work or another reason now" in classroom("grade")[1]
    assert lines(course)["ada"]["score"] == "11"
    kept = [file.read_text(encoding="utf-8-sig") for file in (course.folder / "earlier").rglob("needs-a-person*.csv")]
    assert any("for what she had" in text for text in kept)


def test_a_decision_is_about_one_student_also_where_others_handed_in_the_same(course, classroom, submit, lines, decide):
    for student in ("ada", "eve"):
        submit(student, b"{")
    classroom("grade")
    decide(eve=("0", ""))
    classroom("grade")
    assert [lines(course)[student]["state"] for student in ("ada", "eve")] == ["needs a person", "graded"]


def test_a_decision_about_what_is_no_notebook_is_about_these_bytes(course, classroom, lines, decide):
    essay = course.folder / "submitted" / "eve" / SET / "essay.pdf"
    essay.parent.mkdir(parents=True)
    essay.write_bytes(b"%PDF good work")
    classroom("grade")
    decide(eve=("9", ""))
    classroom("grade")
    assert lines(course)["eve"]["score"] == "9"
    essay.write_bytes(b"%PDF nothing")
    assert "eve has other work or another reason now" in classroom("grade")[1]
    assert (lines(course)["eve"]["score"], lines(course)["eve"]["state"]) == ("", "needs a person")


def test_what_begins_a_formula_is_found_in_time_that_grows_with_the_text():
    for text in ("\n", "; ", ' "'):
        assert worker.run(60, sheets.marked, text * 500_000 + "a") == text * 500_000 + "a"
    assert worker.run(60, defined, "a:" + " " * 1_000_000) == set()
    assert defined("a: int = 1\nb = 2\nc :str=3\nd == 4\ne: f\ndef g():\n    h = 5") == {"a", "b", "c", "g"}


def test_hostile_names_and_messages_harm_neither_terminal_nor_table(course, classroom, submit, notebook, lines):
    folder = "anna\x1b[2J\n14 of 14  graded"
    submit(folder, b"{")
    submit("=cmd|x", fill(notebook, RIGHT, {"explain-hull": "ok;=HYPERLINK(1)\u202e"}))
    _, said = classroom("grade")
    assert "\x1b" not in said
    table = said.partition("submissions")[2].splitlines()[1:3]
    assert [line.split("  ")[0].strip() for line in table] == ["=cmd|x", "anna 14 of 14 graded"]
    assert all(" needs a person" in line or "1 to mark" in line for line in table)
    assert set(lines(course)) == {"'=cmd|x", "anna 14 of 14 graded"}
    assert "\x1b" not in (course.folder / f"grades-{SET}.csv").read_text()
    row = lines(course, "to-mark")["'=cmd|x"]
    assert row["answer"] == "ok;'=HYPERLINK(1)"
    write(course, [list((row | {"points": "1"}).values())])
    classroom("grade")
    assert lines(course)["'=cmd|x"]["score"] == "12"


def test_an_answer_that_is_gone_takes_its_points_along(course, classroom, graded, submit, notebook, fill_in, lines):
    fill_in(ada={"points": "3"})
    classroom("grade")
    stub = next(cell.source for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == HULL)
    submit("ada", fill(notebook, RIGHT, {HULL: stub}))
    classroom("grade")
    assert lines(course)["ada"]["score"] == "11"


def test_a_comment_is_read_as_it_was_written(course, classroom, graded, fill_in):
    fill_in(ada={"points": "2", "comment": "Gut, -1 für das Vorzeichen"})
    for _ in range(2):
        classroom("grade")
    page = (course.folder / "feedback" / "ada" / SET / f"{SET}.html").read_text()
    assert "Gut, -1" in page
    assert sheets.unmarked(sheets.marked("=a; -b\n- c, 'd' +e")) == "=a; -b\n- c, 'd' +e"


def test_a_row_whose_answer_a_spreadsheet_wrote_anew_is_passed_over_and_said(course, classroom, graded, fill_in, lines):
    fill_in(ada={"points": "3"})
    classroom("grade")
    fill_in(ada={"answer": "01. Feb"})
    assert "ada, explain-hull: its row has another answer; passed over." in classroom("grade")[1]
    assert lines(course)["ada"]["score"] == "14"


def test_a_name_that_a_spreadsheet_took_for_a_number_is_found(course, classroom, submit, notebook, lines):
    submit("0815", fill(notebook, RIGHT))
    submit("007", b"{")
    classroom("grade")
    asked = lines(course, "to-mark")["0815"]
    write(course, [list({**asked, "student": "815", "points": "3"}.values())])
    write(course, [["7", lines(course, "needs-a-person")["007"]["reason"], "4", ""]], ROW, "needs-a-person")
    _, said = classroom("grade")
    assert "passed over" not in said
    assert [lines(course)[student]["score"] for student in ("0815", "007")] == ["14", "4"]
    assert list(lines(course, "to-mark")) == ["0815"]


def test_a_number_that_could_be_two_names_is_none_of_them():
    names = ["07", "007", "7a", "12"]
    assert [sheets.meant(text, names) for text in ("7", "07", "012", "7a", "x")] == ["7", "07", "12", "7a", "x"]
