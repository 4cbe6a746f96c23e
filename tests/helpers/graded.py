"""The graded sets of the book, and what their tests know for a student: for tests."""

from classroom import drawn, sets
from classroom.cells import grade_id, kind

GRADED = {name: sets.parse(sets.GRADED / f"{name}.md") for name in sets.names()}
BY_STUDENT = [name for name, graded in GRADED.items() if "data" in graded.lines]


def known(graded, who):
    """What the tests know for a student."""
    code = {grade_id(cell): cell.source for cell in graded.notebook.cells if kind(cell) in {"setup", "data"}}
    setup = {"__name__": "tests"}
    exec(code["setup"], setup)
    return drawn.space(code["data"], setup, who)[0]
