"""Data that differ by student: drawn from the name in the notebook, for the tests here as for the student there.

The tests never take data from a submission. They draw it anew from the name that the submission had when its data were
drawn. Whose name that is, `whose` looks at when all are graded.
"""

import contextlib
import io
import math
from dataclasses import dataclass, field
from typing import Any

from attnlib.exercises.drawn import words
from attnlib.exercises.harness import Mistake, numbers
from classroom.texts import line

VARIABLE = "student"
MODEL = "Ada Lovelace"  # who solves the model answers, and whose data stand in where no name is written
LONGEST = 200  # characters of a name, and of a text that is compared with those of others
MOST = 20  # parts of an answer that are compared


@dataclass(frozen=True)
class Asked:
    """An answer to a question and what is right, a number or anything that can be compared; known wrong ones by sentence."""

    got: Any
    right: Any
    wrong: dict[str, Any] = field(default_factory=dict)
    tolerance: float | None = None

    def judge(self, otherwise: str) -> None:
        """Raise `Mistake` unless it is right."""
        if self.is_like(self.right):
            return
        raise Mistake(next((says for says, one in self.wrong.items() if self.is_like(one)), otherwise))

    def is_like(self, other: Any) -> bool:
        """Whether the answer is this one: a number nearly, anything else exactly."""
        if not isinstance(other, int | float) or isinstance(other, bool):
            return bool(_plain(self.got) == _plain(other))
        try:
            number = numbers(self.got)
        except Mistake:
            return False
        return bool(number.ndim == 0 and abs(float(number) - other) <= self.slack)

    @property
    def slack(self) -> float:
        """How far from right is right enough: without a word about it, 1 % of a fraction and nothing for a whole number."""
        if self.tolerance is not None:
            return self.tolerance
        return 1e-9 if isinstance(self.right, int) else abs(self.right) / 100

    def record(self) -> dict[str, Any] | None:
        """The answer, to compare with those of others, and whether it is known as wrong; nothing where it is of another kind."""
        try:
            got, right = _kept(self.got), _kept(self.right)
            known = any(self.is_like(one) for one in self.wrong.values())
        except (Mistake, TypeError, ValueError, OverflowError):
            return None
        if type(got) is not type(right):
            return None
        return {"got": got, "right": right, "slack": self.slack if isinstance(right, float) else 0, "known": known}


def space(source: str, setup: dict[str, Any], name: Any) -> tuple[dict[str, Any], str]:
    """What the tests know: the set-up and the data of a name. And that name, "" where the model's stand in for none."""
    written = line(name).strip() if isinstance(name, str) and len(name) <= LONGEST else ""
    written = written if words(written) else ""
    found = {**setup, VARIABLE: written or MODEL}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "data", "exec"), found)
    return found, written


def record(written: str, asked: dict[str, Asked]) -> dict[str, Any]:
    """What is kept of a graded submission, to be compared with the others."""
    kept = {test: one.record() for test, one in asked.items()}
    return {"name": written, "asked": {test: one for test, one in kept.items() if one}}


def _kept(value: Any) -> float | str | list[Any]:
    """A number, a short text, or a list of such, as JSON has it. TypeError or Mistake for anything else."""
    if isinstance(value, str):
        return str(_plain(value))[:LONGEST]
    if isinstance(value, list | tuple):
        return [_kept(one) for one in value[:MOST]]
    number = float(numbers(value))
    if not math.isfinite(number):
        raise TypeError("no number")
    return number


def _plain(value: Any) -> Any:
    """A choice without what does not matter: capitals and blanks of a text, tuple or list."""
    if isinstance(value, list | tuple):
        return tuple(_plain(one) for one in value)
    return value.strip().casefold() if isinstance(value, str) else value
