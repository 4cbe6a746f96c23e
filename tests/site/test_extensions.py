"""The build's own steps, each on the smallest book that needs it."""

import os
import re
import socket
import struct
import sys
import zipfile

import pytest
from fontTools.ttLib import TTFont
from nbformat import NotebookNode
from sphinx.errors import ExtensionError

sys.path.insert(0, "_ext")
import sphinxcontrib.katex as katex

import esbuild
import figures
import fonts
import formulas
import freshness
import page as page_step
import streams
import styles
from attnlib.exercises import CHAPTERS
from tests.site.book import HEADER, ROOT, Book
from tools import site_zip


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """A book that the tests build one after the other, so that what has not changed is made once."""
    return Book(tmp_path_factory.mktemp("shared") / "book")


@pytest.fixture
def build_own(tmp_path):
    """A book for a test that changes more than its page."""
    return Book(tmp_path / "book")


def test_a_formula_is_html_and_mathml_when_the_page_arrives(build):
    code, log, page = build("# T\n\nA formula: $x^2$.\n")
    assert code == 0, log
    assert '<span class="katex-html"' in page
    assert "<math " in page


def test_a_formula_that_cannot_be_read_fails_the_build(build):
    code, log, _ = build("# T\n\n$\\frac{1$\n")
    assert code != 0
    assert "KaTeX" in log


def test_every_fault_in_a_page_fails_the_build_and_is_named(build):
    faults = {
        "```{nosuchdirective}\n```": "Unknown directive type",
        "```{code-cell} ipython3\nimport warnings; warnings.warn('careful')\n```": "stderr was found",
    }
    code, log, _ = build("# T\n\n" + "\n\n".join(faults))
    assert code != 0
    assert [message for message in faults.values() if message not in log] == []


def test_a_cell_that_fails_fails_the_build(build):
    code, log, _ = build("# T\n\n```{code-cell} ipython3\nassert 1 == 2\n```\n")
    assert code != 0
    assert "Executing notebook failed" in log


def test_a_line_that_a_kernel_sends_in_two_pieces_stays_a_line():
    def piece(text, name="stdout"):
        return NotebookNode(output_type="stream", name=name, text=text)

    sent = [
        piece("b_q"),
        NotebookNode(output_type="display_data"),
        piece(" moves\n"),
        piece("\nlast\n\n"),
        piece("?", "stderr"),
    ]
    shown = streams.joined(sent)
    assert [output.get("text") for output in shown] == ["b_q moves\n\nlast\n", None, "?\n"]
    assert sent[0]["text"] == "b_q"  # the cache's own
    assert streams.joined(None) == []


def test_a_widget_brings_its_script_and_nothing_of_jupyters(build):
    cell = "from attnlib.widgets import TokenPlane\nTokenPlane(['a', 'b'], [[1, 0], [0, 1]])"
    code, log, page = build(f"# T\n\n```{{code-cell}} ipython3\n{cell}\n```\n")
    assert code == 0, log
    assert re.search(r"_static/widgets-\w+\.js", page)
    assert "widget-state+json" not in page
    assert "require" not in page
    (script,) = (build.site / "_static").glob("widgets-*.js")
    assert script.name in page


@pytest.mark.slow
def test_a_page_without_widgets_loads_no_widget_script(build):
    _, _, page = build("# T\n\nWords.\n")
    assert "widgets/" not in page


@pytest.mark.slow
def test_a_widget_without_a_page_form_fails_the_build(build):
    code, log, _ = build("# T\n\n```{code-cell} ipython3\nimport ipywidgets\nipywidgets.IntSlider()\n```\n")
    assert code != 0
    assert "a widget has no text/html form" in log


def test_hints_and_solutions_are_native_disclosures(build):
    text = "# T\n\n```{exercise} Which shape?\n:label: ex-which-shape\nDo.\n```\n"
    text += "\n```{solution} ex-which-shape\n:class: dropdown\nDone.\n```\n"
    text += "\n```{admonition} Hint\n:class: dropdown\nLook.\n```\n"
    code, log, page = build(text + "\n```{code-cell} ipython3\n:tags: [hide-cell]\n1 + 1\n```\n")
    assert code == 0, log
    assert page.count("<details") == page.count("<summary") == 5  # the exercise brings two hints
    assert 'aria-label="Toggle' not in page
    assert "<a" not in page.split("<summary")[1].split("</summary>")[0]


@pytest.mark.slow  # builds a book twice
def test_a_change_of_the_package_runs_the_chapters_again(build_own):
    text = "# T\n\n```{code-cell} ipython3\nimport sys; sys.path.insert(0, '.')\nimport attnlib; print(attnlib.__file__)\n```\n"
    assert "Executing notebook" in build_own(text)[1]
    assert "Executing notebook" not in build_own(text)[1]
    module = build_own.folder / "attnlib" / "lab" / "geometry.py"
    module.write_text(module.read_text() + "\n# changed\n")
    assert "Executing notebook" in build_own(text)[1]


@pytest.mark.slow  # builds a book twice
def test_a_change_of_a_template_writes_the_pages_again_and_runs_nothing(build_own):
    text = "# T\n\n```{code-cell} ipython3\n1 + 1\n```\n"
    build_own(text)
    layout = build_own.folder / "_ext/theme/layout.html"
    layout.write_text(layout.read_text().replace("Skip to the text", "Jump to the text"))
    code, log, page = build_own(text)
    assert code == 0, log
    assert "Jump to the text" in page
    assert "Executing notebook" not in log


def test_the_digest_sees_every_kind_of_source(tmp_path):
    (tmp_path / "sub").mkdir()
    seen = {freshness.digest(tmp_path)}
    for name in ("a.py", "sub/b.mjs", "c.css", "d.js", "e.json", "f.html"):
        (tmp_path / name).write_text("x")
        seen.add(freshness.digest(tmp_path))
    assert len(seen) == 7
    (tmp_path / "a.py").rename(tmp_path / "z.py")
    assert freshness.digest(tmp_path) not in seen


def test_a_page_without_a_description_fails_the_build(build):
    code, log, _ = build("# T\n", header=HEADER.split("myst:")[0] + "---\n\n")
    assert code != 0
    assert "the page has no description" in log


def test_a_page_loads_one_style_and_holds_nothing_up_but_its_colours(build):
    code, log, page = build("# T\n\nA formula $x$.\n\n```{code-cell} ipython3\n1\n```\n")
    assert code == 0, log
    links = re.findall(r'<link rel="stylesheet"[^>]*href="([^"?]+)', page)
    assert links == ["_static/book.css"]
    scripts = re.findall(r"<script[^>]*>(?!</script>)|<script[^>]*>", page)
    waiting = [tag for tag in scripts if "defer" not in tag]
    assert waiting == ['<script src="_static/early.js">']
    assert len(scripts) > 4
    for tag in [*links, *re.findall(r'src="([^"?]+)', "".join(scripts))]:
        assert (build.site / tag).exists(), tag


def test_a_style_that_an_extension_brings_is_loaded_unless_the_books_own_replaces_it():
    context = {"css_files": ["_static/book.css", "_static/pygments.css", "_static/mystnb.0af1.css", "_static/new.css"]}
    page_step.choose_files(None, "index", "page.html", context | {"script_files": []}, None)
    assert context["css_files"] == ["_static/book.css", "_static/new.css"]


def test_the_style_is_katexs_then_the_themes_then_the_widgets():
    text = styles.compose(ROOT)
    places = [text.index(mark) for mark in (".katex-html", "--paper: light-dark", "--attn-text:")]
    assert places == sorted(places)
    asked = set(re.findall(r"url\(\"?(fonts/[^)\"]+\.woff2)", text))
    assert asked == set(fonts.fonts(ROOT / "node_modules"))


def test_a_font_keeps_what_the_pages_use_and_drops_the_rest(tmp_path):
    source = fonts.fonts(ROOT / "node_modules")["fonts/serif.woff2"]
    fonts.cut(source, tmp_path / "serif.woff2", {ord(letter) for letter in "Houston"})
    with TTFont(tmp_path / "serif.woff2") as font:
        assert {chr(code) for code in font.getBestCmap()} == set("Houstn")
        (axis,) = font["fvar"].axes
        assert font["name"].getDebugName(1) == "Book Serif 4"  # "Source" is reserved for the uncut font
        assert "Adobe" in font["name"].getDebugName(0)
    assert (axis.axisTag, axis.minValue, axis.maxValue) == ("wght", *fonts.WEIGHTS)
    assert (tmp_path / "serif.woff2").stat().st_size < source.stat().st_size / 5


def test_the_italic_has_one_weight_and_bold_formulas_bring_their_own_letters_alone(tmp_path):
    source = fonts.fonts(ROOT / "node_modules")["fonts/serif-italic.woff2"]
    fonts.cut(source, tmp_path / "italic.woff2", {ord("a")})
    with TTFont(tmp_path / "italic.woff2") as font:
        assert "fvar" not in font
        assert font["OS/2"].usWeightClass == fonts.WEIGHTS[0]
    (tmp_path / "page.html").write_text('x <span class="mord mathbf">Q</span><span class="mord mathnormal">y</span>')
    shown, others = fonts.characters(tmp_path)
    assert {*map(ord, "xQy")} < shown
    assert ord("ß") not in shown
    assert ord("ß") in others["fonts/sans.woff2"]
    assert others["fonts/katex/KaTeX_Main-Bold.woff2"] == {ord("Q")}


def test_a_figure_that_hides_its_size_is_named(tmp_path):
    file = tmp_path / "figure.svg"
    file.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="30.3pt" height="60pt">')
    assert figures.size(file) == (40, 80)
    file.write_text("<svg>")
    with pytest.raises(ValueError, match=r"figure\.svg does not say its width and height"):
        figures.size(file)


def test_a_font_that_is_not_installed_is_named(tmp_path):
    with pytest.raises(ExtensionError, match=r"source-serif-4-latin-wght-normal\.woff2 is missing: run `npm ci`"):
        fonts.fonts(tmp_path)


@pytest.mark.slow  # builds a book twice
def test_a_build_with_nothing_changed_repeats_no_step(build):
    text = "# T\n\nA formula $x$ and a letter: ð.\n"
    assert build(text)[0] == 0
    steps = ["_static/fonts/serif.woff2", "_static/fonts/katex/KaTeX_Main-Regular.woff2", "_static/preview.png",
             "_static/favicon.png", "sitemap.xml", "robots.txt", "_static/book.css"]  # fmt: skip
    files = [build.site / step for step in steps]
    before = [file.stat().st_mtime_ns for file in files]
    assert build(text)[0] == 0
    assert [file.stat().st_mtime_ns for file in files] == before
    assert build(text.replace("ð", "ħ"))[0] == 0  # a letter that no page had
    assert files[1].stat().st_mtime_ns > before[1]
    assert files[2].stat().st_mtime_ns == before[2]
    assert len(list((build.site / "_static/fonts").glob("LICENSE-*.txt"))) == 3


@pytest.mark.slow
def test_the_sites_own_address_is_written_where_links_must_be_whole(build):
    code, log, page = build("# T\n", BASE_URL="https://example.org/books/attention")
    assert code == 0, log
    site = build.site
    assert "<loc>https://example.org/books/attention/index.html</loc>" in (site / "sitemap.xml").read_text()
    assert "Sitemap: https://example.org/books/attention/sitemap.xml" in (site / "robots.txt").read_text()
    assert '<link rel="canonical" href="https://example.org/books/attention/index.html"' in page
    assert 'content="https://example.org/books/attention/_static/preview.png"' in page
    assert 'href="https://example.org/books/attention/index.html"' in (site / "404.html").read_text()


@pytest.mark.slow
def test_without_an_address_no_page_claims_one(build):
    _, _, page = build("# T\n")
    site = build.site
    assert "canonical" not in page
    assert "og:url" not in page
    assert 'href="./index.html"' in (site / "404.html").read_text()
    assert "<loc>http://localhost:8000/index.html</loc>" in (site / "sitemap.xml").read_text()


@pytest.mark.slow
def test_an_address_without_its_scheme_is_refused(build):
    code, log, _ = build("# T\n", BASE_URL="example.org/book")
    assert code != 0
    assert "BASE_URL must be a whole address" in log


@pytest.mark.slow
def test_the_picture_of_a_shared_link_has_the_size_that_its_readers_expect(build):
    build("# T\n")
    static = build.site / "_static"
    for name, size in (("preview.png", (1200, 630)), ("favicon.png", (64, 64))):
        head = (static / name).read_bytes()[:24]
        assert head[1:4] == b"PNG"
        assert struct.unpack(">II", head[16:24]) == size


def test_an_exercise_has_a_link_to_itself_and_no_id_twice(build):
    exercises = "".join(
        f"```{{exercise}} {exercise.title}\n:label: ex-{exercise.id}\nDo.\n```\n\n"
        f"```{{solution}} ex-{exercise.id}\nDone.\n```\n\n"
        for exercise in CHAPTERS[1][:2]
    )
    code, log, page = build(f"# T\n\n{exercises}")
    assert code == 0, log
    for exercise in CHAPTERS[1][:2]:
        assert f'href="#ex-{exercise.id}"' in page
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert sorted(ids) == sorted(set(ids))


QUESTION = """
```{exercise-start} Which shape?
:label: ex-which-shape
```

```{code-cell} ipython3
:tags: [remove-input]
from attnlib.exercises import check, question
question("which-shape")
```

```{exercise-end}
```
"""
PROGRAM = """
```{exercise} Write it yourself
:label: ex-write-attention
Do it.
```

```{solution-start} ex-write-attention
:class: dropdown
```

```{code-cell} ipython3
from attnlib import attention
from attnlib.exercises import check
check("write-attention", lambda x: attention(x, x, x, scale=1)).or_raise()
```

```{solution-end}
```
"""


def test_an_exercise_has_its_line_its_hints_and_a_live_question(build):
    code, log, page = build(f"# T\n{QUESTION}{PROGRAM}")
    assert code == 0, log
    first, second = page.split('id="ex-write-attention"')
    assert '<p class="exercise-meta">Concept · easy · 2 minutes</p>' in first
    assert '<p class="exercise-meta">Program · easy · 8 minutes</p>' in second
    assert (
        first.index("exercise-meta")
        < first.index('data-widget="choice"')
        < first.index("Hint 1")
        < first.index("Hint 2")
    )
    assert first.count("<details") == 3  # two hints, and the answers for where no script runs
    assert "<em>row</em>" in second
    assert '<code class="docutils literal notranslate">' in second
    assert second.index("Hint 2") < second.index("Solution") < second.index("Right:")
    assert '<div class="check check-yes">' in second
    assert 'href="#ex-which-shape"' in page


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("scale=1)).or", "scale=2)).or", "Not yet: 1 of 3 points."),
        (
            "ex-write-attention",
            "ex-wrote-attention",
            "attnlib.exercises has no exercise for the label ex-wrote-attention",
        ),
        (
            "} Write it",
            "} Code it",
            "ex-write-attention is called 'Code it yourself' here and 'Write it yourself' in attnlib.exercises",
        ),
    ],
)
def test_an_exercise_that_does_not_fit_the_package_fails_the_build(old, new, message, build):
    code, log, _ = build("# T\n" + PROGRAM.replace(old, new))
    assert code != 0
    assert message in log


def test_a_new_term_is_marked_in_a_formula(build):
    code, log, page = build("# T\n\n$a + \\new{b}$\n")
    assert code == 0, log
    assert re.search(r'class="[^"]*new-term', page)


def test_a_mark_that_touches_a_formula_stays_on_its_line(build):
    code, log, page = build("# T\n\nA ($x$, $y$-th) or *$z$* and $v$ $w$.\n")
    assert code == 0, log
    paragraph = page[page.index("<p>A ") : page.index("</p>", page.index("<p>A "))]
    assert paragraph.startswith('<p>A <span class="formula">(<span class="math')
    assert re.findall(r"</span>([^<]+)</span>", paragraph) == [",", "-th)", "."]
    assert paragraph.count('class="formula"') == 3


def test_the_formula_server_is_waited_for_until_it_listens(tmp_path, monkeypatch):
    """Its socket may be there before it listens, and its process may end without either."""
    late = tmp_path / "late.js"
    late.write_text(
        "const net = require('net'); const path = process.argv[process.argv.indexOf('--socket') + 1];"
        "const early = net.createServer().listen(path, () => early.close(() =>"
        " setTimeout(() => net.createServer((c) => c.end()).listen(path), 200)));"
    )
    monkeypatch.setattr(katex, "SCRIPT_PATH", str(late))
    process, connection = formulas.start_server(katex.KaTeXServer, tmp_path, 10)
    assert connection.family == socket.AF_UNIX
    connection.close()
    process.kill()
    process.communicate()
    late.write_text("process.exit(1)")
    (tmp_path / "katex.sock").unlink(missing_ok=True)
    with pytest.raises(katex.KaTeXError, match="did not came up"):
        formulas.start_server(katex.KaTeXServer, tmp_path, 10)


def test_the_packed_site_is_one_folder_and_the_same_each_time(tmp_path):
    site = tmp_path / "html"
    (site / "_static").mkdir(parents=True)
    for name in ("index.html", "_static/book.css", ".buildinfo"):
        (site / name).write_text(name)
    assert site_zip.pack(site, tmp_path / "a.zip") == 2
    os.utime(site / "index.html", (0, 0))
    site_zip.pack(site, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert set(archive.namelist()) == {f"{site_zip.NAME}/index.html", f"{site_zip.NAME}/_static/book.css"}
    with pytest.raises(FileNotFoundError, match="make book"):
        site_zip.pack(tmp_path / "nothing", tmp_path / "c.zip")


def test_styles_are_shortened_and_keep_their_signs():
    assert esbuild.minified("a::after { content : '−' ; } /* a comment */", "css", ROOT) == 'a:after{content:"−"}\n'


def test_a_pages_script_holds_what_its_widgets_use_once_and_nothing_else():
    script = esbuild.page_script(["attention_grid", "token_plane"], ROOT)
    assert script.count("This picture cannot be drawn") == 1
    assert "Next word after" not in script
    both = len(esbuild.page_script(["attention_grid"], ROOT)) + len(esbuild.page_script(["token_plane"], ROOT))
    assert len(script) < both - 4000  # what they share


def test_a_script_that_cannot_be_read_fails_the_build(tmp_path):
    with pytest.raises(ExtensionError, match=r"esbuild cannot read this: .*nobody\.mjs"):
        esbuild.page_script(["nobody"], ROOT)
    with pytest.raises(ExtensionError, match="esbuild is missing"):
        esbuild.minified("", "css", tmp_path)


PRINTS = """# T

```{code-cell} ipython3
import sys

for piece in ("right:", " 1", " 2\\n", "wrong: 3"):
    sys.stdout.write(piece)
    sys.stdout.flush()
```
"""
SHEET = """# T

```{code-cell} ipython3
---
tags: [sheet]
mystnb:
  image:
    alt: A figure.
---
import numpy as np
from attnlib import plots

plots.heatmap(["a", "b"], np.eye(2), title="T")
```
"""


def test_a_line_that_the_kernel_sent_in_pieces_stays_one_line(build):
    code, log, page = build(PRINTS)
    assert code == 0, log
    assert "right: 1 2\nwrong: 3\n" in re.sub("<[^>]+>", "", page)


def test_a_sheet_has_a_link_that_opens_its_file(build):
    code, log, page = build(SHEET)
    assert code == 0, log
    ((shown, opened),) = re.findall(
        r'<img [^>]*alt="A figure." src="([^"]+)" />\n<p class="sheet"><a href="([^"]+)">', page
    )
    assert shown == opened
    assert (build.site / opened).stat().st_size > 0


def test_a_cell_that_is_called_a_sheet_and_draws_none_fails_the_build(build):
    code, log, _ = build("# T\n\n```{code-cell} ipython3\n:tags: [sheet]\n1 + 1\n```\n")
    assert code != 0
    assert "a cell with the tag 'sheet' draws no figure" in log
