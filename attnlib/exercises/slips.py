"""Mistakes that many exercises can meet, each a sentence beside a function that makes it.

A softmax that goes wrong takes scores and gives what stands in the place of the weights of each row. `slips` turns
such mistakes into mistakes of an answer.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

Map = Callable[..., Any]
Weigh = Callable[[np.ndarray], np.ndarray]
Slips = list[tuple[str, Map]]

LENGTHS = (7, 8, 10, 16, 32, 50, 64, 100, 128)  # where a size that is fixed in the code tends to be fixed
LIMITS = (10, 20, 30, 50, 60, 80, 88, 100, 300, 500, 600, 700, 709, 710, 1000)  # and where scores are cut off

OVERFLOW = "`exp` met a number too large for it: subtract each row's largest score first. No weight changes by that."

COLUMNS = (  # where scores are symmetric, as those of a token with itself, the two cannot be told apart
    "The columns of your weights sum to 1, not the rows: the softmax runs over the queries, axis=0, "
    "or the weights are transposed."
)


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


def squeezed(right: Map) -> tuple[str, Map]:
    """All is right, but every axis of length 1 is dropped from the result."""
    return (
        "An axis of length 1 is missing from your result: `squeeze` drops all of them. Keep the shape, whatever its sizes.",
        lambda *given: np.squeeze(np.asarray(right(*given))),
    )


def transposed(right: Map) -> tuple[str, Map]:
    """All is right, but the result has its axes exchanged."""
    return (
        "Your result is transposed: its rows are what should be its columns.",
        lambda *given: np.asarray(right(*given)).T,
    )


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


def _unshifted(scores: np.ndarray) -> np.ndarray:
    return shares(np.exp(scores))


ANY: list[tuple[str, Weigh]] = [  # for scores of one query or of many
    ("The softmax is missing: scores are not weights until each row sums to 1.", lambda s: s),
    ("The scores are divided by their sum, without `exp`: then a weight can be negative.", shares),
    ("`exp` is not divided by its total: the weights of a query must sum to 1.", np.exp),
    ("`exp` is not divided by its total: the weights of a query must sum to 1.", lambda s: np.exp(s - s.max(axis=-1, keepdims=True))),
    ("`exp` is divided by its largest value, not by its sum: the weights of a query must sum to 1.", lambda s: np.exp(s) / np.exp(s).max(axis=-1, keepdims=True)),
    ("The softmax is taken twice: weights went into it as if they were scores.", lambda s: weights(weights(s))),
    ("The sign of the scores is turned round: the lowest score gets the largest weight.", lambda s: weights(-s)),
    ("Negative scores lost their sign. A negative score is a low one.", lambda s: weights(np.abs(s))),
    ("Negative scores are raised to 0. A negative score is lower than 0, and gets less weight.", lambda s: weights(np.maximum(s, 0))),
    ("You raise 2 to the scores. The softmax raises e: `np.exp`.", lambda s: weights(s * np.log(2))),
    ("You square the scores where `exp` belongs.", lambda s: shares(s**2)),
    ("Each score went through a sigmoid by itself. The softmax shares 1 among all keys of a query.", lambda s: 1 / (1 + np.exp(-s))),
    ("These are logarithms of weights, a log-softmax. Take the weights themselves.", lambda s: np.log(weights(s))),
    ("The best key alone is read. A softmax gives every key a share.", _best_alone),
    ("All keys get the same weight: your weights do not depend on the scores.", lambda s: np.full(s.shape, 1 / s.shape[-1])),
    ("A score of exactly 0 gets no weight. 0 is a score like any other: e⁰ is 1.", _zeros_hidden),
    ("A score of exactly 0 gets no weight. 0 is a score like any other: e⁰ is 1.", lambda s: shares(np.where(s == 0, 0, np.exp(s - s.max(axis=-1, keepdims=True))))),
    *((f"Keys after the first {n} get no weight: is a size fixed in your code?", _first(n)) for n in LENGTHS),
]  # fmt: skip

GRID: list[tuple[str, Weigh]] = [  # for rows of scores, one for each query
    ("The columns of your weights sum to 1, not the rows: the softmax runs over the queries. It must run over the keys, axis=1.", lambda s: weights(s, axis=0)),
    ("All weights together sum to 1, not each row: sum over `axis=1` alone.", lambda s: weights(s.ravel()).reshape(s.shape)),
    ("The totals lost their axis, so rows are divided by each other's: sum with `keepdims=True`.", _no_keepdims),
    ("The weights are transposed: a query's weights stand in its row.", lambda s: weights(s).T),
    ("The scores are transposed: queries stand in the rows, keys in the columns.", lambda s: weights(s.T)),
    *ANY,
]  # fmt: skip

LARGE: list[tuple[str, Weigh]] = [  # for scores that `exp` cannot take as they are
    (OVERFLOW, _unshifted),
    (OVERFLOW, lambda s: np.nan_to_num(_unshifted(s))),
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
