"""TensorCounter in a page: every slider, both counts, broken state, a shared link, axe."""

import pytest

from attnlib.formatting import BYTES, large
from attnlib.widgets import TensorCounter


def opened(show, *, widget=None, **options):
    page = show(widget or TensorCounter(), **options)
    page.locator(".attn-log:visible").first.wait_for()
    return page


def cells(page):
    return page.locator("tbody td").all_text_contents()


def expected(**sizes):
    counter = TensorCounter(**sizes)
    rows = ((counter.ideal, 4), (counter.attention, 1))
    return [text for count, times in rows for text in (large(count), large(4 * count, BYTES), f"× {times}")]


def bars(page):
    """The lengths of both bars as powers of ten."""
    share = (
        "bars => bars.map((bar) => bar.firstChild.getBoundingClientRect().width / bar.getBoundingClientRect().width)"
    )
    return [24 * length for length in page.locator(".attn-log").evaluate_all(share)]


def test_it_begins_with_the_numbers_of_its_table_and_of_attnlib(show):
    still = cells(show(TensorCounter(), java_script_enabled=False))
    page = opened(show)
    assert cells(page) == still == expected()
    assert bars(page) == pytest.approx([11.79, 6.25], abs=0.1)
    assert "350 thousand times as many numbers" in page.locator("[aria-live]").text_content()
    assert "4.05 days" in page.locator("[aria-live]").text_content()
    assert page.problems == []


def test_n_moves_one_bar_and_not_the_other(show):
    page = opened(show)
    tensor, attention = bars(page)
    formulas = page.locator(".attn-count").all_text_contents()
    page.get_by_label("tokens n").fill("64")
    assert bars(page) == pytest.approx([tensor + 6.02, attention], abs=0.05)
    after = page.locator(".attn-count").all_text_contents()
    assert after[1] == formulas[1]
    assert "1,048,576 · 768 · 1,048,576 · 768" in after[0]
    assert cells(page) == expected(n=2**20)
    page.get_by_role("button", name="Start again").press("Enter")
    assert bars(page) == [tensor, attention]


def test_the_keyboard_moves_every_slider(show):
    page = opened(show)
    page.get_by_label("tokens n").focus()
    for key in ("Left", "Right", "Right", "Left"):
        page.keyboard.press(f"Arrow{key}")
        page.keyboard.press("Tab")
    assert cells(page) == expected(n=861, d=1024, d_k=1024, d_v=512)
    assert page.problems == []


def test_the_squares_have_the_areas_of_the_counts(show):
    for n, ringed in ((1024, True), (4, False), (1, False)):
        counter = TensorCounter(n=n)
        page = opened(show, widget=counter)
        tensor, attention = page.locator("rect").evaluate_all(
            "squares => squares.map((s) => s.width.baseVal.value * s.height.baseVal.value)"
        )
        assert tensor / attention == pytest.approx(counter.ideal / counter.attention, rel=1e-3)
        assert page.locator(".attn-ring").evaluate("ring => ring.r.baseVal.value > 0") == ringed


def test_a_shared_link_shows_the_same(show):
    page = opened(show)
    page.get_by_label("tokens n").fill("10")
    page.get_by_label("of value").fill("0")
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    assert cells(other) == cells(page) != expected()
