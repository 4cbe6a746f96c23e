"""What machines read of the site: robots.txt and sitemap.xml, and the address that it calls its own.

A sitemap must hold whole addresses. `make book BASE_URL=https://host/folder/` names the site's own;
without it the addresses are those of `make serve`, and no page claims one for itself.
"""

import os
from pathlib import Path
from xml.sax.saxutils import escape

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

LOCAL = "http://localhost:8000/"


def set_address(app: Sphinx, config: Config) -> None:
    base = os.environ.get("BASE_URL") or config.html_baseurl
    if base and not base.startswith(("https://", "http://")):
        raise ConfigError(f"BASE_URL must be a whole address such as https://host/folder/, got {base!r}")
    config.html_baseurl = base and base.rstrip("/") + "/"


def write_lists(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    base = app.config.html_baseurl or LOCAL
    pages = sorted(app.builder.get_target_uri(name) for name in app.env.found_docs)
    rows = "".join(f"  <url><loc>{escape(base + page)}</loc></url>\n" for page in pages)
    site = Path(app.outdir)
    _write(
        site / "sitemap.xml",
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n',
    )
    _write(site / "robots.txt", f"User-agent: *\nAllow: /\nSitemap: {base}sitemap.xml\n")


def _write(file: Path, text: str) -> None:
    if not file.exists() or file.read_text(encoding="utf8") != text:
        file.write_text(text, encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", set_address)
    app.connect("build-finished", write_lists)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
