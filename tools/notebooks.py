"""Write the chapters as notebooks for JupyterLab: notebooks/*.ipynb, without outputs, each solution folded.

    python -m tools.notebooks

A notebook is plain Markdown and code: directives and roles of the book become what Jupyter can show,
and one that this file does not know stops the run. What the site folds is folded, and what is shown between a prediction
and the next heading stays folded until the reader guessed: it may give the answer away. (`outputs_hidden` would not do:
JupyterLab unfolds what it runs.) What you have changed in one stays: a newer chapter comes into it cell by cell
(`editions.py`).
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from myst_nb.core.read import read_myst_markdown_notebook

from attnlib.exercises import EXERCISES
from tools import editions

ROOT = Path(__file__).resolve().parent.parent

_markdown = MarkdownIt("commonmark").use(dollarmath_plugin).use(myst_block_plugin).use(myst_role_plugin)
_markdown.use(colon_fence_plugin)
FENCES = {"fence", "colon_fence"}
SOLUTION = re.compile(r"^```\{solution-start\}(.*?)\n```\n(.*?)^```\{solution-end\}\n```$", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\}.*", re.MULTILINE)
DIRECTIVE = re.compile(r"\{([\w:-]+)\}\s*(.*)")
OPTIONS = re.compile(r"\A(?::[\w-]+:.*\n?)*")
OPTION = re.compile(r":([\w-]+): *(.*)")
HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
WORD = re.compile(r"[a-z0-9]+")
BLANKS = re.compile(r"\n{3,}")
REFERENCE = re.compile(r"\A(.*?)\s*<[^<>]+>\Z", re.DOTALL)
ADMONITIONS = {"attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip", "warning"}
REFERENCES = {"ref", "numref", "doc", "term", "eq"}
NEW = re.compile(r"\\new(?![A-Za-z])")
NEW_TERM = r"\\textcolor{#2a86c8}"  # what the site's \new looks like, on light and dark alike
FOLDS = {  # what Jupyter folds for a tag
    "remove-input": {"source_hidden": True},
    "hide-input": {"source_hidden": True},
    "remove-output": {"outputs_hidden": True},
    "hide-output": {"outputs_hidden": True},
    "remove-cell": {"source_hidden": True},
    "hide-cell": {"source_hidden": True, "outputs_hidden": True},
}
CHECK = "remove-cell"
CHECKS = "# Holds the text to its numbers."  # a folded cell shows its first line, which would give answers away
PREDICTS = re.compile(r"^predict\((.+)\)", re.MULTILINE)
IMPORTS = "from attnlib.exercises import predict"
EXERCISE = re.compile(r'^(?:check|question)\("([\w-]+)"', re.MULTILINE)  # what asks for its answer, or judges it
PLACED = re.compile(r"^`{3,}\{exercise(?:-start)?\}.*\n:label: (\S+)$", re.MULTILINE)
HOW = """\
*A widget and Python hold the same values: move a widget, and its object in Python has the new value; set the value in a cell,
and the widget moves. Three dots stand for something folded: press them to open it.*
"""


class ConversionError(ValueError):
    """The book uses something that a notebook cannot show."""


def convert(text: str, name: str = "chapter") -> nbformat.NotebookNode:
    """A chapter (MyST Markdown) as a notebook."""
    cells: list[nbformat.NotebookNode] = []
    predicted = ""  # the prediction that was asked for last under this heading
    for cell in read_myst_markdown_notebook(SOLUTION.sub(_without_cells, text)).cells:
        for kind, content in [("code", cell.source)] if cell.cell_type == "code" else _plain(cell.source, name):
            if kind == "code":
                asks = PREDICTS.findall(content)
                source = content.rstrip().replace(IMPORTS, IMPORTS.replace("predict", "after_guess, predict"))
                cells.append(_code(source, cell.metadata, guess="" if asks else predicted))
                cells += map(_help, EXERCISE.findall(content))
                predicted = asks[-1] if asks else predicted
            elif content.strip():
                cells.append(nbformat.v4.new_markdown_cell(NEW.sub(NEW_TERM, BLANKS.sub("\n\n", content.strip()))))
                if any(token.type == "heading_open" for token in _markdown.parse(content)):
                    predicted = ""
    if cells and cells[0].cell_type == "markdown" and cells[0].source.startswith("# "):
        title, _, rest = cells[0].source.partition("\n")
        cells[0].source = f"{title}\n\n{HOW}{rest}".rstrip()
    if any(EXERCISE.search(cell.source) for cell in cells if cell.cell_type == "code"):
        cells.append(nbformat.v4.new_code_cell("progress()"))
    return notebook_of(cells)


def _without_cells(solution: re.Match[str]) -> str:
    """A solution as one directive, whose code is shown and not run."""
    return f"````{{solution}}{solution[1]}\n{CELL.sub('```python', solution[2])}````"


def _help(id: str) -> nbformat.NotebookNode:
    """What a reader who is stuck can run; *Run all* does not."""
    source = f'# Stuck? Take away the # below and run the cell, again for the next hint.\n# hint("{id}")'
    cell: nbformat.NotebookNode = nbformat.v4.new_code_cell(source)
    return cell


def _code(source: str, metadata: dict[str, Any], guess: str) -> nbformat.NotebookNode:
    """A code cell, folded as its tags say; what it shows stays folded until the reader has answered `guess`."""
    folds: dict[str, bool] = {}
    for tag in (tags := metadata.get("tags", [])):
        folds |= FOLDS.get(tag, {})
    shown = metadata.get("mystnb", {}).get("code_prompt_show")
    if guess and CHECK not in tags and _shows(source):
        source = f"after_guess({guess})\n{source}"
    if first := CHECKS if CHECK in tags else f"# {shown}" if shown else "":
        source = f"{first}\n{source}"
    cell: nbformat.NotebookNode = nbformat.v4.new_code_cell(source, metadata={"jupyter": folds} if folds else {})
    return cell


def _shows(source: str) -> bool:
    """Whether a cell prints, or ends in a value."""
    return "print(" in source or isinstance(ast.parse(source).body[-1], ast.Expr)


def notebook_of(cells: list[nbformat.NotebookNode]) -> nbformat.NotebookNode:
    """A notebook of these cells that asks for no kernel: the same cells give the same file.

    A cell's id is its section and its number there.
    """
    section, counts = "start", Counter[str]()
    for cell in cells:
        if cell.cell_type == "markdown" and (headings := HEADING.findall(cell.source)):
            section = "-".join(WORD.findall(headings[-1].lower()))[:48] or "section"
        counts[section] += 1
        cell.id = f"{section}-{counts[section]}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    python = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}  # coloured before a kernel runs
    about = {"kernelspec": kernel, "language_info": python}
    notebook: nbformat.NotebookNode = nbformat.v4.new_notebook(cells=cells, metadata=about)
    return notebook


@cache
def numbers() -> dict[str, int]:
    """The number of each exercise by its label, counted through the book as the site counts them."""
    chapters, *_ = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))["parts"]
    files = [ROOT / f"{page['file']}.md" for page in chapters["chapters"]]
    labels = [label for file in files for label in PLACED.findall(file.read_text(encoding="utf8"))]
    return {label: number for number, label in enumerate(labels, 1)}


def _plain(text: str, name: str, cells: bool = False) -> Iterator[tuple[str, str]]:
    """Pieces of a Markdown cell: ("markdown", …), ("solution", …), and ("code", …) where Python in a fence becomes `cells`."""
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
    if kind == "exercise-end":
        return
    if kind in {"exercise", "exercise-start"}:  # the cells behind a start are cells of the notebook already
        label = options.get("label", "")
        number, known = numbers().get(label), EXERCISES.get(label.removeprefix("ex-"))
        heading = f"### Exercise{f' {number}' if number else ''}: {title}"
        yield "markdown", f"{heading}\n\n{f'*{known.meta}.*' if known else ''}"
        yield from _plain(body, name, cells=True)
    elif kind == "reading-time":
        yield "markdown", f"*{' '.join(word for line in _references([body], name) for word in line.split())}*"
    elif kind == "solution":  # a cell of its own
        inner = "\n".join(text for _, text in _plain(body, name)).strip()
        yield kind, f"<details><summary><b>Solution</b></summary>\n\n{inner}\n\n</details>"
    elif kind in {"admonition", "sidebar"} or kind in ADMONITIONS:
        inner = "\n".join(text for _, text in _plain(body, name))
        title = title or kind.replace("sidebar", "aside").capitalize()
        if "dropdown" in options.get("class", ""):
            yield "markdown", f"<details><summary><b>{title}</b></summary>\n\n{inner}\n\n</details>"
        else:
            yield "markdown", "\n".join(f"> {line}".rstrip() for line in [f"**{title}**", "", *inner.splitlines()])
    else:
        raise ConversionError(f"{name}: no plain form is known for the directive {{{kind}}}")


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


def write(chapters: list[Path], folder: Path, say: Callable[[str], object] = str) -> list[str]:
    """Write every chapter into the folder, or bring it into the copy that is there; say of each, at once, what was done."""
    folder.mkdir(exist_ok=True)
    done = []
    for chapter in chapters:
        notebook = convert(chapter.read_text(encoding="utf8"), chapter.name)
        done.append(editions.put(notebook, folder / f"{chapter.stem}.ipynb"))
        say(done[-1])
    return done


if __name__ == "__main__":
    write(
        sorted((ROOT / "chapters").glob("*.md")),
        ROOT / "notebooks",
        lambda line: print(f"notebooks/{line}", flush=True),
    )
