"""ConventionSwitch in a real browser: every formula both ways, every control, every number against attnlib."""

import re
from itertools import product

import numpy as np
import pytest

from attnlib.widgets import ConventionSwitch
from attnlib.widgets.convention_switch import FORMULAS
from tests.helpers.tiers import some_of

SIZES = ("n", "n_z", "d", "d_k", "d_v")


def opened(show, widget=None, **options):
    page = show(widget or ConventionSwitch(), **options)
    page.get_by_role("button", name="Flip").wait_for()
    return page


def choose(page, formula):
    page.get_by_label("formula").select_option(formula)


def flip(page):
    page.get_by_role("button", name="Flip").click()


def shown(numbers):
    return [f"{number:.2f}".replace("-", "−") for number in np.ravel(numbers)]


def tables(page):
    """The numbers of the first and of the second table."""
    return [table.locator("td:not(:empty)").all_text_contents() for table in page.locator(".attn-columns table").all()]


def plain(text):
    return text.replace("_", "")


@pytest.mark.parametrize(
    ("formula", "sizes"), some_of(product(FORMULAS, [{}, {"n": 1, "n_z": 8, "d": 2, "d_k": 6, "d_v": 5}]), every=2)
)
def test_each_formula_shows_its_words_shapes_and_numbers_both_ways(formula, sizes, show):
    switch = ConventionSwitch(formula=formula, **sizes)
    page = opened(show, switch)
    by_row, row_shapes, by_column, column_shapes = FORMULAS[formula]
    for words, shapes in ((by_row, row_shapes), (by_column, column_shapes)):
        assert page.locator(".attn-formula").get_attribute("aria-label") == words
        names = page.locator(".attn-sized strong").all_text_contents()
        assert " ".join(names) == plain(re.sub(r" / √d_k|softmax\((?=S)|(?<=S)\)|= |\+ ", "", words))
        cards = [letters(card) for card in page.locator(".attn-shape").all()]
        if formula != "weights":
            assert cards == re.findall(r"[\w]+×[\w]+", plain(shapes))
        flip(page)
    results = [shown(switch.row_result), shown(switch.column_result)]
    assert tables(page) == results
    flip(page)
    assert tables(page) == results[::-1]
    difference = page.locator("[aria-live]").text_content().split("the largest difference is ")[1]
    assert re.fullmatch(r"(0|\d\.\d×10⁻¹[⁰¹²³⁴⁵⁶⁷⁸⁹])\.", difference)
    assert page.problems == []


def letters(card):
    """n×d of a card's shape, without the numbers below."""
    return "×".join(span.evaluate("span => span.innerText").split("\n")[0] for span in card.locator("> span").all())


def test_a_flip_reverses_the_order_and_turns_every_rectangle(show):
    page = opened(show)
    rectangles = "rects => rects.map((rect) => [rect.getAttribute('width'), rect.getAttribute('height')].map(Number))"
    before = page.locator(".attn-sized rect:first-child").evaluate_all(rectangles)
    assert np.array_equal(np.array(before) / before[0][1] * 3, [[4, 3], [7, 3], [4, 7]])  # in proportion to the sizes
    assert page.locator("[aria-live]").count() == 1
    assert (
        page.locator("[aria-live]").text_content().startswith("Tokens are rows: Q = X WQ. Tokens as columns: Q = Wq X.")
    )
    flip(page)
    after = page.locator(".attn-sized rect:first-child").evaluate_all(rectangles)
    assert [after[0], after[2], after[1]] == [side[::-1] for side in before]
    assert (
        page.locator("[aria-live]").text_content().startswith("Tokens are columns: Q = Wq X. Tokens as rows: Q = X WQ.")
    )


def test_inner_sizes_meet_and_parameters_are_named(show):
    page = opened(show)
    assert page.locator(".attn-shape .attn-meets").all_inner_texts() == ["d\n7", "d\n7"]
    assert page.locator("small").all_text_contents() == ["activation", "activation", "parameter"]
    flip(page)
    assert page.locator(".attn-shape .attn-meets").all_inner_texts() == ["d\n7", "d\n7"]
    assert page.locator("small").all_text_contents() == ["activation", "parameter", "activation"]
    choose(page, "bias")
    assert page.locator("small").all_text_contents() == [
        "activation",
        "parameter",
        "activation",
        "parameter",
        "constant",
    ]
    colours = page.locator(".attn-sized rect:first-child").evaluate_all(
        "all => all.map((r) => getComputedStyle(r).fill)"
    )
    assert colours[1] == colours[3] != colours[0] == colours[2]


def test_a_token_is_shaded_along_its_own_axis(show):
    page = opened(show)
    choose(page, "scores")
    shaded = "rects => rects.map((rect) => [rect.getAttribute('width'), rect.getAttribute('height')].map(Number))"
    unit = 12
    assert page.locator("rect.attn-token").evaluate_all(shaded) == [
        [5 * unit, unit],
        [4 * unit, unit],
        [unit, 4 * unit],
    ]
    flip(page)
    assert page.locator("rect.attn-token").evaluate_all(shaded) == [
        [unit, 5 * unit],
        [4 * unit, unit],
        [unit, 4 * unit],
    ]
    plain_cells = page.locator(".attn-columns table").first.locator("tbody tr").first.locator("td.attn-plain")
    assert plain_cells.count() == 2  # of three tokens, the first is shaded


def test_softmax_runs_over_the_keys_in_both(show):
    page = opened(show, ConventionSwitch(formula="weights"))
    assert "Each of the rows adds up to 1." in page.locator("[aria-live]").text_content()
    flip(page)
    assert "Each of the columns adds up to 1." in page.locator("[aria-live]").text_content()
    first = [float(number) for number in tables(page)[0][0::3]]
    assert sum(first) == pytest.approx(1, abs=0.02)


def test_the_keyboard_alone_flips_chooses_and_resizes(show):
    page = opened(show)
    page.get_by_role("button", name="Flip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Flip: tokens as rows"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.locator(".attn-formula").get_attribute("aria-label") == FORMULAS["scores"][2]
    visible = page.locator("input[type=range]:visible")
    assert visible.count() == 3  # n, n_z and d_k; there is no d in the scores
    page.get_by_label("nz").focus()
    page.keyboard.press("End")
    switch = ConventionSwitch(formula="scores", n_z=8)
    assert tables(page) == [shown(switch.column_result), shown(switch.row_result)]
    page.get_by_role("button", name="Start again").press("Space")
    assert tables(page) == [shown(ConventionSwitch().row_result), shown(ConventionSwitch().column_result)]
    assert page.get_by_role("button", name="Start again").filter(visible=True).count() == 0
    assert page.problems == []


def test_every_slider_changes_its_own_size(show):
    page = opened(show)
    used = {"n": "projection", "n_z": "output", "d": "projection", "d_k": "bias", "d_v": "several heads"}
    for name, formula in used.items():
        choose(page, formula)
        page.locator("input[type=range]").nth(SIZES.index(name)).fill("6")
        sizes = {size: 6 for size in used if list(used).index(size) <= list(used).index(name)}
        assert tables(page)[0] == shown(ConventionSwitch(formula=formula, **sizes).row_result), name


def test_a_finger_can_flip_and_choose(show):
    page = opened(show, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    button = page.get_by_role("button", name="Flip")
    assert button.bounding_box()["height"] >= 32
    button.tap()
    assert button.text_content() == "Flip: tokens as rows"


@pytest.mark.parametrize("formula", FORMULAS)
def test_the_largest_sizes_fit_a_narrow_page(formula, show):
    page = opened(
        show, ConventionSwitch(formula=formula, **dict.fromkeys(SIZES, 8)), viewport={"width": 340, "height": 740}
    )
    for _ in range(2):
        assert page.evaluate("document.documentElement.scrollWidth") <= 340
        flip(page)


def test_a_link_carries_formula_convention_and_sizes(show):
    page = opened(show)
    choose(page, "output")
    flip(page)
    page.get_by_label("dv").fill("4")
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    assert other.locator(".attn-formula").get_attribute("aria-label") == "Y = V A"
    assert tables(other)[0] == shown(ConventionSwitch(formula="output", d_v=4).column_result)


def test_the_tables_without_a_script_hold_the_numbers_of_the_widget(show):
    still = show(ConventionSwitch(), java_script_enabled=False)
    numbers = [table.locator("tbody td").all_text_contents() for table in still.locator("table").all()[1:]]
    assert tables(opened(show)) == numbers
