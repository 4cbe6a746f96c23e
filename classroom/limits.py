"""The limits of a student's code: its time limit, its memory, its files; and what a teacher must decide about them."""

import json
import os
from dataclasses import dataclass, fields
from typing import Any


class Refused(Exception):
    """Something that the teacher must decide before work is graded: the sentence says what."""


LONGEST = 1 << 20  # seconds: twelve days, and a system waits for twenty-four at most


@dataclass(frozen=True)
class Limits:
    """The limits of one submission. `CLASSROOM_LIMITS='{"seconds": 30}'` changes any of them."""

    seconds: float = 4  # the time limit of a cell, or of one call in a test: of computing, and of sleeping
    total: float = 40  # the time limit for all of its cells and calls, of both together, every restart included
    submission: float = 90  # the deadline for everything about it: reading, running, nbgrader, feedback
    memory: int = 768 << 20  # bytes of memory of its own, which libraries are not
    output: int = 20_000  # characters that are kept of what a cell prints
    file: int = 10 << 20  # bytes of the largest file
    disk: int = 64 << 20  # bytes of all files
    files: int = 2000  # how many files and folders
    processes: int = 100  # threads, where a control group counts them
    reply: int = 16 << 20  # bytes of the largest answer

    @classmethod
    def chosen(cls) -> "Limits":
        """The limits that `CLASSROOM_LIMITS` names. Raises Refused for what is no limit, naming those that there are."""
        text = os.environ.get("CLASSROOM_LIMITS", "").strip() or "{}"
        known: dict[str, Any] = {one.name: one.type for one in fields(cls)}
        try:
            given = json.loads(text)
            wrong = [one for one, most in given.items() if not (one in known and _is_limit(most, known[one]))]
        except (ValueError, AttributeError, TypeError):
            example = 'write it as {"seconds": 30}, with numbers above zero'
            raise Refused(f"CLASSROOM_LIMITS is {text!r}; {example}.") from None
        if wrong:
            raise Refused(
                f"CLASSROOM_LIMITS: {', '.join(wrong)} is no limit above zero, or too large; there are {', '.join(known)}."
            )
        return cls(**{one: known[one](most) for one, most in given.items()})


def _is_limit(most: Any, kind: type) -> bool:
    return most is not True and 0 < most < (LONGEST if kind is float else 1 << 62) and bool(kind(most))
