"""Several attentions side by side: split into heads, attend, merge, mix with W_O."""

import numpy as np
from jaxtyping import Bool, Float, Real
from numpy import ndarray as Array

from attnlib.checks import must_be_finite, working_copies
from attnlib.projections import projected
from attnlib.scaled_dot_product import attention_weights


def split_heads(x: Real[Array, "*batch n width"], num_heads: int) -> Real[Array, "*batch h n d_head"]:
    """Head a gets columns a·d_head … (a + 1)·d_head − 1 of every row, d_head = width / num_heads.

    Raises ValueError when the width does not divide into `num_heads`, or `num_heads` is below 1.

    >>> split_heads(np.array([[1, 2, 3, 4]]), 2).tolist()
    [[[1, 2]], [[3, 4]]]
    """
    x = np.asarray(x)
    if x.ndim < 2:
        raise ValueError(f"split_heads needs rows and columns, got shape {x.shape}")
    if num_heads < 1 or x.shape[-1] % num_heads:
        raise ValueError(f"a width of {x.shape[-1]} does not divide into num_heads = {num_heads} heads")
    apart = x.reshape(*x.shape[:-1], num_heads, x.shape[-1] // num_heads)  # (*batch, n, h, d_head)
    return np.swapaxes(apart, -2, -3)


def merge_heads(x: Real[Array, "*batch h n d_head"]) -> Real[Array, "*batch n width"]:
    """Put the heads' rows side by side again: undoes `split_heads`.

    Raises ValueError for fewer than three axes.

    >>> merge_heads(np.array([[[1, 2]], [[3, 4]]])).tolist()
    [[1, 2, 3, 4]]
    """
    x = np.asarray(x)
    if x.ndim < 3:
        raise ValueError(f"merge_heads needs the axes (…, h, n, d_head), got shape {x.shape}")
    beside = np.swapaxes(x, -2, -3)  # (*batch, n, h, d_head)
    return beside.reshape(*beside.shape[:-2], beside.shape[-2] * beside.shape[-1])


def multi_head_attention(
    x: Real[Array, "*batch n d"],
    w_q: Real[Array, "d hk"],
    w_k: Real[Array, "d_z gk"],
    w_v: Real[Array, "d_z gv"],
    w_o: Real[Array, "hv d_out"],
    mask: Bool[Array, "*#batch n n_z"] | None = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    b_q: Real[Array, "hk"] | None = None,
    b_k: Real[Array, "gk"] | None = None,
    b_v: Real[Array, "gv"] | None = None,
    b_o: Real[Array, "d_out"] | None = None,
    z: Real[Array, "*batch n_z d_z"] | None = None,
    scale: float | None = None,
    dropout: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Float[Array, "*batch n d_out"]:
    """Concat(head_1, …, head_h) W_O, with head_a = attention(X W_Q,a, Z W_K,a, Z W_V,a).

    `z=None` means self-attention, Z = X. Each projection may have a bias, `b_q` to `b_o`. `mask` holds for every head. With `num_kv_heads` = g < h groups of
    h / g query heads share a key and a value head: grouped-query attention, and multi-query attention
    for g = 1. `dropout` sets each weight to 0 with that probability and divides the others by what is
    left, drawing from `rng`: rows then no longer sum to 1.

    Raises ValueError for sizes that do not fit, naming them, for a number of heads that does not divide its width
    or the query heads, and for a dropout that is not in [0, 1) or lacks its `rng`; and as `attention` does.

    Source: Vaswani et al. (2017), section 3.2.2; Ainslie et al. (2023) for grouped queries.

    >>> x, eye = np.array([[1.0, 0.0], [0.0, 2.0]]), np.eye(2)
    >>> multi_head_attention(x, eye, eye, eye, eye, num_heads=2, scale=1).round(2)
    array([[0.73, 1.  ],
           [0.5 , 1.96]])
    """
    num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
    if num_kv_heads < 1 or num_heads % num_kv_heads:
        raise ValueError(f"num_heads = {num_heads} does not divide into num_kv_heads = {num_kv_heads} groups")
    (x, z, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o), dtype = working_copies(
        x=x, z=x if z is None else z, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o, b_q=b_q, b_k=b_k, b_v=b_v, b_o=b_o
    )
    must_be_finite(x=x, z=z, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o, b_q=b_q, b_k=b_k, b_v=b_v, b_o=b_o)
    query = split_heads(projected("x", x, "w_q", w_q, b_q), num_heads)  # (*batch, h, n, d_k)
    key = split_heads(projected("z", z, "w_k", w_k, b_k), num_kv_heads)  # (*batch, g, n_z, d_k)
    value = split_heads(projected("z", z, "w_v", w_v, b_v), num_kv_heads)  # (*batch, g, n_z, d_v)
    key, value = (np.repeat(shared, num_heads // num_kv_heads, axis=-3) for shared in (key, value))
    mask = None if mask is None else np.asarray(mask)[..., None, :, :]  # the same for every head
    weights = attention_weights(query, key, mask, scale=scale)  # (*batch, h, n, n_z)
    if dropout:
        weights = dropout_weights(weights, dropout, rng)
    return projected("the merged heads", merge_heads(weights @ value), "w_o", w_o, b_o).astype(dtype, copy=False)


def dropout_weights(
    weights: Float[Array, "*shape"], probability: float, rng: np.random.Generator | None
) -> Float[Array, "*shape"]:
    """Each weight becomes 0 with the given probability, else it is divided by 1 − probability.

    The expected weight stays what it was, and a row's sum does not.

    Raises ValueError for a probability outside [0, 1), or without an `rng`.

    Source: Srivastava et al. (2014), in the inverted form.

    >>> dropout_weights(np.full(4, 0.25), 0.5, np.random.default_rng(0))
    array([0.5, 0. , 0. , 0. ])
    """
    if not 0 <= probability < 1:
        raise ValueError(f"dropout must lie in [0, 1), got {probability}")
    if rng is None:
        raise ValueError("dropout draws at random: pass rng, a numpy.random.Generator")
    kept = rng.random(weights.shape) >= probability
    return (weights * kept / (1 - probability)).astype(weights.dtype, copy=False)
