"""The puzzle of the two questions in a page: lost on one grid, won on two, with mouse, keyboard and finger."""

import numpy as np
import pytest

from attnlib.widgets.axes_puzzle import PARTNERS, POINTS, AxesPuzzle

QUESTIONS = "Who is of my kind?", "Who is of my size?"


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(AxesPuzzle(), viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
    page.locator(".attn-questions").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content().replace("\u00a0", " ")


def word(page, name):
    return page.get_by_role("slider", name=name, exact=True)


def factor(page, axis, question):
    return page.get_by_label(f"{axis} counts ×, {QUESTIONS[question]}")


def hand(page):
    return page.get_by_role("button", name="Hand me what is missing")


def is_that_of(page, puzzle):
    """Every number on the page is the one that attnlib computes."""
    cells = [f"{cell:.2f}" if i != j else "–" for grid in puzzle.weights for (i, j), cell in np.ndenumerate(grid)]
    assert page.locator(".attn-questions tbody td").all_text_contents() == cells
    kind, size = (round(100 * share) for share in puzzle.shares)
    assert said(page).startswith(f"Kind: {kind} %, size: {size} %. ")
    assert page.locator(".attn-meter").all_text_contents() == [f"{kind} %, goal: 60 %", f"{size} %, goal: 60 %"]


def press(page, point):
    (page.touchscreen.tap if page.viewport_size["width"] < 500 else page.mouse.click)(*point)


def along(slider, share):
    """The point of a slider, from 0 at its left to 1 at its right."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    return box["x"] + box["width"] * share, box["y"] + box["height"] / 2


def test_the_partners_are_framed(page):
    is_that_of(page, AxesPuzzle())
    framed = page.locator(".attn-questions tbody td").evaluate_all(
        "all => all.flatMap((cell, at) => cell.classList.contains('attn-marked') ? [at] : [])"
    )
    assert framed == [16 * q + 4 * i + j for q, partners in enumerate(PARTNERS) for i, j in enumerate(partners)]
    assert page.locator(".attn-note").text_content() == "Both questions see one grid."
    assert page.get_by_label("counts ×").count() == 4
    assert all(slider.is_hidden() for slider in page.get_by_label("counts ×").all())
    assert page.problems == []


def test_it_is_lost_and_won_by_keyboard(page):
    points = np.array(POINTS)
    for name, i, key, sign in (("elephant", 0, "ArrowRight", 1), ("bicycle", 3, "ArrowLeft", -1)):
        word(page, name).focus()
        for _ in range(2):
            page.keyboard.press(f"Shift+{key}")
        page.keyboard.press(key)
        points[i, 0] += 1.1 * sign
    is_that_of(page, AxesPuzzle(points=points))
    unit = page.get_by_label("factor on size")
    unit.focus()
    page.keyboard.press("Home")
    lost = AxesPuzzle(points=points, unit=0.25)
    is_that_of(page, lost)
    assert lost.shares[0] > 0.6 > lost.shares[1]
    assert said(page).endswith(f" Together: {round(100 * sum(lost.shares))} %. The goal is 60 % for each.")
    hand(page).press("Enter")
    is_that_of(page, lost)
    factor(page, "kind", 1).focus()
    page.keyboard.press("Home")
    factor(page, "size", 1).focus()
    page.keyboard.press("End")
    half_won = AxesPuzzle(points=points, unit=0.25, handed=True, factors=[[1, 1], [0, 3]])
    is_that_of(page, half_won)
    unit.fill("1.5")
    factor(page, "size", 0).focus()
    page.keyboard.press("Home")
    won = AxesPuzzle(points=points, unit=1.5, handed=True, factors=[[1, 0], [0, 3]])
    is_that_of(page, won)
    assert min(won.shares) > 0.6
    assert said(page).endswith("Both goals are passed.")
    assert page.locator(".attn-note").text_content() == "Each question sees a grid of its own."
    page.get_by_role("button", name="Take it away again").press("Enter")
    is_that_of(page, AxesPuzzle(points=points, unit=1.5))
    assert factor(page, "size", 0).is_hidden()
    hand(page).press("Enter")
    assert [float(slider.input_value()) for slider in page.get_by_label("counts ×").all()] == [1, 1, 1, 1]
    assert page.problems == []


def test_it_is_won_by_mouse_or_finger_on_the_sliders(page):
    hand(page).click()
    for question, axis in ((0, "size"), (1, "kind")):
        press(page, along(factor(page, axis, question), 0.02))
    for question, axis in ((0, "kind"), (1, "size")):
        press(page, along(factor(page, axis, question), 0.7))
    rows = [[float(factor(page, axis, q).input_value()) for axis in ("kind", "size")] for q in (0, 1)]
    is_that_of(page, AxesPuzzle(handed=True, factors=rows))
    assert said(page).endswith("Both goals are passed.")


def test_a_word_is_dragged_to_where_the_finger_is_whatever_the_unit(page, position_of, carry):
    page.get_by_label("factor on size").fill("2")
    assert position_of(word(page, "lorry")) == [-1, 2]
    carry(page, word(page, "lorry"), (-0.5, 1))
    shown = position_of(word(page, "lorry"))
    assert shown == pytest.approx([-0.5, 1], abs=0.03)
    points = [*POINTS[:2], (shown[0], shown[1] / 2), POINTS[3]]
    is_that_of(page, AxesPuzzle(points=points, unit=2.0))
    assert page.problems == []


def test_a_word_beyond_the_edge_is_drawn_at_it_and_keeps_its_place(show, position_of):
    page = show(AxesPuzzle(points=[[1, 3], *POINTS[1:]], unit=3.0))
    elephant = word(page, "elephant")
    assert position_of(elephant) == [1, 9]
    assert float(elephant.get_attribute("transform").split(" ")[1].strip(")")) == pytest.approx(180 * (1 - 3 / 3.4))
    elephant.focus()
    page.keyboard.press("ArrowRight")
    assert position_of(elephant) == [1.1, 9]
    page.keyboard.press("ArrowDown")
    assert position_of(elephant) == [1.1, 2.9]
    assert page.problems == []


def test_standardising_shows_where_the_words_are_and_a_move_ends_it(page, position_of):
    page.get_by_label("factor on size").fill("0.5")
    tick = page.get_by_label("standardise")
    tick.focus()
    page.keyboard.press(" ")
    is_that_of(page, AxesPuzzle(unit=0.5, standardise=True))
    assert position_of(word(page, "mouse")) == [1, -1]
    word(page, "mouse").focus()
    assert tick.is_checked()
    page.keyboard.press("ArrowDown")
    assert not tick.is_checked()
    assert position_of(word(page, "mouse")) == [1, -0.6]
    is_that_of(page, AxesPuzzle(points=[POINTS[0], [1, -1.2], *POINTS[2:]], unit=0.5))
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, AxesPuzzle())


def test_every_target_is_large_and_nothing_leaves_a_phone(page, settle):
    hand(page).click()
    page.set_viewport_size({"width": 340, "height": 740})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    for target in page.locator("circle.attn-reach, button:visible, label:visible").all():
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24


@pytest.mark.parametrize("width", [340, *(pytest.param(width, marks=pytest.mark.slow) for width in (390, 1280))])
def test_every_name_stands_inside_the_picture(width, show):
    corners = 3 * np.array(POINTS)
    page = show(AxesPuzzle(points=corners), viewport={"width": width, "height": 900})
    plane = page.locator("svg.attn-plane").bounding_box()
    names = page.locator("svg.attn-plane text").all()
    assert {name.text_content() for name in names} >= {"elephant", "animal", "vehicle", "large", "small"}
    for name in names:
        box = name.bounding_box()
        assert plane["x"] <= box["x"] <= box["x"] + box["width"] <= plane["x"] + plane["width"]
        assert plane["y"] <= box["y"] <= box["y"] + box["height"] <= plane["y"] + plane["height"]
