"""The puzzle of the four widths in a page: lost with one divisor, won with four, by keyboard, mouse and finger."""

import re

import numpy as np
import pytest

from attnlib.widgets.scaling_puzzle import WIDTHS, ScalingPuzzle

WALL = "A larger divisor draws all four to the middle, a smaller one drives all four to the corners."
DIVISORS = [float(f"{2 ** (step / 4):.2g}") for step in range(25)]  # of a slider
CORNERS = np.array([[50, 6], [5, 84], [95, 84]])


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(ScalingPuzzle(), viewport={"width": request.param, "height": 760}, has_touch=request.param < 500)
    page.locator(".attn-meter").first.wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content().replace("\u00a0", " ")


def for_all(page):
    return page.get_by_label("divide all scores by")


def for_width(page, width):
    return page.get_by_label(f"divide the scores for dₖ = {width} by", exact=True)


def hand(page):
    return page.get_by_role("button", name="Hand me what is missing")


def test_55_percent_is_at_home(show):
    low, high = 2.0, 3.4
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if ScalingPuzzle(divisor=middle).shares[0] > 0.55 else (low, middle)
    puzzle = ScalingPuzzle(handed=True, divisors=[low, 4, 8, 16])
    page = show(puzzle)
    page.locator(".attn-meter").first.wait_for()
    assert page.locator(".attn-meter").first.text_content() == "55 %"
    is_that_of(page, puzzle)


def is_that_of(page, puzzle):
    """Every dot, number and word on the page is the one that attnlib computes."""
    lines = page.locator(".attn-dots").evaluate_all("all => all.map((line) => line.getAttribute('d'))")
    dots = np.array([re.findall(r"M(\S+) (\S+)h0", line) for line in lines], dtype=float)
    assert dots == pytest.approx(puzzle.weights @ CORNERS, abs=0.0051)
    shown = [round(100 * share) for share in puzzle.shares]
    assert page.locator(".attn-meter").all_text_contents() == [f"{share} %" for share in shown]
    where = ["middle" if share < 55 else "corners" if share > 65 else "at home" for share in shown]
    assert page.locator(".attn-pair span").all_text_contents() == where
    measured = ", ".join(f"{share} % for dₖ = {width}" for share, width in zip(shown, WIDTHS, strict=True))
    count = where.count("at home")
    end = "The goal is passed." if count == 4 else "The goal is 55 to 65 % for each."
    wall = f" {WALL}" if not puzzle.handed and {"middle", "corners"} <= set(where) else ""
    assert said(page) == f"At home: {count} of 4. Mean largest weight: {measured}. {end}{wall}"
    assert page.locator(".attn-home").count() == count
    assert for_all(page).is_visible() != puzzle.handed
    sliders = [for_width(page, width) for width in WIDTHS]
    assert [slider.is_visible() for slider in sliders] == [puzzle.handed] * 4
    given = zip(sliders, puzzle.divisors, strict=True) if puzzle.handed else [(for_all(page), puzzle.divisor)]
    for slider, divisor in given:
        assert slider.get_attribute("aria-valuetext") == f"{divisor:.3g}"


def press_to(page, slider, divisor):
    """Move a slider by the arrow keys."""
    slider.focus()
    steps = DIVISORS.index(divisor) - int(slider.input_value())
    for _ in range(abs(steps)):
        page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")


def test_at_the_start_every_cloud_is_in_the_corners(page):
    is_that_of(page, ScalingPuzzle())
    assert "At home: 0 of 4" in said(page)
    labels = page.locator("svg.attn-triangle").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert labels[3].replace("\u00a0", " ") == "100 dots for dₖ = 256: mean largest weight 95 %"
    assert page.problems == []


def test_it_is_lost_and_won_by_keyboard(page):
    one = for_all(page)
    one.focus()
    for divisor in DIVISORS[1:]:
        page.keyboard.press("ArrowRight")
        assert "passed" not in said(page)
        assert page.locator(".attn-home").count() < 2
        assert one.get_attribute("aria-valuetext") == f"{divisor:g}"
    is_that_of(page, ScalingPuzzle(divisor=64))
    press_to(page, one, 8)
    is_that_of(page, ScalingPuzzle(divisor=8))
    assert said(page).endswith(WALL)
    hand(page).press("Enter")
    is_that_of(page, ScalingPuzzle(divisor=8, handed=True, divisors=[8] * 4))
    for width in WIDTHS:
        press_to(page, for_width(page, width), width**0.5)
    is_that_of(page, ScalingPuzzle(divisor=8, handed=True, divisors=[2, 4, 8, 16]))
    assert said(page).endswith("The goal is passed.")
    page.get_by_role("button", name="Take it away again").press("Enter")
    is_that_of(page, ScalingPuzzle(divisor=8))
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, ScalingPuzzle())
    assert page.problems == []


def test_it_is_lost_and_won_by_mouse_or_finger(page, pull):
    pull(for_all(page), DIVISORS.index(4))
    is_that_of(page, ScalingPuzzle(divisor=4))
    pull(for_all(page), DIVISORS.index(16))
    is_that_of(page, ScalingPuzzle(divisor=16))
    hand(page).click()
    for width in WIDTHS:
        pull(for_width(page, width), DIVISORS.index(width**0.5))
    is_that_of(page, ScalingPuzzle(divisor=16, handed=True, divisors=[2, 4, 8, 16]))
    assert said(page).endswith("The goal is passed.")
    assert page.problems == []


def test_other_draws_and_divisors_between_two_steps_are_shown_as_they_are(show):
    for puzzle in (
        ScalingPuzzle(seed=7, dots=33, divisor=5.5),
        ScalingPuzzle(handed=True, divisors=[1.001, 3.33, 63.9, 64]),
    ):
        page = show(puzzle)
        page.locator(".attn-meter").first.wait_for()
        is_that_of(page, puzzle)
        assert page.problems == []


def test_a_link_carries_what_was_moved(show):
    state = "handed=true&divisors=[2,4,8,19]&divisor=3.4".replace("[", "%5B").replace("]", "%5D")
    page = show(ScalingPuzzle(), address=f"#scaling-puzzle-four-widths-one-divisor?{state}")
    page.locator(".attn-meter").first.wait_for()
    is_that_of(page, ScalingPuzzle(handed=True, divisors=[2, 4, 8, 19], divisor=3.4))
    assert page.problems == []


@pytest.mark.parametrize("handed", [False, True])
def test_on_a_phone_the_clouds_and_what_moves_them_are_in_sight_together(handed, show):
    page = show(ScalingPuzzle(handed=handed), viewport={"width": 390, "height": 740}, has_touch=True)
    boxes = [page.locator(name).bounding_box() for name in (".attn-clouds", ".attn-controls")]
    assert boxes[1]["y"] + boxes[1]["height"] - boxes[0]["y"] < 640
    rows = {round(cloud.bounding_box()["y"]) for cloud in page.locator(".attn-cloud").all()}
    assert len(rows) == 2


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    for width in (390, 340):
        fits_a_phone(page, width)
        if hand(page).is_visible():
            hand(page).click()
    assert page.problems == []
