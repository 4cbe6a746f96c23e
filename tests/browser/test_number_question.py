"""Number in a page: what can be typed, and what is said of it."""

from attnlib.widgets import Number

WRONG = [(64, 0.5, "That is the *variance*."), (-8, 0.1, "A spread is never negative.")]


def a_number(**settings):
    return Number("How far do the scores spread?", 8, WRONG, **{"title": "q", "explanation": "√64 = 8."} | settings)


def answer(page, text):
    page.get_by_label("Your answer").fill(text)
    page.keyboard.press("Enter")
    return page.locator(".attn-reply").text_content()


def test_a_right_answer_is_explained_and_a_wrong_one_answered(show):
    page = show(a_number())
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
    page = show(a_number())
    page.get_by_role("button", name="Check").click()
    assert page.locator(".attn-reply").text_content() == "Type a number first."
    page.get_by_label("Your answer").fill("8")
    page.get_by_role("button", name="Check").press("Space")
    assert page.locator(".attn-reply").text_content() == "Yes. "


def test_the_page_and_python_judge_alike(show):
    question = Number("Half of 1?", 0.5, tolerance=0.01, relative=0.1, unit="nats")
    page = show(question)
    for text in [
        "1/2",
        "0,5",
        "sqrt(1/4)",
        "1 − ln(e)/2",
        "two",
        "1,000",
        "1/0",
        "9^999",
        "1" * 41,
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
        assert said.removeprefix({True: "Yes. ", False: "Not yet. "}.get(verdict, "")) == question.reply.sentence, text
    assert page.problems == []


def test_an_answer_rounded_too_far_is_told_so_here_and_in_the_notebook(show):
    question = Number("ln 2, two decimals?", 0.6931, [(1.0, 0.01, "That is the logarithm to base 2.")], title="q")
    page = show(question)
    said = {
        "0.7": "Right so far: give one more digit.",
        "0,7": "Right so far",
        "0.6": "That is not the number",
        "1": "to base 2",
        "ln 2": "Read as 0.69.",
    }
    for text, sentence in said.items():
        question.answer = text
        assert sentence in str(question.reply)
        assert answer(page, text) == f"{'Yes.' if question.correct else 'Not yet.'} {question.reply}"
    assert question.correct
    assert page.problems == []


def test_what_is_being_typed_outlives_a_change_of_colours(show, settle):
    page = show(a_number())
    page.get_by_label("Your answer").fill("6")
    page.emulate_media(color_scheme="dark")
    settle(page)
    assert page.get_by_label("Your answer").input_value() == "6"


def test_the_reply_is_announced_and_alone(show):
    page = show(a_number())
    page.get_by_label("Your answer").wait_for()
    assert page.locator("[aria-live=polite]").count() == 1
    assert page.locator("[aria-live=polite]").evaluate("line => line.className") == "attn-reply"


def test_a_second_wrong_answer_is_said_though_its_sentence_is_the_same(show, count_said):
    page = show(a_number())
    answer(page, "7")
    count_said(page)
    assert answer(page, "9") == "Not yet. That is not the number. Try another way."
    assert page.evaluate("said") > 0


def test_the_link_carries_the_answer(show):
    page = show(a_number())
    page.get_by_label("Your answer").wait_for()
    answer(page, "64")
    address = page.locator(".headerlink").get_attribute("href")
    other = show(a_number(), address=address)
    other.get_by_text("That is the variance.").wait_for()
    assert other.get_by_label("Your answer").input_value() == "64"
    assert page.problems == other.problems == []


def test_without_javascript_the_answer_is_folded_away(show):
    page = show(a_number(), java_script_enabled=False)
    assert page.get_by_text("How far do the scores spread?").is_visible()
    assert not page.get_by_text("√64").is_visible()
    page.locator("summary").click()
    assert page.get_by_text("√64").is_visible()
