"""Highlighted code that marks what the book's style colours, and no other word.

Pygments wraps every name and every bracket in an element of its own; nearly half of a chapter's elements were such,
and a phone pays for each.
"""

from collections.abc import Iterable, Iterator
from typing import IO

from pygments.formatters import HtmlFormatter
from pygments.token import Name, Operator, Punctuation, Text, Whitespace
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge


def plain(token: tuple[str, ...]) -> bool:
    """Whether the style leaves such a token in the colour of text."""
    return (
        token in Punctuation
        or token in Whitespace
        or token is Operator
        or (token in Name and token is not Name.Function)
    )


def marked(tokens: Iterable[tuple[tuple[str, ...], str]]) -> Iterator[tuple[tuple[str, ...], str]]:
    for token, value in tokens:
        yield Text if plain(token) else token, value


class Formatter(HtmlFormatter):
    def format(self, tokensource: Iterable[tuple[tuple[str, ...], str]], outfile: IO[str]) -> None:
        super().format(marked(tokensource), outfile)


def setup(app: Sphinx) -> dict[str, bool]:
    PygmentsBridge.html_formatter = Formatter
    return {"parallel_read_safe": True, "parallel_write_safe": True}
