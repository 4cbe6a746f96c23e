"""What experiments do to heads: pool them, silence one, and draw all of a decoder at random."""

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import as_array, as_divisor, as_generator, as_integer, must_be_finite, returned, working_copies


def pool_heads(x: Real[Array, "*batch h n d_head"], num_kv_heads: int) -> Float[Array, "*batch g n d_head"]:
    """The mean of each group of h / g neighbouring heads: one way to give a model with h key and value heads only g.

    The projections are linear, so that the mean of the heads' keys is the keys of the mean W_K.

    Args:
        x: keys or values, (…, h, n, d_head).
        num_kv_heads: g, which divides h.

    Returns:
        One head for each group, (…, g, n, d_head).

    Raises:
        ValueError: when the heads do not divide into `num_kv_heads` groups, for fewer than three axes, and for
            an entry that is not finite.

    Source: Ainslie et al. (2023), section 2.1.

    >>> pool_heads(np.array([[[1, 2]], [[3, 4]]]), 1).tolist()
    [[[2.0, 3.0]]]
    """
    (x,), dtype = working_copies(x=as_array("x", x, ndim=3))
    must_be_finite(x=x)
    *batch, h, n, d_head = x.shape
    groups = as_divisor("num_kv_heads", num_kv_heads, h, "the number of heads")
    with np.errstate(over="ignore", invalid="ignore"):
        pooled = x.reshape(*batch, groups, h // groups, n, d_head).mean(axis=-3)  # (*batch, g, n, d_head)
    return returned(pooled, dtype, "x is")


def silence_head(w_o: Real[Array, "L hv d"], layer: int, head: int, num_heads: int) -> Real[Array, "L hv d"]:
    """W_O with the rows of one head at 0: it reads as before, and adds nothing to the stream.

    Args:
        w_o: one matrix for each layer, (L, h · d_v, d).
        layer, head: which head, both counted from 0.
        num_heads: h, which divides the rows.

    Returns:
        A copy with these rows at 0, in the shape of `w_o`.

    Raises:
        ValueError: for a head that is not there, and rows that do not divide into `num_heads` heads.

    >>> silence_head(np.ones((1, 4, 2)), layer=0, head=1, num_heads=2)[0].tolist()
    [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    """
    w_o = as_array("w_o", w_o)
    if w_o.ndim != 3 or not len(w_o):
        raise ValueError(f"w_o needs the axes (L, h · d_v, d) and a layer, got shape {w_o.shape}")
    width = w_o.shape[1] // as_divisor("num_heads", num_heads, w_o.shape[1], "the rows of w_o")
    layer, head = as_integer("layer", layer, 0, len(w_o) - 1), as_integer("head", head, 0, num_heads - 1)
    silenced = w_o.copy()
    silenced[layer, head * width : (head + 1) * width] = 0
    return silenced


def random_decoder(
    rng: np.random.Generator, *, vocabulary: int, d: int = 64, num_layers: int = 2, num_heads: int = 4, reach: int = 32
) -> dict[str, Array]:
    """Parameters drawn at random, for a decoder that knows nothing; every head prefers distances of its own.

    Args:
        rng: draws them.
        vocabulary: how many words it has.
        d: the width of its stream.
        num_layers, num_heads: how many layers, and how many heads in each.
        reach: how many distances have a bias of their own.

    Returns:
        Arrays as `attnlib.decoder` names them.

    Raises:
        ValueError: for a size below 1, and when `num_heads` does not divide d.

    >>> {name: array.shape for name, array in random_decoder(np.random.default_rng(0), vocabulary=9, d=8).items()}
    {'embedding': (9, 8), 'w_q': (2, 8, 8), 'w_k': (2, 8, 8), 'w_v': (2, 8, 8), 'w_o': (2, 8, 8), 'bias': (2, 4, 32)}
    """
    rng, vocabulary, d = as_generator("rng", rng), as_integer("vocabulary", vocabulary, 1), as_integer("d", d, 1)
    num_layers, reach = as_integer("num_layers", num_layers, 1), as_integer("reach", reach, 1)
    as_divisor("num_heads", num_heads, d, "d")
    drawn = {"embedding": rng.normal(scale=d**-0.5, size=(vocabulary, d))}
    for name, scale in {"w_q": 1.5, "w_k": 1.0, "w_v": 1.0, "w_o": 0.5}.items():
        drawn[name] = rng.normal(scale=scale * d**-0.5, size=(num_layers, d, d))
    return drawn | {"bias": rng.normal(scale=1.5, size=(num_layers, num_heads, reach))}
