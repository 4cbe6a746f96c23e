"""Notes who called what, from inside a student's process, on a channel that the student's code cannot close.

Two things are noted as they happen, each with the cell and line of the student's code that did it: a call that reaches a
ready-made answer (every function of attnlib is compiled with such a note as its first act, torch's kernels are replaced by
ones that note), and a call of Python's own that is refused. How the function was found, copied or passed on does not
matter. Whether a note counts is the grader's to say. The file stands alone: it is copied beside the student's cells.

The code being watched shares this process. So what writes notes is a generator: all that others can hold is its `send`,
which leads to no function, module or variable. It calls nothing that could be replaced, and keeps nothing that could be changed.
"""

import os
import sys
from collections.abc import Callable, Generator
from types import FrameType, MappingProxyType, SimpleNamespace
from typing import Any

NETWORK, PROCESS = "the network", "another process"
REFUSED = {
    **dict.fromkeys(
        ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
         "socket.sendto", "socket.sendmsg"), NETWORK),
    **dict.fromkeys(
        ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "pty.spawn",
         "os.kill", "os.killpg", "signal.pthread_kill"), PROCESS),
    **dict.fromkeys(("resource.setrlimit", "resource.prlimit"), "the limits"),
}  # fmt: skip
# Refused to the student's code alone, whatever library stands between ("deep"), unless that library's module is being imported.
# "alone": also where no student's code stands behind it, as in a new thread. Frames and compiled code may be looked at: they lead to nothing of the watcher's.
WORKINGS = {
    **dict.fromkeys(("sys.settrace", "sys.setprofile", "sys.monitoring.register_callback"), "alone"),
    **dict.fromkeys(
        ("sys._current_frames", "gc.get_objects", "gc.get_referrers", "gc.get_referents", "code.__new__",
         "function.__new__", "sys.addaudithook", "cpython.run_command", "ctypes.dlopen", "ctypes.dlsym",
         "ctypes.call_function", "ctypes.addressof", "ctypes.string_at", "ctypes.cdata", "ctypes.cdata/buffer",
         "ctypes.PyObj_FromPtr"), "deep"),
    **dict.fromkeys(("marshal.load", "marshal.loads"), "standard"),
}  # fmt: skip
ATTRIBUTES = frozenset({"object.__getattr__", "object.__setattr__", "object.__delattr__"})
READING = frozenset({"os.listdir", "os.scandir", "os.chdir"})
WRITING = frozenset(
    {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate"}
)
TEXT_AS_CODE = "runs a text as code"
ELSEWHERE = frozenset(
    {"cffi", "_cffi_backend", "flax", "jax", "keras", "scipy", "sklearn", "tensorflow", "torch", "transformers"}
)
BACK_DOORS = ("_test", "_ctypes_test", "_xxsubinterpreters", "_interpreters", "_xxtestfuzz")
# Parts of the standard library that do by themselves what the student did not ask for.
TRACING = ("/cProfile.py", "/doctest.py")
QUIET = ("/platform.py", "/uuid.py", "/ctypes/util.py")
TRIED = "tried to reach "
OWN = ("_take", "_note_first")  # the grader's own functions that make code
INSIDE = "Python's own workings"
LOST = 97  # how the process ends when nothing can be noted any more

Send = Callable[[Any], Any]


def libraries() -> tuple[str, ...]:
    """The folders whose code is not the student's, and the names of code that lies in none."""
    places = [os.path.dirname(os.__file__), *(path for path in sys.path if "site-packages" in path)]
    folders = {f"{name.rstrip('/')}/" for place in places for name in (place, os.path.realpath(place))}
    return (*sorted(folders), "<frozen ", "<attnlib>", f"{os.path.dirname(__file__)}/")


def watcher(descriptor: int, shared: tuple[str, ...]) -> Generator[bool, tuple[str, str, str], None]:
    """Writes a note for each message, as one message of the text of a tuple; answers whether the student's code did it.

    ("reached", name, "") is sent by a ready-made answer, ("did", what, past) by the hook, ("done", token, "") by the process
    when it has done what was asked.
    """
    frame, write, standard = sys._getframe, os.write, f"{os.path.dirname(os.__file__)}/"
    here, alone, deep, noted = f"{os.path.dirname(__file__)}/", ("alone", "torch"), ("alone", "deep"), False
    tracing, quiet, own = TRACING, QUIET, OWN
    while True:
        kind, what, past = yield noted
        noted, entry, ended, cell, line, module = False, "", "", "", 0, False
        if kind == "done":
            write(descriptor, f"{('done', what)!r}".encode())
            continue
        at: FrameType | None = frame(1)
        while at is not None and not ended:
            code = at.f_code
            file = code.co_filename
            if past == "torch":
                if code.co_name == "torch_with_notes" and file.startswith(here):
                    ended = "library"
            elif file.startswith("<frozen importlib"):
                if kind == "reached":
                    entry = "import"  # perhaps a module does it as it is imported: the grader decides
                elif past not in deep or module:
                    ended = "import"  # a module of a library does it as it is imported
            elif file.startswith(here):
                ended = "library" if kind == "did" and code.co_name in own else ""
            elif not file.startswith(shared):
                ended, cell, line = "student", file[:200], at.f_lineno
            elif kind == "reached":
                entry = entry if entry == "import" else f"{file}:{code.co_qualname}"
            elif past in deep:
                module = code.co_name == "<module>"
                if past == "alone" and file.endswith(tracing):
                    ended = "library"
            elif (
                not past
                or not file.startswith((standard, "<frozen "))
                or "site-packages" in file
                or file.endswith(quiet)
            ):
                ended = "library"
            at = at.f_back
        noted = ended == "student" or (not ended and (kind == "reached" or past in alone))
        if noted:
            write(descriptor, f"{(kind, what, cell, line, entry)!r}".encode("utf8", "replace")[:4000])


def guard(
    send: Send,
    torch: Any,
    write: tuple[str, ...],
    read: tuple[str, ...],
    hide: tuple[str, ...],
    shared: tuple[str, ...],
) -> Any:
    """An audit hook: Python's own calls for files elsewhere, the network and other processes are refused.

    Not a wall (C code goes round it), but it works on every machine, and tells the student what is out of reach. What it
    needs is in its defaults: names of a module could be changed.
    """
    write, read, hide = (tuple(f"{place.rstrip('/')}/" for place in places) for places in (write, read, hide))
    watching = send.__self__  # type: ignore[attr-defined]

    def ask(what: str, past: str, send: Send = send, leave: Any = os._exit) -> bool:
        """Whether the student's code did it, which is then noted."""
        while True:
            try:
                return send(("did", what, past))  # type: ignore[no-any-return]
            except ValueError:  # another thread is being judged
                continue
            except StopIteration:
                leave(LOST)

    def outside(path: Any, writes: bool, real: Any = os.path.realpath, fspath: Any = os.fspath, encode: Any = str.encode, whole: Any = int,
                text: Any = str, isinstance: Any = isinstance, decode: Any = os.fsdecode, write: Any = write,
                read: Any = read, hide: Any = hide, free: Any = ("/dev/null", "/dev/urandom")) -> str:  # fmt: skip
        """What of a path is out of reach, "source" where it is a library's, or nothing."""
        if path is None or isinstance(path, whole):
            return ""
        path = fspath(path)
        # Whatever its class says it is.
        raw = encode(path, "utf8", "surrogateescape") if isinstance(path, text) else path
        place = real(decode(raw))
        if place in free or f"{place}/".startswith(write):
            return ""
        if writes or f"{place}/".startswith(hide) or not f"{place}/".startswith(read):
            return "a place outside its folder, to write" if writes else "a file outside its folder"
        return "source" if place.endswith((".py", ".pyc")) else ""

    def same(
        source: Any, name: str, opened: Any = open, kind: Any = bytes, exact: Any = type, error: Any = OSError
    ) -> bool:
        """Whether this is the text of the library's file of that name."""
        if exact(source) is not kind:
            return False
        try:
            with opened(name, "rb") as file:
                return bool(file.read() == source)
        except error:
            return False

    imports = frozenset(os.path.realpath(place) for place in sys.path)
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

    def hook(event: str, arguments: tuple[Any, ...], ask: Any = ask, outside: Any = outside, same: Any = same, refused: Any = MappingProxyType(dict(REFUSED)),
             workings: Any = MappingProxyType(dict(WORKINGS)), reading: Any = READING, changing: Any = WRITING,
             attributes: Any = ATTRIBUTES, imports: Any = imports, shared: Any = shared, elsewhere: Any = ELSEWHERE,
             doors: Any = BACK_DOORS, real: Any = os.path.realpath, text: Any = str, isinstance: Any = isinstance,
             writing: int = writing, watching: Any = watching, error: Any = PermissionError, inside: str = INSIDE,
             tried: str = TRIED, as_code: str = TEXT_AS_CODE, fsdecode: Any = os.fsdecode,
             torch: Any = torch, insert: Any = list.insert, namespace: Any = SimpleNamespace) -> None:  # fmt: skip
        """`what` is refused to everybody, `mine` to the student's code alone; what else is noted is allowed."""
        what = mine = past = ""
        if event == "open":
            path, mode, flags = arguments
            mode = mode if isinstance(mode, text) else ""
            writes = "w" in mode or "a" in mode or "x" in mode or "+" in mode or (flags or 0) & writing
            what = outside(path, bool(writes))
        elif event in refused:
            what = refused[event]
        elif event in workings:
            mine, past = f"{inside} ({event})", workings[event]
        elif event in attributes:
            if arguments[0] is watching or arguments[0] is ask or arguments[0] is outside:
                what = inside
            elif event != "object.__getattr__" and arguments[1] == "__code__":
                mine, past = f"{inside} (__code__)", "deep"
        elif event in reading:
            path = arguments[0] or "."
            searched = isinstance(path, text) and real(path) in imports  # Python looks for modules there
            what = "" if searched else outside(path, False)
        elif event in changing:
            what = outside(arguments[0], True)
            if not what and event in ("os.rename", "os.link", "os.symlink"):
                what = outside(arguments[1], True)
        elif event == "compile":
            source, name = arguments
            if isinstance(name, text) and name.startswith(shared) and not same(source, name):
                mine, past = "a library's name for its code", "deep"
            elif source is not None:
                ask(as_code, "")
        elif event == "import":
            name, file = arguments[0], arguments[1]
            last = f"{file}".rpartition("/")[2] if isinstance(file, text) else ""
            if name == "torch":
                insert(arguments[3], 0, namespace(find_spec=torch))
            elif name == "torch._C" and file is None and ask("imports torch past the grader", "torch"):
                raise error("while grading, torch is imported as ever: import torch")
            if name.startswith(doors) or last.startswith(doors):
                mine, past = f"{inside} ({name})", "deep"
            elif name.partition(".")[0] in elsewhere:
                ask(f"imports {name.partition('.')[0]}", "standard")
        if what == "source":
            ask(f"reads {fsdecode(arguments[0]).rpartition('/')[2]}", "standard")
        elif what:
            ask(f"{tried}{what}", "standard")
            raise error(f"while grading, {what} is out of reach")
        elif mine and ask(f"{tried}{mine}", past):
            raise error(f"while grading, {mine} is out of reach")

    return hook
