"""The page's own Python, from the built site alone: every cell, every kind of output, every fault, and without a network."""

import gzip
import json
import re

import pytest

from tools.site import SITE

FOLDER = SITE / "_static" / "python"
pytestmark = pytest.mark.skipif(
    not (FOLDER / "manifest.json").exists(),
    reason="the site has no Python: PYTHON_WHEELS names no wheels, and no network",
)
PAGES = sorted(
    name.stem.replace("-", "/", 1).replace("appendices-", "appendices/")
    for name in FOLDER.glob("pages/chapters-*.json")
    if any(cell["shown"] for cell in json.loads(name.read_bytes())["cells"])
)
FIRST, SECOND = 3, 6  # of chapter 1's cells those that stand open
FAST = {"chapters/02_learnable_u"}  # it needs torch
CELLS = """() => [...document.querySelectorAll(".cell[data-cell]:has(.cell-run)")].map((cell) => ({
  number: cell.dataset.cell,
  printed: [...cell.querySelectorAll(".cell_output > .output:not(.text_html) pre")]
    .map((pre) => pre.textContent).join(""),
  figures: cell.querySelectorAll(".cell_output img").length,
  widgets: Boolean(cell.querySelector(".cell_output figure.attn")),
  state: cell.querySelector(".cell-state")?.textContent ?? "",
  says: cell.querySelector(".cell-says:not([hidden])")?.textContent ?? "",
}))"""
HEARD = "export default ({ target, how }) => (window.heard ??= []).push([target.className, how]);"
NOISE = re.compile(r"-?\b\d(?:\.\d+)?e[-+]\d+\b")


def until(page, condition, seconds=120):
    """Wait for what a function finds in the page; its policy lets no text become a script there."""
    return page.evaluate(f"""async () => {{
      const end = performance.now() + {seconds * 1000};
      for (;;) {{
        const found = await ({condition})();
        if (found) return found;
        if (performance.now() > end) throw new Error("not after {seconds} s");
        await new Promise((drawn) => setTimeout(drawn, 20));
      }}
    }}""")


def cell(page, number):
    return page.locator(f'.cell[data-cell="{number}"]')


def write(page, number, source):
    """Open a cell's editor and put a source into it."""
    box = cell(page, number)
    code = box.locator(".cell_input pre").first
    code.evaluate("pre => pre.click()")
    editor = box.locator(".cm-content")
    lost = page.locator(".cell-says:visible", has_text="Another click tries again")
    editor.or_(lost).first.wait_for(timeout=120_000)
    if not editor.count():  # it did not come over the network: do what the page says
        code.evaluate("pre => pre.click()")
        editor.wait_for()
    editor.fill(source)
    return box


def run(page, number, source):
    """Run a source in a cell; its state, what it says, and what it put out."""
    box = write(page, number, source)
    box.locator(".cell-run").evaluate("button => button.click()")
    until(
        page,
        f"""() => {{
      const box = document.querySelector('.cell[data-cell="{number}"] .cell_input');
      return !box.classList.contains("busy");
    }}""",
    )
    return (
        box.locator(".cell-state").text_content(),
        box.locator(".cell_input > .cell-says").text_content(),
        box.locator(".cell_output").text_content(),
    )


def same(printed, built):
    """Whether two texts agree but for numbers that are rounding's own noise."""
    quiet = [
        NOISE.sub(lambda number: "~0" if abs(float(number[0])) < 1e-11 else number[0], text)
        for text in (printed, built)
    ]
    return quiet[0].rstrip() == quiet[1].rstrip()


@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in PAGES]
)
def test_every_cell_of_a_page_gives_what_the_build_gave(open_page, served, name):
    page = open_page(f"{served}/{name}.html")
    page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    built = page.evaluate(CELLS)
    last = page.locator(".cell[data-cell]:has(.cell-run)").last
    last.locator(".cell-run").evaluate("button => button.click()")  # brings Python, and fails without the cells above
    until(page, "() => document.querySelector('.cell-state')?.textContent !== undefined")
    last.get_by_role("button", name="Run all above").evaluate("button => button.click()")
    until(page, "() => !document.querySelector('.cell_input.busy')", 540)
    last.locator(".cell-run").evaluate("button => button.click()")
    until(page, "() => !document.querySelector('.cell_input.busy')")
    for before, after in zip(built, page.evaluate(CELLS), strict=True):
        assert after["state"].endswith(("ms", " s")) or "when the book was built" in after["says"], after
        assert same(after["printed"], before["printed"]), (before, after)
        assert (after["figures"], after["widgets"]) == (before["figures"], before["widgets"]), (before, after)
    assert page.problems == page.third_party == []


@pytest.fixture(scope="module")
def page(new_page, served):
    """Chapter 1, in which Python runs."""
    page = new_page(f"{served}/chapters/01_dot_product.html")
    run(page, FIRST, "1 + 1")
    yield page
    page.context.close()


def test_an_endless_loop_is_stopped_and_python_starts_again(page):
    box = write(page, FIRST, "while True:\n    pass")
    box.locator(".cell-run").click()
    until(page, "() => document.querySelector('.cell-state').textContent === 'runs'")
    box.get_by_role("button", name="Stop").click()
    assert "stopped" in box.locator(".cell_input > .cell-says").text_content()
    assert run(page, FIRST, "print(6 * 7)")[2].strip() == "42"


def test_output_without_end_is_cut_and_the_page_answers(page):
    state, _, output = run(page, FIRST, "for i in range(300_000): print('abcdefgh')")
    assert state.endswith(("ms", " s"))
    assert 190_000 < len(output) < 210_000
    assert "cut after" in output or "not shown" in output


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nnp.ones((10**6, 10**6))",
        pytest.param("import numpy as np\n[np.ones(10**7) for _ in range(99)]", marks=pytest.mark.slow),
    ],
)
def test_a_cell_that_wants_too_much_memory_says_so(page, source):
    state, says, _ = run(page, FIRST, source)
    assert "Error" in state or "memory" in says
    assert run(page, FIRST, "print(1)")[2].strip() == "1"


@pytest.mark.slow
def test_a_recursion_that_ends_the_worker_leaves_the_page_alive(page):
    run(page, FIRST, "def f(x): return max([x], key=f)\nf(1)")
    assert run(page, FIRST, "print(2)")[2].strip() == "2"
    page.problems.clear()  # Pyodide's own words on its end


@pytest.mark.parametrize(
    "source", ["print = None", "import builtins\nbuiltins.print = None", "import sys\nsys.stdout = None"]
)
@pytest.mark.slow
def test_a_cell_that_breaks_printing_breaks_its_own_alone(page, source):
    run(page, FIRST, source)
    assert run(page, FIRST, "import sys\n_ = sys.stdout.write('fine')")[2].strip() == "fine"
    page.get_by_role("button", name="Start again").click()


def test_an_error_reads_as_pythons_and_its_line_is_marked(page):
    state, _, output = run(page, FIRST, "x = 1\ny = x / 0")
    assert state == "ZeroDivisionError in line 2"
    assert output.strip().startswith("Traceback (most recent call last):")
    assert output.strip().endswith("ZeroDivisionError: division by zero")
    assert cell(page, FIRST).locator(".cell-line").count() == 1


def test_what_a_cell_puts_out_is_no_code_of_the_page(page):
    evil = "<script>parent.evil = evil = 1</script><img src=x onerror='parent.evil=1'>"
    evil += "<a href='javascript:parent.evil=1'>x</a>"
    run(page, FIRST, f"from IPython.display import HTML, SVG, display\ndisplay(HTML({evil!r}))\nprint({evil!r})\n"
        f"display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"><script>parent.evil=1</script></svg>'))")  # fmt: skip
    frame = cell(page, FIRST).locator("iframe")
    until(page, "() => document.querySelector('.cell_output iframe')?.contentDocument.querySelector('a')")
    frame.content_frame.locator("a").evaluate("link => link.click()")
    assert page.evaluate("window.evil") is None
    assert "allow-scripts" not in frame.get_attribute("sandbox")
    page.problems.clear()  # the browser's own words on what it did not run


def test_a_widget_is_live_in_both_directions(page):
    run(page, FIRST, "from attnlib.widgets import SoftmaxSliders\nsliders = SoftmaxSliders()\n"
        "sliders.observe(lambda change: print('now', change['new']), 'temperature')\nsliders")  # fmt: skip
    box = cell(page, FIRST)
    box.locator("figure.attn input").first.wait_for()
    run(page, SECOND, "sliders.temperature = 2.0")
    assert box.locator("input").nth(1).input_value() == "2"
    box.locator("input").nth(1).focus()
    page.keyboard.press("ArrowRight")
    first = f".cell[data-cell='{FIRST}'] .cell_output"
    until(page, f"""() => document.querySelector("{first}").textContent.includes('now 2.1')""")
    assert run(page, SECOND, "print(sliders.temperature)")[2].strip() == "2.1"
    assert page.problems == page.third_party == []


def test_a_widget_that_the_page_does_not_bring_comes_with_its_style(page):
    assert page.locator("[data-widget=tensor_counter]").count() == 0
    run(page, FIRST, "from attnlib.widgets import TensorCounter\nTensorCounter()")
    scale = cell(page, FIRST).locator("figure.attn .attn-scale").first
    scale.wait_for()
    assert scale.evaluate("one => getComputedStyle(one).display") == "flex"
    assert page.problems == page.third_party == []


OWN = """import anywidget, traitlets
class Counter(anywidget.AnyWidget):
    _esm = "export default { render({ el }) { parent.evil = 1; el.textContent = 'drawn'; } };"
    count = traitlets.Int(3).tag(sync=True)
counter = Counter()
counter"""


def test_a_widget_that_a_cell_defines_says_why_it_is_not_drawn_and_stays_an_object(page):
    state, _, output = run(page, FIRST, OWN)
    assert state.endswith(("ms", " s"))
    assert "runs no script but the book's" in output
    assert "in Jupyter" in output
    assert page.evaluate("window.evil") is None
    assert run(page, SECOND, "counter.count += 1\nprint(counter.count)")[2].strip() == "4"
    assert page.problems == page.third_party == []


def test_a_page_whose_python_nobody_asks_for_asks_for_nothing(open_page, served):
    page = open_page(f"{served}/index.html")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{served}/chapters/01_dot_product.html")
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "/python/" in url or url.endswith("sw.js")]


def test_the_first_run_brings_at_most_what_was_promised():
    manifest = json.loads((FOLDER / "manifest.json").read_bytes())
    files = [FOLDER / file["url"] for file in manifest["files"]]
    files += [
        FOLDER / name
        for name in ("manifest.json", "worker.js", "cells.js", "cells.css", "pages/chapters-01_dot_product.json")
    ]
    assert {"pyodide.asm.wasm", "python_stdlib.zip", "library.zip"} <= {file.name for file in files}
    assert sum(len(gzip.compress(file.read_bytes(), 9)) for file in files) <= 10.5e6


@pytest.mark.slow
def test_a_second_visit_needs_no_network(browser, served):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{served}/chapters/01_dot_product.html")
    run(page, FIRST, "print(1 + 1)")
    until(
        page,
        """async () => {
      const cache = await caches.open("pyodide-cells");
      const names = (await cache.keys()).map(({ url }) => url.split("/").at(-1).split("?")[0]);
      const kept = ["01_dot_product.html", "book.css", "library.zip", "pyodide.asm.wasm"];
      return kept.every((name) => names.includes(name));
    }""",
    )
    page.close()
    context.set_offline(True)
    page = context.new_page()
    page.goto(f"{served}/chapters/01_dot_product.html")
    assert run(page, FIRST, "import numpy as np\nprint(np.arange(3).sum())")[2].strip() == "3"
    context.close()


def test_a_press_before_the_scripts_of_the_page_have_come_is_not_lost(served, open_page):
    page = open_page(f"{served}/_static/favicon.png")
    late = []
    page.context.route("**/site.js*", lambda route: late.append(route))
    page.context.route("**/cells.js*", lambda route: route.fulfill(body=HEARD, content_type="text/javascript"))
    with page.expect_request("**/site.js*"):
        page.goto(f"{served}/chapters/01_dot_product.html", wait_until="commit")
    page.locator(".cell-run").first.evaluate("button => button.click()")
    assert page.evaluate("window.heard") is None
    for route in late:
        route.continue_()
    until(page, "() => window.heard")
    assert page.evaluate("heard") == [["cell-run script-only", "run"]]  # once


RESTS = """() => {
  const { y } = document.querySelector(".cell-run").getBoundingClientRect();
  window.rests = window.before === y ? (window.rests ?? 0) + 1 : 0;
  window.before = y;
  return window.rests > 20;
}"""  # no widget comes to life about the button
PUSH = """() => {
  document.documentElement.style.overflowAnchor = "none";
  const room = Object.assign(document.createElement("button"), { textContent: "room", style: "height: 9rem" });
  document.querySelector(".cell-run").closest(".cell").before(room);
  room.addEventListener("click", () => (window.heard ??= []).push("room"));
}"""


@pytest.mark.parametrize("with_finger", [False, True], ids=["mouse", "finger"])
def test_a_press_is_not_lost_when_its_button_is_pushed_away_before_it_ends(served, new_page, with_finger):
    page = new_page(f"{served}/_static/favicon.png", has_touch=with_finger)
    page.context.route("**/cells.js*", lambda route: route.fulfill(body=HEARD, content_type="text/javascript"))
    page.goto(f"{served}/chapters/01_dot_product.html")
    button = page.locator(".cell-run").first
    button.scroll_into_view_if_needed()
    until(page, RESTS)
    box = button.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    if with_finger:
        cdp = page.context.new_cdp_session(page)
        cdp.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    else:
        page.mouse.move(x, y)
        page.mouse.down()
    page.evaluate(PUSH)
    assert button.bounding_box()["y"] > box["y"] + 100
    if with_finger:
        cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    else:
        page.mouse.up()
    until(page, "() => window.heard", 10)
    assert page.evaluate("heard") == [["cell-run script-only", "run"]]
    page.context.close()


def test_a_press_that_is_drawn_away_from_its_button_does_nothing(served, open_page):
    page = open_page(f"{served}/_static/favicon.png")
    page.context.route("**/cells.js*", lambda route: route.fulfill(body=HEARD, content_type="text/javascript"))
    page.goto(f"{served}/chapters/01_dot_product.html")
    button = page.locator(".cell-run").first
    button.scroll_into_view_if_needed()
    until(page, RESTS)
    button.hover()
    page.mouse.down()
    page.mouse.move(5, 300)
    page.mouse.up()
    button.click()
    until(page, "() => window.heard", 10)
    assert page.evaluate("heard") == [["cell-run script-only", "run"]]  # of the click alone


SLOW_TO_COME = "Object.defineProperty(ServiceWorkerContainer.prototype, 'controller', { get: () => null })"


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True], ids=["soon", "after Python"])
def test_what_a_widget_loads_on_demand_is_kept_with_its_page(browser, served, late):
    context = browser.new_context()
    page = context.new_page()
    if late:  # the service worker takes the page over when Python is there already
        page.add_init_script(SLOW_TO_COME)
    address = f"{served}/chapters/10_real_model.html"
    page.goto(address)
    page.get_by_role("button", name="Run", exact=True).first.click()
    ended = "some((state) => / in line | m?s$/.test(state.textContent))"  # the cell needs those above it
    until(page, f"() => [...document.querySelectorAll('.cell-state')].{ended}", 300)
    until(
        page,
        """async () => {
      const later = new URL(document.querySelector("[data-rest]").dataset.state, location).href;
      return caches.match(later, { cacheName: "pyodide-cells", ignoreVary: true });
    }""",
    )
    page.close()
    context.set_offline(True)
    page = context.new_page()
    page.goto(address)
    widget = page.locator("[data-widget=model_view]")
    widget.scroll_into_view_if_needed()
    widget.get_by_label("Reading").select_option(index=11)
    widget.locator(".attn-large-query", has_text="rose").first.wait_for()
    assert widget.get_by_label("Reading").input_value() == "a rose is a rose is a rose ."
    assert "could not be loaded" not in widget.text_content()
    context.close()


FAULTS = {
    "numpy": (r"numpy[^/]*\.whl$", "abort", "did not come"),
    "a wrong wheel": (r"numpy[^/]*\.whl$", b"not a wheel", "is not the file that this book was built with"),
    "no library": (r"library\.zip$", 404, "has no library.zip"),
    "no manifest": (r"manifest\.json$", "abort", "no network"),
    "no worker": (r"worker\.js$", "abort", "could not be started"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_does_not_come_is_one_sentence_and_another_click_tries_again(open_page, served, fault):
    address, answer, sentence = FAULTS[fault]
    page = open_page(f"{served}/chapters/01_dot_product.html", service_workers="block")
    ended = {"abort": lambda route: route.abort(), 404: lambda route: route.fulfill(status=404)}
    page.route(re.compile(address), ended.get(answer, lambda route: route.fulfill(body=answer)))
    page.locator(".cell-run").first.click()
    until(page, f"() => document.querySelector('main').textContent.includes({sentence!r})")
    page.unroute(re.compile(address))
    page.locator(".cell-run").first.click()
    until(page, "() => / m?s$/.test(document.querySelector('.cell-state').textContent)")
    assert sentence not in page.locator("main").inner_text()
    page.problems.clear()  # what the browser says of a file that did not come


@pytest.mark.slow
def test_a_private_window_and_two_tabs_lose_nothing(open_page, served):
    page = open_page(f"{served}/chapters/01_dot_product.html", service_workers="block")
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('off'); } })")
    page.reload()
    assert run(page, FIRST, "print('private')")[2].strip() == "private"
    assert "keeps nothing" in page.locator("body").text_content()
    one = open_page(f"{served}/chapters/01_dot_product.html")
    write(one, FIRST, "print('one')")
    two = one.context.new_page()
    two.goto(f"{served}/chapters/01_dot_product.html")
    write(two, SECOND, "print('two')")
    until(two, "() => Object.keys(localStorage).filter((key) => key.includes('code:')).length === 2")
    one.reload()
    assert run(one, SECOND, "print('three')")[2].strip() == "three"
    assert "print('one')" in cell(one, FIRST).text_content()


@pytest.mark.slow
def test_a_widget_told_something_without_end_leaves_the_page_alive(page):
    run(page, FIRST, "print('here')")
    box = write(
        page,
        SECOND,
        "from attnlib.widgets import SoftmaxSliders\nsliders = SoftmaxSliders()\ndisplay(sliders)\n"
        "while True:\n    sliders.temperature = 3.0 - sliders.temperature",
    )
    box.locator(".cell-run").click()
    box.locator("figure.attn").wait_for()
    box.get_by_role("button", name="Stop").click()
    until(page, "() => !document.querySelector('.cell_input.busy')", 10)
    assert "stopped" in box.locator(".cell_input > .cell-says").text_content()


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import os\nos._exit(1)", "a cell ended it"),
        ("import js\njs.self.close()", "a cell ended it"),
        ("import builtins\nbuiltins.isinstance = None\nraise ValueError", "changed something that Python itself needs"),
    ],
)
@pytest.mark.slow
def test_a_cell_that_ends_python_is_told_and_the_next_run_begins_anew(page, source, sentence):
    says = run(page, FIRST, source)[1]
    if not says:  # it is the next one that cannot run
        says = run(page, FIRST, "1")[1]
    assert sentence in says
    assert run(page, FIRST, "print('anew')")[2].strip() == "anew"
    page.problems.clear()


@pytest.mark.slow
def test_what_a_cell_throws_after_its_end_ends_nothing(page):
    run(page, FIRST, "kept = 1")
    run(
        page,
        SECOND,
        "import js\nfrom pyodide.ffi import create_once_callable as once\njs.setTimeout(once(lambda: 1 / 0), 0);",
    )
    assert run(page, FIRST, "import asyncio\nawait asyncio.sleep(0.1)\nprint(kept)")[2].strip().endswith("1")
    page.problems.clear()


@pytest.mark.parametrize("name", ["library.zip", "pyodide/pyodide.asm.js", "pyodide/pyodide.asm.wasm", "pyodide/numpy"])
@pytest.mark.slow
def test_a_wrong_file_that_the_browser_has_kept_is_fetched_anew(open_page, served, name):
    page = open_page(f"{served}/chapters/01_dot_product.html")
    page.evaluate(
        """async ([url, name]) => {
      const cache = await caches.open("pyodide-cells");
      const answer = (text) => new Response(text, { headers: { "Content-Type": "text/javascript" } });
      const { files } = await (await fetch(`${url}manifest.json`)).json();
      await cache.put(new URL(files.find((file) => file.url.startsWith(name)).url, url), answer("wrong"));
      await cache.put(`${url}version`, answer((await (await fetch(`${url}manifest.json`)).json()).version));
    }""",
        [f"{served}/_static/python/", name],
    )
    assert run(page, FIRST, "print('cured')")[2].strip() == "cured"
    page.problems.clear()


@pytest.mark.slow
def test_a_page_that_was_never_read_says_so_without_a_network_and_one_that_was_does_not(browser, served):
    context = browser.new_context()
    page = context.new_page()
    one, other = (f"{served}/chapters/{name}.html" for name in ("01_dot_product", "03_query_key_value"))
    page.goto(one)
    run(page, FIRST, "print(1)")
    context.set_offline(True)
    page.goto(other)
    assert page.locator("body").text_content().startswith("This page is not kept in this browser")
    page.goto(one)
    assert page.locator("h1").text_content().startswith("1 · ")
    context.set_offline(False)
    page.goto(other)  # read: from now on it is kept
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    page.goto(other)
    assert page.locator("h1").text_content().startswith("3 · ")
    context.close()
