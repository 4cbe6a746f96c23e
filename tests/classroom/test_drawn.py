"""Data that differ by student: the grader draws them anew, and whose they are is looked at by a person."""

import copy
import html
import re
import shutil
from pathlib import Path

import nbformat
import numpy as np
import pytest

from attnlib.exercises.harness import Mistake, drawn_for
from classroom import __main__ as command
from classroom import drawn, sets, whose
from classroom.cells import grade_id, kind
from classroom.contained import grade as run
from classroom.course import Course
from classroom.grades import feedback, grade


def slowly(*cases):
    """Cases that go the same way as another, which `make test-all` runs."""
    return [pytest.param(case, marks=pytest.mark.slow) for case in cases]


SMALL = """# Sides

```python setup
import numpy as np
```

```python data
side = int(random.randint(3, 1000))
```

```python question=area points=2
# one number
right = side * side
wrong = {"That is its edge.": 4 * side}
```

```python answer=double
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
```

```python test=double points=1
assert double(1) == 2
### BEGIN HIDDEN TESTS
assert double(side) == 2 * side
### END HIDDEN TESTS
```
"""
QUIET = {"say": lambda _: None}


def side(name):
    return int(drawn_for(name, "sides").randint(3, 1000))


def filled(notebook, name, area, *more):
    made = copy.deepcopy(notebook)
    for cell in made.cells:
        source = {
            "answer-student": f"student = {name!r}",
            "answer-area": f"area = {area}",
            "answer-double": "def double(x):\n    return x + x",
        } | dict(more)
        cell.source = source.get(grade_id(cell), cell.source)
    return made


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The set, released."""
    folder = tmp_path_factory.mktemp("sides")
    (folder / "sides.md").write_text(SMALL)
    assert command.main(["--course", str(folder / "course"), "release", "--graded", str(folder)]) == 0
    return Course(folder / "course")


@pytest.fixture
def source(graded):
    return nbformat.read(graded.source("sides"), 4)


def told(notebook):
    """What is said of each test, and the rest that the grader writes."""
    run(notebook)
    says = {
        grade_id(cell): cell.metadata["classroom"]["says"] for cell in notebook.cells if "classroom" in cell.metadata
    }
    return says, notebook.metadata["classroom"]


@pytest.mark.parametrize("name", ["Ada Lovelace", "李雷", *slowly("Grace", "Jörg", "क्षितिज", "O'Neill, Séan")])
def test_each_students_answer_is_held_against_the_students_own_numbers(source, name):
    says, found = told(filled(source, name, side(name) ** 2))
    assert (says, found["drawn"]["name"]) == ({}, name)
    assert told(filled(source, name, side("Somebody Else") ** 2))[0] == {
        "test-area": "This is not the answer for your numbers."
    }
    assert told(filled(source, name, 4 * side(name)))[0] == {"test-area": "That is its edge."}


def test_a_name_is_read_as_people_write_it_and_its_numbers_stay():
    assert [side(name) for name in ("Ada Lovelace", "lovelace, ADA", "Ada_Lovelace ")] == [side("Ada Lovelace")] * 3
    assert side("Jörg Müller") == side("Jo\u0308rg Mu\u0308ller") == side("Jorg Muller")
    assert len({side(f"student {number}") for number in range(100)}) > 80
    assert [drawn_for("Ada", "one").randint(10**6), drawn_for("Ada", "two").randint(10**6)] == [469543, 581119]


@pytest.mark.parametrize(("name", "error"), [("", ValueError), (" .-", ValueError), (7, TypeError), (None, TypeError)])
def test_a_name_that_is_none_is_refused(name, error):
    with pytest.raises(error, match="name"):
        drawn_for(name, "sides")


CHEATS = {
    "other data": ("answer-double", "side = 5\ndef double(x):\n    return 2 * x\nright = tolerance = 25"),
    "another generator": (
        "answer-student",
        "import attnlib.exercises.harness as h\nclass R:\n    def randint(self, *a): return 5\n"
        "h.drawn_for = lambda *a: R()\nstudent = 'Ada'",
    ),
    "a text of its own": ("answer-student", "class S(str): pass\nstudent = S('Ada')"),
}


@pytest.mark.parametrize("change", CHEATS.values(), ids=CHEATS)
def test_data_are_never_taken_from_a_submission(source, change):
    says, _ = told(filled(source, "Ada", 25, change))
    assert says == {"test-area": "This is not the answer for your numbers."}


@pytest.mark.parametrize("name", ["", *slowly("   ", "x" * 201)])
def test_without_a_name_the_functions_are_graded_and_a_person_looks(source, name):
    says, found = told(filled(source, name, 9))
    assert set(says) == {"test-area"}
    assert found["drawn"]["name"] == ""
    (why,) = whose.look({"ada": found["drawn"]}, {})["ada"].person
    assert why.startswith("no name is written in it")


def submitted(course, **students):
    for student, notebook in students.items():
        file = course.folder / "submitted" / student / "sides" / "sides.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, file)


@pytest.mark.slow
def test_a_class_is_graded_by_the_names_in_the_notebooks_and_twice_the_same(graded, tmp_path):
    course = Course(Path(shutil.copytree(graded.folder, tmp_path / "course")))
    released = nbformat.read(course.released("sides"), 4)
    work = {
        "Ada-Lovelace_17": ("lovelace ada", side("Ada Lovelace") ** 2),
        "grace": ("Grace Hopper", side("Ada Lovelace") ** 2),  # another's answer
        "emmy": ("Ada L.", 1),
        "karen": ("sophie", side("sophie") ** 2),
        "sophie": ("Sophie", 4 * side("Sophie")),
    }
    submitted(course, **{who: filled(released, *one) for who, one in work.items()})
    rows = {row.student: row for row in grade(course, "sides", **QUIET)}
    assert {who: row.score for who, row in rows.items()} == {
        "Ada-Lovelace_17": 3, "grace": 1, "emmy": 1, "karen": 3, "sophie": 1,
    }  # fmt: skip
    assert {who: row.person for who, row in rows.items()} == {
        "Ada-Lovelace_17": "",
        "grace": "",
        "emmy": "its numbers are those of “Ada L.”, which is the name of Ada-Lovelace_17; it was handed in as emmy",
        "karen": "its numbers are those of “sophie”, which is the name of sophie; it was handed in as karen",
        "sophie": "",
    }
    assert rows["grace"].notes == "test-area: wrong, and right for the numbers of Ada-Lovelace_17"
    assert rows["sophie"].notes == "its numbers are those of “Sophie”, as are those of karen"
    assert {row.student: row for row in grade(course, "sides", again=True, **QUIET)} == rows
    feedback(course, "sides")
    page = (course.folder / "feedback" / "grace" / "sides" / "sides.html").read_text()
    assert "This is not the answer for your numbers." in page
    assert 'drawn_for(student, "sides")' in html.unescape(re.sub("<[^>]*>", "", page))
    assert "side * side" not in re.sub("<[^>]*>", "", page)


@pytest.mark.parametrize(
    ("got", "right", "like"),
    [
        (3, 3, True), (3.0, 3, True), ("3", 3, False), (3.001, 3, False), (None, 3, False), ([3], 3, False),
        (2.005, 2.0, True), (2.03, 2.0, False), (True, 1, True), ("b ", "B", True), ("a", "b", False),
        ([1, 2], (1, 2), True), ((2, 1), (1, 2), False), (float("nan"), 3.0, False), (10**400, 3.0, False),
        ({}, "a", False), (3 + 0j, 3, False), (np.array([1, 2]), (1, 2), True), (np.array([1, 2, 3]), (1, 2), False),
    ],
)  # fmt: skip
def test_an_answer_is_like_a_right_one(got, right, like):
    asked = drawn.Asked(got, right)
    assert asked.is_like(right) is like
    if not like:
        with pytest.raises(Mistake) as said:
            asked.judge("no")
        assert str(said.value) in {"no"} | drawn.SAID


@pytest.mark.parametrize(
    ("got", "right", "says"),
    [
        ("3", 3, drawn.TEXT), ([3.0], 3.0, drawn.ALONE), ((1, 2), (1, 2, 3), drawn.PARTS), (1, (1, 2), drawn.PARTS),
        ((2, 1), (1, 2), drawn.ORDER), ((1, 5), (1, 2), drawn.SOME), (-3, 3, drawn.SIGN), (25.0, 0.25, drawn.PERCENT),
        (0.26, 0.25, drawn.CLOSE), (4, 3, "no"), (None, 3, "no"), (None, (1, 2), "no"), (7.0, 5.0, "no"),
    ],
)  # fmt: skip
def test_of_a_wrong_answer_its_form_is_said_unless_the_set_knows_the_mistake(got, right, says):
    with pytest.raises(Mistake) as said:
        drawn.Asked(got, right).judge("no")
    assert str(said.value) == says
    if isinstance(got, int | float):
        with pytest.raises(Mistake, match="known"):
            drawn.Asked(got, right, {"known": got}).judge("no")


DATA = "```python data\nside = int(random.randint(3, 1000))\n```"
REFUSED = {
    "a question without an answer": (("right = side * side", "side * side"), "```python question", "`right = …`"),
    "a question that is no Python": (("right = side * side", "right = = side"), "right = = side", "no Python: invalid"),
    "a question without points": (("points=2", ""), "```python question", "points=0.5"),
    "a name that is no variable": (("question=area", "question=an-area"), "```python question=an", "becomes a variable"),
    "a known mistake that is right": (
        ('"That is its edge.": 4 * side', '"That is its edge.": side**2'),
        "wrong = {",
        "for the name “Ada Lovelace”: the answer \\d+, which is said to be wrong, is right",
    ),
    "a known mistake that is right for some": (
        ("randint(3, 1000)", "randint(3, 60)"),
        "wrong = {",
        "for the name “Ada Lovelace \\d+”: the answer 16, which",
    ),
    "a question that stops": (("4 * side", "4 * sides"), "wrong = {", "NameError"),
    "an answer of NumPy's": (("right = side * side", "right = np.array(side)"), "right = np", "is ndarray, and should"),
    "data that stop": (("randint(3, 1000)", "randint(9, 3)"), "side = int", "ValueError"),
    "data that stop for some": (
        ("randint(3, 1000))", "randint(3, 1000))\n1 / (side - side // 25 * 25)"),
        "1 / ",
        "ZeroDivisionError",
    ),
    "data twice": ((DATA, f"{DATA}\n\n{DATA.replace('data', ' data')}"), "```python  data",
        "is called answer-student too"),
    "a wrong answer that passes": (
        ("```python test=double", "```python wrong=double\ndouble = lambda x: x * 2\n```\n\n```python test=double"),
        "```python wrong=double",
        "this wrong answer to double passes every test",
    ),
    "a wrong answer to nothing": (
        ("```python test=double", "```python wrong=dbl\n1\n```\n\n```python test=double"),
        "```python wrong=dbl",
        "no `answer=dbl`",
    ),
}  # fmt: skip
PLACES = {"a known mistake that is right for some": "randint(3, 60)"}


LIKE_OTHERS = {"a known mistake that is right", "an answer of NumPy's", "data that stop", "a question that stops"}
CASES = [
    pytest.param(*case, id=name, marks=[pytest.mark.slow] * (name in LIKE_OTHERS)) for name, case in REFUSED.items()
]


@pytest.mark.parametrize(("change", "line", "words"), CASES)
def test_a_set_whose_data_or_questions_would_hurt_is_refused_with_its_line(tmp_path, capsys, change, line, words):
    text = SMALL.replace(*change, 1)
    assert text != SMALL
    (tmp_path / "sides.md").write_text(text)
    assert command.main(["--course", str(tmp_path / "course"), "release", "--graded", str(tmp_path)]) == 1
    said, number = capsys.readouterr().err, next(i for i, one in enumerate(text.split("\n"), 1) if one.startswith(line))
    assert re.match(rf"sides\.md, line {number}: .*{words}", said), said


def test_students_get_the_data_and_neither_answers_nor_known_mistakes(source):
    shown = "\n".join(map(sets.handed_out, source.cells))
    assert 'student = ""  # your name' in shown
    assert 'random = drawn_for(student, "sides")\nside = int(' in shown
    assert "area = None  # one number" in shown
    assert not re.search("Ada|right|wrong|edge|Asked|2 \\* ", shown)
    assert [kind(cell) for cell in source.cells if kind(cell) != "text"] == [
        "setup", "answer", "data", "answer", "test", "answer", "test",
    ]  # fmt: skip


def test_a_new_set_comes_from_a_template_that_works_as_it_is(tmp_path, capsys):
    arguments = ["--course", str(tmp_path / "course")]
    assert command.main([*arguments, "new", "week_3", "--graded", str(tmp_path / "own")]) == 0
    assert "week_3.md, then run `make classroom`" in capsys.readouterr().out
    assert command.main([*arguments, "new", "week_3", "--graded", str(tmp_path / "own")]) == 1
    assert "is there already" in capsys.readouterr().err
    assert command.main([*arguments, "new", "../x", "--graded", str(tmp_path / "own")]) == 1
    assert not (tmp_path / "x.md").exists()
    assert command.main([*arguments, "release", "--graded", str(tmp_path / "own")]) == 0, capsys.readouterr().err


def test_a_name_with_joiners_inside_draws_as_it_is_written():
    name = "علی\u200cرضا"
    source = "n = random.randint(1, 10**9)"
    kept, told = drawn.space(f"random = drawn_for(student, 'a task')\n{source}", {"drawn_for": drawn_for}, name)
    assert kept["n"] == drawn_for(name, "a task").randint(1, 10**9)
    assert told == name.replace("\u200c", "")


class Falling(np.random.RandomState):
    """The first permutation of whose numbers falls."""

    falls = True

    def permutation(self, n):
        falls, self.falls = self.falls, False
        return np.arange(n)[::-1] if falls else super().permutation(n)


def test_scores_of_which_none_rises_are_drawn_anew(capsys):
    text = (sets.GRADED / "chapter_07.md").read_text(encoding="utf8")
    found = {"np": np, "random": Falling(1)}
    exec(re.search(r"```python data\n(.*?)```", text, re.DOTALL)[1], found)
    assert found["rises"]
