"""A stock Jupyter Book with the extension: how a page is read, built again, and shown."""

import json
import re

import pytest

from anywidget_static import esbuild, page

pytestmark = pytest.mark.slow  # books are built for it
PAGES = {
    "alone": ["from counter import Counter\nCounter()"],
    "several": [
        "from counter import Counter\none = Counter()\ndisplay(one, one, Counter(value=5))",
        "from myst_nb import glue\nglue('kept', Counter(value=7, title='Kept'), display=False)",
    ],
    "plain": ["import ipywidgets\nfrom counter import Counter\ndisplay(ipywidgets.IntSlider(), Counter(value=2))"],
}
GLUED = "# Glued\n\n```{glue} kept\n:doc: several.ipynb\n```\n"
LOST = "the notebook holds no state of this widget"
MARKDOWN = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3, language: python}
---
# Written

```{code-cell}
from counter import Counter
Counter()
```
"""


@pytest.fixture(scope="module")
def saved(new_stock, counter):
    """Notebooks, run and saved with their widgets' state."""
    book = new_stock()
    counter(book.folder)
    book.write(**PAGES)
    book.run()
    book.write(glued=GLUED)
    return book


@pytest.fixture(scope="module")
def built(saved):
    saved.build()
    return saved


@pytest.fixture
def copied(saved, stock):
    """A book of its own with some of the saved notebooks."""

    def copy(*names):
        for file in [*(f"{name}.ipynb" for name in names), "counter.py", "counter.mjs"]:
            (stock.folder / file).write_text((saved.folder / file).read_text())
        return stock

    return copy


def counted(shown, place=0):
    """Press the button of a counter; what it shows then."""
    button = shown.locator("[data-widget] button").nth(place)
    button.click()
    return button.inner_text()


@pytest.mark.parametrize("over", ["file", "http"])
def test_one_script_lives_on_a_server_and_in_a_folder(built, look, over):
    shown = look(built, "alone", over)
    assert counted(shown) == "count: 4"
    assert (shown.own_problems(), shown.own_requests()) == ([], [])


def test_without_esbuild_the_modules_live_on_a_server(copied, look):
    book = copied("alone")
    book.build(bundle=False)
    shown = look(book, "alone", "http")
    assert counted(shown) == "count: 4"
    assert (shown.own_problems(), shown.own_requests()) == ([], [])


def test_where_no_script_runs_a_page_shows_the_table(built, look):
    shown = look(built, "alone", java_script_enabled=False)
    text = shown.locator("[data-widget]").inner_text()
    assert "The count is 3." in text
    assert "With JavaScript on you can count further." in text
    assert not shown.locator("[data-widget] button").count()


def test_widgets_that_are_alike_live_by_themselves_at_addresses_of_their_own(built, look):
    shown = look(built, "several")
    assert [counted(shown, place) for place in (0, 2)] == ["count: 4", "count: 6"]
    assert shown.locator("[data-widget] button").all_inner_texts() == ["count: 4", "count: 3", "count: 6"]
    links = [link.get_attribute("href") for link in shown.locator("[data-link]").all()]
    assert links == ["#counter?value=4", "#counter-2", "#counter-3?value=6"]
    ids = shown.evaluate("[...document.querySelectorAll('[id]')].map((node) => node.id)")
    assert len(ids) == len(set(ids))
    linked = look(built, "several")
    linked.goto(linked.url + links[2])
    linked.reload()
    assert linked.locator("[data-widget] button").nth(2).inner_text() == "count: 6"


def test_the_link_beside_a_widget_appears_with_the_pointer_and_with_the_keyboard(built, look):
    shown = look(built, "alone")
    link = shown.locator("[data-link]")
    opacity = "link => getComputedStyle(link).opacity"
    assert link.evaluate(opacity) == "0"
    shown.locator("[data-widget]").hover()
    assert link.evaluate(opacity) == "1"
    shown.mouse.move(0, 0)
    link.focus()
    assert link.evaluate(opacity) == "1"


def test_a_widget_that_is_glued_into_another_page_is_its_table(built, look):
    shown = look(built, "glued")
    assert shown.locator("[data-widget]").inner_text() == "The count is 7."
    assert shown.own_problems() == []


def test_plain_ipywidgets_keep_jupyters_own_front_end(built, look):
    shown = look(built, "plain")
    assert counted(shown) == "count: 3"
    text = (built.site / "plain.html").read_text()
    view = json.loads(re.search(r'widget-view\+json">(.*?)</script>', text)[1])["model_id"]
    states = json.loads(re.search(r'widget-state\+json">(.*?)</script>', text)[1])["state"]
    assert states[view]["model_name"] == "IntSliderModel"
    assert "html-manager" in text
    assert "html-manager" not in (built.site / "alone.html").read_text()


def test_a_notebook_without_its_widgets_state_shows_the_table_and_a_warning(copied, look):
    book = copied("alone")
    notebook = json.loads((book.folder / "alone.ipynb").read_text())
    del notebook["metadata"]["widgets"]
    (book.folder / "alone.ipynb").write_text(json.dumps(notebook))
    with pytest.raises(AssertionError, match=LOST):
        book.build()
    shown = look(book, "alone")
    assert "The count is 3." in shown.locator("[data-widget]").inner_text()


def test_a_state_with_nan_shows_the_table_and_a_warning(copied, look):
    """Jupyter writes null for it; another program may not."""
    stock = copied("alone")
    notebook = stock.folder / "alone.ipynb"
    text = notebook.read_text()
    notebook.write_text(re.sub(r'"value": \d+', '"value": NaN', text))
    assert notebook.read_text() != text
    with pytest.raises(AssertionError, match="holds NaN or infinity"):
        stock.build()
    shown = look(stock, "alone")
    assert "The count is 3." in shown.locator("[data-widget]").inner_text()


def test_a_book_that_is_built_again_has_what_its_pages_ask_for(copied, look, saved):
    book = copied("alone")
    book.build()
    scripts = {file.name for file in (book.site / "_static").glob("widgets-*.js")}
    notebook = (saved.folder / "alone.ipynb").read_text()
    (book.folder / "other.ipynb").write_text(notebook.replace("count: ", "so far ").replace("# Alone", "# Other"))
    assert "[100%] other" in book.build()
    assert [counted(look(book, name)) for name in ("alone", "other")] == ["count: 4", "so far 4"]
    (book.folder / "alone.ipynb").unlink()
    book.build()
    left = {file.name for file in (book.site / "_static").glob("widgets-*.js")}
    assert len(left) == 1
    assert not left & scripts
    book.build(bundle=False)  # esbuild is gone: the pages are written anew
    assert counted(look(book, "other", "http")) == "so far 4"


@pytest.mark.parametrize("execute", ["auto", "cache", "force"])
def test_a_page_that_the_build_executes_lives(stock, counter, look, execute):
    counter(stock.folder)
    stock.write(written=MARKDOWN)
    for options in ([], ["--all"]):  # the second build finds what was kept of the first
        stock.build(*options, execute=execute)
        shown = look(stock, "written")
        assert counted(shown) == "count: 4"
        assert shown.own_problems() == []


def test_pages_that_are_read_at_once_each_have_their_script(copied, look, saved):
    book = copied("alone")
    notebook = (saved.folder / "alone.ipynb").read_text()
    for number in range(8):
        mine = notebook.replace("count: ", f"{number} counts ").replace("# Alone", f"# Page {number}")
        (book.folder / f"page{number}.ipynb").write_text(mine)
    (book.folder / "bare.md").write_text("# Bare\n\n```{toctree}\n:glob:\n*\n```\n")
    (book.folder / "conf.py").write_text(
        'extensions = ["myst_nb", "anywidget_static.sphinx"]\nhtml_theme = "sphinx_book_theme"\n'
        'master_doc = "bare"\nnb_execution_mode = "off"\nexclude_patterns = ["_build"]\n'
    )
    said = book.call("sphinx-build", "-W", "-j", "4", ".", "_build/html")
    assert "10 added" in said
    for number in (0, 7):
        assert counted(look(book, f"page{number}")) == f"{number} counts 4"


@pytest.mark.parametrize("write", [esbuild.write_pages, esbuild.copy_pages])
def test_widgets_of_one_name_have_their_own_modules(write, tmp_path):
    """As classes of one name in the cells of two notebooks."""
    texts = ["first", "second"]
    models = [{"state": {"_module": "Same", "_esm": f"export default {{ a: '{text}' }};"}} for text in texts]
    sources = [page.source(model, {}) for model in models]
    write({source.name: [source] for source in sources}, tmp_path)
    for source, text, other in zip(sources, texts, reversed(texts), strict=True):
        script = (tmp_path / f"{source.name}.js").read_text()
        for module in re.findall(r'import\("(.*?)"\)', script):
            script += (tmp_path / module).read_text()
        assert text in script
        assert other not in script
