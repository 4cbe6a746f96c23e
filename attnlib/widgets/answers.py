"""What the widgets of questions share. `attnlib.questions` judges; answers.mjs does the same in a page."""

import html
from types import SimpleNamespace
from typing import Any

import traitlets

from anywidget_static import InputError
from attnlib.markup import marked
from attnlib.questions import Question, Reply
from attnlib.widgets.base import PageWidget


class QuestionWidget(PageWidget):
    """A prompt and an answer; `correct` is None until there is one, and can be observed.

    A subclass has the synced traits `answer` and `sentences`, and makes its question of its inputs in `question_from`.
    """

    prompt = traitlets.Unicode().tag(sync=True)
    provenance = traitlets.Unicode("").tag(sync=True)
    correct = traitlets.Bool(None, allow_none=True, read_only=True)

    def __init__(self, prompt: str | Question | None, **settings: Any) -> None:
        """A question in the place of `prompt` holds all the rest; what is None or empty has its default."""
        given = vars(prompt) if isinstance(prompt, Question) else {"prompt": prompt}
        pairs = [*given.items(), *settings.items()]
        super().__init__(**{name: value for name, value in pairs if value not in (None, "")})

    def question_from(self, inputs: SimpleNamespace) -> Question:
        """The question that the inputs describe. Raises ValueError when they describe none."""
        raise NotImplementedError

    @property
    def question(self) -> Question:
        """What is asked, as data."""
        return self.question_from(SimpleNamespace(**self.state()))

    @property
    def reply(self) -> Reply:
        """What is said of the answer."""
        return self.question.reply(self.answer)

    def check(self, inputs: SimpleNamespace) -> None:
        try:
            self.question_from(inputs)
        except ValueError as error:
            raise InputError(str(error)) from None

    @traitlets.default("title")
    def _name(self) -> str:
        """What the address of this question is made from."""
        return " ".join(self.prompt.split()[:8])

    @traitlets.observe("answer", "right", "tolerance", "relative", "unit", "mode", "options")
    def _judge(self, change: Any) -> None:
        self.set_trait("correct", self.reply.correct)

    def figure(self, question: str, answers: str) -> str:
        """The question and, folded away, its answers: both are HTML."""
        origin = f"<small> Numbers: {html.escape(self.provenance)}.</small>" if self.provenance else ""
        return (
            f'<figure class="attn attn-question"><figcaption>{marked(self.prompt)}{origin}</figcaption>{question}'
            f"<details><summary>Answers</summary>{answers}</details></figure>"
        )
