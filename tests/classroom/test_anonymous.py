"""Answers in words are marked without names, equal ones once, by the criteria of the set."""

import shutil

import nbformat
import pytest

from classroom import rubric, sheets
from classroom.__main__ import main
from classroom.cells import kind
from classroom.course import Course, release
from classroom.fences import SetError
from classroom.grades import table
from classroom.sets import parse

NAME = "words"
WHY = "explain-why"
TEXT = """# Words

Say why (4 points).

```markdown explain=why points=4
An average.

- 3 points: says that weights are positive
  and sum to 1
- 1 point: names the hull
```
"""
ANSWERS = {"ada": "A blend, =so.", "bob": "A  blend,\n=so.", "cyd": "Für n → ∞.", "dan": "Something"}
FORMS = {"as it was": ("utf-8-sig", ","), "Excel, German": ("cp1252", ";")}


@pytest.fixture(scope="module")
def marked_once(once, tmp_path_factory):
    def make(folder):
        (folder / "sets").mkdir()
        (folder / "sets" / f"{NAME}.md").write_text(TEXT, "utf-8")
        course = Course(folder / "course")
        release(course, folder / "sets")
        notebook = nbformat.read(course.released(NAME), 4)
        for student, answer in ANSWERS.items():
            next(cell for cell in notebook.cells if kind(cell) == "explain").source = answer
            course.write(
                course.folder / "submitted" / student / NAME / f"{NAME}.ipynb", nbformat.writes(notebook).encode()
            )
        assert main(["--course", str(course.folder), "grade", "--anonymous"]) == 0
        return course

    return once("anonymous", make)


@pytest.fixture
def marking(marked_once, tmp_path):
    """The course, and what a teacher does with the sheet."""
    return Marking(Course(shutil.copytree(marked_once.folder, tmp_path / "course")))


class Marking:
    def __init__(self, course):
        self.course, self.file = course, course.folder / f"to-mark-{NAME}.csv"

    def rows(self):
        return sheets.read(self.file, [])

    def fill_in(self, form=("utf-8-sig", ","), **given):
        """Values into the rows of an answer that begins so, saved as a spreadsheet would."""
        encoding, delimiter = form
        rows = [row | given.get(row["answer"].split()[0].strip("',"), {}) for row in self.rows()]
        lines = [[*rows[0]], *([*row.values()] for row in rows)]
        quoted = [delimiter.join('"' + one.replace('"', '""') + '"' for one in line) for line in lines]
        self.file.write_bytes("\r\n".join(quoted).encode(encoding, "replace"))

    def grade(self, *more):
        return main(["--course", str(self.course.folder), "grade", *more])

    def scores(self):
        return {row.student: row.score for row in table(self.course, NAME)}


def test_the_sheet_has_codes_in_the_place_of_names_and_equal_answers_once(marking):
    rows = marking.rows()
    assert [*rows[0]] == [
        *("code", "cell", "same", "criterion 1", "criterion 2", "points", "of", "comment", "rubric", "answer")
    ]
    assert sorted((row["answer"].split()[0], row["same"]) for row in rows) == [
        ("A", "2"),
        ("Für", "1"),
        ("Something", "1"),
    ]
    assert rows[0]["rubric"] == "1: says that weights are positive and sum to 1 (3); 2: names the hull (1)"
    text = marking.file.read_text("utf-8-sig")
    assert not any(name in text for name in ANSWERS)
    assert [row["code"] for row in rows] == sorted(row["code"] for row in rows)
    assert marking.grade() == 0  # nobody has to say it again
    assert marking.rows() == rows


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_points_of_criteria_add_up_and_stay(marking, form, capsys):
    marking.fill_in(
        form,
        A={"criterion 1": "2,5", "criterion 2": "1", "comment": "Schön"},
        Für={"criterion 1": "3"},
        Something={"points": "2"},
    )
    assert marking.grade() == 0
    assert "not all criteria have points yet" in capsys.readouterr().out
    assert marking.scores() == {"ada": 3.5, "bob": 3.5, "cyd": None, "dan": 2}
    for who in ("ada", "bob"):
        page = (marking.course.folder / "feedback" / who / NAME / f"{NAME}.html").read_text()
        assert "Schön" in page
        assert "names the hull" not in page
    marking.grade("--again")
    assert marking.scores()["bob"] == 3.5
    marking.fill_in(Für={"criterion 2": "0"}, A={"criterion 1": "3"})
    marking.grade()
    assert marking.scores() == {"ada": 4, "bob": 4, "cyd": 3, "dan": 2}
    marking.fill_in(A={"points": "1"})
    assert marking.grade() == 1
    assert "has 1 points for explain-why, and its criteria give 4. Empty one of them." in capsys.readouterr().err
    marking.fill_in(A={"points": "", "criterion 2": "2"})
    assert marking.grade() == 1
    assert "has '2' for explain-why, criterion 2; write 0 to 1. No grade was changed." in capsys.readouterr().err
    assert marking.scores()["ada"] == 4


def test_points_stay_when_the_rubric_changes(marking, tmp_path):
    marking.fill_in(Something={"criterion 1": "2", "criterion 2": "1"})
    marking.grade()
    assert marking.scores()["dan"] == 3
    (tmp_path / "sets").mkdir()
    items = TEXT[TEXT.index("- 3 points") : TEXT.index("```\n", TEXT.index("- 3 points"))]
    (tmp_path / "sets" / f"{NAME}.md").write_text(TEXT.replace(items, "- 4 points: names the hull\n"), "utf-8")
    release(marking.course, tmp_path / "sets")
    assert marking.grade() == 0
    assert marking.scores()["dan"] == 3


def test_names_come_back_and_points_that_differ_keep_rows_of_their_own(marking):
    marking.fill_in(A={"points": "2"})
    marking.grade("--names")
    rows = {row["student"]: row for row in marking.rows()}
    assert {who: row["points"] for who, row in rows.items()} == {"ada": "2", "bob": "2", "cyd": "", "dan": ""}
    text = marking.file.read_text("utf-8-sig")
    marking.file.write_text(text.replace("bob,explain-why,,,2,", "bob,explain-why,,,3,"), "utf-8")
    marking.grade("--anonymous")
    assert marking.scores() == {"ada": 2, "bob": 3, "cyd": None, "dan": None}
    assert sorted(row["points"] for row in marking.rows()) == ["", "", "2", "3"]
    marking.grade()
    assert marking.scores() == {"ada": 2, "bob": 3, "cyd": None, "dan": None}


def test_a_new_answer_leaves_the_others_marks(marking):
    marking.fill_in(A={"points": "2", "comment": "Yes"})
    marking.grade()
    file = marking.course.folder / "submitted" / "bob" / NAME / f"{NAME}.ipynb"
    file.write_text(file.read_text().replace("A  blend", "No blend"))
    marking.grade()
    assert marking.scores() == {"ada": 2, "bob": None, "cyd": None, "dan": None}
    assert {row["same"] for row in marking.rows()} == {"1"}


def test_a_new_answer_that_is_marked_already_gets_those_points(marking):
    marking.fill_in(A={"points": "2"}, Something={"points": "1"})
    marking.grade()
    marking.fill_in(A={"points": "3"})
    file = marking.course.folder / "submitted" / "dan" / NAME / f"{NAME}.ipynb"
    file.write_text(file.read_text().replace("Something", "A blend, =so."))
    marking.grade()
    found = {row.student: row.points[WHY] for row in table(marking.course, NAME)}
    assert found == {"ada": 3, "bob": 3, "cyd": None, "dan": 3}


def test_criteria_in_tenths_have_the_sum_that_they_have_on_paper():
    assert rubric.wrong("- 1.1 points: a\n- 2.2 points: b", 3.3) == ""


def test_a_rubric_with_another_sum_is_refused_with_its_line(tmp_path):
    file = tmp_path / "words.md"
    file.write_text(TEXT.replace("- 1 point:", "- 2 points:"))
    with pytest.raises(SetError, match=r"words.md, line 5: its criteria give 5 points, and the answer has 4\."):
        parse(file)
    assert rubric.criteria("- 2 points\n- two points: a\n2 points: b") == []
