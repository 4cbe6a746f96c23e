"""A widget whose module makes it asynchronously, keeps something for all its views, and takes bytes."""

import traitlets

from anywidget_static import Whole, Widget


class Samples(Widget):
    """The average of bytes from `start` on."""

    data = traitlets.Bytes(bytes(range(10))).tag(sync=True)
    start = Whole(0, min=0, max=9).tag(sync=True, link=True)

    def fallback(self) -> str:
        kept = self.data[self.start :]
        return f"<p>mean {sum(kept) / len(kept):.2f} of {len(kept)}</p>"
