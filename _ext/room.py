"""How high the parts of a page will be on a phone, estimated from what stands in them.

A browser does not lay out what is far below the screen (page.css), and gives it this much room instead. With too little room
what follows would lie under it for whoever measures a place, such as an audit.
"""

import re
from math import ceil
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from .disclosures import Disclosure
from .withheld import Withheld

LINE, GAP, CHARACTERS = 1.75, 1.25, 40  # rems of a line and below a paragraph, and how much a line holds
CODE_LINE, CLOSED, FORMULA, PICTURE, SHEET, WIDGET = 1.5, 3.5, 5, 20, 75, 45  # rems
MORE = 1.1  # rather too much than too little


def height(node: nodes.Node) -> float:
    """Rems."""
    if isinstance(node, Disclosure | Withheld):
        return CLOSED
    if isinstance(node, nodes.raw):
        return WIDGET if "data-widget" in node.astext() else 0
    if isinstance(node, nodes.container) and "tag_sheet" in node["classes"]:
        return SHEET
    if isinstance(node, nodes.image):
        return PICTURE
    if isinstance(node, nodes.math_block):
        return FORMULA
    if isinstance(node, nodes.literal_block):
        text: str = node.astext()
        return CODE_LINE * (text.count("\n") + 1) + 2 * GAP
    if isinstance(node, nodes.row):
        wide = max(6, CHARACTERS // len(node))
        return LINE * max(ceil(len(cell.astext()) / wide) for cell in node) + GAP
    if isinstance(node, nodes.TextElement) and not node.get("toctree"):  # a list of pages is no paragraph
        return LINE * ceil(len(node.astext()) / CHARACTERS) + GAP
    return sum(height(child) for child in node.children)


def write(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Give each section, and each of its own, the room that it needs."""
    if doctree is None:
        return
    parts = [part for title in _sections(doctree) for part in _sections(title)]
    parts += [inner for part in parts for inner in _sections(part)]
    rooms = {part["ids"][0]: ceil(MORE * height(part)) for part in parts}

    def with_room(tag: re.Match[str]) -> str:
        room = rooms.get(tag[1])
        return f'<section style="--room:{room}rem" id="{tag[1]}">' if room else tag[0]

    context["body"] = re.sub(r'<section id="([^"]+)">', with_room, context["body"])


def _sections(node: nodes.Element) -> list[nodes.section]:
    return [child for child in node.children if isinstance(child, nodes.section)]
