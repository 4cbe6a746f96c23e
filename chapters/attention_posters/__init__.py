"""Figures that each are drawn for one place in the book, most of them pages to print that a chapter ends with."""

from attention_posters.costs import cost_page
from attention_posters.heads import multi_head_shapes
from attention_posters.margins import margins_page
from attention_posters.masks import masks_page
from attention_posters.scaling import scaling_page
from attention_posters.stages import stages_page

__all__ = ["cost_page", "margins_page", "masks_page", "multi_head_shapes", "scaling_page", "stages_page"]
