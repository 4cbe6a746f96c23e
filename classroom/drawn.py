"""Data that differ by student: drawn from the name in the notebook, for the tests here as for the student there.

The tests never take data from a submission. They draw it anew from the name that the submission had when its data were
drawn. Whose name that is, is looked at when all are graded: what does not fit is for a person, and costs no points.
"""

import contextlib
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from attnlib.exercises.drawn import words
from attnlib.exercises.harness import Mistake, numbers
from classroom.texts import line

VARIABLE = "student"
MODEL = "Ada Lovelace"  # who solves the model answers, and whose data stand in where no name is written
LONGEST = 200


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
        """A number's answer, to compare with those of others; nothing where it is none, or one that is known as wrong."""
        try:
            got = float(numbers(self.got)) if isinstance(self.right, int | float) else math.nan
        except (Mistake, TypeError):
            return None
        if not math.isfinite(got):
            return None
        known = any(self.is_like(one) for one in self.wrong.values())
        return {"got": got, "right": float(self.right), "slack": self.slack, "known": known}


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


def reasons(drawn: dict[str, dict[str, Any] | None]) -> dict[str, list[str]]:
    """By student, why a person must look: a name that is nobody's, another's or of several, and another's numbers."""
    known = {student: one for student, one in drawn.items() if one}
    return {student: [*_named(student, known), *_copied(student, known)] for student in known}


def _named(student: str, known: dict[str, dict[str, Any]]) -> Iterator[str]:
    name = known[student]["name"]
    if not name:
        yield "no name is written in it, so that its numbers are nobody's: questions were graded with made-up ones"
        return
    same = [other for other, one in known.items() if other != student and words(one["name"]) == words(name)]
    if same:
        yield f"its numbers are those of “{name}”, as are those of {_few(same)}"
    elif not alike(name, student):
        owners = [other for other in known if other != student and alike(name, other)]
        whose = f", which is the name of {_few(owners)}" if owners else ""
        yield f"its numbers are those of “{name}”{whose}; it was handed in as {student}"


def _copied(student: str, known: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Numbers that are wrong here, of no known mistake, and right for another."""
    for test, mine in known[student]["asked"].items():
        if mine["known"] or abs(mine["got"] - mine["right"]) <= mine["slack"]:
            continue
        whose = [
            other
            for other, one in known.items()
            if other != student and test in one["asked"] and _is(mine["got"], one["asked"][test])
        ]
        if whose:
            yield f"{test}: wrong, and right for the numbers of {_few(whose)}"


def _is(got: float, other: dict[str, Any]) -> bool:
    return bool(abs(got - other["right"]) <= other["slack"])


def alike(name: str, student: str) -> bool:
    """Whether a written name can be that of the student as the platform writes it: one has all the words of the other.

    >>> alike("Ada Lovelace", "Lovelace-Ada_1815"), alike("Ada", "Grace-Hopper")
    (True, False)
    """
    one, other = words(name), words(student)
    inside = {*one} <= {*other} or {*other} <= {*one}
    return bool(one and other) and (inside or "".join(one) == "".join(other))


def _plain(value: Any) -> Any:
    """A choice without what does not matter: capitals and blanks of a text, tuple or list."""
    if isinstance(value, list | tuple):
        return tuple(_plain(one) for one in value)
    return value.strip().casefold() if isinstance(value, str) else value


def _few(students: list[str]) -> str:
    named = [line(one) for one in students[:3]]
    return ", ".join(named) + (f" and {len(students) - 3} more" if len(students) > 3 else "")
