"""Scaled dot-product attention in plain NumPy: the mathematics the whole book is about.

Rows are tokens, maps act on the right, and the softmax runs over the last axis (keys).
Every function takes any number of leading batch axes, never changes its inputs, keeps
float32 and float64, promotes integers to float64, and computes float16 in float32.
"""

import numpy as np
from jaxtyping import Bool, Float, Real
from numpy import ndarray as Array

from attnlib.checks import check_rows, forbid, must_be_finite, scale_factor, working_copies


def softmax(x: Real[Array, "*shape"], axis: int = -1, *, temperature: float = 1.0) -> Float[Array, "*shape"]:
    """Positive weights that sum to 1 along `axis`: exp(x / T) / Σ exp(x / T).

    An entry of −∞ gets the weight 0 exactly. The largest entry is subtracted before exp, so
    that no finite input overflows.

    Raises ValueError for an empty axis, NaN or +∞ (naming the index), a slice that is −∞
    throughout, a dtype that is not real, or a temperature that is not positive and finite.

    Source: Goodfellow, Bengio & Courville, *Deep Learning*, section 4.1.

    >>> softmax(np.array([0.0, np.log(3.0)]))
    array([0.25, 0.75])
    """
    (x,), dtype = working_copies(x=x)
    if not (np.isfinite(temperature) and temperature > 0):
        raise ValueError(f"temperature must be positive and finite, got {temperature}")
    if x.ndim == 0 or not -x.ndim <= axis < x.ndim:
        raise ValueError(f"softmax needs the axis {axis}, but the input has shape {x.shape}")
    if x.shape[axis] == 0:
        raise ValueError(f"softmax over an empty axis: axis {axis} of shape {x.shape} has length 0")
    forbid("x", x, np.isnan(x) | (x == np.inf), "is {value}")
    largest = x.max(axis=axis, keepdims=True)
    forbid("x", largest, largest == -np.inf, "is −∞ throughout: there is nothing to attend to")
    with np.errstate(over="ignore"):  # a difference beyond the float range is −∞, whose exp is 0
        weights: Array = np.exp((x - largest) / x.dtype.type(temperature))
    weights /= weights.sum(axis=axis, keepdims=True)
    return weights.astype(dtype, copy=False)


def attention_scores(
    query: Real[Array, "*batch n_q d_k"], key: Real[Array, "*batch n_k d_k"], *, scale: float | None = None
) -> Float[Array, "*batch n_q n_k"]:
    """One score for each query (row) and key (column): scale · Q Kᵀ, with `scale=None` meaning 1/√d_k.

    Raises ValueError for sizes that do not fit, an empty sequence, a dtype that is not real,
    an entry that is not finite, and a score too large for its dtype.

    Source: Vaswani et al. (2017), equation 1.

    >>> attention_scores(np.array([[1, 0]]), np.array([[1, 0], [3, 3]]), scale=1)
    array([[1., 3.]])
    """
    (query, key), dtype = working_copies(query=query, key=key)
    return _checked_scores(query, key, scale).astype(dtype, copy=False)


def attention_weights(
    query: Real[Array, "*batch n_q d_k"],
    key: Real[Array, "*batch n_k d_k"],
    mask: Bool[Array, "*#batch n_q n_k"] | None = None,
    *,
    scale: float | None = None,
    bias: Real[Array, "*#batch n_q n_k"] | None = None,
    softcap: float | None = None,
    zero_blocked: bool = False,
) -> Float[Array, "*batch n_q n_k"]:
    """How much each query (row) reads from each key (column): softmax(scale · Q Kᵀ + bias), masked.

    `mask` is True where a query may attend to a key. `scale=None` means 1/√d_k. `softcap` = c
    bounds each score to (−c, c) by c · tanh(score / c), before the bias is added; −∞ in `bias`
    blocks a cell, as False in `mask` does. For a query that may attend to no key there are no weights
    that sum to 1; with `zero_blocked` its row is 0.

    Raises ValueError as `attention_scores` does, and, without `zero_blocked`, for a query that may attend to no key.

    Source: Vaswani et al. (2017), equation 1; for soft-capping, Gemma Team (2024), section 2.

    >>> attention_weights(np.array([[1, 0]]), np.array([[1, 0], [3, 3]]), scale=1).round(2)
    array([[0.12, 0.88]])
    """
    (query, key, bias), dtype = working_copies(query=query, key=key, bias=bias)
    scores = _checked_scores(query, key, scale)
    if softcap is not None:
        if not (np.isfinite(softcap) and softcap > 0):
            raise ValueError(f"softcap must be positive and finite, got {softcap}")
        cap = scores.dtype.type(softcap)
        scores = cap * np.tanh(scores / cap)
    if bias is not None:
        _check_grid("bias", bias, scores)
        forbid("bias", bias, np.isnan(bias) | (bias == np.inf), "is {value}")
        scores = scores + bias
    if mask is not None:
        scores = _masked(scores, np.asarray(mask))
    blocked = (scores == -np.inf).all(axis=-1)
    if zero_blocked:
        weights = softmax(np.where(blocked[..., None], 0, scores))
        return np.where(blocked[..., None], 0, weights).astype(dtype, copy=False)
    forbid("query", blocked, blocked, "may attend to no key: its whole row is masked")
    return softmax(scores).astype(dtype, copy=False)


def attention(
    query: Real[Array, "*batch n_q d_k"],
    key: Real[Array, "*batch n_k d_k"],
    value: Real[Array, "*batch n_k d_v"],
    mask: Bool[Array, "*#batch n_q n_k"] | None = None,
    *,
    scale: float | None = None,
    bias: Real[Array, "*#batch n_q n_k"] | None = None,
    softcap: float | None = None,
    zero_blocked: bool = False,
) -> Float[Array, "*batch n_q d_v"]:
    """For each query the weighted average of the values: softmax(scale · Q Kᵀ + bias) V, masked.

    The keyword arguments are those of `attention_weights`.

    Raises ValueError as `attention_weights` does, and when `value` does not fit `key`.

    Source: Vaswani et al. (2017), equation 1.

    >>> attention(np.array([[1, 0]]), np.array([[1, 0], [3, 3]]), np.array([[0.0], [1.0]]), scale=1).round(2)
    array([[0.88]])
    """
    (query, key, value), dtype = working_copies(query=query, key=key, value=value)
    if value.ndim < 2 or value.shape[:-1] != key.shape[:-1]:
        raise ValueError(f"value must have one row for each key: key has shape {key.shape}, value {value.shape}")
    must_be_finite(value=value)
    weights = attention_weights(query, key, mask, scale=scale, bias=bias, softcap=softcap, zero_blocked=zero_blocked)
    out: Array = weights @ value
    return out.astype(dtype, copy=False)


def single_query_attention(
    query: Real[Array, "d_k"],
    key: Real[Array, "n_k d_k"],
    value: Real[Array, "n_k d_v"],
    mask: Bool[Array, "n_k"] | None = None,
    *,
    scale: float | None = None,
) -> Float[Array, "d_v"]:
    """What one query reads: Σ_j a_j v_j, with weights a = softmax over j of scale · q·k_j.

    `attention` does this for every row of Q at once, and gives the same rows.

    Raises ValueError as `attention` does.

    Source: Phuong & Hutter (2022), algorithm 3.

    >>> single_query_attention(np.array([1, 0]), np.array([[1, 0], [3, 3]]), np.array([[0.0], [1.0]]), scale=1).round(2)
    array([0.88])
    """
    (query, key, value), dtype = working_copies(query=query, key=key, value=value)
    if query.ndim != 1 or key.ndim != 2:
        raise ValueError(f"one query and rows of keys are needed, got shapes {query.shape} and {key.shape}")
    check_rows(query[None], key, value)
    scores = _checked_scores(query[None], key, scale)[0]  # (n_k,)
    if mask is not None:
        scores = _masked(scores[None], np.asarray(mask)[None])[0]
        if not mask.any():
            raise ValueError("the query may attend to no key: its mask is False throughout")
    out: Array = softmax(scores) @ value
    return out.astype(dtype, copy=False)


def softmax_jacobian(weights: Float[Array, "*batch n"]) -> Float[Array, "*batch n n"]:
    """How weight j changes with score k: diag(a) − a aᵀ, for weights a that a softmax gave.

    All entries approach 0 as one weight approaches 1: the softmax is then *saturated*, and no gradient passes.

    Raises ValueError for weights that are negative or do not sum to 1, naming the row.

    Source: Goodfellow, Bengio & Courville, *Deep Learning*, section 6.2.2.3.

    >>> softmax_jacobian(np.array([0.25, 0.75]))
    array([[ 0.1875, -0.1875],
           [-0.1875,  0.1875]])
    """
    weights = _checked_weights(weights)
    column, row = weights[..., None], weights[..., None, :]
    jacobian: Array = column * np.eye(weights.shape[-1]) - column * row
    return jacobian


def entropy(weights: Float[Array, "*batch n"]) -> Float[Array, "*batch"]:
    """How spread out weights are, in nats: −Σ a ln a, from 0 (one key has all) to ln n (all alike).

    Raises ValueError for weights that are negative or do not sum to 1, naming the row.

    Source: Shannon (1948), section 6.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(3)
    array([0.693, 0.   ])
    """
    weights = _checked_weights(weights)
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.asarray(0.0 - (weights * logarithms).sum(axis=-1))  # 0, not −0, where one key has all


def _checked_weights(weights: Array) -> Array:
    """Rows of weights in float64."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim < 1 or weights.shape[-1] == 0:
        raise ValueError(f"weights need a last axis with one entry for each key, got shape {weights.shape}")
    forbid("weights", weights, ~(weights >= 0), "is {value}: a weight is 0 or more")
    sums = np.asarray(weights.sum(axis=-1))
    forbid("weights", sums, np.asarray(abs(sums - 1) > 5e-3), "sums to {value}, not 1")  # float16 rounds each weight
    return weights


def _checked_scores(query: Array, key: Array, scale: float | None) -> Array:
    if query.ndim < 2 or key.ndim < 2:
        raise ValueError(f"query and key need two axes or more, got shapes {query.shape} and {key.shape}")
    if query.shape[-1] != key.shape[-1] or query.shape[:-2] != key.shape[:-2]:
        raise ValueError(
            f"query and key must share d_k, their last axis, and every batch axis: got {query.shape} and {key.shape}"
        )
    if 0 in query.shape[-2:] or 0 in key.shape[-2:]:  # an empty batch is fine
        raise ValueError(f"an empty sequence: query has shape {query.shape}, key {key.shape}")
    must_be_finite(query=query, key=key)
    with np.errstate(over="ignore", invalid="ignore"):
        scores: Array = (query * scale_factor(query, scale)) @ np.swapaxes(key, -1, -2)  # (*batch, n_q, n_k)
    forbid("score", scores, ~np.isfinite(scores), "is {value}: query and key are too large for " + str(scores.dtype))
    return scores


def _masked(scores: Array, mask: Array) -> Array:
    if mask.dtype != bool:
        raise ValueError(f"mask must be boolean (True = may attend), got dtype {mask.dtype}")
    _check_grid("mask", mask, scores)
    return np.where(mask, scores, scores.dtype.type(-np.inf))


def _check_grid(name: str, grid: Array, scores: Array) -> None:
    """A mask or bias has one entry for each query and key; only its batch axes may broadcast."""
    batch = scores.shape[:-2]
    try:
        fits = grid.ndim >= 2 and np.broadcast_shapes(grid.shape[:-2], batch) == batch
    except ValueError:
        fits = False
    if not fits or grid.shape[-2:] != scores.shape[-2:]:
        raise ValueError(f"{name} of shape {grid.shape} does not fit scores of shape {scores.shape} (…, n_q, n_k)")
