"""Attention from the dot product up: the package behind the book.

`import attnlib` needs NumPy and jaxtyping alone. What needs more is imported by name:
`attnlib.widgets` (anywidget), `attnlib.plots` (matplotlib). `attnlib.cost` counts, `attnlib.houston` holds the running example.
"""

from attnlib.attention import (
    attention,
    attention_scores,
    attention_weights,
    entropy,
    single_query_attention,
    softmax,
    softmax_jacobian,
)
from attnlib.decoder import decoder_logits, decoder_weights, distance_bias, random_decoder, rms_norm
from attnlib.geometry import convex_hull
from attnlib.masks import causal_mask, from_torch, mask_to_bias, padding_mask, sliding_window_mask, to_torch
from attnlib.multihead import dropout_weights, merge_heads, multi_head_attention, split_heads
from attnlib.positions import rotary_embedding, rotary_permutation, scaled_base, sinusoidal_encoding
from attnlib.projections import project
from attnlib.streaming import KeyValueCache, streaming_attention
from attnlib.variants import elu_plus_one, linear_attention, positive_weights, tied_attention, window_attention

__all__ = [
    "KeyValueCache",
    "attention",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "convex_hull",
    "decoder_logits",
    "decoder_weights",
    "distance_bias",
    "dropout_weights",
    "elu_plus_one",
    "entropy",
    "from_torch",
    "linear_attention",
    "mask_to_bias",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "positive_weights",
    "project",
    "random_decoder",
    "rms_norm",
    "rotary_embedding",
    "rotary_permutation",
    "scaled_base",
    "single_query_attention",
    "sinusoidal_encoding",
    "sliding_window_mask",
    "softmax",
    "softmax_jacobian",
    "split_heads",
    "streaming_attention",
    "tied_attention",
    "to_torch",
    "window_attention",
]
