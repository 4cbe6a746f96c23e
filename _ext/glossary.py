"""The glossary, held to the chapters: a term is used only after it stands in bold where it is defined.

Chapters are read in the order of the contents. Titles, formulas, code and what a chapter draws on may name a term earlier,
and so may its goals (its first list) and a link to the glossary (`{term}`), where the meaning is one click away. A term that
is used before, or never set in bold, is a warning. Each entry of the glossary links to the section that defines it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from trees import trees

logger = logging.getLogger(__name__)
CHAPTER = re.compile(r"chapters/(\d\d)_")
SOURCES = "Draws on"  # the paragraph, or the title of the section, that names a chapter's sources
SILENT = (nodes.title, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.comment, nodes.raw)


@dataclass(frozen=True)
class Piece:
    """Some words of a chapter that a reader meets one after the other."""

    page: str
    text: str
    bold: bool
    linked: bool
    section: str  # the anchor of the section they stand in
    title: str


def pieces(page: str, document: nodes.document) -> Iterator[Piece]:
    goals = next(iter(document.findall(nodes.bullet_list)), None)
    for text in document.findall(nodes.Text):
        around = list(_around(text))
        if goals in around or any(isinstance(node, SILENT) or "cell" in node.get("classes", ()) for node in around):
            continue
        sections = [node for node in around if isinstance(node, nodes.section)]
        sections = [section for section in sections if isinstance(section[0], nodes.title)]
        title = sections[0][0].astext() if sections else ""
        if title.startswith(SOURCES) or any(
            isinstance(node, nodes.paragraph) and node.astext().startswith(SOURCES) for node in around
        ):
            continue
        yield Piece(
            page,
            str(text).replace("\n", " "),
            any(isinstance(node, nodes.strong) for node in around),
            any(isinstance(node, addnodes.pending_xref) and node.get("reftype") == "term" for node in around),
            sections[0]["ids"][0] if sections else "",
            title,
        )


def _around(node: nodes.Node) -> Iterator[nodes.Element]:
    while (node := node.parent) is not None:
        yield node


def pattern(term: str) -> re.Pattern[str]:
    """The term or its plural, as words of their own."""
    words = "[ -]".join(map(re.escape, term.split()))
    return re.compile(rf"(?<![\w-]){words}(?:e?s)?(?![\w-])", re.IGNORECASE)


def definition(term: str, read: list[Piece]) -> int | None:
    """Where in what is read a term stands in bold for the first time."""
    words = pattern(term)
    return next((i for i, piece in enumerate(read) if piece.bold and words.fullmatch(piece.text)), None)


def faults(terms: list[str], read: list[Piece]) -> Iterator[tuple[str, str | None]]:
    """Each term that is used too early, and the page where it is, or that is never defined."""
    for term in terms:
        place = definition(term, read)
        if place is None:
            yield f"the glossary's term {term!r} is set in bold in no chapter", None
        for piece in read[:place] if place is not None else ():
            if not piece.linked and (found := pattern(term).search(piece.text)):
                near = piece.text[max(0, found.start() - 40) : found.end() + 40]
                yield f"{term!r} is used before it is defined, in {piece.title!r}: …{near}…", piece.page


def check(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Warn of every fault; give the pages to write anew, those with a glossary whose definitions have moved."""
    pages = {page: found for page, tree in trees(env).items() if (found := list(tree.findall(addnodes.glossary)))}
    items = [
        item for found in pages.values() for glossary in found for item in glossary.findall(nodes.definition_list_item)
    ]
    terms = [term.astext() for item in items for term in item.findall(nodes.term)]
    read = [piece for page, tree in trees(env).items() if CHAPTER.match(page) for piece in pieces(page, tree)]
    home = next(iter(pages), None)
    for item in items:
        if not item[-1].children:
            logger.warning(f"the glossary's term {item[0].astext()!r} has no meaning", location=home, type="glossary")
    for message, page in faults(terms, read):
        logger.warning(message, location=page or home, type="glossary")
    places = {term: definition(term, read) for term in terms}
    defined = {term: read[place] for term, place in places.items() if place is not None}
    moved = defined != getattr(env, "defined_terms", None)
    env.defined_terms = defined  # type: ignore[attr-defined]
    return list(pages) if moved else []


def link(app: Sphinx, document: nodes.document, page: str) -> None:
    """Say at each entry where the book defines it."""
    for glossary in document.findall(addnodes.glossary):
        for item in glossary.findall(nodes.definition_list_item):
            piece = app.env.defined_terms.get(item[0].astext())  # type: ignore[attr-defined]
            if piece and item[-1].children:
                address = f"{app.builder.get_relative_uri(page, piece.page)}#{piece.section}"
                place = f"chapter {int(CHAPTER.match(piece.page)[1])}, {piece.title}"  # type: ignore[index]
                reference = nodes.reference("", place, refuri=address, internal=True)
                item[-1][-1] += [nodes.Text(" ("), reference, nodes.Text(")")]


def weigh(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    """Tell the search which chapter defines a term: it comes first (`_ext/theme/static/search.js`)."""
    if page == "search":
        defined = getattr(app.env, "defined_terms", {})
        context["defined"] = {term.lower(): piece.page for term, piece in defined.items()}


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-updated", check)
    app.connect("doctree-resolved", link)
    app.connect("html-page-context", weigh)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
