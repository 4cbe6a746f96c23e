"""Runs in a notebook's kernel while the book is built: which values a cell has changed, as pickles.

Only those are kept of a cell that may need a module which the page has not: the others run in the page. The kernel may be
that of another environment, so this uses nothing but the standard library.
"""

import base64
import io
import pickle
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any


class Watch:
    """What the names of a notebook held when it was last looked at.

    The page has `packages` and the modules of the `library`, and perhaps not those that are `missing`: top-level ones.
    """

    def __init__(self, packages: Sequence[str], library: Sequence[str], missing: Sequence[str]) -> None:
        self.library, self.missing = {*library}, {*missing}
        self.has = {"__main__", "builtins", *packages, *library, *sys.stdlib_module_names}
        self.held = vars(sys.modules["__main__"])
        self.known: dict[str, bytes | None] = {}  # None for what no pickle holds
        self.gone: set[str] = set()  # the names whose values the page cannot have

    def changed(self, names: Sequence[str], bound: Sequence[str], used: Sequence[str]) -> "Answer":
        """What a cell that uses these names hands on: values that are new or other ones than before, and what is lost.

        Looked at are `names`; those that the cell's own imports and definitions have `bound` are none of either.
        """
        needs = not self.gone.isdisjoint(used) or self.needs(self.held[name] for name in used if name in self.held)
        answer = Answer(values={}, lost=[])
        for name in names:
            if name not in self.held:
                self.known.pop(name, None)
                continue
            pickled = self.pickled(self.held[name])
            if name in self.known and self.known[name] == pickled:
                continue
            self.known[name] = pickled
            if not needs or name in bound:
                continue
            if pickled is None:
                self.gone.add(name)
                answer["lost"].append(name)
            else:
                self.gone.discard(name)
                answer["values"][name] = base64.b64encode(zlib.compress(pickled, 1)).decode()
        return answer

    def pickled(self, value: Any) -> bytes | None:
        """A value as a pickle; None if it has none, or holds an object of a module that the page has not."""
        file = io.BytesIO()
        try:
            Pickler(file, self.has).dump(value)
        except Exception:  # an object's own way of being pickled may raise anything
            return None
        return file.getvalue()

    def needs(self, values: Iterable[Any]) -> bool:
        """Whether modules, functions or classes among these, or what they use, come from a module that is missing.

        What a module of the library imports only inside its functions counts for those alone.
        """
        waiting, seen = [kind_of(value) for value in values], set()
        while waiting:
            value = waiting.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            module = module_of(value)
            if root_of(module) in self.missing:
                return True
            names = {*names_of(value.__code__)} if isinstance(value, FunctionType) else set()
            if root_of(module) == "__main__":
                if not names.isdisjoint(self.missing | self.gone):
                    return True
                parts = [self.held[name] for name in names if name in self.held]
                if not isinstance(value, FunctionType):
                    parts += [*getattr(value, "__mro__", ()), *vars(value).values()]
                waiting += map(kind_of, parts)
            elif root_of(module) in self.library:
                modules = {module_of(part) for part in vars(sys.modules.get(module, value)).values()}
                if not self.missing.isdisjoint([*names, *map(root_of, modules)]):
                    return True
                waiting += [sys.modules[name] for name in modules if name in sys.modules]
        return False


def kind_of(value: Any) -> Any:
    """What decides where a value comes from: itself, if it is a module, a function or a class, else its class."""
    return value if isinstance(value, ModuleType | FunctionType | type) else type(value)


def module_of(value: Any) -> str:
    return str(value.__name__ if isinstance(value, ModuleType) else kind_of(value).__module__)


def root_of(module: str) -> str:
    return module.partition(".")[0]


def names_of(code: CodeType) -> Iterator[str]:
    """The names in code that may be global ones, and those of the modules that it imports."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from names_of(part)


class Pickler(pickle.Pickler):
    """Refuses what the page cannot have, wherever it lies in a value."""

    def __init__(self, file: io.BytesIO, has: set[str]) -> None:
        super().__init__(file, protocol=5)
        self.has = has

    def reducer_override(self, value: Any) -> Any:
        module = getattr(value, "__module__", None) or type(value).__module__
        if isinstance(module, str) and root_of(module) not in self.has:
            raise pickle.PicklingError(f"the page has no {module}")
        return NotImplemented


class Answer(dict[str, Any]):
    """What a front end gets as it is."""

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return {"application/json": self}
