"""What an output can have read through several layers of one mask."""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool
from numpy import ndarray as Array

from attnlib.checks import as_array, as_choice, as_integer
from attnlib.masks import causal_mask, padding_mask, sliding_window_mask

Preset = Literal["none", "causal", "off by one", "padding", "window", "prefix"]


def preset_mask(preset: Preset, n: int, size: int = 1) -> Bool[Array, "n n"]:
    """A mask by its name, for n tokens that read from each other: True where query i may attend to key j.

    Args:
        preset: "none" (every key), "causal" (j ≤ i), "off by one" (j ≤ i + 1), "padding" (j < size), "window" (the
            `size` keys that end at the query's own), or "prefix" (j ≤ i or j < size).
        n: how many tokens there are.
        size: the length or the width, from 1 to n; the first three masks have none.

    Returns:
        The mask, (n, n).

    Raises:
        ValueError: for another preset, n below 1, and a size that is not between 1 and n.
        TypeError: for what is no text or no integer.

    >>> preset_mask("off by one", 3).astype(int)
    array([[1, 1, 0],
           [1, 1, 1],
           [1, 1, 1]])
    """
    preset, n = as_choice("preset", preset, get_args(Preset)), as_integer("n", n, 1)  # type: ignore[assignment]
    size = as_integer("size", size, 1, n)
    if preset == "none":
        return np.ones((n, n), dtype=bool)
    if preset == "window":
        return sliding_window_mask(n, window=size)
    opened = padding_mask(np.array(size), n)
    if preset == "padding":
        return opened
    causal = causal_mask(n, offset=int(preset == "off by one"))
    return causal | opened if preset == "prefix" else causal


def mask_reach(mask: Bool[Array, "*batch n n"], layers: int) -> Bool[Array, "*batch n n"]:
    """True where output i of the last of `layers` layers can have read token j, each layer under the same mask.

    It is a power of the mask as a matrix, with "or" for + and "and" for ×: what an output has read is read with it in the
    next layer. Its own place counts as read, even where the mask blocks it: the query and the residual carry it along.

    Args:
        mask: True where a query may attend to a key, (…, n, n).
        layers: how many; after 0 a place has read its own token alone.

    Returns:
        Who can have read whom, (…, n, n).

    Raises:
        ValueError: for a mask that is not boolean or not square, and fewer than 0 layers.
        TypeError: for what is no array or no integer.

    >>> mask_reach(preset_mask("off by one", 5), 3)[0]  # one layer leaks one token, three leak three
    array([ True,  True,  True,  True, False])
    >>> int(mask_reach(preset_mask("window", 9, 3), 4)[8].sum())  # 4 · (3 − 1) + 1
    9
    """
    mask = as_array("mask", mask, "b", ndim=2)
    *_, n_q, n_k = mask.shape
    if n_q != n_k:
        raise ValueError(f"mask must have as many keys as queries, got shape {mask.shape}")
    carried = mask | np.eye(n_q, dtype=bool)
    reach: Array = np.linalg.matrix_power(carried, as_integer("layers", layers, 0))
    return reach
