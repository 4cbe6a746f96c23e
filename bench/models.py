"""ModelView beside BertViz and CircuitsVis, in one run: bytes, time to paint, main-thread work, hover and memory.

    python bench/models.py [--runs 3] [--quick] [--limit 60]

All three show the same weights: causal, of normal scores, from one seed. Each page is a file and everything it loads lies
beside it, so that no network counts; Chromium opens it in a browser of its own, 1280 × 800. BertViz's page is what its
`model_view(html_action="return")` makes, with its three addresses of a CDN replaced by files: d3 and require.js of the
same versions, jQuery 2.1.0 for 2.0.0, which the registry does not have. CircuitsVis' page is one `attention_heads` of all
heads, the form without a CDN. Nothing of either was changed or left out.

Painted: from the start of the navigation to the last frame that Chromium drew before the page was still, with every head
in it. Still: for three seconds the page's process takes little of a processor's time. A hover: a mouse moves over cells of
a large head (ModelView's canvas, the tokens of BertViz's) and over small heads (ModelView's and CircuitsVis'), six times or
for a third of `--limit`; from the event's dispatch to the last frame that it drew. What a tool does not answer has a dash.
Memory: the JavaScript heap after a collection, and what the page's process holds; ± is half of what lies between the least
and the most of the runs. The first line is a page without anything, which is what Chromium takes itself. Every tool is
tried in every case; of what is not still after `--limit` seconds, or crashes, it is said when that was.

The peers come from PyPI and npm into _build/peers. Without a network the bench measures ModelView alone.
"""

import argparse
import gzip
import importlib
import importlib.metadata
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import Error, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from attnlib.models.recording import Recording  # noqa: E402
from attnlib.widgets.model_view import ModelView  # noqa: E402
from bench.tracing import CATEGORIES, Trace  # noqa: E402
from tools import chromium  # noqa: E402
from tools.site import FLAGS  # noqa: E402

PEERS = ROOT / "_build" / "peers"
WHEELS = ("bertviz==1.4.1", "circuitsvis==1.43.3")
PACKAGES = {  # by the address in BertViz's page: the package, and the file in it
    "https://cdnjs.cloudflare.com/ajax/libs/require.js/2.3.6/require.min.js": ("requirejs@2.3.6", "require.js"),
    "https://cdnjs.cloudflare.com/ajax/libs/d3/5.7.0/d3.min": ("d3@5.7.0", "dist/d3.min.js"),
    "https://cdnjs.cloudflare.com/ajax/libs/jquery/2.0.0/jquery.min": ("jquery@2.1.0", "dist/jquery.min.js"),
}
CASES = {"12 × 12, 32 tokens": (12, 12, 32), "12 × 12, 128 tokens": (12, 12, 128), "32 × 32, 64 tokens": (32, 32, 64)}
CASES |= {"12 × 12, 512 tokens": (12, 12, 512)}
HOVERS = 6
IDLE = 0.15  # of a processor's time: what a process with nothing to do may take, with our questions to it
STILL = 3  # seconds: other threads draw for a second what the main thread has long left to them


HEAD = ("fetched", "gzip", "painted", "work", "hover, large", "work", "hover, small", "work", "JS heap", "memory")
FORMS = (*["{0:,.0f} kB"] * 2, *["{0:,.0f} ms"] * 2, *["{0:,.1f} ms"] * 4, *["{0:,.1f} ±{1:,.1f} MB"] * 2)
UNITS = (1e3, 1e3, *[1] * 6, 1e6, 1e6)
WIDTH = 22  # of a column
# Where a mouse goes: to the middle of each element in the window, or over the only one.
POINTS = """([selector, count]) => {
  const inside = ({ x, y }) => x >= 0 && x < innerWidth && y >= 0 && y < innerHeight;
  const nodes = [...document.querySelectorAll(selector)], one = nodes.length === 1;
  return nodes.flatMap((node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    const shares = one ? Array.from({ length: count }, (_, i) => (i + 0.5) / count) : [0.5];
    return shares.map((share) => ({ x: left + width * share, y: top + height * share }));
  }).filter(inside).map(({ x, y }) => [x, y]);
}"""


class DidNotFinish(Exception):
    """A page was not still in time, or its process ended: the message says when."""


class Tool(NamedTuple):
    """What makes its page in a folder, and what is true when every head is drawn.

    Then what to press for a large head, and what to hover over, in the large one and among the small ones: "" for what
    does not answer.
    """

    write: Callable[[Path, np.ndarray], None]
    drawn: str
    press: str = ""
    large: str = ""
    small: str = ""


@dataclass
class Measured:
    """What one run gave; times in milliseconds, sizes in bytes."""

    fetched: int
    packed: int
    painted: float
    work: float
    large: float
    large_work: float
    small: float
    small_work: float
    heap: float
    memory: float


def weights(layers: int, heads: int, tokens: int) -> np.ndarray:
    """Plausible ones: softmax of normal scores below the diagonal, a head's sharpness its own."""
    rng = np.random.default_rng(25)
    scores = rng.normal(size=(layers, heads, tokens, tokens)).astype("float32")
    scores *= rng.uniform(0.5, 4, size=(layers, heads, 1, 1)).astype("float32")
    scores[..., ~np.tri(tokens, dtype=bool)] = -np.inf
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True)


def words(count: int) -> list[str]:
    return [f"word{i}" for i in range(count)]


def fetch_peers() -> bool:
    """Whether the peers are there, fetched if they were not."""
    PEERS.mkdir(parents=True, exist_ok=True)
    try:
        for wheel in WHEELS:
            name = wheel.partition("==")[0]
            if not (PEERS / name).exists():
                command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", PEERS, wheel]
                subprocess.run(command, check=True, capture_output=True, timeout=120)
                with zipfile.ZipFile(next(PEERS.glob(f"{name}-*.whl"))) as file:
                    file.extractall(PEERS)
        for package, file in PACKAGES.values():
            out = PEERS / f"{package}.js"
            if not out.exists():
                command = ["npm", "pack", "--silent", "--pack-destination", PEERS, package]
                subprocess.run(command, check=True, capture_output=True, timeout=120)
                with tarfile.open(PEERS / f"{package.replace('@', '-')}.tgz") as archive:
                    text = archive.extractfile(f"package/{file}").read()
                if file.endswith(".min.js"):
                    out.write_bytes(text)
                else:  # as small as what the CDN has
                    command = [ROOT / "node_modules/.bin/esbuild", "--minify"]
                    out.write_bytes(subprocess.run(command, input=text, check=True, capture_output=True).stdout)
    except (OSError, subprocess.SubprocessError):
        return False
    sys.modules.setdefault("importlib_metadata", importlib.metadata)  # which CircuitsVis asks for its own version
    sys.path.insert(0, str(PEERS))
    return True


def page_of(body: str) -> str:
    return f"<!doctype html><html lang=en><meta charset=utf-8><title>page</title><body>{body}</body></html>"


def write_bertviz(folder: Path, grids: np.ndarray, name: str = "model_view") -> None:
    torch = importlib.import_module("torch")
    view = getattr(importlib.import_module("bertviz"), name)
    attention = [torch.from_numpy(layer)[None] for layer in grids]
    options = {"display_mode": "light"} if name == "model_view" else {}
    html = view(attention, words(grids.shape[-1]), **options, html_action="return").data
    for address, (package, _) in PACKAGES.items():
        assert address in html, f"BertViz no longer loads {address}"
        shutil.copy(PEERS / f"{package}.js", folder)
        html = html.replace(address, package if "require.js/" not in address else f"{package}.js")
    (folder / "page.html").write_text(page_of(html), encoding="utf8")


def write_circuitsvis(folder: Path, grids: np.ndarray) -> None:
    view = importlib.import_module("circuitsvis.attention").attention_heads
    names = [f"L{layer}H{head}" for layer, head in np.ndindex(grids.shape[:2])]
    flat = grids.reshape(-1, *grids.shape[2:])
    html = view(
        attention=flat, tokens=words(grids.shape[-1]), attention_head_names=names, mask_upper_tri=True
    ).local_src
    (folder / "page.html").write_text(page_of(html), encoding="utf8")


def write_ours(folder: Path, grids: np.ndarray) -> None:
    recording = Recording.from_grids(grids, words(grids.shape[-1]), causal=True)
    ModelView(recording, title="All heads").save(folder / "page.html")


OURS = Tool(
    write_ours,
    "() => document.querySelector('canvas.attn-all-heads')?.width > 300",
    large="canvas.attn-map",
    small=".attn-head-cell",
)
EMPTY = Tool(lambda folder, grids: (folder / "page.html").write_text(page_of("nothing")), "() => true")
PEER_TOOLS = {
    "BertViz": Tool(
        write_bertviz,
        "(heads) => document.querySelectorAll('.attn_background').length === heads",
        press="svg > g:nth-of-type(14) > rect:last-of-type",
        large="g.detail g:has(> text[style*='end'])",
    ),
    "CircuitsVis": Tool(
        write_circuitsvis, "(heads) => document.querySelectorAll('canvas').length >= heads", small="canvas"
    ),
}


def until_still(page: Page, drawn: str = "() => true", heads: int = 0, still: float = STILL) -> None:
    """Wait until all is drawn and the page's process has had next to nothing to do for a while."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")

    def busy() -> float:
        found = client.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in found if one["name"] == "ProcessTime")

    quiet = 0
    while quiet < 4:
        start, before = time.perf_counter(), busy()
        time.sleep(still / 4)
        complete = page.evaluate(drawn, heads)
        idle = busy() - before < IDLE * (time.perf_counter() - start)
        quiet = quiet + 1 if complete and idle else 0
    client.detach()


def memory_of(process: int) -> float:
    """Bytes of a process's own memory and of its part of what it shares; NaN where Linux is not."""
    with suppress(OSError):
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        return 1024 * int(re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)[1])
    return float("nan")


def measure(tool: Tool, file: Path, heads: int, limit: float) -> Measured:
    """Open a page once, in a browser of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        late, when, faults = threading.Event(), "opened", []
        control = browser.new_browser_cdp_session()
        pids = {one["type"]: int(one["id"]) for one in control.send("SystemInfo.getProcessInfo")["processInfo"]}

        def stop() -> None:
            late.set()
            os.kill(pids["browser"], 9)

        timer = threading.Timer(limit, stop)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.on("pageerror", lambda error: faults.append(str(error).partition("\n")[0]))
            timer.start()
            browser.start_tracing(page=page, categories=CATEGORIES)
            page.goto(file.as_uri(), wait_until="commit", timeout=1000 * limit)
            until_still(page, tool.drawn, heads)
            trace = Trace(browser.stop_tracing())
            timer.cancel()
            start = trace.opened(file.as_uri())
            painted = trace.frames(start["pid"])[-1]
            client = page.context.new_cdp_session(page)
            client.send("Performance.enable")
            client.send("HeapProfiler.collectGarbage")
            metrics = {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}
            memory = memory_of(start["pid"])
            hovers = []
            for selector, press in ((tool.large, tool.press), (tool.small, "")):
                when = "pressed" if press else "hovered over"
                timer = threading.Timer(limit, stop)
                timer.start()
                hovers += hover(browser, page, selector, press, limit)
                timer.cancel()
            texts = [one.read_bytes() for one in file.parent.iterdir()]
            return Measured(
                fetched=sum(map(len, texts)),
                packed=sum(len(gzip.compress(text, 6)) for text in texts),
                painted=(painted - start["ts"]) / 1000,
                work=trace.work(start, painted),
                large=hovers[0],
                large_work=hovers[1],
                small=hovers[2],
                small_work=hovers[3],
                heap=metrics["JSHeapUsedSize"],
                memory=memory,
            )
        except Error as error:
            said = f": {faults[0]}" if faults else ""
            if late.is_set():
                raise DidNotFinish(f"was not still {limit:g} s after it was {when}{said}") from error
            if "crash" in str(error).lower():
                raise DidNotFinish(f"crashed after it was {when}{said}") from error
            raise
        finally:
            timer.cancel()
            with suppress(Error):
                browser.close()


def hover(browser: Any, page: Page, selector: str, press: str, limit: float) -> tuple[float, float]:
    """The median milliseconds from a mouse's move to the frame that shows what it does, and of work until then."""
    if not selector:
        return float("nan"), float("nan")
    if press:
        page.locator(press).first.click(force=True)
    page.wait_for_function("(selector) => document.querySelector(selector)", arg=selector)
    page.evaluate("(selector) => document.querySelector(selector).scrollIntoView()", selector)
    until_still(page)
    points = page.evaluate(POINTS, [selector, HOVERS])
    browser.start_tracing(page=page, categories=CATEGORIES)
    start, moves = time.perf_counter(), 0
    while moves < HOVERS and (moves < 2 or time.perf_counter() - start < limit / 3):
        page.mouse.move(*points[moves % len(points)])
        until_still(page, still=STILL / 4)
        moves += 1
    answers = Trace(browser.stop_tracing()).answers("mousemove")
    assert len(answers) > moves / 2, f"{len(answers)} of {moves} moves changed the picture"
    return statistics.median(one for one, _ in answers), statistics.median(work for _, work in answers)


def measured(tool: Tool, case: tuple[int, int, int], runs: int, limit: float) -> list[Measured]:
    """The figures of each run. Raises DidNotFinish for the first that does not come to its end."""
    with tempfile.TemporaryDirectory() as folder:
        tool.write(Path(folder), weights(*case))
        return [measure(tool, Path(folder, "page.html"), case[0] * case[1], limit) for _ in range(runs)]


def line(name: str, runs: list[Measured], ours: list[Measured]) -> str:
    """The figures of a tool, and in brackets how many times ours they are."""
    cells = []
    columns = [list(zip(*map(astuple, each), strict=True)) for each in (runs, ours)]
    for values, base, form, unit in zip(*columns, FORMS, UNITS, strict=True):
        middle, mine = statistics.median(values), statistics.median(base)
        ratio = middle / mine if mine and runs is not ours else float("nan")
        times = "" if math.isnan(ratio) else f" ({ratio:.1f}×)" if ratio < 10 else f" ({ratio:.0f}×)"
        margin = (max(values) - min(values)) / 2
        cells.append("–" if math.isnan(middle) else form.format(middle / unit, margin / unit) + times)
    return f"  {name:14}" + "".join(f"{cell:>{WIDTH}}" for cell in cells)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--limit", type=float, default=60, help="seconds that a page may take")
    options.add_argument("--quick", action="store_true", help="one run of the first case")
    options = options.parse_args()
    tools = {"ModelView": OURS} | (PEER_TOOLS if fetch_peers() else {})
    if len(tools) == 1:
        print("The peers cannot be fetched from PyPI and npm: ModelView alone.")
    cases = dict(list(CASES.items())[:1]) if options.quick else CASES
    runs = 1 if options.quick else options.runs
    print(" " * 16 + "".join(f"{name:>{WIDTH}}" for name in HEAD))
    nothing = measured(EMPTY, (1, 1, 1), runs, options.limit)
    print(line("an empty page", nothing, nothing), flush=True)
    for title, case in cases.items():
        print(title, flush=True)
        ours = None
        for name, tool in tools.items():
            try:
                found = measured(tool, case, runs, options.limit)
                ours = found if tool is OURS else ours
                print(line(name, found, ours or found), flush=True)
            except (DidNotFinish, MemoryError) as error:
                print(f"  {name:14}  {error or 'no page: the memory does not suffice'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
