"""Numbers that readers type: read, and compared. attnlib/widgets/answers.mjs reads them in the same way in a page."""

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.formatting import compact

LONGEST = 40  # characters
SENTENCES = {
    "empty": "Type a number first.",
    "long": "That is too long for a number.",
    "ambiguous": "This comma can be read in two ways. Write the number without it, or with a decimal point.",
    "unreadable": "That is not a number. Write it like 0.5, −2, 1/3, 1e-3, sqrt(2) or ln(2).",
    "infinite": "That is infinite, or too large to compare.",
    "comma": "Read as {value}: write a decimal point, not a comma.",
    "value": "Read as {value}.",
}
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
        return None, SENTENCES["empty"]
    if len(typed) > LONGEST:
        return None, SENTENCES["long"]
    if re.fullmatch(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}", typed):
        return None, SENTENCES["ambiguous"]
    if re.fullmatch(r"[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?", typed):
        typed = typed.replace(",", "")  # of thousands
    comma = re.fullmatch(r"[-+]?[0-9]*,[0-9]+", typed) is not None
    if comma:
        typed = typed.replace(",", ".")
    with np.errstate(all="ignore"):
        value = _calculate(_TOKEN.findall(typed.lower()))
    if np.isnan(value):
        return None, SENTENCES["unreadable"]
    if not np.isfinite(value):
        return None, SENTENCES["infinite"]
    if comma:
        return value, SENTENCES["comma"].format(value=typed.replace("-", "−"))
    return value, SENTENCES["value"].format(value=compact(value)) if re.search("[√^lsx]", typed.lower()) else ""


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
            exponent = power()
            return (
                np.float64(np.nan) if abs(base) == 1 and not np.isfinite(exponent) else base**exponent
            )  # as JavaScript
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
    plain = re.fullmatch("[-+−–]?[0-9]*[.,]?([0-9]*)", typed.strip())
    return plain is not None and near(value, right, min(0.5 * 10.0 ** -len(plain[1]), 0.1 * abs(right)))


def near(value: float, target: float, tolerance: float) -> bool:
    """Whether two numbers differ by no more than `tolerance`, give or take what rounding adds."""
    return abs(value - target) <= tolerance * (1 + 1e-9)
