"""How wide scores become with d_k, and what that does to a softmax: seeded draws, each assumption to break, measures.

The rule Var(q·k) = d_k needs components of mean 0 and variance 1, not correlated with each other, and q independent of k.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import as_array, as_choice, as_integer, must_be_finite, must_fit
from attnlib.scaled_dot_product import entropy, softmax, softmax_jacobian

BROKEN = ("none", "variance", "mean", "copies", "sign", "unit")


class Saturation(NamedTuple):
    """How wide scores are and how saturated their softmax is; the last three are means over the rows."""

    mean: float  # of the scores
    variance: float  # of the scores
    largest: float  # weight of a row
    entropy: float  # in nats
    slope: float  # the Frobenius norm of `softmax_jacobian`: 1/2 at most, and 0 where no gradient passes


def seeded_uniform(count: int, *, seed: int = 0, start: int = 0) -> Float[Array, "count"]:
    """Uniform numbers between −√3 and √3: mean 0, variance 1.

    Each number is a hash of its index and the seed, so that any part can be had alone. The page's script draws
    the same numbers. For experiments use NumPy's generators: these have 2³² values and no more.

    Args:
        count: how many numbers.
        seed: of which sequence.
        start: the index of the first.

    Returns:
        The numbers, (count,).

    Raises:
        ValueError: for a count, seed or start that is negative.

    Source: Ellis, *lowbias32*, a 32-bit hash found by search.

    >>> seeded_uniform(3).round(2)
    array([-0.37, -0.46, -1.62])
    >>> seeded_uniform(1, start=2).round(2)
    array([-1.62])
    """
    count, seed, start = (
        as_integer("count", count, 0, 2**32),
        as_integer("seed", seed, 0),
        as_integer("start", start, 0),
    )
    first = (start + (seed + 1) * 0x9E3779B9) % 2**32
    x: Array = (np.arange(count, dtype=np.uint64) + first).astype(np.uint32)
    x = (x ^ (x >> 16)) * np.uint32(0x21F0AAAD)
    x = (x ^ (x >> 15)) * np.uint32(0x735A2D97)
    uniform: Array = ((x ^ (x >> 15)) + 0.5) * (2 * 3**0.5 / 2**32) - 3**0.5
    return uniform


def draw_scores(n_q: int, n_k: int, d_k: int, *, broken: str = "none", seed: int = 0) -> Float[Array, "n_q n_k"]:
    """Q Kᵀ, not scaled, for queries and keys drawn by `seeded_uniform`, with one assumption broken.

    Args:
        n_q, n_k: how many queries and keys.
        d_k: their width. A larger one adds components to the same vectors.
        broken: "none"; "variance": the components have variance 4; "mean": they have mean 1; "copies": all components of a
            vector are equal; "sign": keys 0, 2, … of a query are the query itself, and keys 1, 3, … its opposite; "unit":
            every vector has length 1.
        seed: of the draws.

    Returns:
        The scores, (n_q, n_k).

    Raises:
        ValueError: for a size below 1, a negative seed and another name.

    >>> draw_scores(2, 3, 4, broken="unit").round(2)
    array([[ 0.71,  0.45, -0.09],
           [-0.17,  0.54, -0.02]])
    """
    n_q, n_k, d_k = as_integer("n_q", n_q, 1), as_integer("n_k", n_k, 1), as_integer("d_k", d_k, 1)
    as_choice("broken", broken, BROKEN)
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

    Args:
        d_k: the width of queries and keys.
        broken: the assumption that is broken, as in `draw_scores`.

    Returns:
        The variance.

    Raises:
        ValueError: for d_k below 1 and for another name.

    Source: Vaswani et al. (2017), footnote 4, for the case in which nothing is broken.

    >>> score_variance(64), score_variance(64, broken="copies")
    (64.0, 4096.0)
    """
    d_k = as_integer("d_k", d_k, 1, 2**53)
    formulas = (d_k, 16 * d_k, 3 * d_k, d_k**2, d_k**2 + 0.8 * d_k, 1 / d_k)
    return float(formulas[BROKEN.index(as_choice("broken", broken, BROKEN))])


def saturation(scores: Real[Array, "n_q n_k"]) -> Saturation:
    """How wide the scores are and how saturated their softmax is.

    Args:
        scores: one for each query and key, (n_q, n_k).

    Returns:
        The variance of the scores, and four measures of their weights.

    Raises:
        ValueError: for scores that are not finite or not a matrix.

    >>> measured = saturation(np.array([[0.0, 0.0], [0.0, 2.0]]))
    >>> round(measured.variance, 2), round(measured.largest, 2)
    (0.75, 0.69)
    """
    scores = as_array("scores", scores).astype(np.float64)
    if scores.ndim != 2 or 0 in scores.shape:
        raise ValueError(f"scores must have shape (n_q, n_k), none of them 0, got {scores.shape}")
    must_be_finite(scores=scores)
    weights = softmax(scores)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.array([scores.mean(), scores.var()])
    must_fit("the variance of scores", spread[1], "scores are")
    norms = np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1))
    means = (weights.max(axis=-1).mean(), entropy(weights).mean(), norms.mean())
    return Saturation(*map(float, (*spread, *means)))
