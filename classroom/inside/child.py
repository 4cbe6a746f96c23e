"""A student's process: runs the cells, then answers calls of the student's functions. It holds no test.

    python -m classroom.inside.child '{"notes": 5, "write": [...], "read": [...], "hide": [...], "memory": ..., ...}'

Requests come as lines of JSON, one reply goes back for each; the first brings attnlib's code. Nothing that this process
says is trusted: the grader takes values from it and compares them itself. The folder stands alone.
"""

import base64
import contextlib
import importlib
import json
import os
import pdb
import signal
import sys
from collections.abc import Iterator
from time import monotonic, process_time
from typing import Any, cast

from classroom.inside import confine, imports, torch_notes, watch
from classroom.inside.wire import pack, unpack

PATIENCE = 5  # times the limit on computing or sleeping: the limit on all, where the system does not tell them apart
HELD = 250  # the descriptor of the channel for notes
RUN = {"time", "timeit"}  # magics of a line that run a student's code; the others change nothing that is graded
RUN_CELL = {"time", "timeit", "capture"}


class TimeLimit(BaseException):
    """A cell or a call took too long. Not an Exception, so that `except Exception` does not swallow it."""

    interrupts = True  # for attnlib's exercises, which a cell may call


class Output:
    """What a cell prints: its first characters, and how many there were."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, most: int) -> None:
        self.most, self.length = most, 0
        self.kept: list[str] = []

    def write(self, text: str) -> int:
        if self.length < self.most:
            self.kept.append(text[: self.most - self.length])
        self.length += len(text)
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return False

    def text(self) -> str:
        cut = f"\n[… {self.length} characters in all]" if self.length > self.most else ""
        return "".join(self.kept) + cut


class Clock:
    """Interrupts what computes or sleeps for too long. A busy machine, where code waits for a processor, fails nobody's work.

    What goes on all the same, the grader ends. It must be made before the process is shut in: no other handler of signals
    can be set then, and Linux's file with the time in the queue cannot be opened.
    """

    def __init__(self) -> None:
        self.most = self.slept = 0.0
        self.queue = -1
        with contextlib.suppress(OSError):
            self.queue = os.open("/proc/self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        signal.signal(signal.SIGPROF, self.late)
        signal.signal(signal.SIGALRM, self.look)

    @contextlib.contextmanager
    def seconds(self, most: float) -> Iterator[None]:
        """Raise TimeLimit in what computes or sleeps for longer."""
        self.most, self.slept = most, self.idle()
        signal.setitimer(signal.ITIMER_PROF, most)
        signal.setitimer(signal.ITIMER_REAL, most)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)

    def idle(self) -> float:
        """Seconds of neither computing nor waiting for a processor; a share of all where the system does not say."""
        try:
            queued = int(os.pread(self.queue, 100, 0).split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return monotonic() / PATIENCE
        return monotonic() - process_time() - queued

    def late(self, *_: Any) -> None:
        raise TimeLimit

    def look(self, *_: Any) -> None:
        """Now and then: whether it has slept for too long."""
        left = self.most - (self.idle() - self.slept)
        if left <= 0:
            raise TimeLimit
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.05))


class Notebook:
    """The student's names, and what is done with them."""

    def __init__(self, limits: dict[str, Any], clock: Clock) -> None:
        self.limits, self.clock, self.cell = limits, clock, ""
        self.kept: dict[str, dict[str, Any]] = {}
        self.known: dict[int, int] = {}
        self.skipped: list[str] = []
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        notebook = self

        class Shell(InteractiveShell):
            """Magics and commands that are not a student's code do nothing, and are named."""

            def run_line_magic(self, name: str, line: str, _stack_depth: int = 1) -> Any:
                run = super().run_line_magic
                return run(name, line, _stack_depth + 1) if name in RUN else notebook.skip(f"%{name}")

            def run_cell_magic(self, name: str, line: str, cell: str) -> Any:
                run: Any = super().run_cell_magic
                return run(name, line, cell) if name in RUN_CELL else notebook.skip(f"%%{name}")

            def system(self, command: str) -> None:
                notebook.skip(f"!{command.split()[0] if command.split() else ''}")

            def getoutput(self, command: str, split: bool = True, depth: int = 0) -> list[str]:
                self.system(command)
                return []

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        config.InteractiveShell.automagic = False
        self.shell = cast(Any, Shell.instance(config=config))
        self.shell.user_ns.pop("open", None)  # IPython's own stands between a cell and Python's
        self.shell.showtraceback = lambda *a, **k: None
        self.shell.showsyntaxerror = lambda *a, **k: None
        vars(pdb)["set_trace"] = lambda *a, **k: self.skip("pdb.set_trace()")
        sys.breakpointhook = lambda *a, **k: self.skip("breakpoint()")
        self.shell.compile.get_code_name = lambda *a, **k: f"cell {self.cell}"

    def skip(self, what: str) -> None:
        self.skipped.append(what[:40])
        print(f"{what[:40]} does nothing while work is graded.")

    def run(self, cell: str, source: str) -> dict[str, Any]:
        output = Output(self.limits["output"])
        self.cell, self.skipped = cell, []
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                with self.clock.seconds(self.limits["seconds"]):
                    ran = self.shell.run_cell(source)
                error = ran.error_before_exec or ran.error_in_exec
            except TimeLimit as timeout:
                error = timeout
        return {"output": output.text(), "error": described(error) if error else None, "skipped": self.skipped[:5]}

    def keep(self, cell: str, names: list[str]) -> dict[str, Any]:
        """Remember what the names mean now, for the tests of this cell."""
        space = self.shell.user_ns
        self.kept[cell] = kept = {name: space[name] for name in names if name in space}
        functions = {name: id(value) for name, value in kept.items() if callable(value)}
        numbers = {name: self.known.setdefault(one, len(self.known)) for name, one in functions.items()}
        return {"names": list(kept), "functions": numbers}

    def value(self, cell: str, name: str) -> dict[str, Any]:
        with self.clock.seconds(self.limits["seconds"]):
            return {"value": pack(self.kept[cell][name])}

    def call(self, cell: str, name: str, arguments: Any, named: Any) -> dict[str, Any]:
        import numpy as np

        arguments, named = unpack(arguments), unpack(named)
        try:
            output = Output(0)  # what it prints here would show the hidden cases
            with (
                contextlib.redirect_stdout(output),
                contextlib.redirect_stderr(output),
                np.errstate(all="ignore"),  # as where the student's own process runs the tests
                self.clock.seconds(self.limits["seconds"]),
            ):
                result = self.kept[cell][name](*arguments, **named)
                return {"value": pack(result), "arguments": pack(arguments)}
        except BaseException as error:
            return {"error": described(error)}


def described(error: BaseException) -> list[Any]:
    """An error's name and message, short, and the cell and line of the student's that ran last, where they are known."""
    cell, line = "", 0
    if isinstance(error, SyntaxError) and str(error.filename).startswith("cell "):
        cell, line = str(error.filename)[5:], error.lineno or 0
    trace = error.__traceback__
    while trace is not None:
        if (file := trace.tb_frame.f_code.co_filename).startswith("cell "):
            cell, line = file[5:], trace.tb_lineno or trace.tb_frame.f_code.co_firstlineno
        trace = trace.tb_next
    try:
        text = str(getattr(error, "msg", None) or error)
    except Exception:
        text = ""
    name = "TimeLimit" if type(error) is TimeLimit else f"{type(error).__name__[:80]}"
    return [name, text[:500], cell, line, type(error) is TimeLimit]


def main() -> None:
    limits = json.loads(sys.argv[1])
    if limits["notes"] != HELD:
        os.dup2(limits["notes"], HELD)
        os.close(limits["notes"])
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    clock = Clock()
    confine.limit(limits["memory"], limits["file"], limits["cpu"])
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as first_to_go:
        first_to_go.write("1000")  # where the machine's memory ends, it takes this process and not the grader's
    shut = confine.shut((HELD,), limits["read"], limits["write"], limits["landlock"])
    first = json.loads(requests.readline())
    notebook = Notebook(limits, clock)

    def fetch() -> bytes:
        replies.write(b'{"want": "attnlib"}\n')
        replies.flush()
        return base64.b64decode(json.loads(requests.readline())["attnlib"])

    shared = watch.libraries()
    watching = watch.watcher(HELD, shared)
    next(watching)
    send, code = watching.send, base64.b64decode(first["attnlib"])
    sys.meta_path.insert(0, imports.Attnlib(code, first["rest"], limits["attnlib"], send, fetch))
    importlib.import_module("attnlib.exercises.harness")
    torch = imports.torch_finder(torch_notes.watch, send)
    write, read, hide = (tuple(limits[key]) for key in ("write", "read", "hide"))
    sys.addaudithook(watch.guard(send, torch, write, read, hide, shared))
    for name in [name for name in sys.modules if name.startswith("classroom")]:
        del sys.modules[name]
    actions: dict[str, Any] = {
        "run": notebook.run,
        "keep": notebook.keep,
        "value": notebook.value,
        "call": notebook.call,
    }
    reply: dict[str, Any] = {"shut": shut}
    request = first
    while request:
        send(("done", request["token"], ""))
        replies.write(json.dumps({"token": request["token"], **reply}).encode() + b"\n")
        replies.flush()
        request = json.loads(requests.readline() or b"null")
        if request:
            try:
                reply = actions[request["do"]](**request["with"])
            except BaseException as error:
                reply = {"error": described(error)}


if __name__ == "__main__":
    main()
