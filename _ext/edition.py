"""Which edition a page is of, and where its reader reports a mistake or changes it.

The version is the package's, and CHANGELOG.md has its date. No clock is read: a build of the same sources gives the same
pages, on any day, and pages are written anew when the edition changes. The links need a `repository` in `_config.yml`, by
Jupyter Book's convention; without its url there are none.
"""

import re
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

import attnlib

from .launch import HOSTS, Link

CHANGES = "chapters/appendices/changes"
_VERSION = re.compile(r"^## (?:(Unreleased)|(\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d))$", re.MULTILINE)


class Edition(NamedTuple):
    """A version, the day on which it appeared, and whether the sources hold changes that came later."""

    version: str
    date: str
    changed: bool

    def __str__(self) -> str:
        return f"Version {self.version} of {self.date}{', with later changes' if self.changed else ''}"


def read(changelog: str, version: str) -> Edition:
    """The edition that the sources are of. Raises ConfigError when the newest one of the changelog is not `version`."""
    parts = [*_VERSION.finditer(changelog)]
    newest = next((part for part in parts if part[2]), None)
    if newest is None or newest[2] != version:
        found = newest[2] if newest else "none with a date"
        raise ConfigError(f"the newest version in CHANGELOG.md is {found}, and attnlib has {version}")
    later = parts[0][1] and changelog[parts[0].end() : newest.start()].strip()
    return Edition(version, newest[3], bool(later))


def configure(app: Sphinx, config: Config) -> None:
    """Read the edition; a change of it writes every page anew."""
    config.edition = str(read((Path(app.srcdir) / "CHANGELOG.md").read_text(encoding="utf8"), attnlib.__version__))


def links(repository: dict[str, Any], source: str | None, title: str) -> list[Link]:
    """Where a page of this title is reported, and its `source` changed, if it has one: on GitHub or GitLab, else nowhere."""
    address = repository.get("url", "").removesuffix("/").removesuffix(".git")
    if not (host := HOSTS.get(urlsplit(address).hostname)):
        return []
    issue, dash = ("issues/new?title=", "") if host == "gh" else ("issues/new?issue[title]=", "/-")
    found = [Link("Report a mistake", f"{address}{dash}/{issue}{quote(title, safe='')}")]
    if source:
        branch, folder = repository.get("branch") or "main", repository.get("path_to_book", "").strip("/")
        place = "/".join(filter(None, [quote(branch, safe="/"), folder, source]))
        found.append(Link("Edit this page", f"{address}{dash}/edit/{place}"))
    return found


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Give the template the edition, and the links of the page."""
    title = unescape(re.sub("<[^>]*>", "", context.get("title", "")))
    source = app.env.doc2path(page, base=False) if page in app.env.found_docs else None
    context["edition"] = app.config.edition
    context["changes"] = CHANGES if CHANGES in app.env.found_docs else None
    context["edits"] = links(app.config.launch["repository"], str(source) if source else None, title)
