"""Number: a question whose answer is a number, with a sentence for each number that a misconception gives."""

import html
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import traitlets

from anywidget_static import Real
from attnlib.formatting import text
from attnlib.markup import marked
from attnlib.questions import NumberQuestion
from attnlib.questions.examples import SHIFTED
from attnlib.widgets.answers import QuestionWidget


class Number(QuestionWidget):
    """A question to answer with a number: scores of 1000 and 1001 have the weights of 0 and 1.

    An answer is right when it differs from `right` by at most `tolerance`, or by `relative` · |right| where that is more.
    `wrong` holds triples, (value, tolerance, sentence): the sentence is read for a wrong answer near the
    value, and names the mistake that leads to it. `unit` stands behind the field, `explanation` follows the right
    answer. Texts may hold `code` in backticks and *emphasis*.

    A reader may write 0.5, .5, 1/2, 5e-1, −0.5, sqrt(1/4) and 1 − ln(2)^2, and hears what to write in place of anything else;
    of a number that is right but rounded too far, that one more digit is needed.
    `answer` is what was typed, "" before that, and `value` the number it holds; `correct` says whether it is right, and is None
    without a number. All can be observed. Without arguments it asks a question of its own.

    Raises:
        ValueError: an `InputError`, for numbers that are not finite, tolerances below 0, a wrong value that
            would be accepted as right, and texts that are missing, naming the index.

    >>> question = Number("1/4 + 1/4?", 0.5, [(0.125, 0.001, "You added the denominators.")])
    >>> question.answer = "1/2"
    >>> question.correct
    True
    """

    _alive = "type your answer, and read what is right or wrong about it"
    right = Real(0.0).tag(sync=True)
    tolerance = Real(0.005, min=0).tag(sync=True)
    relative = Real(0.0, min=0).tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    wrong = traitlets.List(traitlets.Tuple(traitlets.Float(), traitlets.Float(), traitlets.Unicode())).tag(sync=True)
    explanation = traitlets.Unicode().tag(sync=True)
    sentences = traitlets.Dict(NumberQuestion.sentences, read_only=True).tag(sync=True)
    answer = traitlets.Unicode("").tag(sync=True, link=True)

    def __init__(
        self,
        prompt: str | NumberQuestion | None = None,
        right: float | None = None,
        wrong: Sequence[tuple[float, float, str]] | None = None,
        **settings: Any,
    ) -> None:
        """A `NumberQuestion` in the place of `prompt` holds all the rest; `wrong=None` means no sentences of its own."""
        if prompt is None and right is None:
            prompt = SHIFTED
        super().__init__(prompt, right=right, wrong=wrong, **settings)

    def question_from(self, inputs: SimpleNamespace) -> NumberQuestion:
        names = ("prompt", "right", "wrong", "tolerance", "relative", "unit", "explanation")
        return NumberQuestion(*(getattr(inputs, name) for name in names))

    @property
    def value(self) -> float | None:
        """The number typed, None where there is none."""
        return self.question_from(SimpleNamespace(**self.state())).value(self.answer)

    def fallback(self) -> str:
        unit = f" {html.escape(self.unit)}" if self.unit else ""
        answers = f"<li><strong>{shown(self.right)}</strong>{unit}. {marked(self.explanation)}</li>"
        answers += "".join(f"<li>{shown(value)}{unit}: {marked(sentence)}</li>" for value, _, sentence in self.wrong)
        return self.figure("", f"<ul>{answers}</ul>")


def shown(number: float) -> str:
    """At most four significant digits, with a true minus sign; two decimals for what is neither large nor small."""
    if 0.1 <= abs(number) < 100 and round(number, 2) != round(number):
        return text(number)
    return f"{number:.4g}".replace("-", "−")
