"""Hints and solutions as the browser's own `<details>`: they open without a script and by keyboard.

Every admonition, exercise or solution with the class `dropdown` becomes one, and so does every code
cell that is hidden at first, whose own form would tell a screen reader a name other than the one shown.
"""

from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform


class disclosure(nodes.General, nodes.Element):
    """`<details>`: its first child is the title."""


class disclosure_title(nodes.General, nodes.TextElement):
    """`<summary>`."""


class ToDisclosures(SphinxPostTransform):
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
    heading = disclosure_title("", "", *title, classes=["admonition-title"])
    classes = ["admonition", "dropdown", *(name for name in node["classes"] if name != "dropdown")]
    node.replace_self(disclosure("", heading, *content, ids=node["ids"], classes=classes))


def visit_disclosure(self: Any, node: disclosure) -> None:
    self.body.append(self.starttag(node, "details"))


def depart_disclosure(self: Any, node: disclosure) -> None:
    self.body.append("</details>\n")


def visit_title(self: Any, node: disclosure_title) -> None:
    self.body.append(self.starttag(node, "summary", ""))


def depart_title(self: Any, node: disclosure_title) -> None:
    self.body.append("</summary>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(disclosure, html=(visit_disclosure, depart_disclosure))
    app.add_node(disclosure_title, html=(visit_title, depart_title))
    app.add_post_transform(ToDisclosures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
