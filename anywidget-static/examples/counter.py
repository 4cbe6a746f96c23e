"""A widget of two files, this and counter.mjs: no build step."""

from html import escape

from anywidget_static import Whole, Widget


class Counter(Widget):
    """A button that counts to ten."""

    _alive = "press the button"
    count = Whole(0, min=0, max=10).tag(sync=True, link=True)

    def fallback(self) -> str:
        return f"<p>{escape(self.title)}: {self.count}</p>"
