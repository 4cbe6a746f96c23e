"""Parameters in 8 bits: each row of an array (its last axis) as whole multiples, −127 … 127, of a step of its own.

The step is the row's largest magnitude / 127, so that each number is off by at most half of it, 1/254 of that largest.
This is absmax quantization to int8 by rows (Dettmers et al. 2022, arXiv:2208.07339, §2). What was quantized once stays as
it is when it is quantized again.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float32, Int8
from numpy import ndarray as Array

LEVELS = 127
STEPS = ".steps"  # what a file calls them, after the name of their array


class Quantized(NamedTuple):
    """An array in 8 bits: its whole multiples, and the step of each row."""

    levels: Int8[Array, "*rows n"]
    steps: Float32[Array, "*rows"]

    @property
    def values(self) -> Array:
        """The numbers that they stand for, in float64.

        >>> quantize("w", [[1.0, -2.0, 0.5]]).values.round(3)
        array([[ 1.008, -2.   ,  0.504]])
        """
        values: Array = self.levels * self.steps.astype(float)[..., None]
        return values


def quantize(name: str, array: Any) -> Quantized:
    """An array in 8 bits.

    Args:
        name: what an error calls it.
        array: numbers, (…, n).

    Returns:
        Its levels, (…, n), and the steps of its rows, (…,).

    Raises:
        ValueError: for a number that float32 does not hold, with its index, and for an array without an axis.

    >>> quantize("w", [1.0, -2.0, 0.5]).levels
    array([  64, -127,   32], dtype=int8)
    """
    array = np.asarray(array, dtype=float)
    if not array.ndim:
        raise ValueError(f"{name} must be an array of one axis or more, got a number")
    for index in np.argwhere(~(np.abs(array) <= np.finfo(np.float32).max)):
        raise ValueError(
            f"{name}{index.tolist()} is {array[tuple(index)]}: float32 holds what is finite and below 3.4e38"
        )
    steps = (np.abs(array).max(axis=-1, initial=0) / LEVELS).astype(np.float32)
    levels = np.rint(array / np.where(steps, steps, 1).astype(float)[..., None])
    return Quantized(levels.clip(-LEVELS, LEVELS).astype(np.int8), steps)


def write(file: Any, arrays: Mapping[str, Quantized]) -> None:
    """Write arrays by name into an .npz file; `read` gives their values.

    Args:
        file: a path, or a file open for writing.
        arrays: each in 8 bits.
    """
    kept = {name: one.levels for name, one in arrays.items()}
    kept |= {name + STEPS: one.steps for name, one in arrays.items()}
    np.savez_compressed(file, **kept)  # type: ignore[arg-type]


def read(file: Any) -> dict[str, Array]:
    """The values of what `write` wrote, by name, in float64.

    >>> import io
    >>> write(file := io.BytesIO(), {"w": quantize("w", [1.0, -2.0])})
    >>> _ = file.seek(0)
    >>> read(file)["w"].round(2)
    array([ 1.01, -2.  ])
    """
    kept = np.load(file)
    names = [name for name in kept if name + STEPS in kept]
    return {name: Quantized(kept[name], kept[name + STEPS]).values for name in names}
