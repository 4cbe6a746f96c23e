"""attnlib as a student's process gets it: compiled, each function with a note as its first act.

What counts as a ready-made answer is whatever *runs* attnlib's code, so every function notes that it was reached, but for
the parts that answer nothing by themselves. The source stays on this side: no file of it can be read over there.
"""

import ast
import marshal
import re
import warnings
from functools import cache
from pathlib import Path

from classroom.inside.imports import insert_note, note

PACKAGE = Path(__file__).resolve().parent.parent / "attnlib"
BESIDE = [PACKAGE.parent / part for part in ("anywidget-static/src/anywidget_static", "chapters/attention_posters")]
# How tests compare values: a process has it, and what it imports, from the start. The rest it must ask for.
HARNESS = "attnlib.exercises.harness"
# Parts that, as what is at hand, compute no attention: what they call notes itself. Of the exercises, those of no chapter.
PLAIN = re.compile(
    r"(anywidget_static|attention_posters|"
    r"attnlib\.(arguments|checks|plots|questions|threads|widgets|exercises(?!\.\w+_\d\d)))\b"
)
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
def at_hand() -> frozenset[str]:
    """The names of the modules that a process has from the start."""
    found: set[str] = set()
    wanted = {HARNESS}
    while name := next(iter(wanted - found), None):
        found.add(name)
        for node in ast.walk(ast.parse(_file(name).read_text(encoding="utf8"))):
            names = [f"{node.module}.{one.name}" for one in node.names] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            wanted |= {one for one in names if one.startswith("attnlib.") and _file(one).is_file()}
    return frozenset(found)


@cache
def packed_at_hand() -> tuple[bytes, list[str]]:
    """What a process gets at its start: modules as `packed` has them, and the names of those that it can ask for."""
    modules = marshal.loads(packed())
    stand_in = compile(STAND_IN, "<attnlib>/__init__.py", "exec", dont_inherit=True)
    packages = [name for name in modules if any(one.startswith(f"{name}.") for one in at_hand())]
    kept = {name: (True, modules[name][1], stand_in) for name in packages} | {name: modules[name] for name in at_hand()}
    return marshal.dumps(kept), sorted(set(modules) - set(kept))


@cache
def packed() -> bytes:
    """Every module of attnlib, and of what its wheel holds beside it, by name: whether it is a package, its place in the folder, and its code (see `inside/imports.py`)."""
    modules = {}
    for folder, file in [(one, file) for one in (PACKAGE, *BESIDE) for file in sorted(one.rglob("*.py"))]:
        name = ".".join(file.relative_to(folder.parent).parts).removesuffix(".py").removesuffix(".__init__")
        path = file.relative_to(folder if folder == PACKAGE else folder.parent)
        tree = ast.parse(file.read_text(encoding="utf8"))
        if name not in at_hand() and not PLAIN.match(name):
            tree = ast.fix_missing_locations(_Noting(name).visit(tree))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # a text that is called: it becomes the function that notes
            code = compile(tree, f"<attnlib>/{path}", "exec", dont_inherit=True)
        modules[name] = (path.name == "__init__.py", str(path), code)
    return marshal.dumps(modules)


def _file(module: str) -> Path:
    file = PACKAGE.parent.joinpath(*module.split("."))
    return file / "__init__.py" if file.is_dir() else file.with_suffix(".py")


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
            insert_note(node, inner.name)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        body = ast.Tuple([note(self.name), self.visit(node.body)], ast.Load())
        node.body = ast.Subscript(body, ast.Constant(1), ast.Load())
        return node
