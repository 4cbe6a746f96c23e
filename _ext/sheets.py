"""A link under each sheet to print, which opens it by itself: there a phone can make its letters larger.

A sheet is what a cell with the tag `sheet` draws.
"""

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


class sheet(nodes.General, nodes.Element):
    """An image, with a link to its file below it."""


def find_sheets(app: Sphinx, document: nodes.document, page: str) -> None:
    for cell in document.findall(nodes.container):
        if "tag_sheet" in cell["classes"]:
            images = list(cell.findall(nodes.image))
            if not images:
                logger.warning("a cell with the tag 'sheet' draws no figure", location=cell, type="sheet")
            for image in images:
                image.replace_self(sheet("", image.deepcopy()))


def visit_sheet(self: Any, node: sheet) -> None:
    pass


def depart_sheet(self: Any, node: sheet) -> None:
    address = escape(node[0]["uri"])  # which the image's own visit has made that of the built file
    self.body.append(f'<p class="sheet"><a href="{address}">Open this sheet by itself</a></p>\n')


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(sheet, html=(visit_sheet, depart_sheet))
    app.connect("doctree-resolved", find_sheets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
