"""Tries a graded set before anybody gets it: its model answers must pass its tests, and an empty copy none of them.

Both run as submissions do. What is wrong in a set would otherwise show as a class of zeros, or of points for nothing.
"""

import ast
import copy
import re
import traceback
from collections.abc import Iterator
from dataclasses import replace

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from classroom import contained
from classroom.cells import grade_id, kind, parts
from classroom.limits import Refused
from classroom.sets import Set, SetError, handed_out
from classroom.walls import best


def rehearse(graded: Set) -> None:
    """Raise SetError with a line for each thing that is wrong: what cannot be read, or else what fails when it runs."""
    for problems in (_unreadable, _untested, _failing, _given_away):
        if found := list(problems(graded)):
            raise SetError("\n".join(found))


def _unreadable(graded: Set) -> Iterator[str]:
    """Code that is no Python, whole or as one of the parts in which it runs."""
    for name, cell in _code(graded):
        try:
            compile(cell.source if kind(cell) == "test" else _python(cell), name, "exec")
        except (SyntaxError, ValueError) as error:
            message = getattr(error, "msg", None) or error
            yield f"{graded.at(name, getattr(error, 'lineno', None) or 1)}: no Python: {message}."
            continue
        for part, what in zip(parts(cell.source), ("students see", "they do not see"), strict=True):
            if kind(cell) == "test" and not _parses(part):
                yield f"{graded.at(name)}: what {what} of this test must be Python by itself, and is not."


def _untested(graded: Set) -> Iterator[str]:
    """Answers that define nothing which a test, or another answer, looks at."""
    trees = {name: ast.parse(_python(cell)) for name, cell in _code(graded)}
    names = [(name, node) for name, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.Name)]
    for name, tree in trees.items():
        read = {node.id for other, node in names if other != name and isinstance(node.ctx, ast.Load)}
        if name.startswith("answer") and not read & _made(tree):
            yield f"{graded.at(name, 0)}: no test looks at what {name} defines."


def _failing(graded: Set) -> Iterator[str]:
    """Model answers that stop, and tests that they do not pass."""
    for name, cell in _code(_run(graded, graded.notebook)):
        for output in cell.outputs:
            if output.output_type != "error":
                continue
            says = f"{output.ename}: {output.evalue}"
            place = re.search(r"line (\d+)", "\n".join(output.traceback).rpartition("(")[2])
            if kind(cell) == "test":
                hint = " Is there a `setup`?" if output.ename == "NameError" and "setup" not in graded.lines else ""
                where = graded.at(name, _mentions(cell, output))
                yield f"{where}: the model answer does not pass {name}: {says}.{hint}"
            else:
                yield f"{graded.at(name, int(place[1]) if place else 1)}: the model answer stops: {says}."


def _given_away(graded: Set) -> Iterator[str]:
    """Tests that a copy passes in which nothing was answered."""
    empty = copy.deepcopy(graded.notebook)
    for cell in empty.cells:
        if kind(cell) in {"answer", "explain"}:
            cell.source = handed_out(cell)
    for name, cell in _code(_run(graded, empty)):
        if kind(cell) == "test" and not any(output.output_type == "error" for output in cell.outputs):
            yield f"{graded.at(name, 0)}: {name} gives its points to a copy in which nothing was answered."


def _run(graded: Set, notebook: NotebookNode) -> Set:
    """The notebook, graded as a submission is; it is the teacher's own, so that any walls will do."""
    ran = copy.deepcopy(notebook)
    try:
        contained.grade(ran, walls=replace(best(), hidden=True))
    except Refused:
        raise
    except Exception as error:
        trace = traceback.extract_tb(error.__traceback__)
        frames = [frame.lineno for frame in trace if frame.filename == "setup" and frame.lineno]
        where = graded.at("setup", frames[-1]) if frames and "setup" in graded.lines else f"{graded.name}.md"
        raise SetError(f"{where}: the set cannot be graded: {type(error).__name__}: {error}") from error
    return Set(graded.name, ran, graded.lines)


def _code(graded: Set) -> Iterator[tuple[str, NotebookNode]]:
    for cell in graded.notebook.cells:
        if cell.cell_type == "code":
            yield grade_id(cell), cell


def _python(cell: NotebookNode) -> str:
    """The cell's code without IPython's magics."""
    return TransformerManager().transform_cell(str(cell.source))


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _made(tree: ast.Module) -> set[str]:
    """The names that a cell gives a meaning."""
    made = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return made | {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def _mentions(cell: NotebookNode, output: NotebookNode) -> int:
    """The first line of a test that holds the name which is missing, or its first line."""
    missing = re.search(r"(\w+)'? is not defined", output.evalue) if output.ename == "NameError" else None
    lines = cell.source.split("\n")
    return next((at for at, line in enumerate(lines, 1) if missing and re.search(rf"\b{missing[1]}\b", line)), 1)
