"""Every checker passes right answers of three kinds, and answers each published wrong one with the sentence meant for it."""

import numpy as np
import pytest

from attnlib.exercises import CHAPTERS, EXERCISES, check
from attnlib.exercises.slips import weights

pytestmark = pytest.mark.usefixtures("patient", "unchecked")  # as students run it
PROGRAMS = [name for name, exercise in EXERCISES.items() if exercise.kind == "program"]


def test_the_answers_are_to_the_programs(answers):
    assert sorted(answers.right) == sorted(answers.wrong) == sorted(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_right_answers_pass(name, answers):
    assert len(answers.right[name]) >= 3
    reports = [check(name, answer) for answer in answers.right[name]]
    assert [report for report in reports if not report.correct] == []


def single(value):
    """A result, or an argument, in single precision."""
    if isinstance(value, list | tuple):
        return type(value)(map(single, value))
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype == float):
        return np.float32(value)
    return value


# Masks, biases and words, which have no precision; and a matrix of which only what it makes tokens read is judged.
WITHOUT_PRECISION = {"turn-the-keys", "swapped-roles", "causal-offset", "padded-batch", "polarity", "window-mask"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_right_answer_in_single_precision_is_right_and_its_precision_is_named(name, answers):
    answer = answers.right[name][0]
    assert "float32" not in repr(check(name, answer))
    for report in (
        check(name, lambda *given: single(answer(*given))),
        check(name, lambda *given: single(answer(*single(given)))),
    ):
        assert report.correct
        assert ("right to float32's precision" in repr(report)) == (name not in WITHOUT_PRECISION)


@pytest.mark.parametrize("name", PROGRAMS)
def test_wrong_answers_are_told_what_is_wrong(name, judge_wrong):
    judged = judge_wrong(name)
    assert len(judged) >= 5
    for says, report, _ in judged:
        assert not report.correct
        assert says in repr(report)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_wrong_answer_repeats_another(name, judge_wrong):
    judged = judge_wrong(name)
    assert len({seen for *_, seen in judged}) == len(judged)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_property_is_missed_by_some_wrong_answer(name, judge_wrong):
    properties = EXERCISES[name].properties
    assert len(properties) >= 2
    for number, one in enumerate(properties):
        assert any(report.results[number][1] for _, report, _ in judge_wrong(name)), one.name


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_an_exercise_is_complete(exercise):
    assert len(exercise.hints) >= 2
    assert not any("$" in text for text in exercise.hints)  # hints are read in a terminal too
    assert exercise.misconception.endswith(".")
    assert bool(exercise.properties) == (exercise.question is None)


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_chapter_has_six_exercises_and_every_kind(number):
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


@pytest.mark.parametrize("power", [-0.5, -1, 0.5])
def test_where_all_sizes_are_equal_no_answer_is_told_which_one_it_took(power):
    def reads(token, z, q, k, v):
        return weights(len(k) ** power * (z @ k) @ (token @ q)) @ (z @ v)

    def crosses(x, z, q, k, v, b_q, b_k, b_v):
        return weights(len(q) ** power * (x @ q + b_q) @ (z @ k + b_k).T) @ (z @ v + b_v)

    for name, answer in {"read-one": reads, "cross-attention": crosses}.items():
        reply = check(name, answer).results[1][1]
        assert "a size:" in reply
        assert "d_k" not in reply
