"""RotaryDial in a page: every control, hands and curves, broken state, a shared link, axe."""

import re

import numpy as np
import pytest

from attnlib.formatting import text
from attnlib.widgets import RotaryDial


def opened(show, *, widget=None, **options):
    page = show(widget or RotaryDial(), **options)
    page.locator(".attn-dial:visible").first.wait_for()
    return page


def cells(page):
    return page.locator("tbody td").all_text_contents()


def told(page):
    return page.locator("[aria-live]").text_content()


def expected(dial):
    distance = text(dial.query_position - dial.key_position, 0)
    return f"Score {text(dial.score)} at distance {distance}. With both one position on: {text(dial.score_after(1))}."


def tips(page, which):
    """Where the hands end, in the order of the dials."""
    return np.array(
        page.locator(f".attn-hand-{which} circle").evaluate_all(
            "ends => ends.map((end) => [end.cx.baseVal.value, -end.cy.baseVal.value])"
        )
    )


def test_it_begins_with_the_numbers_of_its_tables_and_of_attnlib(show):
    still = cells(show(RotaryDial(), java_script_enabled=False))
    page = opened(show)
    assert cells(page) == still[: len(cells(page))]
    assert told(page) == expected(RotaryDial())
    assert "problem at 4 (query) reads from Houston at 0 (key)" in page.locator("figcaption").text_content()
    assert page.problems == []


def test_moving_both_turns_every_hand_and_leaves_the_score(show):
    page = opened(show)
    score, before, numbers = told(page), tips(page, "query"), cells(page)
    page.get_by_label("move both").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        assert told(page) == score
    dial = RotaryDial(query_position=9, key_position=5)
    assert np.abs(tips(page, "query") - before).max(axis=1).min() > 5
    assert cells(page) != numbers
    assert cells(page)[-1] == numbers[-1] == text(dial.score)
    page.get_by_label("move both").fill("28")
    assert [page.get_by_label(f"{name}’s position").input_value() for name in ("query", "key")] == ["32", "28"]
    assert told(page) == score


def test_the_hands_are_the_turned_pairs(show):
    dial = RotaryDial(query_position=3, key_position=11, key_layout="interleaved")
    page = opened(show, widget=dial)
    query, key = (vector[0] for vector in dial.turned())
    pairs = {"query": query.reshape(2, 3).T, "key": key.reshape(3, 2)}
    longest = max(np.hypot(*pair.T).max() for pair in pairs.values())
    for which, pair in pairs.items():
        assert np.abs(tips(page, which) - 46 * pair / longest).max() < 1e-3
    labels = page.locator(".attn-dial").all_text_contents()
    assert [re.search(r"query: (\d, \d)key: (\d, \d)", label).groups() for label in labels] == [
        ("0, 3", "0, 1"),
        ("1, 4", "2, 3"),
        ("2, 5", "4, 5"),
    ]
    assert [re.search(r"pair \d(.+)°", label)[1] for label in labels] == [
        text(np.degrees(100.0 ** (-c / 3)), 1) for c in range(3)
    ]


def test_the_keyboard_moves_every_control(show):
    page = opened(show)
    page.get_by_label("move both").focus()
    dial = RotaryDial(query_position=6, key_position=0, query_layout="interleaved", key_layout="interleaved")
    for key in ("Right", "Right", "Left", "Down", "Down"):
        page.keyboard.press(f"Arrow{key}")
        page.keyboard.press("Tab")
    assert told(page) == expected(dial)
    page.locator("[role=group]").focus()
    page.get_by_role("button", name="Start again").press("Enter")
    assert told(page) == expected(RotaryDial())
    assert page.problems == []


def test_where_the_layouts_are_not_to_be_chosen_nothing_speaks_of_them(show):
    dial = RotaryDial(query_layout="interleaved", key_layout="interleaved", choose_layouts=False)
    page = opened(show, widget=dial)
    assert page.get_by_label("layout").count() == 2
    assert not any(box.is_visible() for box in page.get_by_label("layout").all())
    assert "interleaved" not in page.locator(".attn-note").text_content().lower()
    assert page.problems == []


def test_the_layouts_disagree_and_the_curves_part(show):
    page = opened(show)

    def curves():
        return set(
            page.locator(".attn-other, .attn-present").evaluate_all(
                "paths => paths.map((path) => path.getAttribute('d'))"
            )
        )

    assert len(curves()) == 1
    page.get_by_label("key’s layout").select_option("interleaved")
    dial = RotaryDial(key_layout="interleaved")
    assert told(page) == expected(dial)
    assert len(curves()) == 5
    page.get_by_label("move both").fill("3")
    assert told(page) == expected(RotaryDial(key_layout="interleaved", query_position=7, key_position=3))
    page.get_by_label("query’s layout").select_option("interleaved")
    assert len(curves()) == 1
    assert "one curve for all" in page.locator(".attn-curve").get_attribute("aria-label")


def test_the_curve_is_the_score_at_every_distance_and_the_dot_stands_on_it(show):
    page = opened(show)

    def dot():
        return page.locator(".attn-curve circle").evaluate("dot => [dot.cx.baseVal.value, dot.cy.baseVal.value]")

    path = page.locator(".attn-present").get_attribute("d")
    points = np.array([[float(x) for x in point.split()] for point in path[1:].split("L")])
    assert len(points) == 65
    assert dot() == pytest.approx(points[32 + 4], abs=0.1)
    scores = [RotaryDial(query_position=p).score for p in range(33)] + [
        RotaryDial(query_position=0, key_position=p).score for p in range(33)
    ]
    heights = [*points[32:, 1], *points[32::-1, 1]]
    slope, shift = np.polyfit(scores, heights, 1)
    assert slope < 0
    assert np.abs(slope * np.array(scores) + shift - heights).max() < 0.1
    page.get_by_label("key’s position").fill("20")
    assert dot() == pytest.approx(points[32 - 16], abs=0.1)
    assert "distance −16" in told(page)


def test_a_shared_link_shows_the_same(show):
    page = opened(show)
    page.get_by_label("query’s position").fill("21")
    page.get_by_label("key’s layout").select_option("interleaved")
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    assert told(other) == told(page) == expected(RotaryDial(query_position=21, key_layout="interleaved"))
