"""Every chapter keeps to the book's form, and runs as the notebook that students get."""

import itertools
import re
from pathlib import Path

import jupytext
import nbclient
import pytest

from attnlib.exercises import CHAPTERS as CHAPTER_EXERCISES
from attnlib.exercises import EXERCISES
from tools import notebooks

CHAPTERS = sorted(Path("chapters").glob("*.md"))
APPENDICES = sorted(Path("chapters/appendices").glob("*.md"))
PAGES = [Path("index.md"), *CHAPTERS, *APPENDICES]

EXERCISE = re.compile(r"^```\{exercise(?:-start)?\} .+\n:label: ex-(\S+)$", re.MULTILINE)

# Where what cells print fits a phone: at most 40 characters in a line.
FOR_A_PHONE = {"00_orientation", "01_dot_product", "04_scaling", "07_cost"}


def named(files):
    return pytest.mark.parametrize("file", files, ids=lambda file: file.stem)


def code_cells(file):
    return [c.source for c in jupytext.read(file, fmt="md:myst").cells if c.cell_type == "code"]


# Chapters of the second edition: their length is held by the build, and their checks stand in cells of their own.
SECOND = [file for file in CHAPTERS if "{reading-time}" in file.read_text()]
FIRST = [file for file in CHAPTERS if file not in SECOND]
# Second pages of a chapter, which a reader may skip.
DEPTH = [
    Path(f"chapters/{name}.md")
    for name in ("03_anatomy", "04_assumptions", "05_writing", "06_variants", "07_other_functions")
]


def parts_in_order(text, parts):
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


def of_the_chapter(file):
    """All pages of a page's chapter."""
    return [page for page in CHAPTERS if page.stem[:2] == file.stem[:2]]


@named([file for file in SECOND if file not in DEPTH])
def test_a_chapter_begins_with_a_puzzle_and_ends_with_what_one_can_do(file):
    text = file.read_text()
    parts = ["{reading-time}", "from attnlib.widgets import", "\n## ", "**Predict.**", "## Where it breaks", "## What you can do now",
             "What failed, measured:", "## Exercises", "*Draws on*"]  # fmt: skip
    parts_in_order(text, parts)
    assert len(re.findall(r"\bpredict\(\d", text)) >= len(re.findall(r"^## ", text, re.MULTILINE))
    assert len(EXERCISE.findall(text)) >= 8


@named(DEPTH)
def test_a_second_page_says_that_it_can_be_skipped_and_has_exercises_of_its_own(file):
    text = file.read_text()
    parts_in_order(text, ["{reading-time}", "You can skip this page", "\n## ", "## Exercises", "*Draws on*"])
    assert EXERCISE.findall(text)


@named(FIRST)
def test_a_chapter_has_all_its_parts_in_order(file):
    text = file.read_text()
    parts = ["After this chapter you can", "## The formula so far", "Predict", "AttentionGrid(", "## Where it breaks",
             "## Exercises", "## Recap", "*Draws on*"]  # fmt: skip
    parts_in_order(text, parts)
    recap = text[text.index("## Recap") : text.index("*Draws on*")]
    assert len(re.findall(r"^- ", recap, re.MULTILINE)) <= 8
    goals = text[text.index("After this chapter you can") : text.index("## The formula so far")]
    assert len(re.findall(r"^- ", goals, re.MULTILINE)) == 3


@named(CHAPTERS)
def test_every_exercise_is_one_of_the_packages_and_has_a_solution(file):
    text = file.read_text()
    ids = EXERCISE.findall(text)
    placed = [name for page in of_the_chapter(file) for name in EXERCISE.findall(page.read_text())]
    theirs = CHAPTER_EXERCISES[int(file.stem[:2])]
    assert sorted(placed) == sorted(exercise.id for exercise in theirs)
    exercises = [exercise for exercise in theirs if exercise.id in ids]
    solved = re.findall(r"^```\{solution(?:-start)?\} ex-(\S+)", text, re.MULTILINE)
    assert solved == [name for name in ids if name in solved]  # in their order
    for exercise in exercises:
        if exercise.kind == "program":
            assert exercise.id in solved  # a question's solution is in its replies
            assert f'~~~python\ncheck("{exercise.id}", ' in text
            assert re.search(rf'^check\("{exercise.id}", \w+\)\.or_raise\(\)$', text, re.MULTILINE)
        else:
            assert f'\nquestion("{exercise.id}")\n' in text


@named(CHAPTERS)
def test_the_time_that_a_chapter_asks_for_its_exercises_is_theirs(file):
    asked = r"^\*(\d+) minutes to read, .*?(?:(as much again)|about (\d+)) for the exercises"
    says = re.search(asked, file.read_text(), re.MULTILINE | re.DOTALL)
    if says:
        theirs = sum(exercise.minutes for exercise in CHAPTER_EXERCISES[int(file.stem[:2])])
        assert abs(theirs - int(says[1] if says[2] else says[3])) <= 5


@named(CHAPTERS)
def test_what_checks_an_answer_is_imported_before_the_first_exercise(file):
    text = file.read_text()
    line = "from attnlib.exercises import check, hint, progress, question"
    assert text.index("## Exercises") < text.index(line) < EXERCISE.search(text, text.index("## Exercises")).start()


@named(PAGES)
def test_code_cells_are_short_and_narrow(file):
    for source in code_cells(file):
        lines = source.splitlines()
        assert len(lines) <= 15, source
        assert max(map(len, lines)) <= 76, max(lines, key=len)
    for stub in re.findall(r"~~~python\n(.*?)~~~", file.read_text(), re.DOTALL):  # in a box, so narrower
        assert max(map(len, stub.splitlines())) <= 70, stub


@named(PAGES)
def test_a_page_stores_no_output_and_describes_itself(file):
    text = file.read_text()
    assert "html_meta:" in text
    assert "description:" in text
    assert "{code-cell}" not in text or "kernelspec:" in text


@named(PAGES)
def test_the_words_that_talk_down_are_absent(file):
    prose = re.sub(r"```.*?```", "", file.read_text(), flags=re.DOTALL)
    assert re.findall(r"\b(?:simply|obviously|trivial(?:ly)?|of course)\b", prose, re.IGNORECASE) == []


@named(CHAPTERS)
def test_every_cell_that_prints_asserts_what_the_prose_says(file):
    cells = [*code_cells(file), ""]
    pairs = [(one, one + after * (file in SECOND)) for one, after in itertools.pairwise(cells)]
    assert [one for one, checked in pairs if "print(" in one and "assert " not in checked] == []


@pytest.mark.slow  # the book's build runs the same cells, and a test in JupyterLab a whole notebook
@named(CHAPTERS)
def test_the_students_notebook_runs_from_top_to_bottom(file, tmp_path):
    notebook = notebooks.convert(file.read_text(), file.name)
    client = nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": tmp_path}})
    client.execute()
    errors = [
        o for c in notebook.cells for o in c.get("outputs", []) if o.output_type == "error" or o.get("name") == "stderr"
    ]
    assert errors == []
    printed = [o.text for c in notebook.cells for o in c.get("outputs", []) if o.get("name") == "stdout"]
    if file.stem in FOR_A_PHONE:
        assert [line for text in printed for line in text.splitlines() if len(line) > 40] == []
    shown = [o.data["text/plain"] for c in notebook.cells for o in c.get("outputs", []) if "data" in o]
    programs = [name for name in EXERCISE.findall(file.read_text()) if EXERCISES[name].kind == "program"]
    judged = [text for text in shown if re.match(r"(Right|Not yet): \d", text)]
    assert len(judged) == len(programs)  # the stubs
    assert all(text.startswith("Not yet") for text in judged)  # and nothing was solved for you
