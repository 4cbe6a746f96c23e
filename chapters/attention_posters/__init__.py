"""The pages that chapters end with, made to be printed: each draws one figure, for one place in the book."""

from attention_posters.costs import cost_page
from attention_posters.heads import multi_head_shapes
from attention_posters.masks import masks_page
from attention_posters.scaling import scaling_page
from attention_posters.stages import stages_page

__all__ = ["cost_page", "masks_page", "multi_head_shapes", "scaling_page", "stages_page"]
