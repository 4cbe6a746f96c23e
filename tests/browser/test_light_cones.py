"""LightCones in a real browser: every dot is lit as Python says, by mouse, keyboard and finger, and the sentence tells it."""

import numpy as np
import pytest

from attnlib.widgets import LightCones
from attnlib.widgets.light_cones import PRESETS, TOKENS

SIZES = {"window": "width", "prefix": "length"}
OFF_BY_ONE = (
    "Through 3 layers, the output at it can have read 6 of 8 tokens: we, saw, it, go, up, and. From its future: go, up, "
    "and. Asked for the next token, go, it may have read the answer. Each layer leaks 1 place: through 3 layers, up to 3."
)


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    return opened(show, viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)


def opened(show, widget=None, **options):
    page = show(widget or LightCones(), **options)
    page.locator(".attn-dot").first.wait_for()
    return page


def dot(page, layer, token):
    name = f"layer {layer}" if layer else "tokens"
    return page.get_by_role("button", name=f"{name}, {token}").first


def press(page, layer, token):
    """With a finger on a phone, with the mouse on what is wider."""
    node = dot(page, layer, token)
    (node.tap if page.viewport_size["width"] < 500 else node.click)()


def slider(page, name):
    return page.get_by_role("slider", name=name)


def said(page):
    return page.locator("[aria-live]").text_content()


def lit_lines(cones):
    """How many lines are not lit, lit, and lit from a later place to an earlier one."""
    counts = [0, 0, 0]
    for k in range(1, cones.layers + 1):
        for i, j in np.argwhere(cones.allowed):  # output i of layer k reads place j of the layer below
            below = k <= cones.layer
            lit = cones.cone[k, i] if below else cones.cone[k - 1, j]
            late = j > cones.selected if below else i < cones.selected
            counts[int(lit) + int(lit and late)] += 1
    return counts


def is_that_of(page, cones):
    """Dots, lines and what a screen reader is told are those of the cone that Python gives."""
    expected = []
    for k, row in reversed(list(enumerate(cones.cone.tolist()))):
        name = f"layer {k}" if k else "tokens"
        told = "" if k == cones.layer else ": read" if k < cones.layer else ": reads it"
        for i, (token, lit) in enumerate(zip(cones.tokens, row, strict=True)):
            late = lit and (i > cones.selected if k <= cones.layer else i < cones.selected)
            label = f"{name}, {token}{told * lit}{', future' * late}"
            pressed = str((k, i) == (cones.layer, cones.selected)).lower()
            expected.append([" ".join(["attn-dot"] + ["attn-lit"] * lit + ["attn-late"] * late), label, pressed])
    seen = "all => all.map((dot) => [dot.className, dot.ariaLabel, dot.ariaPressed])"
    assert page.locator(".attn-dot").evaluate_all(seen) == expected
    counted = "all => all.map((line) => line.getAttribute('d').split('M').length - 1)"
    assert page.locator(".attn-cones path").evaluate_all(counted) == lit_lines(cones)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_dot_and_line_is_lit_as_python_says(preset, page):
    page.get_by_role("combobox").select_option(index=PRESETS.index(preset))
    is_that_of(page, LightCones(preset=preset))
    for name in ("width", "length"):
        assert slider(page, name).count() == (SIZES.get(preset) == name)
    for layer, i in ((3, 7), (2, 3), (0, 5), (1, 0)):
        press(page, layer, TOKENS[i])
        is_that_of(page, LightCones(preset=preset, layer=layer, selected=i))
    assert page.problems == []


def test_a_leak_of_one_place_becomes_three(page):
    page.get_by_role("combobox").select_option("off by one")
    press(page, 3, "it")
    assert said(page) == OFF_BY_ONE
    press(page, 1, "it")
    assert said(page) == (
        "Through 1 layer, the output at it can have read 4 of 8 tokens: we, saw, it, go. From its future: go. Asked for "
        "the next token, go, it may have read the answer. Each layer leaks 1 place: through 1 layer, up to 1. Above it, "
        "8 of 8 outputs of layer 3 can have read it."
    )
    press(page, 0, "go")
    assert said(page) == (
        "Through 3 layers, the token go can reach 8 of 8 outputs: we, saw, it, go, up, and, come, down. "
        "Before it: we, saw, it. Each of these can have read its future."
    )


def test_a_causal_mask_leaks_nothing_and_a_window_grows(page):
    start = (
        "Through 3 layers, the output at up can have read 5 of 8 tokens: we, saw, it, go, up. None is from its future: "
        "it may be asked for the next token, and. One layer alone reads the same tokens."
    )
    assert said(page) == start
    press(page, 0, "up")
    assert said(page) == (
        "Through 3 layers, the token up can reach 4 of 8 outputs: up, and, come, down. None of them comes before it."
    )
    page.get_by_role("combobox").select_option("window")
    press(page, 3, "down")
    assert said(page) == (
        "Through 3 layers, the output at down can have read 7 of 8 tokens: saw, it, go, up, and, come, down. None is from "
        "its future: it may be asked for the next token. Each layer adds 2: through 3 layers, up to 3 · 2 + 1 = 7 tokens."
    )
    slider(page, "width").fill("2")
    assert "up to 3 · 1 + 1 = 4 tokens" in said(page)
    is_that_of(page, LightCones(preset="window", size=2, selected=7))
    page.get_by_role("button", name="Start again").click()
    assert said(page) == start


def test_what_a_prefix_is_stands_in_the_sentence(page):
    page.get_by_role("combobox").select_option("prefix")
    purpose = "are open to all: say, a question that is there from the start, and not asked for."
    assert said(page).endswith(f" The first 3 keys {purpose}")
    slider(page, "length").fill("2")
    assert said(page).endswith(f" The first 2 keys {purpose}")


def test_the_top_stays_the_top_when_there_are_more_or_fewer_layers(page):
    slider(page, "layers").press("ArrowRight")
    is_that_of(page, LightCones(layers=4))
    press(page, 3, "go")
    slider(page, "layers").press("ArrowLeft")
    is_that_of(page, LightCones(selected=3))
    slider(page, "layers").press("Home")
    is_that_of(page, LightCones(layers=1, selected=3))
    press(page, 0, "saw")
    slider(page, "layers").press("End")
    is_that_of(page, LightCones(layers=4, layer=0, selected=1))
    assert page.problems == []


def test_the_keyboard_alone_goes_from_dot_to_dot(page):
    slider(page, "layers").focus()
    page.keyboard.press("Tab")
    focused = "document.activeElement.ariaLabel"
    assert page.evaluate(focused) == "layer 3, up"
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "Home", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate(focused) == "layer 1, saw: read"
    page.keyboard.press("Enter")
    is_that_of(page, LightCones(layer=1, selected=1))
    assert page.evaluate(focused) == "layer 1, saw"
    for key in ("ArrowDown", "ArrowDown", "End", "Space"):
        page.keyboard.press(key)
    is_that_of(page, LightCones(layer=0, selected=7))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Start again"
    page.keyboard.press("Enter")
    is_that_of(page, LightCones())
    assert page.problems == []


def test_a_link_carries_the_mask_the_layers_and_the_dot(page, show):
    page.get_by_role("combobox").select_option("off by one")
    slider(page, "layers").press("End")
    press(page, 2, "go")
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    is_that_of(other, LightCones(preset="off by one", layers=4, layer=2, selected=3))
    assert other.problems == []


@pytest.mark.parametrize("width", [340, *(pytest.param(width, marks=pytest.mark.slow) for width in (390, 1280))])
def test_every_dot_is_a_target_inside_the_page_and_stands_at_the_end_of_its_lines(width, show):
    widget = LightCones(["Houston", "we", "have", "a", "problem", "internationalisation", *"abcd"], layers=4)
    page = opened(show, widget, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    svg = page.locator(".attn-cones svg").bounding_box()
    boxes = [dot.bounding_box() for dot in page.locator(".attn-dot").all()]
    for at, box in enumerate(boxes):
        row, i = divmod(at, 10)
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] + box["width"] / 2 == pytest.approx(svg["x"] + svg["width"] * (i + 0.5) / 10, abs=1)
        assert box["y"] + box["height"] / 2 == pytest.approx(svg["y"] + svg["height"] * (row + 0.5) / 5, abs=1)
    names = page.locator(".attn-name").all()
    for name, box in zip(names, boxes[-10:], strict=True):
        assert name.bounding_box()["width"] <= box["width"] + 1
