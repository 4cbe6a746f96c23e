"""What each form of attention costs: multiply–adds, bytes and memory, as functions of the sizes.

Everything is made of matrix products: one of m × k with k × n takes m·k·n multiply–adds, reads m·k + k·n numbers and
writes m·n. Of what happens entry by entry, a softmax over a grid and φ count by what they move. Masks, biases and arithmetic do not count.
"""

from attnlib.cost.blocks import (
    block_multiply_adds,
    block_parameters,
    block_parts,
    cache_bytes,
    crossover,
    multi_head_cost,
    multi_head_parameters,
)
from attnlib.cost.forms import Cost, attention_cost, linear_cost, streaming_cost, window_cost

__all__ = [
    "Cost",
    "attention_cost",
    "block_multiply_adds",
    "block_parameters",
    "block_parts",
    "cache_bytes",
    "crossover",
    "linear_cost",
    "multi_head_cost",
    "multi_head_parameters",
    "streaming_cost",
    "window_cost",
]
