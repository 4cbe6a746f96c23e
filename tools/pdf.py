"""Print the built book as one PDF: its pages are joined into one document, which Chromium prints.

    python -m tools.pdf

Every hint, solution and answer that the site keeps closed stands at the end of its chapter, with links both ways: printed
below its question it would be read before anyone has thought, and left closed it would be lost.
The document is printed twice. The second time the page numbers are known, and are filled in.
"""

import json
import posixpath
import re
from html import escape, unescape
from io import BytesIO
from pathlib import Path

import pikepdf
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import sync_playwright

from tools import chromium
from tools.site import FLAGS, ROOT, SITE
from tools.site_zip import NAME

UNPRINTED = "script, button, .headerlink, .notebook, .sheet, .actions, #three-ways-in"
QUESTIONS = ("choice", "number_question")  # what they can do on the site is in the answers at the end of the chapter
ON_PAPER = """<p class="muted">This is the book on paper, where its widgets stand still, each as it starts. On the book’s website,
which <code>make book</code> builds, you can point at every cell, answer every question and run every chapter.</p>"""
# A formula stands in the page twice, as MathML and as a picture of letters. The picture stays, under a name that is read out.
MATHML = re.compile(
    r'<span class="katex-mathml">.*?<annotation encoding="application/x-tex">(.*?)</annotation></semantics></math></span>',
    re.DOTALL,
)
WIDTH = 643  # A4 less the margins of print.css, in CSS pixels
# What is wider than the sheet is made smaller, as a whole; returned is what would still be cut.
FIT = """() => {
    const wide = () => [...document.querySelectorAll("div.math, table, pre, dt, .attn-scroll, .attn-formula, .attn-heads")]
        .filter((box) => box.scrollWidth > box.clientWidth + 1 || box.getBoundingClientRect().right > innerWidth + 1);
    for (const box of wide()) {
        const room = Math.min(box.clientWidth, innerWidth - box.getBoundingClientRect().left);
        box.style.zoom = Math.floor(98 * room / Math.max(box.scrollWidth, box.offsetWidth)) / 100;
    }
    return wide().map((box) => box.textContent.trim().slice(0, 60));
}"""
NUMBER = "(of) => document.querySelectorAll('[data-page-of]').forEach((a) => (a.textContent = of[a.dataset.pageOf]))"
PAPER = {"prefer_css_page_size": True, "print_background": True}


def contents(site: Path) -> list[str]:
    """The pages in the order of the site's own contents, the landing page first."""
    if not (site / "index.html").exists():
        raise FileNotFoundError(f"{site} holds no index.html: build the book first, make book")
    soup = BeautifulSoup((site / "index.html").read_text(encoding="utf8"), "html.parser")
    return ["index.html", *(link["href"] for link in soup.select("nav.contents > ol > li > a"))]


def anchor(address: str) -> str:
    """What a page, or `page#id`, is called in the joined document: `01_dot_product`, `01_dot_product.id`."""
    page, _, place = address.partition("#")
    return ".".join(filter(None, (posixpath.basename(page).removesuffix(".html"), place)))


def html(text: str) -> Tag:
    return BeautifulSoup(text, "html.parser")


def printable(page: str, site: Path, pages: list[str]) -> Tag:
    """What is printed of one page: its `<main>`, with names and addresses as the joined document has them."""
    text = (site / page).read_text(encoding="utf8")
    text = MATHML.sub(lambda found: f'<span role="img" aria-label="{escape(unescape(found[1]))}">\u2060</span>', text)
    main = html(text[text.index("<main") : text.index("</main>")]).main
    for element in main.select(UNPRINTED):
        element.decompose()
    for note in main.select("noscript"):
        if note.find_parent(attrs={"data-widget": QUESTIONS}):
            note.decompose()
        else:
            note.p.string = note.p.get_text().replace("With JavaScript on", "On the book’s website")
            note.unwrap()
    for caption in main.select("p[role=heading]"):  # over a list of contents: no bookmark
        del caption["role"], caption["aria-level"]
    if page == "index.html" and "genindex.html" in pages:
        index = html('<li class="toctree-l1"><a href="genindex.html">Index</a></li>')
        main.select(".toctree-wrapper > ul")[-1].append(index)
    set_aside(main)
    for element in main.select("[id]"):
        element["id"] = anchor(f"{page}#{element['id']}")
    for link in main.select("a[href]:not([href*=':'])"):
        file, _, place = link["href"].partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), file)) if file else page
        if file in pages:
            link["href"] = "#" + anchor(f"{file}#{place}")
        else:
            link.unwrap()  # a file that only the site has
    for image in main.select("img"):
        image["src"] = (site / posixpath.dirname(page) / image["src"]).resolve().as_uri()
        image["loading"] = "eager"
    main["id"], main["class"] = anchor(page), "landing" if page == "index.html" else "page"
    for link in main.select(".toctree-wrapper a, ul a" if page in ("index.html", "genindex.html") else ".aside-link"):
        link.append(html(f' <span data-page-of="{link["href"][1:]}">000</span>'))
    return main


def set_aside(main: Tag) -> None:
    """Move what the site keeps closed to the end of the page, hints before answers, and leave links in its place."""
    ends: dict[str, list[Tag]] = {"Hints": [], "Answers": []}
    for number, box in enumerate(main.select("details:not(details details)"), 1):
        kind, title = set(box.get("class", [])), box.summary.extract().decode_contents()
        line = box.find_previous_sibling()
        if not (line and "aside-line" in line.get("class", [])):
            line = html('<p class="aside-line"></p>').p
            box.insert_before(line)
        line.append(html(f'<a class="aside-link" id="asked-{number}" href="#aside-{number}">{title}, page</a>'))
        back = f'<a class="aside-link" href="#asked-{number}">page</a>'
        box.insert(0, html(f'<p class="aside-title">{back} {asked(box, kind)}{title}</p>'))
        box.name, box["id"], box["class"] = "div", f"aside-{number}", "aside-box"
        ends["Hints" if "hint" in kind else "Answers"].append(box.extract())
    for title, boxes in ends.items():
        if boxes:
            section = html(f"<section><h2>{title}</h2></section>").section
            section.extend(boxes)
            main.append(section)


def asked(box: Tag, kind: set[str]) -> str:
    """What a hint or an answer is about: its exercise, or the question of its widget."""
    find = box.find_previous if kind & {"hint", "solution"} else box.find_parent
    exercise = find(class_="exercise")
    figure = box.find_parent("figure")
    about = exercise.select_one(".admonition-title") if exercise else figure and figure.figcaption
    return f"{about.decode_contents()} · " if about else ""


def joined(site: Path) -> str:
    """The whole book as one HTML document, its page numbers still 000."""
    pages = contents(site)
    parts = [printable(page, site, pages) for page in pages]
    parts[0].select_one(".hero").append(html(ON_PAPER))
    title = parts[0].h1.get_text()
    # A chapter's name stands at the head of its pages, which takes a kind of page for each.
    heads = "".join(
        f"@page p{number} {{ @top-left {{ content: {json.dumps(part.h1.get_text(), ensure_ascii=False)} }} }}\n"
        f'main[id="{part["id"]}"] {{ page: p{number} }}\n'
        for number, part in enumerate(parts[1:], 1)
    )
    style = (ROOT / "_ext/theme/print.css").read_text(encoding="utf8")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="{(site / "_static" / "book.css").as_uri()}"><style>{style}{heads}</style></head>'
        f"<body>{''.join(map(str, parts))}</body></html>"
    )


def numbers(pdf: bytes) -> dict[str, int]:
    """The page on which the PDF has each thing with a name."""
    with pikepdf.open(BytesIO(pdf)) as book:
        number = {page.objgen: place for place, page in enumerate(book.pages, 1)}
        return {name[1:]: number[place[0].objgen] for name, place in book.Root.Dests.items()}


def share(book: pikepdf.Pdf) -> None:
    """Keep one of all images that are the same: Chromium stores the hatching of every cell anew."""
    first: dict[tuple[bytes, bytes], pikepdf.Object] = {}
    for holder in book.objects:
        if isinstance(holder, pikepdf.Stream | pikepdf.Dictionary) and "/Resources" in holder:
            images = holder.Resources.get("/XObject", {})
            for name, image in images.items():
                if image.get("/Subtype") == "/Image" and "/SMask" not in image:
                    images[name] = first.setdefault((image.read_raw_bytes(), image.stream_dict.unparse()), image)


def make(site: Path, target: Path) -> int:
    """Write the book into `target`; return how many pages it has."""
    file = target.with_suffix(".html")
    file.write_text(joined(site), encoding="utf8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        page.emulate_media(media="print", color_scheme="light")
        page.goto(file.as_uri())
        page.evaluate("document.fonts.ready")
        if cut := page.evaluate(FIT):
            raise ValueError(f"wider than the sheet, and stays so: {cut}")
        page.evaluate(NUMBER, numbers(page.pdf(**PAPER)))
        pdf = page.pdf(**PAPER, tagged=True, outline=True)
        browser.close()
    file.unlink()
    with pikepdf.open(BytesIO(pdf)) as book:
        share(book)
        book.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)  # Chromium leaves most of it unpacked
        return len(book.pages)


if __name__ == "__main__":
    target = ROOT / "_build" / f"{NAME}.pdf"
    count = make(SITE, target)
    print(f"{target}: {count} pages, {target.stat().st_size / 1e6:.1f} MB.")
