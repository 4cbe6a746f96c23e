"""A wrong answer as an example that names nobody: the code of what was asked for, and in it no word of the student's own.

Comments and docstrings go. A name, a text or a number stays where the set has it, or Python or NumPy; else it is replaced.
So a student's own name cannot stand in it, whether in a comment, a variable or a text.
"""

import ast
import builtins
import keyword
import math
import re
from collections.abc import Iterable
from functools import cache

import numpy as np
from nbformat import NotebookNode

from classroom.cells import grade_id
from classroom.drawn import VARIABLE

LONGEST = 10_000  # characters of a cell that is worth reading
LINES = 30  # of an example
GONE = "…"
DIGITS = 4  # of a number of the student's own: more could be a telephone's, or of a list
PART = re.compile(r"[^\W\d_]+")
INDICES = re.compile(r"[a-z]{0,2}(,[a-z]{0,2})*(->[a-z]{0,2})?")  # of einsum


def vocabulary(source: NotebookNode) -> frozenset[str]:
    """The words of a set, of Python and of NumPy; the cell that holds a person's name is left out."""
    texts = [cell.source for cell in source.cells if grade_id(cell) != f"answer-{VARIABLE}"]
    return frozenset(_words(" ".join(texts))) | _common()


def example(sources: Iterable[str], wanted: set[str], words: frozenset[str]) -> str:
    """The code that gives the `wanted` names their meaning, the last of each, without what could name somebody.

    Args:
        sources: a student's cells of code, in order.
        wanted: the names that the set asks for.
        words: what may stand in it, from `vocabulary`.

    Returns:
        The code; "" where none of them can be read as Python.
    """
    found: dict[str, ast.stmt] = {}
    for source in sources:
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in body:
            found.update({name: node for name in _given(node) & wanted})
    try:
        plain = _Plain(words)
        kept = list({id(node): node for node in found.values()}.values())
        code = "\n\n".join(ast.unparse(ast.fix_missing_locations(plain.visit(node))) for node in kept)
    except (ValueError, RecursionError):
        return ""
    lines = code.split("\n")
    return "\n".join(lines if len(lines) <= LINES else [*lines[:LINES], GONE])


def masked(text: str, words: frozenset[str]) -> str:
    """A sentence in which each word that is not one of these is replaced."""
    found = re.sub(r"[^\W\d]\w*", lambda one: one[0] if _known(one[0], words) else GONE, text)
    return re.sub(rf"{GONE}(?:[\W_]*{GONE})+", GONE, found)


class _Plain(ast.NodeTransformer):
    """Takes a tree's own words out of it."""

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words
        self.names: dict[str, str] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Constant):
            return node if self._harmless(node.value) else ast.Constant(GONE)
        for field, value in ast.iter_fields(node):
            if isinstance(value, str):  # a name, of whatever
                setattr(node, field, None if field == "type_comment" else self._name(value))
            elif isinstance(value, list):
                value = [self._name(one) if isinstance(one, str) else one for one in value if not _is_text(one)]
                setattr(node, field, value or [ast.Pass()] if field == "body" else value)
        return self.generic_visit(node)

    def _name(self, name: str) -> str:
        return ".".join(
            one if _known(one, self.words) else self.names.setdefault(one, f"name_{len(self.names) + 1}")
            for one in name.split(".")
        )

    def _harmless(self, value: object) -> bool:
        if isinstance(value, str):
            return bool(INDICES.fullmatch(value)) or (bool(value.strip()) and set(_words(value)) <= self.words)
        if isinstance(value, int | float | complex) and not isinstance(value, bool):
            digits = re.sub(r"e[+-]?\d+|\D", "", repr(value)).strip("0")
            return len(digits) <= DIGITS
        return not isinstance(value, bytes)


def _given(node: ast.stmt) -> set[str]:
    """The names that a line at the top of a cell defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}


def _is_text(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _words(text: str) -> list[str]:
    return PART.findall(text.casefold())


def _known(name: str, words: frozenset[str]) -> bool:
    """Whether all of a name is known, but for one letter at most: two could be initials."""
    strange = [part for part in _words(name) if part not in words]
    return len(strange) <= 1 and all(len(part) == 1 for part in strange) and len(re.sub(r"\D", "", name)) <= 2


@cache
def _common() -> frozenset[str]:
    modules = (builtins, math, np, np.linalg, np.random, np.ndarray, str, list, dict)
    return frozenset(_words(" ".join([*keyword.kwlist, "self", "key", *(" ".join(dir(one)) for one in modules)])))
