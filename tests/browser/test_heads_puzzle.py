"""The puzzle of the two numbers in a page: lost with one blend, won with two, with mouse, keyboard and finger."""

import numpy as np
import pytest

from attnlib.widgets.heads_puzzle import HeadsPuzzle

WALL = "One blend leaves 100 % or more together, whatever the share: that is a wall."
ALIKE = "The two blends are too much alike."


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(HeadsPuzzle(), viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
    page.locator(".attn-blends").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content().replace("\u00a0", " ")


def share(page, blend=0):
    return page.get_by_label(("share of u", "share of u, second blend")[blend], exact=True)


def hand(page):
    return page.get_by_role("button", name="Hand me what is missing")


def percent(error):
    return f"{round(100 * error)} %"


def with_sign(terms):
    return terms.replace("-", "−").replace("+ −", "− ")


def is_that_of(page, puzzle):
    """Every number on the page is the one that attnlib computes."""
    u, v = map(percent, puzzle.errors)
    meters = [f"error of {name}: {error}, goal: 10 % or less" for name, error in (("u", u), ("v", v))]
    assert page.locator(".attn-meter").all_text_contents() == meters
    together = "" if puzzle.handed else f", together {sum(round(100 * error) for error in puzzle.errors)} %"
    assert said(page).startswith(f"Error of u: {u}, of v: {v}{together}. ")
    names = ["y₁", "y₂"] if puzzle.handed else ["y"]
    for line, number, factors in zip(page.locator(".attn-frame .attn-note").all(), "uv", puzzle.readout.T, strict=True):
        sum_of = " + ".join(f"{factor:.2f} {name}" for factor, name in zip(factors, names, strict=True))
        assert line.text_content() == f"best readout: {number} ≈ {with_sign(sum_of)}"
    ways = page.locator(".attn-way").evaluate_all("all => all.map((one) => one.getAttribute('d'))")
    for way, a in zip(ways, puzzle.shares, strict=False):
        start, tip = (np.array(point.split(), dtype=float) for point in way.removeprefix("M").split("L"))
        along, up = (tip - start) * [1, -1] / 78
        assert along**2 + up**2 == pytest.approx(1, abs=0.01)
        assert along * (1 - a) == pytest.approx(up * a, abs=0.01)
    assert len([way for way in ways if way]) == len(puzzle.shares)
    drawn = [picture for picture in page.locator("svg.attn-reads").all() if picture.is_visible()]
    for picture, name, a in zip(drawn, names, puzzle.shares, strict=True):
        assert picture.locator("text").all_text_contents() == ["v", "u", name, f"{a:.2f} u + {1 - a:.2f} v"]
        told = f"six tokens: the last reads {a:.2f} from the token one before and {1 - a:.2f} from the token two before"
        assert picture.get_attribute("aria-label") == told
        widths = picture.locator("path.attn-flow").evaluate_all(
            "all => all.map((one) => Number(one.getAttribute('stroke-width')))"
        )
        assert widths == pytest.approx([8 * a, 8 * (1 - a)], abs=0.01)


def press(page, slider, at):
    """Press a slider, from 0 at its left to 1 at its right: by finger on a phone, by mouse on what is wider."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    point = box["x"] + 8 + (box["width"] - 16) * at, box["y"] + box["height"] / 2
    (page.touchscreen.tap if page.viewport_size["width"] < 500 else page.mouse.click)(*point)


def test_it_starts_halfway_with_one_blend(page):
    is_that_of(page, HeadsPuzzle())
    assert said(page) == "Error of u: 50 %, of v: 50 %, together 100 %. The goal is 10 % or less for each."
    assert share(page, 1).is_hidden()
    assert hand(page).get_attribute("aria-expanded") == "false"
    assert page.problems == []


def test_it_is_lost_and_won_by_keyboard(page):
    share(page).focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    is_that_of(page, HeadsPuzzle(first=0.7))
    assert WALL not in said(page)
    page.keyboard.press("ArrowRight")
    is_that_of(page, HeadsPuzzle(first=0.75))
    assert said(page).endswith(WALL)
    for key, end in (("Home", 0.0), ("End", 1.0)):
        page.keyboard.press(key)
        is_that_of(page, HeadsPuzzle(first=end))
        assert said(page).endswith(WALL)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    is_that_of(page, HeadsPuzzle(first=1.0, second=1.0, handed=True))  # nothing jumps
    assert said(page).endswith(ALIKE)
    page.keyboard.press("Tab")
    for second in (0.95, 0.9, 0.85):
        page.keyboard.press("ArrowLeft")
        is_that_of(page, HeadsPuzzle(first=1.0, second=second, handed=True))
    assert said(page).endswith(ALIKE)
    page.keyboard.press("ArrowLeft")
    is_that_of(page, HeadsPuzzle(first=1.0, second=0.8, handed=True))
    assert said(page).endswith(". Both goals are passed.")
    page.keyboard.press("Home")
    is_that_of(page, HeadsPuzzle(first=1.0, second=0.0, handed=True))
    page.get_by_role("button", name="Take it away again").press("Enter")
    is_that_of(page, HeadsPuzzle(first=1.0))
    assert share(page, 1).is_hidden()
    assert page.problems == []


def test_it_is_lost_and_won_by_mouse_or_finger(page, rested, settle):
    press(page, share(page), 0.2)
    settle(page)
    rested(page)
    is_that_of(page, HeadsPuzzle(first=0.2))
    assert said(page).endswith(WALL)
    hand(page).click()
    is_that_of(page, HeadsPuzzle(first=0.2, second=0.2, handed=True))
    press(page, share(page, 1), 0.3)
    settle(page)
    rested(page)
    is_that_of(page, HeadsPuzzle(first=0.2, second=0.3, handed=True))
    assert said(page).endswith(ALIKE)
    press(page, share(page, 1), 0.9)
    settle(page)
    rested(page)
    is_that_of(page, HeadsPuzzle(first=0.2, second=0.9, handed=True))
    assert said(page).endswith(". Both goals are passed.")
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, HeadsPuzzle())
    assert page.problems == []


def test_a_slider_is_drawn_along_by_the_finger(show, drag):
    page = show(HeadsPuzzle(), viewport={"width": 390, "height": 900}, has_touch=True)
    share(page).wait_for()
    box = share(page).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(page, (x, y), (x + box["width"] / 8, y), (x + box["width"] / 4, y))
    assert float(share(page).input_value()) == pytest.approx(0.75, abs=0.051)
    is_that_of(page, HeadsPuzzle(first=float(share(page).input_value())))


def test_the_button_stays_under_the_finger_that_presses_it(page):
    before = hand(page).bounding_box()
    hand(page).click()
    after = page.get_by_role("button", name="Take it away again").bounding_box()
    assert (after["x"], after["y"]) == (before["x"], before["y"])


def test_every_target_is_large_and_nothing_leaves_a_phone(page, settle):
    hand(page).click()
    page.set_viewport_size({"width": 320, "height": 740})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for target in page.locator("button:visible, label:visible").all():
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24
    for picture in page.locator("svg.attn-reads").all():
        frame = picture.bounding_box()
        for part in picture.locator("text, circle").all():
            box = part.bounding_box()
            assert frame["x"] <= box["x"] <= box["x"] + box["width"] <= frame["x"] + frame["width"]
            assert frame["y"] <= box["y"] <= box["y"] + box["height"] <= frame["y"] + frame["height"]


def test_without_noise_it_says_none_and_two_blends_are_exact(show):
    page = show(HeadsPuzzle(first=0.5, second=0.55, handed=True, noise=0))
    page.locator(".attn-blends").wait_for()
    is_that_of(page, HeadsPuzzle(first=0.5, second=0.55, handed=True, noise=0))
    assert said(page) == "Error of u: 0 %, of v: 0 %. Both goals are passed."
    assert "noise" not in page.locator("figure > .attn-note").text_content()
