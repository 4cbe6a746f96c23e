"""The softmax sliders in a page: every control, the properties they show, and what they refuse."""

import numpy as np
import pytest

from attnlib import houston
from attnlib.lab import positive_function, positive_weights
from attnlib.widgets import SoftmaxSliders

SCORES = houston.EMBEDDINGS[0] @ houston.EMBEDDINGS.T


def opened(show, *, widget=None, **options):
    page = show(widget or SoftmaxSliders(), **options)
    page.locator(".attn-sliders").wait_for()
    return page


def bars(page):
    return page.locator(".attn-bar").all_text_contents()


def as_shown(scores, phi="exp"):
    return [f"{w:.2f}" for w in positive_weights(np.asarray(scores), phi)]


def verdicts(page):
    return [text.split()[0] == "holds" for text in page.locator(".attn-properties b").all_text_contents()]


def test_a_constant_on_every_score_changes_nothing_with_exp(show):
    page = opened(show)
    before = bars(page)
    assert before == as_shown(SCORES)
    assert "Now add a constant to every score" in page.locator("[aria-live]").text_content()
    page.get_by_label("add to every score").fill("4")
    assert bars(page) == before
    s, raised = (page.locator(f".attn-sliders tbody tr:first-child td:nth-child({k})").text_content() for k in (4, 5))
    assert (s, raised) == (f"{SCORES[0] + 4:.2f}", f"{np.exp(SCORES[0] + 4):.2f}")
    assert "Adding 4.0 to every score moved no weight" in page.locator("[aria-live]").text_content()
    assert verdicts(page) == [True] * 4


@pytest.mark.parametrize(
    ("phi", "constant", "holds"),
    [
        ("softplus", 2, [True, True, True, False]),
        ("sigmoid", 2, [True, True, True, False]),
        ("relu", -2, [True, True, False, False]),
        ("square", -2, [True, True, False, False]),
    ],
)
def test_each_other_function_keeps_the_sum_and_loses_the_rest(phi, constant, holds, show):
    page = opened(show)
    page.get_by_role("combobox", name="φ").select_option(phi)
    assert bars(page) == as_shown(SCORES, phi)
    page.get_by_label("add to every score").fill(str(constant))
    assert bars(page) == as_shown(SCORES + constant, phi)
    assert verdicts(page) == holds
    change = np.abs(positive_weights(SCORES + constant, phi) - positive_weights(SCORES, phi))
    assert f"(largest change: {change.max():.2f})" in page.locator(".attn-properties").text_content()
    sums = page.locator(".attn-sliders tbody tr:last-child td").all_text_contents()
    assert sums[3:] == [f"{positive_function(SCORES + constant, phi).sum():.2f}", "1.00"]
    was = page.locator(".attn-bar").evaluate_all("cells => cells.map((cell) => +cell.style.getPropertyValue('--was'))")
    assert np.allclose(was, positive_weights(SCORES, phi), atol=6e-4)


@pytest.mark.slow
def test_the_page_agrees_with_python_on_every_property(show):
    for phi in ("exp", "softplus", "sigmoid", "relu", "square"):
        widget = SoftmaxSliders("abcd", [-1.5, 0.0, 0.5, 2.0], phi=phi, constant=-1.0, temperature=0.5)
        still = show(widget, java_script_enabled=False).locator("table").last
        expected = [row.all_text_contents() for row in (still.locator("tbody th"), still.locator("td:nth-child(2)"))]
        page = opened(show, widget=widget)
        shown = page.locator(".attn-properties span").all_text_contents()
        assert shown == [f"{name} ({measured})" for name, measured in zip(*expected, strict=True)]
        assert [("fails", "holds")[v] for v in verdicts(page)] == still.locator(
            "tbody td:nth-child(3)"
        ).all_text_contents()


def test_the_page_shows_before_and_after_its_script_the_same_numbers(show):
    widget = SoftmaxSliders("abc", [-4.0, 0.125, 2.0], constant=-7.5, temperature=0.3)
    rows = "table:first-of-type tbody tr td:nth-last-child(-n+3)"
    still = show(widget, java_script_enabled=False).locator("table").first.locator("tbody td")
    live = opened(show, widget=widget).locator(rows)
    assert [text for text in live.all_text_contents()] == still.all_text_contents()
    assert "×10⁻" in "".join(still.all_text_contents())


def test_every_control_works_by_keyboard(show):
    page = opened(show)
    page.get_by_label("add to every score").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("s")  # softplus, the first that begins so
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.keyboard.press("Tab")  # the table, should it scroll, or the first score
    first = page.get_by_role("slider", name="Houston score")
    first.focus()
    page.keyboard.press("Home")
    assert bars(page) == as_shown((np.array([-5, *SCORES[1:]]) + 0.5) / 5, "softplus")
    assert first.get_attribute("aria-valuetext") == f"−5.00, weight {bars(page)[0]}"


def test_a_score_is_dragged_by_mouse_and_by_finger(show):
    page = opened(show, has_touch=True)
    slider = page.get_by_role("slider", name="we score")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    assert bars(page) == as_shown([SCORES[0], 5, *SCORES[2:]])
    page.touchscreen.tap(box["x"] + 1, box["y"] + box["height"] / 2)
    assert bars(page) == as_shown([SCORES[0], -5, *SCORES[2:]])
    assert box["height"] >= 32


def with_values(**options):
    stage = houston.stages()[2]
    grid = stage.query @ stage.key.T
    return SoftmaxSliders(
        houston.TOKENS, grid[4], values=stage.value, value_axes=houston.VALUE_AXES, others=grid[:4], **options
    )


def test_a_hidden_token_leaves_its_share_to_the_others(show):
    page = opened(show, widget=with_values())
    page.get_by_label("have has the score −∞").check()
    widget = with_values(hidden=[2])
    assert bars(page) == [f"{x:.2f}" for x in [*widget.weights, *widget.blend]]
    assert page.get_by_role("slider", name="have score").is_disabled()
    for token in ("Houston", "we", "a"):
        page.get_by_label(f"{token} has the score −∞").check()
    assert page.get_by_label("problem has the score −∞").is_disabled()  # something must be left to share
    assert page.problems == []


def test_over_the_queries_the_row_no_longer_sums_to_1(show):
    page = opened(show, widget=with_values())
    page.get_by_role("combobox", name="sum over").select_option(index=1)
    widget = with_values(axis="queries")
    assert bars(page) == [f"{x:.2f}" for x in [*widget.weights, *widget.blend]]
    assert f"this row to {widget.weights.sum():.2f}" in page.locator("[aria-live]").text_content()
    assert page.locator(".attn-properties").is_hidden()


def test_only_the_controls_that_are_named_are_there(show):
    page = opened(show, widget=with_values(controls=["temperature"]))
    assert page.get_by_label("temperature").is_visible()
    for gone in ("add to every score", "φ", "sum over"):
        assert page.get_by_label(gone, exact=True).is_hidden()
    assert page.get_by_role("checkbox").count() == 0
    heads = page.locator(".attn-sliders thead th, .attn-sliders thead td").all_text_contents()
    assert heads == ["token", "score", "s", "φ(s)", "weight"]
    assert page.locator(".attn-properties").is_hidden()
    assert "constant" not in page.locator("[aria-live]").text_content()
    page.get_by_label("temperature").fill("2")
    widget = with_values(controls=["temperature"], temperature=2.0)
    assert bars(page) == [f"{x:.2f}" for x in [*widget.weights, *widget.blend]]
    assert "Properties" not in widget.to_html()
    assert "s = score / temperature." in page.locator("figcaption").text_content()
    assert page.problems == []


def test_start_again_and_a_shared_link(show):
    page = opened(show)
    page.get_by_label("add to every score").fill("-3")
    page.get_by_role("combobox", name="φ").select_option("square")
    page.get_by_label("temperature").fill("2")
    page.get_by_role("slider", name="problem score").fill("1")
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    assert bars(other) == bars(page) == as_shown((np.array([*SCORES[:4], 1]) - 3) / 2, "square")
    other.get_by_role("button", name="Start again").click()
    assert bars(other) == as_shown(SCORES)
    assert other.get_by_role("combobox").input_value() == "exp"
    assert page.problems == other.problems == []
