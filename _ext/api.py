"""The API reference: the package's docstrings, Google's sections as napoleon reads them.

What napoleon does not know stands here: a `name` in single backticks is code, and a link where the package has it; a
"Source:" is a field.
"""

import re
import types
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring

import attnlib
from attnlib import decoder, lab, masks, multihead, positions, scaled_dot_product, variants

HOMES = (attnlib, lab, masks, scaled_dot_product, multihead, positions, variants, decoder)
SOURCE = re.compile(r"^Source:\s+(.+(?:\n.+)*)", re.MULTILINE)
PARTS = re.compile(r"(`[^`]+`|\*\w[^*]*\w\*)")  # names, and what is *stressed*


class Docstring(GoogleDocstring):
    """Types stand in the signature: a colon in what a function returns belongs to the sentence."""

    def _consume_returns_section(self, preprocess_types: bool = False) -> list[tuple[str, str, list[str]]]:
        return [("", "", self._dedent(self._consume_to_next_section()))]


def restructured(lines: list[str]) -> Iterator[str]:
    """The docstring's lines as reStructuredText: names as literals or links, paragraphs that are fields as such."""
    text = SOURCE.sub(lambda match: ":Source: " + match[1].replace("\n", "\n    "), "\n".join(lines))
    example = False
    for line in text.split("\n"):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        yield line if example else "".join(map(_marked, PARTS.split(line)))


def _marked(part: str) -> str:
    if not part.startswith("`"):
        return part if PARTS.fullmatch(part) else re.sub(r"([*|\\])", r"\\\1", part)
    name = part.strip("`")
    home = next((home.__name__ for home in HOMES if _is_of(home, name)), None)
    return f":py:obj:`{name} <{home}.{name}>`" if home else f"``{name}``"


def _is_of(home: types.ModuleType, name: str) -> bool:
    """Whether the reference lists the name as this module's."""
    listed = vars(home).get("__all__")
    return getattr(vars(home).get(name), "__module__", "") == home.__name__ if listed is None else name in listed


def rewrite(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrite a docstring. Whatever it is of, for a property's first line names no type here."""
    lines[:] = Docstring(list(restructured(lines)), Config(), app).lines()  # type: ignore[arg-type]
