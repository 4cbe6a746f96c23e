"""How the programs of chapter 10 are judged: pieces joined to words, rows pooled, a head silenced."""

import numpy as np

from attnlib.exercises.slips import Slips, agrees, drawn, whole

# From pieces to words --------------------------------------------------------------------------


def _belongs(word: np.ndarray) -> np.ndarray:
    """1 where a piece belongs to a word, (words, n)."""
    return np.asarray(np.equal.outer(np.arange(np.max(word) + 1), word), dtype=float)


def _joined(weights: np.ndarray, word: np.ndarray) -> np.ndarray:
    belongs = _belongs(word)
    return np.asarray(belongs @ weights @ belongs.T / belongs.sum(axis=1, keepdims=True))


def _firsts(word: np.ndarray) -> np.ndarray:
    return np.asarray(np.searchsorted(word, np.arange(np.max(word) + 1)))


JOIN_MISTAKES: Slips = [
    ("You take the mean over the pieces that are read. Add up their weights: a word is read when any of its pieces is.", lambda A, w: _joined(A, w) / _belongs(w).sum(axis=1)),
    ("You add up over the pieces that ask. Take their mean, so that each row still sums to 1.", lambda A, w: _belongs(w) @ A @ _belongs(w).T),
    ("Queries and keys are exchanged: you average over the pieces that are read, and add up those that ask.", lambda A, w: _belongs(w) @ A @ (_belongs(w) / _belongs(w).sum(axis=1, keepdims=True)).T),
    ("Your result is transposed: rows are the words that ask.", lambda A, w: _joined(A, w).T),
    ("You keep each word's first piece alone. All of its pieces count.", lambda A, w: A[np.ix_(_firsts(w), _firsts(w))]),
    ("Of a word that asks you take the first piece alone. Take the mean over its pieces.", lambda A, w: (A @ _belongs(w).T)[_firsts(w)]),
    ("Of a word that is read you take the first piece alone. Add up all of its pieces.", lambda A, w: (_belongs(w) @ A / _belongs(w).sum(axis=1, keepdims=True))[:, _firsts(w)]),
    ("Only the keys are joined: the pieces that ask become words too.", lambda A, w: A @ _belongs(w).T),
    ("Only the queries are joined: the pieces that are read become words too.", lambda A, w: _belongs(w) @ A / _belongs(w).sum(axis=1, keepdims=True)),
    ("That is the largest weight between two words' pieces. Add up over keys, and take the mean over queries.", lambda A, w: np.array([[A[np.ix_(w == i, w == j)].max() for j in range(max(w) + 1)] for i in range(max(w) + 1)])),
    ("The pieces came back as they were.", lambda A, w: A),
]  # fmt: skip


def _pieces(seed: int, word: list[int]) -> tuple[np.ndarray, np.ndarray]:
    return np.random.default_rng(seed).dirichlet(np.ones(len(word)), size=len(word)), np.array(word)


def _causal_pieces(word: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """A grid with zeros."""
    return np.tri(len(word)) / np.arange(1, len(word) + 1)[:, None], np.array(word)


# A sentence's vector ---------------------------------------------------------------------------


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))


def _pooled(rows: np.ndarray, own: np.ndarray) -> np.ndarray:
    return _unit(rows[own].mean(axis=0))


POOL_MISTAKES: Slips = [
    ("Padding counts in your mean. Take the rows where `own` is True.", lambda r, o: _unit(r.mean(axis=0))),
    ("The mean is not brought to length 1: divide it by its length.", lambda r, o: r[o].mean(axis=0)),
    ("That is the sum of the rows. Its direction is right, its length is not 1.", lambda r, o: r[o].sum(axis=0)),
    ("That is the first row alone. Take the mean of all that `own` marks.", lambda r, o: _unit(r[0])),
    ("You bring each row to length 1 before the mean. First the mean, then the length.", lambda r, o: _unit((r[o] / np.linalg.norm(r[o], axis=1, keepdims=True)).mean(axis=0))),
    ("The mean runs along the wrong axis: average over tokens, axis=0.", lambda r, o: _unit(r[o].mean(axis=1))),
    ("You keep the rows where `own` is False. Those are padding.", lambda r, o: _unit(r[~o].mean(axis=0))),
    ("You divide by the sum of the numbers. The length is the root of the sum of their squares.", lambda r, o: r[o].mean(axis=0) / r[o].mean(axis=0).sum()),
    ("You divide by the square of the length. Divide by the length.", lambda r, o: r[o].mean(axis=0) / (r[o].mean(axis=0) ** 2).sum()),
    ("Each number's maximum over the tokens is max pooling. Take the mean.", lambda r, o: _unit(r[o].max(axis=0))),
    ("The result holds a row for each token. Take the mean over the tokens.", lambda r, o: r[o] / np.linalg.norm(r[o], axis=1, keepdims=True)),
]  # fmt: skip


def _rows(seed: int, n: int, d: int, own: int) -> tuple[np.ndarray, np.ndarray]:
    (rows,) = drawn(seed, (n, d))
    return rows + 0.5, np.arange(n) < own


def _padded_in_front(seed: int) -> tuple[np.ndarray, np.ndarray]:
    return _rows(seed, 6, 4, 4)[0], np.arange(6) > 1


def _integers(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of whole numbers, many of them 0."""
    (rows,) = whole(seed, (5, 4))
    return rows, np.array([True, True, True, True, False])


# One head silent -------------------------------------------------------------------------------


def _kept(blends: np.ndarray, head: int, h: int) -> np.ndarray:
    """The blends with a head's columns 0."""
    heads = np.repeat(np.arange(h), blends.shape[1] // h)
    return np.where(heads == head, 0.0, blends)


def _without(blends: np.ndarray, w_o: np.ndarray, head: int, h: int) -> np.ndarray:
    return np.asarray(_kept(blends, head, h) @ w_o)


SILENCE_MISTAKES: Slips = [
    ("Nothing is silenced: the whole output came.", lambda b, w, a, h: b @ w),
    ("The head after that is silenced: `head` counts from 0.", lambda b, w, a, h: _without(b, w, (a + 1) % h, h)),
    ("The head before that is silenced: `head` counts from 0.", lambda b, w, a, h: _without(b, w, (a - 1) % h, h)),
    ("That is what the silenced head alone adds. Keep the others.", lambda b, w, a, h: b @ w - _without(b, w, a, h)),
    ("Every h-th column is set to 0. A head's columns are neighbours.", lambda b, w, a, h: np.where(np.arange(b.shape[1]) % h == a, 0.0, b) @ w),
    ("A head has as many columns as there are heads in your code. It has width / h of them.", lambda b, w, a, h: np.where(np.arange(b.shape[1]) // h == a, 0.0, b) @ w),
    ("One column alone is set to 0. A head has width / h of them.", lambda b, w, a, h: np.where(np.arange(b.shape[1]) == a, 0.0, b) @ w),
    ("You silence columns of the *output*, where all heads are mixed. Silence columns of the blends, or rows of w_o.", lambda b, w, a, h: np.where(np.arange(w.shape[1]) // (w.shape[1] // h) == a, 0.0, b @ w)),
    ("w_o is missing: those are the blends, without the head.", lambda b, w, a, h: _kept(b, a, h)),
    ("A token's row is set to 0. A head is a band of columns.", lambda b, w, a, h: np.where(np.arange(len(b))[:, None] == a, 0.0, b) @ w),
    ("The rest is scaled up by h / (h − 1). Silenced means 0, and nothing else changes.", lambda b, w, a, h: _without(b, w, a, h) * h / (h - 1)),
    ("The first head is silenced, whatever `head` says.", lambda b, w, a, h: _without(b, w, 0, h)),
    ("The heads from `head` on are all silenced. Silence the one.", lambda b, w, a, h: np.where(np.arange(b.shape[1]) >= a * (b.shape[1] // h), 0.0, b) @ w),
]  # fmt: skip


def _layer(seed: int, n: int, h: int, d_v: int, d: int, head: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    blends, w_o = drawn(seed, (n, h * d_v), (h * d_v, d))
    return blends, w_o, head, h


def _blocked(seed: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Whole numbers, many of them 0."""
    blends, w_o = whole(seed, (4, 6), (6, 5))
    return blends, w_o, 1, 3


JOIN_PIECES = (
    agrees("words of several pieces", _joined, [_pieces(1, [0, 1, 1, 2, 3]), _pieces(2, [0, 0, 0, 1, 2, 2]),
        _pieces(3, [0, 1, 2, 2]), _pieces(5, [0, 0, 0]), _pieces(6, [0, 0, *range(1, 150)]),
        _causal_pieces([0, 1, 1, 2, 3])], JOIN_MISTAKES),
    agrees("no word is split", _joined, [_pieces(4, [0, 1, 2, 3])], JOIN_MISTAKES[3:4]),
)  # fmt: skip
MEAN_POOLED = (
    agrees("a text with padding", _pooled, [_rows(1, 6, 4, 4), _rows(6, 6, 4, 4), _rows(2, 5, 3, 3), _rows(3, 7, 5, 1),
        _padded_in_front(10), _rows(7, 200, 150, 180), _integers(8)], POOL_MISTAKES),
    agrees("a text without padding", _pooled, [_rows(4, 5, 4, 5), _rows(5, 4, 6, 4), _rows(9, 3, 1, 3)],
        POOL_MISTAKES[1:6]),
)  # fmt: skip
SILENCE_ONE = (
    agrees("a head in the middle", _without, [_layer(1, 5, 3, 2, 7, 1), _layer(2, 4, 2, 3, 5, 1),
        _layer(3, 6, 4, 3, 8, 2), _layer(7, 5, 3, 2, 7, 1), _layer(8, 150, 10, 15, 140, 4), _blocked(9)],
        SILENCE_MISTAKES),
    agrees("the first head", _without, [_layer(4, 5, 3, 4, 6, 0), _layer(5, 1, 2, 3, 4, 0), _layer(6, 3, 3, 1, 3, 0)],
        SILENCE_MISTAKES[:11]),
)  # fmt: skip
