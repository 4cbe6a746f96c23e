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
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Real
from numpy import ndarray as Array

from attnlib.arguments import as_tokens, checked_parameters, must_be_a_bias
from attnlib.checks import as_array, as_integer, as_number, forbid, must_be_finite, must_fit, returned, working_copies
from attnlib.multihead import merge_heads, split_heads
from attnlib.projections import projected
from attnlib.scaled_dot_product import attention_weights


class _Run(NamedTuple):
    """What a decoder computes for its tokens."""

    weights: Float[Array, "*batch layers h n n"]
    stream: Float[Array, "*batch n d"]  # the residual stream behind the last layer
    unembedding: Float[Array, "d v"]
    dtype: np.dtype  # of a result


def rms_norm(x: Real[Array, "*batch d"], *, epsilon: float = 1e-6) -> Float[Array, "*batch d"]:
    """Every row over its root mean square: x / √(Σ x² / d + ε). It keeps the direction.

    The length becomes √d, or less where ε counts.

    Args:
        x: rows, (…, d).
        epsilon: ε, which is 0 or more.

    Returns:
        The rows, in the shape of `x`.

    Raises:
        ValueError: for rows of no length, an entry that is not finite, and with ε = 0 a row of zeros.

    Source: Zhang & Sennrich (2019), equation 4, without a gain.

    >>> rms_norm(np.array([[3.0, 4.0]])).round(3)
    array([[0.849, 1.131]])
    """
    (x,), dtype = working_copies(x=as_array("x", x, ndim=1))
    if x.shape[-1] == 0:
        raise ValueError(f"x needs rows of 1 or more entries, got shape {x.shape}")
    must_be_finite(x=x)
    if (epsilon := as_number("epsilon", epsilon, dtype=x.dtype)) < 0:
        raise ValueError(f"epsilon must be 0 or more, got {epsilon}")
    largest = np.abs(x).max(axis=-1, keepdims=True)
    forbid("x", largest[..., 0], (largest[..., 0] == 0) & (epsilon == 0), "is a row of zeros, and epsilon is 0")
    power = np.frexp(largest)[1].clip(0 if epsilon else None)
    x = np.ldexp(x, -power)  # over a power of 2, which is exact, so that no square leaves the range
    scaled = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.ldexp(x.dtype.type(epsilon), -2 * power))
    return returned(scaled, dtype, "x is")


def distance_bias(table: Real[Array, "*batch reach"], n: int) -> Real[Array, "*batch n n"]:
    """The bias of query i and key j by their distance: table[i − j], and its last entry for all that is further.

    A key after its query has the distance 0; a causal mask blocks it anyway.

    Args:
        table: a bias for each distance 0, 1, …, (…, reach).
        n: how many queries and keys.

    Returns:
        The bias, (…, n, n).

    Raises:
        ValueError: for n < 1, an empty table, and an entry that is NaN or ∞, naming its index; −∞ blocks.

    Source: Raffel et al. (2020), section 2.1, with one bucket for each distance.

    >>> distance_bias(np.array([0.0, 1.0]), 3)
    array([[0., 0., 0.],
           [1., 0., 0.],
           [1., 1., 0.]])
    """
    table, n = as_array("table", table, ndim=1), as_integer("n", n, 1)
    if table.shape[-1] == 0:
        raise ValueError(f"table needs 1 or more distances, got shape {table.shape}")
    must_be_a_bias("table", table)
    distance = np.subtract.outer(np.arange(n), np.arange(n)).clip(0, table.shape[-1] - 1)
    return table[..., distance]


def decoder_weights(
    parameters: Mapping[str, Array], tokens: Sequence[int] | Int[Array, "*batch n"]
) -> Float[Array, "*batch layers h n n"]:
    """The attention weights of every head of every layer for a sentence: query (row) reads from key (column).

    Args:
        parameters: those of `attnlib.decoder`.
        tokens: the rows of its embedding, (…, n); an array of them may hold many sentences of one length.

    Returns:
        The weights, (…, L, h, n, n); each row sums to 1.

    Raises:
        ValueError: for parameters that are missing, do not fit or are not finite, naming them, and tokens
            outside the vocabulary.

    Source: Elhage et al. (2021), "attention-only transformers".

    >>> from attnlib.lab import random_decoder
    >>> decoder_weights(random_decoder(np.random.default_rng(0), vocabulary=9), [3, 1, 4]).shape
    (2, 4, 3, 3)
    """
    run = _run(parameters, tokens)
    return run.weights.astype(run.dtype, copy=False)


def decoder_logits(
    parameters: Mapping[str, Array], tokens: Sequence[int] | Int[Array, "*batch n"]
) -> Float[Array, "*batch n v"]:
    """For every token the scores of all words as the next one; `softmax` makes them probabilities.

    Args:
        parameters, tokens: as in `decoder_weights`.

    Returns:
        The scores, (…, n, v).

    Raises:
        ValueError: as `decoder_weights` does.

    Source: Elhage et al. (2021), "attention-only transformers".

    >>> from attnlib.lab import random_decoder
    >>> decoder_logits(random_decoder(np.random.default_rng(0), vocabulary=9), [3, 1, 4]).shape
    (3, 9)
    """
    run = _run(parameters, tokens)
    logits = projected("the stream", rms_norm(run.stream), "unembedding", run.unembedding)
    return returned(logits, run.dtype, "the parameters are")


def _run(parameters: Mapping[str, Array], tokens: Sequence[int] | Int[Array, "*batch n"]) -> _Run:
    arrays, dtype = checked_parameters(parameters)
    unembedding = arrays.pop("unembedding", arrays["embedding"].T)
    embedding, *layers = arrays.values()
    ids = as_tokens("tokens", tokens, len(embedding))
    stream, grids = embedding[ids], []  # (*batch, n, d)
    for w_q, w_k, w_v, w_o, table in zip(*layers, strict=True):
        x, heads = rms_norm(stream), len(table)
        query = split_heads(projected("the stream", x, "w_q", w_q), heads)  # (*batch, h, n, d_k)
        key = split_heads(projected("the stream", x, "w_k", w_k), heads)
        value = split_heads(projected("the stream", x, "w_v", w_v), heads)  # (*batch, h, n, d_v)
        bias = distance_bias(table, ids.shape[-1])
        grids.append(attention_weights(query, key, causal=True, bias=bias))  # (*batch, h, n, n)
        stream = stream + projected("the stream", merge_heads(grids[-1] @ value), "w_o", w_o)
    must_fit("the stream", stream, "the parameters are")
    return _Run(np.stack(grids, axis=-4), stream, unembedding, dtype)
