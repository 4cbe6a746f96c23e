"""TokenPlane: tokens as points in the plane, dragged by hand."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Numbers, Texts, Whole
from attnlib.scaled_dot_product import attention, attention_scores, attention_weights
from attnlib.widgets.base import PageWidget, check_count, check_index
from attnlib.widgets.tables import table, vector


class TokenPlane(PageWidget):
    """Up to 64 tokens to drag in the plane, with softmax(X Xᵀ) X drawn inside their convex hull.

    `points` (n × 2) is X; `steps` says how many times attention is applied, up to 12, each time to the last
    output; `selected` is the query whose scores and weights are listed. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them.

    >>> TokenPlane(["a", "b"], np.array([[1, 0], [0, 1]])).output.round(2)
    array([[0.73, 0.27],
           [0.27, 0.73]])
    """

    _alive = "see the tokens in the plane, drag them, and apply attention again and again"
    title = traitlets.Unicode("Tokens in the plane").tag(sync=True)
    tokens = Texts(minlen=1, maxlen=64).tag(sync=True)
    points = Numbers("n 2").tag(sync=True, link=True)
    steps = Whole(1, min=1, max=12).tag(sync=True, link=True)
    selected = Whole(0, min=0).tag(sync=True, link=True)

    def __init__(self, tokens: Sequence[str], points: ArrayLike, **options: Any) -> None:
        super().__init__(tokens=list(tokens), points=points, **options)

    @property
    def scores(self) -> Float[Array, "n n"]:
        """X Xᵀ."""
        x = np.array(self.points)
        return attention_scores(x, x, scale=1)

    @property
    def weights(self) -> Float[Array, "n n"]:
        """softmax(X Xᵀ): query (row) reads from key (column)."""
        x = np.array(self.points)
        return attention_weights(x, x, scale=1)

    @property
    def output(self) -> Float[Array, "n 2"]:
        """The points after attention was applied `steps` times."""
        x = np.array(self.points)
        for _ in range(self.steps):
            x = attention(x, x, x, scale=1)
        return x

    def check(self, inputs: SimpleNamespace) -> None:
        check_count(inputs.tokens, inputs.points, "points")
        check_index("selected token", inputs.selected, len(inputs.tokens))

    def fallback(self) -> str:
        weights = self.weights
        rows = [
            (f"{token} {vector(point)}", [*row, vector(out)])
            for token, point, row, out in zip(self.tokens, self.points, weights, self.output, strict=True)
        ]
        times = "" if self.steps == 1 else f" after {self.steps} times"
        caption = self.caption(f"weights and output{times}. Query (row) reads from key (column).")
        return table(caption, [*self.tokens, "output"], rows, weights)
