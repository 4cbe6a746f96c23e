"""What the book's experiments and widgets compute with, and few others need.

`grids` asks who reads whom, `lookup` compares fixed weights with such as compare names, `axes` weighs the axes of
embeddings, `cycle` bounds what tokens in a circle can read, `blends` reads two numbers out of blends, `reading`
trains one matrix by what tokens read, `scaling` draws scores, `rates` reads a recorded map of learning rates, `cones`
follows a mask through layers, `positive` replaces exp, `passing` keeps three numbers of a softmax, `heads` changes a
decoder's heads, `silenced` reads what a trained one can do without some of them, `lengths` what heads do with longer
texts, `minilm` what a real model does with some, `tiles` follows single numbers through heads, `geometry` draws in the
plane, `tensors` counts what there is to learn, `roofline` measures how fast work can be, and `budget` counts what reading
a long text takes.
"""

from attnlib.lab.axes import partner_share, standardise
from attnlib.lab.blends import blend_errors, blend_readout
from attnlib.lab.budget import Budget, reading_cost
from attnlib.lab.cones import mask_reach, preset_mask
from attnlib.lab.cycle import cycle_bound, cycle_loss, cycle_means
from attnlib.lab.geometry import convex_hull, cosine_similarity, distance_scores, lone_corners, stretch_matrix
from attnlib.lab.grids import cycle_product, most_read, most_unequal_pair, weight_back
from attnlib.lab.heads import pool_heads, random_decoder, silence_head
from attnlib.lab.lookup import Lookup, compared_weights, lookup_rows, most_right, share_right
from attnlib.lab.passing import streamed_softmax
from attnlib.lab.positive import Properties, positive_function, positive_weights, weight_properties
from attnlib.lab.reading import kind_share, reading_gradient, reading_loss
from attnlib.lab.scaling import Saturation, draw_scores, saturation, score_variance, seeded_uniform
from attnlib.lab.tensors import attention_parameters, ideal_tensor_parameters
from attnlib.lab.tiles import tile_parents

__all__ = [
    "Budget", "Lookup", "Properties", "Saturation", "attention_parameters", "blend_errors", "blend_readout",
    "compared_weights", "convex_hull", "cosine_similarity", "cycle_bound", "cycle_loss", "cycle_means",
    "cycle_product", "distance_scores", "draw_scores", "ideal_tensor_parameters", "kind_share", "lone_corners",
    "lookup_rows", "mask_reach", "most_read", "most_right", "most_unequal_pair", "partner_share", "pool_heads",
    "positive_function", "positive_weights", "preset_mask", "random_decoder", "reading_cost", "reading_gradient",
    "reading_loss", "saturation", "score_variance", "seeded_uniform", "share_right", "silence_head", "standardise",
    "streamed_softmax", "stretch_matrix", "tile_parents", "weight_back", "weight_properties",
]  # fmt: skip
