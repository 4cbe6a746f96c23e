"""A pytest plugin: pages in a Chromium of one's own, for the tests of these widgets and of any others."""

import json
import os
import re
import shutil
from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest

from anywidget_static import axe

pytest.register_assert_rewrite("contract")
ROOT = next(folder for folder in Path(__file__).parents if (folder / "node_modules").exists())


@pytest.fixture(scope="session")
def launched():
    """How Chromium is started: the one that CHROMIUM names, or Playwright's."""
    return {"executable_path": shutil.which(os.environ.get("CHROMIUM", "")), "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def browser(launched):
    """The Chromium of all tests of a worker: Playwright, which other tests never import, starts once in a process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launched)
        yield browser
        browser.close()


WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def started():
    """What holds once a page that was opened has started its scripts: all of them have run when it is loaded."""
    return "true"


@pytest.fixture(scope="session")
def new_page(browser, started):
    """Open an address in a fresh page. Requests to anywhere else are refused and, like every error, kept."""

    def open_it(address, **options):
        page = watched(browser.new_context(**{"viewport": WIDE, **options}).new_page(), address, started)
        visit(page, address)
        return page

    return open_it


@pytest.fixture
def open_page(new_page):
    """Open an address in a fresh page, which the test's end closes."""
    pages = []
    yield lambda address, **options: pages.append(new_page(address, **options)) or pages[-1]
    for page in pages:
        page.context.close()


def watched(page, address, started):
    """Keep what the page reports, and let it reach its own address alone. It opens until `started` holds there."""
    own = ("file://", "data:", "blob:", "/".join(address.split("/", 3)[:3]))

    def refuse(route):
        page.third_party.append(route.request.url)
        route.abort()

    page.context.route(re.compile(f"^(?!{'|'.join(map(re.escape, own))})"), refuse)
    page.on("console", lambda message: message.type in {"error", "warning"} and page.problems.append(message.text))
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("dialog", lambda dialog: (page.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.goto, page.reload = (_until(started, page, way) for way in (page.goto, page.reload))
    return page


def _until(started, page, way):
    def go(*args, **options):
        response = way(*args, **options)
        if "wait_until" not in options:
            holds(page, started)
        return response

    return go


# Whether a widget on the screen is still to start: who watches for what comes near is told a frame or more after the load.
SLEEPS = """[...document.querySelectorAll('[data-widget]:not([data-widget-mounted])')].some((widget) => {
    const { top, bottom, height } = widget.getBoundingClientRect();
    return height && bottom > 0 && top < innerHeight;
})"""


def visit(page, address):
    page.third_party, page.problems = [], []
    page.goto(address)


def holds(page, condition):
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{condition} does not come true")


@pytest.fixture(scope="session")
def pool():
    """Pages by their options, for tests of bare widgets: a page used again opens three times as fast as a new one."""
    return defaultdict(list)


@pytest.fixture
def open_again(browser, pool, started):
    """Open a file in a page that another test has left, or in a new one. It keeps no storage from before."""
    used = []

    def open_it(address, **options):
        options = {"viewport": WIDE, **options}
        key = json.dumps(options, sort_keys=True)
        page = pool[key].pop() if pool[key] else watched(browser.new_context(**options).new_page(), address, started)
        used.append((key, page))
        visit(page, address)
        return page

    yield open_it
    for key, page in used:  # which stays where it is: by way of an empty page the next would open a third slower
        options = json.loads(key)
        page.emulate_media(media="null", color_scheme=options.get("color_scheme", "light"))
        if page.viewport_size != options["viewport"]:
            page.set_viewport_size(options["viewport"])
        pool[key].append(page)


@pytest.fixture
def show_html(tmp_path, open_again):
    """Write a page with some HTML, a script and a style, and open it; `address` is what follows the file's name."""

    def show_it(html, script, style="", address="", **options):
        (tmp_path / "page.html").write_text(
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            f"<title>t</title><style>{style}</style><main><h1>t</h1>{html}</main>"
            '<script defer src="widgets.js"></script>'
        )
        (tmp_path / "widgets.js").write_text(script)
        page = open_again((tmp_path / "page.html").as_uri() + address, **options)
        for _ in range(100):  # a widget that cannot start says so, or stays as it is
            if page.problems or not page.evaluate(SLEEPS):
                break
            page.wait_for_timeout(20)
        return page

    return show_it


@pytest.fixture
def show_alive(show):
    """The same with every widget brought to life at once, as for print, wherever it stands."""

    def show_it(*parts, **options):
        page = show(*parts, **options)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.wait_for_function(
            "() => !document.querySelector('[data-widget]:not([data-widget-mounted])')", timeout=10_000
        )
        page.evaluate("dispatchEvent(new Event('beforeprint'))")  # from now on all draw, wherever they stand
        return page

    return show_it


@pytest.fixture
def until():
    """Wait until a condition of a page holds. (Playwright's own way is an eval, which the policy forbids.)"""

    return holds


@pytest.fixture
def settle():
    """Wait until a page has drawn what it was told: the second frame from now."""
    frame = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
    return lambda page: page.evaluate(frame)


@pytest.fixture(scope="session")
def violations():
    """What axe finds in a page."""
    return partial(axe.violations, root=ROOT)
