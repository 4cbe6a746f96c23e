"""Weights from other positive functions than exp, and what they keep of the softmax's properties."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import (
    as_array,
    as_callable,
    as_choice,
    as_number,
    forbid,
    must_be_finite,
    must_fit,
    returned,
    working_copies,
)
from attnlib.scaled_dot_product import softmax
from attnlib.variants import Elementwise, applied

POSITIVE: dict[str, Elementwise] = {
    "exp": np.exp,
    "softplus": lambda s: np.logaddexp(0, s),  # ln(1 + exp(s))
    "sigmoid": lambda s: np.exp(-np.logaddexp(0, -s)),  # 1 / (1 + exp(−s))
    "relu": lambda s: np.maximum(s, 0) + 0.01,
    "square": np.square,
}


class Properties(NamedTuple):
    """What the weights φ(s) / Σ φ(s) of one query keep of the softmax's properties."""

    smallest: float  # weight
    total: float  # of the weights
    moved: float  # the largest change of a weight when a constant is added to every score
    misordered: float  # pairs of different scores whose weights are not in the same order
    lifted: float  # the weight of the highest score once it alone is raised


def positive_function(x: Real[Array, "*shape"], name: str) -> Float[Array, "*shape"]:
    """φ of every entry, for the φ of that name.

    Args:
        x: scores, of any shape.
        name: exp, softplus, sigmoid, relu (plus 0.01, to stay above 0) or square.

    Returns:
        Numbers of 0 or more, in the shape of `x`.

    Raises:
        ValueError: for another name, an entry that is not finite, and where φ leaves the range of the dtype.

    Source: Phuong & Hutter (2022), section 3, which leaves φ open.

    >>> positive_function(np.array([-1.0, 2.0]), "relu")
    array([0.01, 2.01])
    """
    positive = POSITIVE[as_choice("name", name, POSITIVE)]
    (x,), dtype = working_copies(x=x)
    must_be_finite(x=x)
    return returned(applied(positive, name, "x", x), dtype, "x is")


def positive_weights(scores: Real[Array, "*batch n_k"], positive: Elementwise | str) -> Float[Array, "*batch n_k"]:
    """Weights from any function that is never negative: φ(s) / Σ φ(s). With φ = exp it is the softmax.

    Of all growing φ only c · b^s keeps the weights when a number is added to every score.

    Args:
        scores: one for each key, (…, n_k).
        positive: φ, or its name for `positive_function`; "exp" takes the softmax's way, which never overflows.

    Returns:
        The weights, in the shape of `scores`; each row sums to 1.

    Raises:
        ValueError: for scores that are not finite, where φ gives something negative or not finite, and for a
            row in which φ gives 0 throughout, naming the index.

    Source: Phuong & Hutter (2022), section 3, which leaves φ open.

    >>> positive_weights(np.array([1.0, 3.0]), lambda s: s**2)
    array([0.1, 0.9])
    """
    (scores,), dtype = working_copies(scores=as_array("scores", scores, ndim=1))
    if scores.shape[-1] == 0:
        raise ValueError(f"scores need a last axis with one entry for each key, got shape {scores.shape}")
    must_be_finite(scores=scores)
    if isinstance(positive, str) and as_choice("positive", positive, POSITIVE) == "exp":
        return softmax(scores).astype(dtype, copy=False)
    positive = POSITIVE[positive] if isinstance(positive, str) else as_callable("positive", positive)
    raised = applied(positive, "positive", "scores", scores)
    with np.errstate(over="ignore"):
        sums = raised.sum(axis=-1, keepdims=True)
    must_fit("the sum of positive(scores)", sums[..., 0], "scores are")
    forbid("scores", sums[..., 0], sums[..., 0] == 0, "is a row in which positive gives 0 throughout")
    return returned(raised / sums, dtype, "scores are")


def weight_properties(
    scores: Real[Array, "n_k"], positive: Elementwise | str, *, constant: float = 1.0, raised: float = 10.0
) -> Properties:
    """What the weights φ(s) / Σ φ(s) of one query keep of the softmax's properties, in five numbers.

    Args:
        scores: one for each key, (n_k,).
        positive: φ, or its name for `positive_function`.
        constant: what is added to every score.
        raised: what is added to the highest score alone.

    Returns:
        The five numbers, by name. Where φ gives 0 for every changed score, the changed weights count as 0.

    Raises:
        ValueError: as `positive_weights` does, of the scores as they are.

    >>> weight_properties(np.array([-1.0, 0.0, 2.0]), "square").misordered
    1.0
    """
    scores = as_array("scores", scores).astype(float)
    if scores.ndim != 1:
        raise ValueError(f"scores must be those of one query, (n_k,), got shape {scores.shape}")
    constant, raised = as_number("constant", constant), as_number("raised", raised)
    weights = positive_weights(scores, positive)
    phi = POSITIVE[positive] if isinstance(positive, str) else positive

    def after(changed: Array) -> Array:
        """The weights of changed scores, or zeros where φ gives 0 throughout, so that there are none."""
        if positive != "exp" and not applied(phi, "positive", "scores", changed).any():
            return np.zeros_like(changed)
        return positive_weights(changed, positive)

    with np.errstate(over="ignore"):
        moved = after(scores + constant)
        top = np.arange(len(scores)) == scores.argmax()
        lifted = after(np.where(top, scores + raised, scores))[top]
    higher = scores[:, None] > scores  # (n_k, n_k): i above j
    wrong = higher & (weights[:, None] <= weights)
    numbers = (weights.min(), weights.sum(), np.abs(moved - weights).max(), wrong.sum(), lifted[0])
    return Properties(*map(float, numbers))
