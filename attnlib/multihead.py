"""Several attentions side by side: split into heads, attend, merge, mix with W_O."""

from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Real
from numpy import ndarray as Array

from attnlib.arguments import broadcast_batch
from attnlib.checks import as_array, as_generator, as_integer, as_number, must_be_finite, returned, working_copies
from attnlib.projections import projected
from attnlib.scaled_dot_product import attention, attention_weights


def split_heads(x: Real[Array, "*batch n width"], num_heads: int) -> Real[Array, "*batch h n d_head"]:
    """Head a gets columns a·d_head … (a + 1)·d_head − 1 of every row, d_head = width / num_heads.

    Args:
        x: rows of all heads, (…, n, width).
        num_heads: how many heads share the width.

    Returns:
        A view of the rows of each head, (…, num_heads, n, d_head).

    Raises:
        ValueError: when the width does not divide into `num_heads`, or `num_heads` is below 1.
        TypeError: for what is no array or no integer.

    >>> split_heads(np.array([[1, 2, 3, 4]]), 2).tolist()
    [[[1, 2]], [[3, 4]]]
    """
    x, num_heads = as_array("x", x, ndim=2), as_integer("num_heads", num_heads)
    if num_heads < 1 or x.shape[-1] % num_heads:
        raise ValueError(f"a width of {x.shape[-1]} does not divide into num_heads = {num_heads} heads")
    apart = x.reshape(*x.shape[:-1], num_heads, x.shape[-1] // num_heads)  # (*batch, n, h, d_head)
    return np.swapaxes(apart, -2, -3)


def merge_heads(x: Real[Array, "*batch h n d_head"]) -> Real[Array, "*batch n width"]:
    """Put the heads' rows side by side again: undoes `split_heads`.

    Args:
        x: the rows of each head, (…, h, n, d_head).

    Returns:
        Rows of all heads, (…, n, h · d_head).

    Raises:
        ValueError: for fewer than three axes.
        TypeError: for what is no array.

    >>> merge_heads(np.array([[[1, 2]], [[3, 4]]])).tolist()
    [[1, 2, 3, 4]]
    """
    x = as_array("x", x)
    if x.ndim < 3:
        raise ValueError(f"x must have the axes (…, h, n, d_head), got shape {x.shape}")
    beside = np.swapaxes(x, -2, -3)  # (*batch, n, h, d_head)
    return beside.reshape(*beside.shape[:-2], beside.shape[-2] * beside.shape[-1])


def multi_head_attention(
    x: Real[Array, "*#batch n d"],
    w_q: Real[Array, "d hk"],
    w_k: Real[Array, "d_c gk"],
    w_v: Real[Array, "d_c gv"],
    w_o: Real[Array, "hv d_out"],
    mask: Bool[Array, "*#batch n n_c"] | None = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    b_q: Real[Array, "hk"] | None = None,
    b_k: Real[Array, "gk"] | None = None,
    b_v: Real[Array, "gv"] | None = None,
    b_o: Real[Array, "d_out"] | None = None,
    context: Real[Array, "*#batch n_c d_c"] | None = None,
    causal: bool = False,
    offset: int = 0,
    bias: Real[Array, "*#heads n n_c"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    dropout: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Float[Array, "*batch n d_out"]:
    """Concat(head_1, …, head_h) W_O, with head_a = attention(X W_Q,a, Z W_K,a, Z W_V,a).

    Args:
        x: X, whose rows ask, (…, n, d).
        w_q: W_Q of all heads side by side, (d, h·d_k).
        w_k: W_K, (d_c, g·d_k).
        w_v: W_V, (d_c, g·d_v).
        w_o: W_O, which mixes the heads, (h·d_v, d_out).
        mask: True where a row of X may attend to one of Z, (…, n, n_c), for every head.
        num_heads: h, how many heads there are.
        num_kv_heads: g; groups of h / g query heads share a key and a value head (grouped-query attention, and
            multi-query attention for g = 1). None means g = h.
        b_q, b_k, b_v, b_o: the bias of each projection, one entry for each column.
        context: Z, whose rows are read, (…, n_c, d_c). None means self-attention, Z = X.
        causal: whether row i may attend to rows up to i + `offset` alone; with a mask, to those that it allows too.
        offset: how many rows of Z precede the first row of X.
        bias: what is added to the scores, (n, n_c) for every head or (…, h, n, n_c) for each its own; −∞ blocks.
        scale, softcap: as in `attention`.
        dropout: the probability with which each weight becomes 0; what is left is divided by 1 − dropout, so that
            rows no longer sum to 1.
        rng: what dropout draws from.

    Returns:
        One row for each row of X, (…, n, d_out).

    Raises:
        ValueError: for sizes that do not fit, naming them, for a number of heads that does not divide its width
            or the query heads, and for a dropout that is not in [0, 1) or lacks its `rng`; and as `attention`.
        TypeError: for what is no array, number, integer, truth value or generator.

    Source: Vaswani et al. (2017), section 3.2.2; Ainslie et al. (2023) for grouped queries.

    >>> x, eye = np.array([[1.0, 0.0], [0.0, 2.0]]), np.eye(2)
    >>> multi_head_attention(x, eye, eye, eye, eye, num_heads=2, scale=1).round(2)
    array([[0.73, 1.  ],
           [0.5 , 1.96]])
    """
    num_heads = as_integer("num_heads", num_heads)
    num_kv_heads = num_heads if num_kv_heads is None else as_integer("num_kv_heads", num_kv_heads)
    if num_kv_heads < 1 or num_heads % num_kv_heads:
        raise ValueError(f"num_heads = {num_heads} does not divide into num_kv_heads = {num_kv_heads} groups")
    dropout = _probability("dropout", dropout)
    read = "x" if context is None else "context"  # what keys and values come from
    arrays: dict[str, Array | None] = {
        "x": x,
        "context": x if context is None else context,
        "w_q": w_q,
        "w_k": w_k,
        "w_v": w_v,
        "w_o": w_o,
    }
    arrays |= {"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o}
    (*copies, bias), dtype = working_copies("b_q", "b_k", "b_v", "b_o", "bias", **arrays, bias=bias)
    must_be_finite(**dict(zip(arrays, copies, strict=True)))
    x, context, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o = copies
    mask = None if mask is None else as_array("mask", mask, "b", ndim=2)
    query = split_heads(projected("x", x, "w_q", w_q, b_q), num_heads)  # (*batch, h, n, d_k)
    key = split_heads(projected(read, context, "w_k", w_k, b_k), num_kv_heads)  # (*batch, g, n_c, d_k)
    value = split_heads(projected(read, context, "w_v", w_v, b_v), num_kv_heads)  # (*batch, g, n_c, d_v)
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"w_q of shape {w_q.shape} gives each of num_heads = {num_heads} heads {query.shape[-1]} columns, "
            f"w_k of shape {w_k.shape} each of num_kv_heads = {num_kv_heads} gives {key.shape[-1]}: they must be equal"
        )
    broadcast_batch(x=x, context=context, mask=mask)
    key, value = (np.repeat(shared, num_heads // num_kv_heads, axis=-3) for shared in (key, value))
    mask = None if mask is None else mask[..., None, :, :]  # the same for every head
    settings: dict[str, Any] = {"causal": causal, "offset": offset, "bias": bias, "scale": scale, "softcap": softcap}
    if dropout:
        weights = attention_weights(query, key, mask, **settings)  # (*batch, h, n, n_c)
        heads = dropout_weights(weights, dropout, rng) @ value
    else:
        heads = attention(query, key, value, mask, **settings)
    out = projected("the output of all heads", merge_heads(heads), "w_o", w_o, b_o)
    return returned(out, dtype, "x and the matrices w_q to w_o are")


def dropout_weights(
    weights: Float[Array, "*shape"], probability: float, rng: np.random.Generator | None
) -> Float[Array, "*shape"]:
    """Each weight becomes 0 with the given probability, else it is divided by 1 − probability.

    The expected weight stays what it was, and a row's sum does not.

    Args:
        weights: of any shape.
        probability: of becoming 0.
        rng: what is drawn from.

    Returns:
        What is left of the weights.

    Raises:
        ValueError: for a probability outside [0, 1), or without an `rng`.
        TypeError: for what is no array, number or generator.

    Source: Srivastava et al. (2014), in the inverted form.

    >>> dropout_weights(np.full(4, 0.25), 0.5, np.random.default_rng(0))
    array([0.5, 0. , 0. , 0. ])
    """
    (weights,), dtype = working_copies(weights=weights)
    must_be_finite(weights=weights)
    probability = _probability("probability", probability)
    if rng is None:
        raise ValueError("dropout draws at random: pass rng, a numpy.random.Generator")
    kept = as_generator("rng", rng).random(weights.shape) >= probability
    with np.errstate(over="ignore"):
        return returned(weights * kept / (1 - probability), dtype, "weights are")


def _probability(name: str, value: float) -> float:
    value = as_number(name, value)
    if not 0 <= value < 1:
        raise ValueError(f"{name} must lie in [0, 1), got {value}")
    return value
