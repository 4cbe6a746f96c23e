"""The book on paper: whole, in order, linked, and with nothing cut, blank or lost."""

import re
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pikepdf
import pypdfium2
import pytest

from tools import pdf
from tools.paper import pages as paper
from tools.paper import pictures
from tools.site import SITE, pages

A = """<nav class="contents"><ol><li><a href="chapters/b.html">B</a></li></ol></nav>
<main id="main"><h1>A</h1><div class="hero"></div>
<p id="here"><a href="chapters/b.html#there">there</a></p><section id="three-ways-in">gone</section></main>"""
B = """<main id="main"><h1>B<a class="headerlink" href="#b">#</a></h1>
<p id="there"><a href="../index.html#here">back</a>
<a href="../downloads/b.zip">file</a> <a href="https://a.b/">out</a></p>
<div class="exercise"><p class="admonition-title">Exercise 1</p></div>
<details class="hint" id="kept"><summary>Hint 1</summary><p>think</p></details>
<details class="solution"><summary>Solution</summary><p>42</p></details>
<div class="withheld" data-question="q"><p class="withheld-door">After it <button>Show it</button></p><div hidden="until-found">
<p id="waits">after</p></div></div></main>"""


WIDGET = """<div data-widget="plane" id="w"><figure class="attn"><figcaption>Points: a table</figcaption></figure>
<noscript><p class="widget-missing">This is how the widget starts. With JavaScript on you can drag it.</p></noscript></div>"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "chapters").mkdir()
    (tmp_path / "index.html").write_text(A)
    (tmp_path / "chapters" / "b.html").write_text(B)
    return tmp_path


@pytest.fixture
def toy(folder):
    return paper.html(pdf.joined(folder, paper.edition(folder), {}))


def test_links_between_pages_stay_and_those_to_files_become_text(toy):
    targets = [link["href"] for link in toy.select("#index\\.here a, #b\\.there a")]
    assert targets == ["#b.there", "#index.here", "https://a.b/"]
    assert all(toy.find(id=target[1:]) for target in targets[:2])
    assert "file" in toy.find(id="b.there").get_text()
    assert "gone" not in toy.get_text()


def test_what_is_kept_closed_is_printed_at_the_end_of_its_chapter_with_links_both_ways(toy):
    assert toy.select("details, [hidden]") == []
    assert toy.find(id="b.waits").parent.name == "main"
    assert not {"Show it", "After it"} & set(toy.stripped_strings)
    words = toy.find("main", id="b").get_text(" ", strip=True)
    assert (
        words.index("after") < words.index("Hints") < words.index("think") < words.index("Answers") < words.index("42")
    )
    assert "Exercise 1 · Solution" in toy.find(id="b.aside-2").get_text()
    for there, back in (("b.aside-2", "b.asked-2"), ("b.asked-2", "b.aside-2")):
        assert toy.select(f'[href="#{there}"] [data-page-of="{there}"]')
        assert toy.find(id=back)


def test_a_link_to_what_is_kept_closed_finds_it_at_the_end(toy):
    assert toy.find(id="b.kept").find_parent(id="b.aside-1")


def test_the_title_page_names_the_edition_and_the_address_where_it_is_known(folder, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    said = paper.imprint(paper.edition(folder))
    assert f"Version {paper.attnlib.__version__} of 2 January 1970" in said.get_text(" ")
    assert "CC BY 4.0" in said.get_text()
    assert not said.select("svg, a")
    known = A.replace("<nav", '<link rel="canonical" href="https://a.b/book/index.html"><nav', 1)
    (folder / "index.html").write_text(known)
    said = paper.imprint(paper.edition(folder))
    assert said.a["href"] == "https://a.b/book/"
    assert said.svg.title.get_text() == "https://a.b/book/"


def test_the_day_is_the_releases_where_no_other_is_given(folder, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    cited = (paper.ROOT / "CITATION.cff").read_text()
    assert f'date-released: "{paper.edition(folder).day}"' in cited


def test_a_widget_stands_in_its_states_under_one_caption_and_says_where_it_moves():
    widget = paper.html(WIDGET).div
    drawn = "<figure class='attn'><figcaption>Points: drag them</figcaption><svg></svg></figure>"
    paper.show(widget, [("As it starts", drawn), ("Moved", drawn)], "https://a.b/c.html#w")
    assert widget.get_text(" ", strip=True).split("  ") == [
        "Points: drag them As it starts Moved On the book’s website you can drag it."
    ]
    assert len(widget.select(".states > figure > svg")) == 2
    assert widget.select_one(".widget-missing a")["href"] == "https://a.b/c.html#w"


def test_a_widget_says_what_to_compare_on_paper_where_the_text_asks_to_do_something():
    widget = paper.html(WIDGET).div
    drawn = "<figure class='attn'><figcaption>Points</figcaption><svg></svg></figure>"
    paper.show(widget, [("As it starts", drawn)], "", "the points < here.")
    assert widget.select_one(".state-alone + .on-paper").get_text() == "On paper: compare the points < here."


def test_each_widget_that_paper_shows_in_states_is_on_its_page():
    ids = {Path(name).stem: set(re.findall(r'id="([^"]+)"', (SITE / name).read_text("utf8"))) for name in pages()}
    places = [place.split("#") for place in pictures.states()]
    assert len(places) > 30
    assert [widget for page, widget in places if widget not in ids[page]] == []


def test_what_to_compare_is_no_state_and_belongs_to_a_widget(browser, tmp_path):
    file = tmp_path / "states.toml"
    file.write_text('["01_dot_product#nothing"]\ncompare = "this."\n')
    assert pictures.compared(file) == {"01_dot_product#nothing": "this."}
    with pytest.raises(ValueError, match="has no widget 'nothing'"):
        pictures.take(browser, SITE, ["chapters/01_dot_product.html"], pictures.states(file))


def test_states_that_are_too_wide_are_made_smaller_alike_and_stay_in_their_columns(open_page, tmp_path):
    table = "<figure class='attn' style='margin: 0; min-width: 0'><table><td style='min-width: {}px'>1</table></figure>"
    figures = table.format(330) + table.format(370)
    columns = "display: grid; grid-template-columns: 1fr 1fr"
    (tmp_path / "wide.html").write_text(f"<!doctype html><div class='states' style='{columns}'>{figures}</div>")
    page = open_page((tmp_path / "wide.html").as_uri())
    page.set_viewport_size({"width": 600, "height": 400})
    assert page.evaluate(pdf.FIT, [pdf.HALF, pdf.READABLE]) == []
    rights, cells = page.evaluate("""() => ["figure", "table"].map((name) =>
        [...document.querySelectorAll(name)].map((one) => one.getBoundingClientRect().right))""")
    assert all(cell <= right + 1 for cell, right in zip(cells, rights, strict=True))
    scales = page.evaluate("""() => [...document.querySelectorAll("td")].map((one) =>
        one.getBoundingClientRect().width / parseFloat(one.style.minWidth))""")
    assert scales[0] == pytest.approx(scales[1], rel=0.05)


def test_states_stand_beside_each_other_only_where_their_letters_are_readable(open_page, tmp_path):
    style = (paper.ROOT / "_ext/theme/print.css").read_text()
    figure = (
        "<div class='attn'><svg viewBox='0 0 {0} 100' width='100%'><text y='50' font-size='15'>far</text></svg></div>"
    )
    boxes = "".join(f"<main><div class='states'>{figure.format(wide) * 3}</div></main>" for wide in (300, 500, 1000))
    (tmp_path / "states.html").write_text(f"<!doctype html><style>{style}</style>{boxes}")
    page = open_page((tmp_path / "states.html").as_uri())
    page.set_viewport_size({"width": 642, "height": 900})
    assert page.evaluate(pdf.FIT, [pdf.HALF, pdf.READABLE]) == []
    assert page.evaluate("""() => [...document.querySelectorAll(".states")].map((box) => [
        getComputedStyle(box).getPropertyValue("--beside"),
        15 * .75 * box.querySelector("text").getScreenCTM().a >= 5.8])""") == [
        ["3", True],
        *[["2", True]] * 2,
        *[["1", True]] * 3,
    ]  # a box for each row


@pytest.mark.parametrize("said", ["on-paper", "widget-missing"])
def test_what_is_said_of_pictures_stays_with_the_last(open_page, tmp_path, said):
    style = (paper.ROOT / "_ext/theme/print.css").read_text()
    figure = "<figure class='attn' style='height: 200px; break-inside: avoid'>picture</figure>"
    widgets = "".join(
        f"<main><p style='height: {height}px'></p><div data-widget style='break-inside: auto'>"
        f"<div class='states' style='--beside: 1'>{figure * 2}</div><p class='{said}'>said</p></div></main>"
        for height in range(400, 600, 10)
    )
    (tmp_path / "said.html").write_text(f"<!doctype html><style>{style}</style>{widgets}")
    printed = open_page((tmp_path / "said.html").as_uri()).pdf(**pdf.PAPER)
    with pypdfium2.PdfDocument(printed) as book:
        texts = [page.get_textpage().get_text_bounded() for page in book]
    assert len(texts) > 25
    assert [text for text in texts if "said" in text and "picture" not in text] == []


def test_a_long_line_of_code_goes_on_further_right(open_page, tmp_path):
    style = (paper.ROOT / "_ext/theme/print.css").read_text()
    code = f"<span class='long' style='--indent:4'>    return {'word ' * 40}\n</span>"
    (tmp_path / "code.html").write_text(
        f"<!doctype html><style>{style}pre {{ white-space: pre-wrap; width: 200px }}</style><pre>{code}</pre>"
    )
    lefts = open_page((tmp_path / "code.html").as_uri()).evaluate("""() => {
        const text = document.querySelector(".long").firstChild;
        const left = (at) => {
            const range = document.createRange();
            range.setStart(text, at);
            range.setEnd(text, at + 1);
            return range.getBoundingClientRect().left;
        };
        const all = [...text.data.trimEnd()].map((letter, at) => (letter === " " ? Infinity : left(at)));
        return [left(4), Math.min(...all)];
    }""")
    assert lefts[0] == lefts[1]


def test_a_short_paragraph_between_its_heading_and_a_widget_is_not_cut(open_page, tmp_path):
    style = (paper.ROOT / "_ext/theme/print.css").read_text()
    parts = "".join(
        f"<main><section><p style='height: {height}px'></p></section><section><h2 style='break-after: avoid'>head</h2>"
        "<p>first<br>second</p><div class='tag_remove-input'><div data-widget><p class='attn caption'>what</p>"
        "<div class='attn' style='height: 300px; break-inside: avoid'>widget</div></div></div></section></main>"
        for height in range(780, 940, 8)
    )
    (tmp_path / "short.html").write_text(f"<!doctype html><style>{style}</style>{parts}")
    printed = open_page((tmp_path / "short.html").as_uri()).pdf(**pdf.PAPER)
    with pypdfium2.PdfDocument(printed) as book:
        texts = [page.get_textpage().get_text_bounded() for page in book]
    assert sum("first" in text for text in texts) == 20
    assert [text for text in texts if ("first" in text) != ("second" in text)] == []


def test_a_section_that_begins_a_page_is_found_there(open_page, folder, tmp_path):
    lines = "<p>first<br>second<br>third</p>"
    section = (
        "<section id='s{0}'><p style='height: {0}px'></p>"
        "<section id='t{0}'><span id='u{0}'></span><h2>head</h2>{1}</section></section>"
    )
    sections = "".join(section.format(height, lines) for height in range(780, 940, 8))
    (folder / "chapters/b.html").write_text(f"<main id='main'><h1>B</h1>{sections}</main>")
    style = (paper.ROOT / "_ext/theme/content.css").read_text() + (paper.ROOT / "_ext/theme/print.css").read_text()
    (tmp_path / "book.html").write_text(pdf.joined(folder, paper.edition(folder), {}, style=style))
    printed = open_page((tmp_path / "book.html").as_uri()).pdf(**pdf.PAPER, tagged=True, outline=True)
    places = pdf.numbers(printed)
    with pikepdf.open(BytesIO(printed)) as book:
        pages = {page.objgen: at for at, page in enumerate(book.pages, 1)}
        heads = [
            pages[entry.Dest[0].objgen] for entry in pdf.bookmarks(book.Root.Outlines.First) if entry.Title == "head"
        ]
    assert len({*heads}) == 20
    assert [places[f"b.t{height}"] for height in range(780, 940, 8)] == heads


def test_what_the_contents_say_of_the_site_is_not_printed(folder):
    listed = '<div class="toctree-wrapper"><ul></ul></div><p>All are here.</p>'
    wrapper = f'<section id="chapters"><h2>Chapters</h2>{listed}</section>'
    (folder / "index.html").write_text(A.replace("</main>", f"{wrapper}</main>"))
    printed = paper.html(pdf.joined(folder, paper.edition(folder), {}))
    assert "All are here." not in printed.get_text()
    assert printed.select_one("#index\\.chapters + nav.two-levels a.part")


def test_an_answer_has_the_letter_of_its_option():
    option, answer = "<li><span dir='auto'>{}</span></li>", "<li><span dir='auto'>{}</span>. No.</li>"
    for asked, answered, said in (
        ("abc", "abc", ["a. No.", "b. No.", "c. No."]),
        ("bca", "abc", ["C · a. No.", "A · b. No.", "B · c. No."]),
    ):
        options = "".join(map(option.format, asked))
        answers = "".join(map(answer.format, answered))
        main = paper.html(
            f'<main><figure><figcaption>Which?</figcaption><ol class="attn-options">{options}</ol>'
            f"<details><summary>Answers</summary><ol>{answers}</ol></details></figure></main>"
        ).main
        paper.set_aside(main)
        rows = main.select(".aside-box > ol > li")
        assert [row.get_text() for row in rows] == said
        assert rows[0].parent.get("type") == ("A" if asked == answered else None)


@pytest.mark.parametrize("text", ["Twenty steps", "Thirty steps"])
def test_a_state_may_press_buttons_and_one_that_is_not_there_is_said(browser, text):
    place = "02_learnable_u#train-u-the-same-tokens-with-the-whole-matrix"
    page = ["chapters/02_learnable_u.html"]
    named = {place: {pictures.START: False, "after": {"press": [text, text]}}}
    if text == "Thirty steps":
        with pytest.raises(ValueError, match="has no button Thirty steps"):
            pictures.take(browser, SITE, page, named)
        return
    (said, after), *more = pictures.take(browser, SITE, page, named)[place]
    assert (said, more) == ("after", [])
    assert "After 40 steps of gradient descent: the loss went from" in paper.html(after).get_text()
    assert len(paper.html(after).select_one(".attn-course")["points"].split()) == 41


def test_a_site_that_is_not_built_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="make book"):
        paper.contents(tmp_path)


@pytest.mark.parametrize(("given", "said"), [({"part": "half"}, "no part 'half'"), ({"sheet": "A3"}, "no sheet 'A3'")])
def test_a_part_and_a_sheet_that_there_are_not_are_said(given, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        pdf.make(SITE, tmp_path / "book.pdf", **given)


@pytest.mark.parametrize(
    ("place", "changes", "said"),
    [
        ("01_dot_product#nothing", {"steps": 2}, "has no widget 'nothing'"),
        ("01_dot_product#token-plane-attention-in-the-plane", {"step": 2}, "has no field step"),
        ("01_dot_product#token-plane-attention-in-the-plane", {"steps": 99}, "does not take steps = 99"),
    ],
)
def test_a_state_that_no_widget_takes_is_said(browser, place, changes, said):
    with pytest.raises(ValueError, match=said):
        pictures.take(browser, SITE, ["chapters/01_dot_product.html"], {place: {"so": changes}})


def test_a_picture_is_drawn_anew_in_each_state_and_holds_nothing_to_press(browser):
    place = "01_dot_product#token-plane-attention-in-the-plane"
    taken = pictures.take(browser, SITE, ["chapters/01_dot_product.html"], {place: {"five": {"steps": 5}}})
    (_, start), (said, five) = taken[place]
    assert said == "five"
    assert start != five
    assert "after 5 times" in paper.html(five).get_text()
    assert "attn-plane" in start
    everything = "".join(picture for several in taken.values() for _, picture in several)
    assert not re.search("<(input|button|select|script)", everything)


def test_a_picture_keeps_the_values_of_the_fields_in_its_tables_and_not_those_that_are_hidden(browser):
    envelopes = "00_orientation#lookup-puzzle-eight-envelopes"
    taken = pictures.take(browser, SITE, ["chapters/00_orientation.html"], {})
    rows = paper.html(taken[envelopes][0][1]).select(".attn-envelopes tbody tr")
    assert [row.select("td")[1].get_text(strip=True) for row in rows] == ["1", *"0000000"]
    bill = pictures.take(browser, SITE, ["chapters/07_cost.html"], {})["07_cost#fill-table-the-bill"][0][1]
    cells = [" ".join(cell.get_text(" ").split()) for cell in paper.html(bill).select("td")]
    # one is given, one to be filled
    assert {"a finished model: more training? no", "products without a mask …"} <= {*cells}


def test_a_picture_waits_for_what_is_loaded_on_demand(browser):
    place = "10_real_model#model-view-18-texts-72-heads"
    named = {place: {"another": {"shown": 3, "layer": 2, "head": 9}}}
    _, (_, another) = pictures.take(browser, SITE, ["chapters/10_real_model.html"], named)[place]
    words = paper.html(another).get_text(" ")
    assert "bites" in words
    assert "reads 0.99 from" in " ".join(words.split())  # of a head, and not of the one before
    assert "on its way" not in words


def test_every_state_has_words_and_a_page_of_the_book():
    for place, named in pictures.states().items():
        page = place.partition("#")[0]
        assert any((SITE / folder / f"{page}.html").exists() for folder in ("", "chapters")), place
        assert all(named), place


@pytest.fixture(scope="module")
def printed_as(once):
    def printed(part, sheet):
        def make(folder):
            with ThreadPoolExecutor(1) as thread:  # other tests keep a browser open in this one
                thread.submit(pdf.make, SITE, folder / "book.pdf", part, sheet).result()
            return folder / "book.pdf"

        return once(f"pdf-{part}-{sheet}", make)

    return printed


@pytest.fixture(scope="module")
def printed(printed_as):
    return printed_as("book", "A4")


@pytest.fixture(scope="module")
def texts(printed):
    with pypdfium2.PdfDocument(printed) as book:
        return [page.get_textpage().get_text_bounded() for page in book]


def headings():
    """The headings of the site's pages, in the order of its contents."""
    for name in paper.contents(SITE, everything=False):
        main = paper.html((SITE / name).read_text(encoding="utf8")).main
        for only_there in main.select("#three-ways-in"):
            only_there.decompose()
        for formula in main.select(".katex"):
            formula.string = formula.annotation.get_text()  # as it is read out
        for heading in main.select("h1, h2, h3, h4"):
            yield heading.get_text().removesuffix("#")
        yield from ["Hints"] * bool(main.select("details.hint"))
        yield from ["Answers"] * bool(main.select("details:not(.hint)"))


def shown(sign):
    """How often the site's pages show a sign; a formula stands there a second time, to be read out.

    A figure shows it too, where its letters are text."""
    found = 0
    for name in paper.contents(SITE, everything=False):
        page = paper.html((SITE / name).read_text(encoding="utf8")).main
        spoken = sum(formula.get_text().count(sign) for formula in page.select(".katex-mathml"))
        figures = [(SITE / name).parent / image["src"] for image in page.select("img[src$='.svg']")]
        drawn = sum("".join(ElementTree.parse(figure).getroot().itertext()).count(sign) for figure in figures)
        found += page.get_text().count(sign) - spoken + drawn
    return found


@pytest.mark.slow
def test_the_bookmarks_are_the_headings_in_the_order_of_the_contents(printed):
    def titles(items):
        for item in items:
            yield item.title
            yield from titles(item.children)

    with pikepdf.open(printed) as book, book.open_outline() as outline:
        assert list(titles(outline.root)) == list(headings())


@pytest.mark.slow
def test_every_link_inside_the_book_leads_somewhere(printed):
    with pikepdf.open(printed) as book:
        places = set(book.Root.Dests.keys())
        links = [str(note.Dest) for page in book.pages for note in page.get("/Annots", []) if "/Dest" in note]
        out = [str(note.A.URI) for page in book.pages for note in page.get("/Annots", []) if "/A" in note]
    assert len(links) > 1000
    assert set(links) <= places
    assert all(address.startswith("https://") for address in out)
    assert {f"/{paper.anchor(page)}" for page in paper.contents(SITE, everything=False)[1:]} <= places


@pytest.mark.slow
def test_every_page_has_its_number_and_something_on_it(texts, printed):
    assert 150 < len(texts) <= 260
    assert printed.stat().st_size < 10e6
    for number, text in enumerate(texts, 1):
        lines = [line.strip() for line in text.splitlines()]
        assert str(number) in lines, number
        assert len(text.split()) > 8, number


@pytest.mark.slow
def test_text_and_formulas_can_be_selected(texts):
    whole = " ".join(" ".join(texts).split())
    source = (paper.ROOT / "chapters/01_dot_product.md").read_text(encoding="utf8")
    said = re.findall(r"(?m)^[A-Z]\w*(?: \w+){5}(?= )", source)  # six plain words at the head of a paragraph
    assert len(said) > 10
    assert [words for words in said if words not in whole] == []
    assert whole.count("⊤") == shown("⊤") > 0
    assert "mask(S)" in re.sub(r"\s", "", whole)
    assert "annotation" not in whole
    assert "page 000" not in whole


@pytest.mark.slow
def test_page_numbers_in_the_contents_are_those_of_the_pages(texts):
    chapters = re.findall(r"^(\d+ · .+?)\s+(\d+)\s*$", texts[1], re.MULTILINE)
    assert len(chapters) == 11
    for title, number in chapters:
        assert texts[int(number) - 1].count(title) == 2  # at its head, and as its heading


@pytest.mark.slow
def test_every_entry_of_the_contents_has_the_page_of_its_heading(printed):
    with pikepdf.open(printed) as book, pypdfium2.PdfDocument(printed) as text:
        number = {page.objgen: at for at, page in enumerate(book.pages, 1)}
        heads = [(str(entry.Title), number[entry.Dest[0].objgen]) for entry in pdf.bookmarks(book.Root.Outlines.First)]
        words = text[1].get_textpage()
        rows = [words.get_text_bounded(*map(float, note.Rect)).split() for note in book.pages[1].Annots]
    listed = [(" ".join(row[:-1]), int(row[-1])) for row in rows]
    assert len(listed) > 100
    assert [row for row in listed if row not in heads] == []


@pytest.mark.slow
def test_every_letter_of_a_picture_can_be_read(browser, tmp_path):
    shown = pictures.take(browser, SITE, paper.contents(SITE, everything=False), pictures.states())
    style = pdf.style_of(SITE, tmp_path, "A4")
    (tmp_path / "book.html").write_text(pdf.joined(SITE, paper.edition(SITE), shown, False, style), encoding="utf8")
    page = browser.new_page(viewport={"width": int((pdf.SHEETS["A4"] - pdf.MARGINS) / 25.4 * 96), "height": 900})
    page.emulate_media(media="print", color_scheme="light")
    page.goto((tmp_path / "book.html").as_uri(), timeout=0)
    page.evaluate("document.fonts.ready")
    page.evaluate(pdf.FIT, [pdf.HALF, pdf.READABLE])
    small = page.evaluate("""() => [...document.querySelectorAll(":is(.states, .state-alone) *")].flatMap((node) => {
        const text = [...node.childNodes].find(({ nodeType, data }) => nodeType === 3 && data.trim());
        if (!text || !node.getClientRects().length) return [];
        const zoom = node.ownerSVGElement ? node.getScreenCTM().a : node.currentCSSZoom;
        const size = .75 * zoom * parseFloat(getComputedStyle(node).fontSize); // points
        return size < 5.5 ? [[node.closest("[data-widget]").id, text.data, size]] : [];
    })""")
    page.close()
    assert small == []


@pytest.mark.slow
def test_no_page_shows_the_edge_of_what_begins_the_next(printed):
    with pypdfium2.PdfDocument(printed) as book:
        for number, page in enumerate(book, 1):
            foot = page.render(scale=2, grayscale=True).to_numpy()[1560:1580]
            inked = (foot < 253).mean(axis=1)
            edges = (inked[1:-1] > 0.25) & (inked[:-2] == 0) & (inked[2:] == 0)  # a row alone
            assert not edges.any(), number


@pytest.mark.slow
def test_every_letter_is_of_an_outline_font_and_the_document_is_tagged(printed):
    with pikepdf.open(printed) as book:
        fonts = [font for page in book.pages for font in page.Resources.get("/Font", {}).values()]
        assert book.Root.MarkInfo.Marked
        assert "/StructTreeRoot" in book.Root
        assert str(book.docinfo["/CreationDate"]).startswith(f"D:{paper.edition(SITE).day.replace('-', '')}")
    assert fonts
    assert {str(font.Subtype) for font in fonts} == {"/Type0"}


@pytest.mark.slow
@pytest.mark.parametrize(("part", "sheet"), [("book", "A4"), ("book", "letter"), ("all", "A4")])
def test_no_page_is_under_half_full_but_at_a_chapters_end(part, sheet, printed_as):
    printed = printed_as(part, sheet)
    with pikepdf.open(printed) as book:
        number = {page.objgen: at for at, page in enumerate(book.pages)}
        starts = {number[place[0].objgen] for name, place in book.Root.Dests.items() if "." not in name}
        low = []
    with pypdfium2.PdfDocument(printed) as book:
        for at, page in enumerate(book):
            height = page.get_height()
            lowest = min(
                (one.get_bounds()[1] for one in page.get_objects() if one.get_bounds()[1] > 57), default=height
            )
            if lowest > height / 2 and at + 1 not in {*starts, len(book)}:
                low.append(at + 1)
    assert low == []
