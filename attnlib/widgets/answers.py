"""What questions share: a little markup, and numbers that readers type. answers.mjs does the same in the page."""

import html
import re
from typing import Any

import traitlets

from attnlib.markup import marked
from attnlib.widgets.base import PageWidget

_DIGITS = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_NUMBER = re.compile(rf"([-+]?{_DIGITS})(?: */ *(-?{_DIGITS}))?")


def read_number(text: str) -> tuple[float | None, str]:
    """The number that was typed, or None, and what there is to say about it.

    >>> read_number("−1/2"), read_number("0,5")[0], read_number("two")[0]
    ((-0.5, ''), 0.5, None)
    """
    typed = re.sub("[−–]", "-", text.strip())
    if not typed:
        return None, "Type a number first."
    if len(typed) > 40:
        return None, "That is too long for a number."
    if re.fullmatch(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}", typed):
        return None, "This comma can be read in two ways. Write the number without it, or with a decimal point."
    comma = re.fullmatch(r"[-+]?[0-9]*,[0-9]+", typed) is not None
    if comma:
        typed = typed.replace(",", ".")
    found = _NUMBER.fullmatch(typed)
    if not found:
        return None, "That is not a number. Write it like 0.5, −2, 1/3 or 1e-3."
    if float(found[2] or 1) == 0:
        return None, "Nothing can be divided by 0."
    value = float(found[1]) / float(found[2] or 1)
    if abs(value) == float("inf") or value != value:
        return None, "That number is too large to compare."
    return value, f"Read as {typed.replace('-', '−')}: write a decimal point, not a comma." if comma else ""


def near(value: float, target: float, tolerance: float) -> bool:
    """Whether two numbers differ by no more than `tolerance`, give or take what rounding adds."""
    return abs(value - target) <= tolerance * (1 + 1e-9)


class Question(PageWidget):
    """A prompt and an answer; `correct` is None until there is one, and can be observed.

    A subclass has a synced trait `answer`, and says in `judge` what an answer is worth.
    """

    prompt = traitlets.Unicode().tag(sync=True)
    provenance = traitlets.Unicode("").tag(sync=True)
    correct = traitlets.Bool(None, allow_none=True, read_only=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.observe(lambda _: self._judge(), ["answer", "right"])
        self._judge()

    def judge(self) -> bool | None:
        """Whether the answer is right; None without one."""
        raise NotImplementedError

    @traitlets.default("title")
    def _name(self) -> str:
        """What the address of this question is made from."""
        return " ".join(self.prompt.split()[:8])

    def _judge(self) -> None:
        self.set_trait("correct", self.judge())

    def figure(self, question: str, answers: str) -> str:
        """The question and, folded away, its answers: both are HTML."""
        origin = f"<small> Numbers: {html.escape(self.provenance)}.</small>" if self.provenance else ""
        return (
            f'<figure class="attn attn-question"><figcaption>{marked(self.prompt)}{origin}</figcaption>{question}'
            f"<details><summary>Answers</summary>{answers}</details></figure>"
        )
