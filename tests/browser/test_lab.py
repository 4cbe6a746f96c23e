"""The chapters in a real JupyterLab: they run, and their widgets and Python see the same thing."""

import re
import shutil
from pathlib import Path

import nbformat
import pytest

from anywidget_static import esbuild
from tests.helpers.jupyter import Notebook, running
from tools import notebooks

GALLERY = Path("chapters/appendices/gallery.md")
EXAMPLES = Path("anywidget-static/examples")
CHAPTER = Path("chapters/01_dot_product.md")
LIVING = ".jp-OutputArea-output figure.attn:not(.anywidget-saved *)"  # not the table behind it


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab of its own, over an empty folder: its address and its folder."""
    place = tmp_path_factory.mktemp("lab")
    with running(place) as address:
        yield address, place / "notebooks"


@pytest.fixture
def notebook(lab, open_page, tmp_path):
    """Chapter 1, in a folder of its own, open and run from top to bottom."""
    address, folder = lab
    notebooks.write([CHAPTER], folder / tmp_path.name)
    notebook = Notebook(open_page, address, f"{tmp_path.name}/01_dot_product.ipynb")
    notebook.command("notebook:run-all-cells")
    unfold(notebook)
    notebook.cell(0, 0).wait_for()
    yield notebook
    notebook.page.close()


def unfold(notebook):
    for fold in notebook.page.locator("details.attn-guess summary").all():
        fold.click()


def test_the_chapter_runs_and_its_grid_and_python_show_the_same(notebook):
    the_chapter_has_run(notebook)
    setting_the_python_object_redraws_the_widget(notebook)
    moving_a_control_changes_the_python_object(notebook)
    assert notebook.errors == []


def the_chapter_has_run(notebook):
    prompts = notebook.page.locator(".jp-CodeCell .jp-InputPrompt").all_text_contents()
    for number, prompt in enumerate(prompts, start=1):
        assert prompt in (f"[{number}]:", "")  # a folded cell has none
    assert prompts[-1] == f"[{len(prompts)}]:"
    assert notebook.errors == []
    assert notebook.cell(0, 4).text_content() == "0.21"
    assert notebook.page.locator(".jp-OutputArea-output svg.attn-plane").first.is_visible()
    lines = notebook.grid.locator(".attn-arithmetic :is(dt, dd)").evaluate_all(
        "all => all.map((one) => one.offsetHeight)"
    )
    assert max(lines) < 30  # each on one line: JupyterLab's own style would squeeze the names
    visible = notebook.page.locator(".jp-Notebook").inner_text()
    assert not re.search(r"\{[a-z]+\}`|```|:class:|\)=$", visible)


def moving_a_control_changes_the_python_object(notebook):
    notebook.grid.get_by_label("temperature").fill("2.5")
    notebook.cell(3, 1).click()
    seen = notebook.execute("print(grid.temperature, grid.selected, f'{grid.weights[4, 0]:.2f}')")
    assert seen.strip() == f"2.5 [3, 1] {notebook.cell(4, 0).text_content()}"
    notebook.execute("grid.controls = ['masked', 'scaled']")
    notebook.grid.scroll_into_view_if_needed()
    notebook.grid.get_by_label("mask", exact=True).check()
    assert notebook.cell(0, 4).text_content() == "–"
    assert notebook.execute("print(grid.masked, grid.weights[0, 4])").strip() == "True 0.0"


def setting_the_python_object_redraws_the_widget(notebook):
    notebook.execute("grid.layout.width = '432px'")
    notebook.page.locator("[style*='width: 432px'] figure.attn [role=grid]").wait_for()
    notebook.execute("grid.layout.width = None")
    notebook.execute("grid.temperature = 5.0")
    notebook.grid.scroll_into_view_if_needed()  # out of sight it waits
    notebook.grid.locator("output", has_text="5.0").wait_for()
    assert (
        notebook.cell(0, 4).text_content() == notebook.execute("print(f'{grid.weights[0, 4]:.2f}')").strip() == "0.24"
    )
    notebook.execute("grid.axes = []\nwith grid.hold_trait_notifications():\n    grid.query = grid.key = X[:, :-1]")
    expected = notebook.execute("print(f'{grid.weights[0, 4]:.2f}')").strip()
    notebook.grid.scroll_into_view_if_needed()
    notebook.grid.locator("[data-cell='0,4']", has_text=expected).wait_for()


@pytest.mark.slow
def test_arrow_keys_move_in_the_widget_and_not_between_notebook_cells(notebook):
    notebook.cell(0, 0).focus()
    notebook.page.keyboard.press("ArrowDown")
    assert notebook.page.evaluate("document.activeElement.dataset.cell") == "1,0"
    slider = notebook.grid.get_by_label("temperature")
    slider.focus()
    notebook.page.keyboard.press("ArrowRight")
    assert slider.input_value() == "1.1"


@pytest.mark.slow
def test_dragging_in_the_plane_reaches_python(notebook):
    notebook.execute("plane = TokenPlane(['a', 'b'], np.eye(2))\ndisplay(plane)")
    token = notebook.page.get_by_role("slider", name="a", exact=True).last
    token.focus()
    notebook.page.keyboard.press("ArrowRight")
    assert notebook.execute("print(plane.points, plane.selected)").strip() == "[[1.1, 0.0], [0.0, 1.0]] 0"


@pytest.mark.slow
def test_a_saved_notebook_opens_and_runs_again(notebook, lab, open_page, tmp_path):
    name = f"{tmp_path.name}/01_dot_product.ipynb"
    notebook.command("docmanager:save")
    saved = nbformat.read(lab[1] / name, 4)
    assert any(cell.get("outputs") for cell in saved.cells)
    notebook.page.goto("about:blank")

    again = Notebook(open_page, lab[0], name)
    again.start("notebook:restart-run-all")
    again.page.locator(".jp-Dialog .jp-mod-accept").click()
    again.page.wait_for_function("window.done")
    unfold(again)
    again.cell(0, 4).wait_for()
    again.grid.get_by_label("temperature").fill("5")
    assert again.execute("print(grid.temperature)").strip() == "5.0"
    assert again.cell(0, 4).text_content() == "0.24"
    assert again.errors == []


@pytest.mark.slow
def test_widgets_are_there_again_after_a_reload_and_from_the_saved_notebook(notebook, lab, open_page, tmp_path):
    notebook.grid.get_by_label("temperature").fill("5")
    notebook.command("docmanager:save")
    notebook.page.reload()
    assert notebook.cell(0, 4).text_content() == "0.24"
    unfold(notebook)
    notebook.grid.get_by_label("temperature").fill("2.5")
    assert notebook.execute("print(grid.temperature)").strip() == "2.5"  # the kernel still runs
    notebook.command("docmanager:save")
    notebook.stop()
    notebook.page.goto("about:blank")

    saved = Notebook(open_page, lab[0], f"{tmp_path.name}/01_dot_product.ipynb")
    saved.reopened()
    assert saved.grid.get_by_label("temperature").input_value() == "2.5"
    unfold(saved)
    saved.grid.get_by_label("temperature").fill("1")
    saved.grid.locator("[data-cell='0,4']", has_text="0.21").wait_for()
    saved.stop()


@pytest.mark.slow
def test_a_notebook_with_every_widget_is_small_as_lab_saves_it(lab, open_page, tmp_path):
    address, folder = lab
    notebooks.write([GALLERY], folder / tmp_path.name)
    notebook = Notebook(open_page, address, f"{tmp_path.name}/gallery.ipynb")
    notebook.command("notebook:run-all-cells")
    notebook.page.locator(LIVING).nth(15).wait_for()
    notebook.command("docmanager:save")
    file = folder / tmp_path.name / "gallery.ipynb"
    models = nbformat.read(file, 4).metadata.widgets["application/vnd.jupyter.widget-state+json"].state.values()
    assert "head_browser" in [model.state.get("_module") for model in models]
    size = file.stat().st_size
    print(f"{size:,} bytes")
    assert size <= 402_000  # of 40 widgets, as it is now; 350 KB was the aim for 34
    notebook.stop()


LIVE = """import os
os.environ["ANYWIDGET_HMR"] = "1"
from counter import Counter
from intervals import Interval
display(counter := Counter(title="Clicks", count=3), interval := Interval(low=-1, high=2))
"""


@pytest.mark.slow
def test_a_changed_module_redraws_live_widgets_which_keep_their_state(lab, open_page, tmp_path):
    address, folder = lab
    folder = folder / tmp_path.name
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    esbuild.build(folder / "intervals")
    nbformat.write(notebooks.notebook_of([nbformat.v4.new_code_cell(LIVE)]), folder / "live.ipynb")
    notebook = Notebook(open_page, address, f"{tmp_path.name}/live.ipynb")
    notebook.command("notebook:run-all-cells")
    shown = notebook.page.locator(".jp-OutputArea-output")
    shown.get_by_role("button", name="Count").click()
    shown.get_by_label("low").fill("-3")
    assert notebook.execute("print(counter.count, interval.low)").strip() == "4 -3.0"

    change(folder / "counter.mjs", '"Count"', '"Again"')
    shown.get_by_role("button", name="Again", exact=True).click()
    shown.get_by_text("Clicks: 5").wait_for()
    for name in ("breadth", "extent"):  # each time anew
        change(folder / "intervals/interval.mjs", r"`\w+ in", f"`{name} in")
        esbuild.build(folder / "intervals")
        shown.get_by_role("columnheader", name=f"{name} in m").wait_for()
        assert shown.get_by_role("row").all_text_contents() == [f"lowhigh{name} in m", "-325"]
    shown.get_by_label("low").fill("-4")
    assert notebook.execute("print(counter.count, interval.low)").strip() == "5 -4.0"
    assert notebook.errors == []
    notebook.stop()


def change(file, old, new):
    text = file.read_text(encoding="utf8")
    changed = re.sub(old, new, text)
    assert changed != text
    file.write_text(changed, encoding="utf8")


WATCHED = """from attnlib.widgets import *
seen = []
def watch(widget, *names):
    widget.observe(lambda change: seen.append((change["name"], change["new"])), names)
    return widget
"""


@pytest.fixture
def widget_in_lab(lab, open_page, tmp_path):
    """Show widgets in a new notebook, their inputs watched by Python; return the notebook and what it shows of each."""
    address, folder = lab
    opened = []

    def show_it(*expressions, view="lab/tree"):
        code = [WATCHED, *(f"widget = watch({expression})\nwidget" for expression in expressions)]
        notebook = notebooks.notebook_of([nbformat.v4.new_code_cell(source) for source in code])
        nbformat.write(notebook, folder / f"{tmp_path.name}.ipynb")
        opened.append(Notebook(open_page, address, f"{tmp_path.name}.ipynb", view))
        opened[0].command("notebook:run-all-cells")
        shown = opened[0].page.locator(LIVING)
        shown.nth(len(expressions) - 1).wait_for()
        return opened[0], shown.all()

    yield show_it
    opened[0].stop()


def click(name):
    return lambda shown: shown.get_by_role("button", name=name).first.click()


def choose(label, option):
    return lambda shown: shown.get_by_label(label).select_option(option)


def fill(label, text):
    return lambda shown: shown.get_by_label(label).first.fill(text)


def paint(shown):
    shown.locator("[data-cell='0,4']").click()


def answer(shown):
    fill("answer", "0.5")(shown)
    shown.page.keyboard.press("Enter")


SHOWN = {
    "some": [
        ("SoftmaxSliders(), 'phi'", choose("φ", "softplus"), "('phi', 'softplus')"),
        ("HeadBrowser(), 'sentence'", fill("Sentence", "we have"), "('sentence', 'we have')"),
        ("Choice(), 'answer'", click("From both alike"), "('answer', 2)"),
    ],
    "others": [
        ("QueryStepper(), 'step'", click("6 SoftMax"), "('step', 5)"),
        ("MaskPainter(), 'preset'", paint, "('preset', 'painted')"),
        ("HeadMixer(), 'num_kv_heads'", choose("key and value heads", "1"), "('num_kv_heads', 1)"),
        ("Number(), 'answer'", answer, "('answer', '0.5')"),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("which", SHOWN)
def test_a_widget_of_each_kind_tells_python_what_is_done(which, widget_in_lab):
    expressions, acts, expected = zip(*SHOWN[which], strict=True)
    notebook, shown = widget_in_lab(*expressions)
    for figure, act, seen in zip(shown, acts, expected, strict=True):
        act(figure)
        assert notebook.execute("print(seen[-1])").strip() == seen
        assert figure.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    assert notebook.errors == []


ALIVE = """import os, sys, warnings
os.environ["HF_HUB_OFFLINE"] = "1"
warnings.simplefilter("ignore")
sys.path.insert(0, HOUSE)
import numpy as np
from attnlib.models import read
from attnlib.widgets import ModelView
from tests.helpers.real_models import TEXT, a_model, byte_level
reading = read(a_model("GPT2"), byte_level(), TEXT)
other = read(a_model("GPT2", seed=1), byte_level(), "we have the pump")
view = ModelView(reading, other)


def chance(silent):
    row = silent.logits[-1].astype(float)
    return (np.exp(row) / np.exp(row).sum())[np.argmax(reading.logits[-1])]


view"""


@pytest.fixture
def live_view(lab, open_page, tmp_path):
    """Show a view of two readings whose small model is in the kernel; return the notebook and the view."""
    address, folder = lab
    opened = []

    def show_it(view):
        pytest.importorskip("transformers")
        nbformat.write(
            notebooks.notebook_of([nbformat.v4.new_code_cell(f"HOUSE = {str(Path.cwd())!r}\n{ALIVE}")]),
            folder / f"{tmp_path.name}.ipynb",
        )
        opened.append(Notebook(open_page, address, f"{tmp_path.name}.ipynb", view))
        opened[0].command("notebook:run-all-cells")
        shown = opened[0].page.locator(".jp-OutputArea-output figure.attn-models")
        shown.locator("canvas.attn-all-heads[width]").first.wait_for()
        return opened[0], shown

    yield show_it
    opened[0].stop()


@pytest.mark.slow
@pytest.mark.parametrize("view", ["lab/tree", "notebooks"])
def test_a_model_in_the_kernel_answers_a_view(view, live_view):
    """Silencing, of one head and of two, and the arithmetic of a weight come from Python, for both sides."""
    notebook, shown = live_view(view)
    cells = shown.locator(".attn-effects tbody td")

    def says_what_python_says(heads):
        found = notebook.execute(
            f"print(*(f'{{chance(one):.3f}}' for one in (reading, reading.silenced({heads}))))"
        ).split()
        shown.locator(".attn-effects tbody tr", has_text="".join(found)).first.wait_for()
        assert cells.all_text_contents()[:2] == found

    shown.get_by_label("Silence this head").check()
    says_what_python_says([(0, 0)])
    shown.get_by_role("button", name="Keep this head").click()
    shown.locator(".attn-board").first.locator("[aria-label^='2.3']").click()
    says_what_python_says([(0, 0), (1, 2)])
    shown.get_by_role("button", name="q · k in numbers").click()
    shown.get_by_label("Beside").select_option(index=2)
    weights = shown.locator(".attn-weight-sums dd:last-child")
    weights.nth(1).wait_for()
    found = notebook.execute("print(*(one.grid(1, 2)[-1].max() for one in (reading, other)))").split()
    told = [float(text) for text in weights.all_text_contents()]
    assert told == pytest.approx([float(one) for one in found], abs=0.005)  # by queries and keys in float16
    assert shown.locator(".attn-effects table").count() == 2
    assert notebook.execute("print(view.kept, view.layer, view.head, view.live)").strip() == "[[0, 0]] 1 2 [True, True]"
    assert notebook.errors == []


@pytest.mark.slow
def test_a_widget_tells_python_in_notebook_7_too(widget_in_lab):
    notebook, (shown,) = widget_in_lab("SoftmaxSliders(), 'phi'", view="notebooks")
    choose("φ", "softplus")(shown)
    assert notebook.execute("print(seen[-1], widget.phi)").strip() == "('phi', 'softplus') softplus"
    assert notebook.errors == []
