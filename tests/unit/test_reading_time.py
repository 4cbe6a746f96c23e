"""The minutes that a chapter promises are counted, and a chapter that is too long is a fault."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from _ext import reading_time
from attnlib.exercises import EXERCISES


def cell(source, *, tags=(), shows=""):
    """A cell as MyST-NB leaves it in a page's tree."""
    node = nodes.container("", classes=["cell", *tags])
    if "tag_remove-input" not in tags:
        node += nodes.container("", nodes.literal_block("", source), classes=["cell_input"])
    raw = nodes.raw("", f'<div data-widget="{shows}"></div><p>words that are no prose</p>' if shows else "")
    node += nodes.container("", raw, classes=["cell_output"])
    return node


def chapter(*parts):
    """A chapter that begins with the directive and a sentence of five words, with these parts before its exercises."""
    tree = publish_doctree(
        "Title\n=====\n\nOne two three four five.\n\nPart\n----\n\nSix.\n\nExercises\n---------\n\n" + "not " * 99
    )
    first = tree.next_node(nodes.paragraph)
    first.parent.insert(0, nodes.paragraph("", "", nodes.emphasis("", "More."), classes=["reading-time"]))
    for part in parts:
        first.parent.insert(2, part)
    return tree


def exercise(name):
    """An exercise, as sphinx-exercise leaves it."""
    return nodes.container("", label=f"ex-{name}")


def folded(text):
    return nodes.admonition("", nodes.paragraph("", text), classes=["dropdown"])


def test_words_cells_figures_and_widgets_of_what_is_open_are_counted():
    found = reading_time.core(
        chapter(
            cell("print(1)"),
            cell("", tags=["tag_remove-input"], shows="lookup_puzzle"),
            cell("", tags=["tag_remove-input"], shows="choice"),
            cell("hidden = 1", tags=["tag_hide-cell"]),
            cell("folded = 1", tags=["tag_hide-input"], shows="number_question"),  # what it shows stands open
            folded("these do not count"),
            nodes.image("", uri="one.svg"),
            nodes.admonition("", nodes.image("", uri="two.svg"), classes=["dropdown"]),
        )
    )
    assert found.words == 1 + 5 + 1 + 1 + 1 + 1  # titles, sentences, the line itself and the code
    assert found.cells == ["print(1)"]
    assert sorted(found.widgets) == ["choice", "lookup_puzzle", "number_question"]
    assert found.figures == 1
    assert found.minutes == pytest.approx(10 / 135 + 1 + 1 + 2 + 3.5)


def written(tree, page="chapters/00_orientation"):
    app = SimpleNamespace(env=SimpleNamespace(docname=page, metadata={page: {}}, found_docs={page}))
    reading_time.write(app, tree)
    return tree, [message for message, _ in reading_time.check(app, app.env)]


def test_the_line_says_the_minutes_and_those_of_the_exercises():
    theirs = [exercise(name) for name in ("which-shape", "no-such-exercise", "write-attention")]
    tree, faults = written(chapter(nodes.paragraph("", "word " * 500), *theirs))
    line = tree.next_node(nodes.emphasis).astext()
    minutes = sum(EXERCISES[name].minutes for name in ("which-shape", "write-attention"))
    assert line.startswith(f"4 minutes to read, and about {minutes} for the exercises. More.")
    assert faults == []


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([nodes.paragraph("", "word " * 3500)], "words, more than 3500"),
        ([cell("x = 1") for _ in range(13)], "13 visible cells, more than 12"),
        ([cell("x = 1\n" * 13)], "has 13 lines, more than 12"),
        ([cell("x = 1\nassert x")], "shows a check"),
    ],
)
def test_what_is_too_long_or_shows_a_check_is_a_fault(parts, says):
    _, (fault,) = written(chapter(*parts))
    assert says in fault
