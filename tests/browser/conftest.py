"""A real Chromium, the built site over HTTP and from its folder, and a page that may reach neither more.

The server is stricter than most hosts: the site lies below a path, and every page comes under a
content-security policy that allows no inline script and nothing from elsewhere.
"""

import functools
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from attnlib.widgets.compose import FOLDER
from tools.site import ROOT, SITE
from tools.site import served as serve

sys.path.insert(0, "_ext")
from esbuild import page_script


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


@pytest.fixture
def open_page(browser):
    """Open an address in a fresh page. Requests to anywhere else are refused and, like every error, kept."""
    contexts = []

    def open_it(address, **options):
        page = watched(browser.new_context(**{"viewport": WIDE, **options}).new_page())
        contexts.append(page.context)
        watch(page, address)
        return page

    yield open_it
    for context in contexts:
        context.close()


WIDE = {"width": 1280, "height": 900}


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


def html_of(widget):
    """What a page of the book holds of a widget."""
    return widget._repr_mimebundle_()[0]["text/html"]


# The book's paper and ink, light and dark: a part for `show`, where colours are looked at.
PAPER = (
    "<style>"
    + re.search(r":root \{.*?\n\}", (Path("_ext/theme") / "page.css").read_text(encoding="utf8"), re.DOTALL)[0]
    + "body { background: var(--paper); color: var(--ink) }</style>"
)


@functools.cache
def script_of(modules):
    return page_script(list(modules), ROOT)


@pytest.fixture
def show(tmp_path, open_again):
    """Write the HTML of widgets into a page of its own and open it; `address` is what follows the file's name."""

    def show_it(*parts, address="", **options):
        modules = sorted(set(re.findall(r'data-widget="(\w+)"', "".join(parts))))
        style = (FOLDER / "theme.css").read_text()
        page = f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>t</title><style>{style}</style><main><h1>t</h1>{''.join(parts)}</main>"
        (tmp_path / "page.html").write_text(page + '<script defer src="widgets.js"></script>')
        (tmp_path / "widgets.js").write_text(script_of(tuple(modules)))
        return open_again((tmp_path / "page.html").as_uri() + address, **options)

    return show_it


def until(page, condition):
    """Wait until it holds. (Playwright's own way is an eval, which the policy forbids.)"""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{condition} does not come true")
