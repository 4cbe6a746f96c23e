"""What an exercise is, and the properties that an answer must have."""

import copy
import functools
import sys
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np

from attnlib.exercises.drawn import drawn_for
from attnlib.exercises.guard import LIMIT, interrupts, stopped
from attnlib.exercises.results import (
    Mistake,
    apart,
    booleans,
    compare,
    equal,
    is_mask,
    minus,
    numbers,
    off,
    pair,
    precision,
)
from attnlib.markup import kind
from attnlib.questions import NumberQuestion, Question

__all__ = [
    "Case",
    "Exercise",
    "Mistake",
    "Property",
    "agrees",
    "apart",
    "booleans",
    "call",
    "call_traced",
    "compare",
    "drawn_for",
    "kind",
    "minus",
    "numbers",
    "pair",
    "precision",
]

Case = tuple[Any, ...]
EPSILON = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Property:
    """One thing that a right answer does: `test(answer)` returns, or raises `Mistake`. It has `seconds` for that.

    What it returns is what there is to say of a right answer, if anything.
    """

    name: str
    test: Callable[[Any], str | None]
    seconds: float = LIMIT


@dataclass(frozen=True)
class Exercise:
    """An exercise: its place in the book, its hints, and how an answer is judged.

    A program has `properties`, each worth a point. Others have a `question`. `misconception` is the
    belief that the exercise is there to find, for teachers. Hints may hold `code` in backticks and *emphasis*.
    `calculus` says that it needs derivatives.
    """

    id: str
    title: str
    difficulty: Literal["easy", "medium", "hard"]
    minutes: int
    misconception: str
    hints: tuple[str, ...]
    properties: tuple[Property, ...] = ()
    question: Question | None = None
    calculus: bool = False

    @property
    def kind(self) -> Literal["concept", "derive", "program"]:
        """What it asks for: a function, a number, or one of several answers."""
        if self.question is None:
            return "program"
        return "derive" if isinstance(self.question, NumberQuestion) else "concept"

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
    that has nothing to do with it. Zeros in every case tell of no mistake. Any other wrong result names the shape, or the first cell that differs.
    """
    right = functools.cache(lambda number: reference(*copy.deepcopy(cases[number])))
    made = functools.cache(lambda wrong, number: _made(wrong, cases[number]))

    single = functools.cache(lambda number: _moved(reference, cases[number], right(number)))

    def test(answer: Any) -> str | None:
        outcomes = [_outcome(answer, case) for case in cases]
        if _right_in_single(outcomes, right, single):
            return precision((right(number), got) for number, got in enumerate(outcomes))
        telling = () if all(map(_is_zero, outcomes)) else mistakes
        for number, got in enumerate(outcomes):
            if isinstance(got, Mistake):
                raise got
            fitting = (pair for pair in telling if _fits(functools.partial(made, pair[1]), outcomes, tolerance))
            likely = ((says, made(wrong, number)) for says, wrong in fitting)
            compare(got, right(number), likely, tolerance=tolerance, given=_shapes(cases[number]))
        return None

    return Property(name, test, seconds)


def _outcome(answer: Any, case: Case) -> np.ndarray | Mistake:
    """The numbers that come for the case, or truth values, or what is wrong with it that needs no comparison."""
    try:
        array = numbers(got := call(answer, case))
        return array.astype(bool) if is_mask(got) else array
    except Mistake as mistake:
        return mistake


def _is_zero(outcome: np.ndarray | Mistake) -> bool:
    return not isinstance(outcome, Mistake) and not outcome.any()


def _right_in_single(
    outcomes: Sequence[np.ndarray | Mistake], right: Callable[[int], Any], single: Callable[[int], float]
) -> bool:
    """Whether an answer is right in every case as far as single precision goes."""
    for number, got in enumerate(outcomes):
        expected = np.asarray(right(number), dtype=float)
        if isinstance(got, Mistake) or got.shape != expected.shape:
            return False
        if not (equal(got.astype(float), expected) or off(got, expected) <= single(number)):
            return False
    return True


def _moved(reference: Callable[..., Any], case: Case, right: Any) -> float:
    """How far single precision may move the right answer to a case: as far as arguments of that precision do, a few times.

    It is at most a thousandth of the largest number. Where more is lost, float32 is no precision for the case.
    """
    right = np.asarray(right, dtype=float)
    largest = float(np.abs(right[np.isfinite(right)]).max(initial=0))
    rounded = [
        value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == float else value
        for value in copy.deepcopy(case)
    ]
    got = _made(reference, tuple(rounded))
    moved = off(got, right) if isinstance(got, np.ndarray) and got.shape == right.shape else 0.0
    return min(4 * (moved + EPSILON * largest), 1e-3 * largest)


def _fits(made: Callable[[int], np.ndarray | str], outcomes: Sequence[np.ndarray | Mistake], tolerance: float) -> bool:
    """Whether the answer did in every case what a mistake does: gave its numbers, or stopped with the same error.

    A mistake that cannot be made with the sizes of one case, where the answer gave numbers, is not this answer's.
    """
    for number, got in enumerate(outcomes):
        result = made(number)
        if isinstance(got, Mistake) or isinstance(result, str):
            if not (isinstance(got, Mistake) and isinstance(result, str) and type(got.__cause__).__name__ == result):
                return False
        elif not equal(got, result, tolerance):
            return False
    return True


def _made(wrong: Callable[..., Any], case: Case) -> np.ndarray | str:
    """What the mistake gives, or the name of its error; what NumPy has to say of it is nothing for the student."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.asarray(wrong(*copy.deepcopy(case)), dtype=float)
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            return type(error).__name__


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
    except BaseException as error:
        if interrupts(error):
            raise
        raise Mistake(stopped(error, answer, len(case))) from error
    first = 1 + (len(answer.args) if isinstance(answer, functools.partial) else 0)
    for number, (before, after) in enumerate(zip(case, given, strict=True), first):
        if not _same(before, after):
            raise Mistake(f"Your function changed its argument {number} in place: work on a copy.")
    return got


def call_traced(answer: Any, case: Case) -> tuple[Any, int]:
    """What `call` returns, and the most bytes held meanwhile, or those of its largest tensor, if these are more.

    They differ by machine: a sentence names their bound. Where the student traces memory, that goes on.
    """
    with _largest_tensor() as tensor:
        traced = tracemalloc.is_tracing()
        tracemalloc.start()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        try:
            got = call(answer, case)
            return got, max(tracemalloc.get_traced_memory()[1] - before, tensor[0])
        finally:
            if not traced:
                tracemalloc.stop()


@contextmanager
def _largest_tensor() -> Iterator[list[int]]:
    """A list of one number, the bytes of the largest tensor made meanwhile: torch's memory is not among what Python traces."""
    largest = [0]
    if "torch" not in sys.modules:
        yield largest
        return
    tensor = sys.modules["torch"].Tensor
    leaves = import_module("torch.utils._pytree").tree_leaves

    class Watch(import_module("torch.utils._python_dispatch").TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, made_by: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            made = made_by(*args, **(kwargs or {}))
            sizes = (x.untyped_storage().nbytes() for x in leaves(made) if isinstance(x, tensor))
            largest[0] = max(largest[0], *sizes, 0)
            return made

    with Watch():
        tensor([0.0]).sum()  # what torch imports for this is no memory of an answer's
        largest[0] = 0
        yield largest


def _same(before: Any, after: Any) -> bool:
    """Whether an argument is as it was. Only arrays, and lists and dictionaries of them, are looked at."""
    if type(after) is not type(before):
        return False
    if isinstance(before, np.ndarray):
        return before.shape == after.shape and np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")
    if isinstance(before, list | tuple):
        return len(before) == len(after) and all(map(_same, before, after))
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(_same(value, after[key]) for key, value in before.items())
    return not isinstance(before, int | float | str) or bool(before == after)
