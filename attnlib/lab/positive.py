"""Weights from other positive functions than exp, and what they keep of the softmax's properties."""

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import forbid, must_be_finite, working_copies
from attnlib.scaled_dot_product import softmax
from attnlib.variants import Elementwise, applied

POSITIVE: dict[str, Elementwise] = {
    "exp": np.exp,
    "softplus": lambda s: np.logaddexp(0, s),  # ln(1 + exp(s))
    "sigmoid": lambda s: np.exp(-np.logaddexp(0, -s)),  # 1 / (1 + exp(−s))
    "relu": lambda s: np.maximum(s, 0) + 0.01,
    "square": np.square,
}


def positive_function(x: Real[Array, "*shape"], name: str) -> Float[Array, "*shape"]:
    """φ of every entry, for the φ of that name: exp, softplus, sigmoid, relu (plus 0.01, to stay above 0) or square.

    Raises ValueError for another name, an entry that is not finite, and where φ leaves the range of the dtype.

    Source: Phuong & Hutter (2022), section 3, which leaves φ open.

    >>> positive_function(np.array([-1.0, 2.0]), "relu")
    array([0.01, 2.01])
    """
    if name not in POSITIVE:
        raise ValueError(f"no positive function is called {name!r}: choose from {', '.join(POSITIVE)}")
    (x,), dtype = working_copies(x=x)
    must_be_finite(x=x)
    return applied("φ(x)", POSITIVE[name], x).astype(dtype, copy=False)


def positive_weights(scores: Real[Array, "*batch n_k"], positive: Elementwise | str) -> Float[Array, "*batch n_k"]:
    """Weights from any function that is never negative: φ(s) / Σ φ(s). With φ = exp it is the softmax.

    `positive` is φ, or its name for `positive_function`; "exp" takes the softmax's way, which never overflows.
    Only for exp does adding a number to every score change nothing.

    Raises ValueError for scores that are not finite, where φ gives something negative or not finite, and
    for a row in which φ gives 0 throughout, naming the index.

    Source: Phuong & Hutter (2022), section 3, which leaves φ open.

    >>> positive_weights(np.array([1.0, 3.0]), lambda s: s**2)
    array([0.1, 0.9])
    """
    (scores,), dtype = working_copies(scores=scores)
    if scores.ndim < 1 or scores.shape[-1] == 0:
        raise ValueError(f"scores need a last axis with one entry for each key, got shape {scores.shape}")
    must_be_finite(scores=scores)
    if positive == "exp":
        return softmax(scores).astype(dtype, copy=False)
    raised = (
        positive_function(scores, positive) if isinstance(positive, str) else applied("φ(scores)", positive, scores)
    )
    sums = raised.sum(axis=-1, keepdims=True)
    forbid("scores", sums, sums == 0, "is in a row in which φ gives 0 throughout")
    weights: Array = raised / sums
    return weights.astype(dtype, copy=False)


def weight_properties(
    scores: Real[Array, "n_k"], positive: Elementwise | str, *, constant: float = 1.0, raised: float = 10.0
) -> Float[Array, "5"]:
    """What the weights φ(s) / Σ φ(s) of one query keep of the softmax's properties, as five numbers.

    The smallest weight; the sum; the largest change of a weight when `constant` is added to every score; how many
    pairs of different scores have weights that are not in the same order; the weight of the highest score
    once `raised` is added to it alone.

    Raises ValueError as `positive_weights` does.

    >>> weight_properties(np.array([-1.0, 0.0, 2.0]), "square").round(2)
    array([0.  , 1.  , 0.2 , 1.  , 0.99])
    """
    weights = positive_weights(scores, positive)
    moved = positive_weights(scores + constant, positive)
    higher = scores[:, None] > scores  # (n_k, n_k): i above j
    wrong = higher & (weights[:, None] <= weights)
    top = int(np.argmax(scores))
    lifted = positive_weights(np.where(np.arange(len(scores)) == top, scores + raised, scores), positive)
    numbers = [weights.min(), weights.sum(), np.abs(moved - weights).max(), wrong.sum(), lifted[top]]
    return np.array(numbers, dtype=float)
