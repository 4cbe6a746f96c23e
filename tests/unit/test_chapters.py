"""Every chapter keeps to the book's form, and runs as the notebook that students get."""

import itertools
import re
import time
from pathlib import Path

import jupytext
import nbclient
import pytest

from attnlib.exercises import CHAPTERS as CHAPTER_EXERCISES
from attnlib.exercises import EXERCISES
from tools import notebooks

CHAPTERS = sorted(Path("chapters").glob("*.md"))
TIMED = [file for file in CHAPTERS if "import time" in file.read_text(encoding="utf8")]
APPENDICES = sorted(Path("chapters/appendices").glob("*.md"))
PAGES = [Path("index.md"), *CHAPTERS, *APPENDICES]

EXERCISE = re.compile(r"^```\{exercise(?:-start)?\} .+\n:label: ex-(\S+)$", re.MULTILINE)

# Where what cells print fits a phone: at most 40 characters in a line.
FOR_A_PHONE = {"00_orientation", "01_dot_product", "04_scaling", "07_cost", "08_position", "08_waves"}


def named(files):
    return pytest.mark.parametrize("file", files, ids=lambda file: file.stem)


def code_cells(file):
    return [c.source for c in jupytext.read(file, fmt="md:myst").cells if c.cell_type == "code"]


# Second pages of a chapter, which a reader may skip.
SKIPPED = (
    "03_anatomy",
    "04_assumptions",
    "05_writing",
    "06_variants",
    "07_other_functions",
    "08_waves",
    "09_feed_forward",
)
DEPTH = [Path(f"chapters/{name}.md") for name in SKIPPED]


def parts_in_order(text, parts):
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


def of_the_chapter(file):
    """All pages of a page's chapter."""
    return [page for page in CHAPTERS if page.stem[:2] == file.stem[:2]]


@named([file for file in CHAPTERS if file not in DEPTH])
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
def test_every_column_of_a_table_has_a_name(file):
    heads = re.findall(r"^\|(.*)\|\n\|[-: |]+\|$", file.read_text(), re.MULTILINE)
    assert [head for head in heads if not all(name.strip() for name in head.split("|"))] == []


@named(PAGES)
def test_the_words_that_talk_down_are_absent(file):
    prose = re.sub(r"```.*?```", "", file.read_text(), flags=re.DOTALL)
    assert re.findall(r"\b(?:simply|obviously|trivial(?:ly)?|of course)\b", prose, re.IGNORECASE) == []


@named(CHAPTERS)
def test_every_cell_that_prints_asserts_what_the_prose_says(file):
    pairs = itertools.pairwise([*code_cells(file), ""])
    assert [one for one, after in pairs if "print(" in one and "assert " not in one + after] == []


@pytest.mark.slow
@pytest.mark.parametrize("power", [-1, 1])
@named(TIMED)
def test_no_check_in_a_cell_depends_on_how_fast_a_machine_is(file, power, monkeypatch):
    now = itertools.accumulate(step**power for step in itertools.count(1))  # ever faster, or ever slower
    for clock in ("perf_counter", "thread_time"):
        monkeypatch.setattr(time, clock, lambda: float(next(now)))
    names = {}
    for cell in code_cells(file):
        exec(cell, names)
    assert next(now) != 1  # it was asked


@pytest.mark.slow  # the book's build runs the same cells, and a test in JupyterLab a whole notebook
@named(CHAPTERS)
def test_the_students_notebook_runs_from_top_to_bottom(file, tmp_path):
    notebook = notebooks.convert(file.read_text(), file.name)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}})
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
