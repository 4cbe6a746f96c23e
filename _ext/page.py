"""What a page is made of: the theme in `_ext/theme/`, a description, and the files that it loads.

Every script is deferred, and those of the search stay on its page. Of the styles that extensions bring,
those are left out that book.css holds or replaces.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment.adapters.toctree import document_toc
from sphinx.util import logging

THEME = Path(__file__).parent / "theme"
REPLACED = {
    "pygments.css",
    "basic.css",
    "copybutton.css",
    "exercise.css",
    "mystnb.css",
    "katex.min.css",
    "katex-math.css",
}
SEARCHING = {"doctools.js", "sphinx_highlight.js"}  # on any other page they would only take keys such as Escape
logger = logging.getLogger(__name__)


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Give the template the page's own description; a chapter without one fails the build."""
    context["html_baseurl"] = app.config.html_baseurl
    context["author"] = app.config.author
    context["contents"] = _contents(app, page)
    if doctree is None:
        return
    metas = [meta["content"] for meta in doctree.findall(nodes.meta) if meta.get("name") == "description"]
    if not metas:
        logger.warning("the page has no description: add myst.html_meta.description", location=page, type="page")
    context["description"] = metas[0] if metas else ""
    # Sphinx calls the caption of a list of contents a heading, and does not say of which level.
    context["body"] = context["body"].replace('role="heading">', 'role="heading" aria-level="3">')


def _contents(app: Sphinx, page: str) -> list[dict[str, str]]:
    """Title, address and the caption above it of every chapter, in order; for the page itself also the list of its sections, as HTML."""
    builder = app.builder
    assert isinstance(builder, StandaloneHTMLBuilder)  # no other has HTML pages
    chapters = []
    parts = {}  # by the first page below a caption
    for tree in app.env.tocs[app.config.root_doc].findall(addnodes.toctree):
        if tree["caption"] and tree["includefiles"]:
            parts[tree["includefiles"][0]] = tree["caption"]
    for name in app.env.toctree_includes.get(app.config.root_doc, []):
        title = builder.render_partial(nodes.inline("", "", *app.env.titles[name].deepcopy().children))["fragment"]
        chapter = {
            "title": title,
            "link": builder.get_relative_uri(page, name),
            "sections": "",
            "part": parts.get(name, ""),
        }
        if name == page:
            sections = list(document_toc(app.env, name, app.tags).findall(nodes.bullet_list))[1:2]
            chapter |= {
                "sections": builder.render_partial(sections[0])["fragment"] if sections else "",
                "current": "page",
            }
        chapters.append(chapter)
    return chapters


def choose_files(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    context["css_files"][:] = [css for css in context["css_files"] if _name(css) not in REPLACED]
    if page != "search":
        context["script_files"][:] = [script for script in context["script_files"] if _name(script) not in SEARCHING]
    for script in context["script_files"]:
        if getattr(script, "filename", None):
            script.attributes.setdefault("defer", "defer")


def _name(asset: Any) -> str:
    """The file's name, without the digest that myst-nb puts in the middle."""
    name = Path(str(getattr(asset, "filename", None) or asset)).name
    return "mystnb.css" if name.startswith("mystnb.") else name


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_theme("attention", str(THEME))
    app.add_js_file("site.js", loading_method="defer")
    app.connect("html-page-context", describe)
    app.connect("html-page-context", choose_files, priority=950)  # after all that add files
    return {"parallel_read_safe": True, "parallel_write_safe": True}
