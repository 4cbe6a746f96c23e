"""One stylesheet for every page, since each file of its own holds back the first picture of a page.

KaTeX's rules, the theme's own and the widgets', in this order, become `_static/book.css`: the later win.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from esbuild import minified

KATEX = Path("node_modules/katex/dist/katex.min.css")
PARTS = (KATEX, Path("_ext/theme/page.css"), Path("attnlib/widgets/theme.css"))


def compose(root: Path) -> str:
    """The text of the stylesheet. KaTeX's fonts lie one folder deeper than its style expects."""
    if not (root / KATEX).exists():
        raise ExtensionError(f"{KATEX} is missing: run `npm ci`, or `make book`, which does")
    text = "\n".join((root / part).read_text(encoding="utf8") for part in PARTS)
    return minified(text.replace("url(fonts/KaTeX", "url(fonts/katex/KaTeX"), "css", root)


def write(app: Sphinx) -> None:
    """Offer the stylesheet as a static file, before Sphinx makes links to it."""
    folder = Path(app.outdir).parent / "styles"
    folder.mkdir(parents=True, exist_ok=True)
    text, file = compose(Path(app.srcdir)), folder / "book.css"
    if not file.exists() or file.read_text(encoding="utf8") != text:
        file.write_text(text, encoding="utf8")
    app.config.html_static_path.append(str(folder))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write, priority=400)  # Sphinx looks for the static files at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
