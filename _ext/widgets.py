"""Widgets that work in a page with no kernel and no network.

`attnlib.widgets` gives each widget a `text/html` form, a table and its state; here the pages that
hold one get the script that brings it to life, and lose what Jupyter's own widgets would load.
A state as large as a model's weights moves to a file of its own, which comes after the page has been shown.
"""

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from .freshness import once

ESBUILD = Path("node_modules/.bin/esbuild")
WIDGETS = Path("attnlib/widgets")
NAMED = re.compile(r'data-widget="(\w+)"')
STATE = re.compile(r'<script type="application/json">([^<]{20000,})</script>')
STATE_FILE = re.compile(r'data-state="[^"]*?(state-\w+\.js)"')
logger = logging.getLogger(__name__)


def minified(text: str, loader: str, root: Path) -> str:
    """The same script ("js") or style ("css"), shorter; raises ExtensionError when esbuild is missing or cannot read it."""
    return _esbuild(text, root, root, "--minify", f"--loader={loader}")


def page_script(names: list[str], root: Path) -> str:
    """One classic script that mounts every widget named, for pages without a kernel: with what these widgets use alone."""
    modules = "".join(f'import {name} from "./{name}.mjs";\n' for name in names)
    host = (root / WIDGETS / "host.js").read_text(encoding="utf8")
    entry = f"{modules}const widgets = {{ {', '.join(names)} }};\n{host}"
    return _esbuild(entry, root, root / WIDGETS, "--bundle", "--minify", "--format=iife", "--loader=js")


def _esbuild(text: str, root: Path, folder: Path, *options: str) -> str:
    program = (root / ESBUILD).absolute()
    if not program.exists():
        raise ExtensionError(f"{ESBUILD} is missing: run `npm ci`, or `make book`, which does")
    command = [str(program), *options, "--charset=utf8", "--log-level=error"]
    done = subprocess.run(command, input=text, cwd=folder, capture_output=True, text=True, encoding="utf8")
    if done.returncode:
        raise ExtensionError(f"esbuild cannot read this: {done.stderr}")
    return done.stdout


def modules(html: str) -> tuple[str, ...]:
    """The JavaScript modules of the widgets in a page, in a fixed order."""
    return tuple(sorted(set(NAMED.findall(html))))


def script_name(names: tuple[str, ...]) -> str:
    """Pages with the same widgets share a script, and none brings what it does not show."""
    return f"widgets-{_digest(' '.join(names))}.js"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def add_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Give a page with widgets their script and move its large states out; a widget without a table is a warning."""
    body = context.get("body") or ""
    if "application/vnd.jupyter.widget-view+json" in body:
        logger.warning("a widget has no text/html form, so the page cannot show it", location=page, type="widgets")
    context["script_files"][:] = [s for s in context["script_files"] if not _is_widget_state(s)]
    if names := modules(body):
        context["body"] = STATE.sub(lambda match: _elsewhere(app, match[1], context["pathto"]), body)
        app.add_js_file(script_name(names), loading_method="defer")


def _elsewhere(app: Sphinx, state: str, pathto: Callable[..., str]) -> str:
    """An empty state in the page, and beside the page a script that fills it: unlike JSON, it also loads from a folder."""
    name = f"state-{_digest(state)}.js"
    script = f"for (const state of document.querySelectorAll(\"[data-state$='{name}']\")) state.textContent = {json.dumps(state)};\n"
    (Path(app.outdir) / "_static" / name).write_text(script, encoding="utf8")
    return f'<script type="application/json" data-state="{pathto(f"_static/{name}", 1)}"></script>'


def _is_widget_state(script: Any) -> bool:
    return getattr(script, "attributes", {}).get("type") == "application/vnd.jupyter.widget-state+json"


def write_scripts(app: Sphinx, exception: Exception | None) -> None:
    """Write the scripts that the pages ask for, and drop others.

    At the end, since Jupyter Book would put any script found under _static on every page. For what the pages hold,
    those of an earlier build too, with the modules as they are now.
    """
    if exception or app.builder.format != "html":
        return
    static, root, wanted = Path(app.outdir) / "_static", Path(app.srcdir), set()
    for page in Path(app.outdir).rglob("*.html"):
        html = page.read_text(encoding="utf8")
        wanted |= set(STATE_FILE.findall(html))
        if names := modules(html):
            script = static / script_name(names)
            wanted.add(script.name)
            once(script, (app.config.attnlib_digest, names), partial(_write_script, script, names, root))
    for old in [*static.glob("widgets-*.js"), *static.glob("state-*.js")]:
        if old.name not in wanted:
            old.unlink()


def _write_script(file: Path, names: tuple[str, ...], root: Path) -> None:
    file.write_text(page_script(list(names), root), encoding="utf8")
