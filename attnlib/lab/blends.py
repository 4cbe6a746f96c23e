"""Two numbers in blends of them: how well they can be read out again."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.checks import as_array, as_number, forbid, must_be_finite


def blend_errors(shares: Float[Array, "h"] | Sequence[float], noise: float = 0.0) -> tuple[float, float]:
    """The errors of u and of v, each by the best linear readout of the blends y_i = a_i·u + (1 − a_i)·v + noise.

    The numbers u and v are independent, of mean 0 and variance 1; so is the noise of each blend, of standard deviation
    `noise`. An error is a mean squared one: 0 where the number is read exactly, 1 where nothing is known of it. With
    b_i = 1 − a_i, s² the variance of the noise and D the sum of (a_i − a_j)² over the pairs i < j, the error of u is
    s²(s² + Σb²) / (s⁴ + s²(Σa² + Σb²) + D). That of v has a in the place of b. Where D = 0, s² cancels: one blend, or
    several alike, have a sum of both errors of 1 or more. Where D > 0, the errors go to 0 with the noise. If u, v and
    the noise are normal, no other readout does better.

    Args:
        shares: the a_i, (h,), each from 0 to 1.
        noise: s, from 0 to 1.

    Returns:
        Two mean squared errors: that of u, and that of v.

    Raises:
        ValueError: for no shares, for one that is not from 0 to 1, naming its index, and for other noise.

    >>> blend_errors([0.5])
    (0.5, 0.5)
    >>> blend_errors([0.51, 0.49])
    (0.0, 0.0)
    >>> [round(error, 2) for error in blend_errors([0.51, 0.49], noise=0.05)]
    [0.43, 0.43]
    """
    shares, rest, variance, weight, whole = _terms(shares, noise)
    u, v = (float(weight * (variance + (other**2).sum()) / whole) for other in (rest, shares))
    return u, v


def blend_readout(shares: Float[Array, "h"] | Sequence[float], noise: float = 0.0) -> Float[Array, "h 2"]:
    """What the best linear readout multiplies each blend by: for u in the first column, for v in the second.

    Args:
        shares, noise: as for `blend_errors`, which says what is read.

    Returns:
        One row for each blend, (h, 2).

    Raises:
        ValueError: as `blend_errors` does.

    >>> blend_readout([0.6, 0.4]).round(2)
    array([[ 3., -2.],
           [-2.,  3.]])
    """
    shares, rest, _, weight, whole = _terms(shares, noise)
    apart = shares[:, None] - shares  # (h, h)
    return np.stack([weight * shares + apart @ rest, weight * rest - apart @ shares], axis=1) / whole


def _terms(shares: Float[Array, "h"] | Sequence[float], noise: float) -> tuple[Array, Array, float, float, float]:
    """a, b and s², and both sides of the fraction: s², or 1 where it cancels, and the determinant."""
    a = as_array("shares", shares).astype(float)
    if a.ndim != 1 or not len(a):
        raise ValueError(f"shares must have shape (h,) with h ≥ 1, got {a.shape}")
    must_be_finite(shares=a)
    forbid("shares", a, (a < 0) | (a > 1), "is {value}: it must be from 0 to 1")
    s = as_number("noise", noise)
    if not 0 <= s <= 1:
        raise ValueError(f"noise must be from 0 to 1, got {s:g}")
    b, variance = 1 - a, s * s
    with np.errstate(under="ignore"):
        distance = float(((a[:, None] - a) ** 2).sum() / 2)
    weight = variance if distance else 1.0
    return a, b, variance, weight, weight * (variance + (a**2).sum() + (b**2).sum()) + distance
