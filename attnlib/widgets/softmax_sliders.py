"""SoftmaxSliders: from scores to weights, with exp or another positive function."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, OneOf, Real, Texts
from attnlib import houston
from attnlib.formatting import compact, text
from attnlib.lab.positive import Properties, positive_function, positive_weights, weight_properties
from attnlib.widgets.base import PageWidget, check_count
from attnlib.widgets.tables import Row, table

LABELS = {
    "exp": "exp: eˢ",
    "softplus": "softplus: ln(1 + eˢ)",
    "sigmoid": "sigmoid: 1 / (1 + e⁻ˢ)",
    "relu": "ReLU: max(s, 0) + 0.01",
    "square": "square: s²",
}


class SoftmaxSliders(PageWidget):
    """Scores to move, and the weights they become. The surprise: with exp a constant added to all changes nothing.

    With another φ it moves every weight, though each φ gives positive weights that sum to 1. The weights of
    one query are φ(s) / Σ φ(s) with s = (score + constant) / temperature. `phi` is the name of a
    `positive_function`. Without arguments the scores are those of *Houston* in the raw dot product.

    Raises ValueError (`InputError`) for sizes that do not fit, naming them, for numbers beyond the sliders (scores
    ±5, constant ±10, temperature 0.2 to 5), and where φ gives 0 for every score.

    >>> SoftmaxSliders("ab", [0, 2], phi="square", constant=1).weights
    array([0.1, 0.9])
    """

    _alive = "move the scores, add a constant to all of them, and put another function in the place of exp"
    title = traitlets.Unicode("From scores to weights").tag(sync=True)
    tokens = Texts(minlen=1, maxlen=16).tag(sync=True)
    scores = Numbers("n").tag(sync=True, link=True)
    constant = Real(0.0, min=-10, max=10).tag(sync=True, link=True)
    temperature = Real(1.0, min=0.2, max=5).tag(sync=True, link=True)
    phi = OneOf(tuple(LABELS), "exp").tag(sync=True, link=True)
    reach = Real(5.0, read_only=True).tag(sync=True)
    labels = traitlets.Dict(LABELS, read_only=True).tag(sync=True)

    def __init__(self, tokens: Sequence[str] | None = None, scores: ArrayLike | None = None, **options: Any) -> None:
        """`tokens` and `scores` are given together, or neither."""
        if (tokens is None) != (scores is None):
            raise InputError("tokens and scores are given together, or neither is")
        if tokens is None:
            tokens, scores = houston.TOKENS, houston.EMBEDDINGS[0] @ houston.EMBEDDINGS.T
            source = "hand-made; the scores are what the query Houston has in the raw dot product"
            options = {"provenance": source} | options
        super().__init__(tokens=list(tokens), scores=scores, **options)

    @property
    def shifted(self) -> Float[Array, "n"]:
        """s = (score + constant) / temperature."""
        s: Array = (np.array(self.scores) + self.constant) / self.temperature
        return s

    @property
    def weights(self) -> Float[Array, "n"]:
        """φ(s) / Σ φ(s), as `attnlib.lab.positive_weights` gives it."""
        return positive_weights(self.shifted, self.phi)

    @property
    def properties(self) -> Properties:
        """`attnlib.lab.weight_properties` of s, for the constant that was added (1 if none was) and a score raised by 10."""
        constant = (-self.constant or 1.0) / self.temperature
        return weight_properties(self.shifted, self.phi, constant=constant, raised=10 / self.temperature)

    def check(self, inputs: SimpleNamespace) -> None:
        check_count(inputs.tokens, inputs.scores, "scores")
        for i, score in enumerate(inputs.scores):
            if abs(score) > inputs.reach:
                raise InputError(f"score {i} is {score}, beyond the slider's ±{inputs.reach:g}")
        if inputs.phi == "square" and not any(score + inputs.constant for score in inputs.scores):
            raise InputError("the square of every score is 0: there is nothing to divide by")

    def fallback(self) -> str:
        s, weights = self.shifted, self.weights
        raised = positive_function(s, self.phi)
        rows: list[Row] = list(zip(self.tokens, zip(s, map(compact, raised), weights, strict=True), strict=True))
        caption = self.caption(
            "the query reads from each token with the weight φ(s) / sum of φ(s), where s = (score + constant) / temperature."
        )
        setting = f"φ = {self.phi}, constant {text(self.constant)}, temperature {text(self.temperature)}"
        rows.append(("sum", ["", compact(raised.sum()), weights.sum()]))
        weighed = table(caption, ["s", "φ(s)", "weight"], rows)
        return weighed + table(f"Properties of these weights, with {setting}", ["measured", ""], self._judged())

    def _judged(self) -> list[Row]:
        smallest, total, change, wrong, lifted = self.properties
        unmoved = change < 1e-9
        same = f"Adding {self.constant or 1:.1f} to every score changes nothing".replace("-", "−")
        properties = [
            (smallest > 0, "Every weight is positive", f"smallest: {compact(smallest)}"),
            (abs(total - 1) < 1e-9, "The weights sum to 1", f"sum: {text(total)}"),
            (unmoved, same, f"largest change: {'0' if unmoved else compact(change)}"),
            (wrong == 0, "A higher score gets a higher weight", f"pairs that fail: {wrong:.0f}"),
            (lifted >= 0.9, "The highest score, raised by 10, gets 0.9 or more", f"it gets: {lifted:.3f}"),
        ]
        return [(name, [measured, "holds" if holds else "fails"]) for holds, name, measured in properties]
