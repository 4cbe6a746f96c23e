"""What one submission may use, and what the teacher said about it."""

import json
import os
from dataclasses import dataclass, fields


class Refused(Exception):
    """Something that the teacher must decide before work is graded: the sentence says what."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use. `CLASSROOM_LIMITS='{"seconds": 30}'` changes any of them."""

    seconds: float = 10  # of computing, for a cell, or one call in a test
    total: float = 40  # for all of its cells and calls, every restart included
    submission: float = 55  # for everything about it: reading, running, nbgrader, feedback
    memory: int = 4 << 30  # bytes of address space; torch needs two of these GiB before it does anything
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
        known = {one.name: one.type for one in fields(cls)}
        try:
            said = json.loads(text)
            wrong = [
                name
                for name, most in said.items()
                if name not in known or isinstance(most, bool) or not 0 < most < 1 << 62
            ]
        except (ValueError, AttributeError, TypeError):
            raise Refused(
                f'CLASSROOM_LIMITS is {text!r}; write it as {{"seconds": 30}}, with numbers above zero.'
            ) from None
        if wrong:
            raise Refused(f"CLASSROOM_LIMITS: {', '.join(wrong)} is no limit above zero; there are {', '.join(known)}.")
        return cls(**{name: float(most) if known[name] is float else int(most) for name, most in said.items()})
