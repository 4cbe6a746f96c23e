"""Named slips, made in a right answer to each program of chapters 5 to 10: the checkers refuse them all.

All right answers to a program are one function, so the first published one stands for them. Where a slip changes nothing
that the exercise promises, `HARMLESS` says why, and the answer must pass: the list cannot hide a hole.
"""

from collections.abc import Callable

import numpy as np
import pytest

from attnlib.exercises import CHAPTERS, check
from tests.helpers.tiers import some_of

pytestmark = pytest.mark.usefixtures("patient", "unchecked")  # as students run it

PROGRAMS = [exercise.id for number in range(5, 11) for exercise in CHAPTERS[number] if exercise.kind == "program"]
Answer = Callable[..., object]


def _after(change: Callable[[np.ndarray], object]) -> Callable[[Answer], Answer]:
    """The slip changes what is returned; of a step with a cache, the output."""

    def slip(answer: Answer) -> Answer:
        def wrong(*given: object) -> object:
            made = answer(*given)
            if isinstance(made, tuple):
                return made[0], change(np.array(made[1]))
            return change(np.array(made))

        return wrong

    return slip


def _before(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Answer], Answer]:
    """The slip changes every array of floats that is given."""

    def changed(value: object) -> object:
        if isinstance(value, tuple) and value and all(isinstance(part, np.ndarray) for part in value):
            return tuple(changed(part) for part in value)  # what two machines hand over, or a cache
        return change(value.copy()) if isinstance(value, np.ndarray) and value.dtype == float else value

    return lambda answer: lambda *given: answer(*map(changed, given))


def _cells_beyond(limit: int) -> Callable[[np.ndarray], np.ndarray]:
    """A buffer of fixed size: what stands further is 0."""

    def cut(array: np.ndarray) -> np.ndarray:
        for axis in range(array.ndim):
            np.moveaxis(array, axis, 0)[limit:] = 0
        return array

    return cut


def _remembers(answer: Answer) -> Answer:
    """The first result for arguments of these shapes is given again."""
    known: dict[str, object] = {}

    def wrong(*given: object) -> object:
        key = str([(np.shape(value), value if isinstance(value, int | str) else "") for value in given])
        return known.setdefault(key, answer(*given))

    return wrong


def _one_more(answer: Answer) -> Answer:
    return lambda *given: answer(*(value + 1 if type(value) is int else value for value in given))


def _last_two_exchanged(answer: Answer) -> Answer:
    return lambda *given: answer(*given[:-2], given[-1], given[-2])


def _writes_over(answer: Answer) -> Answer:
    """Works in its arguments."""

    def wrong(*given: object) -> object:
        made = answer(*given)
        for array in (part for value in given for part in (value if isinstance(value, tuple) else (value,))):
            if isinstance(array, np.ndarray):
                array[...] = 0
        return made

    return wrong


SLIPS = {
    "squeezes": _after(np.squeeze),
    "transposes": _after(lambda made: made.T if made.ndim > 1 else made[:, None]),
    "turns the first axis round": _after(lambda made: made[::-1]),
    "turns the last axis round": _after(lambda made: made[..., ::-1]),
    "adds an axis": _after(lambda made: made[None]),
    "flattens": _after(np.ravel),
    "returns the first alone": _after(lambda made: made[0]),
    "returns the first for all": _after(lambda made: np.broadcast_to(made[:1], made.shape)),
    "returns the last for all": _after(lambda made: np.broadcast_to(made[-1:], made.shape)),
    "drops the last": _after(lambda made: made[:-1]),
    "shifts by one": _after(lambda made: np.roll(made, 1, axis=-1)),
    "turns signs": _after(lambda made: ~made if made.dtype == bool else -made),
    "loses signs": _after(np.abs),
    "makes integers": _after(lambda made: np.nan_to_num(made).astype(int)),
    "rounds to two places": _after(lambda made: made.round(2) if made.dtype != bool else made.astype(float)),
    "doubles": _after(lambda made: 2 * made),
    "returns nothing": _after(lambda made: None),
    "returns a text": _after(str),
    "returns complex numbers": _after(lambda made: made * 1j),
    "fills what is NaN or infinite": _after(np.nan_to_num),
    "has a buffer of 8": _after(_cells_beyond(8)),
    "has a buffer of 16": _after(_cells_beyond(16)),
    "has a buffer of 64": _after(_cells_beyond(64)),
    "has a buffer of 128": _after(_cells_beyond(128)),
    "reads 8 of each axis": _before(_cells_beyond(8)),
    "reads 64 of each axis": _before(_cells_beyond(64)),
    "reads 128 of each axis": _before(_cells_beyond(128)),
    "cuts numbers off at 50": _before(lambda given: given.clip(-50, 50)),
    "cuts numbers off at 700": _before(lambda given: given.clip(-700, 700)),
    "reads no signs": _before(np.abs),
    "reads no negative numbers": _before(lambda given: given.clip(0)),
    "reads integers": _before(np.trunc),
    "takes 0 for missing": _before(lambda given: np.where(given == 0, 1e-3, given)),
    "remembers": _remembers,
    "counts one more": _one_more,
    "exchanges the last two arguments": _last_two_exchanged,
    "writes over its arguments": _writes_over,
}
OF_SIZES = {"causal-offset", "window-mask", "sinusoidal-table"}
NO_FLOATS = OF_SIZES | {"padded-batch", "polarity"}
INFINITE = {"polarity", "distance-table"}
LARGE = {"mask-first", "join-parts"}  # whose statements, or properties, promise numbers in the thousands
HARMLESS = {  # by slip: the exercises in which it changes nothing, and why
    "flattens": ({"cached-step", "previous-score", "mean-pooled"}, "the result has one axis"),
    "adds an axis": ({"cached-step"}, "one row counts as a vector: `query[None] @ …` gives it"),
    "loses signs": (
        {"causal-offset", "mask-first", "padded-batch", "window-mask", "previous-score", "head-adds", "join-pieces"},
        "nothing that comes is below 0",
    ),
    "fills what is NaN or infinite": (set(PROGRAMS) - INFINITE, "all that comes is finite"),
    **dict.fromkeys(
        ["reads 8 of each axis", "reads 64 of each axis", "reads 128 of each axis", "reads integers"],
        (NO_FLOATS, "no array of floats is given"),
    ),
    **dict.fromkeys(
        ["reads no signs", "reads no negative numbers"],
        (NO_FLOATS | {"previous-score", "join-pieces"}, "nothing that is given is below 0"),
    ),
    **dict.fromkeys(
        ["cuts numbers off at 50", "cuts numbers off at 700"], (set(PROGRAMS) - LARGE, "no large number is promised")
    ),
    "takes 0 for missing": (
        NO_FLOATS | {"join-parts", "causal-sums"},
        "no 0 is promised, or it is far from all others",
    ),
    "remembers": (OF_SIZES, "sizes alone are given"),
    "writes over its arguments": (OF_SIZES, "sizes alone are given"),
    "counts one more": (
        {"mask-first", "polarity", "cached-step", "merge-heads", "head-parts", "join-parts", "causal-sums"}
        | {"drop-weights", "turn-half", "previous-score", "head-adds", "join-pieces", "mean-pooled"},
        "no size is given",
    ),
    "exchanges the last two arguments": ({"join-parts"}, "the two parts may be exchanged"),
}


@pytest.mark.parametrize(("name", "slip"), some_of([(name, slip) for name in PROGRAMS for slip in SLIPS]))
def test_a_slip_is_refused(name, slip, answers):
    report = check(name, SLIPS[slip](answers.right[name][0]))
    harmless, _why = HARMLESS.get(slip, (set(), ""))
    assert report.correct == (name in harmless), report
