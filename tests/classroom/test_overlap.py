"""A graded set does not ask for a practice exercise again: by name, by words, and by what its functions do."""

import ast
import importlib
import inspect
import itertools
import re
from pathlib import Path

import pytest

from attnlib.exercises import CHAPTERS, EXERCISES, Mistake
from classroom.cells import kind
from tests.helpers.graded import BY_STUDENT, GRADED, known

ALIKE = 10  # words in a row: shorter ones, such as what is independent with mean 0, are the book's way to speak
STATED = [
    text
    for page in sorted(Path("chapters").glob("[01]*.md"))
    for text in re.findall(r"^```\{exercise\}(.*?)^```$", page.read_text(encoding="utf8"), re.DOTALL | re.MULTILINE)
]
PROGRAMS = [
    (exercise, len(inspect.signature(importlib.import_module(module).RIGHT[exercise.id][0]).parameters))
    for number, exercises in CHAPTERS.items()
    for exercise in exercises
    for module in [f"tests.exercises.chapter_{number:02}"]
    if exercise.properties
]


def defined(source):
    return {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}


def runs(text):
    words = re.findall(r"[^\W_]+", text.lower())
    return {tuple(words[at : at + ALIKE]) for at in range(len(words) - ALIKE + 1)}


@pytest.mark.parametrize("name", BY_STUDENT)
def test_no_task_has_the_name_of_an_exercise_or_of_its_function(name):
    taken = {one.replace("-", "_") for one in EXERCISES} | {
        made for text in STATED for made in re.findall(r"^def (\w+)", text, re.MULTILINE)
    }
    cells = [cell for cell in GRADED[name].notebook.cells if kind(cell) == "answer"]
    tasks = {one.removeprefix("answer-").replace("-", "_") for one in GRADED[name].lines if one.startswith("answer-")}
    assert tasks & taken == set()
    assert {made for cell in cells for made in defined(cell.source)} & taken == set()


@pytest.mark.parametrize("name", BY_STUDENT)
def test_no_task_is_put_in_the_words_of_an_exercise(name):
    asked = runs("\n".join(cell.source for cell in GRADED[name].notebook.cells if kind(cell) == "text"))
    practised = [*STATED, *(one.question.prompt for one in EXERCISES.values() if one.question)]
    assert [found for text in practised for found in asked & runs(text)] == []


@pytest.mark.parametrize("name", BY_STUDENT)
def test_no_answer_to_a_task_solves_an_exercise(name):
    """Whatever the order of its arguments."""
    answers = importlib.import_module(f"tests.classroom.sets.{name}").RIGHT
    for task, sources in answers.items():
        if task in GRADED[name].questions:
            continue
        space = known(GRADED[name], "Ada Lovelace")
        exec(sources[0], space)
        (answer,) = (space[one] for one in defined(sources[0]) if one in space)
        many = len(inspect.signature(answer).parameters)
        same = [exercise for exercise, takes in PROGRAMS if takes == many]
        assert [
            exercise.id
            for exercise, order in itertools.product(same, itertools.permutations(range(many)))
            if solves(exercise, lambda *given, order=order, answer=answer: answer(*(given[at] for at in order)))
        ] == [], task


def solves(exercise, answer):
    try:
        for one in exercise.properties:
            one.test(answer)
    except Mistake:
        return False
    return True


def test_these_tests_find_an_exercise_that_is_asked_for_again():
    prompt = EXERCISES["thief"].question.prompt
    assert runs("Another key. " + prompt.removeprefix("A query (1, 0)")) & runs(prompt)
    exercise = EXERCISES["soft-look-up"]
    solution = importlib.import_module("tests.exercises.chapter_01").RIGHT["soft-look-up"][0]
    assert solves(exercise, solution)
    assert not solves(exercise, lambda query, keys, values, temperature: solution(query, keys, values, 2 * temperature))
