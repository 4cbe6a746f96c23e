"""How tests are written: none takes from another, none waits for a fixed time, none asserts what a clock says."""

import ast
from pathlib import Path

import pytest

FILES = sorted([*Path("tests").rglob("*.py"), *Path().glob("*/tests/*.py")])
TESTS = {file for file in FILES if file.stem.startswith("test_") or file.stem == "conftest"}
HELPERS = "tests.helpers"  # what tests share and is no fixture; data that tests load by name stands beside them
CLOCKS = {
    "monotonic",
    "monotonic_ns",
    "perf_counter",
    "perf_counter_ns",
    "process_time",
    "thread_time",
    "time",
    "time_ns",
}
ASSIGNS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)


def borrowed(tree):
    """What a module imports from the tests: another test's file, a conftest, or one that is no helper."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {"." * node.level + ".".join(filter(None, [node.module, one.name])) for one in node.names}
    return {name for name in found if _is_a_tests(f"{name}.") and not name.startswith(HELPERS)}


def _is_a_tests(name):
    return name.startswith((".", "tests.")) or any(
        part == "conftest" or part[:5] == "test_" for part in name.split(".")
    )


def holds_a_test(tree):
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return {name for name in names if name.startswith(("test_", "Test"))}


def called(tree):
    """The name of every function and method that is called."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {getattr(function, "attr", getattr(function, "id", None)) for function in calls}


def named(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def waits(tree):
    """Waits for a fixed time, but those between two questions of a loop that an answer ends."""
    polls = {
        node
        for loop in ast.walk(tree)
        if isinstance(loop, ast.For | ast.While)
        and any(isinstance(node, ast.Return | ast.Break) for node in ast.walk(loop))
        for node in ast.walk(loop)
    }
    return {
        "wait_for_timeout"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "wait_for_timeout" and node not in polls
    }


def timed(tree):
    """Waits for a fixed time, and asserts of what a clock says, at once or by way of a name."""
    found = waits(tree)
    for part in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        told, before = set(), None  # names whose value comes from a clock
        while told != before:
            before = {*told}
            for node in ast.walk(part):
                if (
                    isinstance(node, ASSIGNS)
                    and node.value
                    and (called(node.value) & CLOCKS or named(node.value) & told)
                ):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    told |= {name for target in targets for name in named(target)}
        asserts = [node for node in ast.walk(part) if isinstance(node, ast.Assert)]
        found |= {node.lineno for node in asserts if called(node) & CLOCKS or named(node) & told}
    return found


def test_no_test_imports_another_waits_blindly_or_asserts_a_time():
    trees = {file: ast.parse(file.read_text(encoding="utf8")) for file in FILES}
    faults = {
        str(file): (borrowed(tree) if file in TESTS else holds_a_test(tree)) | timed(tree)
        for file, tree in trees.items()
    }
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from tests.unit.test_masks import N", {"tests.unit.test_masks.N"}),
        ("import tests.unit.conftest", {"tests.unit.conftest"}),
        ("from tests.classroom import archives", {"tests.classroom.archives"}),
        ("from .sets import answers", {".sets.answers"}),
        ("from . import test_masks", {".test_masks"}),
        ("from tests.helpers.archives import SET\nfrom contract import Contract\nimport testing", set()),
        ("page.wait_for_timeout(9)", {"wait_for_timeout"}),
        ("for one in pages:\n    one.wait_for_timeout(9)", {"wait_for_timeout"}),
        ("while True:\n    if seen():\n        break\n    page.wait_for_timeout(9)", set()),
        ("def test():\n    assert time.monotonic() < 2", {2}),
        ("def test():\n    end = perf_counter()\n    took = end - 1\n    assert len(x)\n    assert took < 2", {5}),
        ("def one():\n    end = time.time()\n    x = end\ndef test():\n    assert x < end(2)", set()),
    ],
)
def test_what_is_not_allowed_is_seen(code, found):
    assert borrowed(ast.parse(code)) | timed(ast.parse(code)) == found
