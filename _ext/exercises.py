"""Every exercise can be linked to: its title ends in the same sign as a heading's.

sphinx-exercise wraps the contents of each in a section of one and the same id; the wrapping goes, since an
id must be unique in a page.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import is_exercise_node, is_extension_node


class LinkExercises(SphinxPostTransform):
    default_priority = 490  # after sphinx-exercise has written its titles, before solutions become disclosures
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for node in list(self.document.findall(is_extension_node)):
            for section in [child for child in node.children if isinstance(child, nodes.section)]:
                section["ids"].clear()  # else the first paragraph inherits them
                section.replace_self(section.children)
            if is_exercise_node(node) and isinstance(node[0], nodes.title):
                sign = self.config.html_permalinks_icon
                node[0] += nodes.reference(
                    "", sign, refid=node["label"], classes=["headerlink"], reftitle="Link to this exercise"
                )


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(LinkExercises)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
