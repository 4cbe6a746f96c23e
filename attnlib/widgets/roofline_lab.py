"""RooflineLab: how many queries share the bytes of a key, and how fast a machine can then attend at best."""

import traitlets

from anywidget_static import Whole
from attnlib.lab.budget import CARD
from attnlib.widgets.base import PageWidget, fixed
from attnlib.widgets.tables import Row, table

TOKENS, WIDTH, LAYERS = 100_000, 768, 12  # of chapter 7's text and model
PRODUCTS = 2 * TOKENS**2 * WIDTH * LAYERS  # of its attention, in multiply–adds
BYTES = 4  # of a number
WHOLE_GRIDS = 8.0  # multiply–adds a byte, where scores and weights are written and read
SHOWN = (1, 16, 64, 128, 256)


class RooflineLab(PageWidget):
    """A key and its value come from memory once, and `queries` of them (1 to 1,024) use them while they are near.

    With numbers of 4 bytes each byte then serves `queries` / 4 multiply–adds, whatever a head's width. A machine is bound
    by its bandwidth while that is little, and by its processor from the bend of the roofline on: 41 for
    `attnlib.lab.budget.CARD`, as published. `seconds` are for the attention of 100,000 tokens in 12 layers of width 768,
    at best. Synced.

    Raises:
        ValueError: an `InputError`, for a number of queries outside its bounds.

    >>> [round(RooflineLab(queries=queries).seconds, 1) for queries in (1, 64, 256)]
    [731.4, 11.4, 4.5]
    """

    _alive = "change how many queries share a key"
    title = traitlets.Unicode("Queries that share a key").tag(sync=True)
    provenance = traitlets.Unicode("computed, from published rates").tag(sync=True)
    queries = Whole(1, min=1, max=1024).tag(sync=True, link=True)
    constants = fixed(
        machine=CARD.machine, peak=CARD.peak, bandwidth=CARD.bandwidth, products=PRODUCTS,
        bytes=BYTES, whole=WHOLE_GRIDS,
    )  # fmt: skip

    @property
    def intensity(self) -> float:
        """Multiply–adds for each byte."""
        return self.queries / BYTES

    @property
    def rate(self) -> float:
        """Multiply–adds a second, at best."""
        return CARD.bound(self.intensity)

    @property
    def seconds(self) -> float:
        """Of all products of the text's attention, at best."""
        return PRODUCTS / self.rate

    def fallback(self) -> str:
        rows: list[Row] = []
        for queries in sorted({*SHOWN, self.queries}):
            intensity = queries / BYTES
            rate = CARD.bound(intensity)
            waits = "bytes" if intensity < CARD.ridge else "the processor"
            rows.append((str(queries), [f"{intensity:g}", f"{rate / 1e12:.3g}", f"{PRODUCTS / rate:.3g} s", waits]))
        caption = self.caption(
            f"by the number of queries that share a key, multiply–adds for each byte, trillions of them a second on one "
            f"{CARD.machine} at best, the seconds for the attention of {TOKENS:,} tokens, and what it waits for."
        )
        columns = ["multiply–adds a byte", "trillions a second", "seconds at best", "waits for"]
        return table(caption, columns, rows)
