"""RotaryDial: a query and a key as hands on dials, turned by their positions."""

from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, OneOf, Real, Whole
from attnlib.positions import Layout, rotary_embedding, rotary_permutation
from attnlib.scaled_dot_product import attention_scores
from attnlib.widgets.base import PageWidget
from attnlib.widgets.tables import table

SHIFTS = (0, 1, 2, 4, 8)
QUERY, KEY = (1.0, 0.8, 0.6, 0.5, -0.4, 0.9), (0.9, 0.6, 0.8, -0.3, 0.7, 0.5)


class RotaryDial(PageWidget):
    """Move query and key together: every hand turns, and the score stays. Let them disagree on the pairs: it does not.

    `query` and `key` (d numbers each, d even) stand at `query_position` and `key_position`, 0 … 32. Each pair of columns is a dial
    with the frequency base^(−2c/d). `query_layout` and `key_layout` say which columns are a pair, "half" or
    "interleaved"; a `base` of 100, where models take 10,000, lets the slow hands move visibly. With `choose_layouts` False the
    reader cannot choose the layouts. All are synced.

    Raises:
        ValueError: an `InputError`, for vectors that do not fit or are not even, and positions out of range,
            naming them.

    >>> dial = RotaryDial([1, 0], [1, 0], query_position=5, key_position=3)
    >>> round(dial.score, 2)  # cos 2
    -0.42
    """

    _alive = "move the query and the key, alone and together, and choose which columns are a pair"
    title = traitlets.Unicode("Rotary embedding").tag(sync=True)
    query_token = traitlets.Unicode("problem").tag(sync=True)
    key_token = traitlets.Unicode("Houston").tag(sync=True)
    query = Numbers("d", maxlen=16).tag(sync=True)
    key = Numbers("d", maxlen=16).tag(sync=True)
    query_position = Whole(4, min=0, max=32).tag(sync=True, link=True)
    key_position = Whole(0, min=0, max=32).tag(sync=True, link=True)
    query_layout = OneOf(get_args(Layout), "half").tag(sync=True, link=True)
    key_layout = OneOf(get_args(Layout), "half").tag(sync=True, link=True)
    base = Real(100.0).tag(sync=True)
    choose_layouts = traitlets.Bool(True).tag(sync=True)

    def __init__(self, query: ArrayLike = QUERY, key: ArrayLike = KEY, **options: Any) -> None:
        super().__init__(query=query, key=key, **options)

    def turned(self, shift: int = 0) -> tuple[Float[Array, "1 d"], Float[Array, "1 d"]]:
        """The query and the key after both have moved by `shift` positions, each turned in its own layout."""
        pair = (self.query, self.query_position, self.query_layout), (self.key, self.key_position, self.key_layout)
        query, key = (
            rotary_embedding(np.array([x]), np.array([position + shift]), layout=layout, base=self.base)
            for x, position, layout in pair
        )
        return query, key

    @property
    def score(self) -> float:
        """The dot product of the turned query and the turned key."""
        return self.score_after(0)

    def score_after(self, shift: int) -> float:
        """The score after both have moved by `shift` positions: the same as before if the layouts agree."""
        return float(attention_scores(*self.turned(shift), scale=1)[0, 0])

    def check(self, inputs: SimpleNamespace) -> None:
        d = len(inputs.query)
        if d != len(inputs.key):
            raise InputError(f"query has width {d}, key has width {len(inputs.key)}")
        if d % 2:
            raise InputError(f"query and key must have an even number of columns, got {d}")
        if inputs.base <= 0:
            raise InputError(f"base must be above 0, got {inputs.base}")

    def fallback(self) -> str:
        query, key = (vector[0] for vector in self.turned())
        rows = [
            ("query’s pair", [*self._pairs(self.query_layout), ""]),
            ("query, turned", [*query, ""]),
            ("key’s pair", [*self._pairs(self.key_layout), ""]),
            ("key, turned", [*key, ""]),
            ("product", [*query * key, self.score]),
        ]
        asks, read = f"{self.query_token} at {self.query_position}", f"{self.key_token} at {self.key_position}"
        caption = self.caption(f"{asks} (query) reads from {read} (key), base {self.base:g}.")
        moved = [("score", map(self.score_after, SHIFTS))]
        return table(caption, [*map(str, range(len(query))), "sum"], rows) + table(
            "The score when both have moved on by as many positions", map(str, SHIFTS), moved
        )

    def _pairs(self, layout: str) -> list[str]:
        """For each column, the number of its pair, from 0."""
        d = len(self.query)
        order = np.arange(d) if layout == "half" else rotary_permutation(d)
        return [str(place % (d // 2)) for place in np.argsort(order)]
