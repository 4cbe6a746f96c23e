"""One file with a widget: what it holds, with esbuild and without, and that it opens from a folder, offline."""

import re
import shutil
import zlib
from pathlib import Path

import pytest
import traitlets

import counter
import samples
from anywidget_static import Widget, base85, esbuild
from pages import ROOT

EXAMPLES = Path(__file__).parents[1] / "examples"


class Bytes(Widget):
    """A widget of bytes, with texts that could end a script."""

    _esm = """export default { render({ model, el }) {
      el.textContent = `</script><!--<script> ${model.get("data").byteLength} bytes ${model.get("text")}`; } };"""
    _css = "/* </style> */ b { color: red }"
    data = traitlets.Bytes(b"\x00\xff\x07").tag(sync=True)
    text = traitlets.Unicode("</script><script>\ud800").tag(sync=True)

    def fallback(self) -> str:
        return "<p>half a pair: \ud83d</p>"


@pytest.fixture
def no_esbuild(monkeypatch):
    monkeypatch.setattr(esbuild, "program", lambda root=Path(): None)


def test_it_writes_one_file_and_returns_its_path(examples, tmp_path):
    widget = examples["Counter"]
    file = widget.save(str(tmp_path / "one.html"))
    assert file == tmp_path / "one.html"
    first = file.read_bytes()
    assert widget.save(file) == file
    assert file.read_bytes() == first
    text = file.read_text("utf8")
    assert "<title>Clicks</title>" in text
    assert widget.fallback() in text
    assert text.count("<style") == text.count('<script type="module"') == 1
    assert not re.search(r"(src|href)=[\"'](?!#)|https?://|@import|fetch\(|\bimport ", text)
    assert len(first) < 12_000


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere to save page\.html in"):
        counter.Counter().save(tmp_path / "nowhere" / "page.html")


def test_a_library_has_the_page_of_what_says_that_it_is_savable(examples, no_esbuild, tmp_path):
    interval = examples["Interval"]
    text = interval.save(tmp_path / "page.html").read_text("utf8")
    packed = base85.decode(re.search(r'packed = "([^"]*)"', text)[1])
    assert zlib.decompress(packed) == (interval._bundle / "interval.page.mjs").read_bytes()
    assert len(text) < 12_000


def test_a_library_is_built_anew_without_what_is_no_longer_savable(tmp_path):
    folder = shutil.copytree(EXAMPLES / "intervals", tmp_path / "intervals")
    module = folder / "interval.mjs"
    module.write_text(module.read_text("utf8").replace("export const savable", "export const other"))
    esbuild.build(folder, ROOT)
    assert sorted(file.name for file in (folder / "static").iterdir()) == ["widgets.css", "widgets.mjs"]


def test_without_esbuild_what_was_not_built_says_what_is_missing(no_esbuild, tmp_path):
    with pytest.raises(esbuild.BuildError, match=r"esbuild is missing.*npm install"):
        counter.Counter().save(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("kind", [Bytes, counter.Counter, samples.Samples])
def test_it_opens_from_a_folder_offline(kind, open_again, tmp_path):
    file = kind(title='A "title" </title> & more').save(tmp_path / "one page.html")
    page = open_again(file.as_uri())
    page.locator("[data-widget-mounted]").wait_for()
    assert page.title() == page.locator("h1").inner_text() == 'A "title" </title> & more'
    if kind is Bytes:
        assert "</script><!--<script> 3 bytes </script><script>" in page.locator("[data-widget]").inner_text()
    if kind is counter.Counter:
        page.get_by_role("button", name="Count").click()
        assert "count=" in page.locator("a[data-link]").get_attribute("href")
    assert page.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_or_dark_as_the_browser_is_and_read_without_a_script(
    scheme, examples, open_again, violations, tmp_path
):
    interval = examples["Interval"]
    file = interval.save(tmp_path / "page.html")
    still = open_again(file.as_uri(), java_script_enabled=False)
    assert still.locator("table").count() == 1
    page = open_again(file.as_uri(), color_scheme=scheme)
    page.locator("[data-widget-mounted]").wait_for()
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (paper == "rgb(255, 254, 251)") == (scheme == "light")
    assert violations(page) == []
    page.get_by_role("slider").first.press("ArrowRight")
    assert "low=" in page.locator("a[data-link]").get_attribute("href")
    assert page.problems == []


def test_a_build_that_fails_leaves_what_was_built(tmp_path, monkeypatch):
    folder = shutil.copytree(EXAMPLES / "intervals", tmp_path / "intervals")
    esbuild.build(folder, ROOT)
    built = {file.name for file in (folder / "static").iterdir()}
    monkeypatch.setattr(esbuild, "program", lambda root=Path(): None)
    with pytest.raises(esbuild.BuildError):
        esbuild.build(folder)
    assert {file.name for file in (folder / "static").iterdir()} == built
