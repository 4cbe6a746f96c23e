"""Markdown, code and plain text as HTML in which nothing is alive and nothing is loaded.

Raw HTML is shown as it was typed. A picture is its description, a link shows where it leads, and characters that cannot
be seen, or turn the direction of reading, are shown as marks.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from classroom.formulas import Formula

LONGEST = 20_000  # characters of a cell that are shown
LINE = 2_000  # characters of a line of code that is coloured
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
FORMULAS = {"math_inline": False, "math_inline_double": True, "math_block": True, "amsmath": True}


class Renderer(RendererHTML):
    """Tokens as HTML: only links with an address that is shown, no pictures, no heading above the page's own."""

    def heading_open(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
        return f"<{self._level(tokens[at])}>" if env["outline"] else '<p class="heading">'

    def heading_close(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
        return f"</{self._level(tokens[at])}>\n" if env["outline"] else "</p>\n"

    def _level(self, heading: Token) -> str:
        return "h2" if heading.tag == "h1" else heading.tag

    def image(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
        return f"[image: {escape(tokens[at].content)}]"

    def link_open(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
        return ""

    def link_close(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
        """The address is the link, after its words: what leads away says where to."""
        opening = next(token for token in reversed(tokens[:at]) if token.type == "link_open")
        address = str(opening.attrs.get("href", ""))
        if not re.match(r"(https?://|mailto:)", address, re.IGNORECASE):
            return " [link not shown]"
        shown = escape(address)
        return f' (<a href="{shown}" rel="noopener noreferrer">{shown}</a>)'

    def formula(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
        source, alone = formula = _formula(tokens[at])
        if found := env["formulas"].get(formula):
            return str(found)
        marks = "$$" if alone else "$"
        return f"<code>{escape(source if tokens[at].type == 'amsmath' else marks + source + marks)}</code>"

    math_inline = math_inline_double = math_block = amsmath = formula


class Reader(MarkdownIt):
    """Markdown's reader, for which every address is a link: `Renderer.link_close` looks at it."""

    def validateLink(self, url: str) -> bool:
        return True


def _reader() -> Reader:
    reader = Reader("commonmark", {"html": False, "maxNesting": 20}, renderer_cls=Renderer)
    reader.enable("table")
    reader.disable("reference")  # thousands of them take a quarter of a minute to read
    reader.use(dollarmath_plugin, allow_labels=False, allow_digits=False, double_inline=True)
    reader.use(amsmath_plugin)
    for kind in FORMULAS:
        reader.add_render_rule(kind, Renderer.formula)
    return reader


READER = _reader()


def parsed(text: str) -> list[Token]:
    """Markdown, read."""
    return READER.parse(text)


def formulas(tokens: Iterable[Token]) -> list[Formula]:
    """Every formula in it, so that those of a page can be typeset at once."""
    found = []
    for token in tokens:
        if token.type in FORMULAS:
            found.append(_formula(token))
        found += formulas(token.children or [])
    return found


def rendered(tokens: list[Token], known: Mapping[Formula, str], outline: bool = False) -> str:
    """As HTML. Headings, at most of level 2, where the text is part of the page's `outline`; else lines in bold."""
    env: EnvType = {"outline": outline, "formulas": known}
    return str(READER.renderer.render(tokens, READER.options, env))


def lines(code: str) -> list[str]:
    """Each line of code as HTML, coloured by classes."""
    if any(len(line) > LINE for line in code.split("\n")):
        return escape(code).split("\n")
    coloured = str(highlight(code, PythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True)))
    return coloured.removesuffix("\n").split("\n")


def short(text: str, most: int = LONGEST) -> str:
    """The text, cut with a word where it is longer than anybody reads."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if len(text) <= most else f"{text[:most]}\n… cut here: {len(text) - most} more characters."


def spoken(text: str) -> str:
    """A sentence as HTML, with `code` in it."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))


def visible(text: str) -> str:
    """Controls, turns of direction and characters without width as marks that can be seen."""
    return "".join(map(_mark, text)) if any(unicodedata.category(one) in UNSEEN for one in set(text)) else text


def _mark(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in UNSEEN:
        return character
    number = ord(character)
    return chr(0x2400 + number) if number < 32 else f"⟦U+{number:04X}⟧"


def _formula(token: Token) -> Formula:
    return token.content, FORMULAS[token.type]
