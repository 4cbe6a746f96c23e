"""The little markup of questions, hints and reports: `code` in backticks and *emphasis* in stars."""

import html
import re
from collections.abc import Iterator

_MARK = re.compile(r"`([^`]+)`|(?<!\w)\*([^ *](?:[^*]*[^ *])?)\*(?!\w)", re.ASCII)


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with the tag of its element: "code", "em", or "" for plain text."""
    end = 0
    for found in _MARK.finditer(text):
        yield "", text[end : found.start()]
        yield ("code", found[1]) if found[1] else ("em", found[2])
        end = found.end()
    yield "", text[end:]


def marked(text: str) -> str:
    """HTML in which only `code` and *emphasis* are elements, and all else is text."""
    return "".join(f"<{tag}>{html.escape(piece)}</{tag}>" if tag else html.escape(piece) for tag, piece in pieces(text))


def unmarked(text: str) -> str:
    """The text without its marks."""
    return "".join(piece for _, piece in pieces(text))
