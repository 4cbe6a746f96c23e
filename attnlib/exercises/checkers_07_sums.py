"""How two programs of chapter 7 are judged: running sums in place of a grid, and dropout."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.exercises.harness import Mistake, Property, call, compare
from attnlib.exercises.slips import ANY, Map, Slips, agrees, drawn, slips
from attnlib.masks import causal_mask
from attnlib.scaled_dot_product import attention, softmax
from attnlib.variants import linear_attention

# Running sums ----------------------------------------------------------------------------------


def _causal_linear(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.asarray(linear_attention(query, key, value, causal=True, feature=lambda x: x))


def _shares(change: Callable[[np.ndarray], np.ndarray]) -> Map:
    """Linear attention by its grid, changed before each row is divided by its sum."""

    def wrong(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
        grid = change(query @ key.T)
        sums = grid.sum(axis=1, keepdims=True)
        return np.asarray(grid / np.where(sums == 0, 1, sums) @ value)

    return wrong


def _norms(query: np.ndarray, key: np.ndarray) -> np.ndarray:
    return np.asarray((query * key.cumsum(axis=0)).sum(axis=1, keepdims=True))


def _running(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.asarray(np.tril(query @ key.T) @ value)


SUM_MISTAKES: Slips = [
    ("Every token reads the future: add a key and its value to the sums before its own query reads them, not all keys at once.", _shares(lambda grid: grid)),
    ("A token does not read itself: put its key and value into the sums first, then let its query read.", _shares(lambda grid: np.tril(grid, -1))),
    ("The sums run backwards: a token reads itself and those *before* it.", _shares(np.triu)),
    ("The division is missing: divide by φ(q) times the sum of the keys so far.", _running),
    ("You divide by the number of keys. Divide by φ(q) times their sum.", lambda q, k, v: _running(q, k, v) / np.arange(1, len(q) + 1)[:, None]),
    ("You divide by the sum over all keys, also the future ones. Keep a running sum of the keys too.", lambda q, k, v: _running(q, k, v) / (q @ k.sum(axis=0))[:, None]),
    ("query and key are exchanged.", lambda q, k, v: _causal_linear(k, q, v)),
    ("That is softmax attention. Here the weights are φ(q)·φ(k), and no exp is left to take.", lambda q, k, v: attention(q, k, v, causal_mask(len(q)), scale=1)),
    ("That is softmax attention. Here the weights are φ(q)·φ(k), and no exp is left to take.", lambda q, k, v: attention(q, k, v, causal_mask(len(q)))),
    ("You forget what was read before: add to the sums, do not replace them.", lambda q, k, v: v),
    ("The newest value comes out divided by the sum over all: keep the sum of φ(k)ᵀv too, not of φ(k) alone.", lambda q, k, v: (q * k).sum(axis=1, keepdims=True) * v / _norms(q, k)),
    ("All values before count alike: the keys and the query must weigh them.", lambda q, k, v: v.cumsum(axis=0) / np.arange(1, len(v) + 1)[:, None]),
    ("You divide by the sum of φ(k) and not by φ(q) times it.", lambda q, k, v: _running(q, k, v) / k.cumsum(axis=0).sum(axis=1, keepdims=True)),
    ("You divide by the newest key's weight alone. Keep a running sum of the keys too.", lambda q, k, v: _running(q, k, v) / (q * k).sum(axis=1, keepdims=True)),
    ("Your result is the right one, divided by √d_k. Linearised attention has no scale.", lambda q, k, v: _causal_linear(q, k, v) / np.sqrt(k.shape[1])),
    ("φ is applied once more: query and key have gone through it already.", lambda q, k, v: _causal_linear(np.exp(q), np.exp(k), v)),
    ("φ is applied once more: query and key have gone through it already.", lambda q, k, v: linear_attention(q, k, v, causal=True)),
    ("Each token reads the one after it, too.", _shares(lambda grid: np.tril(grid, 1))),
    ("The blend runs over all keys, also the future ones. Add a key and its value before its own query reads.", lambda q, k, v: q @ (k.T @ v) / _norms(q, k)),
    ("You divide by the number of tokens. Divide by φ(q) times the sum of the keys so far.", lambda q, k, v: _running(q, k, v) / len(q)),
    ("You divide by the length of the sum of φ(k), and not by φ(q) times it.", lambda q, k, v: _running(q, k, v) / np.linalg.norm(k.cumsum(axis=0), axis=1, keepdims=True)),
    ("The last token's row alone came. Return one for each token.", lambda q, k, v: _causal_linear(q, k, v)[-1]),
    ("Every token gets the last one's row.", lambda q, k, v: _causal_linear(q, k, v)[-1:].repeat(len(q), axis=0)),
    ("Every query is the last one: token i asks with its own.", lambda q, k, v: _causal_linear(q[-1:].repeat(len(q), axis=0), k, v)),
    ("Your result is transposed: a row for each token.", lambda q, k, v: _causal_linear(q, k, v).T),
    ("Integers go in, and you round your result to integers: make its array of floats, np.zeros(value.shape).", lambda q, k, v: _causal_linear(q, k, v).astype(v.dtype)),
]  # fmt: skip


def _past_alone(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    grid = np.tril(query @ key.T, -1)
    return np.asarray(grid / grid.sum(axis=1, keepdims=True) @ value)


TOO_EARLY: Slips = [
    (
        "A token does not read itself, and the first one reads nothing, 0/0: put its key and value into the sums first.",
        _past_alone,
    )
]


def _positive(seed: int, n: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
    query, key, value = drawn(seed, (n, d_k), (n, d_k), (n, d_v))
    return np.exp(query / 2), np.exp(key / 2), value


def _whole(seed: int, n: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
    """The same in integers, whose results are none."""
    rng = np.random.default_rng(seed)
    sizes = ((n, d_k), (n, d_k), (n, d_v))
    return tuple(rng.integers(1, 5, size=size) for size in sizes)


def _no_grid(answer: Any) -> None:
    """A long text, in memory that no n × n grid fits into."""
    case = _positive(5, 1500, 3, 2)
    tracemalloc.start()
    try:
        got = call(answer, case)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    compare(got, _causal_linear(*case), what="For 1500 tokens the result", tolerance=1e-5)
    if held > 1500**2 * 4:
        raise Mistake(
            f"For 1500 tokens your function held {held / 1e6:.0f} MB: that is an n × n grid. "
            "Two running sums of fixed size are enough."
        )


# Dropout ---------------------------------------------------------------------------------------


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


CAUSAL_SUMS = (
    agrees("one text", _causal_linear, [_positive(1, 6, 4, 3), _positive(2, 7, 2, 5), _positive(6, 6, 4, 3), _positive(7, 4, 1, 2), _positive(8, 3, 2, 1), _positive(9, 1, 3, 2), _whole(10, 5, 3, 2)], SUM_MISTAKES, TOO_EARLY),
    agrees("sizes that agree", _causal_linear, [_positive(3, 5, 5, 5)], SUM_MISTAKES, TOO_EARLY),
    Property("no n × n grid", _no_grid),
)  # fmt: skip
DROP_WEIGHTS = (
    agrees("some weights are dropped", _dropped, [_draws(1, 4, 6, 3, 0.25), _draws(2, 5, 3, 2, 0.4), _draws(5, 4, 6, 3, 0.5), _one_hot_draws(6), _draws(7, 150, 150, 2, 0.1), _draws(8, 1, 4, 2, 0.3), _draws(9, 3, 4, 1, 0.3)], DROP_MISTAKES),
    agrees("sizes that agree", _dropped, [_draws(3, 4, 4, 4, 0.3), _draws(10, 1, 1, 1, 0.0)], DROP_MISTAKES),
    agrees("a row that loses all its weights", _dropped, [_losing(4, 1), _losing(11, 0, 2)], DROP_MISTAKES, LOST_MISTAKES),
)  # fmt: skip
