"""What questions share: a little markup, and numbers that readers type. answers.mjs does the same in the page."""

import html
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import traitlets

from attnlib.markup import marked
from attnlib.widgets.base import PageWidget, compact

_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?")
_TOKEN = re.compile(rf"{_NUMBER.pattern}|sqrt|ln|log|exp|\S")
_FUNCTIONS = {"sqrt": np.sqrt, "√": np.sqrt, "ln": np.log, "log": np.log, "exp": np.exp}
_SUMS = {"+": operator.add, "-": operator.sub}
_PRODUCTS = {"*": operator.mul, "/": operator.truediv}


def read_number(text: str) -> tuple[float | None, str]:
    """The number that was typed, or None, and what there is to say about it.

    >>> read_number("−1/2"), read_number("0,5")[0], read_number("two")[0]
    ((-0.5, ''), 0.5, None)
    >>> read_number("sqrt(3^2 + 4^2)")
    (5.0, 'Read as 5.00.')
    """
    typed = re.sub("[×·]", "*", re.sub("[−–]", "-", text.strip())).replace("**", "^")
    if not typed:
        return None, "Type a number first."
    if len(typed) > 40:
        return None, "That is too long for a number."
    if re.fullmatch(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}", typed):
        return None, "This comma can be read in two ways. Write the number without it, or with a decimal point."
    if re.fullmatch(r"[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?", typed):
        typed = typed.replace(",", "")  # of thousands
    comma = re.fullmatch(r"[-+]?[0-9]*,[0-9]+", typed) is not None
    if comma:
        typed = typed.replace(",", ".")
    with np.errstate(all="ignore"):
        value = _calculate(_TOKEN.findall(typed.lower()))
    if np.isnan(value):
        return None, "That is not a number. Write it like 0.5, −2, 1/3, 1e-3, sqrt(2) or ln(2)."
    if not np.isfinite(value):
        return None, "That is infinite, or too large to compare."
    if comma:
        return value, f"Read as {typed.replace('-', '−')}: write a decimal point, not a comma."
    return value, f"Read as {compact(value)}." if re.search("[√^lsx]", typed.lower()) else ""


def _calculate(tokens: list[str]) -> float:
    """The value of a sum, product, power or function, with brackets; NaN for anything else."""

    def chain(part: Callable[[], Any], signs: dict[str, Callable[[Any, Any], Any]]) -> Any:
        value = part()
        while tokens and tokens[0] in signs:
            value = signs[tokens.pop(0)](value, part())
        return value

    def total() -> Any:
        return chain(lambda: chain(power, _PRODUCTS), _SUMS)

    def power() -> Any:
        if tokens and tokens[0] in _SUMS:
            return _SUMS[tokens.pop(0)](0.0, power())
        base = atom()
        if tokens and tokens[0] == "^":
            tokens.pop(0)
            return base ** power()
        return base

    def atom() -> Any:
        token = tokens.pop(0)
        if token in _FUNCTIONS:
            return _FUNCTIONS[token](atom())
        if token == "(":
            value = total()
            if tokens.pop(0) != ")":
                raise ValueError
            return value
        if token == "e":
            return np.float64(np.e)
        if not _NUMBER.fullmatch(token):
            raise ValueError
        return np.float64(token)

    try:
        value = total()
    except (IndexError, ValueError):
        return float("nan")
    return float("nan" if tokens else value)


def rounded(typed: str, value: float, right: float) -> bool:
    """Whether a plain number was typed that is `right` rounded to its digits, and not more than a tenth away.

    >>> [rounded(typed, float(typed), 0.7311) for typed in ("0.7", "0.73", "0.8", "1")]
    [True, True, False, False]
    """
    found = re.fullmatch("[-+−–]?[0-9]*[.,]?([0-9]*)", typed.strip())
    return found is not None and near(value, right, min(0.5 * 10.0 ** -len(found[1]), 0.1 * abs(right)))


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
