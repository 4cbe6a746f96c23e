"""The scaling lab in a page: its numbers, every control, and what it refuses."""

import re

import numpy as np
import pytest

from attnlib.formatting import compact, text
from attnlib.lab import score_variance
from attnlib.lab.scaling import BROKEN
from attnlib.widgets import ScalingLab


def opened(show, *, widget=None, **options):
    page = show(widget or ScalingLab(), **options)
    page.locator(".attn-measures").wait_for()
    return page


def shown(page):
    return page.locator(".attn-measures td").all_text_contents()


def expected(**options):
    _, variance, *rest = ScalingLab(**options).measures
    return [compact(variance), *map(text, rest)]


def set_width(page, d_k):
    page.get_by_label("width dₖ").fill(str(d_k.bit_length() - 1))


def test_one_key_takes_all_as_the_width_grows_unless_its_root_divides(show):
    page = opened(show)
    assert shown(page) == expected()
    largest = []
    for scaled in (False, True):
        page.get_by_label("divide by √dₖ").set_checked(scaled)
        for d_k in (1, 4, 64, 1024, 4096):
            set_width(page, d_k)
            assert page.locator(".attn-controls output").text_content() == str(d_k)
            assert page.get_by_label("width dₖ").get_attribute("aria-valuetext") == str(d_k)
            assert shown(page) == expected(d_k=d_k, scaled=scaled)
            largest.append(float(shown(page)[1]))
    assert largest[4] > 0.9 > 0.3 > largest[0]
    assert max(largest[5:]) < 0.4
    assert page.problems == []


@pytest.mark.parametrize("broken", BROKEN)
def test_each_assumption_has_its_prediction_beside_what_is_measured(broken, show):
    page = opened(show)
    page.get_by_role("combobox", name="break").select_option(broken)
    for d_k, scaled in ((2, False), (1024, False), (1024, True)):
        set_width(page, d_k)
        page.get_by_label("divide by √dₖ").set_checked(scaled)
        assert shown(page) == expected(d_k=d_k, scaled=scaled, broken=broken)
        by = d_k if scaled else 1
        words = page.locator(".attn-measures small").first.text_content()
        assert words.startswith(f"predicted: {compact(score_variance(d_k, broken=broken) / by)}")
        if broken != "none":
            assert words.endswith(f"; with nothing broken: {compact(d_k / by)}")
        assert "Var(q·k) = " in page.locator(".attn-readout p").text_content()


def test_the_histogram_counts_every_score(show):
    lab = ScalingLab(d_k=64, seed=2)
    page = opened(show, widget=lab)
    counts = np.histogram(lab.scores, np.linspace(-10, 10, 41))[0]
    beyond = np.array([(lab.scores < -10).sum(), (lab.scores >= 10).sum()])
    most = max(*counts, *beyond)

    def heights(selector):
        path = page.locator(selector).get_attribute("d")
        return [(130 - float(top)) * most / 105 for top in re.findall(r"V([\d.]+)H", path)]

    assert np.allclose(heights(".attn-histogram path:not(.attn-beyond)"), counts)
    assert np.allclose(heights(".attn-beyond"), beyond)
    share = f"{100 * beyond.sum() / 320:.0f} %"
    assert share in page.locator(".attn-histogram").get_attribute("aria-label")
    news = page.locator("[aria-live]").text_content()
    assert f"{share} lie beyond ±10" in news
    assert f"mean {compact(lab.measures[0])} and variance {compact(lab.measures[1])}" in news


def test_the_page_shows_before_and_after_its_script_the_same_numbers(show):
    for lab in (ScalingLab(), ScalingLab(d_k=256, scaled=True, broken="unit", n_q=3, n_k=7)):
        name = f"dₖ = {lab.d_k}{', ÷ √dₖ' if lab.scaled else ''}"
        page = show(lab, java_script_enabled=False)
        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))
        cells = row.locator("td").all_text_contents()
        assert shown(opened(show, widget=lab)) == [cells[0], *cells[2:]]


def test_every_control_works_by_keyboard(show):
    page = opened(show)
    page.get_by_label("width dₖ").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    options = {"d_k": 2048, "scaled": True, "broken": "variance", "seed": 2}
    assert shown(page) == expected(**options)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # start again
    assert shown(page) == expected()


def test_fingers_can_press_everything(show):
    page = opened(show, viewport={"width": 390, "height": 800}, has_touch=True)
    page.get_by_label("divide by √dₖ").tap()
    page.get_by_role("button", name="Draw other vectors").tap()
    assert shown(page) == expected(scaled=True, seed=2)
    assert page.locator("figcaption").text_content().endswith("Numbers: random, seed 2.")
    box = page.get_by_label("width dₖ").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert shown(page) == expected(scaled=True, seed=2, d_k=4096)
    for control in page.locator(".attn-control, .attn-controls button").all():
        assert control.bounding_box()["height"] >= 32


def test_a_shared_link_and_start_again(show):
    page = opened(show)
    set_width(page, 512)
    page.get_by_role("combobox", name="break").select_option("unit")
    page.get_by_label("divide by √dₖ").check()
    page.get_by_role("button", name="Draw other vectors").click()
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    assert shown(other) == shown(page) == expected(d_k=512, broken="unit", scaled=True, seed=2)
    other.get_by_role("button", name="Start again").click()
    assert shown(other) == expected()
    assert page.problems == other.problems == []


def test_the_last_seed_is_followed_by_the_first(show):
    page = opened(show, widget=ScalingLab(seed=2**31 - 1))
    page.get_by_role("button", name="Draw other vectors").click()
    assert shown(page) == expected(seed=0)
