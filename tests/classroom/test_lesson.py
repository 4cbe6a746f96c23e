"""The page about a class: it counts what each student got, names nobody, and nothing in it acts or loads."""

import ast
import json
from html.parser import HTMLParser

import nbformat
import pytest

from classroom import book, drawn, examples, lesson, minutes, sets
from classroom.__main__ import main
from classroom.cells import grade_id
from classroom.course import Course, release
from classroom.fences import SetError
from classroom.misconceptions import questions

SMALL = """# A small set

```python setup
import numpy as np
from attnlib.exercises.harness import call, compare
```

## 1. Sums of $X$

```python answer=total
def total(x):
    ### BEGIN SOLUTION
    return x.sum(axis=1)
    ### END SOLUTION
```

```python test=total points=4 section=04_scaling#four-times-as-wide
compare(call(total, (np.eye(2),)), [1, 1])
### BEGIN HIDDEN TESTS
x = np.arange(6.0).reshape(3, 2)
compare(call(total, (x,)), [1, 5, 9], [("Sums of <columns>.", [6, 9]), ("These are means.", [0.5, 2.5, 4.5])])
### END HIDDEN TESTS
```

## 2 · A letter

```python answer=letter
letter = ""
### BEGIN SOLUTION
letter = "a"
### END SOLUTION
```

```python test=letter points=2
assert letter in {"a", "b"}, "Write a or b."
### BEGIN HIDDEN TESTS
assert letter != "b", "That is the other one."
### END HIDDEN TESTS
```

## 3 · In words

```markdown explain=why points=1
Because.
```
"""
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"
ANNA = f'''
# Anna Maier, {HOSTILE}
def total(x):
    """By Anna Maier."""
    annas_sum = np.zeros(x.shape[1])
    print("Anna", f"{{annas_sum}} Maier {HOSTILE}", 20231234)  # Anna Maier
    for maier in x:
        annas_sum = annas_sum + maier
    return annas_sum
'''
STUDENTS = {  # what each answers to 1, and to 2
    "Anna-Maier": (ANNA, '"b"'),
    "Ben-Olsen": (
        f"def total(x):\n    olsen = {HOSTILE!r}\n    return [*x.sum(axis=0)] or olsen + '{'x' * 300}'",
        '"b"',
    ),
    "Cleo-Park": ("def total(x):\n    cleo = x.mean(axis=1)\n    return cleo * len(x[0]) / 2", '"a"'),
    "Dora-Stein": (
        f"class DoraError(Exception): pass\ndef total(x):\n    raise DoraError({HOSTILE!r} + 'Stein')",
        f"{HOSTILE!r}",
    ),
    "Emil-Udo": (None, None),
    "Fay-Wolf": ("def total(x):\n    return x @ np.ones(x.shape[1])", '"a"'),
}
NAMES = {part.lower() for name in STUDENTS for part in name.split("-")} | {"script>alert", "20231234"}


class Read(HTMLParser):
    """A page's tags, the addresses in it, and its words."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.leads, self.handlers, self.words = set(), [], [], ""
        self.feed(html.partition("</style>")[2])

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.leads += [value for name, value in attributes if name in {"href", "src", "style", "action"}]
        self.handlers += [name for name, _ in attributes if name.startswith("on")]
        self.words += "" if tag in {"span", "code", "em", "strong"} or tag.startswith("m") else " "

    def handle_data(self, data):
        self.words += data


def put(course, student, answers, number):
    notebook = nbformat.read(course.released("small"), 4)
    for cell in notebook.cells:
        total, letter = answers
        if grade_id(cell) == "answer-total" and total:
            cell.source = total
        if grade_id(cell) == "answer-letter" and letter:
            cell.source = f"letter = {letter}"
        if grade_id(cell) == "explain-why" and letter:
            cell.source = f"Because {student} says so."
        if cell.cell_type == "code" and number < 3:
            at = f"2026-03-01T10:{len(cell.source) % 15 + number:02}:00.5Z"
            cell.metadata["execution"] = {"iopub.execute_input": at}
    file = course.folder / "submitted" / student / "small" / "small.ipynb"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(notebook))


def grade_small(folder):
    (folder / "graded").mkdir()
    (folder / "graded" / "small.md").write_text(SMALL)
    course = Course(folder / "course")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("classroom.course.rehearse", lambda graded: None)  # other tests try sets before they are released
        release(course, folder / "graded")
    for number, (student, answers) in enumerate(STUDENTS.items()):
        put(course, student, answers, number)
    (course.folder / "students.csv").write_text("student,exempt\nGina,\nHugo,\nIda,small\n")
    assert main(["--course", str(course.folder), "grade"]) == 0
    return (course.folder / "lesson-small.html").read_text(encoding="utf8")


@pytest.fixture(scope="module")
def html(once, _one_alembic):
    return once("lesson", grade_small)


@pytest.fixture(scope="module")
def words(html):
    return " ".join(Read(html).words.split())


def test_nobody_is_named_and_nothing_acts_or_loads(html):
    found = Read(html)
    assert {name for name in NAMES if name in html.lower()} == set()
    assert found.tags & {"script", "img", "iframe", "object", "embed", "form", "input", "link", "base", "meta"} == set()
    assert found.handlers == []
    assert [one for one in found.leads if not one.startswith(("#mistake-", "https://", "../"))] == []
    assert "default-src 'none'; style-src 'sha256-" in html.partition("<style>")[0]


def test_it_counts_who_handed_in_points_and_minutes(words):
    assert words.startswith(
        "A small set · the class 6 students with a grade; 2 of students.csv handed nothing in, 1 exempt."
    )
    assert "Points: median 0 of 6, from 0 to 6." in words
    assert "3 notebooks say it" in words
    assert "Points Students 0 4 1 0 2 1 3 0 4 0 5 0 6 1 Not in the total" in words
    assert "Not in the total, as answers wait for your points: 3 · In words." in words


def test_misconceptions_come_with_most_students_first_and_an_example_of_two_alone(html, words):
    mistakes = words.partition("Misconceptions")[2].partition("Failed otherwise")[0]
    told = [
        "“Sums of <columns>.” 2 of 6 (33 %)",
        "“That is the other one.” 2 of 6 (33 %)",
        "“These are means.” 1 of 6 (17 %)",
    ]
    assert [mistakes.count(one) for one in told] == [1, 1, 1]
    assert sorted(told, key=mistakes.index) == told
    parts = html.partition("<h2>Misconceptions</h2>")[2].split("<section")
    assert ["One such answer" in part for part in parts[1:]] == [True, True, False]
    assert "Treated in 4 · Scaling → Four times as wide" in mistakes
    assert "name_1" in mistakes


def test_failures_without_a_known_mistake_are_told_in_the_graders_words(words):
    others = words.partition("Failed otherwise")[2]
    assert "1. Sums of X 1 of 6 (17 %) 1 of 6 (17 %): Your function stopped with …. 2 · A letter" in others
    assert "A letter 1 of 6 (17 %) 1 of 6 (17 %): Write a or b." in others
    assert "Sums of X 0.7 of 4 1 0 4 1 2 · A letter 0.7 of 2 2 0 3 1 3 · In words 5 answers wait for you" in words


def test_the_lesson_begins_with_what_cost_most(words):
    plan = words.partition("The next lesson")[2].partition("Points Points")[0]
    assert plan.index("1. Sums of X about two thirds") < plan.index("2 · A letter what is left")
    assert "2 of 6 (33 %) got: “Sums of <columns>.”" in plan
    assert "there the figure “Forty scores, product by product”" in plan


WORDS = examples.vocabulary(sets.read(sets.GRADED / "chapter_04.md"))
LEAKS = {
    "a comment": "y = 1  # Zoe",
    "a docstring": '"""Zoe"""',
    "a text": 'y = "Zoe"',
    "bytes": 'y = b"Zoe"',
    "a text in a text": "y = f\"Zoe {x} {'Zoe'}\"",
    "a variable": "zoe = zoes = x_zoe = myZoe = 1",
    "an inner function": "def zoe(zoe=1): 'Zoe'",
    "a class": "class Zoe(Zoes, metaclass=zoe): zoe: int = 1",
    "an attribute": "x.zoe = 1",
    "a keyword": "sum(x, zoe=1)",
    "an import": "import zoe.zoe as zoes\nfrom zoe import zoe",
    "a name for all": "global zoe\nnonlocal zoes",
    "an error": "try: pass\nexcept Zoe as zoe: 'Zoe'",
    "a pattern": "match x:\n    case {'Zoe': zoe, **zoes}: pass\n    case Zoe(zoe=1) | [*zoe_]: pass",
    "a type": "y: 'Zoe' = 1",
    "a number": "y = 4917612345",
    "initials": "z_o = 4917612345.0 + 4917612345j",
}


@pytest.mark.parametrize("line", LEAKS.values(), ids=LEAKS)
def test_an_example_has_no_word_of_the_students_own(line):
    source = "def gaps(x, i):\n" + "\n".join(f"    {one}" for one in line.split("\n")) + "\n    return x[i] * 0.5"
    code = examples.example([source], {"gaps"}, WORDS)
    assert code.startswith("def gaps(x, i):")
    assert code.endswith("return x[i] * 0.5")
    assert "zoe" not in code.lower()
    assert "z_o" not in code
    assert "49176" not in code
    ast.parse(code)


def test_an_example_keeps_what_the_set_says_and_stands_what_cannot_be_read():
    kept = "def gaps(x, i):\n    scores = np.einsum('ij,kj->ik', x, x)\n    return np.sqrt(scores.sum(axis=1) / 1e-09)"
    deep = "gaps = " + "-" * 9000 + "1"
    broken = "def gaps(:"
    assert examples.example([deep, kept, broken], {"gaps"}, WORDS) == kept
    assert "zoe" not in examples.example([kept, "gaps = x" + ".zoe" * 2400], {"gaps"}, WORDS)
    assert {"ada", "lovelace"} & WORDS == set()


def ran(*stamps):
    return json.dumps({"cells": [{"metadata": one} for one in stamps]}).encode()


def lab(time):
    return {"execution": {"iopub.execute_input": f"2026-03-01T{time}Z", "shell.execute_reply": "x"}}


MINUTES = {
    "JupyterLab's": (ran(lab("10:00:00"), lab("10:15:00"), lab("10:05:00")), 15),
    "Colab's": (ran(*({"executionInfo": {"timestamp": 1772359200000 + 60000 * one}} for one in (0, 7, 9))), 9),
    "with a pause": (ran(lab("10:00:00"), lab("10:10:00"), lab("23:10:00"), lab("23:12:00")), 12),
    "too few": (ran(lab("10:00:00"), lab("10:15:00"), {}), None),
    "no time": (ran(lab("now"), lab("10:15:00"), lab("10:16:00")), None),
    "no notebook": (b"\xff\x00{", None),
    "not a year": (ran(*({"executionInfo": {"timestamp": 10**30 + one}} for one in range(3))), None),
    "no metadata": (b'{"cells": [1, null, {"metadata": []}]}', None),
    "too deep": (b"[" * 100_000, None),
}


@pytest.mark.parametrize(("content", "expected"), MINUTES.values(), ids=MINUTES)
def test_minutes_are_from_the_first_to_the_last_cell_without_pauses(content, expected):
    assert minutes.worked(content) == expected


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("04_skaling", "no page 04_skaling; there are 00_orientation"),
        ("04_scaling#four-times", "no section four-times; there are four-times-as-wide"),
        ("../graded/chapter_04", "no page ../graded/chapter_04"),
        ("", "no page ;"),
    ],
)
def test_a_section_that_the_book_lacks_is_refused_with_its_line(tmp_path, section, words):
    file = tmp_path / "small.md"
    file.write_text(SMALL.replace("04_scaling#four-times-as-wide", section))
    line = SMALL[: SMALL.index("```python test=total")].count("\n") + 1
    with pytest.raises(SetError, match=rf"small.md, line {line}: .*{words}"):
        sets.parse(file)


@pytest.mark.parametrize("name", sets.names())
def test_each_question_of_a_set_by_student_says_where_the_book_treats_it(name):
    graded = sets.read(sets.GRADED / f"{name}.md")
    asked = questions(graded)[1]
    if any(grade_id(cell) == f"answer-{drawn.VARIABLE}" for cell in graded.cells):
        assert [one.title for one in asked if not one.section] == []
    assert [book.section(one.section).title for one in asked if one.section]


@pytest.mark.parametrize("name", sets.names())
def test_what_a_question_shows_is_in_its_own_section_or_in_the_nearest_that_shows_something(name):
    asked = questions(sets.read(sets.GRADED / f"{name}.md"))[1]
    own = [book.section(one.section) for one in asked if one.section]
    for one in own:
        near, there = book.nearest(one), list(book.sections(one.page).values())
        assert near.widgets + near.figures, one
        at, found = there.index(one), there.index(near)
        assert found > 0  # not the page as a whole
        nearer = there[max(1, at - abs(found - at) + 1) : at + abs(found - at)]
        assert not any(other.widgets + other.figures for other in nearer), (one, near)


def test_a_section_without_a_widget_is_shown_with_a_link_to_the_nearest():
    one = book.section("04_scaling#where-the-root-belongs")
    near = book.nearest(one)
    shown = lesson._shown(one, lambda section: f"site/{section.place}")
    assert f'near it, in <a href="site/{near.place}">{near.title}</a>, the ' in shown
    assert near != one


def test_a_section_is_found_on_the_site_that_is_named_or_built_or_nowhere(monkeypatch, tmp_path):
    one = book.section("04_scaling#four-times-as-wide")
    assert (one.title, one.chapter) == ("Four times as wide", "4 · Scaling")
    monkeypatch.setattr(book, "SITE", tmp_path / "site")
    monkeypatch.delenv("BASE_URL", raising=False)
    assert book.address(one, tmp_path / "course") == ""
    (tmp_path / "site" / "chapters").mkdir(parents=True)
    (tmp_path / "site" / "chapters" / "04_scaling.html").touch()
    assert book.address(one, tmp_path / "course") == "../site/chapters/04_scaling.html#four-times-as-wide"
    monkeypatch.setenv("BASE_URL", "https://host/book/")
    assert book.address(one, tmp_path) == "https://host/book/chapters/04_scaling.html#four-times-as-wide"


def test_a_class_without_a_grade_has_no_page(course):
    assert "nobody has a grade" in lesson.write(course, "chapter_01", [])
    assert not list(course.folder.glob("lesson-*"))
