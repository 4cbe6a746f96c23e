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

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.observe(lambda _: self._judge(), ["answer", "right"])
        self._judge()

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

    def _judge(self) -> None:
        self.set_trait("correct", self.reply.correct)

    def figure(self, question: str, answers: str) -> str:
        """The question and, folded away, its answers: both are HTML."""
        origin = f"<small> Numbers: {html.escape(self.provenance)}.</small>" if self.provenance else ""
        return (
            f'<figure class="attn attn-question"><figcaption>{marked(self.prompt)}{origin}</figcaption>{question}'
            f"<details><summary>Answers</summary>{answers}</details></figure>"
        )


def settings_of(question: Question) -> dict[str, Any]:
    """The inputs of the widget that shows a question; it makes a title of its own where the question has none."""
    return {name: value for name, value in vars(question).items() if name != "title" or value}
