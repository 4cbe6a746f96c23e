"""A notebook's widgets without a kernel: where one does not live, its table is seen, and never both."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from tests.helpers.jupyter import Notebook, running
from tools import notebooks

CELLS = (
    'from attnlib.widgets import Choice, SoftmaxSliders\ndisplay("first")\nSoftmaxSliders()',
    "display(Choice(), Choice())\nprint('last')",
)
LIBRARY = Path("attnlib/widgets/static/widgets.css")
GALLERY = Path("chapters/appendices/gallery.md")
SEEN = """[...document.querySelectorAll(".jp-OutputArea-child, .output_area")].map((child) =>
    child.offsetHeight && child.innerText.trim().split("\\n")[0])"""
# What Jupyter's html-manager does, which an export fetches over the network.
LIVE = """document.querySelectorAll("script[type='application/vnd.jupyter.widget-view+json']").forEach((script) => {
    const home = Object.assign(document.createElement("div"), { className: "widget-subarea" });
    home.innerHTML = "<div class='lm-Widget'><figure>alive</figure></div>";
    script.before(home);
})"""
# Breaks the connection once, where Jupyter's manager of widgets asks a second time which live in the kernel. It tries again
# when the connection is back, but for the kernel's widgets alone: those of the file are then lost until the page is loaded anew.
CUT = """(() => {
    let asked = 0;
    const text = (data) => (typeof data === "string" ? data : new TextDecoder().decode(data));
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
        const cuts = text(data).includes('"comm_info_request"') && ++asked === 2 && !sessionStorage.cut;
        if (!cuts) return send.call(this, data);
        sessionStorage.cut = "once";
        this.close();
    };
})()"""
ALIVE = "figure.attn:not(.anywidget-saved *)"
SLIDERS, QUESTION = "From scores to weights: the weigh", "A query (1, 0) reads from two key"


@pytest.fixture(scope="module")
def executed():
    notebook = notebooks.notebook_of([nbformat.v4.new_code_cell(source) for source in CELLS])
    NotebookClient(notebook, resources={"metadata": {"path": Path.cwd()}}).execute()
    return notebook


@pytest.fixture
def exported(executed, open_page, tmp_path):
    """The notebook as nbconvert exports it, with the states of its widgets or without, open without a network."""

    def export(states, template="lab"):
        notebook = nbformat.from_dict(executed)
        if not states:
            del notebook.metadata["widgets"]
        html, _ = HTMLExporter(template_name=template).from_notebook_node(notebook)
        (tmp_path / "export.html").write_text(html, encoding="utf8")
        return open_page((tmp_path / "export.html").as_uri())

    return export


def seen(page):
    return [text[:33] for text in page.evaluate(SEEN) if text]


@pytest.mark.parametrize("template", ["lab", "classic"])
@pytest.mark.parametrize("states", [True, False])
def test_an_export_without_a_network_shows_each_widgets_table(states, template, exported, until):
    page = exported(states, template)
    until(page, "[...document.querySelectorAll('.anywidget-saved')].every((table) => table.offsetHeight > 50)")
    assert seen(page) == ["'first'", SLIDERS, QUESTION, QUESTION, "last"]
    assert page.locator(".anywidget-saved").first.inner_text().endswith("another function in the place of exp.")


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_an_export_whose_widgets_live_shows_no_table(template, exported):
    page = exported(True, template)
    page.add_style_tag(path=LIBRARY)  # which the library brings
    page.evaluate(LIVE)
    assert seen(page) == ["'first'", "alive", "alive", "alive", "last"]


def test_a_table_takes_no_room_while_a_widget_may_still_come(exported):
    page = exported(True)
    page.evaluate("document.getAnimations().forEach((late) => { late.pause(); late.currentTime = 0; })")
    assert set(page.locator(".anywidget-saved").evaluate_all("all => all.map((one) => one.offsetHeight)")) == {0}
    page.evaluate("document.getAnimations().forEach((late) => late.finish())")
    assert page.locator(".anywidget-saved").first.evaluate("one => one.offsetHeight") > 50


@pytest.mark.slow
def test_a_notebook_that_was_saved_without_its_widgets_shows_every_table(open_page, until, tmp_path):
    with running(tmp_path, shipped=False) as address:
        notebooks.write([GALLERY], tmp_path / "notebooks")
        notebook = Notebook(open_page, address, "gallery.ipynb")
        notebook.command("notebook:run-all-cells")
        notebook.page.locator(".jp-OutputArea-output figure.attn:not(.anywidget-saved *)").nth(15).wait_for()
        count = notebook.page.locator(".anywidget-saved").count()
        until(notebook.page, "[...document.querySelectorAll('.anywidget-saved')].every((table) => !table.offsetHeight)")
        notebook.command("docmanager:save")
        notebook.stop()
        for view in ("lab/tree", "notebooks"):
            page = Notebook(open_page, address, "gallery.ipynb", view).page
            until(
                page,
                f"[...document.querySelectorAll('.anywidget-saved')].filter((t) => t.offsetHeight).length == {count}",
            )
            assert "Error displaying widget" not in page.locator(".jp-Notebook").inner_text()
        assert count >= 30


@pytest.mark.slow
def test_a_connection_that_breaks_while_a_notebook_opens_leaves_its_tables_and_the_file_its_widgets(
    open_page, until, tmp_path
):
    with running(tmp_path) as address:
        cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
        nbformat.write(notebooks.notebook_of(cells), tmp_path / "notebooks/kept.ipynb")
        notebook = Notebook(open_page, address, "kept.ipynb")
        notebook.command("notebook:run-all-cells")
        notebook.page.locator(ALIVE).nth(2).wait_for()
        notebook.command("docmanager:save")
        notebook.stop()
        notebook.page.close()

        page = open_page(f"{address}/api")
        page.add_init_script(CUT)
        Notebook(lambda place: (page.goto(place), page)[1], address, "kept.ipynb")
        page.wait_for_function("sessionStorage.cut")
        until(
            page,
            "[...document.querySelectorAll('.anywidget-saved')].filter((table) => table.offsetHeight).length === 3",
        )
        assert "model not found" not in page.locator(".jp-Notebook").inner_text()
        assert page.locator(ALIVE).count() == 0
        page.close()

        page = Notebook(open_page, address, "kept.ipynb").page
        page.locator(ALIVE).nth(2).wait_for()
        until(page, "[...document.querySelectorAll('.anywidget-saved')].every((table) => !table.offsetHeight)")
