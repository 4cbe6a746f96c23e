"""Attention from the dot product up: the package behind the book.

`import attnlib` needs NumPy and jaxtyping alone. What a program needs stands here; the rest lies in modules by purpose:

- `attnlib.masks`, `positions`, `variants`, `multihead` and `decoder` hold more of what their names say
- `attnlib.cost` counts, `houston` holds the running example, `trained` a model that was really trained on `corpus`
- `attnlib.lab` is what the book's experiments and widgets need beyond it
- `attnlib.models` reads models that others trained (torch and transformers, when it reads)
- `attnlib.plots` (matplotlib), `widgets` and `exercises` (anywidget) and `training` (torch) need more than NumPy
"""

from attnlib.decoder import rms_norm
from attnlib.key_value_cache import KeyValueCache
from attnlib.masks import causal_mask, padding_mask, sliding_window_mask
from attnlib.multihead import merge_heads, multi_head_attention, split_heads
from attnlib.positions import rotary_embedding, sinusoidal_encoding
from attnlib.projections import project
from attnlib.scaled_dot_product import attention, attention_scores, attention_weights, entropy, softmax
from attnlib.streaming import streaming_attention
from attnlib.variants import linear_attention, window_attention

__version__ = "0.2.0"
__all__ = [
    "KeyValueCache", "attention", "attention_scores", "attention_weights", "causal_mask", "entropy", "linear_attention",
    "merge_heads", "multi_head_attention", "padding_mask", "project", "rms_norm", "rotary_embedding",
    "sinusoidal_encoding", "sliding_window_mask", "softmax", "split_heads", "streaming_attention", "window_attention",
]  # fmt: skip
