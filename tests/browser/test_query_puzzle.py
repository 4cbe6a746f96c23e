"""The puzzle of the query in a page: four keys won, the fifth only by distance, with keyboard, mouse and finger."""

import numpy as np
import pytest

from attnlib import houston
from attnlib.widgets import QueryPuzzle


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(QueryPuzzle(), viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
    page.locator(".attn-plane").wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content()


def won(page):
    return page.locator(".attn-meter").text_content()


def point(page, at):
    """Where a point of the plane lies in the window."""
    box = page.locator(".attn-plane").bounding_box()
    return [box["x"] + box["width"] * (at[0] + 3.4) / 6.8, box["y"] + box["height"] * (3.4 - at[1]) / 6.8]


def drag(page, start, end):
    if page.viewport_size["width"] >= 500:
        page.mouse.move(*point(page, start))
        page.mouse.down()
        page.mouse.move(*point(page, end), steps=4)
        page.mouse.up()
        return
    finger = page.context.new_cdp_session(page)  # Playwright's own touchscreen only taps
    touch = lambda kind, at: finger.send(  # noqa: E731
        "Input.dispatchTouchEvent",
        {"type": kind, "touchPoints": [dict(zip("xy", point(page, at), strict=True))] if at is not None else []},
    )
    touch("touchStart", start)
    for share in (0.3, 0.6, 1):
        touch("touchMove", [a + share * (b - a) for a, b in zip(start, end, strict=True)])
    touch("touchEnd", None)


def test_four_keys_are_won_and_the_fifth_by_distance_alone(page, rested):
    assert "won: 1 of 5" in won(page)
    at = (1.0, 0.3)
    for target in (1, 2, 4):
        drag(page, at, houston.PLACES[target])
        at = houston.PLACES[target]
        rested(page)
        assert f"{houston.TOKENS[target]} is read most." in said(page)
    assert "won: 4 of 5" in won(page)
    assert "No query does that here" in said(page)
    drag(page, at, houston.PLACES[3])
    rested(page)
    assert "a is read most" not in said(page)
    page.get_by_role("button", name="Hand me what is missing").click()
    assert "a is read most." in said(page)
    assert "won: 5 of 5" in won(page)
    assert "Every key was read most once." in said(page)
    assert page.problems == []


def test_the_key_that_the_start_wins_stays_won(page):
    assert "won: 1 of 5" in won(page)
    page.get_by_label("direction").press("Home")
    assert "Houston is read most." not in said(page)
    assert "won: 2 of 5" in won(page)


def test_it_is_played_with_the_keyboard(page):
    handle = page.get_by_role("slider", name="query")
    handle.focus()
    for _ in range(8):
        page.keyboard.press("Shift+ArrowLeft")
    assert "have is read most." in said(page)
    direction = page.get_by_label("direction")
    for degrees in range(-180, 181, 10):
        direction.fill(str(degrees))
    assert "won: 4 of 5" in won(page)
    page.get_by_role("button", name="Hand me what is missing").press("Enter")
    page.get_by_label("length").fill("0.35")
    direction.fill("56")
    assert "a is read most." in said(page)
    assert "won: 5 of 5" in won(page)
    page.get_by_role("button", name="Take it away again").press("Enter")
    assert "a is read most." not in said(page)
    assert page.problems == []


@pytest.mark.parametrize("measure", ["dot product", "distance"])
def test_the_page_scores_as_python_does(measure, show):
    for query in ([1.0, 0.3], [-0.7, 2.0], [0.0, 0.0]):
        widget = QueryPuzzle(query=np.array(query), measure=measure)
        page = show(widget)
        page.locator(".attn-plane").wait_for()
        shown = page.locator(".attn-readout tbody tr").all()
        for row, score, weight in zip(shown, widget.scores, widget.weights, strict=True):
            cells = [text.replace("−", "-") for text in row.locator("td").all_text_contents()]
            assert float(cells[1]) == pytest.approx(score, abs=0.006)
            assert float(cells[2]) == pytest.approx(weight, abs=0.006)
        assert page.problems == []


def test_start_again_forgets_what_was_won_and_another_measure_does_not(show):
    page = show(QueryPuzzle())
    page.get_by_label("direction").press("Home")
    assert "won: 2 of 5" in won(page)
    page.get_by_role("button", name="Start again").click()
    assert "won: 1 of 5" in won(page)
    for name in ("Hand me what is missing", "Take it away again"):
        page.get_by_role("button", name=name).click()
        assert "won: 2 of 5" in won(page)


def test_a_longer_query_reads_the_same_key_most(show):
    page = show(QueryPuzzle())
    page.get_by_label("direction").fill("75")
    for _ in range(2):
        assert "we is read most." in said(page)
        page.get_by_label("length").press("End")


def test_as_many_keys_are_told_as_there_are(show):
    page = show(QueryPuzzle())
    page.get_by_label("length").press("Home")
    assert "5 keys share the lead." in said(page)
    page = show(QueryPuzzle("ab", [[1, 0], [0, 1]]))
    assert "2 keys lie still" in page.locator("figcaption").text_content()
