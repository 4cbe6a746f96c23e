"""MetricEllipse: one matrix U decides which direction counts, and who reads whom follows."""

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
from attnlib.formatting import text
from attnlib.lab.geometry import stretch_matrix
from attnlib.lab.grids import most_read
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_scores, attention_weights
from attnlib.widgets.base import PageWidget
from attnlib.widgets.tables import table

# Across: a person to a thing. Up: letters, the word's length over 4, a nuisance.
POINTS = ((0.7, 1.75), (1.3, 0.5), (-0.3, 1.0), (-0.8, 0.25), (-1.3, 1.75))

MOST = 16  # tokens


class MetricEllipse(PageWidget):
    """Surprise: switch off `letters`, and the words regroup by meaning; the scores stay symmetric whatever U you choose, the weights are not.

    `points` (n × 2) is X, `axes` names its two dimensions. U stretches the plane by `along` (0 to 2) in
    the direction `angle` (degrees, counter-clockwise) and by `across` at a right angle to it. The picture
    shows the ellipse of all v with |vU| = 1, long where little counts, and an arrow from each token to
    the other token that it reads most from; the grids are the scores XU(XU)ᵀ and their softmax. All are synced.

    Raises ValueError (`InputError`) for sizes that do not fit, naming them, and a stretch outside 0 … 2.

    >>> ellipse = MetricEllipse()
    >>> ellipse.most_read
    ['problem', 'Houston', 'problem', 'problem', 'Houston']
    >>> ellipse.across = 0.0
    >>> ellipse.most_read
    ['we', 'Houston', 'problem', 'problem', 'a']
    """

    _alive = "drag the ellipse of U, and see scores and weights follow"
    title = traitlets.Unicode("A learnable U").tag(sync=True)
    tokens = Texts().tag(sync=True)
    points = Numbers("n 2").tag(sync=True)
    axes = Texts().tag(sync=True)
    along = traitlets.Float(1.0).tag(sync=True, link=True)
    across = traitlets.Float(1.0).tag(sync=True, link=True)
    angle = traitlets.Float(0.0).tag(sync=True, link=True)

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
        if len(inputs.tokens) != len(inputs.points):
            raise InputError(f"{len(inputs.tokens)} tokens for {len(inputs.points)} points")
        if not 2 <= len(inputs.tokens) <= MOST:
            raise InputError(f"2 to {MOST} tokens can be shown, got {len(inputs.tokens)}")
        if len(inputs.axes) != 2:
            raise InputError(f"the plane has 2 axes, got {len(inputs.axes)} names")
        for name in ("along", "across"):
            if not 0 <= getattr(inputs, name) <= 2:
                raise InputError(f"{name} must lie between 0 and 2, got {getattr(inputs, name)}")
        if not np.isfinite(inputs.angle):
            raise InputError(f"angle must be finite, got {inputs.angle}")

    def fallback(self) -> str:
        scores, weights = self.scores, self.weights
        names = [f"{token} ({text(x)}, {text(y)})" for token, (x, y) in zip(self.tokens, self.points, strict=True)]
        caption = self.caption("scores XU(XU)ᵀ, query (row) and key (column).")
        first = table(
            caption, self.tokens, [(name, list(map(text, row))) for name, row in zip(names, scores, strict=True)]
        )
        caption = f"{self.title}: weights, the softmax of each row. Query (row) reads from key (column)."
        rows = [
            (token, [*map(text, row), other])
            for token, row, other in zip(self.tokens, weights, self.most_read, strict=True)
        ]
        return first + table(caption, [*self.tokens, "other read most"], rows, weights)
