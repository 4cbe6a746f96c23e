"""How the program of chapter 4 about saturated rows is judged."""

import numpy as np

from attnlib.exercises.harness import Case
from attnlib.exercises.slips import GRID, LARGE, LENGTHS, Map, Slips, Weigh, agrees, slips, weights
from attnlib.scaled_dot_product import softmax, softmax_jacobian

FIXED = "is a size fixed in your code?"


def _norms(weights: np.ndarray) -> np.ndarray:
    """For each row a the norm of diag(a) − a aᵀ, whether or not a sums to 1."""
    outer = weights[:, :, None] * weights[:, None, :]
    return np.asarray(np.linalg.norm(weights[:, :, None] * np.eye(weights.shape[1]) - outer, axis=(-2, -1)))


def _slopes(scores: np.ndarray) -> np.ndarray:
    return _norms(softmax(scores))


def _slopes_through(weigh: Weigh) -> Map:
    return lambda s: _norms(weigh(s))


def _less_one_number(scores: np.ndarray) -> np.ndarray:
    a = softmax(scores)
    less = a[:, :, None] * np.eye(a.shape[1]) - (a**2).sum(axis=1)[:, None, None]
    return np.asarray(np.linalg.norm(less, axis=(-2, -1)))


def _each(scores: np.ndarray) -> np.ndarray:
    return softmax_jacobian(softmax(scores))


OFF = (
    "Only the diagonal, a(1 − a), is in your norm. Raising one score lowers all other weights: −a_j a_m belongs to it."
)
EACH_ROW = "Give one number for each row: saturation is a matter of each row."
SLOPE_MISTAKES: Slips = [
    ("The softmax runs over the queries. Each row of scores has a softmax of its own.", lambda s: _norms(weights(s, 0))),
    ("The softmax runs over the queries. Each row of scores has a softmax of its own.", lambda s: _slopes(s.T)),
    ("You took the scores for weights: the softmax is missing.", _norms),
    (OFF, lambda s: np.linalg.norm(softmax(s) * (1 - softmax(s)), axis=-1)),
    ("You added up the diagonal, a(1 − a): that is the trace. Take the root of the sum of all squares.", lambda s: (softmax(s) * (1 - softmax(s))).sum(axis=-1)),
    ("The diagonal is missing from your norm: raising a score raises its own weight.", lambda s: np.linalg.norm(_each(s) * (1 - np.eye(s.shape[1])), axis=(-2, -1))),
    ("The minus sign is missing: the slopes are diag(a) − a aᵀ.", lambda s: np.linalg.norm(softmax(s)[:, :, None] * np.eye(s.shape[1]) + softmax(s)[:, :, None] * softmax(s)[:, None], axis=(-2, -1))),
    ("This is the norm of a aᵀ alone. The slopes are diag(a) − a aᵀ.", lambda s: (softmax(s) ** 2).sum(axis=-1)),
    ("The identity stands where diag(a) belongs: the slopes are diag(a) − a aᵀ.", lambda s: np.linalg.norm(np.eye(s.shape[1]) - softmax(s)[:, :, None] * softmax(s)[:, None], axis=(-2, -1))),
    ("This is the sum of squares. The norm is its root.", lambda s: _slopes(s) ** 2),
    ("This is the root of the norm: the root was taken twice.", lambda s: _slopes(s) ** 0.5),
    ("You added up the sizes of the slopes. The norm is the root of the sum of their squares.", lambda s: np.abs(_each(s)).sum(axis=(-2, -1))),
    ("Slopes added up cancel, and the determinant of a Jacobian is 0. The norm is the root of the sum of all squares.", lambda s: _each(s).sum(axis=(-2, -1))),
    ("You took the mean of the squares. The norm is the root of their sum.", lambda s: np.sqrt((_each(s) ** 2).mean(axis=(-2, -1)))),
    ("You took the largest slope. The norm is the root of the sum of all squares.", lambda s: np.abs(_each(s)).max(axis=(-2, -1))),
    ("You subtract one number, the sum of the squared weights, everywhere: for a row of numbers `a @ a.T` is a @ a. Take np.outer(a, a).", _less_one_number),
    ("This is the norm of the weights, or of diag(a) alone. The slopes are diag(a) − a aᵀ.", lambda s: np.linalg.norm(softmax(s), axis=-1)),
    ("This is the norm of the scores. The Jacobian is made of the softmax's weights.", lambda s: np.linalg.norm(s, axis=-1)),
    ("This is the largest weight of each row. The norm of the Jacobian is asked for.", lambda s: softmax(s).max(axis=-1)),
    ("This is the entropy of each row. The norm of the Jacobian is asked for.", lambda s: -(softmax(s) * np.log(softmax(s))).sum(axis=-1)),
    ("This is the largest stretch of the Jacobian (its largest singular value). Take the root of the sum of all squares.", lambda s: np.linalg.norm(_each(s), ord=2, axis=(-2, -1))),
    ("This is the sum of the Jacobian's singular values. Take the root of the sum of all squares.", lambda s: np.linalg.norm(_each(s), ord="nuc", axis=(-2, -1))),
    ("This is the largest column sum (np.linalg.norm with 1). Take the root of the sum of all squares.", lambda s: np.linalg.norm(_each(s), ord=1, axis=(-2, -1))),
    ("These are norms of the Jacobians' rows, one for each weight. Take one norm of each Jacobian.", lambda s: np.linalg.norm(_each(s), axis=-1)),
    ("These are the Jacobians themselves. Take the norm of each.", _each),
    (f"This is the mean over the rows. {EACH_ROW}", lambda s: _slopes(s).mean()),
    (f"This is one norm of everything. {EACH_ROW}", lambda s: np.linalg.norm(_slopes(s))),
    (f"This is the largest of all rows. {EACH_ROW}", lambda s: _slopes(s).max()),
    (f"This is the first row's norm alone. {EACH_ROW}", lambda s: _slopes(s)[0]),
    ("You divided the scores by √n_k first: take them as they come.", lambda s: _slopes(s / s.shape[1] ** 0.5)),
    ("You divided the scores by √n first: take them as they come.", lambda s: _slopes(s / len(s) ** 0.5)),
    ("You divided the scores by their spread first: take them as they come.", lambda s: _norms(weights(s / s.std()))),
    ("A column too many: one number for each row makes a vector.", lambda s: _slopes(s)[:, None]),
    *((f"Keys after the first {n} are left out: {FIXED}", lambda s, n=n: _slopes(s[:, :n])) for n in LENGTHS),
    *((f"Rows after the first {n} are left out, or stay 0: {FIXED}", lambda s, n=n: _slopes(s) * (np.arange(len(s)) < n)) for n in LENGTHS),
    *((f"Rows after the first {n} are left out, or stay 0: {FIXED}", lambda s, n=n: _slopes(s[:n])) for n in LENGTHS),
    *slips(_slopes_through, GRID),
]  # fmt: skip


def _grid(seed: int, n_q: int, n_k: int, size: float) -> Case:
    return (size * np.random.default_rng(seed).normal(size=(n_q, n_k)),)


ROW_SLOPES = (
    agrees(
        "one norm for each row",
        _slopes,
        [
            _grid(1, 6, 4, 1.0),
            _grid(6, 6, 4, 1.0),
            _grid(2, 3, 9, 2.0),
            _grid(7, 1, 5, 1.0),
            _grid(8, 4, 1, 1.0),
            (np.array([[0.0, 1.0, -1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]),),
            _grid(9, 2, 200, 1.0),
            _grid(10, 300, 2, 1.0),
        ],
        SLOPE_MISTAKES,
    ),
    agrees("as many queries as keys", _slopes, [_grid(3, 5, 5, 2.0), _grid(11, 5, 5, 1.0)], SLOPE_MISTAKES),
    agrees(
        "scores in the thousands",
        _slopes,
        [
            (np.array([[5000.0, 5000.0, -3000.0], [0.0, 4000.0, 1.0]]),),
            (np.array([[5000.0, 5001.0, 4999.0], [-5000.0, -5001.0, -5003.0], [5000.0, -5000.0, 5000.5]]),),
            (np.array([[-2000.0, -2002.0]]),),
            (np.array([[-5000.0, 4000.0, 3999.0], [1000.0, 0.0, 999.0]]),),
            (np.array([[900.0, 899.0], [91.0, 90.0], [61.0, 60.5], [31.0, 32.0]]),),
        ],
        SLOPE_MISTAKES,
        slips(_slopes_through, LARGE),
    ),
)
