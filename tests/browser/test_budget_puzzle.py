"""The puzzle of the 24 GB in a page: lost by hand, won with tiles, and with seven billion parameters by shared keys too."""

import itertools
import math
import re

import numpy as np
import pytest

from attnlib.formatting import BYTES, large
from attnlib.widgets.budget_puzzle import OFFERED, REMEDIES, TEXT, BudgetPuzzle

MEMORY = 24e9
PARTS = ("parameters", "keys_and_values", "stream", "grids")
ENDS = [(1e8, 1e13), (1e11, 1e16), (1e-4, 1e3), (10, TEXT)]  # of the meters
WALL = "One byte a number is the least here. With the whole grids of all heads that is a wall."


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    return opened(show, BudgetPuzzle(), request.param)


def opened(show, puzzle, width=1280, **options):
    page = show(puzzle, viewport={"width": width, "height": 900}, has_touch=width < 500, **options)
    page.locator(".attn-meter").first.wait_for()
    return page


def plain(text):
    return text.replace("\u00a0", " ")


def said(page):
    return plain(page.locator("[aria-live]").text_content())


def size(number):
    return large(number, BYTES[:4])


def hand(page):
    return page.get_by_role("button", name="Hand me what is missing")


def is_that_of(page, puzzle):
    """Every number and word on the page is the one that attnlib computes."""
    reading = puzzle.reading
    meters = page.locator(".attn-meter")
    assert meters.all_text_contents() == [
        f"held at once: {size(reading.held)}, goal: 24 GB or less",
        f"multiply–adds: {large(reading.multiply_adds)}",
        f"seconds at best: {reading.seconds:.3g} s",
        f"kept for the last token: {reading.looked_up:,}, goal: all",
    ]
    drawn = meters.evaluate_all("all => all.map((one) => Number(one.style.getPropertyValue('--w')))")
    values = (reading.held, reading.multiply_adds, reading.seconds, reading.looked_up)
    filled = [math.log(value / low) / math.log(high / low) for value, (low, high) in zip(values, ENDS, strict=True)]
    assert drawn == pytest.approx(np.clip(filled, 0, 1), abs=0.0002)
    held = [getattr(reading, part) for part in PARTS]
    assert page.locator("td.attn-bar").all_text_contents() == [size(part) for part in held]
    offered = OFFERED[puzzle.model] if puzzle.handed or puzzle.model == "7B" else ()
    for name, label in REMEDIES.items():
        toggle = page.get_by_label(label, exact=True)
        assert toggle.is_visible() == (name in offered)
        assert toggle.is_checked() == getattr(puzzle, name)
    assert page.locator(".attn-control output").text_content() == f"{puzzle.tokens:,}"
    assert page.locator("select").evaluate("menu => menu.selectedOptions[0].textContent")[0] == str(puzzle.itemsize)
    told = said(page)
    assert told.startswith(f"Held at once: {size(reading.held)}")
    assert told.endswith("Both goals are reached.") == puzzle.reached
    fits = reading.held <= MEMORY
    assert ("times the goal" in told) != fits
    assert ("It fits, but the second goal is missed." in told) == (fits and not puzzle.reached)
    changes = page.locator(".attn-changes li").all_text_contents()
    assert len(changes) == (puzzle.tokens < TEXT) + (puzzle.itemsize < 4) + len(puzzle.remedies)
    trained = sum("has to be trained" in change for change in changes)
    assert trained == len(set(puzzle.remedies) - {"tiles"})
    assert page.locator(".attn-problem").text_content() == ""


def test_it_starts_with_whole_grids_and_forty_times_the_goal(page):
    is_that_of(page, BudgetPuzzle())
    assert said(page) == (
        "Held at once: 968 GB, 40 times the goal. Most of it: grids of one layer, 960 GB. "
        "For a look-up by the last token, one head keeps all 100,000 tokens."
    )
    assert page.problems == []


def test_it_is_lost_and_won_by_keyboard(page):
    menu, slider = page.get_by_label("bytes of a number"), page.get_by_label("tokens kept")
    menu.focus()
    for itemsize in (2, 1):
        menu.select_option(str(itemsize))
        is_that_of(page, BudgetPuzzle(itemsize=itemsize))
    assert said(page).endswith(WALL)
    slider.focus()
    for tokens in (80_000, 63_000, 50_000, 40_000, 32_000, 25_000):
        page.keyboard.press("ArrowLeft")
        is_that_of(page, BudgetPuzzle(itemsize=1, tokens=tokens))
        assert WALL not in said(page)
    assert "75,000 tokens are cut off" in page.locator(".attn-changes").text_content()
    page.keyboard.press("Home")
    is_that_of(page, BudgetPuzzle(itemsize=1, tokens=1000))
    page.keyboard.press("End")
    hand(page).press("Enter")
    is_that_of(page, BudgetPuzzle(itemsize=1, handed=True))  # nothing jumps
    page.get_by_label("tiles", exact=True).press("Space")
    is_that_of(page, BudgetPuzzle(itemsize=1, handed=True, tiles=True))
    menu.select_option("4")
    is_that_of(page, BudgetPuzzle(handed=True, tiles=True))
    assert "Most of it: keys and values, 7.37 GB." in said(page)
    assert said(page).endswith("Both goals are reached.")
    page.get_by_role("button", name="Take it away again").press("Enter")
    is_that_of(page, BudgetPuzzle(tiles=True))
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, BudgetPuzzle())
    assert page.problems == []


def test_it_is_won_by_mouse_or_finger(page):
    press = "tap" if page.viewport_size["width"] < 500 else "click"
    getattr(hand(page), press)()
    getattr(page.get_by_label("tiles", exact=True), press)()
    is_that_of(page, BudgetPuzzle(handed=True, tiles=True))
    assert page.problems == []


def test_the_large_model_offers_all_and_a_linearised_one_has_no_grid(show):
    page = opened(show, BudgetPuzzle(model="7B", itemsize=2))
    assert hand(page).is_hidden()
    is_that_of(page, BudgetPuzzle(model="7B", itemsize=2))
    taken = {}
    for name in ("tiles", "window", "shared", "linearised", "window", "tiles", "window"):
        page.get_by_label(REMEDIES[name], exact=True).click()
        now = not taken.get(name, False)
        if now and name == "linearised":
            taken |= {"tiles": False, "window": False}
        if now and name in ("tiles", "window"):
            taken |= {"linearised": False}
        taken[name] = now
        is_that_of(page, BudgetPuzzle(model="7B", itemsize=2, **taken))
    assert said(page).endswith("Both goals are reached.")
    assert [name for name, on in taken.items() if on] == ["tiles", "shared"]
    assert page.problems == []


def test_each_way_is_counted_as_in_python(show):
    pairs = itertools.product((4, 2, 1), [(), ("tiles",), ("window",), ("linearised", "shared")])
    for i, (itemsize, taken) in enumerate(pairs):
        puzzle = BudgetPuzzle(model="7B", itemsize=itemsize, tokens=1000 + 7777 * i, **dict.fromkeys(taken, True))
        page = opened(show, puzzle)
        is_that_of(page, puzzle)
        assert page.problems == []


def test_where_the_grids_stood_is_what_is_there_in_their_place(show):
    names = {"": "grids of one layer", "tiles": "one tile", "linearised": "state of one layer"}
    for taken, name in names.items():
        page = opened(show, BudgetPuzzle(model="7B", **({taken: True} if taken else {})))
        assert page.locator("tbody th").all_text_contents()[-1] == name


def test_a_link_carries_what_was_moved(show):
    query = "tokens=32000&itemsize=1&handed=true&tiles=true"
    page = opened(show, BudgetPuzzle(), address=f"#budget-puzzle-24-gb-for-100-000-tokens?{query}")
    is_that_of(page, BudgetPuzzle(tokens=32_000, itemsize=1, handed=True, tiles=True))
    assert page.problems == []


def test_the_button_stays_under_the_finger_that_presses_it(page):
    before = hand(page).bounding_box()
    hand(page).click()
    after = page.get_by_role("button", name="Take it away again").bounding_box()
    assert (after["x"], after["y"]) == (before["x"], before["y"])


def test_on_a_phone_the_meters_and_what_moves_them_are_in_sight_together(show):
    page = opened(show, BudgetPuzzle(model="7B"), 390)
    first, last = page.locator(".attn-controls").bounding_box(), page.locator(".attn-decades").last.bounding_box()
    assert last["y"] + last["height"] - first["y"] < 500


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    hand(page).click()
    for width in (390, 340):
        fits_a_phone(page, width, "button:visible, label:visible")
    assert page.problems == []


def test_a_meter_grows_with_its_letters(page):
    """At twice the size a line breaks, and nothing lies on anything else."""
    page.add_style_tag(content="html { font-size: 200% }")
    boxes = [one.bounding_box() for one in page.locator(".attn-meter, .attn-ends").all()]
    assert all(above["y"] + above["height"] <= below["y"] + 1 for above, below in itertools.pairwise(boxes))
    heights = page.locator(".attn-meter").evaluate_all("all => all.map((one) => one.scrollHeight - one.clientHeight)")
    assert max(heights) <= 1


def test_the_caption_says_what_is_asked(show):
    caption = plain(opened(show, BudgetPuzzle(model="7B")).locator("figcaption").text_content())
    assert re.search(
        r"hold 24 GB or less, all heads .*32 blocks of width 4,096, 32 heads, 6\.48 billion parameters in the blocks",
        caption,
    )


def test_just_over_the_goal_is_not_once_the_goal(show):
    page = opened(show, BudgetPuzzle(model="7B", itemsize=4, tokens=16_000, tiles=True, shared=True))
    assert "24.5 GB, 1.02 times the goal" in said(page)


def test_what_stands_in_the_meters_alone_is_read_aloud(show):
    page = opened(show, BudgetPuzzle())
    assert "seconds at best: 23.1 s" in plain(page.locator("[data-widget] figure").aria_snapshot())
