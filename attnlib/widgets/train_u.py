"""TrainU: twelve tokens of two kinds that lie aslant, and a matrix U to find by hand, or by gradient descent."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float, Int
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, Real, Whole
from attnlib.lab.reading import kind_share, reading_gradient, reading_loss
from attnlib.projections import project
from attnlib.scaled_dot_product import attention_weights
from attnlib.widgets.base import PageWidget, check_within, fixed
from attnlib.widgets.tables import Row, table

SEED = 7154  # of those that were tried one with which factors for the axes seem to help at first
KINDS = (1,) * 6 + (0,) * 6
REACH = 3.0  # of an entry of a point, and of U
LEAST, MOST = 4, 24  # tokens
MOST_LOSSES = 400
FACTORS = np.arange(61) / 20  # from 0 to 3, among which the best two are looked for


def draw_points(seed: int = SEED) -> Float[Array, "12 2"]:
    """The tokens of `KINDS`: k·(0.5, 0.5) + t·(1, −1) and a little noise, with k = ±1, and t of the spread 1.2."""
    rng = np.random.default_rng(seed)
    k = np.where(np.array(KINDS) == 1, 1, -1)[:, None]
    t = 1.2 * rng.normal(size=(len(KINDS), 1))
    points: Float[Array, "12 2"] = np.round(0.5 * k + t * (1, -1) + 0.1 * rng.normal(size=(len(KINDS), 2)), 1)
    return points


class TrainU(PageWidget):
    """Tokens of two kinds: find a U with which each token reads from its own kind.

    `points` (n × 2, n from 4 to 24, entries from −3 to 3) is X, and `kinds` (n, of 0 and 1) tells the kinds. The
    weights are softmax(XU(XU)ᵀ). The share is what a token reads from its own kind, itself included, and the goal is
    90 % in the mean. At first the reader has a factor for each axis: of `u` (2 × 2, −3 to 3) only the sizes of the two
    diagonal entries count. Where the page hands over what is missing (`handed`), the whole of U counts. A step of
    gradient descent then goes by `rate` (0.001 to 5), and `turn` (degrees, −180 to 180) turns U, which moves no weight.
    With `training=False` the page shows neither of these, nor the loss and UUᵀ: four numbers are to be found by hand.
    `moves` counts how often a slider of U was released, and `losses` are those of the steps so far, to five digits, at most 400.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, and for an entry outside its
            bounds, naming its index.

    >>> round(TrainU().share, 2)
    0.66
    >>> round(TrainU(handed=True, u=[[1, 1], [1, 1]]).share, 2)
    0.97
    """

    _alive = "weigh the axes, hand over the whole matrix, and train it by gradient descent"
    title = traitlets.Unicode("Twelve tokens of two kinds").tag(sync=True)
    provenance = traitlets.Unicode(f"random, seed {SEED}").tag(sync=True)
    points = Numbers("n 2", draw_points(), maxlen=MOST).tag(sync=True)
    kinds = Numbers("n", KINDS, maxlen=MOST).tag(sync=True)
    u = Numbers("2 2", np.eye(2)).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    training = traitlets.Bool(True).tag(sync=True)
    turn = Real(0.0, min=-180, max=180).tag(sync=True, link=True)
    rate = Real(0.05, min=0.001, max=5).tag(sync=True)
    moves = Whole(0, min=0, max=9999).tag(sync=True, link=True)
    losses = Numbers("n", np.zeros(0), maxlen=MOST_LOSSES, optional=True).tag(sync=True, link=True)
    constants = fixed(reach=REACH, least=LEAST)

    def __init__(self, points: ArrayLike | None = None, kinds: ArrayLike = KINDS, **options: Any) -> None:
        """`points=None` means the twelve that are drawn with seed 7154."""
        super().__init__(points=draw_points() if points is None else points, kinds=kinds, **options)

    @property
    def matrix(self) -> Float[Array, "2 2"]:
        """The matrix that counts: until the whole is handed over, a factor for each axis; then UR, turned by `turn`."""
        if not self.handed:
            return _factors(self.u)
        turn = np.deg2rad(self.turn)
        cos, sin = np.cos(turn), np.sin(turn)
        return np.array(project(np.array(self.u), np.array([[cos, sin], [-sin, cos]])))

    @property
    def weights(self) -> Float[Array, "n n"]:
        """softmax(XU(XU)ᵀ): query (row) reads from key (column)."""
        projected = project(np.array(self.points), self.matrix)
        return attention_weights(projected, projected, scale=1)

    @property
    def share(self) -> float:
        """What a token reads from its own kind, in the mean over the tokens."""
        return float(kind_share(self.weights, self._kinds).mean())

    @property
    def loss(self) -> float:
        """Minus the mean logarithm of what each token reads from its own kind."""
        return reading_loss(np.array(self.points), self.matrix, self._kinds)

    @property
    def gradient(self) -> Float[Array, "2 2"]:
        """The derivative of the loss by each entry of `matrix`."""
        return reading_gradient(np.array(self.points), self.matrix, self._kinds)

    def stepped(self, count: int, start: ArrayLike | None = None) -> Float[Array, "2 2"]:
        """`u`, or another start, after some steps of gradient descent.

        Each is U ← U − rate · gradient, its entries held within −3 to 3.
        """
        u, x = np.array(self.u if start is None else start), np.array(self.points)
        for _ in range(count):
            u = np.clip(u - self.rate * reading_gradient(x, u, self._kinds), -REACH, REACH)
        return u

    @property
    def _kinds(self) -> Int[Array, "n"]:
        return np.array(self.kinds).astype(int)

    def check(self, inputs: SimpleNamespace) -> None:
        n = len(inputs.points)
        if len(inputs.kinds) != n:
            raise InputError(f"{len(inputs.kinds)} kinds for {n} points")
        if n < LEAST:
            raise InputError(f"{n} points are fewer than the {LEAST} that are needed")
        for i, kind in enumerate(inputs.kinds):
            if kind not in (0, 1):
                raise InputError(f"kinds[{i}] is {kind:g}, not 0 or 1".replace("-", "−"))
        for kind in (0, 1):
            if (count := inputs.kinds.count(kind)) < 2:
                raise InputError(f"kinds has {count} of the kind {kind}: two or more are needed")
        check_within("points", inputs.points, -REACH, REACH)
        check_within("u", inputs.u, -REACH, REACH)
        for i, loss in enumerate(inputs.losses):
            if loss < 0:
                raise InputError(f"losses[{i}] is {loss:g}, below 0".replace("-", "−"))

    def fallback(self) -> str:
        across, up = best_factors(tuple(map(tuple, self.points)), tuple(self.kinds))
        rows: list[Row] = [
            self._row("U as it is here", self.matrix),
            self._row("the two factors with the largest share", np.diag([across, up])),
            self._row("the whole U, after 40 steps from the identity", self.stepped(40, np.eye(2))),
        ]
        shown, columns = "how much a token reads from its own kind, itself included", ["U", "own kind", "loss"]
        if self.training:
            return table(self.caption(f"{shown}, by the weights softmax(XU(XU)ᵀ)."), columns, rows)
        untrained: list[Row] = [(name.removeprefix("U "), [*cells][:2]) for name, cells in rows[:2]]
        return table(self.caption(f"{shown}."), ["numbers", "own kind"], untrained)

    def _row(self, name: str, matrix: Float[Array, "2 2"]) -> Row:
        x = np.array(self.points)
        weights = attention_weights(x @ matrix, x @ matrix, scale=1)
        rows = "; ".join(" ".join(f"{entry:.2f}" for entry in row) for row in matrix + 0.0).replace("-", "−")
        share = kind_share(weights, self._kinds).mean()
        return name, [f"[{rows}]", f"{share:.0%}", reading_loss(x, matrix, self._kinds)]


@lru_cache(maxsize=16)
def best_factors(points: tuple[tuple[float, ...], ...], kinds: tuple[float, ...]) -> tuple[float, float]:
    """The factors for the two axes, of 0 to 3 in steps of 0.05, with which tokens read most from their own kind."""
    across, up = np.meshgrid(FACTORS, FACTORS, indexing="ij")
    factors = np.stack([across, up], axis=-1).reshape(-1, 1, 2)
    projected = np.array(points) * factors
    same = np.equal.outer(kinds, kinds)
    shares = (attention_weights(projected, projected, scale=1) * same).sum(axis=-1).mean(axis=-1)
    best_across, best_up = factors[shares.argmax(), 0].tolist()
    return best_across, best_up


def _factors(u: list[list[float]]) -> Float[Array, "2 2"]:
    return np.diag(np.abs(np.diag(u)))
