"""A real Chromium, the built site over HTTP and from its folder, and a page that may reach neither more.

The server is stricter than most hosts: the site lies below a path, and every page comes under a
content-security policy that allows no inline script and nothing from elsewhere.
"""

import ast
import functools
import json
import re
from collections import defaultdict

import jupytext
import pytest

from anywidget_static import esbuild
from anywidget_static.page import Source
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


WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def new_page(browser):
    """Open an address in a fresh page. Requests to anywhere else are refused and, like every error, kept."""

    def open_it(address, **options):
        page = watched(browser.new_context(**{"viewport": WIDE, **options}).new_page())
        watch(page, address)
        return page

    return open_it


@pytest.fixture
def open_page(new_page):
    """Open an address in a fresh page, which the test's end closes."""
    pages = []
    yield lambda address, **options: pages.append(new_page(address, **options)) or pages[-1]
    for page in pages:
        page.context.close()


def watched(page):
    """Keep what the page reports, and let it reach its own address alone."""

    def admit(route):
        if route.request.url.startswith(page.own):
            return route.continue_()
        page.third_party.append(route.request.url)
        return route.abort()

    page.context.route("**/*", admit)
    page.on("console", lambda message: message.type in {"error", "warning"} and page.problems.append(message.text))
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("dialog", lambda dialog: (page.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    return page


def watch(page, address):
    page.third_party, page.problems = [], []
    page.own = ("file://", "data:", "blob:", address.split("/", 3)[0] + "//" + address.split("/", 3)[2])
    page.goto(address)


@pytest.fixture(scope="session")
def pool():
    """Pages by their options, for tests of bare widgets: a page used again opens three times as fast as a new one."""
    return defaultdict(list)


@pytest.fixture
def open_again(browser, pool):
    """Open an address in a page that another test has left, or in a new one. It keeps no storage from before."""
    used = []

    def open_it(address, **options):
        options = {"viewport": WIDE, **options}
        key = json.dumps(options, sort_keys=True)
        page = pool[key].pop() if pool[key] else watched(browser.new_context(**options).new_page())
        used.append((key, page))
        watch(page, address)
        return page

    yield open_it
    for key, page in used:
        viewport = json.loads(key)["viewport"]
        page.emulate_media(media="null", color_scheme=json.loads(key).get("color_scheme", "light"))
        page.set_viewport_size(viewport)
        page.goto("about:blank")
        pool[key].append(page)


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
def show(tmp_path, open_again, script_of, widgets_style):
    """Write widgets, or HTML, into a page of its own and open it; `address` is what follows the file's name."""

    def show_it(*parts, address="", **options):
        html = "".join(part if isinstance(part, str) else part.to_html() for part in parts)
        modules = sorted(set(re.findall(r'data-widget="(\w+)"', html)))
        style = STYLE + widgets_style
        (tmp_path / "page.html").write_text(
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            f"<title>t</title><style>{style}</style><main><h1>t</h1>{html}</main>"
            '<script defer src="widgets.js"></script>'
        )
        (tmp_path / "widgets.js").write_text(script_of(*modules))
        return open_again((tmp_path / "page.html").as_uri() + address, **options)

    return show_it


@pytest.fixture
def until():
    """Wait until a condition of a page holds. (Playwright's own way is an eval, which the policy forbids.)"""

    def wait(page, condition):
        for _ in range(400):
            if page.evaluate(condition):
                return
            page.wait_for_timeout(50)
        raise AssertionError(f"{condition} does not come true")

    return wait


@pytest.fixture
def settle():
    """Wait until a page has drawn what it was told: the second frame from now."""
    frame = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
    return lambda page: page.evaluate(frame)


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

    return drag_it


@pytest.fixture
def centre_of():
    """The point of a page in the middle of an element."""

    def centre(element):
        box = element.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    return centre


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
    """The widgets of the gallery, each by its name: what the last line of a cell makes."""
    file = ROOT / "chapters" / "appendices" / "gallery.md"
    made = {}
    for cell in jupytext.read(file, fmt="md:myst").cells:
        if cell.cell_type == "code":
            *before, last = ast.parse(cell.source).body
            names = {}
            exec(compile(ast.Module(before, []), "gallery", "exec"), names)
            widget = eval(compile(ast.Expression(last.value), "gallery", "eval"), names)
            made[type(widget).__name__] = widget
    return made
