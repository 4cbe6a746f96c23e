"""One node of a module's syntax tree replaced at a time: the module's own tests must fail for most such faults.

A suite that passes with an inverted mask says nothing about masks. Not for all: some change nothing that a
caller could see, such as how many rows a tile has.
"""

import ast
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = [
    "cost/blocks", "cost/forms", "decoder", "masks", "multihead", "positions", "projections", "scaled_dot_product", "streaming", "variants",
]  # fmt: skip
TRIED, CAUGHT = 16, 0.7
OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.USub: ast.UAdd, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def operator(node):
    return node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", None)


def changeable(node):
    """What can be changed below a node, but for what is only said: annotations, messages, a condition that raises."""
    if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
        return
    if (
        type(operator(node)) in OTHER
        or isinstance(node, ast.IfExp)
        or (isinstance(node, ast.Constant) and type(node.value) is int)
    ):
        yield node
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            spoken = field in ("annotation", "returns", "decorator_list") or isinstance(
                child, ast.JoinedStr | ast.Raise
            )
            if isinstance(child, ast.AST) and not spoken:
                yield from changeable(child)


def sites(tree):
    """The nodes that can be changed, of functions alone."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [site for function in functions for site in changeable(function)]


def change(node):
    """Make it wrong: the other operator, the other branch, one more."""
    if isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    elif isinstance(node, ast.Constant):
        node.value += 1
    elif isinstance(node, ast.Compare):
        node.ops[0] = OTHER[type(node.ops[0])]()
    else:
        node.op = OTHER[type(node.op)]()


@pytest.fixture(scope="module")
def verdict():
    """Run a test file in a folder, by a process that has the libraries loaded: pytest's exit code."""
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "tests/unit/mutants.py"]
    with subprocess.Popen(command, env=alone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:

        def ask(folder, test):
            server.stdin.write(f"{folder}\t{test}\n")
            server.stdin.flush()
            return int(server.stdout.readline())

        yield ask
        server.stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_the_suite_fails_for_most_faults(module, verdict, tmp_path):
    for name in ("attnlib", "tests/unit"):
        shutil.copytree(name, tmp_path / name, ignore=shutil.ignore_patterns("exercises", "widgets", "js"))
    for name in ("pyproject.toml", "tests/__init__.py", "conftest.py"):
        shutil.copy(name, tmp_path / name)
    for name in ("anywidget-static", "node_modules"):  # of the plugin that conftest.py names
        (tmp_path / name).symlink_to(Path(name).absolute())
    file, test = tmp_path / f"attnlib/{module}.py", f"tests/unit/test_{module.partition('/')[0]}.py"
    source, survived = file.read_text(encoding="utf8"), []
    assert verdict(tmp_path, test) == 0, (tmp_path / "said").read_text()[-2000:]
    count = len(sites(ast.parse(source)))
    tried = random.Random(0).sample(range(count), min(TRIED, count))
    for number in tried:
        tree = ast.parse(source)
        node = sites(tree)[number]
        right = ast.unparse(node)
        change(node)
        file.write_text(ast.unparse(tree), encoding="utf8")
        if verdict(tmp_path, test) != 1:  # 1: tests ran, and failed
            survived.append(f"line {node.lineno}: {ast.unparse(node)} for {right}")
    assert len(survived) <= (1 - CAUGHT) * len(tried), survived
