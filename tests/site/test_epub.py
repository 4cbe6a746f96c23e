"""The book for e-readers: a valid EPUB, with every page, picture and link."""

import re
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import pytest

from tools import epub
from tools.paper import pages as paper
from tools.site import SITE


@pytest.fixture(scope="module")
def made(once):
    def make(folder):
        with ThreadPoolExecutor(1) as thread:  # other tests keep a browser open in this one
            thread.submit(epub.make, SITE, folder / "book.epub").result()
        return folder / "book.epub"

    return once("epub", make)


@pytest.fixture
def small(tmp_path):
    """An EPUB of one page, and what makes it anew with files changed."""

    def write(order=("mimetype",), **changed):
        page = '<html xmlns="http://www.w3.org/1999/xhtml"><body id="a"><a href="one.xhtml#a">x</a></body></html>'
        opf = '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item href="one.xhtml"/></manifest></package>'
        files = {"mimetype": "application/epub+zip", "OEBPS/one.xhtml": page, "OEBPS/book.opf": opf} | changed
        with zipfile.ZipFile(tmp_path / "small.epub", "w") as book:
            for name in sorted(files, key=lambda name: name not in order):
                book.writestr(name, files[name])
        return list(epub.faults(tmp_path / "small.epub"))

    return write


XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"order": ("OEBPS/one.xhtml",)}, ["mimetype is not the first file, unpacked"]),
        ({"OEBPS/two.css": ""}, ["OEBPS/two.css is in the archive or in the list, not in both"]),
        ({"OEBPS/one.xhtml": XHTML.format('<a id="b"/><i id="b"/>')}, ["OEBPS/one.xhtml has twice the id 'b'"]),
        (
            {"OEBPS/one.xhtml": XHTML.format('<a href="#c"/>')},
            ["OEBPS/one.xhtml links to #c, which is not there"],
        ),
        (
            {"OEBPS/one.xhtml": XHTML.format('<img src="images/x.png"/>')},
            ["OEBPS/one.xhtml links to images/x.png, which is not there"],
        ),
    ],
)
def test_a_fault_is_named(small, changed, said):
    assert small(**changed) == said


def test_a_good_one_has_no_fault_and_a_page_that_is_no_xml_has(small):
    assert small() == []
    assert "OEBPS/one.xhtml is no XML" in small(**{"OEBPS/one.xhtml": "<p><br></p>"})[0]


def test_the_chapters_alone_and_the_whole_book_are_two_publications(tmp_path):
    for name in ("index", "contents", "a", "b"):
        (tmp_path / f"{name}.xhtml").write_text("")
    made, parts = paper.edition(SITE), (["a.xhtml"], ["a.xhtml", "b.xhtml"], ["a.xhtml"])
    first, whole, again = (
        re.search("urn:uuid:[^<]+", epub.package(made, tmp_path, ["index.xhtml", *part]))[0] for part in parts
    )
    assert first == again != whole


def test_the_first_file_of_an_archive_says_what_it_is_unpacked(tmp_path):
    (tmp_path / "mimetype").write_text("application/epub+zip")
    (tmp_path / "page").write_text("page " * 99)
    epub.pack(tmp_path / "x.epub", {name: tmp_path / name for name in ("mimetype", "page")})
    assert (tmp_path / "x.epub").read_bytes()[30:58] == b"mimetypeapplication/epub+zip"
    with zipfile.ZipFile(tmp_path / "x.epub") as book:
        assert book.getinfo("page").compress_size < 99


@pytest.mark.slow
def test_each_chapter_is_there_with_its_formulas_and_pictures(made):
    assert list(epub.faults(made)) == []
    with zipfile.ZipFile(made) as book:
        text = {name: book.read(name).decode() for name in book.namelist() if name.endswith(".xhtml")}
    chapters = {f"OEBPS/{paper.anchor(page)}.xhtml" for page in paper.contents(SITE, everything=False)}
    assert {*text} == chapters | {"OEBPS/contents.xhtml"}
    assert "<math" in text["OEBPS/01_dot_product.xhtml"]
    assert text["OEBPS/01_dot_product.xhtml"].count('class="attn-plane"') >= 5
    assert all("katex-html" not in page and "<script" not in page for page in text.values())
    assert "viewBox" in text["OEBPS/08_position.xhtml"]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("java"), reason="epubcheck needs Java, which is not on this machine")
def test_epubcheck_finds_nothing(made):
    done = subprocess.run([sys.executable, "-m", "epubcheck", str(made)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.slow
def test_a_shelf_shows_the_picture_of_a_shared_link_as_the_cover(made):
    with zipfile.ZipFile(made) as book:
        package = ElementTree.fromstring(book.read("OEBPS/book.opf"))
        (cover,) = package.findall(f".//{epub.OPF}item[@properties='cover-image']")
        assert cover.get("media-type") == "image/png"
        assert book.read(f"OEBPS/{cover.get('href')}") == (SITE / "_static/preview.png").read_bytes()
