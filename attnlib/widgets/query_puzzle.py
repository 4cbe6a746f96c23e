"""QueryPuzzle: a query to turn and to lengthen until each key in turn is read most."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, Texts
from attnlib import houston
from attnlib.lab.geometry import distance_scores, lone_corners
from attnlib.scaled_dot_product import attention_scores, softmax
from attnlib.widgets.base import PageWidget, check_count
from attnlib.widgets.tables import Row, table, vector

MEASURES = ("dot product", "distance")


class QueryPuzzle(PageWidget):
    """Turn and lengthen a query: which keys can be read most?

    With the dot product only the corners of the keys' convex hull can, whatever the query (`reachable`). With `measure`
    "distance", the score is −½ |q − k|², and a query that stands on a key reads it most. `points` (n × 2) are the keys,
    `query` (2) is moved, and `won` (n, of 0 and 1) says which keys were read most so far. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, and for an entry of `won` that is
            not 0 or 1.

    >>> QueryPuzzle().reachable
    ['Houston', 'we', 'have', 'problem']
    >>> QueryPuzzle(query=[0.2, 0.3], measure="distance").leader
    'a'
    """

    _alive = "turn and lengthen the query, and see which key it reads most"
    title = traitlets.Unicode("One query, five keys").tag(sync=True)
    tokens = Texts(minlen=2, maxlen=16).tag(sync=True)
    points = Numbers("n 2").tag(sync=True)
    query = Numbers("2", (1.0, 0.3)).tag(sync=True, link=True)
    measure = traitlets.Enum(MEASURES, "dot product").tag(sync=True, link=True)
    won = Numbers("n").tag(sync=True, link=True)

    def __init__(self, tokens: Sequence[str] = houston.TOKENS, points: ArrayLike | None = None, **options: Any) -> None:
        """`points=None` means `attnlib.houston.PLACES`."""
        given = {"won": np.zeros(len(tokens)), "points": houston.PLACES if points is None else points} | options
        super().__init__(tokens=list(tokens), **given)

    @property
    def scores(self) -> Float[Array, "n"]:
        """Of the query with each key, by `measure`."""
        query, keys = np.array([self.query]), np.array(self.points)
        if self.measure == "distance":
            return np.array(distance_scores(query, keys)[0])
        return np.array(attention_scores(query, keys, scale=1)[0])

    @property
    def weights(self) -> Float[Array, "n"]:
        """The softmax of the scores."""
        return softmax(self.scores)

    @property
    def leader(self) -> str | None:
        """The key that is read most, None when two share the lead."""
        scores = self.scores
        first, *others = np.argsort(-scores, kind="stable")
        return self.tokens[first] if scores[first] > scores[others[0]] + 1e-9 else None

    @property
    def reachable(self) -> list[str]:
        """The keys that some query reads most by the dot product: the corners of their convex hull, if no other stands there."""
        return [self.tokens[i] for i in lone_corners(np.array(self.points))]

    def check(self, inputs: SimpleNamespace) -> None:
        check_count(inputs.tokens, inputs.points, "keys")
        check_count(inputs.tokens, inputs.won, "marks of what was won")
        for i, mark in enumerate(inputs.won):
            if mark not in (0, 1):
                raise InputError(f"won[{i}] is {mark}, not 0 or 1")

    def fallback(self) -> str:
        keys, one = np.array(self.points), np.array([self.query])
        corners = lone_corners(keys)
        scores = zip(attention_scores(one, keys, scale=1)[0], distance_scores(one, keys)[0], strict=True)
        rows: list[Row] = []
        for i, (token, key, (score, near)) in enumerate(zip(self.tokens, self.points, scores, strict=True)):
            by_dot, by_distance = i in corners, self.points.count(key) == 1
            rows.append(
                (f"{token} {vector(key)}", [score, near, *("yes" if can else "no" for can in (by_dot, by_distance))])
            )
        columns = ["dot product", "−½ distance²", "some query reads it most by dot product", "by distance"]
        return table(self.caption(f"a query at {vector(self.query)} scores {len(rows)} keys."), columns, rows)
