"""MiniLM's heads in a page: each of the 72 alone, whole layers by mouse or finger, and what stays in sight."""

import itertools

import pytest

from attnlib.widgets import LayersPuzzle

HEADS = [f"{layer}.{head}" for layer in range(1, 7) for head in range(1, 13)]
GOAL = "The goal: the second is greater."
REACHED = "The goal is reached: the second is greater."
WALL = "All 72 are tried: no head alone is enough."


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    page = show(LayersPuzzle(), viewport={"width": request.param, "height": 760}, has_touch=request.param < 500)
    page.locator(".attn-meter").first.wait_for()
    return page


def said(page):
    return page.locator("[aria-live]").text_content()


def tally(page):
    return page.locator(".attn-result").text_content()


def head(page, name):
    return page.locator(".attn-headboard button").nth(HEADS.index(name))


def layer(page, number):
    return page.get_by_role("button", name=f"layer {number}", exact=True)


def hand(page):
    return page.get_by_role("button", name="Hand me what is missing")


def press(page, target):
    """By finger on a phone, by mouse on what is wider."""
    (target.tap if page.viewport_size["width"] < 500 else target.click)()


def is_that_of(page, name, puzzle, pressed):
    """What is pressed, both bars and the sentence are those of this puzzle."""
    first, second = puzzle.cosines
    board = page.locator(".attn-headboard [aria-pressed=true]").all_text_contents()
    assert board == pressed
    meters = page.locator(".attn-meter")
    assert [text[:5] for text in meters.all_text_contents()] == [f"{first:.3f}", f"{second:.3f}"]
    lengths = meters.evaluate_all("(all) => all.map((one) => +one.style.getPropertyValue('--w'))")
    assert lengths == pytest.approx([first, second], abs=1e-4)
    begin = f"{name}: {first:.3f} and {second:.3f}"
    rest = f". {REACHED}" if puzzle.reached else f", apart by {first - second:.3f}. {GOAL}"
    assert said(page).startswith(begin + rest)


@pytest.mark.slow
def test_by_keyboard_all_72_are_tried_and_none_is_enough(page):
    is_that_of(page, "Nothing is silenced", LayersPuzzle(), [])
    head(page, "1.1").focus()
    gaps = {}
    for number, name in enumerate(HEADS):
        assert WALL not in said(page)
        page.keyboard.press("Enter")
        puzzle = LayersPuzzle(silenced=number)
        is_that_of(page, f"Without {name}", puzzle, [name])
        first, second = puzzle.cosines
        gaps[name] = f"{first - second:.3f}"
        nearest = min(gaps, key=gaps.get)
        assert tally(page) == f"Tried: {number + 1} of 72 heads. The nearest: {nearest}, apart by {gaps[nearest]}."
        assert head(page, name).get_attribute("aria-label") == f"{name}, apart by {gaps[name]}"
        for key in ["ArrowRight"] if name.split(".")[1] != "12" else ["Home", "ArrowDown"]:
            page.keyboard.press(key)
    assert said(page).endswith(WALL)
    assert REACHED not in said(page)
    assert page.locator(".attn-tried").count() == 72
    page.get_by_role("button", name="Start again").click()
    is_that_of(page, "Nothing is silenced", LayersPuzzle(), [])
    assert tally(page) == "Tried: 0 of 72 heads."
    assert page.locator(".attn-tried").count() == 0
    assert head(page, "1.5").get_attribute("aria-label") == "1.5, not tried"
    assert page.problems == []


def test_the_board_is_one_stop_for_the_tab_key(page):
    assert page.locator(".attn-headboard [tabindex='0']").count() == 1
    head(page, "1.1").focus()
    for key in ("ArrowDown", "End", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.textContent") == "1.11"
    assert tally(page) == "Tried: 0 of 72 heads."
    page.keyboard.press("Space")
    is_that_of(page, "Without 1.11", LayersPuzzle(silenced=10), ["1.11"])
    page.keyboard.press("Space")
    is_that_of(page, "Nothing is silenced", LayersPuzzle(), [])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Hand me what is missing"


def test_a_stronger_colour_is_nearer_to_the_goal(page):
    for name in ("1.5", "6.7", "6.10", "1.2", "6.8"):
        press(page, head(page, name))
    shades = [
        float(head(page, name).evaluate("(node) => node.style.getPropertyValue('--w')"))
        for name in ("1.5", "6.7", "6.10", "1.2", "6.8")
    ]
    assert shades == sorted(shades, reverse=True)
    assert shades[0] == pytest.approx(1 - 0.030 / 0.090, abs=2e-3)
    assert shades[-1] == 0


def test_by_mouse_or_finger_layer_1_reaches_the_goal_and_no_other_layer_does(page):
    press(page, head(page, "1.5"))
    assert not layer(page, 1).is_visible()
    press(page, hand(page))
    is_that_of(page, "Without 1.5", LayersPuzzle(silenced=4), ["1.5"])
    for number in range(6, 0, -1):
        press(page, layer(page, number))
        puzzle = LayersPuzzle(off=1 << (6 - number), handed=True)
        is_that_of(page, f"Without layer {number}", puzzle, HEADS[12 * number - 12 : 12 * number])
        assert puzzle.reached == (number == 1)
        if number > 1:
            press(page, layer(page, number))
    assert said(page).endswith("Alone, each of its 12 heads leaves the first greater, by 0.030 or more.")
    assert tally(page).startswith("Tried: 1 of 72 heads.")
    press(page, layer(page, 6))
    is_that_of(page, "Without layers 1, 6", LayersPuzzle(off=33, handed=True), [*HEADS[:12], *HEADS[60:]])
    press(page, head(page, "6.7"))
    is_that_of(page, "Without 6.7", LayersPuzzle(silenced=66), ["6.7"])
    press(page, layer(page, 1))
    press(page, page.get_by_role("button", name="Take it away again"))
    is_that_of(page, "Nothing is silenced", LayersPuzzle(), [])
    assert page.problems == []


@pytest.mark.slow
def test_every_set_of_layers_is_that_of_the_record(page):
    hand(page).press("Enter")
    reached = 0
    off = 0
    for number in range(1, 64):
        turned = (number & -number).bit_length()  # each set once, by one switch at a time
        layer(page, turned).press("Space")
        off ^= 1 << (6 - turned)
        names = [str(one) for one in range(1, 7) if off >> (6 - one) & 1]
        puzzle = LayersPuzzle(off=off, handed=True)
        heads = [name for name in HEADS if name.split(".")[0] in names]
        is_that_of(page, f"Without layer{'s' * (len(names) > 1)} {', '.join(names)}", puzzle, heads)
        reached += puzzle.reached
    assert reached > 1


def test_a_link_carries_what_is_silenced_and_tried(show):
    page = show(LayersPuzzle(), address="#layers-puzzle-lose-the-river?silenced=66&tried=[4,66]")
    page.locator(".attn-meter").first.wait_for()
    is_that_of(page, "Without 6.7", LayersPuzzle(silenced=66), ["6.7"])
    assert tally(page) == "Tried: 2 of 72 heads. The nearest: 1.5, apart by 0.030."


def test_a_link_carries_the_layers(show):
    page = show(LayersPuzzle(), address="#layers-puzzle-lose-the-river?off=32&handed=true")
    page.locator(".attn-meter").first.wait_for()
    is_that_of(page, "Without layer 1", LayersPuzzle(off=32, handed=True), HEADS[:12])
    assert REACHED in said(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_light_and_dark_what_was_tried_looks_different_and_can_be_read(scheme, show, violations):
    page = show(LayersPuzzle(tried=[4, 67]), color_scheme=scheme)
    page.locator(".attn-meter").first.wait_for()
    looks = [
        head(page, name).evaluate("(node) => getComputedStyle(node).backgroundColor") for name in ("1.5", "6.8", "2.2")
    ]
    assert len(set(looks)) == 3
    hand(page).click()
    assert violations(page) == []
    layer(page, 1).click()
    assert violations(page) == []
    assert page.problems == []


def test_on_a_phone_the_board_and_both_bars_are_in_sight_together(show):
    page = show(LayersPuzzle(), viewport={"width": 390, "height": 740}, has_touch=True)
    board, bars = page.locator(".attn-headboard").bounding_box(), page.locator(".attn-meter").last.bounding_box()
    told = page.locator("[aria-live]").bounding_box()
    assert board["y"] < bars["y"] < told["y"]
    assert told["y"] + told["height"] - board["y"] < 560


def test_every_target_is_large_and_nothing_leaves_a_phone(page, fits_a_phone):
    hand(page).click()
    fits_a_phone(page, 340, "button:visible")
    assert page.problems == []


def test_all_twelve_columns_fit_the_narrowest_page_of_the_book(show):
    page = show('<div style="width: 296px">', LayersPuzzle(), "</div>", viewport={"width": 340, "height": 740})
    page.locator(".attn-meter").first.wait_for()
    assert page.locator(".attn-scroll").evaluate("(node) => node.scrollWidth <= node.clientWidth")
    boxes = [head(page, name).bounding_box() for name in HEADS]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 24


@pytest.mark.slow
@pytest.mark.parametrize("width", [312, 390, 1280])
def test_what_stands_below_stays_where_it_is_whatever_is_said(width, stays_below):
    heads = [lambda page, name=name: head(page, name).click() for name in HEADS]
    layers = [lambda page, number=number: layer(page, number).click() for number in (1, 2, 3, 4, 5, 6)]
    page = stays_below(LayersPuzzle(), width, *heads, lambda page: hand(page).click(), *layers, *layers[1:])
    assert page.problems == []


def test_texts_of_two_times_the_size_stand_inside_their_buttons(page, settle):
    page.add_style_tag(content="html { font-size: 200% }")
    settle(page)
    for name in ("1.1", "1.12", "6.10", "6.12"):
        assert head(page, name).evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
        assert head(page, name).evaluate("(node) => node.scrollHeight <= node.clientHeight + 1")


def test_another_model_has_a_board_of_its_own_size(show):
    heads = [[(0.5, 0.4), (0.5, 0.6), (0.5, 0.3)]] * 2
    layers = [(0.5, 0.25), (0.5, 0.75), (0.25, 0.0), (0.0, 0.5)]
    page = show(LayersPuzzle(["a", "b", "c"], heads=heads, layers=layers))
    buttons = page.locator(".attn-headboard button")
    buttons.first.wait_for()
    assert buttons.all_text_contents() == [f"{i}.{j}" for i, j in itertools.product((1, 2), (1, 2, 3))]
    for number in range(6):
        buttons.nth(number).click()
    assert tally(page) == "Tried: 6 of 6 heads. The nearest: 1.2, the goal is reached."
    assert "no head alone" not in said(page)


def test_a_head_that_a_link_silenced_stays_tried(show):
    page = show(LayersPuzzle(silenced=66))
    head(page, "1.5").click()
    assert tally(page).startswith("Tried: 2 of 72 heads.")
    assert head(page, "6.7").get_attribute("aria-label") != "6.7, not tried"
