"""The lists that the build fills in: each entry leads to a section that is there."""

import re
from pathlib import Path

from pybtex.database import parse_file

from classroom import book

SITE = Path("_build/html/chapters/appendices")


def test_the_coverage_links_every_part_to_a_section_that_is_there():
    text = Path("chapters/appendices/coverage.md").read_text(encoding="utf8")
    rows = (SITE / "coverage.html").read_text(encoding="utf8").split('class="coverage simple"')[1:]
    items = [item for row in rows for item in row.split("</ul>")[0].split("<li>")[1:]]
    assert len(items) == len(re.findall(r"^S\d\.\d+ ", text, re.MULTILINE)) > 0
    for item in items:
        links = re.findall(r'href="(\.\./[01][^"#]+|reading\.html)#([^"]+)">(?:chapter \d|Only five)', item)
        assert links, item
        for address, anchor in links:
            assert f'id="{anchor}"' in (SITE / address).read_text(encoding="utf8")


def test_every_section_that_a_graded_set_can_name_is_where_its_address_says():
    for file in book.CHAPTERS.glob("*.md"):
        page = (SITE.parent / f"{file.stem}.html").read_text(encoding="utf8")
        assert [one for one in book.sections(file.stem) if f'id="{one}"' not in page] == [], file.name


def test_each_term_of_the_glossary_links_to_the_section_that_defines_it():
    entries = (SITE / "glossary.html").read_text(encoding="utf8").split("<dd")[1:]
    assert entries
    for entry in entries:
        ((address, anchor),) = re.findall(r'href="([^"#]+)#([^"]+)">chapter \d+, ', entry)
        assert f'id="{anchor}"' in (SITE / address).read_text(encoding="utf8")


def test_every_entry_of_the_reading_list_is_on_the_page_once_in_the_order_of_the_file():
    entries, page = parse_file("references.bib").entries, (SITE / "reading.html").read_text(encoding="utf8")
    linked = [entry.fields["url"] for entry in entries.values() if "url" in entry.fields]
    places = [page.index(url) for url in linked]
    assert places == sorted(places)
    assert [url for url in linked if page.count(f'href="{url}"') != 1] == []
    assert len(re.findall(r'<li id="id\d+"><p>(?:<a[^>]*>)?<em>', page)) == len(entries)
