"""The learned maps of attention: every row times a matrix, plus a bias."""

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import must_be_finite, must_fit, returned, working_copies


def project(
    x: Real[Array, "*batch n d"], w: Real[Array, "d d_out"], b: Real[Array, "d_out"] | None = None
) -> Float[Array, "*batch n d_out"]:
    """Every row of `x` times W, plus the bias: X W + 1 bᵀ. Queries, keys and values are three of these.

    torch's `nn.Linear` computes the same and stores Wᵀ.

    Args:
        x: rows, (…, n, d).
        w: the matrix W, (d, d_out).
        b: a bias for each column, (d_out,).

    Returns:
        The rows, (…, n, d_out).

    Raises:
        ValueError: for sizes that do not fit, naming them, an entry that is not finite, and a result too large
            for its dtype.

    Source: Phuong & Hutter (2022), algorithm 4, which writes it for columns.

    >>> project(np.array([[1, 2]]), np.array([[1, 0, 1], [0, 1, 1]]), np.array([0, 0, 10]))
    array([[ 1.,  2., 13.]])
    """
    (x, w, b), dtype = working_copies("b", x=x, w=w, b=b)
    must_be_finite(x=x, w=w, b=b)
    return returned(projected("x", x, "w", w, b), dtype, "x and w are")


def projected(name: str, x: Array, name_w: str, w: Array, b: Array | None = None) -> Array:
    """`project` for working copies that are finite, with the names to use in an error."""
    if x.ndim < 2 or w.ndim != 2 or x.shape[-1] != w.shape[0]:
        raise ValueError(f"{name} of shape {x.shape} does not fit {name_w} of shape {w.shape}")
    if b is not None and b.shape != w.shape[1:]:
        raise ValueError(
            f"b{name_w[1:]} of shape {b.shape} does not fit {name_w} of shape {w.shape}: one entry for each column"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        out: Array = x @ w if b is None else x @ w + b
    must_fit(f"{name} times {name_w}", out, f"{name} and {name_w} are")
    return out
