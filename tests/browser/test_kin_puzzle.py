"""Sixty tokens in a page: the kin are hidden and found, by keyboard, mouse and finger, as attnlib counts them."""

import pytest

from attnlib.widgets import KinPuzzle
from attnlib.widgets.kin_puzzle import REMEDIES

HAND = "Hand me what is missing"


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(KinPuzzle(), viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
    page.locator(".attn-meter").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content()


def axes(page):
    return page.get_by_role("slider", name="useless axes")


def press(page, name):
    """By finger on a phone, by mouse on what is wider."""
    target = page.get_by_role("button", name=name, exact=True)
    (target.tap if page.viewport_size["width"] < 500 else target.click)()


def is_that_of(page, puzzle):
    """The meter, the sentence, what is pressed, and where the picture is dark are those of this state."""
    found = round(60 * puzzle.share)
    assert (
        page.locator(".attn-meter")
        .text_content()
        .startswith(f"find their kin: {round(100 * found / 60)} %, goal: 90 %")
    )
    axis = "axis" if puzzle.useless == 1 else "axes"
    how = "told which axes count" if puzzle.handed else puzzle.remedy
    assert said(page).startswith(
        f"{how.capitalize()}, with {puzzle.useless} useless {axis}: {found} of 60 find their kin."
    )
    assert ("The goal is passed." in said(page)) == (puzzle.share >= 0.9 and puzzle.useless == 12)
    for remedy in REMEDIES:
        pressed = page.get_by_role("button", name=remedy, exact=True).get_attribute("aria-pressed") == "true"
        assert pressed == (remedy == puzzle.remedy and not puzzle.handed)
    shades = page.locator("canvas").evaluate(
        "(canvas) => [...canvas.getContext('2d').getImageData(0, 0, 60, 60).data].filter((_, at) => at % 4 === 3)"
    )
    scores = puzzle.scores
    others = [scores[i, j] for i in range(60) for j in range(60) if i != j]
    mean = sum(others) / len(others)
    spread = (sum((score - mean) ** 2 for score in others) / len(others)) ** 0.5
    for i, j in ((0, 1), (0, 59), (30, 20), (59, 45), (7, 3)):
        shade = min(1, max(0, 0.5 + (scores[i, j] - mean) / (4 * spread)))
        assert shades[60 * i + j] == pytest.approx(255 * shade, abs=1.01)
    assert {shades[61 * i] for i in range(60)} == {0}


def test_by_mouse_or_finger_no_remedy_is_enough_and_being_told_is(page):
    is_that_of(page, KinPuzzle())
    for remedy in reversed(REMEDIES):
        press(page, remedy)
        is_that_of(page, KinPuzzle(remedy=remedy))
    press(page, HAND)
    is_that_of(page, KinPuzzle(handed=True))
    assert "The goal is passed." in said(page)
    press(page, "standardised")
    is_that_of(page, KinPuzzle(remedy="standardised"))
    assert page.problems == []


def test_by_keyboard_the_useless_axes_go_one_by_one(page):
    for useless in range(11, -1, -1):
        axes(page).press("ArrowLeft")
        if useless in (11, 4, 1, 0):
            is_that_of(page, KinPuzzle(useless=useless))
    assert "Now with all useless axes." in said(page)
    page.get_by_role("button", name="standardised").press("Enter")
    is_that_of(page, KinPuzzle(useless=0, remedy="standardised"))
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, KinPuzzle())
    assert page.problems == []


def test_a_link_carries_the_axes_and_the_remedy(show):
    page = show(KinPuzzle(), address="#kin-puzzle-find-the-kin?useless=3&remedy=%22standardised%22")
    page.locator(".attn-meter").wait_for()
    is_that_of(page, KinPuzzle(useless=3, remedy="standardised"))
    assert page.problems == []


def test_another_seed_is_another_draw(show):
    page = show(KinPuzzle(seed=5, useless=2, remedy="of length 1"))
    page.locator(".attn-meter").wait_for()
    is_that_of(page, KinPuzzle(seed=5, useless=2, remedy="of length 1"))
    assert page.problems == []


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    fits_a_phone(page, 340)
    assert page.problems == []


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is_whatever_is_tried(width, stays_below):
    steps = [
        lambda page, name=name: page.get_by_role("button", name=name, exact=True).click()
        for name in (*REMEDIES[1:], HAND)
    ]
    page = stays_below(KinPuzzle(), width, *steps, lambda page: axes(page).press("Home"))
    assert page.problems == []
