"""No zero without a reason: what accidents do to a notebook ends in its points, or with a person."""

import copy
import json
import re
from functools import partial

import nbformat
import pytest

from classroom import notebooks
from classroom.__main__ import main
from classroom.cells import grade_id
from classroom.demo.submissions import RIGHT, fill, named
from classroom.restore import restore

SET = "chapter_01"
WORDS = RIGHT["explain-hull"]


def right(notebook, **changes):
    return fill(notebook, RIGHT, {key.replace("_", "-", 1): source for key, source in changes.items()})


def without_tags(notebook):
    filled = right(notebook)
    for cell in filled.cells:
        cell.metadata = {}
    return filled


def pasted(notebook):
    """Every cell with text, copied into a new notebook with cells of its own."""
    made = [
        (nbformat.v4.new_code_cell if c.cell_type == "code" else nbformat.v4.new_markdown_cell)(c.source)
        for c in right(notebook).cells
    ]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("# my copy"), *made])


def answers_alone(notebook):
    """Only the student's own cells, without tags: no test, no text."""
    filled = right(notebook)
    made = [nbformat.v4.new_code_cell(cell.source) for cell in filled.cells if grade_id(cell).startswith("answer")]
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("import numpy as np"), *made, nbformat.v4.new_markdown_cell(WORDS)]
    )


def explained_in_an_added_cell(notebook):
    filled = fill(notebook, RIGHT, {"explain-hull": "Your answer here."})
    filled.cells.append(nbformat.v4.new_markdown_cell(WORDS))
    return filled


def answered_before_the_stub(notebook):
    filled = fill(notebook, {key: source for key, source in RIGHT.items() if key != "answer-cosines"})
    at = next(i for i, cell in enumerate(filled.cells) if grade_id(cell) == "answer-cosines")
    filled.cells.insert(at, nbformat.v4.new_code_cell(RIGHT["answer-cosines"]))
    return filled


def answered_at_the_end(notebook):
    filled = fill(notebook, {key: source for key, source in RIGHT.items() if key != "answer-cosines"})
    filled.cells.append(nbformat.v4.new_code_cell(RIGHT["answer-cosines"]))
    return filled


def stub_copied_to_the_end(notebook):
    filled = right(notebook)
    stub = next(cell for cell in notebook.cells if grade_id(cell) == "answer-tempered")
    filled.cells.insert(4, copy.deepcopy(stub))
    return filled


def at(notebook, cell):
    return next(i for i, one in enumerate(notebook.cells) if grade_id(one) == cell)


def code(source):
    return nbformat.v4.new_code_cell(source)


def two_in_one_cell(notebook):
    """Two answers in the cell of the first; the cell of the second is gone."""
    filled = right(notebook)
    second = filled.cells.pop(at(filled, "answer-cosines"))
    filled.cells[at(filled, "answer-tempered")].source += f"\n\n{second.source}"
    return filled


def two_beside_a_stub(notebook):
    filled = right(notebook, answer_cosines=notebook_source(notebook, "answer-cosines"))
    filled.cells[at(filled, "answer-tempered")].source += f"\n\n{RIGHT['answer-cosines']}"
    return filled


def two_in_one_line(notebook):
    """Two answers in one assignment; the cell of the second is gone."""
    filled = right(
        notebook, answer_grows="grows, long_enough = times**2, np.log(9) / length / (1 - np.cos(np.radians(angle)))"
    )
    filled.cells.pop(at(filled, "answer-long_enough"))
    return filled


def all_in_one_cell(notebook):
    every = "\n\n".join(cell.source for cell in right(notebook).cells if cell.cell_type == "code")
    return nbformat.v4.new_notebook(cells=[code(every), nbformat.v4.new_markdown_cell(WORDS)])


def two_and_two(notebook):
    tasks = ["tempered", "cosines", "other", "grows", "long_enough", "longer"]
    first, second = ([RIGHT[f"answer-{task}"] for task in tasks[half::2]] for half in (0, 1))
    pairs = ["\n\n".join(pair) for pair in zip(first, second, strict=True)]
    made = map(code, [notebook_source(notebook, "answer-student"), "import numpy as np", *pairs])
    return nbformat.v4.new_notebook(cells=[*made, nbformat.v4.new_markdown_cell(WORDS)])


def below_its_test(notebook):
    filled = right(notebook)
    answer = filled.cells.pop(at(filled, "answer-cosines"))
    filled.cells.insert(at(filled, "test-cosines-any") + 1, answer)
    return filled


def imported_in_the_setup(notebook):
    uses = "long_enough = math.log(9) / length / (1 - math.cos(math.radians(angle)))"
    filled = right(notebook, answer_long_enough=uses)
    filled.cells[at(filled, "setup")].source += "\nimport math"
    return filled


def helped_in_a_test(notebook):
    filled = right(
        notebook, answer_long_enough="long_enough = np.log(9) / length / (1 - root(np.cos(np.radians(angle)) ** 2))"
    )
    filled.cells[at(filled, "test-grows")].source += "\n\ndef root(x):\n    return x**0.5"
    return filled


def explained_in(source, where=""):
    """The explanation in a cell of code: an added one, or that of an answer."""

    def make(notebook):
        filled = right(notebook, explain_hull=notebook_source(notebook, "explain-hull"))
        if where:
            filled.cells[at(filled, where)].source += source
        else:
            filled.cells.append(code(source))
        return filled

    return make


def explained_twice(notebook):
    filled = right(notebook)
    filled.cells.append(copy.deepcopy(filled.cells[-1]))
    filled.cells[-1].source = "Another reason."
    return filled


def odd_file(notebook):
    """Half a character, a huge number, what is no number, and no outputs."""
    found = json.loads(nbformat.writes(right(notebook)))
    found["metadata"] = {"x": "HUGE", "y": "NAN"}
    found["cells"].append({"cell_type": "code", "source": ["half = '", "\ud800", "'"], "metadata": None})
    return json.dumps(found).replace('"HUGE"', "9" * 5000).replace('"NAN"', "NaN").encode()


def text(notebook, encoding, errors="strict"):
    return json.dumps(right(notebook, explain_hull=f"Für jede Zeile: {WORDS}"), ensure_ascii=False).encode(
        encoding, errors
    )


TOLD = "explain-hull is as it was handed out, but there is text in another cell"
CASES = {  # what was handed in, its score, its state, and words of the note or reason
    "tags": (without_tags, "11", "1 to mark", "had lost their tags, found again"),
    "pasted": (pasted, "11", "1 to mark", "had lost their tags, found again"),
    "alone": (answers_alone, "11", "1 to mark", "missing, put back empty: setup"),
    "added": (explained_in_an_added_cell, "11", "needs a person", "explain-hull is as it was handed out, but"),
    "before": (answered_before_the_stub, "11", "1 to mark", "answered in another cell: answer-cosines"),
    "end": (answered_at_the_end, "8", "needs a person", "answer-cosines is answered in a cell that stands after"),
    "joined": (two_in_one_cell, "11", "1 to mark", "answered in another cell: answer-cosines"),
    "line": (two_in_one_line, "11", "1 to mark", "answered in another cell: answer-long_enough"),
    "beside": (two_beside_a_stub, "11", "1 to mark", "answered in another cell: answer-cosines"),
    "one": (all_in_one_cell, "11", "1 to mark", "answered in another cell: answer-tempered, answer-cosines, answer-other, answer-grows"),
    "pairs": (two_and_two, "11", "1 to mark", "answered in another cell: answer-cosines, answer-grows, answer-longer"),
    "below": (below_its_test, "8", "needs a person", "answer-cosines is answered in a cell that stands after its test"),
    "import": (imported_in_the_setup, "11", "1 to mark", "put back as they were: setup"),
    "helper": (helped_in_a_test, "11", "1 to mark", "put back as they were: test-grows"),
    "string": (explained_in(f'"""\n{WORDS}\n"""'), "11", "needs a person", TOLD),
    "printed": (explained_in(f'print("{WORDS}")'), "11", "needs a person", TOLD),
    "named": (explained_in(f"hull = '{WORDS}'"), "11", "needs a person", TOLD),
    "comment": (explained_in(f"  # 5) {WORDS}", "answer-long_enough"), "11", "needs a person", TOLD),
    "prose": (explained_in(WORDS), "11", "needs a person", TOLD),
    "in a test": (explained_in(f"\n# {WORDS}", "test-long_enough"), "11", "needs a person", TOLD),
    "labels": (explained_in("\nprint('of ada', 'and bob')  # try it", "answer-grows"), "11", "graded", ""),
    "stub": (stub_copied_to_the_end, "11", "1 to mark", ""),
    "twice": (explained_twice, "11", "needs a person", "explain-hull is answered twice"),
    "odd": (odd_file, "11", "1 to mark", "half characters"),
    "bom": (lambda nb: b"\xef\xbb\xbf" + nbformat.writes(right(nb)).encode(), "11", "1 to mark", ""),
    "utf16": (lambda nb: text(nb, "utf-16"), "11", "1 to mark", "UTF-16"),
    "cp1252": (lambda nb: text(nb, "cp1252", "replace"), "11", "1 to mark", "read as Windows-1252"),
    "crlf": (lambda nb: nbformat.writes(right(nb)).replace("\\n", "\\r\\n").encode(), "11", "1 to mark", ""),
    "overwritten": (
        lambda nb: fill(nb, RIGHT, {"answer-long_enough": notebook_source(nb, "answer-long_enough"),
            "test-long_enough": "long_enough = 2.83"}),
        "9",
        "needs a person",
        "answer-long_enough is as it was handed out, and its answer was written over test-long_enough",
    ),
    "deep": (lambda _: b"[" * 100_000, "", "needs a person", "nested too deeply"),
    "list": (lambda _: b"[]", "", "needs a person", "no notebook that can be read"),
    "empty": (lambda _: b"", "", "needs a person", "no notebook that can be read"),
    "large": (lambda _: b" " * ((10 << 20) + 1), "", "needs a person", "larger than 10 MB"),
    "many": (lambda nb: many_cells(nb, 2001), "", "needs a person", "2000 is the most"),
    "numbers": (lambda _: b'{"cells": [{"cell_type": "code", "source": 7}]}', "", "needs a person", "cell 1 "),
}  # fmt: skip


def notebook_source(notebook, cell):
    return next(one.source for one in notebook.cells if grade_id(one) == cell)


def many_cells(notebook, number):
    made = copy.copy(notebook)
    made.cells = [nbformat.v4.new_code_cell("1")] * number
    return made


FEW = ("added", "end", "joined", "string", "import", "deep", "twice")  # graded as a class in the fast tests


@pytest.fixture(scope="module")
def graded_class(copied, place, once):
    """A class with some of the cases, graded by the command once."""

    def grade(students, folder):
        course = copied(folder)
        notebook = nbformat.read(course.released(SET), 4)
        for student in students:
            place(course, student, CASES[student][0](named(copy.deepcopy(notebook), student)))
        assert main(["--course", str(course.folder), "grade"]) == 0
        return course

    return lambda name, students: once(f"restored-{name}", partial(grade, students))


@pytest.fixture
def graded(graded_class):
    return graded_class("few", FEW)


def outcome(course, row, student):
    """The points, the state, whether the expected words are said, and whether there is feedback."""
    said = CASES[student][3] in row["needs a person because"] + row["notes"]
    return row["score"], row["state"], said, (course.folder / "feedback" / student / SET / f"{SET}.html").exists()


@pytest.mark.parametrize("student", FEW)
def test_what_happened_to_a_notebook_ends_in_its_points_or_with_a_person(graded, lines, student):
    row = lines(graded)[student]
    assert outcome(graded, row, student) == (*CASES[student][1:3], True, True), row


@pytest.mark.slow
@pytest.mark.parametrize("student", CASES)
def test_whatever_happened_to_a_notebook_ends_in_its_points_or_with_a_person(graded_class, lines, student):
    course = graded_class("all", CASES)
    row = lines(course)[student]
    assert outcome(course, row, student) == (*CASES[student][1:3], True, True), row


@pytest.mark.parametrize("student", CASES)
def test_what_was_done_to_a_notebook_is_said(notebook, student):
    make, score, _, words = CASES[student]
    made = make(copy.deepcopy(notebook))
    content = made if isinstance(made, bytes) else json.dumps(made).encode()
    if not score:
        with pytest.raises(notebooks.Unreadable, match=words):
            notebooks.read(content)
        return
    found, notes = notebooks.read(content)
    said = restore(found, notebook)
    assert words in "; ".join([*notes, *said.notes, *said.person])
    assert {grade_id(cell) for cell in found.cells} - {""} == {grade_id(cell) for cell in notebook.cells} - {""}


def test_an_explanation_in_an_added_cell_is_there_to_mark_and_has_no_points_yet(graded, lines):
    assert lines(graded)["added"]["explain-hull"] == ""
    assert lines(graded, "to-mark")["added"]["answer"] == WORDS


@pytest.mark.parametrize("student", ["string", "printed", "named", "comment", "prose", "in a test"])
def test_an_explanation_in_a_cell_of_code_is_there_to_mark_and_has_no_points_yet(graded, notebook, student, lines):
    found = CASES[student][0](copy.deepcopy(notebook))
    assert WORDS in restore(found, notebook).elsewhere["explain-hull"]
    assert lines(graded)["string"]["explain-hull"] == ""
    assert WORDS in lines(graded, "to-mark")["string"]["answer"]


def test_nothing_is_said_to_be_missing_that_stands_in_another_cell(notebook):
    for make in (two_in_one_cell, all_in_one_cell, two_and_two):
        notes = restore(make(notebook), notebook).notes
        assert not any("answer-" in note for note in notes if note.startswith("missing"))


def test_what_a_student_wrote_into_a_locked_cell_is_shown_as_theirs(graded):
    page = (graded.folder / "feedback" / "import" / SET / f"{SET}.html").read_text()
    assert "import math" in re.sub(r"<[^>]+>", "", page.partition("Your code")[2].partition("</pre>")[0])
    assert "stands in another cell" not in (graded.folder / "feedback" / "joined" / SET / f"{SET}.html").read_text()


def test_what_has_no_grade_has_no_points_anywhere(graded, lines):
    row = lines(graded)["deep"]
    assert {row[cell] for cell in row if cell.startswith(("test-", "explain-", "score"))} == {""}
    page = (graded.folder / "feedback" / "deep" / SET / f"{SET}.html").read_text()
    assert "Your newest work has no grade yet" in page
    assert "nested too deeply" in page


def test_what_was_handed_out_before_is_not_the_students(notebook):
    before = copy.deepcopy(notebook)
    locked = next(c for c in before.cells if grade_id(c) and c.metadata.nbgrader.locked and c.cell_type == "code")
    stub = next(c for c in before.cells if grade_id(c) == "explain-hull")
    text = next(c for c in before.cells if not grade_id(c))
    locked.source += "\nscale = 2"
    stub.source, text.source = "Write it here.", "Other words."
    found = right(before, explain_hull="Write it here.")
    said = restore(found, notebook, [before])
    assert (said.notes, said.person, said.elsewhere) == ([], [], {})
    assert not any("scale = 2" in cell.source for cell in found.cells)


def test_cells_whose_place_could_mean_two_things_are_not_guessed(notebook):
    filled = without_tags(notebook)
    filled.cells[-1:] = [nbformat.v4.new_markdown_cell("One reason."), nbformat.v4.new_markdown_cell("And another.")]
    said = restore(filled, notebook)
    assert said.elsewhere == {"explain-hull": "One reason.\n\nAnd another."}
    assert "missing, put back empty: explain-hull" in said.notes
    assert said.person == ["explain-hull is as it was handed out, but there is text in another cell"]


def test_an_older_format_is_read(notebook):
    filled = right(notebook)
    found, notes = notebooks.read(nbformat.writes(nbformat.convert(copy.deepcopy(filled), 3), 3).encode())
    assert [cell.source for cell in found.cells] == [cell.source for cell in filled.cells]
    assert notes == []
