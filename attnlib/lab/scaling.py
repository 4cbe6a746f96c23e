"""How wide scores become with d_k, and what that does to a softmax: seeded draws, each assumption to break, measures.

The rule Var(q·k) = d_k needs components of mean 0 and variance 1, not correlated with each other, and q independent of k.
"""

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import must_be_finite
from attnlib.scaled_dot_product import entropy, softmax, softmax_jacobian

BROKEN = ("none", "variance", "mean", "copies", "sign", "unit")


def seeded_uniform(count: int, *, seed: int = 0, start: int = 0) -> Float[Array, "count"]:
    """Numbers `start`, `start` + 1, … of a random sequence, uniform between −√3 and √3: mean 0, variance 1.

    Each number is a hash of its place and the seed, so that any part can be had alone. The page's script draws
    the same numbers. For experiments use NumPy's generators: these have 2³² values and no more.

    Raises ValueError for a count, seed or start that is negative.

    Source: Ellis, *lowbias32*, a 32-bit hash found by search.

    >>> seeded_uniform(3).round(2)
    array([-0.37, -0.46, -1.62])
    >>> seeded_uniform(1, start=2).round(2)
    array([-1.62])
    """
    if min(count, seed, start) < 0:
        raise ValueError(f"count, seed and start must be 0 or more, got {count}, {seed} and {start}")
    first = start + (seed + 1) * 0x9E3779B9 % 2**32
    x: Array = (np.arange(count, dtype=np.uint64) + first).astype(np.uint32)
    x = (x ^ (x >> 16)) * np.uint32(0x21F0AAAD)
    x = (x ^ (x >> 15)) * np.uint32(0x735A2D97)
    uniform: Array = ((x ^ (x >> 15)) + 0.5) * (2 * 3**0.5 / 2**32) - 3**0.5
    return uniform


def draw_scores(n_q: int, n_k: int, d_k: int, *, broken: str = "none", seed: int = 0) -> Float[Array, "n_q n_k"]:
    """Q Kᵀ, not scaled, for queries and keys drawn by `seeded_uniform`, with one assumption broken.

    `broken` is "none"; "variance": the components have variance 4; "mean": they have mean 1; "copies": all
    components of a vector are equal; "sign": keys 0, 2, … of a query are the query itself, and keys 1, 3, … its
    opposite; "unit": every vector has length 1. A larger d_k adds components to the same vectors.

    Raises ValueError for a size below 1 and for another name.

    >>> draw_scores(2, 3, 4, broken="unit").round(2)
    array([[ 0.71,  0.45, -0.09],
           [-0.17,  0.54, -0.02]])
    """
    if min(n_q, n_k, d_k) < 1:
        raise ValueError(f"n_q, n_k and d_k must be 1 or more, got {n_q}, {n_k} and {d_k}")
    if broken not in BROKEN:
        raise ValueError(f"no assumption is called {broken!r}: choose from {', '.join(BROKEN)}")
    drawn = 1 if broken == "copies" else d_k
    components = seeded_uniform(drawn * (n_q + n_k), seed=seed).reshape(drawn, n_q + n_k).T  # one vector in each row
    if broken == "copies":
        components = np.repeat(components, d_k, axis=1)
    components = components * (2 if broken == "variance" else 1) + (1 if broken == "mean" else 0)
    if broken == "unit":
        components /= np.linalg.norm(components, axis=1, keepdims=True)
    query, key = components[:n_q], components[n_q:]
    if broken == "sign":
        scores: Array = (query**2).sum(axis=1)[:, None] * (1 - 2 * (np.arange(n_k) % 2))
    else:
        scores = query @ key.T
    return scores


def score_variance(d_k: int, *, broken: str = "none") -> float:
    """The variance that `draw_scores` has on average: d_k, and with an assumption broken something else.

    In general it is tr(Σ_q Σ_k) for means of 0 and q independent of k: 16 d_k for components of variance 4,
    d_k² for equal components, 1/d_k for unit vectors. A mean of 1 on both sides gives 3 d_k, and k = ±q gives
    d_k² + 0.8 d_k, where 0.8 is the variance of a component's square.

    Raises ValueError for d_k below 1 and for another name.

    Source: Vaswani et al. (2017), footnote 4, for the case in which nothing is broken.

    >>> score_variance(64), score_variance(64, broken="copies")
    (64.0, 4096.0)
    """
    formulas = (d_k, 16 * d_k, 3 * d_k, d_k**2, d_k**2 + 0.8 * d_k, 1 / max(d_k, 1))
    variances = dict(zip(BROKEN, formulas, strict=True))
    if d_k < 1 or broken not in variances:
        raise ValueError(f"score_variance needs d_k ≥ 1 and one of {', '.join(BROKEN)}, got {d_k} and {broken!r}")
    return float(variances[broken])


def saturation(scores: Real[Array, "n_q n_k"]) -> Float[Array, "5"]:
    """How wide the scores are and how saturated their softmax is, as five numbers.

    The mean and the variance of all scores; then, averaged over the rows, the largest weight, the `entropy` in nats
    and the Frobenius norm of `softmax_jacobian`, which is 1/2 at most and 0 where no gradient passes.

    Raises ValueError for scores that are not finite or not a matrix.

    >>> saturation(np.array([[0.0, 0.0], [0.0, 2.0]])).round(2)
    array([0.5 , 0.75, 0.69, 0.53, 0.35])
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or 0 in scores.shape:
        raise ValueError(f"scores must have shape (n_q, n_k), none of them 0, got {scores.shape}")
    must_be_finite(scores=scores)
    weights = softmax(scores)
    norms = np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1))
    return np.array([scores.mean(), scores.var(), weights.max(axis=-1).mean(), entropy(weights).mean(), norms.mean()])
