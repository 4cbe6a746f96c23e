"""SoftmaxSliders: from scores to weights, with exp or another positive function."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Bool, Float
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


CONTROLS = ("constant", "phi", "temperature", "axis", "hidden")


class SoftmaxSliders(PageWidget):
    """Scores to move, and the weights they become. The surprise: with exp a constant added to all changes nothing.

    With another φ it moves weights, as a rule, though each φ gives weights of 0 or more that sum to 1. The weights of
    one query are φ(s) / Σ φ(s) with s = (score + constant) / temperature. `phi` is the name of a
    `positive_function`. Without arguments the scores are those of *Houston* in the raw dot product. Tokens in `hidden` have the
    score −∞ and the weight 0. With `values`, one row for each token, the weights blend them. With `others`, the scores of
    other queries, the sum can go over the wrong axis: `axis` is "keys" or "queries". `controls` names which of these can be
    changed (None: all); without "phi" no properties are listed.

    Raises:
        ValueError: an `InputError`, where every token is hidden, for sizes that do not fit, naming them, for
            numbers beyond the sliders (scores ±5, constant ±10, temperature 0.2 to 5), and where φ gives 0 for
            every score.

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
    hidden = Numbers("hidden", [], maxlen=16, optional=True).tag(sync=True, link=True)
    values = Numbers("n d_v", [], maxlen=16, optional=True).tag(sync=True)
    value_axes = Texts(maxlen=8).tag(sync=True)
    others = Numbers("others n", [], maxlen=16, optional=True).tag(sync=True)
    axis = OneOf(("keys", "queries"), "keys").tag(sync=True, link=True)
    controls = traitlets.List(traitlets.Enum(CONTROLS), None, allow_none=True).tag(sync=True)
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
    def shown(self) -> Bool[Array, "n"]:
        """Which tokens are not hidden."""
        return ~np.isin(np.arange(len(self.tokens)), self.hidden)

    @property
    def raised(self) -> Float[Array, "n"]:
        """φ(s), and 0 where a token is hidden."""
        return np.where(self.shown, positive_function(self.shifted, self.phi), 0)

    @property
    def weights(self) -> Float[Array, "n"]:
        """φ(s) / Σ φ(s), as `attnlib.lab.positive_weights` gives it; the sum goes over the keys, or over the queries."""
        weights = np.zeros(len(self.tokens))
        if self.axis == "keys":
            weights[self.shown] = positive_weights(self.shifted[self.shown], self.phi)
            return weights
        others = (np.array(self.others).reshape(-1, len(self.tokens)) + self.constant) / self.temperature
        columns = np.vstack([self.shifted, others]).T[self.shown]
        weights[self.shown] = positive_weights(columns, self.phi)[:, 0]
        return weights

    @property
    def blend(self) -> Float[Array, "d_v"]:
        """The weights times the values."""
        blend: Array = self.weights @ np.array(self.values)
        return blend

    @property
    def properties(self) -> Properties:
        """`attnlib.lab.weight_properties` of s, for the constant that was added (1 if none was) and a score raised by 10."""
        constant = (-self.constant or 1.0) / self.temperature
        return weight_properties(self.shifted[self.shown], self.phi, constant=constant, raised=10 / self.temperature)

    def check(self, inputs: SimpleNamespace) -> None:
        check_count(inputs.tokens, inputs.scores, "scores")
        for i, score in enumerate(inputs.scores):
            if abs(score) > inputs.reach:
                raise InputError(f"score {i} is {score}, beyond the slider's ±{inputs.reach:g}")
        for hidden in inputs.hidden:
            if hidden not in range(len(inputs.tokens)):
                raise InputError(f"hidden token {hidden:g} is outside 0 … {len(inputs.tokens) - 1}")
        shown = [score for i, score in enumerate(inputs.scores) if i not in inputs.hidden]
        if not shown:
            raise InputError("every token is hidden: there is nothing to share")
        if inputs.values:
            check_count(inputs.tokens, inputs.values, "rows of values")
            if len(inputs.value_axes) != len(inputs.values[0]):
                raise InputError(f"{len(inputs.value_axes)} value_axes for values of width {len(inputs.values[0])}")
        if inputs.others and len(inputs.others[0]) != len(inputs.tokens):
            raise InputError(f"others has width {len(inputs.others[0])}, for {len(inputs.tokens)} tokens")
        if inputs.phi == "square" and not any(score + inputs.constant for score in shown):
            raise InputError("the square of every score is 0: there is nothing to divide by")
        if inputs.phi == "square" and inputs.axis == "queries":
            for i in set(range(len(inputs.tokens))) - set(inputs.hidden):
                if not any(row[i] + inputs.constant for row in (inputs.scores, *inputs.others)):
                    raise InputError(f"the square of every score of token {i} is 0: there is nothing to divide by")

    def fallback(self) -> str:
        weights, raised = self.weights, self.raised
        s = [text(score) if shown else "−∞" for score, shown in zip(self.shifted, self.shown, strict=True)]
        rows: list[Row] = list(zip(self.tokens, zip(s, map(compact, raised), weights, strict=True), strict=True))
        caption = self.caption(f"the weight is φ(s) / sum of φ(s), where s = {self._of_score()}.")
        setting = f"φ = {self.phi}, constant {text(self.constant)}, temperature {text(self.temperature)}"
        rows.append(("sum", ["", compact(raised.sum()), weights.sum()]))
        weighed = table(caption, ["s", "φ(s)", "weight"], rows)
        if self.values:
            weighed += table(
                "The values, blended by the weights",
                self.value_axes,
                [*zip(self.tokens, self.values, strict=True), ("blend", self.blend)],
            )
        if not self._offers("phi"):
            return weighed
        return weighed + table(f"Properties of these weights, with {setting}", ["measured", ""], self._judged())

    def _offers(self, name: str) -> bool:
        return self.controls is None or name in self.controls

    def _of_score(self) -> str:
        """What s is: without what is neither offered nor at work."""
        added = self._offers("constant") or self.constant != 0
        heated = self._offers("temperature") or self.temperature != 1
        s = "score + constant" if added else "score"
        return f"({s}) / temperature" if added and heated else f"{s} / temperature" if heated else s

    def _judged(self) -> list[Row]:
        smallest, total, change, wrong, _ = self.properties
        unmoved = change < 1e-9
        same = f"Adding {self.constant or 1:.1f} to every score changes nothing".replace("-", "−")
        properties = [
            (abs(total - 1) < 1e-9, "The weights sum to 1", f"sum: {text(total)}"),
            (smallest > 0, "Every weight is positive", f"smallest: {compact(smallest)}"),
            (wrong == 0, "A higher score gets a higher weight", f"pairs that fail: {wrong:.0f}"),
            (unmoved, same, f"largest change: {'0' if unmoved else compact(change)}"),
        ]
        return [(name, [measured, "holds" if holds else "fails"]) for holds, name, measured in properties]
