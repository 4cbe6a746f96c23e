"""The built site as its readers meet it: no network, no kernel, and with JavaScript off no script."""

from pathlib import Path

import pytest

from attnlib import attention_weights, causal_mask, houston
from tests.browser.conftest import SITE

CHAPTER = "chapters/01_dot_product.html"
PAGES = ["index.html", CHAPTER, "search.html", "genindex.html"]
AXE = Path("node_modules/axe-core/axe.min.js")


def scroll_through(page):
    """Bring every widget near the screen once, so that it is mounted."""
    page.evaluate(
        """async () => {
            for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
                scrollTo({ top: y, behavior: 'instant' });
                await new Promise((done) => setTimeout(done, 30));
            }
            scrollTo({ top: 0, behavior: 'instant' });
        }"""
    )


def grid_of(page):
    grid = page.locator("[data-widget=attention_grid]").first
    grid.scroll_into_view_if_needed()
    grid.locator("[role=gridcell]").first.wait_for()
    return grid


def plane_of(page):
    plane = page.locator("[data-widget=token_plane]")
    plane.scroll_into_view_if_needed()
    plane.locator("svg").wait_for()
    return plane


def weight(row, column, mask=None, *, scale):
    """What a cell of the chapter's grid must show, by attnlib."""
    return f"{attention_weights(houston.EMBEDDINGS, houston.EMBEDDINGS, mask, scale=scale)[row, column]:.2f}"


def cell(grid, row, column):
    return grid.locator(f"[data-cell='{row},{column}']")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_asks_nobody_else_and_reports_no_error(path, site, open_page):
    page = open_page(f"{site}/{path}")
    scroll_through(page)
    assert page.third_party == []
    assert page.problems == []
    mounted, widgets = page.locator("[data-widget-mounted]").count(), page.locator("[data-widget]").count()
    assert mounted == widgets == {"index.html": 1, CHAPTER: 2}.get(path, 0)


def test_the_grid_answers_the_mouse(site, open_page):
    grid = grid_of(open_page(f"{site}/{CHAPTER}"))
    assert cell(grid, 0, 4).text_content() == "0.21"
    cell(grid, 0, 4).hover()
    arithmetic = grid.locator(".attn-arithmetic")
    assert "Houston reads from problem" in arithmetic.text_content()
    assert "noun 1.00×1.00 + letters 1.40×1.40 = 2.96" in arithmetic.text_content()
    assert "19.30 / 93.93 = 0.21" in arithmetic.text_content()
    assert grid.locator("tr.attn-dim").count() == 4
    grid.locator("figcaption").hover()
    assert grid.locator("tr.attn-dim").count() == 0


def test_the_grid_computes_temperature_scale_and_mask_in_the_page(site, open_page):
    grid = grid_of(open_page(f"{site}/{CHAPTER}"))
    grid.get_by_label("temperature").fill("5")
    assert cell(grid, 0, 4).text_content() == weight(0, 4, scale=1 / 5)
    grid.get_by_label("temperature").fill("1")
    grid.get_by_label("divide by √d").check()
    assert cell(grid, 0, 4).text_content() == weight(0, 4, scale=None) != weight(0, 4, scale=1 / 5)
    assert "÷ √8" in hover_text(grid, 0, 4)
    grid.get_by_label("mask", exact=True).check()
    assert cell(grid, 0, 4).text_content() == "–"
    assert cell(grid, 2, 1).text_content() == weight(2, 1, causal_mask(5), scale=None)
    assert "masked: the score becomes −∞, so the weight is 0" in hover_text(grid, 0, 4)
    assert grid.locator("tbody .attn-sum").all_text_contents() == ["1.00"] * 5


def hover_text(grid, row, column):
    cell(grid, row, column).hover()
    return grid.locator(".attn-arithmetic").text_content()


def test_the_grid_is_driven_by_the_keyboard_alone(site, open_page):
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
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert grid.get_by_label("divide by √d").is_checked()


def test_a_token_can_be_dragged_and_the_outputs_stay_inside_the_hull(site, open_page):
    page = open_page(f"{site}/{CHAPTER}")
    plane = plane_of(page)
    token = plane.get_by_role("slider", name="Houston")
    box = token.locator(".attn-reach").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = token.get_attribute("aria-valuetext")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y - 60, steps=5)
    page.mouse.up()
    assert token.get_attribute("aria-valuetext") != before
    assert "query: Houston" in plane.locator(".attn-pair").text_content()
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
    assert "query: we at (−0.50, 0.80)" in plane.locator(".attn-pair").text_content()
    plane.get_by_label("times applied").fill("12")
    rings = plane.locator("circle.attn-output").evaluate_all("rings => rings.map((ring) => ring.getAttribute('cx'))")
    assert max(map(float, rings)) - min(map(float, rings)) < 1  # all tokens have become one
    plane.get_by_role("button", name="Put the tokens back").press("Enter")
    assert token.get_attribute("aria-valuetext") == "(−0.60, 1.30)"


def test_a_touch_drags_a_token(served, open_page):
    page = open_page(f"{served}/{CHAPTER}", viewport={"width": 360, "height": 740}, has_touch=True)
    plane = plane_of(page)
    token = plane.get_by_role("slider", name="Houston")
    box = token.locator(".attn-reach").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    client = page.context.new_cdp_session(page)
    for kind, dx in [("touchStart", 0), ("touchMove", -20), ("touchMove", -40), ("touchEnd", None)]:
        points = [] if dx is None else [{"x": x + dx, "y": y}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    value = float(token.get_attribute("aria-valuenow"))
    assert 1.8 - 40 / box["width"] * 1.5 < value < 1.5  # it was at 1.8, and followed the finger to the left


def test_without_javascript_text_formulas_and_tables_are_all_there(site, open_page):
    page = open_page(f"{site}/{CHAPTER}", java_script_enabled=False)
    assert page.get_by_role("heading", name="The grid").is_visible()
    assert page.locator(".katex-html").count() > 20
    assert all(formula.is_visible() for formula in page.locator(".katex-display").all())
    tables = page.locator("[data-widget] table")
    assert tables.count() == 2
    assert all(table.is_visible() for table in tables.all())
    assert "0.21" in tables.first.text_content()
    reveal = page.locator("details").first
    assert not reveal.locator("p").first.is_visible()
    reveal.locator("summary").click()
    assert reveal.locator("p").first.is_visible()


def test_printing_shows_every_widget_and_no_control(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("[data-widget] .attn-table").first.is_visible()
    assert page.locator("[data-widget] svg").is_visible()
    assert not any(control.is_visible() for control in page.locator(".attn-controls").all())


@pytest.mark.parametrize("path", PAGES[:2])
@pytest.mark.parametrize("width", [320, 360, 390])
def test_a_narrow_page_does_not_scroll_sideways(path, width, served, open_page):
    page = open_page(f"{served}/{path}", viewport={"width": width, "height": 740})
    scroll_through(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_whole_grid_fits_a_phone_of_360_pixels(served, open_page):
    page = open_page(f"{served}/{CHAPTER}", viewport={"width": 360, "height": 740})
    scroll = grid_of(page).locator(".attn-scroll")
    assert scroll.evaluate("box => box.scrollWidth <= box.clientWidth")


@pytest.mark.parametrize("path", PAGES[:2])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_the_content(path, width, scheme, served, open_page):
    page = open_page(f"{served}/{path}", viewport={"width": width, "height": 900}, color_scheme=scheme)
    scroll_through(page)
    page.add_script_tag(path=AXE)
    result = page.evaluate("() => axe.run('main')")
    found = [(v["id"], n["html"], n["failureSummary"]) for v in result["violations"] for n in v["nodes"]]
    assert found == []


def test_the_page_follows_the_readers_colour_scheme(served, open_page):
    brightness = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => +a + +b)"
    light = open_page(f"{served}/{CHAPTER}", color_scheme="light").evaluate(brightness)
    dark = open_page(f"{served}/{CHAPTER}", color_scheme="dark").evaluate(brightness)
    assert dark < 150 < 600 < light


def test_search_finds_a_word_of_the_chapter(site, open_page):
    page = open_page(f"{site}/search.html?q=nuisance")
    page.locator("#search-results a").first.wait_for()
    assert "The dot product" in page.locator("#search-results").text_content()
    assert page.third_party == page.problems == []


def test_no_page_names_a_resource_of_another_site():
    """Also what a browser would ask for only later: fonts, prefetches, source maps in styles."""
    for file in [*SITE.rglob("*.html"), *SITE.rglob("*.css")]:
        text = file.read_text(encoding="utf8")
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
