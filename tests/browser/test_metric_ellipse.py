"""MetricEllipse in a page: every control by mouse, finger and keyboard, with attnlib's numbers."""

import numpy as np
import pytest

from attnlib import project
from attnlib.lab import cycle_product, most_unequal_pair
from attnlib.widgets import MetricEllipse


def written(x):
    text = f"{x:.2f}"
    return text.replace("-", "" if float(text) == 0 else "−")


def opened(show, widget=None, **options):
    page = show(widget or MetricEllipse(), **options)
    page.locator("svg").wait_for()
    return page


def handle(page, name):
    return page.get_by_role("slider", name=name, exact=True)


def told(page):
    """Stretches and angle, as the sliders have them."""
    return [float(slider.input_value()) for slider in page.locator("input[type=range]").all()]


def is_that_of(page, ellipse):
    """Every number and arrow on the page is the one that attnlib computes."""
    cells = page.locator("tbody td").all_text_contents()
    assert cells == [written(x) for x in (*ellipse.scores.flat, *ellipse.weights.flat)]
    arrows = ", ".join(f"{token} → {other}" for token, other in zip(ellipse.tokens, ellipse.most_read, strict=True))
    assert page.locator("p", has_text="The arrows").text_content().endswith(f": {arrows}.")
    path = page.locator(".attn-arrow").get_attribute("d").split("M")[1::2]  # of each arrow the line, not the tip
    far = [(i, ellipse.tokens.index(other)) for i, other in enumerate(ellipse.most_read)]
    places = 180 * (1 + np.array(ellipse.points) * [1, -1] / 3.4)
    far = [(places[i], places[j]) for i, j in far if np.linalg.norm(places[i] - places[j]) > 22]
    for ends, line in zip(far, path, strict=True):
        for place, end in zip(ends, line.split("L"), strict=True):
            assert np.linalg.norm(place - np.array(end.split(" "), dtype=float)) == pytest.approx(11, abs=0.01)
    rings = page.locator("circle.attn-output").evaluate_all(
        "all => all.map((c) => [c.cx.baseVal.value, c.cy.baseVal.value])"
    )
    moved = project(np.array(ellipse.points), ellipse.u)
    assert np.allclose(rings, 180 * (1 + moved * [1, -1] / 3.4), atol=1e-3)
    u = "; ".join(" ".join(map(written, row)) for row in ellipse.u)
    assert page.locator("span.attn-control", has_text="U =").text_content() == f"U = [{u}]"
    line = page.locator("[aria-live]").text_content()
    i, j = most_unequal_pair(ellipse.weights)
    a, b = ellipse.tokens[i], ellipse.tokens[j]
    assert f"one score, {written(ellipse.scores[i, j])}" in line
    assert (
        f"{a} reads {written(ellipse.weights[i, j])} from {b} and {b} reads {written(ellipse.weights[j, i])} from {a}."
        in line
    )
    framed = page.locator(".attn-marked").all_text_contents()
    assert framed == [written(m[c]) for m in (ellipse.scores, ellipse.weights) for c in ((i, j), (j, i))]
    return line


def test_it_starts_as_it_was_written_and_shows_attnlibs_numbers(show):
    ellipse = MetricEllipse()
    still = show(ellipse, java_script_enabled=False)
    cells = still.locator("tbody td").all_text_contents()
    page = opened(show, ellipse)
    line = is_that_of(page, ellipse)
    other = cells[30::6] + cells[25:][5::6]
    assert [c for at, c in enumerate(cells) if at < 25 or (at - 25) % 6 != 5] == page.locator(
        "tbody td"
    ).all_text_contents()
    assert set(ellipse.most_read) <= set(other)
    product = cycle_product(ellipse.weights, [3, 4, 2])
    assert f"a → problem → have → a {product:.2g}, backwards {product:.2g}." in line
    shades = page.locator("tbody td").evaluate_all(
        "all => all.map((cell) => Number(cell.style.getPropertyValue('--w')))"
    )
    scores = ellipse.scores.ravel()
    assert shades[:25] == pytest.approx((scores - scores.min()) / np.ptp(scores), abs=6e-4)
    assert shades[25:] == pytest.approx(ellipse.weights.ravel(), abs=6e-4)
    assert page.problems == []


def test_the_slider_of_letters_regroups_the_words(show):
    page, ellipse = opened(show), MetricEllipse()
    letters = page.get_by_label("stretch ② (letters)")
    letters.focus()
    page.keyboard.press("Home")
    ellipse.across = 0.0
    is_that_of(page, ellipse)
    assert (
        "Houston → we, we → Houston, have → problem, a → problem, problem → a"
        in page.locator("p", has_text="The arrows").text_content()
    )
    page.keyboard.press("ArrowRight")
    ellipse.across = 0.01
    is_that_of(page, ellipse)
    page.get_by_label("stretch ① (person)").fill("1.7")
    ellipse.along = 1.7
    is_that_of(page, ellipse)
    page.get_by_label("turn ① and ②, degrees").fill("35")
    ellipse.angle = 35
    is_that_of(page, ellipse)
    assert page.locator("label").first.text_content() == "stretch ①1.70"  # along no axis any more
    page.get_by_label("turn ① and ②, degrees").fill("-90")
    assert page.get_by_label("stretch ① (letters)").count() == 1
    page.get_by_role("button", name="Start again").press("Enter")
    is_that_of(page, MetricEllipse())
    assert page.problems == []


def test_no_stretch_at_all_leaves_every_token_alike(show):
    page = opened(show, MetricEllipse(along=0.0, across=0.0))
    is_that_of(page, MetricEllipse(along=0.0, across=0.0))
    assert page.problems == []


def test_a_mouse_drags_the_ellipse_long_and_letters_fade(show, centre_of, rested):
    page, ellipse = opened(show), MetricEllipse()
    x, y = centre_of(handle(page, "②").locator(".attn-reach"))
    unit = page.locator("svg").bounding_box()["width"] / 6.8
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - unit, steps=4)
    assert told(page) == pytest.approx([1, 0.5, 0], abs=0.02)
    page.mouse.move(x, y - 1.9 * unit, steps=4)
    page.mouse.move(x, y - 3 * unit)  # beyond the rim
    assert told(page) == [1, 0, 0]
    ellipse.across = 0.0
    rested(page)
    is_that_of(page, ellipse)
    page.mouse.move(x, y + 0.8 * unit, steps=8)  # below a half there is no more than twice
    page.mouse.up()
    assert told(page)[1] == 2
    page.mouse.move(x, y)
    assert told(page)[1] == 2  # let go


def test_dragging_one_axis_aside_turns_both(rested, show, centre_of):
    page, ellipse = opened(show), MetricEllipse()
    x, y = centre_of(handle(page, "①").locator(".attn-reach"))
    unit = page.locator("svg").bounding_box()["width"] / 6.8
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + unit, y - 2 * unit, steps=4)  # to (2, 2)
    page.mouse.up()
    rested(page)
    ellipse.along, _, ellipse.angle = told(page)
    assert told(page) == pytest.approx([0.354, 1, 45], abs=0.02)
    is_that_of(page, ellipse)
    assert handle(page, "②").get_attribute("aria-valuetext") == "U stretches by 1.00 at 135°"
    assert page.locator("ellipse").get_attribute("transform") == "rotate(-45 180 180)"
    radii = [float(page.locator("ellipse").get_attribute(name)) for name in ("rx", "ry")]
    assert radii == pytest.approx([180 / 3.4 / ellipse.along, 180 / 3.4])


def test_the_ellipse_is_driven_by_the_keyboard_alone(show):
    page = opened(show)
    handle(page, "②").focus()
    for key, expected in [
        ("ArrowUp", [1, 0.91, 0]),
        ("Shift+ArrowUp", [1, 0.62, 0]),
        ("ArrowLeft", [1, 0.62, 5]),
        ("ArrowRight", [1, 0.62, 0]),
        ("Shift+ArrowDown", [1, 0.92, 0]),
        ("x", [1, 0.92, 0]),
    ]:
        page.keyboard.press(key)
        assert told(page) == pytest.approx(expected, abs=0.011), key
    handle(page, "①").focus()
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    assert told(page)[0] == 0
    page.keyboard.press("ArrowUp")
    assert told(page)[::2] == [0, 5]
    for _ in range(9):
        page.keyboard.press("Shift+ArrowLeft")
    assert told(page)[0] == 2
    assert handle(page, "①").get_attribute("aria-valuetext") == "U stretches by 2.00 at 5°"


def test_a_finger_drags_an_axis_and_does_not_scroll_the_page(show, centre_of, drag):
    page = opened(show, viewport={"width": 360, "height": 500}, has_touch=True, is_mobile=True)
    page.locator("svg").evaluate("svg => svg.scrollIntoView({ block: 'center', behavior: 'instant' })")
    scrolled = page.evaluate("scrollY")
    x, y = centre_of(handle(page, "②").locator(".attn-reach"))
    drag(page, *((x, y - 12 * step) for step in range(11)))
    assert told(page)[1] == 0
    assert page.evaluate("scrollY") == scrolled


def test_a_link_carries_what_is_shown(show):
    page = opened(show)
    page.get_by_label("stretch ② (letters)").fill("0.25")
    page.get_by_label("turn").fill("20")
    address = page.locator("[data-widget] > .headerlink").get_attribute("href")
    other = opened(show, address=address)
    is_that_of(other, MetricEllipse(across=0.25, angle=20.0))
    assert page.problems == other.problems == []


@pytest.mark.parametrize("n", [2, 16])
def test_few_and_many_tokens_are_drawn(n, show):
    rng = np.random.default_rng(0)
    ellipse = MetricEllipse([f"t{i}" for i in range(n)], rng.normal(size=(n, 2)))
    page = opened(show, ellipse)
    line = is_that_of(page, ellipse)
    assert ("backwards" in line) == (n > 2)
    assert page.problems == []
