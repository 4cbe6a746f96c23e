"""CyclePuzzle: three tokens in a circle, each to read from the one that it beats, and a wall that no places pass."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import Numbers, Real, Texts
from attnlib.lab.cycle import cycle_loss, cycle_means
from attnlib.scaled_dot_product import attention_scores, softmax
from attnlib.widgets.base import PageWidget, check_within
from attnlib.widgets.tables import Row, table, vector

TOKENS = ("rock", "paper", "scissors")
POINTS = ((1.5, 0.0), (-0.8, 1.3), (-0.8, -1.3))
LARGEST = 3.0  # of an entry of a point, as far as the plane reaches
LEAST_OWN = -10.0


class CyclePuzzle(PageWidget):
    """Rock, paper, scissors: each token should read from the one that it beats, which is the one before it.

    `points` (3 × 2, entries from −3 to 3) are what U made of the `tokens`. A score is a dot product. The `loss` is the
    mean of −ln A over the three right cells, and is ln 3 at least, wherever the points lie. Where the page hands over
    what is missing (`handed`), `own` (−10 to 0) is added to each token's own score, and the loss comes near to ln 2 but
    never to it: the scores are symmetric still. Otherwise `own` counts nothing. With `bounds=False` the map of all bounds
    is left out, for a page that has not yet derived them. All are synced.

    Raises:
        ValueError: an `InputError`, for other sizes, naming them, and for an entry outside its bounds, naming
            its index.

    >>> round(CyclePuzzle(points=np.zeros((3, 2))).loss, 4)
    1.0986
    >>> round(CyclePuzzle(points=np.zeros((3, 2)), handed=True, own=-10).loss, 4)
    0.6932
    """

    _alive = "drag the three tokens, and hand over the control that is missing"
    title = traitlets.Unicode("Rock, paper, scissors").tag(sync=True)
    tokens = Texts(minlen=3, maxlen=3).tag(sync=True)
    points = Numbers("3 2").tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    own = Real(0.0, min=LEAST_OWN, max=0).tag(sync=True, link=True)
    bounds = traitlets.Bool(True).tag(sync=True)

    def __init__(self, tokens: Sequence[str] = TOKENS, points: ArrayLike = POINTS, **options: Any) -> None:
        super().__init__(tokens=list(tokens), points=points, **options)

    @property
    def scores(self) -> Float[Array, "3 3"]:
        """X̃X̃ᵀ, and `own` added to the diagonal where it is handed over: query (row) and key (column)."""
        return _scores(self.points, self.own if self.handed else 0)

    @property
    def weights(self) -> Float[Array, "3 3"]:
        """The softmax of each row: query (row) reads from key (column)."""
        return softmax(self.scores)

    @property
    def loss(self) -> float:
        """The mean of −ln A over the cells that count, by `attnlib.lab.cycle_loss`."""
        return cycle_loss(self.scores)

    @property
    def means(self) -> tuple[float, float, float]:
        """The mean own, right and wrong score, by `attnlib.lab.cycle_means`."""
        return cycle_means(self.scores)

    def check(self, inputs: SimpleNamespace) -> None:
        check_within("points", inputs.points, -LARGEST, LARGEST)

    def fallback(self) -> str:
        names = [f"{token} {vector(point)}" for token, point in zip(self.tokens, self.points, strict=True)]
        beats = ", ".join(f"{token} from {self.tokens[i - 1]}" for i, token in enumerate(self.tokens))
        caption = self.caption(f"the weights. Query (row) reads from key (column). To be read: {beats}.")
        shown = table(caption, self.tokens, zip(names, self.weights, strict=True), self.weights)
        added = f", {self.own:g} added to one's own score".replace("-", "−") if self.handed else ""
        states = {f"these points{added}": self.scores}
        if self.bounds:
            one = np.zeros((3, 2))
            states["all three points are one, the wall"] = _scores(one, 0)
            states["and −10 added to one's own score"] = _scores(one, LEAST_OWN)
        rows: list[Row] = [(name, _told(cycle_loss(scores))) for name, scores in states.items()]
        caption = "The share read from the one that is beaten (geometric mean), and the loss, the mean of −ln A."
        return shown + table(caption, ["share", "loss"], rows)


def _scores(points: ArrayLike, own: float) -> Float[Array, "3 3"]:
    x = np.array(points)  # (3, 2)
    return attention_scores(x, x, scale=1) + own * np.eye(3)


def _told(loss: float) -> list[str | float]:
    share = f"{np.exp(-loss):.0%}"
    return ["just under 50%" if share == "50%" else share, loss]  # a half is never reached
