"""Who may attend to whom. A mask is boolean and True where a query may attend to a key, everywhere in this package.

Masks combine with `&`. Libraries disagree about the meaning of True, even within torch: `to_torch` and
`from_torch` translate.
"""

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from jaxtyping import Bool, Float, Integer, Shaped
from numpy import ndarray as Array

from attnlib.checks import as_array, as_choice, as_float_dtype, as_integer, forbid

if TYPE_CHECKING:
    import torch

TorchAPI = Literal["scaled_dot_product_attention", "MultiheadAttention"]


def causal_mask(
    n_q: int, n_k: int | None = None, *, offset: int | Integer[Array, "*batch"] = 0
) -> Bool[Array, "*batch n_q n_k"]:
    """True where query i may attend to key j: j ≤ i + offset.

    Args:
        n_q: how many queries there are.
        n_k: how many keys; None means as many as queries.
        offset: how many keys precede the first query, as when earlier tokens are cached; an
            array gives each sequence of a batch its own.

    Returns:
        The mask, (…, n_q, n_k).

    Raises:
        ValueError: for sizes below 1 and a negative offset.
        TypeError: for a size that is no integer; for an offset that is none a ValueError.

    Source: Vaswani et al. (2017), section 3.2.3.

    >>> causal_mask(2, 3)
    array([[ True, False, False],
           [ True,  True, False]])
    """
    return _ages(n_q, n_k, offset) >= 0


def sliding_window_mask(
    n_q: int, n_k: int | None = None, *, window: int, offset: int | Integer[Array, "*batch"] = 0
) -> Bool[Array, "*batch n_q n_k"]:
    """True for the `window` keys that end at the query's own: i + offset − window < j ≤ i + offset.

    Args:
        n_q: how many queries there are.
        n_k: how many keys; None means as many as queries.
        window: how many keys a query may attend to.
        offset: how many keys precede the first query; an array gives each sequence of a batch its own.

    Returns:
        The mask, (…, n_q, n_k).

    Raises:
        ValueError: for sizes and a window below 1, and a negative offset.
        TypeError: for a size that is no integer; for an offset that is none a ValueError.

    Source: Beltagy, Peters & Cohan (2020), section 3.1, looking back only.

    >>> sliding_window_mask(3, window=2).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    ages = _ages(n_q, n_k, offset)
    return (ages >= 0) & (ages < as_integer("window", window, 1))


def padding_mask(lengths: Integer[Array, "*batch"], n_q: int, n_k: int | None = None) -> Bool[Array, "*batch n_q n_k"]:
    """True for the keys that belong to a sequence, and not to what fills it up: j < its length.

    Queries that are padding attend like any other: what they give is to be ignored.

    Args:
        lengths: of each sequence of a batch.
        n_q: how many queries there are.
        n_k: how many keys; None means as many as queries.

    Returns:
        The mask, (…, n_q, n_k).

    Raises:
        ValueError: for sizes below 1, and for a length that is not between 1 and `n_k`, naming its index, or is no integer.
        TypeError: for a size that is no integer.

    >>> padding_mask(np.array([1, 3]), 1, 3).astype(int)
    array([[[1, 0, 0]],
    <BLANKLINE>
           [[1, 1, 1]]])
    """
    n_q, n_k = _sizes(n_q, n_k)
    lengths = as_array("lengths", lengths, "iu")
    forbid("lengths", lengths, (lengths < 1) | (lengths > n_k), f"is {{value}}: it must lie between 1 and n_k = {n_k}")
    return np.repeat((np.arange(n_k) < lengths[..., None])[..., None, :], n_q, axis=-2)


def mask_to_bias(mask: Bool[Array, "*shape"], dtype: np.dtype | type = np.float64) -> Float[Array, "*shape"]:
    """The bias that does what the mask does: 0 where it is True, −∞ where it is False.

    Args:
        mask: of any shape.
        dtype: of the bias: float16, float32 or float64.

    Returns:
        The bias, in the shape of `mask`.

    Raises:
        ValueError: for a mask that is not boolean, and another dtype.
        TypeError: for what is no array.

    >>> mask_to_bias(np.array([True, False]))
    array([  0., -inf])
    """
    return np.where(as_array("mask", mask, "b"), 0.0, -np.inf).astype(as_float_dtype("dtype", dtype))


def as_torch_reads(mask: Bool[Array, "*shape"], api: TorchAPI) -> Bool[Array, "*shape"]:
    """The same mask as `api` of torch reads it, as an array: True keeps in one of the two, and blocks in the other.

    Done twice, it changes nothing.

    Args:
        mask: of any shape.
        api: "scaled_dot_product_attention" (True keeps) or "MultiheadAttention" (True blocks).

    Returns:
        The mask or its opposite.

    Raises:
        ValueError: for a mask that is not boolean and an `api` that is neither.
        TypeError: for what is no array or no text.

    >>> as_torch_reads(np.array([True, False]), "MultiheadAttention")
    array([False,  True])
    """
    return as_array("mask", mask, "b") ^ (as_choice("api", api, get_args(TorchAPI)) == "MultiheadAttention")


def to_torch(mask: Bool[Array, "*shape"], api: TorchAPI) -> "torch.Tensor":
    """The same mask as a tensor, for `attn_mask` of torch's `api`. It needs torch; `as_torch_reads` does not.

    (`MultiheadAttention` takes a batch of masks as one axis of batch · heads.)

    Args:
        mask: True where a query may attend, of any shape.
        api: "scaled_dot_product_attention" (True keeps) or "MultiheadAttention" (True blocks).

    Returns:
        A boolean tensor with memory of its own.

    Raises:
        ValueError: for a mask that is not boolean and an `api` that is neither.
        TypeError: for what is no array or no text.
        ImportError: without torch.

    >>> to_torch(np.array([True, False]), "MultiheadAttention")
    tensor([False,  True])
    """
    theirs = as_torch_reads(mask, api)
    try:
        import torch
    except ImportError:
        raise ImportError(
            "to_torch gives a tensor and needs torch; as_torch_reads gives the same as an array"
        ) from None
    return torch.tensor(theirs)


def from_torch(mask: "torch.Tensor | Shaped[Array, '*shape']", api: TorchAPI) -> Bool[Array, "*shape"]:
    """What torch's `attn_mask` for `api` means here: a boolean mask, or a float one of zeros and −∞.

    Args:
        mask: a tensor or an array.
        api: what it was made for.

    Returns:
        The mask as an array, True where a query may attend.

    Raises:
        ValueError: for a float mask with any other entry: that is a bias, and no mask says the same.
        TypeError: for what is no tensor and no array, and for bfloat16, which NumPy cannot read.

    >>> from_torch(np.array([0.0, -np.inf]), "MultiheadAttention")
    array([ True, False])
    """
    theirs: Any = mask.detach().cpu() if hasattr(mask, "detach") else mask
    theirs = as_array("mask", theirs, "bf")
    if theirs.dtype.kind == "b":
        return as_torch_reads(theirs, api)
    as_choice("api", api, get_args(TorchAPI))
    forbid("mask", theirs, (theirs != 0) & (theirs != -np.inf), "is {value}, neither 0 nor −∞: pass it as a bias")
    return np.asarray(theirs == 0)


def _ages(n_q: int, n_k: int | None, offset: int | Array) -> Array:
    """How many places key j lies before query i: (*batch, n_q, n_k)."""
    n_q, n_k = _sizes(n_q, n_k)
    before = as_array("offset", offset, "iu")
    forbid("offset", before, before < 0, "is {value}: it must be 0 or more")
    ages: Array = before[..., None, None] + np.arange(n_q)[:, None] - np.arange(n_k)
    return ages


def _sizes(n_q: int, n_k: int | None) -> tuple[int, int]:
    n_q = as_integer("n_q", n_q, 1)
    return n_q, n_q if n_k is None else as_integer("n_k", n_k, 1)
