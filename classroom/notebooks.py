"""Reads what a student handed in, whatever editors and platforms did to the file, as long as it can mean one thing."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode

from classroom.texts import decoded

LARGEST = 10 << 20  # bytes
MOST = 2_000  # cells
MADE = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell, "raw": nbformat.v4.new_raw_cell}


class Unreadable(ValueError):
    """The file is no notebook; the sentence says in which way."""


class Reader(NotebookExporter):
    """nbgrader's reader of notebooks, for submissions lenient."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[NotebookNode, dict[str, Any]]:
        nbgrader: Any = self.parent
        if not nbgrader._sanitizing:
            return super().from_filename(filename, resources, **kw)
        notebook, notes = read(start(Path(filename)))
        notebook.metadata["mended"] = notes
        export: Callable[..., tuple[NotebookNode, dict[str, Any]]] = super().from_notebook_node
        return export(notebook, resources, **kw)


def start(file: Path) -> bytes:
    """As much of a file as shows whether it is too large."""
    with file.open("rb") as opened:
        return opened.read(LARGEST + 1)


def handed_out_before(folder: Path, name: str) -> list[Path]:
    """In a course folder, the students' copies of a set that a newer one has replaced."""
    return sorted(folder.glob(f"earlier/*/release/{name}/{name}.ipynb"))


def cell_of(kind: str, source: str) -> NotebookNode:
    """A new cell of nbformat's type of this name."""
    make: Callable[[str], NotebookNode] = MADE[kind]
    return make(source)


def read(content: bytes) -> tuple[NotebookNode, list[str]]:
    """The cells of a notebook, their texts and tags, and notes about what had to be mended."""
    if len(content) > LARGEST:
        raise Unreadable(f"the file is larger than {LARGEST >> 20} MB")
    text, note = decoded(content)
    notes = [note] if note else []
    try:
        found = loaded(text)
        if isinstance(found, dict) and found.get("nbformat", 4) < 4:
            found = nbformat.reads(json.dumps(found), 4)
    except RecursionError:
        raise Unreadable("the file is nested too deeply") from None
    except Exception:  # whatever a broken file makes the readers say
        raise Unreadable("the file is no notebook that can be read") from None
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list) or not cells:
        raise Unreadable("the file is no notebook that can be read: it has no cells")
    if len(cells) > MOST:
        raise Unreadable(f"the notebook has {len(cells)} cells; {MOST} is the most")
    made = [_cell(cell, number) for number, cell in enumerate(cells, 1)]
    if any("\ufffd" in cell.source for cell in made) and "\ufffd" not in text:
        notes.append("half characters, which no computer can write, became �")
    return NotebookNode(nbformat.v4.new_notebook(cells=made)), notes


def loaded(text: str) -> Any:
    """What the JSON of a notebook holds. Raises what JSON's reader does."""
    return json.loads(text, parse_int=_integer, parse_constant=lambda _: None)


def _integer(text: str) -> float:
    """Counts in a notebook are small; Python refuses to read thousands of digits."""
    return int(text) if len(text) < 20 else math.inf


def _cell(cell: Any, number: int) -> NotebookNode:
    """A new cell with kind, text and nbgrader's tag of the old; the rest of a cell plays no part in grading."""
    source = cell.get("source") if isinstance(cell, dict) else None
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    kind = cell.get("cell_type") if isinstance(cell, dict) else None
    if not isinstance(source, str) or kind not in MADE:
        raise Unreadable(f"cell {number} of the notebook cannot be read")
    source = source.replace("\r\n", "\n").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    made = cell_of(kind, source)
    metadata = cell.get("metadata")
    tag = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = tag.get("grade_id") if isinstance(tag, dict) else None
    if isinstance(name, str):
        made.metadata["nbgrader"] = NotebookNode(grade_id=name)
    return made
