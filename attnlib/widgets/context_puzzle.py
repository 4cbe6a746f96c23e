"""ContextPuzzle: what the last word of a sentence reads, while words before it are taken away and put back."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Texts
from attnlib import houston
from attnlib.projections import project
from attnlib.scaled_dot_product import softmax
from attnlib.widgets.base import ProjectedWidget
from attnlib.widgets.tables import Row, table

SENTENCE = ("we", "have", "a", "problem", "Houston")


class ContextPuzzle(ProjectedWidget):
    """One word asks, the others may be taken away: which word does it read most, and what does it take?

    The last of the `tokens` (2 to 12) makes a query, each token a key and a value, from its row of `x` by `w_q`, `w_k` and
    `w_v`; what is not given is that of `attnlib.houston`. Scores are not divided. `absent` holds the places of the
    words that are away, and `value_axes` names what a value says. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, naming them, and for a place in `absent` that is not that
            of a word before the last, naming its index.

    >>> whole, short = ContextPuzzle(), ContextPuzzle(absent=[2, 3])
    >>> whole.most, short.most
    ('problem', 'have')
    >>> whole.blend.round(2), short.blend.round(2)
    (array([0.08, 0.09, 1.23]), array([0.48, 0.55, 0.18]))
    """

    _alive = "take words away, and put them back"
    title = traitlets.Unicode("What the last word reads").tag(sync=True)
    tokens = Texts(minlen=2, maxlen=12).tag(sync=True)
    value_axes = Texts().tag(sync=True)
    absent = traitlets.List(traitlets.Int()).tag(sync=True, link=True)

    def __init__(self, tokens: Sequence[str] = SENTENCE, x: ArrayLike | None = None, **options: Any) -> None:
        """`x=None` means the embeddings of the running example, for words of it."""
        if x is None:
            for i, token in enumerate(tokens):
                if token not in houston.TOKENS:
                    raise InputError(f"tokens[{i}] is {token!r}, no word of the example: give x")
            x = houston.EMBEDDINGS[[houston.TOKENS.index(token) for token in tokens]]
        super().__init__(tokens, x, **options)

    def _beside(self, given: dict[str, Any]) -> dict[str, Any]:
        return {} if "w_v" in given else {"value_axes": houston.VALUE_AXES}

    @property
    def here(self) -> list[int]:
        """The places of the words that are there."""
        return [i for i in range(len(self.tokens)) if i not in self.absent]

    @property
    def weights(self) -> Float[Array, "n"]:
        """What the last word reads from each that is there."""
        return self._read(self.here)[0]

    @property
    def blend(self) -> Float[Array, "d_v"]:
        """The blend of their values."""
        return self._read(self.here)[1]

    @property
    def most(self) -> str:
        """The word that is read most; of equals the first."""
        return self.tokens[self.here[int(self.weights.argmax())]]

    def _read(self, here: list[int]) -> tuple[Float[Array, "n"], Float[Array, "d_v"]]:
        """The weights and the blend, where these words are there."""
        x = np.array(self.x)[here]
        (query,), keys = project(x[-1:], np.array(self.w_q)), project(x, np.array(self.w_k))
        weights = softmax(keys @ query)
        return weights, np.array(weights @ project(x, np.array(self.w_v)))

    def check(self, inputs: SimpleNamespace) -> None:
        super().check(inputs)
        last = len(inputs.tokens) - 1
        for i, place in enumerate(inputs.absent):
            if not 0 <= place < last:
                raise InputError(f"absent[{i}] is {place}, outside 0 to {last - 1}: the last word stays")
        if len(inputs.value_axes) != len(inputs.w_v[0]):
            raise InputError(f"{len(inputs.value_axes)} value_axes for values of width {len(inputs.w_v[0])}")

    def fallback(self) -> str:
        last, rows = len(self.tokens) - 1, list[Row]()
        for absent in [self.absent, [], *([i] for i in range(last)), list(range(last - 1))]:
            here = [i for i in range(last + 1) if i not in absent]
            weights, blend = self._read(here)
            name, most = " ".join(self.tokens[i] for i in here), self.tokens[here[int(weights.argmax())]]
            if name not in [row[0] for row in rows]:
                rows.append((name, [f"{most} {weights.max():.2f}", *blend]))
        caption = self.caption(
            f"in each sentence, which word “{self.tokens[-1]}” reads most, and the blend that it takes."
        )
        return table(caption, ["reads most", *self.value_axes], rows)
