"""Work on submissions, each in a process of its own with a deadline: whatever becomes of one, the others have their turn."""

import contextlib
import ctypes
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol

from classroom import temporary
from classroom.limits import Refused
from classroom.walls import end_strays

# A macOS that forks may crash.
CONTEXT = multiprocessing.get_context("fork") if sys.platform == "linux" else multiprocessing.get_context("forkserver")
GRACE = 5  # seconds to end what it has started
MOST = 1_000  # processes at once
PARENT_DIES = 1  # PR_SET_PDEATHSIG of Linux
MEMORY = 4 << 30  # bytes of a process that works: what a function returns can make a test ask for any number
_own: set[int] = set()

Results = Generator[tuple[str, Any], None, None]


class Stopped(Exception):
    """There is no result; the sentence says why. `died` where its process ended by itself."""

    died = False


class Terminated(SystemExit):
    """SIGTERM came: whatever makes sentences of a student's errors lets this pass (`attnlib.exercises.guard`)."""

    interrupts = True


@dataclass(frozen=True)
class Job:
    """Work to do, and the name that its result goes by."""

    name: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...]


class Runner(Protocol):
    """Does jobs: the name and the result of each, or `Stopped`, as it is done."""

    def __call__(self, jobs: Iterable[Job], seconds: float) -> Results: ...


def processes() -> int:
    """How many submissions are worked on at once: what `PROCESSES` says, else one for each processor that we may use."""
    said = os.environ.get("PROCESSES", "").strip()
    if not said:
        return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    if not (said.isascii() and said.isdigit() and 0 < int(said) <= MOST):
        raise Refused(f"PROCESSES is {said!r}; write a number from 1 to {MOST:,}.")
    return int(said)


def run(seconds: float, work: Callable[..., Any], *arguments: Any) -> Any:
    """What `work` returns. Raises `Stopped` when it fails, dies or takes longer; none of its processes is left."""
    process = _Process(Job("", work, arguments), seconds)
    try:
        process.start()
        wait([process.pipe], seconds)
        return process.result()
    finally:
        process.end()


def each(jobs: Iterable[Job], seconds: float) -> Results:
    """Do jobs, several at once. One whose process died is begun again, once. Closing it ends what runs."""
    most, waiting = processes(), iter(jobs)
    running: list[_Process] = []
    died: set[str] = set()

    def begin(job: Job) -> None:
        running.append(_Process(job, seconds))
        running[-1].start()

    def fill() -> None:
        while len(running) < most and (job := next(waiting, None)):
            begin(job)

    try:
        fill()
        while running:
            wait([one.pipe for one in running], max(0, min(one.until for one in running) - time.monotonic()))
            for one in [one for one in running if one.over()]:
                try:
                    result = one.result()
                except Stopped as stopped:
                    result = stopped
                one.end()
                running.remove(one)
                if isinstance(result, Stopped) and result.died and one.job.name not in died:
                    died.add(one.job.name)
                    begin(one.job)
                    continue
                fill()
                yield one.job.name, result
    finally:
        for one in running:
            one.terminate()
        for one in running:
            one.end()


@contextlib.contextmanager
def not_inherited(descriptor: int) -> Iterator[None]:
    """A file that no process keeps open which begins meanwhile."""
    _own.add(descriptor)
    try:
        yield
    finally:
        _own.discard(descriptor)


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Act on Ctrl-C and SIGTERM afterwards: what they raise while a process is forked, Python passes over."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {one: signal.signal(one, lambda number, _: came.append(number)) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in came:
            signal.raise_signal(number)


class _Process:
    """The process of a job, which may be ended at any time, and more than once."""

    def __init__(self, job: Job, seconds: float) -> None:
        self.job, self.seconds, self.until = job, seconds, time.monotonic() + seconds
        self.folder = tempfile.mkdtemp(dir=temporary.folder())
        self.pipe, self.theirs = CONTEXT.Pipe(duplex=False)
        parent = os.getpid() if CONTEXT.get_start_method() == "fork" else 0  # else another process is its parent
        arguments = (self.theirs, parent, self.folder, job.work, job.arguments)
        self.process = CONTEXT.Process(target=_work, args=arguments)

    def start(self) -> None:
        with self.theirs, _signals_later(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: NumPy's own, ended before a fork
            self.process.start()

    def over(self) -> bool:
        """Whether it has said something, or died, or should have."""
        return time.monotonic() >= self.until or self.pipe.poll()

    def result(self) -> Any:
        """What the work returned, once it is over. Raises `Stopped`."""
        if not self.pipe.poll():
            raise Stopped(f"grading it took longer than {self.seconds:g} s")
        try:
            done, result = self.pipe.recv()
        except (EOFError, OSError):  # or it was killed in the midst of its answer
            self.process.join(GRACE)
            stopped = Stopped(f"the process that graded it ended by itself ({self.process.exitcode})")
            stopped.died = True
            raise stopped from None
        self.process.join(GRACE)
        if not done:
            raise Stopped(f"the grader stopped: {result}")
        return result

    def terminate(self) -> None:
        """Have it end soon, if it has begun."""
        if self.process.pid is not None:
            self.process.terminate()

    def end(self) -> None:
        """Let it end what it has started, then end it, and then whatever carries the mark of its folder."""
        self.pipe.close()
        process = self.process
        if process.pid is not None:
            if process.is_alive():
                process.terminate()
                process.join(GRACE)
            if process.is_alive():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.kill()
                process.join()
            if process.exitcode:
                end_strays(Path(self.folder), within=True)
        temporary.remove(self.folder)


def _work(
    connection: Connection, parent: int, folder: str, work: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    os.setsid()  # Ctrl-C is for the process that waits; this one is then ended by it
    signal.signal(signal.SIGTERM, partial(terminated, 1))
    for descriptor in _own:
        os.close(descriptor)
    tempfile.tempdir = folder
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    try:
        if parent:
            end_with(parent)
        result = True, work(*arguments)
    except BaseException as error:
        result = False, f"{type(error).__name__}: {error}"[:300]
    with contextlib.suppress(OSError):  # nobody may wait any more
        connection.send(result)
        connection.close()


def terminated(code: int, *_: Any) -> None:
    """As a handler of SIGTERM, end this process with the code, once what it began is ended."""
    raise Terminated(code)


def end_with(parent: int) -> None:
    """End this process when its parent, whose number this is, is killed (Linux; elsewhere its limits end it)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DIES, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit(1)
