"""Hints and solutions as the browser's own `<details>`: they open without a script and by keyboard.

Every admonition, exercise or solution with the class `dropdown` becomes one, and so does every code
cell that is hidden at first, whose own form would tell a screen reader a name other than the one shown.
"""

from collections.abc import Callable
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform


class Disclosure(nodes.General, nodes.Element):
    """`<details>`: its first child is the title."""


class Title(nodes.General, nodes.TextElement):
    """`<summary>`."""


class ToDisclosures(SphinxPostTransform):
    """Make a disclosure of every box and cell that is closed at first."""

    default_priority = 500  # after sphinx-exercise has written its titles
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for node in list(self.document.findall(nodes.Admonition)):
            if "dropdown" in node["classes"] and node.children and isinstance(node[0], nodes.title):
                _replace(node, node[0].children, node.children[1:])
        for cell in self.document.findall(nodes.container):
            for node in [child for child in cell.children if isinstance(child, HideCodeCellNode)]:
                node.parent = cell  # myst-nb leaves it unset
                _replace(node, [nodes.Text(node["prompt_show"])], node.children)


def _replace(node: nodes.Element, title: list[nodes.Node], content: list[nodes.Node]) -> None:
    heading = Title("", "", *title, classes=["admonition-title"])
    classes = ["admonition", "dropdown", *(name for name in node["classes"] if name != "dropdown")]
    node.replace_self(Disclosure("", heading, *content, ids=node["ids"], classes=classes))


def tags(name: str) -> tuple[Callable[..., None], Callable[..., None]]:
    """What writes an element's start and its end."""
    return (
        lambda self, node: self.body.append(self.starttag(node, name, "\n" if name == "details" else "")),
        lambda self, node: self.body.append(f"</{name}>\n"),
    )
