"""Write the chapters as notebooks for JupyterLab: notebooks/*.ipynb, without outputs or solutions.

    python tools/notebooks.py

A notebook is plain Markdown and code: directives and roles of the book become what Jupyter can show,
and one that this file does not know stops the run. A notebook that you have changed is never
overwritten: when the book has a newer chapter, that comes beside yours as `NAME-2.ipynb`.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from myst_nb.core.read import read_myst_markdown_notebook

from attnlib.exercises import EXERCISES

ROOT = Path(__file__).resolve().parent.parent
RECORD = ".generated.json"

_markdown = MarkdownIt("commonmark").use(dollarmath_plugin).use(myst_block_plugin).use(myst_role_plugin)
_markdown.use(colon_fence_plugin)
FENCES = {"fence", "colon_fence"}
SOLUTION = re.compile(r"^```\{solution-start\}.*?^```\{solution-end\}\n```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"\{([\w:-]+)\}\s*(.*)")
OPTIONS = re.compile(r"\A(?::[\w-]+:.*\n?)*")
OPTION = re.compile(r":([\w-]+): *(.*)")
BLANKS = re.compile(r"\n{3,}")
REFERENCE = re.compile(r"\A(.*?)\s*<[^<>]+>\Z", re.DOTALL)
ADMONITIONS = {"attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip", "warning"}
REFERENCES = {"ref", "numref", "doc", "term", "eq"}
NEW = re.compile(r"\\new(?![A-Za-z])")
CHECK = "remove-cell"  # the tag of a cell that holds what the text says: run in the build, folded in a notebook
NEW_TERM = r"\\style{color: #2a86c8}"  # what the site's \new looks like, on light and dark alike


class ConversionError(ValueError):
    """The book uses something that a notebook cannot show."""


def convert(text: str, name: str = "chapter") -> nbformat.NotebookNode:
    """A chapter (MyST Markdown) as a notebook."""
    cells = []
    for cell in read_myst_markdown_notebook(SOLUTION.sub("", text)).cells:
        for kind, content in [("code", cell.source)] if cell.cell_type == "code" else _plain(cell.source, name):
            if kind == "code":
                folded = {"jupyter": {"source_hidden": True}} if CHECK in cell.metadata.get("tags", []) else {}
                cells.append(nbformat.v4.new_code_cell(content.rstrip(), metadata=folded))
            elif content.strip():
                cells.append(nbformat.v4.new_markdown_cell(NEW.sub(NEW_TERM, BLANKS.sub("\n\n", content.strip()))))
    return notebook_of(cells)


def notebook_of(cells: list[nbformat.NotebookNode]) -> nbformat.NotebookNode:
    """A notebook of these cells that asks for no kernel: the same cells give the same file."""
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook: nbformat.NotebookNode = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return notebook


def _plain(text: str, name: str, cells: bool = False) -> Iterator[tuple[str, str]]:
    """Pieces of a Markdown cell: ("markdown", …), and ("code", …) where Python in a fence becomes `cells`."""
    lines, kept, start = text.splitlines(), [], 0
    for token in _markdown.parse(text):
        if token.level or token.map is None:
            continue
        first, last = token.map
        pieces: Iterable[tuple[str, str]]
        if token.type in FENCES and (directive := DIRECTIVE.match(token.info)):
            pieces = _directive(directive[1], directive[2], token.content, name)
        elif token.type in {"myst_target", "myst_line_comment"}:
            pieces = ()
        elif cells and token.type == "fence" and token.info == "python":
            pieces = [("code", token.content)]
        else:
            continue
        kept += [*_references(lines[start:first], name), ""]
        start = last
        for kind, content in pieces:
            if kind == "markdown":
                kept += ["", *content.splitlines(), ""]
            else:
                yield "markdown", "\n".join(kept)
                yield kind, content
                kept = []
    yield "markdown", "\n".join([*kept, *_references(lines[start:], name)])


def _directive(kind: str, title: str, content: str, name: str) -> Iterator[tuple[str, str]]:
    head = OPTIONS.match(content)[0]  # type: ignore[index] # it matches nothing too
    options, body = dict(OPTION.findall(head)), content.removeprefix(head)
    if kind in {"solution", "exercise-end"}:
        return
    if kind in {"exercise", "exercise-start"}:  # the cells behind a start are cells of the notebook already
        yield "markdown", f"### Exercise: {title}\n\n{_meta(options.get('label', ''))}"
        yield from _plain(body, name, cells=True)
    elif kind == "reading-time":
        yield "markdown", f"*{' '.join(word for line in _references([body], name) for word in line.split())}*"
    elif kind in {"admonition", "sidebar"} or kind in ADMONITIONS:
        inner = "\n".join(text for _, text in _plain(body, name))
        title = title or kind.replace("sidebar", "aside").capitalize()
        if "dropdown" in options.get("class", ""):
            yield "markdown", f"<details><summary><b>{title}</b></summary>\n\n{inner}\n\n</details>"
        else:
            yield "markdown", "\n".join(f"> {line}".rstrip() for line in [f"**{title}**", "", *inner.splitlines()])
    else:
        raise ConversionError(f"{name}: no plain form is known for the directive {{{kind}}}")


def _meta(label: str) -> str:
    """What stands under an exercise's title, for those that `attnlib.exercises` knows."""
    exercise = EXERCISES.get(label.removeprefix("ex-"))
    if exercise is None:
        return ""
    count = "a hint" if len(exercise.hints) == 1 else f"one of {len(exercise.hints)} hints"
    return f'*{exercise.meta}.* Stuck? `hint("{exercise.id}")` gives {count}.'


def _references(lines: list[str], name: str) -> list[str]:
    """The lines with each role replaced by the text it shows."""
    text = "\n".join(lines)
    for token in (token for block in _markdown.parse(text) for token in block.children or []):
        if token.type == "myst_role":
            role = token.meta["name"]
            if role not in REFERENCES:
                raise ConversionError(f"{name}: no plain form is known for the role {{{role}}}")
            text = text.replace(f"{{{role}}}`{token.content}`", REFERENCE.sub(r"\1", token.content))
    return text.splitlines()


def write(chapters: list[Path], folder: Path) -> list[str]:
    """Write every chapter into the folder, past every copy that was changed there; say what was done."""
    folder.mkdir(exist_ok=True)
    record_file = folder / RECORD
    record = json.loads(record_file.read_text()) if record_file.exists() else {}
    said = [_write(chapter, folder, record) for chapter in chapters]
    record_file.write_text(json.dumps(record, indent=1))
    return said


def _write(chapter: Path, folder: Path, record: dict[str, str]) -> str:
    content = (nbformat.writes(convert(chapter.read_text(encoding="utf8"), chapter.name)) + "\n").encode()
    version, kept = hashlib.sha256(content).hexdigest(), ""
    for number in itertools.count(1):
        file = folder / (f"{chapter.stem}.ipynb" if number == 1 else f"{chapter.stem}-{number}.ipynb")
        if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() == record.get(file.name):
            file.write_bytes(content)
            record[file.name] = version
            break
        if record.get(file.name) == version:
            return f"{file.name} (yours, kept)"
        kept = f" (new; your changed {file.name} is kept)"
    return f"{file.name}{kept}"


if __name__ == "__main__":
    for line in write(sorted((ROOT / "chapters").glob("*.md")), ROOT / "notebooks"):
        print(f"notebooks/{line}")
