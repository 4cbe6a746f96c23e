"""Other ways to the same end: one matrix for all roles, another φ than exp, brackets swapped, a window."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float, Real
from numpy import ndarray as Array

from attnlib.arguments import as_offset, broadcast_batch, check_rows, scale_factor
from attnlib.checks import as_array, as_callable, as_integer, forbid, must_be_finite, must_fit, returned, working_copies
from attnlib.projections import projected
from attnlib.scaled_dot_product import attention, softmax

Elementwise = Callable[[Array], Array]


def tied_attention(
    x: Real[Array, "*batch n d"],
    u: Real[Array, "d d_u"] | None = None,
    mask: Bool[Array, "*#batch n n"] | None = None,
    *,
    causal: bool = False,
    scale: float | None = 1.0,
) -> Float[Array, "*batch n d_out"]:
    """Self-attention in which one matrix plays every role: softmax(scale · XU (XU)ᵀ) XU; without `u`, softmax(scale · XXᵀ) X.

    The scores are symmetric, and a token's query is its key.

    Args:
        x: rows of tokens, (…, n, d).
        u: the matrix U, (d, d_u).
        mask, causal: as in `attention`.
        scale: what the dot products are multiplied by; None means 1/√d_u.

    Returns:
        What each token reads, (…, n, d_u), or (…, n, d) without `u`.

    Raises:
        ValueError: when `u` does not fit `x`, naming the sizes, and as `attention` does.

    >>> tied_attention(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0], [0.0]])).round(2)
    array([[0.73],
           [0.5 ]])
    """
    (x, u), dtype = working_copies("u", x=x, u=u)
    must_be_finite(x=x, u=u)
    if 0 in as_array("x", x, ndim=2).shape[-2:] or (u is not None and 0 in u.shape):
        raise ValueError(f"x must have rows and columns, and u too: got shapes {x.shape} and {np.shape(u)}")
    x = x if u is None else projected("x", x, "u", u)
    try:
        out = attention(x, x, x, mask, causal=causal, scale=scale)
    except ValueError as error:
        raise ValueError(f"with the rows of x as query, key and value: {error}") from None
    return returned(out, dtype, "x is")


def elu_plus_one(x: Real[Array, "*shape"]) -> Float[Array, "*shape"]:
    """x + 1 above 0 and exp(x) below: positive until exp rounds to 0, without a kink at 0.

    Args:
        x: numbers, in any shape.

    Returns:
        Numbers of 0 or more, in the shape of `x`.

    Raises:
        ValueError: for an entry that is not finite.

    Source: Katharopoulos et al. (2020), equation 7.

    >>> elu_plus_one(np.array([-1.0, 0.0, 2.0])).round(2)
    array([0.37, 1.  , 3.  ])
    """
    (x,), dtype = working_copies(x=x)
    must_be_finite(x=x)
    return returned(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))), dtype, "x is")


def linear_attention(
    query: Real[Array, "*#batch n_q d_k"],
    key: Real[Array, "*#batch n_k d_k"],
    value: Real[Array, "*#batch n_k d_v"],
    *,
    causal: bool = False,
    offset: int = 0,
    feature: Elementwise = elu_plus_one,
) -> Float[Array, "*batch n_q d_v"]:
    """Attention with φ(q)·φ(k) in place of exp(q·k): φ(Q) (φ(K)ᵀ V), divided by φ(Q) φ(K)ᵀ 1.

    The brackets save the n × n weights: O(n d_k d_v) time, and the causal form keeps one d_k × d_v sum of what it
    has read, however long the text. It is another function than softmax attention, not a faster way to it.

    Args:
        query, key, value, causal, offset: as in `attention`. There is no mask, bias, scale or softcap: they act on
            the n × n scores, which this form never makes.
        feature: φ, a function of every entry that is never negative.

    Returns:
        What each query reads, (…, n_q, d_v).

    Raises:
        ValueError: for sizes that do not fit, an empty sequence, an entry that is not finite, where φ gives
            something negative or not finite, or nothing but 0 for a query, and for sums too large for the
            dtype.

    Source: Katharopoulos et al. (2020), sections 3.2 and 3.3.

    >>> x = np.array([[1.0], [3.0]])
    >>> linear_attention(x, x, x, feature=lambda x: x).ravel()
    array([2.5, 2.5])
    """
    (query, key, value), dtype = working_copies(query=query, key=key, value=value)
    check_rows(query, key, value)
    must_be_finite(query=query, key=key, value=value)
    broadcast_batch(query=query, key=key, value=value)
    seen = as_offset(causal, offset)
    feature = as_callable("feature", feature)
    query, key = applied(feature, "feature", "query", query), applied(feature, "feature", "key", key)
    value = np.concatenate(
        [value, np.ones((*value.shape[:-1], 1), value.dtype)], axis=-1
    )  # the last column sums the weights
    with np.errstate(over="ignore", invalid="ignore"):
        if seen is None:
            out: Array = query @ (np.swapaxes(key, -1, -2) @ value)
        else:
            out = _read_causally(query, key, value, seen)
    must_fit("the sum", out, "feature(query), feature(key) and value are")
    sums = out[..., -1:]
    forbid("query", sums[..., 0], sums[..., 0] == 0, "gives every key that it may attend to the weight 0")
    return returned(out[..., :-1] / sums, dtype, "value is")


def window_attention(
    query: Real[Array, "*#batch n d_k"],
    key: Real[Array, "*#batch n d_k"],
    value: Real[Array, "*#batch n d_v"],
    *,
    window: int,
    scale: float | None = None,
) -> Float[Array, "*batch n d_v"]:
    """Attention of each query to the `window` keys that end at its own, in O(n · window) time and memory.

    Equal to `attention` with `sliding_window_mask(n, window=window)`, without computing what that masks.

    Args:
        query, key, value, scale: as in `attention`, with as many queries as keys. The window is causal,
            and there is no mask or bias: they have n × n cells, which this form saves.
        window: how many keys each query reads.

    Returns:
        What each query reads, (…, n, d_v).

    Raises:
        ValueError: for sizes that do not fit, n_q ≠ n_k, a window below 1, an entry that is not finite, and a
            score too large for its dtype.

    Source: Beltagy, Peters & Cohan (2020), section 3.1.

    >>> x = np.array([[1.0], [2.0], [3.0]])
    >>> window_attention(x, x, x, window=1).ravel()
    array([1., 2., 3.])
    """
    (query, key, value), dtype = working_copies(query=query, key=key, value=value)
    check_rows(query, key, value)
    must_be_finite(query=query, key=key, value=value)
    broadcast_batch(query=query, key=key, value=value)
    n = query.shape[-2]
    if key.shape[-2] != n:
        raise ValueError(f"window needs as many queries as keys: query has shape {query.shape}, key {key.shape}")
    window = min(as_integer("window", window, 1), n)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = (query * scale_factor(query, scale))[..., None, :]  # (*batch, n, 1, d_k)
        scores = apart @ np.swapaxes(_windows(key, window), -1, -2)  # (*batch, n, 1, window)
    must_fit("score", scores[..., 0, :], "query and key are")
    before_the_first = np.arange(n)[:, None] + np.arange(window) < window - 1  # (n, window)
    weights = softmax(np.where(before_the_first[:, None], -np.inf, scores))
    with np.errstate(over="ignore", invalid="ignore"):
        out: Array = weights @ _windows(value, window)  # (*batch, n, 1, d_v)
    return returned(out[..., 0, :], dtype, "value is")


def applied(function: Elementwise, name: str, given: str, x: Array) -> Array:
    """φ of every entry, checked to be finite and not negative; an error calls φ `name`, and `x` what was `given`."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        raised = as_array(f"{name}({given})", function(x)).astype(x.dtype, copy=False)
    if raised.shape != x.shape:
        raise ValueError(f"{name} must keep the shape {x.shape}, and gave {raised.shape}")
    wrong = ~(np.isfinite(raised) & (raised >= 0))
    forbid(f"{name}({given})", raised, wrong, f"is {{value}}: {name} must give finite numbers of 0 or more")
    return raised


def _read_causally(query: Array, key: Array, value: Array, seen: int) -> Array:
    """Each query times the sum of key ⊗ value up to its own, which `seen` keys precede: (*batch, n_q, d_v + 1)."""
    rows = []
    read = np.swapaxes(key[..., :seen, :], -1, -2) @ value[..., :seen, :]  # (*batch, d_k, d_v + 1)
    for i in range(query.shape[-2]):
        if seen + i < key.shape[-2]:
            read = read + key[..., seen + i, :, None] * value[..., seen + i, None, :]
        rows.append(query[..., i, None, :] @ read)
    return np.concatenate(rows, axis=-2)


def _windows(rows: Array, window: int) -> Array:
    """For each row the `window` rows that end with it, as a view: (*batch, n, window, width)."""
    before = [(0, 0)] * (rows.ndim - 2) + [(window - 1, 0), (0, 0)]
    return np.swapaxes(np.lib.stride_tricks.sliding_window_view(np.pad(rows, before), window, axis=-2), -1, -2)
