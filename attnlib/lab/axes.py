"""Axes of embeddings: each brought to one scale, and how much of a grid's weights lies on partners."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import as_array, as_integer, must_be_finite, must_fit, returned, working_copies

NO_SPREAD = 1e-12  # of a column's largest entry: what is less is rounding


def standardise(x: Real[Array, "*batch n d"]) -> Float[Array, "*batch n d"]:
    """Each column less its mean over the rows, divided by its standard deviation.

    A column whose standard deviation is below 1e-12 of its largest entry has no spread, and becomes 0.

    Args:
        x: rows of vectors, (…, n, d).

    Returns:
        The columns, in the shape of `x`.

    Raises:
        ValueError: for no rows or no columns, naming the shape, and for an entry that is not finite, naming its
            index.

    >>> standardise(np.array([[1.0, 5.0], [3.0, 5.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    (x,), dtype = working_copies(x=as_array("x", x, ndim=2))
    if 0 in x.shape[-2:]:
        raise ValueError(f"x has no rows or no columns: it has shape {x.shape}")
    must_be_finite(x=x)
    wide = x.astype(float)  # float32 would take its rounding for a spread
    largest = np.abs(wide).max(axis=-2, keepdims=True)
    shares = wide / np.where(largest > 0, largest, 1)  # from −1 to 1, so that no sum leaves the range
    apart = shares - shares.mean(axis=-2, keepdims=True)
    spread = np.sqrt((apart**2).mean(axis=-2, keepdims=True))
    flat = spread < NO_SPREAD
    return returned(np.where(flat, 0.0, apart / np.where(flat, 1.0, spread)), dtype, "x is")


def partner_share(weights: Real[Array, "n n_k"], partners: Sequence[int]) -> float:
    """The mean weight that queries put on their partners: over i of A_ij with j = `partners[i]`.

    Args:
        weights: a grid, (n, n_k).
        partners: for each query the number of a key.

    Returns:
        The mean; a share from 0 to 1 where rows are weights.

    Raises:
        ValueError: for weights that are no matrix or not finite, for another number of partners than of
            queries, and for a partner outside the grid, naming its index.

    >>> partner_share(np.array([[0.25, 0.75], [0.5, 0.5]]), [1, 0])
    0.625
    """
    weights = as_array("weights", weights).astype(float)
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(f"weights must have shape (n, n_k), none of them 0, got {weights.shape}")
    must_be_finite(weights=weights)
    keys = as_array("partners", partners, "iu")
    if keys.shape != weights.shape[:1]:
        raise ValueError(f"partners must be one for each query, weights {weights.shape}, partners {keys.shape}")
    chosen = [as_integer(f"partners[{i}]", key, 0, weights.shape[1] - 1) for i, key in enumerate(keys)]
    with np.errstate(over="ignore", invalid="ignore"):
        share = weights[np.arange(len(chosen)), chosen].mean()
    must_fit("the mean", share, "weights are")
    return float(share)
