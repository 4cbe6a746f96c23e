"""ThreeSpaces in a page: every control by mouse, finger and keyboard, with attnlib's numbers."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib.lab import convex_hull, most_read
from attnlib.widgets import ThreeSpaces

QUARTER_TURN = [[0, 1], [-1, 0]]
PRESETS = {
    "identity": [[1, 0], [0, 1]],
    "rotate 90°": QUARTER_TURN,
    "swap axes": [[0, 1], [1, 0]],
    "project": [[0.5, 0.5], [0.5, 0.5]],
    "ignore axis 2": [[1, 0], [0, 0]],
}


def opened(show, widget=None, **options):
    page = show(widget or ThreeSpaces(), **options)
    page.locator("svg").first.wait_for()
    return page


def entry(page, name, row, column):
    return page.get_by_label(f"{name}, row {row}, column {column}")


def said(page):
    return page.locator("[aria-live]").text_content()


def at(page, picture, css):
    """Where the marks of a picture are, in the plane's own numbers."""
    marks = page.get_by_role("group", name=picture).locator(css)
    places = marks.evaluate_all(
        "all => all.map((mark) => { const m = mark.transform.baseVal.consolidate().matrix; return [m.e, m.f]; })"
    )
    return (np.array(places) / 180 - 1) * [3.4, -3.4]


def numbers_of(text):
    """The numbers of a cell: one, or the two of a place."""
    return [float(part) for part in text.replace("−", "-").strip("()").split(", ")]


def is_that_of(page, spaces):
    """Table, matrices, marks, lines and arrows are those that attnlib computes, once the input rests."""
    expect(page.locator("[data-paced=waiting]")).to_have_count(0)
    s = spaces.selected
    vectors = (spaces.query, spaces.key, spaces.value, spaces.output)
    shown = [numbers_of(text) for text in page.locator("tbody td").all_text_contents()]
    expected = np.column_stack([spaces.weights[s], spaces.scores[s], *vectors])  # (n, 10)
    assert np.concatenate(shown) == pytest.approx(expected.ravel(), abs=0.00501)
    for name in ("W_Q", "W_K", "W_V"):
        shown = [float(entry(page, name, r, c).input_value()) for r in (1, 2) for c in (1, 2)]
        assert shown == pytest.approx(np.ravel(getattr(spaces, name.lower())))
    n = len(spaces.tokens)
    assert np.allclose(at(page, "input space", "g.attn-token"), 1.4 * np.array(spaces.points), atol=1e-3)
    for picture, first, second in (("attention", "key", "query"), ("output", "value", "output")):
        both = np.concatenate([getattr(spaces, first), getattr(spaces, second)])
        zoom = min(1.4, 2.7 / abs(both).max()) if both.any() else 1.4
        assert np.allclose(at(page, f"{picture} space", "g.attn-mark"), zoom * both, atol=1e-3)
        widths = (
            page.get_by_role("group", name=f"{picture} space")
            .locator(".attn-read")
            .evaluate_all("all => all.map((p) => p.getAttribute('stroke-width'))")
        )
        assert [float(w) for w in widths] == pytest.approx(16 * spaces.weights[s], abs=0.01)
    corners = page.locator(".attn-hull").get_attribute("points").split()
    assert len(corners) == len(convex_hull(spaces.value))
    assert page.locator(".attn-selected").count() == 3  # the token, its query, its output
    assert page.locator("g.attn-mark").count() == 4 * n


def test_it_starts_as_it_was_written_and_shows_attnlibs_numbers(show):
    spaces = ThreeSpaces(w_k=QUARTER_TURN, selected=1)
    still = show(spaces, java_script_enabled=False).locator("tbody td").all_text_contents()
    page = opened(show, spaces)
    is_that_of(page, spaces)
    assert page.locator("tbody td").all_text_contents() == still
    assert said(page).startswith("Change one matrix")
    assert page.problems == []


def test_each_matrix_moves_its_own_role_alone(show):
    page, spaces = opened(show), ThreeSpaces()
    mutual = page.locator("p", has_text="mutual")
    assert "every pair of tokens scores the same both ways" in mutual.text_content()
    page.get_by_label("W_V: a preset").select_option("ignore axis 2")
    assert said(page) == "Changed: W_V. Moved: values, outputs. Stayed: queries, keys, weights."
    spaces.w_v = PRESETS["ignore axis 2"]
    is_that_of(page, spaces)
    page.get_by_label("W_K: a preset").select_option("rotate 90°")
    assert said(page) == "Changed: W_K. Moved: keys, weights, outputs. Stayed: queries, values."
    spaces.w_k = QUARTER_TURN
    is_that_of(page, spaces)
    assert (
        mutual.text_content()
        == "Scores are not mutual: have asking problem scores 2.55, problem asking have scores −2.55."
    )
    assert [page.locator("bdi").all_text_contents()[i] for i in (0, 1)] == ["have", "problem"]
    page.get_by_label("W_Q: a preset").select_option("rotate 90°")
    assert said(page) == "Changed: W_Q. Moved: queries, weights, outputs. Stayed: keys, values."
    spaces.w_q = QUARTER_TURN
    is_that_of(page, spaces)
    assert "Scores are mutual" in mutual.text_content()
    page.get_by_role("button", name="Start again").press("Enter")
    is_that_of(page, ThreeSpaces())
    assert page.problems == []


def test_arrows_show_a_ring_that_nobody_reads_backwards(show):
    page = opened(show, ThreeSpaces(w_k=QUARTER_TURN))
    path = page.locator(".attn-arrow").get_attribute("d")
    assert path.count("M") == 2 * 4  # a line and a tip each
    starts = [part.split("L")[0].split(" ") for part in path.split("M")[1::2]]
    ends = [part.split("L")[1].split(" ") for part in path.split("M")[1::2]]
    x = 1.4 * np.array(ThreeSpaces().points)
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        start, end = ((np.array(p, dtype=float) / 180 - 1) * [3.4, -3.4] for p in (start, end))
        assert np.linalg.norm(start - x[i]) < 0.3
        assert np.linalg.norm(end - x[[1, 3, 0, 2][i]]) < 0.3
    assert most_read(ThreeSpaces(w_k=QUARTER_TURN).weights) == [1, 3, 0, 2]


@pytest.mark.parametrize("name", ["W_Q", "W_K", "W_V"])
def test_presets_and_numbers_are_chosen_by_the_keyboard_alone(name, show):
    page, spaces = opened(show), ThreeSpaces()
    menu = page.get_by_label(f"{name}: a preset")
    menu.focus()
    for preset in list(PRESETS)[1:]:
        page.keyboard.press("ArrowDown")
        setattr(spaces, name.lower(), PRESETS[preset])
        is_that_of(page, spaces)
    for cell in ("row 1, column 1", "row 1, column 2", "row 2, column 1", "row 2, column 2"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.ariaLabel") == f"{name}, {cell}"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    setattr(spaces, name.lower(), [[1, 0], [0, 0.2]])
    is_that_of(page, spaces)
    assert menu.evaluate("menu => menu.selectedOptions[0].text") == "your own"
    page.keyboard.press("Control+a")
    page.keyboard.press("Backspace")  # nothing typed yet changes nothing
    page.keyboard.type("-")
    is_empty = entry(page, name, 2, 2).input_value() == ""
    page.keyboard.type("1.5")
    setattr(spaces, name.lower(), [[1, 0], [0, -1.5]])
    assert is_empty
    is_that_of(page, spaces)
    page.keyboard.press("Control+a")
    page.keyboard.type("99")
    setattr(spaces, name.lower(), [[1, 0], [0, 3]])
    page.keyboard.press("Tab")
    is_that_of(page, spaces)
    assert page.problems == []


def test_a_number_goes_where_it_is_typed(show):
    page = opened(show)
    entry(page, "W_Q", 1, 2).fill("0.4")
    entry(page, "W_K", 2, 1).fill("-0.3")
    entry(page, "W_V", 1, 1).fill("2")
    is_that_of(page, ThreeSpaces(w_q=[[1, 0.4], [0, 1]], w_k=[[1, 0], [-0.3, 1]], w_v=[[2, 0], [0, 1]]))
    assert page.problems == []


def test_an_entry_left_empty_gets_its_number_back(show):
    page = opened(show)
    entry(page, "W_K", 1, 1).fill("")
    page.keyboard.press("Tab")
    is_that_of(page, ThreeSpaces())
    assert page.problems == []


def test_a_token_is_dragged_and_everything_moves_with_it(show, rested, centre_of, position_of):
    page = opened(show)
    token = page.get_by_role("slider", name="problem", exact=True)
    x, y = centre_of(token.locator(".attn-reach"))
    unit = page.locator("svg").first.bounding_box()["width"] / 6.8 * 1.4
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - unit, y + 0.5 * unit, steps=4)
    page.mouse.up()
    rested(page)
    assert position_of(token) == pytest.approx([0.7, -0.3], abs=0.03)
    assert said(page) == "Changed: a token. Moved: queries, keys, weights, values, outputs. Stayed: nothing."
    assert page.get_by_label("who asks").input_value() == "3"
    points = np.array(ThreeSpaces().points)
    points[3] = position_of(token)
    is_that_of(page, ThreeSpaces(points=points, selected=3))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 9 * unit, y)  # let go of already, so this moves nothing
    page.mouse.up()
    assert position_of(token) == points[3].tolist()


def test_tokens_are_moved_and_chosen_by_the_keyboard_alone(show):
    page, points = opened(show), np.array(ThreeSpaces().points)
    page.get_by_role("slider", name="a", exact=True).focus()
    is_that_of(page, ThreeSpaces(selected=2))
    assert said(page).startswith("Change one matrix")  # to choose is not to change
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowUp")
    points[2] = [0.1, -0.6]
    is_that_of(page, ThreeSpaces(points=points, selected=2))
    for _ in range(9):
        page.keyboard.press("Shift+ArrowRight")
    points[2] = [2.1, -0.6]
    is_that_of(page, ThreeSpaces(points=points, selected=2))
    page.get_by_label("who asks").focus()
    page.keyboard.press("ArrowUp")
    is_that_of(page, ThreeSpaces(points=points, selected=1))
    assert page.locator("td.attn-corner").text_content() == "have reads"


@pytest.mark.parametrize("direction", [1, -1])
def test_a_finger_drags_a_token_and_does_not_scroll_the_page(direction, show, centre_of, drag, position_of):
    page = opened(show, viewport={"width": 360, "height": 500}, has_touch=True, is_mobile=True)
    page.locator("svg").first.evaluate("svg => svg.scrollIntoView({ block: 'center', behavior: 'instant' })")
    scrolled = page.evaluate("scrollY")
    token = page.get_by_role("slider", name="we", exact=True)
    x, y = centre_of(token.locator(".attn-reach"))
    drag(page, *((x, y - 4 * direction * step) for step in range(11)))
    unit = page.locator("svg").first.bounding_box()["width"] / 6.8 * 1.4
    assert position_of(token) == pytest.approx([-1.6, 0.3 + direction * 40 / unit], abs=0.05)
    assert page.evaluate("scrollY") == scrolled


@pytest.mark.parametrize("width", [340, *(pytest.param(width, marks=pytest.mark.slow) for width in (390, 1280))])
def test_a_token_is_large_enough_to_touch_and_its_name_to_read(width, show):
    page = opened(show, viewport={"width": width, "height": 900})
    page.add_style_tag(content="main { max-width: 40rem }")
    for reach in page.locator(".attn-reach").all():
        assert reach.bounding_box()["width"] >= 32
    for control in page.locator("select, input").all():
        assert control.bounding_box()["height"] >= 31.9
    scale = page.locator("svg").first.bounding_box()["width"] / 360
    sizes = page.locator("svg text:not(.attn-tick)").evaluate_all(
        "all => all.map((t) => parseFloat(getComputedStyle(t).fontSize))"
    )
    assert min(sizes) * scale >= 11.9
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_parameters_and_activations_are_told_apart_in_words(show):
    page = opened(show)
    assert page.locator("fieldset .attn-parameter").all_text_contents() == ["parameter"] * 3
    assert page.locator("p .attn-activation").all_text_contents() == ["activation"] * 3


def test_marks_at_one_place_stand_side_by_side_and_are_named(show):
    page = opened(show)
    marks = page.get_by_role("group", name="attention space").locator("g.attn-mark")
    boxes = [mark.locator(":first-child").bounding_box() for mark in marks.all()]
    for query, key in zip(boxes[4:], boxes[:4], strict=True):
        assert query["x"] + query["width"] - key["x"] < 4  # both are seen
    name = marks.nth(5).locator("text")
    assert name.text_content() == "query: have"
    assert not name.is_visible()
    marks.nth(5).locator(":first-child").hover()
    assert name.is_visible()
    page.mouse.move(0, 0)
    assert not name.is_visible()
    marks.nth(4).focus()
    page.keyboard.press("ArrowRight")
    assert name.is_visible()
    assert page.evaluate("document.activeElement.ariaLabel") == "query of have"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.ariaLabel") == "key of have"
    page.get_by_label("W_Q: a preset").select_option("rotate 90°")
    aside = [mark.locator(":first-child").get_attribute("transform") for mark in marks.all()]
    assert "translate(0 0)" in aside
    assert page.problems == []


def test_vectors_too_long_for_the_picture_are_drawn_smaller(show):
    spaces = ThreeSpaces(w_q=[[3, 3], [3, 3]], w_k=[[3, -3], [0, 3]], w_v=[[0, 0], [0, 0]])
    page = opened(show, spaces)
    is_that_of(page, spaces)
    assert abs(at(page, "attention space", "g.attn-mark")).max() == pytest.approx(2.7, abs=1e-3)
    assert page.problems == []


def test_a_link_carries_what_is_shown(show):
    page = opened(show)
    page.get_by_label("W_K: a preset").select_option("swap axes")
    page.get_by_role("slider", name="a", exact=True).press("ArrowUp")
    address = page.locator("[data-widget] > .headerlink").get_attribute("href")
    other = opened(show, address=address)
    points = np.array(ThreeSpaces().points)
    points[2] += [0, 0.1]
    is_that_of(other, ThreeSpaces(points=points, w_k=PRESETS["swap axes"], selected=2))
    assert page.problems == other.problems == []


@pytest.mark.parametrize("n", [2, 12])
def test_few_and_many_tokens_are_drawn(n, show):
    points, matrices = (
        np.random.default_rng(0).normal(size=(n, 2)),
        np.random.default_rng(1).normal(size=(3, 2, 2)).round(2),
    )
    spaces = ThreeSpaces(
        [f"t{i}" for i in range(n)], points, **dict(zip(("w_q", "w_k", "w_v"), matrices, strict=True)), selected=n - 1
    )
    page = opened(show, spaces)
    is_that_of(page, spaces)
    assert page.problems == []
