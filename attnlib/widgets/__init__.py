"""Widgets for the book and for Jupyter. Importing this needs anywidget; `import attnlib` does not."""

from attnlib.widgets.attention_grid import AttentionGrid
from attnlib.widgets.base import InputError
from attnlib.widgets.choice import Choice
from attnlib.widgets.head_browser import HeadBrowser
from attnlib.widgets.number_question import Number
from attnlib.widgets.token_plane import TokenPlane

__all__ = ["AttentionGrid", "Choice", "HeadBrowser", "InputError", "Number", "TokenPlane"]
