"""What the sources say and what they get wrong, and where this book teaches it: labels in the chapters, held to two lists.

Each line of the directive `coverage` is the number of a part, such as S0.1, and what it says in a few words. The page links
it to every section with the label `(S0.1)=`, or `(S0.1-again)=`. The directive `errata` has numbers such as 11-18, 53, and links
each to its row: a section with the label `(erratum-12)=`, whose title begins with E12. The section that teaches it
has the label `(E12)=` or `(E12-again)=`. What is listed and taught nowhere, taught and listed nowhere, or says something
without a cell that was run (a widget is one) is a warning. So are lists of errata that together do not hold each number
from 1 on once.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

LINE = re.compile(r"(S\d\.\d+) (.+)")
RANGES = re.compile(r"\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*")
LABEL = re.compile(r"(s\d\.\d+|e\d+|erratum-\d+)(?:-\w+)?")
CHAPTER = re.compile(r"chapters/(\d\d)_")


class Place(NamedTuple):
    """A labelled section of a page."""

    page: str
    part: str  # what the label says is here
    anchor: str
    title: str
    runs: bool  # has a cell that was run


class Coverage(SphinxDirective):
    """A list of parts, each with the sections that teach it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = nodes.bullet_list(classes=["coverage"])
        for line in self.content:
            if not (match := LINE.fullmatch(line)):
                raise self.error(f"{line!r} is not the number of a part, such as S0.1, and what it says")
            words, _ = self.parse_inline(match[2])
            part = nodes.inline("", match[1], classes=["part"])
            row = nodes.paragraph("", "", part, nodes.Text(" "), *words, nodes.Text(": "), part=match[1].lower())
            rows += nodes.list_item("", row)
            self.env.metadata[self.env.docname].setdefault("listed", []).append(row["part"])
        return [rows]


class Errata(SphinxDirective):
    """The rows with these numbers."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        said = self.arguments[0]
        if not RANGES.fullmatch(said):
            raise self.error(f"{said!r} are no numbers of errata, such as 11-18, 53")
        ends = [[*map(int, part.split("-"))] for part in said.split(", ")]
        numbers = [number for part in ends for number in range(part[0], part[-1] + 1)]
        self.env.metadata[self.env.docname].setdefault("listed", []).extend(f"e{number}" for number in numbers)
        (rows,) = self.parse_text_to_nodes("\n".join(f"- {{ref}}`erratum-{number}`" for number in numbers))
        rows["classes"].append("errata")
        return [rows]


def is_titled(node: nodes.Node) -> bool:
    """Whether the node is a section with a title."""
    return isinstance(node, nodes.section) and node.first_child_matching_class(nodes.title) == 0


def places(page: str, document: nodes.document) -> Iterator[Place]:
    """Every section of a page that has, or holds, such a label."""
    section = document
    for node in document.findall(nodes.Element):
        section = node if is_titled(node) else section  # in a section, others are all that follows one
        for match in filter(None, map(LABEL.fullmatch, node.get("names", ()))):
            runs = any(cell.get("exec_count") for cell in section.findall(nodes.container))
            yield Place(page, match[1], nodes.make_id(match[0]), section[0].astext(), runs)


def collect(app: Sphinx, document: nodes.document) -> None:
    """Note what a page has a label for."""
    app.env.metadata[app.env.docname]["places"] = list(places(app.env.docname, document))


def noted(env: BuildEnvironment, kind: str) -> list[Any]:
    """What was noted under this name, of all pages: of those in the contents in their order, then of the others."""
    contents = env.toctree_includes.get(env.config.root_doc, [])
    pages = [*contents, *sorted(env.found_docs - {*contents})]
    return [one for page in pages for one in env.metadata[page].get(kind, ())]


def again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The pages to write whenever one is read, for they link to places that may have moved."""
    return [page for page in env.found_docs if env.metadata[page].get("listed") or env.metadata[page].get("terms")]


def check(app: Sphinx, env: BuildEnvironment) -> Iterator[tuple[str, str]]:
    """What is listed and taught nowhere, and what has a label and should not, or lacks what the label promises."""
    home = {part: page for page in sorted(env.found_docs) for part in env.metadata[page].get("listed", ())}
    listed, found = noted(env, "listed"), noted(env, "places")
    for part in sorted(set(listed) - {place.part for place in found}):
        yield f"{part.upper()} is taught nowhere: no section has the label ({part.upper()})=", home[part]
    errata = [part for part in listed if part.startswith("e")]
    if {*errata} != {f"e{number}" for number in range(1, len(errata) + 1)}:
        yield f"the lists of errata name {', '.join(errata)}: not each once, from e1 on", home[errata[0]]
    for place in found:
        part = place.part.replace("rratum-", "")
        says = f"the section {place.title!r} has the label {place.part.upper()}"
        if part not in home:
            yield f"{says}, which no list names", place.page
        elif place.part != part and not place.title.startswith(f"{part.upper()} · "):
            yield f"{says}, but no title that begins with {part.upper()}", place.page
        elif not place.runs and re.match("s|erratum", place.part):
            yield f"{says}, but no cell that was run", place.page


def address(app: Sphinx, page: str, to: Any) -> nodes.reference:
    """A link from a page to a section, by its chapter's number and its title."""
    uri = f"{app.builder.get_relative_uri(page, to.page)}#{to.anchor}"
    chapter = CHAPTER.match(to.page)
    name = f"chapter {int(chapter[1])}, {to.title}" if chapter else to.title
    return nodes.reference("", name, refuri=uri, internal=True)


def link(app: Sphinx, document: nodes.document, page: str) -> None:
    """Link each part to the sections that teach it."""
    for row in document.findall(nodes.paragraph):
        taught = [place for place in noted(app.env, "places") if place.part == row["part"]] if "part" in row else []
        row += [node for place in taught for node in (nodes.Text("; "), address(app, page, place))][1:]
