"""Scaled dot-product attention in plain NumPy: the mathematics the whole book is about.

Rows are tokens, maps act on the right, and the softmax runs over the last axis (keys).
Functions take leading batch axes, which broadcast as NumPy's do (`single_query_attention` takes none), and never change their
inputs. A result has the dtype that NumPy promotes the given arrays to; slopes and entropies are float64. Integers count as float64, and float16 is computed in
float32.
"""

import numpy as np
from jaxtyping import Bool, Float, Real
from numpy import ndarray as Array

from attnlib.arguments import Arguments, checked
from attnlib.checks import as_array, as_integer, as_number, forbid, returned, working_copies
from attnlib.masks import causal_mask
from attnlib.streaming import in_tiles

PLAIN = 2**12  # cells of a grid that is small enough to be held as it is


def softmax(x: Real[Array, "*shape"], axis: int = -1, *, temperature: float = 1.0) -> Float[Array, "*shape"]:
    """Positive weights that sum to 1 along `axis`: exp(x / T) / Σ exp(x / T).

    An entry of −∞ gets the weight 0 exactly. The largest entry is subtracted before exp, so
    that no finite input overflows.

    Args:
        x: the scores, of any shape.
        axis: along which the weights sum to 1.
        temperature: T, what scores are divided by.

    Returns:
        The weights, in the shape of `x`.

    Raises:
        ValueError: for an empty axis, NaN or +∞ (naming the index), a slice that is −∞ throughout, a dtype that
            is not real, or a temperature that is not positive and finite.
        TypeError: for what is no array or no number.

    Source: Goodfellow, Bengio & Courville, *Deep Learning*, section 4.1.

    >>> softmax(np.array([0.0, np.log(3.0)]))
    array([0.25, 0.75])
    """
    (x,), dtype = working_copies(x=x)
    temperature, axis = as_number("temperature", temperature, positive=True, dtype=x.dtype), as_integer("axis", axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"x of shape {x.shape} has no axis {axis}")
    if x.shape[axis] == 0:
        raise ValueError(f"x is empty along axis {axis}: it has shape {x.shape}")
    forbid("x", x, np.isnan(x) | (x == np.inf), "is {value}")
    largest = x.max(axis=axis, keepdims=True)
    forbid("x", largest, largest == -np.inf, "is −∞ throughout: there is nothing to attend to")
    with np.errstate(over="ignore"):  # a difference beyond the float range is −∞, whose exp is 0
        weights: Array = np.exp((x - largest) / x.dtype.type(temperature))
    weights /= weights.sum(axis=axis, keepdims=True)
    return weights.astype(dtype, copy=False)


def attention_scores(
    query: Real[Array, "*#batch n_q d_k"], key: Real[Array, "*#batch n_k d_k"], *, scale: float | None = None
) -> Float[Array, "*batch n_q n_k"]:
    """One score for each query (row) and key (column): scale · Q Kᵀ.

    Args:
        query: rows of queries, (…, n_q, d_k).
        key: rows of keys, (…, n_k, d_k).
        scale: what the dot products are multiplied by; None means 1/√d_k.

    Returns:
        The scores, (…, n_q, n_k).

    Raises:
        ValueError: for sizes that do not fit, an empty sequence, a dtype that is not real,
            an entry that is not finite, and a score too large for its dtype.
        TypeError: for what is no array or no number.

    Source: Vaswani et al. (2017), equation 1.

    >>> attention_scores(np.array([[1, 0]]), np.array([[1, 0], [3, 3]]), scale=1)
    array([[1., 3.]])
    """
    given = checked(query, key, scale=scale)
    return returned(given.scores(), given.dtype, "query and key are")


def attention_weights(
    query: Real[Array, "*#batch n_q d_k"],
    key: Real[Array, "*#batch n_k d_k"],
    mask: Bool[Array, "*#batch n_q n_k"] | None = None,
    *,
    causal: bool = False,
    offset: int = 0,
    bias: Real[Array, "*#batch n_q n_k"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    zero_blocked: bool = False,
) -> Float[Array, "*batch n_q n_k"]:
    """How much each query (row) reads from each key (column): softmax(scale · Q Kᵀ + bias), masked.

    Args:
        query: rows of queries, (…, n_q, d_k).
        key: rows of keys, (…, n_k, d_k).
        mask: True where a query may attend to a key, (…, n_q, n_k).
        causal: whether query i may attend to keys up to i + `offset` alone; with a mask, to those that it allows too.
        offset: how many keys precede the first query, as when earlier tokens are cached; with `causal` alone.
        bias: added to the scores, (…, n_q, n_k); −∞ blocks a cell, as False in `mask` does.
        scale: what the dot products are multiplied by; None means 1/√d_k.
        softcap: c bounds each score to (−c, c) by c · tanh(score / c), before the bias is added.
        zero_blocked: whether a query that may attend to no key gets a row of 0, and not an error.

    Returns:
        The weights, (…, n_q, n_k); each row sums to 1, a blocked one with `zero_blocked` to 0.

    Raises:
        ValueError: for arrays that do not fit each other or an empty sequence, naming the sizes, for NaN, ∞ and a score
            too large for its dtype, naming the index, and a query that may attend to no key, but for `zero_blocked`.
        TypeError: for what is no array, number, integer or truth value.

    Source: Vaswani et al. (2017), equation 1; for soft-capping, Gemma Team (2024), section 2.

    >>> attention_weights(np.array([[1, 0]]), np.array([[1, 0], [3, 3]]), scale=1).round(2)
    array([[0.12, 0.88]])
    """
    given = checked(
        query, key, None, mask,
        causal=causal, offset=offset, bias=bias, scale=scale, softcap=softcap, zero_blocked=zero_blocked,
    )  # fmt: skip
    return _weights(given).astype(given.dtype, copy=False)


def attention(
    query: Real[Array, "*#batch n_q d_k"],
    key: Real[Array, "*#batch n_k d_k"],
    value: Real[Array, "*#batch n_k d_v"],
    mask: Bool[Array, "*#batch n_q n_k"] | None = None,
    *,
    causal: bool = False,
    offset: int = 0,
    bias: Real[Array, "*#batch n_q n_k"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    zero_blocked: bool = False,
) -> Float[Array, "*batch n_q d_v"]:
    """For each query the weighted average of the values: softmax(scale · Q Kᵀ + bias) V, masked.

    Long sequences are read in tiles, as by `streaming_attention`, so that memory grows with n and not with its square.

    Args:
        query: rows of queries, (…, n_q, d_k).
        key: rows of keys, (…, n_k, d_k).
        value: rows of values, one for each key, (…, n_k, d_v).
        mask: True where a query may attend to a key, (…, n_q, n_k).
        causal: whether query i may attend to keys up to i + `offset` alone; with a mask, to those that it allows too.
        offset: how many keys precede the first query, as when earlier tokens are cached; with `causal` alone.
        bias: added to the scores, (…, n_q, n_k); −∞ blocks a cell, as False in `mask` does.
        scale: what the dot products are multiplied by; None means 1/√d_k.
        softcap: c bounds each score to (−c, c) by c · tanh(score / c), before the bias is added.
        zero_blocked: whether a query that may attend to no key gets a row of 0, and not an error.

    Returns:
        What each query reads, (…, n_q, d_v).

    Raises:
        ValueError: as `attention_weights`, and when `value` does not fit `key`.
        TypeError: as `attention_weights`.

    Source: Vaswani et al. (2017), equation 1.

    >>> attention(np.array([[1, 0]]), np.array([[1, 0], [3, 3]]), np.array([[0.0], [1.0]]), scale=1).round(2)
    array([[0.88]])
    """
    given = checked(
        query, key, as_array("value", value), mask,
        causal=causal, offset=offset, bias=bias, scale=scale, softcap=softcap, zero_blocked=zero_blocked,
    )  # fmt: skip
    if given.cells > PLAIN:
        out = in_tiles(given)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            out = _weights(given) @ given.value
    return returned(out, given.dtype, "the entries of value are")


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

    Args:
        query: one query, (d_k).
        key: rows of keys, (n_k, d_k).
        value: rows of values, (n_k, d_v).
        mask: True for the keys that the query may attend to, (n_k).
        scale: what the dot products are multiplied by; None means 1/√d_k.

    Returns:
        The weighted average of the values, (d_v).

    Raises:
        ValueError: as `attention`.
        TypeError: as `attention`.

    Source: Phuong & Hutter (2022), algorithm 3.

    >>> single_query_attention(np.array([1, 0]), np.array([[1, 0], [3, 3]]), np.array([[0.0], [1.0]]), scale=1).round(2)
    array([0.88])
    """
    given = {"query": as_array("query", query), "key": as_array("key", key), "value": as_array("value", value)}
    if mask is not None:
        given["mask"] = as_array("mask", mask, "b")
    for (name, array), axes in zip(given.items(), ("(d_k)", "(n_k, d_k)", "(n_k, d_v)", "(n_k)"), strict=False):
        if array.ndim != len(axes.split()):
            raise ValueError(f"{name} of shape {array.shape} is not that of one query: it must be {axes}")
    query, key, value = given["query"], given["key"], given["value"]
    mask = None if mask is None else given["mask"][None]
    out: Array = attention(query[None], key, value, mask, scale=scale)[0]
    return out


def softmax_jacobian(weights: Float[Array, "*batch n"]) -> Float[Array, "*batch n n"]:
    """How weight j changes with score k: diag(a) − a aᵀ, for weights a that a softmax gave.

    All entries approach 0 as one weight approaches 1: the softmax is then *saturated*, and no gradient passes.

    Args:
        weights: rows that sum to 1, (…, n).

    Returns:
        The slopes, (…, n, n): row j for weight j, column k for score k.

    Raises:
        ValueError: for weights that are negative, or whose sum is off 1 by more than 0.005, naming the row.

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

    Args:
        weights: rows that sum to 1, (…, n).

    Returns:
        The entropy of each row, (…).

    Raises:
        ValueError: for weights that are negative, or whose sum is off 1 by more than 0.005, naming the row.

    Source: Shannon (1948), section 6.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(3)
    array([0.693, 0.   ])
    """
    weights = _checked_weights(weights)
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.asarray(0.0 - (weights * logarithms).sum(axis=-1))  # 0, not −0, where one key has all


def _weights(given: Arguments) -> Array:
    """In the dtype to compute in. The formula, as it reads."""
    scores = given.scores()  # scale · Q Kᵀ, capped, plus the bias
    if given.mask is not None:
        scores = np.where(given.mask, scores, -np.inf)
    if given.offset is not None:
        scores = np.where(causal_mask(*scores.shape[-2:], offset=given.offset), scores, -np.inf)
    blocked = (scores == -np.inf).all(axis=-1)
    scores[blocked] = 0  # for a softmax of them
    weights: Array = softmax(scores)
    given.treat_blocked(weights, blocked)
    return weights


def _checked_weights(weights: Array) -> Array:
    """Rows of weights in float64."""
    weights = as_array("weights", weights).astype(np.float64)
    if weights.ndim < 1 or weights.shape[-1] == 0:
        raise ValueError(f"weights need a last axis with one entry for each key, got shape {weights.shape}")
    forbid("weights", weights, ~(weights >= 0), "is {value}: a weight is 0 or more")
    with np.errstate(over="ignore"):
        sums = np.asarray(weights.sum(axis=-1))
    off = np.asarray(abs(sums - 1) > 5e-3)  # float16 rounds each weight
    forbid("weights", sums, off, "must sum to 1, got {value}")
    return weights
