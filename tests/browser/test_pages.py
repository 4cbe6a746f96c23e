"""What holds for every page of the site: each is opened once, all its widgets alive, and looked at from all sides."""

import gzip
import io
import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from playwright.sync_api import expect

from _ext import links
from tools.audit import audit
from tools.site import SITE, scroll_through

CHAPTER = "chapters/01_dot_product.html"
GALLERY = "chapters/appendices/gallery.html"
TEXTS = ["index.html", *sorted(str(file.with_suffix(".html")) for file in Path("chapters").rglob("*.md"))]
PAGES = [*TEXTS, "search.html", "genindex.html", "404.html"]
WIDE = {"width": 1280, "height": 900}
# `make test` visits one of each kind; the audit, too, opens all others.
VISITED = {"index.html", CHAPTER, "chapters/09_trained.html", "chapters/08_waves.html", "search.html", "404.html"}
VISITED |= {GALLERY, *(f"chapters/appendices/{name}.html" for name in ("teachers", "errata", "api"))}


@pytest.fixture(
    scope="module", params=[name if name in VISITED else pytest.param(name, marks=pytest.mark.slow) for name in PAGES]
)
def visited(request, new_page, served):
    """A page of the site, scrolled to its end and back; what a large widget shows may come from a file of its own."""
    page = new_page(f"{served}/{request.param}")
    page.path = request.param
    scroll_through(page, answers=True)
    expect(page.locator("[data-widget]:not([data-widget-mounted])")).to_have_count(0)
    yield page
    page.context.close()


@pytest.fixture
def page(visited):
    """The page as wide as a laptop and light."""
    visited.set_viewport_size(WIDE)
    visited.emulate_media(color_scheme="light")
    return visited


def test_it_asks_nobody_else_and_reports_no_error(page):
    assert page.third_party == page.problems == []
    assert page.locator(".attn-problem:not(:empty)").count() == 0


def test_it_transfers_no_more_than_a_page_may(page):
    """As `make audit` counts it, which comes an hour later; here with all answers open."""
    transferred = page.evaluate("performance.getEntries().map((entry) => entry.transferSize ?? 0)")
    assert transferred[0] > 1000  # the page itself
    assert sum(transferred) <= audit.KILOBYTES * 1000


def test_every_id_is_there_once(page):
    ids = page.locator("[id]").evaluate_all("all => all.map((one) => one.id)")
    assert sorted(ids) == sorted(set(ids))


def test_it_says_what_it_is(page):
    assert 20 < len(page.locator("meta[name=description]").get_attribute("content")) < 200
    assert page.title()
    assert page.locator("h1").count() == page.locator("main").count() == 1
    assert page.locator("link[rel=icon]").count() == 1
    if page.path != "404.html":
        said = "[...h1.childNodes].filter((one) => one.className !== 'headerlink').map((one) => one.textContent)"
        title = f"(h1) => {said}.join('').trim()"
        assert page.locator("meta[property='og:image']").get_attribute("content").endswith("_static/preview.png")
        assert page.locator("meta[property='og:title']").get_attribute("content") == page.locator("h1").evaluate(title)


def test_the_whole_window_takes_the_papers_colour(page):
    if page.path.startswith("chapters/") and page.path not in {CHAPTER, GALLERY}:
        pytest.skip("the colour is that of the page's frame, which all texts share")
    page.set_viewport_size({"width": 800, "height": 2400})
    page.emulate_media(color_scheme="dark")
    whole = plt.imread(io.BytesIO(page.screenshot()))  # rows, columns, RGB from 0 to 1
    assert (whole[[70, 2395]][:, [4, 795]] == whole[70, 4]).all()


def test_axe_finds_no_violation_in_the_dark_on_a_phone(page, violations):
    """`make audit` looks at every page, both widths and schemes, before widgets are alive too, and inside formulas and code."""
    if page.path.startswith("chapters/") and page.path != CHAPTER:
        pytest.skip(
            "one chapter stands for all, and each widget is looked at by itself: the rules take long on a long page"
        )
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(color_scheme="dark")
    assert violations(page, without=".katex, pre") == []


def test_a_narrow_page_does_not_scroll_sideways(page):
    for width in (390, 360, 320):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_letters_of_twice_the_size_lose_nothing(page):
    page.evaluate("document.documentElement.style.setProperty('font-size', '200%', 'important')")
    for width in (1280, 820, 640, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        clipped = page.evaluate(
            """() => [...document.querySelectorAll("body *")].filter((one) => {
                const style = getComputedStyle(one);
                if (!one.checkVisibility() || style.clipPath !== "none") return false;
                if (one.closest(".katex, svg, input, #place")) return false;
                const hidden = (overflow) => overflow === "hidden" || overflow === "clip";
                return (hidden(style.overflowX) && one.scrollWidth > one.clientWidth + 1)
                    || (hidden(style.overflowY) && one.scrollHeight > one.clientHeight + 1);
            }).map((one) => one.outerHTML.slice(0, 100))"""
        )
        assert clipped == [], width
        narrowest = page.locator("main p:not([data-widget] p, table p)").evaluate_all(
            "all => Math.min(...all.map((p) => p.clientWidth).filter(Boolean))"
        )
        assert narrowest > min(400, 0.5 * width - 80), width
    page.evaluate("document.documentElement.style.removeProperty('font-size')")


@pytest.mark.parametrize("path", ["index.html", CHAPTER, GALLERY])
def test_a_page_opened_from_a_folder_works_as_well(path, open_page):
    page = open_page(f"{SITE.as_uri()}/{path}")
    scroll_through(page)
    assert page.third_party == page.problems == []
    assert page.locator("[data-widget-mounted]").count() == page.locator("[data-widget]").count()


@pytest.mark.parametrize("path", TEXTS)
def test_the_widgets_of_a_page_are_small(path):
    """All the scripts and styles of widgets that a page of the book brings: 25 KB compressed, the gallery's 2.5 KB for each."""
    html = (SITE / path).read_text(encoding="utf8")
    most = 25 if path != GALLERY else 2.5 * len(set(re.findall(r'data-widget="(\w+)"', html)))
    parts = [(SITE / "_static" / name).read_bytes() for name in re.findall(r"_static/(widgets-\w+\.(?:js|css))", html)]
    assert sum(len(gzip.compress(part, 9)) for part in parts) <= 1024 * most


def test_code_is_marked_where_the_style_colours_it_and_nowhere_else():
    code = [
        found
        for page in TEXTS
        for found in re.findall(r'<div class="highlight">(.*?)</pre>', (SITE / page).read_text(), re.DOTALL)
    ]
    marks = {mark for text in code for mark in re.findall(r'<span class="([\w-]+)">', text)}
    style = " ".join(re.findall(r"^\.highlight[^{]*", Path("_ext/theme/content.css").read_text(), re.MULTILINE))
    assert "def" in {word for text in code for word in re.findall(r'<span class="k">(\w+)</span>', text)}
    assert {mark for mark in marks if not re.search(rf"\.{mark}\b", style)} == set()


def test_every_link_inside_the_site_leads_somewhere():
    """Also those of the pages that the build does not read: the search, the index, and the one for a wrong address."""
    pages = {path: links.read(SITE / path) for path in PAGES}
    assert sum(len(page.links) for page in pages.values()) > 20
    assert list(links.faults(SITE, pages)) == []
