"""LayersPuzzle: no single head of MiniLM decides which sentence is the nearer; a whole layer may."""

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import InputError, Numbers, Texts, Whole
from attnlib.formatting import text
from attnlib.lab import minilm
from attnlib.widgets.base import PageWidget, check_index, check_within, fixed
from attnlib.widgets.tables import Row, table

BANK = "The bank by the river was covered with flowers."
MOST_LAYERS, MOST_HEADS = 8, 16


class LayersPuzzle(PageWidget):
    """A model compares a sentence with two others. Which head must be silenced so that the second is the nearer one?

    Two cosines are shown: of the first of `texts` with the second, and with the third. The goal is that the second
    cosine is the greater one. `heads` holds both cosines without each head, (layers, heads, 2), and `layers` those
    without each set of whole layers, (2^layers, 2): of six layers, layer 1 is the bit 32, layer 6 the bit 1. Row 0 is
    the whole model. Without arguments, they are what MiniLM gave for a sentence about a bank by the river, recorded by
    `attnlib.lab.minilm`: no head alone reaches the goal, and layer 1 does.

    `silenced` is the one head that is silenced, counted from 0 through all layers, or −1. Where the page hands over what
    is missing (`handed`), whole layers are silenced in its place: `off` is their row in `layers`, and 0 is none. `tried`
    holds the heads that were tried.

    Raises:
        ValueError: an `InputError`, for sizes that do not fit, for cosines outside −1 to 1, for a head or a row
            that is none, and where the whole model has reached the goal already.

    >>> LayersPuzzle(silenced=4).cosines.tolist(), LayersPuzzle(silenced=4).reached
    ([0.385, 0.355], False)
    >>> LayersPuzzle(off=32, handed=True).cosines.tolist(), LayersPuzzle(off=32, handed=True).reached
    ([0.283, 0.355], True)
    """

    _alive = "silence a head, and hand over what is missing"
    title = traitlets.Unicode("Lose the river").tag(sync=True)
    provenance = traitlets.Unicode("all-MiniLM-L6-v2, recorded").tag(sync=True)
    texts = Texts(minlen=3, maxlen=3).tag(sync=True)
    heads = Numbers("layers heads 2", maxlen=MOST_LAYERS).tag(sync=True)
    layers = Numbers("sets 2", maxlen=2**MOST_LAYERS).tag(sync=True)
    silenced = Whole(-1, min=-1, max=MOST_LAYERS * MOST_HEADS - 1).tag(sync=True, link=True)
    off = Whole(0, min=0, max=2**MOST_LAYERS - 1).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    tried = traitlets.List(traitlets.Int()).tag(sync=True, link=True)
    constants = fixed(most_heads=MOST_HEADS)

    def __init__(self, texts: Sequence[str] | None = None, **options: Any) -> None:
        given = {} if texts is None else {"texts": list(texts)}
        super().__init__(**_as_recorded() | given | options)

    @property
    def cosines(self) -> Float[Array, "2"]:
        """The cosines with the two other sentences, without what is silenced."""
        return np.array(self._shown[1])

    @property
    def reached(self) -> bool:
        """Whether the second cosine is the greater one."""
        first, second = self._shown[1]
        return bool(first < second)

    @property
    def _shown(self) -> tuple[str, list[float]]:
        """What is silenced, and the two cosines without it."""
        if self.handed and self.off:
            count = len(self.heads)
            off = [str(layer + 1) for layer in range(count) if self.off >> (count - 1 - layer) & 1]
            return f"layer{'s' * (len(off) > 1)} {', '.join(off)}", self.layers[self.off]
        if self.silenced < 0:
            return "nothing", self.layers[0]
        layer, head = divmod(self.silenced, len(self.heads[0]))
        return _named(layer, head), self.heads[layer][head]

    def check(self, inputs: SimpleNamespace) -> None:
        count, width = len(inputs.heads), len(inputs.heads[0])
        if width > MOST_HEADS:
            raise InputError(f"heads has {width} heads in a layer, more than {MOST_HEADS}")
        if len(inputs.layers) != 2**count:
            raise InputError(f"{count} layers have {2**count} sets, layers has {len(inputs.layers)} rows")
        for layer, rows in enumerate(inputs.heads):
            check_within(f"heads[{layer}]", rows, -1, 1)
        check_within("layers", inputs.layers, -1, 1)
        first, second = inputs.layers[0]
        if not first > second:
            raise InputError(f"layers[0] is {first:g} and {second:g}: the goal is reached before anything is silenced")
        if inputs.silenced >= 0:
            check_index("silenced", inputs.silenced, count * width)
        check_index("off", inputs.off, 2**count)
        for i, one in enumerate(inputs.tried):
            check_index(f"tried[{i}]", one, count * width)

    def fallback(self) -> str:
        figures = np.array(self.heads)
        nearest = (figures[..., 0] - figures[..., 1]).argmin(axis=1)
        count = len(self.heads)
        sets = {
            "nothing": self.layers[0],
            **dict([self._shown]),
            **{_named(layer, head): self.heads[layer][head] for layer, head in enumerate(nearest.tolist())},
            **{f"layer {layer + 1}": self.layers[1 << (count - 1 - layer)] for layer in range(count)},
        }
        rows: list[Row] = [
            (name, [text(x, 3) for x in (first, second, first - second)]) for name, (first, second) in sets.items()
        ]
        sentence, near, far = self.texts
        caption = self.caption(
            f"what is silenced, and the cosines of “{sentence}” with two other sentences. Of each layer, the head whose "
            "silence leaves the smallest difference, and the whole layer."
        )
        return table(caption, [near, far, "first − second"], rows)


@cache
def _as_recorded() -> dict[str, Any]:
    """What MiniLM gave."""
    effects = minilm.recording(BANK).effects
    assert effects is not None
    at = minilm.texts().index(BANK)
    layers = minilm.record()["silenced"]["zero"]["layers"]
    return {
        "texts": [BANK, *effects["labels"]],
        "heads": effects["after"],
        "layers": [one["shown"][at] for one in layers],
    }


def _named(layer: int, head: int) -> str:
    return f"{layer + 1}.{head + 1}"
