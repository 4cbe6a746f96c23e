"""Answers to questions, in the forms in which students give them, and what is said of each."""

import re
from numbers import Rational, Real
from typing import Any

from attnlib.exercises.harness import Mistake, kind
from attnlib.markup import unmarked


def answer(asked: Any, given: Any) -> None:
    """Give a question, a `Choice` or a `Number`, the student's answer. Raises `Mistake` for what cannot be one."""
    if given is None:
        raise Mistake("There is no answer yet.")
    if hasattr(asked, "options"):
        asked.answer = _steps(asked, given) if asked.mode == "order" else _option(asked, given)
    else:
        asked.answer = _typed(given)


def reply(asked: Any) -> str:
    """What the page says of the answer; of a right one also what it then reveals."""
    if hasattr(asked, "options"):
        if asked.mode == "order":
            step = next((i for i, step in enumerate(asked.answer) if i != step), None)
            if step is None:
                return _join("Each step comes after what it needs.", asked.reveal)
            early = asked.answer[step]
            return f"Step {step + 1} cannot be “{asked.options[early]}”. {asked.replies[early]}"
        return _join(asked.replies[asked.answer], asked.reveal if asked.correct else "")
    from attnlib.widgets.answers import near, read_number, rounded

    note = read_number(asked.typed)[1]
    if asked.correct is None:
        return note
    known = (sentence for value, tolerance, sentence in asked.wrong if near(asked.value, value, tolerance))
    short = rounded(asked.typed, asked.value, asked.right)
    other = "Right so far: give one more digit." if short else "That is not the number. Try another way."
    return _join(asked.explanation if asked.correct else next(known, other), note)


def _join(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _option(asked: Any, given: Any) -> int:
    """The number of an option, from its number, its letter or its text."""
    letters = "abcdefghijkl"[: len(asked.options)]
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(asked.options):
        return given
    if isinstance(given, str):
        texts = [_bare(option) for option in asked.options]
        if _bare(given) in texts:
            return texts.index(_bare(given))
        letter = given.strip().strip("().").lower()
        if len(letter) == 1 and letter in letters:
            return letters.index(letter)
    options = ", ".join(f"{letter}) {unmarked(text)}" for letter, text in zip(letters, asked.options, strict=True))
    raise Mistake(f"Answer with a letter: {options}.")


def _steps(asked: Any, given: Any) -> list[int]:
    """An order, from a list of the steps' numbers or texts."""
    texts = [_bare(option) for option in asked.options]
    order = (
        [texts.index(_bare(step)) if _bare(step) in texts else step for step in given]
        if isinstance(given, list | tuple)
        else []
    )
    if any(not isinstance(step, int) for step in order) or sorted(order) != list(range(len(texts))):
        raise Mistake(f"Answer with a list that holds each of the numbers 0 … {len(texts) - 1} once, in your order.")
    return order


def _bare(text: Any) -> str:
    """A text without what a student would not type: spaces, marks, signs that no keyboard has."""
    return re.sub(r"[\s`*.]", "", str(text)).casefold().replace("×", "x").replace("−", "-")


def _typed(given: Any) -> str:
    """A number as text, as `Number` reads it."""
    if isinstance(given, str):
        return given[:80]
    if isinstance(given, Real) and not isinstance(given, bool):
        return str(given) if isinstance(given, Rational) else repr(float(given))
    raise Mistake(f"Answer with a number, got {kind(given)}.")
