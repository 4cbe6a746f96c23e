"""Widgets that work in a page with no kernel and no network.

`attnlib.widgets` gives each widget a `text/html` form, a table and its state; here the pages that
hold one get the script that brings it to life, and lose what Jupyter's own widgets would load.
"""

import hashlib
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from esbuild import page_script

NAMED = re.compile(r'data-widget="(\w+)"')
logger = logging.getLogger(__name__)


def modules(html: str) -> list[str]:
    """The JavaScript modules of the widgets in a page, in a fixed order."""
    return sorted(set(NAMED.findall(html)))


def script_name(names: list[str]) -> str:
    """Pages with the same widgets share a script, and none brings what it does not show."""
    return f"widgets-{hashlib.sha256(' '.join(names).encode()).hexdigest()[:8]}.js"


def add_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    body = context.get("body") or ""
    if "application/vnd.jupyter.widget-view+json" in body:
        logger.warning(
            "a widget has no text/html form, so the page cannot show it", location=page, type="static_widgets"
        )
    context["script_files"][:] = [s for s in context["script_files"] if not _is_widget_state(s)]
    if names := modules(body):
        app.add_js_file(script_name(names), loading_method="defer")


def _is_widget_state(script: Any) -> bool:
    return getattr(script, "attributes", {}).get("type") == "application/vnd.jupyter.widget-state+json"


def write_scripts(app: Sphinx, exception: Exception | None) -> None:
    """At the end, since Jupyter Book would put any script found under _static on every page.

    For what the pages hold, those of an earlier build too, with the modules as they are now.
    """
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    sets = {tuple(names) for page in site.rglob("*.html") if (names := modules(page.read_text(encoding="utf8")))}
    scripts = {script_name(list(names)): page_script(list(names), Path(app.srcdir)) for names in sets}
    for old in (site / "_static").glob("widgets*.js"):
        if old.name not in scripts:
            old.unlink()
    for name, script in scripts.items():
        (site / "_static" / name).write_text(script, encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_script, priority=900)
    app.connect("build-finished", write_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
