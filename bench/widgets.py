"""What an input costs the page's main thread beyond an idle slider, at full speed and slowed four times.

    python bench/widgets.py [--only NAME] [--events 30] [--slowdown 1 4]

Each widget of the gallery, and some of more tokens, stands in a page of its own, as wide as a phone. A mouse drags its
first slider and its first handle, presses what can be pressed, points at its cells; its menus are moved, and text is
typed. Each step waits until it is drawn, and all that the main thread did from the input to there (script, style,
layout, paint) is added up, without the time in which the machine did something else. After each step a slider that
nothing listens to makes the same step in a page of its own, and what that takes (two frames, the browser's answers to
this program) is taken off: the 95th percentile of the one from that of the other.

Printed, in milliseconds: this, its bar, and the median; `shown`, from the input to the frame that the browser presents,
as Event Timing says it, or where that has none (a pointer's move, what takes less than 16 ms) to the task after the next
animation frame; `longest`, the longest task from the first input until all is written; `rest`, the work from the last
input, or the release of what is held, until then. Peers' views that answer to a mouse come last. Exits with 1 where a
widget's p95 or its longest task is above its bar.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from anywidget_static import esbuild
from anywidget_static.page import Source

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from attnlib import widgets  # noqa: E402
from attnlib.widgets.base import PageWidget  # noqa: E402
from bench import models  # noqa: E402
from bench.tracing import WORK, Trace  # noqa: E402
from tools import chromium, gallery  # noqa: E402
from tools.site import FLAGS  # noqa: E402

BAR = 16  # milliseconds of a widget at its usual size
LARGE = 33  # of 64 tokens, and of a new word
TASK = 50  # of any one task
MOST = 8  # places that are pressed or pointed at in turn
DRIVES = {  # what is done, and to which elements
    "slide": "input[type=range]",
    "carry": "svg [role=slider]",
    "press": "button, [type=checkbox], [role=gridcell]",
    "choose": "select",
    "type": "input:is(:not([type]), [type=text], [type=number])",
    "hover": "[role=gridcell], canvas.attn-map",
}

# From now on each input says when it was shown.
WATCH = """() => {
  window.shown = [];
  const keep = ({ startTime, duration }) => shown.push([startTime, duration]);
  new PerformanceObserver((list) => list.getEntries().forEach(keep)).observe({ type: "event", durationThreshold: 16 });
  const hear = ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => shown.push([timeStamp, performance.now() - timeStamp]);
    port2.postMessage(0);
  });
  for (const name of ["input", "click", "change", "pointermove"]) addEventListener(name, hear, { capture: true });
}"""
# Where the mouse goes: along a slider from its thumb, over a plane from its handle, or to the middle of elements in sight.
PLACES = """([selector, kind, most]) => {
  const is_seen = (node) => node.getClientRects().length && !node.disabled && node.checkVisibility();
  const nodes = [...document.querySelectorAll(selector)].filter(is_seen);
  if (!nodes.length) return null;
  const [first] = nodes;
  first.scrollIntoView({ block: "center", behavior: "instant" });
  window.driven = first;
  const box = (node) => node.getBoundingClientRect();
  const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2];
  if (kind === "slide") {
    const [x, y] = middle(box(first)), { min, max, value } = first, way = box(first).width - 16;
    const at = (share) => [x + way * (share - 0.5), y];
    const shares = Array.from({ length: 16 }, (_, i) => ((i * 7 + 3) % 16) / 15);
    return [at((value - min) / (max - min || 1)), ...shares.map(at)];
  }
  if (kind === "carry") {
    const { left, top, width, height } = box(first.ownerSVGElement);
    const round = Array.from({ length: 16 }, (_, i) => (i * 7 * Math.PI) / 8);
    const at = (turn) => [left + width * (0.5 + 0.3 * Math.cos(turn)), top + height * (0.5 + 0.3 * Math.sin(turn))];
    return [middle(box(first.querySelector("circle") ?? first)), ...round.map(at)];
  }
  const inside = ([x, y]) => x > 0 && x < innerWidth && y > 0 && y < innerHeight;
  const several = kind === "hover" && first.localName === "canvas" && nodes.length === 1;
  const spread = ({ left, top, width, height }) =>
    Array.from({ length: most }, (_, i) => [left + (width * (i + 0.5)) / most, top + (height * (i + 0.5)) / most]);
  const all = several ? spread(box(first)) : nodes.map(box).map(middle);
  const places = all.filter(inside), step = Math.max(1, Math.floor(places.length / most));
  return places.filter((_, i) => i % step === 0).slice(0, most);
}"""
FRAMES = "(count) => new Promise((done) => { const go = () => (count-- ? requestAnimationFrame(go) : done()); go(); })"
START = f"async (name) => {{ await ({FRAMES})(1); performance.mark(name); }}"
END = f"async (name) => {{ await ({FRAMES})(2); performance.mark(name); }}"
CHOOSE = """() => {
  driven.selectedIndex = (driven.selectedIndex + 1) % driven.options.length;
  for (const name of ["input", "change"]) driven.dispatchEvent(new Event(name, { bubbles: true }));
}"""
# Until nothing waits, and what a widget does a moment later is done.
REST = """async (name) => {
  const waits = () => document.querySelector("[data-paced=waiting], .attn-film, [aria-busy=true]");
  do await new Promise((done) => setTimeout(done, 500)); while (waits());
  performance.mark(name);
}"""


class Case(NamedTuple):
    """A page, what is done in it and to which elements, its bar, what is typed, and what makes the page ready."""

    page: Callable[[Path], None]
    kind: str
    selector: str
    bar: float = BAR
    typed: tuple[str, ...] = ()
    ready: Callable[[Page], None] = lambda page: page.locator("figure").first.wait_for()


class Taken(NamedTuple):
    """Milliseconds: of work at each step and of the idle slider's, to each shown frame, the longest task, and at rest."""

    work: list[float]
    idle: list[float]
    shown: list[float]
    idle_shown: list[float]
    longest: float
    rest: float

    @property
    def own(self) -> float:
        return float(np.percentile(self.work, 95) - np.percentile(self.idle, 95))


def words(n: int) -> list[str]:
    return [f"word{i}" for i in range(n)]


def several_heads(n: int, heads: int) -> PageWidget:
    rng = np.random.default_rng(0)
    return widgets.HeadMixer(words(n), *rng.normal(size=(3, heads, n, 8)), rng.normal(size=(8 * heads, 16)), mixed=True)


def sentences(count: int, n: int) -> tuple[str, ...]:
    """Of `n` known words; from one to the next the last word changes, so that every head is drawn anew."""
    known = [word for word in widgets.HeadBrowser().vocabulary if word.isalpha()]
    start = [known[i % len(known)] for i in range(n - 1)]
    return tuple(" ".join([*start, known[(i + n) % len(known)]]) for i in range(count))


def page_with(widget: PageWidget) -> Callable[[Path], None]:
    """What writes the page of a widget, with the script and the style that it has in the book."""

    def write(folder: Path) -> None:
        module = ROOT / "attnlib/widgets" / f"{widget._module}.mjs"
        source = Source(widget._module, package="attnlib.widgets")
        esbuild.write_pages({"page": [source]}, folder, ROOT / "_ext/theme/widgets.mjs", ROOT)
        script = Path(folder, "page.js").read_text(encoding="utf8")
        body = f"<style>{esbuild.style([module], ROOT)}</style>{widget.to_html()}<script>{script}</script>"
        Path(folder, "page.html").write_text(models.page_of(body), encoding="utf8")

    return write


def cases(only: str, events: int) -> dict[str, Case]:
    """Those with `only` in their names."""
    rng = np.random.default_rng(0)
    one = {f"{n} tokens": rng.normal(size=(n, 8)) for n in (16, 64)}
    found = {
        f"{name}, {kind}": Case(page_with(widget), kind, selector)
        for name, widget in gallery.widgets().items()
        for kind, selector in DRIVES.items()
    }
    for size, x in one.items():
        grid = page_with(widgets.AttentionGrid(words(len(x)), x))
        for kind in ("slide", "hover"):
            found[f"AttentionGrid of {size}, {kind}"] = Case(grid, kind, DRIVES[kind], BAR if len(x) < 64 else LARGE)
    plane = page_with(widgets.TokenPlane(words(16), rng.normal(size=(16, 2))))
    for kind in ("slide", "carry"):
        found[f"TokenPlane of 16 tokens, {kind}"] = Case(plane, kind, DRIVES[kind])
    for n, heads, bar in ((16, 4, BAR), (64, 12, LARGE)):
        mixer = page_with(several_heads(n, heads))
        for what, selector in {"choose": ".attn-head", "zero": ".attn-heads [type=checkbox]"}.items():
            found[f"HeadMixer of {n} tokens × {heads}, {what} a head"] = Case(mixer, "press", selector, bar)
    for n in (16, 32):
        browser = page_with(widgets.HeadBrowser())
        field = ".attn-sentence input"
        found[f"HeadBrowser, {n} words, type"] = Case(browser, "type", field, LARGE, sentences(events, n))
    return {name: case for name, case in found.items() if only in name}


def peers(only: str) -> dict[str, Case]:
    """Views of others that answer to a mouse, of 4 × 4 heads and 16 tokens; the head view has the heads of one layer."""
    if not models.fetch_peers():
        print("The peers cannot be fetched from PyPI and npm.")
        return {}
    grids = models.weights(4, 4, 16)
    head_view = models.Tool(
        lambda folder, grids: models.write_bertviz(folder, grids, "head_view"),
        "() => document.querySelectorAll('#left text').length",
        "",
        "#left > g:last-of-type > g",
    )
    model_view, attention = (models.PEER_TOOLS[name] for name in ("BertViz", "CircuitsVis"))
    tools = {"BertViz, head view": (head_view, 1), "BertViz, model view": (model_view, 4)}
    tools |= {"CircuitsVis, attention heads": (attention, 1), "ModelView of 4 × 4 heads": (models.OURS, 4)}

    def case(tool: models.Tool, layers: int) -> Case:
        def ready(page: Page) -> None:
            models.until_still(page, tool.drawn, layers * 4)
            if tool.press:
                page.locator(tool.press).first.click(force=True)

        return Case(lambda folder: tool.write(folder, grids[:layers]), "hover", tool.hover, np.inf, (), ready)

    return {f"{name}, hover": case(*tool) for name, tool in tools.items() if only in name}


class Driver:
    """A page with a control, and what makes a step with it."""

    def __init__(self, browser: Browser, case: Case, slowdown: float) -> None:
        self.case = case
        self._folder = tempfile.TemporaryDirectory()
        case.page(Path(self._folder.name))
        self.page = browser.new_page(viewport={"width": 390, "height": 844})
        self.page.goto(Path(self._folder.name, "page.html").as_uri())
        case.ready(self.page)
        self.places = self.page.evaluate(PLACES, [case.selector, case.kind, MOST])
        if self.places:
            self.page.evaluate(WATCH)
            self.page.context.new_cdp_session(self.page).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})

    def begin(self) -> None:
        if self.case.kind in {"slide", "carry"}:
            self.page.mouse.move(*self.places[0])
            self.page.mouse.down()
        elif self.case.kind == "type":
            self.page.evaluate("driven.focus()")

    def step(self, name: str, i: int) -> None:
        """Leaves the marks `start` and `end` with the name."""
        place = self.places[1 + i % (len(self.places) - 1)] if len(self.places) > 1 else self.places[0]
        kind, text = self.case.kind, str(i)
        if kind == "type":
            text = self.case.typed[i % len(self.case.typed)] if self.case.typed else text
            self.page.evaluate("driven.select()")
        self.page.evaluate(START, f"start {name}")
        if kind == "choose":
            self.page.evaluate(CHOOSE)
        elif kind == "type":
            self.page.keyboard.insert_text(text)
        elif kind == "press":
            self.page.mouse.click(*place)
        else:
            self.page.mouse.move(*place)
        self.page.evaluate(END, f"end {name}")

    def rest(self, name: str) -> None:
        self.page.evaluate(START, f"start {name}")
        if self.case.kind in {"slide", "carry"}:
            self.page.mouse.up()
        self.page.evaluate(REST, f"end {name}")

    def shown(self) -> list[float]:
        """For each step, the longest of what its events say."""
        found = self.page.evaluate(
            """() => [performance.getEntriesByType("mark").map(({ name, startTime }) => [name, startTime]), shown]"""
        )
        marks, shown = dict(found[0]), found[1]
        ends = [(marks[name], marks[name.replace("start", "end")]) for name in marks if name.startswith("start")]
        steps = [[taken for at, taken in shown if start <= at <= end] for start, end in ends]
        return [max(step) for step in steps if step]

    def close(self) -> None:
        self.page.close()
        self._folder.cleanup()


def measure(browser: Browser, case: Case, events: int, slowdown: float) -> Taken | None:
    """None where the widget has nothing of the kind."""
    driver = Driver(browser, case, slowdown)
    if not driver.places:
        driver.close()
        return None
    idle = Driver(browser, IDLE, slowdown)
    browser.start_tracing(page=driver.page, categories=WORK)
    driver.begin()
    idle.begin()
    for i in range(events):
        driver.step(f"{i}", i)
        idle.step(f"idle {i}", i)
    driver.rest("rest")
    trace = Trace(browser.stop_tracing())
    marks = trace.marks()

    def work(name: str) -> float:
        return trace.work(marks[f"start {name}"], marks[f"end {name}"]["ts"])

    taken = Taken(
        [work(f"{i}") for i in range(events)],
        [work(f"idle {i}") for i in range(events)],
        driver.shown(),
        idle.shown(),
        trace.longest(marks["start 0"], marks["end rest"]["ts"]),
        work("rest"),
    )
    driver.close()
    idle.close()
    return taken


def write_idle(folder: Path) -> None:
    (folder / "page.html").write_text(models.page_of("<input type=range>"), encoding="utf8")


IDLE = Case(write_idle, "slide", "input", ready=lambda page: None)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="", help="part of the names of what is measured")
    options.add_argument("--events", type=int, default=30)
    options.add_argument("--slowdown", type=float, nargs="+", default=[1, 4])
    options.add_argument("--no-peers", action="store_true")
    options = options.parse_args()
    tried = cases(options.only, options.events) | ({} if options.no_peers else peers(options.only))
    columns = "".join(f"{name:>9}" for name in ("p95", "median", "shown", "(idle)", "longest", "rest"))
    missed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        print(f"{'':44}slowed{columns}")
        for name, case in tried.items():
            for slowdown in options.slowdown:
                taken = measure(browser, case, options.events, slowdown)
                if not taken:
                    break
                middle = np.median(taken.work) - np.median(taken.idle)
                shown = [np.percentile(times, 95) for times in (taken.shown, taken.idle_shown)]
                figures = "".join(f"{figure:9.1f}" for figure in (taken.own, middle, *shown, taken.longest, taken.rest))
                misses = [f"p95 above {case.bar}"] if taken.own > case.bar else []
                if taken.longest > TASK and case.bar < np.inf:
                    misses.append(f"a task above {TASK}")
                missed += len(misses)
                print(f"{name:44}{slowdown:5g}×{figures}   {', '.join(misses)}".rstrip(), flush=True)
        browser.close()
    print(f"{missed} bars missed" if missed else "No bar is missed.")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
