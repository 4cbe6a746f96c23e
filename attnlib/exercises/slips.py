"""Mistakes that many exercises can meet, each a sentence beside a function that makes it.

A softmax that goes wrong takes scores and gives what stands in the place of the weights of each row. `slips` turns
such mistakes into mistakes of an answer.
"""

import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from attnlib.exercises import harness
from attnlib.exercises.harness import Case, Property

Map = Callable[..., Any]
Weigh = Callable[[np.ndarray], np.ndarray]
Slips = list[tuple[str, Map]]

LENGTHS = (7, 8, 10, 16, 32, 50, 64, 100, 128)  # where a size that is fixed in the code tends to be fixed
LIMITS = (10, 20, 30, 50, 60, 80, 88, 100, 300, 500, 600, 700, 709, 710, 1000)  # and where scores are cut off

OVERFLOW = "For scores this large your result is not finite: subtract each row's largest score before `exp`. No weight changes by that."  # fmt: skip
HIDDEN = "For scores this large `exp` overflows, and the NaN that comes of it was made 0: subtract each row's largest score before `exp`."  # fmt: skip

KEEPDIMS = "A row's largest score or total lines up with the columns: reduce along axis=1, with `keepdims=True`."
LAST = "The last score of a row gets no weight: does a loop end one step early?"
FIRST = "The first score of a row gets no weight: does a loop start at 1? NumPy counts from 0."
COLUMNS = (  # where scores are symmetric, the three cannot be told apart
    "The columns of your weights sum to 1, not the rows: the softmax runs over the queries, axis=0, "
    "by a transpose, or by a total without `keepdims=True`."
)


def drawn(seed: int, *shapes: tuple[int, ...], size: float = 1.0) -> tuple[np.ndarray, ...]:
    """Arrays of these shapes, of independent normal numbers."""
    rng = np.random.default_rng(seed)
    return tuple(size * rng.normal(size=shape) for shape in shapes)


def whole(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Whole numbers, many of them 0."""
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(-1, 2, size=shape).astype(float) for shape in shapes)


def slips(made: Callable[[Weigh], Map], of: Iterable[tuple[str, Weigh]]) -> Slips:
    """Mistakes of a softmax as mistakes of an answer: `made(weigh)` is the answer that weighs its scores so."""
    return [(says, made(weigh)) for says, weigh in of]


def shares(raised: np.ndarray, axis: int = -1) -> np.ndarray:
    """Positive numbers divided by their sum along an axis."""
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def weights(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """A softmax that lets NaN and ∞ through."""
    return shares(np.exp(scores - scores.max(axis=axis, keepdims=True)), axis)


def unit(x: np.ndarray) -> np.ndarray:
    """Each row divided by its length."""
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def agrees(
    name: str,
    right: Map,
    cases: Sequence[Case],
    mistakes: Slips,
    large: Sequence[tuple[str, Map]] = (),
    *,
    tolerance: float = 1e-5,
) -> Property:
    """As `harness.agrees`, with what can go wrong with any result among the mistakes.

    Only those of `large` may be named by NaN and ∞, which other mistakes give for many reasons. A right answer may have
    been computed in single precision, whatever the type of the numbers that it returns: hence the tolerance.
    """
    known = [(says, _in_numbers(wrong, cases)) for says, wrong in (*mistakes, *of_result(right))]
    return harness.agrees(name, right, cases, [*large, *known], tolerance=tolerance)


def _in_numbers(wrong: Map, cases: Sequence[Case]) -> Map:
    """A mistake that gives a number other than 0 in some case; many give none, or zeros, and cannot be told apart."""

    @functools.cache
    def numbers() -> bool:
        for case in cases:
            with suppress(ArithmeticError, IndexError, TypeError, ValueError), np.errstate(all="ignore"):
                got = np.asarray(wrong(*copy.deepcopy(case)), dtype=float)
                if (np.isfinite(got) & (got != 0)).any():
                    return True
        return False

    def made(*given: Any) -> Any:
        if not numbers():
            raise FloatingPointError("no number in any case")
        return wrong(*given)

    return made


def of_result(right: Map) -> Slips:
    """All is right, but for what happens to the result at the end."""

    def after(change: Map) -> Map:
        return lambda *given: change(np.asarray(right(*given), dtype=float))

    return [
        ("An axis of length 1 is missing from your result: `squeeze` drops all of them. Keep the shape, whatever its sizes.", after(np.squeeze)),
        ("Your result is transposed: its rows are what should be its columns.", after(np.transpose)),
        ("Your result is a list or an array that holds the right one alone: an axis too many.", after(lambda y: y[None])),
        ("All numbers of your result are twice as large as they should be.", after(lambda y: 2 * y)),
        ("All numbers of your result are half as large as they should be.", after(lambda y: y / 2)),
        ("All signs of your result are turned round.", after(np.negative)),
        ("The last part of your result stays 0: does a loop end one step early?", after(lambda y: _without(y, -1))),
        ("The first part of your result stays 0: does a loop start at 1? NumPy counts from 0.", after(lambda y: _without(y, 0))),
        ("Your result is cut to whole numbers: make its array one of floats, not of `int`.", after(np.trunc)),
        *(("Your result is rounded. Return the numbers as they are.", after(lambda y, n=n: y.round(n))) for n in range(5)),
        *((f"Parts of your result after the first {n} are missing: is a size fixed in your code?", after(lambda y, n=n: y[:n])) for n in LENGTHS),
        *((f"Parts of your result after the first {n} stay 0: is a size fixed in your code?", after(lambda y, n=n: _without(y, slice(n, None)))) for n in LENGTHS),
    ]  # fmt: skip


def _without(result: np.ndarray, part: Any) -> np.ndarray:
    result = result.copy()
    result[part] = 0
    return result


def _cut(limit: float, low: float | None = None) -> Weigh:
    return lambda s: weights(np.clip(s, -limit if low is None else low, limit))


def _first(n: int) -> Weigh:
    def weigh(scores: np.ndarray) -> np.ndarray:
        scores = scores.astype(float)
        scores[..., n:] = -np.inf
        return weights(scores)

    return weigh


def _zeros_hidden(scores: np.ndarray) -> np.ndarray:
    return weights(np.where(scores == 0, -np.inf, scores))


def _best_alone(scores: np.ndarray) -> np.ndarray:
    return np.asarray(np.eye(scores.shape[-1])[scores.argmax(axis=-1)])


def _no_keepdims(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores)
    return np.asarray(raised / raised.sum(axis=-1))


def _lifted(scores: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(scores - scores.max(axis=-1, keepdims=True)))


def _unshifted(scores: np.ndarray) -> np.ndarray:
    return shares(np.exp(scores))


POSITIVE: list[tuple[str, Weigh]] = [  # for scores of one query or of many; what they give is above 0
    ("`exp` is not divided by its total: weights must sum to 1.", np.exp),
    ("`exp` is not divided by its total: weights must sum to 1.", _lifted),
    ("`exp` is divided by its largest value, not by its sum: weights must sum to 1.", lambda s: np.exp(s) / np.exp(s).max(axis=-1, keepdims=True)),
    ("`exp` is divided by its mean, not by its sum: weights must sum to 1.", lambda s: weights(s) * s.shape[-1]),
    ("`exp` is multiplied by its total: divide by it.", lambda s: np.exp(s) * np.exp(s).sum(axis=-1, keepdims=True)),
    ("`exp` is multiplied by its total: divide by it.", lambda s: _lifted(s) * _lifted(s).sum(axis=-1, keepdims=True)),
    (LAST, lambda s: weights(s) * (np.arange(s.shape[-1]) < s.shape[-1] - 1)),
    (LAST, lambda s: shares(_lifted(s) * (np.arange(s.shape[-1]) < s.shape[-1] - 1))),
    (FIRST, lambda s: weights(s) * (np.arange(s.shape[-1]) > 0)),
    (FIRST, lambda s: shares(_lifted(s) * (np.arange(s.shape[-1]) > 0))),
    ("The softmax is taken twice: weights went into it as if they were scores.", lambda s: weights(weights(s))),
    ("The sign of the scores is turned round: the lowest score gets the largest weight.", lambda s: weights(-s)),
    ("Negative scores lost their sign. A negative score is a low one.", lambda s: weights(np.abs(s))),
    ("Negative scores are raised to 0. A negative score is lower than 0, and gets less weight.", lambda s: weights(np.maximum(s, 0))),
    ("You raise 2 to the scores. The softmax raises e: `np.exp`.", lambda s: weights(s * np.log(2))),
    ("You square the scores where `exp` belongs.", lambda s: shares(s**2)),
    ("Each score went through a sigmoid by itself. The softmax shares 1 among all scores of a row.", lambda s: 1 / (1 + np.exp(-s))),
    ("The best score gets all the weight. A softmax gives every score a share.", _best_alone),
    ("All weights are the same: yours do not depend on the scores.", lambda s: np.full(s.shape, 1 / s.shape[-1])),
    ("A score of exactly 0 gets no weight. 0 is a score like any other: e⁰ is 1.", _zeros_hidden),
    ("A score of exactly 0 gets no weight. 0 is a score like any other: e⁰ is 1.", lambda s: shares(np.where(s == 0, 0, _lifted(s)))),
    *((f"Scores after the first {n} of a row get no weight: is a size fixed in your code?", _first(n)) for n in LENGTHS),
]  # fmt: skip

ANY: list[tuple[str, Weigh]] = [
    ("The softmax is missing: scores are not weights until each row sums to 1.", lambda s: s),
    ("The scores are divided by their sum, without `exp`: then a weight can be negative.", shares),
    ("`exp` is missing: scores less their largest are divided by their sum.", lambda s: shares(s - s.max(axis=-1, keepdims=True))),
    ("1 is taken from each power, as by `expm1`: then a weight can be negative.", lambda s: shares(np.expm1(s))),
    ("These are logarithms of weights, a log-softmax. Take the weights themselves.", lambda s: np.log(weights(s))),
    ("The weights are rounded. Leave them as they are.", lambda s: weights(s).round(2)),
    *POSITIVE,
]  # fmt: skip

GRID: list[tuple[str, Weigh]] = [  # for rows of scores, one for each query
    ("The columns of your weights sum to 1, not the rows: the softmax runs over the queries. It must run over the keys, axis=1.", lambda s: weights(s, axis=0)),
    ("All weights together sum to 1, not each row: sum over `axis=1` alone.", lambda s: weights(s.ravel()).reshape(s.shape)),
    (KEEPDIMS, _no_keepdims),
    (KEEPDIMS, lambda s: _lifted(s) / _lifted(s).sum(axis=-1)),
    (KEEPDIMS, lambda s: np.exp(s - s.max(axis=-1)) / np.exp(s - s.max(axis=-1)).sum(axis=-1)),
    (KEEPDIMS, lambda s: shares(np.exp(s - s.max(axis=-1)))),
    ("The rows' powers are divided by totals of columns: subtract, raise and add up along one axis, axis=1.", lambda s: shares(_lifted(s), axis=0)),
    ("Each row's powers are divided by one total of all rows: sum over `axis=1`.", lambda s: _lifted(s) / _lifted(s).sum()),
    ("The weights are transposed: the weights of a query stand in its row.", lambda s: weights(s).T),
    ("The scores are transposed: queries stand in the rows, keys in the columns.", lambda s: weights(s.T)),
    *ANY,
]  # fmt: skip

LARGE: list[tuple[str, Weigh]] = [  # for scores that `exp` cannot take as they are
    (OVERFLOW, _unshifted),
    (HIDDEN, lambda s: np.nan_to_num(_unshifted(s))),
    ("The largest score of *all* is subtracted: a row far below it is rounded to 0. Subtract each row's own largest score.", lambda s: shares(np.exp(s - s.max()))),
    ("The largest score is subtracted only where it is above 0: a row of low scores is rounded to 0. Subtract it whatever its sign.", lambda s: shares(np.exp(s - np.maximum(s.max(axis=-1, keepdims=True), 0)))),
    ("You subtract the largest *size* of a score: a row of low scores is rounded to 0. Subtract the largest score, with its sign.", lambda s: shares(np.exp(s - np.abs(s).max(axis=-1, keepdims=True)))),
    ("You subtract the smallest score: what is far above it is too large for `exp`. Subtract the largest.", lambda s: shares(np.exp(s - s.min(axis=-1, keepdims=True)))),
    ("You subtract the mean score: what is far above it is too large for `exp`. Subtract the largest.", lambda s: shares(np.exp(s - s.mean(axis=-1, keepdims=True)))),
    ("You divide by the largest score. That changes the weights: *subtract* it.", lambda s: shares(np.exp(s / s.max(axis=-1, keepdims=True)))),
    ("The largest score of each *column* is subtracted. A row shares out 1, so subtract each row's largest.", lambda s: shares(np.exp(s - s.max(axis=0)))),
    *(("Large scores are cut off, so that those beyond the limit count alike. Subtract each row's largest score instead.", cut)
      for limit in LIMITS for cut in (_cut(limit), _cut(limit, -np.inf))),
]  # fmt: skip
