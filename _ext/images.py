"""Figures that come after the page's text, in the room that was kept for them, and a link under each sheet to print.

A sheet is what a cell with the tag `sheet` draws. Opened by itself, a phone can make its letters larger.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.images import get_image_size

SIDES = re.compile(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')
PIXELS = 4 / 3  # in a point
logger = logging.getLogger(__name__)


class Image(nodes.image):
    """An image that knows its width and height in `sides`, and whether it is a `sheet`."""


def size(file: Path) -> tuple[int, int]:
    """Width and height in pixels. Raises ValueError when the file does not say them."""
    if file.suffix == ".svg":
        match = SIDES.search(file.read_text(encoding="utf8"))
        sides = tuple(round(float(side) * PIXELS) for side in match.groups()) if match else None
    else:
        sides = get_image_size(str(file))
    if not sides:
        raise ValueError(f"{file.name} does not say its width and height")
    return sides[0], sides[1]


def complete(app: Sphinx, document: nodes.document, page: str) -> None:
    """Give each image of the page its width and height; a sheet that draws nothing is a warning."""
    for cell in document.findall(nodes.container):
        if "tag_sheet" in cell["classes"]:
            images = list(cell.findall(nodes.image))
            for image in images:
                image["sheet"] = True
            if not images:
                logger.warning("a cell with the tag 'sheet' draws no figure", location=cell, type="images")
    for image in list(document.findall(nodes.image)):
        if (file := Path(app.srcdir) / image["uri"]).is_file():
            image.replace_self(Image("", **image.attributes | {"loading": "lazy", "sides": size(file)}))


def visit(self: Any, node: Image) -> None:
    """Write the image as Sphinx does, with its sides: a style in their place would not keep the room on a narrow page."""
    self.visit_image(node)
    width, height = node["sides"]
    self.body[-1] = self.body[-1].replace("<img ", f'<img width="{width}" height="{height}" ', 1)


def depart(self: Any, node: Image) -> None:
    """Write the link under a sheet."""
    if node.get("sheet"):
        self.body.append(f'<p class="sheet"><a href="{escape(node["uri"])}">Open this sheet by itself</a></p>\n')
