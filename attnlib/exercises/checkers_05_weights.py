"""How the masked softmax of chapter 5 is judged."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.exercises.harness import Mistake, Property, call, kind, numbers
from attnlib.exercises.slips import ANY, LIMITS, Map, Slips, agrees, slips
from attnlib.scaled_dot_product import softmax


def masked(scores: np.ndarray, mask: np.ndarray, axis: int = -1) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        kept = np.where(mask, scores, -np.inf)
        raised = np.exp(kept - kept.max(axis=axis, keepdims=True))
        return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def _renormalised(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    kept = softmax(scores) * mask
    with np.errstate(invalid="ignore"):
        return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def scores_and_mask(seed: int, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    mask = rng.random(shape[-2:]) < 0.5
    mask[np.arange(shape[-2]), rng.integers(shape[-1], size=shape[-2])] = True
    mask[np.arange(shape[-2]), np.arange(shape[-2]) % shape[-1]] = True
    return 2 * rng.normal(size=shape), mask


def _whole_scores(seed: int, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers, as of tokens in one-hot form: many scores are 0, some of them blocked."""
    scores, mask = scores_and_mask(seed, *shape)
    scores = np.round(scores / 2)
    scores[..., 0, :] = 0
    return scores, mask


def _integers(seed: int, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    """A query with one key alone gives it all its weight, so that weights rounded down are not all 0."""
    scores, mask = _whole_scores(seed, *shape)
    mask[1] = np.arange(shape[-1]) == 2
    return scores.astype(int), mask


def _far_below() -> tuple[np.ndarray, np.ndarray]:
    """All scores are negative, and nobody reads the last key: it is padding."""
    scores, mask = scores_and_mask(6, 3, 5)
    mask[:, 0], mask[:, 4] = True, False
    return -3 - np.abs(scores), mask


def _one_giant(*, allowed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    scores, mask = scores_and_mask(4, 3, 5)
    mask[1, 4], scores[1, 4] = allowed, 2000.0
    mask[1, 0] = mask[1, 2] = True
    return scores, mask


def _giants() -> tuple[np.ndarray, np.ndarray]:
    """Whole rows near −2000 and near 5000, one that goes far up from 0, and one that goes far down."""
    scores, mask = scores_and_mask(7, 5, 6)
    mask[:, :3], mask[4] = True, True
    levels = np.array([[-2000], [5000], [0], [3], [-2000]])
    return np.floor(scores) + levels + np.outer([0, 0, 1000, -1000, 0], np.arange(6)), mask


def _over_the_grid(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    raised = np.where(mask, np.exp(scores), 0)
    return np.asarray(raised / raised.sum(axis=(-2, -1), keepdims=True))


MULTIPLIED: Slips = [
    ("You multiply by −∞, and 0 · ∞ is NaN. Choose with np.where.", lambda s, m: masked(s + ~m * -np.inf, m | True)),
]  # fmt: skip
SOFTMAX_MISTAKES: Slips = [
    ("You put the zeros in after the softmax: the rows no longer sum to 1, and what is blocked still counts in each row's sum.", lambda s, m: softmax(s) * m),
    ("You set blocked *scores* to 0. That is a score like any other, and e⁰ = 1: the key still gets a weight. It takes −∞.", lambda s, m: softmax(s * m)),
    ("The mask is inverted: it is True where a query may attend.", lambda s, m: masked(s, ~m)),
    ("The mask is inverted: it is True where a query may attend.", lambda s, m: softmax(np.where(m, -1e300, s))),
    ("The mask has no effect on your weights.", lambda s, m: softmax(s)),
    ("The softmax runs over the queries. Each *row* must sum to 1: axis=-1.", lambda s, m: masked(s, m, axis=-2)),
    ("Add −∞ where the mask is False. Adding the mask itself adds 1 to the scores that stay.", lambda s, m: softmax(s + m)),
    ("You divide by the sum of the whole grid. Each row has a sum of its own.", _over_the_grid),
    ("Blocked scores stay in the sum that you divide by. Block them before it is taken.", lambda s, m: np.where(m, softmax(s), 0)),
    ("The weights are transposed: a row for each query.", lambda s, m: masked(s, m).swapaxes(-1, -2)),
    ("All allowed keys get the same weight: the scores have no effect.", lambda s, m: np.broadcast_to(m / m.sum(axis=-1, keepdims=True), s.shape)),
    ("You divide the scores by √n_k. Take them as they are.", lambda s, m: masked(s / np.sqrt(s.shape[-1]), m)),
    ("The softmax runs over axis 1. Keys are the *last* axis, however many stand before it: axis=-1.", lambda s, m: masked(s, m, axis=1)),
    ("The softmax runs over axis 0. Keys are the *last* axis, however many stand before it: axis=-1.", lambda s, m: masked(s, m, axis=0)),
    ("Integers go in, and you round your weights to integers: make their array of floats, np.zeros(scores.shape).", lambda s, m: masked(s, m).astype(s.dtype)),
    ("The first of the leading axes alone came: keep them all.", lambda s, m: masked(s, m)[0]),
    *slips(lambda weigh: lambda s, m: weigh(np.where(m, s, -np.inf)), ANY),
]  # fmt: skip


def _no_key(answer: Any) -> None:
    """A ValueError comes where a query has no key, and not where each has one."""
    scores, mask = scores_and_mask(5, 3, 4)
    numbers(call(answer, (scores, mask)))
    mask[1] = False
    for case in ((scores, mask), (np.stack([scores, scores]), mask)):
        try:
            with np.errstate(all="ignore"):
                got = answer(case[0].copy(), mask.copy())
        except ValueError:
            continue
        except Exception as error:
            raise Mistake(f"For a query without a key raise a ValueError; yours was {kind(error)}.") from error
        array = numbers(got)
        _told(array[..., 1, :] if array.shape == case[0].shape else array)


def _told(row: np.ndarray) -> None:
    """What the weights of a query look like that has no key."""
    if np.isnan(row).any():
        raise Mistake("Query 1 has no key to read, and its row is NaN: 0 divided by 0. Raise a ValueError instead.")
    if np.allclose(row.sum(axis=-1), 1):
        raise Mistake(
            "Query 1 has no key to read, and yet its weights sum to 1, as they do when −∞ is a finite number. Raise a ValueError instead."
        )
    raise Mistake("Query 1 has no key to read, and there are no weights that sum to 1. Raise a ValueError.")


def _shifted(by: Callable[[np.ndarray, np.ndarray], Any]) -> Map:
    """A softmax that subtracts another number than each row's largest allowed score."""

    def wrong(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
        raised = np.exp(np.where(mask, scores - by(scores, mask), -np.inf))
        return np.asarray(raised / raised.sum(axis=-1, keepdims=True))

    return wrong


def _cut_off(limit: float) -> Map:
    return lambda s, m: masked(np.clip(s, -limit, limit), m)


def _capped(limit: float) -> Map:
    return lambda s, m: _shifted(lambda s, m: 0)(np.minimum(s, limit), m)


GIANT_MISTAKES: Slips = [
    ("A blocked score of 2000 takes the whole row in the softmax, and 0/0 is left for the others: block it *before* the largest score and the sum are taken.", _renormalised),
    ("`exp` met a number too large for it: subtract each row's largest allowed score first.", _shifted(lambda s, m: 0)),
    ("You subtract the largest score of the whole grid, and 0/0 is left for rows far below it. Each row has its own.", _shifted(lambda s, m: s.max())),
    ("You subtract the largest score of the whole grid, and 0/0 is left for rows far below it. Each row has its own.", _shifted(lambda s, m: np.where(m, s, -np.inf).max())),
    ("The largest score is subtracted only where it is above 0: 0/0 is left for a row near −2000.", _shifted(lambda s, m: np.where(m, s, -np.inf).max(axis=-1, keepdims=True).clip(0))),
    ("You subtract the largest *size* of a score. In a row near −2000 that leaves 0/0: subtract the largest score, with its sign.", _shifted(lambda s, m: np.abs(np.where(m, s, 0)).max(axis=-1, keepdims=True))),
    ("You subtract the largest *size* of a score. In a row near −2000 that leaves 0/0: subtract the largest score, with its sign.", _shifted(lambda s, m: np.abs(s).max(axis=-1, keepdims=True))),
    ("You subtract the mean of a row. A score far above it is too large for `exp`: subtract the largest allowed score.", _shifted(lambda s, m: s.mean(axis=-1, keepdims=True))),
    ("You subtract the smallest score of a row. A score far above it is too large for `exp`: subtract the largest allowed score.", _shifted(lambda s, m: s.min(axis=-1, keepdims=True))),
    *(("Large scores are cut off, and small ones still give 0/0. Subtract each row's largest score instead.", _capped(limit)) for limit in LIMITS),
    *(("Large scores are cut off, so that those beyond the limit count alike. Subtract each row's largest score instead.", _cut_off(limit)) for limit in LIMITS),
    ("Blocked scores count as 0 when you take the largest: 0/0 is left for a row near −2000.", _shifted(lambda s, m: (s * m).max(axis=-1, keepdims=True))),
]  # fmt: skip


MASK_FIRST = (
    agrees("the weights", masked, [scores_and_mask(1, 4, 6), scores_and_mask(2, 4, 6), _whole_scores(8, 5, 5),
        _integers(14, 4, 5), _far_below(), scores_and_mask(9, 1, 5), scores_and_mask(10, 3, 300)], SOFTMAX_MISTAKES,
        MULTIPLIED),
    agrees("one mask for a batch", masked, [scores_and_mask(3, 2, 3, 4, 6), scores_and_mask(11, 5, 2, 5),
        scores_and_mask(12, 2, 1, 3, 1), scores_and_mask(13, 1, 1, 1)], SOFTMAX_MISTAKES, MULTIPLIED),
    agrees("a score of 2000, blocked and not", masked, [_one_giant(), _one_giant(allowed=True), _giants()],
        SOFTMAX_MISTAKES, GIANT_MISTAKES),
    Property("a query without a key is an error", _no_key),
)  # fmt: skip
