"""What a cell prints stays whole, and highlighted code marks what the book's style colours, and lines that may wrap."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from html import unescape
from typing import IO

import jupyter_cache.executors.utils
import nbclient
from pygments.formatters import HtmlFormatter
from pygments.token import Name, Operator, Punctuation, Text, Whitespace
from sphinx.highlighting import PygmentsBridge

LONG = 38  # characters: a longer line wraps on the narrowest phone
PLAIN = (Punctuation, Whitespace, Name)
Token = tuple[str, ...]


def is_plain(token: Token) -> bool:
    """Whether the style leaves such a token in the colour of text."""
    return token is Operator or (any(token in kind for kind in PLAIN) and token != Name.Function)


class Formatter(HtmlFormatter):
    """Pygments' own wraps every name and bracket: nearly half of a chapter's elements, and a phone pays for each."""

    def format(self, tokensource: Iterable[tuple[Token, str]], outfile: IO[str]) -> None:
        super().format(((Text if is_plain(token) else token, text) for token, text in tokensource), outfile)

    def wrap(self, source: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        yield from super().wrap(map(self.mark, source))

    def mark(self, numbered: tuple[int, str]) -> tuple[int, str]:
        """Tell the style of a long line how far it is indented: where it wraps, it goes on further right."""
        number, line = numbered
        text = unescape(re.sub("<[^>]*>", "", line)).rstrip()
        if len(text) <= LONG:
            return numbered
        return number, f'<span class="long" style="--indent:{len(text) - len(text.lstrip())}">{line}</span>'


def configure() -> None:
    """A kernel sends what is printed in pieces; myst-nb 1.4.0 ends a line after each, so they are joined before."""
    jupyter_cache.executors.utils.executenb = partial(nbclient.execute, coalesce_streams=True)
    PygmentsBridge.html_formatter = Formatter
