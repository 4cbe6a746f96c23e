"""On a worker of a Dask cluster: submissions are graded as on the teacher's machine, by a process beside each of its threads.

That process has one thread, so that those of submissions can be forked from it; it ends with the thread that began it.
"""

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from classroom import apart, temporary, walls, worker
from classroom.limits import Refused

SETTINGS = ("CONTAIN", "CLASSROOM_LIMITS")
_own = threading.local()


class Other(Exception):
    """This worker would not grade as the teacher's machine; the message says in what it differs, "contains … by …"."""


@dataclass(frozen=True)
class Needs:
    """What must be the same: the walls, the project's code; and the teacher's settings, by name."""

    walls: str
    code: str
    settings: tuple[tuple[str, str], ...]


def settings() -> tuple[tuple[str, str], ...]:
    return tuple((name, os.environ.get(name, "")) for name in SETTINGS)


@cache
def code() -> str:
    """A digest of what grades, and of the Python that it runs in."""
    found = hashlib.sha256(repr([sys.version_info[:2], np.__version__]).encode())
    for folder in (walls.ROOT / "classroom", walls.ROOT / "attnlib"):
        for file in sorted(folder.rglob("*.py")):
            found.update(file.read_bytes())
    return found.hexdigest()


def ready(needs: Needs) -> None:
    """Raises Other where this worker would not grade alike, Refused where it must not grade at all."""
    _asked(needs, 0, _nothing, ())


def run(needs: Needs, seconds: float, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What the work returns, or `Stopped`; done once more where its process died."""
    result = _asked(needs, seconds, work, arguments)
    if isinstance(result, worker.Stopped) and result.died:
        result = _asked(needs, seconds, work, arguments)
    return result


def _nothing() -> None:
    pass


def _asked(needs: Needs, seconds: float, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Ask this thread's process; one that has died is begun anew, once."""
    for _ in range(2):
        if getattr(_own, "needs", None) != needs:
            _begin(needs)
        try:
            _own.requests.send((seconds, work, arguments))
            result = _own.replies.recv()
        except (OSError, EOFError):
            _own.needs = None
            continue
        if isinstance(result, Other | Refused):
            _own.needs = None
            raise result
        return result
    stopped = worker.Stopped("the process that graded it ended by itself")
    stopped.died = True
    return stopped


def _begin(needs: Needs) -> None:
    theirs, ours = os.pipe(), os.pipe()
    given = (theirs[0], ours[1])
    command = [sys.executable, "-m", "classroom.remote", str(os.getpid()), *map(str, given)]
    environment = os.environ | dict(needs.settings) | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    _own.process = subprocess.Popen(command, env=environment, pass_fds=given, cwd=walls.ROOT)
    for descriptor in given:
        os.close(descriptor)
    _own.requests, _own.replies = Connection(theirs[1], readable=False), Connection(ours[0], writable=False)
    _own.needs = needs
    _own.requests.send(needs)


def main() -> None:
    """Read what is needed, then requests, and answer each until there are no more."""
    parent, requests, replies = (int(one) for one in sys.argv[1:])
    worker.end_with(parent)
    source, sink = Connection(requests, writable=False), Connection(replies, readable=False)
    needs = source.recv()
    differs = _differs(needs)
    done: set[str] = set()
    while True:
        try:
            seconds, work, arguments = source.recv()
        except EOFError:
            return
        if differs or work.__name__ == _nothing.__name__:
            sink.send(differs)
            continue
        if work is apart.grade and arguments[0].name not in done:
            apart.ready(arguments[0])
            done.add(arguments[0].name)
        try:
            result = worker.run(seconds, work, *arguments)
        except worker.Stopped as stopped:
            result = stopped
        sink.send(result)


def _differs(needs: Needs) -> Exception | None:
    try:
        found = walls.chosen().name
    except Refused as refused:
        return refused
    if found != needs.walls:
        return Other(f"contains students' code by {found}, and this machine by {needs.walls}: both must do the same")
    if code() != needs.code:
        return Other("has another version of this project, or of Python")
    return None


if __name__ == "__main__":
    from classroom.remote import main as begin  # so that what is sent is known by the same name on both sides

    with temporary.used():
        begin()
