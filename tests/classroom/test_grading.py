"""Grades are what the work is worth, whatever a student did to the notebook."""

import copy
import csv
import importlib.util
from pathlib import Path

import nbformat
import pytest

from classroom import __main__ as command
from classroom import notebooks, walls
from classroom.cells import grade_id
from classroom.contained import grade as run
from classroom.demo import run as demo
from classroom.demo.submissions import COLUMNS, RIGHT, STUDENTS, fill
from classroom.grades import feedback, grade
from classroom.restore import restore
from classroom.rows import export, shown

SET = "chapter_01"
QUIET = {"say": lambda _: None}


def test_one_right_and_one_wrong_submission(course, notebook, submit):
    submit("right", fill(notebook, RIGHT))
    submit("wrong", fill(notebook, RIGHT, COLUMNS))
    right, wrong = grade(course, SET, **QUIET)
    assert (right.score, right.state) == (11, "1 to mark")
    assert (wrong.score, wrong.state) == (0, "1 to mark")
    with export(course, SET, [right, wrong]).open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], row["score"], row["of"], row["test-cosines-any"]) for row in rows] == [
        ("right", "11", "14", "2"),
        ("wrong", "0", "14", "0"),
    ]
    assert "11 of 14" in shown([right])


def test_feedback_names_the_mistake_and_shows_no_hidden_case(course, notebook, submit):
    spy = "def cosines(x):\n    print(x)\n    raise ValueError(str(x.tolist()))\nprint(globals().get('seen'))"
    submit("wrong", fill(notebook, RIGHT, COLUMNS))
    submit("spy", fill(notebook, RIGHT, {"answer-cosines": spy, "answer-tempered": SPY}))
    grade(course, SET, **QUIET)
    assert feedback(course, SET)[0].startswith("2 pages")
    pages = {file.parts[-3]: file.read_text() for file in course.folder.glob("feedback/**/*.html")}
    assert "the softmax runs over the queries" in pages["wrong"]
    assert "A case that is not shown does not pass." in pages["spy"]
    assert "[[0.0, 0.0]]" not in pages["spy"]
    assert demo.leaks(course) == []
    for page in pages.values():
        assert "default_rng" not in page
        assert "<script src" not in page


# Right for the examples; for a hidden case it says, in every way it has, what it was given.
SPY = """seen = []
def tempered_attention(x, temperature):
    if x.shape in {(3, 2), (2, 2)}:
        scores = x @ x.T / temperature
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return raised / raised.sum(axis=1, keepdims=True) @ x
    seen.append(x)
    print("GIVEN", x)
    raise ValueError(f"GIVEN {x}")"""


def test_what_a_student_prints_in_a_hidden_case_is_nowhere(notebook, released_once):
    source = nbformat.read(released_once.source(SET), 4)
    full = fill(source, RIGHT, {"answer-tempered": SPY, "answer-grows": "print(seen)\ngrows = 'c'"})
    run(full)
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in full.cells}
    assert cells["answer-grows"].outputs[0].text == "[]\n"
    failed = cells["test-tempered-at-one"]
    assert "GIVEN" in failed.outputs[0].evalue  # for the teacher
    assert failed.metadata.classroom.says == "A case that is not shown does not pass."


def test_tests_are_held_against_values_and_not_against_what_a_submission_says(released_once):
    cheat = """class Always:
    def __eq__(self, other): return True
    def __array__(self, *a, **k): return np.zeros((2, 2))
    shape = (3, 2)
np.allclose = lambda *a, **k: True
np.isclose = lambda *a, **k: np.array(True)
AssertionError = Exception = ValueError
def tempered_attention(x, temperature):
    return Always()
def compare(*a, **k): pass
def call(*a): pass"""
    full = fill(nbformat.read(released_once.source(SET), 4), RIGHT, {"answer-tempered": cheat})
    run(full)
    outputs = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.get("outputs") for cell in full.cells}
    assert outputs["test-tempered-at-one"][0].ename == "Mistake"
    assert outputs["test-cosines-any"] == []


def test_the_fixture_has_a_line_for_every_student_of_the_demo():
    lines = list(csv.reader(demo.EXPECTED.read_text(encoding="utf8").splitlines()))
    students = {line[0].rsplit("_", 1)[0].replace("-", " ") for line in lines[1:]}
    assert {s.replace(",", "") for s in STUDENTS} | {"broken file", "no notebook"} == students
    states = {line[-1] for line in lines[1:]}
    assert states == {"graded", "1 to mark", "needs a person"}


@pytest.mark.slow
def test_the_demo_grades_a_whole_class_twice_as_the_fixture_says(tmp_path, capsys):
    assert demo.main(tmp_path / "course") == 0, capsys.readouterr().out
    assert "All as expected, twice" in capsys.readouterr().out


def test_what_did_not_change_is_not_graded_again(course, notebook, submit):
    submit("ada", fill(notebook, RIGHT))
    said = []
    first = grade(course, SET, say=said.append)
    assert grade(course, SET, say=said.append) == first
    assert said == ["grading ada"]
    submit("ada", fill(notebook, RIGHT, COLUMNS))
    assert grade(course, SET, say=said.append)[0].score == 0
    assert said == ["grading ada", "grading ada"]


def test_deleted_and_changed_cells_are_put_back(notebook):
    changed = fill(notebook, RIGHT, {"test-long_enough": "pass"})
    changed.cells = [c for c in changed.cells if grade_id(c) != "test-grows"]
    changed.cells.append(copy.deepcopy(next(c for c in changed.cells if grade_id(c) == "answer-tempered")))
    notes = restore(changed, notebook).notes
    names = [c.metadata.nbgrader.grade_id for c in changed.cells if "nbgrader" in c.metadata]
    assert names == [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata]
    assert notes == ["put back as they were: test-long_enough", "missing, put back empty: test-grows"]


def test_the_command_says_what_is_missing_and_what_is_not_contained(tmp_path, capsys):
    assert command.main(["--course", str(tmp_path / "none"), "grade"]) == 1
    assert "run `make classroom` first" in capsys.readouterr().err
    assert "NOT CONTAINED. Network" in "\n".join(walls.sentences(walls.LIMITS))


def test_nbgraders_own_command_uses_the_same_settings(course):
    spec = importlib.util.spec_from_file_location("settings", course.folder / "nbgrader_config.py")
    settings = importlib.util.module_from_spec(spec)
    from traitlets.config import Config

    c = Config()
    settings.get_config = lambda: c
    spec.loader.exec_module(settings)
    assert c.Autograde.autograde_preprocessors[0].__name__ == "RunContained"
    assert Path(settings.sys.path[0]).samefile(".")


def test_ctrl_c_ends_the_command_while_nbgrader_works_too(course, classroom, submit, notebook, monkeypatch):
    submit("ada", fill(notebook, RIGHT))

    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("classroom.restore.RestoreCells.preprocess", pressed)
    assert classroom("grade")[0] == 130


def test_a_submission_that_cannot_be_read_stops_no_other(course, classroom, submit, notebook, monkeypatch, lines):
    for who in ("ada", "eve", "zoe"):
        submit(who, fill(notebook, RIGHT))
    start = notebooks.start

    def closed(file):
        if "eve" in file.parts:
            raise PermissionError(13, "Permission denied", str(file))
        return start(file)

    monkeypatch.setattr(notebooks, "start", closed)
    assert classroom("grade")[0] == 0
    assert [row["score"] for row in lines(course).values()] == ["11", "", "11"]
