"""How far a long command is: one line that is written over in a terminal, elsewhere a line now and then."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

EVERY = {True: 0.2, False: 30}  # seconds between what is said, in a terminal and elsewhere

T = TypeVar("T")


def told(found: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Pass on what is found, and say how many of `total` are done and left, and how long that takes."""
    start = said = time.monotonic()
    terminal, width = sys.stdout.isatty(), 0
    for done, one in enumerate(found, 1):
        yield one
        now = time.monotonic()
        if now - said >= EVERY[terminal] and done < total:
            said = now
            text = f"{what}: {done} of {total}, {total - done} left, {_about((now - start) / done * (total - done))}"
            print(f"\r{text:{width}}" if terminal else text, end="" if terminal else "\n", flush=True)
            width = len(text)
    if terminal and width:
        print(f"\r{'':{width}}\r", end="", flush=True)


def _about(seconds: float) -> str:
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"
