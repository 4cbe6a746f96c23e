"""A graded set, plain Markdown in `classroom/graded/`, as the notebook that nbgrader calls the source.

A set is text and fenced code. The words after a fence's language say what becomes of it:

    ```python setup                     a locked cell: imports, data
    ```python answer=NAME               a cell that students write in; what stands between
                                        `### BEGIN SOLUTION` and `### END SOLUTION` is cut out of their copy
    ```python test=NAME points=2        a locked cell that gives its points or none; what stands between
                                        `### BEGIN HIDDEN TESTS` and `### END HIDDEN TESTS` is cut out
    ```markdown explain=NAME points=3   an answer in words, marked by a person; the text is the model answer

Any other fence is shown as it is. `sets.read` raises `SetError` with the line of what it cannot read.
"""

import re
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from nbformat import NotebookNode

GRADED = Path(__file__).parent / "graded"
ROLE = re.compile(
    r"(?P<language>python|markdown) +(?P<role>setup|answer|test|explain)(?:=(?P<name>[\w-]+))?(?P<rest>.*)"
)
REGIONS = {"answer": "SOLUTION", "test": "HIDDEN TESTS"}


class SetError(ValueError):
    """A graded set that cannot be read: the sentence says where and why."""


def names(folder: Path = GRADED) -> list[str]:
    """The graded sets that are there, in order."""
    return sorted(file.stem for file in folder.glob("*.md"))


def read(file: Path) -> NotebookNode:
    """The nbgrader source notebook of a graded set."""
    text = file.read_text(encoding="utf8")
    lines, cells, start = text.splitlines(), [], 0
    for token in MarkdownIt("commonmark").parse(text):
        if token.type != "fence" or not (role := ROLE.fullmatch(token.info.strip())):
            continue
        first, last = token.map
        cells += _text(lines[start:first])
        cells.append(_cell(role.groupdict(), token.content.rstrip("\n"), f"{file.name}, line {first + 1}"))
        start = last
    cells += _text(lines[start:])
    _unique(cells, file.name)
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"  # the same set gives the same file
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def graded_cells(notebook: NotebookNode) -> dict[str, float]:
    """The points of each cell that gives any."""
    tags = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    return {tag["grade_id"]: tag["points"] for tag in tags if tag.get("grade")}


def shape(notebook: NotebookNode) -> list[tuple[str, str, float]]:
    """What must stay the same once students have a set: its cells, what they are, and their points."""
    tags = [(cell.cell_type, cell.metadata.get("nbgrader", {})) for cell in notebook.cells]
    return sorted((tag["grade_id"], kind, tag.get("points", 0)) for kind, tag in tags if tag)


def _text(lines: list[str]) -> list[NotebookNode]:
    text = "\n".join(lines).strip()
    return [nbformat.v4.new_markdown_cell(text)] if text else []


def _cell(role: dict[str, str], source: str, where: str) -> NotebookNode:
    kind, name = role["role"], role["name"]
    options = dict(re.findall(r"(\w+)=(\S+)", role["rest"]))
    if (role["language"] == "markdown") != (kind == "explain"):
        raise SetError(f"{where}: `explain` goes with `markdown`, the other roles with `python`.")
    if kind != "setup" and not name:
        raise SetError(f"{where}: give it a name, `{kind}=NAME`.")
    if kind in {"test", "explain"} and not re.fullmatch(r"\d+(\.\d+)?", options.get("points", "")):
        raise SetError(f"{where}: say what it is worth, `points=2`.")
    if kind in REGIONS:
        _check_region(source, REGIONS[kind], where)
    new = nbformat.v4.new_markdown_cell if kind == "explain" else nbformat.v4.new_code_cell
    cell = new(source)
    cell.metadata["nbgrader"] = {
        "grade_id": f"{kind}-{name}" if name else "setup",
        "grade": kind in {"test", "explain"},
        "solution": kind in {"answer", "explain"},
        "locked": kind in {"setup", "test"},
        "task": False,
        "schema_version": 3,
    }
    if "points" in options:
        cell.metadata["nbgrader"]["points"] = float(options["points"])
    return cell


def _check_region(source: str, region: str, where: str) -> None:
    """A region that is not closed, or none, would hand the solution or the tests to students."""
    marks = re.findall(r"^\s*### (BEGIN|END) (SOLUTION|HIDDEN TESTS)\s*$", source, re.MULTILINE)
    if marks != [("BEGIN", region), ("END", region)]:
        raise SetError(f"{where}: needs one line `### BEGIN {region}` and, after it, one `### END {region}`.")


def _unique(cells: list[NotebookNode], name: str) -> None:
    seen: set[str] = set()
    for cell in cells:
        id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if id in seen:
            raise SetError(f"{name}: two cells are called {id}.")
        seen |= {id} - {None}
