"""What every function of the package does with its inputs: one dtype to compute in, and errors that name the parameter.

A wrong Python type is a TypeError, any other fault a ValueError. Both say it in one sentence, the same everywhere.

The dtype of a result, but where a function says otherwise, is the one that NumPy promotes all given arrays to, a bias
included, integers counting as float64; float16 is computed in float32.
"""

import math
import numbers
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy import ndarray as Array
from numpy.typing import ArrayLike

FLOATS = (np.float16, np.float32, np.float64)
LARGEST = 2**53  # no size, place or count is larger
KINDS = {
    "iuf": "hold real numbers",
    "iu": "hold integers",
    "b": "be boolean (True = may attend)",
    "bf": "be boolean or a float bias",
}


def as_array(name: str, value: Any, kinds: str = "iuf", ndim: int = 0) -> Array:
    """`value` as an array; lists will do.

    Args:
        name: what an error calls it.
        value: anything that NumPy makes an array of.
        kinds: the kinds of dtype that will do, one of `KINDS`: real numbers, integers, or booleans.
        ndim: the fewest axes.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be an array: its rows differ in length") from None
    except Exception:
        raise TypeError(f"{name} must be an array, got {_told(value)}") from None
    if array.dtype.kind == "O" or isinstance(value, str | bytes):
        raise TypeError(f"{name} must be an array, got {_told(value)}")
    if array.size == 0 and isinstance(value, list | tuple):  # NumPy has no way to know what an empty list would hold
        array = array.astype({"iuf": float, "iu": int}.get(kinds, bool))
    if array.dtype.kind not in kinds or (array.dtype.kind == "f" and array.dtype.type not in FLOATS):
        raise ValueError(f"{name} must {KINDS[kinds]}, got dtype {array.dtype}")
    if array.ndim < ndim:
        axes = ("no axis", "one axis", "two axes", "three axes")[ndim]
        raise ValueError(f"{name} needs {axes} or more, got shape {array.shape}")
    return array


def as_integer(name: str, value: Any, least: int = -LARGEST, most: int = LARGEST) -> int:
    """`value` as an int; 3.0 and True are none.

    Args:
        name, value: as for `as_array`.
        least, most: the bounds, which it may reach.
    """
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be an integer, got {_told(value)}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {_told(value)}") from None
    if not least <= number <= most:
        upper = f" and at most {most}" if most < LARGEST or number > most else ""
        raise ValueError(f"{name} must be {least} or more{upper}, got {_told(number)}")
    return number


def as_divisor(name: str, value: Any, whole: int, whose: str) -> int:
    """`value` as an int that divides a size.

    Args:
        name, value: as for `as_array`.
        whole, whose: the size, and what an error calls it.
    """
    number = as_integer(name, value, 1)
    if whole % number:
        raise ValueError(f"{name} must divide {whose} = {whole}, got {number}")
    return number


def as_number(name: str, value: Any, *, positive: bool = False, dtype: np.dtype | type = np.float64) -> float:
    """`value` as a finite float.

    Args:
        name, value: as for `as_array`.
        positive: whether it must be above 0.
        dtype: in which it must be finite (and above 0) too.
    """
    if isinstance(value, Array) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {_told(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if operator.gt(value, 0) else -math.inf
    with np.errstate(over="ignore", under="ignore"):
        kept = np.dtype(dtype).type(number)
    if not np.isfinite(kept) or (positive and not kept > 0):
        beyond = f" (in {np.dtype(dtype)})" if math.isfinite(number) and (number > 0 or not positive) else ""
        raise ValueError(f"{name} must be {'positive and ' * positive}finite{beyond}, got {_told(value)}")
    return number


def as_flag(name: str, value: Any) -> bool:
    """`value` as a bool, which it must be: "no" and 0 are none.

    Args:
        name, value: as for `as_array`.
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {_told(value)}")
    return bool(value)


def as_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """`value`, which must be one of some names.

    Args:
        name, value: as for `as_array`.
        choices: the names.
    """
    choices = tuple(choices)
    if as_text(name, value) not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return str(value)


def as_text(name: str, value: Any) -> str:
    """`value`, which must be a text.

    Args:
        name, value: as for `as_array`.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, got {_told(value)}")
    return value


def as_list(name: str, value: Any) -> list[Any]:
    """`value`, of several things, as a list; a text is none.

    Args:
        name, value: as for `as_array`.
    """
    if (
        not isinstance(value, Iterable)
        or isinstance(value, str | bytes | dict)
        or (isinstance(value, Array) and not value.ndim)
    ):
        raise TypeError(f"{name} must be a list, got {_told(value)}")
    return list(value)


def as_texts(name: str, value: Any) -> list[str]:
    """`value` as a list of texts.

    Args:
        name, value: as for `as_array`.
    """
    return [as_text(f"{name}[{i}]", text) for i, text in enumerate(as_list(name, value))]


def as_callable(name: str, value: Any) -> Any:
    """`value`, which must be a function.

    Args:
        name, value: as for `as_array`.
    """
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {_told(value)}")
    return value


def as_generator(name: str, value: Any) -> np.random.Generator:
    """`value`, which must be a random generator of NumPy.

    Args:
        name, value: as for `as_array`.
    """
    if not isinstance(value, np.random.Generator):
        raise TypeError(f"{name} must be a numpy.random.Generator, got {_told(value)}")
    return value


def as_float_dtype(name: str, value: Any) -> np.dtype:
    """`value` as one of the dtypes that results may have.

    Args:
        name, value: as for `as_array`.
    """
    try:
        dtype: np.dtype | None = None if value is None else np.dtype(value)  # for NumPy None is float64
    except Exception:
        dtype = None
    if dtype is None:
        raise TypeError(f"{name} must be a dtype, got {_told(value)}")
    if dtype.type not in FLOATS:
        raise ValueError(f"{name} must be float16, float32 or float64, got {_told(value)}")
    return dtype


def working_copies(*optional: str, **arrays: ArrayLike | None) -> tuple[list[Any], np.dtype]:
    """The arrays in the dtype to compute in, and the dtype to return.

    Args:
        *optional: the names of those that may be None, and stay it.
        **arrays: the arrays, of any shape, by the names that errors call them.
    """
    given = {name: as_array(name, x) for name, x in arrays.items() if x is not None or name not in optional}
    dtype = np.result_type(*(np.float64 if a.dtype.kind in "iu" else a.dtype for a in given.values()))
    working = np.promote_types(dtype, np.float32)
    return [given[name].astype(working, copy=False) if name in given else None for name in arrays], dtype


def forbid(name: str, array: Any, wrong: Any, problem: str, at: tuple[int, ...] = ()) -> None:
    """Raise for the first entry that is wrong, naming its index.

    Args:
        name: what the error calls the array.
        array, wrong: the entries, and True for those that are wrong, of one shape.
        problem: the rest of the sentence, in which {value} is the entry.
        at: what precedes the index, where the array is a part of another.
    """
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        label = f"{name}[{', '.join(map(str, at + index))}]" if at + index else name
        raise ValueError(f"{label} " + problem.format(value=array[index]))


def must_be_finite(**arrays: Array | None) -> None:
    """Raise for the first entry that is NaN or infinite.

    Args:
        **arrays: the arrays, of any shape, or None, by the names that errors call them.
    """
    for name, array in arrays.items():
        if array is not None and not (finite := np.isfinite(array)).all():
            forbid(name, array, ~finite, "is {value}: it must be finite")


def must_fit(name: str, array: Any, whose: str, at: tuple[int, ...] = ()) -> None:
    """Raise for a result that left the range of its dtype.

    Args:
        name, array, at: as for `forbid`.
        whose: what is too large then, with its verb: "query and key are".
    """
    if not (finite := np.isfinite(array)).all():
        forbid(name, array, ~finite, f"leaves its range: {whose} too large for {array.dtype}", at)


def returned(array: Array, dtype: np.dtype, whose: str) -> Array:
    """A result in the dtype to return; an error where it leaves the range.

    Args:
        array, whose: as for `must_fit`.
        dtype: what to return it in.
    """
    with np.errstate(over="ignore"):
        result = array.astype(dtype, copy=False)
    must_fit("out", result, whose)
    return result


def _told(value: Any) -> str:
    """A value, short enough for a sentence, and its type unless it is a plain number."""
    shown = repr(value) if not isinstance(value, int) or abs(value) <= LARGEST else "a larger one"
    shown = shown if len(shown) <= 40 else shown[:37] + "…"
    return shown if type(value) in (int, float) else f"{shown} ({type(value).__name__})"
