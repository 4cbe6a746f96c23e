"""Widgets of a static page: how they start, what they are given, and how they end."""

import json
import re

import numpy as np
import pytest
import traitlets

from anywidget_static import Whole, Widget, page
from contract import bundle

KERNEL = "This needs Python, which does not run in this page."


def widget_of(module, **options):
    """A widget with a module of its own, and a sentence where no script runs."""
    fields = {"_esm": f"export default {module};", "fallback": lambda self: "<p>still</p>"}
    return type("Tried", (Widget,), fields)(**options)


TWO = """{
  initialize: ({ signal }) => {
    globalThis.log = ["initialize"];
    signal.addEventListener("abort", () => log.push("aborted"));
    return () => log.push("forgotten");
  },
  render: ({ el }) => { log.push("render"); el.textContent = "alive"; return () => log.push("removed"); },
}"""
MOUNT = """async () => {
  globalThis.end = bare.mount(document, { [bare.name]: { default: bare.widget } });
  dispatchEvent(new Event("beforeprint"));
  await new Promise((done) => setTimeout(done));
}"""


def test_what_a_widget_leaves_is_cleaned_when_the_page_ends_it(show_html, tmp_path):
    made = widget_of(TWO)
    tried = show_html(made.to_html(), bundle(made, tmp_path))
    before = tried.locator("main").inner_html()
    for _ in range(2):
        tried.evaluate(MOUNT)
        assert tried.locator("[data-widget]").inner_text().endswith("alive")
        tried.evaluate("end()")
        assert tried.evaluate("log") == ["initialize", "render", "aborted", "forgotten", "removed"]
        assert tried.locator("main").inner_html() == before


def test_the_link_beside_a_widget_keeps_the_focus_when_it_starts(show_html, tmp_path):
    made = widget_of("{ render({ el }) { el.append(document.createElement('button')); } }")
    tried = show_html(made.to_html(), bundle(made, tmp_path))
    tried.locator("[data-link]").focus()
    tried.evaluate(MOUNT)
    assert tried.locator("[data-widget-mounted] button").count() == 1
    assert tried.evaluate("document.activeElement.matches('[data-link]')")


@pytest.mark.parametrize(
    "press", ["model.send({ ask: 1 })", "experimental.invoke('ask').catch(({ message }) => { el.title = message; })"]
)
def test_what_needs_a_kernel_says_so_once(press, show_alive):
    button = 'Object.assign(document.createElement("button"), { textContent: "ask" })'
    tried = show_alive(
        widget_of(
            f"{{ render({{ model, el, experimental }}) {{ el.append({button}); el.onclick = () => {{ {press} }}; }} }}"
        )
    )
    for _ in range(2):
        tried.get_by_role("button", name="ask").click()
    assert tried.get_by_text(KERNEL).count() == 1
    assert tried.problems == []


@pytest.mark.parametrize(
    "module", ["{ render() { throw new Error('no luck'); } }", "async () => { throw new Error('no luck'); }"]
)
def test_a_widget_that_cannot_start_leaves_what_stood_there(module, show, until):
    tried = show(widget_of(module))
    until(tried, "!document.querySelector('[data-widget] > div')")
    assert tried.get_by_text("still").is_visible()
    assert tried.locator("[data-widget-mounted]").count() == 0
    assert [problem for problem in tried.problems if "no luck" in problem]


def test_what_was_initialized_is_cleaned_when_the_drawing_fails(show, until):
    initialize = "initialize: () => () => { document.title = 'cleaned'; }"
    tried = show(widget_of(f"{{ {initialize}, render() {{ throw new Error('no luck'); }} }}"))
    until(tried, "document.title === 'cleaned'")
    assert tried.get_by_text("still").is_visible()


def test_a_state_that_comes_after_the_end_starts_nothing(show_html, tmp_path):
    made = widget_of("{ render({ el }) { el.textContent = 'alive'; } }")
    (tmp_path / "state-1.js").write_text("document.querySelector('[data-state]').textContent = '{}';")
    html = page.moved(made.to_html(), 0, lambda state: "state-1.js")
    tried = show_html(html, f"{bundle(made, tmp_path)};({MOUNT})().then(() => globalThis.end());")
    tried.evaluate("new Promise((done) => setTimeout(done, 0)).then(() => dispatchEvent(new Event('beforeprint')))")
    assert tried.get_by_text("still").is_visible()
    assert tried.get_by_text("alive").count() == 0


def test_a_state_that_is_not_json_leaves_what_stood_there(show_html, show, tmp_path):
    made = widget_of("{ render() {} }")
    html = re.sub(r'(json">).*?(</script>)', r"\1{oops\2", made.to_html())
    tried = show_html(html, f"{bundle(made, tmp_path)};({MOUNT})();")
    assert tried.get_by_text("still").is_visible()
    assert "JSON" in tried.problems[0]


def test_a_widget_whose_module_the_page_lacks_stays_what_it_was(show_html, tmp_path):
    made = widget_of("{ render() {} }")
    tried = show_html(
        re.sub('data-widget="[^"]*"', 'data-widget="other"', made.to_html()), f"{bundle(made, tmp_path)};({MOUNT})();"
    )
    assert tried.get_by_text("still").is_visible()
    assert tried.problems == []


def test_a_state_may_come_later_than_the_page(show_html, until, tmp_path):
    made = widget_of("{ render({ model, el }) { el.textContent = model.get('title'); } }", title="come late")

    def write(state):
        name = "state-1.js"
        fill = f"document.querySelector(\"[data-state$='{name}']\").textContent = {state!r};"
        (tmp_path / name).write_text(fill)
        return name

    html = page.moved(made.to_html(), 0, write)
    assert "come late" not in html
    tried = show_html(html, f"{bundle(made, tmp_path)};({MOUNT})();")
    until(tried, "document.querySelector('[data-widget]').textContent.includes('come late')")
    assert tried.problems == []


class Rows(Widget):
    """Rows of which the first is whole; the others bring `text` and `data` when a button asks for them."""

    rows = traitlets.List().tag(sync=True, on_demand=["text", "data"])
    _esm = """export default { render({ model, el }) {
      const told = Object.assign(document.createElement("output"));
      const ask = Object.assign(document.createElement("button"), { textContent: "ask" });
      const tell = () => (told.textContent = JSON.stringify(
        model.get("rows").map(({ name, text, data, demand }) => [name, text, data?.byteLength, typeof demand])));
      ask.onclick = () => Promise.all(model.get("rows").map(({ demand }) => demand?.())).catch(
        ({ message }) => (told.textContent = message));
      model.on("change:rows", tell);
      el.append(told, ask);
      tell();
    } };"""


ROWS = [{"name": name, "text": name * 3, "data": name.encode() * 5} for name in "abc"]


def test_what_is_on_demand_comes_when_the_module_asks(show_html, until, tmp_path):
    made, names = Rows(rows=ROWS), []

    def write(state):
        names.append(f"state-{len(names)}.js")
        fill = f"document.querySelector(\"[data-state$='{names[-1]}']\").textContent = {state!r};"
        (tmp_path / names[-1]).write_text(fill)
        return names[-1]

    html = page.moved(made.to_html(), 0, write)
    (tmp_path / names[1]).rename(tmp_path / "later.js")
    tried = show_html(html, f"{bundle(made, tmp_path)};({MOUNT})();")
    lacks = '["b",null,null,"function"],["c",null,null,"function"]'
    until(tried, f'document.querySelector(\'output\')?.textContent === \'[["a","aaa",5,"undefined"],{lacks}]\'')
    tried.get_by_role("button", name="ask").click()
    tried.get_by_text("This part of the page could not be loaded. Is there a network?").wait_for()
    (tmp_path / "later.js").rename(tmp_path / names[1])
    tried.get_by_role("button", name="ask").click()
    whole = '["b","bbb",5,"object"],["c","ccc",5,"object"]'
    until(tried, f'document.querySelector(\'output\').textContent === \'[["a","aaa",5,"undefined"],{whole}]\'')
    tried.evaluate("end()")
    assert tried.get_by_role("button", name="ask").count() == 0


def test_a_state_that_is_not_large_or_has_one_entry_alone_comes_whole():
    for rows, large in ((ROWS, 100_000), (ROWS[:1], 0)):
        kept = []
        html = page.moved(Rows(rows=rows).to_html(), large, lambda state, kept=kept: kept.append(state) or "state-1.js")
        assert "data-rest" not in html
        assert len(kept) == (large == 0)


class Bytes(Widget):
    """Shows its bytes as numbers."""

    parts = traitlets.List().tag(sync=True)
    _esm = """export default { render({ model, el }) {
      const numbers = ({ buffer }) => [...new Uint8Array(buffer)];
      el.append(Object.assign(document.createElement("output"), {
        textContent: JSON.stringify(model.get("parts").map(numbers)) }));
    } };"""


def test_bytes_reach_a_page_as_they_are(show_html, tmp_path):
    random = np.random.default_rng(0).bytes
    parts = [b"", b"\0", b"\xff" * 4, b"\0" * 7, bytes(range(256)), *(random(n) for n in range(1, 10)), random(10_000)]
    made = Bytes(parts=parts)
    assert len(made.to_html()) < 1.26 * sum(map(len, parts)) + 1200
    tried = show_html(made.to_html(), f"{bundle(made, tmp_path)};({MOUNT})();")
    assert json.loads(tried.locator("output").text_content()) == [list(part) for part in parts]
    assert tried.problems == []


def test_another_link_to_a_living_widget_takes_back_what_the_first_one_changed(examples, show_alive, until):
    page = show_alive(examples["Interval"])
    for query in ("low=-3", "unit=%22cm%22"):
        page.evaluate(f"location.hash = '#interval-width?{query}'")
        until(page, f"() => document.querySelector('[data-link]').hash === '#interval-width?{query}'")
    assert page.locator("[data-widget] td").all_text_contents() == ["-1", "2", "300"]


def test_a_link_carries_none_where_the_author_left_a_value(show_alive):
    module = """{ render({ model, el }) {
      const draw = () => { el.textContent = `${model.get("chosen")}`; };
      model.on("change", draw);
      draw();
    } }"""
    fields = {"chosen": Whole(1, min=0, allow_none=True).tag(sync=True, link=True)}
    made = type("Chooses", (Widget,), fields | {"_esm": f"export default {module};"})(title="q")
    anchor = page.anchor_of(made._module, made.title)
    shown = show_alive(made, address=f"#{anchor}?chosen=null")
    assert shown.locator("[data-widget-mounted] > div").inner_text() == "null"
