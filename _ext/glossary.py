"""The glossary, held to the chapters: a term is used only after it stands in bold where it is defined.

Chapters are read in the order of the contents. Titles, formulas, code and what a chapter draws on may name a term earlier,
and so may its goals (its first list) and a link to the glossary (`{term}`), where the meaning is one click away. A term that
is used before, or never set in bold, is a warning. Each entry of the glossary links to the section that defines it.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .ledger import CHAPTER, address, is_titled, noted

SOURCES = "Draws on"  # the paragraph, or the title of the section, that names a chapter's sources
SILENT = (nodes.title, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.comment, nodes.raw)


class Piece(NamedTuple):
    """Some words of a chapter that a reader meets one after the other."""

    page: str
    text: str
    bold: bool
    anchor: str  # of the section they stand in
    title: str


def pieces(page: str, document: nodes.document) -> Iterator[Piece]:
    """The words of a page, without those that may name a term earlier."""
    goals = next(iter(document.findall(nodes.bullet_list)), None)
    for text, section in _spoken(document, goals):
        anchor, title = (section["ids"][0], section[0].astext()) if section else ("", "")
        yield Piece(page, text.replace("\n", " "), isinstance(text.parent, nodes.strong), anchor, title)


def _spoken(
    node: nodes.Element, goals: nodes.Node | None, section: nodes.Element | None = None
) -> Iterator[tuple[nodes.Text, nodes.Element | None]]:
    section = node if is_titled(node) else section
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child, section
        elif not isinstance(child, SILENT) and child is not goals:
            sources = isinstance(child, nodes.section | nodes.paragraph) and child.astext().startswith(SOURCES)
            if not sources and "cell" not in child["classes"] and child.get("reftype") != "term":
                yield from _spoken(child, goals, section)


def pattern(term: str) -> re.Pattern[str]:
    """The term or its plural, as words of their own."""
    words = "[ -]".join(map(re.escape, term.split()))
    return re.compile(rf"(?<![\w-]){words}(?:e?s)?(?![\w-])", re.IGNORECASE)


def definition(term: str, read: list[Piece]) -> int | None:
    """Where in what is read a term stands in bold for the first time."""
    words = pattern(term)
    return next((i for i, piece in enumerate(read) if piece.bold and words.fullmatch(piece.text)), None)


def faults(term: str, read: list[Piece]) -> Iterator[tuple[str, str | None]]:
    """That a term is never defined, or each use before, with its page."""
    first = definition(term, read)
    if first is None:
        yield f"the glossary's term {term!r} is set in bold in no chapter", None
    for piece in read[: first or 0]:
        if used := pattern(term).search(piece.text):
            near = piece.text[max(0, used.start() - 40) : used.end() + 40]
            yield f"{term!r} is used before it is defined, in {piece.title!r}: …{near}…", piece.page


def collect(app: Sphinx, document: nodes.document) -> None:
    """Note a chapter's words, and the terms of a page with a glossary."""
    page = app.env.docname
    app.env.metadata[page]["pieces"] = list(pieces(page, document)) if CHAPTER.match(page) else []
    app.env.metadata[page]["terms"] = [
        (term.astext(), page, bool(item[-1].children)) for item in _items(document) for term in item.findall(nodes.term)
    ]


def _items(document: nodes.document) -> Iterator[nodes.definition_list_item]:
    for glossary in document.findall(addnodes.glossary):
        yield from glossary.findall(nodes.definition_list_item)


def check(app: Sphinx, env: BuildEnvironment) -> Iterator[tuple[str, str]]:
    """Every fault of every term."""
    for term, home, has_meaning in noted(env, "terms"):
        if not has_meaning:
            yield f"the glossary's term {term!r} has no meaning", home
        for message, page in faults(term, noted(env, "pieces")):
            yield message, page or home


def link(app: Sphinx, document: nodes.document, page: str) -> None:
    """Say at each entry where the book defines it."""
    read = noted(app.env, "pieces")
    for item in _items(document):
        at = definition(item[0].astext(), read)
        if at is not None and item[-1].children:
            item[-1][-1] += [nodes.Text(" ("), address(app, page, read[at]), nodes.Text(")")]


def weigh(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    """Tell the search which chapter defines a term: it comes first (`_ext/theme/static/search.js`)."""
    if page == "search":
        read, terms = noted(app.env, "pieces"), [term for term, *_ in noted(app.env, "terms")]
        context["defined"] = {
            term.lower(): read[at].page for term in terms if (at := definition(term, read)) is not None
        }
