"""How the programs of chapter 4 are judged: scaled weights, and a score's variance."""

import functools
from typing import Any

import numpy as np

from attnlib.exercises.harness import Case, Mistake, Property, call, compare
from attnlib.exercises.slips import GRID, LARGE, LENGTHS, Map, Slips, Weigh, agrees, slips, unit, weights
from attnlib.scaled_dot_product import attention_weights

FIXED = "is a size fixed in your code?"

# Scaled weights --------------------------------------------------------------------------------


def _weights(x: np.ndarray, w_q: np.ndarray, w_k: np.ndarray) -> np.ndarray:
    return np.asarray(attention_weights(x @ w_q, x @ w_k))


def _scaled(weigh: Weigh) -> Map:
    return lambda x, q, k: weigh((x @ q) @ (x @ k).T / q.shape[1] ** 0.5)


def _divided(root: Map) -> Map:
    return lambda x, q, k: weights((x @ q) @ (x @ k).T / root(x, q))


def _tokens(seed: int, n: int, d: int, d_k: int, size: float = 1.0) -> Case:
    rng = np.random.default_rng(seed)
    return size * rng.normal(size=(n, d)), rng.normal(size=(d, d_k)), rng.normal(size=(d, d_k))


SIDE = "A projection is or stands on the wrong side: rows are tokens, so `x @ w_q`."
SCALE_MISTAKES: Slips = [
    ("Nothing is divided, or the powers are, and that cancels in their shares: these are the weights of plain dot products. Divide the scores, before `exp`.", _divided(lambda x, q: 1.0)),
    ("You divide by d_k, or Q and K by √d_k each. Divide by the root, once: the spread of a score, not its variance.", _divided(lambda x, q: q.shape[1])),
    ("You multiply by √d_k. That makes wide scores wider still.", _divided(lambda x, q: q.shape[1] ** -0.5)),
    ("You divide by the fourth root of d_k, as if one of Q and K alone took its part: divide by √d_k.", _divided(lambda x, q: q.shape[1] ** 0.25)),
    ("You divide by √2·d_k or by its like: the root is of d_k alone.", _divided(lambda x, q: (2 * q.shape[1]) ** 0.5)),
    ("You divide by d_k²: the root of d_k is meant.", _divided(lambda x, q: q.shape[1] ** 2)),
    ("You divide by √d, the width of a token. The products run over the d_k components of a query.", _divided(lambda x, q: len(q) ** 0.5)),
    ("You divide by d, the width of a token. Divide by √d_k: the products run over the components of a query.", _divided(lambda x, q: len(q))),
    ("You divide by √n. The number of tokens has no part in a score.", _divided(lambda x, q: len(x) ** 0.5)),
    ("You divide by n. The number of tokens has no part in a score.", _divided(lambda x, q: len(x))),
    ("You divide by the root of d · d_k, the size of w_q. Take the root of d_k alone.", _divided(lambda x, q: q.size**0.5)),
    ("You divide by ln d_k. Take the root of d_k.", _divided(lambda x, q: np.log(q.shape[1]))),
    *((f"You divide by {root}, whatever d_k is.", _divided(lambda x, q, root=root: root)) for root in (2, 3, 4, 8, 64)),
    ("Each row is divided by its spread. Divide every score by √d_k.", lambda x, q, k: weights((x @ q) @ (x @ k).T / ((x @ q) @ (x @ k).T).std(axis=1, keepdims=True))),
    ("All scores are divided by their own spread. Divide them by √d_k.", lambda x, q, k: weights((x @ q) @ (x @ k).T / ((x @ q) @ (x @ k).T).std())),
    ("Queries and keys are divided by their lengths: then scores are cosines. Divide the scores by √d_k.", lambda x, q, k: weights(unit(x @ q) @ unit(x @ k).T)),
    ("You divide the weights. Then rows no longer sum to 1: divide the scores, before the softmax.", lambda x, q, k: weights((x @ q) @ (x @ k).T) / q.shape[1] ** 0.5),
    ("You divide the tokens, so that the root counts twice: divide the scores, once.", lambda x, q, k: _weights(x / q.shape[1] ** 0.5, q, k)),
    ("The roles are swapped: the token that reads is multiplied by w_q, the tokens that are read by w_k.", lambda x, q, k: attention_weights(x @ k, x @ q)),
    ("The keys are made with w_q: multiply by w_k there.", lambda x, q, k: attention_weights(x @ q, x @ q)),
    ("The queries are made with w_k: multiply by w_q there.", lambda x, q, k: attention_weights(x @ k, x @ k)),
    ("The tokens are compared as they are: multiply them by w_q and w_k first.", lambda x, q, k: weights(x @ x.T / q.shape[1] ** 0.5)),
    ("You compare components, not tokens: the product is d_k × d_k. Tokens are the rows: `query @ key.T`.", lambda x, q, k: weights((x @ q).T @ (x @ k) / q.shape[1] ** 0.5)),
    ("These are outputs: the weights times x. Return the weights.", lambda x, q, k: _weights(x, q, k) @ x),
    ("Later tokens are hidden. That comes in chapter 5: here each token reads all.", lambda x, q, k: attention_weights(x @ q, x @ k, np.tri(len(x)) > 0)),
    (SIDE, lambda x, q, k: attention_weights(x @ q.T, x @ k.T)),
    (SIDE, lambda x, q, k: attention_weights(x @ q.T, x @ k)),
    (SIDE, lambda x, q, k: attention_weights(x @ q, x @ k.T)),
    *((f"Components after the first {n} have no part in your scores: {FIXED}", lambda x, q, k, n=n: weights((x @ q[:, :n]) @ (x @ k[:, :n]).T / q.shape[1] ** 0.5)) for n in LENGTHS),
    *slips(_scaled, GRID),
]  # fmt: skip
LOW = (np.array([[1.0], [1.001], [1.1]]), np.array([[900.0]]), np.array([[-1.0]]))  # all scores far below 0
SCALED_WEIGHTS = (
    agrees(
        "the weights",
        _weights,
        [
            _tokens(1, 7, 5, 3, 0.8),
            _tokens(11, 7, 5, 3, 0.8),
            _tokens(2, 4, 6, 9, 0.6),
            _tokens(6, 4, 4, 4, 0.6),
            (np.eye(3)[[0, 1, 2, 1]], np.diag([1.0, 2.0, 0.0]), np.diag([3.0, 1.0, 1.0]) + np.eye(3, k=2)),
            _tokens(7, 140, 3, 2, 0.8),
            _tokens(8, 3, 2, 140, 0.6),
            _tokens(13, 4, 140, 2, 0.1),
        ],
        SCALE_MISTAKES,
    ),
    agrees(
        "one token, one component",
        _weights,
        [
            _tokens(3, 1, 2, 5),
            _tokens(4, 6, 3, 1),
            _tokens(9, 5, 1, 2),
            _tokens(10, 1, 1, 1),
            _tokens(12, 7, 4, 1, 1.5),
        ],
        SCALE_MISTAKES,
    ),
    agrees(
        "scores in the thousands",
        _weights,
        [_tokens(14, 5, 4, 8, 40.0), LOW, (LOW[0], -LOW[1], LOW[2])],
        SCALE_MISTAKES,
        slips(_scaled, LARGE),
    ),
)

# Predict the variance --------------------------------------------------------------------------


def _trace(sigma_q: np.ndarray, sigma_k: np.ndarray) -> float:
    return float(np.trace(sigma_q @ sigma_k))


def _covariances(seed: int, d_k: int, *, of_q: str = "any", of_k: str = "any") -> Case:
    rng = np.random.default_rng(seed)
    made = []
    for kind in (of_q, of_k):
        mix = rng.normal(size=(d_k, d_k + 2))
        any_ = mix @ mix.T / d_k
        share = rng.uniform(0.5, 2, d_k)  # each component is this share of one and the same number
        made.append({"any": any_, "identity": np.eye(d_k), "together": np.outer(share, share)}[kind])
    return made[0], made[1]


def _spreads(sigma: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(np.diag(sigma)))


VARIANCE_MISTAKES: Slips = [
    ("This is d_k. It holds if one covariance is the identity and the other has variances of 1.", lambda q, k: len(q)),
    ("This is the trace of Σ_q alone: Σ_k has a part in it.", lambda q, k: np.trace(q)),
    ("This is the trace of Σ_k alone: Σ_q has a part in it.", lambda q, k: np.trace(k)),
    ("This is the sum of the two traces. Multiply the matrices, entry by entry.", lambda q, k: np.trace(q) + np.trace(k)),
    ("You multiply the two traces. Each component of q meets only its own component of k.", lambda q, k: np.trace(q) * np.trace(k)),
    ("You multiply the two traces, and divide by d_k. Multiply the matrices entry by entry, and add everything up.", lambda q, k: np.trace(q) * np.trace(k) / len(q)),
    ("You use the diagonals alone. Components that move together count too, unless one of the two vectors has uncorrelated ones.", lambda q, k: (np.diag(q) * np.diag(k)).sum()),
    ("You use what is off the diagonals alone. The variances count too.", lambda q, k: (q * k).sum() - (np.diag(q) * np.diag(k)).sum()),
    ("You use the entries above the diagonal once. Each pair of components counts twice, as (b, c) and as (c, b).", lambda q, k: np.triu(q * k).sum()),
    ("You took the sizes of the covariances. Two that differ in sign take from the variance.", lambda q, k: np.abs(q * k).sum()),
    ("You squared the covariances: a covariance is the mean of a product already.", lambda q, k: (q**2 * k**2).sum()),
    ("You squared the covariances: a covariance is the mean of a product already.", lambda q, k: _trace(q @ q, k @ k)),
    ("This is the standard deviation. The variance is its square.", lambda q, k: _trace(q, k) ** 0.5),
    ("This is the square of the variance.", lambda q, k: _trace(q, k) ** 2),
    ("You added up all entries of the product. Only its diagonal counts.", lambda q, k: (q @ k).sum()),
    ("You have the matrix Σ_q Σ_k. The variance is one number: the sum of its diagonal.", lambda q, k: q @ k),
    ("You multiplied entry by entry, and did not add up. The variance is one number.", lambda q, k: q * k),
    ("You have the diagonal of Σ_q Σ_k. The variance is its sum.", lambda q, k: np.diag(q @ k)),
    ("You added up each row. The variance is one number, the sum of them all.", lambda q, k: (q * k).sum(axis=1)),
    ("You added up all entries of both matrices by themselves. Multiply them entry by entry first.", lambda q, k: q.sum() * k.sum()),
    ("You divided by d_k: the variance of the score is the whole sum.", lambda q, k: _trace(q, k) / len(q)),
    ("You divided by √d_k: nothing is scaled here.", lambda q, k: _trace(q, k) / len(q) ** 0.5),
    ("You took the mean of all entries: the variance of the score is their sum.", lambda q, k: (q * k).mean()),
    ("This is the norm of the product. Take its trace.", lambda q, k: np.linalg.norm(q @ k)),
    ("This is the determinant of the product. Take its trace.", lambda q, k: np.linalg.det(q @ k)),
    ("This is the largest stretch of the product. Take its trace.", lambda q, k: np.linalg.norm(q @ k, ord=2)),
    ("This multiplies the standard deviations. Multiply covariances.", lambda q, k: (_spreads(q) * _spreads(k)).sum()),
    ("Each matrix is multiplied by itself. Multiply one by the other.", lambda q, k: _trace(q, q) * _trace(k, k)),
    ("This is Σ_q multiplied by itself: Σ_k has a part in it.", lambda q, k: _trace(q, q)),
    ("This is Σ_k multiplied by itself: Σ_q has a part in it.", lambda q, k: _trace(k, k)),
    ("This is twice the variance: each pair (b, c) stands in the double sum once.", lambda q, k: 2 * _trace(q, k)),
    *((f"Components after the first {n} are left out: {FIXED}", lambda q, k, n=n: _trace(q[:n, :n], k[:n, :n])) for n in LENGTHS),
]  # fmt: skip


D_K_TIMES = (  # where one is the identity, these two are the same
    "The products of the diagonals are counted d_k times in yours, as the product of the two traces does.",
    lambda q, k: len(q) * (np.diag(q) * np.diag(k)).sum(),
)


@functools.cache
def _drawn() -> float:
    """The variance of 20,000 scores, of vectors drawn with the covariances of `_measured`."""
    rng = np.random.default_rng(5)
    q, k = (rng.multivariate_normal(np.zeros(6), sigma, size=20_000) for sigma in _covariances(4, 6))
    return float((q * k).sum(axis=1).var())


def _measured(answer: Any) -> None:
    """The formula must say what a measurement says."""
    sigma_q, sigma_k = _covariances(4, 6)
    got = call(answer, (sigma_q, sigma_k))
    try:
        compare(got, _drawn(), tolerance=0.05)
    except Mistake:  # which one, only exact numbers tell: within 5 % two may lie
        compare(got, _trace(sigma_q, sigma_k), [(says, wrong(sigma_q, sigma_k)) for says, wrong in VARIANCE_MISTAKES])


PREDICT_VARIANCE = (
    agrees(
        "any covariances",
        _trace,
        [_covariances(1, 5), _covariances(12, 5), _covariances(2, 3), _covariances(6, 1), _covariances(7, 140)],
        VARIANCE_MISTAKES,
        tolerance=1e-6,
    ),
    agrees(
        "one is the identity",
        _trace,
        [_covariances(3, 7, of_q="identity"), _covariances(8, 4, of_k="identity")],
        [D_K_TIMES, *VARIANCE_MISTAKES],
        tolerance=1e-6,
    ),
    agrees(
        "all components move together",
        _trace,
        [_covariances(4, 8, of_q="together", of_k="together"), (np.array([[1.0, -2.0], [-2.0, 4.0]]), np.ones((2, 2)))],
        VARIANCE_MISTAKES,
        tolerance=1e-6,
    ),
    Property("what 20,000 draws say", _measured),
)
