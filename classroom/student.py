"""The grader's handle on a student's process: run cells there, and call what they define as if it were here.

A process that hangs, dies or floods is ended and started again without the cell that did it, so that one bad cell costs
its own points and no others.
"""

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classroom import wire
from classroom.child import PATIENCE
from classroom.walls import ROOT, Walls, best, end, environment, readable

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    seconds: float = 10  # of computing, for a cell, or one call in a test
    total: float = 180  # for the submission, every restart included
    memory: int = 4 << 30  # bytes of address space; torch needs two of these GiB before it does anything
    output: int = 20_000  # characters that are kept of what a cell prints
    file: int = 10 << 20  # bytes of the largest file
    reply: int = 64 << 20  # bytes of the largest answer
    core: int = 0


class Ended(Exception):
    """The student's process is no more; the message says why."""


@dataclass
class Ran:
    """What a cell did: what it printed, and its error as (name, message, place)."""

    output: str = ""
    error: tuple[str, str, str] | None = None


@dataclass
class Step:
    """A cell to run, and the names to remember after it for the tests of another."""

    cell: str
    source: str | None = None
    keep: tuple[str, ...] = ()


@dataclass
class Student:
    """One submission while it is graded. Use it in a `with`: leaving it ends every process and removes its folder."""

    steps: list[Step]
    limits: Limits = field(default_factory=Limits)
    walls: Walls = field(default_factory=best)
    ran: dict[str, Ran] = field(default_factory=dict)
    attempts: list[str] = field(default_factory=list)

    def __enter__(self) -> "Student":
        self._deadline = time.monotonic() + self.limits.total
        self._process: subprocess.Popen[bytes] | None = None
        self._without: set[str] = set()
        self._known: dict[str, list[str]] = {}
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self) -> dict[str, Ran]:
        """Run every cell, as often as it takes to get past those that end the process."""
        while True:
            self._start()
            ended = self._replay()
            if ended is None:
                return self.ran
            cell, why = ended
            self.ran[cell] = Ran(error=("Ended", why, ""))
            self._without.add(cell)

    def names(self, cell: str, wanted: tuple[str, ...]) -> dict[str, Any]:
        """What the names meant when this cell's turn came: values, and functions that are called over there."""
        if self._process is None:
            self.run()
        found = self._known.get(cell, {})
        space: dict[str, Any] = {}
        for name in wanted:
            if name in found.get("functions", []):
                space[name] = Function(self, cell, name)
            elif name in found.get("values", {}):
                space[name] = found["values"][name]
        return space

    def call(self, cell: str, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call the student's function with copies; changes it makes to arrays are carried over to ours."""
        if self._process is None:
            self.run()
        try:
            reply = self._ask("call", cell=cell, name=name, arguments=wire.pack(arguments), named=wire.pack(named))
        except Ended as ended:
            raise stopped("Ended", str(ended)) from None
        if "error" in reply:
            raise stopped(*_error(reply)[:2])
        try:
            for ours, theirs in zip(arguments, wire.unpack(reply["arguments"]), strict=True):
                if hasattr(ours, "dtype") and hasattr(theirs, "dtype") and ours.shape == theirs.shape != ():
                    ours[...] = theirs
            return wire.unpack(reply["value"])
        except (ValueError, TypeError, KeyError):
            raise stopped("ValueError", "it returned what is no value") from None

    def _replay(self) -> tuple[str, str] | None:
        """Run the cells in order; the cell at which the process ended, and why."""
        for step in self.steps:
            try:
                if step.source is not None and step.cell not in self._without:
                    reply = self._ask("run", source=step.source)
                    self.ran.setdefault(step.cell, Ran(str(reply.get("output", "")), _error(reply)))
                if step.keep:
                    self._known[step.cell] = self._remember(step)
            except Ended as ended:
                if step.source is None:
                    self._known[step.cell] = {}
                    return None
                return step.cell, str(ended)
        return None

    def _remember(self, step: Step) -> dict[str, Any]:
        reply = self._ask("keep", cell=step.cell, names=list(step.keep))
        functions = [name for name in reply.get("functions", []) if name in step.keep]
        values = {}
        for name in set(reply.get("names", [])) & set(step.keep) - set(functions):
            try:
                values[name] = wire.unpack(self._ask("value", cell=step.cell, name=name).get("value"))
            except ValueError:
                continue
        return {"functions": functions, "values": values}

    def _start(self) -> None:
        self._end()
        self._folder = Path(tempfile.mkdtemp(prefix="grading-")).resolve()
        work, runner = self._folder / "work", self._folder / "work" / ".runner"
        runner.mkdir(parents=True)
        for name in ("child.py", "wire.py"):
            shutil.copy(HERE / name, runner)
        roots = readable()
        limits = {
            "write": [str(work)],
            "read": sorted({*roots, *map(os.path.realpath, roots), str(work)}),
            "hide": [str(ROOT / "classroom")],
            "cpu": int(self.limits.total) + 1,
            **{name: getattr(self.limits, name) for name in ("seconds", "memory", "output", "file", "core")},
        }
        command = [sys.executable, "-s", str(runner / "child.py"), json.dumps(limits)]
        self._number, self._buffer = 0, b""
        self._process = subprocess.Popen(
            self.walls.wrap(command, work), cwd=work, env=environment(work), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def _end(self) -> None:
        if self._process is None:
            return
        end(self._process, self._folder / "work")
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def _ask(self, action: str, **request: Any) -> dict[str, Any]:
        """Send a request and wait for its reply; raises `Ended` when none comes, and ends the process."""
        left = self._deadline - time.monotonic()
        patience = min(
            PATIENCE * self.limits.seconds + (5 if self._number else 60), left
        )  # the first waits for Python to start
        try:
            if left <= 0:
                raise Ended(f"its {self.limits.total:g} s are used up")
            self._number += 1
            line = json.dumps({"number": self._number, "do": action, **request}).encode() + b"\n"
            reply = self._exchange(line, time.monotonic() + patience)
        except Ended:
            self._end()
            raise
        for what in reply.get("attempts", [])[:20]:
            if isinstance(what, str) and what[:80] not in self.attempts:
                self.attempts.append(what[:80])
        return reply

    def _exchange(self, line: bytes, deadline: float) -> dict[str, Any]:
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError:
            raise Ended("it ended the process") from None
        output = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            if not select.select([output], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Ended("it took too long, and did not stop when told to")
            piece = os.read(output, 1 << 20)
            if not piece:
                raise Ended("it ended the process")
            self._buffer += piece
            if len(self._buffer) > self.limits.reply:
                raise Ended("it sent too much")
        answer, _, self._buffer = self._buffer.partition(b"\n")
        try:
            reply = json.loads(answer)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict) or reply.get("number") != self._number:
            raise Ended("it answered in the grader's place")
        return reply


class Function:
    """A function of the student's: calling it calls it over there."""

    def __init__(self, student: Student, cell: str, name: str):
        self._call = lambda *arguments, **named: student.call(cell, name, arguments, named)
        self.__name__ = name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._call(*arguments, **named)


def stopped(name: str, text: str) -> Exception:
    """An exception under the name that it had over there."""
    return type(name, (Exception,), {})(text)


def _error(reply: dict[str, Any]) -> tuple[str, str, str] | None:
    error = reply.get("error")
    if not error:
        return None
    name, text, place = ([*map(str, error), "", "", ""] if isinstance(error, list) else ["Error", "", ""])[:3]
    return (name if name.isidentifier() else "Error")[:80], text[:500], place[:20]
