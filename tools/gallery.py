"""The widgets of the gallery, as its page makes them."""

import ast
from pathlib import Path

import jupytext

from attnlib.widgets.base import PageWidget

PAGE = Path(__file__).resolve().parent.parent / "chapters" / "appendices" / "gallery.md"


def widgets() -> dict[str, PageWidget]:
    """Each widget by the name of its class: what the last line of a cell makes."""
    made = {}
    for cell in jupytext.read(PAGE, fmt="md:myst").cells:
        if cell.cell_type == "code":
            *before, last = ast.parse(cell.source).body
            assert isinstance(last, ast.Expr)
            names: dict[str, object] = {}
            exec(compile(ast.Module(before, []), "gallery", "exec"), names)
            widget = eval(compile(ast.Expression(last.value), "gallery", "eval"), names)
            made[type(widget).__name__] = widget
    return made
