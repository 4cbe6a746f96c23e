"""Widgets for the book and for Jupyter. Importing this needs anywidget; `import attnlib` does not."""

from attnlib.widgets.attention_grid import AttentionGrid
from attnlib.widgets.base import InputError
from attnlib.widgets.head_mixer import HeadMixer
from attnlib.widgets.mask_painter import MaskPainter
from attnlib.widgets.token_plane import TokenPlane

__all__ = ["AttentionGrid", "HeadMixer", "InputError", "MaskPainter", "TokenPlane"]
