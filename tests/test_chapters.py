"""Every chapter keeps to the book's form, and runs as the notebook that students get."""

import re
from pathlib import Path

import jupytext
import nbclient
import pytest

from attnlib.exercises import CHAPTERS as CHAPTER_EXERCISES
from tools import notebooks

CHAPTERS = sorted(Path("chapters").glob("*.md"))
APPENDICES = sorted(Path("chapters/appendices").glob("*.md"))
PAGES = [Path("index.md"), *CHAPTERS, *APPENDICES]

EXERCISE = re.compile(r"^```\{exercise(?:-start)?\} .+\n:label: ex-(\S+)$", re.MULTILINE)

# The parts of the sources that a chapter teaches, and the corrections it carries: each a label on a section of it.
TAUGHT = {
    "00_orientation": "S1.1 S2.1 S2.3 S2.17 S3.6 S4.2 S4.8 S4.13 E12 E26 E42",
    "01_dot_product": "S0.1 S0.2 S0.3 S0.4 S1.2 S1.4 S2.2 S2.6 S3.3 S3.4 E1 E14 E23 E29",
    "02_learnable_u": "S0.5 S0.6 S4.4 E2 E3 E38 E4",
    "03_query_key_value": "S0.7 S0.8 S0.9 S1.3 S1.5 S1.8 S2.4 S2.5 S2.7 S2.8 S2.10 S2.11 S3.2 S3.8 S4.1 S4.3 S4.6 S4.7 S4.9 S4.10 S4.12 "
    "E10 E11 E19 E20 E21 E37 E41 E43 E44 E45 E46 E47 E50",
    "04_scaling": "S0.10 S0.11 S0.14 S1.6 S2.9 S3.10 S4.5 E5 E6 E7 E13 E31 E39 E40",
    "05_masking": "S1.10 S2.13 S3.1 S3.5 S3.7 S3.9 S4.11 E18 E24 E33 E34 E35 E49",
    "06_multi_head": "S0.13 S2.14 S3.11 E15 E22 E25 E27 E32",
    "08_position_and_trained_heads": "S2.2-trained S2.15 E48",
}


# Where what cells print fits a phone: at most 40 characters in a line.
FOR_A_PHONE = {"00_orientation", "01_dot_product", "04_scaling"}


def named(files):
    return pytest.mark.parametrize("file", files, ids=lambda file: file.stem)


def code_cells(file):
    return [c.source for c in jupytext.read(file, fmt="md:myst").cells if c.cell_type == "code"]


@named(CHAPTERS)
def test_a_chapter_has_all_its_parts_in_order(file):
    text = file.read_text()
    parts = ["After this chapter you can", "## The formula so far", "Predict", "AttentionGrid(", "## Where it breaks",
             "## Exercises", "## Recap", "*Draws on*"]  # fmt: skip
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)
    recap = text[text.index("## Recap") : text.index("*Draws on*")]
    assert len(re.findall(r"^- ", recap, re.MULTILINE)) <= 8
    goals = text[text.index("After this chapter you can") : text.index("## The formula so far")]
    assert len(re.findall(r"^- ", goals, re.MULTILINE)) == 3


@named(CHAPTERS)
def test_every_part_it_should_teach_has_a_label(file):
    labels = re.findall(r"^\(([SE]\d+(?:\.\d+)?(?:-\w+)?)\)=$", file.read_text(), re.MULTILINE)
    assert sorted(labels) == sorted(TAUGHT[file.stem].split())


@named(CHAPTERS)
def test_every_exercise_is_one_of_the_packages_and_has_a_solution(file):
    text = file.read_text()
    ids = EXERCISE.findall(text)
    exercises = CHAPTER_EXERCISES[int(file.stem[:2])]
    assert sorted(ids) == sorted(exercise.id for exercise in exercises)
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
    silent = [source for source in code_cells(file) if "print(" in source and "assert " not in source]
    assert silent == []


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
    programs = [exercise for exercise in CHAPTER_EXERCISES[int(file.stem[:2])] if exercise.kind == "program"]
    judged = [text for text in shown if re.match(r"(Right|Not yet): \d", text)]
    assert len(judged) == len(programs)  # the stubs
    assert all(text.startswith("Not yet") for text in judged)  # and nothing was solved for you
