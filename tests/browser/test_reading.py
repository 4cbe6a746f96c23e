"""Reading the built site: links to every part, colours, progress, contents, keyboard, zoom, print."""

import re
from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib import plots
from tools.site import ROOT, scroll_through

CHAPTER = "chapters/01_dot_product.html"
WITH_NOTES = "chapters/04_scaling.html"  # in its margin
PHONE = {"viewport": {"width": 390, "height": 844}}


def test_every_section_exercise_and_widget_has_a_link_to_itself(site, open_page):
    page = open_page(f"{site}/{CHAPTER}")
    scroll_through(page)
    for kind in ("section[id]:has(> h2), section[id]:has(> h3)", ".exercise", "[data-widget]"):
        parts = page.locator(f"main :is({kind})")
        assert parts.count() > 1
        for part in parts.all():
            name = part.get_attribute("id")
            assert part.locator(".headerlink").first.get_attribute("href") == f"#{name}", name


@pytest.mark.parametrize("part", ["ex-average-limits", "attention-grid-hand-made-vectors", "all-five-in-the-plane"])
def test_a_deep_link_leads_to_its_part_below_the_bar(part, site, open_page, until):
    page = open_page(f"{site}/{CHAPTER}#{part}")
    page.evaluate("document.fonts.ready.then(() => 0)")
    top = f"document.getElementById('{part}').getBoundingClientRect().top"
    below = f"document.querySelector('.bar').getBoundingClientRect().bottom <= {top} && {top} < 400"
    until(page, f"scrollY > 1000 && {below}")
    assert page.evaluate(below)


def brightness(page):
    script = "getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).reduce((a, b) => +a + +b)"
    return page.evaluate(script)


def test_the_colours_can_be_switched_and_stay(site, open_page):
    page = open_page(f"{site}/{CHAPTER}", color_scheme="light")
    button = page.get_by_role("button", name="Colours: light. Switch")
    button.click()
    assert brightness(page) < 150
    page.reload()
    assert brightness(page) < 150
    page.get_by_role("button", name="Colours: dark. Switch").press("Enter")
    assert brightness(page) > 600
    assert page.evaluate("localStorage.getItem('attention-book:colours')") is None  # the system's again
    page.emulate_media(color_scheme="dark")
    assert brightness(page) < 150
    page.get_by_role("button", name="Colours: dark. Switch").wait_for()


def test_storage_that_is_switched_off_costs_only_the_memory(served, open_page):
    page = open_page(f"{served}/{CHAPTER}", color_scheme="light")
    page.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('off', 'SecurityError'); } })"
    )
    page.reload()
    page.get_by_role("button", name="Colours: light. Switch").click()
    assert brightness(page) < 150
    page.locator("#all-five-in-the-plane").scroll_into_view_if_needed()
    assert page.problems == []


def test_progress_is_kept_and_shown(site, open_page, until):
    page = open_page(f"{site}/{CHAPTER}")
    rail = page.locator("#contents")
    assert rail.locator(".progress").count() == 0
    page.locator("#does-it-read-the-right-words").evaluate("part => part.scrollIntoView({ behavior: 'instant' })")
    expect(page.locator("#place")).to_have_text("Does it read the right words?")
    expect(rail.locator("[aria-current=location]")).to_have_text("Does it read the right words?")
    page.goto(f"{site}/index.html")
    shown = page.locator(".toctree-wrapper .progress").text_content()
    read, of = map(int, re.fullmatch(r"(\d+) of (\d+) sections", shown).groups())
    assert 1 < read < of
    page.get_by_role("link", name="Go on at “Does it read the right words?”").click()
    until(page, "scrollY > 1000")
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    expect(page.locator("#place")).to_have_text("Exercises")
    page.goto(f"{site}/index.html")
    assert page.locator(".toctree-wrapper .progress").text_content() == "read"


def test_what_is_stored_by_others_or_broken_does_no_harm(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.evaluate("""() => {
        localStorage.setItem('attention-book:progress', '{broken');
        localStorage.setItem('attention-book:last', '"chapters/gone"');
        localStorage.setItem('attention-book:colours', 'purple');
    }""")
    for path in ("index.html", CHAPTER):
        page.goto(f"{served}/{path}")
        scroll_through(page)
    assert page.problems == []


def test_on_the_landing_page_the_contents_open_below_their_button(served, open_page):
    page = open_page(f"{served}/index.html")
    page.get_by_role("button", name="Contents").click()
    box = page.locator("#contents").bounding_box()
    assert box["x"] + box["width"] == pytest.approx(page.evaluate("document.documentElement.clientWidth"), abs=1)
    assert box["y"] == pytest.approx(48, abs=2)


@pytest.mark.parametrize("script", [True, False])
def test_on_a_phone_the_contents_open_over_the_page_and_close(script, site, open_page, until):
    page = open_page(f"{site}/{CHAPTER}", **PHONE, java_script_enabled=script)
    contents = page.locator("#contents")
    assert not contents.is_visible()
    page.get_by_role("button", name="Contents").click()
    contents.get_by_role("link", name="Does it read the right words?", exact=True).wait_for()
    page.keyboard.press("Escape")
    assert not contents.is_visible()
    page.get_by_role("button", name="Contents").press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")  # also from inside
    assert not contents.is_visible()
    page.get_by_role("button", name="Contents").press("Enter")
    contents.get_by_role("link", name="Does it read the right words?", exact=True).click()
    until(page, "document.getElementById('does-it-read-the-right-words').getBoundingClientRect().top < 300")
    if script:
        assert not contents.is_visible()


def test_the_keyboard_meets_the_page_in_its_order(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.keyboard.press("Tab")
    focused = "document.activeElement.textContent.trim() || document.activeElement.getAttribute('aria-label')"
    met = []
    for _ in range(6):
        met.append(page.evaluate(focused))
        style = page.evaluate(
            "(({ outlineStyle, outlineWidth }) => outlineStyle + outlineWidth)"
            "(getComputedStyle(document.activeElement))"
        )
        assert style == "solid3px", met
        page.keyboard.press("Tab")
    assert met == [
        "Skip to the text", "Attention from the Dot Product Up", "Search the book", "Colours: light. Switch",
        "0 · Look-up and softmax", "1 · The dot product",
    ]  # fmt: skip


def test_the_skip_link_leads_to_the_text(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.keyboard.press("Tab")
    assert page.locator(".skip-link").bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_a_box_that_scrolls_can_be_focused_and_one_that_fits_is_no_stop(served, open_page, until):
    page = open_page(f"{served}/chapters/appendices/grading.html", **PHONE)
    scroll_through(page)  # a box is measured when its section comes into view
    until(page, "document.querySelectorAll('pre[tabindex]').length > 1")
    boxes = page.locator("pre").evaluate_all(
        "all => all.map((box) => [box.scrollWidth > box.clientWidth + 1, box.tabIndex === 0])"
    )
    assert [scrolls for scrolls, _ in boxes] == [stops for _, stops in boxes]
    page = open_page(f"{served}/{CHAPTER}", **PHONE)
    scroll_through(page)
    assert page.locator(".cell_input pre").count() > 5
    assert page.locator(".cell_input pre[tabindex='0']").count() == 0


def test_code_wraps_on_a_phone_and_what_it_prints_keeps_its_columns(served, open_page):
    page = open_page(f"{served}/{CHAPTER}", **PHONE)
    wraps = "all => all.map((box) => getComputedStyle(box).whiteSpace)"
    assert set(page.locator(".cell_input pre").evaluate_all(wraps)) == {"pre-wrap"}
    assert set(page.locator(".cell_output pre").evaluate_all(wraps)) == {"pre"}
    assert page.locator(".cell_input pre").evaluate_all("all => all.every((box) => box.scrollWidth <= box.clientWidth)")
    starts = """(lines) => lines.map((line) => {
        const text = document.createRange();
        text.selectNodeContents(line);
        const left = [...text.getClientRects()].filter((box) => box.width > 4).map((box) => Math.round(box.left));
        const rest = getComputedStyle(line).paddingInlineStart.slice(0, -2);
        return { rows: new Set([...text.getClientRects()].map((box) => Math.round(box.top))).size,
                 first: left[0], rest: Math.round(line.getBoundingClientRect().left + parseFloat(rest)), left };
    })"""
    wrapped = [line for line in page.locator(".cell_input .long").evaluate_all(starts) if line["rows"] > 1]
    assert len(wrapped) > 5
    for line in wrapped:  # where it goes on it stands further right than where it began
        assert min(line["left"]) == line["first"] < line["rest"]
        assert any(abs(left - line["rest"]) <= 1 for left in line["left"])


@pytest.mark.parametrize("chapter", [CHAPTER, pytest.param("chapters/03_query_key_value.html", marks=pytest.mark.slow)])
def test_on_a_phone_every_link_of_the_contents_leads_to_its_place(chapter, served, open_page, until):
    """Also to places far below, whose sections are laid out only when they come near."""
    links = "[...document.querySelectorAll(\"#contents a[href^='#']\")]"
    page = open_page(f"{served}/{chapter}", **PHONE)
    places = page.evaluate(f"{links}.map(link => link.hash)")
    assert len(places) > 10
    for place in places[2::4]:
        arrived = f"Math.abs(document.querySelector('{place}').getBoundingClientRect().top - 64) < 2"
        page.goto("about:blank")  # nothing is laid out any more
        page.goto(f"{served}/{chapter}")
        page.evaluate(f"place => {links}.find(link => link.hash === place).click()", place)
        until(page, arrived)
        page.goto("about:blank")
        page.goto(f"{served}/{chapter}{place}")  # a link that was shared
        until(page, arrived)


def test_on_a_phone_what_is_below_is_laid_out_once_the_reader_moves(served, open_page, until):
    """Until then a page costs no more than what is seen of it; afterwards it is as long as it says."""
    page = open_page(f"{served}/{CHAPTER}", **PHONE)
    last = "document.querySelector('main > section > section:last-of-type').firstElementChild"
    seen = f"{last}.checkVisibility({{ contentVisibilityAuto: true }})"
    page.evaluate("async () => { for (let k = 0; k < 40; k++) await new Promise(requestIdleCallback); }")
    assert not page.evaluate(seen)
    page.keyboard.press("Shift")
    until(page, seen)
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize(
    "name", ["05_writing", "10_real_model", "appendices/errata", "appendices/api", "appendices/grading"]
)
def test_what_is_not_laid_out_has_the_room_that_it_needs(served, open_page, name):
    """An audit's tools take what is not laid out, and needs more, for something that lies above what follows."""
    page = open_page(f"{served}/chapters/{name}.html", **PHONE)
    heights = "() => [...document.querySelectorAll('main > section > section')].map((part) => part.offsetHeight)"
    rooms = page.evaluate(heights)
    page.evaluate("document.documentElement.classList.add('whole')")
    needed = page.evaluate(heights)
    assert sum(rooms) > 0.95 * sum(needed)
    assert all(room > 0.75 * need for room, need in zip(rooms, needed, strict=True))
    assert rooms[-1] > 0.9 * needed[-1]  # the page's foot follows


def test_the_slash_key_searches_except_where_one_writes(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    page.keyboard.press("/")
    field = page.get_by_role("searchbox")
    assert field.evaluate("field => field === document.activeElement")
    page.keyboard.type("a/GloVe")
    assert field.input_value() == "a/GloVe"
    field.fill("GloVe")
    page.keyboard.press("Enter")
    page.locator("#search-results a").first.wait_for()
    assert "q=GloVe" in page.url
    page = open_page(f"{served}/{CHAPTER}", **PHONE)  # the field has no room there
    page.keyboard.press("/")
    page.wait_for_url("**/search.html")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_without_javascript_each_widget_says_what_is_missing(site, open_page):
    page = open_page(f"{site}/{CHAPTER}", java_script_enabled=False)
    for widget in page.locator("[data-widget]").all():
        note = widget.locator(".widget-missing")
        assert note.is_visible()
        assert "With JavaScript on you can" in note.text_content()
    assert not any(part.is_visible() for part in page.locator(".script-only").all())
    page.goto(f"{site}/search.html")
    note = page.locator("main noscript p")
    assert note.is_visible()
    assert "Searching needs JavaScript" in note.text_content()


def test_with_javascript_no_widget_says_that_something_is_missing(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    scroll_through(page)
    assert page.locator(".widget-missing").count() == 0


def test_paper_gets_the_text_alone(served, open_page):
    page = open_page(f"{served}/{WITH_NOTES}", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for part in (".bar", ".contents", ".foot-turn", ".headerlink", ".copybtn"):
        assert not any(one.is_visible() for one in page.locator(part).all()), part
    assert brightness(page) == 3 * 255
    assert page.locator("aside.sidebar").first.is_visible()


def test_margin_notes_stand_in_the_margin_where_there_is_one(served, open_page):
    def edges(width):
        page = open_page(f"{served}/{WITH_NOTES}", viewport={"width": width, "height": 900})
        note, text = page.locator("aside.sidebar").first.bounding_box(), page.locator("main p").first.bounding_box()
        return note["x"], text["x"] + text["width"], note["x"] + note["width"]

    note, text, end = edges(1280)
    assert text < note < end <= 1280
    note, text, _ = edges(820)
    assert note < text


def test_the_new_term_of_a_formula_takes_the_accent(served, open_page):
    page = open_page(f"{served}/{CHAPTER}")
    colour = "one => getComputedStyle(one).color"
    assert page.locator(".new-term").first.evaluate(colour) == page.locator(".contents [aria-current=page]").evaluate(
        colour
    )


def test_figures_and_widgets_share_one_scale(served, open_page, grid_of):
    """The page's colour for a weight, mixed by the browser, against attnlib.plots' for the same weight."""
    page = open_page(f"{served}/{CHAPTER}", color_scheme="light")
    cell = grid_of(page).locator("[role=gridcell]").first
    for weight in (0.0, 0.25, 0.5, 1.0):
        cell.evaluate("(cell, weight) => cell.style.setProperty('--w', weight)", weight)
        painted = cell.evaluate(
            """(cell) => {
                const canvas = document.createElement("canvas").getContext("2d");
                canvas.fillStyle = getComputedStyle(cell).backgroundColor;
                canvas.fillRect(0, 0, 1, 1);
                return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
            }"""
        )
        assert np.abs(np.array(plots.WEIGHTS(weight)[:3]) * 255 - painted).max() < 4, weight


@pytest.fixture
def typefaces_of():
    """The names of the typefaces in which a part of a page is drawn."""

    def names(page, part):
        network = page.context.new_cdp_session(page)
        for domain in ("DOM", "CSS"):
            network.send(f"{domain}.enable")
        root = network.send("DOM.getDocument")["root"]["nodeId"]
        node = network.send("DOM.querySelector", {"nodeId": root, "selector": part})["nodeId"]
        fonts = network.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        network.detach()
        return {font["familyName"] for font in fonts}

    return names


OWN = {"main h1": {"Book Serif 4"}, ".bar-title span": {"Book Sans 3 ExtraLight"}}
FETCHED = "localStorage.getItem('attention-book:typefaces') === 'true'"


@pytest.mark.parametrize(("path", "number"), [(CHAPTER, 3), ("search.html", 2)])
def test_the_book_shows_in_its_own_typefaces_and_asks_once_for_each(path, number, site, open_page, typefaces_of):
    page = open_page(f"{site}/{path}")
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    for _ in range(5):  # a busy machine may draw a page before they are there
        asked.clear()
        page.reload()
        page.evaluate("document.fonts.ready.then(() => 0)")
        if (shown := {part: typefaces_of(page, part) for part in OWN}) == OWN:
            break
    assert shown == OWN
    faces = [name for name in asked if name in {"serif.woff2", "sans.woff2", "serif-italic.woff2"}]
    assert len(faces) == len(set(faces)) == number
    assert page.problems == []


def test_a_phone_shows_the_first_page_in_its_own_typefaces_and_the_next_in_the_books(
    site, open_page, typefaces_of, until
):
    page = open_page(f"{site}/{CHAPTER}", **PHONE)
    first = {part: typefaces_of(page, part) for part in OWN}
    assert not any(name.startswith("Book ") for names in first.values() for name in names)
    until(page, FETCHED)
    for _ in range(5):  # as above
        page.goto(f"{site}/chapters/02_learnable_u.html")
        page.evaluate("document.fonts.ready.then(() => 0)")
        if (shown := {part: typefaces_of(page, part) for part in OWN}) == OWN:
            break
    assert shown == OWN
    assert page.problems == []


def test_a_typeface_that_does_not_come_is_asked_for_again_by_the_next_page(site, open_page, settle, until):
    page = open_page(f"{site}/_static/favicon.png", **PHONE)
    page.context.route("**/serif.woff2", lambda route: route.abort())
    page.goto(f"{site}/{CHAPTER}")
    until(page, "[...document.fonts].some((face) => face.status === 'error')")
    settle(page)
    assert not page.evaluate(FETCHED)
    page.context.unroute("**/serif.woff2")
    page.reload()
    until(page, FETCHED)


def test_formulas_show_in_their_own_typefaces(site, open_page):
    page = open_page(f"{site}/{CHAPTER}")
    loaded = page.evaluate(
        "document.fonts.ready.then((all) => [...all].filter((f) => f.status === 'loaded').map((f) => f.family))"
    )
    assert {"KaTeX_Main", "KaTeX_Math"} <= {name.strip('"') for name in loaded}


COUNT_SHIFTS = """() => {
    window.moved = 0;
    const add = (list) => list.getEntries().forEach((entry) => (moved += entry.value));
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
}"""


@pytest.mark.parametrize("chapter", sorted(path.stem for path in (ROOT / "chapters").glob("[01]*.md")))
def test_nothing_in_sight_moves_when_the_widgets_of_a_chapter_start(chapter, served, open_page, settle, until):
    page = open_page(f"{served}/_static/favicon.png", viewport={"width": 412, "height": 823})
    held = []  # no typeface comes: what moves then, the widgets move
    page.context.route("**/*.woff2", lambda route: held.append(route))
    page.goto(f"{served}/chapters/{chapter}.html", wait_until="domcontentloaded")
    page.evaluate(COUNT_SHIFTS)
    until(page, "document.fonts.status === 'loading'")
    settle(page)
    assert page.evaluate("moved") < 0.05  # half of what Core Web Vitals call good
    for route in held:
        route.abort()


# A line of each is longer in the book's typeface.
WRAPPED = ["03_query_key_value", "04_assumptions", "10_real_model", "appendices/downloads", "appendices/gallery"]


@pytest.mark.parametrize("name", WRAPPED)
def test_no_line_moves_when_the_typefaces_come_a_second_late(name, served, open_page, settle, until):
    page = open_page(f"{served}/_static/favicon.png", viewport={"width": 412, "height": 823})
    page.evaluate("localStorage.setItem('attention-book:typefaces', 'true')")  # but no longer kept
    late = []
    page.context.route("**/*.woff2", lambda route: late.append(route))
    page.goto(f"{served}/chapters/{name}.html", wait_until="domcontentloaded")
    page.evaluate(COUNT_SHIFTS)
    until(page, "document.fonts.status === 'loading'")
    asked = page.evaluate("performance.now()")
    until(page, f"performance.now() > {asked} + 1000")
    assert len(late) > 1
    page.context.unroute("**/*.woff2")
    for request in late:
        request.continue_()
    page.evaluate("document.fonts.ready.then(() => 0)")
    settle(page)
    assert page.evaluate("moved") < 0.05


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_a_figure_has_the_colour_of_its_page(scheme, site, open_page):
    page = open_page(f"{site}/chapters/08_waves.html", color_scheme=scheme, **PHONE)
    figure = page.locator(".cell_output img").first
    figure.scroll_into_view_if_needed()
    figure.evaluate("(image) => image.decode()")
    corner = plt.imread(BytesIO(figure.screenshot()))[3, 3, :3]
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (255 * corner).round().tolist() == [int(part) for part in re.findall(r"\d+", paper)]
