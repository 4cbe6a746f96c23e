"""StreamingSoftmax in a page: keys that come one by one, bars that shrink, and numbers that are those of Python."""

import numpy as np
import pytest

from attnlib.widgets import StreamingSoftmax

SCORES, VALUES = [2, 1, 4, 3], [4, -2, 1, 2]


def opened(show, *, widget=None, **options):
    page = show(widget or StreamingSoftmax(SCORES, VALUES), **options)
    page.locator(".attn-stream").wait_for()
    return page


def press(page, name, times=1):
    for _ in range(times):
        page.get_by_role("button", name=name).click()


def boxes(page):
    return page.locator(".attn-kept dd").all_text_contents()


def shares(page):
    return [text for text in page.locator(".attn-poured").all_text_contents() if text]


def told(page):
    return page.locator(".attn-passing p").all_text_contents()


def test_key_by_key_three_numbers_are_those_of_python(show):
    page = opened(show)
    assert boxes(page) == ["−∞", "0.000", "0.000"]
    assert told(page) == ["Press “Next key”."]
    for k, (largest, total, blend) in enumerate(StreamingSoftmax(SCORES, VALUES).states, start=1):
        press(page, "Next key")
        assert boxes(page) == [f"{largest:.0f}", f"{total:.3f}", f"{blend:.3f}"]
        answers = page.locator(".attn-answer-so-far strong").all_text_contents()
        assert answers == [f"{blend / total:.3f}"] * 2
        assert shares(page) == [f"{share:.3f}" for share in np.exp(np.array(SCORES[:k]) - largest)]
    assert page.get_by_role("button", name="Next key").get_attribute("aria-disabled") == "true"
    page.get_by_role("button", name="Next key").press("Enter")
    assert boxes(page) == [f"{largest:.0f}", f"{total:.3f}", f"{blend:.3f}"]
    assert page.problems == []


def test_a_larger_score_shrinks_what_is_kept_and_a_smaller_one_does_not(show):
    page = opened(show)
    press(page, "Next key", 2)
    assert told(page)[0] == "Key 2 has the score 1, not above 2: nothing shrinks. Its bar is e1 − 2 = 0.368."
    assert told(page)[1:] == ["total = 1.000 + 0.368 = 1.368", "blend = 4.000 + 0.368 · (−2) = 3.264"]
    press(page, "Next key")
    assert told(page)[0] == "Key 3 has the score 4, above 2: all that is kept shrinks by e2 − 4 = 0.135."
    assert told(page)[1:] == ["total = 1.368 · 0.135 + 1.000 = 1.185", "blend = 3.264 · 0.135 + 1.000 · 1 = 1.442"]
    assert page.locator(".attn-gone").count() == 2
    press(page, "Back")
    assert boxes(page) == ["2", "1.368", "3.264"]


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_bars_move_unless_the_reader_wants_no_motion(motion, show):
    page = opened(show, reduced_motion=motion)
    pressed = """next => {
      next.click();
      return [...document.querySelectorAll(".attn-pour")].flatMap((bar) => bar.getAnimations()).length;
    }"""
    moving = page.get_by_role("button", name="Next key").evaluate(pressed)
    assert (moving > 0) == (motion == "no-preference")
    press(page, "Next key", 2)
    page.wait_for_function("!document.getAnimations().length")
    width = "bar => bar.getBoundingClientRect().width / bar.parentNode.getBoundingClientRect().width"
    assert page.locator(".attn-pour").first.evaluate(width) == pytest.approx(np.exp(-2), abs=0.01)


def test_scores_and_values_can_be_typed_and_hundreds_do_not_overflow(show, rested):
    page = opened(show)
    page.get_by_label("keys seen").fill("4")
    page.get_by_label("score of key 2").fill("720")
    page.get_by_label("value of key 2").fill("-3.5")
    rested(page)
    assert boxes(page) == ["720", "1.000", "−3.500"]
    page.get_by_label("keys seen").fill("2")
    rested(page)
    assert told(page)[-1] == "e720 alone is too large for float64. No exponent here is above 0."
    page.get_by_label("score of key 2").fill("")
    page.get_by_label("score of key 1").focus()
    assert page.get_by_label("score of key 2").input_value() == "720"
    page.get_by_label("score of key 2").fill("5000")
    page.get_by_label("score of key 1").focus()
    assert page.get_by_label("score of key 2").input_value() == "1000"
    assert page.problems == []


def test_a_shared_link_shows_the_same_and_start_again_undoes_it(show):
    page = opened(show)
    page.get_by_label("score of key 1").fill("3.25")
    press(page, "Next key", 3)
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    assert (boxes(other), told(other)) == (boxes(page), told(page))
    press(page, "Start again")
    assert boxes(page) == ["−∞", "0.000", "0.000"]
    assert page.get_by_label("score of key 1").input_value() == "2"


def test_twelve_keys_fit_a_phone(show):
    widget = StreamingSoftmax([-999.125] * 12, [999.125] * 12, seen=12)
    page = opened(show, widget=widget, viewport={"width": 340, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    assert boxes(page) == ["−999.125", "12.000", "11989.500"]
    cut = "all => all.filter((box) => box.scrollWidth > box.clientWidth).length"
    assert page.locator(".attn-kept > div").evaluate_all(cut) == 0
