"""The reading list: every entry is on the page once, with a title that links and a reason to read it."""

import re
from pathlib import Path

import pytest
from pybtex.database import parse_file

ENTRIES = parse_file("references.bib").entries
GROUPS = re.findall(r'keywords % "(.+)"', Path("chapters/appendices/reading.md").read_text())


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_says_what_it_is_where_it_stands_and_why(key):
    fields = ENTRIES[key].fields
    assert fields["keywords"] in GROUPS
    assert fields["title"]
    assert 30 < len(fields["annote"]) < 200
    assert fields["annote"].endswith(".")
    assert not re.search(r"\b(?:simply|obviously|just|trivial(?:ly)?|of course)\b", fields["annote"], re.IGNORECASE)
    if fields["keywords"] != "notes":
        assert re.match(r"https://\S+$", fields["url"])
