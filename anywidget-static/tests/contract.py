"""What holds for every widget, whoever wrote it: tests that a class inherits which has the fixture `example`."""

import re
from urllib.parse import quote

import pytest

from anywidget_static import esbuild, page
from anywidget_static.widget import library
from pages import ROOT

# What a reader sees and hears of the widget, without what only tells of the last step.
SHOWN = """(root, all) => {
  const told = [];
  const nodes = document.createTreeWalker(root.querySelector(":scope > div"), 5); // elements and texts
  const skipped = (node) => !all && node.parentElement.closest("[role=status], [role=alert], [aria-live], [hidden]");
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    if (node.nodeType === 3 && !skipped(node)) told.push(node.data);
    if (node.matches?.("input, select, textarea")) told.push(node.type === "checkbox" ? node.checked : node.value);
    if (node.matches?.("[aria-valuetext], [aria-label]")) told.push(`${node.ariaLabel} ${node.ariaValueText}`);
  }
  return told.join(" | ");
}"""

TABLES = """root => Object.fromEntries([...root.querySelectorAll("table")].map(({ tHead, tBodies }) =>
  [tHead?.innerText, [...tBodies].map((rows) => rows.innerText)]))"""

# What a key may change: all of the widget, and where the focus stands.
STATE = """root => [root.innerHTML,
  ...[...root.querySelectorAll("input, select, details")].map((node) => [node.value, node.checked, node.open]),
  [...root.querySelectorAll("*")].indexOf(document.activeElement)].join("|")"""

STOPS = """root => [...root.querySelectorAll(":is(a[href], button, input, select, textarea, summary, [tabindex='0'])")]
  .filter((node) => node.checkVisibility() && node.tabIndex >= 0 && !node.disabled)"""

FOCUSED = """root => {
  const node = document.activeElement;
  if (!root.contains(node)) return null;
  const chosen = "[aria-disabled=true], [aria-pressed=true], [aria-checked=true], [aria-current]";
  const idle = node.matches(`${chosen}, a, [role=group], [role=region]`); // what is chosen, or only scrolls
  const kind = node.getAttribute("role") ?? node.type ?? node.localName;
  return { name: node.outerHTML.slice(0, 160), idle, seen: node.matches(":focus-visible"), kind,
    again: !!node.closest("[class$='-foot']"), place: (STOPS)(root).indexOf(node) };
}""".replace("STOPS", STOPS)

KEYS = {
    "button": ["Enter"],
    "submit": ["Enter"],
    "checkbox": ["Space"],
    "summary": ["Enter"],
    "select-one": ["ArrowDown", "ArrowUp"],
    "number": ["ArrowUp", "ArrowDown"],
    "text": ["7"],
}
ANY = ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Enter", "Space"]

JUNK = ["null", "-1", "0.5", "1e999", "1e9", '"constructor"', '"__proto__"', '""', "[]", "[[]]", "[9]", "[[0,0],[0,0]]"]
JUNK += ["{}", "true", "oops", '"%s"' % ("x" * 5000)]


# Every link in turn: what is wrong after one of them.
FOLLOW = """async (queries) => {
  const root = document.querySelector("[data-widget]"), wrong = [];
  const said = () => root.querySelector("[role=alert]:not(:empty)")?.textContent ?? "";
  const drawn = () => root.querySelector(":scope > div > :not([role=alert], [hidden])")?.checkVisibility();
  const shown = () => (SHOWN)(root, false);
  const before = shown();
  for (const query of queries) {
    await new Promise((done) => {
      addEventListener("hashchange", done, { once: true });
      location.hash = `#${root.id}?${query}`;
    });
    const figure = root.querySelector("figure");
    if (!drawn() || /undefined|null \\(|not a function|not iterable/.test(said())) wrong.push(`${query}: ${said()}`);
    if (figure && figure.checkVisibility() === Boolean(said())) wrong.push(`${query}: a picture and ${said()}`);
    const again = root.querySelector("[class$='-foot'] button");
    if (!again) continue;
    if (!again.hidden) again.click();
    if (said() || shown() !== before) wrong.push(`${query}: does not start again`);
  }
  return [...wrong, ...({}).polluted ? ["polluted"] : []];
}""".replace("SHOWN", SHOWN)

# Mount and end it, again and again; who listens to a model, and what is in the page, is counted.
MOUNT = """async (times) => {
  const wrong = [], page = document.body.innerHTML;
  for (let time = 0; time < times; time++) {
    let heard = 0;
    const watched = async (given) => {
      const made = await bare.widget(given);
      return { ...made, render: (parts) => {
        const { on, off } = parts.model;
        parts.model.on = (...names) => { heard += 1; return on.apply(parts.model, names); };
        parts.model.off = (...names) => { heard -= 1; return off.apply(parts.model, names); };
        const ended = made.render(parts);
        delete parts.model.on; // what `mount` itself adds goes with the model
        return ended;
      } };
    };
    const end = bare.mount(document, { [bare.name]: { default: watched } });
    dispatchEvent(new Event("beforeprint"));
    while (!document.querySelector("[data-widget-mounted]")) await new Promise((done) => setTimeout(done));
    end();
    if (heard) wrong.push(`${heard} listeners stay`);
    if (document.body.innerHTML !== page) wrong.push("the page is not what it was");
  }
  return wrong;
}"""

# In which colours, whether used, and how wide: the first is fast.
LAPTOP, PHONE = (1280, 768), (390, 320)
WORN = [("dark", True, PHONE), ("dark", True, LAPTOP)]
WORN += [(*one, LAPTOP + PHONE) for one in (("light", False), ("light", True), ("dark", False))]


def bundle(widget, folder):
    """A script with `bare`: `mount`, and what makes the widget, which is not mounted yet."""
    models = {one.model_id: page.saved(one) for one in [widget, *([library(type(widget))] if widget._bundle else [])]}
    source, name = page.source(models[widget.model_id], models), str(widget._module)
    file = folder / f"{name}.mjs"
    if source.package:
        file = esbuild.package_folder(source.package, folder) / file.name
    else:
        file.write_text(source.esm, encoding="utf8")
    entry = f"""
        import {{ mount }} from "anywidget_static/mount.mjs";
        import made from "{file.as_posix()}";
        export {{ mount }};
        export const name = "{name}";
        export const widget = () => (typeof made === "function" ? made() : made);
    """
    esbuild.run({"bare": entry}, folder, "--format=iife", "--global-name=bare", root=ROOT)
    return (folder / "bare.js").read_text(encoding="utf8")


def linked(widget):
    """The fields that a link to the widget carries."""
    return [name for name, bounds in widget._bounds.items() if bounds.get("link")]


def root_of(page):
    return page.locator("[data-widget]").first


def link_of(page):
    return root_of(page).locator(":scope > a[data-link]").get_attribute("href")


def walk(page, act):
    """Tab through a widget from its start; `act` is called at each stop, with what is known of it."""
    root = root_of(page)
    root.locator(":scope > a[data-link]").focus()
    for _ in range(500):
        page.keyboard.press("Tab")
        stop = root.evaluate(FOCUSED)
        if not stop or stop["place"] == 0 or act(stop) is False:
            return
    raise AssertionError("the Tab key never leaves the widget")


class Contract:
    """Every test takes `example`, a widget with its author's state, and `show`, which puts widgets into a page."""

    every_word = True  # whether the first drawing says all that is read without a script, not its tables alone

    def test_the_first_drawing_says_what_the_table_said(self, example, show, show_alive):
        """A table that is read without a script holds the same with it."""
        words, still = r"[^\s,.;:()|]+", root_of(show(example, java_script_enabled=False))
        tables = still.evaluate(TABLES)
        told = still.locator(":is(td, th, p, li, dd, dt, figcaption):not(.widget-missing)").all_text_contents()
        drawn = root_of(show_alive(example))
        drawn_tables, alive = drawn.evaluate(TABLES), set(re.findall(words, drawn.evaluate(SHOWN, True)))
        assert {head: drawn_tables.get(head, rows) for head, rows in tables.items()} == tables
        assert told
        if self.every_word:
            assert [word for text in told for word in re.findall(words, text) if word not in alive] == []

    def test_the_tab_key_reaches_every_control_in_its_order(self, example, show_alive):
        page, reached = show_alive(example), []
        walk(page, reached.append)
        count = root_of(page).evaluate(f"root => ({STOPS})(root).length")
        places = [stop["place"] for stop in reached if stop["place"] > 0]  # the browser adds what scrolls
        assert places == list(range(1, count))  # 0 is the link
        assert [stop["name"] for stop in reached if not stop["seen"]] == []

    def test_keys_work_every_control_the_link_carries_it_and_start_again_undoes_it(self, example, show_alive):
        page = show_alive(example)
        root, idle, carried = root_of(page), [], set()
        start, address = root.evaluate(SHOWN), link_of(page)

        def act(stop):
            if stop["again"]:
                return False
            before = root.evaluate(STATE)
            for key in KEYS.get(stop["kind"], ANY):
                page.keyboard.press(key)
                if root.evaluate(STATE) != before:
                    break
            else:
                idle.extend([] if stop["idle"] else [stop["name"]])
            assert root.evaluate(FOCUSED), f"{stop['name']} loses the focus"
            carried.update(re.findall(r"[?&](\w+)=", link_of(page)))

        walk(page, act)
        assert idle == []
        assert carried <= set(linked(example))
        assert carried or not linked(example)
        shown, link = root.evaluate(SHOWN), link_of(page)
        other = show_alive(example, address=link)
        assert root_of(other).evaluate(SHOWN) == shown
        assert link_of(other) == link
        again = root_of(other).locator("[class$='-foot'] button")
        if again.count():
            again.press("Enter")
            assert root_of(other).evaluate(SHOWN) == start
            assert link_of(other) == address
        assert page.problems == other.problems == []

    def test_a_link_that_makes_no_sense_is_refused_or_said_and_start_again_mends_it(self, example, show_alive):
        page = show_alive(example)
        fields = [*linked(example), "title", "nothing", "__proto__", "constructor", "_bounds", ""]
        queries = [f"{name}={quote(value)}" for name in fields for value in JUNK] + ["%E0%A4%A", "?", "=&="]
        assert page.evaluate(FOLLOW, queries) == []
        assert page.problems == []

    @pytest.mark.parametrize(
        ("scheme", "used", "widths"), [WORN[0], *(pytest.param(*one, marks=pytest.mark.slow) for one in WORN[1:])]
    )
    def test_axe_finds_nothing_and_nothing_hangs_over(self, scheme, used, widths, example, show_alive, violations):
        page = show_alive(example, color_scheme=scheme)
        if used:
            walk(
                page,
                lambda stop: not stop["again"] and [page.keyboard.press(key) for key in KEYS.get(stop["kind"], ANY)],
            )
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert width in (768, 320) or violations(page) == []
        assert page.problems == []

    @pytest.mark.slow
    def test_mounted_and_ended_100_times_it_leaves_nothing(self, example, show_html, settle, tmp_path):
        page = show_html(example.to_html(), bundle(example, tmp_path))
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable")

        def counted(times):
            assert page.evaluate(MOUNT, times) == []
            return left()

        def left():
            settle(page)
            tools.send("HeapProfiler.collectGarbage")
            found = {metric["name"]: metric["value"] for metric in tools.send("Performance.getMetrics")["metrics"]}
            return found["Nodes"], found["JSEventListeners"]

        nodes, listeners = counted(5)
        after = counted(100)
        for _ in range(20):  # the browser frees nodes in its own time
            if after[0] > nodes + 5:
                after = left()
        assert after[0] <= nodes + 5
        assert after[1] <= listeners + 2
        assert page.problems == []
