"""What holds for every widget: the gallery shows it, it leaves nothing behind, and those of a page are small."""

from pathlib import Path

import pytest

from anywidget_static import esbuild
from attnlib import widgets
from contract import Contract
from tools.site import ROOT, scroll_through

GALLERY = Path("chapters/appendices/gallery.md")
NAMES = [name for name in widgets.__all__ if name != "InputError"]
# `make test` holds one of each kind to the contract: a grid, cells to paint, handles, a dial, sliders, a puzzle, a
# question, a text, and what is largest. `make test-all` holds all.
OF_EACH_KIND = {"AttentionGrid", "MaskPainter", "ThreeSpaces", "RotaryDial", "SoftmaxSliders", "LookupPuzzle"}
OF_EACH_KIND |= {"Choice", "HeadBrowser", "ModelView"}


def test_the_gallery_shows_every_widget_once_and_how_it_is_made(gallery):
    assert sorted(gallery) == sorted(NAMES)
    assert OF_EACH_KIND.issubset(NAMES)
    text = GALLERY.read_text(encoding="utf8")
    for name in NAMES:
        assert text.count(f"## `{name}`") == 1


def test_every_widget_of_the_gallery_comes_alive_in_the_page(site, open_page):
    page = open_page(f"{site}/chapters/appendices/gallery.html")
    scroll_through(page)
    assert page.locator("[data-widget]").count() == len(NAMES)
    assert page.locator("[data-widget-mounted] > div").count() == len(NAMES)
    assert page.locator(".attn-problem:not(:empty)").count() == 0
    assert page.problems == page.third_party == []


MET = """([whole, own]) => {
    const rules = (text) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        const flat = (all) => [...all].flatMap((rule) => (rule.selectorText ? rule : flat(rule.cssRules ?? [])));
        return flat(sheet.cssRules);
    };
    const all = rules(whole);
    return [...document.querySelectorAll("[data-widget]")].flatMap((widget) => {
        const brought = new Set(rules(own[widget.dataset.widget]).map((rule) => rule.cssText));
        const missing = all.filter((rule) => !brought.has(rule.cssText));
        const still = (selector) => selector.replace(/::[-a-z]+|:(hover|active|focus\\S*)/g, "") || "*";
        const met = missing.filter((rule) => widget.querySelector(still(rule.selectorText)));
        return met.map((rule) => `${widget.dataset.widget}: ${rule.cssText}`);
    });
}"""


def test_a_widget_brings_every_rule_that_its_elements_meet(served, open_page, widgets_style, tmp_path):
    """So that a page with this widget alone shows it as the gallery does."""
    page = open_page(f"{served}/chapters/appendices/gallery.html")
    scroll_through(page)
    assert page.locator("[data-widget-mounted]").count() == len(NAMES)
    modules = esbuild.modules(ROOT / "attnlib/widgets")
    esbuild.run({file.stem: f'import "{file.as_posix()}";\n' for file in modules}, tmp_path, root=ROOT)
    own = {file.stem: (tmp_path / f"{file.stem}.css").read_text(encoding="utf8") for file in modules}
    assert page.evaluate(MET, [widgets_style, own]) == []


class TestGallery(Contract):
    """The contract of the runtime, for the gallery."""

    every_word = False  # tables tell later steps too, and replies

    @pytest.fixture(
        params=[name if name in OF_EACH_KIND else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
    )
    def example(self, request, gallery):
        return gallery[request.param]
