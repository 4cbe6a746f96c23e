"""The steps of the build, each by itself."""

import os
import re
import socket
import struct
import zipfile
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
import sphinxcontrib.katex as katex
from docutils import nodes
from docutils.utils import new_document
from fontTools.ttLib import TTFont
from sphinx import addnodes
from sphinx.errors import ConfigError, ExtensionError

from _ext import formulas, freshness, images, pages
from attnlib import plots
from tools import artwork, site_zip

ROOT = Path.cwd()
SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"


@pytest.fixture
def server(tmp_path):
    """Start KaTeX's server by this step, and stop it."""
    started = []

    def start(timeout=10):
        started.append(formulas.start_server(katex.KaTeXServer, tmp_path, timeout))
        return started[-1][1]

    yield start
    for process, connection in started:
        connection.close()
        process.kill()
        process.communicate()


def test_the_formula_server_is_waited_for_until_it_listens(server, tmp_path, monkeypatch):
    """Its socket may be there before it listens."""
    late = tmp_path / "late.js"
    late.write_text(
        "const net = require('net'); const path = process.argv[process.argv.indexOf('--socket') + 1];"
        "const early = net.createServer().listen(path, () => early.close(() =>"
        " setTimeout(() => net.createServer((c) => c.end()).listen(path), 200)));"
    )
    monkeypatch.setattr(katex, "SCRIPT_PATH", str(late))
    assert server().family == socket.AF_UNIX


def test_a_formula_server_that_ends_is_not_waited_for(server, tmp_path, monkeypatch):
    (tmp_path / "gone.js").write_text("process.exit(1)")
    monkeypatch.setattr(katex, "SCRIPT_PATH", str(tmp_path / "gone.js"))
    with pytest.raises(katex.KaTeXError, match="did not came up"):
        server()


@pytest.mark.parametrize(("latex", "wrong"), [(r"a + \new b", False), (r"\frac{1", True)])
def test_a_formula_that_cannot_be_read_is_an_error(latex, wrong, server, monkeypatch, tmp_path):
    monkeypatch.setattr(katex, "KATEX_DEFAULT_OPTIONS", dict(katex.KATEX_DEFAULT_OPTIONS))
    formulas.configure()
    running = katex.KaTeXServer(tmp_path, None, server())
    monkeypatch.setattr(katex.KaTeXServer, "katex_server", running)
    if wrong:
        with pytest.raises(katex.KaTeXError, match="KaTeX parse error"):
            katex.render_latex(latex)
    else:
        assert 'new-term"' in katex.render_latex(latex)


def test_the_digest_sees_every_kind_of_source(tmp_path):
    (tmp_path / "sub").mkdir()
    seen = {freshness.digest(tmp_path, ".")}
    for name in ("a.py", "sub/b.mjs", "c.css", "d.js", "e.json", "f.html", "g.woff2", "model.npz", "minilm.json.gz"):
        (tmp_path / name).write_text("x")
        seen.add(freshness.digest(tmp_path, "."))
    assert len(seen) == 10
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/a.cpython-311.pyc").write_text("x")
    assert freshness.digest(tmp_path, ".") in seen
    (tmp_path / "a.py").rename(tmp_path / "z.py")
    assert freshness.digest(tmp_path, ".") not in seen


@pytest.fixture
def small_book(tmp_path):
    """The folders that the digests are of, one file in each."""
    for part in (freshness.STEPS, *freshness.PACKAGES):
        (tmp_path / part).mkdir(parents=True)
        (tmp_path / part / "a.py").write_text("a")
    return SimpleNamespace(srcdir=tmp_path, doctreedir=tmp_path / "trees", outdir=tmp_path / "site")


@pytest.mark.parametrize("part", [freshness.STEPS, *freshness.PACKAGES])
def test_what_the_chapters_computed_is_kept_until_their_code_changes(part, small_book):
    config, before = SimpleNamespace(), freshness.version(small_book)
    freshness.set_cache(small_book, config)
    computed = Path(config.nb_execution_cache_path)
    computed.mkdir(parents=True)
    (small_book.srcdir / part / "a.py").write_text("b")
    assert freshness.version(small_book) != before
    freshness.set_cache(small_book, config)
    assert computed.exists() == (part == freshness.STEPS)
    assert (computed == Path(config.nb_execution_cache_path)) == (part == freshness.STEPS)


def test_a_step_is_done_once_for_a_key_and_a_file_until_the_steps_change(tmp_path, small_book):
    freshness.set_cache(small_book, SimpleNamespace())
    file, made = tmp_path / "file", []

    def made_for(*keys):
        for key in keys:
            freshness.once(file, key, lambda key=key: (file.touch(), made.append(key)))
        return "".join(made)

    assert made_for("a", "a", "b", "b", "a", "b") == "abab"
    file.unlink()
    assert made_for("b", "b") == "ababb"
    (small_book.srcdir / freshness.STEPS / "a.py").write_text("b")
    freshness.set_cache(small_book, SimpleNamespace())
    assert made_for("b", "b") == "ababbb"
    (small_book.srcdir / freshness.STEPS / "a.py").write_text("a")  # as it was, and the file is that of the other
    freshness.set_cache(small_book, SimpleNamespace())
    assert made_for("b", "b") == "ababbbb"


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("https://example.org/book", "https://example.org/book/"),
        ("https://example.org/my book/ ", "https://example.org/my%20book/"),  # pip reads no address with a space
        ("http://a/", "http://a/"),
        ("", ""),
    ],
)
def test_an_address_ends_with_one_slash_and_has_no_space(said, address, monkeypatch):
    monkeypatch.setenv("BASE_URL", said)
    config = SimpleNamespace(html_baseurl="")
    pages.set_address(None, config)
    assert config.html_baseurl == address


def test_an_address_without_its_scheme_is_refused(monkeypatch):
    monkeypatch.setenv("BASE_URL", "example.org/book")
    with pytest.raises(ConfigError, match="BASE_URL must be a whole address"):
        pages.set_address(None, SimpleNamespace(html_baseurl=""))


def test_a_style_that_an_extension_brings_is_loaded_unless_the_books_own_replaces_it():
    context = {"css_files": ["_static/book.css", "_static/pygments.css", "_static/mystnb.0af1.css", "_static/new.css"]}
    pages.choose_files(None, "index", "page.html", context | {"script_files": []}, None)
    assert context["css_files"] == ["_static/book.css", "_static/new.css"]


def test_the_style_is_katexs_then_the_themes_without_the_widgets_and_every_font_is_there():
    text = pages.style(ROOT)
    places = [text.index(mark) for mark in (".katex-html", "--paper: light-dark")]
    assert places == sorted(places)
    assert "--attn-text:" not in text
    asked = set(re.findall(r"url\(\"?fonts/([^)\"]+\.woff2)", text))
    assert asked == set(artwork.FONTS)
    assert [font for font in asked if not (artwork.STATIC / "fonts" / font).exists()] == []
    assert len(list((artwork.STATIC / "fonts").glob("LICENSE-*.txt"))) == 3


def test_a_style_without_katexs_says_what_to_run(tmp_path):
    with pytest.raises(ExtensionError, match=r"katex\.min\.css is missing: run `npm ci`"):
        pages.style(tmp_path)


def test_a_font_keeps_what_the_pages_use_and_drops_the_rest(tmp_path):
    source = artwork.FONTS["serif.woff2"]
    artwork.cut(source, tmp_path / "serif.woff2", {ord(letter) for letter in "Houston"})
    with TTFont(tmp_path / "serif.woff2") as font:
        assert {chr(code) for code in font.getBestCmap()} == set("Houstn")
        (axis,) = font["fvar"].axes
        assert font["name"].getDebugName(1) == "Book Serif 4"  # "Source" is reserved for the uncut font
        assert "Adobe" in font["name"].getDebugName(0)
    assert (axis.axisTag, axis.minValue, axis.maxValue) == ("wght", *artwork.WEIGHTS)
    assert (tmp_path / "serif.woff2").stat().st_size < source.stat().st_size / 5


def test_the_italic_has_one_weight_and_bold_formulas_bring_their_own_letters_alone(tmp_path):
    artwork.cut(artwork.FONTS["serif-italic.woff2"], tmp_path / "italic.woff2", {ord("a")})
    with TTFont(tmp_path / "italic.woff2") as font:
        assert "fvar" not in font
        assert font["OS/2"].usWeightClass == artwork.WEIGHTS[0]
    (tmp_path / "page.html").write_text('x <span class="mord mathbf">Q</span><span class="mord mathnormal">y</span>')
    wanted = artwork.characters(tmp_path)
    assert {*map(ord, "xQy")} < wanted["serif.woff2"]
    assert ord("ß") not in wanted["serif.woff2"]
    assert ord("ß") in wanted["sans.woff2"]
    assert wanted["katex/KaTeX_Main-Bold.woff2"] == {ord("Q")}


@pytest.mark.parametrize(("name", "size"), [("preview.png", (1200, 630)), ("favicon.png", (64, 64))])
def test_a_picture_has_the_size_that_its_readers_expect(name, size):
    head = (artwork.STATIC / name).read_bytes()[:24]
    assert head[1:4] == b"PNG"
    assert struct.unpack(">II", head[16:24]) == size


def test_the_picture_of_a_shared_link_is_drawn_for_a_title(tmp_path):
    for title in ("A title", "Another"):
        artwork.draw_preview(title, tmp_path / f"{title}.png")
    assert (tmp_path / "A title.png").read_bytes() != (tmp_path / "Another.png").read_bytes()


def test_a_figure_that_hides_its_size_is_named(tmp_path):
    file = tmp_path / "figure.svg"
    file.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="30.3pt" height="60pt"></svg>')
    assert images.size(file) == (40, 80)
    file.write_text("<svg>")
    with pytest.raises(ValueError, match=r"figure\.svg does not say its width and height"):
        images.size(file)


def test_a_figure_that_a_cell_drew_loses_bytes_and_nothing_that_is_seen(tmp_path):
    figure = plots.heatmap(["we", "have"], np.array([[0.25, 0.75], [1.0, 0.0]]), title="A <grid> & more")
    drawn, own = tmp_path / "jupyter_execute" / "a.svg", tmp_path / "own.svg"
    drawn.parent.mkdir()
    for file in (drawn, own):
        figure.savefig(file)
    before = own.read_text(encoding="utf8")
    document = new_document("chapter")
    document += [nodes.image(uri=uri) for uri in ("jupyter_execute/a.svg", "own.svg", "jupyter_execute/missing.svg")]
    images.shorten(SimpleNamespace(srcdir=tmp_path), document)
    after = drawn.read_text(encoding="utf8")
    assert own.read_text(encoding="utf8") == before  # a reader of the book wrote it
    assert len(after) < 0.7 * len(before)
    assert images.size(drawn) == images.size(own)
    assert "".join(words(after)).split() == "".join(words(before)).split()
    assert colours(after) == colours(before)
    assert len(strokes(after)) == len(strokes(before))
    assert {use.get(HREF)[1:] for use in used(after)} <= {
        part.get("id") for part in ElementTree.fromstring(after).iter()
    }


def words(svg):
    return [text for part in ElementTree.fromstring(svg).iter(f"{SVG}text") for text in part.itertext()]


def colours(svg):
    return set(re.findall(r"fill: ?(#\w+)", svg)) - {"#ffffff", "#fff"}


def used(svg):
    return list(ElementTree.fromstring(svg).iter(f"{SVG}use"))


def strokes(svg):
    """Outlines, and uses of what has one: a space's has none."""
    outlines = [part for part in ElementTree.fromstring(svg).iter() if part.get("d")]
    names = {part.get("id") for part in outlines}
    return outlines + [use for use in used(svg) if use.get(HREF)[1:] in names]


def test_the_packed_site_is_one_folder_and_the_same_each_time(tmp_path):
    site = tmp_path / "html"
    (site / "_static").mkdir(parents=True)
    for name in ("index.html", "_static/book.css", ".buildinfo", "objects.inv"):
        (site / name).write_text(name)
    site_zip.pack(tmp_path / "a.zip", site_zip.files_of(site))
    os.utime(site / "index.html", (0, 0))
    site_zip.pack(tmp_path / "b.zip", site_zip.files_of(site))
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == [f"{site_zip.NAME}/_static/book.css", f"{site_zip.NAME}/index.html"]
        assert archive.read(f"{site_zip.NAME}/index.html") == b"index.html"
    with pytest.raises(FileNotFoundError, match="make book"):
        site_zip.files_of(tmp_path / "nothing")


def test_styles_are_shortened_and_keep_their_signs():
    assert pages.minified("a::after { content : '−' ; } /* a comment */", "css", ROOT) == 'a:after{content:"−"}\n'


def test_a_style_is_not_shortened_without_esbuild(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ExtensionError, match="esbuild is missing"):
        pages.minified("", "css", tmp_path)
    with pytest.raises(ExtensionError, match="esbuild cannot read this"):
        pages.minified("let a = ;", "js", ROOT)


def test_a_page_whose_source_has_gone_goes_too(tmp_path):
    """What `html_extra_path` puts beside the pages, a file or a folder, has no source among them, and stays."""
    given, site = tmp_path / "given", tmp_path / "site"
    stay = ["index", "chapters/a", "search", "_static/one/frame", "lite/lab/index", "alone", "slides/one"]
    made = [site / f"{name}.html" for name in [*stay, "chapters/old"]]
    for file in [*made, given / "alone.html", given / "more/slides/one.html"]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    app = SimpleNamespace(
        outdir=site, confdir=given, builder=SimpleNamespace(format="html"),
        env=SimpleNamespace(found_docs={"index", "chapters/a"}),
        config=SimpleNamespace(html_extra_path=["alone.html", "more"]),
    )  # fmt: skip
    pages.drop_old(app, None)
    assert {file.relative_to(site).with_suffix("").as_posix() for file in site.rglob("*.html")} == set(stay)


def test_every_page_is_written_anew_when_a_title_changes():
    tree = nodes.container("", addnodes.toctree(caption="Part", includefiles=["a"]))
    labels = {"x": ("a", "x", "Where")}
    env = SimpleNamespace(
        tocs={"index": tree}, titles={"a": nodes.title("", "One")}, found_docs={"index", "a"},
        get_domain=lambda name: SimpleNamespace(data={"labels": labels}),
    )  # fmt: skip
    app = SimpleNamespace(config=SimpleNamespace(root_doc="index"))
    assert [pages.again(app, env) for _ in range(2)] == [[], []]
    env.titles = {"a": nodes.title("", "Another")}
    assert pages.again(app, env) == ["a", "index"]
    labels["x"] = ("a", "x", "There")
    assert pages.again(app, env) == ["a", "index"]
    assert pages.again(app, env) == []
