"""How long the page's main thread works for one input, on a processor slowed four times, from a browser's own trace.

    python bench/widgets.py [--events 40] [--slowdown 4]

Each widget stands in a page of its own. A control of it moves step by step, each step waits until it is drawn, and all
that the main thread did from the input to there (script, style, layout, paint) is added up. Prints the 95th percentile
beside its bar, in milliseconds.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "_ext")]
from attnlib import widgets  # noqa: E402
from attnlib.widgets.base import PageWidget  # noqa: E402
from attnlib.widgets.compose import FOLDER  # noqa: E402
from esbuild import page_script  # noqa: E402
from tools import chromium  # noqa: E402
from tools.site import FLAGS  # noqa: E402

STEP = """async ([selector, i]) => {
  const input = document.querySelector(selector);
  const low = Number(input.min), high = Number(input.max), step = Number(input.step) || 1;
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await drawn();
  performance.mark(`start ${i}`);
  input.value = low + step * ((i * 7 + 3) % Math.max(2, Math.floor((high - low) / step)));
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
  performance.mark(`end ${i}`);
}"""


def words(n: int) -> list[str]:
    return [f"word{i}" for i in range(n)]


def cases() -> dict[str, tuple[PageWidget, str, float]]:
    """For each name a widget, the control to move, and the bar in milliseconds."""
    rng = np.random.default_rng(0)
    small = ("CostCalculator", "MetricEllipse", "RotaryDial", "ScalingLab", "SoftmaxSliders", "TensorCounter")
    return {
        "AttentionGrid, 16 tokens": (widgets.AttentionGrid(words(16), rng.normal(size=(16, 8))), "[type=range]", 16),
        "TokenPlane, 16 tokens": (widgets.TokenPlane(words(16), rng.normal(size=(16, 2))), "[type=range]", 16),
        "AttentionGrid, 64 tokens": (widgets.AttentionGrid(words(64), rng.normal(size=(64, 8))), "[type=range]", 33),
        **{f"{name} as it comes": (getattr(widgets, name)(), "[type=range]", 16) for name in small},
    }


def busy(browser: Browser, widget: PageWidget, selector: str, events: int, slowdown: float) -> list[float]:
    """Milliseconds of the main thread for each input."""
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder, "page.html")
        style = (FOLDER / "theme.css").read_text(encoding="utf8")
        html = widget._repr_mimebundle_()[0]["text/html"]
        script = page_script([widget._module], ROOT)
        page_file.write_text(
            f"<!doctype html><meta charset=utf-8><style>{style}</style>{html}<script>{script}</script>", encoding="utf8"
        )
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(page_file.as_uri())
        page.locator(selector).first.wait_for()
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
        browser.start_tracing(page=page, categories=["toplevel", "blink.user_timing", "__metadata"])
        for i in range(events):
            page.evaluate(STEP, [selector, i])
        trace = json.loads(browser.stop_tracing())["traceEvents"]
        page.close()
    marks = {event["name"]: event for event in trace if event["cat"] == "blink.user_timing" and event["ph"] in "RI"}
    thread = marks["start 0"]["pid"], marks["start 0"]["tid"]
    tasks = [
        (event["ts"], event["ts"] + event["dur"])
        for event in trace
        if (event["pid"], event["tid"]) == thread and event["ph"] == "X" and "RunTask" in event["name"]
    ]
    return [
        sum(max(0, min(end, until) - max(start, since)) for start, end in tasks) / 1000
        for since, until in ((marks[f"start {i}"]["ts"], marks[f"end {i}"]["ts"]) for i in range(events))
    ]


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--events", type=int, default=40)
    options.add_argument("--slowdown", type=float, default=4)
    options = options.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        for name, (widget, selector, bar) in cases().items():
            taken = busy(browser, widget, selector, options.events, options.slowdown)
            p95 = float(np.percentile(taken, 95))
            print(
                f"{name:34} p95 {p95:6.1f} ms   median {np.median(taken):6.1f} ms{'' if p95 <= bar else f'   above {bar} ms'}"
            )
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
