"""Tries a graded set before anybody gets it: its model answers must pass its tests, and an empty copy none of them.

Both run as submissions do. What is wrong in a set would otherwise show as a class of zeros, or of points for nothing.
"""

import ast
import copy
import re
import traceback
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from classroom import contained, drawn
from classroom.cells import grade_id, kind, parts
from classroom.fences import SetError
from classroom.limits import Refused
from classroom.sets import Set, handed_out
from classroom.walls import best

NAMES = (drawn.MODEL, "李雷")  # whose data the model answers are tried with
NAMED = f"answer-{drawn.VARIABLE}"
MANY = 200  # names whose questions are looked at


def rehearse(graded: Set) -> None:
    """Raise SetError with a line for each thing that is wrong: what cannot be read, or else what fails when it runs."""
    for problems in (_unreadable, _untested, _failing, _given_away, _ambiguous, _accepted):
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
    """Model answers that stop, and tests that they do not pass, for each of a few names."""
    for who in NAMES if "data" in graded.lines else NAMES[:1]:
        if found := list(_failing_for(graded, who)):
            yield from found
            return


def _failing_for(graded: Set, who: str) -> Iterator[str]:
    own = copy.deepcopy(graded.notebook)
    for cell in own.cells:
        if grade_id(cell) == NAMED:
            cell.source = cell.source.replace(drawn.MODEL, who)
    for name, cell in _code(_run(graded, own)):
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
        if kind(cell) in {"answer", "explain"} and grade_id(cell) != NAMED:
            cell.source = handed_out(cell)
    for name, cell in _code(_run(graded, empty)):
        if kind(cell) == "test" and not any(output.output_type == "error" for output in cell.outputs):
            yield f"{graded.at(name, 0)}: {name} gives its points to a copy in which nothing was answered."


def _ambiguous(graded: Set) -> Iterator[str]:
    """Questions where, for somebody's numbers, an answer that is said to be wrong is right, or nothing can be asked."""
    code = {grade_id(cell): cell.source for cell in graded.notebook.cells if kind(cell) in {"setup", "data"}}
    setup: dict[str, Any] = {"__name__": "tests"}
    exec(compile(code.get("setup", ""), "setup", "exec"), setup)
    for number in range(MANY if "data" in code else 1):
        who = f"{drawn.MODEL} {number}" if number else drawn.MODEL
        try:
            known = drawn.space(code.get("data", ""), setup, who)[0]
        except Exception as error:
            yield f"{graded.at('data', _line(error, 'data'))}: for the name “{who}”: {type(error).__name__}: {error}."
            return
        for name, source in graded.questions.items():
            if says := _question(source, dict(known)):
                yield f"{graded.at(f'test-{name}', 2 + says[1])}: for the name “{who}”: {says[0]}."
                return


def _question(source: str, known: dict[str, Any]) -> tuple[str, int] | None:
    """What is wrong with a question, and the line of its fence."""
    try:
        exec(compile(source, "question", "exec"), known)
    except Exception as error:
        return f"{type(error).__name__}: {error}", _line(error, "question")
    right, wrong = known["right"], known.get("wrong", {})
    lines = source.split("\n")
    own = next(at for at, line in enumerate(lines, 1) if re.match(r"right\b", line.strip()) or at == len(lines))
    if not isinstance(right, int | float | str | tuple):
        return (
            f"`right` is {type(right).__name__}, and should be a number, a text or a tuple: use float(…), int(…)",
            own,
        )
    if not isinstance(wrong, dict):
        return "`wrong` should be a dictionary, of a sentence and a value for each known mistake", own
    asked = drawn.Asked(right, right, {}, known.get("tolerance"))
    if not asked.is_like(right):
        return f"`right` is {right}, which is no number to write", own
    for sentence, value in wrong.items():
        if asked.is_like(value):
            at = next((at for at, line in enumerate(lines, 1) if str(sentence)[:30] in line), own)
            return f"the answer {value}, which is said to be wrong, is right (“{sentence}”)", at
    return None


def _accepted(graded: Set) -> Iterator[str]:
    """Wrong answers that pass every test."""
    for name, source, line in graded.wrong:
        other = copy.deepcopy(graded.notebook)
        for cell in other.cells:
            if grade_id(cell) == name:
                cell.source = source
        tests = [cell for _, cell in _code(_run(graded, other)) if kind(cell) == "test"]
        if not any(output.output_type == "error" for cell in tests for output in cell.outputs):
            yield f"{graded.name}.md, line {line}: this wrong answer to {name.removeprefix('answer-')} passes every test."


def _line(error: Exception, file: str) -> int:
    trace = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(trace) if frame.filename == file and frame.lineno), 1)


def _run(graded: Set, notebook: NotebookNode) -> Set:
    """The notebook, graded as a submission is; it is the teacher's own, so that any walls will do."""
    ran = copy.deepcopy(notebook)
    try:
        contained.grade(ran, walls=replace(best(), hidden=True))
    except Refused:
        raise
    except Exception as error:
        trace = traceback.extract_tb(error.__traceback__)
        frames = [(one.filename, one.lineno) for one in trace if one.filename in graded.lines and one.lineno]
        where = graded.at(*frames[-1]) if frames else f"{graded.name}.md"
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
