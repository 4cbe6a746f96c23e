"""A package of widgets: build what a notebook carries of them with `python -m anywidget_static intervals`."""

from intervals.interval import Interval

__all__ = ["Interval"]
