"""How tests are written: none takes from another, none waits for a fixed time, none asserts what a clock says."""

import ast
from pathlib import Path

FILES = sorted([*Path("tests").rglob("test_*.py"), *Path().glob("*/tests/*.py")])
CLOCKS = {"monotonic", "perf_counter", "process_time", "time"}


def borrowed(tree):
    """The tests and conftests that a module imports from."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    parts = {part for node in nodes for part in [*node.module.split("."), *(one.name for one in node.names)]}
    return {part for part in parts if part == "conftest" or part.startswith("test_")}


def called(tree):
    """The name of every method, or function of a module, that is called."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {function.attr for function in calls if isinstance(function, ast.Attribute)}


def timed(tree):
    """Waits for a fixed time, and asserts of what a clock says."""
    asserts = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    return {"wait_for_timeout"} & called(tree) or {node.lineno for node in asserts if called(node) & CLOCKS}


def test_no_test_imports_another_waits_blindly_or_asserts_a_time():
    trees = {str(file): ast.parse(file.read_text(encoding="utf8")) for file in FILES}
    assert {name: borrowed(tree) | timed(tree) for name, tree in trees.items() if borrowed(tree) | timed(tree)} == {}


def test_what_is_not_allowed_is_seen():
    code = "from tests.unit.test_masks import N\npage.wait_for_timeout(9)"
    assert borrowed(ast.parse(code)) | timed(ast.parse(code)) == {"test_masks", "wait_for_timeout"}
    assert timed(ast.parse("def test():\n    assert time.monotonic() < 2")) == {2}
