"""A real Chromium, the built site over HTTP and from its folder, and a page that may reach neither more.

The server is stricter than most hosts: the site lies below a path, and every page comes under a
content-security policy that allows no inline script and nothing from elsewhere.
"""

import functools
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from anywidget_static import esbuild
from anywidget_static.page import Source
from contract import bundle
from tools import gallery as gallery_page
from tools.site import ROOT, SITE
from tools.site import served as serve


@pytest.fixture(scope="session")
def served():
    """The address of the built site."""
    assert (SITE / "index.html").exists(), "build the site first: make book"
    with serve() as address:
        yield address


@pytest.fixture(params=["http", pytest.param("file", marks=pytest.mark.slow)])
def site(request, served):
    """The built site, once from a server and once from its folder."""
    return served if request.param == "http" else SITE.as_uri()


# The book's paper and ink, light and dark, and the widgets' own style.
PAPER = re.search(r":root \{.*?\n\}", (ROOT / "_ext" / "theme" / "page.css").read_text(encoding="utf8"), re.DOTALL)[0]
STYLE = f"{PAPER} body {{ background: var(--paper); color: var(--ink) }}"


@pytest.fixture(scope="session")
def widgets_style():
    """The style of every widget of the book."""
    return esbuild.style(esbuild.modules(ROOT / "attnlib/widgets"), ROOT)


@pytest.fixture(scope="session")
def script_of(tmp_path_factory):
    """The script of a page with some of the book's widgets."""

    @functools.cache
    def script(*names):
        folder = tmp_path_factory.mktemp("script")
        sources = [Source(name, package="attnlib.widgets") for name in names]
        esbuild.write_pages({"page": sources}, folder, ROOT / "_ext/theme/widgets.mjs", ROOT)
        return (folder / "page.js").read_text(encoding="utf8")

    return script


@pytest.fixture(scope="session")
def module_of(tmp_path_factory):
    """The module of a widget of the book, whole: what a blob can hold."""

    @functools.cache
    def module(name):
        folder = tmp_path_factory.mktemp("module")
        source = (ROOT / f"attnlib/widgets/{name}.mjs").as_posix()
        esbuild.run({"page": f'export {{ default }} from "{source}";'}, folder, "--format=esm", root=ROOT)
        return (folder / "page.js").read_text(encoding="utf8")

    return module


@pytest.fixture
def show(show_html, script_of, widgets_style):
    """Write widgets, or HTML with some, into a page of their own and open it."""

    def show_it(*parts, **options):
        html = "".join(part if isinstance(part, str) else part.to_html() for part in parts)
        modules = sorted(set(re.findall(r'data-widget="(\w+)"', html)))
        return show_html(html, script_of(*modules), STYLE + widgets_style, **options)

    return show_it


@pytest.fixture
def open_alone(show_html, tmp_path, widgets_style):
    """A widget in a page in which `home.model.receive(fields)` does what Python would do in a notebook."""

    def open_it(widget):
        page = show_html(widget.to_html(), bundle(widget, tmp_path), widgets_style)
        page.evaluate(
            """() => {
              const backend = (home) => ((globalThis.home = home), home.without_kernel);
              bare.mount(document, { [bare.name]: { default: bare.widget } }, { backend });
              dispatchEvent(new Event("beforeprint"));
            }"""
        )
        page.locator("[data-widget-mounted]").wait_for()
        return page

    return open_it


@pytest.fixture
def count_said():
    """Count, as `said` in the page, the nodes that come to what is read aloud from now on."""
    watch = """() => {
      globalThis.said = 0;
      const count = (all) => { said += all.flatMap(({ addedNodes }) => [...addedNodes]).length; };
      new MutationObserver(count).observe(document.querySelector("[aria-live]"), { childList: true });
    }"""
    return lambda page: page.evaluate(watch)


@pytest.fixture
def drag(settle):
    """Draw a finger over a page, through the points."""

    def drag_it(page, *points):
        client = page.context.new_cdp_session(page)
        for kind, point in zip(["touchStart"] + ["touchMove"] * (len(points) - 1), points, strict=True):
            touch = {"type": kind, "touchPoints": [{"x": point[0], "y": point[1]}]}
            client.send("Input.dispatchTouchEvent", touch)
            settle(page)
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        client.detach()
        settle(page)
        expect(page.locator("[data-paced=waiting], .attn-film")).to_have_count(0)

    return drag_it


@pytest.fixture
def rested():
    """Wait until all that a widget shows is written: its input has rested, and nothing is painted over it."""
    return lambda page: expect(page.locator("[data-paced=waiting], .attn-film")).to_have_count(0)


@pytest.fixture
def pull(drag):
    """Move a slider to a value, from where it stands: by mouse, on a phone by finger."""

    def pull_to(slider, value):
        slider.scroll_into_view_if_needed()
        page, box, thumb = slider.page, slider.bounding_box(), 16
        least, most, now = slider.evaluate("(one) => [+one.min, +one.max, +one.value]")
        at, to = (
            (
                box["x"] + thumb / 2 + (box["width"] - thumb) * (to - least) / (most - least),
                box["y"] + box["height"] / 2,
            )
            for to in (now, value)
        )
        if page.viewport_size["width"] < 500:
            drag(page, at, to)
            return
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(*to, steps=3)
        page.mouse.up()
        expect(page.locator("[data-paced=waiting], .attn-film")).to_have_count(0)

    return pull_to


@pytest.fixture
def stays_below(show):
    """What stands below a widget keeps its place through all changes, each a function of the page; returns the page."""

    def stays(widget, width, *changes):
        box = '<div style="max-width: 46rem">'
        page = show(box, widget, "<p id='below'>below</p>", viewport={"width": width, "height": 900})
        page.locator(".attn-meter, .attn-controls").first.wait_for()
        at = []
        for change in changes:
            change(page)
            at.append(page.locator("#below").bounding_box()["y"])
        assert max(at) - min(at) <= 1
        return page

    return stays


@pytest.fixture
def fits_a_phone(settle):
    """At this width nothing reaches over the page's side, and each of the targets measures 24 pixels or more."""

    def fits(page, width, targets="button:visible, input:visible"):
        page.set_viewport_size({"width": width, "height": 740})
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        boxes = [target.bounding_box() for target in page.locator(targets).all()]
        assert boxes
        assert min(min(box["width"], box["height"]) for box in boxes) >= 24
        assert max(box["x"] + box["width"] for box in boxes) <= width

    return fits


@pytest.fixture
def centre_of():
    """The point of a page in the middle of an element."""

    def centre(element):
        box = element.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    return centre


@pytest.fixture
def carry(drag, centre_of):
    """Drag a handle of a plane to a place in it: by finger on a phone, by mouse on what is wider."""

    def carry_it(page, handle, place):
        picture = page.locator("svg.attn-plane", has=handle)
        picture.scroll_into_view_if_needed()
        box, (x, y) = picture.bounding_box(), centre_of(handle.locator(".attn-reach"))
        to = box["x"] + box["width"] * (1 + place[0] / 3.4) / 2, box["y"] + box["height"] * (1 - place[1] / 3.4) / 2
        if page.viewport_size["width"] < 500:
            drag(page, (x, y), ((x + to[0]) / 2, (y + to[1]) / 2), to)
            return
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(*to, steps=4)
        page.mouse.up()
        expect(page.locator("[data-paced=waiting], .attn-film")).to_have_count(0)

    return carry_it


@pytest.fixture
def move_by_keys():
    """Move a handle of a plane from one place to another, of tenths, by the arrow keys."""

    def move(page, handle, start, end):
        handle.focus()
        for way, keys in zip(
            np.subtract(end, start), (("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown")), strict=True
        ):
            fives, ones = divmod(round(abs(way) * 10), 5)
            key = keys[int(way < 0)]
            for press in [f"Shift+{key}"] * fives + [key] * ones:
                page.keyboard.press(press)

    return move


@pytest.fixture
def position_of():
    """Where a token is in the plane, from what a screen reader is told."""

    def position(token):
        return [float(part) for part in token.get_attribute("aria-valuetext").replace("−", "-").strip("()").split(", ")]

    return position


@pytest.fixture
def grid_of():
    """The first grid of a page, alive."""

    def grid(page):
        grid = page.locator("[data-widget=attention_grid]").first
        grid.scroll_into_view_if_needed()
        grid.locator("[role=gridcell]").first.wait_for()
        return grid

    return grid


@pytest.fixture(scope="session")
def gallery():
    """The widgets of the gallery, each by its name."""
    return gallery_page.widgets()
