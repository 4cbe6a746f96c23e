"""SpeedsPuzzle: two rotary dials, by whose speeds the letter before leads over all others, or does not."""

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import Real
from attnlib.widgets.base import PageWidget, fixed
from attnlib.widgets.tables import Row, table

QUERY, KEY = [[2, -3], [-2, 6]], [[1, 0], [1, 0]]  # the fast dial, then the slow one
FAR, GOAL = 60, 1  # the farthest distance, and by how much distance 1 should lead
SHOWN = [(1.0, 0.1), (1.0, 0.05), (1.0, 0.03), (1.0, 0.01), (0.5, 0.05)]  # speeds in the table


class SpeedsPuzzle(PageWidget):
    """A head scores distances by two dials that turn a query. At which speeds does it read the letter before?

    The query (2, −3) is turned by `fast` radians a place (0.2 to 2), the query (−2, 6) by `slow` (0.005 to 0.2); both
    keys are (1, 0). The score of a distance is the sum of the two dot products. Distance 1 should score at least 1 more
    than every other distance up to 60. Both are synced.

    Raises:
        ValueError: an `InputError`, for a speed outside its bounds.

    >>> SpeedsPuzzle().first, SpeedsPuzzle(slow=0.05).first, SpeedsPuzzle(slow=0.03).first
    (26, 51, None)
    >>> [round(SpeedsPuzzle(slow=slow).lead, 2) for slow in (0.1, 0.05, 0.03, 0.02)]
    [-8.87, -2.42, 1.15, 0.82]
    """

    _alive = "move both speeds"
    title = traitlets.Unicode("Two speeds").tag(sync=True)
    provenance = traitlets.Unicode("hand-made").tag(sync=True)
    fast = Real(1.0, min=0.2, max=2).tag(sync=True, link=True)
    slow = Real(0.1, min=0.005, max=0.2).tag(sync=True, link=True)
    constants = fixed(query=QUERY, key=KEY, far=FAR, goal=GOAL)

    @property
    def scores(self) -> Float[Array, "61"]:
        """The score of each distance, from 0."""
        return _scores(self.fast, self.slow)

    @property
    def lead(self) -> float:
        """By how much distance 1 scores more than the best of all others; below 0 where another scores more."""
        return _lead(self.scores)

    @property
    def first(self) -> int | None:
        """The first distance that scores more than distance 1, if there is one."""
        return _first(self.scores)

    def fallback(self) -> str:
        rows: list[Row] = []
        for fast, slow in dict.fromkeys([(self.fast, self.slow), *SHOWN]):
            scores = _scores(fast, slow)
            first, lead = _first(scores), _lead(scores)
            shown = f"{lead:.2f}{' ✓' if round(lead, 2) >= GOAL else ''}".replace("-", "−")
            own = f"{scores[1]:.2f}".replace("-", "−")
            rows.append((f"{fast:g} and {slow:g}", [own, "none" if first is None else str(first), shown]))
        caption = self.caption(
            f"by the speeds of the fast and the slow dial, the score of distance 1, the first distance up to {FAR} that scores "
            f"more, and by how much distance 1 leads. ✓: by {GOAL} or more."
        )
        return table(caption, ["score of distance 1", "first that scores more", "lead"], rows)


def _lead(scores: Float[Array, "61"]) -> float:
    return float(scores[1] - np.delete(scores, 1).max())


def _first(scores: Float[Array, "61"]) -> int | None:
    more = np.flatnonzero(scores > scores[1])
    return int(more[0]) if len(more) else None


def _scores(fast: float, slow: float) -> Float[Array, "61"]:
    """The sum over the dials of a query's product with its key, after each number of places."""
    angle = np.outer([fast, slow], np.arange(FAR + 1))  # 2 × 61
    (a, b), (c, e) = np.transpose(QUERY)[..., None], np.transpose(KEY)[..., None]
    turned = (a * np.cos(angle) - b * np.sin(angle)) * c + (a * np.sin(angle) + b * np.cos(angle)) * e
    return np.array(turned.sum(axis=0))
