"""The typefaces that lie ready-made have every letter of the site."""

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from tools import artwork


@pytest.fixture(scope="module")
def wanted():
    return artwork.characters(Path("_build/html"))


def letters(file):
    with TTFont(file) as font:
        return set(font.getBestCmap())


@pytest.mark.parametrize("name", artwork.FONTS)
def test_a_font_has_every_letter_that_its_source_has_and_the_site_shows(name, wanted):
    missing = wanted[name] & letters(artwork.FONTS[name]) - letters(artwork.STATIC / "fonts" / name)
    assert "".join(map(chr, sorted(missing))) == "", "make artwork cuts the fonts anew"
