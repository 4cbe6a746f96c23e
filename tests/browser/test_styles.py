"""The style of each widget: whole without those of the others, and fit for paper."""

import pytest

from anywidget_static import esbuild
from tools.site import ROOT

MODULES = esbuild.modules(ROOT / "attnlib/widgets")

# What every element, and what stands before and behind it, looks like; the second time, the properties that differ.
LOOKS = """() => {
    const looks = [...document.querySelectorAll("main *:not(script, option)")].flatMap((node) =>
        [null, "::before", "::after"].map((part) => {
            const style = getComputedStyle(node, part);
            const names = part && style.content === "none" ? [] : [...style].filter((one) => !one.startsWith("--"));
            const of = `${node.localName}.${node.className.baseVal ?? node.className}`;
            return names.map((one) => `${of} ${one}: ${style[one]}`);
        }));
    const before = window.looks;
    window.looks = looks;
    return before ? looks.flatMap((look, at) => look.filter((line, k) => line !== before[at][k])) : looks.length;
}"""
WEAR = "(style) => { document.querySelector('style').textContent = style }"


@pytest.fixture(scope="session")
def of_module(gallery):
    """The gallery's widgets, each by the name of its module."""
    return {widget._module: widget for widget in gallery.values()}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.slow), 390])
def test_a_widget_brings_all_of_its_style_and_takes_none_of_the_others(module, width, of_module, show, widgets_style):
    page = show(of_module[module.stem], viewport={"width": width, "height": 900})
    page.locator("[data-widget-mounted]").wait_for()
    page.evaluate(WEAR, widgets_style)
    assert page.evaluate(LOOKS) > 50
    page.evaluate(WEAR, esbuild.style([module], ROOT))
    assert page.evaluate(LOOKS) == []


def test_on_paper_a_widget_is_dark_on_white_whatever_theme_the_reader_chose(show, gallery):
    page = show(gallery["AttentionGrid"])
    page.locator("[data-widget-mounted]").wait_for()
    look = "[...document.querySelectorAll('.attn')].map((node) => getComputedStyle(node).colorScheme)"
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert set(page.evaluate(look)) == {"dark"}
    page.emulate_media(media="print")
    assert set(page.evaluate(look)) == {"light"}
    page.evaluate("delete document.documentElement.dataset.theme")
