"""TokenPlane: tokens as points in the plane, dragged by hand."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, Texts
from attnlib.formatting import text
from attnlib.scaled_dot_product import attention, attention_scores, attention_weights
from attnlib.widgets.base import PageWidget, check_index
from attnlib.widgets.tables import table


class TokenPlane(PageWidget):
    """Tokens to drag in the plane, with softmax(X Xᵀ) X drawn inside their convex hull.

    `points` (n × 2) is X; `steps` says how many times attention is applied, each time to the last
    output; `selected` is the query whose scores and weights are listed. All are synced.

    Raises ValueError (`InputError`) for sizes that do not fit, naming them.

    >>> TokenPlane(["a", "b"], np.array([[1, 0], [0, 1]])).output.round(2)
    array([[0.73, 0.27],
           [0.27, 0.73]])
    """

    _alive = "see the tokens in the plane, drag them, and apply attention again and again"
    title = traitlets.Unicode("Tokens in the plane").tag(sync=True)
    tokens = Texts().tag(sync=True)
    points = Numbers("n 2").tag(sync=True, link=True)
    steps = traitlets.Int(1).tag(sync=True, link=True)
    selected = traitlets.Int(0).tag(sync=True, link=True)

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
        if len(inputs.tokens) != len(inputs.points):
            raise InputError(f"{len(inputs.tokens)} tokens for {len(inputs.points)} points")
        check_index("selected token", inputs.selected, len(inputs.tokens))
        if inputs.steps < 1:
            raise InputError(f"steps must be 1 or more, got {inputs.steps}")

    def fallback(self) -> str:
        weights = self.weights
        rows = [
            (f"{token} ({text(x)}, {text(y)})", [*map(text, row), f"({text(out_x)}, {text(out_y)})"])
            for token, (x, y), row, (out_x, out_y) in zip(self.tokens, self.points, weights, self.output, strict=True)
        ]
        times = "" if self.steps == 1 else f" after {self.steps} times"
        caption = self.caption(f"weights and output{times}. Query (row) reads from key (column).")
        return table(caption, [*self.tokens, "output"], rows, weights)
