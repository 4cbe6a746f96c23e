"""A Sphinx extension: pages that MyST-NB makes of notebooks show their anywidgets alive, with no kernel.

List `anywidget_static.sphinx` among the extensions of `conf.py` or, in Jupyter Book 1, under `sphinx: extra_extensions`. A
page brings the script and the style of the widgets that it shows and no other. Settings:

- `anywidget_static_options`: a JavaScript module, relative to the source folder, whose default export is the third
  argument of `mount` (see js/mount.mjs);
- `anywidget_static_large`: a state of more characters comes from a script of its own, after the page (20,000);
- `anywidget_static_bundle`: whether esbuild joins the scripts (yes, where there is one).

With esbuild (in the source folder's node_modules, or on the path) a page's script is one small file, which also runs from a
folder. Without it a page loads modules, which browsers refuse to load from a folder.
"""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from anywidget_static import __version__, esbuild, page
from anywidget_static.page import Source

LOST = "the notebook holds no state of this widget, so its page shows the table alone: run it anew, or save it with its widgets"
logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the settings and the steps."""
    app.add_config_value("anywidget_static_options", "", "html", types=[str])
    app.add_config_value("anywidget_static_bundle", esbuild.program(Path(app.srcdir)) is not None, "html", types=[bool])
    app.add_config_value("anywidget_static_large", 20_000, "html", types=[int])
    app.connect("env-purge-doc", lambda app, env, name: sources_of(env).pop(name, None))
    app.connect("env-merge-info", lambda app, env, names, other: sources_of(env).update(sources_of(other)))
    app.connect("doctree-read", read)
    app.connect("html-page-context", add_script, priority=900)
    app.connect("env-updated", write_scripts)  # before the pages, which name the version of a file that is there
    app.connect("build-finished", drop_old)
    return {"version": __version__, "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}


def sources_of(env: BuildEnvironment) -> dict[str, dict[str, Source]]:
    """For each page that shows widgets: their modules by name."""
    found: dict[str, dict[str, Source]] = env.__dict__.setdefault("anywidget_static", {})
    return found


def read(app: Sphinx, document: nodes.document) -> None:
    """Put each widget's state beside its table, and note which modules the page needs."""
    env, name = app.env, app.env.docname
    files = getattr(env, "nb_metadata", {}).get(name, {}).get("js_files", {})
    models: dict[str, Any] = (
        json.loads(files["ipywidgets_state"][1]["body"])["state"] if "ipywidgets_state" in files else {}
    )
    found: dict[str, Source] = {}
    taken = set(document.ids)
    left = False
    for bundle, view in _views(document):
        model = models.get(view)
        html = _html(bundle, view, page.unpacked(model["state"]) if model else {})
        if html and not model:
            logger.warning("%s", LOST, location=bundle, type="widgets")
            _show(bundle, page.named(html, "", taken))
        if not model or not page.is_anywidget(model):
            left = True
            continue
        source = page.source(model, models)
        if found.setdefault(source.name, source) != source:
            logger.warning("two widgets of this page are called %r", source.name, location=bundle, type="widgets")
        html = page.named(html or page.shell(source.name, "", view, ""), source.name, taken)
        try:
            html = page.filled(html, {view: model})
        except ValueError:  # of JSON, which has no such numbers
            logger.warning("the state of %r holds NaN or infinity", source.name, location=bundle, type="widgets")
        _show(bundle, html)
    if found:
        sources_of(env)[name] = found
    if files and not left:  # nothing here needs Jupyter's own front end
        for key in [key for key in files if key.startswith("ipywidgets")]:
            del files[key]


def _views(document: nodes.document) -> Iterator[tuple[nodes.container, str]]:
    """The outputs that show a widget, each with its model's name."""
    for bundle in list(document.findall(nodes.container)):
        if bundle.get("nb_element") != "mime_bundle":
            continue
        for part in bundle.findall(nodes.container):
            shown = page.SHOWN.search(part.astext()) if part.get("mime_type") == page.VIEW else None
            if shown:
                yield bundle, json.loads(shown[1])["model_id"]


def _show(bundle: nodes.container, html: str) -> None:
    """Put HTML in the place of an output's own and of its view, which the theme's scripts would look for."""
    shown = nodes.raw("", html, format="html", classes=["output", "text_html"])  # as MyST-NB writes HTML
    kept = [part for part in bundle.children if part.get("mime_type") not in {page.VIEW, "text/html"}]
    bundle.children = []
    bundle += [nodes.container("", shown, mime_type="text/html"), *kept]


def _html(bundle: nodes.container, view: str, state: Mapping[str, Any]) -> str:
    """The widget's own HTML: its output has it, or the one behind that, which then goes."""
    outputs = bundle.parent.children
    at = outputs.index(bundle)
    for output in outputs[at : at + 2]:
        for part in output.findall(nodes.container):
            html = page.shell_of(part.astext(), view, state) if part.get("mime_type") == "text/html" else ""
            if html:
                if output is not bundle:
                    outputs.remove(output)
                return html
    return ""


def add_script(app: Sphinx, name: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    """Give a page with widgets their script, and move large states out of it."""
    if not (sources := sources_of(app.env).get(name)):
        return
    context["body"] = page.moved(context["body"], app.config.anywidget_static_large, _outside(app, context))
    script = _script(sources)
    if app.config.anywidget_static_bundle:
        app.add_js_file(f"{script}.js", loading_method="defer")
    else:
        app.add_js_file(f"{script}.js", type="module")
    app.add_css_file(f"{script}.css")


def _outside(app: Sphinx, context: dict[str, Any]) -> Any:
    """What writes a state beside the page, as a script that fills it in: unlike JSON, it also loads from a folder."""

    def write(state: str) -> str:
        name = f"state-{_digest(state)}.js"
        found = f"document.querySelectorAll(\"[data-state$='{name}']\")"
        script = f"for (const state of {found}) state.textContent = {json.dumps(state)};\n"
        (Path(app.outdir) / "_static" / name).write_text(script, encoding="utf8")
        return str(context["pathto"](f"_static/{name}", 1))

    return write


def _script(sources: dict[str, Source]) -> str:
    """Pages with the same widgets share a script."""
    return f"widgets-{_digest(repr(sorted(sources.items())))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def write_scripts(app: Sphinx, env: BuildEnvironment) -> None:
    """Write the scripts and the styles that the pages ask for."""
    root = Path(app.srcdir)
    scripts = {_script(sources): list(sources.values()) for sources in sources_of(env).values()}
    if scripts and app.builder.format == "html":
        options = root / app.config.anywidget_static_options if app.config.anywidget_static_options else None
        write = esbuild.write_pages if app.config.anywidget_static_bundle else esbuild.copy_pages
        with tempfile.TemporaryDirectory() as folder:
            write(scripts, Path(folder), options, root)
            copy_changed(Path(folder), Path(app.outdir) / "_static")


MADE = re.compile(r"(widgets|state)-[0-9a-f]{8}\.(js|css)")  # other names are an author's own


def drop_old(app: Sphinx, exception: Exception | None) -> None:
    """Drop the scripts, styles and states of earlier builds."""
    if exception or app.builder.format != "html":
        return
    static, kept = Path(app.outdir) / "_static", {_script(sources) for sources in sources_of(app.env).values()}
    wanted = {
        file for page_ in Path(app.outdir).rglob("*.html") for file in page.STATE_FILE.findall(page_.read_text("utf8"))
    }
    for old in static.glob("*"):
        if MADE.fullmatch(old.name) and old.stem not in kept and old.name not in wanted:
            old.unlink()


def copy_changed(made: Path, static: Path) -> None:
    """Copy the files that are not there as they are: one that did not change keeps its time."""
    for file in (file for file in made.rglob("*") if file.is_file()):
        there = static / file.relative_to(made)
        if not there.exists() or there.read_bytes() != file.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, there)
