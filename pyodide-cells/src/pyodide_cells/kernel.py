"""Runs the cells of a page: the part that lives inside the page's own Python, and needs nothing but the standard library.

What a cell prints and shows goes to `post`, as messages that the page understands. A module that does not run in a
browser ends the cell with `needs`; what the cell made when the book was built is then handed on to the cells below.
"""

import __future__

import ast
import asyncio
import copy
import importlib.abc
import inspect
import io
import linecache
import pickle
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import perf_counter
from traceback import extract_tb, format_exception
from types import TracebackType
from typing import Any

Message = dict[str, Any]
Post = Callable[[Message], None]
VIEW = "application/vnd.jupyter.widget-view+json"
MIMES = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
MOST = 200_000  # characters that one run of a cell may print
LARGEST = 5_000_000  # characters of one thing that a cell shows
CUT = f"\n… cut after {MOST:,} characters\n"
PAUSE = 0.05  # seconds between two messages with what is printed
FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
COMMAND = (
    "Lines that begin with % or !, or with ? at an end, are commands of a notebook. Python in a page has none of them."
)


class Kernel:
    """One namespace, `__main__`, and the cells that run in it, one after the other.

    `missing` are top-level modules that this Python has not and cannot have; `later` are those that `load` fetches when
    they are first imported.
    """

    def __init__(
        self,
        post: Post,
        missing: Sequence[str] = (),
        later: Sequence[str] = (),
        load: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        self.post, self.missing, self.load = post, {*missing}, load
        self.names = sys.modules["__main__"].__dict__
        self.cell = ""  # the one that what is printed belongs to
        self.last = ""  # what comes between two runs belongs to the one before
        self.streams: tuple[Stream, ...] = ()
        self.answering = False  # a widget's view
        self._updates: dict[str, Message] = {}  # what has yet to be told of widgets
        self._told = 0.0
        self.lost: set[str] = set()  # packages that the network did not bring
        self._later = Later({*later})
        sys.meta_path.append(self._later)

    async def run(self, cell: str, source: str) -> Message:
        """Run a cell; say how it ended, with `line`, `unknown` or `needs` where they apply."""
        began, file = perf_counter(), f"<cell {cell}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        self.last = cell
        self.names.pop("__warningregistry__", None)  # each cell warns for itself
        with self._printing(cell):
            try:
                await self._run(source, file)
                self._show_figures()
                ended: Message = {"status": "ok"}
            except BaseException as error:  # whatever it is, the page goes on
                ended = self._ended(error, file)
                with suppress(BaseException):  # as in a notebook, after the error: no cell below gets them
                    self._show_figures()
        return ended | {"ms": (perf_counter() - began) * 1000}

    @contextmanager
    def _printing(self, cell: str) -> Iterator[None]:
        """What is printed belongs to this cell."""
        self.flush()
        kept = self.cell, self.streams, sys.stdout, sys.stderr
        self.cell, self.streams = cell, (Stream(self, "stdout"), Stream(self, "stderr"))
        sys.stdout, sys.stderr = self.streams
        try:
            yield
        finally:
            self.flush()
            self.cell, self.streams, sys.stdout, sys.stderr = kept

    def flush(self) -> None:
        """Give the page what was printed so far."""
        for stream in self.streams:
            stream.flush()
        self._tell_updates()

    def flush_soon(self) -> None:
        """The same as soon as the cell waits for something; at its end it comes in any case."""
        with suppress(RuntimeError):  # a widget's callback cannot wait
            asyncio.get_running_loop().call_soon(self.flush)

    def _tell_updates(self) -> None:
        updates, self._updates = self._updates, {}
        for update in updates.values():
            self.post(update)
            self._told = perf_counter()

    async def _run(self, source: str, file: str) -> None:
        """One statement after the other, so that one which wants a package can be tried again when that has come."""
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        body = compile(source, file, "exec", flags | ast.PyCF_ONLY_AST).body
        for statement in body:
            if statement is not body[-1] or not isinstance(statement, ast.Expr) or _quiet(statement, source):
                code = compile(ast.Module([statement], []), file, "exec", flags)
                flags |= code.co_flags & FUTURE  # `from __future__ import` is for all that follows
                await self._evaluate(code)
                continue
            value = await self._evaluate(compile(ast.Expression(statement.value), file, "eval", flags))
            if value is not None:
                self.names["_"] = value
                self.display(value)

    async def _evaluate(self, code: Any) -> Any:
        while True:
            try:
                value = eval(code, self.names)
                return await value if code.co_flags & inspect.CO_COROUTINE else value
            except Wanted as wanted:
                package = wanted.package
            self._later.packages.discard(package)
            try:
                await self.load(package)  # type: ignore[misc] # there is nothing to wait for without it
            except Exception as error:
                self.missing.add(package)
                self.lost.add(package)
                raise ModuleNotFoundError(f"{package} could not be loaded: {error}", name=package) from None

    def _ended(self, error: BaseException, file: str) -> Message:
        """What to say of an error; a traceback begins at the cell."""
        root = f"{error.name}".partition(".")[0] if isinstance(error, ImportError) else ""
        if root in self.missing:
            return {"status": "needs", "needs": root} | ({"lost": True} if root in self.lost else {})
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
        line = lines[-1] if lines else None
        if isinstance(error, SyntaxError) and error.filename == file:
            line = error.lineno
            if _command(error.text or ""):
                error.add_note(COMMAND)
        self.flush()
        text = "".join(format_exception(type(error), error, _from_cell(error.__traceback__)))
        self.output({"type": "error", "text": text, "line": line})
        ended = {"status": "error", "line": line, "error": type(error).__name__}
        return ended | ({"unknown": error.name} if isinstance(error, NameError) else {})

    def output(self, output: Message) -> None:
        """Give the page an output of the cell that runs."""
        self._tell_updates()
        self.post({"type": "output", "id": self.cell or self.last, "output": output})

    def clear(self) -> None:
        """Take away what the cell has put out so far, which then counts no more."""
        self.flush()
        for stream in self.streams:
            stream.begin()
        self.output({"type": "clear"})

    def display(self, value: Any) -> None:
        """Show a value as the richest form that it has."""
        self.flush()
        self.output({"type": "display", "data": forms(value)})

    def _show_figures(self) -> None:
        """Show what pyplot has open, as a notebook does at the end of a cell."""
        if "matplotlib.pyplot" in sys.modules:
            pyplot = sys.modules["matplotlib.pyplot"]
            try:
                for number in pyplot.get_fignums():
                    self.display(pyplot.figure(number))
            finally:
                pyplot.close("all")

    async def hand_on(self, cell: str, source: str, needs: str, record: Mapping[str, Any] | None) -> None:
        """Put in place what a cell that needs a module made when the book was built: its definitions, and the values
        that were recorded.

        What neither gives stands there as `Missing`, which names the module when it is used.
        """
        record = record or {"values": {}, "lost": []}
        body = []
        with suppress(SyntaxError):  # a notebook's commands
            body = ast.parse(source).body
        for statement in body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for alias in statement.names:
                    await self._import(statement, alias)
            elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
                with suppress(Exception):  # a base or a default that is missing
                    await self._evaluate(compile(ast.Module([statement], []), f"<cell {cell}>", "exec"))
        for name in record["lost"]:
            self.names[name] = Missing(name, needs)
        for name, value in record["values"].items():
            try:
                self.names[name] = pickle.loads(value)
            except Exception:  # of a class that only a missing module has
                self.names[name] = Missing(name, needs)

    async def _import(self, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> None:
        one = copy.copy(statement)
        one.names = [alias]
        try:
            await self._evaluate(compile(ast.Module([one], []), "<import>", "exec"))
        except ImportError as error:
            module = (error.name or alias.name).partition(".")[0]
            self.names[alias.asname or alias.name.partition(".")[0]] = Missing(alias.name, module)

    def message(self, comm: str, content: Message, buffers: Sequence[Any] = ()) -> None:
        """Give a widget what its view in the page has sent."""
        known = self._manager.comms.get(comm)
        if known is None:  # a view has outlived its widget, or the Python before this one
            return
        with self._printing(self._comms.get(comm, "")):
            self.answering = True
            try:
                known.handle_msg({"content": {"data": content}, "buffers": [*buffers]})
            except BaseException as error:  # as in a cell
                self._say(error)
            finally:
                self.answering = False

    def showtraceback(self) -> None:
        """Show the error that is being handled: ipywidgets asks a notebook's shell for this."""
        if error := sys.exception():
            self._say(error)

    def _say(self, error: BaseException) -> None:
        """Show the error of a callback, which has no result that the page puts into words."""
        ended = self._ended(error, "")
        if ended["status"] == "needs":
            self.output({"type": "stream", "name": "stderr", "text": f"{ended['needs']} does not run in this page.\n"})

    def _tell_widget(self, message: Message) -> None:
        """Give a view what its widget says: of new values in a loop the latest, for the page draws each that it hears of."""
        comm, data = message["id"], message["data"]
        self._comms.setdefault(comm, self.cell)
        if data.get("method") != "update" or message["buffers"]:
            self._tell_updates()
            return self.post(message)
        if not self._updates:
            self.flush_soon()
        waiting = self._updates.setdefault(comm, message)
        waiting["data"] = {**data, "state": waiting["data"]["state"] | data["state"]}
        if perf_counter() - self._told > PAUSE:
            self._tell_updates()

    def connect_widgets(self) -> None:
        """Let ipywidgets talk to the page, where a notebook's front end would be."""
        import comm
        from comm.base_comm import BaseComm

        self._comms: dict[str, str] = {}  # each one's cell
        self._manager = comm.get_comm_manager()
        kernel = self

        class Comm(BaseComm):
            def publish_msg(
                self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
            ) -> None:
                content = {"data": data or {}, "buffers": buffers or []}
                kernel._tell_widget({"type": "comm", "kind": msg_type, "id": self.comm_id, **content})

        comm.create_comm = Comm


class Missing:
    """Stands for what a module that does not run here has made; any use of it says so."""

    def __init__(self, name: str, module: str) -> None:
        self.__dict__.update(_name=name, _module=module)

    def __getattr__(self, name: str) -> Any:
        if name in {"__class__", "__dict__"} or (name.startswith("__") and name.endswith("__") and name != "__array__"):
            raise AttributeError(name)
        self._use()

    def _use(self, *given: Any, **named: Any) -> Any:
        name, module = (self.__dict__[part] for part in ("_name", "_module"))
        raise ModuleNotFoundError(f"{name} needs {module}", name=module)

    __call__ = __getitem__ = __setitem__ = __setattr__ = __iter__ = __len__ = __bool__ = __contains__ = _use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _use
    __matmul__ = __rmatmul__ = __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __index__ = _use
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __rpow__ = __or__ = __ror__ = __and__ = __rand__ = _use
    __eq__ = __ne__ = __hash__ = _use
    __xor__ = __rxor__ = __invert__ = __abs__ = __int__ = __array__ = __repr__ = __enter__ = __exit__ = _use


class Wanted(BaseException):
    """Raised at the first import of a package that has yet to be fetched. `except ImportError` does not hold it."""

    interrupts = True  # no error of the code: who makes sentences of errors lets it pass

    def __init__(self, package: str) -> None:
        super().__init__(f"{package} comes when a cell imports it: import it in one first")
        self.package = package


class Later(importlib.abc.MetaPathFinder):
    """The last finder: it knows packages that can be fetched."""

    def __init__(self, packages: set[str]) -> None:
        self.packages = packages

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in self.packages:
            raise Wanted(name)


class Stream(io.TextIOBase):
    """What is printed, on its way to the page in pieces, and cut where it has no end."""

    encoding = "utf-8"

    def __init__(self, kernel: Kernel, name: str) -> None:
        self._kernel, self._name, self._kept = kernel, name, ""
        self._last = perf_counter()
        self.begin()

    def begin(self) -> None:
        """What was printed so far counts no more."""
        self._sent = 0

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        for now in self._kernel.streams:
            if now._name == self._name and now is not self:  # an earlier cell's, which something has kept
                return now.write(text)
        for other in self._kernel.streams:
            if other is not self:
                other.flush()  # what was printed first stands first
        if self._sent <= MOST:
            if not self._kept:
                self._kernel.flush_soon()
            self._kept += text
            if len(self._kept) > 8192 or perf_counter() - self._last > PAUSE:
                self.flush()
        return len(text)

    def flush(self) -> None:
        text, self._kept = self._kept[: MOST - self._sent], ""
        if text:
            self._kernel.output({"type": "stream", "name": self._name, "text": text})
            self._sent, self._last = self._sent + len(text), perf_counter()
        if self._sent == MOST:
            self._sent += 1
            self._kernel.output({"type": "stream", "name": "stderr", "text": CUT})

    def close(self) -> None:
        """It stays open: others print too."""

    def writable(self) -> bool:
        return True


def forms(value: Any) -> dict[str, Any]:
    """A value by MIME type: as text, and in the richest other form that it offers."""
    data: dict[str, Any] = {}
    with suppress(Exception):  # as in a notebook, a form that fails is not there
        given = value._repr_mimebundle_()
        data = dict(given[0] if isinstance(given, tuple) else given or {})
    if VIEW in data:
        return {VIEW: data[VIEW], "text/plain": str(data.get("text/plain", ""))}
    figure = getattr(sys.modules.get("matplotlib.figure"), "Figure", None)
    if figure and isinstance(value, figure):
        data["image/svg+xml"] = _drawn(value)
    for mime, method in MIMES.items():
        if mime not in data and not isinstance(value, type):
            with suppress(Exception):
                data[mime] = getattr(value, method)()
    data = {mime: content for mime, content in data.items() if isinstance(content, str)}
    if "text/plain" not in data:
        data["text/plain"] = repr(value)
    for mime, content in data.items():
        if len(content) > LARGEST and mime != "text/plain":
            return {"text/plain": f"{mime} of {len(content):,} characters: too long for a page"}
    if len(data["text/plain"]) > MOST:
        data["text/plain"] = data["text/plain"][:MOST] + CUT
    return data


def _drawn(figure: Any) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    return file.getvalue()


def _quiet(statement: ast.stmt, source: str) -> bool:
    """Whether a semicolon follows."""
    line = source.encode().split(b"\n")[(statement.end_lineno or 1) - 1]
    return line[statement.end_col_offset :].lstrip().startswith(b";")


def _command(line: str) -> bool:
    return line.lstrip().startswith(("%", "!", "?")) or line.rstrip().endswith("?")


def _from_cell(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without this file's own part of it."""
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace
