"""What the sources say, and where this book teaches it: made from labels in the chapters, and held to them.

Each line of the directive `coverage` is the number of a part, such as S0.1, and what it says in a few words. The page links it to every
section with the label `(S0.1)=`, or `(S0.1-again)=`. A part without such a section, a labelled section without a cell that
was run (a widget is one), and a label that no line knows are warnings.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from trees import trees

logger = logging.getLogger(__name__)
LINE = re.compile(r"(S\d\.\d+) (.+)")
LABEL = re.compile(r"(s\d\.\d+)(?:-\w+)?")
CHAPTER = re.compile(r"chapters/(\d\d)_")


@dataclass(frozen=True)
class Place:
    """A labelled section of a page."""

    label: str
    part: str  # what the label says is here
    page: str
    anchor: str
    title: str
    runs: bool  # has a cell that was run


class Part(nodes.Inline, nodes.Element):
    """Where the links of one part will stand."""


class Coverage(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = nodes.bullet_list(classes=["coverage"])
        for line in self.content:
            if not (read := LINE.fullmatch(line)):
                raise self.error(f"{line!r} is not the number of a part, such as S0.1, and what it says")
            words, _ = self.parse_inline(read[2])
            number = nodes.inline("", read[1], classes=["part"])
            rows += nodes.list_item(
                "",
                nodes.paragraph("", "", number, nodes.Text(" "), *words, nodes.Text(": "), Part(part=read[1].lower())),
            )
        return [rows]


def places(page: str, document: nodes.document, label: re.Pattern[str] = LABEL) -> Iterator[Place]:
    """Every section of a page that has, or holds, a label of this form."""
    for node in document.findall(nodes.Element):
        for name in node.get("names", ()):
            if read := label.fullmatch(name):
                section = node
                while not isinstance(section, nodes.section):
                    section = section.parent
                runs = any(cell.get("exec_count") for cell in section.findall(nodes.container))
                yield Place(name, read[1], page, nodes.make_id(name), section[0].astext(), runs)


def faults(parts: Mapping[str, str], found: list[Place]) -> Iterator[tuple[str, str]]:
    """What is wrong and the page that it concerns, for the parts and the page that lists each."""
    for part, page in parts.items():
        if not any(part == place.part for place in found):
            yield f"{part.upper()} is taught nowhere: no section of a chapter has the label ({part.upper()})=", page
    for place in found:
        if not place.runs:
            yield (
                f"the section {place.title!r} has the label {place.label.upper()}, but no cell that was run",
                place.page,
            )
        if parts and place.part not in parts:
            yield f"the section {place.title!r} has the label {place.label.upper()}, which no source has", place.page


def check(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Warn of every fault; give the pages to write anew, those that list parts where places have changed."""
    pages = trees(env)
    parts = {part["part"]: page for page, tree in pages.items() for part in tree.findall(Part)}
    found = [place for page, tree in pages.items() if CHAPTER.match(page) for place in places(page, tree)]
    for message, page in faults(parts, found):
        logger.warning(message, location=page, type="coverage")
    moved = found != getattr(env, "taught", None)
    env.taught = found  # type: ignore[attr-defined]
    return sorted(set(parts.values())) if moved else []


def link(app: Sphinx, document: nodes.document, page: str) -> None:
    for part in list(document.findall(Part)):
        links: list[nodes.Node] = []
        for place in app.env.taught:  # type: ignore[attr-defined]
            if part["part"] == place.part:
                name = f"chapter {int(CHAPTER.match(place.page)[1])}, {place.title}"  # type: ignore[index]
                address = f"{app.builder.get_relative_uri(page, place.page)}#{place.anchor}"
                links += [nodes.Text("; ")] if links else []
                links.append(nodes.reference("", name, refuri=address, internal=True))
        part.replace_self(links)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(Part)
    app.add_directive("coverage", Coverage)
    app.connect("env-updated", check)
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
