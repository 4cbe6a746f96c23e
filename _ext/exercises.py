"""Exercises as the page shows them: linked, with what `attnlib.exercises` knows of each, and held to it.

Under the title of an exercise whose label is `ex-` and an id stands one line, its kind, difficulty and
minutes; after it come its hints, folded away. An exercise without such a label, a label without an exercise, an exercise
of a chapter in the book that has no place there, and a title that is another one are warnings. The directive `beliefs` is for
teachers: what each exercise is there to find.

An exercise that asks for a program holds two fences, a stub and the line that checks it. Where the page has Python they are
marked for its script, and the stub has a button.
"""

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise import nodes as theirs
from sphinx_exercise.nodes import exercise_subtitle, is_exercise_node, is_extension_node

from attnlib.exercises import CHAPTERS, EXERCISES
from attnlib.markup import pieces
from pyodide_cells.sphinx import BUTTON, there

from .ledger import CHAPTER

PREFIX = "ex-"
CHECK = "check("
ENDS = {
    theirs.exercise_node: theirs.depart_exercise_node,
    theirs.exercise_enumerable_node: theirs.depart_exercise_enumerable_node,
}
TAGS = {"code": nodes.literal, "em": nodes.emphasis, "sub": nodes.subscript}


class Beliefs(SphinxDirective):
    """A table for each chapter: its exercises, and the belief that each is there to find."""

    def run(self) -> list[nodes.Node]:
        lines = []
        for chapter, exercises in CHAPTERS.items():
            lines += ["", f"| chapter {chapter} | the belief it finds |", "|---|---|"]
            for exercise in exercises:
                link = f"{{ref}}`{exercise.title} <{PREFIX}{exercise.id}>`"
                lines.append(f"| {link}<br><small>{exercise.meta}</small> | {exercise.misconception} |")
        return self.parse_text_to_nodes("\n".join(lines))


class CompleteExercises(SphinxPostTransform):
    """Give each exercise its link, its line and its hints."""

    default_priority = 490  # after sphinx-exercise has written its titles, before solutions become disclosures
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for node in list(self.document.findall(is_extension_node)):
            # Its contents are wrapped in a section of one and the same id, and an id must be unique in a page.
            for section in [child for child in node.children if isinstance(child, nodes.section)]:
                section["ids"].clear()  # else the first paragraph inherits them
                section.replace_self(section.children)
            if is_exercise_node(node) and isinstance(node[0], nodes.title):
                look = {"classes": ["headerlink"], "reftitle": "Link to this exercise"}
                node[0] += nodes.reference("", self.config.html_permalinks_icon, refid=node["label"], **look)
                if exercise := EXERCISES.get(node["label"].removeprefix(PREFIX)):
                    node.insert(1, nodes.paragraph("", exercise.meta, classes=["exercise-meta"]))
                    after = node.parent.index(node) + 1
                    node.parent[after:after] = hints(exercise.hints)
                    if there(self.env):
                        mark(node, exercise.id)


class Fence(nodes.literal_block):
    """A stub, or what checks it: `part` says which."""


def mark(exercise: nodes.Element, name: str) -> None:
    """Mark an exercise that has a stub and what checks it."""
    fences = [node for node in exercise.findall(nodes.literal_block) if node.get("language") == "python"]
    if len(fences) > 1 and fences[-1].astext().startswith(CHECK):
        exercise["exercise"] = name
        for part, fence in zip(("stub", "check"), fences[-2:], strict=True):
            fence.replace_self(Fence(fence.rawsource, *fence.children, **fence.attributes, part=part))


def visit_fence(self: Any, node: Fence) -> None:
    """Write a fence as any other, marked."""
    try:
        self.visit_literal_block(node)
    except nodes.SkipNode:
        start, rest = self.body[-1].split(">", 1)
        button = BUTTON.format("Check") if node["part"] == "stub" else ""
        self.body[-1] = f"{start} data-{node['part']}>{button}{rest}"
        raise


def visit_exercise(self: Any, node: nodes.Element) -> None:
    """Write the start of an exercise, with its name if it is marked."""
    theirs.visit_exercise_node(self, node)
    if "exercise" in node:
        self.body[-2] = self.body[-2].replace("<div ", f'<div data-exercise="{node["exercise"]}" ', 1)


def hints(texts: tuple[str, ...]) -> list[nodes.Element]:
    """Boxes that become disclosures, to be opened one after the other."""
    boxes = []
    for number, text in enumerate(texts, 1):
        parts = [TAGS[tag](part, part) if tag else nodes.Text(part.replace("'", "’")) for tag, part in pieces(text)]
        title = nodes.title("", f"Hint {number}" if len(texts) > 1 else "Hint")
        boxes.append(nodes.admonition("", title, nodes.paragraph("", "", *parts), classes=["dropdown", "hint"]))
    return boxes


def check(app: Sphinx, env: BuildEnvironment) -> Iterator[tuple[str, str]]:
    """Where the book and the exercises of the package do not fit: what is wrong, and the page that it concerns."""
    registry = getattr(env, "sphinx_exercise_registry", {})
    placed = {label: entry for label, entry in registry.items() if entry["type"].startswith("exercise")}
    for label, entry in placed.items():
        title = next((title.astext() for title in entry["node"].findall(exercise_subtitle)), "")
        exercise = EXERCISES.get(label.removeprefix(PREFIX))
        if not label.startswith(PREFIX):
            yield f"the exercise {title!r} has no label that begins with {PREFIX}", entry["docname"]
        elif exercise is None:
            yield f"attnlib.exercises has no exercise for the label {label}", entry["docname"]
        elif title != exercise.title:
            yield f"{label} is called {title!r} here and {exercise.title!r} in attnlib.exercises", entry["docname"]
    chapters: dict[int, list[str]] = {}  # the pages of each: a chapter may have several
    for page in sorted(env.found_docs):
        if number := CHAPTER.match(page):
            chapters.setdefault(int(number[1]), []).append(page)
    for chapter, pages in chapters.items():
        for exercise in CHAPTERS.get(chapter, ()):
            if placed.get(f"{PREFIX}{exercise.id}", {}).get("docname") not in pages:
                yield f"the exercise {exercise.id!r} of attnlib.exercises has no place in this chapter", pages[0]
