"""Widgets that work in a page with no kernel and no network.

`attnlib.widgets` gives each widget a `text/html` form, a table and its state; here the pages that
hold one get the script that brings it to life, and lose what Jupyter's own widgets would load.
A state as large as a model's weights moves to a file of its own, which comes after the page has been shown.
"""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from esbuild import page_script

NAMED = re.compile(r'data-widget="(\w+)"')
STATE = re.compile(r'<script type="application/json">([^<]{20000,})</script>')
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
        context["body"] = STATE.sub(lambda found: _elsewhere(app, found[1], context["pathto"]), body)
        app.add_js_file(script_name(names), loading_method="defer")


def _elsewhere(app: Sphinx, state: str, pathto: Callable[..., str]) -> str:
    """The state's place in the page, and beside the page a script that fills it: unlike JSON, it also loads from a folder."""
    name = f"state-{hashlib.sha256(state.encode()).hexdigest()[:8]}.js"
    script = f"for (const place of document.querySelectorAll(\"[data-state$='{name}']\")) place.textContent = {json.dumps(state)};\n"
    (Path(app.outdir) / "_static" / name).write_text(script, encoding="utf8")
    return f'<script type="application/json" data-state="{pathto(f"_static/{name}", 1)}"></script>'


def _is_widget_state(script: Any) -> bool:
    return getattr(script, "attributes", {}).get("type") == "application/vnd.jupyter.widget-state+json"


def write_scripts(app: Sphinx, exception: Exception | None) -> None:
    """At the end, since Jupyter Book would put any script found under _static on every page.

    For what the pages hold, those of an earlier build too, with the modules as they are now.
    """
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    pages = [page.read_text(encoding="utf8") for page in site.rglob("*.html")]
    sets = {tuple(names) for page in pages if (names := modules(page))}
    scripts = {script_name(list(names)): page_script(list(names), Path(app.srcdir)) for names in sets}
    states = {name for page in pages for name in re.findall(r'data-state="[^"]*?([\w-]+\.js)"', page)}
    for old in [*(site / "_static").glob("widgets*.js"), *(site / "_static").glob("state-*.js")]:
        if old.name not in scripts.keys() | states:
            old.unlink()
    for name, script in scripts.items():
        (site / "_static" / name).write_text(script, encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_script, priority=900)
    app.connect("build-finished", write_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
