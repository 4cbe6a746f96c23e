"""A student's process: runs the cells, then answers calls of the student's functions. It holds no test.

    python child.py '{"write": [...], "read": [...], "hide": [...], "memory": ..., ...}'

Requests come as lines of JSON, one reply goes back for each. Nothing that this process says is trusted: the grader
takes values from it and compares them itself. The file stands alone, since it is copied beside the student's cells.
"""

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DENIED = {
    "the network": ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
                    "socket.sendto", "socket.sendmsg"),
    "another process": ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn",
                        "pty.spawn", "os.kill", "os.killpg", "signal.pthread_kill"),
    "the limits": ("resource.setrlimit", "resource.prlimit"),
}  # fmt: skip
PATIENCE = 5  # times the limit on computing: the limit on waiting
READING = ("os.listdir", "os.scandir", "os.chdir")
WRITING = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.truncate",
)


class TimeLimit(BaseException):
    """A cell or a call took too long. Not an Exception, so that `except Exception` does not swallow it."""


class Output:
    """What a cell prints: its first characters, and how many there were."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, most: int):
        self.most, self.kept, self.length = most, [], 0

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


def guard(limits: dict[str, Any], attempts: list[str]) -> Callable[[str, tuple[Any, ...]], None]:
    """Python's own calls for files elsewhere, the network and other processes are refused, and noted.

    Not a wall (C code goes round it), but it works on every machine, and says what was tried.
    """
    write, read, hide = (tuple(limits[key]) for key in ("write", "read", "hide"))
    denied = {event: what for what, events in DENIED.items() for event in events}
    real = os.path.realpath
    imports = tuple(real(place) for place in sys.path)

    def under(path: str, roots: tuple[str, ...]) -> bool:
        return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)

    def refuse(what: str) -> None:
        if what not in attempts and len(attempts) < 20:
            attempts.append(what)
        raise PermissionError(f"while grading, {what} is out of reach")

    def file(path: Any, writes: bool) -> None:
        if isinstance(path, int) or path is None:
            return
        place = real(os.fsdecode(path))
        if under(place, write) or (place in ("/dev/null", "/dev/urandom")):
            return
        if writes or under(place, hide) or not under(place, read):
            refuse("writing outside its folder" if writes else "a file outside its folder")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = any(c in (mode or "") for c in "wax+") or bool(
                (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            )
            file(path, writes)
        elif event in denied:
            refuse(denied[event])
        elif event in READING:
            if real(arguments[0] or ".") not in imports:  # Python looks for modules there
                file(arguments[0], False)
        elif event in WRITING:
            for path in arguments[:2]:
                if isinstance(path, str | bytes | os.PathLike):
                    file(path, True)

    return hook


class Notebook:
    """The student's names, and what is done with them."""

    def __init__(self, limits: dict[str, Any]):
        self.limits, self.kept = limits, {}
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        self.shell = InteractiveShell.instance(config=config)
        self.shell.showtraceback = lambda *a, **k: None
        self.shell.showsyntaxerror = lambda *a, **k: None

    def run(self, source: str) -> dict[str, Any]:
        output = Output(self.limits["output"])
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                with seconds(self.limits["seconds"]):
                    ran = self.shell.run_cell(source)
                error = ran.error_before_exec or ran.error_in_exec
            except TimeLimit as late:
                error = late
        return {"output": output.text(), "error": described(error) if error else None}

    def keep(self, cell: str, names: list[str]) -> dict[str, Any]:
        """Remember what the names mean now, for the tests of this cell."""
        space = self.shell.user_ns
        self.kept[cell] = {name: space[name] for name in names if name in space}
        kept = self.kept[cell]
        return {"names": list(kept), "functions": [name for name, value in kept.items() if callable(value)]}

    def value(self, cell: str, name: str) -> dict[str, Any]:
        from wire import pack

        return {"value": pack(self.kept[cell][name])}

    def call(self, cell: str, name: str, arguments: Any, named: Any) -> dict[str, Any]:
        from wire import pack, unpack

        arguments, named = unpack(arguments), unpack(named)
        try:
            output = Output(0)  # what it prints here would show the hidden cases
            with (
                contextlib.redirect_stdout(output),
                contextlib.redirect_stderr(output),
                seconds(self.limits["seconds"]),
            ):
                result = self.kept[cell][name](*arguments, **named)
            return {"value": pack(result), "arguments": pack(arguments)}
        except BaseException as error:
            return {"error": described(error)}


@contextlib.contextmanager
def seconds(most: float):
    """Interrupt what computes for longer, or waits for five times as long: a busy machine fails nobody's work."""

    def late(*_: Any) -> None:
        raise TimeLimit(f"it took longer than {most:g} s")

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, most), (signal.SIGALRM, signal.ITIMER_REAL, PATIENCE * most))
    for number, timer, after in timers:
        signal.signal(number, late)
        signal.setitimer(timer, after)
    try:
        yield
    finally:
        for _, timer, _ in timers:
            signal.setitimer(timer, 0)


def described(error: BaseException) -> list[str]:
    """An error's name and message, short, and the line of the cell where it is known."""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if "ipykernel" in trace.tb_frame.f_code.co_filename or trace.tb_frame.f_code.co_filename.startswith("<ipython"):
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        text = str(getattr(error, "msg", None) or error)
    except Exception:
        text = ""
    return [type(error).__name__[:80], text[:500], f"line {line}" if line else ""]


def main() -> None:
    limits = json.loads(sys.argv[1])
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    for what, most in (
        ("RLIMIT_AS", "memory"),
        ("RLIMIT_FSIZE", "file"),
        ("RLIMIT_CPU", "cpu"),
        ("RLIMIT_CORE", "core"),
    ):
        with contextlib.suppress(ValueError, OSError, AttributeError):  # macOS knows not all of them
            resource.setrlimit(getattr(resource, what), (limits[most], limits[most]))
    with contextlib.suppress(AttributeError):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file too large is an error in the cell, not the end
    sys.path.insert(0, str(Path(__file__).parent))
    notebook, attempts = Notebook(limits), []
    import wire  # noqa: F401  here, while files can still be read

    importlib.import_module("attnlib.exercises.harness")

    sys.addaudithook(guard(limits, attempts))
    actions = {"run": notebook.run, "keep": notebook.keep, "value": notebook.value, "call": notebook.call}
    for line in requests:
        request = json.loads(line)
        number, action = request.pop("number"), request.pop("do")
        try:
            reply = actions[action](**request)
        except BaseException as error:
            reply = {"error": described(error)}
        replies.write(json.dumps({"number": number, "attempts": attempts, **reply}).encode() + b"\n")
        replies.flush()


if __name__ == "__main__":
    main()
