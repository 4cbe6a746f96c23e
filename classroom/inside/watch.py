"""Notes who called what, from inside a student's process, on a channel that the student's code cannot close.

Two things are noted as they happen, each with the cell and line of the student's code that did it: a call that reaches a
ready-made answer (every function of attnlib is compiled with such a note as its first act, torch's kernels are replaced by
ones that note), and a call of Python's own that is refused. How the function was found, copied or passed on does not
matter. Whether a note counts is the grader's to say. The file stands alone: it is copied beside the student's cells.
"""

import _thread
import importlib.abc
import importlib.machinery
import importlib.util
import json
import marshal
import os
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

MARK = "\0ready-made"  # the constant in attnlib's compiled code that becomes the function which notes
CELL = "cell "  # code of a cell is named "cell answer-tempered"

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
# Refused to the student's code alone: libraries do these by themselves.
INSIDE = "Python's own workings"
FRAMES = ("sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile")
WORKINGS = frozenset(
    {*FRAMES, "gc.get_objects", "gc.get_referrers", "gc.get_referents", "code.__new__", "function.__new__", "object.__getattr__",
     "object.__setattr__", "object.__delattr__", "marshal.load", "marshal.loads", "sys.addaudithook", "cpython.run_command",
     "sys.monitoring.register_callback", "ctypes.dlopen", "ctypes.dlsym", "ctypes.call_function", "ctypes.addressof",
     "ctypes.string_at", "ctypes.cdata", "ctypes.cdata/buffer", "ctypes.PyObj_FromPtr"}
)  # fmt: skip
PLAIN = frozenset(
    {"__dict__", "__class__", "__bases__", "__doc__", "__name__"}
)  # no way to a frame or to compiled code
READING = frozenset({"os.listdir", "os.scandir", "os.chdir"})
WRITING = frozenset(
    {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate"}
)
TEXT_AS_CODE = "runs a text as code"
ELSEWHERE = frozenset({"flax", "jax", "keras", "scipy", "sklearn", "tensorflow", "transformers"})

Place = tuple[str, int]
Note = Callable[..., None]


def libraries() -> tuple[str, ...]:
    """The folders whose code is not the student's."""
    places = [os.path.dirname(os.__file__), *(path for path in sys.path if "site-packages" in path)]
    folders = {f"{name.rstrip('/')}/" for place in places for name in (place, os.path.realpath(place))}
    return (*sorted(folders), "<frozen ", "<attnlib>", f"{os.path.dirname(__file__)}/")


def notes(descriptor: int, shared: tuple[str, ...]) -> tuple[Note, Note, Any, Note]:
    """What writes notes: on reaching a ready-made answer, on anything else, whether one is looking, on the end of a request.

    What they need is in their defaults, out of reach of whoever changes a module. A note is one message of JSON.
    """
    standard, here, busy = f"{os.path.dirname(os.__file__)}/", f"{os.path.dirname(__file__)}/", set()
    sent: set[str] = set()

    def stack(busy: Any = busy, frame: Any = sys._getframe, ident: Any = _thread.get_ident, add: Any = set.add, drop: Any = set.discard,
              here: str = here, shared: tuple[str, ...] = shared) -> list[tuple[str, str, int, str]]:  # fmt: skip
        """Who called, from the innermost outwards: `student`, `import`, `grader` or `library`; file, line, and name.

        Looking at frames asks the hook below about each: `busy` holds the threads that look.
        """
        me, seen = ident(), []
        add(busy, me)
        try:
            at = frame(1)
            while at is not None:
                code = at.f_code
                file = code.co_filename
                if file.startswith("<frozen importlib"):
                    who = "import"
                elif file.startswith(here):
                    who = "grader"
                else:
                    who = "library" if file.startswith(shared) else "student"
                seen.append((who, file, at.f_lineno, f"{at.f_globals.get('__name__', '')}.{code.co_qualname}"))
                at = at.f_back
        finally:
            drop(busy, me)
        return seen

    def send(
        what: dict[str, Any],
        write: Any = os.write,
        dumps: Any = json.dumps,
        descriptor: int = descriptor,
        sent: Any = sent,
    ) -> None:
        text = dumps(what)
        if text not in sent:  # once for each request
            sent.add(text)
            write(descriptor, text.encode("utf8", "replace")[:4000])

    def reached(name: str, stack: Any = stack, send: Any = send) -> None:
        entry = ""
        for who, file, line, by in stack():
            if who == "import":
                return  # a module computes something as it is imported
            if who == "student":
                send({"reached": name, "by": entry, "cell": file[:200], "line": line})
                return
            if who == "library":
                entry = by
        send({"reached": name, "by": entry, "cell": "", "line": 0})

    def direct(past: str, stack: Any = stack, standard: str = standard) -> tuple[str, int] | None:
        """Where the student's code did this: as the very caller, or behind `past` (nothing, or the standard library)."""
        frames = stack()
        inner = next((i for i, one in enumerate(frames) if one[0] != "grader"), len(frames))
        for who, file, line, _ in frames[inner:]:
            if who == "student":
                return file, line
            if (
                who != "library"
                or not past
                or (past == "inspect" and not file.endswith(("/inspect.py", "/traceback.py")))
            ):
                return None
            if "site-packages" in file or not file.startswith((standard, "<frozen ")):
                return None
        return None

    def student(what: str, past: str = "standard", direct: Any = direct, send: Any = send) -> bool:
        """Note what the student's code did; whether it was the student's code at all."""
        at = direct(past)
        if at is not None:
            send({"did": what, "cell": at[0][:200], "line": at[1]})
        return at is not None

    def looking(busy: Any = busy, ident: Any = _thread.get_ident) -> bool:
        return ident() in busy

    def done(token: str, write: Any = os.write, descriptor: int = descriptor, sent: Any = sent) -> None:
        sent.clear()
        write(descriptor, f'{{"done": "{token}"}}'.encode())

    return reached, student, looking, done


def guard(
    student: Note,
    looking: Any,
    write: tuple[str, ...],
    read: tuple[str, ...],
    hide: tuple[str, ...],
    shared: tuple[str, ...],
) -> Any:
    """An audit hook: Python's own calls for files elsewhere, the network and other processes are refused.

    Not a wall (C code goes round it), but it works on every machine, and tells the student what is out of reach.
    """
    imports = tuple(os.path.realpath(place) for place in sys.path)

    def refuse(what: str, student: Note = student) -> None:
        student(f"tried to reach {what}")
        raise PermissionError(f"while grading, {what} is out of reach")

    def under(path: str, roots: tuple[str, ...]) -> bool:
        return path.startswith(tuple(root.rstrip("/") + "/" for root in roots)) or path in roots

    def file(path: Any, writes: bool, real: Any = os.path.realpath, decode: Any = os.fsdecode, under: Any = under, refuse: Any = refuse,
             student: Note = student, write: Any = write, read: Any = read, hide: Any = hide, encode: Any = str.encode) -> None:  # fmt: skip
        if path is None or isinstance(path, int):
            return
        path = decode(path)
        place = real(
            encode(path, "utf8", "surrogateescape").decode("utf8", "surrogateescape")
        )  # whatever its class says
        if under(place, write) or place in ("/dev/null", "/dev/urandom"):
            return
        if writes or under(place, hide) or not under(place, read):
            refuse("a place outside its folder, to write" if writes else "a file outside its folder")
        elif place.endswith((".py", ".pyc")):
            student(f"reads {place.rsplit('/', 1)[-1]}")

    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

    def hook(event: str, arguments: tuple[Any, ...], refused: Any = REFUSED, workings: Any = WORKINGS, reading: Any = READING,
             changing: Any = WRITING, file: Any = file, refuse: Any = refuse, student: Note = student, frames: Any = FRAMES,
             plain: Any = PLAIN, imports: Any = imports, shared: Any = shared, elsewhere: Any = ELSEWHERE, inside: str = INSIDE,
             real: Any = os.path.realpath, text: Any = (str, bytes), names: Any = (str, bytes, os.PathLike), writing: int = writing, looking: Any = looking) -> None:  # fmt: skip
        if event == "open":
            path, mode, flags = arguments
            file(path, any(c in (mode or "") for c in "wax+") or bool((flags or 0) & writing))
        elif event in refused:
            refuse(refused[event])
        elif event in workings:
            if looking() or (event.startswith("object.") and arguments[1] in plain):
                return
            past = "inspect" if event in frames else "" if event.startswith("object.") else "standard"
            if student(f"tried to reach {inside} ({event if not event.startswith('object.') else arguments[1]})", past):
                raise PermissionError(f"while grading, {inside} are out of reach")
        elif event in reading:
            if real(arguments[0] or ".") not in imports:  # Python looks for modules there
                file(arguments[0], False)
        elif event in changing:
            for path in arguments[:2]:
                if isinstance(path, names):
                    file(path, True)
        elif event == "compile":
            source, name = arguments
            if (
                isinstance(name, text)
                and str(name).startswith(shared)
                and student("tried to reach a library's name for its code", "")
            ):
                raise PermissionError("while grading, code keeps its own name")
            if source is not None:
                student(TEXT_AS_CODE, "")
        elif event == "import" and arguments[0].split(".")[0] in elsewhere:
            student(f"imports {arguments[0].split('.')[0]}")

    return hook


class Attnlib(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports attnlib from the code that the grader sent: its source is nowhere in this process's reach.

    `codes` maps a module's name to whether it is a package, its file (its data lie there), and its compiled code.
    """

    def __init__(self, packed: bytes, root: str, note: Note) -> None:
        self.codes = {
            name: (package, f"{root}/{file}", _noting(code, note))
            for name, (package, file, code) in marshal.loads(packed).items()
        }

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name not in self.codes:
            return None
        package, file, _ = self.codes[name]
        spec = importlib.machinery.ModuleSpec(name, self, origin=file, is_package=package)
        if package:
            spec.submodule_search_locations = [os.path.dirname(file)]
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        _, module.__file__, code = self.codes[module.__name__]
        exec(code, module.__dict__)


def _noting(code: CodeType, note: Note) -> CodeType:
    return code.replace(
        co_consts=tuple(
            note if one == MARK else _noting(one, note) if isinstance(one, CodeType) else one for one in code.co_consts
        )
    )


class Torch(importlib.abc.MetaPathFinder):
    """Once torch is imported, its attention notes that it was called."""

    def __init__(self, note: Note) -> None:
        self.note = note

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        load, note = spec.loader.exec_module, self.note

        def exec_module(module: ModuleType) -> None:
            load(module)
            from torch_notes import watch

            watch(note)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def start(descriptor: int, packed: bytes, limits: dict[str, Any]) -> Note:
    """Watch from here on; returns the function with which the process says that a request is done."""
    shared = libraries()
    reached, student, looking, done = notes(descriptor, shared)
    sys.meta_path[:0] = [Attnlib(packed, limits["attnlib"], reached), Torch(reached)]
    importlib.import_module("attnlib.exercises")
    sys.addaudithook(guard(student, looking, *(tuple(limits[key]) for key in ("write", "read", "hide")), shared))
    return done
