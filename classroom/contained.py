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
from dataclasses import asdict
from functools import partial
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from classroom import cells, drawn, findings
from classroom.answers import at_hand
from classroom.cells import kind, parts
from classroom.limits import Limits
from classroom.process import USED_UP
from classroom.student import Error, NotStarted, Step, Student
from classroom.texts import clean
from classroom.walls import LIMITS, Walls, chosen

LONGEST = 100_000  # characters of a cell that is run


class RunContained(NbGraderPreprocessor):
    """In the place of nbgrader's `Execute`."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        grade(nb)
        return nb, resources


def grade(nb: NotebookNode, walls: Walls | None = None) -> None:
    """Run the notebook, write what came of it into its outputs, and what is to be told into its metadata "classroom":

    `notes` (remarks), `person` (why a person must look), `walls`, `ungraded` (tests whose hidden cases were not run),
    `limited` (the limits, where one was met), and `drawn` (whose data it had, and its answers to questions). Raises NotStarted where the student's Python cannot even run the set-up.
    """
    limits, walls = Limits.chosen(), walls or chosen()
    notes = nb.metadata.get("classroom", {}).get("notes", [])
    person = nb.metadata.get("classroom", {}).get("person", [])
    setup = "\n".join(cell.source for cell in nb.cells if kind(cell) == "setup")
    space: dict[str, Any] = {"__name__": "tests"}
    exec(compile(setup, "setup", "exec"), space)
    data = _Data("\n".join(cell.source for cell in nb.cells if kind(cell) == "data"), space)
    tests = {_name(cell, i): cell for i, cell in enumerate(nb.cells) if kind(cell) == "test"}
    long = [_name(cell, i) for i, cell in enumerate(nb.cells) if _too_long(cell)]
    person += [f"{name} is longer than {LONGEST:,} characters and was not run" for name in long]
    with Student(_steps(nb, data.space), limits, walls) as student:
        here = {}

        def example(name: str) -> None:
            here[name] = _example(name, tests[name], data.of(student), student)

        ran = student.run({name: partial(example, name) for name in tests})
        _check_setup(nb, ran)
        space = data.of(student)
        told, asked = _run_tests(tests, space, student, {name for name, failed in here.items() if failed})
    for i, cell in enumerate(nb.cells):
        name = _name(cell, i)
        cell.metadata.pop("classroom", None)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if name in ran and kind(cell) != "setup":  # what the set-up prints, a cell before it may have put there
            cell.outputs = _outputs(ran[name].output, ran[name].error, name)
        if told.get(name):
            error, says = told[name]
            cell.outputs = _outputs("", error)
            cell.metadata["classroom"] = {"says": says}
    met = [f"{name}: {one.error.text}" for name, one in ran.items() if one.error and one.error.limited]
    met += [f"{name}: {error.text}" for name, (error, _) in ((n, t) for n, t in told.items() if t) if error.limited]
    if any(USED_UP in text for text in met):
        person.append(f"the {limits.total:g} s for all of its work were used up, and what came after was not run")
    found = findings.sort(student.notes, _handed(space), ran, walls.name != LIMITS.name)
    ran_so: dict[str, Any] = {
        "notes": [*notes, *met, *found.remarks],
        "person": [*person, *found.person],
        "walls": walls.name,
    }
    if data.source:
        ran_so["drawn"] = drawn.record(data.written, asked)
    if met:
        ran_so["limited"] = asdict(limits)
    if not walls.hidden and (hidden := [name for name, cell in tests.items() if parts(cell.source)[1]]):
        ran_so["ungraded"] = hidden
        ran_so["person"].append("hidden tests were not run: nothing here keeps a submission from reading them")
    nb.metadata["classroom"] = ran_so


class _Data:
    """What the tests know: the set-up, and the data of the name that a student has written."""

    def __init__(self, source: str, setup: dict[str, Any]) -> None:
        self.source, self.setup = source, setup
        self.name: str | None = None
        self.space, self.written = drawn.space(source, setup, None) if source else (setup, "")

    def of(self, student: Student) -> dict[str, Any]:
        """For the name as it is now: it may be written anew."""
        name = student.names("data", (drawn.VARIABLE,)).get(drawn.VARIABLE) if self.source else None
        if isinstance(name, str) and name != self.name:
            self.name = name
            self.space, self.written = drawn.space(self.source, self.setup, name)
        return self.space


def _handed(space: dict[str, Any]) -> set[str]:
    """The functions of attnlib that the set-up gave to students, but for those that only call what they are given."""
    named = {f"{getattr(one, '__module__', '')}.{getattr(one, '__qualname__', '')}" for one in space.values()}
    return {name for name in named if name.startswith("attnlib.") and name.rpartition(".")[0] not in at_hand()}


def _check_setup(nb: NotebookNode, ran: dict[str, Any]) -> None:
    """Where the set-up itself fails, it is the grader that failed, and not the student."""
    for i, cell in enumerate(nb.cells):
        if kind(cell) == "setup" and (failed := ran.get(_name(cell, i))) and failed.error:
            said = " ".join(failed.error.text.split())
            raise NotStarted(f"the set-up stopped with {failed.error.name}: {said}; are the limits too small?")


def _example(name: str, cell: NotebookNode, space: dict[str, Any], student: Student) -> Error | None:
    """Run the part of a test that students see; its error, if any."""
    return _run_test(parts(cell.source)[0], name, {**space, **student.names(name, _wanted(cell.source, space))})


def _run_tests(
    tests: dict[str, NotebookNode], space: dict[str, Any], student: Student, failed_in_place: set[str]
) -> tuple[dict[str, Any], dict[str, drawn.Asked]]:
    """For each test None, or (error, what the student is told); and what was asked, by test.

    All examples come before any hidden case. They ran where they stand as well: what has `failed_in_place` fails there.
    """
    told: dict[str, tuple[Error, str] | None] = {}
    here = {}
    for name, cell in tests.items():
        here[name] = {**space, **student.names(name, _wanted(cell.source, space))}
        failed = _run_test(parts(cell.source)[0], name, here[name])
        told[name] = (failed, _sentence(failed)) if failed else None
    for name, cell in tests.items():
        hidden = parts(cell.source)[1]
        if hidden and student.walls.hidden:
            told[name] = _judged(told[name], _run_test(hidden, name, here[name]), hidden)
    failed_here = [
        name
        for name, failed in told.items()
        if failed
        and not failed[0].limited
        and name not in failed_in_place
        and student.has_function(name)  # a value is what it was in its place
    ]
    if failed_here:
        student.again({name: partial(_run_in_place, name, tests[name], space, student, told) for name in failed_here})
    asked = {name: one["asked"] for name, one in here.items() if isinstance(one.get("asked"), drawn.Asked)}
    return told, asked


def _judged(shown: tuple[Error, str] | None, failed: Error | None, hidden: str) -> tuple[Error, str] | None:
    """What a student is told of a test: of its example, and of hidden cases the sentence of a known mistake alone."""
    known = failed.text if failed and failed.text in sentences(hidden) | drawn.SAID else ""
    if shown:
        return shown[0], f"{shown[1]} {known}".strip()
    late = "In a case that is not shown, it takes too long, or ends Python." if failed and failed.limited else ""
    return (failed, known or late or "A case that is not shown does not pass.") if failed else None


def _run_in_place(name: str, cell: NotebookNode, space: dict[str, Any], student: Student, told: dict[str, Any]) -> None:
    """Whether a test passes where it stands: a cell further down may have given a name another meaning.

    What is said of a failure stays as it was: the cells further down run after hidden cases now, and could tell of them.
    """
    here = {**space, **student.names(name, _wanted(cell.source, space))}
    shown, hidden = parts(cell.source)
    if not student.walls.hidden:
        hidden = ""
    if all(_run_test(part, name, here) is None for part in (shown, hidden)):
        told[name] = None


def _sentence(failed: Error) -> str:
    return failed.text if failed.name in {"AssertionError", "Mistake"} else f"{failed.name}: {failed.text}"


def _run_test(source: str, name: str, here: dict[str, Any]) -> Error | None:
    """Run one part of a test here; its error, if any."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, name, "exec"), here)
    except Exception as error:
        limited = any(getattr(one, "limited", False) for one in (error, error.__cause__, error.__context__))
        text = str(error)
        if isinstance(error, NameError) and error.name:
            text = f"{error.name} is not defined when this test is reached"
        return Error(type(error).__name__, clean(text)[:500] or "not so", limited=limited)
    return None


def sentences(source: str) -> set[str]:
    """The texts in a hidden test: a message that is one of them gives no number of it away."""
    return {n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def _steps(nb: NotebookNode, space: dict[str, Any]) -> list[Step]:
    steps = []
    for i, cell in enumerate(nb.cells):
        if kind(cell) == "data":
            steps.append(Step(_name(cell, i), cell.source, keep=(drawn.VARIABLE,)))
        elif kind(cell) == "test":
            steps.append(Step(_name(cell, i), keep=_wanted(cell.source, space)))
            if data := _data(cell.source, steps[-1].keep):
                steps.append(Step(f"{_name(cell, i)} data", data))
        elif cell.cell_type == "code" and cell.source.strip() and not _too_long(cell):
            steps.append(Step(_name(cell, i), cell.source))
    return steps


def _data(source: str, wanted: tuple[str, ...]) -> str:
    """What a test's shown part makes without the student's names: a cell further down may use it, as in the notebook."""
    plain = []
    for node in ast.parse(parts(source)[0]).body:
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if isinstance(node, ast.Assign | ast.Import | ast.ImportFrom) and not names & set(wanted):
            plain.append(ast.unparse(node))
    return "\n".join(plain)


def _wanted(source: str, space: dict[str, Any]) -> tuple[str, ...]:
    """The names that a test takes from the student: read there, and neither imported nor made on this side."""
    read, made = set[str](), set(space) | set(dir(builtins))
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


def _too_long(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and len(cell.source) > LONGEST


def _name(cell: NotebookNode, i: int) -> str:
    return cells.grade_id(cell) or f"cell {i + 1}"


def _outputs(text: str, error: Error | None, cell: str = "") -> list[NotebookNode]:
    outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)] if text else []
    if error:
        other = f"{error.cell}, " if error.cell not in {"", cell} else ""
        place = f" ({other}line {error.line})" if error.line else ""
        line = f"{error.name}: {error.text}{place}"
        outputs.append(nbformat.v4.new_output("error", ename=error.name, evalue=error.text, traceback=[line]))
    return outputs
