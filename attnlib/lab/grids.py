"""Who reads whom: what a square grid of scores or weights says about its tokens."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import as_array, as_integer, must_be_finite, must_fit, returned, working_copies


def most_read(weights: Real[Array, "n n"]) -> list[int]:
    """For each query the *other* key that it reads most from: argmax over j ≠ i of A_ij, the first of equals.

    Args:
        weights: a grid of 2 rows or more, (n, n).

    Returns:
        The number of a key for each of the n queries.

    Raises:
        ValueError: for a grid that is not square, has fewer than 2 rows, or an entry that is not finite.

    >>> most_read(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.0, 0.1, 0.9]]))
    [1, 2, 1]
    """
    weights = as_square("weights", weights, 2)
    others: list[int] = np.where(np.eye(len(weights), dtype=bool), -np.inf, weights).argmax(axis=1).tolist()
    return others


def most_unequal_pair(matrix: Real[Array, "n n"]) -> tuple[int, int]:
    """The pair i < j for which |M_ij − M_ji| is largest, the first of equals: (0, 1) where the matrix is symmetric.

    Args:
        matrix: of 2 rows or more, (n, n).

    Returns:
        i and j, counted from 0.

    Raises:
        ValueError: for a matrix that is not square, has fewer than 2 rows, or an entry that is not finite.

    >>> most_unequal_pair(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.0, 0.0, 1.0]]))
    (1, 2)
    """
    matrix = as_square("matrix", matrix, 2) / 2  # so that no difference leaves the range
    rows, columns = np.triu_indices(len(matrix), k=1)  # (n(n − 1)/2,) each, row by row
    at = int(abs(matrix[rows, columns] - matrix[columns, rows]).argmax())
    return int(rows[at]), int(columns[at])


def cycle_product(weights: Real[Array, "n n"], cycle: Sequence[int]) -> float:
    """The product of the weights round a cycle: A_ij A_jk … A_mi for the tokens i, j, k, …, m.

    Where the scores are symmetric it is the same in both directions, since A_ij = exp(S_ij) / z_i and each z
    appears once either way. So no matrix U makes three tokens read each other in a circle more than backwards.

    Args:
        weights: a grid of 2 rows or more, (n, n).
        cycle: the tokens' numbers, one or more.

    Returns:
        The product.

    Raises:
        ValueError: for a grid that is not square, has fewer than 2 rows or an entry that is not finite, for an
            empty cycle, for a token outside the grid, and for a product too large for float64.

    Source: Kelly (1979), *Reversibility and Stochastic Networks*, section 1.5: Kolmogorov's criterion.

    >>> weights = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.5, 0.0, 0.5]])
    >>> round(cycle_product(weights, [0, 1, 2]), 3), round(cycle_product(weights, [2, 1, 0]), 3)
    (0.045, 0.0)
    """
    weights = as_square("weights", weights, 2)
    tokens = as_array("cycle", cycle, "iu")
    if tokens.ndim != 1 or not len(tokens):
        raise ValueError(f"cycle must be a list of one token or more, got shape {tokens.shape}")
    for i, token in enumerate(tokens):
        as_integer(f"cycle[{i}]", token, 0, len(weights) - 1)
    with np.errstate(over="ignore", invalid="ignore"):
        product = weights[tokens, np.roll(tokens, -1)].prod()
    must_fit("the product", product, "weights are")
    return float(product)


def weight_back(weights: Real[Array, "*batch n n"], back: int) -> Float[Array, "*batch"]:
    """The mean weight that queries put on the key `back` places before their own, where there is one.

    It is 1 for a head that only reads the token before (`back=1`), and tells what kind of head it may be.

    Args:
        weights: grids, (…, n, n).
        back: how many places, from 0 to n − 1.

    Returns:
        One mean for each grid, (…).

    Raises:
        ValueError: for weights that are not square or not finite, and unless 0 ≤ `back` < n.

    Source: Elhage et al. (2021), on heads that read the previous token.

    >>> weight_back(np.array([[1, 0, 0], [0.75, 0.25, 0], [0, 0.5, 0.5]]), 1)
    array(0.625)
    """
    (weights,), dtype = working_copies(weights=as_array("weights", weights, ndim=2))
    *_, n_q, n = weights.shape
    if n_q != n or not n:
        raise ValueError(f"weights must have as many keys as queries, got shape {weights.shape}")
    must_be_finite(weights=weights)
    diagonal = np.diagonal(weights, -as_integer("back", back, 0, n - 1), axis1=-2, axis2=-1)  # (…, n − back)
    with np.errstate(over="ignore", invalid="ignore"):
        return returned(np.asarray(diagonal.mean(axis=-1)), dtype, "weights are")


def as_square(name: str, value: Any, least: int) -> Array:
    """Real numbers as a square grid of `least` rows or more, in float64; ValueError for another shape and for NaN and ±inf."""
    grid = as_array(name, value).astype(float)
    if grid.ndim != 2 or grid.shape[0] != grid.shape[1] or len(grid) < least:
        raise ValueError(f"{name} must be a square grid of {least} rows or more, got shape {grid.shape}")
    must_be_finite(**{name: grid})
    return grid
