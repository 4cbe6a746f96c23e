"""What an exercise is, and the properties that an answer must have."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attnlib.exercises.guard import LIMIT, stopped

Case = tuple[Any, ...]
RESULT = "The result"
MOST_BESIDE = 8  # rows and columns of a grid that is shown beside the expected one


class Mistake(Exception):
    """A sentence for the student: what is wrong, and the likely reason. Two small grids can be shown with it."""

    def __init__(self, says: str, expected: Any = None, got: Any = None) -> None:
        super().__init__(says)
        grids = [np.asarray(grid) for grid in (expected, got) if grid is not None]
        alike = len(grids) == 2 and grids[0].shape == grids[1].shape  # else the sentence says it better
        small = alike and all(grid.ndim == 2 and 0 < max(grid.shape) <= MOST_BESIDE for grid in grids)
        self.beside = (grids[0], grids[1]) if small else None


@dataclass(frozen=True)
class Property:
    """One thing that a right answer does: `test(answer)` returns, or raises `Mistake`. It has `seconds` for that."""

    name: str
    test: Callable[[Any], None]
    seconds: float = LIMIT


@dataclass(frozen=True)
class Exercise:
    """An exercise: its place in the book, its hints, and how an answer is judged.

    One of kind "program" has `properties`, each worth a point. The others have a `question`: what
    `attnlib.widgets.Choice` (with `options`) or `attnlib.widgets.Number` takes. `misconception` is the
    belief that the exercise is there to find, for teachers. Hints may hold `code` in backticks and *emphasis*.
    `calculus` says that it needs derivatives.
    """

    id: str
    title: str
    kind: Literal["concept", "derive", "program"]
    difficulty: Literal["easy", "medium", "hard"]
    minutes: int
    misconception: str
    hints: tuple[str, ...]
    properties: tuple[Property, ...] = ()
    question: Mapping[str, Any] | None = None
    calculus: bool = False

    @property
    def meta(self) -> str:
        """What stands under its title: kind, difficulty, minutes."""
        minutes = f"{self.minutes} minute{'' if self.minutes == 1 else 's'}"
        calculus = ["needs calculus"] if self.calculus else []
        return " · ".join([self.kind.capitalize(), self.difficulty, minutes, *calculus])


def agrees(
    name: str,
    reference: Callable[..., Any],
    cases: Sequence[Case],
    mistakes: Sequence[tuple[str, Callable[..., Any]]] = (),
    *,
    tolerance: float = 1e-9,
    seconds: float = LIMIT,
) -> Property:
    """The answer is a function that returns what `reference` returns, for every case of arguments.

    `mistakes` pairs a sentence with a function that makes that mistake. A sentence is said only of an answer that does
    in *every* case what its function does: in one small case two mistakes may coincide, or a mistake and a number
    that has nothing to do with it. Any other wrong result names the shape, or the first cell that differs.
    """

    def test(answer: Any) -> None:
        seen = [(case, _outcome(answer, case)) for case in cases]
        for case, got in seen:
            if isinstance(got, Mistake):
                raise got
            likely = ((says, _made(wrong, case)) for says, wrong in mistakes if _fits(wrong, seen, tolerance))
            compare(got, reference(*copy.deepcopy(case)), likely, tolerance=tolerance, given=_shapes(case))

    return Property(name, test, seconds)


def _outcome(answer: Any, case: Case) -> np.ndarray | Mistake:
    """The numbers that come for the case, or what is wrong with it that needs no comparison."""
    try:
        return numbers(call(answer, case))
    except Mistake as mistake:
        return mistake


def _fits(wrong: Callable[..., Any], seen: Iterable[tuple[Case, np.ndarray | Mistake]], tolerance: float) -> bool:
    """Whether the answer did in every case what `wrong` does: gave its numbers, or stopped with the same error.

    A mistake that cannot be made with the sizes of one case, where the answer gave numbers, is not this answer's.
    """
    for case, got in seen:
        try:
            made = np.asarray(_made(wrong, case), dtype=float)
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            if not (isinstance(got, Mistake) and type(got.__cause__).__name__ == type(error).__name__):
                return False
        else:
            if isinstance(got, Mistake) or not _equal(got, made, tolerance):
                return False
    return True


def _made(wrong: Callable[..., Any], case: Case) -> Any:
    with np.errstate(all="ignore"):
        return wrong(*copy.deepcopy(case))


def _shapes(case: Case) -> str:
    shapes = [str(np.shape(value)) for value in case if isinstance(value, np.ndarray)]
    return f", for arguments of shape {' and '.join(shapes)}" if shapes else ""


def call(answer: Any, case: Case) -> Any:
    """What the student's function returns for the case, which it cannot change; what goes wrong becomes a `Mistake`."""
    if not callable(answer):
        raise Mistake(f"Hand over the function itself, without calling it: {kind(answer)} came.")
    given = copy.deepcopy(case)
    try:
        with np.errstate(all="ignore"):  # a NaN or an infinity gets a sentence of its own
            got = answer(*given)
    except (Exception, SystemExit) as error:
        raise Mistake(stopped(error, answer, len(case))) from error
    for number, (before, after) in enumerate(zip(case, given, strict=True), 1):
        if not _same(before, after):
            raise Mistake(f"Your function changed its argument {number} in place: work on a copy.")
    return got


def kind(value: Any) -> str:
    """What a value is, in a sentence: "None", "an int"."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _same(before: Any, after: Any) -> bool:
    """Whether an argument is as it was. Only arrays, and lists and dictionaries of them, are looked at."""
    if isinstance(before, np.ndarray):
        return before.shape == after.shape and np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")
    if isinstance(before, list | tuple):
        return len(before) == len(after) and all(_same(*pair) for pair in zip(before, after, strict=True))
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(_same(value, after[key]) for key, value in before.items())
    return not isinstance(before, int | float | str) or bool(before == after)


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
    found, right = numbers(got, what), np.asarray(expected, dtype=float)
    if _equal(found, right, tolerance):
        return
    for says, wrong in mistakes:
        if _equal(found, np.asarray(wrong, dtype=float), tolerance):
            raise Mistake(says, right, found)
    if found.shape != right.shape:
        raise Mistake(f"{what} should have shape {right.shape}, got {found.shape}{given}.", right, found)
    if what == RESULT and found.ndim and not found.any():
        raise Mistake("Your function returns zeros only.")  # the stub: no grid says it better
    astray = np.isfinite(right) & ~np.isfinite(found)
    if astray.any():
        cell = np.argwhere(astray)[0]
        raise Mistake(
            f"{what} holds {minus(str(found[tuple(cell)]))}{_at(cell)}{given}: "
            f"it should be {minus(f'{right[tuple(cell)]:.4g}')}. {_why(found)}",
            right,
            found,
        )
    cell = np.argwhere(~np.isclose(found, right, rtol=tolerance, atol=tolerance, equal_nan=True))[0]
    a, b = map(minus, apart(right[tuple(cell)], found[tuple(cell)]))
    raise Mistake(f"{what}{_at(cell)} should be {a}, got {b}{given}.", right, found)


def numbers(got: Any, what: str = RESULT) -> np.ndarray:
    """A result as an array of floats."""
    if got is None:
        raise Mistake(f"{what} is None: does the function end in `return`?")
    try:
        if np.iscomplexobj(got):
            raise Mistake(f"{what} should be real numbers, got complex ones.")
        return np.array(got, dtype=float)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        pass
    if isinstance(got, tuple):
        raise Mistake(f"{what} is a tuple of {len(got)}: return one array alone.")
    if isinstance(got, list):
        raise Mistake(f"{what} is a list that is no grid of numbers: are its rows of one length?")
    raise Mistake(f"{what} should be numbers, got {kind(got)}.")


def booleans(got: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """A mask of True and False, as an array; lists of them, and whatever NumPy reads as such, are taken too.

    Raises `Mistake` for numbers, also for 0 and 1, and for another shape than `shape`, where one is given.

    >>> booleans([[True, False]]).shape
    (1, 2)
    """
    found = numbers(got, "The mask")
    if np.asarray(got).dtype != bool:
        raise Mistake("A mask holds True and False; yours holds numbers. Leave the comparison as it is.")
    if shape is not None and found.shape != shape:
        raise Mistake(f"The mask should have shape {shape}, got {found.shape}.")
    return found.astype(bool)


def minus(number: str) -> str:
    """A number's text with a true minus sign, as everywhere in the book.

    >>> minus("-0.5"), minus("-1e-05")
    ('−0.5', '−1e−05')
    """
    return number.replace("-", "−")


def _why(found: np.ndarray) -> str:
    if np.isnan(found).any():
        return "A NaN comes from ∞/∞, ∞ − ∞ or 0/0: did `exp` meet a number too large for it, or a sum come to 0?"
    return "An infinity comes from a division by 0, or from `exp` of a number too large for it."


def apart(right: float, got: float) -> tuple[str, str]:
    """Both numbers, with as many digits as it takes to tell them apart."""
    pairs = ((f"{right:.{digits}f}", f"{got:.{digits}f}") for digits in (4, 6, 9))
    return next((pair for pair in pairs if pair[0] != pair[1]), (repr(float(right)), repr(float(got))))


def _equal(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    return a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def _at(cell: np.ndarray) -> str:
    return f" at {[int(i) for i in cell]}" if cell.size else ""
