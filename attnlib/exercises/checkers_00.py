"""How the programs of chapter 0 are judged: softmax and cross-entropy."""

from typing import Any

import numpy as np

from attnlib.exercises.harness import Case
from attnlib.exercises.slips import ANY, LARGE, OVERFLOW, POSITIVE, Map, Slips, Weigh, agrees, shares, slips, weights
from attnlib.scaled_dot_product import softmax

# Softmax along an axis -------------------------------------------------------------------------


def _drawn(seed: int, *shape: int, size: float = 2.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(scale=size, size=shape)


def _softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return softmax(scores, axis=axis)


def _along(weigh: Weigh) -> Map:
    """A softmax of the last axis as one of any axis."""
    return lambda s, axis=-1: np.moveaxis(weigh(np.moveaxis(s, axis, -1)), -1, axis)


def _no_keepdims(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis))


def _no_keepdims_at_all(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=axis))
    return np.asarray(raised / raised.sum(axis=axis))


def _totals_of_the_last(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return shares(raised)


KEEPDIMS = "The totals lost their axis, so they line up with another one: reduce with `keepdims=True`."
WHOLE = "You divide by the total of the whole array. Each slice along the axis has a total of its own."
SOFTMAX_MISTAKES: Slips = [
    ("The softmax runs over the first axis. By default it is the last one, axis=-1.", lambda s, axis=0: weights(s, axis)),
    ("Your function goes along the last axis, whatever `axis` says.", lambda s, axis=-1: weights(s)),
    ("Your function goes along the first axis, whatever `axis` says.", lambda s, axis=-1: weights(s, 0)),
    ("The sign of `axis` is lost: −2 is the last axis but one, not axis 2.", lambda s, axis=-1: weights(s, abs(axis))),
    ("Your totals are those of the last axis, whatever `axis` says.", _totals_of_the_last),
    ("The axis was moved to the end, and not back: the axes of your result are exchanged.", lambda s, axis=-1: weights(np.moveaxis(s, axis, -1))),
    ("The axis was exchanged with the last one, and not back: the axes of your result are exchanged.", lambda s, axis=-1: weights(np.swapaxes(s, axis, -1))),
    (WHOLE, lambda s, axis=-1: np.exp(s) / np.exp(s).sum()),
    (KEEPDIMS, _no_keepdims),
    (KEEPDIMS, _no_keepdims_at_all),
    ("The weights are whole numbers: an array that is made like integer scores rounds them to 0. Make one of floats.", lambda s, axis=-1: weights(s, axis).astype(s.dtype)),
    *slips(_along, ANY),
]  # fmt: skip
SUBTRACT = "Subtract the largest score of each slice along the axis first. No weight changes by that."
LARGE_MISTAKES: Slips = [
    ("You subtract the largest score of the *last* axis, whatever `axis` says.", lambda s, axis=-1: shares(np.exp(s - s.max(axis=-1, keepdims=True)), axis)),
    ("The largest score of each slice, not of the whole array, is to be subtracted: a slice far below it is rounded to 0.", lambda s, axis=-1: shares(np.exp(s - s.max()), axis)),
    (f"For scores this large your result is not finite: e¹⁰⁰⁰ is too large, and e to −2000 is rounded to 0. {SUBTRACT}", lambda s, axis=-1: shares(np.exp(s), axis)),
    *slips(_along, LARGE),
]  # fmt: skip
NOT_FINITE = "Beside −∞ your result is not finite. Subtract each slice's largest score, and nothing else: −∞ stays −∞, and e to it is 0."
INFINITE_MISTAKES: Slips = [
    (NOT_FINITE, lambda s, axis=-1: shares(np.exp(s - s.min(axis=axis, keepdims=True)), axis)),
    (NOT_FINITE, lambda s, axis=-1: shares(np.exp(s - np.minimum(s.min(axis=axis, keepdims=True), 0)), axis)),
    ("You take −∞ for a score of 0. It stays −∞, and e to it is 0.", lambda s, axis=-1: weights(np.where(np.isfinite(s), s, 0), axis)),
    *LARGE_MISTAKES,
]  # fmt: skip
# A square comes first: where axes are mixed up it gives numbers, and those are named, where other shapes stop.
LAST: list[Case] = [
    (_drawn(4, 5, 5),),
    (_drawn(1, 4, 6),),
    (_drawn(5, 4, 6),),
    (_drawn(2, 2, 3, 5),),
    (_drawn(6, 7),),
    (np.array([[0.0, 1.0, 0.0], [-3.0, 0.0, -8.0], [0.0, 0.0, 0.0]]),),
    (np.array([[0, 60, 1], [1, 2, 2]]),),
    (_drawn(7, 3, 1),),
    (_drawn(8, 1, 4),),
    (_drawn(9, 2, 1, 3, 4),),
    (_drawn(10, 2, 300),),
]
OTHER: list[Case] = [
    (_drawn(4, 5, 5), 0),
    (_drawn(1, 4, 6), 0),
    (_drawn(1, 4, 6), 1),
    (_drawn(2, 2, 3, 5), 1),
    (_drawn(2, 2, 3, 5), 0),
    (_drawn(2, 2, 3, 5), -2),
    (_drawn(11, 3, 3, 3), 1),
    (_drawn(12, 2, 3, 4, 5), -3),
    (_drawn(7, 3, 1), 0),
    (_drawn(8, 1, 4), 0),
    (_drawn(13, 300, 2), 0),
]
HUGE: list[Case] = [
    (np.array([[1000.0, 1001.0, 0.0], [-2000.0, -2001.0, -2003.0]]),),
    (np.array([[1000.0, 1001.0, 0.0]]),),
    (np.array([-2000.0, -2001.0, -2003.0]),),
    (np.array([[5000.0, 5001.0], [-4000.0, 3000.0]]), 0),
    (np.array([[-5000.0, 4000.0, 3999.0], [5000.0, 3999.0, 4000.0]]),),
    (np.array([[-900.0, -901.0, -902.0], [1.0, 0.0, 2.0], [90.0, 0.0, 91.0]]), 1),
]
INFINITE: list[Case] = [
    (np.array([[2.0, -np.inf, 1.0, 0.0], [-np.inf, -np.inf, 5.0, -1.0]]),),
    (np.array([-np.inf, -3.0, -2.0]),),
    (np.array([[0.0, -np.inf], [-np.inf, 1.0], [-1.0, 0.5]]), 0),
]

# Cross-entropy ---------------------------------------------------------------------------------


def _places(seed: int, n: int, v: int, shift: float = 0.0) -> Case:
    rng = np.random.default_rng(seed)
    return 2 * rng.normal(size=(n, v)) + shift, rng.integers(v, size=n)


def _entropies(scores: np.ndarray, right: np.ndarray) -> np.ndarray:
    lower = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(lower).sum(axis=1)) - lower[np.arange(len(right)), right])


def _mean_entropy(scores: np.ndarray, right: np.ndarray) -> float:
    return float(_entropies(scores, right).mean())


def _of_shares(share: Weigh) -> Map:
    """The mean of −ln over the right words' shares, for weights that `share` gives."""
    return lambda s, r: -np.log(share(s)[np.arange(len(r)), r]).mean()


def _log_total(scores: np.ndarray, shift: Any = 0.0) -> np.ndarray:
    return np.asarray(np.log(np.exp(scores - shift).sum(axis=1)) + np.ravel(shift))


def _at(scores: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.asarray(scores[np.arange(len(right)), right])


def _less(scores: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How far the right words' scores lie below the best of each place, with a minus sign."""
    return np.asarray(_at(scores, right) - scores.max(axis=1))


def _log_of_sum(scores: np.ndarray) -> np.ndarray:
    return _log_total(scores - scores.max(axis=1, keepdims=True))


SMALLEST = (1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-15, 1e-16, 1e-20, 1e-30, 1e-100, 1e-300)
KEPT_FROM_0 = "A small number keeps the share from 0, and so bounds the cost. Write −ln of the fraction as ln of the sum, minus the score."
ENTROPY_MISTAKES: Slips = [
    ("You give the sum over the places; the mean is asked for.", lambda s, r: _entropies(s, r).sum()),
    ("You give one number for each place; their mean is asked for.", _entropies),
    ("You divide by the number of words. The mean is over the places.", lambda s, r: _entropies(s, r).sum() / s.shape[1]),
    ("You divide by the number of all scores. The mean is over the places.", lambda s, r: _entropies(s, r).sum() / s.size),
    ("You give the median of the places; the mean is asked for.", lambda s, r: np.median(_entropies(s, r))),
    ("You give the largest of the places' costs; the mean is asked for.", lambda s, r: _entropies(s, r).max()),
    ("You give the first place's cost; the mean over all places is asked for.", lambda s, r: _entropies(s, r)[0]),
    ("You give the last place's cost; the mean over all places is asked for.", lambda s, r: _entropies(s, r)[-1]),
    ("You leave the last place out. The mean is over all of them.", lambda s, r: _entropies(s, r)[:-1].sum() / (len(r) - 1)),
    ("You leave the first place out. The mean is over all of them.", lambda s, r: _entropies(s, r)[1:].sum() / (len(r) - 1)),
    ("The sign: a share is below 1, its logarithm negative, and −ln positive.", lambda s, r: -_mean_entropy(s, r)),
    ("That is the logarithm to base 2. The book uses ln, to base e.", lambda s, r: _mean_entropy(s, r) / np.log(2)),
    ("That is the logarithm to base 10. The book uses ln, to base e.", lambda s, r: _mean_entropy(s, r) / np.log(10)),
    ("The logarithm of the sum is to base 2. The book uses ln, to base e: `np.log`.", lambda s, r: (_log_of_sum(s) / np.log(2) - _less(s, r)).mean()),
    ("The logarithm of the sum is to base 10. The book uses ln, to base e: `np.log`.", lambda s, r: (_log_of_sum(s) / np.log(10) - _less(s, r)).mean()),
    ("The logarithm of the sum is missing.", lambda s, r: (np.exp(_log_of_sum(s)) - _less(s, r)).mean()),
    ("1 is added within the logarithm of the sum, as by `log1p`: take `np.log`.", lambda s, r: (np.log1p(np.exp(_log_of_sum(s))) - _less(s, r)).mean()),
    ("The mean of the powers is taken where their sum belongs.", lambda s, r: (_log_of_sum(s) - np.log(s.shape[1]) - _less(s, r)).mean()),
    ("You add the right word's score. Subtract it from the logarithm of the sum.", lambda s, r: (_log_of_sum(s) + _less(s, r)).mean()),
    ("You add the right word's score. Subtract it from the logarithm of the sum.", lambda s, r: (_log_total(s) + _at(s, r)).mean()),
    ("Your softmax runs over the places, axis 0. Each place shares 1 among its words: axis 1.", _of_shares(lambda s: weights(s, 0))),
    ("All scores share 1 in your softmax. Each place shares 1 among its words: axis 1.", _of_shares(lambda s: weights(s.ravel()).reshape(s.shape))),
    ("You take −ln of the mean share. Take the logarithm of each place's share first, then the mean.", lambda s, r: -np.log(_at(weights(s), r).mean())),
    ("That is the mean share of the right words. The cost is −ln of each.", lambda s, r: _at(weights(s), r).mean()),
    ("That is 1 minus the mean share of the right words. The cost is −ln of each share.", lambda s, r: 1 - _at(weights(s), r).mean()),
    ("`scores[:, right]` takes every right word in every row, n × n of them. Pair rows with words: `scores[np.arange(n), right]`.", lambda s, r: -np.log(weights(s)[:, r]).mean()),
    ("You average over all words. Only the share of the right word counts.", lambda s, r: -np.log(weights(s)).mean()),
    ("You add up −ln of every word's share. Only the share of the right word counts.", lambda s, r: -np.log(weights(s)).sum(axis=1).mean()),
    ("That is the entropy of the shares, −Σ a ln a. Only the share of the right word counts.", lambda s, r: -(weights(s) * np.log(weights(s))).sum(axis=1).mean()),
    ("You take the share of the best word, whatever `right` says.", lambda s, r: -np.log(weights(s).max(axis=1)).mean()),
    ("You take the share of the first word, whatever `right` says.", lambda s, r: -np.log(weights(s)[:, 0]).mean()),
    ("You count words from 1. `right` counts from 0, as NumPy does.", lambda s, r: -np.log(_at(weights(s), r - 1)).mean()),
    ("That is minus the mean score of the right words. Scores must go through the softmax first.", lambda s, r: -_at(s, r).mean()),
    ("That is how far the right word's score lies below the best. The logarithm of the sum of all powers is missing.", lambda s, r: (s.max(axis=1) - _at(s, r)).mean()),
    ("That is the mean logarithm of the sums. The right word's score is to be subtracted.", lambda s, r: _log_total(s).mean()),
    ("The largest score is subtracted in the sum alone. Subtract it from the right word's score too.", lambda s, r: (_log_total(s - s.max(axis=1, keepdims=True)) - _at(s, r)).mean()),
    *((KEPT_FROM_0, lambda s, r, least=least: -np.log(_at(weights(s), r) + least).mean()) for least in SMALLEST),
    *((KEPT_FROM_0, lambda s, r, least=least: -np.log(np.maximum(_at(weights(s), r), least)).mean())
        for least in SMALLEST),
    *slips(_of_shares, POSITIVE),
]  # fmt: skip
ROUNDED = "Your result is infinite: the right word's share was rounded to 0, and ln 0 is −∞. Write −ln of the fraction as ln of the sum, minus the score."
HUGE_ENTROPY_MISTAKES: Slips = [
    (ROUNDED, _of_shares(weights)),
    (OVERFLOW, _of_shares(lambda s: shares(np.exp(s)))),
    (OVERFLOW, lambda s, r: (_log_total(s) - _at(s, r)).mean()),
    ("The largest score of *all* is subtracted: a row far below it is rounded to 0. Subtract each row's own largest score.", lambda s, r: (_log_total(s, s.max()) - _at(s, r)).mean()),
    ("You subtract the smallest score: what is far above it is too large for `exp`. Subtract the largest.", lambda s, r: (_log_total(s, s.min(axis=1, keepdims=True)) - _at(s, r)).mean()),
    ("You subtract the mean score: what is far above it is too large for `exp`. Subtract the largest.", lambda s, r: (_log_total(s, s.mean(axis=1, keepdims=True)) - _at(s, r)).mean()),
    ("The largest score is subtracted only where it is above 0: a row of low scores is rounded to 0. Subtract it whatever its sign.", lambda s, r: (_log_total(s, np.maximum(s.max(axis=1, keepdims=True), 0)) - _at(s, r)).mean()),
    *slips(_of_shares, LARGE),
]  # fmt: skip
PLACES: list[Case] = [
    (_places(3, 5, 7)[0], np.array([6, 0, 2, 2, 5])),
    _places(4, 5, 7),
    _places(5, 3, 7, -4.0),
    _places(6, 4, 4),
    _places(7, 1, 6),
    _places(8, 3, 1),
    (np.array([[0.0, 1.0, 0.0], [0.0, -2.0, 3.0]]), np.array([0, 0])),
    _places(9, 2, 300),
    _places(10, 300, 3),
]
HUGE_PLACES: list[Case] = [
    (np.array([[1000.0, 1002.0, 0.0, 998.0], [5.0, -900.0, 5.0, 6.0]]), np.array([0, 1])),
    (np.array([[-2000.0, -2001.0, -2003.0], [0.0, 1.0, 5.0]]), np.array([1, 2])),
    (np.array([[5000.0, 5001.0], [-5001.0, -5000.0]]), np.array([1, 0])),
    (np.array([[-4000.0, 3000.0]]), np.array([0])),
    (np.array([[0.0, 3000.0], [800.0, 799.0], [2.0, 3.0]]), np.array([1, 1, 0])),
]

SOFTMAX_AXIS = (
    agrees("weights along the last axis", _softmax, LAST, SOFTMAX_MISTAKES),
    agrees("weights along another axis", _softmax, OTHER, SOFTMAX_MISTAKES),
    agrees("scores of 1000, and rows far apart", _softmax, HUGE, SOFTMAX_MISTAKES, LARGE_MISTAKES),
    agrees("a score of −∞ gets the weight 0", _softmax, INFINITE, SOFTMAX_MISTAKES, INFINITE_MISTAKES),
)

CROSS_ENTROPY = (
    agrees("the mean cross-entropy", _mean_entropy, PLACES, ENTROPY_MISTAKES),
    agrees(
        "scores of 1000, and a share that is rounded to 0",
        _mean_entropy,
        HUGE_PLACES,
        ENTROPY_MISTAKES,
        HUGE_ENTROPY_MISTAKES,
    ),
)
