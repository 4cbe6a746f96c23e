"""AxesPuzzle: two questions about the same four words, which one grid of weights cannot both answer."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Bool, Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Numbers, Real, Texts
from attnlib.lab.axes import partner_share, standardise
from attnlib.scaled_dot_product import attention_weights
from attnlib.widgets.base import PageWidget, check_within
from attnlib.widgets.tables import Row, table, vector

TOKENS = ("elephant", "mouse", "lorry", "bicycle")
POINTS = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))  # across: an animal; up: large
PARTNERS = ((1, 0, 3, 2), (2, 3, 0, 1))  # of my kind, of my size
LARGEST = 12.0  # of an entry of a point
ONES, WINNING = np.ones((2, 2)), ((2.0, 0.0), (0.0, 2.0))


class AxesPuzzle(PageWidget):
    """Two questions to four words: who is of my kind, and who is of my size? A word should read most from its partner.

    `tokens` are two animals and two vehicles, of each the large one first; `points` (4 × 2, entries from −12 to 12) are
    their vectors, the kind across and the size up. A score is a dot product, and a word reads from the other three alone.
    `unit` (0.25 to 3) multiplies every size; `standardise` then brings each axis to mean 0 and standard deviation 1. However
    they are set, the weights on the partner of the one kind and on that of the other share one row: in the mean they sum to
    at most 1, so not both can be above 0.5. Where the page hands over what is missing (`handed`), `factors` (2 × 2, 0
    to 3, a row for each question) multiply kind and size before the dot product; otherwise they count nothing.

    Raises:
        ValueError: an `InputError`, for other sizes, naming them, and for an entry outside its bounds, naming
            its index.

    >>> [round(share, 2) for share in AxesPuzzle().shares]
    [0.47, 0.47]
    >>> [round(share, 2) for share in AxesPuzzle(handed=True, factors=[[2, 0], [0, 2]]).shares]
    [1.0, 1.0]
    """

    _alive = "drag the words, change the factor on size, and hand over the control that is missing"
    title = traitlets.Unicode("Four words, two questions").tag(sync=True)
    tokens = Texts(minlen=4, maxlen=4).tag(sync=True)
    points = Numbers("4 2").tag(sync=True, link=True)
    unit = Real(1.0, min=0.25, max=3).tag(sync=True, link=True)
    standardise = traitlets.Bool(False).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    factors = Numbers("2 2", ONES).tag(sync=True, link=True)

    def __init__(self, tokens: Sequence[str] = TOKENS, points: ArrayLike = POINTS, **options: Any) -> None:
        super().__init__(tokens=list(tokens), points=points, **options)

    @property
    def placed(self) -> Float[Array, "4 2"]:
        """The vectors in the chosen unit, and standardised where that is chosen."""
        x: Float[Array, "4 2"] = np.array(self.points) * (1, self.unit)
        return standardise(x) if self.standardise else x

    @property
    def weights(self) -> Float[Array, "2 4 4"]:
        """A grid for each question: query (row) reads from key (column), and nothing from itself."""
        return self._grids(self.factors if self.handed else ONES)

    @property
    def shares(self) -> tuple[float, float]:
        """The mean weight on the partner of the same kind, and on that of the same size, each in its question's grid."""
        return _shares(self.weights)

    def _grids(self, factors: ArrayLike) -> Float[Array, "2 4 4"]:
        x = self.placed * np.array(factors)[:, None]  # (2, 4, 2): for each question each axis times its factor
        return attention_weights(x, x, _others(), scale=1)

    def check(self, inputs: SimpleNamespace) -> None:
        check_within("points", inputs.points, -LARGEST, LARGEST)
        check_within("factors", inputs.factors, 0, 3)

    def fallback(self) -> str:
        grid = self._grids(ONES)[0]
        names = [f"{token} {vector(point)}" for token, point in zip(self.tokens, self.placed, strict=True)]
        cells = [[weight if i != j else "–" for j, weight in enumerate(row)] for i, row in enumerate(grid.tolist())]
        caption = self.caption("one grid of weights for both. Query (row) reads from key (column), not from itself.")
        shown = table(caption, self.tokens, zip(names, cells, strict=True), grid)
        factors = np.array(self.factors if self.handed else WINNING)
        rows: list[Row] = [
            ("one grid for both", [f"{share:.0%}" for share in _shares(self._grids(ONES))]),
            ("factor on kind", [f"{factor:g}" for factor in factors[:, 0]]),
            ("factor on size", [f"{factor:g}" for factor in factors[:, 1]]),
            ("then, a grid for each", [f"{share:.0%}" for share in _shares(self._grids(factors))]),
        ]
        questions = ["Who is of my kind?", "Who is of my size?"]
        return shown + table("The weight on the partner, in the mean over the four words.", questions, rows)


def _others() -> Bool[Array, "4 4"]:
    return ~np.eye(4, dtype=bool)


def _shares(grids: Float[Array, "2 4 4"]) -> tuple[float, float]:
    kind, size = (partner_share(grid, partners) for grid, partners in zip(grids, PARTNERS, strict=True))
    return kind, size
