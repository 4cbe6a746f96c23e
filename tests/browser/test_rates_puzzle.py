"""The search for one rate in a page: rates are tried by keyboard, mouse and finger, and what was tried stays in sight."""

import pytest

from attnlib.widgets import RatesPuzzle
from attnlib.widgets.rates_puzzle import RATES, WAYS, WIDTHS

SHARED = "WO learns at this rate too"


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(RatesPuzzle(), viewport={"width": request.param, "height": 760}, has_touch=request.param < 500)
    page.locator(".attn-rates").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content().replace("\u00a0", " ")


def slider(page):
    return page.get_by_label("learning rate of")


def press(page, name):
    """By finger on a phone, by mouse on what is wider."""
    target = page.get_by_role("button", name=name, exact=True)
    (target.tap if page.viewport_size["width"] < 500 else target.click)()


def is_that_of(page, puzzle, tried):
    """Every cell, sentence and count on the page is that of the record; `tried` has the rates for each way."""
    known = tried[puzzle.way]
    cells = page.locator(".attn-rates i").evaluate_all(
        "all => all.map((cell) => [cell.style.getPropertyValue('--w'), cell.className])"
    )
    looks = {(width, rate): cells[i * len(RATES) + j] for i, width in enumerate(WIDTHS) for j, rate in enumerate(RATES)}
    at = RatesPuzzle(way=puzzle.way, shared=puzzle.shared)
    for j, rate in enumerate(RATES):
        at.rate = j
        for width, share in zip(WIDTHS, at.right, strict=True):
            shade, kind = looks[width, rate]
            seen = rate in known
            assert float(shade) == pytest.approx(share if seen else 0, abs=5e-4)
            assert ("attn-unknown" in kind) != seen
            assert ("attn-good" in kind) == (seen and rate in puzzle.good(width))
            assert ("attn-now" in kind) == (j == puzzle.rate)
    shares = ", ".join(
        f"{int(100 * share + 1e-9)} % for dₖ = {width}" for width, share in zip(WIDTHS, puzzle.right, strict=True)
    )
    name = RATES[puzzle.rate]
    good = sum(name in puzzle.good(width) for width in WIDTHS)
    assert (
        said(page)
        == f"Rate {name}, {puzzle.way}: {shares}. Good at {good} of 3 widths. {len(known)} of 16 rates tried."
    )
    rows = [row.split("\t") for row in page.locator(".attn-tried tbody tr").all_inner_texts()]
    for way, (label, count, which) in zip(WAYS, rows, strict=True):
        found = [rate for rate in tried[way] if rate in RatesPuzzle(way=way, shared=puzzle.shared).common()]
        assert label == way
        assert count == f"{len(tried[way])} of 16"
        assert which == (f"{len(found)}: {', '.join(found)}" if found else "none yet")
    assert slider(page).get_attribute("aria-valuetext") == name


def test_by_keyboard_rates_are_tried_one_after_another(page):
    tried = {way: [] for way in WAYS}
    tried["without the root"] = [RATES[11]]
    is_that_of(page, RatesPuzzle(), tried)
    for rate in (10, 9, 8):
        slider(page).press("ArrowLeft")
        tried["without the root"].insert(0, RATES[rate])
        is_that_of(page, RatesPuzzle(rate=rate), tried)
    assert "Good at 3 of 3" in said(page)
    page.get_by_role("button", name="with the root", exact=True).press("Enter")
    tried["with the root"] = [RATES[8]]
    is_that_of(page, RatesPuzzle(way="with the root", rate=8), tried)
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, RatesPuzzle(), {way: [RATES[11]] * (way == "without the root") for way in WAYS})
    assert page.problems == []


@pytest.mark.parametrize("shared", [False, True])
def test_by_mouse_or_finger_every_rate_is_tried_in_every_way(page, shared):
    tried = {way: [] for way in WAYS}
    if shared:
        press(page, SHARED)
    for way in WAYS:
        press(page, way)
        press(page, "Try every rate")
        tried[way] = RATES
        is_that_of(page, RatesPuzzle(way=way, shared=shared), tried)
    assert page.get_by_role("button", name=SHARED).get_attribute("aria-pressed") == f"{shared}".lower()
    assert page.problems == []


def test_what_was_tried_with_one_rate_for_all_is_kept_apart(page):
    tried = {way: [] for way in WAYS}
    press(page, SHARED)
    tried["without the root"] = [RATES[11]]
    is_that_of(page, RatesPuzzle(shared=True), tried)
    slider(page).press("ArrowLeft")
    tried["without the root"] = RATES[10:12]
    is_that_of(page, RatesPuzzle(shared=True, rate=10), tried)
    press(page, SHARED)
    is_that_of(page, RatesPuzzle(rate=10), tried)
    assert page.problems == []


def test_a_share_just_below_is_not_shown_as_enough(show):
    shares = [[[0.8999] * 16] * 3] * 6
    page = show(RatesPuzzle(shares=shares))
    page.locator(".attn-rates").wait_for()
    assert said(page).startswith("Rate 1, without the root: 89 % for dₖ = 16, ")
    assert page.locator(".attn-good").count() == 0


def test_a_link_carries_the_way_the_rate_and_what_was_tried(show):
    address = "#rates-puzzle-one-rate-for-three-widths?way=%22with+the+root%22&rate=8&tried=[23,24]"
    page = show(RatesPuzzle(), address=address)
    page.locator(".attn-rates").wait_for()
    tried = {way: [] for way in WAYS} | {"with the root": RATES[7:9]}
    is_that_of(page, RatesPuzzle(way="with the root", rate=8), tried)
    assert page.problems == []


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    press(page, "Try every rate")
    fits_a_phone(page, 340, "button:visible, input:visible")
    assert page.problems == []


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is_whatever_is_tried(width, stays_below):
    steps = [
        lambda page, name=name: page.get_by_role("button", name=name, exact=True).click()
        for name in ("Try every rate", "with the root", "Try every rate", SHARED, "small start", "Try every rate")
    ]
    page = stays_below(RatesPuzzle(), width, *steps)
    assert page.problems == []
