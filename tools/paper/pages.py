"""The site's pages as paper and e-readers take them: in order, standing still, with nothing closed and nothing lost.

Every hint, solution and answer that the site keeps closed stands at the end of its chapter, with links both ways: printed
below its question it would be read before anyone has thought, and left closed it would be lost. A widget stands as the
pictures that `pictures.take` took of it.
"""

import os
import posixpath
import re
import time
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from string import ascii_uppercase

import segno
from bs4 import BeautifulSoup, Tag

import attnlib
from tools.paper.pictures import compared
from tools.site import ROOT

UNPRINTED = "script, button, .headerlink, .notebook, .sheet, .actions, .on-screen, .withheld-door, #three-ways-in"
QUESTIONS = ("choice", "number_question")  # what they can do on the site is in the answers at the end of the chapter
CHAPTER = re.compile(r"chapters/\d")
SITE_ALONE = "With JavaScript on you can"
LICENCE = "Text and figures: CC BY 4.0. Code: MIT."
PARTS = ("book", "all")  # the chapters; and what is looked up besides
Pictures = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True)
class Edition:
    """What the title page says: the version, its day, and the address of the site where one is known."""

    title: str
    author: str
    version: str
    day: str
    address: str

    @property
    def moment(self) -> time.struct_time:
        return time.strptime(self.day, "%Y-%m-%d")


def edition(site: Path) -> Edition:
    """The edition that the site is. Its day is that of SOURCE_DATE_EPOCH, or else the release's in CITATION.cff."""
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    found = dict(re.findall(r'^(title|date-released|  - name): "?(.*?)"?$', cited, re.MULTILINE))
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    day = time.strftime("%Y-%m-%d", time.gmtime(int(epoch))) if epoch else found["date-released"]
    head = html((site / "index.html").read_text(encoding="utf8"))
    link = head.select_one("link[rel=canonical]")
    address = posixpath.dirname(link["href"]) + "/" if link else ""
    return Edition(found["title"], found["  - name"], attnlib.__version__, day, address)


def chosen(part: str) -> bool:
    """Whether a part is everything. Raises ValueError for one that there is not."""
    if part not in PARTS:
        raise ValueError(f"there is no part {part!r}: take one of {PARTS}")
    return part == "all"


def screen(site: Path) -> str:
    """The site's style, with that of every widget: a page brings those of its own."""
    files = (site / "_static/book.css", ROOT / "attnlib/widgets/static/widgets.css")
    return "".join(file.read_text(encoding="utf8") for file in files)


def headings(main: Tag) -> list[tuple[str, str]]:
    """A page's name and those of its sections, each after the name of its place."""
    return [(main["id"], spoken(main.h1)), *((head["id"], spoken(head)) for head in main.select("h2[id]"))]


def spoken(head: Tag) -> str:
    """A heading as text, a formula in it as it is written in TeX."""
    head = html(str(head))
    for formula in head.select(".katex"):
        formula.string = formula.annotation.get_text()
    return head.get_text().strip()


def contents(site: Path, everything: bool = True) -> list[str]:
    """The pages in the order of the site's own contents, the landing page first; or of them the chapters alone."""
    if not (site / "index.html").exists():
        raise FileNotFoundError(f"{site} holds no index.html: build the book first, make book")
    links = html((site / "index.html").read_text(encoding="utf8")).select("nav.contents > ol > li > a")
    pages = [link["href"] for link in links]
    return ["index.html", *(page for page in pages if everything or CHAPTER.match(page))]


def anchor(address: str) -> str:
    """What a page, or `page#id`, is called in the joined document: `01_dot_product`, `01_dot_product.id`."""
    page, _, place = address.partition("#")
    return ".".join(filter(None, (posixpath.basename(page).removesuffix(".html"), place)))


def html(text: str) -> Tag:
    return BeautifulSoup(text, "html.parser")


def printable(page: str, site: Path, pages: list[str], pictures: Pictures, address: str = "") -> Tag:
    """What is printed of one page: its `<main>`, with names and addresses as the joined document has them."""
    text = (site / page).read_text(encoding="utf8")
    main = html(text[text.index("<main") : text.index("</main>")]).main
    compare = compared()
    for widget in main.select("[data-widget]"):
        place = f"{anchor(page)}#{widget['id']}"
        there = address and f"{address}{page}#{widget['id']}"
        show(widget, pictures.get(place, []), there, compare.get(place, ""))
    for element in main.select(UNPRINTED):
        element.decompose()
    for box in main.select(".withheld, .withheld > div"):
        box.unwrap()
    for caption in main.select("p[role=heading]"):  # over a list of contents: no bookmark
        del caption["role"], caption["aria-level"]
    if page == "index.html" and "genindex.html" in pages:
        index = html('<li class="toctree-l1"><a href="genindex.html">Index</a></li>')
        main.select(".toctree-wrapper > ul")[-1].append(index)
    set_aside(main)
    for head in main.select("section[id] > :is(h2, h3, h4)"):
        lead_to(head)
    for element in main.select("[id]"):
        element["id"] = anchor(f"{page}#{element['id']}")
    for link in main.select("a[href]:not([href*=':'])"):
        file, _, place = link["href"].partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), file)) if file else page
        if file in pages:
            link["href"] = "#" + anchor(f"{file}#{place}")
        else:
            link.unwrap()  # what only the site has
    for image in main.select("img:not([src^='data:'])"):
        image["src"] = (site / posixpath.dirname(page) / image["src"]).resolve().as_uri()
        image["loading"] = "eager"
    main["id"], main["class"] = anchor(page), "landing" if page == "index.html" else "page"
    return main


def lead_to(head: Tag) -> None:
    """Give a heading the names of its section, which begins on the page before where the heading begins a page."""
    for other in head.find_previous_siblings("span", id=True):
        head.insert(0, other.extract())
    head["id"] = head.parent.attrs.pop("id")


def show(widget: Tag, pictures: list[tuple[str, str]], address: str, compare: str = "") -> None:
    """Put pictures in the place of what a widget's page shows without a script, and say what to look at in them, and what
    the site can do besides."""
    note = widget.find("noscript", recursive=False)
    if widget["data-widget"] in QUESTIONS:
        note.decompose()
        return
    more = re.search(f"{SITE_ALONE} (.*)", note.get_text()) if note else None
    there = f'<a href="{escape(address)}">On the book’s website</a>' if address else "On the book’s website"
    said = f'<p class="widget-missing">{there} you can {escape(more[1])}</p>' if more else ""
    if compare and pictures:
        said = f'<p class="on-paper"><b>On paper:</b> compare {escape(compare)}</p>{said}'
    if pictures:
        figures = [html(picture).figure for _, picture in pictures]
        caption = figures[0].figcaption.extract()
        caption.name = "p"
        for figure, (state, _) in zip(figures, pictures, strict=True):
            if figure.figcaption:
                figure.figcaption.decompose()
            if len(figures) > 1:
                figure.insert(0, html(f'<p class="state">{escape(state)}</p>'))
        many = "states" if len(figures) > 1 else "state-alone"
        shown = f'<div class="attn caption">{caption}</div><div class="{many}">{"".join(map(str, figures))}</div>'
        widget.clear()
        widget.append(html(shown))
    elif note:
        note.decompose()
    widget.append(html(said))


def set_aside(main: Tag) -> None:
    """Move what the site keeps closed to the end of the page, hints before answers, and leave links in its place."""
    ends: dict[str, list[Tag]] = {"Hints": [], "Answers": []}
    for number, box in enumerate(main.select("details:not(details details)"), 1):
        kind, title = set(box.get("class", [])), box.summary.extract().decode_contents()
        line = box.find_previous_sibling()
        if not (line and "aside-line" in line.get("class", [])):
            line = html('<p class="aside-line"></p>').p
            box.insert_before(line)
        line.append(html(f'<a class="aside-link" id="asked-{number}" href="#aside-{number}">{title}</a>'))
        back = f'<a class="aside-link" href="#asked-{number}">back</a>'
        name = f'<span id="{box.attrs.pop("id")}"></span>' if box.get("id") else ""  # links lead to it
        about, options = asked(box, kind), box.find_previous_sibling("ol", class_="attn-options")
        if options:
            letter(options, box.ol)
        box.insert(0, html(f'<p class="aside-title" id="aside-{number}">{name}{back} {about}{title}</p>'))
        box.name, box["class"] = "div", "aside-box"
        ends["Hints" if "hint" in kind else "Answers"].append(box.extract())
    for title, boxes in ends.items():
        if boxes:
            section = html(f'<section class="asides"><h2>{title}</h2><div class="aside-boxes"></div></section>').section
            section.div.extend(boxes)
            main.append(section)


def letter(options: Tag, answers: Tag) -> None:
    """Name the answers as the options are: A, B, C. Steps of an order keep their numbers, and get the letter."""
    texts = [option.span.decode_contents() for option in options.find_all("li", recursive=False)]
    rows = answers.find_all("li", recursive=False)
    order = [texts.index(row.span.decode_contents()) for row in rows]
    if order == sorted(order):
        answers["type"] = "A"
        return
    for row, at in zip(rows, order, strict=True):
        row.insert(0, f"{ascii_uppercase[at]} · ")


def asked(box: Tag, kind: set[str]) -> str:
    """What a hint or an answer is about: its exercise, or the question of its widget."""
    find = box.find_previous if kind & {"hint", "solution"} else box.find_parent
    exercise = find(class_="exercise")
    figure = box.find_parent("figure")
    about = exercise.select_one(".admonition-title") if exercise else figure and figure.figcaption
    return f"{about.decode_contents()} · " if about else ""


def imprint(made: Edition) -> Tag:
    """The lines at the foot of the title page, with the site's address to follow by hand or by camera."""
    lines = [f"{made.author}", f"Version {made.version} of {time.strftime('%-d %B %Y', made.moment)}", LICENCE]
    code = ""
    if made.address:
        lines.append(f'<a href="{escape(made.address)}">{escape(made.address)}</a>')
        drawn = BytesIO()
        segno.make(made.address, error="m").save(
            drawn, kind="svg", scale=3, xmldecl=False, border=0, title=made.address
        )
        code = drawn.getvalue().decode()
    here = (
        "In this edition a widget stands still, as it starts and sometimes in other states. Where the text asks you to drag, "
        "tick or press something, look at these states, or do it on the book’s website."
    )
    rows = "<br/>".join(lines)
    return html(f'<div class="imprint"><div class="qr">{code}</div><p>{rows}</p><p class="muted">{here}</p></div>')
