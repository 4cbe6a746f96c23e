"""Two speeds in a page: the goal is missed and reached, by keyboard, mouse and finger, and every dot is attnlib's."""

import re

import numpy as np
import pytest

from attnlib.widgets import SpeedsPuzzle

HIGH, LOW, TOP, BOTTOM = 12, -12, 6, 132


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(SpeedsPuzzle(), viewport={"width": request.param, "height": 760}, has_touch=request.param < 500)
    page.locator(".attn-meter").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content()


def slider(page, which):
    return page.get_by_label(f"{which} dial")


def number(x):
    return f"{x:.2f}".replace("-", "−")


def is_that_of(page, puzzle):
    """Every dot, the mark, the meter and the sentence are those of these speeds."""
    above = puzzle.scores - puzzle.scores[1]
    found = re.findall(r"M(\S+) (\S+)h0", page.locator(".attn-dots").get_attribute("d"))
    dots = np.array(found, dtype=float)
    assert dots[:, 0] == pytest.approx(26 + np.arange(61) * 288 / 60, abs=0.06)
    heights = TOP + (HIGH - above) / (HIGH - LOW) * (BOTTOM - TOP)
    assert dots[:, 1] == pytest.approx(heights, abs=0.06)
    mark = page.locator(".attn-first")
    assert mark.is_visible() == (puzzle.first is not None)
    if puzzle.first is not None:
        assert float(mark.get_attribute("cx")) == pytest.approx(dots[puzzle.first, 0], abs=0.06)
    assert page.locator(".attn-meter").text_content() == f"lead of distance 1: {number(puzzle.lead)}, goal: 1 or more"
    others = np.where(np.arange(61) == 1, -np.inf, puzzle.scores)
    best = int(others.argmax())
    own = f"Distance 1 scores {number(puzzle.scores[1])}."
    if round(puzzle.lead, 2) >= 1:
        wanted = f"{own} The next is distance {best}, {number(puzzle.lead)} behind. The goal is passed."
    elif puzzle.first is None:
        wanted = f"{own} Distance {best} is only {number(puzzle.lead)} behind."
    else:
        more = f"{own} Distance {puzzle.first} is the first that scores more: {number(puzzle.scores[puzzle.first])}."
        most = "" if best == puzzle.first else f", {number(others[best])}"
        wanted = f"{more} Distance {best} scores most{most}."
    assert said(page) == wanted


def test_by_keyboard_the_goal_is_missed_reached_and_missed_again(page):
    is_that_of(page, SpeedsPuzzle())
    for thousandths in range(95, 0, -5):
        slider(page, "slow").press("ArrowLeft")
        if thousandths in (50, 45, 40, 30, 25, 5):
            is_that_of(page, SpeedsPuzzle(slow=thousandths / 1000))
            assert ("The goal is passed." in said(page)) == (thousandths in (40, 30))
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, SpeedsPuzzle())
    assert page.problems == []


def test_by_mouse_or_finger_a_slider_moves_the_curve(page):
    box = slider(page, "slow").bounding_box()
    at = (box["x"] + 3, box["y"] + box["height"] / 2)
    (page.touchscreen.tap if page.viewport_size["width"] < 500 else page.mouse.click)(*at)
    moved = float(slider(page, "slow").input_value())
    assert moved < 0.02
    is_that_of(page, SpeedsPuzzle(slow=moved))
    slider(page, "fast").press("Home")
    is_that_of(page, SpeedsPuzzle(fast=0.2, slow=moved))
    assert page.problems == []


@pytest.mark.parametrize(("fast", "slow"), [(0.2, 0.2), (2, 0.2), (2, 0.005), (0.5, 0.05), (1.3, 0.035), (0.9, 0.025)])
def test_every_dot_lies_in_the_picture(fast, slow, show):
    page = show(SpeedsPuzzle(fast=fast, slow=slow))
    page.locator(".attn-meter").wait_for()
    is_that_of(page, SpeedsPuzzle(fast=fast, slow=slow))
    assert page.problems == []


def test_a_link_carries_both_speeds(show):
    page = show(SpeedsPuzzle(), address="#speeds-puzzle-two-speeds?fast=0.5&slow=0.05")
    page.locator(".attn-meter").wait_for()
    is_that_of(page, SpeedsPuzzle(fast=0.5, slow=0.05))
    assert said(page).startswith("Distance 1 scores 0.90. Distance 2 is the first that scores more: 1.02.")


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    fits_a_phone(page, 340, "button:visible, input:visible")
    assert page.problems == []


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is_whatever_is_said(width, stays_below):
    steps = [
        lambda page, which=which, key=key: slider(page, which).press(key)
        for which, key in (("slow", "Home"), ("fast", "End"), ("slow", "End"), ("fast", "Home"))
    ]
    page = stays_below(SpeedsPuzzle(), width, *steps)
    assert page.problems == []
