"""OrderPuzzle: two sentences of the same words, in which one query is to read the word before it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import Real
from attnlib.scaled_dot_product import softmax
from attnlib.widgets.base import PageWidget, fixed
from attnlib.widgets.tables import Row, table

SENTENCES = [["dog", "bites", "man"], ["man", "bites", "dog"]]
PLACES = ["one place before", "itself", "one place after"]  # as "bites" sees the three words


def _score() -> Real:
    return Real(0.0, min=-5, max=5).tag(sync=True, link=True)


class OrderPuzzle(PageWidget):
    """In *dog bites man* and in *man bites dog*: can *bites* read the word before it?

    The reader sets the scores of *bites* for *dog*, for *man* and for *itself* (each −5 to 5). A score belongs to a word, so
    the two sentences have the same three scores in another order, and the same three weights. The mean weight on the word
    before is thus (w_dog + w_man)/2, less than 1/2. Where the page hands over what is missing (`handed`), a number is added
    to the score of the word one place before and one to that of the word one place after (`before` and `after`, each −5 to
    5); otherwise they count nothing. All are synced.

    Raises:
        ValueError: an `InputError`, for a number outside its bounds.

    >>> OrderPuzzle(dog=5, itself=-5).weights.round(3).tolist()
    [[0.993, 0.0, 0.007], [0.007, 0.0, 0.993]]
    >>> round(OrderPuzzle(dog=5, itself=-5).share, 3), round(OrderPuzzle(handed=True, before=5).share, 3)
    (0.5, 0.987)
    """

    _alive = "move the scores, and hand over what is missing"
    title = traitlets.Unicode("The word before").tag(sync=True)
    dog, man, itself = _score(), _score(), _score()
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    before, after = _score(), _score()
    constants = fixed(sentences=SENTENCES, places=PLACES)

    @property
    def scores(self) -> Float[Array, "2 3"]:
        """Of *bites* for the words of each sentence, in their order."""
        return self._state.scores

    @property
    def weights(self) -> Float[Array, "2 3"]:
        """The softmax of each row."""
        return self._state.weights

    @property
    def share(self) -> float:
        """The mean over both sentences of the weight on the word before."""
        return self._state.share

    @property
    def _state(self) -> "_State":
        return _state((self.dog, self.man, self.itself), (self.before, self.after) if self.handed else (0, 0))

    def fallback(self) -> str:
        now = self._state
        caption = self.caption("the weights of “bites” in two sentences. It should read the word before it.")
        rows: list[Row] = [
            (" ".join(sentence), [f"{word} {weight:.0%}" for word, weight in zip(sentence, weights, strict=True)])
            for sentence, weights in zip(SENTENCES, now.weights, strict=True)
        ]
        states = {
            "0 for each": _state((0, 0, 0)),
            "5 for dog, −5 for man and itself": _state((5, -5, -5)),
            "5 for dog and man, −5 for itself": _state((5, 5, -5)),
            "0 for each, and 5 added one place before": _state((0, 0, 0), (5, 0)),
        }
        shares: list[Row] = [
            (name, [f"{share:.0%}" for share in (*one.weights[:, 0], one.share)]) for name, one in states.items()
        ]
        columns = [*map(" ".join, SENTENCES), "mean"]
        return table(caption, PLACES, rows, now.weights) + table(
            "The scores of “bites”, and its weight on the word before.", columns, shares
        )


class _State(NamedTuple):
    scores: Float[Array, "2 3"]
    weights: Float[Array, "2 3"]
    share: float


def _state(scores: Sequence[float], added: Sequence[float] = (0, 0)) -> _State:
    """What follows from the scores for dog, man and itself, and the numbers added one place before and one after."""
    of = dict(zip(("dog", "man", "bites"), scores, strict=True))
    before, after = added
    rows = np.array([[of[word] for word in sentence] for sentence in SENTENCES]) + np.array([before, 0, after])
    weights = softmax(rows)
    return _State(rows, weights, float(weights[:, 0].mean()))
