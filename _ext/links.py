"""Every link inside the site leads somewhere, also those that Sphinx does not read: raw HTML, widgets, the theme.

The build reads each page that was written once more: a link, picture or script whose file is not there, and a fragment that
is no id of the page it leads to, are warnings.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx

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


def check(app: Sphinx, exception: Exception | None) -> Iterator[tuple[str, str]]:
    """Every fault in the pages of the book."""
    if not exception and app.builder.format == "html":
        site = Path(app.outdir)
        page_of = {app.builder.get_target_uri(page): page for page in sorted(app.env.found_docs)}
        for message, address in faults(site, {address: read(site / address) for address in page_of}):
            yield message, page_of[address]
