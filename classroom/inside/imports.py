"""How a student's process imports attnlib, whose code the grader sends, and torch, whose attention is to note each call.

The folder is copied beside the student's cells.
"""

import ast
import importlib.abc
import importlib.machinery
import marshal
import os
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

MARK = "\0ready-made"  # the constant in attnlib's compiled code that becomes what notes

Send = Callable[[Any], Any]


class Attnlib(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports attnlib from code that the grader sent: its source is nowhere in this process's reach.

    `codes` maps a module's name to whether it is a package, its file (its data lie there), and its compiled code. What
    answers something is not among it: the first module of `rest` that is wanted is asked for, with all others, by `fetch`.
    So the grader knows of it, whatever becomes of the notes in this process.
    """

    def __init__(self, packed: bytes, rest: list[str], root: str, send: Send, fetch: Callable[[], bytes]) -> None:
        self.rest, self.root, self.send, self.fetch = frozenset(rest), root, send, fetch
        self.codes: dict[str, tuple[bool, str, CodeType]] = {}
        self.run: set[str] = set()
        self._take(packed)

    def _take(self, packed: bytes) -> None:
        for name, (package, file, code) in marshal.loads(packed).items():
            self.codes[name] = package, f"{self.root}/{file}", noting(code, self.send)

    def fill(self) -> None:
        """Get what is not at hand, and make the packages whole that stood in for themselves."""
        if self.rest:
            self.rest, before = frozenset(), dict(self.codes)
            self._take(self.fetch())
            for name in sorted(before):
                if name in sys.modules and self.codes[name] != before[name]:
                    vars(sys.modules[name]).pop("__getattr__", None)
                    exec(self.codes[name][2], vars(sys.modules[name]))

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name in self.rest:
            self.fill()
        if name not in self.codes:
            return None
        package, file, _ = self.codes[name]
        spec = importlib.machinery.ModuleSpec(name, self, origin=file, is_package=package)
        if package:
            spec.submodule_search_locations = [os.path.dirname(file)]
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return sys.modules.get(spec.name) or Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ not in self.run:  # filling a package may have imported it already
            self.run.add(module.__name__)
            _, module.__file__, code = self.codes[module.__name__]
            exec(code, module.__dict__)


class Module(ModuleType):
    """A module of attnlib. Importing a part of it late does not put a module in the place of a function of that name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and callable(vars(self).get(name))):
            super().__setattr__(name, value)


def note(name: str) -> ast.Call:
    """The call by which a function of this name notes that it was reached, once `noting` has put what notes into it."""
    reached: Any = ("reached", name, "")
    return ast.Call(ast.Constant(MARK), [ast.Constant(reached)], [])


def insert_note(definition: ast.FunctionDef, name: str) -> None:
    """Put the note first in a function, behind its docstring."""
    definition.body.insert(1 if ast.get_docstring(definition, clean=False) else 0, ast.Expr(note(name)))


def noting(code: CodeType, send: Send) -> CodeType:
    """The code with what notes in the place of its mark."""
    consts = (noting(one, send) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_consts=tuple(send if one == MARK else one for one in consts))


def torch_finder(watch: Callable[[Send], None], send: Send) -> Any:
    """What finds torch: once it is imported, its attention notes that it was called."""

    def find_spec(name: str, path: Any = None, target: Any = None, watch: Any = watch, send: Any = send) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if name == "torch" else None
        if spec is None or spec.loader is None:
            return None

        load = spec.loader.exec_module

        def torch_with_notes(module: ModuleType, load: Any = load, watch: Any = watch, send: Any = send) -> None:
            load(module)
            watch(send)

        spec.loader.exec_module = torch_with_notes  # type: ignore[method-assign]
        return spec

    return find_spec
