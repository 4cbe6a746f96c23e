"""A graded notebook as the pieces that are shown of it: each cell's text, what it printed, and where it stopped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from markdown_it.token import Token
from nbformat import NotebookNode

from classroom import cells
from classroom.prose import LONGEST, parsed, short
from classroom.texts import line

TEXT = 10_000  # characters of a text that are shown: some take their square in time to read
MOST = 100_000  # characters of a notebook that are shown


@dataclass
class Piece:
    """A cell, as much of it as is shown."""

    kind: str  # as `cells.kind` has it
    name: str  # its grade_id
    source: str
    printed: str = ""
    error: tuple[str, str, str] | None = None  # its name, its message, where it is
    line: int = 0  # of this cell, at which it stopped
    says: str = ""
    tokens: list[Token] = field(default_factory=list)
    given: bool = False  # text that was handed out, and so is not the student's


def pieces_of(notebook: NotebookNode, handed_out: set[str]) -> Iterator[Piece]:
    """Each cell as a piece, cut where it is too long; `handed_out` are the texts that are not the student's."""
    left = MOST
    for number, cell in enumerate(notebook.cells, 1):
        kind = cells.kind(cell)
        longest = LONGEST if cell.cell_type == "code" else TEXT
        source = short(cell.source, longest if cells.tag(cell).get("locked") else min(longest, left))
        piece = Piece(kind, cells.grade_id(cell), source.strip("\n"))
        left = max(0, left - len(source))
        if kind in {"code", "answer", "setup", "data"}:
            piece.printed = short(_printed(cell), min(LONGEST, left))
            left = max(0, left - len(piece.printed))
        errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
        if errors:
            piece.error, piece.line = _error(errors[0], piece.name or f"cell {number}")
        if kind == "test":
            piece.says = said(cell)
        if kind in {"text", "explain"}:
            piece.tokens = parsed(piece.source)
            piece.given = kind == "text" and cell.source in handed_out
        yield piece


def said(test: NotebookNode) -> str:
    """The sentence about a test, in one line that is no longer than a sentence: a student's words can stand in it."""
    if not any(output.output_type == "error" for output in test.get("outputs", [])):
        return "Right."
    return line(test.metadata.get("classroom", {}).get("says", "It does not pass."))


def _printed(cell: NotebookNode) -> str:
    texts = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            texts.append(output.text)
        elif output.output_type != "error":
            text = output.get("data", {}).get("text/plain", "[an output that is no text]")
            texts.append(text if isinstance(text, str) else "".join(text))
    return "".join(texts).rstrip("\n")


def _error(output: NotebookNode, cell: str) -> tuple[tuple[str, str, str], int]:
    """Its name, its message and its place, and the line where that is in this cell."""
    place = re.search(r"\((?:([^()]+), )?line (\d+)\)$", "\n".join(output.traceback))
    where = f" in line {place[2]}" if place else ""
    elsewhere = place is not None and place[1] not in {None, cell}
    if place and elsewhere:
        where += f" of “{place[1]}”"
    return (output.ename, short(output.evalue, 2000), where), int(place[2]) if place and not elsewhere else 0
