"""A control group for a submission, where the machine lets us make one: memory and processes counted over all it starts.

Version 2 of the kernel's control groups where it has memory and pids for us, else version 1; often neither can be written
without root or a delegated group, and the limits of the process itself must do.
"""

import contextlib
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from classroom.limits import Limits

MOUNTED = Path("/sys/fs/cgroup")


@contextlib.contextmanager
def group(limits: Limits) -> Iterator[list[Path]]:
    """The `cgroup.procs` files that a process must be written into; none where no group could be made.

    Leaving it ends what is still inside, and removes the group.
    """
    made: list[Path] = []
    try:
        with contextlib.suppress(OSError):
            made += [folder for own, wanted in _own(limits) for folder in _make(own, wanted)]
        yield [folder / "cgroup.procs" for folder in made]
    finally:
        for folder in made:
            _remove(folder)


def stands(limits: Limits) -> bool:
    """Whether a group can be made here."""
    with group(limits) as made:
        return bool(made)


def _own(limits: Limits) -> Iterator[tuple[Path, dict[str, int]]]:
    """The groups that this process is in that can bound something, and what is to be written into a group below them."""
    pids = {"pids.max": limits.processes}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers and (MOUNTED / "cgroup.controllers").exists():  # version 2
            yield MOUNTED / path.lstrip("/"), {"memory.max": limits.memory, "memory.swap.max": 0, **pids}
        elif controllers == "memory":
            yield MOUNTED / controllers / path.lstrip("/"), {"memory.limit_in_bytes": limits.memory}
        elif controllers == "pids":
            yield MOUNTED / controllers / path.lstrip("/"), pids


def _make(own: Path, settings: dict[str, int]) -> list[Path]:
    folder = own / f"grading-{uuid.uuid4().hex[:12]}"
    try:
        folder.mkdir()
    except OSError:
        return []
    done = 0
    for name, most in settings.items():
        with contextlib.suppress(OSError):
            if (folder / name).exists():
                (folder / name).write_text(str(most))
                done += 1
    if done:
        return [folder]
    _remove(folder)  # a group without the controllers bounds nothing
    return []


def _remove(folder: Path) -> None:
    for _ in range(100):
        with contextlib.suppress(OSError):
            folder.rmdir()
            return
        with contextlib.suppress(OSError):
            for process in (folder / "cgroup.procs").read_text().split():
                os.kill(int(process), 9)
        time.sleep(0.01)
