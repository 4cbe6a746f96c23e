"""Data that differ by student: drawn from the name in the notebook, for the tests here as for the student there.

The tests never take data from a submission. They draw it anew from the name that the submission had when its data were
drawn. Whose name that is, `whose` looks at when all are graded.
"""

import contextlib
import io
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnlib.exercises.drawn import words
from attnlib.exercises.harness import Mistake, numbers
from classroom.texts import line

VARIABLE = "student"
MODEL = "Ada Lovelace"  # who solves the model answers, and whose data stand in where no name is written
LONGEST = 200  # characters of a name, and of a text that is compared with those of others
NEAR = 5  # times as far off as is right enough
MOST = 20  # parts of an answer that are compared

TEXT = "Write a number, without quotes."
ALONE = "Write the number alone, without brackets or a comma."
PARTS = "Write all that is asked for, in brackets and in this order."
ORDER = "These are the right ones, in another order."
SOME = "Some of it is right, and not all."
SIGN = "The size is right, and the sign is not."
PERCENT = "That is in percent: write a share between 0 and 1."
CLOSE = "That is close, and too far off: round at the end, and keep more digits."
SAID = frozenset({TEXT, ALONE, PARTS, ORDER, SOME, SIGN, PERCENT, CLOSE})  # of the form: they tell of no hidden case


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
        known = next((says for says, one in self.wrong.items() if self.is_like(one)), "")
        raise Mistake(known or self._form() or otherwise)

    def _form(self) -> str:
        """What of the form, the order, the sign or the rounding of the answer is wrong; nothing for other mistakes."""
        right, got = self.right, _plain(self.got)
        if isinstance(right, tuple):
            wanted = _plain(right)
            if not isinstance(got, tuple) or len(got) != len(wanted):
                return "" if got is None else PARTS
            same = [bool(one == other) for one, other in zip(got, wanted, strict=True)]
            return ORDER if got == wanted[::-1] else SOME if any(same) else ""
        if not isinstance(right, int | float):
            return ""
        if isinstance(got, str | tuple):
            return TEXT if isinstance(got, str) else ALONE
        if right and self.is_like(-right):
            return SIGN
        if 0 < right < 1 and Asked(self.got, 100 * right, tolerance=100 * self.slack).is_like(100 * right):
            return PERCENT
        return CLOSE if Asked(self.got, right, tolerance=NEAR * self.slack).is_like(right) else ""

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
        return abs(self.right) / 100 if isinstance(self.right, float) else 1e-9

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
    given = name if isinstance(name, str) and len(name) <= LONGEST and words(name) else ""
    found = {**setup, VARIABLE: given or MODEL}  # as it is written: the student's data were drawn from these words
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "data", "exec"), found)
    return found, line(given).strip()


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
    """A choice without what does not matter: capitals and blanks of a text, tuple, list or array, and a number's last digits."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(_plain(one) for one in value)
    if isinstance(value, float):
        return round(value, 6)  # what was computed, and not rounded, is right as well
    return value.strip().casefold() if isinstance(value, str) else value
