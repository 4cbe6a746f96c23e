"""What a student's function returned: read as numbers, compared, and told in sentences that are true of it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from attnlib.markup import kind

RESULT = "The result"
MOST_BESIDE = 8  # rows and columns of a grid that is shown beside the expected one
COMPLEX = "should be real numbers, got complex ones"
Grids = tuple[np.ndarray, np.ndarray]  # what is expected, and what came
SLACK = {2: 1e-2, 4: 1e-4}  # by the bytes of a number: what rounding may do to a right answer


class Mistake(Exception):
    """A sentence for the student: what is wrong, and the likely reason. Two small grids can be shown with it."""

    def __init__(self, says: str, expected: Any = None, got: Any = None) -> None:
        super().__init__(says)
        grids = [np.asarray(grid) for grid in (expected, got) if grid is not None]
        alike = len(grids) == 2 and grids[0].shape == grids[1].shape  # else the sentence says it better
        small = alike and all(grid.ndim == 2 and 0 < max(grid.shape) <= MOST_BESIDE for grid in grids)
        shown = small and all(grid.dtype.kind in "biuf" for grid in grids)
        self.beside = (grids[0], grids[1]) if shown else None


def compare(
    got: Any,
    expected: Any,
    mistakes: Iterable[tuple[str, Any]] = (),
    *,
    tolerance: float = 1e-9,
    what: str = RESULT,
    given: str = "",
) -> None:
    """Raise `Mistake` unless `got` is `expected`: with the sentence of the mistake whose result it is, if any.

    `what` names the result in a sentence, and `given` ends it.
    """
    array, right = numbers(got, what), np.asarray(expected, dtype=float)
    if equal(array, right, tolerance):
        return
    shown = _as_masks(np.asarray(expected), got, right, array)
    if array.shape == right.shape and what == RESULT and array.ndim and not array.any() and shown[1].dtype != bool:
        raise Mistake("The result holds zeros only.")  # the stub: no grid says it better
    for says, wrong in mistakes:
        made = np.asarray(wrong, dtype=float)
        told_apart = array.dtype == float or not equal(made.astype(array.dtype), right, tolerance)
        if told_apart and equal(array, made, tolerance):
            raise Mistake(says, *shown)
    raise Mistake(_differs(array, right, tolerance, what, given, shown), *shown)


def _as_masks(expected: np.ndarray, got: Any, right: np.ndarray, array: np.ndarray) -> Grids:
    """The right numbers and those that came, as they are to be shown: those of a mask as True and False."""
    came = isinstance(got, np.ndarray) and got.dtype == bool
    mask = expected.dtype == bool or (came and np.isin(right, (0, 1)).all())
    return right.astype(bool) if mask else right, array.astype(bool) if came else array


def _differs(array: np.ndarray, right: np.ndarray, tolerance: float, what: str, given: str, shown: Grids) -> str:
    """The sentence for a result that no known mistake gives."""
    if array.shape != right.shape:
        alike = array.shape[1:] == right.shape and len(array) > 1
        several = alike and any(equal(part, right, tolerance) for part in array)
        alone = f" Return one of these {len(array)} alone." if several else ""
        if not right.ndim:
            return f"{what} should be one number, got an array of shape {array.shape}{given}.{alone}"
        return (
            f"{what} should have shape {right.shape}, got {array.shape if array.ndim else 'one number'}{given}.{alone}"
        )
    if array.ndim and equal(array[::-1], right, tolerance):
        parts, order = "rows" if array.ndim == 2 else "parts", "exchanged" if len(array) == 2 else "reverse"
        return f"{what} has its {len(array)} {parts} in {order} order{given}."
    astray = np.isfinite(right) & ~np.isfinite(array)
    if astray.any():
        cell = np.argwhere(astray)[0]
        a, b = minus(f"{right[tuple(cell)]:.4g}"), minus(str(array[tuple(cell)]))
        return f"{what} holds {b}{_at(cell)}{given}: it should be {a}. {_WHY[b]}"
    cell = np.argwhere(~close(array, right, tolerance))[0]
    a, b = apart(float(right[tuple(cell)]), float(array[tuple(cell)]))
    if shown[0].dtype == bool:
        a, b = str(shown[0][tuple(cell)]), str(array[tuple(cell)].astype(shown[1].dtype))
    return f"{what}{_at(cell)} should be {a}, got {b}{given}.{_in_single(array, right)}"


def off(array: np.ndarray, right: np.ndarray) -> float:
    """The largest difference of two grids of one shape; what is not finite must stand in both at one place."""
    with np.errstate(all="ignore"):
        return float(np.max(np.where(np.equal(array, right), 0, np.abs(array.astype(float) - right)), initial=0))


def precision(results: Iterable[tuple[Any, Any]]) -> str | None:
    """What to say of a right answer that is right to single precision alone; `results` are pairs, expected and got.

    >>> precision([(1 / 3, np.float32(1 / 3))]), precision([(0.5, np.float32(0.5))])
    ("right to float32's precision (largest difference 1e−08)", None)
    """
    pairs = [(np.asarray(right, dtype=float), np.asarray(got, dtype=float)) for right, got in results]
    largest = max((off(got, right) for right, got in pairs if not equal(got, right)), default=0.0)
    return f"right to float32's precision (largest difference {minus(f'{largest:.0e}')})" if largest else None


def _in_single(array: np.ndarray, right: np.ndarray) -> str:
    """A word on precision, where no number is further from the right one than single precision may leave it."""
    largest = off(array, right)
    if not largest <= SLACK[4] * np.abs(right[np.isfinite(right)]).max(initial=0):
        return ""
    return f" No number is off by more than {minus(f'{largest:.0e}')}: was it computed in float32? Here float64 is asked for."


_WHY = {
    "nan": "A NaN comes from ∞/∞, ∞ − ∞, 0 · ∞ or 0/0, or from the root or logarithm of a number below 0: "
    "did `exp` meet a number too large for it, or a sum come to 0?",
    "inf": "∞ comes from a division by 0, or from a number too large to be written, as `exp` of a large score is.",
    "−inf": "−∞ is the score of a blocked key; otherwise it comes from ln 0, a division by 0, or a number too large.",
}


def numbers(got: Any, what: str = RESULT) -> np.ndarray:
    """A result as an array of floats, and of its own precision where that is below double; raises `Mistake` else.

    Numbers are what `float` takes, text aside: integers, fractions, decimals, truth values, and arrays, tensors and
    lists of them. A masked array counts only when nothing in it is masked, a matrix as the array that it holds.

    >>> numbers([[1, True]])
    array([[1., 1.]])
    """
    array = _array(got, what)
    if array.dtype.kind == "c":
        raise Mistake(f"{what} {COMPLEX}.")
    if array.dtype.kind in "US":  # a number that is written out is none
        array = np.asarray(got, dtype=object)
    if array.dtype.kind == "O":
        return np.array([*_floats(array, what)], dtype=float).reshape(array.shape)
    if array.dtype.kind not in "biuf":
        raise Mistake(f"{what} should be numbers, got an array of {array.dtype.name}.")
    with np.errstate(all="ignore"):
        return array.astype(array.dtype if array.dtype.kind == "f" and array.itemsize in SLACK else float)


def booleans(got: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """A mask of True and False, as an array; lists of them, and whatever NumPy reads as such, are taken too.

    Raises `Mistake` for numbers, also for 0 and 1, and for another shape than `shape`, where one is given.

    >>> booleans([[True, False]]).shape
    (1, 2)
    """
    array = _array(got, "The mask")
    if shape is not None and array.shape != shape:
        raise Mistake(f"The mask should have shape {shape}, got {array.shape}.")
    if array.dtype != bool:
        of = "objects" if numbers(got, "The mask").size and array.dtype == object else "numbers"
        raise Mistake(f"A mask holds True and False; yours holds {of}. Leave the comparison as it is.")
    return array.copy()


def pair(got: Any, first: str, second: str) -> tuple[Any, Any]:
    """The two things that a function returns, in a tuple, a list or an array; the names are for the sentence.

    >>> pair([1, 2], "the cache", "the output")
    (1, 2)
    """
    parts = isinstance(got, tuple | list) or (isinstance(got, np.ndarray) and got.ndim > 0)
    if not parts or len(got) != 2:
        raise Mistake(f"Return two things, {first} and {second}: got {kind(got)}{f' of {len(got)}' if parts else ''}.")
    return got[0], got[1]


def _array(got: Any, what: str) -> np.ndarray:
    """The array that NumPy makes of a result."""
    if got is None:
        raise Mistake(f"{what} is None: does the function end in `return`?")
    try:
        if _is_masked(got):
            raise Mistake(f"{what} is a masked array: its masked cells hold no numbers.")
        return np.asarray(_bare(got))
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise Mistake(_ragged(got, what)) from None


def _is_masked(got: Any) -> bool:
    return bool(np.ma.is_masked(got)) or (isinstance(got, list | tuple) and any(map(_is_masked, got)))


def is_mask(got: Any) -> bool:
    """Whether a result that NumPy can read holds truth values alone."""
    return bool(np.asarray(_bare(got)).dtype == bool)


def _bare(value: Any) -> Any:
    """A tensor, alone or in lists, without its gradient and on the processor, where NumPy can read it."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        return value.half() if str(value.dtype) == "torch.bfloat16" else value
    return [_bare(one) for one in value] if isinstance(value, list | tuple) else value


def _ragged(got: Any, what: str) -> str:
    """The sentence for what NumPy makes no grid of."""
    if isinstance(got, tuple):
        return f"{what} is a tuple of {len(got)}{_unlike(got)}: return one of them alone."
    of = f" of {len(got)}{_unlike(got)}" if isinstance(got, list) else ""
    return f"{what} is {kind(got)}{of}: that is no grid of numbers."


def _unlike(parts: Sequence[Any]) -> str:
    """The shapes of the parts, two at most, where each has one and they differ."""
    try:
        shapes = list(dict.fromkeys(str(np.shape(_bare(part))) for part in parts))
    except (TypeError, ValueError, RuntimeError):
        return ""
    others = " among others" if len(shapes) > 2 else ""
    return f", of shapes {shapes[0]} and {shapes[1]}{others}" if len(shapes) > 1 else ""


def _floats(array: np.ndarray, what: str) -> Iterator[float]:
    for cell in np.ndindex(array.shape):
        value, at = array[cell], _at(np.array(cell))
        if isinstance(value, complex):
            raise Mistake(f"{what} {COMPLEX}.")
        if not hasattr(type(value), "__float__") or np.ndim(value):
            raise Mistake(f"{what} {_no_number(value, at)}.")
        try:
            yield float(value)
        except OverflowError:
            raise Mistake(f"{what} holds{at} a number too large to compare: above 10³⁰⁸.") from None
        except (TypeError, ValueError):
            raise Mistake(f"{what} holds {kind(value)}{at} that is no number.") from None


def _no_number(value: Any, at: str) -> str:
    error = issubclass(value if isinstance(value, type) else type(value), BaseException)
    hint = ": raise it, do not return it" if error else ""
    what = f"holds {kind(value)}{at}, where a number should be" if at else f"should be numbers, got {kind(value)}"
    return what + hint


def minus(number: str) -> str:
    """A number's text with a true minus sign, as everywhere in the book.

    >>> minus("-0.5"), minus("-1e-05")
    ('−0.5', '−1e−05')
    """
    return number.replace("-", "−")


def apart(right: float, got: float) -> tuple[str, str]:
    """Both numbers, with as many digits as it takes to tell them apart. Zero has no sign.

    >>> apart(0.99, 0.987), apart(0.0, -1e-12)
    (('0.9900', '0.9870'), ('0.0', '−1e−12'))
    """
    pairs = ((_digits(right, n), _digits(got, n)) for n in (4, 6, 9))
    written = minus(repr(float(right))), minus(repr(float(got)))
    return next((pair for pair in pairs if pair[0] != pair[1]), written)


def _digits(number: float, digits: int) -> str:
    text = f"{number:.{digits}f}" if abs(number) < 1e6 else f"{number:.{digits + 4}g}"
    return text.replace("-", "") if float(text) == 0 else minus(text)


def close(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-9) -> np.ndarray:
    """Which numbers of `a` are those of `b`, as closely as the precision of `a` allows."""
    slack = max(tolerance, SLACK.get(a.itemsize, 0) if a.dtype.kind == "f" else 0)
    with np.errstate(all="ignore"):
        return np.asarray(np.isclose(a, b, rtol=slack, atol=slack, equal_nan=True))


def equal(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-9) -> bool:
    """Whether all numbers of `a` are those of `b`, and of one shape."""
    return a.shape == b.shape and bool(close(a, b, tolerance).all())


def _at(cell: np.ndarray) -> str:
    return f" at {[int(i) for i in cell]}" if cell.size else ""
