"""Choice: a question with a reply to every answer, or steps to put into order."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import traitlets

from anywidget_static import InputError, OneOf, Whole
from attnlib.markup import marked
from attnlib.questions import ChoiceQuestion, OrderQuestion, Question, check_pairs, shuffled
from attnlib.questions.examples import NEAREST, STEPS
from attnlib.widgets.answers import QuestionWidget


class Choice(QuestionWidget):
    """A question to answer before reading on: the nearest key is not the one that is read most.

    `options` are pairs: what can be chosen, and the reply to it. The reply to a wrong option answers
    the misconception behind it, the one to option number `right` explains. `reveal` is shown after
    the right answer. With `mode="order"` the options are steps, given in the right order, to be moved into it from
    `order`; the reply to a step says what it needs first, and is read when the step comes too early.
    `reveal` is then shown once the order is right. Texts may hold `code` in backticks and *emphasis*.

    `answer` is the number of the option chosen, or the order that was checked; `correct` says whether it is right. Both
    are None before, and can be observed. Without arguments it asks a question of its own.

    Raises:
        ValueError: an `InputError`, for texts that are missing, naming the option, and numbers outside the
            options.

    >>> question = Choice("1 + 1?", [("2", "Yes, two."), ("11", "That joins the digits.")], 0)
    >>> question.answer = 1
    >>> question.correct
    False
    """

    _alive = "answer, and read what speaks for your answer or against it"
    mode = OneOf(("choice", "order"), "choice").tag(sync=True)
    options = traitlets.List(traitlets.Tuple(traitlets.Unicode(), traitlets.Unicode())).tag(sync=True)
    right = Whole(0, min=0).tag(sync=True)
    reveal = traitlets.Unicode().tag(sync=True)
    order = traitlets.List(traitlets.Int()).tag(sync=True, link=True)
    sentences = traitlets.Dict(OrderQuestion.sentences, read_only=True).tag(sync=True)
    answer = traitlets.Union(
        [traitlets.Int(), traitlets.List(traitlets.Int())], default_value=None, allow_none=True
    ).tag(sync=True, link=True)

    def __init__(
        self,
        prompt: str | Question | None = None,
        options: Sequence[tuple[str, str]] | None = None,
        right: int | None = None,
        **settings: Any,
    ) -> None:
        """A `ChoiceQuestion` or an `OrderQuestion` in the place of `prompt` holds all the rest."""
        if prompt is None and options is None:
            prompt = STEPS if settings.get("mode") == "order" else NEAREST
        if isinstance(prompt, OrderQuestion):
            settings = {"mode": "order"} | settings
        check_pairs(options or ())
        super().__init__(prompt, options=options, right=right, **settings)

    @traitlets.default("order")
    def _shuffled(self) -> list[int]:
        return shuffled(len(self.options))

    def question_from(self, inputs: SimpleNamespace) -> Question:
        if inputs.mode == "order":
            return OrderQuestion(inputs.prompt, inputs.options, inputs.reveal, inputs.order)
        return ChoiceQuestion(inputs.prompt, inputs.options, inputs.right, inputs.reveal)

    def check(self, inputs: SimpleNamespace) -> None:
        super().check(inputs)
        if inputs.answer is not None and self.question_from(inputs).reply(inputs.answer).correct is None:
            raise InputError(f"answer {inputs.answer} is no {inputs.mode} of {len(inputs.options)} options")

    def fallback(self) -> str:
        ordered = self.mode == "order"
        asked = [self.options[i] for i in self.order] if ordered else self.options
        question = "".join(f'<li><span dir="auto">{marked(text)}</span></li>' for text, _ in asked)
        answers = ""
        for i, (text, reply) in enumerate(self.options):
            verdict = "" if ordered else f"<strong>{'Yes.' if i == self.right else 'No.'}</strong> "
            why = f"{'Not earlier: ' if ordered else ''}{marked(reply)}" if reply else ""
            answers += f'<li><span dir="auto">{marked(text)}</span>. {verdict}{why}</li>'
        reveal = f"<p>{marked(self.reveal)}</p>" if self.reveal else ""
        return self.figure(f'<ol class="attn-options">{question}</ol>', f"<ol>{answers}</ol>{reveal}")
