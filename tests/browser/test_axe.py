"""axe's rules on every widget as it comes and after it has been used: on a laptop and a phone, light and dark."""

import numpy as np
import pytest

from attnlib.widgets import Choice, HeadMixer, Number, RotaryDial

RNG = np.random.default_rng(0)
WIDTHS, SCHEMES = (1280, 390), ("light", "dark")
STEPS = ["first", "second", "third"]


def others():
    """Widgets that look otherwise than the gallery's."""
    many = RNG.random((144, 12, 12)) ** 8
    return [
        Choice("In which order?", [(step, "No.") for step in STEPS], mode="order", order=[2, 0, 1], title="o"),
        Number("How far?", 8, [(64, 0.5, "That is the *variance*.")], unit="nats", provenance="hand-made", title="n"),
        HeadMixer([f"t{i}" for i in range(12)], weights=many / many.sum(axis=-1, keepdims=True), columns=12, title="m"),
        RotaryDial(*RNG.normal(size=(2, 16)), title="r"),
    ]


def use(page):
    """Change what each widget shows: a mask, a warning, a reply, a token chosen."""

    def all_of(widget):
        return page.locator(f"[data-widget={widget}]").all()

    for grid in all_of("attention_grid"):
        grid.get_by_label("mask", exact=True).check()
    for choice in all_of("choice"):
        choice.locator(".attn-options button:not([aria-disabled=true])").first.click()
        for check in choice.get_by_role("button", name="Check the order").all():
            check.click()
    for switch in all_of("convention_switch"):
        switch.get_by_label("formula").select_option("bias")
        switch.get_by_role("button", name="Flip").click()
    for calculator in all_of("cost_calculator"):
        calculator.get_by_label("key and value heads").fill("0")
    for browser in all_of("head_browser"):
        browser.get_by_label("Sentence").fill("we have the moon . it called the ship moom")
        browser.get_by_label("Silence this head").check()
    for mixer in all_of("head_mixer"):
        mixer.locator(".attn-head").last.click()
        for mixed in mixer.get_by_label("multiply by W_O").all():
            mixed.check()
    for painter in all_of("mask_painter"):
        painter.get_by_label("zero after the softmax").check()
        painter.locator("[data-cell='0,3']").click()
    for ellipse in all_of("metric_ellipse"):
        ellipse.get_by_label("stretch ②").fill("0")
        ellipse.get_by_label("turn").fill("25")
    for number, answer in zip(all_of("number_question"), ("64", "8"), strict=False):
        number.get_by_label("Your answer").fill(answer)
        number.get_by_role("button", name="Check").click()
    for stepper in all_of("query_stepper"):
        stepper.get_by_label("mask", exact=True).check()
        stepper.get_by_role("button", name="9 Context").click()
    for puzzle in all_of("context_puzzle"):
        puzzle.locator(".attn-words button").first.click()
    for puzzle in all_of("rates_puzzle"):
        puzzle.get_by_role("button", name="Try every rate").click()
    for dial in all_of("rotary_dial"):
        dial.get_by_label("key’s layout").select_option("interleaved")
    for lab in all_of("scaling_lab"):
        lab.locator("input[type=range]").first.fill("12")
    for sliders in all_of("softmax_sliders"):
        sliders.get_by_role("combobox", name="φ").select_option("square")
        sliders.get_by_label("add to every score").fill("-3")
    for counter in all_of("tensor_counter"):
        counter.get_by_label("tokens n").fill("64")
    for spaces in all_of("three_spaces"):
        spaces.get_by_label("W_K: a preset").select_option("rotate 90°")
        spaces.get_by_label("W_Q, row 1, column 2").fill("0.7")


@pytest.mark.slow  # `make test` looks at the gallery, dark and on a phone
@pytest.mark.parametrize("used", [False, True])
def test_axe_finds_no_violation_and_nothing_hangs_over(used, gallery, show, violations):
    page = show(*gallery.values(), *others())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # brings all to life at once
    if used:
        use(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], (width, scheme)
    assert page.problems == []
    page.set_viewport_size({"width": 340, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
