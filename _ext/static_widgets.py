"""Widgets that work in a page with no kernel and no network.

`attnlib.widgets` gives each widget a `text/html` form, a table and its state; here the pages that
hold one get the script that brings it to life, and lose what Jupyter's own widgets would load.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from attnlib import widgets
from attnlib.widgets.base import PageWidget
from attnlib.widgets.compose import page_script
from minify import minified

SCRIPT = "widgets.js"
logger = logging.getLogger(__name__)


def modules() -> list[str]:
    """The JavaScript modules of all public widgets."""
    public = [getattr(widgets, name) for name in widgets.__all__]
    return [widget._module for widget in public if issubclass(widget, PageWidget)]


def add_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    body = context.get("body") or ""
    if "application/vnd.jupyter.widget-view+json" in body:
        logger.warning(
            "a widget has no text/html form, so the page cannot show it", location=page, type="static_widgets"
        )
    context["script_files"][:] = [s for s in context["script_files"] if not _is_widget_state(s)]
    if "data-widget=" in body:
        app.add_js_file(SCRIPT, loading_method="defer")


def _is_widget_state(script: Any) -> bool:
    return getattr(script, "attributes", {}).get("type") == "application/vnd.jupyter.widget-state+json"


def write_script(app: Sphinx, exception: Exception | None) -> None:
    """At the end, since Jupyter Book would put any script found under _static on every page."""
    if exception or app.builder.format != "html":
        return
    script = minified(page_script(modules()), "js", Path(app.srcdir))
    (Path(app.outdir) / "_static" / SCRIPT).write_text(script, encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_script, priority=900)
    app.connect("build-finished", write_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
