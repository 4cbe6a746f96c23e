"""The edition that a page names is the package's and the changelog's, and its links lead to its own source."""

from pathlib import Path

import pytest
import yaml
from sphinx.errors import ConfigError

import attnlib
from _ext import edition

NEWEST = "# What\n\n{later}## 0.3.0 - 2030-02-01\n\n- b\n\n## 0.2.0 - 2029-01-01\n\n- a\n"


def test_the_package_the_changelog_and_the_citation_name_one_version():
    found = edition.read(Path("CHANGELOG.md").read_text(encoding="utf8"), attnlib.__version__)
    cited = yaml.safe_load(Path("CITATION.cff").read_text(encoding="utf8"))
    assert (cited["version"], cited["date-released"]) == (found.version, found.date)


@pytest.mark.parametrize(
    ("later", "said"),
    [
        ("", "Version 0.3.0 of 2030-02-01"),
        ("## Unreleased\n\n", "Version 0.3.0 of 2030-02-01"),
        ("## Unreleased\n\n- c\n\n", "Version 0.3.0 of 2030-02-01, with later changes"),
    ],
)
def test_changes_that_came_later_are_said(later, said):
    assert str(edition.read(NEWEST.format(later=later), "0.3.0")) == said


@pytest.mark.parametrize(("text", "found"), [(NEWEST.format(later=""), "0.3.0"), ("# What\n", "none with a date")])
def test_a_version_without_its_place_in_the_changelog_stops_the_build(text, found):
    with pytest.raises(ConfigError, match=f"the newest version in CHANGELOG.md is {found}, and attnlib has 0.2.0"):
        edition.read(text, "0.2.0")


def links(source="chapters/01_one.md", **repository):
    return {link.text: link.address for link in edition.links(repository, source, "Q & A: <one>?")}


def test_a_page_of_a_repository_at_github():
    assert links(url="https://github.com/one/book.git/", branch="next", path_to_book="/docs/") == {
        "Report a mistake": "https://github.com/one/book/issues/new?title=Q%20%26%20A%3A%20%3Cone%3E%3F",
        "Edit this page": "https://github.com/one/book/edit/next/docs/chapters/01_one.md",
    }


def test_a_page_of_a_repository_at_gitlab_on_its_main_branch():
    assert links(url="https://gitlab.com/group/one/book") == {
        "Report a mistake": "https://gitlab.com/group/one/book/-/issues/new?issue[title]=Q%20%26%20A%3A%20%3Cone%3E%3F",
        "Edit this page": "https://gitlab.com/group/one/book/-/edit/main/chapters/01_one.md",
    }


def test_a_page_without_a_source_is_reported_alone_and_an_unknown_host_has_no_link():
    assert [*links(None, url="https://github.com/one/book")] == ["Report a mistake"]
    assert links() == links(url="https://git.test/one/book") == {}
