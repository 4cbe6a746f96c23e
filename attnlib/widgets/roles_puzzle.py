"""RolesPuzzle: each word should read from another, by one place for each, and then by a place to ask and one to be asked."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, Texts
from attnlib.scaled_dot_product import attention_scores, softmax
from attnlib.widgets.base import PageWidget, check_count, check_within
from attnlib.widgets.tables import Row, table, vector

TOKENS = ("we", "have", "a", "problem")
TARGETS = (1, 0, 3, 1)
START = ((-0.5, 1.7), (0.9, 1.5), (-0.6, -0.5), (1.0, -0.5))
LARGEST = 3.0  # of an entry of a place, as far as the plane reaches


class RolesPuzzle(PageWidget):
    """Each word should read from another: `targets` (n) holds that word's index for each of the `tokens` (3 to 8).

    `points` (n × 2, entries from −3 to 3) are the places of the words; a score is the dot product of two of them, and the
    weights are the softmax of each row. Whatever the targets, some words should read in a circle, such as two from each
    other: wherever the points lie, not all of these reach a share of 0.5. Where the page hands over what is missing
    (`handed`), the `points` are where the words ask, and `asked` (n × 2, entries from −3 to 3) where they are asked;
    otherwise `asked` counts nothing. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, for a target that is none of the
            other words, and for an entry outside its bounds, naming its index.

    >>> RolesPuzzle().shares.round(2).tolist()
    [0.25, 0.26, 0.21, 0.21]
    >>> RolesPuzzle(points=[[3, 3], [-3, 3], [3, -3], [3, 3]], handed=True).shares.round(2).tolist()
    [0.97, 0.99, 0.99, 0.97]
    """

    _alive = "drag the words, and hand over what is missing"
    title = traitlets.Unicode("Each word reads another").tag(sync=True)
    tokens = Texts(minlen=3, maxlen=8).tag(sync=True)
    targets = Numbers("n").tag(sync=True)
    points = Numbers("n 2").tag(sync=True, link=True)
    asked = Numbers("n 2").tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)

    def __init__(
        self,
        tokens: Sequence[str] = TOKENS,
        targets: ArrayLike = TARGETS,
        points: ArrayLike = START,
        asked: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        """`asked=None` means the places of the start, where there are as many, and else those of `points`."""
        if asked is None:
            asked = START if len(tokens) == len(START) else points
        super().__init__(tokens=list(tokens), targets=targets, points=points, asked=asked, **options)

    @property
    def scores(self) -> Float[Array, "n n"]:
        """The dot products of where a word (row) asks and where a word (column) is asked."""
        return _scores(self.points, self.asked if self.handed else self.points)

    @property
    def weights(self) -> Float[Array, "n n"]:
        """The softmax of each row: query (row) reads from key (column)."""
        return softmax(self.scores)

    @property
    def shares(self) -> Float[Array, "n"]:
        """The weight of each word on its target."""
        return _shares(self.scores, self.targets)

    def check(self, inputs: SimpleNamespace) -> None:
        n = len(inputs.tokens)
        for name in ("targets", "points", "asked"):
            check_count(inputs.tokens, getattr(inputs, name), name)
        for i, at in enumerate(inputs.targets):
            if at not in range(n) or at == i:
                raise InputError(f"targets[{i}] is {at:g}, none of the other words, 0 … {n - 1}".replace("-", "−", 1))
        for name in ("points", "asked"):
            check_within(name, getattr(inputs, name), -LARGEST, LARGEST)

    def fallback(self) -> str:
        names = [f"{token} {vector(point)}" for token, point in zip(self.tokens, self.points, strict=True)]
        caption = self.caption("the weights. Query (row) reads from key (column).")
        shown = table(caption, self.tokens, zip(names, self.weights, strict=True), self.weights)
        points, asked = (np.array(self.points), np.array(self.asked)) if self.handed else solution(self.targets)
        one = _shares(_scores(self.points, self.points), self.targets)
        two = _shares(_scores(points, asked), self.targets)
        rows: list[Row] = [
            (
                f"{token} → {self.tokens[int(at)]}",
                [f"{one[i]:.0%}", vector(points[i]), vector(asked[int(at)]), f"{two[i]:.0%}"],
            )
            for i, (token, at) in enumerate(zip(self.tokens, self.targets, strict=True))
        ]
        caption = "The share that each word reads from the one that it should read from, with one place for each, as they lie at the start, and with two."
        return shown + table(
            caption, ["one place, at the start", "asks at", "that word is asked at", "two places"], rows
        )


def solution(targets: ArrayLike) -> tuple[Float[Array, "n 2"], Float[Array, "n 2"]]:
    """Places that win: each word is asked at a place of its own on a circle, and asks where its target is asked."""
    wanted = np.array(targets).astype(int)
    angles = 2 * np.pi * np.arange(len(wanted)) / len(wanted)
    asked = LARGEST * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return asked[wanted], asked


def _scores(points: ArrayLike, asked: ArrayLike) -> Float[Array, "n n"]:
    return attention_scores(np.array(points), np.array(asked), scale=1)


def _shares(scores: Float[Array, "n n"], targets: ArrayLike) -> Float[Array, "n"]:
    wanted = np.array(targets).astype(int)
    return np.array(softmax(scores)[np.arange(len(wanted)), wanted])
