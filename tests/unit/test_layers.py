"""Who may import whom in the house: no package reaches up, into another's private names, or round in a circle."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

MAY = {  # each package, and those that it may import
    "anywidget_static": set(),
    "attnlib": {"anywidget_static"},
    "pyodide_cells": {"anywidget_static"},
    "classroom": {"attnlib"},
    "tools": {"anywidget_static", "attnlib", "pyodide_cells"},
    "_ext": {"anywidget_static", "attnlib", "pyodide_cells", "tools"},
}
AROUND = {"exercises", "plots", "widgets"}  # of attnlib, what stands on its mathematics


LIES = {  # elsewhere than at the top
    "anywidget_static": Path("anywidget-static/src"),
    "pyodide_cells": Path("pyodide-cells/src"),
}


def module(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


FILES = {
    module(file.relative_to(LIES.get(package, Path()))): file
    for package in MAY
    for file in sorted((LIES.get(package, Path()) / package).rglob("*.py"))
}


def imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each import of the house's: the module, and the name that is taken from it, if any."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((one.name, "") for one in node.names if one.name in FILES)
        elif isinstance(node, ast.ImportFrom) and node.module in FILES:
            for one in node.names:
                inner = f"{node.module}.{one.name}"
                yield (inner, "") if inner in FILES else (node.module, one.name)


def top(tree: ast.Module) -> ast.Module:
    """What runs when the module is imported: no function's inside."""
    kept = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return ast.Module(kept, [])


TREES = {name: ast.parse(file.read_text(encoding="utf8")) for name, file in FILES.items()}


@pytest.mark.parametrize("package", MAY)
def test_a_package_imports_only_what_lies_below_it(package):
    reached = {
        (name, other.partition(".")[0])
        for name, tree in TREES.items()
        if name.partition(".")[0] == package
        for other, _ in imports(tree)
    }
    assert sorted(pair for pair in reached if pair[1] not in MAY[package] | {package}) == []


def test_the_mathematics_import_no_exercise_plot_or_widget():
    core = {
        name: tree for name, tree in TREES.items() if name.startswith("attnlib") and not AROUND & {*name.split(".")}
    }
    assert len(core) > 10
    found = [(name, other) for name, tree in core.items() for other, _ in imports(tree) if AROUND & {*other.split(".")}]
    assert found == []


def test_one_module_reads_models_and_the_rest_is_numpys():
    """So that a page's Python, which has no torch, can show what was read."""
    heavy = {
        name
        for name, tree in TREES.items()
        if name.startswith("attnlib.models")
        for node in ast.walk(tree)
        for other in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [one.name for one in getattr(node, "names", [])]
        )
        if isinstance(node, ast.Import | ast.ImportFrom) and other.partition(".")[0] in {"torch", "transformers"}
    }
    assert heavy == {"attnlib.models.hugging_face"}


def test_no_package_takes_a_private_name_of_another():
    found = []
    for name, tree in TREES.items():
        taken = set(imports(tree))
        modules = {other.rpartition(".")[2]: other for other, what in taken if not what}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                taken.add((modules[node.value.id], node.attr))
        package = name.rpartition(".")[0]
        private = [one for one in taken if one[1].startswith("_") and not one[1].endswith("__")]
        found += [(name, *one) for one in private if not one[0].startswith(package)]
    assert found == []


def test_no_modules_import_each_other_in_a_circle():
    graph = {name: {other for other, _ in imports(top(tree)) if other != name} for name, tree in TREES.items()}
    assert set(TopologicalSorter(graph).static_order()) == set(TREES)
