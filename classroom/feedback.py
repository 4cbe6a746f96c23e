"""Feedback for students: their work and what was found, without the hidden tests.

nbgrader shows the graded notebook as it is, hidden tests and their numbers included. This takes both out.
"""

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from classroom.contained import HIDDEN


class HideHidden(NbGraderPreprocessor):
    """In each test: what students were given, and one sentence that says nothing of a hidden case."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        tag = cell.metadata.get("nbgrader", {})
        if tag.get("locked") and tag.get("grade"):
            cell.source = HIDDEN.sub("# more cases, not shown\n", cell.source)
            failed = any(output.output_type == "error" for output in cell.get("outputs", []))
            says = cell.metadata.get("classroom", {}).get("says", "It does not pass.") if failed else "Right."
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=says)]
        return cell, resources
