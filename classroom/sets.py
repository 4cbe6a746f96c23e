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
import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from markdown_it.token import Token
from nbformat import NotebookNode

from classroom import book, rubric
from classroom.cells import MARK, grade_id, kind, split, tag
from classroom.drawn import MODEL, VARIABLE
from classroom.notebooks import cell_of

GRADED = Path(__file__).parent / "graded"
TEMPLATE = Path(__file__).parent / "template.md"
STUBS = {"answer": "# your code here", "explain": "Your answer here."}  # what students find in the place of an answer
ROLES = dict.fromkeys(("setup", "data", "answer", "test", "question", "wrong"), "python") | {"explain": "markdown"}
REGIONS = {"answer": "SOLUTION", "test": "HIDDEN TESTS"}
MARKED = re.compile(r"([ \t]*)#+\s*(BEGIN|END)\s+(SOLUTION|HIDDEN\s+TESTS)\s*", re.IGNORECASE)
BEGINS = re.compile(rf"[\s>*+-]*(`{{3,}}|~{{3,}})\s*(\w+\s+)?({'|'.join(ROLES)})\b", re.IGNORECASE)
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
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}")
ALLOWED = "letters from a to z, digits, - and _, at most 60, and no - at the start"


class SetError(ValueError):
    """A graded set that cannot be read: the sentence says where and why."""


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
    text = _text(file)
    lines, cells, start = text.split("\n"), [], 0
    found = Set(file.stem, nbformat.v4.new_notebook())
    for fence, (first, end) in _fences(text):
        where = f"{file.name}, line {first + 1}"
        _check_fence(fence, lines[first:end], where)
        role = _role(fence, where)
        if role is None:
            continue
        cells += _between(lines[start:first], start, file.name)
        start = end
        source = _regions(fence.content.rstrip("\n"), role[0], first + 1, file.name)
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
    cells += _between(lines[start:], start, file.name)
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


def _text(file: Path) -> str:
    """The file's text; a mark of byte order and the line ends of other systems are made plain."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SetError(f"{file.name}: is no UTF-8 text (byte {error.start + 1}); save it as UTF-8.") from None


def _fences(text: str) -> list[tuple[Token, list[int]]]:
    """Each fence, and the lines from its first to behind its last."""
    return [(token, token.map) for token in MarkdownIt("commonmark").parse(text) if token.type == "fence" and token.map]


def _is_set(file: Path) -> bool:
    words = [fence.info.split()[1:2] for fence, _ in _fences(_text(file))]
    return any(word[0].partition("=")[0].lower() in ROLES for word in words if word)


def _check_fence(fence: Token, lines: list[str], where: str) -> None:
    """Closed, and not by the end of another: one that is not would show what follows, or swallow it."""
    swallowed = next((at for at in range(1, len(lines) - 1) if BEGINS.match(lines[at])), None)
    closed = re.fullmatch(rf"[\s>]*{re.escape(fence.markup[0])}{{{len(fence.markup)},}}\s*", lines[-1])
    if swallowed is not None or not closed or len(lines) == 1:
        start = int(where.rpartition(" ")[2])
        before = "" if swallowed is None else f" before line {start + swallowed}"
        raise SetError(f"{where}: this fence is not closed{before}.")


def _role(token: Token, where: str) -> tuple[str, str, dict[str, str]] | None:
    """What a fence becomes: its role, its name and its options; nothing for one that is shown as it is."""
    language, *words = token.info.split() or [""]
    if (head := language.partition("=")[0].lower()) in ROLES:
        raise SetError(f"{where}: name the language first, `{ROLES[head]} {language}`.")
    if not words:
        return None
    role, _, name = words[0].partition("=")
    if role not in ROLES:
        meant = role.lower() in ROLES or language.lower() in ROLES.values() or any("point" in word for word in words)
        if not meant:
            return None
        known = ", ".join(ROLES)
        raise SetError(f"{where}: `{words[0]}` is none of {known}. To show the fence, give its language alone.")
    if language != ROLES[role]:
        raise SetError(f"{where}: `{role}` goes with `{ROLES[role]}`, not `{language}`.")
    if token.level:
        raise SetError(f"{where}: this fence stands in a list or a quotation; a cell begins at the margin.")
    if role not in {"setup", "data"} and not name:
        raise SetError(f"{where}: give it a name, `{role}=NAME`.")
    if name and not NAME.fullmatch(name):
        raise SetError(f"{where}: the name {name} may have {ALLOWED}.")
    options = dict(word.partition("=")[::2] for word in words[1:])
    if role == "question" and not name.isidentifier():
        raise SetError(f"{where}: the name {name} becomes a variable, so it may have letters, digits and _.")
    takes = {"points", "section"} if role in {"test", "explain", "question"} else set()
    if unknown := [word for word in words[1:] if word.partition("=")[0] not in takes]:
        known = "`points=2` and `section=PAGE#HEADING` alone" if takes else "no options"
        raise SetError(f"{where}: `{role}` takes {known}, not `{unknown[0]}`.")
    if takes and not (re.fullmatch(r"\d{1,4}(\.\d+)?", options.get("points", "")) and float(options["points"])):
        raise SetError(f"{where}: say what it is worth, `points=2` or `points=0.5`, more than 0.")
    if "section" in options:
        try:
            book.section(options["section"])
        except ValueError as error:
            raise SetError(f"{where}: {error}.") from None
    return role, name, options


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


def _between(lines: list[str], start: int, file: str) -> list[NotebookNode]:
    """The text between two cells, if any. A fence that Markdown does not see there would show a model answer."""
    if unseen := [number for number, line in enumerate(lines, start + 1) if BEGINS.match(line)]:
        raise SetError(f"{file}, line {unseen[0]}: this fence is none, as it is indented or in a comment.")
    _regions("\n".join(lines), "text", start, file)
    text = "\n".join(lines).strip()
    return [nbformat.v4.new_markdown_cell(text)] if text else []


def _regions(source: str, role: str, start: int, file: str) -> str:
    """The source, its marks as nbgrader knows them; one that is out of place would hand out what it should hide."""
    region, lines, inside = REGIONS.get(role), source.split("\n"), 0
    for number, line in enumerate(lines, 1):
        if not MARK.search(line):
            continue
        mark, where = MARKED.fullmatch(line), f"{file}, line {start + number}"
        words = " ".join(mark[3].upper().split()) if mark else ""
        if mark is None or words != region:
            subject = "text" if role == "text" else f"`{role}`"
            takes = f"`### BEGIN {region}` and `### END {region}`, each alone on its line" if region else "no such mark"
            raise SetError(f"{where}: {subject} takes {takes}: {line.strip()}")
        if (mark[2].upper() == "BEGIN") == bool(inside):
            raise SetError(f"{where}: {line.strip()} without {'an END before it' if inside else 'a BEGIN before it'}.")
        inside = 0 if inside else start + number
        lines[number - 1] = f"{mark[1]}### {mark[2].upper()} {words}"
    if inside or (region and "\n".join(lines).find("### BEGIN") < 0):
        where = f"{file}, line {inside or start}"
        raise SetError(f"{where}: needs a line `### BEGIN {region}` and, after it, one `### END {region}`.")
    return "\n".join(lines)
