"""Questions as data: what is asked, and the reply to every answer. Widgets render them; judging needs none.

What is said of an answer stands here or in the question itself, once: a page gets `Question.sentences` with the question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Rational, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from attnlib.markup import kind, unmarked
from attnlib.questions import numbers
from attnlib.questions.numbers import near, read_number, rounded

LETTERS = "abcdefghijkl"  # of the options, so many at most
LONGEST = 80  # characters of an answer that are read
# An option that is a number, or begins with one.
_NUMBERED = re.compile(r"(grid )?(-?[0-9]+(?:\.[0-9]+)?|nan)(?:[,:].*)?", re.IGNORECASE)


class Reply(NamedTuple):
    """What is said of an answer: whether it is right, the sentence, and what a right answer reveals.

    `correct` is None where there is nothing to judge; the sentence then says what an answer would be.
    """

    correct: bool | None
    sentence: str
    reveal: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.sentence, self.reveal)))


@dataclass(frozen=True)
class Question:
    """A prompt, and a reply to every answer. Texts may hold `code` in backticks and *emphasis*.

    `title` is what its address is made from, and `provenance` where its numbers come from.
    """

    prompt: str
    title: str = field(default="", kw_only=True)
    provenance: str = field(default="", kw_only=True)
    sentences: ClassVar[dict[str, str]] = {"right": "Yes.", "wrong": "Not yet."}

    def __post_init__(self) -> None:
        if not self.prompt.strip():
            raise ValueError("a question needs a prompt")

    def reply(self, answer: Any) -> Reply:
        """The verdict on an answer in any form in which a student gives it, and what there is to say."""
        if hasattr(answer, "item") and np.ndim(answer) == 0:
            answer = answer.item()  # a number of NumPy's, or a tensor with one
        return Reply(None, "There is no answer yet.") if answer is None else self._reply(answer)

    def _reply(self, answer: Any) -> Reply:
        raise NotImplementedError


@dataclass(frozen=True)
class _Options(Question):
    """What questions with options share; a reply is given for each."""

    options: Sequence[tuple[str, str]]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_pairs(self.options)
        if not 2 <= len(self.options) <= len(LETTERS):
            raise ValueError(f"2 to {len(LETTERS)} options are needed, got {len(self.options)}")
        for i, (text, reply) in enumerate(self.options):
            if not text.strip():
                raise ValueError(f"option {i} has no text")
            if not reply.strip() and self._needs_reply(i):
                raise ValueError(f"option {i}, {text!r}, has no reply")

    def _needs_reply(self, option: int) -> bool:
        return True

    @property
    def texts(self) -> list[str]:
        """The options without their replies."""
        return [text for text, _ in self.options]


@dataclass(frozen=True)
class ChoiceQuestion(_Options):
    """One of the options is to be chosen: pairs of a text and the reply to it, and `right` the index of the right one.

    >>> ChoiceQuestion("1 + 1?", [("2", "Yes, two."), ("11", "That joins the digits.")], 0).reply("b")
    Reply(correct=False, sentence='That joins the digits.', reveal='')
    """

    right: int
    reveal: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.right < len(self.options):
            raise ValueError(f"right is option {self.right}, outside 0 … {len(self.options) - 1}")

    def _reply(self, answer: Any) -> Reply:
        chosen = self._index(answer)
        if chosen is None:
            options = ", ".join(f"{a}) {unmarked(text)}" for a, text in zip(LETTERS, self.texts, strict=False))
            return Reply(None, f"Answer with a letter: {options}.")
        return Reply(chosen == self.right, self.options[chosen][1], self.reveal if chosen == self.right else "")

    def numbered(self, answer: Any) -> Any:
        """A number that is an option, that begins one, or that stands behind "Grid", as this option's text."""
        number = answer.item() if hasattr(answer, "item") and np.ndim(answer) == 0 else answer
        if type(number) not in (int, float):
            return answer
        found = [_NUMBERED.fullmatch(unmarked(text).replace("−", "-")) for text in self.texts]
        for text, one in zip(self.texts, found, strict=True):
            if one and (float(one[2]) == number or (np.isnan(float(one[2])) and number != number)):
                return text
        return str(number) if all(one and not one[1] for one in found) else answer  # no index where all are numbers

    def _index(self, answer: Any) -> int | None:
        """The index of an option, from its index, its letter or its text."""
        if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer < len(self.options):
            return answer
        if not isinstance(answer, str):
            return None
        bare, letter = [_bare(text) for text in self.texts], answer.strip().strip("().").lower()
        if _bare(answer) in bare:
            return bare.index(_bare(answer))
        letters = LETTERS[: len(self.options)]
        return letters.index(letter) if len(letter) == 1 and letter in letters else None


@dataclass(frozen=True)
class OrderQuestion(_Options):
    """Steps, given in the right order, are to be put into it; the reply to each says what it needs first.

    `order` holds their indices as they are first shown; None means as `shuffled` has them.
    """

    reveal: str = ""
    order: Sequence[int] | None = None
    sentences = Question.sentences | {
        "ordered": "That is the order.",
        "early": "Step {step} cannot be “{text}”. {reply}",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        n = len(self.options)
        if self.order is not None and sorted(self.order) != list(range(n)):
            raise ValueError(f"order must hold each of 0 … {n - 1} once, got {self.order}")

    def _needs_reply(self, option: int) -> bool:
        return option > 0  # the first step never comes too early

    def _reply(self, answer: Any) -> Reply:
        steps, right = self._steps(answer), list(range(len(self.options)))
        if any(type(step) is not int for step in steps) or sorted(steps) != right:
            last = len(right) - 1
            return Reply(None, f"Answer with a list that holds each of the numbers 0 … {last} once, in your order.")
        if steps == right:
            return Reply(True, self.sentences["ordered"], self.reveal)
        first = next(i for i in right if steps[i] != i)
        text, reply = self.options[steps[first]]
        return Reply(False, self.sentences["early"].format(step=first + 1, text=text, reply=reply))

    def as_shown(self, answer: Any) -> Any:
        """Numbers of steps, from 0, as the question shows them at first, as indices of the options; all else as it is."""
        answer = answer.tolist() if hasattr(answer, "tolist") else answer  # an array, or a tensor
        if not isinstance(answer, list | tuple):
            return answer
        order = shuffled(len(self.options)) if self.order is None else self.order
        steps = [step.item() if hasattr(step, "item") and np.ndim(step) == 0 else step for step in answer]
        return [order[step] if type(step) is int and 0 <= step < len(order) else step for step in steps]

    def _steps(self, answer: Any) -> list[Any]:
        """The indices of the steps, from a list of them or of the steps' texts."""
        bare = [_bare(text) for text in self.texts]
        given = answer if isinstance(answer, list | tuple) else []
        return [bare.index(_bare(step)) if _bare(step) in bare else step for step in given]


@dataclass(frozen=True)
class NumberQuestion(Question):
    """A number is to be given that differs from `right` by at most `tolerance`, or `relative` · |right| if that is more.

    `wrong` holds triples, (value, tolerance, sentence): the reply to a wrong answer near the value. `unit` stands
    behind the field, and `explanation` follows the right answer.
    """

    right: float
    wrong: Sequence[tuple[float, float, str]] = ()
    tolerance: float = 0.005
    relative: float = 0.0
    unit: str = ""
    explanation: str = ""
    sentences = (
        Question.sentences
        | numbers.SENTENCES
        | {"rounded": "Right so far: give one more digit.", "other": "That is not the number. Try another way."}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs = {"right": self.right, "tolerance": self.tolerance, "relative": self.relative}
        for i, (value, tolerance, _) in enumerate(self.wrong):
            inputs |= {f"wrong[{i}][0]": value, f"wrong[{i}][1]": tolerance}
        for name, number in inputs.items():
            if not np.isfinite(number):
                raise ValueError(f"{name} must be finite, got {number}")
            if number < 0 and (name in ("tolerance", "relative") or name.endswith("[1]")):
                raise ValueError(f"{name} must be 0 or more, got {number}")
        for i, (value, _, sentence) in enumerate(self.wrong):
            if not sentence.strip():
                raise ValueError(f"wrong[{i}], {value}, has no sentence")
            if self.accepts(value):
                raise ValueError(f"wrong[{i}], {value}, would be accepted as right: {self.right}")

    def accepts(self, value: float) -> bool:
        """Whether a number is right."""
        return near(value, self.right, max(self.tolerance, self.relative * abs(self.right)))

    def value(self, answer: str) -> float | None:
        """The number that was typed, None where there is none."""
        return read_number(self._without_unit(answer))[0]

    def _without_unit(self, answer: str) -> str:
        return answer.strip().removesuffix(unmarked(self.unit))

    def _reply(self, answer: Any) -> Reply:
        if isinstance(answer, Real | Decimal) and not isinstance(answer, bool):
            answer = str(answer) if isinstance(answer, Rational) else repr(float(answer))
        if not isinstance(answer, str):
            return Reply(None, f"Answer with a number, got {kind(answer)}.")
        typed = self._without_unit(answer[:LONGEST])
        value, note = read_number(typed)
        if value is None:
            return Reply(None, note)
        if self.accepts(value):
            return Reply(True, note, self.explanation)
        known = (sentence for other, tolerance, sentence in self.wrong if near(value, other, tolerance))
        other = self.sentences["rounded" if rounded(typed, value, self.right) else "other"]
        return Reply(False, " ".join(filter(None, (next(known, other), note))))


def check_pairs(options: Sequence[Any]) -> None:
    """Raise ValueError unless each option is a pair of texts."""
    for i, pair in enumerate(options):
        if isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"option {i} must be a pair, its text and the reply to it, got {pair!r}")


def shuffled(n: int) -> list[int]:
    """An order of n steps drawn at random, always the same, and not the right one.

    >>> shuffled(5)
    [4, 3, 1, 2, 0]
    """
    order: list[int] = np.random.default_rng(n).permutation(n).tolist()
    return order if order != sorted(order) else order[::-1]


def _bare(text: Any) -> str:
    """A text without what a student would not type: spaces, marks, signs that no keyboard has."""
    return re.sub(r"[\s`*]|\.(?!\d)", "", str(text)).casefold().replace("×", "x").replace("−", "-")
