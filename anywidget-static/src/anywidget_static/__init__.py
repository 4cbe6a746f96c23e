"""Widgets that live in Jupyter and in static pages: one Python class, one JavaScript module, no kernel needed to read."""

from anywidget_static.traits import Booleans, InputError, Numbers, OneOf, Real, Texts, UnknownInput, Whole
from anywidget_static.widget import Widget

__all__ = ["Booleans", "InputError", "Numbers", "OneOf", "Real", "Texts", "UnknownInput", "Whole", "Widget"]
__version__ = "0.1.0"
