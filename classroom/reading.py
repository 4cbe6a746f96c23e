"""Reads submitted code without running it, and names what a person should look at.

Two kinds: a ready-made answer (`attnlib.attention`, torch's own attention), and a way round the grading (`eval`, files,
other modules changed from outside). An alias is followed (`import attnlib as a`, `from torch.nn import functional as F`);
a name is found whether or not it is called.
"""

import ast
from dataclasses import dataclass

from IPython.core.inputtransformer2 import TransformerManager

# Parts of attnlib that hold no answer: data, plots, widgets, and the checks that the notebook itself imports.
HARMLESS = ("attnlib.exercises", "attnlib.houston", "attnlib.plots", "attnlib.widgets")
READY_MADE = (
    "attnlib",
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch.nn.attention",
    "torch.nn.MultiheadAttention",
    "torch.nn.Transformer",
    "torch.nn.TransformerEncoder",
    "torch.nn.TransformerEncoderLayer",
    "torch.nn.TransformerDecoder",
    "torch.nn.TransformerDecoderLayer",
    "torch._C._nn",
    "transformers",
    "keras",
    "tensorflow",
    "scipy.special.softmax",
)
TRICKS = (
    "builtins",
    "ctypes",
    "dill",
    "gc",
    "importlib",
    "inspect",
    "marshal",
    "multiprocessing",
    "os",
    "pathlib",
    "pickle",
    "requests",
    "runpy",
    "shutil",
    "signal",
    "socket",
    "subprocess",
    "sys",
    "urllib",
    "__main__",
)
NAMES = {"eval", "exec", "compile", "open", "globals", "locals", "vars", "setattr", "delattr", "breakpoint", "get_ipython",
         "exit", "quit"}  # fmt: skip
MARKS = {"__builtins__", "__class__", "__code__", "__dict__", "__file__", "__globals__", "__import__", "__loader__", "__path__",
         "__spec__", "__subclasses__", "__bases__", "__mro__"}  # fmt: skip


@dataclass(frozen=True, order=True)
class Finding:
    """Something in a cell that a person should see."""

    cell: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.cell}, line {self.line}: {self.what}"


def read(cells: list[tuple[str, str]]) -> list[Finding]:
    """Everything found in the cells, given as (name, source), in order. Cells that are no Python are passed over."""
    known: dict[str, str] = {}  # names in the notebook and what they were imported as
    found: list[Finding] = []
    for cell, source in cells:
        try:
            tree = ast.parse(TransformerManager().transform_cell(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # it will not run either
        reader = _Reader(known)
        try:
            reader.visit(tree)
        except RecursionError:
            reader.found.append((1, "too deep to read"))
        found += [Finding(cell, *one) for one in dict.fromkeys(reader.found)]
    return found


class _Reader(ast.NodeVisitor):
    def __init__(self, known: dict[str, str]):
        self.known = known
        self.found: list[tuple[int, str]] = []

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.known[alias.asname or alias.name.split(".")[0]] = (
                alias.name if alias.asname else alias.name.split(".")[0]
            )
            self._trick(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for alias in node.names:
            path = f"{module}.{alias.name}"
            self.known[alias.asname or alias.name] = path
            self._trick(path, node.lineno)
            self._ready_made(path, node.lineno)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.known:
            self._ready_made(self.known[node.id], node.lineno)
        if node.id in NAMES | MARKS and isinstance(node.ctx, ast.Load):
            self.found.append((node.lineno, f"uses {node.id}"))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if node.attr in MARKS:
            self.found.append((node.lineno, f"uses {node.attr}"))
        if path is None or (not isinstance(node.ctx, ast.Store | ast.Del) and "__" in path):
            self.visit(node.value)
        elif isinstance(node.ctx, ast.Load):
            self._ready_made(path, node.lineno)
        else:
            self.found.append((node.lineno, f"changes {path}"))

    def visit_Call(self, node: ast.Call) -> None:
        """`getattr(module, name)` is an attribute whose name may be hidden."""
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and node.args and self._path(node.args[0]):
            self.found.append((node.lineno, f"uses getattr on {self._path(node.args[0])}"))
        self.generic_visit(node)

    def _path(self, node: ast.expr) -> str | None:
        """The dotted name that an expression has through the imports, such as torch.nn.functional."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        if isinstance(node, ast.Attribute) and (before := self._path(node.value)):
            return f"{before}.{node.attr}"
        return None

    def _ready_made(self, path: str, line: int) -> None:
        harmless = path == "attnlib" or "__" in path or any(_within(path, name) for name in HARMLESS)
        if not harmless and any(_within(path, name) for name in READY_MADE):
            self.found.append((line, f"{path} is ready-made"))

    def _trick(self, path: str, line: int) -> None:
        if any(_within(path, name) for name in TRICKS):
            self.found.append((line, f"imports {path}"))


def _within(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.")
