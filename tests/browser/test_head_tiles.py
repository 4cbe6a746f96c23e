"""HeadTiles in a real browser: every tile is named and lit as Python says, by mouse, keyboard and finger."""

import numpy as np
import pytest

from attnlib.widgets import HeadTiles

NAMES = ["X", "Q, K, V", "split", "weights", "heads’ outputs", "merged", "output"]
FORGOTTEN = ["nowhere", "split", "merge", "both"]


@pytest.fixture(params=[pytest.param(1280, marks=pytest.mark.slow), 390])
def page(request, show):
    return opened(show, viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)


def opened(show, widget=None, **options):
    page = show(widget or HeadTiles(), **options)
    page.locator(".attn-tile").first.wait_for()
    return page


def expected(widget):
    """The class, the text, the label and the state of every tile, from what Python computes."""
    n, d, h = len(widget.tokens), widget.d, widget.num_heads
    parents, cone = widget.parents, widget.cone
    made = [np.eye(n * d, dtype=bool)]  # from which numbers of X
    for step in parents:
        made.append(step @ made[-1])
    columns = [d, d, d // h, n, d // h, d, d]
    place = [np.divmod(np.arange(len(one)), count) for one, count in zip(made, columns, strict=True)]
    last = [np.where(one.any(axis=1), one.shape[1] - 1 - one[:, ::-1].argmax(axis=1), -1) // d for one in made]
    own = np.arange(n * d)
    split = parents[1].argmax(axis=1)
    asked = split.reshape(h, n, d // h)[:, :, 0]  # the number of X that a row of a head begins with
    weights = np.broadcast_to(asked[:, None], (h, n, n)).ravel()
    named = [own, own, split, weights, split, split[parents[4].argmax(axis=1)], own]
    seen = []
    for k, name in enumerate(NAMES):
        for t in range(len(made[k])):
            row, blocked, shown = place[k][0][t] % n, not made[k][t].any(), k <= widget.stage
            text = "–" if blocked else f"{named[k][t] // d + 1}" + ("" if k == 3 else "ABCDEFGH"[named[k][t] % d])
            lit = shown and cone[k][t]
            chosen = widget.at, widget.tile
            at_row = place[widget.at][0][widget.tile] % n if widget.at >= 0 else 0
            late = lit and (last[k][t] > at_row if k <= widget.at else last[widget.at][widget.tile] > row)
            states = {
                "pale": widget.at >= 0 and not lit,
                "blocked": blocked,
                "pending": not shown,
                "lit": lit,
                "late": late,
            }
            head = f", head {place[k][0][t] // n + 1}" if 2 <= k <= 4 else ""
            what = f"column {place[k][1][t] + 1}, " + ("blocked" if blocked else f"token {text}") if k == 3 else text
            said = "" if not lit or k == widget.at else ": source" if k < widget.at else ": made from it"
            seen.append([
                " ".join(["attn-tile", *(f"attn-{name}" for name, one in states.items() if one)]),
                text if shown else "",
                f"{name}{head}, row {row + 1}, {what if shown else 'not computed yet'}{said}{', future' if late else ''}",
                str((k, t) == chosen).lower(),
            ])  # fmt: skip
    return seen


def is_that_of(page, widget):
    """Every tile is that of the widget in Python; in the page a block's tiles come row by row, as counted."""
    read = """all => all.map((one) => [one.className, one.textContent, one.ariaLabel, one.ariaPressed])"""
    assert page.locator(".attn-tile").evaluate_all(read) == expected(widget)
    shown = page.locator(".attn-tiles > [aria-current=step]")
    assert shown.get_attribute("aria-label") == NAMES[widget.stage]


def tile(page, label):
    return page.get_by_role("button", name=label).first


def press(page, label):
    """With a finger on a phone, with the mouse on what is wider."""
    (tile(page, label).tap if page.viewport_size["width"] < 500 else tile(page, label).click)()


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def forget(page, name):
    page.get_by_role("combobox").select_option(name)


def says(page):
    return page.locator(".attn-says").text_content()


def told(page):
    return page.locator(".attn-result").text_content()


def test_step_by_step_the_tiles_are_those_of_python(page):
    is_that_of(page, HeadTiles())
    assert says(page) == (
        "1 of 7, X. 4 tokens with 4 numbers each. A square is a number: 2B is that of token 2 in column B."
    )
    button(page, "Back").click(force=True)
    for stage in range(1, 7):
        button(page, "Next").click()
        is_that_of(page, HeadTiles(stage=stage))
    button(page, "Next").click(force=True)
    is_that_of(page, HeadTiles(stage=6))
    assert button(page, "Next").get_attribute("aria-disabled") == "true"
    assert says(page) == (
        "7 of 7, output. Times WO: each number is a sum over its whole row, over all heads. No output can read its future."
    )
    button(page, "Back").click()
    is_that_of(page, HeadTiles(stage=5))
    assert page.problems == []


@pytest.mark.parametrize("forgotten", FORGOTTEN)
def test_every_tile_is_lit_as_python_says(forgotten, page):
    forget(page, forgotten)
    for label, at, number in (
        ("output, row 2, not", 6, 4),
        ("merged, row 1, ", 5, 0),
        ("heads’ outputs, head 2, row 3, ", 4, 12),
        ("weights, head 1, row 3, column 2", 3, 9),
        ("weights, head 2, row 1, column 4", 3, 19),
        ("split, head 2, row 1, ", 2, 8),
        ("Q, K, V, row 3, 3C", 1, 10),
        ("X, row 3, 3C", 0, 10),
    ):
        press(page, label)
        is_that_of(page, HeadTiles(forgotten=forgotten, stage=6, at=at, tile=number))
    assert page.problems == []


def test_a_forgotten_swap_in_the_split_brings_the_future(page):
    press(page, "output, row 1, ")
    assert (
        told(page)
        == "This square stands in row 1, that of we. It is computed from squares of we. None is from its future."
    )
    forget(page, "split")
    assert told(page) == (
        "This square stands in row 1, that of we. It is computed from squares of we, a. From the future of we: a. "
        "The mask compares rows, and rows of a wrongly cut head are not tokens."
    )
    assert says(page).endswith(
        "3 of 4 outputs can read their future, and 1 of 4 cannot read all tokens up to their own."
    )
    press(page, "output, row 2, ")
    assert told(page).endswith(" It cannot read have.")
    press(page, "split, head 2, row 1, 3A")
    assert told(page).startswith(
        "This square stands in row 1, that of we. It is computed from squares of a. From the future of"
    )
    press(page, "X, row 3, 3A")
    assert told(page) == (
        "A number of a reaches the outputs of we, have, a, problem. "
        "Before it: we, have. Each of these can read its future."
    )


def test_a_forgotten_swap_in_the_merge_brings_it_too_and_both_lose_the_past(page):
    press(page, "output, row 1, ")
    forget(page, "merge")
    assert told(page) == (
        "This square stands in row 1, that of we. It is computed from squares of we, have. From the future of we: have. "
        "The mask did its work in each head. The wrong merge then put a later row here."
    )
    forget(page, "both")
    assert says(page).endswith("No output can read its future, but 2 of 4 cannot read all tokens up to their own.")
    press(page, "output, row 3, ")
    assert told(page) == (
        "This square stands in row 3, that of a. It is computed from squares of a. None is from its future. "
        "It cannot read we, have."
    )
    press(page, "X, row 2, 2A")
    assert told(page) == "A number of have reaches the outputs of have. None comes before it."
    press(page, "weights, head 1, row 1, column 2, blocked")
    assert told(page) == "The mask blocks this cell: its weight is 0, and is computed from nothing."


def test_a_second_press_and_a_step_back_behind_the_tile_choose_none(page):
    press(page, "split, head 1, row 1, ")
    is_that_of(page, HeadTiles(at=2))
    press(page, "split, head 1, row 1, ")
    is_that_of(page, HeadTiles(stage=2))
    assert told(page) == "No square is chosen."
    press(page, "Q, K, V, row 1, 1A")
    button(page, "Back").click()
    is_that_of(page, HeadTiles(stage=1, at=1))
    button(page, "Back").click()
    is_that_of(page, HeadTiles())
    press(page, "X, row 2, 2B")
    assert told(page) == "A number of have, given."
    button(page, "Start again").click()
    is_that_of(page, HeadTiles())


def test_the_keyboard_alone_goes_from_tile_to_tile(page):
    page.get_by_role("combobox").focus()
    page.keyboard.press("Tab")
    focused = "document.activeElement.ariaLabel"
    assert page.evaluate(focused) == "X, row 1, 1A"
    for key in ("ArrowRight", *["ArrowDown"] * 9, "End"):
        page.keyboard.press(key)
    assert page.evaluate(focused) == "split, head 2, row 2, not computed yet"
    page.keyboard.press("Enter")
    is_that_of(page, HeadTiles(at=2, tile=11))
    assert page.evaluate(focused) == "split, head 2, row 2, 2D"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Start again"
    page.keyboard.press("Enter")
    is_that_of(page, HeadTiles())
    assert page.problems == []


def test_a_link_carries_the_stage_the_tile_and_what_is_forgotten(page, show):
    forget(page, "both")
    press(page, "merged, row 2, ")
    other = opened(show, address=page.locator(".headerlink").get_attribute("href"))
    is_that_of(other, HeadTiles(forgotten="both", at=5, tile=4))
    assert other.problems == []


def test_tiles_come_from_where_they_stood_unless_a_reader_wants_no_motion(show):
    moving = "[...document.querySelectorAll('.attn-tile')].filter((tile) => tile.getAnimations().length).length"
    for wish, count in (("no-preference", 16), ("reduce", 0)):
        page = opened(show, HeadTiles(stage=1), reduced_motion=wish)
        button(page, "Next").click()
        assert page.evaluate(moving) == count
        button(page, "Next").click()
        assert page.locator(".attn-pending").count() == 48


@pytest.mark.parametrize("width", [340, *(pytest.param(width, marks=pytest.mark.slow) for width in (390, 1280))])
@pytest.mark.parametrize(
    ("d", "num_heads"), [(4, 2), *(pytest.param(*sizes, marks=pytest.mark.slow) for sizes in ((6, 3), (8, 4)))]
)
def test_every_tile_is_a_target_inside_the_page(width, d, num_heads, show):
    tokens = ["Houston", "we", "have", "internationalisation", "a", "b"][: d // 2 + 2]
    page = opened(show, HeadTiles(tokens, d=d, num_heads=num_heads, stage=6), viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for one in page.locator(".attn-tile").all():
        box = one.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_stands_below_stays_where_it_is(width, show):
    page = opened(show, viewport={"width": width, "height": 900})
    height = "document.querySelector('figure.attn').getBoundingClientRect().height"
    first = page.evaluate(height)
    for forgotten in FORGOTTEN:
        forget(page, forgotten)
        for label in ("X, row 3, ", "split, head 2, row 1, ", "output, row 1, ", "output, row 3, ", "X, row 4, "):
            tile(page, label).click()
            assert page.evaluate(height) == first, (forgotten, label)


CONTRAST = """() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const paint = canvas.getContext("2d", { willReadFrequently: true });
    const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = (...colours) => {
        for (const colour of colours) { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); }
        const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].map((c) => linear(c / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = getComputedStyle(document.body).backgroundColor;
    return [...document.querySelectorAll(".attn-tile")].map((tile) => {
        const { color, backgroundColor } = getComputedStyle(tile);
        const pair = [light(paper, backgroundColor), light(color)].sort((a, b) => a - b);
        return (pair[1] + 0.05) / (pair[0] + 0.05);
    });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_can_be_read_on_their_tiles(scheme, show):
    page = opened(show, HeadTiles("abcdef", stage=6), color_scheme=scheme)
    assert min(page.evaluate(CONTRAST)) >= 4.5
    press(page, "output, row 3, ")
    assert min(page.evaluate(CONTRAST)) >= 4.5
