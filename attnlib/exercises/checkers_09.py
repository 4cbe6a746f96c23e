"""How the programs of chapter 9 are judged: what a head reads, and how much it adds."""

import numpy as np

from attnlib.exercises.slips import Slips, agrees, drawn

# Who reads the token before --------------------------------------------------------------------


def _before(weights: np.ndarray, back: int = 1) -> np.ndarray:
    return np.asarray(np.diagonal(weights, -back, -2, -1).mean(axis=-1))


BEFORE_MISTAKES: Slips = [
    ("You divide by n. The first token has none before it, so n − 1 queries count.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / w.shape[-1]),
    ("That is the weight on the token *after*: query and key are exchanged.", lambda w: _before(w, -1)),
    ("That is the weight on the token itself.", lambda w: _before(w, 0)),
    ("That is the weight on the second token before.", lambda w: _before(w, 2)),
    ("You average over the heads too. Return a score for each head.", lambda w: _before(w).mean()),
    ("You count how often the token before gets the largest weight. Take the mean of its weight.", lambda w: (w.argmax(axis=-1)[:, 1:] == np.arange(w.shape[-1] - 1)).mean(axis=-1)),
    ("That is the largest weight on a token before. Take the mean.", lambda w: np.diagonal(w, -1, -2, -1).max(axis=-1)),
    ("That is the smallest weight on a token before. Take the mean.", lambda w: np.diagonal(w, -1, -2, -1).min(axis=-1)),
    ("That is the median. Take the mean.", lambda w: np.median(np.diagonal(w, -1, -2, -1), axis=-1)),
    ("That is the sum over all tokens. Take the mean.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1)),
    ("The first token counts, with its weight on the *last* one: index −1 goes round. It has none before it.", lambda w: (np.diagonal(w, -1, -2, -1).sum(axis=-1) + w[:, 0, -1]) / w.shape[-1]),
    ("The first token counts, with its weight on itself. It has none before it.", lambda w: (np.diagonal(w, -1, -2, -1).sum(axis=-1) + w[:, 0, 0]) / w.shape[-1]),
    ("That is the last token's weight alone. Take the mean over all but the first.", lambda w: w[:, -1, -2]),
    ("That is the second token's weight alone. Take the mean over all but the first.", lambda w: w[:, 1, 0]),
    ("You divide by n − 2. n − 1 queries have a token before.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / (w.shape[-1] - 2)),
    ("All tokens before count together. Take the weight on the one just before.", lambda w: np.tril(w, -1).sum(axis=-1)[:, 1:].mean(axis=-1)),
    ("The first query that has a token before, the second row, is left out.", lambda w: np.diagonal(w, -1, -2, -1)[:, 1:].mean(axis=-1)),
    ("The last query is left out.", lambda w: np.diagonal(w, -1, -2, -1)[:, :-1].mean(axis=-1)),
    ("Those are the weights of all tokens. Take their mean, for each head.", lambda w: np.diagonal(w, -1, -2, -1)),
    ("You average over the heads, and not over the tokens: heads are the first axis.", lambda w: np.diagonal(w, -1, -2, -1).mean(axis=0)),
    ("You go along heads and queries. Queries and keys are the last two axes.", lambda w: np.diagonal(w, -1, 0, 1).mean(axis=-1)),
    ("The mean is taken over the whole grid, with its zeros: n · n cells in place of n − 1.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / w.shape[-1] ** 2),
    ("The first head's score alone came. Return one for each head.", lambda w: _before(w)[0]),
    ("You divide by the number of heads. Divide by n − 1, the number of queries that have a token before.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / len(w)),
    ("You divide by n + 1. n − 1 queries have a token before.",
        lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / (w.shape[-1] + 1)),
    ("That is the mean weight on the *first* token.", lambda w: w[:, 1:, 0].mean(axis=-1)),
    ("The mean is taken over the whole block of queries from the second and keys up to the last but one, not over its diagonal alone.", lambda w: w[:, 1:, :-1].mean(axis=(1, 2))),
    ("All tokens before count together, and the first query too. Take the weight on the one just before.", lambda w: np.tril(w, -1).sum(axis=-1).mean(axis=-1)),
    ("You square the weights.", lambda w: (np.diagonal(w, -1, -2, -1) ** 2).mean(axis=-1)),
    ("The scores are divided by their sum. Each head's mean stands for itself.", lambda w: _before(w) / _before(w).sum()),
    ("The weight on the token itself counts as well.", lambda w: (_before(w) + _before(w, 0)) / 2),
]  # fmt: skip


BY_SIZE = ("You divide by n, or by the number of heads. n − 1 queries have a token before them.", BEFORE_MISTAKES[0][1])


def _grids(seed: int, h: int, n: int) -> tuple[np.ndarray]:
    return (np.random.default_rng(seed).dirichlet(np.ones(n), size=(h, n)),)


# How much does a head add? ---------------------------------------------------------------------


def _bands(value: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    h, _, d_v = value.shape
    return w_o.reshape(h, d_v, -1)


def _length(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def _adds(weights: np.ndarray, value: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    return _length(weights @ value @ _bands(value, w_o))


ADDS_MISTAKES: Slips = [
    ("You add up the lengths of the cells. Add their vectors first: those that point opposite ways cancel.", lambda A, v, o: (A * _length(v @ _bands(v, o))[:, None]).sum(axis=-1)),
    ("That is the brightest cell alone. Add the vectors of all cells of the row.", lambda A, v, o: np.take_along_axis(A * _length(v @ _bands(v, o))[:, None], A.argmax(axis=-1, keepdims=True), axis=-1)[..., 0]),
    ("w_o is missing: that is the length of the blend, before the head writes it.", lambda A, v, o: _length(A @ v)),
    ("Every head goes through the first band of w_o. Head a, counted from 0, has rows a·d_v to (a + 1)·d_v − 1.", lambda A, v, o: _length(A @ v @ o[: v.shape[-1]])),
    ("Head a takes every h-th row of w_o. Its rows are neighbours: a·d_v to (a + 1)·d_v − 1.", lambda A, v, o: _length(A @ v @ o.reshape(v.shape[-1], len(v), -1).swapaxes(0, 1))),
    ("That is the length of what all heads add together. Return one for each head.", lambda A, v, o: _length((A @ v @ _bands(v, o)).sum(axis=0))),
    ("Those are the vectors that are added. Return the length of each.", lambda A, v, o: A @ v @ _bands(v, o)),
    ("That is the square of the length.", lambda A, v, o: _adds(A, v, o) ** 2),
    ("Rows and columns of the weights are exchanged: row i holds what query i reads.", lambda A, v, o: _adds(A.swapaxes(1, 2), v, o)),
    ("The weights are missing: that is what each key would add with a weight of 1.", lambda A, v, o: _length(v @ _bands(v, o))),
    ("Each band of w_o is transposed: a value of width d_v meets its d_v rows.", lambda A, v, o: _length(A @ v @ _bands(v, o).swapaxes(1, 2))),
    ("The bands of w_o are in the reverse order: the first head has the first rows.", lambda A, v, o: _length(A @ v @ _bands(v, o)[::-1])),
    ("That is the sum of the sizes of the vector's numbers. Its length is the root of the sum of their squares.", lambda A, v, o: np.abs(A @ v @ _bands(v, o)).sum(axis=-1)),
    ("That is the largest size among the vector's numbers. Its length is the root of the sum of their squares.", lambda A, v, o: np.abs(A @ v @ _bands(v, o)).max(axis=-1)),
    ("That is the sum of the vector's numbers. Its length is the root of the sum of their squares.", lambda A, v, o: (A @ v @ _bands(v, o)).sum(axis=-1)),
    ("You divide by √d: the root of the mean square. The length takes the sum.", lambda A, v, o: _adds(A, v, o) / np.sqrt(o.shape[1])),
    ("The lengths are divided by the number of heads. Each head has its own.", lambda A, v, o: _adds(A, v, o) / len(A)),
    ("The lengths run over the tokens. Take the length of each token's vector.", lambda A, v, o: np.linalg.norm(A @ v @ _bands(v, o), axis=1)),
    ("You average over the tokens. Return a length for each head and token.", lambda A, v, o: _adds(A, v, o).mean(axis=-1)),
    ("That is the length for the whole head. Return one for each of its tokens.", lambda A, v, o: np.linalg.norm(A @ v @ _bands(v, o), axis=(1, 2))),
    ("You multiply the length of the blend by the size of the band. The vector itself must go through w_o.", lambda A, v, o: _length(A @ v) * np.linalg.norm(_bands(v, o), axis=(1, 2))[:, None]),
    ("Your result is transposed: heads are the rows.", lambda A, v, o: _adds(A, v, o).T),
    ("The first head's lengths alone came. Return a row for each head.", lambda A, v, o: _adds(A, v, o)[0]),
    ("Every head goes through the last band of w_o. Head a, counted from 0, has rows a·d_v to (a + 1)·d_v − 1.", lambda A, v, o: _length(A @ v @ o[-v.shape[-1] :])),
    ("Those are lengths over the heads. Take the length of each head's vector, for each token.", lambda A, v, o: np.linalg.norm(A @ v @ _bands(v, o), axis=0)),
    ("That is one length for everything. Return one for each head and token.", lambda A, v, o: np.linalg.norm(A @ v @ _bands(v, o))),
    ("That is the longest cell alone. Add the vectors of all cells of the row.", lambda A, v, o: (A * _length(v @ _bands(v, o))[:, None]).max(axis=-1)),
    ("Those are shares of all heads' lengths. Return the lengths.", lambda A, v, o: _adds(A, v, o) / _adds(A, v, o).sum(axis=0)),
    ("The query reads itself with a weight of 1 more: what the stream holds is added.", lambda A, v, o: _length((A @ v + v) @ _bands(v, o))),
    ("Every head has the first head's lengths.", lambda A, v, o: _adds(A, v, o)[[0] * len(A)]),
]  # fmt: skip


def _opposite() -> tuple[np.ndarray, ...]:
    """Two keys with opposite values, read half and half by two of three queries."""
    (v, w_o) = drawn(7, (3, 1, 4), (12, 5))
    weights = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]]) * np.ones((3, 1, 1))
    return weights, np.concatenate([v, -v, 2 * v], axis=1), w_o


def _causal_grid(h: int, n: int) -> tuple[np.ndarray]:
    return (np.tri(n) / np.arange(1, n + 1)[:, None] * np.ones((h, 1, 1)),)


def _blends(seed: int, h: int, n: int, d_v: int, d: int) -> tuple[np.ndarray, ...]:
    return (*_grids(seed, h, n), *drawn(seed, (h, n, d_v), (h * d_v, d)))


def _bright(seed: int) -> tuple[np.ndarray, ...]:
    """Each query reads one key alone; values and w_o hold whole numbers."""
    rng = np.random.default_rng(seed)
    weights = np.eye(5)[rng.integers(5, size=(2, 5))]
    value, w_o = rng.integers(-1, 2, size=(2, 5, 3)), rng.integers(-2, 3, size=(6, 4))
    return weights, value.astype(float), w_o.astype(float)


PREVIOUS_SCORE = (
    agrees("three heads", _before, [_grids(1, 3, 6), _grids(2, 2, 4), _grids(4, 3, 6), _grids(5, 1, 5),
        _grids(7, 2, 200), _grids(9, 140, 3)], BEFORE_MISTAKES),
    agrees("a causal grid", _before, [_causal_grid(2, 5), (np.eye(4)[[[0, 0, 1, 0], [0, 1, 2, 2]]],)], BEFORE_MISTAKES),
    agrees("as many heads as tokens", _before, [_grids(3, 4, 4), _grids(8, 4, 4), _grids(6, 2, 2)],
        [BY_SIZE, *BEFORE_MISTAKES[1:]]),
)  # fmt: skip
HEAD_ADDS = (
    agrees("any values", _adds, [_blends(4, 3, 5, 2, 7), _blends(5, 2, 4, 3, 5), _blends(8, 3, 5, 2, 7),
        _blends(9, 3, 4, 2, 2), _blends(10, 1, 4, 3, 5), _blends(11, 2, 3, 1, 4), _blends(12, 2, 1, 3, 1), _bright(13),
        _blends(14, 2, 200, 2, 3)], ADDS_MISTAKES),
    agrees("values that cancel", _adds, [_opposite()], ADDS_MISTAKES),
)  # fmt: skip
