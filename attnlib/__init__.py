"""Attention from the dot product up: the package behind the book.

`import attnlib` needs NumPy and jaxtyping alone. What needs more is imported by name:
`attnlib.widgets` (anywidget), `attnlib.plots` (matplotlib).
"""

from attnlib.attention import attention, attention_scores, attention_weights, causal_mask, softmax
from attnlib.geometry import convex_hull

__all__ = ["attention", "attention_scores", "attention_weights", "causal_mask", "convex_hull", "softmax"]
