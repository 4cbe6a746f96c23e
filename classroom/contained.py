"""Runs a submission for nbgrader: the student's cells in a process of their own, the tests here.

nbgrader's own step runs both in one kernel, where a submission can read the hidden tests, or change what they compare
with. Here the student's process gets the student's cells and the locked set-up alone. A test runs on this side and calls
the student's functions over there, with copies of its data; what comes back are values. The examples of all tests run
before the first hidden case, and what the process prints during tests is dropped, so nothing hidden can be printed.
"""

import ast
import builtins
import contextlib
import io
import json
import os
import re
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from classroom import reading
from classroom.student import Limits, Step, Student
from classroom.walls import best

HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS\s*\n(.*?)^### END HIDDEN TESTS\s*$\n?", re.DOTALL | re.MULTILINE)


class RunContained(NbGraderPreprocessor):
    """In the place of nbgrader's `Execute`."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        grade(nb, Limits(**json.loads(os.environ.get("CLASSROOM_LIMITS", "{}"))))
        return nb, resources


def grade(nb: NotebookNode, limits: Limits | None = None) -> None:
    """Run the notebook and write what came of it into its outputs, with notes for the report in its metadata."""
    notes = nb.metadata.get("classroom", {}).get("notes", [])
    submitted = [(_name(cell, i), cell.source) for i, cell in enumerate(nb.cells) if _is(cell, "submitted")]
    setup = "\n".join(cell.source for cell in nb.cells if _is(cell, "setup"))
    findings = [str(found) for found in reading.read([("setup", setup), *submitted]) if found.cell != "setup"]
    space: dict[str, Any] = {"__name__": "tests"}
    exec(compile(setup, "setup", "exec"), space)
    tests = {_name(cell, i): cell for i, cell in enumerate(nb.cells) if _is(cell, "test")}
    with Student(_steps(nb, space), limits or Limits(), best()) as student:
        ran = student.run()
        told = _run_tests(tests, space, student)
        attempts = [f"tried to reach {what}" for what in student.attempts]
    for i, cell in enumerate(nb.cells):
        name = _name(cell, i)
        cell.metadata.pop("classroom", None)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if name in ran:
            cell.outputs = _outputs(ran[name].output, ran[name].error)
            if ran[name].error and ran[name].error[0] in {"Ended", "TimeLimit"}:
                notes.append(f"{name}: {ran[name].error[1]}")
        if told.get(name):
            cell.outputs = _outputs("", (told[name][0], told[name][1], ""))
            cell.metadata["classroom"] = {"says": told[name][2]}
    nb.metadata["classroom"] = {"notes": notes, "person": findings + attempts, "walls": student.walls.name}


def parts(source: str) -> tuple[str, str]:
    """What students see of a test cell, and what they do not."""
    return HIDDEN.sub("", source), "\n".join(HIDDEN.findall(source))


def _run_tests(tests: dict[str, NotebookNode], space: dict[str, Any], student: Student) -> dict[str, Any]:
    """For each test None, or (error, message, what the student is told). All examples come before any hidden case."""
    told: dict[str, tuple[str, str, str] | None] = {}
    here = {}
    for name, cell in tests.items():
        here[name] = {**space, **student.names(name, _wanted(cell.source, space))}
        failed = _run_test(parts(cell.source)[0], name, here[name])
        said = failed and (failed[1] if failed[0] in {"AssertionError", "Mistake"} else f"{failed[0]}: {failed[1]}")
        told[name] = (*failed, said) if failed else None
    for name, cell in tests.items():
        shown, hidden = told[name], parts(cell.source)[1]
        if not hidden or (shown and any(word in shown[1] for word in ("TimeLimit", "Ended"))):
            continue  # it would take as long again
        failed = _run_test(hidden, name, here[name])
        known = failed[1] if failed and failed[1] in _sentences(hidden) else ""
        if shown and known:
            told[name] = (*shown[:2], f"{shown[2]} {known}")
        elif failed and not shown:
            told[name] = (*failed, known or "A case that is not shown does not pass.")
    return told


def _run_test(source: str, name: str, here: dict[str, Any]) -> tuple[str, str] | None:
    """Run one part of a test here; the error's name and message, if any."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, name, "exec"), here)
    except Exception as error:
        return type(error).__name__, str(error)[:500] or "not so"
    return None


def _sentences(source: str) -> set[str]:
    """The texts in a hidden test: a message that is one of them gives no number of it away."""
    return {n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def _steps(nb: NotebookNode, space: dict[str, Any]) -> list[Step]:
    steps = []
    for i, cell in enumerate(nb.cells):
        if _is(cell, "test"):
            steps.append(Step(_name(cell, i), keep=_wanted(cell.source, space)))
        elif cell.cell_type == "code" and cell.source.strip():
            steps.append(Step(_name(cell, i), cell.source))
    return steps


def _wanted(source: str, space: dict[str, Any]) -> tuple[str, ...]:
    """The names that a test takes from the student: read there, and neither imported nor made on this side."""
    read, made = set(), set(space) | set(dir(builtins))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else made).add(node.id)
        elif isinstance(node, ast.alias):
            made.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        elif isinstance(node, ast.arg):
            made.add(node.arg)
    return tuple(sorted(read - made))


def _is(cell: NotebookNode, what: str) -> bool:
    tag = cell.metadata.get("nbgrader", {})
    kind = {(True, True): "test", (True, False): "setup"}.get(
        (tag.get("locked", False), tag.get("grade", False)), "submitted"
    )
    return cell.cell_type == "code" and kind == what


def _name(cell: NotebookNode, i: int) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id", f"cell {i + 1}")


def _outputs(text: str, error: tuple[str, str, str] | None) -> list[NotebookNode]:
    outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)] if text else []
    if error:
        name, message, place = error
        line = f"{name}: {message}{f' ({place})' if place else ''}"
        outputs.append(nbformat.v4.new_output("error", ename=name, evalue=message, traceback=[line]))
    return outputs
