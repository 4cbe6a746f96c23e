"""What holds for every widget: the gallery shows it, it leaves nothing behind, and those of a page are small."""

from pathlib import Path

import pytest

from attnlib import widgets
from contract import Contract
from tools.site import scroll_through

GALLERY = Path("chapters/appendices/gallery.md")
NAMES = [name for name in widgets.__all__ if name != "InputError"]


def test_the_gallery_shows_every_widget_once_and_how_it_is_made(gallery):
    assert sorted(gallery) == sorted(NAMES)
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


class TestGallery(Contract):
    """The contract of the runtime, for the gallery."""

    every_word = False  # tables tell later steps too, and replies

    @pytest.fixture(params=NAMES)
    def example(self, request, gallery):
        return gallery[request.param]
