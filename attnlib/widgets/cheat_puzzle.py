"""CheatPuzzle: what a guard erases after the softmax still tells a coin; −∞ before the softmax does not."""

import math
from typing import NamedTuple

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import Real
from attnlib.scaled_dot_product import softmax
from attnlib.widgets.base import PageWidget, fixed
from attnlib.widgets.tables import Row, table

SIDES = ("heads", "tails")
SCORES = (2.0, -1.0)  # on the coin, by its side; on itself the cheat's score is 0
VALUES = (1.0, -1.0)  # of the coin, by its side; the cheat's own is 1
COINS = "HTTHTHHTHTTTHHTHTHHT"  # ten of each side


class CheatPuzzle(PageWidget):
    """A cheat has to guess a coin from its own output alone, and the reader is the guard who should hide the coin.

    The cheat's score on itself is 0; on the coin it is 2 for heads and −1 for tails. The weights are the softmax of the two,
    the cheat's own value is 1, the coin's is 1 or −1. After the softmax the guard may erase the weight on the coin
    (`erase_weight`) and multiply both outputs by one `factor` (0.1 to 2). However these are set, the outputs for heads and
    tails differ, and a cheat who knows what is set is right for all of 20 coins. Where the page hands over what is missing
    (`handed`), `masked` makes the score on the coin −∞ before the softmax, and one guess must do for all coins: 10 are
    right. Otherwise `masked` counts nothing. All are synced.

    Raises:
        ValueError: an `InputError`, for a factor outside its bounds.

    >>> CheatPuzzle(erase_weight=True).outputs.round(3).tolist()
    [0.119, 0.731]
    >>> CheatPuzzle(erase_weight=True).right, CheatPuzzle(handed=True, masked=True).right
    (20, 10)
    """

    _alive = "erase what tells the coin, and hand over what is missing"
    title = traitlets.Unicode("Hide the coin").tag(sync=True)
    erase_weight = traitlets.Bool(False).tag(sync=True, link=True)
    factor = Real(1.0, min=0.1, max=2).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    masked = traitlets.Bool(False).tag(sync=True, link=True)
    constants = fixed(scores=list(SCORES), values=list(VALUES), coins=COINS)

    @property
    def scores(self) -> Float[Array, "2 2"]:
        """The cheat's scores, on itself and on the coin, in a row for heads and one for tails."""
        return self._state.scores

    @property
    def weights(self) -> Float[Array, "2 2"]:
        """The softmax of each row, less what is erased: on itself and on the coin, for heads and for tails."""
        return self._state.weights

    @property
    def outputs(self) -> Float[Array, "2"]:
        """What the cheat sees, for heads and for tails."""
        return self._state.outputs

    @property
    def right(self) -> int:
        """How many of the 20 coins the cheat guesses."""
        return self._state.right

    @property
    def _state(self) -> "_State":
        return _state(self.erase_weight, self.factor, self.handed and self.masked)

    def fallback(self) -> str:
        now = self._state
        rows: list[Row] = [
            ("score on itself", [f"{score:g}" for score in now.scores[:, 0]]),
            ("score on coin", [_told(score) for score in now.scores[:, 1]]),
            ("weight on itself", now.weights[:, 0].tolist()),
            ("weight on coin", now.weights[:, 1].tolist()),
            ("their sum", now.weights.sum(axis=1).tolist()),
            ("coin's value", [_told(value) for value in VALUES]),
            ("output", [f"{output:.3f}" for output in now.outputs]),
        ]
        caption = self.caption("a cheat sees its own output and has to guess a coin. Its own value is 1.")
        states = {
            "nothing erased": _state(),
            "the weight on the coin erased": _state(weight=True),
            "the weight on the coin erased, the outputs times 0.1": _state(weight=True, factor=0.1),
            "before the softmax, the score on the coin made −∞": _state(masked=True),
        }
        ends: list[Row] = [
            (name, [*(f"{output:.3f}" for output in one.outputs), f"{one.right} of {len(COINS)}"])
            for name, one in states.items()
        ]
        caption_of_ends = f"What the guard does, the two outputs, and how many of {len(COINS)} coins the cheat guesses."
        return table(caption, SIDES, rows) + table(caption_of_ends, [*SIDES, "guessed"], ends)


class _State(NamedTuple):
    scores: Float[Array, "2 2"]
    weights: Float[Array, "2 2"]
    outputs: Float[Array, "2"]
    right: int


def _state(weight: bool = False, factor: float = 1.0, masked: bool = False) -> _State:
    """What follows where the weight on the coin is erased, or the score on it masked."""
    scores = np.array([[0, -math.inf if masked else score] for score in SCORES])
    weights = softmax(scores) * (1, not weight)
    values = np.array([[1, side] for side in VALUES])
    outputs = (weights * values).sum(axis=1) * factor
    heads, tails = outputs
    right = len(COINS) if heads != tails else COINS.count("H")  # then it says heads each time
    return _State(scores, weights, outputs, right)


def _told(number: float) -> str:
    return "−∞" if number == -math.inf else f"{number:g}".replace("-", "−")
