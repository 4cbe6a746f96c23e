"""The puzzle of the envelopes in a page: lost with fixed weights, won by comparing, with mouse, keyboard and finger."""

import re

import numpy as np
import pytest

from attnlib.widgets import LookupPuzzle


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(LookupPuzzle(), viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
    page.locator(".attn-envelopes").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content()


def right(page):
    return int(re.search(r"right in (\d+) %", said(page))[1])


def sliders(page):
    return page.locator(".attn-envelopes input").all()


def test_the_puzzle_is_lost_and_won_by_keyboard(page):
    assert right(page) == round(100 * LookupPuzzle().right) == 19
    for slider in sliders(page):
        slider.focus()
        page.keyboard.press("End")
    assert right(page) == 27
    assert "That is the most that fixed weights can do here" in said(page)
    assert page.get_by_label("compare names").is_hidden()
    page.get_by_role("button", name="Hand me what is missing").press("Enter")
    page.get_by_label("compare names").focus()
    page.keyboard.press("End")
    assert right(page) == 100
    assert "You have passed the goal" in said(page)
    assert page.problems == []


def test_it_is_won_by_mouse_and_by_finger(page, rested):
    box = sliders(page)[4].bounding_box()
    point = box["x"] + box["width"] - 3, box["y"] + box["height"] / 2
    finger = page.viewport_size["width"] < 500
    press = page.touchscreen.tap if finger else page.mouse.click
    press(*point)
    rested(page)
    fixed = [float(slider.input_value()) for slider in sliders(page)]
    assert fixed[4] > 0.9
    assert right(page) == round(100 * LookupPuzzle(fixed=np.array(fixed)).right)
    page.get_by_role("button", name="Hand me what is missing").click()
    box = page.get_by_label("compare names").bounding_box()
    press(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    rested(page)
    assert right(page) == 100


def test_the_page_answers_every_question_as_python_does(page):
    page.get_by_role("button", name="Hand me what is missing").click()
    page.get_by_label("compare names").fill("0.1")
    for _ in range(4):
        question = int(
            re.search(r"question=(\d+)", page.locator("[data-link]").get_attribute("href") + "&question=2")[1]
        )
        widget = LookupPuzzle(question=question, fixed=np.ones(8), strength=0.1, compares=True)
        shown = page.locator(".attn-bar").all_text_contents()
        assert shown == [f"{weight:.2f}" for weight in widget.weights]
        assert right(page) == round(100 * widget.right)
        page.get_by_role("button", name="Next question").click()


def test_something_is_always_mixed(page):
    first = sliders(page)[0]
    first.focus()
    page.keyboard.press("Home")
    assert float(first.input_value()) > 0
    assert page.locator(".attn-problem:not(:empty)").count() == 0


def row(letters):
    return " ".join(f"{letter}{i:04x}" for i, letter in enumerate(letters))


def test_a_share_is_judged_as_it_is_shown(show):
    page = show(LookupPuzzle([row("AAAABBBB")] * 31 + [row("AAABBCDE")], fixed=[1.0] * 8))
    assert "right in 50 %" in said(page)
    assert "You have passed the goal." in said(page)


def test_rows_are_split_at_any_blank(show):
    page = show(LookupPuzzle(["\t".join(f"A{i:04x}" for i in range(8))]))
    assert page.locator(".attn-problem").text_content() == ""


def test_every_question_comes_whatever_the_number_of_rows(show):
    page = show(LookupPuzzle([row("ABCDEFGH")] * 11))
    seen = set()
    for _ in range(88):
        page.get_by_role("button", name="Next question").click()
        seen.add(page.locator("[data-link]").get_attribute("href"))
    assert len(seen) == 88
