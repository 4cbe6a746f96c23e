"""Records, while the build executes a notebook, the values that each cell hands on to the cells after it.

A module that does not run in a browser makes a cell stop there; with its values the cells below it run all the same. Which
names are recorded is read from the code: those that later cells read, and those that functions read, whenever they are
called. Between two cells the kernel compares the pickles of these with the ones before, so that a cell which only changes a
list, or draws from a generator, is found too. The record of a cell lies in its metadata, and is cached with its outputs.
"""

import ast
import base64
import copy
import dis
import warnings
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from IPython.core.inputtransformer2 import TransformerManager
from jupyter_cache.cache.main import JupyterCacheBase
from nbclient import NotebookClient
from nbclient.util import ensure_async
from nbformat import NotebookNode

from pyodide_cells import watch

KEY = "pyodide_cells"  # in a cell's metadata
WATCH = Path(watch.__file__)
LOADS = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
AT_ONCE = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
MODULE = '__import__("sys").modules["_pyodide_cells"]'  # a notebook may hide any name but this
START = (
    'exec({source!r}, vars(__import__("sys").modules.setdefault("_pyodide_cells", type(__import__("sys"))("watch"))))'
)


@dataclass(frozen=True)
class Modules:
    """The top-level modules that a page has, as packages or in its library, and those that may be missing there."""

    packages: tuple[str, ...] = ()
    library: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


NO_MODULES = Modules()


def execute(
    nb: NotebookNode, cwd: str | None = None, km: Any = None, modules: Modules = NO_MODULES, **options: Any
) -> Any:
    """As `nbclient.execute`; the metadata of each code cell then hold what it hands on."""
    if cwd is not None:
        options["resources"] = {"metadata": {"path": cwd}}
    return Recorder(nb, km, modules, **options).execute()


def keep(cache: type[JupyterCacheBase]) -> None:
    """Let the cache find a notebook again by its code, whatever was recorded, and give the notebook its records back."""
    hashing, merging = cache.create_hashed_notebook, cache.merge_match_into_notebook
    if getattr(hashing, "of", None) == KEY:
        return

    def hashed(self: JupyterCacheBase, nb: NotebookNode, *given: Any) -> Any:
        without = copy.deepcopy(nb)
        for cell in without.cells:
            cell.metadata.pop(KEY, None)
        return hashing(self, nb, *given)[0], hashing(self, without, *given)[1]

    def merged(self: JupyterCacheBase, nb: NotebookNode, *given: Any) -> Any:
        found, whole = merging(self, nb, *given)
        for cell, cached in zip(nb.cells, whole.cells, strict=True):
            if KEY in cached.metadata:
                cell.metadata[KEY] = cached.metadata[KEY]
        return found, whole

    hashed.of = KEY  # type: ignore[attr-defined]
    cache.create_hashed_notebook, cache.merge_match_into_notebook = hashed, merged


def values(cell: NotebookNode) -> dict[str, Any] | None:
    """What a recorded cell hands on: pickles by name, and the names that none holds; None for a cell without a record."""
    record = cell.metadata.get(KEY)
    if record is None:
        return None
    pickles = {name: zlib.decompress(base64.b64decode(text)) for name, text in record["values"].items()}
    return {"values": pickles, "lost": record["lost"]}


class Recorder(NotebookClient):
    """Executes a notebook, and asks the kernel after each cell what it has changed."""

    def __init__(self, nb: NotebookNode, km: Any, modules: Modules, **options: Any) -> None:
        super().__init__(nb, km, **options)
        self.modules = modules
        self.names: dict[int, Names] = {}  # for each code cell; none in a kernel that is not Python's

    async def async_execute_cell(
        self, cell: NotebookNode, cell_index: int, *given: Any, **options: Any
    ) -> NotebookNode:
        if cell_index == 0:
            await self.begin()
        done = await super().async_execute_cell(cell, cell_index, *given, **options)
        if cell_index in self.names:
            done.metadata[KEY] = await self.ask(f"{MODULE}.watch.changed(*{[*self.names[cell_index]]})", done)
        return done

    async def begin(self) -> None:
        """Give a kernel of Python what watches its names."""
        if self.nb.metadata["language_info"]["name"] == "python":
            self.names = watched({i: cell.source for i, cell in enumerate(self.nb.cells) if cell.cell_type == "code"})
            source = f"{WATCH.read_text(encoding='utf8')}\nwatch = Watch(**{asdict(self.modules)})\n"
            await self.ask(START.format(source=source), self.nb.cells[0])

    async def ask(self, expression: str, cell: NotebookNode) -> Any:
        """What an expression is in the kernel. A silent request leaves no trace in the notebook."""
        assert self.kc is not None  # it has begun
        request = self.kc.execute("", silent=True, user_expressions={"answer": expression})
        reply = await self.async_wait_for_reply(await ensure_async(request), cell)
        answer = (reply or {}).get("content", {}).get("user_expressions", {}).get("answer", {})
        if answer.get("status") != "ok":
            raise RuntimeError(f"the kernel cannot say what a cell has changed: {answer.get('evalue', reply)}")
        return answer["data"].get("application/json")


class Names(NamedTuple):
    """Of a cell: the names that may be read after it, those that its imports and definitions bind, and all in its code.

    The imports and definitions the page runs itself.
    """

    names: list[str]
    bound: list[str]
    used: list[str]


def watched(sources: Mapping[int, str]) -> dict[int, Names]:
    """The names of each cell."""
    cells = {cell: parsed(source) for cell, source in sources.items()}
    later = {name for _, code in cells.values() for name, called in reads(code) if called}
    found = {}
    for cell, (tree, code) in sorted(cells.items(), reverse=True):
        found[cell] = Names(sorted(later), sorted(bound(tree)), sorted({*watch.names_of(code)}))
        later |= {name for name, _ in reads(code)}
    return found


def parsed(source: str) -> tuple[ast.Module, CodeType]:
    """A cell's code, with IPython's commands; one that Python cannot read does nothing."""
    try:
        with warnings.catch_warnings(action="ignore"):  # they are the cell's own, when it runs
            tree = compile(TransformerManager().transform_cell(source), "", "exec", AWAIT | ast.PyCF_ONLY_AST)
            return tree, compile(tree, "", "exec", AWAIT)
    except SyntaxError:
        return parsed("")


def reads(code: CodeType, called: bool = False) -> Iterator[tuple[str, bool]]:
    """The global names that code reads, each with whether it does so only when a function is called."""
    for step in dis.get_instructions(code):
        if step.opname in LOADS:
            yield step.argval, called
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from reads(part, called or part.co_name not in AT_ONCE)


def bound(tree: ast.Module) -> set[str]:
    """The names that imports and definitions bind."""
    names = set()
    for part in tree.body:
        if isinstance(part, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in part.names}
        elif isinstance(part, ast.FunctionDef | ast.ClassDef):
            names.add(part.name)
    return names
