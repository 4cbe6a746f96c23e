"""What an answer in words gets its points for: list items `- 2 points: says that …` in the set's model answer.

Students see none of it. A model answer without such items has no rubric, and is marked as a whole.
"""

import re
from pathlib import Path

import nbformat

from classroom.cells import grade_id, kind

ITEM = re.compile(r"^[-*] +(?P<points>\d+(?:\.\d+)?) +points?: *(?P<says>\S.*(?:\n {2,}\S.*)*)$", re.MULTILINE)
Criteria = list[tuple[float, str]]


def criteria(answer: str) -> Criteria:
    """The points and the words of each item."""
    return [(float(one["points"]), " ".join(one["says"].split())) for one in ITEM.finditer(answer)]


def wrong(answer: str, points: float) -> str:
    """A sentence where the items give another sum than the answer's points."""
    found = criteria(answer)
    total = round(sum(most for most, _ in found), 6)
    return f"its criteria give {total:g} points, and the answer has {points:g}" if found and total != points else ""


def of_set(source: Path) -> dict[str, Criteria]:
    """Each cell's criteria, where it has any, in the notebook of a set."""
    cells = nbformat.read(source, 4).cells
    found = {grade_id(cell): criteria(cell.source) for cell in cells if kind(cell) == "explain"}
    return {cell: items for cell, items in found.items() if items}


def shown(items: Criteria) -> str:
    return "; ".join(f"{number}: {says} ({most:g})" for number, (most, says) in enumerate(items, 1))
