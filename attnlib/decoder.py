"""A decoder made of attention alone: embeddings, a residual stream, and a few layers of heads.

Each layer reads the stream, normalises it, attends to earlier tokens and adds what it found. There are no
feed-forward layers, so that everything that one token knows of another came through a head. Its parameters are
a dict of arrays, for v words, d columns, L layers and h heads:

- `embedding` (v × d): a row for each word
- `w_q`, `w_k` (L × d × h·d_k), `w_v` (L × d × h·d_v), `w_o` (L × h·d_v × d)
- `bias` (L × h × reach): what each head adds to the score of a key that stands 0, 1, … tokens before the query
- `unembedding` (d × v), which may be left out: then the embedding serves, transposed
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Int, Real
from numpy import ndarray as Array

from attnlib.checks import working_copies
from attnlib.masks import causal_mask
from attnlib.multihead import merge_heads, split_heads
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_weights

AXES = {
    "embedding": "v d",
    "w_q": "L d hk",
    "w_k": "L d hk",
    "w_v": "L d hv",
    "w_o": "L hv d",
    "bias": "L h reach",
    "unembedding": "d v",
}


def rms_norm(x: Real[Array, "*batch d"], *, epsilon: float = 1e-6) -> Float[Array, "*batch d"]:
    """Every row over its root mean square: x / √(Σ x² / d + ε). It keeps the direction, and makes the length √d.

    Raises ValueError for rows of no length, and an entry that is not finite.

    Source: Zhang & Sennrich (2019), equation 4, without a gain.

    >>> rms_norm(np.array([[3.0, 4.0]])).round(3)
    array([[0.849, 1.131]])
    """
    (x,), dtype = working_copies(x=x)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"rms_norm needs rows of 1 or more entries, got shape {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"x[{', '.join(map(str, np.argwhere(~np.isfinite(x))[0]))}] is not finite")
    scaled: Array = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + x.dtype.type(epsilon))
    return scaled.astype(dtype, copy=False)


def distance_bias(table: Real[Array, "*batch reach"], n: int) -> Real[Array, "*batch n n"]:
    """The bias of query i and key j by their distance: table[i − j], and its last entry for all that is further.

    A key after its query has the distance 0; a causal mask blocks it anyway.

    Raises ValueError for n < 1 or an empty table.

    Source: Raffel et al. (2020), section 2.1, with one bucket for each distance.

    >>> distance_bias(np.array([0.0, 1.0]), 3)
    array([[0., 0., 0.],
           [1., 0., 0.],
           [1., 1., 0.]])
    """
    table = np.asarray(table)
    if n < 1 or table.ndim == 0 or table.shape[-1] == 0:
        raise ValueError(
            f"distance_bias needs n ≥ 1 and a table of 1 or more distances, got {n} and shape {table.shape}"
        )
    distance = np.subtract.outer(np.arange(n), np.arange(n)).clip(0, table.shape[-1] - 1)
    return table[..., distance]


def decoder_weights(
    parameters: Mapping[str, Array], tokens: Sequence[int] | Int[Array, "*batch n"]
) -> Float[Array, "*batch layers h n n"]:
    """The attention weights of every head of every layer for a sentence: query (row) reads from key (column).

    `parameters` are those of `attnlib.decoder`, `tokens` the rows of its embedding; an array of them may hold many
    sentences of one length.

    Raises ValueError for parameters that are missing or do not fit, naming them, and tokens outside the vocabulary.

    Source: Elhage et al. (2021), "attention-only transformers".

    >>> from attnlib.lab import random_decoder
    >>> decoder_weights(random_decoder(np.random.default_rng(0), vocabulary=9), [3, 1, 4]).shape
    (2, 4, 3, 3)
    """
    return _run(parameters, tokens)[0]


def decoder_logits(
    parameters: Mapping[str, Array], tokens: Sequence[int] | Int[Array, "*batch n"]
) -> Float[Array, "*batch n v"]:
    """For every token the scores of all words as the next one; `softmax` makes them probabilities.

    Raises ValueError as `decoder_weights` does.

    Source: Elhage et al. (2021), "attention-only transformers".

    >>> from attnlib.lab import random_decoder
    >>> decoder_logits(random_decoder(np.random.default_rng(0), vocabulary=9), [3, 1, 4]).shape
    (3, 9)
    """
    parameters = _checked(parameters)
    unembedding = parameters.get("unembedding", parameters["embedding"].T)
    return project(rms_norm(_run(parameters, tokens)[1]), unembedding)


def _run(parameters: Mapping[str, Array], tokens: Sequence[int] | Int[Array, "*batch n"]) -> tuple[Array, Array]:
    """The weights (*batch, layers, h, n, n), and the residual stream at its end (*batch, n, d)."""
    parameters = _checked(parameters)
    ids = np.asarray(tokens)
    count = len(parameters["embedding"])
    if not ids.ndim or not ids.size or ids.dtype.kind not in "iu" or ids.min() < 0 or ids.max() >= count:
        raise ValueError(f"tokens must be 1 or more integers from 0 to {count - 1}, got {ids.tolist()}")
    stream, grids = parameters["embedding"][ids], []  # (*batch, n, d)
    n, num_heads = ids.shape[-1], parameters["bias"].shape[1]
    mask = causal_mask(n)
    for w_q, w_k, w_v, w_o, table in zip(
        *(parameters[name] for name in ("w_q", "w_k", "w_v", "w_o", "bias")), strict=True
    ):
        x = rms_norm(stream)
        query, key, value = (
            split_heads(project(x, w), num_heads) for w in (w_q, w_k, w_v)
        )  # (*batch, h, n, d_k or d_v)
        weights = attention_weights(query, key, mask, bias=distance_bias(table, n))  # (*batch, h, n, n)
        stream = stream + project(merge_heads(weights @ value), w_o)
        grids.append(weights)
    return np.stack(grids, axis=-4), stream


def _checked(parameters: Mapping[str, Array]) -> dict[str, Array]:
    """The parameters as arrays, or an error that names the one that is missing or does not fit the others."""
    if missing := AXES.keys() - parameters.keys() - {"unembedding"}:
        raise ValueError(f"the decoder lacks {', '.join(sorted(missing))}")
    arrays = {name: np.asarray(parameters[name]) for name in AXES if name in parameters}
    sizes: dict[str, int] = {}
    for name, array in arrays.items():
        axes = AXES[name].split()
        shape = f"{name} has shape {array.shape}, which stands for ({', '.join(axes)})"
        if array.ndim != len(axes) or 0 in array.shape:
            raise ValueError(shape)
        for axis, size in zip(axes, array.shape, strict=True):
            if sizes.setdefault(axis, size) != size:
                raise ValueError(f"{shape}, but {axis} = {sizes[axis]} elsewhere")
    return arrays
