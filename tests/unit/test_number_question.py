"""Number: what it accepts, what it says of an answer, and the form that a page takes."""

import json

import numpy as np
import pytest

from attnlib import softmax
from attnlib.questions import NumberQuestion
from attnlib.widgets import InputError, Number
from attnlib.widgets.number_question import shown

WRONG = [(64, 0.5, "That is the variance."), (-8, 0.1, "A *spread* is never negative.")]


def a_number(**settings):
    return Number("How far do the scores spread?", 8, WRONG, **settings)


def test_an_answer_is_right_or_wrong_or_no_number():
    question, seen = a_number(), []
    question.observe(lambda change: seen.append(change.new), "correct")
    assert (question.correct, question.value) == (None, None)
    for answer, value in [("8", 8.0), ("64", 64.0), ("eight", None), ("16/2", 8.0), ("", None)]:
        question.answer = answer
        assert question.value == value
    assert seen == [True, False, None, True, None]


def test_tolerances_are_absolute_or_relative_whichever_is_wider():
    assert [a_number(tolerance=0.1).question.accepts(value) for value in (8.1, 7.9, 8.2)] == [True, True, False]
    assert [a_number(tolerance=0, relative=0.05).question.accepts(value) for value in (8.4, 8.5, -8.0)] == [
        True,
        False,
        False,
    ]
    assert [a_number(tolerance=0.5, relative=0.05).question.accepts(value) for value in (8.5, 8.6)] == [True, False]


def test_the_unit_may_be_typed_or_left_out():
    for answer in ("8", "8 nats", "8nats"):
        assert a_number(unit="nats", answer=answer).correct is True
    assert a_number(unit="nats", answer="8 bits").correct is None


def test_a_question_is_shown_as_it_is():
    question = NumberQuestion("How far?", 8.0, WRONG, 0.1, 0.05, "nats", "√64 = 8.", title="T", provenance="exact")
    shown = Number(question)
    assert shown.question == NumberQuestion(**vars(question) | {"title": "", "provenance": ""})
    assert (shown.title, shown.provenance, shown.sentences) == ("T", "exact", question.sentences)


def test_a_new_right_number_judges_the_answer_anew():
    question = a_number(answer="9")
    assert question.correct is False
    question.right = 9.0
    assert question.correct is True


def test_the_question_asked_by_default_is_answered_by_attnlib():
    question = Number()
    first, second = softmax(np.array([1000.0, 1001.0]))
    assert (first, second) == tuple(softmax(np.array([0.0, 1.0])))
    assert question.right == second
    assert f"the same {first:.2f} and {second:.2f}" in question.explanation
    for answer, value in [("0.5", 1001 / 2001), ("1", 1.0), ("0.27", first), ("2.718", second / first)]:
        question.answer = answer
        assert question.correct is False
        assert any(abs(value - other) <= tolerance for other, tolerance, _ in question.wrong)


BAD = {
    "prompt": (lambda: Number("", 1), "a question needs a prompt"),
    "right": (lambda: Number("?", np.inf), "right must be finite, got inf"),
    "NaN": (lambda: setattr(a_number(), "tolerance", np.nan), "tolerance must be 0 or more, got nan"),
    "tolerance": (lambda: a_number(tolerance=-1.0), "tolerance must be 0 or more, got -1.0"),
    "relative": (lambda: a_number(relative=-1.0), "relative must be 0 or more"),
    "wrong value": (lambda: Number("?", 1, [(np.inf, 0, "a")]), r"wrong\[0\]\[0\] must be finite"),
    "wrong tolerance": (lambda: Number("?", 1, [(2, 0, "a"), (3, -1, "a")]), r"wrong\[1\]\[1\] must be 0 or more"),
    "no sentence": (lambda: Number("?", 1, [(2, 0, " ")]), r"wrong\[0\], 2.0, has no sentence"),
    "right after all": (
        lambda: Number("?", 1, [(1.001, 0, "a")]),
        r"wrong\[0\], 1.001, would be accepted as right: 1.0",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_the_page_form_asks_and_folds_the_answers_away(page_of):
    question = a_number(unit="units", explanation="√64 = 8.", provenance="hand-made")
    page = page_of(question)
    asked, answers = question.fallback().split("<details>")
    assert "How far do the scores spread?" in asked
    assert "Numbers: hand-made." in asked
    assert "8" not in asked
    assert "<strong>8</strong> units. √64 = 8." in answers
    assert "<li>64 units: That is the variance.</li>" in answers
    assert "<li>−8 units: A <em>spread</em> is never negative.</li>" in answers
    assert json.loads(page.state) == json.loads(json.dumps(question.state()))


def test_numbers_are_shown_in_few_digits():
    assert [shown(number) for number in (0.7310586, 8, -0.5, 1e-3, 123456, 2.5)] == [
        "0.73",
        "8",
        "−0.50",
        "0.001",
        "1.235e+05",
        "2.50",
    ]


def test_texts_are_never_html(page_of, hostile):
    page = page_of(Number(hostile, 1, [(2, 0, hostile)], unit=hostile, explanation=hostile, provenance=hostile))
    assert "img" not in page.tags
    assert "</script" not in page.state
