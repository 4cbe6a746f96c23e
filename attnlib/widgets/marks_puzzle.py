"""MarksPuzzle: sixteen keys that a matrix makes of four marks, in a plane where no query can read nine of them most."""

from types import SimpleNamespace

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import Numbers, Whole
from attnlib.lab.geometry import lone_corners
from attnlib.widgets.base import PageWidget, check_within, fixed
from attnlib.widgets.tables import Row, table, vector

COUNT = 16  # keys, one for each combination of four marks
ROWS = [[1.35, 0.0], [0.95, 0.95], [0.0, 1.35], [-0.95, 0.95]]
LARGEST, RADIUS = 1.5, 4.8  # of a row's number, and of the circle of free keys
FINEST = 1e-6  # what is nearer to each other stands on one place


class MarksPuzzle(PageWidget):
    """A key is the sum of four rows of W_K, each times 1 or −1, as the token's marks say. Which keys can be read most?

    `rows` (4 × 2, each number from −1.5 to 1.5) and `query` (2) are moved. A query reads the key most that lies farthest
    along it, so only corners of the keys' convex hull can be read most: at most 8 of the 16, whatever the rows. `seen`
    holds, as a binary number, which were read most so far (key i as 2^i; its mark j is 1 where i has the bit 2^j).
    Where the page hands over what is missing (`handed`), the keys are free: all lie on a circle. All are synced.

    Raises:
        ValueError: an `InputError`, for a row outside its bounds, naming its index.

    >>> len(MarksPuzzle().reachable), len(MarksPuzzle(handed=True).reachable)
    (8, 16)
    >>> MarksPuzzle.marks(MarksPuzzle().leader)
    '+ + + −'
    """

    _alive = "turn the query, move the rows, and free the keys"
    title = traitlets.Unicode("Sixteen keys from four marks").tag(sync=True)
    provenance = traitlets.Unicode("hand-made").tag(sync=True)
    rows = Numbers("4 2", ROWS).tag(sync=True, link=True)
    query = Numbers("2", (2.6, 1.0)).tag(sync=True, link=True)
    seen = Whole(0, min=0, max=2**COUNT - 1).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    constants = fixed(count=COUNT, largest=LARGEST, radius=RADIUS)

    @property
    def points(self) -> Float[Array, "16 2"]:
        """The key of each combination of marks."""
        return _free() if self.handed else _made(self.rows)

    @property
    def leader(self) -> int | None:
        """The key that the query reads most, None where two share the lead."""
        scores = self.points @ np.array(self.query)
        first, second = np.argsort(-scores, kind="stable")[:2]
        return int(first) if scores[first] > scores[second] + 1e-9 else None

    @property
    def reachable(self) -> list[int]:
        """The keys that some query reads most: the corners of the hull, where no other key stands."""
        return _reachable(self.points)

    @staticmethod
    def marks(key: int) -> str:
        """The four marks of a key, such as "+ − − +"."""
        return " ".join("+" if key >> mark & 1 else "−" for mark in range(4))

    def check(self, inputs: SimpleNamespace) -> None:
        check_within("rows", inputs.rows, -LARGEST, LARGEST)

    def fallback(self) -> str:
        made, free = _reachable(_made(self.rows)), _reachable(_free())
        rows: list[Row] = []
        for i, key in enumerate(_made(self.rows)):
            can = ["yes" if i in reachable else "no" for reachable in (made, free)]
            rows.append((self.marks(i), [vector(key), *can]))
        caption = self.caption(
            f"keys that are sums of four rows, {', '.join(map(vector, self.rows))}, each times 1 or −1, by the marks. "
            f"{len(made)} of the {COUNT} can be read most by some query. Free keys on a circle all can."
        )
        return table(caption, ["key", "some query reads it most", "if the keys are free"], rows)


def _made(rows: list[list[float]]) -> Float[Array, "16 2"]:
    """Each combination of signs, times the rows."""
    signs = 2.0 * (np.arange(COUNT)[:, None] >> np.arange(4) & 1) - 1
    return np.array(signs @ np.array(rows))


def _free() -> Float[Array, "16 2"]:
    """Keys on a circle."""
    angle = 2 * np.pi * np.arange(COUNT) / COUNT
    return RADIUS * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _reachable(points: Float[Array, "16 2"]) -> list[int]:
    return lone_corners((points / FINEST).round())
