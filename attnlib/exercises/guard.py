"""Runs a student's code so that nothing it does ends in a traceback, and nothing goes on for ever."""

import functools
import inspect
import io
import linecache
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, no_type_check

LIMIT = 20.0 if sys.platform == "emscripten" else 5.0  # seconds for one property: in a browser Python is slower
MOST_PRINTED = 4000  # characters that the code may print while one property is tested
TICK = 0.25
BOOK = str(Path(__file__).parents[1])  # whose lines are none of the student's


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """What `work` returns; raises `TimeUp` from inside it when it takes longer.

    In the main thread of a POSIX system an alarm interrupts it, a long NumPy call or a sleep included.
    Elsewhere the time is read at each line of Python that runs.
    """
    clock = _Clock(seconds)
    clock.start()
    try:
        return work()
    finally:
        clock.ended = True
        clock.stop()


@no_type_check  # a checker's wrapper would be traced, and interrupted in place of the student's code
class TimeUp(BaseException):
    """Raised inside code that takes too long; `except Exception` does not hold it.

    A bare `except:` does. But where it drops the exception, the next line is made to raise another, and that line
    stands outside the `try`. So code gets out of all its handlers, one after the other.
    """

    interrupts = True

    def __init__(self, clock: "_Clock") -> None:
        self.clock = clock

    def __del__(self) -> None:
        if not self.clock.ended:
            self.clock.watch(sys._getframe(1))


@no_type_check
class _Clock:
    """Interrupts the thread that it is made in."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.ended = seconds, False
        self.began = time.monotonic()
        self.tracer = sys.gettrace()
        self.alarmed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def start(self) -> None:
        if self.alarmed:
            try:
                self.handler = signal.signal(signal.SIGALRM, self.alarm)
            except OSError:  # a grader lets no code set one, and ends what takes too long itself
                self.alarmed, self.ended = False, True
                return
            self.timer = signal.setitimer(signal.ITIMER_REAL, self.seconds, TICK)
        else:
            sys.settrace(self.trace)

    def stop(self) -> None:
        """Put everything back, an alarm that somebody else had set included."""
        if sys.gettrace() is not self.tracer:  # a grader lets no code set it
            sys.settrace(self.tracer)
        if self.alarmed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL if self.handler is None else self.handler)
            left, interval = self.timer
            if left:
                signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - self.began)), interval)

    def alarm(self, number: int, frame: FrameType | None) -> None:
        if not self.ended:
            raise TimeUp(self)

    def watch(self, frame: FrameType | None) -> None:
        """See every line that runs from here on, in this frame, in those that wait for it, and in new ones."""
        while frame is not None and frame.f_code is not within.__code__:  # a student may call a function so
            if not frame.f_globals.get("__name__", "").startswith("attnlib."):
                frame.f_trace = self.trace
            frame = frame.f_back
        sys.settrace(self.trace)

    # Python traces no function that traces, and forgets one that raises.
    def trace(self, frame: FrameType, event: str, value: Any) -> Any:  # pragma: no cover
        if event == "line" and not self.ended and time.monotonic() - self.began > self.seconds:
            raise TimeUp(self)
        return self.trace


def interrupts(error: BaseException) -> bool:
    """Whether an exception is no error of the student's, but interrupts the code: Ctrl-C, and what says so of its class.

    `TimeUp` does, a page's Python that has to fetch a package, and a grader that is told to end.
    """
    return isinstance(error, KeyboardInterrupt) or getattr(type(error), "interrupts", False) is True


def stopped(error: BaseException, answer: Any, arguments: int) -> str:
    """The sentence for an exception that came out of the student's function `answer`."""
    name, line = type(error).__name__, where(error, answer)  # one from another process has only its name
    if name == "RecursionError":
        return f"Your function calls itself without an end{line}: it needs a case in which it does not."
    reason = _reason(error)
    if name == "TypeError" and not line and re.search(r"(takes|missing|expected|unexpected) .*argument", reason):
        given = arguments + (len(answer.args) if isinstance(answer, functools.partial) else 0)
        count = f"{given} argument{'' if given == 1 else 's'}"
        return f"Your function is called with {count}, which it does not take: {reason}."
    if sizes := re.search(r"matmul.*size (\d+) is different from (\d+)", reason) or _not_aligned(reason):
        inner = sorted(sizes.groups(), key=int)
        differ = f"the inner sizes of a matrix product differ, {inner[0]} and {inner[1]}"
        return f"Your function stopped with {name}{line}: {differ}. Is a transpose missing, or of other axes?"
    kind = "" if getattr(error, "limited", False) else f" with {name}"  # a limit met elsewhere is no error of its own
    return f"Your function stopped{kind}{line}{f': {reason}' if reason else ''}."


def _reason(error: BaseException) -> str:
    """The first line of what the error says, without the stop at its end; a student's own error may say nothing."""
    try:
        return str(error).strip().split("\n")[0][:200].rstrip(".")
    except Exception:
        return ""


def _not_aligned(reason: str) -> re.Match[str] | None:
    return re.search(r"not aligned: (\d+) \(dim \d+\) != (\d+)", reason)


def unread(error: BaseException) -> str:
    """The sentence for a result that a test could not read: the function itself had ended."""
    said = ", ".join(filter(None, [type(error).__name__, _reason(error)]))
    return f"What your function returned cannot be read as an answer: {said}."


def endless(error: BaseException, answer: Any, seconds: float) -> str:
    """The sentence for code that was interrupted: whether it would have ended, nobody knows."""
    time = f"{seconds:g} second{'' if seconds == 1 else 's'}"
    return (
        f"Your function had not ended after {time}{where(error, answer)}: "
        "it has a loop that never stops, or work that grows too fast."
    )


def where(error: BaseException, answer: Any) -> str:
    """The line of the student's code that was running last, as " at line 3, `code`"; nothing where it cannot be told.

    That is a line of the file in which `answer` was written, or, where a checker has put a function of its own round
    it, of the first file that this function called. An error from another process may bring that text with it.
    """
    if isinstance(told := getattr(error, "where", None), str):
        return told
    lines = _lines(error)
    file = _file(answer)
    if file and file.startswith(BOOK):
        file = next((name for name, _ in lines if not name.startswith(BOOK)), None)
    line = next((line for name, line in reversed(lines) if name == file), None)
    if file is None or line is None:
        return ""
    code = linecache.getline(file, line).strip()
    return f" at line {line}{f', `{code}`' if 0 < len(code) <= 60 else ''}"


def _lines(error: BaseException) -> list[tuple[str, int]]:
    """The file and line of each call that the error came through, the outermost first; a jump has no line."""
    codes = ((frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__))
    return [(code.co_filename, line or code.co_firstlineno) for code, line in codes]


def _file(answer: Any) -> str | None:
    while isinstance(answer, functools.partial):
        answer = answer.func
    answer = inspect.unwrap(answer) if callable(answer) else answer
    code = getattr(answer, "__code__", None) or getattr(vars(type(answer)).get("__call__"), "__code__", None)
    return code.co_filename if code else None


class Printed(io.StringIO):
    """Takes what is printed, up to a limit: an endless loop must not flood a notebook."""

    dropped = 0

    def write(self, text: str) -> int:
        room = max(0, MOST_PRINTED - self.tell())
        self.dropped += len(text[room:])
        super().write(text[:room])
        return len(text)

    def show(self) -> None:
        """Print it where it was meant to go."""
        if text := self.getvalue():
            print(text, end=f"\n… and {self.dropped:,} characters more\n" if self.dropped else "")
