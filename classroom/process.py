"""One student's process: started behind the walls, asked and answered over pipes, its notes taken, ended with all it started.

It may stop reading, answer in advance, flood, or die: each is an `Ended` with the reason, within the deadline.
"""

import ast
import base64
import contextlib
import json
import os
import secrets
import select
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from classroom import cgroup, temporary
from classroom.answers import packed, packed_at_hand
from classroom.limits import Limits
from classroom.spent import Budget, Spent, inner, waited
from classroom.walls import LIMITS, ROOT, Walls, end, environment, python, readable, runner

MOST_NOTES = 100
IMPORT = "import"
WANTED = "imports what attnlib has ready-made"
STUBBORN = "it took too long, and did not stop when told to"
USED_UP = "the time for all of its work was used up"
START = 60  # seconds in which Python starts
LOOK, MARGIN = 0.25, 1  # seconds between two looks at what is spent, and those in which it stops when told to


class Ended(Exception):
    """The student's process is no more; the message says why."""


class Note(NamedTuple):
    """What the process noted: `kind` is "reached" or "did", `what` names it; where, and through which function."""

    kind: str
    what: str
    cell: str = ""
    line: int = 0
    by: str = ""


class Process:
    """A process that runs `inside/child.py`. Raises Ended where it does not start.

    `budget` is what is left for it and those after it; `notes` takes what it notes, each with what it was doing ("" for a
    cell, else the function that a test called).
    """

    def __init__(self, limits: Limits, walls: Walls, budget: Budget, notes: list[tuple[str, Note]]) -> None:
        self.limits, self.budget, self.notes = limits, budget, notes
        self._polled = walls.landlock or walls.name == LIMITS.name
        self._folder = Path(tempfile.mkdtemp(prefix="grading-")).resolve()
        self._work = self._folder / "work"
        self._work.mkdir()
        self._buffer, self._done = bytearray(), set[str]()
        self._stack = contextlib.ExitStack()
        kind = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM  # a note is a message
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, kind)
        with theirs:
            self._popen = self._start(walls, theirs.fileno())
        self._requests, self._replies = cast(IO[bytes], self._popen.stdin), cast(IO[bytes], self._popen.stdout)
        os.set_blocking(self._requests.fileno(), False)
        self._channel.setblocking(False)
        code, rest = packed_at_hand()
        self._inner = self._popen.pid
        self.ask({"attnlib": base64.b64encode(code).decode(), "rest": rest}, "", START)
        self._inner = inner(self._popen.pid)
        if self._inner != self._popen.pid:  # so far the wrapper was looked at, which waits for no processor
            self.budget.left += waited(self._inner)

    def _start(self, walls: Walls, notes: int) -> "subprocess.Popen[bytes]":
        roots = readable()
        reads = [path for path in {*roots, *map(os.path.realpath, roots)} if path != str(runner())]
        limits = {
            "notes": notes,
            "attnlib": str(runner() / "attnlib"),
            "write": [str(self._work)],
            "read": sorted([*reads, str(runner() / "attnlib"), str(self._work)]),
            "hide": [str(ROOT / "classroom"), str(ROOT / "attnlib")],
            "landlock": walls.landlock,
            "cpu": int(self.limits.total) + 1,
            **{name: getattr(self.limits, name) for name in ("seconds", "memory", "output", "file")},
        }
        groups = self._stack.enter_context(cgroup.group(self.limits))
        wrapped = walls.wrap(python("child", limits), self._work, self.limits)
        if groups:
            enter = f'for group in {shlex.join(map(str, groups))}; do echo $$ > "$group" || exit 1; done; exec "$@"'
            wrapped = ["sh", "-c", enter, "sh", *wrapped]
        return subprocess.Popen(
            wrapped, cwd=self._work, env=environment(self._work), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True, pass_fds=(notes,),
        )  # fmt: skip

    def end(self) -> None:
        """End it and all that it started; its folder goes."""
        end(self._popen, self._work)
        self._drain("")
        for pipe in (self._requests, self._replies, self._channel):
            with contextlib.suppress(OSError):
                pipe.close()
        self._stack.close()
        temporary.remove(self._folder)

    def ask(self, request: dict[str, Any], during: str, most: float) -> dict[str, Any]:
        """Send a request and wait for its reply; raises `Ended` when none comes in time, and ends the process.

        In time is before it has computed or slept for `most` seconds, and some to stop when it is told to.
        """
        token = secrets.token_hex(8)
        try:
            line = json.dumps({"token": token, **request}).encode() + b"\n"
            reply = self._exchange(line, during, most)
            if "want" in reply:  # once in a process: then it has all of it
                cell = f"cell {request['with']['cell']}" if request.get("do") == "run" else ""
                self._note(during, Note("did", WANTED, cell))
                rest = json.dumps({"attnlib": base64.b64encode(packed()).decode()}).encode() + b"\n"
                reply = self._exchange(rest, during, most)
            if reply.get("token") != token:
                raise Ended("it answered in the grader's place")
        except BaseException:
            self.end()
            raise
        self._drain(during)
        if token not in self._done:
            self._note(during, Note("did", "cut the grader's notes off"))
        return reply

    def _exchange(self, line: bytes, during: str, most: float) -> dict[str, Any]:
        """Write and read in the time that there is."""
        if self.budget.left <= 0:
            raise Ended(USED_UP)
        spent = Spent(self._inner)
        try:
            return self._exchanged(line, during, most, spent)
        finally:
            self.budget.left -= spent.all()

    def _exchanged(self, line: bytes, during: str, most: float, spent: Spent) -> dict[str, Any]:
        """As the process lets us, so that one which stops reading, or answers in advance, holds nothing up."""
        if self._buffer:
            raise Ended("it answered in the grader's place")
        source, sink, left = self._replies.fileno(), self._requests.fileno(), memoryview(line)
        while not self._buffer.endswith(b"\n"):
            wanted: list[Any] = [source, self._channel]
            ready, writable, _ = select.select(wanted, [sink] if left else [], [], LOOK)
            if spent.passed > LOOK:
                if spent.all() > self.budget.left:
                    raise Ended(USED_UP)
                if spent.most() > most + MARGIN:
                    raise Ended(STUBBORN)
            if self._channel in ready:
                self._drain(during)
            if writable:
                try:
                    left = left[os.write(sink, left[:65536]) :]
                except BlockingIOError:
                    pass
                except OSError:
                    raise Ended("it ended the process") from None
            if source in ready:
                piece = os.read(source, 1 << 20)
                if not piece:
                    raise Ended("it ended the process")
                self._buffer += piece
                if len(self._buffer) > self.limits.reply:
                    raise Ended("it sent too much")
            elif self._polled:
                self._look_at_folder()
        answer, self._buffer = bytes(self._buffer), bytearray()
        try:
            reply = json.loads(answer)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict) or left:
            raise Ended("it answered in the grader's place")
        return reply

    def _drain(self, during: str) -> None:
        """Take what was noted, and the tokens of the requests that the process says it is done with."""
        until = time.monotonic() + LOOK  # a flood holds nothing up
        while time.monotonic() < until:
            try:
                message = self._channel.recv(4096)
            except OSError:  # nothing more for now
                return
            if not message:
                return
            note = _read(message)
            if note.by == IMPORT and (not during or any(by == during and one.by == IMPORT for by, one in self.notes)):
                continue  # modules compute something as they are imported: in a cell nothing, in a test enough once
            if note.kind == "done":
                self._done.add(note.what)
            else:
                self._note(during, note)

    def _note(self, during: str, note: Note) -> None:
        """Keep a note, once. Those of cells and of each test have room of their own, so that none drives another out."""
        kept = [one for by, one in self.notes if by == during]
        if note not in kept and len(kept) <= MOST_NOTES:
            self.notes.append((during, note if len(kept) < MOST_NOTES else Note("did", "noted more than is read")))

    def _look_at_folder(self) -> None:
        """Where nothing bounds the folder as a whole, what lies in it is counted while its code runs."""
        size = count = 0
        gone = FileNotFoundError, NotADirectoryError

        def unseen(error: OSError) -> None:
            if not isinstance(error, gone):
                raise error

        try:
            for folder, folders, names in os.walk(self._work, onerror=unseen):
                count += len(folders) + len(names)
                for name in names:
                    with contextlib.suppress(*gone):
                        size += os.lstat(os.path.join(folder, name)).st_size
                if size > self.limits.disk or count > self.limits.files:
                    raise Ended("it wrote more than it may")
        except (OSError, RecursionError):  # where no path reaches, and in a closed folder, nothing can be counted
            raise Ended("it wrote more than it may") from None


def _read(message: bytes) -> Note:
    """A note from its text. The student's code can write there too: what is no note is noted as that."""
    try:
        note = Note(*ast.literal_eval(message.decode("utf8")))
        kinds = [type(one) for one in note]
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        kinds = []
    if kinds != [str, str, str, int, str] or note.kind not in {"reached", "did", "done"}:
        return Note("did", "wrote into the grader's notes")
    return note
