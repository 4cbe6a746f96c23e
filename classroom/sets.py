"""A graded set, plain Markdown in `classroom/graded/`, as the notebook that nbgrader calls the source.

A set is text and fenced code. The words after a fence's language say what becomes of it:

    ```python setup                     a locked cell: imports, data
    ```python answer=NAME               a cell that students write in; what stands between
                                        `### BEGIN SOLUTION` and `### END SOLUTION` is cut out of their copy
    ```python test=NAME points=2        a locked cell that gives its points or none; what stands between
                                        `### BEGIN HIDDEN TESTS` and `### END HIDDEN TESTS` is cut out
    ```markdown explain=NAME points=3   an answer in words, marked by a person; the text is the model answer, and
                                        its list items `- 2 points: says that …` are the rubric
    ```python data                      what differs by student, drawn by the generator `random` from the name that the
                                        student writes into a cell before it
    ```python question=NAME points=1    a number, or a choice: sets `right`, and `wrong` (sentence: value) and `tolerance`
                                        if need be; becomes an answer and a test. `# what to write` may come first
    ```python wrong=NAME                a wrong answer to NAME, in no notebook: the release is refused if it passes

What gives points may say which section of the book treats it, `section=04_scaling#four-times-as-wide`: a page and a heading.
It holds for all that gives points under the same heading of the set, and stands on the page about the class (see `lesson`).
A fence with a language alone is shown as it is. `sets.read` raises `SetError` with the line of what it cannot read, and
of every mark that would not be cut out. A file without such words, such as a README, is no set.
"""

import ast
import json
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from classroom import rubric
from classroom.cells import grade_id, kind, split, tag
from classroom.drawn import MODEL, VARIABLE
from classroom.fences import ALLOWED, NAME, REGIONS, ROLES, SetError, between, check, fences, regions, role_of, text_of
from classroom.notebooks import cell_of

GRADED = Path(__file__).parent / "graded"
TEMPLATE = Path(__file__).parent / "template.md"
STUBS = {"answer": "# your code here", "explain": "Your answer here."}  # what students find in the place of an answer
DRAWN = """from attnlib.exercises.harness import drawn_for
random = drawn_for({variable}, "{set}")
"""
WHO = """{variable} = ""  # your name, as it stands on the list of your course
### BEGIN SOLUTION
{variable} = "{model}"
### END SOLUTION"""
ANSWER = """{name} = None  # {hint}
### BEGIN SOLUTION
{source}
{name} = right
### END SOLUTION"""
OTHERWISE = "This is not the answer for your numbers."
ASKED = """assert {name} is not None, "Write your answer in the place of None."
### BEGIN HIDDEN TESTS
{source}
from classroom.drawn import Asked
asked = Asked({name}, right{more})
asked.judge("{otherwise}")
### END HIDDEN TESTS"""


@dataclass
class Set:
    """A graded set: its notebook, the line of the file at which each named cell begins, and what only the rehearsal has.

    `questions` are sources by name, `wrong` the wrong answers: the cell, its source and its line.
    """

    name: str
    notebook: NotebookNode
    lines: dict[str, int] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    wrong: list[tuple[str, str, int]] = field(default_factory=list)

    def at(self, cell: str, line: int = 1) -> str:
        """Where a line of a cell stands in the file."""
        return f"{self.name}.md, line {self.lines[cell] + line}"


def start(folder: Path, name: str) -> Path:
    """A new set in the folder, made from the template, for a teacher to fill in; SetError where there is one."""
    file = folder / f"{name}.md"
    if not NAME.fullmatch(name):
        raise SetError(f"{file.name}: the name of a set goes into other names, so it may have {ALLOWED}.")
    if file.exists():
        raise SetError(f"{file} is there already, and was not changed.")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(TEMPLATE.read_text(encoding="utf8"), encoding="utf8")
    return file


def names(folder: Path = GRADED) -> list[str]:
    """The graded sets that are there, in order."""
    return sorted(file.stem for file in folder.glob("*.md") if _is_set(file))


def others(folder: Path = GRADED) -> list[str]:
    """The Markdown files there that are no sets: no fence in them says what becomes of it."""
    return sorted(file.name for file in folder.glob("*.md") if not _is_set(file))


def read(file: Path) -> NotebookNode:
    """The nbgrader source notebook of a graded set."""
    return parse(file).notebook


def parse(file: Path) -> Set:
    """A graded set with the lines of its cells."""
    if not NAME.fullmatch(file.stem):
        raise SetError(f"{file.name}: the name of a set goes into other names, so it may have {ALLOWED}.")
    text = text_of(file)
    lines, cells, start = text.split("\n"), [], 0
    found = Set(file.stem, nbformat.v4.new_notebook())
    for fence, (first, end) in fences(text):
        where = f"{file.name}, line {first + 1}"
        check(fence, lines[first:end], where)
        role = role_of(fence, where)
        if role is None:
            continue
        cells += between(lines[start:first], start, file.name)
        start = end
        source = regions(fence.content.rstrip("\n"), role[0], first + 1, file.name)
        if role[0] == "wrong":
            found.wrong.append((f"answer-{role[1]}", source, first + 1))
            continue
        for cell, above in _made(*role, source, file.stem, where):
            if before := found.lines.get(grade_id(cell)):
                at = f"{where}: the cell of line {before}"
                raise SetError(f"{at} is called {grade_id(cell)} too.")
            if role[0] == "explain" and (lacking := rubric.wrong(cell.source, tag(cell)["points"])):
                raise SetError(f"{where}: {lacking}.")
            found.lines[grade_id(cell)] = first + 1 - above
            cells.append(cell)
        if role[0] == "question":
            found.questions[role[1]] = source
    cells += between(lines[start:], start, file.name)
    for name, _, line in found.wrong:
        if name not in found.lines or name.removeprefix("answer-") in found.questions:
            raise SetError(
                f"{file.name}, line {line}: no `answer={name.removeprefix('answer-')}` that this could be for."
            )
    if not any(tag(cell).get("grade") for cell in cells):
        raise SetError(f"{file.name}: nothing in it gives points: write a test, or an answer in words.")
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"  # the same set gives the same file
    found.notebook.cells = cells
    found.notebook.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return found


def handed_out(cell: NotebookNode) -> str:
    """What students get of a cell."""
    role = kind(cell)
    if role == "explain":
        return STUBS[role]
    return "\n".join(split(cell.source, STUBS.get(role, ""))[0]) if role in REGIONS else str(cell.source)


def leaks(notebook: NotebookNode, released: Path) -> list[str]:
    """What the students' copy holds and should not, or lacks: a sentence for each; the copy as written is looked at."""
    text = released.read_text(encoding="utf8")
    cells = nbformat.reads(text, 4).cells
    found = []
    if [cell.source for cell in cells] != [handed_out(cell) for cell in notebook.cells]:
        found.append("its cells are not those of the set without what is cut out.")
    shown = "\n".join(handed_out(cell) for cell in notebook.cells)
    for cell in notebook.cells:
        secret = cell.source.split("\n") if kind(cell) == "explain" else split(cell.source)[1]
        for line in {line.strip() for line in secret}:
            if len(line) > 8 and line not in shown and json.dumps(line, ensure_ascii=False)[1:-1] in text:
                found.append(f"a line of {grade_id(cell)} is in it: {line}")
    return found


def shape(notebook: NotebookNode) -> list[tuple[str, str, float]]:
    """What must stay the same once students have a set: its cells, what they are, and their points."""
    return sorted((grade_id(cell), cell.cell_type, tag(cell).get("points", 0)) for cell in notebook.cells if tag(cell))


def _is_set(file: Path) -> bool:
    words = [fence.info.split()[1:2] for fence, _ in fences(text_of(file))]
    return any(word[0].partition("=")[0].lower() in ROLES for word in words if word)


def _made(
    role: str, name: str, options: dict[str, str], source: str, file: str, where: str
) -> list[tuple[NotebookNode, int]]:
    """The cells that a fence becomes, and how many lines each has before the fence's first."""
    if role == "data":
        who = _cell("answer", VARIABLE, {}, WHO.format(variable=VARIABLE, model=MODEL))
        drawn = DRAWN.format(variable=VARIABLE, set=file)
        return [(who, 0), (_cell("data", name, {}, drawn + source), drawn.count("\n"))]
    if role != "question":
        return [(_cell(role, name, options, source), 0)]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = int(where.rpartition(" ")[2]) + (getattr(error, "lineno", None) or 1)
        raise SetError(f"{where.rpartition(' ')[0]} {line}: no Python: {getattr(error, 'msg', error)}.") from None
    sets = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    if "right" not in sets:
        raise SetError(f"{where}: a question says what is right, in a line `right = …`.")
    more = "".join(f", {one}={one}" for one in ("wrong", "tolerance") if one in sets)
    first = source.split("\n")[0]
    hint = first.lstrip("# ") if first.startswith("#") else "your answer"
    filled = {"name": name, "source": source, "hint": hint, "more": more, "otherwise": OTHERWISE}
    return [
        (_cell("answer", name, {}, ANSWER.format(**filled)), 2),
        (_cell("test", name, options, ASKED.format(**filled)), 2),
    ]


def _cell(role: str, name: str, options: dict[str, str], source: str) -> NotebookNode:
    cell = cell_of("markdown" if role == "explain" else "code", source)
    cell.metadata["nbgrader"] = {
        "grade_id": f"{role}-{name}" if name else role,
        "grade": role in {"test", "explain"},
        "solution": role in {"answer", "explain"},
        "locked": role in {"setup", "data", "test"},
        "task": False,
        "schema_version": 3,
    }
    if "points" in options:
        cell.metadata["nbgrader"]["points"] = float(options["points"])
    if "section" in options:
        cell.metadata["section"] = options["section"]
    return cell
