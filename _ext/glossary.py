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
from sphinx.util import logging

from .ledger import address

logger = logging.getLogger(__name__)
CHAPTER = re.compile(r"chapters/(\d\d)_")
SOURCES = "Draws on"  # the paragraph, or the title of the section, that names a chapter's sources
SILENT = (nodes.title, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.comment, nodes.raw)


class Piece(NamedTuple):
    """Some words of a chapter that a reader meets one after the other."""

    page: str
    text: str
    bold: bool
    linked: bool
    anchor: str  # of the section they stand in
    title: str


def pieces(page: str, document: nodes.document) -> Iterator[Piece]:
    """The words of a page, without those that may name a term earlier."""
    goals = next(iter(document.findall(nodes.bullet_list)), None)
    for text in document.findall(nodes.Text):
        around = list(_around(text))
        if goals in around or any(isinstance(node, SILENT) or "cell" in node.get("classes", ()) for node in around):
            continue
        sections = [node for node in around if isinstance(node, nodes.section) and isinstance(node[0], nodes.title)]
        title = sections[0][0].astext() if sections else ""
        paragraphs = [node.astext() for node in around if isinstance(node, nodes.paragraph)]
        if not any(words.startswith(SOURCES) for words in [title, *paragraphs]):
            bold = any(isinstance(node, nodes.strong) for node in around)
            linked = any(isinstance(node, addnodes.pending_xref) and node.get("reftype") == "term" for node in around)
            anchor = sections[0]["ids"][0] if sections else ""
            yield Piece(page, str(text).replace("\n", " "), bold, linked, anchor, title)


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
        first = definition(term, read)
        if first is None:
            yield f"the glossary's term {term!r} is set in bold in no chapter", None
        for piece in read[:first] if first is not None else ():
            if not piece.linked and (used := pattern(term).search(piece.text)):
                near = piece.text[max(0, used.start() - 40) : used.end() + 40]
                yield f"{term!r} is used before it is defined, in {piece.title!r}: …{near}…", piece.page


def collect(app: Sphinx, document: nodes.document) -> None:
    """Note a chapter's words, and the terms of a page with a glossary."""
    page, noted = app.env.docname, app.env.metadata[app.env.docname]
    noted["pieces"] = list(pieces(page, document)) if CHAPTER.match(page) else []
    noted["terms"] = {
        term.astext(): bool(item[-1].children)
        for glossary in document.findall(addnodes.glossary)
        for item in glossary.findall(nodes.definition_list_item)
        for term in item.findall(nodes.term)
    }


def check(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Warn of every fault; give the pages to write anew, those with a glossary whose definitions have moved."""
    noted = [env.metadata[page] for page in sorted(env.found_docs)]
    homes = [page for page in sorted(env.found_docs) if env.metadata[page]["terms"]]
    terms = {term: has_meaning for page in noted for term, has_meaning in page["terms"].items()}
    read = [piece for page in noted for piece in page["pieces"]]
    for term, has_meaning in terms.items():
        if not has_meaning:
            logger.warning(f"the glossary's term {term!r} has no meaning", location=homes[0], type="glossary")
    for message, page in faults(list(terms), read):
        logger.warning(message, location=page or homes[0], type="glossary")
    defined = {term: read[at] for term in terms if (at := definition(term, read)) is not None}
    moved = defined != getattr(env, "defined_terms", None)
    env.defined_terms = defined  # type: ignore[attr-defined]
    return homes if moved else []


def link(app: Sphinx, document: nodes.document, page: str) -> None:
    """Say at each entry where the book defines it."""
    for glossary in document.findall(addnodes.glossary):
        for item in glossary.findall(nodes.definition_list_item):
            piece = app.env.defined_terms.get(item[0].astext())  # type: ignore[attr-defined]
            if piece and item[-1].children:
                item[-1][-1] += [nodes.Text(" ("), address(app, page, piece), nodes.Text(")")]


def weigh(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    """Tell the search which chapter defines a term: it comes first (`_ext/theme/static/search.js`)."""
    if page == "search":
        defined = getattr(app.env, "defined_terms", {})
        context["defined"] = {term.lower(): piece.page for term, piece in defined.items()}
