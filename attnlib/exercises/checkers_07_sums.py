"""How a program of chapter 7 is judged: running sums in place of a grid."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.exercises.harness import Mistake, Property, call_traced, compare
from attnlib.exercises.slips import Map, Slips, agrees, drawn
from attnlib.masks import causal_mask
from attnlib.scaled_dot_product import attention
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
    got, held = call_traced(answer, case)
    compare(got, _causal_linear(*case), what="For 1500 tokens the result", tolerance=1e-5)
    if held > (most := 1500**2 * 2):
        raise Mistake(
            f"For 1500 tokens your function held more than {most / 1e6} MB: that is an n × n grid. "
            "Two running sums of fixed size are enough."
        )


CAUSAL_SUMS = (
    agrees("one text", _causal_linear, [_positive(1, 6, 4, 3), _positive(2, 7, 2, 5), _positive(6, 6, 4, 3),
        _positive(7, 4, 1, 2), _positive(8, 3, 2, 1), _positive(9, 1, 3, 2), _whole(10, 5, 3, 2)], SUM_MISTAKES,
        TOO_EARLY),
    agrees("all sizes equal", _causal_linear, [_positive(3, 5, 5, 5)], SUM_MISTAKES, TOO_EARLY),
    Property("no n × n grid", _no_grid),
)  # fmt: skip
