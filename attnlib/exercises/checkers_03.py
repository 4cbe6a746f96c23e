"""How the programs of chapter 3 are judged: one token reads, and cross-attention."""

from typing import Any

import numpy as np

from attnlib.exercises.harness import Case
from attnlib.exercises.slips import ANY, GRID, LENGTHS, Map, Slips, Weigh, agrees, drawn, slips, weights
from attnlib.scaled_dot_product import attention, single_query_attention

ROOT = "You divide by √d_k. That comes in the next chapter: here scores are plain dot products."
UNDIVIDED = "here scores are plain dot products."
# where all sizes are equal, nobody can tell which was taken
ROOT_OF_SIZE = f"You divide by the root of a size: {UNDIVIDED}"
SIZE = f"You divide by a size: {UNDIVIDED}"
TIMES_ROOT = f"You multiply by the root of a size: {UNDIVIDED}"
FIXED = "is a size fixed in your code?"


# One token reads -------------------------------------------------------------------------------


def _read(token: np.ndarray, z: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray) -> np.ndarray:
    return np.asarray(single_query_attention(token @ w_q, z @ w_k, z @ w_v, scale=1))


def _reading(seed: int, n: int, d: int, d_k: int, d_v: int, size: float = 1.0) -> Case:
    return drawn(seed, (d,), (n, d), (d, d_k), (d, d_k), (d, d_v), size=size)


def _one(weigh: Weigh, scale: float = 1.0) -> Map:
    return lambda t, z, q, k, v: weigh(scale * (z @ k @ (t @ q))) @ (z @ v)


READ_MISTAKES: Slips = [
    ("The result has an axis too many: one token takes home one vector.", lambda *g: _read(*g)[None]),
    ("You blend the tokens themselves. Blend their values, z @ w_v.", lambda t, z, q, k, v: weights(z @ k @ (t @ q)) @ z),
    ("You blend the keys. Keys only make scores; what is handed over are the values, z @ w_v.", lambda t, z, q, k, v: weights(z @ k @ (t @ q)) @ (z @ k)),
    ("You blend queries. What is handed over are the values, z @ w_v.", lambda t, z, q, k, v: weights(z @ k @ (t @ q)) @ (z @ q)),
    ("The roles are swapped: the token that reads is multiplied by w_q, the tokens that are read by w_k.", lambda t, z, q, k, v: _read(t, z, k, q, v)),
    ("The keys are made with w_q: the tokens that are read are multiplied by w_k.", lambda t, z, q, k, v: _read(t, z, q, q, v)),
    ("The query is made with w_k: the token that reads is multiplied by w_q.", lambda t, z, q, k, v: _read(t, z, k, k, v)),
    ("These are the weights. Blend the values with them.", lambda t, z, q, k, v: weights(z @ k @ (t @ q))),
    ("These are the scores. Their softmax blends the values.", lambda t, z, q, k, v: z @ k @ (t @ q)),
    ("The token's own value is what you return: it has read nothing.", lambda t, z, q, k, v: t @ v),
    ("This is the sum of all values: the weights have no part in it.", lambda t, z, q, k, v: (z @ v).sum(axis=0)),
    ("The values are weighted, and not added up: the result is one vector.", lambda t, z, q, k, v: weights(z @ k @ (t @ q))[:, None] * (z @ v)),
    ("The token's own value is added to what it reads. Return what it reads alone.", lambda t, z, q, k, v: _read(t, z, q, k, v) + t @ v),
    (ROOT, lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v)),
    (f"You divide by d_k: {UNDIVIDED}",
        lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v, scale=1 / k.shape[1])),
    (f"You divide by √d, the width of a token: {UNDIVIDED}", lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v, scale=len(k) ** -0.5)),
    (f"You divide by the root of the number of tokens: {UNDIVIDED}", lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v, scale=len(z) ** -0.5)),
    (f"You multiply by √d_k: {UNDIVIDED}",
        lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v, scale=k.shape[1] ** 0.5)),
    ("The token is compared as it is, without w_q, or the keys without w_k.", lambda t, z, q, k, v: weights(z @ t) @ (z @ v)),
    *((f"Tokens after the first {n} are not read: {FIXED}", lambda t, z, q, k, v, n=n: _read(t, z[:n], q, k, v)) for n in LENGTHS),
    *((f"Axes after the first {n} have no part in your query: {FIXED}", lambda t, z, q, k, v, n=n: single_query_attention(t[:n] @ q[:n], z @ k, z @ v, scale=1)) for n in LENGTHS),
    *slips(_one, ANY),
]  # fmt: skip
SAME_SIZE_READ: Slips = [
    (ROOT_OF_SIZE, lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v)),
    (SIZE, lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v, scale=1 / len(k))),
    (TIMES_ROOT, lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v, scale=len(k) ** 0.5)),
    ("A projection is transposed: rows are tokens, so `z @ w_k`.", lambda t, z, q, k, v: _read(t, z, q.T, k.T, v.T)),
    ("The query's projection is transposed: `token @ w_q`.", lambda t, z, q, k, v: _read(t, z, q.T, k, v)),
    ("The keys' projection is transposed: `z @ w_k`.", lambda t, z, q, k, v: _read(t, z, q, k.T, v)),
    ("The values' projection is transposed: `z @ w_v`.", lambda t, z, q, k, v: _read(t, z, q, k, v.T)),
    ("The values are the keys' product, z @ w_k @ w_v: project z alone.", lambda t, z, q, k, v: _read(t, z, q, k, k @ v)),
    ("The token is compared as it is: multiply it by w_q first.", lambda t, z, q, k, v: single_query_attention(t, z @ k, z @ v, scale=1)),
    ("The keys are the tokens as they are: multiply them by w_k first.", lambda t, z, q, k, v: single_query_attention(t @ q, z, z @ v, scale=1)),
    *READ_MISTAKES,
]  # fmt: skip
ONE_HOT_READING: Case = (np.eye(3)[1], np.eye(3)[[0, 1, 2, 1]], np.eye(3, 2), np.eye(3, 2, k=-1),
    np.ones((3, 2)) * [1, 2] * np.arange(3)[:, None])  # fmt: skip
READ_ONE = (
    agrees(
        "the context vector",
        _read,
        [
            _reading(1, 7, 5, 4, 3),
            _reading(8, 7, 5, 4, 3, 0.8),
            _reading(2, 2, 6, 3, 8, 0.7),
            _reading(5, 4, 3, 1, 1),
            _reading(6, 3, 1, 2, 4),
            _reading(7, 300, 3, 2, 2),
            _reading(9, 3, 140, 3, 2, 0.25),
            ONE_HOT_READING,
        ],
        READ_MISTAKES,
    ),
    agrees(
        "matrices of one size", _read, [_reading(3, 5, 4, 4, 4, 0.7), _reading(10, 4, 4, 4, 4, 0.7)], SAME_SIZE_READ
    ),
    agrees("a single token to read", _read, [_reading(4, 1, 3, 2, 5), _reading(11, 1, 3, 2, 1)], READ_MISTAKES),
)

# Cross-attention -------------------------------------------------------------------------------


def _cross(*given: Any) -> np.ndarray:
    x, z, w_q, w_k, w_v, b_q, b_k, b_v = given
    return np.asarray(attention(x @ w_q + b_q, z @ w_k + b_k, z @ w_v + b_v, scale=1))


def _crossing(seed: int, n: int, n_z: int, d: int, d_z: int, d_k: int, d_v: int, size: float = 1.0) -> Case:
    shapes = [(n, d), (n_z, d_z), (d, d_k), (d_z, d_k), (d_z, d_v), (d_k,), (d_k,), (d_v,)]
    return drawn(seed, *shapes, size=size)


def _crossed(weigh: Weigh, scale: float = 1.0) -> Map:
    return lambda x, z, q, k, v, b_q, b_k, b_v: weigh(scale * (x @ q + b_q) @ (z @ k + b_k).T) @ (z @ v + b_v)


def _scaled(by: Map) -> Map:
    return lambda x, z, q, k, v, b_q, b_k, b_v: attention(x @ q + b_q, z @ k + b_k, z @ v + b_v, scale=by(x, z, q, v))


MISSING_B_Q = "The bias b_q is missing. It gives some keys a head start, so it changes the weights."
CROSS_MISTAKES: Slips = [
    ("The bias b_v is missing: every output is off by exactly b_v.", lambda *g: _cross(*g[:7], 0)),
    ("The biases b_q and b_v are missing: each projection has its own, added after the product.", lambda *g: _cross(*g[:5], 0, 0, 0)),
    (MISSING_B_Q, lambda *g: _cross(*g[:5], 0, *g[6:])),
    ("b_k stands where b_q belongs: the queries take b_q.", lambda *g: _cross(*g[:5], g[6], g[5], g[7])),
    ("b_q is subtracted: add it.", lambda *g: _cross(*g[:5], -g[5], g[6], g[7])),
    ("b_v is subtracted: add it.", lambda *g: _cross(*g[:7], -g[7])),
    ("b_v is added twice: once, to the values, or to the outputs.", lambda *g: _cross(*g[:7], 2 * g[7])),
    ("b_q is added twice.", lambda *g: _cross(*g[:5], 2 * g[5], *g[6:])),
    ("Each bias is multiplied by its projection in yours: add it after the product.", lambda x, z, q, k, v, b_q, b_k, b_v: _cross(x, z, q, k, v, b_q * q.sum(axis=0), b_k * k.sum(axis=0), b_v * v.sum(axis=0))),
    ("These are the weights. Multiply them by the values.", lambda x, z, q, k, v, b_q, b_k, b_v: weights((x @ q + b_q) @ (z @ k + b_k).T)),
    ("These are the scores. Their softmax is multiplied by the values.", lambda x, z, q, k, v, b_q, b_k, b_v: (x @ q + b_q) @ (z @ k + b_k).T),
    ("You blend the tokens of z themselves. Blend their values, z @ w_v + b_v.", lambda x, z, q, k, v, b_q, b_k, b_v: weights((x @ q + b_q) @ (z @ k + b_k).T) @ z),
    ("You blend the keys. What is handed over are the values, z @ w_v + b_v.", lambda x, z, q, k, v, b_q, b_k, b_v: weights((x @ q + b_q) @ (z @ k + b_k).T) @ (z @ k + b_k)),
    (ROOT, _scaled(lambda x, z, q, v: q.shape[1] ** -0.5)),
    (f"You divide by d_k: {UNDIVIDED}", _scaled(lambda x, z, q, v: 1 / q.shape[1])),
    (f"You divide by √d, the width of a token: {UNDIVIDED}", _scaled(lambda x, z, q, v: len(q) ** -0.5)),
    (f"You divide by √d_v: {UNDIVIDED}", _scaled(lambda x, z, q, v: v.shape[1] ** -0.5)),
    (f"You divide by the root of the number of keys: {UNDIVIDED}", _scaled(lambda x, z, q, v: len(z) ** -0.5)),
    (f"You divide by the root of the number of queries: {UNDIVIDED}", _scaled(lambda x, z, q, v: len(x) ** -0.5)),
    (f"You multiply by √d_k: {UNDIVIDED}", _scaled(lambda x, z, q, v: q.shape[1] ** 0.5)),
    *((f"Rows after the first {n} of z are not read: {FIXED}", lambda x, z, *g, n=n: _cross(x, z[:n], *g)) for n in LENGTHS),
    *((f"Rows of your result after the first {n} stay 0: {FIXED}", lambda x, *g, n=n: _cross(x, *g) * (np.arange(len(x)) < n)[:, None]) for n in LENGTHS),
    *slips(_crossed, GRID),
]  # fmt: skip
SIDE = "A projection has its matrix on the wrong side, or transposed: rows are tokens, so x @ w_q."
SAME_SIZE_CROSS: Slips = [
    (ROOT_OF_SIZE, _scaled(lambda x, z, q, v: q.shape[1] ** -0.5)),
    (SIZE, _scaled(lambda x, z, q, v: 1 / q.shape[1])),
    (TIMES_ROOT, _scaled(lambda x, z, q, v: q.shape[1] ** 0.5)),
    ("The values come from x. Keys and values both come from z, the sequence that is read.", lambda x, z, q, k, v, b_q, b_k, b_v: attention(x @ q + b_q, z @ k + b_k, x @ v + b_v, scale=1)),
    ("The keys come from x. Keys and values both come from z, the sequence that is read.", lambda x, z, q, k, v, b_q, b_k, b_v: attention(x @ q + b_q, x @ k + b_k, z @ v + b_v, scale=1)),
    ("The queries come from z. They come from x, the sequence that asks.", lambda x, z, *g: _cross(z, z, *g)),
    ("x and z are exchanged: x asks, z answers.", lambda x, z, *g: _cross(z, x, *g)),
    ("This is self-attention of x: nothing is read from z.", lambda x, z, *g: _cross(x, x, *g)),
    (SIDE, lambda x, z, q, k, v, *b: _cross(x, z, q.T, k.T, v.T, *b)),
    ("w_q is transposed: rows are tokens, so x @ w_q.", lambda x, z, q, k, v, *b: _cross(x, z, q.T, k, v, *b)),
    ("w_k is transposed: rows are tokens, so z @ w_k.", lambda x, z, q, k, v, *b: _cross(x, z, q, k.T, v, *b)),
    ("w_v is transposed: rows are tokens, so z @ w_v.", lambda x, z, q, k, v, *b: _cross(x, z, q, k, v.T, *b)),
    ("w_q and w_k are exchanged: x @ w_q asks, z @ w_k answers.", lambda x, z, q, k, v, *b: _cross(x, z, k, q, v, *b)),
    ("The keys are made with w_q: z @ w_k answers.", lambda x, z, q, k, v, *b: _cross(x, z, q, q, v, *b)),
    ("The queries are made with w_k: x @ w_q asks.", lambda x, z, q, k, v, *b: _cross(x, z, k, k, v, *b)),
    ("w_k and w_v are exchanged: z @ w_k makes scores, z @ w_v is handed over.",
        lambda x, z, q, k, v, *b: _cross(x, z, q, v, k, *b)),
    ("A bias is added before the product: it belongs after it, x @ w_q + b_q.", lambda x, z, q, k, v, b_q, b_k, b_v: attention((x + b_q) @ q, (z + b_k) @ k, (z + b_v) @ v, scale=1)),
    *CROSS_MISTAKES,
]  # fmt: skip
CROSS_ATTENTION = (
    agrees(
        "the output",
        _cross,
        [
            _crossing(8, 4, 4, 3, 5, 4, 4, 0.7),
            _crossing(1, 3, 7, 4, 5, 6, 2, 0.7),
            _crossing(5, 3, 7, 4, 5, 6, 2, 0.7),
            _crossing(2, 6, 2, 3, 8, 4, 5, 0.7),
            _crossing(6, 1, 4, 3, 2, 3, 1, 0.7),
            _crossing(7, 2, 300, 3, 2, 1, 3, 0.7),
            _crossing(9, 150, 3, 1, 1, 2, 2),
            _crossing(12, 2, 3, 140, 130, 2, 2, 0.25),
            (
                np.eye(3)[[0, 2]],
                np.eye(3)[[1, 0, 2, 1]],
                *[np.eye(3)[:, [0, 2]]] * 3,
                *np.array([[0, 1], [2, 0], [0, 3.0]]),
            ),
        ],
        CROSS_MISTAKES,
    ),
    agrees(
        "keys and values from z",
        _cross,
        [_crossing(3, 4, 4, 4, 4, 4, 4, 0.7), _crossing(10, 4, 4, 4, 4, 4, 4, 0.7)],
        SAME_SIZE_CROSS,
    ),
    agrees("a single key", _cross, [_crossing(4, 5, 1, 3, 2, 4, 6), _crossing(11, 1, 1, 3, 2, 4, 6)], CROSS_MISTAKES),
)
