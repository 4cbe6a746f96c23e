"""The book on paper: whole, in order, linked, and with nothing cut, blank or lost."""

import re
from concurrent.futures import ThreadPoolExecutor

import pikepdf
import pypdfium2
import pytest

from tools import pdf
from tools.site import SITE

A = """<nav class="contents"><ol><li><a href="chapters/b.html">B</a></li></ol></nav><main id="main"><h1>A</h1><div class="hero"></div>
<p id="here"><a href="chapters/b.html#there">there</a></p><section id="three-ways-in">gone</section></main>"""
B = """<main id="main"><h1>B<a class="headerlink" href="#b">#</a></h1><p id="there"><a href="../index.html#here">back</a>
<a href="../downloads/b.zip">file</a> <a href="https://a.b/">out</a></p>
<div class="exercise"><p class="admonition-title">Exercise 1</p></div>
<details class="hint"><summary>Hint 1</summary><p>think</p></details><details class="solution"><summary>Solution</summary><p>42</p></details>
<p>after</p></main>"""


@pytest.fixture
def toy(tmp_path):
    (tmp_path / "chapters").mkdir()
    (tmp_path / "index.html").write_text(A)
    (tmp_path / "chapters" / "b.html").write_text(B)
    return pdf.html(pdf.joined(tmp_path))


def test_links_between_pages_stay_and_those_to_files_become_text(toy):
    targets = [link["href"] for link in toy.select("#index\\.here a, #b\\.there a")]
    assert targets == ["#b.there", "#index.here", "https://a.b/"]
    assert all(toy.find(id=target[1:]) for target in targets[:2])
    assert "file" in toy.find(id="b.there").get_text()
    assert "gone" not in toy.get_text()


def test_what_is_kept_closed_is_printed_at_the_end_of_its_chapter_with_links_both_ways(toy):
    assert toy.select("details") == []
    words = toy.find("main", id="b").get_text(" ", strip=True)
    assert (
        words.index("after") < words.index("Hints") < words.index("think") < words.index("Answers") < words.index("42")
    )
    assert "Exercise 1 · Solution" in toy.find(id="b.aside-2").get_text()
    for there, back in (("b.aside-2", "b.asked-2"), ("b.asked-2", "b.aside-2")):
        assert toy.select(f'[href="#{there}"] [data-page-of="{there}"]')
        assert toy.find(id=back)


def test_a_site_that_is_not_built_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="make book"):
        pdf.contents(tmp_path)


@pytest.fixture(scope="module")
def printed(once):
    def make(folder):
        with ThreadPoolExecutor(1) as thread:  # other tests keep a browser open in this one
            thread.submit(pdf.make, SITE, folder / "book.pdf").result()
        return folder / "book.pdf"

    return once("pdf", make)


@pytest.fixture(scope="module")
def texts(printed):
    with pypdfium2.PdfDocument(printed) as book:
        return [page.get_textpage().get_text_bounded() for page in book]


def headings():
    """The headings of the site's pages, in the order of its contents."""
    for name in pdf.contents(SITE):
        main = re.search("<main.*</main>", (SITE / name).read_text(encoding="utf8"), re.DOTALL)[0]
        main = re.sub('<section id="three-ways-in">.*?</section>', "", main, flags=re.DOTALL)
        for heading in re.findall("<h[1-4].*?>.*?</h[1-4]>", main, re.DOTALL):
            heading = pdf.html(heading)
            for formula in heading.select(".katex"):
                formula.string = formula.annotation.get_text()  # as it is read out
            yield heading.get_text().removesuffix("#")
        yield from ["Hints"] * ('dropdown hint"' in main)
        yield from ["Answers"] * bool(re.search('<details(?! class="admonition dropdown hint)', main))


@pytest.mark.slow
def test_the_bookmarks_are_the_headings_in_the_order_of_the_contents(printed):
    def titles(items):
        for item in items:
            yield item.title
            yield from titles(item.children)

    with pikepdf.open(printed) as book, book.open_outline() as outline:
        assert [title.replace("\u2060", "") for title in titles(outline.root)] == list(headings())


@pytest.mark.slow
def test_every_link_inside_the_book_leads_somewhere(printed):
    with pikepdf.open(printed) as book:
        places = set(book.Root.Dests.keys())
        links = [str(note.Dest) for page in book.pages for note in page.get("/Annots", []) if "/Dest" in note]
        out = [str(note.A.URI) for page in book.pages for note in page.get("/Annots", []) if "/A" in note]
    assert len(links) > 1000
    assert set(links) <= places
    assert out
    assert all(address.startswith("https://") for address in out)
    assert {f"/{pdf.anchor(page)}" for page in pdf.contents(SITE)[1:]} <= places


@pytest.mark.slow
def test_every_page_has_its_number_and_something_on_it(texts, printed):
    assert 200 < len(texts) < 500
    assert printed.stat().st_size < 10e6
    for number, text in enumerate(texts, 1):
        lines = [line.strip() for line in text.splitlines()]
        assert str(number) in lines, number
        assert len(text.split()) > 8, number


@pytest.mark.slow
def test_text_and_formulas_can_be_selected(texts):
    whole = " ".join(" ".join(texts).split())
    assert "Nothing in this formula is trained: it has no parameter." in whole
    assert whole.count("⊤") > 100
    assert "mask(S)" in re.sub(r"\s", "", whole)
    assert "annotation" not in whole
    assert "page 000" not in whole


@pytest.mark.slow
def test_page_numbers_in_the_contents_are_those_of_the_pages(texts):
    chapters = re.findall(r"^(\d · .+?)\s+(\d+)\s*$", texts[1], re.MULTILINE)
    assert len(chapters) == 9
    for title, number in chapters:
        assert texts[int(number) - 1].count(title) == 2  # at its head, and as its heading
