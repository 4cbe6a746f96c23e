"""Texts for readers: the little markup of questions, hints and reports, and what a value is called in a sentence."""

import html
import re
from collections.abc import Iterator
from typing import Any

_MARK = re.compile(r"`([^`]+)`|(?<!\w)\*([^ *](?:[^*]*[^ *])?)\*(?!\w)|(?<=\b[A-Za-z])_(\w+)", re.ASCII)
_TAGS = ("", "code", "em", "sub")
_KINDS = {
    "NoneType": "None",
    "ndarray": "an array",
    "bytes": "bytes",
    "type": "a class",
    "builtin_function_or_method": "a function",
}


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with the tag of its element: "code" in backticks, "em" in stars, "sub" for the index of a
    letter, as in W_Q, or "" for plain text.
    """
    end = 0
    for mark in _MARK.finditer(text):
        yield "", text[end : mark.start()]
        which = mark.lastindex or 0
        yield _TAGS[which], mark[which]
        end = mark.end()
    yield "", text[end:]


def marked(text: str) -> str:
    """HTML in which only `code`, *emphasis* and the index of W_Q are elements, and all else is text."""
    return "".join(f"<{tag}>{html.escape(piece)}</{tag}>" if tag else html.escape(piece) for tag, piece in pieces(text))


def unmarked(text: str) -> str:
    """The text without its marks. An index keeps its underscore."""
    return "".join(f"_{piece}" if tag == "sub" else piece for tag, piece in pieces(text))


def kind(value: Any) -> str:
    """What a value is, in a sentence: "None", "an int", "an array"."""
    name = type(value).__name__
    return _KINDS.get(name) or f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
