"""How long the page's main thread works for one input, on a processor slowed four times, from a browser's own trace.

    python bench/widgets.py [--events 40] [--slowdown 4]

Each widget stands in a page of its own. A control of it moves step by step, its buttons are pressed in turn, or a
sentence is typed word by word; each step waits until it is drawn, and all that the main thread did from the input to
there (script, style, layout, paint) is added up, without the time in which the machine did something else. Prints the
95th percentile beside its bar, in milliseconds; first for a slider that nothing listens to, which no widget can be below:
two frames, and the browser's answers to this program.
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from anywidget_static import esbuild
from anywidget_static.page import Source

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from attnlib import widgets  # noqa: E402
from attnlib.widgets.base import PageWidget  # noqa: E402
from bench.tracing import WORK, Trace  # noqa: E402
from tools import chromium  # noqa: E402
from tools.site import FLAGS  # noqa: E402

STEP = """async ([selector, i, typed]) => {
  const controls = [...document.querySelectorAll(selector)], [input] = controls;
  const low = Number(input.min), high = Number(input.max), step = Number(input.step) || 1;
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await drawn();
  if (!i && input.type === "range") input.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true })); // held
  performance.mark(`start ${i}`);
  if (input.type === "range") input.value = low + step * ((i * 7 + 3) % Math.max(2, Math.floor((high - low) / step)));
  else if (typed.length) input.value = typed[i % typed.length];
  else controls[(i + 1) % controls.length].click();
  if (input.type === "range" || typed.length) input.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
  performance.mark(`end ${i}`);
}"""


class Case(NamedTuple):
    """A widget, the control to move (or the controls to press in turn), the bar in milliseconds, and what is typed."""

    widget: PageWidget
    control: str
    bar: float
    typed: tuple[str, ...] = ()


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


def cases() -> dict[str, Case]:
    rng = np.random.default_rng(0)
    small = ("CostCalculator", "MetricEllipse", "RotaryDial", "ScalingLab", "SoftmaxSliders", "TensorCounter")
    browser = widgets.HeadBrowser()
    return {
        "AttentionGrid, 16 tokens": Case(widgets.AttentionGrid(words(16), rng.normal(size=(16, 8))), "[type=range]", 16),
        "TokenPlane, 16 tokens": Case(widgets.TokenPlane(words(16), rng.normal(size=(16, 2))), "[type=range]", 16),
        "AttentionGrid, 64 tokens": Case(widgets.AttentionGrid(words(64), rng.normal(size=(64, 8))), "[type=range]", 33),
        "HeadMixer, 16 tokens, choose a head": Case(several_heads(16, 4), ".attn-head", 16),
        "HeadMixer, 16 tokens, zero a head": Case(several_heads(16, 4), ".attn-heads [type=checkbox]", 16),
        "HeadMixer, 64 × 12, choose a head": Case(several_heads(64, 12), ".attn-head", 33),
        "HeadMixer, 64 × 12, zero a head": Case(several_heads(64, 12), ".attn-heads [type=checkbox]", 33),
        "HeadBrowser, 16 words, type": Case(browser, ".attn-sentence input", 33, sentences(40, 16)),
        "HeadBrowser, 32 words, type": Case(browser, ".attn-sentence input", 33, sentences(40, 32)),
        **{f"{name} as it comes": Case(getattr(widgets, name)(), "[type=range]", 16) for name in small},
    }  # fmt: skip


def page_with(widget: PageWidget) -> str:
    module = ROOT / "attnlib/widgets" / f"{widget._module}.mjs"
    with tempfile.TemporaryDirectory() as folder:
        esbuild.write_pages({"page": [Source(widget._module, package="attnlib.widgets")]}, Path(folder), root=ROOT)
        script = Path(folder, "page.js").read_text(encoding="utf8")
    return f"<style>{esbuild.style([module], ROOT)}</style>{widget.to_html()}<script>{script}</script>"


def busy(
    browser: Browser, html: str, selector: str, typed: tuple[str, ...], events: int, slowdown: float
) -> list[float]:
    """Milliseconds of the main thread for each input."""
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder, "page.html")
        page_file.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf8")
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(page_file.as_uri())
        page.locator(selector).first.wait_for()
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
        browser.start_tracing(page=page, categories=WORK)
        for i in range(events):
            page.evaluate(STEP, [selector, i, list(typed)])
        trace = Trace(browser.stop_tracing())
        page.close()
    marks = trace.marks()
    return [trace.work(marks[f"start {i}"], marks[f"end {i}"]["ts"]) for i in range(events)]


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--events", type=int, default=40)
    options.add_argument("--slowdown", type=float, default=4)
    options = options.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        idle = {"a slider that does nothing": ("<input type=range>", "[type=range]", (), math.inf)}
        tried = {name: (page_with(case.widget), case.control, case.typed, case.bar) for name, case in cases().items()}
        for name, (html, control, typed, bar) in (idle | tried).items():
            taken = busy(browser, html, control, typed, options.events, options.slowdown)
            p95 = float(np.percentile(taken, 95))
            verdict = "" if p95 <= bar else f"   above {bar} ms"
            print(f"{name:36} p95 {p95:6.1f} ms   median {np.median(taken):6.1f} ms{verdict}")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
