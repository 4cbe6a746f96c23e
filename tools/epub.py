"""Make an EPUB of the built book: the same pages and pictures as on paper (see tools/pdf.py), for e-readers.

    python -m tools.epub [--part book|all]

Formulas are MathML. Sphinx has a builder of its own for EPUB; it would build the site anew, with its widgets as tables.
"""

import argparse
import re
import tempfile
import time
import uuid
import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from playwright.sync_api import Browser, sync_playwright

from tools import chromium
from tools.paper import pages as paper
from tools.paper import pictures
from tools.paper.pages import PARTS, Edition
from tools.site import FLAGS, ROOT, SITE
from tools.site_zip import NAME, pack

SCRIPT = ROOT / "tools/paper/reading.mjs"
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
<head><title>{}</title><link rel="stylesheet" type="text/css" href="book.css"/></head>
<body>{}</body></html>
"""
CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{id}</dc:identifier><dc:title>{title}</dc:title><dc:language>en</dc:language>
<dc:creator>{author}</dc:creator><dc:date>{day}</dc:date><dc:rights>{rights}</dc:rights>
<meta property="dcterms:modified">{day}T00:00:00Z</meta>
<meta property="schema:accessMode">textual</meta><meta property="schema:accessMode">visual</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta>
<meta property="schema:accessibilityHazard">none</meta>
</metadata>
<manifest>{manifest}</manifest>
<spine>{spine}</spine></package>
"""
COVER = "cover.png"
TYPES = {
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
}
OPF = "{http://www.idpf.org/2007/opf}"


def make(site: Path, target: Path, part: str = "book") -> int:
    """Write the book into `target`; return how many pages of the site it holds.

    Raises ValueError for a part that there is not, and when the file that was made breaks a rule of `faults`.
    """
    names, made = paper.contents(site, paper.chosen(part)), paper.edition(site)
    with tempfile.TemporaryDirectory() as kept, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        shown = pictures.take(browser, site, names, pictures.states())
        parts = [paper.printable(name, site, names, shown, made.address) for name in names]
        parts[0].select_one(".hero").insert_after(paper.imprint(made))
        for section in parts[0].select("section:has(> .toctree-wrapper)"):
            section.decompose()  # the contents have a page of their own
        files = write(Path(kept), site, made, parts, browser)
        browser.close()
        pack(target, files)
    if found := list(faults(target)):
        raise ValueError(f"{target.name} is no good EPUB: {'; '.join(found[:9])}")
    return len(names)


def write(folder: Path, site: Path, made: Edition, parts: list[paper.Tag], browser: Browser) -> dict[str, Path]:
    """Write what the book is made of, and return each file by its name in it, `mimetype` first."""
    inside = folder / "OEBPS"
    (inside / "images").mkdir(parents=True)
    (folder / "META-INF").mkdir()
    (folder / "mimetype").write_text("application/epub+zip")
    (folder / "META-INF/container.xml").write_text(CONTAINER)
    (inside / "images" / COVER).write_bytes((site / "_static/preview.png").read_bytes())
    page = browser.new_page()
    page.add_script_tag(content=SCRIPT.read_text(encoding="utf8"))
    for part in parts:
        for link in part.select("a[href^='#']"):
            link["href"] = link["href"][1:].split(".")[0] + ".xhtml" + link["href"]
        for image in part.select("img[src^='file:']"):
            source = Path(unquote(urlsplit(image["src"]).path))
            (inside / "images" / source.name).write_bytes(source.read_bytes())
            image["src"] = f"images/{source.name}"
        text = page.evaluate("reading", str(part))
        (inside / f"{part['id']}.xhtml").write_text(PAGE.format(escape(part.h1.get_text()), text), encoding="utf8")
    page.close()
    (inside / "contents.xhtml").write_text(PAGE.format("Contents", navigation(parts)), encoding="utf8")
    (inside / "book.css").write_text(style(site), encoding="utf8")
    pages = [f"{part['id']}.xhtml" for part in parts]
    (inside / "book.opf").write_text(package(made, inside, pages), encoding="utf8")
    rest = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != "mimetype")
    return {file.relative_to(folder).as_posix(): file for file in [folder / "mimetype", *rest]}


def style(site: Path) -> str:
    """The site's style without its typefaces, which a reader chooses, and what e-readers need besides."""
    screen = re.sub("@font-face ?{[^}]*}", "", paper.screen(site))
    screen = re.sub(r"&:[^{}]*{[^{}]*}", "", screen)  # rules inside rules, which an EPUB may not have
    return re.sub(r"\bcanvas\b", ".drawn", screen) + SCRIPT.with_suffix(".css").read_text(encoding="utf8")


def navigation(parts: list[paper.Tag]) -> str:
    """The contents of two levels, as e-readers show them."""
    rows = []
    for part in parts:
        (_, title), *sections = paper.headings(part)
        page = f"{part['id']}.xhtml"
        inner = "".join(f'<li><a href="{page}#{place}">{escape(text)}</a></li>' for place, text in sections)
        rows.append(f'<li><a href="{page}">{escape(title)}</a>{f"<ol>{inner}</ol>" if inner else ""}</li>')
    return f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{"".join(rows)}</ol></nav>'


def package(made: Edition, inside: Path, pages: list[str]) -> str:
    """The list of all that the book holds, and the order in which it is read."""
    items = []
    files = sorted(file for file in inside.rglob("*") if file.is_file())
    for number, file in enumerate(files):
        text = file.read_text(encoding="utf8") if file.suffix == ".xhtml" else ""
        has = [name for name, tag in (("mathml", "<math"), ("svg", "<svg")) if tag in text]
        has += ["nav"] * (file.name == "contents.xhtml") + ["cover-image"] * (file.name == COVER)
        properties = f' properties="{" ".join(has)}"' if has else ""
        name = file.relative_to(inside).as_posix()
        items.append(f'<item id="f{number}" href="{name}" media-type="{TYPES[file.suffix]}"{properties}/>')
    number_of = {file.name: number for number, file in enumerate(files)}
    spine = "".join(f'<itemref idref="f{number_of[page]}"/>' for page in ["index.xhtml", "contents.xhtml", *pages[1:]])
    identity = uuid.uuid5(uuid.NAMESPACE_URL, f"{made.title} {made.version} {made.day} {' '.join(pages)}")
    return PACKAGE.format(
        id=identity,
        title=escape(made.title),
        author=escape(made.author),
        day=time.strftime("%Y-%m-%d", made.moment),
        rights=escape(paper.LICENCE),
        manifest="\n".join(items),
        spine=spine,
    )


def faults(file: Path) -> Iterator[str]:
    """What breaks the rules that can be seen without Java: the archive's order, its XML, its names, links and list."""
    with zipfile.ZipFile(file) as book:
        first = book.infolist()[0]
        if (first.filename, first.compress_type) != ("mimetype", zipfile.ZIP_STORED):
            yield "mimetype is not the first file, unpacked"
        trees = {}
        for name in book.namelist():
            if name.endswith((".xhtml", ".opf", ".xml")):
                try:
                    trees[name] = ElementTree.fromstring(book.read(name))
                except ElementTree.ParseError as error:
                    yield f"{name} is no XML: {error}"
        listed = [
            f"OEBPS/{item.get('href')}"
            for name in trees
            if name.endswith(".opf")
            for item in trees[name].iter(f"{OPF}item")
        ]
        for name in ({*book.namelist()} - {"mimetype", "META-INF/container.xml", "OEBPS/book.opf"}) ^ {*listed}:
            yield f"{name} is in the archive or in the list, not in both"
        places = {name: [node.get("id") for node in tree.iter() if node.get("id")] for name, tree in trees.items()}
        for name, ids in places.items():
            if twice := {one for one in ids if ids.count(one) > 1}:
                yield f"{name} has twice the id {sorted(twice)[0]!r}"
        for name, tree in trees.items():
            for node in tree.iter():
                for address in filter(None, (node.get("href"), node.get("src"))):
                    yield from _lost(name, address, places, book.namelist())


def _lost(name: str, address: str, places: dict[str, list[str]], names: list[str]) -> Iterator[str]:
    """A link of the file `name` that leads nowhere."""
    to = urlsplit(address)
    if to.scheme:
        return
    file = str(PurePosixPath(name).parent / unquote(to.path)) if to.path else name
    if file not in names or (to.fragment and unquote(to.fragment) not in places[file]):
        yield f"{name} links to {address}, which is not there"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, default="book")
    given = parser.parse_args()
    target = ROOT / "_build" / f"{NAME}{'' if given.part == 'book' else '-all'}.epub"
    count = make(SITE, target, given.part)
    print(f"{target}: {count} pages, {target.stat().st_size / 1e6:.1f} MB.")
