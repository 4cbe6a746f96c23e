"""attnlib as a student's process gets it: compiled, each function with a note as its first act.

What counts as a ready-made answer is whatever *runs* attnlib's code, so every function notes that it was reached, but for
the parts that answer nothing by themselves. The source stays on this side: no file of it can be read over there.
"""

import ast
import marshal
import warnings
from functools import cache
from pathlib import Path

from classroom.inside.imports import MARK

PACKAGE = Path(__file__).resolve().parent.parent / "attnlib"
# Parts that compute no attention of their own: what they call notes itself.
PLAIN = ("attnlib.checks", "attnlib.exercises.guard", "attnlib.exercises.harness", "attnlib.exercises.progress", "attnlib.exercises.questions",
         "attnlib.exercises.report", "attnlib.exercises.results", "attnlib.markup", "attnlib.plots", "attnlib.widgets")  # fmt: skip
# What a process has from the start: how tests compare values, and nothing that answers. The rest it must ask for.
AT_HAND = {
    "attnlib.exercises.guard",
    "attnlib.exercises.harness",
    "attnlib.exercises.report",
    "attnlib.exercises.results",
    "attnlib.markup",
}
PACKAGES = ("attnlib", "attnlib.exercises")
STAND_IN = """
def __getattr__(name):
    if not name.startswith("__") or name == "__all__":
        __spec__.loader.fill()
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
"""
SILENT = {"__getattr__", "__dir__", "__repr__", "__hash__", "__eq__"}  # Python calls these while it looks


@cache
def at_hand() -> tuple[bytes, list[str]]:
    """What a process gets at its start: modules as `packed` has them, and the names of those that it can ask for."""
    modules = marshal.loads(packed())
    stand_in = compile(STAND_IN, "<attnlib>/__init__.py", "exec", dont_inherit=True)
    kept = {name: modules[name] for name in AT_HAND} | {name: (True, modules[name][1], stand_in) for name in PACKAGES}
    return marshal.dumps(kept), sorted(set(modules) - set(kept))


@cache
def packed() -> bytes:
    """Every module of attnlib by name: whether it is a package, its place in the folder, and its code (see `inside/imports.py`)."""
    modules = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if package else parts)
        tree = ast.parse(file.read_text(encoding="utf8"))
        if not any(name == plain or name.startswith(f"{plain}.") for plain in PLAIN) and name != "attnlib.exercises":
            tree = ast.fix_missing_locations(_Noting(name).visit(tree))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # a text that is called: it becomes the function that notes
            code = compile(tree, f"<attnlib>/{file.relative_to(PACKAGE)}", "exec", dont_inherit=True)
        modules[name] = (package, str(file.relative_to(PACKAGE)), code)
    return marshal.dumps(modules)


class _Noting(ast.NodeTransformer):
    """Puts `note("attnlib.scaled_dot_product.attention")` first in every function and lambda."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.body = [_Noting(f"{self.name}.{node.name}").visit(one) for one in node.body]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        inner = _Noting(f"{self.name}.{node.name}")
        node.args = inner.visit(node.args)
        node.body = [inner.visit(one) for one in node.body]
        if node.name not in SILENT:
            node.body.insert(1 if ast.get_docstring(node, clean=False) else 0, ast.Expr(inner.note()))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        body = ast.Tuple([self.note(), self.visit(node.body)], ast.Load())
        node.body = ast.Subscript(body, ast.Constant(1), ast.Load())
        return node

    def note(self) -> ast.Call:
        return ast.Call(ast.Constant(MARK), [ast.Constant(("reached", self.name, ""))], [])
