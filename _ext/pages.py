"""What a page is made of: a description, the list of contents, one stylesheet beside that of its widgets, and scripts that
hold nothing up.

Of the styles that extensions bring, those are left out that book.css holds or replaces. A sitemap must hold whole addresses:
`make book BASE_URL=https://host/folder/` names the site's own; without it the addresses are those of `make serve`, and no
page claims one for itself. (sphinx-sitemap 2.9.0 lists the pages that this one build has written, and forgets the others.)
"""

import os
import subprocess
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.environment.adapters.toctree import document_toc
from sphinx.errors import ConfigError, ExtensionError
from sphinx.util import logging

from anywidget_static import esbuild

from .freshness import once

LOCAL = "http://localhost:8000/"
KATEX = Path("node_modules/katex/dist/katex.min.css")
THEME = Path("_ext/theme")
STYLES = (KATEX, THEME / "page.css", THEME / "content.css")
REPLACED = {"pygments", "basic", "copybutton", "exercise", "mystnb", "katex", "katex-math"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"  # what no step has replaced
MADE = {"404", "genindex", "py-modindex", "search"}  # pages without a source
SEARCHING = {"doctools.js", "sphinx_highlight.js"}  # on any other page they would only take keys such as Escape
logger = logging.getLogger(__name__)


def set_address(app: Sphinx, config: Config) -> None:
    """Take the site's own address from BASE_URL; one that is not whole stops the build."""
    base = os.environ.get("BASE_URL") or config.html_baseurl
    if base and not base.startswith(("https://", "http://")):
        raise ConfigError(f"BASE_URL must be a whole address such as https://host/folder/, got {base!r}")
    config.html_baseurl = base and base.strip().rstrip("/").replace(" ", "%20") + "/"


def write_addresses(app: Sphinx, exception: Exception | None) -> None:
    """Write what machines read of the site: robots.txt and sitemap.xml."""
    if exception or app.builder.format != "html":
        return
    site, base = Path(app.outdir), app.config.html_baseurl or LOCAL
    pages = sorted(app.builder.get_target_uri(name) for name in app.env.found_docs)
    rows = "".join(f"  <url><loc>{escape(base + page)}</loc></url>\n" for page in pages)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    (site / "sitemap.xml").write_text(f"{head}{rows}</urlset>\n", encoding="utf8")
    (site / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {base}sitemap.xml\n", encoding="utf8")


def style(root: Path) -> str:
    """One stylesheet for every page, since each file of its own holds back the first picture; widgets bring their own."""
    if not (root / KATEX).exists():
        raise ExtensionError(f"{KATEX} is missing: run `npm ci`, or `make book`, which does")
    text = "\n".join((root / part).read_text(encoding="utf8") for part in STYLES)
    text = text.replace("url(fonts/KaTeX", "url(fonts/katex/KaTeX")  # theirs lie one deeper
    return minified(text, "css", root)


def minified(text: str, loader: str, root: Path) -> str:
    """The same script ("js") or style ("css"), shorter. Raises ExtensionError when esbuild is missing or cannot read it."""
    if not (program := esbuild.program(root)):
        raise ExtensionError("esbuild is missing: run `npm ci`, or `make book`, which does")
    command = [str(program), "--minify", f"--loader={loader}", "--charset=utf8", "--log-level=error"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf8")
    if done.returncode:
        raise ExtensionError(f"esbuild cannot read this: {done.stderr}")
    return done.stdout


def write_style(app: Sphinx) -> None:
    """Offer the stylesheet as a static file, before Sphinx makes links to it."""
    file = Path(app.doctreedir).parent / "styles/book.css"
    file.parent.mkdir(parents=True, exist_ok=True)
    root = Path(app.srcdir)
    made_from = [(root / part).read_bytes() for part in STYLES if (root / part).exists()]
    once(file, made_from, lambda: file.write_text(style(root), encoding="utf8"))
    app.config.html_static_path.append(str(file.parent))


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Give the template the page's own description; a chapter without one fails the build."""
    context |= {"html_baseurl": app.config.html_baseurl, "author": app.config.author, "contents": _contents(app, page)}
    if doctree is None:
        return
    metas = [meta["content"] for meta in doctree.findall(nodes.meta) if meta.get("name") == "description"]
    if not metas:
        logger.warning("the page has no description: add myst.html_meta.description", location=page, type="pages")
    context["description"] = metas[0] if metas else ""
    if WIDGET_VIEW in context["body"]:
        logger.warning("a widget without a module of its own cannot live in a page", location=page, type="pages")
    # Sphinx calls the caption of a list of contents a heading, and does not say of which level.
    context["body"] = context["body"].replace('role="heading">', 'role="heading" aria-level="3">')


def _contents(app: Sphinx, page: str) -> list[dict[str, Any]]:
    """Title, address and the caption above it of every chapter, in order; for the page itself also its sections, as HTML."""
    builder, env, root = app.builder, app.env, app.config.root_doc
    assert isinstance(builder, StandaloneHTMLBuilder)  # no other has HTML pages
    trees = [tree for tree in env.tocs[root].findall(addnodes.toctree) if tree["caption"] and tree["includefiles"]]
    parts = {tree["includefiles"][0]: tree["caption"] for tree in trees}
    chapters = []
    for name in env.toctree_includes.get(root, []):
        title = builder.render_partial(nodes.inline("", "", *env.titles[name].deepcopy().children))["fragment"]
        chapter = {"title": title, "link": builder.get_relative_uri(page, name), "part": parts.get(name, "")}
        if name == page:
            sections = list(document_toc(env, name, app.tags).findall(nodes.bullet_list))[1:2]
            chapter["sections"] = builder.render_partial(sections[0])["fragment"] if sections else ""
        chapters.append(chapter | {"current": name == page})
    return chapters


def again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Every page, when a title or the contents have changed: all list the chapters, and links show titles of elsewhere."""
    trees = env.tocs[app.config.root_doc].findall(addnodes.toctree)
    shown: list[Any] = [(str(tree["caption"]), *tree["includefiles"]) for tree in trees]
    shown += sorted((page, title.astext()) for page, title in env.titles.items())
    labels = env.get_domain("std").data["labels"]
    shown += sorted((label, page, str(title)) for label, (page, _, title) in labels.items())
    before, env.__dict__["shown"] = env.__dict__.get("shown", shown), shown
    return [] if before == shown else sorted(env.found_docs)


def drop_old(app: Sphinx, exception: Exception | None) -> None:
    """Drop the pages whose sources have gone: a link to one would seem to lead somewhere."""
    if exception or app.builder.format != "html":
        return
    site, extra = Path(app.outdir), [Path(app.confdir, path) for path in app.config.html_extra_path]
    for file in [*site.rglob("*.html")]:
        inside = file.relative_to(site)
        page = inside.with_suffix("").as_posix()
        given = any((path / inside).exists() or Path(path.name) == inside for path in extra)
        if not given and page not in app.env.found_docs | MADE and inside.parts[0] not in {"_static", "lite"}:
            file.unlink()


def choose_files(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Drop the styles that are replaced and, except for the search, its scripts; defer every script."""
    context["css_files"][:] = [css for css in context["css_files"] if _name(css).split(".")[0] not in REPLACED]
    if page != "search":
        context["script_files"][:] = [script for script in context["script_files"] if _name(script) not in SEARCHING]
    for script in context["script_files"]:
        if getattr(script, "filename", None):
            script.attributes.setdefault("defer", "defer")


def _name(asset: Any) -> str:
    return Path(str(getattr(asset, "filename", None) or asset)).name
