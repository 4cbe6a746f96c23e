"""What every function of the package does with its inputs: one dtype to compute in, and errors that name the index."""

from typing import Any

import numpy as np
from numpy import ndarray as Array
from numpy.typing import ArrayLike


def working_copies(**arrays: ArrayLike | None) -> tuple[list[Any], np.dtype]:
    """The arrays in the dtype to compute in, and the dtype to return. What is None stays None."""
    given = {name: np.asarray(array) for name, array in arrays.items() if array is not None}
    for name, array in given.items():
        if array.dtype.kind not in "iuf":
            raise ValueError(f"{name} must hold real numbers, got dtype {array.dtype}")
    dtype = np.result_type(*(np.float64 if a.dtype.kind in "iu" else a.dtype for a in given.values()))
    working = np.promote_types(dtype, np.float32)
    return [given[name].astype(working, copy=False) if name in given else None for name in arrays], dtype


def forbid(name: str, array: Array, wrong: Array, problem: str) -> None:
    """Raise for the first True of `wrong`, naming its index."""
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        label = f"{name}[{', '.join(map(str, index))}]" if index else name
        raise ValueError(f"{label} " + problem.format(value=array[index]))


def must_be_finite(**arrays: Array | None) -> None:
    """Raise for the first entry that is NaN or infinite."""
    for name, array in arrays.items():
        if array is not None and not (finite := np.isfinite(array)).all():
            forbid(name, array, ~finite, "is {value}")


def scale_factor(query: Array, scale: float | None) -> Any:
    """What the scores are multiplied by, in the dtype of `query` (a bare float64 would upcast it): `scale`, or 1/√d_k for None."""
    if scale is not None and not np.isfinite(scale):
        raise ValueError(f"scale must be finite, got {scale}")
    return query.dtype.type(query.shape[-1] ** -0.5 if scale is None else scale)


def check_sizes(query: Array, key: Array, value: Array) -> None:
    """Raise when the three do not fit each other, hold no rows, or an entry that is not finite."""
    problem = None
    if min(query.ndim, key.ndim, value.ndim) < 2 or 0 in (*query.shape[-2:], *key.shape[-2:]):
        problem = "two axes or more, and no empty sequence, are needed"
    elif (*query.shape[:-2], query.shape[-1]) != (*key.shape[:-2], key.shape[-1]) or key.shape[:-1] != value.shape[:-1]:
        problem = "query and key must share d_k, key and value their rows, and all the batch axes"
    if problem:
        raise ValueError(f"{problem}: query {query.shape}, key {key.shape}, value {value.shape}")
    must_be_finite(query=query, key=key, value=value)
