"""What the sources get wrong or leave unsaid, held to the chapters.

A row is a section with the label `(erratum-12)=` and a title that begins with E12. The role {errata}`11-18` lists rows behind its paragraph, each with a
link. A number without a row, a row without a cell that was run, and a number that no other page teaches, under the label
`(E12)=` or `(E12-again)=`, are warnings. So are a row and a label that no list names, and lists that do not count from 1 without a gap.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from taught import Place, places
from trees import trees

logger = logging.getLogger(__name__)
RANGE = re.compile(r"(\d+)-(\d+)")
ROW = re.compile(r"erratum-(\d+)")
LABEL = re.compile(r"e(\d+)(?:-\w+)?")


class Listed(nodes.Inline, nodes.Element):
    """Where the links to some rows will stand."""


class Errata(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if not (read := RANGE.fullmatch(self.text)):
            message = f"{self.text!r} is not the first and the last number of a list of errata, such as 11-18"
            return [], [self.inliner.reporter.error(message, line=self.lineno)]
        return [Listed(numbers=list(range(int(read[1]), int(read[2]) + 1)))], []


def faults(listed: list[int], page: str, rows: list[Place], taught: list[Place]) -> Iterator[tuple[str, str]]:
    """What is wrong and where, for the numbers that the lists of a page name, its rows, and the labels elsewhere."""
    if listed != list(range(1, len(listed) + 1)):
        yield f"the lists of errata name {listed}: not each number once, from 1 on", page
    row_of, homes = {int(row.part): row for row in rows}, {int(place.part) for place in taught}
    for number in listed:
        if not (row := row_of.get(number)):
            yield f"E{number} has no row: no section of this page has the label (erratum-{number})=", page
        elif not row.title.startswith(f"E{number} · "):
            yield f"E{number} has a row that is called {row.title!r}, not 'E{number} · …'", page
        elif not row.runs:
            yield f"E{number} is decided by nothing: its row has no cell that was run", page
        if number not in homes:
            yield f"E{number} is taught nowhere: no chapter has the label (E{number})=", page
    for place in [*rows, *taught]:
        if int(place.part) not in listed:
            yield f"the section {place.title!r} has the label {place.label}, which no list of errata names", place.page


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of every fault."""
    pages = trees(env)
    lists = [(page, found["numbers"]) for page, tree in pages.items() for found in tree.findall(Listed)]
    home = lists[0][0] if lists else ""
    rows = [place for page, tree in pages.items() for place in places(page, tree, ROW)]
    taught = [place for page, tree in pages.items() if page != home for place in places(page, tree, LABEL)]
    for message, page in faults([number for _, numbers in lists for number in numbers], home, rows, taught):
        logger.warning(message, location=page, type="errata")


def link(app: Sphinx, document: nodes.document, page: str) -> None:
    rows = {int(row.part): row for row in places(page, document, ROW)}
    for listed in list(document.findall(Listed)):
        links = nodes.bullet_list(classes=["errata"])
        for row in [rows[number] for number in listed["numbers"] if number in rows]:
            reference = nodes.reference("", row.title, refid=row.anchor, internal=True)
            links += nodes.list_item("", nodes.paragraph("", "", reference))
        paragraph = listed.parent
        paragraph.parent.insert(paragraph.parent.index(paragraph) + 1, links)
        paragraph.remove(listed)
        if not paragraph.astext().strip() and not paragraph.next_node(Listed):
            paragraph.parent.remove(paragraph)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(Listed)
    app.add_role("errata", Errata())
    app.connect("env-updated", check)
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
