"""The list of addresses outside the site."""

import pytest

from _ext import links


def test_each_address_stands_once_with_the_pages_that_link_to_it(tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="https://a.b/x">1</a> <a href="https://a.b/x">2</a> <a href="page.html">3</a>'
    )
    (tmp_path / "page.html").write_text('<a href="mailto:a@b.c">4</a><a href="https://a.b/x">5</a><a name="n">')
    assert links.external(tmp_path) == {"https://a.b/x": ["index.html", "page.html"], "mailto:a@b.c": ["page.html"]}


def test_a_site_that_is_not_built_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="make book"):
        links.external(tmp_path)
