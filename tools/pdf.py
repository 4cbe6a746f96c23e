"""Print the built book as one PDF: its pages are joined into one document, which Chromium prints.

    python -m tools.pdf [--part book|all] [--paper A4|letter]

`book` is the chapters, with their exercises, hints and answers; `all` adds the reference parts. The document is
printed until its page numbers stay: once they are filled in, a line may be shorter, and what follows moves.
"""

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from html import escape, unescape
from io import BytesIO
from pathlib import Path

import pikepdf
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from playwright.sync_api import Browser, sync_playwright

from tools import chromium
from tools.paper import pages as paper
from tools.paper import pictures
from tools.paper.pages import PARTS, Edition, html
from tools.site import FLAGS, ROOT, SITE
from tools.site_zip import NAME

# A formula stands in the page twice, as MathML and as a picture of letters. The picture stays, under a name that is read out.
MATHML = re.compile(
    r'<span class="katex-mathml">.*?<annotation encoding="application/x-tex">(.*?)</annotation>'
    r"</semantics></math></span>",
    re.DOTALL,
)
MARGINS = 40  # mm, of print.css
HALF = 400  # CSS pixels: with what is said of a widget, half of what a sheet holds at most
TRIES = 4
UNHINTED = "--font-render-hinting=none"  # else each letter stands at a whole pixel of a screen: "fromeach token"
SHEETS = {"A4": 210, "letter": 215.9}  # their widths, mm
FACES = {"serif": "Book Serif", "serif-italic": "Book Serif", "sans": "Book Sans"}
OWN_FACE = re.compile(r'@font-face ?{[^}]*font-family: ?"?Book (?:Serif|Sans)[^}]*}')
READABLE = 5.8  # points, of the smallest letters in a widget's pictures
# The states of a widget stand beside each other, all at one zoom, as they take the least room in which nothing is cut
# off, no letter is too small to read and no state takes more than half of a sheet, since it is not cut in two. Other
# boxes are cut, from a quarter of a sheet on (a table from half), so that none leaves half a page empty. Returned is what
# is still too wide.
FIT = """([half, readable]) => {
    const held = "div.math, table, pre, dt, .attn-scroll, .attn-formula, .attn-heads, .states > .attn, .state-alone > .attn";
    const edge = (box) => box.closest(".states > .attn")?.getBoundingClientRect().right ?? innerWidth;
    const wide = (home) => [...home.querySelectorAll(held)]
        .filter((box) => box.scrollWidth > box.clientWidth + 1 || box.getBoundingClientRect().right > edge(box) + 1);
    const has_text = (node) => [...node.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
    const scale = (node) => node.ownerSVGElement ? node.getScreenCTM().a : node.currentCSSZoom;
    const letters = (node) => node.getClientRects().length
        ? .75 * scale(node) * parseFloat(getComputedStyle(node).fontSize) : Infinity;
    const lay = (box, [beside, zoom]) => {
        box.style.setProperty("--beside", beside);
        box.style.zoom = zoom;
    };
    const cost = (box, texts) => {
        const tallest = Math.max(...[...box.children].map((figure) => figure.getBoundingClientRect().height));
        return 1e6 * wide(box).length + 1e5 * Math.max(0, readable - Math.min(...texts.map(letters)))
            + 1e2 * Math.max(0, tallest - half) + box.getBoundingClientRect().height;
    };
    const pages = [...document.querySelectorAll("main")];
    for (const box of document.querySelectorAll(".states, .state-alone")) {
        for (const page of pages) page.style.display = page.contains(box) ? "" : "none"; // little to lay out anew
        const texts = [...box.querySelectorAll("*")].filter(has_text);
        const ways = [3, 2, 1].filter((beside) => beside <= box.children.length)
            .flatMap((beside) => [1, .95, .9, .85, .8, .75].map((zoom) => [beside, zoom]));
        const costs = ways.map((way) => (lay(box, way), cost(box, texts)));
        const [beside, zoom] = ways[costs.indexOf(Math.min(...costs))];
        const figures = [...box.children];
        while (figures.length) { // a box of a known size for each row: only so were breaks between rows seen to be taken
            const row = box.cloneNode();
            lay(row, [beside, zoom]);
            row.append(...figures.splice(0, beside));
            box.before(row);
            Object.assign(row.style, { height: `${row.offsetHeight}px`, contain: "size" });
        }
        box.remove();
    }
    for (const page of pages) page.style.display = "";
    for (const box of document.querySelectorAll(".admonition, .highlight, .aside-box, [data-widget], table.table"))
        if (box.getBoundingClientRect().height > (box.matches("table") ? half : half / 2)) box.style.breakInside = "auto";
    for (const box of wide(document)) {
        const { left, width } = box.getBoundingClientRect();
        const room = Math.min(box.clientWidth, (edge(box) - left) * box.offsetWidth / width);
        box.style.zoom = Math.floor(98 * room / Math.max(box.scrollWidth, box.offsetWidth)) / 100;
    }
    return wide(document).map((box) => box.textContent.trim().slice(0, 60));
}"""
NUMBER = "(of) => document.querySelectorAll('[data-page-of]').forEach((a) => (a.textContent = of[a.dataset.pageOf]))"
# Chromium names some bookmarks twice over, where a heading begins a page.
HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3, h4")].map((head) => {
    const copy = head.cloneNode(true);
    copy.querySelectorAll("[aria-hidden]").forEach((part) => part.remove());
    copy.querySelectorAll("[role=img]").forEach((part) => part.replaceWith(part.ariaLabel));
    return copy.textContent.trim();
})"""
PAPER = {"prefer_css_page_size": True, "print_background": True}


def typefaces(folder: Path) -> str:
    """Write the book's typefaces into the folder, one file a weight, and return the style that names them.

    Of a typeface whose weight varies, Chromium draws each letter as a procedure of its own (Type 3): nothing that prints
    or searches takes that for letters.
    """
    rules = []
    for file, family in FACES.items():
        for weight in (400, 600):
            with TTFont(ROOT / f"_ext/theme/static/fonts/{file}.woff2") as font:
                if "fvar" in font:
                    low, _, high = next((a.minValue, 0, a.maxValue) for a in font["fvar"].axes if a.axisTag == "wght")
                    instantiateVariableFont(font, {"wght": min(max(weight, low), high)}, inplace=True)
                font.flavor = None
                font.save(folder / f"{file}-{weight}.ttf")
            look = "italic" if file.endswith("italic") else "normal"
            rules.append(
                f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {look}; '
                f'src: url("{(folder / f"{file}-{weight}.ttf").as_uri()}") }}'
            )
    return "\n".join(rules)


def joined(site: Path, made: Edition, shown: paper.Pictures, everything: bool = True, style: str = "") -> str:
    """The book as one HTML document, its page numbers still 000."""
    pages = paper.contents(site, everything)
    parts = [paper.printable(page, site, pages, shown, made.address) for page in pages]
    for part in parts:
        for link in part.select(".aside-link, .toctree-wrapper a" if part["id"] != "genindex" else "ul a"):
            link.append(html(f', page <span data-page-of="{link["href"][1:]}">000</span>'))
    parts[0].select_one(".hero").insert_after(paper.imprint(made))
    list_contents(parts)
    # A chapter's name stands at the head of its pages, which takes a kind of page for each.
    heads = "".join(
        f"@page p{number} {{ @top-left {{ content: {json.dumps(part.h1.get_text(), ensure_ascii=False)} }} }}\n"
        f'main[id="{part["id"]}"] {{ page: p{number} }}\n'
        for number, part in enumerate(parts[1:], 1)
    )
    body = MATHML.sub(
        lambda found: f'<span role="img" aria-label="{escape(unescape(found[1]))}">\u2060</span>',
        "".join(map(str, parts)),
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{made.title}</title>'
        f"<style>{style}{heads}</style></head><body>{body}</body></html>"
    )


def list_contents(parts: list[paper.Tag]) -> None:
    """Put the names of all pages and of their sections, with the numbers of their pages, in the place of the site's list."""
    rows = []
    for part in parts[1:]:
        for at, (place, text) in enumerate(paper.headings(part)):
            number = f'<span data-page-of="{place}">000</span>'
            rows.append(
                f'<a class="{"section" if at else "part"}" href="#{place}"><span>{escape(text)}</span> {number}</a>'
            )
    listed = html(f'<nav class="two-levels">{"".join(rows)}</nav>')
    old = parts[0].select(".toctree-wrapper")
    if old:
        old[0].insert_before(listed)
        for wrapper in old:
            for note in wrapper.find_next_siblings("p"):  # what it says of the site
                note.decompose()
            wrapper.decompose()
    else:
        parts[0].append(listed)


def style_of(site: Path, folder: Path, sheet: str) -> str:
    """The site's style with the book's typefaces one by one, and the rules for paper."""
    static = site / "_static"
    screen = OWN_FACE.sub("", paper.screen(site))
    screen = screen.replace("url(fonts/", f"url({static.as_uri()}/fonts/")
    printed = (ROOT / "_ext/theme/print.css").read_text(encoding="utf8")
    return f"{screen}{typefaces(folder)}{printed}@page {{ size: {sheet} }}\n"


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


def bookmarks(entry: pikepdf.Object) -> Iterator[pikepdf.Object]:
    """The entries of an outline from one on, each before those below it."""
    while entry is not None:
        yield entry
        if "/First" in entry:
            yield from bookmarks(entry.First)
        entry = entry.get("/Next")


def make(site: Path, target: Path, part: str = "book", sheet: str = "A4") -> int:
    """Write the book into `target`; return how many pages it has.

    Raises ValueError for a part or a sheet that there is not, and when something is wider than the sheet.
    """
    if sheet not in SHEETS:
        raise ValueError(f"there is no sheet {sheet!r}: take one of {tuple(SHEETS)}")
    everything, made = paper.chosen(part), paper.edition(site)
    with tempfile.TemporaryDirectory() as kept, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=[*FLAGS, UNHINTED])
        pages = paper.contents(site, everything)
        shown = pictures.take(browser, site, pages, pictures.states())
        file = Path(kept) / "book.html"
        file.write_text(joined(site, made, shown, everything, style_of(site, Path(kept), sheet)), encoding="utf8")
        pdf, titles = printed(browser, file, SHEETS[sheet] - MARGINS)
        browser.close()
    with pikepdf.open(BytesIO(pdf)) as book:
        share(book)
        for entry, title in zip(bookmarks(book.Root.Outlines.First), titles, strict=True):
            entry.Title = pikepdf.String(title)
        moment = time.strftime("D:%Y%m%d000000Z", made.moment)
        book.docinfo["/Title"], book.docinfo["/Author"] = made.title, made.author
        book.docinfo["/CreationDate"] = book.docinfo["/ModDate"] = pikepdf.String(moment)
        book.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        book.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)  # Chromium leaves most of it unpacked
        return len(book.pages)


def printed(browser: Browser, file: Path, width: float) -> tuple[bytes, list[str]]:
    """The document as a PDF, and its headings; `width` is the sheet's less its margins, in mm."""
    page = browser.new_page(viewport={"width": int(width / 25.4 * 96), "height": 900})
    page.emulate_media(media="print", color_scheme="light")
    page.goto(file.as_uri(), timeout=0)  # a whole book, perhaps on a machine at work
    page.evaluate("document.fonts.ready")
    if cut := page.evaluate(FIT, [HALF, READABLE]):
        raise ValueError(f"wider than the sheet, and stays so: {cut}")
    pdf = page.pdf(**PAPER)
    for _ in range(TRIES):
        known = numbers(pdf)
        page.evaluate(NUMBER, known)
        pdf = page.pdf(**PAPER, tagged=True, outline=True)
        if numbers(pdf) == known:
            return pdf, page.evaluate(HEADINGS)
    raise ValueError(f"the numbers of the pages do not settle in {TRIES} prints")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, default="book")
    parser.add_argument("--paper", choices=tuple(SHEETS), default="A4")
    given = parser.parse_args()
    end = "" if given.part == "book" else "-all"
    target = ROOT / "_build" / f"{NAME}{end}{'' if given.paper == 'A4' else '-letter'}.pdf"
    count = make(SITE, target, given.part, given.paper)
    print(f"{target}: {count} pages, {target.stat().st_size / 1e6:.1f} MB.")
