"""Who may attend to whom. A mask is boolean and True where a query may attend to a key, everywhere in this package.

Masks combine with `&`. Libraries disagree about the meaning of True, even within torch: `to_torch` and
`from_torch` translate.
"""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Float, Integer, Shaped
from numpy import ndarray as Array

TorchAPI = Literal["scaled_dot_product_attention", "MultiheadAttention"]


def causal_mask(
    n_q: int, n_k: int | None = None, *, offset: int | Integer[Array, "*batch"] = 0
) -> Bool[Array, "*batch n_q n_k"]:
    """True where query i may attend to key j: j ≤ i + offset. `n_k=None` means as many keys as queries.

    `offset` is the number of keys that precede the first query, as when earlier tokens are cached; an
    array gives each sequence of a batch its own.

    Raises ValueError for sizes below 1 and a negative offset.

    Source: Vaswani et al. (2017), section 3.2.3.

    >>> causal_mask(2, 3)
    array([[ True, False, False],
           [ True,  True, False]])
    """
    return _ages("causal_mask", n_q, n_k, offset) >= 0


def sliding_window_mask(
    n_q: int, n_k: int | None = None, *, window: int, offset: int | Integer[Array, "*batch"] = 0
) -> Bool[Array, "*batch n_q n_k"]:
    """True for the `window` keys that end at the query's own: i + offset − window < j ≤ i + offset.

    Raises ValueError for sizes below 1 and a negative offset.

    Source: Beltagy, Peters & Cohan (2020), section 3.1, looking back only.

    >>> sliding_window_mask(3, window=2).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    if window < 1:
        raise ValueError(f"sliding_window_mask needs window ≥ 1, got {window}")
    ages = _ages("sliding_window_mask", n_q, n_k, offset)
    return (ages >= 0) & (ages < window)


def padding_mask(lengths: Integer[Array, "*batch"], n_q: int, n_k: int | None = None) -> Bool[Array, "*batch n_q n_k"]:
    """True for the keys that belong to a sequence, and not to what fills it up: j < its length.

    `n_k=None` means as many keys as queries. Queries that are padding attend like any other: what they
    give is to be ignored.

    Raises ValueError for sizes below 1, and for a length that is not between 1 and `n_k`, naming its index.

    >>> padding_mask(np.array([1, 3]), 1, 3).astype(int)
    array([[[1, 0, 0]],
    <BLANKLINE>
           [[1, 1, 1]]])
    """
    lengths = np.asarray(lengths)
    n_k = n_q if n_k is None else n_k
    if n_q < 1 or n_k < 1:
        raise ValueError(f"padding_mask needs n_q ≥ 1 and n_k ≥ 1, got {n_q} and {n_k}")
    if lengths.dtype.kind not in "iu":
        raise ValueError(f"lengths must be integers, got dtype {lengths.dtype}")
    for index in np.argwhere((lengths < 1) | (lengths > n_k)):
        raise ValueError(f"lengths{index.tolist()} is {lengths[tuple(index)]}: it must lie between 1 and n_k = {n_k}")
    return np.repeat((np.arange(n_k) < lengths[..., None])[..., None, :], n_q, axis=-2)


def mask_to_bias(mask: Bool[Array, "*shape"], dtype: np.dtype | type = np.float64) -> Float[Array, "*shape"]:
    """The bias that does what the mask does: 0 where it is True, −∞ where it is False.

    Raises ValueError for a mask that is not boolean.

    >>> mask_to_bias(np.array([True, False]))
    array([  0., -inf])
    """
    return np.where(_boolean(mask), 0.0, -np.inf).astype(dtype)


def to_torch(mask: Bool[Array, "*shape"], api: TorchAPI) -> Bool[Array, "*shape"]:
    """The same mask as `api` of torch reads it. True keeps in one of the two, and blocks in the other.

    Give the result, as a tensor, to `attn_mask`. (`MultiheadAttention` takes a batch of masks as one axis
    of batch · heads.)

    Raises ValueError for a mask that is not boolean and an `api` that is neither.

    >>> to_torch(np.array([True, False]), "MultiheadAttention")
    array([False,  True])
    """
    return _boolean(mask) ^ _blocks(api)


def from_torch(mask: Shaped[Array, "*shape"], api: TorchAPI) -> Bool[Array, "*shape"]:
    """What torch's `attn_mask` for `api` means here: a boolean mask, or a float one of zeros and −∞.

    Raises ValueError for a float mask with any other entry: that is a bias, and no mask says the same.

    >>> from_torch(np.array([0.0, -np.inf]), "MultiheadAttention")
    array([ True, False])
    """
    mask = np.asarray(mask)
    if mask.dtype.kind != "f":
        return _boolean(mask) ^ _blocks(api)
    _blocks(api)
    for index in np.argwhere((mask != 0) & (mask != -np.inf)):
        raise ValueError(f"mask{index.tolist()} is {mask[tuple(index)]}, neither 0 nor −∞: pass it as a bias")
    kept: Array = mask == 0
    return kept


def _ages(name: str, n_q: int, n_k: int | None, offset: int | Array) -> Array:
    """How many places key j lies before query i: (*batch, n_q, n_k)."""
    n_k, offset = n_q if n_k is None else n_k, np.asarray(offset)
    if n_q < 1 or n_k < 1 or (offset < 0).any():
        shown = offset if offset.ndim == 0 else offset.tolist()
        raise ValueError(f"{name} needs n_q ≥ 1, n_k ≥ 1 and offset ≥ 0, got {n_q}, {n_k} and {shown}")
    ages: Array = offset[..., None, None] + np.arange(n_q)[:, None] - np.arange(n_k)
    return ages


def _blocks(api: str) -> bool:
    """Whether True blocks."""
    if api not in get_args(TorchAPI):
        raise ValueError(f"api must be one of {', '.join(get_args(TorchAPI))}, got {api!r}")
    return api == "MultiheadAttention"


def _boolean(mask: Array) -> Array:
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise ValueError(f"mask must be boolean, got dtype {mask.dtype}")
    return mask
