"""What a cell is, and which lines of it students get: the one definition, for release, grading, feedback and leak checks.

A region begins and ends with a line that holds its mark, as nbgrader has it, in capitals or not and indented or not.
One that is not closed goes on to the end: what is not clearly for students is not for students.
"""

import re
from typing import Any

from nbformat import NotebookNode

MARK = re.compile(r"\b(BEGIN|END)\s+(SOLUTION|HIDDEN\s+TESTS?|MARK\s+SCHEME)\b", re.IGNORECASE)


def tag(cell: NotebookNode) -> dict[str, Any]:
    """What nbgrader has written on the cell."""
    found = cell.metadata.get("nbgrader")
    return found if isinstance(found, dict) else {}


def grade_id(cell: NotebookNode) -> str:
    """The cell's name for nbgrader, or nothing."""
    found = tag(cell).get("grade_id")
    return found if isinstance(found, str) else ""


def kind(cell: NotebookNode) -> str:
    """One of setup, data (what differs by student), test, answer, explain (an answer in words), code and text."""
    graded, locked, solution = (tag(cell).get(one, False) for one in ("grade", "locked", "solution"))
    if cell.cell_type != "code":
        return "explain" if graded else "text"
    if locked:
        return "test" if graded else "data" if grade_id(cell) == "data" else "setup"
    return "answer" if solution else "code"


def parts(source: str) -> tuple[str, str]:
    """What students see of a test, and what runs after it; nothing when no line is hidden.

    A region that is indented needs what stands around it, so the whole test then runs once more.
    """
    shown, hidden, indented = split(source)
    if indented:
        return "\n".join(shown), "\n".join(line for line in source.split("\n") if not MARK.search(line))
    return "\n".join(shown), "\n".join(hidden)


def split(source: str, stub: str = "") -> tuple[list[str], list[str], bool]:
    """The lines outside regions, those inside, and whether any region is indented. Marks are in neither.

    A `stub` stands in the place of each region, as far in as its mark.
    """
    shown: list[str] = []
    hidden: list[str] = []
    inside = indented = False
    for line in source.split("\n"):
        if mark := MARK.search(line):
            inside = mark[1].upper() == "BEGIN"
            indented |= inside and line[:1].isspace()
            if inside and stub:
                shown.append(line[: len(line) - len(line.lstrip())] + stub)
        else:
            (hidden if inside else shown).append(line)
    return shown, hidden, indented
