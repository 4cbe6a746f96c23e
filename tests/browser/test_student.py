"""A student's day: a notebook is opened, run, answered and changed, saved, and opened again on a server without its kernel."""

from pathlib import Path

import nbformat
import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tests.helpers.jupyter import Notebook, running
from tools import notebooks

CHAPTERS = sorted(Path("chapters").glob("*.md"))
CHAPTER = Path("chapters/01_dot_product.md")
WORDS = "*My own words.*"
VIEW, STATE = "application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json"
VIEWS = {"Lab": "lab/tree", "Notebook 7": "notebooks"}


def asked_of(notebook):
    """The question of the prediction, alive."""
    cell = notebook.page.locator(".jp-CodeCell", has_text="reads-most")
    return cell.locator(".attn-question:not(.anywidget-saved *)")


def kept(file):
    """How many cells of a saved notebook have outputs, and the widgets they show whose models it lacks."""
    notebook = nbformat.read(file, 4)
    outputs = [cell["outputs"] for cell in notebook.cells if cell.get("outputs")]
    views = {out.get("data", {}).get(VIEW, {}).get("model_id") for cell in outputs for out in cell} - {None}
    return len(outputs), views - set(notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {}))


def save(notebook, file):
    """Save until every widget's model is in the file: JupyterLab saves the models that have come from the kernel by then."""
    for _ in range(60):
        notebook.command("docmanager:save")
        cells, lacking = kept(file)
        if not lacking:
            return cells
        notebook.page.wait_for_timeout(1000)
    raise AssertionError(f"not saved: {lacking}")


def folds(notebook):
    return notebook.page.locator("details.attn-guess")


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_what_a_student_did_is_there_when_the_server_starts_again(view, open_page, tmp_path):
    name = CHAPTER.with_suffix(".ipynb").name
    with running(tmp_path) as address:
        notebooks.write([CHAPTER], tmp_path / "notebooks")
        first = Notebook(open_page, address, name, view)
        first.command("notebook:run-all-cells")
        assert not first.grid.is_visible()  # it answers a prediction
        assert folds(first).evaluate_all("all => all.filter((one) => one.open)") == []
        asked = asked_of(first)
        asked.get_by_role("button").first.click()
        first.grid.wait_for()  # the answer opens what was folded
        assert len(folds(first).evaluate_all("all => all.filter((one) => one.open).map(() => 1)")) == 1
        said = asked.inner_text()
        first.grid.get_by_label("temperature").fill("2.5")
        shown = first.grid.locator("[role=gridcell]").all_text_contents()
        assert first.execute("mine = grid.temperature\nprint(mine)").strip() == "2.5"
        cells = save(first, tmp_path / "notebooks" / name)
        first.page.close()
    with running(tmp_path) as address:
        again = Notebook(open_page, address, name, view)
        again.grid.wait_for()
        assert again.grid.get_by_label("temperature").input_value() == "2.5"
        assert again.grid.locator("[role=gridcell]").all_text_contents() == shown
        assert asked_of(again).inner_text() == said
        assert again.page.get_by_text("mine = grid.temperature").is_visible()
        assert again.page.get_by_text("model not found").count() == 0
        assert again.page.locator(".jp-Dialog").count() == 0
        again.grid.get_by_label("temperature").fill("1")  # alive
        again.grid.locator("[data-cell='0,4']", has_text="0.21").wait_for()
        again.command("docmanager:save")
        assert kept(tmp_path / "notebooks" / name)[0] == cells
        assert again.errors == []
        again.page.close()


COUNT = """() => {
    const typeset = [...document.querySelectorAll("mjx-container")];
    const raw = [...document.querySelectorAll(".jp-RenderedMarkdown")].map((one) => one.innerText).join(" ");
    const red = 'mjx-merror, [data-mjx-error], mjx-mtext[style*="red"], [fill="red"], [mathcolor="red"]';
    return { typeset: typeset.length, red: [...document.querySelectorAll(red)].map((one) => one.textContent),
             left: raw.match(/\\\\(?:frac|begin|text|new|mathbb|sqrt|top|operatorname)/g) ?? [] };
}"""
_markdown = MarkdownIt("commonmark").use(dollarmath_plugin)


def formulas(text):
    tokens = [token for block in _markdown.parse(text) for token in (block.children or [block])]
    return [token.content for token in tokens if token.type.startswith("math_")]


@pytest.mark.slow
def test_every_formula_of_every_notebook_is_typeset_and_none_is_red(open_page, tmp_path):
    cells = [cell for chapter in CHAPTERS for cell in notebooks.convert(chapter.read_text("utf8"), chapter.name).cells]
    texts = [cell.source.replace("<details>", "<details open>") for cell in cells if cell.cell_type == "markdown"]
    expected = [formula for text in texts for formula in formulas(text)]
    with running(tmp_path) as address:
        for number, start in enumerate(range(0, len(texts), 150)):
            part = [nbformat.v4.new_markdown_cell(text) for text in texts[start : start + 150]]
            nbformat.write(notebooks.notebook_of(part), tmp_path / "notebooks" / f"{number}.ipynb")
        seen = {"typeset": 0, "red": [], "left": []}
        for file in sorted((tmp_path / "notebooks").glob("*.ipynb")):
            wanted = sum(len(formulas(cell.source)) for cell in nbformat.read(file, 4).cells)
            notebook = Notebook(open_page, address, file.name)
            notebook.page.wait_for_function(
                "wanted => document.querySelectorAll('mjx-container').length >= wanted", arg=wanted
            )
            found = notebook.page.evaluate(COUNT)
            seen = {key: seen[key] + found[key] for key in seen}
            notebook.page.close()
    print(f"{len(expected)} formulas")
    assert seen == {"typeset": len(expected), "red": [], "left": []}
