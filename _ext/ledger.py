"""What the sources say and what they get wrong, and where this book teaches it: labels in the chapters, held to two lists.

Each line of the directive `coverage` is the number of a part, such as S0.1, and what it says in a few words. The page links
it to every section with the label `(S0.1)=`, or `(S0.1-again)=`. The role {errata}`11-18` lists rows behind its paragraph, each
with a link: a row is a section with the label `(erratum-12)=` and a title that begins with E12, and another page teaches it
under the label `(E12)=` or `(E12-again)=`. What is listed and taught nowhere, taught and listed nowhere, or says something
without a cell that was run (a widget is one) is a warning. So are lists of errata that do not count from 1 without a gap.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

logger = logging.getLogger(__name__)
LINE = re.compile(r"(S\d\.\d+) (.+)")
RANGE = re.compile(r"(\d+)-(\d+)")
LABEL = re.compile(r"(s\d\.\d+|e\d+|erratum-\d+)(?:-\w+)?")
CHAPTER = re.compile(r"chapters/(\d\d)_")


class Place(NamedTuple):
    """A labelled section of a page."""

    page: str
    label: str
    part: str  # what the label says is here
    anchor: str
    title: str
    runs: bool  # has a cell that was run


class Waiting(nodes.Inline, nodes.Element):
    """Where the links to some `parts` will stand."""


class Coverage(SphinxDirective):
    """A list of parts, each with the sections that teach it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = nodes.bullet_list(classes=["coverage"])
        for line in self.content:
            if not (match := LINE.fullmatch(line)):
                raise self.error(f"{line!r} is not the number of a part, such as S0.1, and what it says")
            words, _ = self.parse_inline(match[2])
            row = nodes.paragraph("", "", nodes.inline("", match[1], classes=["part"]), nodes.Text(" "), *words)
            row += [nodes.Text(": "), Waiting(parts=[match[1].lower()])]
            rows += nodes.list_item("", row)
        return [rows]


class Errata(SphinxRole):
    """The rows from one number to another."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if not (match := RANGE.fullmatch(self.text)):
            message = f"{self.text!r} is not the first and the last number of a list of errata, such as 11-18"
            return [], [self.inliner.reporter.error(message, line=self.lineno)]
        return [Waiting(parts=[f"erratum-{number}" for number in range(int(match[1]), int(match[2]) + 1)])], []


def places(page: str, document: nodes.document) -> Iterator[Place]:
    """Every section of a page that has, or holds, such a label."""
    for node in document.findall(nodes.Element):
        for name in node.get("names", ()):
            if match := LABEL.fullmatch(name):
                section = node
                while not isinstance(section, nodes.section):
                    section = section.parent
                runs = any(cell.get("exec_count") for cell in section.findall(nodes.container))
                yield Place(page, name, match[1], nodes.make_id(name), section[0].astext(), runs)


def uncovered(parts: Mapping[str, str], taught: list[Place]) -> Iterator[tuple[str, str]]:
    """What is wrong and the page that it concerns, for the parts and the page that lists each."""
    for part, page in parts.items():
        if not any(part == place.part for place in taught):
            yield f"{part.upper()} is taught nowhere: no section of a chapter has the label ({part.upper()})=", page
    for place in taught:
        says = f"the section {place.title!r} has the label {place.label.upper()}"
        if not place.runs:
            yield f"{says}, but no cell that was run", place.page
        if parts and place.part not in parts:
            yield f"{says}, which no source has", place.page


def undecided(listed: list[int], home: str, rows: list[Place], taught: list[Place]) -> Iterator[tuple[str, str]]:
    """What is wrong and where, for the numbers that the lists of a page name, its rows, and the labels elsewhere."""
    if listed != list(range(1, len(listed) + 1)):
        yield f"the lists of errata name {listed}: not each number once, from 1 on", home
    for number in listed:
        row = next((row for row in rows if row.part == f"erratum-{number}"), None)
        if not row:
            yield f"E{number} has no row: no section of this page has the label (erratum-{number})=", home
        elif not row.title.startswith(f"E{number} · "):
            yield f"E{number} has a row that is called {row.title!r}, not 'E{number} · …'", home
        elif not row.runs:
            yield f"E{number} is decided by nothing: its row has no cell that was run", home
        if f"e{number}" not in {place.part for place in taught}:
            yield f"E{number} is taught nowhere: no chapter has the label (E{number})=", home
    for place in [*rows, *taught]:
        if int(re.sub(r"\D", "", place.part)) not in listed:
            yield f"the section {place.title!r} has the label {place.label}, which no list of errata names", place.page


def collect(app: Sphinx, document: nodes.document) -> None:
    """Note what a page lists and what it has a label for."""
    noted = app.env.metadata[app.env.docname]
    noted["places"] = list(places(app.env.docname, document))
    noted["listed"] = [part for waiting in document.findall(Waiting) for part in waiting["parts"]]


def check(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Warn of every fault; give the pages to write anew, those that list parts where places have changed."""
    pages = sorted(env.found_docs)
    listed = [(part, page) for page in pages for part in env.metadata[page]["listed"]]
    every = [place for page in pages for place in env.metadata[page]["places"]]
    numbers = [int(part.split("-")[1]) for part, _ in listed if part.startswith("erratum")]
    home = next((page for part, page in listed if part.startswith("erratum")), "")
    rows = [place for place in every if place.part.startswith("erratum")]
    taught = [place for place in every if re.match(r"e\d", place.part) and place.page != home]
    parts = {part: page for part, page in listed if part.startswith("s")}
    covered = [place for place in every if place.part.startswith("s") and CHAPTER.match(place.page)]
    for message, page in [*uncovered(parts, covered), *undecided(numbers, home, rows, taught)]:
        logger.warning(message, location=page, type="ledger")
    moved = covered != getattr(env, "covered", None)
    env.covered = covered  # type: ignore[attr-defined]
    return sorted(set(parts.values())) if moved else []


def address(app: Sphinx, page: str, to: Any) -> nodes.reference:
    """A link from a page to a section of a chapter, by its number and title."""
    uri = f"{app.builder.get_relative_uri(page, to.page)}#{to.anchor}"
    name = f"chapter {int(CHAPTER.match(to.page)[1])}, {to.title}"  # type: ignore[index]
    return nodes.reference("", name, refuri=uri, internal=True)


def link(app: Sphinx, document: nodes.document, page: str) -> None:
    """Fill in the links: behind a part to the sections that teach it, under a paragraph to the rows of the page itself."""
    rows = {place.part: place for place in app.env.metadata[page]["places"]}
    for waiting in list(document.findall(Waiting)):
        if waiting["parts"][0].startswith("s"):
            taught = [place for place in app.env.covered if place.part in waiting["parts"]]  # type: ignore[attr-defined]
            links = [node for place in taught for node in (nodes.Text("; "), address(app, page, place))]
            waiting.replace_self(links[1:])
        else:
            _list_under(waiting.parent, waiting, [rows[part] for part in waiting["parts"] if part in rows])


def _list_under(paragraph: nodes.Element, waiting: Waiting, rows: list[Place]) -> None:
    links = nodes.bullet_list(classes=["errata"])
    for row in rows:
        reference = nodes.reference("", row.title, refid=row.anchor, internal=True)
        links += nodes.list_item("", nodes.paragraph("", "", reference))
    paragraph.parent.insert(paragraph.parent.index(paragraph) + 1, links)
    paragraph.remove(waiting)
    if not paragraph.astext().strip() and not paragraph.next_node(Waiting):
        paragraph.parent.remove(paragraph)
