"""LightCones: layers of attention under one mask, and what an output can have read through them."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Bool
from numpy import ndarray as Array

from anywidget_static import InputError, OneOf, Texts, Whole
from attnlib.lab.cones import mask_reach, preset_mask
from attnlib.widgets.base import PageWidget, check_index
from attnlib.widgets.tables import Row, table

TOKENS = ("we", "saw", "it", "go", "up", "and", "come", "down")
PRESETS = ("none", "causal", "off by one", "window", "prefix")


class LightCones(PageWidget):
    """What an output can have read through `layers` (1 to 4) layers of attention, each under the same mask.

    `preset` names the mask: "none", "causal", "off by one" (j ≤ i + 1), "window" (the last `size`) or "prefix" (causal,
    but the first `size` keys are open to all). One dot is chosen: place `selected` of layer `layer`. Layer 0 are the
    `tokens` (1 to 10). Without `layer` it is the top layer, without `selected` the place in the middle. All are synced.

    Raises:
        ValueError: an `InputError`, for a size, a layer or a place out of range, naming it.

    >>> LightCones(preset="off by one", layers=3, selected=2).read
    ['we', 'saw', 'it', 'go', 'up', 'and']
    >>> len(LightCones(preset="window", size=3, layers=3, selected=7).read)  # 3 · (3 − 1) + 1
    7
    """

    _alive = "choose the mask and the layers, and press any dot"
    title = traitlets.Unicode("Light cones").tag(sync=True)
    provenance = traitlets.Unicode("counted from the mask").tag(sync=True)
    tokens = Texts(minlen=1, maxlen=10).tag(sync=True)
    preset = OneOf(PRESETS, "causal").tag(sync=True, link=True)
    size = Whole(1, min=1).tag(sync=True, link=True)
    layers = Whole(3, min=1, max=4).tag(sync=True, link=True)
    layer = Whole(0, min=0).tag(sync=True, link=True)
    selected = Whole(0, min=0).tag(sync=True, link=True)

    def __init__(self, tokens: Sequence[str] = TOKENS, *, layers: int = 3, **options: Any) -> None:
        n = len(tokens)
        own = {"size": min(3, max(n, 1)), "layer": layers, "selected": n // 2}
        super().__init__(tokens=list(tokens), layers=layers, **own | options)

    @property
    def allowed(self) -> Bool[Array, "n n"]:
        """The mask of every layer: True where a query may attend."""
        return preset_mask(self.preset, len(self.tokens), self.size)

    @property
    def cone(self) -> Bool[Array, "rows n"]:
        """Layer by layer from the tokens up: what the chosen dot can have read, and above it what can have read it."""
        reach = [mask_reach(self.allowed, abs(self.layer - k)) for k in range(self.layers + 1)]
        rows = [grid[self.selected] if k <= self.layer else grid[:, self.selected] for k, grid in enumerate(reach)]
        return np.array(rows)

    @property
    def read(self) -> list[str]:
        """The tokens that the chosen dot can have read."""
        return [token for token, lit in zip(self.tokens, self.cone[0], strict=True) if lit]

    def check(self, inputs: SimpleNamespace) -> None:
        n = len(inputs.tokens)
        if inputs.size > n:
            raise InputError(f"size must lie between 1 and the {n} tokens, got {inputs.size}")
        check_index("layer", inputs.layer, inputs.layers + 1)
        check_index("selected token", inputs.selected, n)

    def fallback(self) -> str:
        sized = f" of size {self.size}" if self.preset in ("window", "prefix") else ""
        caption = (
            f"layer by layer, what {_layer(self.layer)} at {self.tokens[self.selected]} can have read, and above it what "
            f"can have read it. Mask: {self.preset}{sized}. Future: a later place, read by an earlier one."
        )
        rows: list[Row] = [(_layer(k), self._told(k)) for k in reversed(range(self.layers + 1))]
        return table(self.caption(caption), self.tokens, rows)

    def _told(self, k: int) -> list[str]:
        """A word for each dot of a layer."""
        ahead = (np.arange(len(self.tokens)) - self.selected) * (1 if k <= self.layer else -1)
        words = np.where(ahead > 0, "future", "read" if k < self.layer else "here" if k == self.layer else "reads it")
        return [str(word) if lit else "–" for word, lit in zip(words, self.cone[k], strict=True)]


def _layer(k: int) -> str:
    return f"layer {k}" if k else "tokens"
