"""Other ways to the same end: one matrix for all roles, another φ than exp, brackets swapped, a window."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float, Real
from numpy import ndarray as Array

from attnlib.checks import check_rows, forbid, must_be_finite, scale_factor, working_copies
from attnlib.projections import projected
from attnlib.scaled_dot_product import attention, softmax

Elementwise = Callable[[Array], Array]


def tied_attention(
    x: Real[Array, "*batch n d"],
    u: Real[Array, "d d_u"] | None = None,
    mask: Bool[Array, "*#batch n n"] | None = None,
    *,
    scale: float | None = 1.0,
) -> Float[Array, "*batch n d_out"]:
    """Self-attention in which one matrix plays every role: softmax(scale · XU (XU)ᵀ) XU; without `u`, softmax(scale · XXᵀ) X.

    The scores are symmetric, and a token's query is its key. `scale=None` means 1/√d_u.

    Raises ValueError when `u` does not fit `x`, naming the sizes, and as `attention` does.

    >>> tied_attention(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0], [0.0]])).round(2)
    array([[0.73],
           [0.5 ]])
    """
    (x, u), dtype = working_copies(x=x, u=u)
    if u is not None:
        must_be_finite(x=x, u=u)
        x = projected("x", x, "u", u)
    return attention(x, x, x, mask, scale=scale).astype(dtype, copy=False)


def elu_plus_one(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """x + 1 above 0 and exp(x) below: positive, and smooth at 0.

    Source: Katharopoulos et al. (2020), equation 7.

    >>> elu_plus_one(np.array([-1.0, 0.0, 2.0])).round(2)
    array([0.37, 1.  , 3.  ])
    """
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear_attention(
    query: Real[Array, "*batch n_q d_k"],
    key: Real[Array, "*batch n_k d_k"],
    value: Real[Array, "*batch n_k d_v"],
    *,
    causal: bool = False,
    feature: Elementwise = elu_plus_one,
) -> Float[Array, "*batch n_q d_v"]:
    """Attention with φ(q)·φ(k) in place of exp(q·k): φ(Q) (φ(K)ᵀ V), divided by φ(Q) φ(K)ᵀ 1.

    The brackets save the n × n weights: O(n d_k d_v) time, and the causal form keeps one d_k × d_v sum of what it
    has read, however long the text. It is another function than softmax attention, not a faster way to it.

    Raises ValueError for sizes that do not fit, an empty sequence, an entry that is not finite, a causal call
    with n_q ≠ n_k, and where φ gives something negative or not finite, or nothing but 0 for a query, and for sums too large for the dtype.

    Source: Katharopoulos et al. (2020), sections 3.2 and 3.3.

    >>> x = np.array([[1.0], [3.0]])
    >>> linear_attention(x, x, x, feature=lambda x: x).ravel()
    array([2.5, 2.5])
    """
    (query, key, value), dtype = working_copies(query=query, key=key, value=value)
    check_rows(query, key, value)
    if causal and query.shape[-2] != key.shape[-2]:
        raise ValueError(f"causal needs as many queries as keys: query has shape {query.shape}, key {key.shape}")
    query, key = applied("φ(query)", feature, query), applied("φ(key)", feature, key)
    value = np.concatenate([value, np.ones_like(value[..., :1])], axis=-1)  # the last column sums the weights
    with np.errstate(over="ignore", invalid="ignore"):
        out: Array = _read_causally(query, key, value) if causal else query @ (np.swapaxes(key, -1, -2) @ value)
    must_be_finite(sum=out)  # the sums of large entries may leave the range
    sums = out[..., -1:]
    forbid("query", sums, sums == 0, "gives every key that it may attend to the weight 0")
    out = out[..., :-1] / sums
    return out.astype(dtype, copy=False)


def window_attention(
    query: Real[Array, "*batch n d_k"],
    key: Real[Array, "*batch n d_k"],
    value: Real[Array, "*batch n d_v"],
    *,
    window: int,
    scale: float | None = None,
) -> Float[Array, "*batch n d_v"]:
    """Attention of each query to the `window` keys that end at its own, in O(n · window) time and memory.

    Equal to `attention` with `sliding_window_mask(n, window=window)`, without computing what that masks.

    Raises ValueError for sizes that do not fit, n_q ≠ n_k, a window below 1 and an entry that is not finite.

    Source: Beltagy, Peters & Cohan (2020), section 3.1.

    >>> x = np.array([[1.0], [2.0], [3.0]])
    >>> window_attention(x, x, x, window=1).ravel()
    array([1., 2., 3.])
    """
    (query, key, value), dtype = working_copies(query=query, key=key, value=value)
    check_rows(query, key, value)
    n = query.shape[-2]
    if key.shape[-2] != n or window < 1:
        raise ValueError(f"window_attention needs window ≥ 1 and n_q = n_k, got {window}, {n} and {key.shape[-2]}")
    window = min(window, n)
    apart = (query * scale_factor(query, scale))[..., None, :]  # (*batch, n, 1, d_k)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = apart @ np.swapaxes(_windows(key, window), -1, -2)  # (*batch, n, 1, window)
    must_be_finite(score=scores)
    before_the_first = np.arange(n)[:, None] + np.arange(window) < window - 1  # (n, window)
    weights = softmax(np.where(before_the_first[:, None], -np.inf, scores))
    out: Array = weights @ _windows(value, window)  # (*batch, n, 1, d_v)
    return out[..., 0, :].astype(dtype, copy=False)


def _read_causally(query: Array, key: Array, value: Array) -> Array:
    """Each query times the sum of key ⊗ value so far: (*batch, n, d_v + 1)."""
    out = np.empty((*query.shape[:-1], value.shape[-1]), query.dtype)
    read = np.zeros((*key.shape[:-2], key.shape[-1], value.shape[-1]), query.dtype)  # (*batch, d_k, d_v + 1)
    for i in range(query.shape[-2]):
        read += key[..., i, :, None] * value[..., i, None, :]
        out[..., i, :] = (query[..., i, None, :] @ read)[..., 0, :]
    return out


def _windows(rows: Array, window: int) -> Array:
    """For each row the `window` rows that end with it, as a view: (*batch, n, window, width)."""
    before = [(0, 0)] * (rows.ndim - 2) + [(window - 1, 0), (0, 0)]
    return np.swapaxes(np.lib.stride_tricks.sliding_window_view(np.pad(rows, before), window, axis=-2), -1, -2)


def applied(name: str, positive: Elementwise, x: Array) -> Array:
    """φ of every entry, checked to be finite and not negative."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        raised = np.asarray(positive(x), dtype=x.dtype)
    if raised.shape != x.shape:
        raise ValueError(f"φ must keep the shape {x.shape}, and gave {raised.shape}")
    forbid(name, raised, ~(np.isfinite(raised) & (raised >= 0)), "is {value}: φ must give finite numbers of 0 or more")
    return raised
