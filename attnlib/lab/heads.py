"""What experiments do to heads: pool them, silence one, draw all at random, and ask how far back one reads."""

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.checks import working_copies


def pool_heads(x: Real[Array, "*batch h n d_head"], num_kv_heads: int) -> Float[Array, "*batch g n d_head"]:
    """The mean of each group of h / g neighbouring heads: one way to give a model with h key and value heads only g.

    The projections are linear, so that the mean of the heads' keys is the keys of the mean W_K.

    Raises ValueError when the heads do not divide into `num_kv_heads` groups, and for fewer than three axes.

    Source: Ainslie et al. (2023), section 2.1.

    >>> pool_heads(np.array([[[1, 2]], [[3, 4]]]), 1).tolist()
    [[[2.0, 3.0]]]
    """
    x = np.asarray(x)
    if x.ndim < 3:
        raise ValueError(f"pool_heads needs the axes (…, h, n, d_head), got shape {x.shape}")
    *batch, h, n, d_head = x.shape
    if num_kv_heads < 1 or h % num_kv_heads:
        raise ValueError(f"{h} heads do not divide into num_kv_heads = {num_kv_heads} groups")
    (x,), dtype = working_copies(x=x)
    groups = x.reshape(*batch, num_kv_heads, h // num_kv_heads, n, d_head)
    pooled: Array = groups.mean(axis=-3)  # (*batch, g, n, d_head)
    return pooled.astype(dtype, copy=False)


def silence_head(w_o: Real[Array, "L hv d"], layer: int, head: int, num_heads: int) -> Real[Array, "L hv d"]:
    """W_O with the rows of one head at 0: it reads as before, and adds nothing to the stream. Both count from 0.

    Raises ValueError for a head that is not there, and rows that do not divide into `num_heads` heads.

    >>> silence_head(np.ones((1, 4, 2)), layer=0, head=1, num_heads=2)[0].tolist()
    [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    """
    num_layers, rows = w_o.shape[:2]
    if num_heads < 1 or rows % num_heads:
        raise ValueError(f"{rows} rows of W_O do not divide into num_heads = {num_heads} heads")
    if not (0 <= layer < num_layers and 0 <= head < num_heads):
        raise ValueError(f"there is no head {head} in layer {layer}: {num_layers} layers have {num_heads} heads each")
    silenced = w_o.copy()
    width = rows // num_heads
    silenced[layer, head * width : (head + 1) * width] = 0
    return silenced


def random_decoder(
    rng: np.random.Generator, *, vocabulary: int, d: int = 64, num_layers: int = 2, num_heads: int = 4, reach: int = 32
) -> dict[str, Array]:
    """Parameters drawn at random, for a decoder that knows nothing; every head prefers distances of its own.

    Raises ValueError when `num_heads` does not divide d.

    >>> {name: array.shape for name, array in random_decoder(np.random.default_rng(0), vocabulary=9, d=8).items()}
    {'embedding': (9, 8), 'w_q': (2, 8, 8), 'w_k': (2, 8, 8), 'w_v': (2, 8, 8), 'w_o': (2, 8, 8), 'bias': (2, 4, 32)}
    """
    if d % num_heads:
        raise ValueError(f"a width of {d} does not divide into num_heads = {num_heads} heads")
    spread = {"embedding": 1.0, "w_q": 1.5, "w_k": 1.0, "w_v": 1.0, "w_o": 0.5}
    drawn = {}
    for name, scale in spread.items():
        shape = (vocabulary, d) if name == "embedding" else (num_layers, d, d)
        drawn[name] = rng.normal(scale=scale * d**-0.5, size=shape)
    return drawn | {"bias": rng.normal(scale=1.5, size=(num_layers, num_heads, reach))}
