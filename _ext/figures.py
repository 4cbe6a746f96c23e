"""Figures that come after the page's text, in the place that was kept for them."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.images import get_image_size

IMAGE = re.compile(r'<img (?=[^>]*src="(?:[^"]*/)?_images/([^"]+)")')
SIDES = re.compile(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')
PIXELS = 4 / 3  # in a point


def size(file: Path) -> tuple[int, int]:
    """Width and height in pixels. Raises ValueError when the file does not say them."""
    if file.suffix == ".svg":
        found = SIDES.search(file.read_text(encoding="utf8"))
        sides = tuple(round(float(side) * PIXELS) for side in found.groups()) if found else None
    else:
        sides = get_image_size(str(file))
    if not sides:
        raise ValueError(f"{file.name} does not say its width and height")
    return sides[0], sides[1]


def keep_places(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    sources = {name: Path(app.srcdir) / source for source, name in app.builder.images.items()}

    def placed(found: re.Match[str]) -> str:
        width, height = size(sources[found[1]])
        return f'<img loading="lazy" width="{width}" height="{height}" '

    if body := context.get("body"):
        context["body"] = IMAGE.sub(placed, body)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", keep_places)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
