"""A machine's roofline in a page: the point moves with the slider, and what is said of it is attnlib's."""

import numpy as np
import pytest

from attnlib.widgets import RooflineLab

QUERIES = sorted({round(2 ** (step / 4)) for step in range(41)})


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(RooflineLab(), viewport={"width": request.param, "height": 760}, has_touch=request.param < 500)
    page.locator(".attn-roof").wait_for()
    return page


def slider(page):
    return page.get_by_role("slider", name="queries that share a key")


def said(page):
    return page.locator("[aria-live]").text_content().replace("\u00a0", " ")


def is_that_of(page, lab):
    """Where the point lies on two logarithmic axes, and the numbers of the sentence."""
    point = page.locator(".attn-first")
    across = 34 + np.log(lab.intensity / 0.25) / np.log(1024) * 278
    down = 128 - np.log(lab.rate / 1e11) / np.log(1000) * 120
    assert float(point.get_attribute("cx")) == pytest.approx(across, abs=0.06)
    assert float(point.get_attribute("cy")) == pytest.approx(down, abs=0.06)
    many = "query" if lab.queries == 1 else "queries"
    assert said(page).startswith(f"{lab.queries:,} {many}: {lab.intensity:.3g} multiply–adds for each byte, ")
    assert f"{lab.seconds:.3g} s for the attention of the text." in said(page)
    assert said(page).endswith("It waits for bytes." if lab.queries < 164 else "It waits for the processor.")


def test_by_keyboard_the_point_goes_up_the_slope_and_along_the_flat(page):
    is_that_of(page, RooflineLab())
    for step in range(1, len(QUERIES)):
        slider(page).press("ArrowRight")
        if QUERIES[step] in (2, 8, 64, 152, 304, 256, 1024):
            is_that_of(page, RooflineLab(queries=QUERIES[step]))
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, RooflineLab())
    assert page.problems == []


def test_by_mouse_or_finger_too(page):
    box = slider(page).bounding_box()
    at = (box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    (page.touchscreen.tap if page.viewport_size["width"] < 500 else page.mouse.click)(*at)
    is_that_of(page, RooflineLab(queries=QUERIES[int(slider(page).input_value())]))
    assert "It waits for the processor." in said(page)
    assert page.problems == []


def test_a_link_carries_the_queries(show):
    page = show(RooflineLab(), address="#roofline-lab-queries-that-share-a-key?queries=64")
    page.locator(".attn-roof").wait_for()
    is_that_of(page, RooflineLab(queries=64))
    assert page.problems == []


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    fits_a_phone(page, 340)
    assert page.problems == []


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is_whatever_is_said(width, stays_below):
    steps = [lambda page, key=key: slider(page).press(key) for key in ("End", "ArrowLeft", "PageDown", "PageDown")]
    page = stays_below(RooflineLab(), width, *steps)
    assert page.problems == []
