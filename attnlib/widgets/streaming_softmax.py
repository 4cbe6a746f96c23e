"""StreamingSoftmax: keys come one by one, and three numbers are all that is kept of them."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, Whole
from attnlib.formatting import compact, text
from attnlib.lab.passing import streamed_softmax
from attnlib.widgets.base import PageWidget
from attnlib.widgets.tables import Row, table

MOST = 12  # keys
LARGEST = 1000.0  # of a score and of a value
SCORES, VALUES = (2.0, 1.0, 4.0, 3.0, 5.0, 4.5), (4.0, -2.0, 1.0, 2.0, 3.0, -1.0)


class StreamingSoftmax(PageWidget):
    """The softmax in passing: a bar e^(score − largest) for each key seen; all shrink where a larger score comes.

    `scores` and `values` hold one number for each key, 1 to 12 of them, from −1000 to 1000. Of `seen` keys, 0 to all,
    three numbers are remembered: the largest score, the total of the bars, and their blend of the values. Blend / total
    is the answer so far, and equals, up to rounding, what the softmax gives with all seen keys at hand. No exponent is
    above 0, so scores of hundreds do not overflow. All three inputs are synced, and a reader can change them.

    Raises:
        ValueError: an `InputError`, for lengths that differ, naming them, for more keys seen than there are,
            and for a number outside its bounds, naming its index.

    >>> stream = StreamingSoftmax([700, 701], [1, 0], seen=2)
    >>> stream.states.round(2).tolist()
    [[700.0, 1.0, 1.0], [701.0, 1.37, 0.37]]
    >>> round(stream.answer, 2)
    0.27
    """

    _alive = "let the keys come one by one, and change their scores and values"
    title = traitlets.Unicode("A softmax in passing").tag(sync=True)
    scores = Numbers("n", maxlen=MOST).tag(sync=True, link=True)
    values = Numbers("n", maxlen=MOST).tag(sync=True, link=True)
    seen = Whole(0, min=0, max=MOST).tag(sync=True, link=True)

    def __init__(
        self, scores: ArrayLike | Sequence[float] = SCORES, values: ArrayLike | Sequence[float] = VALUES, **options: Any
    ) -> None:
        super().__init__(scores=scores, values=values, **options)

    @property
    def states(self) -> Float[Array, "n 3"]:
        """What is remembered after each key: largest, total and blend, as `attnlib.lab.streamed_softmax` gives it."""
        return streamed_softmax(np.array(self.scores), np.array(self.values))

    @property
    def answer(self) -> float | None:
        """Blend / total of the keys seen so far, None before the first."""
        if self.seen == 0:
            return None
        _, total, blend = self.states[self.seen - 1]
        return float(blend / total)

    def check(self, inputs: SimpleNamespace) -> None:
        if len(inputs.scores) != len(inputs.values):
            raise InputError(f"{len(inputs.scores)} scores for {len(inputs.values)} values")
        for name in ("scores", "values"):
            for j, entry in enumerate(getattr(inputs, name)):
                if abs(entry) > LARGEST:
                    outside = f"{entry:g}, outside {-LARGEST:g} to {LARGEST:g}".replace("-", "−")
                    raise InputError(f"{name}[{j}] is {outside}")
        if inputs.seen > len(inputs.scores):
            raise InputError(f"seen is {inputs.seen}, of {len(inputs.scores)} keys")

    def fallback(self) -> str:
        rows: list[Row] = [
            (
                f"key {j + 1}",
                [
                    text(self.scores[j]),
                    text(self.values[j]),
                    text(m),
                    compact(total),
                    compact(blend),
                    text(blend / total),
                ],
            )
            for j, (m, total, blend) in enumerate(self.states)
        ]
        caption = self.caption("what is remembered after each key, and the answer so far, blend / total.")
        return table(caption, ["score", "value", "largest", "total", "blend", "answer"], rows)
