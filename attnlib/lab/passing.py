"""The softmax in passing: keys come one by one, and three numbers are kept."""

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import as_array, must_be_finite, must_fit


def streamed_softmax(scores: Real[Array, "n_k"], values: Real[Array, "n_k"]) -> Float[Array, "n_k 3"]:
    """What one query keeps after each key: the largest score so far, the sum of exp(score − largest), and their blend.

    Blend / sum is the softmax' answer for the keys seen so far. Where a larger score comes, what was kept shrinks by
    exp(old − new), so that no exponent is above 0. Before the first key the three are −∞, 0 and 0.

    Args:
        scores: one for each key, in the order in which they come, (n_k,).
        values: one number for each key, (n_k,).

    Returns:
        For each key what is kept once it was seen: largest, sum and blend, (n_k, 3).

    Raises:
        ValueError: for other sizes, naming them, for what is not finite, and where a sum of values leaves its range.
        TypeError: for what is no array.

    Source: Milakov & Gimelshein (2018), algorithm 3, for the sum; Rabe & Staats (2021) for the blend.

    >>> streamed_softmax(np.array([700.0, 700.0, 701.0]), np.array([1.0, 3.0, 5.0])).round(2)
    array([[700.  ,   1.  ,   1.  ],
           [700.  ,   2.  ,   4.  ],
           [701.  ,   1.74,   6.47]])
    """
    scores, values = as_array("scores", scores).astype(float), as_array("values", values).astype(float)
    if scores.ndim != 1 or scores.shape != values.shape:
        raise ValueError(
            f"scores and values must be one row each, of one length, got {scores.shape} and {values.shape}"
        )
    must_be_finite(scores=scores, values=values)
    states = np.empty((len(scores), 3))
    largest, total, blend = -np.inf, 0.0, 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for j, (score, value) in enumerate(zip(scores, values, strict=True)):
            larger = max(largest, score)
            shrink, raised = np.exp(largest - larger), np.exp(score - larger)
            total, blend = total * shrink + raised, blend * shrink + raised * value
            largest = larger
            states[j] = largest, total, blend
    must_fit("the blend", states[:, 2], "values are")
    return states
