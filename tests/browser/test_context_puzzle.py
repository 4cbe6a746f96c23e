"""A sentence in a page: words are taken away and put back by keyboard, mouse and finger, and the last one reads what is left."""

import pytest

from attnlib.widgets import ContextPuzzle


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(ContextPuzzle(), viewport={"width": request.param, "height": 760}, has_touch=request.param < 500)
    page.locator(".attn-words button").first.wait_for()
    return page


def word(page, name):
    return page.get_by_role("button", name=name, exact=True)


def press(page, name):
    """By finger on a phone, by mouse on what is wider."""
    (word(page, name).tap if page.viewport_size["width"] < 500 else word(page, name).click)()


def is_that_of(page, puzzle):
    """Every number, bar and sentence is what attnlib computes."""
    here = puzzle.here
    pressed = [word(page, name).get_attribute("aria-pressed") == "true" for name in puzzle.tokens[:-1]]
    assert pressed == [i in here for i in range(len(puzzle.tokens) - 1)]
    read, taken = page.locator(".attn-table").all()
    weights = iter(puzzle.weights)
    for i, row in enumerate(read.locator("tbody tr").all()):
        score, weight = row.locator("td").all_text_contents()
        assert (score == "–") == (weight == "away") == (i not in here)
        if i in here:
            assert float(weight) == pytest.approx(next(weights), abs=0.0051)
    blend = [float(cell) for cell in taken.locator("td.attn-bar").all_text_contents()]
    assert blend == pytest.approx(puzzle.blend, abs=0.0051)
    largest = puzzle.value_axes[int(puzzle.blend.argmax())]
    told = page.locator("[aria-live]").text_content()
    assert told == (
        f"{puzzle.tokens[-1]} reads most from {puzzle.most}, {puzzle.weights.max():.2f}. The blend has most of {largest}."
    )


def test_by_mouse_or_finger_words_go_and_come_back(page):
    is_that_of(page, ContextPuzzle())
    press(page, "problem")
    is_that_of(page, ContextPuzzle(absent=[3]))
    press(page, "a")
    is_that_of(page, ContextPuzzle(absent=[3, 2]))
    press(page, "problem")
    is_that_of(page, ContextPuzzle(absent=[2]))
    for name in ("we", "have", "problem"):
        press(page, name)
    is_that_of(page, ContextPuzzle(absent=[0, 1, 2, 3]))
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, ContextPuzzle())
    assert page.problems == []


def test_by_keyboard_too(page):
    word(page, "problem").press("Enter")
    is_that_of(page, ContextPuzzle(absent=[3]))
    assert word(page, "problem").evaluate("(node) => node === document.activeElement")
    word(page, "have").press("Space")
    is_that_of(page, ContextPuzzle(absent=[1, 3]))
    assert page.problems == []


def test_a_link_carries_the_words_that_are_away(show):
    page = show(ContextPuzzle(), address="#context-puzzle-what-the-last-word-reads?absent=[2,3]")
    page.locator(".attn-words button").first.wait_for()
    is_that_of(page, ContextPuzzle(absent=[2, 3]))
    assert page.problems == []


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    fits_a_phone(page, 340, "button:visible")
    assert page.problems == []


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is_whatever_is_away(width, stays_below):
    steps = [lambda page, name=name: word(page, name).click() for name in ("problem", "have", "we", "a", "problem")]
    page = stays_below(ContextPuzzle(), width, *steps)
    assert page.problems == []
