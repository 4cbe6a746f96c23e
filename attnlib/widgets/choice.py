"""Choice: a question with a reply to every answer, or steps to put into order."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets

from attnlib.markup import marked
from attnlib.widgets.answers import Question
from attnlib.widgets.base import InputError, Tokens

MODES = ("choice", "order")
MOST = 12

NEAREST: dict[str, Any] = {
    "prompt": "A query (1, 0) reads from two keys, (1, 0) and (3, 3), with softmax weights of the raw dot products. "
    "Which key does it read more from?",
    "options": [
        "From (1, 0), which is the query itself",
        "From (3, 3)",
        "From both alike",
    ],
    "replies": [
        "Being equal to the query does not make a key score highest: a dot product grows with the key's length too.",
        "Its score is 1·3 + 0·3 = 3, the other's is 1·1 + 0·0 = 1. Attention finds the *largest product*, "
        "and that is not the nearest key.",
        "Equal weights need equal scores. Work out 1·1 + 0·0 and 1·3 + 0·3.",
    ],
    "right": 1,
    "reveal": "The weights are 0.12 for (1, 0) and 0.88 for (3, 3).",
    "provenance": "hand-made",
}
STEPS: dict[str, Any] = {
    "prompt": "What happens when, in masked attention? Put the steps into order.",
    "options": [
        "Multiply every token's vector by `W_Q`, `W_K` and `W_V`",
        "Take the dot product of every query with every key, divided by √d",
        "Set the scores of blocked keys to −∞",
        "Take the softmax of every row",
        "Average the values with these weights",
    ],
    "replies": [
        "",
        "There are no queries and keys yet.",
        "There are no scores yet that could be blocked.",
        "A key must be blocked *before* the softmax: blocked after it, it has already taken its share of the row.",
        "There are no weights yet: they come out of the softmax.",
    ],
    "reveal": "The mask comes before the softmax, so that the keys that are left share the whole of every row.",
}


class Choice(Question):
    """A question to answer before reading on: the nearest key is not the one that is read most.

    `options` are pairs: what can be chosen, and the reply to it. The reply to a wrong option answers
    the misconception behind it, the one to option number `right` explains. `reveal` is shown after
    the right answer. With `mode="order"` the options are steps, given in the right order, to be moved into it from
    `order`; the reply to a step says what it needs first, and is read when the step comes too early.
    `reveal` is then shown once the order is right. Texts may hold `code` in backticks and *emphasis*.

    `answer` is the number of the option chosen, or the order that was checked; `correct` says whether it is right. Both
    are None before, and can be observed. Without arguments it asks a question of its own.

    Raises ValueError (`InputError`) for texts that are missing, naming the option, and numbers outside the options.

    >>> question = Choice("1 + 1?", [("2", "Yes, two."), ("11", "That joins the digits.")], 0)
    >>> question.answer = 1
    >>> question.correct
    False
    """

    _module = "choice"
    _alive = "answer, and read what speaks for your answer or against it"
    mode = traitlets.Enum(MODES, "choice").tag(sync=True)
    options = Tokens().tag(sync=True)
    replies = Tokens().tag(sync=True)
    right = traitlets.Int(0).tag(sync=True)
    reveal = traitlets.Unicode().tag(sync=True)
    order = traitlets.List(traitlets.Int()).tag(sync=True)
    answer = traitlets.Union(
        [traitlets.Int(), traitlets.List(traitlets.Int())], default_value=None, allow_none=True
    ).tag(sync=True)

    def __init__(
        self,
        prompt: str | None = None,
        options: Sequence[tuple[str, str]] | None = None,
        right: int | None = None,
        **settings: Any,
    ) -> None:
        """`order=None` means an order drawn at random, always the same."""
        if options is None:
            settings = (STEPS if settings.get("mode") == "order" else NEAREST) | settings
        else:
            for i, pair in enumerate(options):
                if isinstance(pair, str) or len(pair) != 2:
                    raise InputError(f"option {i} must be a pair, its text and the reply to it, got {pair!r}")
            settings |= {"options": [text for text, _ in options], "replies": [reply for _, reply in options]}
        given = {"prompt": prompt, "right": right}
        settings |= {name: value for name, value in given.items() if value is not None}
        settings.setdefault("order", shuffled(len(settings["options"])))
        super().__init__(**settings)

    def judge(self) -> bool | None:
        """Whether the answer is right; None without one."""
        if self.answer is None:
            return None
        return bool(self.answer == (self.right if self.mode == "choice" else list(range(len(self.options)))))

    @traitlets.validate("prompt", "options", "replies", "right", "order", "answer", "mode")
    def _check_input(self, proposal: Any) -> Any:
        return self._checked(proposal)

    def check(self, inputs: SimpleNamespace) -> None:
        n, ordered = len(inputs.options), inputs.mode == "order"
        if not inputs.prompt.strip():
            raise InputError("a question needs a prompt")
        if not 2 <= n <= MOST or len(inputs.replies) != n:
            raise InputError(
                f"2 to {MOST} options and a reply to each are needed, got {n} and {len(inputs.replies)} replies"
            )
        for i, (option, reply) in enumerate(zip(inputs.options, inputs.replies, strict=True)):
            if not option.strip():
                raise InputError(f"option {i} has no text")
            if not reply.strip() and not (ordered and i == 0):  # the first step never comes too early
                raise InputError(f"option {i}, {option!r}, has no reply")
        if not 0 <= inputs.right < n:
            raise InputError(f"right is option {inputs.right}, outside 0 … {n - 1}")
        if sorted(inputs.order) != list(range(n)):
            raise InputError(f"order must hold each of 0 … {n - 1} once, got {inputs.order}")
        answer = inputs.answer
        if answer is not None and not (
            isinstance(answer, list) and sorted(answer) == list(range(n))
            if ordered
            else isinstance(answer, int) and 0 <= answer < n
        ):
            raise InputError(f"answer {answer} is {'no order of' if ordered else 'outside'} 0 … {n - 1}")

    def fallback(self) -> str:
        ordered = self.mode == "order"
        asked = [self.options[i] for i in self.order] if ordered else self.options
        question = "".join(f'<li><span dir="auto">{marked(text)}</span></li>' for text in asked)
        answers = ""
        for i, (text, reply) in enumerate(zip(self.options, self.replies, strict=True)):
            verdict = "" if ordered else f"<strong>{'Yes.' if i == self.right else 'No.'}</strong> "
            why = f"{'Not earlier: ' if ordered else ''}{marked(reply)}" if reply else ""
            answers += f'<li><span dir="auto">{marked(text)}</span>. {verdict}{why}</li>'
        reveal = f"<p>{marked(self.reveal)}</p>" if self.reveal else ""
        return self.figure(f'<ol class="attn-options">{question}</ol>', f"<ol>{answers}</ol>{reveal}")


def shuffled(n: int) -> list[int]:
    """An order of n steps that is not the right one.

    >>> shuffled(5)
    [4, 3, 1, 2, 0]
    """
    order: list[int] = np.random.default_rng(n).permutation(n).tolist()
    return order if order != sorted(order) else order[::-1]
