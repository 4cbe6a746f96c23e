"""How a program of chapter 5's second page is judged: dropout on the weights."""

from typing import Any

import numpy as np

from attnlib.exercises.slips import ANY, Slips, agrees, slips
from attnlib.scaled_dot_product import softmax


def _dropped(scores: np.ndarray, value: np.ndarray, kept: np.ndarray, p: float) -> np.ndarray:
    return np.asarray(softmax(scores) * kept / (1 - p) @ value)


def _renormalised(scores: np.ndarray, value: np.ndarray, kept: np.ndarray, p: float) -> np.ndarray:
    weights = softmax(scores) * kept
    return np.asarray(weights / weights.sum(axis=1, keepdims=True) @ value)


DROP_MISTAKES: Slips = [
    ("You set scores to 0, before the softmax. A score of 0 is an ordinary score: drop the weights, after it.", lambda s, v, kept, p: softmax(s * kept) @ v),
    ("You set scores to 0, before the softmax. A score of 0 is an ordinary score: drop the weights, after it.", lambda s, v, kept, p: softmax(s * kept) / (1 - p) @ v),
    ("You set scores to 0, before the softmax. A score of 0 is an ordinary score: drop the weights, after it.", lambda s, v, kept, p: softmax(s * kept / (1 - p)) @ v),
    ("The division by 1 − p is missing: the average over many draws would shrink.", lambda s, v, kept, p: softmax(s) * kept @ v),
    ("You divide by p. Of the weights the share 1 − p is left: divide by that.", lambda s, v, kept, p: softmax(s) * kept / p @ v),
    ("You multiply by 1 − p. What is left must grow, not shrink: divide.", lambda s, v, kept, p: softmax(s) * kept * (1 - p) @ v),
    ("kept is inverted: True stays, False goes.", lambda s, v, kept, p: _dropped(s, v, ~kept, p)),
    ("Your rows sum to 1 again. Dropout divides by 1 − p, the same for all rows, whatever was dropped.", _renormalised),
    ("Your rows sum to 1 before they are divided by 1 − p. Drop weights after the softmax, and leave the others as they are: no −∞ before it, no second sum.", lambda s, v, kept, p: softmax(np.where(kept, s, -np.inf)) / (1 - p) @ v),
    ("Nothing is dropped.", lambda s, v, kept, p: softmax(s) @ v),
    ("The softmax runs over the queries. It must run over the keys, the last axis.", lambda s, v, kept, p: softmax(s, axis=0) * kept / (1 - p) @ v),
    *slips(lambda weigh: lambda s, v, kept, p: weigh(s) * kept / (1 - p) @ v, ANY),
    ("You divide by (1 − p) twice.", lambda s, v, kept, p: _dropped(s, v, kept, p) / (1 - p)),
    ("You multiply by 1 + p. Divide by 1 − p.", lambda s, v, kept, p: softmax(s) * kept * (1 + p) @ v),
    ("You multiply by p. Divide by 1 − p.", lambda s, v, kept, p: softmax(s) * kept * p @ v),
    ("Nothing is dropped, but all is divided by 1 − p.", lambda s, v, kept, p: softmax(s) / (1 - p) @ v),
    ("You divide by the share that was kept in this draw. Dropout divides by 1 − p, whatever was drawn.", lambda s, v, kept, p: softmax(s) * kept / kept.mean() @ v),
    ("You divide by the share that each row kept. Dropout divides by 1 − p, whatever was drawn.", lambda s, v, kept, p: softmax(s) * kept / kept.mean(axis=1, keepdims=True) @ v),
    ("Dropped weights are subtracted. They should be 0.", lambda s, v, kept, p: softmax(s) * np.where(kept, 1, -1) / (1 - p) @ v),
    ("Those are the weights after dropping. Blend the values with them.", lambda s, v, kept, p: softmax(s) * kept / (1 - p)),
    ("The scores are divided by 1 − p, too: only the weights are.", lambda s, v, kept, p: _dropped(s / (1 - p), v, kept, p)),
    ("The scores are scaled already. You scale them again.", lambda s, v, kept, p: _dropped(s / np.sqrt(v.shape[1]), v, kept, p)),
    ("The softmax runs over the whole grid. Each query has its own.", lambda s, v, kept, p: np.exp(s) / np.exp(s).sum() * kept / (1 - p) @ v),
    ("The softmax comes a second time, after dropping: dropped weights come back.", lambda s, v, kept, p: softmax(softmax(s) * kept / (1 - p)) @ v),
    ("The first query's row alone came. Each query has one.", lambda s, v, kept, p: _dropped(s, v, kept, p)[0]),
    ("Your result is transposed: a row for each query.", lambda s, v, kept, p: _dropped(s, v, kept, p).T),
]  # fmt: skip


def _draws(seed: int, n_q: int, n_k: int, d_v: int, p: float) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    kept = rng.random((n_q, n_k)) >= p
    kept[np.arange(n_q), rng.integers(n_k, size=n_q)] = (
        True  # every row keeps something, so that each mistake is one of its own
    )
    return rng.normal(size=(n_q, n_k)), rng.normal(size=(n_k, d_v)), kept, p


def _one_hot_draws(seed: int) -> tuple[Any, ...]:
    """Whole numbers: many scores are 0, and the values are words in one-hot form."""
    rng = np.random.default_rng(seed)
    _, _, kept, p = _draws(seed, 4, 6, 3, 0.3)
    return rng.integers(-2, 3, size=(4, 6)).astype(float), np.eye(4)[rng.integers(4, size=6)], kept, p


def _losing(seed: int, *lost: int) -> tuple[Any, ...]:
    scores, value, kept, p = _draws(seed, 3, 5, 2, 0.4)
    kept[list(lost)] = False
    return scores, value, kept, p


LOST_MISTAKES = [
    ("A row that loses all its weights gives NaN. It should give 0: the softmax comes first, and no row is divided by its sum again.", _renormalised),
    ("A row that loses all its weights gives NaN. It should give 0: the softmax comes first, and no row is divided by its sum again.", lambda s, v, kept, p: _renormalised(s, v, kept, p) / (1 - p)),
]  # fmt: skip


DROP_WEIGHTS = (
    agrees("some weights are dropped", _dropped, [_draws(1, 4, 6, 3, 0.25), _draws(2, 5, 3, 2, 0.4),
        _draws(5, 4, 6, 3, 0.5), _one_hot_draws(6), _draws(7, 150, 150, 2, 0.1), _draws(8, 1, 4, 2, 0.3),
        _draws(9, 3, 4, 1, 0.3)], DROP_MISTAKES),
    agrees("all sizes equal", _dropped, [_draws(3, 4, 4, 4, 0.3), _draws(10, 1, 1, 1, 0.0)], DROP_MISTAKES),
    agrees("a row that loses all its weights", _dropped, [_losing(4, 1), _losing(11, 0, 2)], DROP_MISTAKES, LOST_MISTAKES),
)  # fmt: skip
