"""Attention from the dot product up: the package behind the book.

`import attnlib` needs NumPy and jaxtyping alone. What needs more is imported by name:
`attnlib.widgets` (anywidget), `attnlib.plots` (matplotlib), `attnlib.training` (torch). `attnlib.cost` counts,
`attnlib.houston` holds the running example, and `attnlib.trained` a model that was really trained.
"""

from attnlib.decoder import decoder_logits, decoder_weights, distance_bias, random_decoder, rms_norm, silence_head
from attnlib.geometry import convex_hull, cosine_similarity, stretch_matrix
from attnlib.masks import causal_mask, from_torch, mask_to_bias, padding_mask, sliding_window_mask, to_torch
from attnlib.multihead import dropout_weights, merge_heads, multi_head_attention, pool_heads, split_heads, weight_back
from attnlib.positions import rotary_embedding, rotary_permutation, scaled_base, sinusoidal_encoding
from attnlib.projections import project
from attnlib.reading import cycle_product, most_read, most_unequal_pair
from attnlib.scaled_dot_product import (
    attention,
    attention_scores,
    attention_weights,
    entropy,
    single_query_attention,
    softmax,
    softmax_jacobian,
)
from attnlib.scaling import draw_scores, saturation, score_variance, seeded_uniform
from attnlib.streaming import KeyValueCache, streaming_attention
from attnlib.variants import (
    elu_plus_one,
    linear_attention,
    positive_function,
    positive_weights,
    tied_attention,
    weight_properties,
    window_attention,
)

__all__ = [
    "KeyValueCache",
    "attention",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "convex_hull",
    "cosine_similarity",
    "cycle_product",
    "decoder_logits",
    "decoder_weights",
    "distance_bias",
    "draw_scores",
    "dropout_weights",
    "elu_plus_one",
    "entropy",
    "from_torch",
    "linear_attention",
    "mask_to_bias",
    "merge_heads",
    "most_read",
    "most_unequal_pair",
    "multi_head_attention",
    "padding_mask",
    "pool_heads",
    "positive_function",
    "positive_weights",
    "project",
    "random_decoder",
    "rms_norm",
    "rotary_embedding",
    "rotary_permutation",
    "saturation",
    "scaled_base",
    "score_variance",
    "seeded_uniform",
    "silence_head",
    "single_query_attention",
    "sinusoidal_encoding",
    "sliding_window_mask",
    "softmax",
    "softmax_jacobian",
    "split_heads",
    "streaming_attention",
    "stretch_matrix",
    "tied_attention",
    "to_torch",
    "weight_back",
    "weight_properties",
    "window_attention",
]
