"""What follows a question waits for the reader's guess, as in the notebooks what is shown does (tools/notebooks.py).

What stands between a question and the next widget or part of the page may give the answer away. It is wrapped, behind a
line that offers to show it (site.js, page.css). Unlike in the notebooks a widget ends the wait: the reader sets it off.
What waits stands open where no script runs, on paper, and for a reader who says so; a link to a place in it and the
browser's own search open it. Exercises wrap nothing: they have solutions.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from .reading_time import QUESTIONS

WIDGET = re.compile(r'<div data-widget="(\w+)" id="([^"]+)"')
DOOR = (
    '<p class="withheld-door script-only">After your guess the text goes on here. '
    '<button type="button">Show it</button> <button type="button" data-always>Always show</button></p>'
)


class Withheld(nodes.General, nodes.Element):
    """What waits for a guess at the question whose widget has the id `question`."""


class Withhold(SphinxPostTransform):
    """Wrap what follows each question of a chapter's text."""

    default_priority = 600  # after what is folded has its form
    builders = ("html",)

    def run(self, **options: Any) -> None:
        for section in list(self.document.findall(nodes.section)):
            if section[0].astext() != "Exercises":
                _wrap(section)


def _wrap(section: nodes.section) -> None:
    """Wrap what follows the questions that stand in a section itself, but for the line that leads to the next widget."""
    asked, following = "", list[nodes.Node]()
    for child in [*section.children, nodes.section()]:
        name, anchor = _widget(child)
        if not name and not isinstance(child, nodes.section):
            following.append(child)
            continue
        if name and following and isinstance(following[-1], nodes.paragraph):
            following.pop()
        if asked and any(node.astext().strip() for node in following if not isinstance(node, nodes.sidebar)):
            section.insert(section.index(following[0]), box := Withheld(question=asked))
            for node in following:
                section.remove(node)
            box.extend(following)
        asked, following = anchor if name in QUESTIONS else "", []


def _widget(node: nodes.Node) -> tuple[str, str]:
    """The kind and the id of the widget that a cell shows, each empty where there is none."""
    if isinstance(node, nodes.container) and "cell" in node["classes"]:
        for raw in node.findall(nodes.raw):
            if found := WIDGET.search(raw.astext()):
                return found[1], found[2]
    return "", ""


def visit(self: Any, node: Withheld) -> None:
    """Write the line that offers to show it, and begin what waits."""
    self.body.append(f'<div class="withheld" data-question="{node["question"]}">{DOOR}<div hidden="until-found">\n')


def depart(self: Any, node: Withheld) -> None:
    """End what waits."""
    self.body.append("</div></div>\n")
