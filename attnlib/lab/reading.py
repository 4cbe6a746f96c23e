"""Tokens of several kinds: how much each reads from its own, and how one matrix U is trained so that it reads more."""

import numpy as np
from jaxtyping import Bool, Float, Int, Real
from numpy import ndarray as Array

from attnlib.checks import as_array, must_be_finite, must_fit, returned, working_copies
from attnlib.scaled_dot_product import softmax


def kind_share(weights: Real[Array, "n n_k"], kinds: Int[Array, "n_kinds"]) -> Float[Array, "n"]:
    """How much of its weights each token puts on the tokens of its own kind, itself included.

    Args:
        weights: a grid, (n, n): query (row) reads from key (column).
        kinds: a whole number for each token, (n,).

    Returns:
        One sum for each token, (n,); a share from 0 to 1 where rows are weights.

    Raises:
        ValueError: for weights that are no square grid or not finite, and for another number of kinds than of
            tokens.

    >>> kind_share(np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]), np.array([0, 0, 1]))
    array([0.75, 1.  , 0.5 ])
    """
    (weights,), dtype = working_copies(weights=weights)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1] or not weights.size:
        raise ValueError(f"weights must have shape (n, n) with n ≥ 1, got {weights.shape}")
    same = _same_kind(kinds, len(weights), "weights")
    must_be_finite(weights=weights)
    with np.errstate(over="ignore", invalid="ignore"):
        shares = np.where(same, weights.astype(float), 0.0).sum(axis=1)
    return returned(shares, dtype, "weights are")


def reading_loss(x: Real[Array, "n d"], u: Real[Array, "d_x d_u"], kinds: Int[Array, "n_kinds"]) -> float:
    """Minus the mean logarithm of the share that each token reads from its own kind, by the weights softmax(XU(XU)ᵀ).

    It is 0 where every token reads from its own kind alone. A share too small for a float still has its logarithm.

    Args:
        x: tokens, (n, d).
        u: the matrix, (d, d_u).
        kinds: a whole number for each token, (n,).

    Returns:
        The loss, in nats.

    Raises:
        ValueError: for shapes that do not fit, for no rows or no columns, for an entry that is not finite,
            naming its index, and for numbers too large.

    >>> round(reading_loss(np.array([[1.0], [1.0], [-1.0]]), np.array([[1.0]]), np.array([0, 0, 1])), 3)
    0.123
    """
    _, scores, same = _scored(x, u, kinds)
    losses = _log_sum(scores) - _log_sum(np.where(same, scores, -np.inf))
    return max(0.0, float((losses / len(losses)).sum()))  # rounding can put it below


def reading_gradient(
    x: Real[Array, "n d"], u: Real[Array, "d_x d_u"], kinds: Int[Array, "n_kinds"]
) -> Float[Array, "d_x d_u"]:
    """The derivative of `reading_loss` by each entry of U: Xᵀ(G + Gᵀ)XU.

    G = (A − P)/n is that by the scores. A are the weights, and P those that a token would have on its own kind alone.

    Args:
        x: tokens, (n, d).
        u: the matrix, (d, d_u).
        kinds: a whole number for each token, (n,).

    Returns:
        The derivatives, in the shape of `u`.

    Raises:
        ValueError: as `reading_loss` does.

    >>> reading_gradient(np.array([[1.0], [1.0], [-1.0]]), np.array([[1.0]]), np.array([0, 0, 1])).round(3)
    array([[-0.453]])
    """
    projected, scores, same = _scored(x, u, kinds)
    g = (softmax(scores) - softmax(np.where(same, scores, -np.inf))) / len(scores)
    with np.errstate(over="ignore", invalid="ignore"):
        gradient = as_array("x", x).astype(float).T @ ((g + g.T) @ projected)
    return returned(gradient, working_copies(x=x, u=u)[1], "x and u are")


def _scored(x: Array, u: Array, kinds: Array) -> tuple[Float[Array, "n d_u"], Float[Array, "n n"], Bool[Array, "n n"]]:
    """XU, the scores XU(XU)ᵀ, and which pairs are of one kind."""
    x, u = as_array("x", x).astype(float), as_array("u", u).astype(float)
    for name, matrix in (("x", x), ("u", u)):
        if matrix.ndim != 2 or not matrix.size:
            raise ValueError(f"{name} must be a matrix with rows and columns, got shape {matrix.shape}")
    if x.shape[1] != len(u):
        raise ValueError(f"u must have one row for each column of x: x has shape {x.shape}, u {u.shape}")
    same = _same_kind(kinds, len(x), "x")
    must_be_finite(x=x, u=u)
    with np.errstate(over="ignore", invalid="ignore"):
        projected = x @ u
        scores = projected @ projected.T
    must_fit("XU(XU)ᵀ", scores, "x and u are")
    return projected, scores, same


def _same_kind(kinds: Array, n: int, whose: str) -> Bool[Array, "n n"]:
    kinds = as_array("kinds", kinds, "iu")
    if kinds.shape != (n,):
        raise ValueError(f"kinds must be one for each of {n} rows of {whose}, (n,), got shape {kinds.shape}")
    same: Bool[Array, "n n"] = kinds[:, None] == kinds
    return same


def _log_sum(scores: Float[Array, "n n"]) -> Float[Array, "n"]:
    """The logarithm of Σ exp over each row."""
    top = scores.max(axis=1)
    with np.errstate(over="ignore"):
        below = scores - top[:, None]
    return np.array(top + np.log(np.exp(below).sum(axis=1)))
