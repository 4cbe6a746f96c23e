"""Exercises as the page shows them: linked, with what `attnlib.exercises` knows of each, and held to it.

Under the title of an exercise whose label is `ex-` and an id stands one line, its kind, difficulty and
minutes; after it come its hints, folded away. An exercise without such a label, a label without an exercise, an exercise
of a chapter in the book that has no place there, and a title that is another one are warnings.
"""

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import exercise_subtitle, is_exercise_node, is_extension_node

from attnlib.exercises import CHAPTERS, EXERCISES
from attnlib.markup import pieces

from .ledger import CHAPTER

PREFIX = "ex-"
TAGS = {"code": nodes.literal, "em": nodes.emphasis}


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
    for page in sorted(env.found_docs):
        number = CHAPTER.match(page)
        for exercise in CHAPTERS.get(int(number[1]), ()) if number else ():
            if placed.get(f"{PREFIX}{exercise.id}", {}).get("docname") != page:
                yield f"the exercise {exercise.id!r} of attnlib.exercises has no place in this chapter", page
