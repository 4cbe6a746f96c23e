"""Choice in a page: every answer by mouse, keyboard and finger, and what is said of it."""

import pytest

from attnlib.widgets import Choice

PAIRS = [("one", "Too *few*."), ("two", "Yes: a `pair`."), ("three", "Too many.")]
STEPS = [("first", ""), ("second", "It needs first."), ("third", "It needs second."), ("fourth", "It comes last.")]
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def a_choice(**settings):
    return Choice("How many?", PAIRS, 1, **{"title": "q", "reveal": "It was two."} | settings)


def an_order(**settings):
    settings = {"title": "q", "reveal": "In this.", "order": [3, 1, 0, 2]} | settings
    return Choice("In which order?", STEPS, mode="order", **settings)


def reply(page):
    return page.locator(".attn-reply").text_content()


def shown(page):
    """The steps as they stand, each with its mark."""
    return [
        text.replace("⠿", "").replace("UpDown", "") for text in page.locator(".attn-options > li").all_text_contents()
    ]


def step(page, name, arrow):
    return page.get_by_role("button", name=f"{arrow}: {name},")


def test_nothing_is_revealed_before_an_answer(show):
    page = show(a_choice())
    page.get_by_role("button", name="two").wait_for()
    assert [button.get_attribute("aria-pressed") for button in page.locator(".attn-options button").all()] == [
        "false"
    ] * 3
    assert (
        page.locator(".attn-options button").evaluate_all(
            "all => new Set(all.map((one) => one.cloneNode().outerHTML)).size"
        )
        == 1
    )
    assert reply(page) == ""
    assert "It was two." not in page.locator("main").inner_text()
    assert not any("Too few" in text for text in page.locator("main").all_inner_texts())


def test_another_wrong_option_is_said_though_its_reply_is_the_same(show, count_said):
    page = show(Choice("How many?", [("one", "No."), ("three", "No."), ("two", "Yes.")], 2))
    page.get_by_role("button", name="one").click()
    count_said(page)
    page.get_by_role("button", name="three").click()
    assert page.evaluate("said") > 0


@pytest.mark.parametrize("answer", [[0, 1, 2, 3], [1, 0, 2, 3]])
def test_an_answer_without_its_order_shows_the_steps_as_it_has_them(answer, show):
    page = show(an_order(answer=answer))
    page.get_by_role("button", name="Check the order").wait_for()
    names = [STEPS[step][0] for step in answer]
    assert [text.rstrip("✓✗") for text in shown(page)] == names
    assert shown(page)[0][-1] == ("✓" if answer[0] == 0 else "✗")


def test_a_link_takes_back_an_answer_that_the_author_left(show):
    page = show(an_order(answer=[0, 1, 2, 3]), address="#choice-q?order=%5B1%2C0%2C2%2C3%5D&answer=null")
    page.get_by_role("button", name="Check the order").wait_for()
    assert shown(page) == ["second", "first", "third", "fourth"]


def test_every_option_gets_its_reply_and_another_try(show):
    page = show(a_choice())
    page.get_by_role("button", name="one").click()
    assert reply(page) == "Not yet. Too few."
    assert page.locator(".attn-reply em").text_content() == "few"
    assert page.get_by_role("button", name="one").get_attribute("aria-pressed") == "true"
    assert page.locator(".attn-reveal").is_hidden()  # it would give the answer away
    page.get_by_role("button", name="three").focus()
    page.keyboard.press("Enter")
    assert reply(page) == "Not yet. Too many."
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert reply(page) == "Yes. Yes: a pair."
    assert page.locator(".attn-reveal").text_content() == "It was two."
    assert page.locator(".attn-options button").all_text_contents() == ["one", "two✓", "three"]
    page.get_by_role("button", name="Start again").click()
    assert reply(page) == ""
    assert page.locator(".attn-reveal").is_hidden()
    assert page.problems == []


def test_the_reply_is_announced_and_alone(show):
    page = show(a_choice())
    page.locator("[aria-live]").wait_for(state="attached")
    assert page.locator("[aria-live=polite]").count() == 1
    assert page.locator("[aria-live=polite]").evaluate("line => line.className") == "attn-reply"


def test_steps_move_by_the_keyboard_and_keep_the_focus(show):
    page = show(an_order())
    step(page, "first", "Up").focus()
    page.keyboard.press("Enter")
    assert shown(page) == ["fourth", "first", "second", "third"]
    assert page.evaluate("document.activeElement.ariaLabel") == "Up: first, step 2 of 4"
    page.keyboard.press("Space")
    assert shown(page) == ["first", "fourth", "second", "third"]
    assert page.evaluate("document.activeElement.getAttribute('aria-disabled')") == "true"
    page.keyboard.press("Enter")  # the top is the end
    assert shown(page) == ["first", "fourth", "second", "third"]
    assert page.evaluate("document.activeElement.ariaLabel") == "Up: first, step 1 of 4"
    step(page, "third", "Down").press("Enter")
    step(page, "second", "Down").press("Enter")
    assert shown(page) == ["first", "fourth", "third", "second"]


def test_the_first_misplaced_step_is_named_with_its_reason(show):
    page = show(an_order())
    check = page.get_by_role("button", name="Check the order")
    step(page, "first", "Up").click()
    step(page, "first", "Up").click()
    assert reply(page) == ""
    check.click()
    assert reply(page) == "Not yet. Step 2 cannot be “fourth”. It comes last."
    assert shown(page) == ["first✓", "fourth✗", "second", "third"]
    assert page.locator(".attn-reveal").is_hidden()
    step(page, "fourth", "Down").click()
    assert reply(page) == ""  # the order is another one now
    assert shown(page) == ["first", "second", "fourth", "third"]
    check.click()
    assert reply(page) == "Not yet. Step 3 cannot be “fourth”. It comes last."
    step(page, "third", "Up").click()
    check.press("Enter")
    assert reply(page) == "Yes. That is the order."
    assert shown(page) == ["first✓", "second✓", "third✓", "fourth✓"]
    assert page.locator(".attn-reveal").text_content() == "In this."
    page.get_by_role("button", name="Start again").click()
    assert shown(page) == ["fourth", "second", "first", "third"]
    assert page.problems == []


def test_a_mouse_drags_a_step_by_its_text(show, centre_of):
    texts = ["first", "second", "third " + "long " * 40, "fourth"]
    page = show(Choice("Which order?", [(text, "It waits.") for text in texts], mode="order", order=[3, 1, 0, 2]))
    rows = page.locator(".attn-options > li")
    rows.first.wait_for()
    start, end = centre_of(rows.nth(0)), centre_of(rows.nth(3))
    page.mouse.move(start[0], start[1])
    page.mouse.down()
    page.mouse.move(end[0], end[1] + 60, steps=12)
    assert page.locator(".attn-dragged").count() == 1
    page.mouse.up()
    assert page.locator(".attn-dragged").count() == 0
    assert [text.split()[0] for text in shown(page)] == ["second", "first", "third", "fourth"]
    page.mouse.move(*start)  # without a button it moves nothing
    assert [text.split()[0] for text in shown(page)] == ["second", "first", "third", "fourth"]
    assert page.problems == []


@pytest.mark.parametrize(("place", "drags"), [(".attn-grip", True), ("[dir]", False)])
def test_a_finger_on_the_grip_drags_and_elsewhere_scrolls(place, drags, show, centre_of, drag, settle):
    page = show("<div style='height: 300px'></div>", an_order(), "<div style='height: 2000px'></div>", **PHONE)
    rows = page.locator(".attn-options > li")
    rows.first.wait_for()
    before, scrolled = shown(page), page.evaluate("scrollY")
    x, y = centre_of(rows.nth(3).locator(place))
    goal = centre_of(rows.nth(0))[1] - 5
    drag(page, *((x, y + (goal - y) * part / 10) for part in range(11)))
    settle(page)
    assert (shown(page) == ["third", "fourth", "second", "first"]) is drags
    assert (shown(page) == before) is not drags
    assert (page.evaluate("scrollY") == scrolled) is drags


def test_the_link_carries_the_answer(show):
    page = show(a_choice())
    page.get_by_role("button", name="three").click()
    address = page.locator(".headerlink").get_attribute("href")
    assert address == "#choice-q?answer=2"
    other = show(a_choice(), address=address)
    other.get_by_text("Too many.").wait_for()
    other.get_by_role("button", name="Start again").click()
    assert reply(other) == ""
    ordered = show(an_order(), address="#choice-q?order=%5B0%2C1%2C3%2C2%5D&answer=%5B0%2C1%2C3%2C2%5D")
    ordered.get_by_text("Step 3 cannot be “fourth”").wait_for()
    assert page.problems == other.problems == ordered.problems == []


def test_without_javascript_the_answers_are_folded_away(show):
    page = show(a_choice(), java_script_enabled=False)
    assert page.get_by_text("How many?").is_visible()
    assert page.locator("ol.attn-options li").all_text_contents() == ["one", "two", "three"]
    assert not page.get_by_text("Too few.").is_visible()
    page.locator("summary").click()
    assert page.get_by_text("Too few.").is_visible()


def test_controls_are_large_enough_for_a_finger(show):
    page = show(a_choice(), an_order(title="o"), **PHONE)
    page.get_by_role("button", name="Check the order").wait_for()
    boxes = [control.bounding_box() for control in page.locator(".attn-question :is(button, .attn-grip)").all()]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 32


def test_printing_shows_the_question_without_its_arrows(show):
    page = show(a_choice(), an_order(title="o"))
    page.get_by_role("button", name="Check the order").wait_for()
    page.emulate_media(media="print")
    assert page.get_by_role("button", name="two").is_visible()
    assert page.get_by_text("fourth").is_visible()
    assert not step(page, "first", "Up").is_visible()
