"""Every link inside the site leads somewhere, also those that Sphinx does not read: raw HTML, widgets, the theme.

    python -m _ext.links

The build reads each page that was written once more: a link, picture or script whose file is not there, and a fragment that
is no id of the page it leads to, are warnings. As a program it lists every address outside the site that the book links to,
with the pages that name it; nothing is fetched.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
ATTRIBUTE = re.compile(r"""\s(id|href|src)=(?:"([^"]*)"|'([^']*)')""")


class Page(NamedTuple):
    """What a page can be asked for, and what it asks for."""

    ids: frozenset[str]
    links: frozenset[str]


def read(file: Path) -> Page:
    """The ids and the links of a page."""
    said = [(name, unescape(one or other)) for name, one, other in ATTRIBUTE.findall(file.read_text(encoding="utf8"))]
    ids = frozenset(value for name, value in said if name == "id")
    return Page(ids, frozenset(value for name, value in said if name != "id"))


def faults(site: Path, pages: Mapping[str, Page]) -> Iterator[tuple[str, str]]:
    """Each link that leads nowhere and its page, for the pages of a site by their addresses in it."""
    for address, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = normpath(join(dirname(address), unquote(parts.path))) if parts.path else address
            if target not in pages and not (site / target).is_file():
                yield f"the link {link!r} leads to no file of the site", address
            elif target in pages and parts.fragment and unquote(parts.fragment) not in pages[target].ids:
                yield f"the link {link!r} leads to no place: {target} has no id {unquote(parts.fragment)!r}", address


def check(app: Sphinx, exception: Exception | None) -> None:
    """Warn of every fault in the pages of the book."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    page_of = {app.builder.get_target_uri(page): page for page in sorted(app.env.found_docs)}
    for message, address in faults(site, {address: read(site / address) for address in page_of}):
        logger.warning(message, location=page_of[address], type="links")


def external(site: Path) -> dict[str, list[str]]:
    """Each address outside the site, and the pages that link to it."""
    if not (site / "index.html").exists():
        raise FileNotFoundError(f"{site} holds no index.html: build the book first, make book")
    pages = defaultdict(list)
    for page in sorted(site.rglob("*.html")):
        for link in read(page).links:
            if urlsplit(link).scheme in {"http", "https", "mailto"}:
                pages[link].append(page.relative_to(site).as_posix())
    return dict(sorted(pages.items()))


if __name__ == "__main__":
    site = Path("_build/html")
    outside = external(site)
    total = len(list(site.rglob("*.html")))
    for address, pages in outside.items():
        print(f"{address}\n    {'every page' if len(pages) == total else ', '.join(pages)}")
    print(f"{len(outside)} addresses outside the site.")
