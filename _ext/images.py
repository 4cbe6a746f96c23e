"""Figures in the room that is kept for them, those below the first screen after the text, and a link under each sheet.

A sheet is what a cell with the tag `sheet` draws. Opened by itself, a phone can make its letters larger.
"""

import re
from html import escape
from pathlib import Path

import imagesize  # type: ignore[import-untyped]
from docutils import nodes
from scour import scour  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)
# Styles stay styles: an attribute would give way to the rule for all strokes that Matplotlib writes.
OPTIONS = "--quiet --disable-style-to-xml --enable-id-stripping --shorten-ids --remove-metadata --no-line-breaks --indent=none"
SHORT = scour.parse_args(OPTIONS.split())


def size(file: Path) -> tuple[int, int]:
    """Width and height in pixels. Raises ValueError when the file does not say them."""
    width, height = imagesize.get(file)
    if width < 0:
        raise ValueError(f"{file.name} does not say its width and height")
    return round(width), round(height)


def shorten(app: Sphinx, document: nodes.document) -> None:
    """Write the figures that cells drew in fewer bytes: a third of them names no reader needs, and digits no eye sees."""
    for image in document.findall(nodes.image):
        file = Path(app.srcdir, image["uri"])
        if file.suffix == ".svg" and "jupyter_execute" in file.parts and file.is_file():
            file.write_text(_short(file.read_text(encoding="utf8")), encoding="utf8")


def _short(svg: str) -> str:
    """The picture as scour writes it, without the uses of a space's outline: scour drops that, since it draws nothing."""
    short = scour.scourString(svg, SHORT)
    there = set(re.findall(r'\bid="([^"]+)"', short))
    return re.sub(r'<use\b[^>]*?xlink:href="#([^"]+)"[^>]*/>', lambda use: use[0] if use[1] in there else "", short)


def mark(app: Sphinx, document: nodes.document, page: str) -> None:
    """Mark each image of a sheet; one that draws nothing is a warning."""
    for cell in document.findall(nodes.container):
        if "tag_sheet" in cell["classes"]:
            images = list(cell.findall(nodes.image))
            for image in images:
                image["sheet"] = True
            if not images:
                logger.warning("a cell with the tag 'sheet' draws no figure", location=cell, type="images")


def visit(self: HTML5Translator, node: nodes.image) -> None:
    """Write the image as Sphinx does, with its sides: a style in their place would not keep the room on a narrow page."""
    file = Path(self.builder.srcdir, node["uri"])
    node["loading"] = "lazy" if _in_section(node) else "eager"  # above the first section: perhaps in the first screen
    HTML5Translator.visit_image(self, node)
    if file.is_file():
        width, height = size(file)
        self.body[-1] = self.body[-1].replace("<img ", f'<img width="{width}" height="{height}" ', 1)


def depart(self: HTML5Translator, node: nodes.image) -> None:
    """Write the link under a sheet."""
    if node.get("sheet"):
        self.body.append(f'<p class="sheet"><a href="{escape(node["uri"])}">Open this sheet by itself</a></p>\n')


def _in_section(node: nodes.Node) -> bool:
    section = node.parent
    while section and not isinstance(section, nodes.section):
        section = section.parent
    return section is not None and isinstance(section.parent, nodes.section)
