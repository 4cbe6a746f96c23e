"""Number: a question whose answer is a number, with a sentence for each number that a misconception gives."""

import html
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets

from attnlib.markup import marked
from attnlib.scaled_dot_product import softmax
from attnlib.widgets.answers import Question, near, read_number
from attnlib.widgets.base import InputError, text

SHIFTED: dict[str, Any] = {
    "prompt": "Two keys have the scores 1000 and 1001. What weight does the *second* get from the softmax? "
    "Two decimals are enough.",
    "right": float(softmax(np.array([1000.0, 1001.0]))[1]),
    "tolerance": 0.01,
    "wrong": [
        (
            0.5,
            0.01,
            "Scores are not shared out in proportion, 1001 of 2001. The softmax raises e to each of them first.",
        ),
        (1.0, 0.01, "e¹⁰⁰¹ is immense, and so is e¹⁰⁰⁰. Their *ratio* decides: how large is it?"),
        (0.27, 0.01, "That is the weight of the first key."),
        (2.72, 0.01, "e is how many times the first weight goes into the second. Together the two make 1."),
    ],
    "explanation": "Scores of 0 and 1 give the same 0.27 and 0.73: only differences of scores count, "
    "so 1000 more for every key changes nothing.",
    "provenance": "hand-made",
}


class Number(Question):
    """A question to answer with a number: scores of 1000 and 1001 have the weights of 0 and 1.

    An answer is right when it differs from `right` by at most `tolerance`, or by `relative` · |right| where that is more.
    `wrong` holds triples, (value, tolerance, sentence): the sentence is read for a wrong answer near the
    value, and names the mistake that leads to it. `unit` stands behind the field, `explanation` follows the right
    answer. Texts may hold `code` in backticks and *emphasis*.

    A reader may write 0.5, .5, 1/2, 5e-1, −0.5, sqrt(1/4) and 1 − ln(2)^2, and hears what to write in place of anything else;
    of a number that is right but rounded too far, that one more digit is needed.
    `answer` is what was typed, "" before that, and `value` the number it holds; `correct` says whether it is right, and is None
    without a number. All can be observed. Without arguments it asks a question of its own.

    Raises ValueError (`InputError`) for numbers that are not finite, tolerances below 0, a wrong value that would be
    accepted as right, and texts that are missing, naming the index.

    >>> question = Number("1/4 + 1/4?", 0.5, [(0.125, 0.001, "You added the denominators.")])
    >>> question.answer = "1/2"
    >>> question.correct
    True
    """

    _module = "number_question"
    _alive = "type your answer, and read what is right or wrong about it"
    right = traitlets.Float(0.0).tag(sync=True)
    tolerance = traitlets.Float(0.005).tag(sync=True)
    relative = traitlets.Float(0.0).tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    wrong = traitlets.List(traitlets.Tuple(traitlets.Float(), traitlets.Float(), traitlets.Unicode())).tag(sync=True)
    explanation = traitlets.Unicode().tag(sync=True)
    answer = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        prompt: str | None = None,
        right: float | None = None,
        wrong: Sequence[tuple[float, float, str]] | None = None,
        **settings: Any,
    ) -> None:
        """`wrong=None` means that no wrong number has a sentence of its own."""
        if prompt is None and right is None:
            settings = SHIFTED | settings
        given = {
            "prompt": prompt,
            "right": right,
            "wrong": None if wrong is None else [tuple(triple) for triple in wrong],
        }
        super().__init__(**settings | {name: value for name, value in given.items() if value is not None})

    @property
    def value(self) -> float | None:
        """The number typed, None where there is none."""
        return read_number(self.typed)[0]

    @property
    def typed(self) -> str:
        """The answer without its unit."""
        return self.answer.strip().removesuffix(self.unit)

    def accepts(self, value: float) -> bool:
        """Whether a number is right."""
        return near(value, self.right, max(self.tolerance, self.relative * abs(self.right)))

    def judge(self) -> bool | None:
        """Whether the answer is right; None without a number."""
        return None if self.value is None else self.accepts(self.value)

    @traitlets.validate("prompt", "right", "tolerance", "relative", "wrong")
    def _check_input(self, proposal: Any) -> Any:
        return self._checked(proposal)

    def check(self, inputs: SimpleNamespace) -> None:
        if not inputs.prompt.strip():
            raise InputError("a question needs a prompt")
        numbers = {"right": inputs.right, "tolerance": inputs.tolerance, "relative": inputs.relative}
        for i, (value, tolerance, _) in enumerate(inputs.wrong):
            numbers |= {f"wrong[{i}][0]": value, f"wrong[{i}][1]": tolerance}
        for name, number in numbers.items():
            if not np.isfinite(number):
                raise InputError(f"{name} must be finite, got {number}")
            if number < 0 and ("tolerance" in name or "relative" in name or name.endswith("[1]")):
                raise InputError(f"{name} must be 0 or more, got {number}")
        for i, (value, _, sentence) in enumerate(inputs.wrong):
            if not sentence.strip():
                raise InputError(f"wrong[{i}], {value}, has no sentence")
            if near(value, inputs.right, max(inputs.tolerance, inputs.relative * abs(inputs.right))):
                raise InputError(f"wrong[{i}], {value}, would be accepted as right: {inputs.right}")

    def fallback(self) -> str:
        unit = f" {html.escape(self.unit)}" if self.unit else ""
        answers = f"<li><strong>{shown(self.right)}</strong>{unit}. {marked(self.explanation)}</li>"
        answers += "".join(f"<li>{shown(value)}{unit}: {marked(sentence)}</li>" for value, _, sentence in self.wrong)
        return self.figure("", f"<ul>{answers}</ul>")


def shown(number: float) -> str:
    """At most four significant digits, with a true minus sign; two decimals for what is neither large nor small."""
    return (
        text(number)
        if 0.1 <= abs(number) < 100 and round(number, 2) != round(number)
        else f"{number:.4g}".replace("-", "−")
    )
