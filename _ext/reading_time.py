"""How long a chapter takes to read, counted by the build, and what a chapter may be: words, cells and their lines.

The directive `reading-time` holds what a reader needs to know before. Its line begins with the minutes: a minute for 135 words, for
each visible cell, each figure and each question, and three and a half for each other widget. Counted is the core: what
stands open before the section *Exercises*. A chapter that has the directive, and is longer than it may be, is a fault.
"""

import re
from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from attnlib.exercises import EXERCISES, Exercise

MOST_WORDS, MOST_CELLS, MOST_LINES = 3500, 12, 12
WORDS_A_MINUTE, CELL, FIGURE, QUESTION, WIDGET = 135, 1, 1, 1, 3.5  # minutes, as readers have needed
QUESTIONS = {"choice", "number_question"}
FOLDED = {"dropdown", "tag_hide-cell", "tag_remove-cell", "sidebar"}
FOLDED_CODE = "tag_hide-input"  # what the cell shows stands open
SHOWN = re.compile(r'data-widget="(\w+)"')


class Core(NamedTuple):
    """What a reader reads and does in a chapter, without what is folded away and the exercises."""

    words: int
    cells: list[str]
    widgets: list[str]
    figures: int

    @property
    def minutes(self) -> float:
        """To read it."""
        asked = sum(widget in QUESTIONS for widget in self.widgets)
        shown = CELL * len(self.cells) + FIGURE * self.figures
        return self.words / WORDS_A_MINUTE + shown + QUESTION * asked + WIDGET * (len(self.widgets) - asked)


class ReadingTime(SphinxDirective):
    """The minutes, and the directive's content behind them."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        words, _ = self.parse_inline(" ".join(self.content))
        return [nodes.paragraph("", "", nodes.emphasis("", "", *words), classes=["reading-time"])]


def core(document: nodes.document) -> Core:
    """Count a chapter's core."""
    found = Core(0, [], [], 0)
    for node in _open(document):
        if isinstance(node, nodes.Text):
            found = found._replace(words=found.words + len(node.astext().split()))
        elif isinstance(node, nodes.image):
            found = found._replace(figures=found.figures + 1)
        elif isinstance(node, nodes.raw):
            found.widgets.extend(SHOWN.findall(node.astext()))
        elif isinstance(node, nodes.literal_block):
            found.cells.append(node.astext())
    return found


def _open(node: nodes.Node) -> Iterator[nodes.Node]:
    """What a reader sees at once: texts of the prose and of code, figures, cells' sources, and what they show."""
    if isinstance(node, nodes.Element) and FOLDED & set(node.get("classes", ())):
        return
    if isinstance(node, nodes.section) and node[0].astext() == "Exercises":
        return
    if isinstance(node, nodes.container) and "cell_input" in node["classes"] and FOLDED_CODE in node.parent["classes"]:
        return
    if isinstance(node, nodes.container) and "cell_output" in node["classes"]:
        yield from node.findall(nodes.raw)
        yield from node.findall(nodes.image)
        return
    if isinstance(node, nodes.literal_block) and isinstance(node.parent, nodes.container):
        yield node
    if isinstance(node, nodes.Text) or not isinstance(node, nodes.raw | nodes.comment | nodes.math | nodes.math_block):
        for child in node.children:
            yield from _open(child)
    if isinstance(node, nodes.Text | nodes.image):
        yield node


def write(app: Sphinx, document: nodes.document) -> None:
    """Write the minutes, and note what is too long."""
    for line in document.findall(nodes.paragraph):
        if "reading-time" in line["classes"]:
            found = core(document)
            theirs = sum(exercise.minutes for exercise in _exercises(document))
            minutes = f"{ceil(found.minutes)} minutes to read, and about {theirs} for the exercises. "
            line[0].insert(0, nodes.Text(minutes))
            app.env.metadata[app.env.docname]["too_long"] = list(_faults(found))


def _exercises(document: nodes.document) -> Iterator[Exercise]:
    """The exercises of this page, by their labels."""
    for node in document.findall(nodes.Element):
        if exercise := EXERCISES.get(node.get("label", "").removeprefix("ex-")):
            yield exercise


def _faults(found: Core) -> Iterator[str]:
    if found.words > MOST_WORDS:
        yield f"the core has {found.words} words, more than {MOST_WORDS}"
    if len(found.cells) > MOST_CELLS:
        yield f"the core has {len(found.cells)} visible cells, more than {MOST_CELLS}"
    for cell in found.cells:
        lines = cell.strip().splitlines()
        if len(lines) > MOST_LINES:
            yield f"the cell that begins with {lines[0]!r} has {len(lines)} lines, more than {MOST_LINES}"
        if re.search(r"^\s*assert\b", cell, re.MULTILINE):
            yield f"the cell that begins with {lines[0]!r} shows a check: it belongs into a cell with the tag remove-cell"


def check(app: Sphinx, env: BuildEnvironment) -> Iterator[tuple[str, str]]:
    """What is too long, with its page."""
    for page in sorted(env.found_docs):
        for fault in env.metadata[page].get("too_long", ()):
            yield fault, page
