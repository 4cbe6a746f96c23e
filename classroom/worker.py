"""Work on one submission in a process of its own, with a deadline: whatever becomes of it, the next has its turn."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from classroom.walls import end_strays

# A macOS that forks may crash.
CONTEXT = multiprocessing.get_context("fork") if sys.platform == "linux" else multiprocessing.get_context("forkserver")
GRACE = 5  # seconds to end what it has started


class Stopped(Exception):
    """There is no result; the sentence says why."""


def run(seconds: float, work: Callable[..., Any], *arguments: Any) -> Any:
    """What `work` returns. Raises `Stopped` when it fails, dies or takes longer; none of its processes is left."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="grading-"))
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_work, args=(theirs, folder, work, arguments))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: NumPy's own, which it ends before a fork
            process.start()
        theirs.close()
        if not ours.poll(seconds):
            raise Stopped(f"grading it took longer than {seconds:g} s")
        done, result = ours.recv()
        process.join(GRACE)
    except EOFError:
        process.join(GRACE)
        raise Stopped(f"the process that graded it ended by itself ({process.exitcode})") from None
    finally:
        ours.close()
        _end(process, Path(folder))
    if not done:
        raise Stopped(f"the grader stopped: {result}")
    return result


def _work(connection: Connection, folder: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    os.setsid()  # Ctrl-C is for the process that waits; this one is then ended by it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    tempfile.tempdir = folder
    try:
        result = True, work(*arguments)
    except BaseException as error:
        result = False, f"{type(error).__name__}: {error}"[:300]
    connection.send(result)
    connection.close()


def _end(process: BaseProcess, folder: Path) -> None:
    """Let it end what it has started, then end it, and then whatever carries the mark of its folder."""
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
            end_strays(folder, within=True)
    shutil.rmtree(folder, ignore_errors=True)
