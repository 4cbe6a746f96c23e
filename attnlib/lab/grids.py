"""Who reads whom: what a square grid of scores or weights says about its tokens."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import must_be_finite


def most_read(weights: Real[Array, "n n"]) -> list[int]:
    """For each query the *other* key that it reads most from: argmax over j ≠ i of A_ij, the first of equals.

    Raises ValueError for a grid that is not square, has fewer than 2 rows, or an entry that is not finite.

    >>> most_read(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.0, 0.1, 0.9]]))
    [1, 2, 1]
    """
    weights = _square(weights)
    others: list[int] = np.where(np.eye(len(weights), dtype=bool), -np.inf, weights).argmax(axis=1).tolist()
    return others


def most_unequal_pair(matrix: Real[Array, "n n"]) -> tuple[int, int]:
    """The pair i < j for which |M_ij − M_ji| is largest, the first of equals: (0, 1) where the matrix is symmetric.

    Raises ValueError for a matrix that is not square, has fewer than 2 rows, or an entry that is not finite.

    >>> most_unequal_pair(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.0, 0.0, 1.0]]))
    (1, 2)
    """
    matrix = _square(matrix)
    rows, columns = np.triu_indices(len(matrix), k=1)  # (n(n − 1)/2,) each, row by row
    at = int(abs(matrix[rows, columns] - matrix[columns, rows]).argmax())
    return int(rows[at]), int(columns[at])


def cycle_product(weights: Real[Array, "n n"], cycle: Sequence[int]) -> float:
    """The product of the weights round a cycle: A_ij A_jk … A_mi for the tokens i, j, k, …, m.

    Where the scores are symmetric it is the same in both directions, since A_ij = exp(S_ij) / z_i and each z
    appears once either way. So no matrix U makes three tokens read each other in a circle more than backwards.

    Raises ValueError for a grid that is not square, has fewer than 2 rows or an entry that is not finite, for
    an empty cycle, and for a token outside the grid.

    Source: Kelly (1979), *Reversibility and Stochastic Networks*, section 1.5: Kolmogorov's criterion.

    >>> weights = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.5, 0.0, 0.5]])
    >>> round(cycle_product(weights, [0, 1, 2]), 3), round(cycle_product(weights, [2, 1, 0]), 3)
    (0.045, 0.0)
    """
    weights = _square(weights)
    if not len(cycle):
        raise ValueError("a cycle needs one token or more")
    if outside := [i for i in cycle if not 0 <= i < len(weights)]:
        raise ValueError(f"token {outside[0]} of the cycle is outside 0 … {len(weights) - 1}")
    product = 1.0
    for i, j in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        product *= float(weights[i, j])
    return product


def weight_back(weights: Real[Array, "*batch n n"], back: int) -> Float[Array, "*batch"]:
    """The mean weight that queries put on the key `back` places before their own, where there is one.

    It is 1 for a head that only reads the token before (`back=1`), and tells what kind of head it may be.

    Raises ValueError for weights that are not square, and unless 0 ≤ `back` < n.

    Source: Elhage et al. (2021), on heads that read the previous token.

    >>> weight_back(np.array([[1, 0, 0], [0.75, 0.25, 0], [0, 0.5, 0.5]]), 1)
    array(0.625)
    """
    weights = np.asarray(weights)
    if weights.ndim < 2 or weights.shape[-1] != weights.shape[-2]:
        raise ValueError(f"weight_back needs as many keys as queries, got shape {weights.shape}")
    if not 0 <= back < weights.shape[-1]:
        raise ValueError(f"back must lie between 0 and {weights.shape[-1] - 1}, got {back}")
    return np.asarray(np.diagonal(weights, -back, axis1=-2, axis2=-1).mean(axis=-1))


def _square(matrix: Array) -> Array:
    matrix = np.asarray(matrix, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise ValueError(f"a square grid of 2 rows or more is needed, got shape {matrix.shape}")
    must_be_finite(grid=matrix)
    return matrix
