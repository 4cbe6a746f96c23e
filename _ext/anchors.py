"""Every link inside the site leads somewhere, also those that Sphinx does not read: raw HTML, widgets, the theme.

The written pages are read once more. A link, picture or script whose file is not there, and a fragment that is no id of the page
it leads to, are warnings.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
ATTRIBUTE = re.compile(r"""\s(id|href|src)=(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True)
class Page:
    """What a page can be asked for, and what it asks for."""

    ids: frozenset[str]
    links: frozenset[str]


def read(text: str) -> Page:
    found = [(name, unescape(one or other)) for name, one, other in ATTRIBUTE.findall(text)]
    ids = {value for name, value in found if name == "id"}
    return Page(frozenset(ids), frozenset(value for name, value in found if name != "id"))


def faults(pages: Mapping[str, Page], is_file: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Each link that leads nowhere and its page, for the pages of a site by their addresses in it."""
    for address, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = normpath(join(dirname(address), unquote(parts.path))) if parts.path else address
            if target not in pages and not is_file(target):
                yield f"the link {link!r} leads to no file of the site", address
            elif target in pages and parts.fragment and unquote(parts.fragment) not in pages[target].ids:
                yield f"the link {link!r} leads to no place: {target} has no id {unquote(parts.fragment)!r}", address


def check(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    page_of = {app.builder.get_target_uri(page): page for page in sorted(app.env.found_docs)}
    pages = {address: read((site / address).read_text(encoding="utf8")) for address in page_of}
    for message, address in faults(pages, lambda target: (site / target).is_file()):
        logger.warning(message, location=page_of[address], type="anchors")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", check, priority=900)  # after what the other steps write then
    return {"parallel_read_safe": True, "parallel_write_safe": True}
