"""Formulas are rendered by KaTeX while the book is built, and its style is served by the site."""

import shutil
from pathlib import Path

import sphinxcontrib.katex as katex
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

# A Unix socket is seen before the server listens on it, and the start then fails; the port has no such gap.
katex.KaTeXServer.start_server_process = katex.KaTeXServer.start_network_socket
# A formula that KaTeX does not understand fails the build instead of standing there in red.
# A chapter's new term stands out: \new{…} takes the accent (`.new-term`); in a notebook a colour, see tools/notebooks.py.
katex.KATEX_DEFAULT_OPTIONS |= {
    "throwOnError": True,
    "macros": {r"\new": r"\htmlClass{new-term}{#1}"},
    "trust": True,  # for \htmlClass; the book's own text alone is rendered
    "strict": False,
}


def add_assets(app: Sphinx) -> None:
    """Offer KaTeX's style as a static file; `fonts` writes its fonts beside it."""
    package = Path(app.srcdir) / "node_modules" / "katex" / "dist"
    if not package.exists():
        raise ExtensionError("node_modules/katex is missing: run `npm ci`, or `make book`, which does")
    folder = Path(app.outdir).parent / "katex_static"
    target = folder / "katex"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copy(package / "katex.min.css", target)
    app.config.html_static_path.append(str(folder))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", add_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
