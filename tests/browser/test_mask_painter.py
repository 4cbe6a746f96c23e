"""MaskPainter in a page: painted with mouse, finger and keys, and every number held to attnlib."""

import numpy as np
import pytest

from attnlib import causal_mask, padding_mask, sliding_window_mask
from attnlib.masks import as_torch_reads
from attnlib.widgets import MaskPainter

AGAIN = "Start again"


def open_painter(show, painter=None, **options):
    page = show(painter or MaskPainter(), **options)
    page.locator("[role=gridcell]").first.wait_for()
    return page


def cell(page, row, column):
    return page.locator(f"[data-cell='{row},{column}']")


def says(page):
    return page.locator("[aria-live=polite]").text_content()


def blocked(page, n=5):
    classes = page.locator("[role=gridcell]").evaluate_all(
        "all => all.map((c) => c.classList.contains('attn-blocked'))"
    )
    return np.array(classes).reshape(n, n)


def shows(page, painter):
    """Whether the page holds what attnlib computes for the painter's state, and nothing went wrong."""
    weights, moved = painter.weights, painter.moved
    expected = []
    for i, row in enumerate(weights):
        expected += [f"{w:.2f}" if ok else "–" for w, ok in zip(row, painter.allowed[i], strict=True)]
        expected += [
            f"{row.sum():.2f}",
            "no" if moved[i] < 1e-12 else f"{moved[i]:.2f}" if moved[i] >= 0.005 else "< 0.01",
        ]
    assert page.locator("tbody td").all_text_contents() == expected
    assert (blocked(page, len(weights)) == ~painter.allowed).all()
    printed = page.locator("pre").text_content()
    entries = [
        word == "True"
        for word in printed.split("attn_mask =")[1].replace("[", " ").replace("]", " ").replace(",", " ").split()
    ]
    assert np.array_equal(np.reshape(entries, weights.shape), painter.for_torch)
    assert page.problems == []
    return True


def test_the_page_shows_before_and_after_its_script_the_same_numbers(show):
    painter = MaskPainter(leaky=True)
    still = show(painter, java_script_enabled=False).locator("tbody td, th").all_text_contents()
    live = open_painter(show, painter)
    assert live.locator("tbody td, th").all_text_contents() == still
    assert shows(live, painter)


def test_no_output_before_the_replaced_token_moves_until_the_zeros_come_too_late(show):
    page = open_painter(show)
    assert says(page) == "With launch in place of problem, 1 of 5 outputs moves."
    assert shows(page, MaskPainter())
    page.get_by_label("zero after the softmax").check()
    assert says(page).startswith("With launch in place of problem, 5 of 5 outputs move. Some read nothing from it")
    assert shows(page, MaskPainter(leaky=True))
    page.get_by_label("zero after the softmax").uncheck()
    page.locator("select").first.select_option("none")
    assert (
        says(page) == "With launch in place of problem, 5 of 5 outputs move. Earlier ones among them read the future."
    )
    assert shows(page, MaskPainter(preset="none"))


@pytest.mark.parametrize("token", range(5))
def test_any_token_can_be_replaced_and_put_back(token, show):
    page = open_painter(show)
    name = MaskPainter().tokens[token]
    button = page.get_by_role("button", name=name, exact=True)
    if token != 4:
        button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert page.locator(".attn-button[aria-pressed=true]").count() == 1
    assert shows(page, MaskPainter(replaced=[token]))
    assert f"launch in place of {name}, " in says(page)
    button.click()
    assert says(page) == "Replace a token to see which outputs move."
    assert shows(page, MaskPainter(replaced=[]))


def test_every_preset_with_every_size(show):
    page = open_painter(show)
    choose = page.locator("select").first
    masks = {
        "padding": lambda size: padding_mask(np.array(size), 5),
        "sliding window": lambda size: sliding_window_mask(5, window=size),
        "prefix": lambda size: causal_mask(5) | padding_mask(np.array(size), 5),
    }
    for name, mask in masks.items():
        choose.select_option(name)
        slider = page.locator("input[type=range]").filter(visible=True)
        assert slider.count() == 1
        for size in (1, 2, 5):
            slider.fill(str(size))
            assert (blocked(page) == ~mask(size)).all()
        slider.press("ArrowLeft")
        assert shows(page, MaskPainter(preset=name.split()[-1], size=4))
    for name in ("none", "causal"):
        choose.select_option(name)
        assert page.locator("input[type=range]").filter(visible=True).count() == 0
        assert shows(page, MaskPainter(preset=name))
    choose.select_option("painted by you")
    assert shows(page, MaskPainter(preset="painted"))


def test_a_click_allows_and_blocks(show):
    page = open_painter(show)
    mask = causal_mask(5)
    for row, column in [(0, 4), (3, 1), (2, 2)]:
        cell(page, row, column).click()
        mask[row, column] ^= True
        assert shows(page, MaskPainter(preset="painted", mask=mask))
    assert page.locator("select").first.evaluate("menu => menu.selectedOptions[0].text") == "painted by you"
    assert "3 of 5" not in says(page)
    assert "Earlier ones among them read the future" in says(page)  # Houston reads problem now
    cell(page, 0, 4).click()
    assert not blocked(page)[0, 0]


def test_the_mouse_paints_what_its_first_cell_began(show):
    page = open_painter(show)
    drag_mouse(page, [(0, 1), (0, 2), (1, 2), (1, 1), (2, 1)], page.mouse)
    mask = causal_mask(5)
    mask[0, 1] = mask[0, 2] = mask[1, 2] = True  # the others were open: the stroke allows
    assert shows(page, MaskPainter(preset="painted", mask=mask))
    cell(page, 4, 0).hover()
    assert shows(page, MaskPainter(preset="painted", mask=mask))  # the button is up


def drag_mouse(page, cells, mouse):
    boxes = [cell(page, *one).bounding_box() for one in cells]
    for step, box in enumerate(boxes):
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
        if step == 0:
            mouse.down()
    mouse.up()


def test_a_row_keeps_its_last_key_and_says_why(show):
    page = open_painter(show)
    cell(page, 0, 0).click()
    assert says(page).startswith("Houston keeps this key")
    assert shows(page, MaskPainter())
    assert not page.get_by_role("button", name=AGAIN).is_visible()
    drag_mouse(page, [(1, 0), (1, 1), (2, 1), (2, 2)], page.mouse)  # blocks; the second would be the last
    mask = causal_mask(5)
    mask[1, 0] = mask[2, 1] = mask[2, 2] = False
    assert shows(page, MaskPainter(preset="painted", mask=mask))
    assert says(page).startswith("we keeps this key")  # also after cells that could be painted
    page.get_by_role("button", name="a", exact=True).click()
    assert "launch in place of a, " in says(page)


def test_the_keyboard_walks_and_paints(show):
    page = open_painter(show)
    page.get_by_label("zero after the softmax").focus()
    page.keyboard.press("Tab")
    for key, expected in [("ArrowRight", "0,1"), ("ArrowDown", "1,1"), ("End", "1,4"), ("ArrowRight", "1,4"),
                          ("Home", "1,0"), ("ArrowLeft", "1,0"), ("ArrowUp", "0,0"), ("ArrowUp", "0,0")]:  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.cell") == expected
    page.keyboard.press("Space")
    assert says(page).startswith("Houston keeps this key")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    mask = causal_mask(5)
    mask[0, 1] = True
    assert shows(page, MaskPainter(preset="painted", mask=mask))
    assert page.evaluate("document.activeElement.dataset.cell") == "0,1"
    page.keyboard.press("Space")
    assert shows(page, MaskPainter(preset="painted", mask=causal_mask(5)))
    assert cell(page, 0, 1).get_attribute("aria-label") == "Houston reads from we: blocked"
    assert cell(page, 1, 0).get_attribute("aria-label") == f"we reads from Houston: {MaskPainter().weights[1, 0]:.2f}"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Houston"


def test_a_screen_readers_press_paints(show):
    page = open_painter(show)
    cell(page, 0, 1).evaluate("cell => cell.click()")
    assert not blocked(page)[0, 1]


def test_the_right_button_paints_nothing(show):
    page = open_painter(show)
    cell(page, 0, 1).click(button="right")
    page.locator("th").first.click()
    assert shows(page, MaskPainter())


def test_a_finger_paints_and_does_not_scroll(show, centre_of, drag):
    page = open_painter(show, viewport={"width": 360, "height": 400}, has_touch=True, is_mobile=True)
    cell(page, 2, 2).evaluate("cell => cell.scrollIntoView({ block: 'center' })")
    scrolled = page.evaluate("scrollY")
    drag(page, *(centre_of(cell(page, row, 4)) for row in range(4)))
    mask = causal_mask(5)
    mask[:4, 4] = True
    assert shows(page, MaskPainter(preset="painted", mask=mask))
    assert page.evaluate("scrollY") == scrolled


def test_a_tap_paints_once_and_cells_are_large_enough_for_a_finger(show):
    page = open_painter(show, viewport={"width": 340, "height": 700}, has_touch=True, is_mobile=True)
    cell(page, 0, 4).tap()
    assert not blocked(page)[0, 4]
    assert min(cell(page, i, j).bounding_box()["height"] for i in range(5) for j in range(5)) >= 32
    assert page.evaluate("document.documentElement.scrollWidth") <= 340


def test_torchs_two_polarities_print_opposite_matrices_of_one_picture(show):
    page = open_painter(show)
    before, printed = blocked(page), page.locator("pre").text_content()
    page.locator("select").last.select_option("torch’s MultiheadAttention")
    assert (blocked(page) == before).all()
    assert shows(page, MaskPainter(api="MultiheadAttention"))
    assert as_torch_reads(causal_mask(5), "MultiheadAttention")[0, 1]
    now = page.locator("pre").text_content()
    assert now.startswith("# True = blocked")
    assert printed.startswith("# True = may attend")
    assert now.split("\n")[2] == "[[False,  True,  True,  True,  True],"


@pytest.mark.parametrize("controls", [[], ["preset"], ["leaky"], ["api"], ["preset", "leaky", "api"]])
def test_only_the_controls_that_are_asked_for_can_be_seen(controls, show):
    page = open_painter(show, MaskPainter(preset="window", size=3, controls=controls))
    assert shows(page, MaskPainter(preset="window", size=3))
    assert page.get_by_role("combobox", name="mask").is_visible() == ("preset" in controls)
    assert page.get_by_role("slider", name="width").is_visible() == ("preset" in controls)
    assert page.get_by_role("checkbox", name="zero after the softmax").is_visible() == ("leaky" in controls)
    assert page.get_by_role("combobox", name="print it for").is_visible() == ("api" in controls)
    assert page.locator("pre").is_visible() == ("api" in controls)
    cell(page, 0, 4).click()  # paints, whatever is offered
    mask = MaskPainter(preset="window", size=3).allowed
    mask[0, 4] = True
    assert shows(page, MaskPainter(preset="painted", mask=mask))


def test_start_again_and_the_link_carry_the_painting(show):
    page = open_painter(show)
    cell(page, 0, 2).click()
    page.get_by_role("button", name="have", exact=True).click()
    page.get_by_label("zero after the softmax").check()
    link = page.locator("[data-widget] > .headerlink").get_attribute("href")
    mask = causal_mask(5)
    mask[0, 2] = True
    other = open_painter(show, address=link)
    assert shows(other, MaskPainter(preset="painted", mask=mask, replaced=[2], leaky=True))
    other.get_by_role("button", name=AGAIN).press("Enter")
    assert shows(other, MaskPainter())
    assert not other.get_by_role("button", name=AGAIN).is_visible()


@pytest.mark.parametrize("n", [1, 16])
def test_any_number_of_tokens_is_drawn(n, show):
    x = np.random.default_rng(0).normal(size=(n, 3))
    painter = MaskPainter([f"t{i}" for i in range(n)], x)
    page = open_painter(show, painter, viewport={"width": 390, "height": 800})
    assert shows(page, painter)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
