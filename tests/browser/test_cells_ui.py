"""The cells of a page as a reader meets them, with a stand-in for Python that does what its source says."""

import html
import json
import os
import shutil
import subprocess
from itertools import product

import pytest

from tests.helpers.tiers import some_of
from tools.site import ROOT, served

JS = ROOT / "pyodide-cells/src/pyodide_cells/js"
THEME = ROOT / "_ext/theme"
PAGE = "chapters/one"
BUILT = "as the book printed it"
REPORT = '<div class="check check-no"><p><strong>Not yet: 1 of 3 points.</strong></p></div>'
FIGURE = '<svg xmlns="http://www.w3.org/2000/svg" width="50pt" height="30pt"><path d="M0 0h9v9z"/></svg>'
WIDGET = "application/vnd.jupyter.widget-view+json"


def says(text, name="stdout"):
    """A line of source that prints."""
    return "out " + json.dumps({"type": "stream", "name": name, "text": text})


def shows(**data):
    """A line of source that displays."""
    names = {"html": "text/html", "svg": "image/svg+xml", "plain": "text/plain", "widget": WIDGET}
    return "out " + json.dumps({"type": "display", "data": {names[name]: value for name, value in data.items()}})


def fails(line, error="NameError", unknown="a"):
    """Lines of source that end with an error."""
    text = f"Traceback (most recent call last):\n{'long ' * 60}\n{error}: no {unknown} & <b>\n"
    result = {"status": "error", "line": line, "error": error, "unknown": unknown}
    return f"out {json.dumps({'type': 'error', 'text': text, 'line': line})}\nend {json.dumps(result)}"


def code(source, attributes=""):
    """Code as Sphinx writes it, with its button."""
    verb = "Check" if attributes else "Run"
    button = (
        f'<button class="cell-run script-only" type="button">{verb}</button>' if attributes != " data-check" else ""
    )
    pre = f'<div class="highlight"><pre><span></span>{html.escape(source)}\n</pre></div>'
    return f'<div class="highlight-python notranslate"{attributes}>{button}{pre}</div>'


def cell(number, source, output=BUILT):
    """A cell as MyST-NB writes it."""
    button, block = '<button class="cell-run script-only" type="button">Run</button>', code(source, " data-check")
    block = block.replace(" data-check", "", 1)
    printed = f'<div class="output stream highlight-myst-ansi"><div class="highlight"><pre>{output}</pre></div></div>'
    return (
        f'<div class="cell" data-cell="{number}"><div class="cell_input">{button}{block}</div>'
        + (f'<div class="cell_output">{printed}</div>' if output else "")
        + "</div>"
    )


CELLS = [
    "import numpy as np\na = 1\n" + says("one\n"),
    "hidden = 2\n" + says("never shown"),
    "b = a\n" + says("two\n"),
    "print(a)\n" + fails(1),
]
EXERCISE = (
    '<div class="exercise admonition" id="ex-mine" data-exercise="mine"><p class="admonition-title">'
    '<span class="caption-number">Exercise 4 </span>(Try)</p>'
    f"{code('def mine(x):' + chr(10) + '    return np.zeros(x)', ' data-stub')}"
    f"{code(shows(html=REPORT, plain='Not yet: 1 of 3 points.'), ' data-check')}</div>"
    '<details class="admonition hint"><summary>Hint</summary><p>hint</p></details>'
    '<details class="admonition solution"><summary>Solution</summary><p>the solution</p></details>'
)
NOTEBOOK = {"nbformat": 4, "cells": [{"cell_type": "code", "source": source} for source in ["install", *CELLS]]}


@pytest.fixture(scope="session")
def scripts(tmp_path_factory):
    """The scripts of the site, bundled with a stand-in for Python."""
    source, out = tmp_path_factory.mktemp("js") / "js", tmp_path_factory.mktemp("python")
    shutil.copytree(JS, source)
    shutil.copy(ROOT / "tests/browser/fake_python.mjs", source / "python.mjs")
    (source / "cells.js").write_text('export { default } from "./cells.mjs";')
    esbuild = [ROOT / "node_modules/.bin/esbuild", "--bundle", "--splitting", "--format=esm", "--log-level=error"]
    modules = {**os.environ, "NODE_PATH": str(ROOT / "node_modules")}
    entries = ["cells.js", "editor.mjs"]
    subprocess.run([*esbuild, *entries, f"--outdir={out}"], cwd=source, env=modules, check=True)
    return out


@pytest.fixture
def site(tmp_path, scripts):
    """The address of a page with cells, and what can be changed in it: its folder."""
    static = tmp_path / "_static"
    shutil.copytree(scripts, static / "python")
    for name in ("early.js", "site.js"):
        shutil.copy(THEME / "static" / name, static / name)
    styles = [(THEME / name).read_text() for name in ("page.css", "content.css")]
    shutil.copytree(THEME / "static/fonts", static / "fonts")
    (static / "book.css").write_text("".join(styles))
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads/one.ipynb").write_text(json.dumps(NOTEBOOK))
    (tmp_path / "chapters").mkdir()
    write(tmp_path, CELLS, EXERCISE)
    with served(tmp_path) as address:
        yield f"{address}/{PAGE}.html", tmp_path


def write(folder, sources, after="", hidden=(1,)):
    """Write the page with these cells."""
    cells = [{"source": source, "shown": number not in hidden} for number, source in enumerate(sources)]
    pages = folder / "_static/python/pages"
    pages.mkdir(exist_ok=True)
    (pages / "chapters-one.json").write_text(json.dumps({"cells": cells}))
    blocks = "".join(cell(number, source) for number, source in enumerate(sources) if number not in hidden)
    (folder / f"{PAGE}.html").write_text(
        f'<!doctype html><html lang="en" data-page="{PAGE}" data-python="../_static/python/"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>One</title>'
        '<link rel="icon" href="data:,"><script src="../_static/early.js"></script>'
        '<link rel="stylesheet" href="../_static/book.css"><script defer src="../_static/site.js"></script>'
        '<body class="page"><header class="bar"><span id="place"></span>'
        '<button class="bar-button" id="colours" type="button"></button></header>'
        '<div class="frame"><nav class="contents" id="contents" aria-label="Contents"><ol>'
        '<li><a href="#main" aria-current="page">One</a><ul><li><a href="#part">Part</a></li></ul></li></ol></nav>'
        f'<main id="main"><section><h1>One</h1><section id="part"><h2>Part</h2>{blocks}{after}</section></section>'
        '<p class="notebook"><a href="../downloads/one.ipynb" download>one.ipynb</a></p></main></div></body></html>'
    )


@pytest.fixture
def opened(site, open_page):
    """The page, open."""
    return open_page(site[0])


@pytest.fixture
def with_cells(site, open_page):
    """Open a page with other cells."""

    def open_it(*sources, after="", hidden=(), **options):
        write(site[1], sources, after, hidden)
        return open_page(site[0], **options)

    return open_it


def box(page, number):
    return page.locator(f"[data-cell='{number}']")


def run(page, number):
    """Run a cell and wait for its end."""
    forget = "(all) => all.forEach((one) => one.removeAttribute('aria-busy'))"
    box(page, number).locator("[aria-busy]").evaluate_all(forget)  # that the run before has ended
    box(page, number).locator(".cell-run").click()
    box(page, number).locator(".cell-tools").wait_for()
    box(page, number).locator("[aria-busy=false]").wait_for(state="attached")


def ran(page):
    """What Python was given: the ids, in order."""
    return page.evaluate("python.log.map(([id]) => id)")


def write_into(page, place, text):
    """Open the editor of a cell or an exercise, and put a text into it."""
    place.locator("pre").first.click()
    place.locator(".cm-content").wait_for()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def test_nothing_comes_before_the_first_click_and_a_run_replaces_what_was_built(site, open_page):
    page = open_page(site[0])
    page.wait_for_load_state("networkidle")
    asked = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
    assert box(page, 0).locator(".cell_output").inner_text().strip() == BUILT
    assert page.evaluate("performance.getEntriesByType('resource').every(({ name }) => !name.includes('/python/'))")
    run(page, 0)
    assert "cells.js" in asked
    assert not any(name.startswith("editor") for name in asked)
    assert box(page, 0).locator(".cell_output pre").inner_text() == "one\n"
    assert box(page, 0).locator(".cell-state").inner_text() == "12 ms"
    assert page.locator(".cells-live").inner_text() == "Cell 1: finished, 12 ms"
    assert page.locator(".strip-text").inner_text() == "Python is ready."
    assert box(page, 2).locator(".cell_output").inner_text().strip() == BUILT
    assert page.evaluate("python.log") == [["1", CELLS[0], 0]]
    assert page.problems == []
    assert page.third_party == []


def test_a_click_into_the_code_makes_an_editor_where_the_code_was(opened):
    pre = box(opened, 0).locator("pre").first
    before, lines = pre.bounding_box(), opened.evaluate("document.body.scrollHeight")
    pre.click(position={"x": 60, "y": 20})
    editor = box(opened, 0).locator(".cm-editor")
    editor.wait_for()
    opened.locator(".cell-tools:visible").wait_for()
    assert editor.bounding_box() == pytest.approx(before, abs=0.51)
    assert opened.evaluate("document.body.scrollHeight") >= lines
    opened.keyboard.insert_text("|")
    first = box(opened, 0).locator(".cm-line").first.inner_text()
    assert first.replace("|", "") == "import numpy as np"
    assert 4 <= first.index("|") <= 7
    look = "(element) => [getComputedStyle(element).fontFamily, getComputedStyle(element).fontSize]"
    plain = box(opened, 2).locator("pre").first.evaluate(look)
    assert box(opened, 0).locator(".cm-line").first.evaluate(look) == plain
    colour = "(element) => getComputedStyle(element).color"
    assert box(opened, 0).locator(".cm-line .k").first.evaluate(colour) == "rgb(15, 92, 151)"
    assert opened.evaluate("typeof python.started") == "undefined"


def test_the_keys_run_go_on_and_leave(opened):
    box(opened, 0).locator("pre").first.click()
    first, second = box(opened, 0).locator(".cm-content"), box(opened, 2).locator(".cm-content")
    first.wait_for()
    opened.keyboard.press("Control+Enter")
    opened.get_by_text("Cell 1: finished").wait_for(state="attached")
    assert first.evaluate("(element) => element === document.activeElement")
    assert first.inner_text().count("\n") == CELLS[0].count("\n")
    opened.keyboard.press("Shift+Enter")
    second.wait_for()
    assert second.evaluate("(element) => element === document.activeElement")
    assert ran(opened) == ["1", "1"]
    opened.keyboard.press("Tab")
    assert second.inner_text().startswith("    b")
    opened.keyboard.press("Escape")
    opened.keyboard.press("Tab")
    assert not second.evaluate("(element) => element === document.activeElement")
    described = second.get_attribute("aria-describedby")
    assert "Escape, then Tab leaves the editor" in opened.locator(f"#{described}").text_content()


def test_the_keyboard_alone_opens_an_editor(opened):
    run(opened, 0)
    edit = opened.get_by_role("button", name="Edit cell 2")
    edit.focus()
    assert edit.evaluate("(element) => getComputedStyle(element).opacity") == "1"
    opened.keyboard.press("Enter")
    box(opened, 2).locator(".cm-focused").wait_for()


def test_cells_above_are_offered_for_a_name_and_run_in_order(opened, until):
    run(opened, 3)
    assert "NameError: no a & <b>" in box(opened, 3).locator(".traceback pre").inner_text()
    assert opened.locator(".cells-live").inner_text() == "Cell 3: NameError in line 1"
    assert box(opened, 3).get_by_text("a comes from a cell above.").is_visible()
    opened.get_by_role("button", name="Run all above, then this").click()
    until(opened, "python.log.length === 5")
    assert ran(opened) == ["3", "1", "hidden-1", "2", "3"]
    run(opened, 2)
    opened.get_by_role("button", name="Run all above cell 3").click()
    until(opened, "python.log.length === 9")
    assert ran(opened)[5:] == ["2", "1", "hidden-1", "2"]  # the second cell ran twice: so all from the top


def test_what_ran_in_order_is_not_run_again(opened, until):
    run(opened, 0)
    run(opened, 3)
    opened.get_by_role("button", name="Run all above, then this").click()
    until(opened, "python.log.length === 5")
    assert ran(opened) == ["1", "3", "hidden-1", "2", "3"]


def test_after_a_cell_that_failed_half_way_the_row_begins_at_the_top(with_cells, until):
    page = with_cells("a = 1", "x = 1\ny = 2\n" + fails(2, "ValueError", None), "c = 3")
    run(page, 0)
    run(page, 1)
    write_into(page, box(page, 1), "fine = 1")
    write_into(page, box(page, 2), "c = 4")  # its buttons are there then
    page.get_by_role("button", name="Run all above cell 3").click()
    until(page, "python.log.length === 4")
    assert ran(page) == ["1", "2", "1", "2"]


def test_a_name_that_no_cell_above_makes_is_no_offer(with_cells):
    page = with_cells("b = 1", "print(a)\n" + fails(1))
    run(page, 1)
    assert page.get_by_role("button", name="Run all above, then this").count() == 0


def test_an_error_marks_its_line_and_ends_the_row(with_cells):
    page = with_cells("x = 1", "x = 1\ny = 2\n" + fails(2, "ValueError", "y"), "z = 3", "w = 4")
    run(page, 0)
    run(page, 3)
    page.get_by_role("button", name="Run all above cell 4").click()
    box(page, 1).locator(".cell-line").wait_for()
    mark, pre = (box(page, 1).locator(name).first.bounding_box() for name in (".cell-line", "pre"))
    line = box(page, 1).locator("pre").first.evaluate("(element) => parseFloat(getComputedStyle(element).lineHeight)")
    assert mark["y"] - pre["y"] == pytest.approx(0.8 * 16 + line, abs=1)
    assert box(page, 1).locator(".cell-state").inner_text() == "ValueError in line 2"
    said = "Cell 2 has failed, and what is below it did not run. Show cell 2"
    assert box(page, 3).locator(".cell-says").inner_text() == said
    assert box(page, 2).locator(".cell-state").inner_text() == ""
    write_into(page, box(page, 1), "fine = 1")
    assert box(page, 1).locator(".cell-line").count() == 0
    assert box(page, 3).locator(".cell-says").inner_text() == said
    page.keyboard.press("Control+Enter")  # it did fail, but no more
    box(page, 3).locator(".cell-says").wait_for(state="hidden")


def test_what_fails_in_a_row_is_told_where_the_reader_is_with_a_way_there(with_cells):
    page = with_cells("x = 1\n" + fails(1, "ValueError", "x"), "hidden", "b = 2", hidden=(1,))
    fold = "(cell) => { cell.innerHTML = `<details><summary>Code</summary>${cell.innerHTML}</details>` }"
    box(page, 0).evaluate(fold)
    run(page, 2)
    page.get_by_role("button", name="Run all above cell 2").click()
    box(page, 2).get_by_text("Cell 1 has failed, and what is below it did not run.").wait_for()
    box(page, 2).get_by_role("button", name="Show cell 1").click()
    assert box(page, 0).locator(".cell-run").evaluate("(button) => button === document.activeElement")
    assert box(page, 0).locator(".traceback, .cell-line").first.is_visible()
    assert page.problems == []


HIDE = """(cell) => {
    const box = Object.assign(document.createElement("div"), { hidden: "until-found", id: "waits" });
    cell.before(box);
    box.append(cell);
    box.addEventListener("beforematch", () => (box.dataset.opened = Number(box.dataset.opened ?? 0) + 1));
}"""


def test_the_keys_pass_over_a_cell_that_waits_out_of_sight(with_cells):
    page = with_cells("a = 1", "b = 2", "c = 3")
    box(page, 1).evaluate(HIDE)
    box(page, 0).locator("pre").first.click()
    box(page, 0).locator(".cm-content").wait_for()
    page.keyboard.press("Shift+Enter")
    third = box(page, 2).locator(".cm-content")
    third.wait_for()
    assert third.evaluate("(element) => element === document.activeElement")
    assert box(page, 1).is_hidden()


def test_a_cell_that_waits_out_of_sight_is_shown_to_who_asks_for_it(with_cells):
    page = with_cells(fails(1, "ValueError", "x"), "b = 2")
    box(page, 0).evaluate(HIDE)
    run(page, 1)
    page.get_by_role("button", name="Run all above cell 2").click()
    box(page, 1).get_by_role("button", name="Show cell 1").click()
    assert box(page, 0).locator(".cell-run").evaluate("(button) => button === document.activeElement")
    assert box(page, 0).locator(".traceback, .cell-line").first.is_visible()
    assert page.locator("#waits").get_attribute("data-opened") == "1"  # the page is told, as by the browser's search
    assert page.problems == []


def test_a_row_goes_on_where_a_hidden_cell_holds_a_change_to_the_books_numbers(with_cells, until):
    page = with_cells("a = 1", "assert a == 1\n" + fails(1, "AssertionError", None), "b = 2", "c = 3", hidden=(1,))
    run(page, 3)
    above = page.get_by_role("button", name="Run all above cell 3")
    above.click()
    page.get_by_text("A cell that the page does not show has failed: AssertionError.").wait_for()
    assert ran(page) == ["3", "1", "hidden-1"]  # nothing is changed: the book is wrong
    write_into(page, box(page, 0), "a = 2")
    above.click()
    until(page, "python.log.length === 6")
    assert ran(page)[3:] == ["1", "hidden-1", "2"]
    page.get_by_text("Cell 2: finished").wait_for(state="attached")
    assert page.locator(".strip-note").is_hidden()


def test_a_row_runs_in_its_order_what_waited_before_it(with_cells, until):
    page = with_cells("a = 1", "b = a", "c = b")
    page.evaluate("slow = true")
    box(page, 1).locator(".cell-run").click()
    box(page, 1).get_by_text("waits for Python").wait_for()
    box(page, 2).locator("pre").first.click()
    page.get_by_role("button", name="Run all above cell 3").click()
    box(page, 0).get_by_text("waits", exact=True).wait_for()
    page.evaluate("loaded()")
    until(page, "python.log.length === 3")
    assert ran(page) == ["2", "1", "2"]
    run(page, 2)
    assert ran(page) == ["2", "1", "2", "3"]


def test_a_row_that_is_asked_for_twice_runs_once(with_cells, until):
    page = with_cells("wait", "hidden", "b = 2", "c = 3", hidden=(1,))
    box(page, 3).locator("pre").first.click()
    above = page.get_by_role("button", name="Run all above cell 3")
    above.click()
    until(page, "document.querySelector('.strip-text').textContent === 'Cell 1 runs.'")
    for waits in (above, box(page, 2).locator(".cell-run")):
        waits.evaluate("(button) => button.click()")  # at once: a mouse's click may come when the row has ended
    page.evaluate("release()")
    run(page, 3)
    assert ran(page) == ["1", "hidden-1", "2", "3"]


def test_a_line_that_a_change_makes_untrue_is_explained(with_cells):
    page = with_cells("a = 1", "assert a == 1\n" + fails(1, "AssertionError", None))
    says = "In the book this line holds. With what you changed, it does not."
    run(page, 1)
    assert page.get_by_text(says).count() == 0
    write_into(page, box(page, 0), "a = 2")
    run(page, 1)
    assert box(page, 1).locator(".cell-says").inner_text() == says


def test_an_error_after_a_cell_further_down_ran_is_explained(with_cells):
    page = with_cells("a = 1", "use(a)\n" + fails(1, "ValueError", None), "a = None")
    run(page, 1)
    assert box(page, 1).locator(".cell-says").is_hidden()
    run(page, 2)
    run(page, 1)
    assert "A cell below has run before" in box(page, 1).locator(".cell-says").inner_text()
    box(page, 1).get_by_role("button", name="Run all above, then this").click()
    page.get_by_text("Cell 2: ValueError in line 1").wait_for(state="attached")
    box(page, 1).locator(".cell-says").wait_for(state="hidden")
    write_into(page, box(page, 0), fails(1, "ValueError", None))
    run(page, 0)
    assert box(page, 0).locator(".cell-says").is_hidden()  # nothing is above it


FOCUSED = "[document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent]"


def test_a_button_that_goes_leaves_the_focus_near(with_cells, until):
    page = with_cells("a = 1", "wait", "print(a)\n" + fails(1))
    run(page, 2)
    box(page, 2).get_by_role("button", name="Run all above, then this").press("Enter")
    assert page.evaluate(FOCUSED) == ["Run cell 3"]
    until(page, "document.querySelector('.strip-text').textContent === 'Cell 2 runs.'")
    box(page, 1).get_by_role("button", name="Stop cell 2").press("Enter")
    until(page, "document.querySelector('.strip-text').textContent === 'Python is off.'")
    assert page.evaluate(FOCUSED) == ["Run cell 2"]
    box(page, 1).locator(".cell-run").click()
    until(page, "document.querySelector('.strip-text').textContent === 'Cell 2 runs.'")
    page.locator(".python-strip").get_by_role("button", name="Stop").press("Enter")
    until(page, "document.querySelector('.strip-text').textContent === 'Python is off.'")
    assert page.evaluate(FOCUSED) == ["Start Python"]
    write_into(page, box(page, 0), "mine = 1")
    forget = page.get_by_role("button", name="Forget my changes")
    forget.press("Enter")
    page.keyboard.press("Enter")
    forget.wait_for(state="hidden")
    assert page.evaluate(FOCUSED) == ["Start Python"]


def test_nothing_comes_to_where_stop_was(with_cells, until):
    page = with_cells("a = 1", "mine")
    write_into(page, box(page, 1), "wait")
    page.keyboard.press("Control+Enter")
    until(page, "document.querySelector('.strip-text').textContent === 'Cell 2 runs.'")
    box(page, 1).get_by_role("button", name="Stop cell 2").dblclick(no_wait_after=True)
    box(page, 1).get_by_text("Python was stopped.").wait_for()
    assert box(page, 1).locator(".cm-content").inner_text() == "wait"
    assert page.evaluate("python.log.length") == 1


def test_the_caret_keeps_clear_of_the_bars(with_cells, until):
    page = with_cells("a = 1\n" * 60, "b = 1\n" * 60)
    box(page, 0).locator("pre").first.click(position={"x": 60, "y": 20})
    box(page, 0).locator(".cm-focused").wait_for()
    page.keyboard.press("Shift+Enter")
    box(page, 1).locator(".cm-focused").wait_for()
    clear = """(() => {
        const line = getSelection().getRangeAt(0).startContainer.parentElement.closest('.cm-line');
        const shown = [line, ...document.querySelectorAll('.bar, .python-strip')];
        const [caret, bar, strip] = shown.map((box) => box.getBoundingClientRect());
        return caret.top >= bar.bottom && caret.bottom <= strip.top;
    })()"""
    until(page, clear)
    for _ in range(40):
        page.keyboard.press("ArrowDown")
    until(page, clear)
    assert page.evaluate(clear)


def test_what_does_not_run_in_a_browser_keeps_what_was_built(with_cells):
    end = 'end {"status": "needs", "needs": "torch", "handed": true}'
    page = with_cells("import torch\n" + says("half") + "\n" + end)
    run(page, 0)
    assert box(page, 0).locator(".cell_output").inner_text().strip() == BUILT
    said = "This is what the cell gave when the book was built; the cells below use its results."
    assert box(page, 0).locator(".cell-says").inner_text() == f"torch does not run in this page. {said}"
    write_into(page, box(page, 0), "import torch, changed\n" + end)
    page.keyboard.press("Control+Enter")
    page.get_by_text("so a changed cell cannot run here").first.wait_for()
    assert box(page, 0).locator(".cell_output").inner_text().strip() == BUILT


def test_a_cell_above_that_cannot_run_is_named_where_the_reader_is(with_cells):
    page = with_cells("a = 1", 'end {"status": "failed", "message": "It did not come."}', "print(a)\n" + fails(1))
    run(page, 2)
    box(page, 2).get_by_role("button", name="Run all above, then this").click()
    box(page, 2).get_by_text("Cell 2 has failed, and what is below it did not run.").wait_for()
    assert box(page, 1).locator(".cell-says").inner_text() == "It did not come."


def test_a_hidden_cell_that_fails_is_told_in_the_strip(with_cells):
    page = with_cells("x = 1\n" + fails(1, "ValueError", "x"), "a = 1", "print(a)\n" + fails(1), hidden=(0,))
    run(page, 2)
    box(page, 2).get_by_role("button", name="Run all above, then this").click()
    told = page.get_by_text("A cell that the page does not show has failed: ValueError.")
    told.wait_for()
    assert told.is_visible()


def test_stop_ends_what_runs_and_what_waits(with_cells, until):
    page = with_cells("a = 1", "wait", "c = 3")
    run(page, 0)
    box(page, 1).locator(".cell-run").click()
    until(page, "python.state === 'running'")
    box(page, 2).locator(".cell-run").click()
    box(page, 2).get_by_text("waits", exact=True).wait_for()
    assert box(page, 1).locator(".cell-state").inner_text() == "runs"
    assert box(page, 1).locator(".cell_output").get_attribute("aria-busy") == "true"
    assert page.locator(".strip-text").inner_text() == "Cell 2 runs."
    page.get_by_role("button", name="Stop cell 2").click()
    box(page, 1).get_by_text("Python was stopped.").wait_for()
    until(page, "!document.querySelector('[aria-busy=true]')")
    assert ran(page) == ["1", "2"]
    assert box(page, 2).locator(".cell-state").inner_text() == ""
    assert page.locator(".strip-text").inner_text() == "Python is off."
    box(page, 1).get_by_role("button", name="Run all above, then this").click()
    until(page, "python.log.length === 4")
    assert ran(page) == ["1", "2", "1", "2"]


def test_loading_is_told_in_words_and_bytes(opened):
    opened.evaluate("slow = true")
    box(opened, 0).locator(".cell-run").click()
    opened.get_by_text("Python is on its way: 3.2 of 9.1 MB.").wait_for()
    assert opened.locator("progress").evaluate("(bar) => bar.value.toFixed(2)") == "0.35"
    assert opened.locator(".cells-live").inner_text() == "Python is on its way"
    assert box(opened, 0).locator(".cell_output pre").inner_text() == BUILT
    opened.evaluate("loaded()")
    opened.get_by_text("Cell 1: finished").wait_for(state="attached")
    assert opened.locator("progress").is_hidden()


def test_a_fault_is_one_sentence_and_python_can_be_started_again(with_cells):
    page = with_cells("a = 1\n" + says("one\n"), 'end {"status": "died", "message": "Python has ended."}')
    page.evaluate("fault = 'Python could not be loaded: numpy is not the file that this book was built with.'")
    run(page, 0)
    assert "not the file that this book was built with" in box(page, 0).locator(".cell-says").inner_text()
    assert box(page, 0).locator(".cell_output").inner_text().strip() == BUILT
    page.evaluate("fault = ''")
    page.get_by_role("button", name="Start Python").click()
    page.get_by_text("Python is ready.").wait_for()
    run(page, 1)
    assert "Python has ended." in box(page, 1).locator(".cell-says").inner_text()
    run(page, 0)
    assert box(page, 0).locator(".cell_output pre").inner_text() == "one\n"


def test_no_network_at_the_first_click_is_a_sentence_and_the_next_click_tries_again(opened):
    opened.context.set_offline(True)
    box(opened, 0).locator(".cell-run").click()
    said = opened.get_by_role("alert")
    said.wait_for()
    assert said.inner_text() == "Python could not be loaded. Is there a connection? Another click tries again."
    opened.context.set_offline(False)
    run(opened, 0)
    assert said.count() == 0
    assert box(opened, 0).locator(".cell_output pre").inner_text() == "one\n"


def test_a_page_whose_cells_do_not_come_says_so_and_the_next_click_tries_again(site, opened):
    file = site[1] / "_static/python/pages/chapters-one.json"
    kept = file.rename(file.with_suffix(".away"))
    box(opened, 0).locator(".cell-run").click()
    opened.get_by_role("alert").wait_for()
    assert "there is no network" in opened.get_by_role("alert").inner_text()
    kept.rename(file)
    run(opened, 0)
    assert box(opened, 0).locator(".cell_output pre").inner_text() == "one\n"


def test_an_editor_that_does_not_come_says_so_and_the_next_click_tries_again(site, opened):
    file = site[1] / "_static/python/editor.js"
    kept = file.rename(file.with_suffix(".away"))
    box(opened, 0).locator("pre").first.click()
    said = box(opened, 0).locator(".cell-says")
    said.wait_for()
    kept.rename(file)
    assert said.inner_text() == "The editor could not be loaded. Is there a connection? Another click tries again."
    box(opened, 0).locator("pre").first.click()
    box(opened, 0).locator(".cm-editor").wait_for()
    assert not said.is_visible()
    box(opened, 2).locator("pre").first.click()
    box(opened, 2).locator(".cm-editor").wait_for()


def test_from_a_folder_a_run_says_how_to_get_a_running_page(site, open_page):
    page = open_page((site[1] / f"{PAGE}.html").as_uri())
    box(page, 0).locator("pre").first.click()
    assert page.get_by_role("alert").count() == 0
    box(page, 0).locator(".cell-run").click()
    assert "make serve" in page.get_by_role("alert").inner_text()
    assert page.problems == []


def test_changes_are_kept_and_shown_again_and_can_be_taken_back(opened):
    write_into(opened, box(opened, 0), "mine = 1")
    opened.reload()
    assert box(opened, 0).get_by_role("button", name="changed · Run").is_visible()
    assert box(opened, 2).get_by_role("button", name="Run", exact=True).is_visible()
    run(opened, 2)
    box(opened, 0).locator(".cm-content").wait_for()
    assert box(opened, 0).locator(".cm-content").inner_text() == "mine = 1"
    assert box(opened, 2).locator(".cm-content").count() == 0
    opened.get_by_role("button", name="Reset cell 1").click()
    assert box(opened, 0).locator(".cm-content").inner_text() == CELLS[0]
    assert box(opened, 0).get_by_role("button", name="Reset cell 1").count() == 0
    assert opened.evaluate("store.get('code:chapters/one#0')") is None


def test_all_changes_can_be_forgotten_after_a_question(opened):
    write_into(opened, box(opened, 0), "mine = 1")
    write_into(opened, box(opened, 2), "mine = 2")
    opened.get_by_role("button", name="Forget my changes").click()
    assert box(opened, 0).locator(".cm-content").inner_text() == "mine = 1"
    opened.get_by_role("button", name="Really forget them").click()
    assert box(opened, 0).locator(".cm-content").inner_text() == CELLS[0]
    assert box(opened, 2).locator(".cm-content").inner_text() == CELLS[2]
    assert opened.get_by_role("button", name="Forget my changes").count() == 0
    assert opened.evaluate("Object.keys(localStorage).filter((key) => key.includes('code:'))") == []
    box(opened, 0).locator(".cm-content").click()
    opened.keyboard.insert_text("mine = 3")
    opened.get_by_role("button", name="Forget my changes").wait_for()  # it asks again


def test_a_change_of_code_that_is_another_by_now_waits_for_the_reader(opened):
    kept = json.dumps({"book": "older", "mine": "mine = 1"})
    opened.evaluate("(kept) => store.set('code:chapters/one#0', JSON.parse(kept))", kept)
    opened.reload()
    run(opened, 2)
    assert "not the one that you changed" in box(opened, 0).locator(".cell-says").inner_text()
    assert box(opened, 0).locator("pre").first.inner_text().startswith("import numpy")
    assert opened.get_by_role("button", name="Forget my changes").is_visible()
    opened.get_by_role("button", name="Put mine in its place").click()
    box(opened, 0).locator(".cm-content").wait_for()
    assert box(opened, 0).locator(".cm-content").inner_text() == "mine = 1"


@pytest.fixture
def with_older(opened, until):
    """A page whose first cell has a change, and one of an older edition that waits behind it."""
    kept = json.dumps({"book": "older", "mine": "mine = 1"})
    opened.evaluate("(kept) => store.set('code:chapters/one#0', JSON.parse(kept))", kept)
    opened.reload()
    run(opened, 2)
    write_into(opened, box(opened, 0), "x = 3")
    until(opened, "() => store.get('code:chapters/one#0').mine === 'x = 3'")
    return opened


def test_a_change_that_waits_survives_what_is_written_and_run(with_older, until):
    opened = with_older
    opened.keyboard.press("Control+Enter")
    opened.get_by_text("Cell 1: finished").wait_for(state="attached")
    opened.reload()
    run(opened, 2)
    assert box(opened, 0).locator(".cm-content").inner_text() == "x = 3"
    opened.get_by_role("button", name="Put mine in its place").click()
    until(opened, "() => document.querySelector('.cm-content').innerText === 'mine = 1'")


def test_a_change_that_waits_survives_a_reset(with_older, until):
    opened = with_older
    opened.get_by_role("button", name="Reset cell 1").click()
    assert opened.evaluate("store.get('code:chapters/one#0').mine") == "mine = 1"
    opened.get_by_role("button", name="Put mine in its place").click()
    until(opened, "() => document.querySelector('.cm-content').innerText === 'mine = 1'")


def test_a_change_that_the_storage_has_no_room_for_is_said(opened):
    write_into(opened, box(opened, 0), "x = 3")
    opened.evaluate(
        """() => {
          localStorage.setItem("little", "x".repeat(200));
          for (let size = 2 ** 22; size >= 1; size /= 2)
            for (let i = 0; ; i++)
              try { localStorage.setItem(`full-${size}-${i}`, "x".repeat(size)); } catch { break; }
          localStorage.removeItem("little");
        }"""
    )
    opened.keyboard.insert_text("y" * 5000)
    opened.get_by_text("This browser keeps nothing: take your changes away as a notebook.").wait_for()
    assert "y" * 5000 not in (opened.evaluate("store.get('code:chapters/one#0')?.mine") or "")


def test_on_a_mac_control_enter_runs_too(opened):
    opened.add_init_script("Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' })")
    opened.reload()
    opened.locator("[data-cell] pre").first.click()
    box(opened, 0).locator(".cm-content").wait_for()
    opened.keyboard.press("Control+Enter")
    opened.get_by_text("Cell 1: finished").wait_for(state="attached")
    assert ran(opened) == ["1"]


def test_a_change_that_waits_behind_another_is_offered_after_it(opened, until):
    kept = json.dumps({"book": "B2", "mine": "m2", "older": {"book": "B1", "mine": "m1"}})
    opened.evaluate("(kept) => store.set('code:chapters/one#0', JSON.parse(kept))", kept)
    opened.reload()
    run(opened, 2)
    offer = box(opened, 0).get_by_role("button", name="Put mine in its place")
    offer.click()
    until(opened, "store.get('code:chapters/one#0').book !== 'B2'")  # it is kept anew
    assert opened.evaluate("store.get('code:chapters/one#0').mine") == "m2"
    assert opened.evaluate("store.get('code:chapters/one#0').older.mine") == "m1"
    offer.click()
    until(opened, "store.get('code:chapters/one#0').mine === 'm1'")
    assert offer.count() == 0
    assert box(opened, 0).locator(".cm-content").inner_text() == "m1"


def test_changes_that_a_new_count_brings_to_one_place_are_both_kept(with_cells, until):
    page = with_cells("x = 1", "z = 3")
    kept = json.dumps([{"book": "y = 1", "mine": "y = 2"}, {"book": "x = 1", "mine": "x = 2"}])
    put = "(kept) => JSON.parse(kept).forEach((one, cell) => store.set(`code:chapters/one#${cell}`, one))"
    page.evaluate(put, kept)
    page.reload()
    run(page, 1)
    box(page, 0).locator(".cm-content").wait_for()
    assert box(page, 0).locator(".cm-content").inner_text() == "x = 2"
    assert page.evaluate("store.get('code:chapters/one#1')") is None
    box(page, 0).get_by_role("button", name="Put mine in its place").click()
    until(page, "document.querySelector('.cm-content').innerText === 'y = 2'")


def test_a_change_goes_with_its_code_where_a_build_counts_anew(opened):
    kept = json.dumps({"book": CELLS[0], "mine": "mine = 1"})
    opened.evaluate("(kept) => store.set('code:chapters/one#1', JSON.parse(kept))", kept)
    opened.reload()
    run(opened, 2)
    assert box(opened, 0).locator(".cm-content").inner_text() == "mine = 1"
    assert opened.evaluate("store.get('code:chapters/one#1')") is None


def test_a_page_of_another_build_runs_nothing(site, opened):
    file = site[1] / "_static/python/pages/chapters-one.json"
    told = json.loads(file.read_text())
    file.write_text(json.dumps({"cells": [{"source": "inserted = 1", "shown": False}, *told["cells"]]}))
    box(opened, 0).get_by_role("button", name="Run").click()
    opened.get_by_text("The book has changed since this page was loaded").first.wait_for()
    assert opened.evaluate("python.log") == []


def test_two_tabs_keep_each_its_own_change(opened):
    other = opened.context.new_page()
    other.goto(opened.url)
    write_into(opened, box(opened, 0), "mine = 1")
    write_into(other, box(other, 2), "mine = 2")
    for page in (other, opened):
        page.reload()
    assert box(opened, 0).get_by_role("button", name="changed · Run").is_visible()
    assert box(opened, 2).get_by_role("button", name="changed · Run").is_visible()


def test_without_storage_nothing_breaks_and_one_sentence_says_so(site, open_page):
    page = open_page(site[0])
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('off'); } })")
    page.reload()
    write_into(page, box(page, 0), "mine = 1\n" + says("mine\n"))
    page.keyboard.press("Control+Enter")
    page.get_by_text("This browser keeps nothing: take your changes away as a notebook.").wait_for()
    box(page, 0).get_by_text("12 ms").wait_for()
    assert box(page, 0).locator(".cell_output pre").inner_text() == "mine\n"
    assert page.problems == []


def test_the_notebook_holds_what_was_changed(opened):
    write_into(opened, box(opened, 2), "mine = 2")
    with opened.expect_download() as download:
        opened.get_by_role("button", name="Keep as notebook").click()
    assert download.value.suggested_filename == "one.ipynb"
    cells = json.loads(download.value.path().read_text())["cells"]
    assert [made["source"] for made in cells] == ["install", CELLS[0], CELLS[1], "mine = 2", CELLS[3]]


HOSTILE = "<script>top.hit = 1</script><img src=x onerror='top.hit = 1'><a href='javascript:top.hit=1'>x</a><b>bold</b>"


def test_outputs_are_text_images_and_frames_in_which_nothing_runs(with_cells, until):
    page = with_cells(
        "\n".join(
            [
                says(HOSTILE),
                says("more\n"),
                says("warned\n", "stderr"),
                shows(html=HOSTILE, plain="x"),
                shows(svg=FIGURE.replace("<path", "<script>top.hit = 1</script><path"), plain="x"),
                shows(plain=HOSTILE),
                shows(widget={"model_id": "m1"}, plain="w"),
                shows(widget={"model_id": "none"}, plain="w"),
            ]
        )
    )
    run(page, 0)
    output = box(page, 0).locator(".cell_output")
    texts = output.locator("pre").all_inner_texts()
    assert texts == [HOSTILE + "more\n", "warned\n", HOSTILE]
    assert output.locator(".stderr").count() == 1
    frame = page.frame_locator(".cell-frame")
    frame.locator("b").wait_for()
    assert output.locator("iframe").get_attribute("sandbox") == "allow-same-origin"
    assert output.locator("iframe").get_attribute("title") == "Output of cell 1"
    frame.get_by_role("link").click()
    until(page, "document.querySelector('.cell-frame').offsetHeight > 20")
    assert output.get_by_text("widget m1").is_visible()
    assert output.get_by_text("it needs Jupyter").is_visible()
    assert output.locator("img").evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 67
    assert page.evaluate("globalThis.hit ?? 0") == 0
    assert output.locator("script, a, b").count() == 0
    write_into(page, box(page, 0), "empty = 1")
    page.keyboard.press("Control+Enter")
    until(page, "globalThis.ended === 'm1'")
    assert output.inner_text() == ""


def test_a_frame_takes_the_colours_of_the_page(with_cells):
    page = with_cells(shows(html="<p>hello</p>"))
    run(page, 0)
    inside = page.frame_locator(".cell-frame").locator("p")
    colour = "(element) => getComputedStyle(element).color"
    assert inside.evaluate(colour) == "rgb(29, 33, 38)"
    page.locator("#colours").click()
    assert inside.evaluate(colour) == "rgb(230, 227, 220)"


def test_a_widget_that_lost_its_python_says_so(with_cells, until):
    page = with_cells(shows(widget={"model_id": "m1"}, plain="w"), says("text\n"))
    run(page, 0)
    run(page, 1)
    page.get_by_role("button", name="Start again").click()
    box(page, 0).get_by_text("This is no longer connected to Python. Run the cell again to connect it.").wait_for()
    assert box(page, 1).locator(".cell-says").is_hidden()
    run(page, 0)
    assert box(page, 0).locator(".cell-says").is_hidden()


def test_a_widget_of_a_cell_that_failed_says_so_too(with_cells):
    page = with_cells(shows(widget={"model_id": "m1"}, plain="w") + "\n" + fails(1))
    run(page, 0)
    box(page, 0).get_by_text("widget m1").wait_for()
    page.get_by_role("button", name="Start again").click()
    box(page, 0).get_by_text("This is no longer connected to Python. Run the cell again to connect it.").wait_for()
    assert box(page, 0).get_by_text("widget m1").is_visible()


def test_a_figure_has_the_words_of_the_book_while_its_cell_is_the_books_own(site, with_cells, until):
    source = shows(svg=FIGURE) + "\n" + shows(svg=FIGURE)
    page = with_cells(source)
    file = site[1] / f"{PAGE}.html"
    file.write_text(
        file.read_text().replace(
            '<div class="output stream', '<img alt="In words" src="data:,"><div class="output stream'
        )
    )
    page.reload()
    run(page, 0)
    alts = "(images) => images.map(({ alt }) => alt)"
    assert box(page, 0).locator("img").evaluate_all(alts) == ["In words", "What cell 1 draws"]
    write_into(page, box(page, 0), source + "\n")
    page.keyboard.press("Control+Enter")
    until(page, "document.querySelector('img').alt === 'What cell 1 draws'")


def test_output_without_end_is_cut_and_a_cleared_one_is_not(with_cells):
    flood = "\n".join([says("x" * 50_000)] * 9)
    clear = 'out {"type": "clear"}'
    page = with_cells(flood, "\n".join([*[f"{says('y' * 150_000)}\n{clear}"] * 3, says("end\n")]))
    run(page, 0)
    output = box(page, 0).locator(".cell_output")
    assert len(output.locator("pre").inner_text()) == 200_000
    cut = "The output is longer than 200,000 characters. The rest of it is not shown."
    assert output.get_by_text(cut).count() == 1
    run(page, 1)
    assert box(page, 1).locator(".cell_output").inner_text() == "end\n"


def test_the_error_is_shown_after_output_without_end(with_cells):
    page = with_cells("\n".join([*[says("x" * 50_000)] * 5, fails(1)]))
    run(page, 0)
    assert "NameError" in page.locator(".traceback pre").inner_text()


def test_what_a_cell_puts_out_after_its_end_still_comes(opened, until):
    run(opened, 0)
    late = json.dumps({"id": "1", "output": {"type": "stream", "name": "stdout", "text": "late\n"}})
    opened.evaluate("(late) => python.dispatchEvent(new CustomEvent('output', { detail: JSON.parse(late) }))", late)
    until(opened, "document.querySelector('[data-cell] .cell_output').innerText.includes('late')")
    assert box(opened, 0).locator(".cell_output").inner_text() == "one\nlate\n"


def test_a_display_is_updated_in_its_place(with_cells):
    shown = [json.dumps({"type": "display", "id": "d", "data": {"text/plain": text}}) for text in ("first", "second")]
    page = with_cells(f"out {shown[0]}\n{says('after')}", f"out {shown[1]}")
    run(page, 0)
    run(page, 1)
    assert box(page, 0).locator("pre").all_inner_texts()[1:] == ["second", "after"]
    assert box(page, 1).locator(".cell_output").inner_text() == ""


def test_a_program_is_checked_with_the_imports_that_it_needs(opened):
    exercise = opened.locator("[data-exercise]")
    opened.get_by_role("button", name="Check").click()
    exercise.get_by_text("1 of 3 points", exact=True).wait_for()
    assert opened.frame_locator(".cell-frame").get_by_text("Not yet: 1 of 3 points.").is_visible()
    (first, imported, _), (second, source, cell) = opened.evaluate("python.log")
    assert (first, second, cell) == ("imports", "ex-mine", None)
    assert imported == "try:\n    import numpy as np\nexcept ImportError:\n    pass"
    assert source.startswith("def mine(x):\n    return np.zeros(x)\nout ")
    assert opened.locator(".cells-live").inner_text() == "Exercise 4: 1 of 3 points"


def test_a_program_that_has_lost_its_name_is_not_judged_by_what_a_cell_left(opened):
    write_into(opened, opened.locator("[data-exercise]"), "def main(x): return x")
    opened.get_by_role("button", name="Check").click()
    opened.get_by_text("Exercise 4: 1 of 3 points").wait_for(state="attached")
    (first, gone, _), (second, source, _) = opened.evaluate("python.log")
    assert (first, second) == ("imports", "ex-mine")
    assert gone == "try:\n    del mine\nexcept NameError:\n    pass"
    assert source.startswith("def main(x): return x\nout ")


def test_a_program_whose_python_does_not_come_is_told_once(opened):
    opened.evaluate("fault = 'Python could not be loaded: there is no network.'")
    opened.get_by_role("button", name="Check").click()
    opened.locator("[data-exercise]").get_by_text("there is no network").wait_for()
    opened.get_by_role("button", name="Start Python").wait_for()
    opened.locator(".solution summary").click()
    opened.get_by_role("button", name="Open it all the same").wait_for()
    assert opened.locator("[data-exercise]").get_by_text("there is no network").count() == 1


def test_points_are_kept_and_shown_in_the_contents(opened):
    exercise = opened.locator("[data-exercise]")
    opened.evaluate("store.set('exercises', { 'chapters/one': { done: 1, of: 2, points: { mine: [3, 3] } } })")
    opened.reload()
    assert opened.locator(".progress").inner_text() == "read, 1 of 2 programs"
    run(opened, 0)
    assert exercise.locator(".cell-state").inner_text() == "3 of 3 points"
    opened.get_by_role("button", name="Check").click()
    opened.get_by_text("Exercise 4: 1 of 3 points").wait_for(state="attached")
    kept = opened.evaluate("store.get('exercises')['chapters/one']")
    assert kept == {"done": 1, "of": 1, "points": {"mine": [3, 3]}}


def test_an_exercise_that_the_page_has_no_more_counts_no_more(opened):
    opened.evaluate("store.set('exercises', { 'chapters/one': { done: 1, of: 2, points: { gone: [3, 3] } } })")
    opened.reload()
    run(opened, 0)
    opened.get_by_role("button", name="Check").click()
    opened.get_by_text("Exercise 4: 1 of 3 points").wait_for(state="attached")
    kept = opened.evaluate("store.get('exercises')['chapters/one']")
    assert kept == {"done": 0, "of": 1, "points": {"gone": [3, 3], "mine": [1, 3]}}


def test_points_of_another_number_are_compared_by_their_share(opened):
    opened.evaluate("store.set('exercises', { 'chapters/one': { done: 1, of: 1, points: { mine: [2, 2] } } })")
    opened.reload()
    run(opened, 0)
    opened.get_by_role("button", name="Check").click()
    opened.get_by_text("Exercise 4: 1 of 3 points").wait_for(state="attached")
    assert opened.evaluate("store.get('exercises')['chapters/one']") == {"done": 1, "of": 1, "points": {"mine": [2, 2]}}


def test_a_solution_asks_for_a_try_first(opened):
    solution = opened.locator(".solution")
    opened.locator(".hint summary").click()
    assert opened.locator(".hint p").is_visible()
    solution.locator("summary").click()
    ask = opened.get_by_role("button", name="Open it all the same")
    ask.wait_for()
    assert solution.locator("p").is_hidden()
    assert opened.evaluate("document.activeElement.textContent") == ask.inner_text()
    opened.keyboard.press("Enter")
    assert solution.locator("p").is_visible()
    assert ask.count() == 0


def test_after_a_try_the_solution_opens_at_once(opened):
    opened.get_by_role("button", name="Check").click()
    opened.get_by_text("1 of 3 points", exact=True).wait_for()
    opened.locator(".solution summary").click()
    assert opened.locator(".solution p").is_visible()
    opened.reload()
    opened.locator(".solution summary").click()
    assert opened.locator(".solution p").is_visible()


@pytest.mark.parametrize(("width", "scheme"), some_of(product([1280, 320], ["light", "dark"]), every=2))
def test_no_state_of_a_cell_is_out_of_reach(width, scheme, site, open_page, violations):
    page = open_page(site[0], viewport={"width": width, "height": 700}, color_scheme=scheme)
    assert violations(page) == []  # idle
    write_into(page, box(page, 0), "mine = 1\n" + "x = " + "1 + " * 60 + "1")
    assert violations(page) == []  # edited
    run(page, 2)
    run(page, 3)
    page.get_by_role("button", name="Check").click()
    page.get_by_text("1 of 3 points", exact=True).wait_for()
    page.locator(".solution summary").click()
    assert violations(page) == []  # run, failed, checked
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    end, strip = page.locator("p.notebook").bounding_box(), page.locator(".python-strip").bounding_box()
    assert end["y"] + end["height"] <= strip["y"]


def test_on_a_phone_the_editor_does_not_zoom_and_buttons_can_be_hit(site, open_page):
    page = open_page(site[0], viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    target = (
        box(page, 0)
        .locator(".cell-run")
        .evaluate(
            "(button) => { const edge = getComputedStyle(button, '::after');"
            " return [button.offsetHeight - parseFloat(edge.top) - parseFloat(edge.bottom) - 2, button.offsetWidth]; }"
        )
    )
    assert min(target) >= 44
    box(page, 0).locator("pre").first.tap()
    box(page, 0).locator(".cm-content").wait_for()
    assert box(page, 0).locator(".cm-content").evaluate("(code) => parseFloat(getComputedStyle(code).fontSize)") >= 16
    more = page.get_by_role("button", name="More")
    page.keyboard.insert_text("x")
    more.wait_for()
    assert page.get_by_role("button", name="Keep as notebook").count() == 0
    more.tap()
    assert more.get_attribute("aria-expanded") == "true"
    assert page.get_by_role("button", name="Keep as notebook").is_visible()


def test_paper_has_no_buttons(opened):
    run(opened, 0)
    opened.emulate_media(media="print")
    for name in (".cell-run", ".cell-edit", ".cell-tools", ".python-strip"):
        assert opened.locator(f"{name}:visible").count() == 0
    assert box(opened, 0).locator(".cell_output pre").is_visible()


def test_python_moves_no_code_but_what_is_below_its_tools(opened):
    tops = "(all) => all.map((one) => one.getBoundingClientRect().top + scrollY)"
    codes = opened.locator("pre:not(.cell_output pre)")
    before = codes.evaluate_all(tops)
    run(opened, 3)
    assert codes.evaluate_all(tops)[:3] == pytest.approx(before[:3])


def test_buttons_take_no_room(site, open_page):
    page = open_page(site[0])
    tops = "(all) => all.map((one) => one.getBoundingClientRect().top)"
    before = page.locator("[data-cell], p").evaluate_all(tops)
    box(page, 3).locator(".cell-run").evaluate("(button) => button.remove()")
    assert page.locator("[data-cell], p").evaluate_all(tops) == before
