"""Choice: what it accepts, what it says of an answer, and the form that a page takes."""

import json

import numpy as np
import pytest

from attnlib import attention_scores, attention_weights
from attnlib.questions import ChoiceQuestion, OrderQuestion, shuffled
from attnlib.widgets import Choice, InputError

PAIRS = [("one", "Too few."), ("two", "Yes: a pair."), ("three", "Too many.")]


def a_choice(**settings):
    return Choice("How many?", PAIRS, 1, **settings)


def an_order(**settings):
    return Choice(
        "In which order?",
        [("first", ""), ("second", "It needs first."), ("third", "It needs second.")],
        mode="order",
        **settings,
    )


def test_an_answer_is_right_or_wrong_or_none():
    question, seen = a_choice(), []
    question.observe(lambda change: seen.append((question.answer, change.new)), "correct")
    assert question.correct is None
    question.answer = 0
    question.answer = 1
    question.answer = None
    assert seen == [(0, False), (1, True), (None, None)]


def test_only_the_order_given_is_right():
    question = an_order()
    assert question.order != [0, 1, 2]
    assert question.correct is None
    question.answer = [0, 2, 1]
    assert question.correct is False
    question.answer = [0, 1, 2]
    assert question.correct is True
    assert an_order(answer=[0, 1, 2]).correct is True


def test_correct_cannot_be_set():
    with pytest.raises(Exception, match="read-only"):
        a_choice().correct = True


def test_the_question_asked_by_default_is_answered_by_attnlib():
    question = Choice()
    query, key = np.array([[1, 0]]), np.array([[1, 0], [3, 3]])
    assert attention_scores(query, key, scale=1).tolist() == [[1, 3]]
    low, high = attention_weights(query, key, scale=1)[0]
    assert question.reveal == f"The weights are {low:.2f} for (1, 0) and {high:.2f} for (3, 3)."
    assert (question.right, question.correct) == (1, None)
    assert len(Choice(mode="order").options) == 5


@pytest.mark.parametrize("n", range(2, 13))
def test_steps_never_start_in_the_right_order(n):
    assert sorted(shuffled(n)) == list(range(n)) != shuffled(n)


BAD = {
    "prompt": (lambda: Choice(" ", PAIRS, 1), "a question needs a prompt"),
    "one option": (lambda: Choice("?", PAIRS[:1], 0), "2 to 12 options are needed, got 1"),
    "too many": (lambda: Choice("?", PAIRS * 5, 0), "got 15"),
    "no pair": (lambda: Choice("?", ["one", "two"], 0), "option 0 must be a pair.*'one'"),
    "option": (lambda: setattr(a_choice(), "options", [("a", " "), ("b", "c")]), "option 0, 'a', has no reply"),
    "no text": (lambda: Choice("?", [("", "a"), ("b", "c")], 0), "option 0 has no text"),
    "no reply": (lambda: Choice("?", [("a", "b"), ("c", "")], 0), "option 1, 'c', has no reply"),
    "right": (lambda: Choice("?", PAIRS, 3), "right is option 3, outside 0 … 2"),
    "answer": (lambda: setattr(a_choice(), "answer", 3), "answer 3 is no choice of 3 options"),
    "answer of the other kind": (
        lambda: setattr(a_choice(), "answer", [0, 1, 2]),
        r"answer \[0, 1, 2\] is no choice of",
    ),
    "order": (lambda: an_order(order=[0, 0, 1]), r"order must hold each of 0 … 2 once, got \[0, 0, 1\]"),
    "ordered answer": (lambda: setattr(an_order(), "answer", 1), "answer 1 is no order of 3 options"),
    "mode": (lambda: a_choice(mode="other"), "mode"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(Exception, match=message) as caught:
        call()
    assert isinstance(caught.value, ValueError if name == "no pair" else InputError) or name == "mode"


@pytest.mark.parametrize(
    "question",
    [
        ChoiceQuestion("How many?", PAIRS, 1, "Two it is.", title="T", provenance="hand-made"),
        OrderQuestion("In which order?", [("first", ""), ("second", "It needs first.")], "So.", [1, 0]),
    ],
)
def test_a_question_is_shown_as_it_is(question):
    shown = Choice(question)
    assert [shown.question.reply(answer) for answer in (0, 1, [0, 1], [1, 0])] == [
        question.reply(answer) for answer in (0, 1, [0, 1], [1, 0])
    ]
    settings = {name: value for name, value in vars(question).items() if name not in ("title", "options")}
    assert {name: shown.state()[name] for name in settings} == settings
    assert shown.title == (question.title or question.prompt)
    assert shown.options == list(question.options)
    assert shown.sentences.items() >= question.sentences.items()


def test_the_page_form_asks_and_folds_the_answers_away(page_of):
    question = a_choice(reveal="*Two* it is.", provenance="hand-made")
    page, html = page_of(question), question.fallback()
    assert {"figure", "figcaption", "ol", "details", "summary"} <= set(page.tags)
    asked, answers = html.split("<details>")
    assert "How many?" in asked
    assert "Numbers: hand-made." in asked
    assert [f'<li><span dir="auto">{text}</span></li>' in asked for text, _ in PAIRS] == [True] * 3
    assert not any(reply in asked for _, reply in PAIRS)
    assert "<strong>Yes.</strong> Yes: a pair." in answers
    assert "<strong>No.</strong> Too few." in answers
    assert "<p><em>Two</em> it is.</p>" in answers
    assert json.loads(page.state) == json.loads(json.dumps(question.state()))
    assert "correct" not in question.state()


def test_the_page_form_of_steps_shows_them_out_of_order_first():
    question = an_order(order=[2, 0, 1])
    asked, answers = question.fallback().split("<details>")
    assert asked.index("third") < asked.index("first") < asked.index("second")
    assert answers.index("first") < answers.index("second") < answers.index("third")
    assert "Not earlier: It needs second." in answers


def test_two_questions_have_addresses_of_their_own():
    ids = {Choice(prompt, PAIRS, 0).to_html().split('id="')[1].split('"')[0] for prompt in ("How many?", "How old?")}
    assert ids == {"choice-how-many", "choice-how-old"}
    assert 'id="choice-mine"' in a_choice(title="Mine").to_html()


def test_texts_are_never_html(page_of, hostile):
    page = page_of(Choice(hostile, [(hostile, hostile), ("b", hostile)], 0, reveal=hostile, provenance=hostile))
    assert "img" not in page.tags
    assert "</script" not in page.state
