"""Every checker passes right answers of three kinds, and answers each published wrong one with the sentence meant for it."""

from importlib import import_module

import numpy as np
import pytest

from attnlib import exercises
from attnlib.exercises import EXERCISES, check
from attnlib.questions import NumberQuestion

pytestmark = pytest.mark.usefixtures("patient")
CHAPTERS = [import_module(f"tests.exercises.chapter_{number:02d}") for number in exercises.CHAPTERS]
RIGHT = [(name, answer) for chapter in CHAPTERS for name, answers in chapter.RIGHT.items() for answer in answers]
WRONG = [
    (name, says, answer) for chapter in CHAPTERS for name, pairs in chapter.WRONG.items() for says, answer in pairs
]
PROGRAMS = [name for name, exercise in EXERCISES.items() if exercise.kind == "program"]


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_a_right_answer_passes(name, answer):
    assert check(name, answer).correct, check(name, answer)


@pytest.mark.parametrize(("name", "says", "answer"), WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(name, says, answer):
    report = check(name, answer)
    assert not report.correct
    assert says in repr(report)


def behaviour(name, answer):
    """All that a checker sees of an answer: each call's result, or its error, and the arguments after it."""
    seen = []

    def watched(*arguments):
        try:
            got = answer(*arguments)
        except Exception as error:
            seen.append(f"{type(error).__name__}: {error}")
            raise
        with np.printoptions(precision=6, threshold=10_000):
            seen.append(repr((got, arguments)))
        return got

    check(name, watched)
    return tuple(seen)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_wrong_answer_repeats_another(name):
    wrong = [answer for exercise, _, answer in WRONG if exercise == name]
    assert len({behaviour(name, answer) for answer in wrong}) == len(wrong)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_has_several_properties_three_right_answers_and_wrong_ones(name):
    assert len(EXERCISES[name].properties) >= 2
    assert sum(right == name for right, _ in RIGHT) >= 3
    assert sum(wrong == name for wrong, *_ in WRONG) >= 5


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_property_is_missed_by_some_wrong_answer(name):
    reports = [check(name, answer) for exercise, _, answer in WRONG if exercise == name]
    for number, one in enumerate(EXERCISES[name].properties):
        assert any(report.found[number][1] for report in reports), one.name


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_an_exercise_is_complete(exercise):
    assert len(exercise.hints) >= 2
    assert not any("$" in text for text in exercise.hints)  # hints are read in a terminal too
    assert exercise.misconception.endswith(".")
    assert (exercise.kind == "program") == bool(exercise.properties) == (exercise.question is None)
    if exercise.question is not None:
        assert not isinstance(exercise.question, NumberQuestion) or exercise.kind == "derive"


@pytest.mark.parametrize("number", sorted({int(module.__name__[-2:]) for module in CHAPTERS}))
def test_a_chapter_has_six_exercises_and_every_kind(number):
    from attnlib.exercises import CHAPTERS

    kinds = [exercise.kind for exercise in CHAPTERS[number]]
    assert len(kinds) >= 6
    assert min(kinds.count(kind) for kind in ("concept", "derive", "program")) >= 1


def test_a_variance_that_is_not_of_the_diagonals_is_never_called_so():
    for answer in (lambda q, k: float(len(q)), lambda q, k: np.trace(q @ k) / len(q)):
        assert "You use the diagonals alone" not in repr(check("predict-variance", answer))


def test_the_product_of_the_traces_is_never_called_squared_covariances():
    said = repr(check("predict-variance", lambda q, k: np.trace(q) * np.trace(k)))
    assert "You multiply the two traces" in said
    assert "You squared the covariances" not in said
