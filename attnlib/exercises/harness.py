"""What an exercise is, and the properties that an answer must have."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Case = tuple[Any, ...]


class Mistake(Exception):
    """A sentence for the student: what is wrong, and the likely reason."""


@dataclass(frozen=True)
class Property:
    """One thing that a right answer does: `test(answer)` returns, or raises `Mistake`."""

    name: str
    test: Callable[[Any], None]


@dataclass(frozen=True)
class Exercise:
    """An exercise: its place in the book, its hints, and how an answer is judged.

    One of kind "program" has `properties`, each worth a point. The others have a `question`: what
    `attnlib.widgets.Choice` (with `options`) or `attnlib.widgets.Number` takes. `misconception` is the
    belief that the exercise is there to find, for teachers.
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


def agrees(
    name: str,
    reference: Callable[..., Any],
    cases: Sequence[Case],
    mistakes: Sequence[tuple[str, Callable[..., Any]]] = (),
    *,
    tolerance: float = 1e-9,
) -> Property:
    """The answer is a function that returns what `reference` returns, for every case of arguments.

    `mistakes` pairs a sentence with a function that makes that mistake: a wrong result equal to its
    result is answered by that sentence; any other names the shape, or the first cell that differs.
    """

    def test(answer: Any) -> None:
        for case in cases:
            got = call(answer, case)
            compare(got, reference(*case), [(says, wrong(*case)) for says, wrong in mistakes], tolerance=tolerance)

    return Property(name, test)


def call(answer: Any, case: Case) -> Any:
    """What the student's function returns for the case, which it cannot change; what goes wrong becomes a `Mistake`."""
    if not callable(answer):
        raise Mistake(f"Hand over the function itself, without calling it: a {type(answer).__name__} came.")
    given = tuple(np.array(value) if isinstance(value, np.ndarray) else value for value in case)
    try:
        got = answer(*given)
    except Exception as error:
        raise Mistake(f"Your function stopped with {type(error).__name__}: {error}.") from error
    for number, (before, after) in enumerate(zip(case, given, strict=True), 1):
        if isinstance(before, np.ndarray) and not np.array_equal(before, after, equal_nan=True):
            raise Mistake(f"Your function changed its argument {number} in place: work on a copy.")
    return got


def compare(
    got: Any,
    expected: Any,
    mistakes: Sequence[tuple[str, Any]] = (),
    *,
    tolerance: float = 1e-9,
    what: str = "The result",
) -> None:
    """Raise `Mistake` unless `got` is `expected`: with the sentence of the mistake whose result it is, if any."""
    if got is None:
        raise Mistake(f"{what} is None: does the function end in `return`?")
    try:
        found = np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        raise Mistake(f"{what} should be numbers, got a {type(got).__name__}.") from None
    right = np.asarray(expected, dtype=float)
    if _equal(found, right, tolerance):
        return
    for says, wrong in mistakes:
        if _equal(found, np.asarray(wrong, dtype=float), tolerance):
            raise Mistake(says)
    if found.shape != right.shape:
        raise Mistake(f"{what} should have shape {right.shape}, got {found.shape}.")
    if not np.isfinite(found).all():
        cell = np.argwhere(~np.isfinite(found))[0]
        raise Mistake(f"{what} holds {found[tuple(cell)]}{_at(cell)}: every entry must be finite.")
    cell = np.argwhere(~np.isclose(found, right, rtol=tolerance, atol=tolerance))[0]
    raise Mistake(f"{what}{_at(cell)} should be {right[tuple(cell)]:.4f}, got {found[tuple(cell)]:.4f}.")


def _equal(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    return a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def _at(cell: np.ndarray) -> str:
    return f" at {[int(i) for i in cell]}" if cell.size else ""
