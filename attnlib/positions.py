"""Where a token stands: added to its vector (sinusoidal), or turned into its query and key (rotary)."""

from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float, Integer, Real
from numpy import ndarray as Array

from attnlib.checks import (
    as_array,
    as_choice,
    as_integer,
    as_number,
    must_be_finite,
    must_fit,
    returned,
    working_copies,
)

Layout = Literal["half", "interleaved"]
BASE = 10_000.0


def sinusoidal_encoding(n: int, d: int, *, base: float = BASE) -> Float[Array, "n d"]:
    """Row p holds sin(p ω_c) in column 2c and cos(p ω_c) in column 2c + 1, with ω_c = base^(−2c/d).

    Args:
        n: how many positions.
        d: the width, which is even.
        base: of the frequencies.

    Returns:
        One row for each position, (n, d).

    Raises:
        ValueError: for n < 1, a width d that is not even and positive, or a base that is not above 0.

    Source: Vaswani et al. (2017), section 3.5.

    >>> sinusoidal_encoding(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])
    """
    angles = _angles(np.arange(as_integer("n", n, 1)), _even("d", d), base)
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
    alone. Weights trained with one layout are wrong with the other; `rotary_permutation` translates.

    Args:
        x: rows of even width, (…, n, d).
        positions: of the rows, (…, n); None means 0, 1, …, n − 1.
        layout: which columns are a pair: "interleaved" pairs 2c with 2c + 1 (Su et al.), "half" pairs c with c + d/2
            (GPT-NeoX, Llama in Hugging Face).
        base: of the frequencies.

    Returns:
        The turned rows, in the shape of `x`.

    Raises:
        ValueError: for a width that is not even, positions that do not fit, an unknown layout, a base that is
            not above 0, and an entry that is not finite.

    Source: Su et al. (2021), section 3.2.2.

    >>> rotary_embedding(np.array([[1, 0], [1, 0]]), layout="half").round(2)
    array([[1.  , 0.  ],
           [0.54, 0.84]])
    """
    (x,), dtype = working_copies(x=as_array("x", x, ndim=2))
    must_be_finite(x=x)
    n, d = x.shape[-2], _even("the width of x", x.shape[-1])
    positions = np.arange(n) if positions is None else as_array("positions", positions, "iu", ndim=1)
    if positions.shape[-1] != n or not _broadcasts(positions, x):
        raise ValueError(f"positions of shape {positions.shape} do not fit x of shape {x.shape}: one for each row")
    half = as_choice("layout", layout, get_args(Layout)) == "half"
    first, second = (slice(d // 2), slice(d // 2, d)) if half else (slice(0, d, 2), slice(1, d, 2))
    angles = _angles(positions, d, base)  # (*batch, n, d/2)
    a, b = x[..., first], x[..., second]
    out = np.empty_like(x)
    with np.errstate(over="ignore", invalid="ignore"):
        out[..., first] = a * np.cos(angles) - b * np.sin(angles)
        out[..., second] = a * np.sin(angles) + b * np.cos(angles)
    return returned(out, dtype, "x is")


def rotary_permutation(d: int) -> Integer[Array, "d"]:
    """The columns of the interleaved layout in the order of the half one.

    For p = rotary_permutation(d), turning x[..., p] in the layout "half" gives what turning x in
    "interleaved" gives, its columns in the order p. `np.argsort(p)` leads back.

    Args:
        d: the width, which is even.

    Returns:
        The numbers of the columns, (d,).

    Raises:
        ValueError: for a width that is not even and positive.

    >>> rotary_permutation(6)
    array([0, 2, 4, 1, 3, 5])
    """
    return np.arange(_even("d", d)).reshape(-1, 2).T.ravel()


def scaled_base(factor: float, d: int, *, base: float = BASE) -> float:
    """The base with which the slowest pair turns `factor` times as slowly, and the fastest as fast as before.

    In texts `factor` times as long as those of training the slowest pair keeps to its range of angles:
    base · factor^(d/(d − 2)).

    Args:
        factor: how many times as slowly.
        d: the width, which is even.
        base: the base before.

    Returns:
        The new base.

    Raises:
        ValueError: for d < 4 or odd, and for a factor or base that is not above 0.

    Source: Peng et al. (2023), section 3.1 ("NTK-aware" interpolation).

    >>> round(scaled_base(4, 64))
    41829
    """
    factor, d, base = (
        as_number("factor", factor, positive=True),
        _even("d", d, 4),
        as_number("base", base, positive=True),
    )
    with np.errstate(over="ignore", under="ignore"):
        scaled = base * np.float64(factor) ** (d / (d - 2))
    return as_number(f"the base for factor = {factor} and base = {base}", float(scaled), positive=True)


def _angles(positions: Array, d: int, base: float) -> Array:
    """p ω_c for every position and pair: (*shape of positions, d/2)."""
    with np.errstate(over="ignore", invalid="ignore"):
        angles: Array = positions[..., None] * np.float64(as_number("base", base, positive=True)) ** (
            -np.arange(0, d, 2) / d
        )
    must_fit("angle", angles, "positions and 1 / base are")
    return angles


def _even(name: str, value: Any, least: int = 2) -> int:
    """`value` as an int, which must be even: columns go in pairs."""
    width = as_integer(name, value, least)
    if width % 2:
        raise ValueError(f"{name} must be even, since columns go in pairs: got {width}")
    return width


def _broadcasts(positions: Array, x: Array) -> bool:
    try:
        return np.broadcast_shapes(positions.shape, x.shape[:-1]) == x.shape[:-1]
    except ValueError:
        return False
