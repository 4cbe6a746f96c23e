"""The widgets and the whole pages of the built site: no network, no kernel, and with JavaScript off no script."""

import re

import numpy as np
import pytest

from attnlib import attention_weights, causal_mask, houston
from attnlib.lab import minilm
from tools.audit import audit
from tools.site import SITE
from tools.site import served as serve

CHAPTER = "chapters/01_dot_product.html"
TRAINED = "chapters/09_trained.html"
REAL = "chapters/10_real_model.html"
FIGURES = "chapters/04_scaling.html"


def plane_of(page):
    plane = page.locator("#token-plane-attention-in-the-plane")
    plane.scroll_into_view_if_needed()
    plane.locator("svg").wait_for()
    return plane


def weight(row, column, mask=None, *, scale):
    """What a cell of the chapter's grid must show, by attnlib."""
    return f"{attention_weights(houston.EMBEDDINGS, houston.EMBEDDINGS, mask, scale=scale)[row, column]:.2f}"


def cell(grid, row, column):
    return grid.locator(f"[data-cell='{row},{column}']")


def test_a_large_state_comes_after_the_page_and_a_link_to_its_widget_waits_for_it(site, open_page):
    text = (SITE / TRAINED).read_text(encoding="utf8")
    assert max(map(len, re.findall(r'<script type="application/json">([^<]*)<', text))) < 20_000
    root = "[data-widget=head_browser]"
    (anchor,) = re.findall(r'data-widget="head_browser" id="([^"]+)"', text)
    page = open_page(f"{site}/{TRAINED}#{anchor}?sentence=%22the+dog+saw+the+dog%22")
    field = page.locator(f"{root} input[type=text]")
    field.wait_for()
    assert field.input_value() == "the dog saw the dog"
    assert page.locator(root).evaluate("box => Math.abs(box.getBoundingClientRect().top) < innerHeight")


def texts_of(page):
    """The widget of chapter 10 with its texts to choose from, once it is drawn."""
    widget = page.locator("[data-widget=model_view]")
    widget.scroll_into_view_if_needed()
    widget.locator("canvas[width]").first.wait_for()
    return widget


def states(page):
    """How many states were asked for."""
    return page.locator("head script[src*=state-]").count()


def test_what_the_model_does_with_other_texts_comes_when_one_is_chosen(site, open_page):
    page = open_page(f"{site}/{REAL}")
    widget = texts_of(page)
    assert states(page) == 1
    for at in (11, 14):
        recording = minilm.recording(minilm.texts()[at])
        widget.get_by_label("Reading").select_option(index=at)
        widget.locator(".attn-large-query").nth(len(recording.tokens) - 1).wait_for()
        assert widget.locator(".attn-large-query").all_text_contents() == recording.tokens
        cells = widget.locator(".attn-board [role=gridcell]")
        widget.get_by_label("Sort by").select_option("first token")
        name = cells.first.get_attribute("aria-label")
        assert f"first token {recording.scores['first token'].max():.2f}" in name
        assert states(page) == 2
    assert page.problems == []


def test_a_link_to_another_text_brings_what_the_model_does_with_it(site, open_page):
    (anchor,) = re.findall(r'data-widget="model_view" id="([^"]+)"', (SITE / REAL).read_text(encoding="utf8"))
    page = open_page(f"{site}/{REAL}#{anchor}?shown=11&beside=14")
    texts_of(page).locator(".attn-large-sheet").nth(1).wait_for()
    keys = page.locator(".attn-large-key").all_text_contents()
    assert keys == [key for at in (11, 14) for key in minilm.recording(minilm.texts()[at]).tokens]
    assert page.problems == []


def test_without_a_network_another_text_says_so_and_the_last_one_stays(served, open_page):
    page = open_page(f"{served}/{REAL}")
    widget = texts_of(page)
    page.context.set_offline(True)
    menu = widget.get_by_label("Reading")
    menu.select_option(index=11)
    widget.get_by_text("This part of the page could not be loaded. Is there a network?").wait_for()
    assert menu.evaluate("menu => menu.selectedIndex") == 0
    assert widget.locator(".attn-board").is_visible()
    page.context.set_offline(False)
    menu.select_option(index=11)
    widget.locator(".attn-large-query", has_text="rose").first.wait_for()
    assert menu.evaluate("menu => menu.selectedIndex") == 11
    assert widget.get_by_text("Is there a network?").count() == 0


def test_the_grid_answers_the_mouse(site, open_page, grid_of):
    grid = grid_of(open_page(f"{site}/{CHAPTER}"))
    assert cell(grid, 0, 4).text_content() == weight(0, 4, scale=1)
    assert "noun 1.00×1.00 + letters 1.40×1.40 = 2.96" in hover_text(grid, 0, 4)
    assert "Houston reads from problem" in grid.locator(".attn-arithmetic").text_content()
    assert "19.30 / 93.93 ≈ 0.21" in grid.locator(".attn-arithmetic").text_content()
    assert grid.locator("tr.attn-dim").count() == 4
    assert grid.locator("[aria-selected=true]").get_attribute("data-cell") == "0,4"
    grid.locator("figcaption").hover()
    assert grid.locator("tr.attn-dim").count() == 0
    assert grid.locator("[aria-selected=true]").get_attribute("data-cell") == "4,0"


def test_the_grid_computes_temperature_scale_and_mask_in_the_page(site, open_page, grid_of):
    grid = grid_of(open_page(f"{site}/index.html"))
    trained, head = houston.stages()[-1], houston.PREVIOUS

    def shown(mask, scale, temperature=1):
        query, key, bias = (
            part[head] / by
            for part, by in [(trained.query, temperature), (trained.key, 1), (trained.bias, temperature)]
        )
        weights = attention_weights(query, key, mask, scale=scale, bias=bias)
        return [f"{w:.2f}" if mask is None or mask[i, j] else "–" for (i, j), w in np.ndenumerate(weights)]

    cells = grid.locator("[role=gridcell]")
    assert cells.all_text_contents() == shown(causal_mask(5), 1 / 4)
    assert "masked: the score becomes −∞, so the weight is 0" in hover_text(grid, 0, 4)
    assert "÷ √16" in hover_text(grid, 2, 0)
    assert "+ bias" in hover_text(grid, 2, 0)
    grid.get_by_label("temperature").fill("5")
    assert cells.all_text_contents() == shown(causal_mask(5), 1 / 4, 5)
    grid.get_by_label("mask", exact=True).uncheck()
    assert cells.all_text_contents() == shown(None, 1 / 4, 5)
    grid.get_by_label("divide by √d").uncheck()
    assert cells.all_text_contents() == shown(None, 1, 5)
    assert "÷ √16" not in hover_text(grid, 2, 0)
    assert grid.locator("tbody .attn-sum").all_text_contents() == ["1.00"] * 5


def hover_text(grid, row, column):
    cell(grid, row, column).hover()
    return grid.locator(".attn-arithmetic").text_content()


def test_the_last_input_decides_keyboard_or_mouse(served, open_page, grid_of, settle):
    page = open_page(f"{served}/{CHAPTER}")
    grid = grid_of(page)
    cell(grid, 0, 2).click()
    page.keyboard.press("ArrowDown")  # the mouse rests on the cell above
    settle(page)
    assert "we reads from have" in grid.locator(".attn-arithmetic").text_content()
    assert "problem reads from a" in hover_text(grid, 4, 3)


def test_the_keyboard_enters_the_grid_at_the_chosen_cell(served, open_page, grid_of):
    page = open_page(f"{served}/index.html")
    cell(grid_of(page), 2, 1).wait_for()
    page.get_by_role("link", name="Start with chapter 0").focus()
    page.keyboard.press("Tab")  # the widget's link to itself
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.cell") == "2,1"


def test_a_widget_that_comes_alive_under_the_focus_keeps_it(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.evaluate("document.querySelector('#token-plane-attention-in-the-plane .attn-scroll').focus()")  # scrolls there
    page.locator("#token-plane-attention-in-the-plane svg").wait_for()
    assert page.evaluate(
        "document.querySelector('#token-plane-attention-in-the-plane').contains(document.activeElement)"
    )


def test_the_grid_is_driven_by_the_keyboard_alone(site, open_page, grid_of):
    page = open_page(f"{site}/{CHAPTER}")
    grid = grid_of(page)
    cell(grid, 0, 0).focus()
    for key, expected in [("ArrowRight", "0,1"), ("ArrowDown", "1,1"), ("End", "1,4"), ("ArrowRight", "1,4"),
                          ("Home", "1,0"), ("ArrowLeft", "1,0"), ("ArrowUp", "0,0"), ("ArrowUp", "0,0")]:  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.cell") == expected
    assert "Houston reads from Houston" in grid.locator(".attn-arithmetic").text_content()
    assert cell(grid, 0, 0).get_attribute("aria-label") == "Houston reads from Houston: 0.72"
    assert grid.locator("[tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "range"
    page.keyboard.press("ArrowRight")
    assert cell(grid, 0, 0).text_content() == weight(0, 0, scale=1 / 1.1) != weight(0, 0, scale=1)
    home = grid_of(open_page(f"{site}/index.html"))
    home.get_by_label("temperature").focus()
    home.page.keyboard.press("Tab")
    assert home.get_by_label("divide by √d").is_checked()
    home.page.keyboard.press("Space")
    assert not home.get_by_label("divide by √d").is_checked()


def test_a_token_can_be_dragged_and_the_outputs_stay_inside_the_hull(site, open_page, centre_of):
    page = open_page(f"{site}/{CHAPTER}")
    plane = plane_of(page)
    token = plane.get_by_role("slider", name="Houston")
    x, y = centre_of(token.locator(".attn-reach"))
    before = token.get_attribute("aria-valuetext")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y - 60, steps=5)
    page.mouse.up()
    assert token.get_attribute("aria-valuetext") != before
    assert "Houston at" in plane.locator(".attn-pair").text_content()
    assert page.evaluate(
        """() => {
            const hull = document.querySelector(".attn-hull");
            const corners = [...hull.points];
            return [...document.querySelectorAll("circle.attn-output")].every((ring) => {
                const [x, y] = [ring.cx.baseVal.value, ring.cy.baseVal.value];
                return corners.every((a, i) => {
                    const b = corners[(i + 1) % corners.length];
                    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) <= 1e-6;
                });
            });
        }"""
    )


def test_the_plane_is_driven_by_the_keyboard_alone(site, open_page):
    page = open_page(f"{site}/{CHAPTER}")
    plane = plane_of(page)
    token = plane.get_by_role("slider", name="we")
    assert token.get_attribute("aria-valuetext") == "(−0.60, 1.30)"
    token.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    assert token.get_attribute("aria-valuetext") == "(−0.50, 0.80)"
    assert "we at (−0.50, 0.80)" in plane.locator(".attn-pair").text_content()
    plane.get_by_label("times applied").fill("12")
    rings = plane.locator("circle.attn-output").evaluate_all("rings => rings.map((ring) => ring.getAttribute('cx'))")
    assert max(map(float, rings)) - min(map(float, rings)) < 1  # all tokens have become one
    plane.get_by_role("button", name="Start again").press("Enter")
    assert token.get_attribute("aria-valuetext") == "(−0.60, 1.30)"


@pytest.mark.parametrize("direction", [(-1, 0), (0, 1), (0, -1)])
def test_a_finger_drags_a_token_and_does_not_scroll_the_page(
    direction, served, open_page, centre_of, drag, settle, position_of
):
    page = open_page(f"{served}/{CHAPTER}", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    plane = plane_of(page)
    token = plane.get_by_role("slider", name="Houston")
    plane.locator("svg").evaluate("svg => svg.scrollIntoView({ block: 'center', behavior: 'instant' })")
    settle(page)
    box = None
    while box != (box := plane.locator("svg").bounding_box()):  # parts above are laid out once they come near
        settle(page)
    start = position_of(token)
    x, y = centre_of(token.locator(".attn-reach"))
    drag(page, *((x + 6 * step * direction[0], y + 6 * step * direction[1]) for step in range(11)))
    unit = box["width"] / 6.8  # pixels for 1
    moved = [(after - before) * unit for before, after in zip(start, position_of(token), strict=True)]
    assert moved == pytest.approx([60 * direction[0], -60 * direction[1]], abs=3)
    assert plane.locator("svg").bounding_box() == box


def test_a_finger_beside_the_tokens_scrolls_the_page(served, open_page, drag, until, position_of):
    page = open_page(f"{served}/{CHAPTER}", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    plane = plane_of(page)
    plane.locator("svg").evaluate("svg => svg.scrollIntoView({ block: 'center', behavior: 'instant' })")
    box, scrolled = plane.locator("svg").bounding_box(), page.evaluate("scrollY")
    start = position_of(plane.get_by_role("slider", name="Houston"))
    x, y = box["x"] + 12, box["y"] + box["height"] - 12
    drag(page, *((x, y - 12 * step) for step in range(11)))
    until(page, f"scrollY > {scrolled + 50}")
    assert position_of(plane.get_by_role("slider", name="Houston")) == start  # and no token moved


def test_without_javascript_text_formulas_and_tables_are_all_there(site, open_page):
    page = open_page(f"{site}/{CHAPTER}", java_script_enabled=False)
    assert page.get_by_role("heading", name="Does it read the right words?").is_visible()
    assert page.locator(".katex-html").count() > 20
    formulas = page.locator(".katex-display").all()
    folded = page.locator("details:not([open]) .katex-display").count()
    assert sum(formula.is_visible() for formula in formulas) == len(formulas) - folded > 0
    numbers = {"query_puzzle": "1.98", "token_plane": "0.76", "attention_grid": "0.21", "axes_puzzle": "0.47"}
    for name, number in numbers.items():
        table = page.locator(f"[data-widget={name}] table").first
        assert table.is_visible()
        assert number in table.text_content()
    reveal = page.locator("details.dropdown").first
    assert not reveal.locator("p").first.is_visible()
    reveal.locator("summary").click()
    assert reveal.locator("p").first.is_visible()


def test_printing_shows_every_widget_and_no_control(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("[data-widget] .attn-table").first.is_visible()
    pictures = page.locator("[data-widget] svg.attn-plane").all()
    assert len(pictures) >= 3
    assert all(picture.is_visible() for picture in pictures)
    assert not any(control.is_visible() for control in page.locator(".attn-controls").all())


def test_the_whole_grid_fits_a_phone_of_360_pixels(served, open_page, grid_of):
    page = open_page(f"{served}/{CHAPTER}", viewport={"width": 360, "height": 740})
    scroll = grid_of(page).locator(".attn-scroll")
    assert scroll.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_the_page_follows_the_readers_colour_scheme(served, open_page):
    brightness = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => +a + +b)"
    light = open_page(f"{served}/{CHAPTER}", color_scheme="light").evaluate(brightness)
    dark = open_page(f"{served}/{CHAPTER}", color_scheme="dark").evaluate(brightness)
    assert dark < 150 < 600 < light


def test_search_finds_a_word_of_the_chapter(site, open_page):
    page = open_page(f"{site}/search.html?q=GloVe")
    page.locator("#search-results a").first.wait_for()
    assert "The dot product" in page.locator("#search-results").text_content()
    page.locator("#search-results a").first.click()
    page.locator("#place", has_text="Does it read the right words?").wait_for()  # at the word, not at the top
    page.go_back()
    page.locator("#search-results .context").first.wait_for() if site.startswith("http") else None
    assert "\\" not in page.locator("#search-results").text_content()  # no formula's source
    assert page.third_party == page.problems == []


@pytest.mark.parametrize(
    ("words", "chapter"),
    [
        ("temperature", "00_"),
        ("causal mask", "05_"),
        ("RoPE", "08_"),
        ("grouped-query", "06_"),
        ("dropout", "05_writing"),
    ],
)
def test_the_chapter_that_defines_a_term_is_found_first(words, chapter, served, open_page):
    page = open_page(f"{served}/search.html?q={words}")
    first = page.locator("#search-results a").first
    first.wait_for()
    page.locator("#search-progress", has_not_text=".").wait_for(state="attached")
    assert f"chapters/{chapter}" in first.get_attribute("href")


@pytest.mark.parametrize("moves", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["moves", "waits"])
def test_a_figure_keeps_its_place_and_all_come_once_the_reader_moves_or_after_ten_seconds(
    moves, site, open_page, until
):
    page = open_page(f"{site}/{FIGURES}")
    images = page.locator("main img")
    written = re.findall("<img [^>]*>", (SITE / FIGURES).read_text(encoding="utf8"))
    assert all(
        re.search(rf'{name}="(lazy|\d+)"', image) for image in written for name in ("loading", "width", "height")
    )
    assert len(written) == images.count() > 2
    here = "[...document.querySelectorAll('main img')].filter((image) => image.complete && image.naturalWidth).length"
    assert page.evaluate(here) < images.count()
    if moves:
        page.keyboard.press("Shift")
    until(page, f"{here} === {images.count()}")
    for image in images.all():
        shown, own = image.evaluate("i => [i.clientWidth / i.clientHeight, i.naturalWidth / i.naturalHeight]")
        assert shown == pytest.approx(own, rel=0.01)


def test_the_audit_weighs_a_first_visit_and_hears_its_complaints(served, browser, tmp_path):
    found = audit.Result("index.html", {}, {})
    audit.visit(browser, served, found)
    assert 30 < found.kilobytes < audit.KILOBYTES
    assert found.requests > 5
    assert found.elsewhere == found.errors == []
    (tmp_path / "loud.html").write_text("<script src='loud.js'></script><img src='http://localhost:9/x.png' alt=''>")
    (tmp_path / "loud.js").write_text("console.warn('oops')")
    with serve(tmp_path) as address:
        loud = audit.Result("loud.html", {}, {})
        audit.visit(browser, address, loud)
    assert loud.elsewhere == ["http://localhost:9/x.png"]
    assert "oops" in loud.errors


def test_no_page_names_a_resource_of_another_site():
    """Also what a browser would ask for only later: fonts, prefetches, source maps in styles."""
    for file in [*SITE.rglob("*.html"), *SITE.rglob("*.css")]:
        text = re.sub(
            r'<a [^>]*href="[^"]*"', "<a", file.read_text(encoding="utf8")
        )  # a link asks only when it is followed
        for mark in (
            'src="http',
            'src="//',
            "url(http",
            'url("http',
            "@import url(http",
            "cdn.",
            "unpkg.com",
            "googleapis",
        ):
            assert mark not in text, f"{file.relative_to(SITE)} holds {mark}"
