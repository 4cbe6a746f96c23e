"""MetricEllipse: one matrix U decides which direction counts, and who reads whom follows."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Numbers, Real, Texts
from attnlib import houston
from attnlib.lab.geometry import stretch_matrix
from attnlib.lab.grids import most_read
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_scores, attention_weights
from attnlib.widgets.base import PageWidget, check_count
from attnlib.widgets.tables import table, vector

# Across: a person to a thing. Up: letters, the word's length over 4, a nuisance.
POINTS = ((0.7, 1.75), (1.3, 0.5), (-0.3, 1.0), (-0.8, 0.25), (-1.3, 1.75))


class MetricEllipse(PageWidget):
    """Surprise: switch off `letters`, and the words regroup by meaning; the scores stay symmetric whatever U you choose, the weights are not.

    `points` (n × 2) is X, `axes` names its two dimensions. U stretches the plane by `along` (0 to 2) in
    the direction `angle` (degrees, counter-clockwise) and by `across` at a right angle to it. The picture
    shows the ellipse of all v with |vU| = 1, long where little counts, and an arrow from each token to
    the other token that it reads most from; the grids are the scores XU(XU)ᵀ and their softmax. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, and a stretch outside 0 … 2.

    >>> ellipse = MetricEllipse()
    >>> ellipse.most_read
    ['problem', 'Houston', 'problem', 'problem', 'Houston']
    >>> ellipse.across = 0.0
    >>> ellipse.most_read
    ['we', 'Houston', 'problem', 'problem', 'a']
    """

    _alive = "drag the ellipse of U, and see scores and weights follow"
    title = traitlets.Unicode("A learnable U").tag(sync=True)
    tokens = Texts(minlen=2, maxlen=16).tag(sync=True)
    points = Numbers("n 2").tag(sync=True)
    axes = Texts(minlen=2, maxlen=2).tag(sync=True)
    along = Real(1.0, min=0, max=2).tag(sync=True, link=True)
    across = Real(1.0, min=0, max=2).tag(sync=True, link=True)
    angle = Real(0.0).tag(sync=True, link=True)

    def __init__(
        self,
        tokens: Sequence[str] = houston.TOKENS,
        points: ArrayLike | None = None,
        axes: Sequence[str] = ("person", "letters"),
        **options: Any,
    ) -> None:
        """`points=None` means the hand-made places of the words of *Houston we have a problem*."""
        super().__init__(tokens=list(tokens), points=POINTS if points is None else points, axes=list(axes), **options)

    @property
    def u(self) -> Float[Array, "2 2"]:
        """U, by `attnlib.lab.stretch_matrix`."""
        return stretch_matrix(self.along, self.across, self.angle)

    @property
    def scores(self) -> Float[Array, "n n"]:
        """XU (XU)ᵀ: symmetric."""
        stretched = project(np.array(self.points), self.u)
        return attention_scores(stretched, stretched, scale=1)

    @property
    def weights(self) -> Float[Array, "n n"]:
        """softmax(XU (XU)ᵀ): query (row) reads from key (column)."""
        stretched = project(np.array(self.points), self.u)
        return attention_weights(stretched, stretched, scale=1)

    @property
    def most_read(self) -> list[str]:
        """For each token the other token that it reads most from."""
        return [self.tokens[j] for j in most_read(self.weights)]

    def check(self, inputs: SimpleNamespace) -> None:
        check_count(inputs.tokens, inputs.points, "points")

    def fallback(self) -> str:
        weights = self.weights
        names = [f"{token} {vector(point)}" for token, point in zip(self.tokens, self.points, strict=True)]
        caption = self.caption("scores XU(XU)ᵀ, query (row) and key (column).")
        scores = table(caption, self.tokens, zip(names, self.scores, strict=True))
        caption = f"{self.title}: weights, the softmax of each row. Query (row) reads from key (column)."
        rows = [(name, [*row, most]) for name, row, most in zip(self.tokens, weights, self.most_read, strict=True)]
        return scores + table(caption, [*self.tokens, "other read most"], rows, weights)
