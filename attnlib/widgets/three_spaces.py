"""ThreeSpaces: one vector for each token, and three matrices that give it three independent roles."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Numbers, Texts, Whole
from attnlib.formatting import text
from attnlib.projections import project
from attnlib.scaled_dot_product import attention, attention_scores, attention_weights
from attnlib.widgets.base import PageWidget, check_count, check_index
from attnlib.widgets.tables import table, vector

# Clockwise from the left, a quarter turn apart: who comes next, and what it is looking for.
POINTS = ((-1.6, 0.3), (0.0, 1.5), (0.2, -1.1), (1.7, 0.2))
MATRICES = ("w_q", "w_k", "w_v")


class ThreeSpaces(PageWidget):
    """Surprise: one vector plays three roles. Change W_K and only who reads whom changes; change W_V and no weight moves.

    `points` (n × 2) is X, to be dragged; `w_q`, `w_k` and `w_v` (2 × 2) make queries, keys and values of it.
    Queries and keys meet in the attention space, where the scores are QKᵀ; in the output space each output
    lies inside the convex hull of the values. `selected` is the token whose query is followed. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them.

    >>> spaces = ThreeSpaces()
    >>> spaces.weights[0].round(2)
    array([0.87, 0.1 , 0.03, 0.  ])
    >>> spaces.w_k = [[0, 1], [-1, 0]]
    >>> spaces.weights[0].round(2)
    array([0.07, 0.76, 0.01, 0.16])
    """

    _alive = "drag the tokens, change W_Q, W_K and W_V, and see what moves and what stays"
    title = traitlets.Unicode("Three spaces").tag(sync=True)
    tokens = Texts(minlen=2, maxlen=12).tag(sync=True)
    points = Numbers("n 2", POINTS).tag(sync=True, link=True)
    w_q, w_k, w_v = (Numbers("2 2", np.eye(2)).tag(sync=True, link=True) for _ in MATRICES)
    selected = Whole(0, min=0).tag(sync=True, link=True)

    def __init__(
        self, tokens: Sequence[str] = ("we", "have", "a", "problem"), points: ArrayLike | None = None, **options: Any
    ) -> None:
        """`points=None` means the hand-made places of the four words. A matrix that is not given is the identity."""
        super().__init__(tokens=list(tokens), points=POINTS if points is None else points, **options)

    @property
    def query(self) -> Float[Array, "n 2"]:
        """Q = X W_Q."""
        return project(np.array(self.points), np.array(self.w_q))

    @property
    def key(self) -> Float[Array, "n 2"]:
        """K = X W_K."""
        return project(np.array(self.points), np.array(self.w_k))

    @property
    def value(self) -> Float[Array, "n 2"]:
        """V = X W_V."""
        return project(np.array(self.points), np.array(self.w_v))

    @property
    def scores(self) -> Float[Array, "n n"]:
        """QKᵀ: what query (row) scores with key (column)."""
        return attention_scores(self.query, self.key, scale=1)

    @property
    def weights(self) -> Float[Array, "n n"]:
        """softmax(QKᵀ): query (row) reads from key (column)."""
        return attention_weights(self.query, self.key, scale=1)

    @property
    def output(self) -> Float[Array, "n 2"]:
        """softmax(QKᵀ) V."""
        return attention(self.query, self.key, self.value, scale=1)

    def check(self, inputs: SimpleNamespace) -> None:
        check_count(inputs.tokens, inputs.points, "points")
        check_index("selected token", inputs.selected, len(inputs.tokens))

    def fallback(self) -> str:
        asks, weights = self.tokens[self.selected], self.weights[self.selected]
        matrices = ", ".join(f"{name.upper()} = {_matrix(getattr(self, name))}" for name in MATRICES)
        caption = self.caption(f"what {asks!r} reads. Parameters: {matrices}. The table holds activations.")
        columns = weights, self.scores[self.selected]
        places = (map(vector, points) for points in (self.query, self.key, self.value, self.output))
        rows = zip(self.tokens, zip(*columns, *places, strict=True), strict=True)
        return table(caption, ["weight", "score", "query", "key", "value", "output"], rows, weights[:, None])


def _matrix(rows: list[list[float]]) -> str:
    return "[" + "; ".join(" ".join(map(text, row)) for row in rows) + "]"
