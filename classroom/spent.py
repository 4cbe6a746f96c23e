"""What a process has spent: seconds of computing, and seconds in which it slept, as the kernel counts them (Linux).

No code in the process can change it. A process that waits for a processor, on a busy machine, does neither.
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from classroom.inside.child import PATIENCE

TICKS = os.sysconf("SC_CLK_TCK")


def inner(process: int) -> int:
    """The process that a chain of wrappers has started, each of them one."""
    try:
        while children := Path(f"/proc/{process}/task/{process}/children").read_text().split():
            process = int(children[0])
    except OSError:  # no Linux, or it has just ended
        pass
    return process


def waited(process: int) -> float:
    """Seconds for which the first thread of a process has waited for a processor; 0 where the system does not say."""
    try:
        return _queued(process)
    except (OSError, ValueError, IndexError):
        return 0.0


def _queued(process: int) -> float:
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9


@dataclass
class Budget:
    """Seconds that are left for all that one submission does."""

    left: float


class Spent:
    """What a process spends from now on. Where the system does not say, all time is spent, in part on others' work."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.began = time.monotonic()
        self.before = self.last = self._read()

    @property
    def passed(self) -> float:
        """Seconds that have passed."""
        return time.monotonic() - self.began

    def all(self) -> float:
        """Seconds of computing and sleeping."""
        return self._split()[0]

    def most(self) -> float:
        """The seconds of computing, or those of sleeping, whichever are more."""
        return self._split()[1]

    def _split(self) -> tuple[float, float]:
        passed = self.passed
        self.last = self._read() or self.last  # once it has ended, what was known before
        if self.last is None or self.before is None:
            return passed, passed / PATIENCE
        computed, queued = (after - before for after, before in zip(self.last, self.before, strict=True))
        return passed - queued, max(computed, passed - queued - computed)

    def _read(self) -> tuple[float, float] | None:
        """Seconds of computing of all its threads, and those in which the first waited for a processor."""
        try:
            fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / TICKS, _queued(self.process)
        except (OSError, ValueError, IndexError):
            return None
