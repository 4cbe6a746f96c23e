"""The puzzle of rock, paper and scissors in a page: a wall without, and nearly a half with what is handed over."""

import itertools
import math

import numpy as np
import pytest

from attnlib.widgets.cycle_puzzle import POINTS, TOKENS, CyclePuzzle

WALL = "That is the wall: of points alone this share is a third at most"
HALF = "Symmetric scores get no further than a half"


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(CyclePuzzle(), viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
    page.locator(".attn-bounds").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content().replace("\u00a0", " ")


def token(page, name):
    return page.get_by_role("slider", name=name, exact=True)


def own(page):
    return page.get_by_label("added to one's own score")


def hand(page):
    return page.get_by_role("button", name="Hand me what is missing")


def numbers(texts):
    return [float(text.replace("−", "-")) for text in texts]


def dot(page):
    """Where the dot lies on the map: x and y."""
    circle = page.locator(".attn-bounds circle")
    cx, cy = (float(circle.get_attribute(name)) for name in ("cx", "cy"))
    return [cx / 45 - 4, 4 - cy / 45]


def is_that_of(page, puzzle):
    """Every number on the page is the one that attnlib computes, and the dot lies at its place."""
    shown = numbers(page.locator(".attn-pairs tbody td").all_text_contents())
    assert shown == pytest.approx([*puzzle.scores.ravel(), *puzzle.weights.ravel()], abs=0.00501)
    share = f"{round(100 * math.exp(-puzzle.loss))} %"
    share = "just under 50 %" if share == "50 %" else share
    assert said(page).startswith(f"Share read from the one that is beaten: {share}, loss {puzzle.loss:.2f}. ")
    assert page.locator(".attn-meter").text_content() == f"{share}, goal: 45 %"
    own, right, wrong = puzzle.means
    x, y = own - right, wrong - right
    assert dot(page) == pytest.approx(np.clip([x, y], -4, 4), abs=1e-9)
    note = page.locator(".attn-bounds .attn-note").last.text_content()
    assert note.startswith(f"The dot: x = {x:.2f}, y = 0.00.".replace("-", "−"))
    assert note.endswith(f"it is {puzzle.loss:.2f}.")
    assert (" It lies beyond the " in note) == (abs(x) > 4)


@pytest.fixture
def gather(move_by_keys):
    """Every token to (0, 0), by the keyboard."""

    def gather_all(page):
        for name, point in zip(TOKENS, POINTS, strict=True):
            move_by_keys(page, token(page, name), point, (0, 0))

    return gather_all


def test_the_cells_that_count_are_framed_and_the_arrows_point_to_the_beaten(page):
    is_that_of(page, CyclePuzzle())
    framed = page.locator(".attn-pairs tbody td").evaluate_all(
        "all => all.flatMap((cell, at) => cell.classList.contains('attn-marked') ? [at] : [])"
    )
    assert framed == [2, 3, 7, 11, 12, 16]
    assert page.locator(".attn-arrow").get_attribute("d").count("M") == 6
    assert own(page).is_hidden()
    assert said(page).endswith("The goal is 45 %.")
    assert page.problems == []


def test_it_is_lost_and_won_by_keyboard(page, gather):
    gather(page)
    lost = CyclePuzzle(points=np.zeros((3, 2)))
    is_that_of(page, lost)
    assert WALL in said(page)
    assert dot(page) == [0, 0]
    hand(page).press("Enter")
    is_that_of(page, CyclePuzzle(points=np.zeros((3, 2)), handed=True))
    assert WALL not in said(page)
    own(page).focus()
    for _ in range(16):
        page.keyboard.press("ArrowLeft")
    won = CyclePuzzle(points=np.zeros((3, 2)), handed=True, own=-1.6)
    is_that_of(page, won)
    assert said(page).endswith("The goal is passed.")
    page.keyboard.press("Home")
    is_that_of(page, CyclePuzzle(points=np.zeros((3, 2)), handed=True, own=-10))
    assert HALF in said(page)
    assert "just under 50 %" in said(page)
    assert "beyond the left edge" in page.locator(".attn-bounds").text_content()
    page.get_by_role("button", name="Take it away again").press("Enter")
    is_that_of(page, lost)
    assert own(page).is_hidden()
    hand(page).press("Enter")
    assert own(page).input_value() == "0"
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, CyclePuzzle())
    assert page.problems == []


def test_a_token_is_dragged_to_where_the_mouse_or_finger_is(page, position_of, carry):
    assert position_of(token(page, "rock")) == [1.5, 0]
    carry(page, token(page, "rock"), (0.5, 2))
    shown = position_of(token(page, "rock"))
    assert shown == pytest.approx([0.5, 2], abs=0.03)
    is_that_of(page, CyclePuzzle(points=[shown, *POINTS[1:]]))
    assert page.problems == []


def test_it_is_won_by_mouse_or_finger_on_the_slider(page, gather):
    gather(page)
    hand(page).click()
    own(page).scroll_into_view_if_needed()
    box = own(page).bounding_box()
    point = box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2
    (page.touchscreen.tap if page.viewport_size["width"] < 500 else page.mouse.click)(*point)
    added = float(own(page).input_value())
    assert -9 < added < -5
    is_that_of(page, CyclePuzzle(points=np.zeros((3, 2)), handed=True, own=added))
    assert HALF in said(page)


def test_what_is_added_counts_nothing_until_it_is_handed_over(show):
    page = show(CyclePuzzle(own=-5.0))
    page.locator(".attn-bounds").wait_for()
    is_that_of(page, CyclePuzzle())
    assert own(page).is_hidden()
    shown = CyclePuzzle(handed=True, own=-5.0)
    page = show(shown)
    page.locator(".attn-bounds").wait_for()
    is_that_of(page, shown)


def test_without_its_bounds_there_is_the_puzzle_alone(show, gather):
    page = show(CyclePuzzle(bounds=False))
    assert page.locator(".attn-bounds").is_hidden()
    gather(page)
    assert WALL in said(page)
    hand(page).click()
    assert own(page).is_visible()
    assert page.locator(".attn-bounds").is_hidden()
    assert page.problems == []


def test_what_lies_beyond_the_map_is_at_its_edge_and_said(show):
    far = CyclePuzzle(points=[[3, 0], [-1.5, 2.6], [-1.5, -2.6]])
    page = show(far)
    page.locator(".attn-bounds").wait_for()
    is_that_of(page, far)
    assert dot(page) == pytest.approx([4, 0])
    assert "It lies beyond the right edge." in page.locator(".attn-bounds").text_content()


def test_every_line_of_the_map_is_one_value_of_the_bound(page):
    lines = page.locator(".attn-bounds path.attn-contour, .attn-bounds path.attn-limit")
    found = set()
    for d in lines.evaluate_all("all => all.map((line) => line.getAttribute('d'))"):
        pixels = np.array([[float(part) for part in point.split()] for point in d[1:].split("L")])
        x, y = pixels[:, 0] / 45 - 4, 4 - pixels[:, 1] / 45
        bound = np.log(1 + np.exp(x) + np.exp(y))
        assert np.ptp(bound) < 1e-9
        assert min(x) == pytest.approx(-4)
        assert min(y) == pytest.approx(-4)
        found.add(round(bound[0], 6))
    assert found == {round(loss, 6) for loss in (3, 2, math.log(3), math.log(2), 0.2)}
    names = page.locator(".attn-bounds text").all_text_contents()
    assert {"3", "2", "ln 3", "ln 2", "0.2", "symmetric scores", "through U"} <= set(names)


def test_every_target_is_large_and_nothing_leaves_a_phone(page, settle):
    hand(page).click()
    page.set_viewport_size({"width": 340, "height": 740})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    for target in page.locator("circle.attn-reach, button:visible, label:visible").all():
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24


PLACES = [[[3, 3], [3, -3], [-3, -3]], [[3, 3]] * 3, [[-3, -3]] * 3, [[0, 0]] * 3, [[-3, 1.9]] * 3, [[0, -2.1]] * 3]


@pytest.mark.parametrize("width", [340, *(pytest.param(width, marks=pytest.mark.slow) for width in (390, 1280))])
def test_every_name_stands_inside_its_picture_and_upon_no_other(width, show_alive):
    page = show_alive(*(CyclePuzzle(points=points) for points in PLACES), viewport={"width": width, "height": 900})
    pictures = page.locator("svg.attn-plane").all()
    assert len(pictures) == 2 * len(PLACES)
    for picture in pictures:
        outer = picture.bounding_box()
        boxes = [name.bounding_box() for name in picture.locator("text").all()]
        for box in boxes:
            assert outer["x"] <= box["x"] <= box["x"] + box["width"] <= outer["x"] + outer["width"]
            assert outer["y"] <= box["y"] <= box["y"] + box["height"] <= outer["y"] + outer["height"]
        tokens = [name.bounding_box() for name in picture.locator(".attn-token text").all()]
        tokens.sort(key=lambda box: (box["x"], box["y"]))
        for one, other in itertools.pairwise(tokens):
            beside = abs(one["x"] - other["x"]) > 100
            assert beside or abs(one["y"] - other["y"]) >= 0.6 * one["height"]  # of which a part is the halo
