"""The cheat and the coin in a page: not to be hidden after the softmax, and hidden before it; by keyboard, mouse, finger."""

import itertools
import re

import numpy as np
import pytest

from attnlib.widgets.cheat_puzzle import COINS, CheatPuzzle

LEFT = "What is left is the weight on itself, 1/(1 + eˢ): the coin's score s is still in it."
ONE = "One factor for both leaves them apart."
END = "exp(−∞) is 0: nothing of the coin is in the softmax's sum."


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(CheatPuzzle(), viewport={"width": request.param, "height": 760}, has_touch=request.param < 500)
    page.locator(".attn-meter").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content()


def hand(page):
    return page.get_by_role("button", name="Hand me what is missing")


def erase_weight(page):
    return page.get_by_role("checkbox", name="erase: the weight on coin")


def mask(page):
    return page.get_by_role("checkbox", name="set to −∞: the score on coin")


def factor(page):
    return page.get_by_role("slider", name="×: one factor for both outputs")


def press(page, target):
    """By finger on a phone, by mouse on what is wider."""
    (target.tap if page.viewport_size["width"] < 500 else target.click)()


def is_that_of(page, puzzle):
    """Every number on the page is the one that attnlib computes."""
    cells = page.locator(".attn-cheat tbody td:not(.attn-between, .attn-does)").all_text_contents()
    lines = [*puzzle.scores.T, *puzzle.weights.T, puzzle.weights.sum(axis=1), [1, -1], puzzle.outputs]
    shown = [float(cell.replace("−", "-").replace("∞", "inf")) for cell in cells]
    assert shown == pytest.approx(np.ravel(lines), abs=6e-4)
    heads, tails = puzzle.outputs
    if puzzle.right == 10:
        begin = (
            f"Heads and tails both give {heads:.3f}. With one guess for all, 10 of 20 are right. The goal is reached."
        )
    else:
        side, threshold = "below" if heads < tails else "above", (heads + tails) / 2
        told = re.search(r"The cheat says heads (\w+) ([\d.]+): ", said(page))
        assert told[1] == side
        assert float(told[2]) == pytest.approx(threshold, abs=6e-4)
        begin = f"Heads gives {heads:.3f}, tails {tails:.3f}. {told[0]}20 of 20 are right. The goal is 10 at most."
    assert said(page).startswith(begin)
    assert page.locator(".attn-meter").text_content() == f"{puzzle.right} of 20, goal: 10"
    assert missed(page) == ([] if puzzle.right == 20 else [i for i, coin in enumerate(COINS) if coin == "T"])
    assert dots(page) == pytest.approx([heads, tails])


def missed(page):
    spans = page.locator(".attn-coins span")
    assert "".join(spans.all_text_contents()) == COINS
    hatched = "all => all.flatMap((span, i) => span.classList.contains('attn-missed') ? [i] : [])"
    return spans.evaluate_all(hatched)


def dots(page):
    """Where the outputs for heads and tails stand on the line."""
    places = page.locator(".attn-line g").evaluate_all("all => all.map((dot) => dot.getAttribute('transform'))")
    return [(float(place.removeprefix("translate(").split()[0]) - 20) / 140 for place in places]


def test_it_is_lost_and_won_by_keyboard(page):
    is_that_of(page, CheatPuzzle())
    assert mask(page).is_hidden()
    erase_weight(page).press("Space")
    is_that_of(page, CheatPuzzle(erase_weight=True))
    assert said(page).endswith(LEFT)
    factor(page).press("Home")
    is_that_of(page, CheatPuzzle(erase_weight=True, factor=0.1))
    assert said(page).endswith(f"{LEFT} {ONE}")
    factor(page).press("End")
    is_that_of(page, CheatPuzzle(erase_weight=True, factor=2))
    hand(page).press("Enter")
    is_that_of(page, CheatPuzzle(erase_weight=True, factor=2, handed=True))
    mask(page).press("Space")
    is_that_of(page, CheatPuzzle(erase_weight=True, factor=2, handed=True, masked=True))
    assert said(page).endswith(END)
    page.get_by_role("button", name="Take it away again").press("Enter")
    is_that_of(page, CheatPuzzle(erase_weight=True, factor=2))
    hand(page).press("Enter")
    assert not mask(page).is_checked()
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, CheatPuzzle())
    assert page.problems == []


def test_it_is_lost_and_won_by_mouse_or_finger(page):
    press(page, erase_weight(page))
    box = factor(page).bounding_box()
    point = box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2
    (page.touchscreen.tap if page.viewport_size["width"] < 500 else page.mouse.click)(*point)
    chosen = float(factor(page).input_value())
    assert 0.3 < chosen < 1
    is_that_of(page, CheatPuzzle(erase_weight=True, factor=chosen))
    press(page, hand(page))
    press(page, mask(page))
    is_that_of(page, CheatPuzzle(erase_weight=True, factor=chosen, handed=True, masked=True))
    press(page, mask(page))
    assert "20 of 20 are right" in said(page)
    assert page.problems == []


def test_no_setting_of_what_is_there_at_first_wins(page):
    for _ in ("not erased", "erased"):
        factor(page).press("Home")
        for _ in range(20):
            assert "20 of 20 are right" in said(page)
            factor(page).press("ArrowRight")
        erase_weight(page).press("Space")


def test_a_link_carries_what_was_set(show):
    address = "#cheat-puzzle-hide-the-coin?erase_weight=true&factor=0.5&handed=true&masked=true"
    page = show(CheatPuzzle(), address=address)
    page.locator(".attn-meter").wait_for()
    is_that_of(page, CheatPuzzle(erase_weight=True, factor=0.5, handed=True, masked=True))
    assert page.get_by_role("button", name="Take it away again").is_visible()


def test_what_is_masked_counts_nothing_until_it_is_handed_over(show):
    page = show(CheatPuzzle(masked=True))
    page.locator(".attn-meter").wait_for()
    is_that_of(page, CheatPuzzle())
    assert mask(page).is_hidden()


def test_on_a_phone_what_is_set_the_line_and_the_meter_are_in_sight_together(show):
    page = show(CheatPuzzle(), viewport={"width": 390, "height": 740}, has_touch=True)
    boxes = [page.locator(name).bounding_box() for name in (".attn-cheat", ".attn-line", ".attn-meter")]
    assert boxes[0]["y"] < boxes[1]["y"] < boxes[2]["y"]
    assert boxes[2]["y"] + boxes[2]["height"] - boxes[0]["y"] < 560


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    hand(page).click()
    fits_a_phone(page, 340, "label:visible, button:visible")
    assert page.locator(".attn-scroll").evaluate("(node) => node.scrollWidth <= node.clientWidth")


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is_whatever_is_said(width, stays_below):
    changes = [lambda page: factor(page).press("Home")]
    changes += [lambda page, press=press: press(page).click() for press in (erase_weight, hand, mask)]
    assert stays_below(CheatPuzzle(), width, *changes).problems == []


STATES = [
    *({"erase_weight": erased, "factor": times} for erased in (False, True) for times in (0.1, 0.7, 1, 1.4, 2)),
    *({"handed": True, "masked": True, "factor": times} for times in (0.1, 1, 2)),
]


@pytest.mark.parametrize("width", [340, pytest.param(1280, marks=pytest.mark.slow)])
def test_every_name_stands_inside_its_line_and_upon_no_other(width, show_alive):
    page = show_alive(*(CheatPuzzle(**state) for state in STATES), viewport={"width": width, "height": 900})
    lines = page.locator("svg.attn-line").all()
    assert len(lines) == len(STATES)
    for line in lines:
        outer = line.bounding_box()
        boxes = [name.bounding_box() for name in line.locator("text").all()]
        for box in boxes:
            assert outer["x"] <= box["x"] <= box["x"] + box["width"] <= outer["x"] + outer["width"]
            assert outer["y"] <= box["y"] <= box["y"] + box["height"] <= outer["y"] + outer["height"] + 1
        for one, other in itertools.combinations(boxes, 2):
            beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            assert beside or abs(one["y"] - other["y"]) >= 0.8 * one["height"]
