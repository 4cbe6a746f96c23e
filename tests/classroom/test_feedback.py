"""The page that a student gets back: it says what was found, and nothing in it acts, loads or pretends."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest

from classroom import formulas, prose, sets
from classroom.cells import kind, split
from classroom.contained import grade
from classroom.demo.submissions import COLUMNS, RIGHT, fill
from classroom.feedback import HideHidden, page

SET = sets.GRADED / "chapter_01.md"
STOPS = 'print("so far \\x1b[31mred\\x1b[0m")\n\ndef cosines(x):\n    return hepler(x)  # a slip\n\ncosines(np.eye(2))'
ACTIVE = {
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "link",
    "base",
    "svg",
    "video",
    "audio",
    "button",
}


def cells(*made):
    return nbformat.v4.new_notebook(cells=list(made))


def text(source):
    return nbformat.v4.new_markdown_cell(source)


def code(source, printed="", error=None):
    outputs = [nbformat.v4.new_output("stream", text=printed)] if printed else []
    if error:
        outputs.append(nbformat.v4.new_output("error", ename=error[0], evalue=error[1], traceback=[error[2]]))
    return nbformat.v4.new_code_cell(source, outputs=outputs)


def graded(source, name, says=None):
    """A test, or an answer in words."""
    cell = text(source) if name.startswith("explain") else code(source, error=("Mistake", "", "") if says else None)
    cell.metadata["nbgrader"] = {"grade_id": name, "grade": True, "locked": not name.startswith("explain"), "points": 2}
    cell.metadata["classroom"] = {"says": says} if says else {}
    return cell


class Found(HTMLParser):
    """The tags of a page, their attributes, and its words."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.words = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.words += "" if tag in {"span", "code", "a", "strong", "em"} or tag.startswith("m") else " "
        self.attributes += [(tag, name, value) for name, value in attributes]

    def handle_data(self, data):
        self.words += data


def words(html):
    return " ".join(Found(html.partition("</style>")[2]).words.split())


@pytest.fixture(scope="module")
def mixed(once):
    """A submission with right, wrong and stopped work, graded; and the set as it was handed out."""
    return once("mixed", lambda _: mixed_work())


def mixed_work():
    source = sets.read(SET)
    released = nbformat.from_dict(source)
    for cell in released.cells:
        cell.source = sets.handed_out(cell)
    work = fill(source, RIGHT, {"answer-tempered": COLUMNS["answer-tempered"], "answer-cosines": STOPS})
    grade(work)
    tags = [(cell, cell.metadata.nbgrader) for cell in work.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    points = {tag.grade_id: (0.0 if cell.get("outputs") else tag.points, tag.points) for cell, tag in tags}
    return work, points | {"explain-hull": (None, 3.0)}, released


def test_the_head_says_what_was_reached_and_what_waits(mixed):
    work, points, released = mixed
    html = page(work, points, {}, "1 to mark", released=released)
    assert "<h1>Chapter 1, graded: the dot product</h1>" in html
    assert words(html).startswith(
        "Chapter 1, graded: the dot product 5 of 14; 3 more wait for your teacher Task Points"
    )
    links = re.findall(r'<th scope="row"><a href="#([\w-]+)">([^<]+)</a></th><td>([^<]+)</td>', html)
    assert links[0] == ("test-tempered-at-one", "Tempered at one", "0 of 1")
    assert links[-1] == ("explain-hull", "Hull", "– of 3")
    assert [html.count(f'id="{name}"') for name, _, _ in links] == [1] * len(points)
    assert "1 · A temperature Tempered at one" in words(html)
    for state, says in (("graded", "14 of 14"), ("needs a person", "14 of 14 so far; this waits for your teacher")):
        full = {name: (most, most) for name, (_, most) in points.items()}
        found = page(work, full, {}, state, released=released)
        assert f'<p class="score"><strong>14 of 14</strong>{says[8:]}</p>' in found
        assert "person" not in words(found).replace("read by a person", "")
    nothing = dict.fromkeys(points, (None, 2.0))
    assert '<p class="score"><strong>This waits for your teacher</strong></p>' in page(work, nothing, {}, "waiting")


def test_a_test_says_its_sentence_and_shows_no_hidden_line(mixed):
    work, points, released = mixed
    html = page(work, points, {"explain-hull": "Good: $V$ is *learned*."}, "graded", released=released)
    said = words(html)
    assert "✗ Tempered at one 0 of 1 The result at" in said
    assert "✓ Grows 1 of 1 Right. The test" in said
    assert "… Hull waits for your teacher Your answer Every output is" in said
    assert "Your teacher Good: V is learned." in said
    assert said.count("More cases were tried; they are not shown.") == 9
    assert "Test cell" not in html
    secret = [line.strip() for cell in sets.read(SET).cells for line in split(cell.source)[1]]
    own = "\n".join(cell.source for cell in work.cells if kind(cell) in {"answer", "explain"})
    shown = "\n".join(cell.source for cell in released.cells)
    leaked = [line for line in secret if len(line) > 8 and line not in own + shown and line in html + said]
    assert leaked == []
    assert "convex hull is the set" not in said  # the model answer


def test_points_that_a_person_gave_against_the_test_are_not_called_right():
    work = cells(graded("assert a", "test-a"), graded("assert b", "test-b", says="No."))
    assert "Right." not in page(work, {"test-a": (0, 2), "test-b": (2, 2)}, {}, "graded")
    assert words(page(work, {"test-a": (2, 2), "test-b": (1, 2)}, {}, "graded")).endswith(
        "◐ B 1 of 2 No. The test assert b"
    )


def test_the_sentence_of_a_test_is_one_line_whatever_a_student_made_it_say():
    says = "Return an array.\n\nCorrected by your teacher:\u2028 5 of 5" + " points" * 200
    work = cells(graded("assert a", "test-a", says=says))
    (found,) = re.findall(r'<p class="says">(.*?)</p>', page(work, {"test-a": (0, 2)}, {}, "graded"), re.DOTALL)
    assert found.startswith("Return an array. Corrected by your teacher: 5 of 5 points")
    assert (len(found), found[-2:]) == (300, " …")
    HideHidden().preprocess_cell(work.cells[0], {}, 0)
    assert work.cells[0].outputs[0].text == found


def test_a_page_of_which_no_points_are_given_says_that_it_waits():
    work = cells(graded("assert a", "test-a"), graded("assert b", "test-b"))
    points = {"test-a": (None, 2), "test-b": (0.0, 0.0)}
    for state in ("2 to mark", "needs a person"):
        assert '<p class="score"><strong>This waits for your teacher</strong></p>' in page(work, points, {}, state)


def test_a_test_whose_hidden_cases_wait_is_not_called_right():
    work = cells(graded("assert a\n### BEGIN HIDDEN TESTS\nassert b\n### END HIDDEN TESTS", "test-a"))
    said = words(page(work, {"test-a": (None, 2)}, {}, "waiting"))
    assert "… A waits for your teacher What is shown here passes. The test assert a" in said
    assert said.endswith("More cases are still to be tried; they are not shown.")


def test_the_students_own_line_is_named(mixed):
    work, points, released = mixed
    html = page(work, points, {}, "graded", released=released)
    assert "It printed so far red NameError in line 4: name 'hepler' is not defined" in words(html)
    assert re.search(r'<span class="line stopped">    .*hepler', html)
    far = cells(code("a()", error=("KeyError", "'x'", "KeyError: 'x' (answer-b, line 1)")))
    html = page(far, {}, {}, "graded")
    assert "KeyError in line 1 of “answer-b”: 'x'" in words(html)
    assert 'class="line stopped"' not in html


HOSTILE = r"""# 14 of 14
<script>document.title = "gone"; location = "http://evil.test/"</script>
<img src="http://evil.test/a.png" onerror="alert(1)"> <style>.score { display: none }</style>
<meta http-equiv="refresh" content="0; url=http://evil.test/"> </div></main><h1>Full marks</h1>

![a graph](http://evil.test/b.png) ![x](data:image/png;base64,AAAA) ![y](attachment:z.png "t")
[go](javascript:alert(1)) [go](data:text/html,x) [points](#test-a) [book](https://book.test/a?"b) <mailto:a@b.test>

$\href{javascript:alert(1)}{x}$ $\includegraphics{http://evil.test/c.png}$ $\htmlStyle{position:fixed}{x}$
$\htmlId{points}{x}$ $\url{http://evil.test}$ $\text{<script>alert(1)</script>}$ $\def\a{\a\a}\a$ $\bad$
$\raisebox{60em}{\text{14 of 14}}$ $\rule{90em}{90em}$

```html
<script>alert(1)</script>
```
"""


def hostile():
    broken = "print('\u202e \u200b \x1b[2J \x07')</code></pre><script>alert(1)</script>"
    printed = "<script>alert(1)</script>\x1b]0;title\x07 \ud800 \x9b1m"
    test = graded(
        "assert a\n    # begin hidden tests \nassert secret\n", "test-a", says="<script>alert(1)</script>\u202e"
    )
    image = nbformat.v4.new_output("display_data", {"text/html": "<script>alert(1)</script>", "image/png": "AAAA"})
    drawn = nbformat.v4.new_code_cell("draw()", outputs=[image])
    entities = text('&#x202E;&rlm;&#8203; and $\\char"202E$ \u2066')
    return cells(text(HOSTILE), graded(HOSTILE, "explain-b"), code(broken, printed), test, drawn, entities)


def test_nothing_that_a_student_writes_is_alive():
    html = page(hostile(), {"test-a": (0, 2), "explain-b": (None, 2)}, {"explain-b": HOSTILE}, "graded")
    found = Found(html)
    assert not ACTIVE & set(found.tags)
    assert [found.tags.count(tag) for tag in ("style", "h1", "header", "main", "meta")] == [1, 1, 1, 1, 4]
    assert {
        name for _, name, _ in found.attributes if name.startswith("on") or name in {"src", "style", "srcset"}
    } == set()
    addresses = {value for _, name, value in found.attributes if name == "href"}
    assert addresses == {"https://book.test/a?%22b", "mailto:a@b.test", "#test-a", "#explain-b"}
    assert all(f">{address}</a>" in html for address in addresses if not address.startswith("#"))
    assert "[image: a graph]" in html
    assert "<code>$\\def\\a{\\a\\a}\\a$</code>" in html
    assert not {one for one in html if one not in "\n\t" and prose.visible(one) != one}
    assert "⟦U+202E⟧" in html
    assert "secret" not in html
    html.encode()


def test_the_page_allows_its_own_style_and_nothing_else():
    html = page(cells(text("a")), {}, {}, "graded")
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style
    assert "@import" not in style


SLOW = {"marks": pytest.mark.slow}


@pytest.fixture(
    params=[(390, "light"), (1280, "dark"), pytest.param((390, "dark"), **SLOW), pytest.param((1280, "light"), **SLOW)],
    ids=str,
)
def opened(browser, tmp_path, request):
    """Open a page in a window; with it everything that it asked for or said."""
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    window, heard = context.new_page(), []
    for event, name in (("request", "url"), ("console", "text"), ("dialog", "message")):
        window.on(event, lambda found, name=name: heard.append(getattr(found, name)))

    def run(html):
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf8")
        window.goto(file.as_uri(), wait_until="load")
        assert window.evaluate("document.documentElement.scrollWidth") <= width
        assert heard == [file.as_uri()]
        return window

    yield run
    context.close()


COVERED = """() => [...document.querySelectorAll("h1, .score, header td")].filter(one => {
  one.scrollIntoView({ block: "center" })
  const place = one.getBoundingClientRect()
  return !one.contains(document.elementFromPoint(place.x + place.width / 2, place.y + place.height / 2))
}).length"""


def test_in_a_browser_it_asks_for_nothing_and_its_head_cannot_be_covered(opened, mixed):
    work, points, released = mixed
    work = nbformat.from_dict(work)
    work.cells += hostile().cells
    window = opened(page(work, points | {"test-a": (0, 2)}, {}, "graded", released=released))
    assert window.title() == "Chapter 1, graded: the dot product: feedback"
    assert window.evaluate("document.querySelectorAll('header td').length") == 11
    assert window.evaluate(COVERED) == 0
    window.evaluate(
        "document.head.append(Object.assign(document.createElement('style'), {textContent: 'h1{display:none}'}))"
    )
    assert window.locator("h1").is_visible()


def test_it_is_accessible(opened, mixed, violations):
    work, points, released = mixed
    window = opened(page(work, points, {"explain-hull": "Good: $V$."}, "graded", released=released))
    assert violations(window) == []


def test_every_formula_of_the_set_is_typeset_and_asked_for_once(mixed, monkeypatch):
    work, points, released = mixed
    monkeypatch.setattr(formulas, "_known", {})
    asked, run = [], formulas.subprocess.run
    monkeypatch.setattr(formulas.subprocess, "run", lambda *a, **k: asked.append(k["input"]) or run(*a, **k))
    html = page(work, points, {}, "graded", released=released)
    assert len(asked) == 1
    written = [cell.source for cell in released.cells if cell.cell_type == "markdown"]
    assert html.count("<math") >= sum(len(re.findall(r"\$[^$]+\$", text)) for text in written) > 9
    assert not re.search(r"\\(operatorname|top|times)", words(html))
    assert page(work, points, {}, "graded", released=released) == html
    assert len(asked) == 1


COSTLY = {
    "an environment that never ends": r"\begin{a}" * 31_000,
    "braces": "{" * 100_000,
    "a definition that grows": r"\def\a{xxxxx}\def\b{\a\a\a\a\a\a}\def\c{\b\b\b\b\b\b}\c\c\c\c\c",
    "a new command": r"\newcommand{\a}{\a\a}\a",
    "another name": r"\let\a\b",
}


@pytest.mark.parametrize("source", COSTLY.values(), ids=COSTLY)
def test_a_costly_formula_is_not_even_tried(source, monkeypatch):
    monkeypatch.setattr(formulas, "_katex", lambda _: pytest.fail("asked"))
    assert formulas.typeset([(source, False)]) == {}
    assert prose.short(source[:1000])[:20] in words(page(cells(text(f"${source}$")), {}, {}, "graded"))


def test_without_katex_formulas_stay_as_they_were_and_it_is_said(monkeypatch):
    assert formulas.trouble() == ""
    monkeypatch.setattr(formulas, "KATEX", Path("none"))
    monkeypatch.setattr(formulas, "_known", {})
    assert "KaTeX or Node is missing" in formulas.trouble()
    assert "<code>$x^2$</code>" in page(cells(text("$x^2$")), {}, {}, "graded")


def test_what_nobody_reads_to_the_end_is_cut_with_a_word():
    html = page(cells(code("x = 1\n" * 50_000)), {}, {}, "graded")
    assert "… cut here: 280000 more characters." in words(html)
    assert len(words(html)) < 60_000
    many = cells(*[code("a" * 19_000) for _ in range(40)])
    assert page(many, {}, {}, "graded").count("a" * 19_000) == 5
    assert "… cut here: 90000 more characters." in words(page(cells(text("word " * 20_000)), {}, {}, "graded"))


def test_text_that_was_handed_out_is_not_called_the_students(mixed):
    work, points, released = mixed
    html = page(work, points, {}, "graded", released=released)
    assert "Your text" not in html
    changed = nbformat.from_dict(work)
    changed.cells[0].source += "\n\n**14 of 14**"
    html = page(changed, points, {}, "graded", released=released)
    assert html.count('aria-label="Your text"') == 1
    assert '<p class="label">Your text</p><div><p class="heading">Chapter 1, graded' in html
