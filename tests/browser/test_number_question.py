"""Number in a page: what can be typed, and what is said of it."""

import pytest

from attnlib.exercises.questions import reply
from attnlib.widgets import Number
from tests.browser.conftest import PAPER, html_of
from tests.unit.test_answers import READ, UNREAD
from tools.site import violations

WRONG = [(64, 0.5, "That is the *variance*."), (-8, 0.1, "A spread is never negative.")]


def a_number(**settings):
    return Number("How far do the scores spread?", 8, WRONG, **{"title": "q", "explanation": "√64 = 8."} | settings)


def answer(page, text):
    page.get_by_label("Your answer").fill(text)
    page.keyboard.press("Enter")
    return page.locator(".attn-reply").text_content()


def test_a_right_answer_is_explained_and_a_wrong_one_answered(show):
    page = show(html_of(a_number()))
    page.get_by_label("Your answer").wait_for()
    assert page.locator(".attn-reply").text_content() == ""
    assert "√64" not in page.locator("main").inner_text()
    assert answer(page, "64") == "Not yet. That is the variance."
    assert page.locator(".attn-reply em").text_content() == "variance"
    assert answer(page, "−8") == "Not yet. A spread is never negative."
    assert answer(page, "7") == "Not yet. That is not the number. Try another way."
    assert page.locator(".attn-reveal").is_hidden()
    assert answer(page, "16/2") == "Yes. "
    assert page.locator(".attn-reveal").text_content() == "√64 = 8."
    assert answer(page, "8,0") == "Yes. Read as 8.0: write a decimal point, not a comma."
    page.get_by_role("button", name="Start again").click()
    assert page.get_by_label("Your answer").input_value() == ""
    assert page.locator(".attn-reply").text_content() == ""
    assert page.problems == []


def test_the_button_answers_too_and_an_empty_field_gets_a_sentence(show):
    page = show(html_of(a_number()))
    page.get_by_role("button", name="Check").click()
    assert page.locator(".attn-reply").text_content() == "Type a number first."
    page.get_by_label("Your answer").fill("8")
    page.get_by_role("button", name="Check").press("Space")
    assert page.locator(".attn-reply").text_content() == "Yes. "


def test_the_page_and_python_judge_alike(show):
    question = Number("Half of 1?", 0.5, tolerance=0.01, relative=0.1, unit="nats")
    page = show(html_of(question))
    for text in [
        *READ,
        *(text for text in UNREAD if text.strip()),
        "0.55",
        "0.551",
        "0.45 nats",
        "0.5nats",
        "5 bits",
        "exp(0)/2 nats",
    ]:
        said = answer(page, text)
        question.answer = text[:80]
        verdict = {"Yes.": True, "Not ": False}.get(said[:4])
        assert verdict == question.correct, text
        assert (page.get_by_label("Your answer").get_attribute("aria-invalid") == "true") is (verdict is None)
        if text in UNREAD:
            assert UNREAD[text] in said
    assert page.problems == []


def test_an_answer_rounded_too_far_is_told_so_here_and_in_the_notebook(show):
    question = Number("ln 2, two decimals?", 0.6931, [(1.0, 0.01, "That is the logarithm to base 2.")], title="q")
    page = show(html_of(question))
    said = {
        "0.7": "Right so far: give one more digit.",
        "0,7": "Right so far",
        "0.6": "That is not the number",
        "1": "to base 2",
        "ln 2": "Read as 0.69.",
    }
    for text, sentence in said.items():
        question.answer = text
        assert sentence in reply(question)
        assert answer(page, text) == f"{'Yes.' if question.correct else 'Not yet.'} {reply(question)}"
    assert question.correct
    assert page.problems == []


def test_what_is_being_typed_outlives_a_change_of_colours(show):
    page = show(html_of(a_number()))
    page.get_by_label("Your answer").fill("6")
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(100)
    assert page.get_by_label("Your answer").input_value() == "6"


def test_the_reply_is_announced_and_alone(show):
    page = show(html_of(a_number()))
    page.get_by_label("Your answer").wait_for()
    assert page.locator("[aria-live=polite]").count() == 1
    assert page.locator("[aria-live=polite]").evaluate("line => line.className") == "attn-reply"


def test_the_link_carries_the_answer(show):
    page = show(html_of(a_number()))
    page.get_by_label("Your answer").wait_for()
    answer(page, "64")
    address = page.locator(".headerlink").get_attribute("href")
    other = show(html_of(a_number()), address=address)
    other.get_by_text("That is the variance.").wait_for()
    assert other.get_by_label("Your answer").input_value() == "64"
    assert page.problems == other.problems == []


def test_without_javascript_the_answer_is_folded_away(show):
    page = show(html_of(a_number()), java_script_enabled=False)
    assert page.get_by_text("How far do the scores spread?").is_visible()
    assert not page.get_by_text("√64").is_visible()
    page.locator("summary").click()
    assert page.get_by_text("√64").is_visible()


@pytest.mark.slow  # as it comes, every widget is checked in the gallery
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(width, scheme, show):
    page = show(
        PAPER,
        html_of(a_number(unit="nats", provenance="hand-made")),
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
    )
    page.get_by_label("Your answer").wait_for()
    assert violations(page) == []
    answer(page, "64")
    assert violations(page) == []
    answer(page, "8")
    assert violations(page) == []
