"""The API reference: the package's docstrings as Sphinx's autodoc reads them, with the shapes from the signatures.

A docstring is prose with `names` in single backticks, a paragraph "Raises …", one "Source: …" and a doctest. Here it
becomes reStructuredText: the two paragraphs are fields of their own, and a field more tells every array's shape.
"""

import inspect
import re
import types
import typing
from typing import Any

from sphinx.application import Sphinx

import attnlib

FIELDS = {"Raises ": ":Raises: ", "Source: ": ":Source: "}
KINDS = {
    "Real": "numbers",
    "Float": "floats",
    "Bool": "booleans",
    "Int": "integers",
    "Integer": "integers",
    "Shaped": "any dtype",
}


def shape_of(annotation: Any) -> str | None:
    """The shape that a jaxtyping annotation names, such as "(…, n, d) floats"; None for what is no array."""
    for part in typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,):
        if hasattr(part, "dim_str"):
            axes = [re.sub(r"^[*#]+.*", "…", axis).lstrip("_") for axis in part.dim_str.split()]
            return f"({', '.join(axes)}{',' if axes != ['…'] and len(axes) == 1 else ''}) {KINDS[part.__name__.split('[')[0]]}"
    return None


def shapes(function: Any) -> list[str]:
    """A field with the shapes of the arrays that go in and come out."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    entries = [(f"``{p.name}`` ", shape_of(p.annotation)) for p in signature.parameters.values()]
    entries.append(("gives ", shape_of(signature.return_annotation)))
    named = [f"    | {name}{shape}" for name, shape in entries if shape]
    return [":Shapes:", *named, ""] if named else []


def restructured(lines: list[str]) -> list[str]:
    """The docstring's lines as reStructuredText: names as literals, the two special paragraphs as fields."""
    out: list[str] = []
    field = False
    for line in lines:
        if line.lstrip().startswith(">>>"):
            return out + lines[len(out) :]
        parts = re.split(r"(`[^`]+`|\*\w[^*]*\w\*)", line)  # names, and what is *stressed*
        text = "".join(_marked(part) for part in parts)
        for start, name in FIELDS.items():
            if text.startswith(start):
                text, field = name + text.removeprefix(start), True
        field = field and bool(line)
        out.append(f"    {text}" if field and not text.startswith(tuple(FIELDS.values())) else text)
    return out


def _marked(part: str) -> str:
    if part.startswith("*") and part.endswith("*") and len(part) > 1:
        return part
    if not part.startswith("`"):
        return re.sub(r"([*|\\])", r"\\\1", part)
    name = part.strip("`")
    return f":py:obj:`{name} <attnlib.{name}>`" if name in attnlib.__all__ else f"``{name}``"


def rewrite(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    text = restructured(lines)
    fields = next((i for i, line in enumerate(text) if line.startswith((*FIELDS.values(), ">>>"))), len(text))
    found = shapes(obj) if what in {"function", "method"} else []
    lines[:] = [*text[:fields], *found, *text[fields:]]


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", rewrite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
