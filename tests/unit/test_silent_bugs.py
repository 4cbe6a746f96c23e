"""The museum of bugs shows the lines that it runs."""

import re
from pathlib import Path

import jupytext

PAGE = Path("chapters/appendices/silent_bugs.md")


def test_each_line_shown_right_or_wrong_is_one_that_a_cell_runs():
    cells = "\n".join(cell.source for cell in jupytext.read(PAGE, fmt="md:myst").cells if cell.cell_type == "code")
    pairs = [
        block.splitlines() for block in re.findall(r"^```python\n(.*?)```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    ]
    assert pairs
    for right, code, wrong, slip in pairs:
        assert right.startswith("# right")
        assert wrong.startswith("# wrong")
        assert code in cells
        assert slip in cells
        assert code != slip
