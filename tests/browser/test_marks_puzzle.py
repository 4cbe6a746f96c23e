"""Sixteen keys in a page: eight are lit and no ninth, by keyboard, mouse and finger, until the keys are free."""

import numpy as np
import pytest

from attnlib.widgets import MarksPuzzle

WALL = "No query reads another of these keys most."
SIZE, VIEW = 360, 3.4


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(MarksPuzzle(), viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
    page.locator(".attn-plane").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content()


def meter(page):
    return page.locator(".attn-meter").text_content()


def lit(page):
    dots = page.locator(".attn-made").evaluate_all("all => all.map((dot) => dot.classList.contains('attn-lit'))")
    return {i for i, one in enumerate(dots) if one}


def is_that_of(page, puzzle, seen):
    """Where the dots lie, which are lit, and what is said."""
    dots = page.locator(".attn-made").evaluate_all(
        "all => all.map((dot) => [Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))])"
    )
    x, y = puzzle.points.T / 2  # drawn at half their length
    places = np.stack([SIZE / 2 * (1 + x / VIEW), SIZE / 2 * (1 - y / VIEW)], axis=1)
    assert np.array(dots) == pytest.approx(places, abs=1e-6)
    assert lit(page) == seen
    assert meter(page) == f"read most so far: {len(seen)} of 16"
    leader = puzzle.leader
    lead = "Two keys share the lead." if leader is None else f"The key {MarksPuzzle.marks(leader)} is read most."
    over = seen >= set(puzzle.reachable)
    end = " Every key was read most once." if len(seen) == 16 else f" {WALL}" if over else ""
    assert said(page) == lead + end


def turn_round(page):
    direction = page.get_by_label("direction")
    for degrees in range(-175, 186, 10):
        direction.fill(str(min(degrees, 180)))


def test_by_keyboard_eight_are_lit_and_after_that_none(page):
    is_that_of(page, MarksPuzzle(), {7})
    direction = page.get_by_label("direction")
    direction.focus()
    page.keyboard.press("Home")
    assert WALL not in said(page)
    for _ in range(10):
        page.keyboard.press("PageUp")  # 36 degrees, less than a sector has
    assert lit(page) == set(MarksPuzzle().reachable)
    assert said(page).endswith(WALL)
    page.get_by_role("button", name="Hand me what is missing").press("Enter")
    assert len(lit(page)) == 1
    turn_round(page)
    assert meter(page) == "read most so far: 16 of 16"
    assert said(page).endswith("Every key was read most once.")
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, MarksPuzzle(), {7})
    assert page.problems == []


@pytest.mark.slow
def test_whatever_row_is_moved_the_limit_is_eight(page):
    turn_round(page)
    assert len(lit(page)) == 8
    row = page.get_by_role("slider", name="row 2")
    for key in ("ArrowUp", "Shift+ArrowRight", "ArrowDown", "Shift+ArrowLeft"):
        row.press(key)
        assert len(lit(page)) <= 1
        turn_round(page)
        assert len(lit(page)) <= 8
        assert said(page).endswith(WALL)
    assert page.problems == []


def test_by_mouse_or_finger_the_query_and_a_row_are_dragged(page, drag, rested):
    def point(x, y):
        box = page.locator(".attn-plane").bounding_box()
        return [box["x"] + box["width"] * (x + VIEW) / 2 / VIEW, box["y"] + box["height"] * (VIEW - y) / 2 / VIEW]

    def pull(start, end):
        if page.viewport_size["width"] < 500:
            drag(page, point(*start), point(*end))
            return
        page.mouse.move(*point(*start))
        page.mouse.down()
        page.mouse.move(*point(*end), steps=4)
        page.mouse.up()
        rested(page)

    pull((2.6, 1), (-2, 0.5))
    assert 12 in lit(page)
    assert said(page).startswith("The key − − + + is read most.")
    pull((0, 1.35), (0.5, 1.4))
    at = float(page.get_by_role("slider", name="row 3").get_attribute("aria-valuenow"))
    assert at == pytest.approx(0.5, abs=0.05)
    assert len(lit(page)) == 1
    assert page.problems == []


@pytest.mark.parametrize("seed", range(3))
def test_the_page_computes_as_python_does(seed, show):
    rng = np.random.default_rng(seed)
    puzzle = MarksPuzzle(rows=rng.uniform(-1.5, 1.5, (4, 2)).round(2), query=rng.normal(size=2).round(2))
    page = show(puzzle)
    page.locator(".attn-plane").wait_for()
    is_that_of(page, puzzle, {puzzle.leader})
    assert page.problems == []


def test_what_was_lit_first_stays_lit_where_two_keys_share_the_lead(page):
    direction = page.get_by_label("direction")
    direction.press("End")
    assert said(page).startswith("Two keys share the lead.")
    assert lit(page) == {7}


def test_a_link_cannot_light_a_key_that_no_query_reads_most(show):
    page = show(MarksPuzzle(), address="#marks-puzzle-sixteen-keys-from-four-marks?seen=65535")
    page.locator(".attn-plane").wait_for()
    assert lit(page) == set(MarksPuzzle().reachable)


def test_a_link_carries_the_rows_the_query_and_what_was_lit(show):
    address = (
        "#marks-puzzle-sixteen-keys-from-four-marks?rows=[[1,0],[0.5,0],[0.25,0],[0.125,0]]&query=[1,0]&seen=32769"
    )
    page = show(MarksPuzzle(), address=address)
    page.locator(".attn-plane").wait_for()
    flat = MarksPuzzle(rows=[[1, 0], [0.5, 0], [0.25, 0], [0.125, 0]], query=[1, 0])
    is_that_of(page, flat, {0, 15})
    assert said(page).endswith(WALL)


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    fits_a_phone(page, 340, "button:visible, input:visible")
    assert page.problems == []


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is_whatever_is_said(width, stays_below):
    hand = lambda page: page.get_by_role("button", name="Hand me what is missing").click()  # noqa: E731
    page = stays_below(MarksPuzzle(), width, turn_round, hand, turn_round)
    assert page.problems == []


def test_the_count_is_read_aloud(show):
    page = show(MarksPuzzle())
    page.locator(".attn-meter").wait_for()
    assert "read most so far: 1 of 16" in page.locator("[data-widget] figure").aria_snapshot()
