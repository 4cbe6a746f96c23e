"""Right and wrong answers to the exercises of chapter 9."""

import numpy as np

RIGHT = {}
WRONG = {}

# Who reads the token before?


def _score(weights):
    later = np.arange(1, weights.shape[-1])
    return weights[:, later, later - 1].mean(axis=-1)


def _score_by_loops(weights):
    h, n, _ = weights.shape
    return [sum(weights[a, i, i - 1] for i in range(1, n)) / (n - 1) for a in range(h)]


RIGHT["previous-score"] = [
    _score,
    _score_by_loops,
    lambda weights: np.diagonal(weights, -1, 1, 2).mean(axis=-1),
    lambda weights: np.einsum("aij,ij->a", weights, np.eye(weights.shape[-1], k=-1)) / (weights.shape[-1] - 1),
]
WRONG["previous-score"] = [
    ("You divide by n", lambda w: np.diagonal(w, -1, 1, 2).sum(axis=-1) / w.shape[-1]),
    ("the token *after*", lambda w: _score(w.swapaxes(1, 2))),
    ("the token itself", lambda w: np.diagonal(w, 0, 1, 2).mean(axis=-1)),
    ("the second token before", lambda w: np.diagonal(w, -2, 1, 2).mean(axis=-1)),
    ("a score for each head", lambda w: _score(w).mean()),
    ("how often the token before", lambda w: (w.argmax(axis=-1)[:, 1:] == np.arange(w.shape[-1] - 1)).mean(axis=-1)),
    ("That is the largest weight", lambda w: np.diagonal(w, -1, 1, 2).max(axis=-1)),
    ("index −1 goes round", lambda w: w[:, np.arange(w.shape[1]), np.arange(w.shape[1]) - 1].mean(axis=-1)),
    ("That is the sum over all tokens", lambda w: np.trace(w, -1, 1, 2)),
    ("An axis of length 1 is missing", lambda w: np.squeeze(_score(w))),
    ("The last query is left out", lambda w: np.diagonal(w, -1, 1, 2)[:, :-1].mean(axis=-1)),
    ("should have shape (3,), got (6,)",
        lambda w: np.diagonal(w, -1, 0, 1).mean(axis=-1) if w.shape[0] != 3 else np.zeros(6)),
]  # fmt: skip

# How much does a head add?


def _added(weights, value, w_o):
    h, _, d_v = value.shape
    return weights @ value @ w_o.reshape(h, d_v, -1)


def _length(vectors):
    return np.sqrt((vectors**2).sum(axis=-1))


def _adds_by_loops(weights, value, w_o):
    h, n, d_v = value.shape
    out = np.zeros((h, n))
    for a in range(h):
        band = w_o[a * d_v : (a + 1) * d_v]
        for i in range(n):
            out[a, i] = np.linalg.norm(sum(weights[a, i, j] * value[a, j] @ band for j in range(n)))
    return out


def _adds_by_einsum(weights, value, w_o):
    bands = np.stack(np.split(w_o, len(value)))
    return np.linalg.norm(np.einsum("aij,ajv,avd->aid", weights, value, bands), axis=-1)


def _adds_in_place(weights, value, w_o):
    h, n, d_v = value.shape
    out = np.zeros((h, n))
    for a, i in np.ndindex(h, n):
        band = w_o[a * d_v : (a + 1) * d_v]
        added = np.zeros_like(band[0])
        for j in range(n):
            added += weights[a, i, j] * value[a, j] @ band
        out[a, i] = np.linalg.norm(added)
    return out


RIGHT["head-adds"] = [lambda A, v, o: _length(_added(A, v, o)), _adds_by_loops, _adds_by_einsum, _adds_in_place]
WRONG["head-adds"] = [
    ("You add up the lengths of the cells", lambda A, v, o: np.einsum("aij,aj->ai", A, _length(v @ np.stack(np.split(o, len(v)))))),
    ("the brightest cell alone",
        lambda A, v, o: A.max(axis=-1) * np.take_along_axis(_length(v @ np.stack(np.split(o, len(v)))),
            A.argmax(axis=-1), axis=-1)),
    ("w_o is missing", lambda A, v, o: _length(A @ v)),
    ("the first band of w_o", lambda A, v, o: _length(A @ v @ o[: v.shape[-1]])),
    ("every h-th row of w_o", lambda A, v, o: np.stack([_length(A[a] @ v[a] @ o[a :: len(v)]) for a in range(len(v))])),
    ("all heads add together", lambda A, v, o: _length(_added(A, v, o).sum(axis=0))),
    ("Return the length of each", _added),
    ("the square of the length", lambda A, v, o: (_added(A, v, o) ** 2).sum(axis=-1)),
    ("row i holds what query i reads", lambda A, v, o: _length(_added(A.swapaxes(1, 2), v, o))),
    ("should be",
        lambda A, v, o: _length(A @ v @ np.stack([
            band.T if len(band) == len(band.T) else band for band in np.split(o, len(v))]))),
    ("the sum of the sizes", lambda A, v, o: abs(_added(A, v, o)).sum(axis=-1)),
    ("An axis of length 1 is missing", lambda A, v, o: np.squeeze(_length(_added(A, v, o)))),
    ("You divide by √d", lambda A, v, o: np.sqrt((_added(A, v, o) ** 2).mean(axis=-1))),
    ("The weights are missing", lambda A, v, o: _length(v @ np.stack(np.split(o, len(v))))),
]  # fmt: skip
