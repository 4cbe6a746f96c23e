"""Write the chapters as notebooks for JupyterLab: notebooks/*.ipynb, without outputs or solutions.

    python tools/notebooks.py

A notebook is plain Markdown and code: directives and roles of the book become what Jupyter can show,
and one that this file does not know stops the run. A notebook that you have changed is never
overwritten: when the book has a newer chapter, that comes beside yours as `NAME-2.ipynb`.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import jupytext
import nbformat
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from attnlib.exercises import EXERCISES

ROOT = Path(__file__).resolve().parent.parent
RECORD = ".generated.json"

_markdown = MarkdownIt("commonmark").use(dollarmath_plugin).use(myst_block_plugin).use(myst_role_plugin)
_DIRECTIVE = re.compile(r"\{([\w:-]+)\}\s*(.*)")
_OPTION = re.compile(r":([\w-]+):\s*(.*)")
_BLANKS = re.compile(r"\n{3,}")
_REFERENCE = re.compile(r"(.*?)\s*<[^<>]+>$", re.DOTALL)
ADMONITIONS = {"attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip", "warning"}
NEW_TERM = r"\style{color: #2a86c8}{"  # what the site's \new{…} looks like, on light and dark alike
REFERENCES = {"ref", "numref", "doc", "term", "eq"}


class ConversionError(ValueError):
    """The book uses something that a notebook cannot show."""


def convert(text: str, name: str = "chapter") -> nbformat.NotebookNode:
    """A chapter (MyST Markdown) as a notebook."""
    source = jupytext.reads(text, fmt="md:myst")
    cells, in_solution = [], False
    for cell in source.cells:
        if cell.cell_type == "code":
            if not in_solution:
                cells.append(nbformat.v4.new_code_cell(cell.source))
            continue
        for kind, content in _plain(cell.source, name):
            if kind == "gate":
                in_solution = content == "solution-start"
            elif not in_solution and content.strip():
                new: Callable[[str], nbformat.NotebookNode] = (
                    nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
                )
                cells.append(new(_BLANKS.sub("\n\n", content.strip()).replace(r"\new{", NEW_TERM)))
    return notebook_of(cells)


def notebook_of(cells: list[nbformat.NotebookNode]) -> nbformat.NotebookNode:
    """A notebook of these cells that asks for no kernel: the same cells give the same file."""
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook: nbformat.NotebookNode = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return notebook


def _plain(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Pieces of a Markdown cell: ("markdown", …), ("code", …) from an exercise, or ("gate", …)."""
    lines = text.splitlines()
    kept, start = [], 0
    for token in _markdown.parse(text):
        if token.level or token.map is None:
            continue
        first, last = token.map
        if token.type == "fence" and (directive := _DIRECTIVE.match(token.info)):
            kept += _references(lines[start:first], name)
            start = last
            for kind, content in _directive(directive[1], directive[2], token.content, name):
                if kind == "markdown":
                    kept += ["", *content.splitlines(), ""]
                else:
                    yield "markdown", "\n".join(kept)
                    yield kind, content
                    kept = []
        elif token.type in {"myst_target", "myst_line_comment"}:
            kept += [*_references(lines[start:first], name), ""]
            start = last
    kept += _references(lines[start:], name)
    yield "markdown", "\n".join(kept)


def _directive(kind: str, title: str, content: str, name: str) -> Iterator[tuple[str, str]]:
    options, body = _options(content)
    if kind in {"solution-start", "solution-end"}:
        yield "gate", kind
    elif kind in {"solution", "exercise-end"}:
        return
    elif kind in {"exercise", "exercise-start"}:  # the cells behind a start are cells of the notebook already
        yield "markdown", f"### Exercise: {title}"
        yield "markdown", _meta(options.get("label", ""))
        yield from _exercise(body, name)
    elif kind in {"admonition", "sidebar"} or kind in ADMONITIONS:
        inner = "\n".join(text for _, text in _plain(body, name))
        title = title or kind.replace("sidebar", "aside").capitalize()
        if "dropdown" in options.get("class", ""):
            yield "markdown", f"<details><summary><b>{title}</b></summary>\n\n{inner}\n\n</details>"
        else:
            yield "markdown", "\n".join(f"> {line}".rstrip() for line in [f"**{title}**", "", *inner.splitlines()])
    elif kind == "math":
        yield "markdown", f"$$\n{body.strip()}\n$$"
    else:
        raise ConversionError(f"{name}: no plain form is known for the directive {{{kind}}}")


def _meta(label: str) -> str:
    """What stands under an exercise's title, for those that `attnlib.exercises` knows."""
    exercise = EXERCISES.get(label.removeprefix("ex-"))
    if exercise is None:
        return ""
    count = "a hint" if len(exercise.hints) == 1 else f"one of {len(exercise.hints)} hints"
    return f'*{exercise.meta}.* Stuck? `hint("{exercise.id}")` gives {count}.'


def _exercise(body: str, name: str) -> Iterator[tuple[str, str]]:
    """The stub and the check of an exercise become cells to write in."""
    lines, start = body.splitlines(), 0
    for token in _markdown.parse(body):
        if token.type == "fence" and token.info == "python" and token.map:
            first, last = token.map
            yield "markdown", "\n".join(_references(lines[start:first], name))
            yield "code", token.content
            start = last
    yield "markdown", "\n".join(_references(lines[start:], name))


def _options(content: str) -> tuple[dict[str, str], str]:
    """A directive's leading `:name: value` lines, and the rest."""
    lines, options = content.splitlines(), {}
    while lines and (option := _OPTION.match(lines[0])):
        options[option[1]] = option[2]
        lines.pop(0)
    return options, "\n".join(lines)


def _references(lines: list[str], name: str) -> list[str]:
    """The lines with each role replaced by the text it shows."""
    text = "\n".join(lines)
    for block in _markdown.parse(text):
        for token in block.children or []:
            if token.type == "myst_role":
                text = text.replace(f"{{{token.meta['name']}}}`{token.content}`", _role(token, name))
    return text.splitlines()


def _role(token: Token, name: str) -> str:
    kind = token.meta["name"]
    if kind not in REFERENCES:
        raise ConversionError(f"{name}: no plain form is known for the role {{{kind}}}")
    explicit = _REFERENCE.match(token.content)
    return explicit[1] if explicit else token.content


def write(chapters: list[Path], folder: Path) -> list[str]:
    """Write every chapter into the folder, past every copy that was changed there; say what was done."""
    folder.mkdir(exist_ok=True)
    record_file = folder / RECORD
    record = json.loads(record_file.read_text()) if record_file.exists() else {}
    said = [_write(chapter, folder, record) for chapter in chapters]
    record_file.write_text(json.dumps(record, indent=1))
    return said


def _write(chapter: Path, folder: Path, record: dict[str, dict[str, str]]) -> str:
    content = nbformat.writes(convert(chapter.read_text(encoding="utf8"), chapter.name)) + "\n"
    version = hashlib.sha256(content.encode()).hexdigest()
    kept = ""
    for number in range(1, 1000):
        file = folder / (f"{chapter.stem}.ipynb" if number == 1 else f"{chapter.stem}-{number}.ipynb")
        known = record.get(file.name)
        if not file.exists() or (known and _digest(file) == known["file"]):
            file.write_text(content, encoding="utf8")
            record[file.name] = {"file": _digest(file), "version": version}
            return f"{file.name}{kept}"
        if known and known["version"] == version:
            return f"{file.name} (yours, kept)"
        kept = f" (new; your changed {file.name} is kept)"
    raise RuntimeError(f"{folder} holds 999 changed copies of {chapter.stem}")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    for line in write(sorted((ROOT / "chapters").glob("*.md")), ROOT / "notebooks"):
        print(f"notebooks/{line}")
