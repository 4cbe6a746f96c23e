"""Gives a submission back the cells that the set has: nbgrader can then grade whatever a student did to them."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor


class RestoreCells(NbGraderPreprocessor):
    """Before nbgrader looks: locked cells as released, deleted ones back in their places, doubles and strange tags gone.

    What was put back is noted in the notebook's metadata, for the report.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        course = self.parent.parent.coursedir
        assignment, notebook = (resources["nbgrader"][key] for key in ("assignment", "notebook"))
        released = Path(course.format_path(course.release_directory, ".", assignment)) / f"{notebook}.ipynb"
        notes = restore(nb, nbformat.read(released, 4))
        nb.metadata = NotebookNode(kernelspec=nb.metadata.get("kernelspec", {}), classroom={"notes": notes})
        return nb, resources


def restore(submitted: NotebookNode, released: NotebookNode) -> list[str]:
    """Make `submitted` hold every cell of `released`, in place; returns a sentence for each kind of repair."""
    wanted = {cell.metadata.nbgrader.grade_id: cell for cell in released.cells if "nbgrader" in cell.metadata}
    seen: dict[str, NotebookNode] = {}
    changed: list[str] = []
    for cell in submitted.cells:
        tag = cell.metadata.get("nbgrader")
        name = tag.get("grade_id") if isinstance(tag, dict) else None
        cell.metadata = NotebookNode()
        if name not in wanted or name in seen:
            continue
        original = wanted[name]
        seen[name] = cell
        cell.metadata = NotebookNode(nbgrader=NotebookNode(original.metadata.nbgrader))
        if cell.cell_type != original.cell_type or (
            original.metadata.nbgrader.locked and cell.source != original.source
        ):
            changed.append(name)
            _become(cell, original)
    missing = [name for name in wanted if name not in seen]
    for name in missing:
        before = list(wanted)[: list(wanted).index(name)]
        previous = seen[before[-1]] if before else None
        place = next((i + 1 for i, cell in enumerate(submitted.cells) if cell is previous), 0)
        seen[name] = nbformat.from_dict(wanted[name])
        submitted.cells.insert(place, seen[name])
    notes = [f"put back as they were: {', '.join(changed)}"] if changed else []
    return notes + ([f"missing, put back empty: {', '.join(missing)}"] if missing else [])


def _become(cell: NotebookNode, original: NotebookNode) -> None:
    """Type and, where locked, source of the original; an answer that lost its type keeps its text."""
    if cell.cell_type != original.cell_type:
        cell.cell_type = original.cell_type
        if original.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.pop("attachments", None)
        else:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    if original.metadata.nbgrader.locked:
        cell.source = original.source
