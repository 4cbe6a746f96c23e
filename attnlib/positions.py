"""Where a token stands: added to its vector (sinusoidal), or turned into its query and key (rotary)."""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Integer, Real
from numpy import ndarray as Array

from attnlib.checks import must_be_finite, working_copies

Layout = Literal["half", "interleaved"]
BASE = 10_000.0


def sinusoidal_encoding(n: int, d: int, *, base: float = BASE) -> Float[Array, "n d"]:
    """Row p holds sin(p ω_c) in column 2c and cos(p ω_c) in column 2c + 1, with ω_c = base^(−2c/d), base 10,000.

    Raises ValueError for n < 1, a width d that is not even and positive, or a base that is not above 0.

    Source: Vaswani et al. (2017), section 3.5.

    >>> sinusoidal_encoding(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])
    """
    if n < 1:
        raise ValueError(f"sinusoidal_encoding needs n ≥ 1, got {n}")
    angles = _angles(np.arange(n), d, base)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


def rotary_embedding(
    x: Real[Array, "*batch n d"],
    positions: Integer[Array, "*#batch n"] | None = None,
    *,
    layout: Layout,
    base: float = BASE,
) -> Float[Array, "*batch n d"]:
    """Turn each pair of columns of row p by the angle p ω_c, ω_c = base^(−2c/d): (a, b) → (a cos − b sin, a sin + b cos).

    Done to queries and keys alike, it makes their dot products depend on the *difference* of their positions
    alone. `layout` says which columns are a pair: "interleaved" pairs 2c with 2c + 1 (Su et al.), "half"
    pairs c with c + d/2 (GPT-NeoX, Llama in Hugging Face). Weights trained with one are wrong with the
    other; `rotary_permutation` translates. `positions=None` means 0, 1, …, n − 1.

    Raises ValueError for a width that is not even, positions that do not fit, an unknown layout, a base that
    is not above 0, and an entry that is not finite.

    Source: Su et al. (2021), section 3.2.2.

    >>> rotary_embedding(np.array([[1, 0], [1, 0]]), layout="half").round(2)
    array([[1.  , 0.  ],
           [0.54, 0.84]])
    """
    (x,), dtype = working_copies(x=x)
    if x.ndim < 2:
        raise ValueError(f"rotary_embedding needs rows and columns, got shape {x.shape}")
    must_be_finite(x=x)
    n, d = x.shape[-2:]
    positions = np.arange(n) if positions is None else np.asarray(positions)
    if positions.dtype.kind not in "iu" or positions.shape[-1:] != (n,) or not _broadcasts(positions, x):
        raise ValueError(
            f"positions need one integer for each of the {n} rows of x {x.shape}: "
            f"got shape {positions.shape} and dtype {positions.dtype}"
        )
    angles = _angles(positions, d, base)  # (*batch, n, d/2)
    a, b = x[..., _first(d, layout)], x[..., _second(d, layout)]
    out = np.empty_like(x)
    out[..., _first(d, layout)] = a * np.cos(angles) - b * np.sin(angles)
    out[..., _second(d, layout)] = a * np.sin(angles) + b * np.cos(angles)
    return out.astype(dtype, copy=False)


def rotary_permutation(d: int) -> Integer[Array, "d"]:
    """The columns of the interleaved layout in the order of the half one.

    For p = rotary_permutation(d), turning x[..., p] in the layout "half" gives what turning x in
    "interleaved" gives, its columns in the order p. `np.argsort(p)` leads back.

    Raises ValueError for a width that is not even and positive.

    >>> rotary_permutation(6)
    array([0, 2, 4, 1, 3, 5])
    """
    _check_width(d)
    return np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])


def scaled_base(factor: float, d: int, *, base: float = BASE) -> float:
    """The base with which the slowest pair turns `factor` times as slowly, and the fastest as fast as before.

    It lets a model read `factor` times as many tokens without angles that it has never seen:
    base · factor^(d/(d − 2)).

    Raises ValueError for d < 4 or odd, and for a factor or base that is not above 0.

    Source: Peng et al. (2023), section 3.1 ("NTK-aware" interpolation).

    >>> round(scaled_base(4, 64))
    41829
    """
    _check_width(d)
    if d < 4 or not (factor > 0 and base > 0):
        raise ValueError(f"scaled_base needs d ≥ 4, factor > 0 and base > 0, got {d}, {factor} and {base}")
    return float(base * factor ** (d / (d - 2)))


def _angles(positions: Array, d: int, base: float) -> Array:
    """p ω_c for every position and pair: (*shape of positions, d/2)."""
    _check_width(d)
    if not (np.isfinite(base) and base > 0):
        raise ValueError(f"base must be above 0 and finite, got {base}")
    return positions[..., None] * base ** (-np.arange(0, d, 2) / d)


def _check_width(d: int) -> None:
    if d < 2 or d % 2:
        raise ValueError(f"the width must be even and positive, since columns go in pairs: got {d}")


def _broadcasts(positions: Array, x: Array) -> bool:
    try:
        return np.broadcast_shapes(positions.shape, x.shape[:-1]) == x.shape[:-1]
    except ValueError:
        return False


def _first(d: int, layout: Layout) -> slice:
    """The first columns of the pairs."""
    if layout not in get_args(Layout):
        raise ValueError(f"layout must be one of {', '.join(get_args(Layout))}, got {layout!r}")
    return slice(0, d // 2) if layout == "half" else slice(0, d, 2)


def _second(d: int, layout: Layout) -> slice:
    return slice(d // 2, d) if layout == "half" else slice(1, d, 2)
