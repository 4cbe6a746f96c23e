"""A roofline: how many multiply–adds a second a machine can do, by how many each byte that moves is good for.

A product needs its numbers. Where each byte that moves serves few multiply–adds, memory sets the pace; where it serves
many, arithmetic does. Source: Williams, Waterman & Patterson (2009).
"""

import json
import platform
import time
from collections.abc import Callable
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from attnlib import cost
from attnlib.checks import as_callable, as_integer, as_number
from attnlib.scaled_dot_product import attention_weights
from attnlib.streaming import streaming_attention

WAYS = ("all at once", "tile by tile", "writing a token")


class Point(NamedTuple):
    """A piece of work: multiply–adds for each byte that it must move at least, and multiply–adds per second as measured."""

    intensity: float
    rate: float


class Roofline(NamedTuple):
    """A machine, and what ran on it.

    Attributes:
        machine: its name, and what it was used with.
        peak: multiply–adds per second in a large product.
        bandwidth: bytes per second that a copy moves, those it reads and those it writes.
        points: what was measured, by name.

    >>> Roofline("a machine", peak=80e9, bandwidth=20e9, points={}).ridge
    4.0
    """

    machine: str
    peak: float
    bandwidth: float
    points: dict[str, Point]

    @property
    def ridge(self) -> float:
        """The multiply–adds for each byte from which on arithmetic sets the pace."""
        return self.peak / self.bandwidth

    def bound(self, intensity: float) -> float:
        """The most multiply–adds a second at so many for each byte that moves.

        Args:
            intensity: multiply–adds for each byte.

        Returns:
            The lesser of the peak, and of what the bandwidth lets through.

        >>> Roofline("a machine", peak=80e9, bandwidth=20e9, points={}).bound(0.5)
        10000000000.0
        """
        return min(self.peak, intensity * self.bandwidth)


def measure(n: int = 4096, width: int = 64, *, num_heads: int = 32, head: int = 128, runs: int = 5) -> Roofline:
    """The roofline of this machine, with as many threads as NumPy has here, and three pieces of work on it.

    All numbers have 4 bytes. The first two are one head's attention to a whole text, with its grid and tile by tile. The
    third is one query that meets the cache of a layer. Each piece runs a few times, and the fastest counts. Bytes
    are those of `attnlib.cost`: what must move at least, not what did.

    Args:
        n: tokens, 64 or more.
        width: d_k and d_v of the head that reads the text.
        num_heads, head: h, and d_k and d_v, of the layer that writes a token.
        runs: how often each piece runs. What the roof is made of runs four times as often, since a dot should not lie above it.

    Returns:
        What was measured.

    Raises:
        ValueError: for a size below its least.

    >>> found = measure(256, runs=1)
    >>> list(found.points), found.points["writing a token"].intensity < 1
    (['all at once', 'tile by tile', 'writing a token'], True)
    """
    for name, size, least in (
        ("n", n, 64),
        ("width", width, 1),
        ("num_heads", num_heads, 1),
        ("head", head, 1),
        ("runs", runs, 1),
    ):
        as_integer(name, size, least)
    draw = np.random.default_rng(0)

    def numbers(*shape: int) -> np.ndarray:
        return draw.standard_normal(shape, dtype=np.float32)

    square, other = numbers(2, 1024, 1024)
    full, empty = np.ones(32_000_000, np.float32), np.zeros(32_000_000, np.float32)
    query, key, value = numbers(3, n, width)
    asks, cache = numbers(num_heads, 1, head), numbers(2, num_heads, n, head)
    works: dict[str, tuple[Callable[[], object], cost.Cost]] = {
        WAYS[0]: (lambda: attention_weights(query, key) @ value, cost.attention_cost(n, n, width, width)),
        WAYS[1]: (lambda: streaming_attention(query, key, value), cost.streaming_cost(n, n, width, width)),
        WAYS[2]: (lambda: attention_weights(asks, cache[0]) @ cache[1],
            cost.attention_cost(1, n, head, head, num_heads=num_heads)),
    }  # fmt: skip
    return Roofline(
        f"NumPy on {platform.machine()}",
        peak=1024**3 / fastest(lambda: square @ other, 4 * runs),
        bandwidth=2 * full.nbytes / fastest(lambda: np.copyto(empty, full), 4 * runs),
        points={name: point(taken, fastest(work, runs)) for name, (work, taken) in works.items()},
    )


def fastest(work: Callable[[], object], runs: int) -> float:
    """The seconds of the fastest of several runs: whatever else a machine does can only add to them.

    Args:
        work: what is to be timed.
        runs: how often it runs, once or more.

    Returns:
        Seconds.

    Raises:
        ValueError: for less than one run.
        TypeError: for what is no function or no integer.

    >>> fastest(lambda: None, 3) >= 0
    True
    """
    work, runs, taken = as_callable("work", work), as_integer("runs", runs, 1), []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def point(taken: cost.Cost, seconds: float) -> Point:
    """The counts of a piece of work and its seconds, as a point under the roof.

    Args:
        taken: its multiply–adds and bytes.
        seconds: how long it took.

    Returns:
        Multiply–adds for each byte, and in each second.

    Raises:
        ValueError: for a time that is not above 0 or finite, or so short that the rate leaves its range.
        TypeError: for what is no cost or no number.

    >>> point(cost.Cost(multiply_adds=600, bytes_moved=200, peak_bytes=0), seconds=2)
    Point(intensity=3.0, rate=300.0)
    """
    if not isinstance(taken, cost.Cost):
        raise TypeError(f"taken must be what a function of attnlib.cost gives, got {type(taken).__name__}")
    rate = taken.multiply_adds / as_number("seconds", seconds, positive=True)
    return Point(taken.multiply_adds / taken.bytes_moved, as_number("the rate for these seconds", rate))


def recorded() -> Roofline:
    """What `python -m attnlib.training.roofline` recorded, and on which machine.

    Returns:
        The machine's name and its roof, with a point for each piece of work.

    >>> list(recorded().points)
    ['all at once', 'tile by tile', 'writing a token']
    """
    made = json.loads(files("attnlib").joinpath("data/roofline.json").read_text(encoding="utf8"))
    points = {name: Point(**values) for name, values in made["points"].items()}
    return Roofline(made["machine"], made["peak"], made["bandwidth"], points)
