"""The grader's handle on a student's process: run cells there, and call what they define as if it were here.

A process that hangs, dies or floods is ended and started again without the cell that did it, so that one bad cell costs
its own points and no others. What the process notes while it works (see `inside/watch.py`) is kept with what ran then.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from classroom.inside import wire
from classroom.limits import Limits
from classroom.process import USED_UP, Ended, Note, Process
from classroom.spent import Budget
from classroom.texts import clean
from classroom.walls import Walls, chosen


@dataclass(frozen=True)
class Error:
    """An error of the student's code: its name, its message, the cell and line that ran last, and whether a limit made it."""

    name: str
    text: str
    cell: str = ""
    line: int = 0
    limited: bool = False


@dataclass
class Ran:
    """What a cell did: what it printed, its error, and the magics that were passed over."""

    output: str = ""
    error: Error | None = None
    skipped: tuple[str, ...] = ()


@dataclass
class Step:
    """A cell to run, and the names to remember after it for the tests of another."""

    cell: str
    source: str | None = None
    keep: tuple[str, ...] = ()


@dataclass
class Student:
    """One submission while it is graded. Use it in a `with`: leaving it ends every process and removes its folder.

    `notes` has what the process noted: what it was doing ("" for a cell, else the function that a test called), and the note.
    """

    steps: list[Step]
    limits: Limits = field(default_factory=Limits.chosen)
    walls: Walls = field(default_factory=chosen)
    ran: dict[str, Ran] = field(default_factory=dict)
    notes: list[tuple[str, Note]] = field(default_factory=list)

    def __enter__(self) -> "Student":
        self._budget = Budget(self.limits.total)
        self._process: Process | None = None
        self._started = False
        self._without: set[str] = set()
        self._slow: dict[tuple[str, int], Exception] = {}
        self._known: dict[str, dict[str, Any]] = {}
        self._visits: dict[str, Callable[[], None]] = {}
        self._anew = False
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, visits: dict[str, Callable[[], None]] | None = None) -> dict[str, Ran]:
        """Run every cell, as often as it takes to get past those that end the process.

        At each of these places, before the cells after it, do what is given.
        """
        self._visits = visits or {}
        try:
            return self._run()
        finally:
            self._visits = {}

    def _run(self) -> dict[str, Ran]:
        while True:
            try:
                ended = self._replay()
            except Ended as late:  # the time for all of it is used up
                for step in self.steps:
                    if step.source is not None:
                        self.ran.setdefault(step.cell, Ran(error=Error("Ended", str(late), limited=True)))
                return self.ran
            if ended is None:
                return self.ran
            cell, why = ended
            if why:
                self.ran.setdefault(cell, Ran(error=Error("Ended", why, limited=True)))  # a later run tells nothing new
                self._without.add(cell)

    def again(self, visits: dict[str, Callable[[], None]]) -> None:
        """Run the cells anew, and at each of these places, before the cells after it, do what is given."""
        self._visits, self._anew = visits, True
        try:
            while (ended := self._replay()) and not ended[1]:
                pass
        except Ended:  # no time is left: what was found before stands
            pass
        finally:
            self._visits, self._anew = {}, False

    def names(self, cell: str, wanted: tuple[str, ...]) -> dict[str, Any]:
        """What the names meant when this cell's turn came: values, and functions that are called over there."""
        if self._process is None and not self._visits:
            self.run()
        found = self._known.get(cell, {})
        space: dict[str, Any] = {}
        for name in wanted:
            if name in found.get("functions", {}):
                space[name] = self._function(cell, name)
            elif name in found.get("values", {}):
                space[name] = found["values"][name]
        return space

    def has_function(self, cell: str) -> bool:
        """Whether any of the names that were remembered for this cell is a function."""
        return bool(self._known.get(cell, {}).get("functions"))

    def _function(self, cell: str, name: str) -> Callable[..., Any]:
        """A function of the student's: calling it calls it over there."""

        def function(*arguments: Any, **named: Any) -> Any:
            return self.call(cell, name, arguments, named)

        function.__name__ = name
        return function

    def call(self, cell: str, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call the student's function with copies; changes it makes to arrays are carried over to ours.

        A function that ran into a limit once is not called again: it would take as long again.
        """
        same = self._known.get(cell, {}).get("functions", {}).get(name, -1)
        if late := self._slow.get((name, same)):
            raise late
        try:
            if self._process is None and not self._visits:
                self.run()
            sent = {"arguments": wire.pack(arguments), "named": wire.pack(named)}
            reply = self._ask("call", name, cell=cell, name=name, **sent)
            error = _error(reply, self.limits)
        except Ended as ended:
            error = Error("Ended", str(ended), limited=True)
        if error:
            raised = _raised(error, self._line(error))
            if error.limited:
                self._slow[name, same] = raised
            raise raised
        try:
            for ours, theirs in zip(arguments, wire.unpack(reply["arguments"]), strict=True):
                if hasattr(ours, "dtype") and hasattr(theirs, "dtype") and ours.shape == theirs.shape != ():
                    ours[...] = theirs
            return wire.unpack(reply["value"])
        except (ValueError, TypeError, KeyError):
            raise _raised(Error("ValueError", "it returned what is no value")) from None

    def _line(self, error: Error) -> str:
        """The student's line that stopped, as " at line 3, `return x[5]`"."""
        source = next((step.source or "" for step in self.steps if step.cell == error.cell), "")
        lines = source.splitlines()
        if not 0 < error.line <= len(lines):
            return ""
        code = clean(lines[error.line - 1]).strip()
        return f" at line {error.line}{f', `{code}`' if 0 < len(code) <= 60 else ''}"

    def _replay(self) -> tuple[str, str] | None:
        """Run the cells in order; the cell at which the process ended, and why, "" where a visit to it has ended it.

        Raises Ended when no time is left to start.
        """
        self._start()
        for step in self.steps:
            try:
                if step.source is not None and step.cell not in self._without and not self._was_late(step.cell):
                    reply = self._ask("run", cell=step.cell, source=step.source)
                    output = _shown(str(reply.get("output", ""))[: self.limits.output + 100])
                    skipped = tuple(clean(one) for one in _texts(reply, "skipped")[:5])
                    self.ran.setdefault(step.cell, Ran(output, _error(reply, self.limits), skipped))
                if step.keep and step.cell not in self._without:
                    self._known[step.cell] = self._remember(step)
                if visit := self._visits.get(step.cell):
                    visit()
                    if self._process is None:  # what was done there has ended it, and is not done there again
                        del self._visits[step.cell]
                        return step.cell, ""
            except Ended as ended:
                if step.source is None:
                    self._known[step.cell] = {}
                return step.cell, str(ended)
        return None

    def _was_late(self, cell: str) -> bool:
        """Whether a cell met a limit when the cells ran first: anew, it would again."""
        before = self.ran.get(cell) if self._anew else None
        return bool(before and before.error and before.error.limited)

    def _remember(self, step: Step) -> dict[str, Any]:
        reply = self._ask("keep", cell=step.cell, names=list(step.keep))
        named = reply.get("functions")
        called = named if isinstance(named, dict) else {}
        functions = {name: called[name] for name in step.keep if isinstance(called.get(name), int)}
        values = {}
        for name in (set(_texts(reply, "names")) & set(step.keep)) - set(functions):
            try:
                values[name] = wire.unpack(self._ask("value", name, cell=step.cell, name=name).get("value"))
            except ValueError:
                continue
        return {"functions": functions, "values": values}

    def _ask(self, action: str, during: str = "", **request: Any) -> dict[str, Any]:
        """Send a request to the process; Ended where there is none, or none any more."""
        if self._process is None:
            raise Ended(USED_UP)
        try:
            return self._process.ask({"do": action, "with": request}, during, self.limits.seconds)
        except Ended:
            self._process = None
            raise

    def _start(self) -> None:
        self._end()
        try:
            self._process = Process(self.limits, self.walls, self._budget, self.notes)
        except Ended:
            if self._started:
                raise
            raise NotStarted("the student's Python did not start; is the limit on memory too small?") from None
        self._started = True

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
        self._process = None


class NotStarted(Exception):
    """The grader's own failure: nothing of the student's has run."""


def _raised(error: Error, where: str = "") -> Exception:
    """An exception under the name that it had over there; `where` is the student's line, `limited` says that a limit made it."""
    known = {"where": where, "limited": error.limited}
    raised: Exception = type(error.name, (Exception,), known)(error.text)
    return raised


def _shown(output: str) -> str:
    """Of a line that was written over, such as a progress bar, what was written last."""
    return clean(re.sub(r"[^\n]*\r(?=[^\r\n])", "", output.replace("\r\n", "\n")))


def _texts(reply: dict[str, Any], key: str) -> list[str]:
    found = reply.get(key)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _error(reply: dict[str, Any], limits: Limits) -> Error | None:
    error = reply.get("error")
    if not error:
        return None
    told = error if isinstance(error, list) and len(error) == 5 else ["Error", "", "", 0, False]
    name, text, cell, line, limited = told
    limited = limited is True and name == "TimeLimit"
    if limited:
        text = f"it took longer than {limits.seconds:g} s"
    name = clean(str(name))[:80]
    if not name.isidentifier() or (not limited and name in {"TimeLimit", "Ended", "Mistake"}):
        name = "Error"  # these three are the grader's words
    return Error(name, clean(str(text))[:500], clean(str(cell))[:80], line if type(line) is int else 0, limited)
