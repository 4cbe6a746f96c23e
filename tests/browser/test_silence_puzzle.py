"""Silenced heads in a page: every single one by keyboard, pairs by mouse or finger, and what stays in sight."""

import itertools
import re

import pytest

from attnlib.lab.silenced import HEADS, row
from attnlib.widgets import SilencePuzzle

WALL = "All eight are tried: one head is not enough."


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(SilencePuzzle(), viewport={"width": request.param, "height": 760}, has_touch=request.param < 500)
    page.locator(".attn-meter").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content().replace("\u00a0", " ")


def tried(page):
    return page.locator(".attn-together").text_content()


def tile(page, head):
    return page.get_by_role("button", name=f"silence {head}")


def hand(page):
    return page.get_by_role("button", name="Hand me what is missing")


def press(page, target):
    """By finger on a phone, by mouse on what is wider."""
    (target.tap if page.viewport_size["width"] < 500 else target.click)()


def is_that_of(page, *heads):
    """What is pressed, the meter, the sentence, and the bars are those of these heads."""
    puzzle = SilencePuzzle(silenced=row(*heads), handed=True)
    assert [head for head in HEADS if tile(page, head).get_attribute("aria-pressed") == "true"] == list(heads)
    shown = re.fullmatch(r"right: (\d+) %, goal: 35 % or less", page.locator(".attn-meter").text_content())
    assert int(shown[1]) == pytest.approx(100 * puzzle.right, abs=0.51)
    begin = f"Without {', '.join(heads)}" if heads else "Nothing is silenced"
    goal = "The goal is passed." if puzzle.right <= 0.35 else "The goal is 35 % or less."
    assert said(page).startswith(f"{begin}: {shown[1]} % are right. {goal}")
    bars = [float(bar) for bar in page.locator(".attn-bar").all_text_contents()]
    assert bars[:6] == pytest.approx(puzzle.chances, abs=6e-3)
    assert sum(bars) == pytest.approx(1, abs=0.04)


def test_by_keyboard_each_head_is_silenced_alone_and_none_is_enough(page):
    is_that_of(page)
    assert page.get_by_text("not tried").count() == 8
    for count, head in enumerate(HEADS, 1):
        assert WALL not in said(page)
        tile(page, head).press("Enter")
        is_that_of(page, head)
        assert tried(page) == f"Tried alone: {count} of 8 heads."
        share = SilencePuzzle(silenced=row(head)).right
        assert share > 0.6
        assert tile(page, head).text_content() == f"{head}{share:.0%}".replace("%", " %")
    assert said(page).endswith(WALL)
    tile(page, HEADS[-1]).press("Space")
    is_that_of(page)
    assert page.get_by_text("not tried").count() == 0
    page.get_by_role("button", name="Start again").click()
    assert page.get_by_text("not tried").count() == 8
    assert tried(page) == "Tried alone: 0 of 8 heads."
    assert page.problems == []


def test_by_mouse_or_finger_two_heads_together_pass_the_goal(page):
    press(page, tile(page, "1.2"))
    press(page, hand(page))
    is_that_of(page, "1.2")
    press(page, tile(page, "2.2"))
    is_that_of(page, "1.2", "2.2")
    assert said(page).endswith("The goal is passed. Alone, 1.2 leaves 69 %, 2.2 leaves 98 %.")
    assert (
        page.locator(".attn-together").text_content()
        == "Tried alone: 1 of 8 heads. Together, the lowest of 1: 1.2 + 2.2: 25 %."
    )
    press(page, tile(page, "1.2"))
    is_that_of(page, "2.2")
    for head in ("1.1", "2.4", "1.4"):
        press(page, tile(page, head))
    is_that_of(page, "1.1", "1.4", "2.2", "2.4")
    together = re.findall(r"([\d. +]+): (\d+) %", tried(page).split("the lowest of 4: ")[1])
    assert [int(share) for _, share in together] == sorted(int(share) for _, share in together)
    assert len(together) == 3
    press(page, page.get_by_role("button", name="Take it away again"))
    is_that_of(page)
    assert page.problems == []


def test_whatever_is_silenced_is_that_of_the_record(page):
    hand(page).press("Enter")
    chosen = set()
    for head in ("1.1", "2.3", "1.2", "1.3", "1.1", "1.4", "2.1", "2.2", "2.4", "1.1"):
        tile(page, head).press("Space")
        chosen ^= {head}
        is_that_of(page, *sorted(chosen))
    assert chosen == set(HEADS)
    assert tried(page).endswith("Together, the lowest of 9: all: 17 %; all but 1.1, 2.4: 17 %; all but 1.1: 22 %.")


def test_the_frame_lies_on_the_cell_where_he_reads_tom(page):
    for head in HEADS:
        grid, frame = (tile(page, head).locator(name).bounding_box() for name in ("canvas", ".attn-wanted"))
        assert frame["x"] - grid["x"] == pytest.approx(0.4 * grid["width"], abs=0.6)
        assert frame["y"] - grid["y"] == pytest.approx(0.8 * grid["height"], abs=0.6)
        assert frame["width"] == pytest.approx(0.2 * grid["width"], abs=0.6)


def test_a_link_carries_what_was_silenced_and_tried(show):
    address = "#silence-puzzle-silence-the-pronoun?silenced=34&handed=true&tried=[2,34]"
    page = show(SilencePuzzle(), address=address)
    page.locator(".attn-meter").wait_for()
    is_that_of(page, "1.2", "2.2")
    assert page.get_by_text("not tried").count() == 7


def test_before_more_are_handed_over_only_the_first_head_counts(show):
    page = show(SilencePuzzle(silenced=row("1.3", "2.2")))
    page.locator(".attn-meter").wait_for()
    is_that_of(page, "1.3")
    tile(page, "2.2").click()
    is_that_of(page, "2.2")
    assert tried(page) == "Tried alone: 2 of 8 heads."


def test_on_a_phone_the_heads_and_the_meter_are_in_sight_together(show):
    page = show(SilencePuzzle(), viewport={"width": 390, "height": 740}, has_touch=True)
    first, meter = page.locator(".attn-layer").first.bounding_box(), page.locator(".attn-meter").bounding_box()
    assert first["y"] < meter["y"]
    assert meter["y"] + meter["height"] - first["y"] < 560


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    fits_a_phone(page, 340, "button:visible")
    assert page.locator(".attn-scroll").evaluate("(node) => node.scrollWidth <= node.clientWidth")


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is_whatever_is_said(width, stays_below):
    all_heads = [lambda page, head=head: tile(page, head).click() for head in HEADS]
    page = stays_below(SilencePuzzle(), width, *all_heads, lambda page: hand(page).click(), *all_heads)
    assert page.problems == []


def test_texts_of_two_times_the_size_stand_inside_their_tiles(page, settle):
    page.add_style_tag(content="html { font-size: 200% }")
    for head in HEADS:
        tile(page, head).click()
    settle(page)
    for head, part in itertools.product(HEADS, ("canvas", "span:last-child")):
        outer, inner = tile(page, head).bounding_box(), tile(page, head).locator(part).bounding_box()
        assert outer["x"] <= inner["x"]
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
        assert inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 1
