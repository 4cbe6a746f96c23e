"""QueryStepper in a real browser: every box, every control, and every number against attnlib."""

from itertools import product

import numpy as np
import pytest

from attnlib import attention_scores, houston
from attnlib.widgets import QueryStepper
from tests.helpers.tiers import some_of

NAMES = ["1 Q", "2 K", "3 MatMul", "4 Scale", "5 Mask", "6 SoftMax", "7 V", "8 MatMul", "9 Context"]
HOSTILE = ["<img src=x onerror=alert(1)>", "t" * 500, "مرحبا بالعالم", "e\u0301\u0302\u0303", "&lt;b&gt;"]


def shown(numbers):
    return [f"{number:.2f}".replace("-", "−") for number in np.ravel(numbers)]


def vector(numbers):
    return f"({', '.join(shown(numbers))})"


def opened(show, widget=None, **options):
    page = show(widget or QueryStepper(), **options)
    page.get_by_role("button", name="1 Q").wait_for()
    return page


def go(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def results(page):
    """What stands at the end of each line of arithmetic."""
    return page.locator(".attn-sums strong").all_text_contents()


def lines(page):
    return page.locator(".attn-sums dd").all_text_contents()


def weights(page, row=0):
    return page.locator(".attn-strip tbody tr").nth(row).locator("td").all_text_contents()


@pytest.mark.parametrize(("i", "masked", "scaled"), some_of(product([0, 2, 4], [True, False], [True, False]), every=3))
def test_every_step_shows_the_numbers_of_attnlib(i, scaled, masked, show):
    page = opened(show)
    page.get_by_label("query token").select_option(index=i)
    page.get_by_label("scale", exact=True).set_checked(scaled)
    page.get_by_label("mask", exact=True).set_checked(masked)
    it = QueryStepper(selected=i, scaled=scaled, masked=masked)
    raw = attention_scores(it.query[None], it.key, scale=1)[0]
    scores = attention_scores(it.query[None], it.key, scale=None if scaled else 1)[0]
    seen = np.ones(5, bool) if it.allowed is None else it.allowed
    expected = {
        "1 Q": shown(it.query),
        "2 K": [vector(key) for key in it.key],
        "3 MatMul": shown(raw),
        "4 Scale": shown(scores),
        "5 Mask": [score if may else "−∞" for score, may in zip(shown(scores), seen, strict=True)],
        "6 SoftMax": shown(it.weights),
        "7 V": [vector(value) for value in it.value],
        "8 MatMul": [vector(weight * value) for weight, value in zip(it.weights, it.value, strict=True)],
        "9 Context": shown(it.context),
    }
    for name, numbers in expected.items():
        go(page, name)
        assert results(page) == numbers, name
        assert weights(page) == [w if may else "–" for w, may in zip(shown(it.weights), seen, strict=True)]
    assert page.locator(".attn-panel tbody td").all_text_contents() == shown(it.context)
    assert page.problems == []


def test_every_sum_is_written_out_and_right(show):
    page = opened(show)
    page.get_by_label("query token").select_option("Houston")
    assert lines(page)[1] == "place 1.00×1.80 = 1.80"
    assert lines(page)[0] == "every term is 0 = 0.00"
    assert page.locator(".attn-panel tbody tr").first.locator("td").all_text_contents() == shown(houston.EMBEDDINGS[0])
    go(page, "2 K")
    assert lines(page)[0] == (
        "noun 1.00×(0.00, 0.70, 0.00, 0.00) + place 1.00×(0.00, −0.70, 1.80, 0.00) = (0.00, 0.00, 1.80, 0.00)"
    )
    go(page, "7 V")
    assert lines(page)[1] == "pronoun 1.00×(1.00, 0.00, 0.00) + people 1.00×(0.50, 0.00, 0.00) = (1.50, 0.00, 0.00)"
    page.get_by_label("query token").select_option("have")
    go(page, "3 MatMul")
    assert lines(page)[1] == "subject 2.20×1.60 = 3.52"
    go(page, "4 Scale")
    assert lines(page)[1] == "3.52 / 2.00 = 1.76"
    go(page, "6 SoftMax")
    assert lines(page)[1] == "exp(1.76) / 12.71 ≈ 5.81 / 12.71 ≈ 0.46"
    go(page, "9 Context")
    assert lines(page)[0] == "Houston 0.08×0.65 + we 0.46×1.50 ≈ 0.74"
    page.get_by_label("mask", exact=True).check()
    go(page, "5 Mask")
    assert lines(page)[4] == "1.36 → −∞"
    go(page, "6 SoftMax")
    assert lines(page)[4] == "exp(−∞) / 7.81 ≈ 0.00 / 7.81 ≈ 0.00"


def test_the_mask_takes_a_weight_away_and_the_others_grow(show):
    page = opened(show)
    before = weights(page)
    assert before == shown(QueryStepper().weights)
    page.get_by_label("mask", exact=True).check()
    assert weights(page) == [*shown(QueryStepper(masked=True).weights)[:3], "–", "–"]
    assert weights(page, row=1) == before
    line = page.locator("[aria-live]")
    assert line.count() == 1
    assert line.text_content() == (
        "Step 1 of 9, Q. The query have reads most from we: 0.74. "
        "The mask takes away 0.39, and every other weight becomes 1.63 times as large."
    )
    page.get_by_label("query token").select_option("problem")
    assert "The mask hides nothing from it." in line.text_content()
    page.get_by_label("query token").select_option("a")
    assert "reads most from Houston, we, have, a: 0.25 each." in line.text_content()


def test_the_keyboard_alone_goes_through_the_whole_figure(show):
    page = opened(show)
    current = page.locator("[aria-current=step]")
    seen = [current.text_content()]
    page.get_by_role("button", name="Next").focus()
    for _ in range(10):  # two more than there are
        page.keyboard.press("Enter")
        seen.append(current.text_content())
    assert seen[:9] == NAMES
    assert seen[9:] == ["9 Context"] * 2
    assert page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert current.text_content() == "8 MatMul"
    page.get_by_role("button", name="4 Scale").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "5 Mask"
    page.keyboard.press("Enter")
    assert current.all_text_contents() == ["5 Mask"]
    page.get_by_label("mask", exact=True).focus()
    page.keyboard.press("Space")
    assert "−∞" in results(page)
    page.get_by_label("query token").focus()
    page.keyboard.press("ArrowUp")
    assert "The query we reads most from" in page.locator("[aria-live]").text_content()
    page.get_by_role("button", name="Start again").press("Enter")
    assert current.text_content() == "1 Q"
    assert not page.get_by_label("mask", exact=True).is_checked()
    assert "The query have reads" in page.locator("[aria-live]").text_content()
    assert page.problems == []


def test_a_box_that_is_off_looks_off_and_says_so(show):
    page = opened(show)
    assert page.locator(".attn-off").all_text_contents() == ["5 Mask"]
    page.get_by_label("scale", exact=True).uncheck()
    assert page.locator(".attn-off").all_text_contents() == ["4 Scale", "5 Mask"]
    go(page, "4 Scale")
    assert "Scaling is off" in page.locator(".attn-panel").text_content()
    assert results(page)[1] == "3.52"


def test_a_finger_can_press_every_box(show):
    page = opened(show, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for name in NAMES:
        box = page.get_by_role("button", name=name, exact=True)
        assert min(box.bounding_box()["width"], box.bounding_box()["height"]) >= 32
        box.tap()
        assert page.locator("[aria-current=step]").all_text_contents() == [name]


def test_any_token_is_text_and_fits_a_narrow_page(show):
    widget = QueryStepper(HOSTILE, houston.EMBEDDINGS, title=HOSTILE[0], axes=[*HOSTILE, "f", "g", "h"])
    page = opened(show, widget, viewport={"width": 340, "height": 740})
    for name in NAMES:
        go(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= 340, name
    assert page.locator("img").count() == 0
    assert page.locator("option").all_text_contents() == HOSTILE
    assert page.problems == []


def test_scores_of_any_size_and_many_terms_are_written(show):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 9)) * 10
    page = opened(show, QueryStepper("abc", x, *rng.normal(size=(3, 9, 2)), scaled=False))
    assert lines(page)[0].count("×") == 6
    assert "+ 3 more" in lines(page)[0]
    assert page.locator(".attn-panel th[scope=col]").first.text_content() == "1"
    go(page, "6 SoftMax")
    assert "less the largest" in page.locator(".attn-panel").text_content()
    assert "Infinity" not in page.locator(".attn-panel").text_content()
    assert "NaN" not in page.locator("figure.attn").text_content()


def test_a_link_carries_step_query_and_switches(show):
    page = opened(show)
    go(page, "6 SoftMax")
    page.get_by_label("mask", exact=True).check()
    page.get_by_label("query token").select_option("a")
    address = page.locator(".headerlink").get_attribute("href")
    other = opened(show, address=address)
    assert other.locator("[aria-current=step]").text_content() == "6 SoftMax"
    assert other.get_by_label("query token").input_value() == "3"
    assert results(other) == shown(QueryStepper(selected=3, masked=True).weights)


def test_the_table_and_the_widget_tell_the_same_numbers(show):
    still = show(QueryStepper(), java_script_enabled=False)
    rows = still.locator("tbody tr").all()[:5]
    page = opened(show)
    for column, name in ((0, "2 K"), (1, "3 MatMul"), (2, "4 Scale"), (3, "6 SoftMax"), (4, "7 V")):
        go(page, name)
        assert results(page) == [row.locator("td").nth(column).text_content() for row in rows]


def test_small_scores_are_raised_less_their_largest(show):
    page = show(QueryStepper("ab", [[1.0], [2.0]], [[-3.0]], [[3.0]], [[1.0]]))
    go(page, "6 SoftMax")
    assert "/ 0.00" not in page.locator(".attn-panel").text_content()
