"""ModelView beside BertViz and CircuitsVis, in one run: bytes, time to paint, main-thread work, hover and memory.

    python bench/models.py [--runs 3] [--quick] [--limit 60]

All three show the same weights: causal, of normal scores, from one seed. Each page is a file and everything it loads lies
beside it, so that no network counts; Chromium opens it in a browser of its own, 1280 × 800. BertViz's page is what its
`model_view(html_action="return")` makes, with its three addresses of a CDN replaced by files: d3 and require.js of the
same versions, jQuery 2.1.0 for 2.0.0, which the registry does not have. CircuitsVis' page is one `attention_heads` of all
heads, the form without a CDN. Nothing of either was changed or left out.

Painted: from the start of the navigation to the last frame that Chromium drew before the page was still, with every head
in it. Still: for three seconds the page's process takes little of a processor's time. A hover: a mouse moves over cells of
ModelView's large head, over tokens of BertViz's, over CircuitsVis' small heads, six times or for a third of `--limit`; from
the event's dispatch to the last frame that it drew. What is not still after `--limit` seconds, from the start or from the
click that a hover needs, did not finish, and larger cases of it are not tried.

The peers come from PyPI and npm into _build/peers. Without a network the bench measures ModelView alone.
"""

import argparse
import gzip
import importlib
import importlib.metadata
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


HEAD = ("fetched", "gzip", "painted", "work", "hover", "work", "JS heap", "memory")
FORMS = (*[lambda size: f"{size / 1000:,.0f} kB"] * 2, *[lambda time: f"{time:,.0f} ms"] * 2)
FORMS += (*[lambda time: f"{time:,.1f} ms"] * 2, *[lambda size: f"{size / 1e6:,.1f} MB"] * 2)
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
    """A page was not still in time."""


class Tool(NamedTuple):
    """What makes its page in a folder, what is true when every head is drawn, what to press, and what to hover over."""

    write: Callable[[Path, np.ndarray], None]
    drawn: str
    press: str
    hover: str


@dataclass
class Measured:
    """What one run gave; times in milliseconds, sizes in bytes."""

    fetched: int
    packed: int
    painted: float
    work: float
    hover: float
    hover_work: float
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


OURS = Tool(write_ours, "() => document.querySelector('canvas.attn-all-heads')?.width > 300", "", "canvas.attn-map")
EMPTY = Tool(lambda folder, grids: (folder / "page.html").write_text(page_of("nothing")), "() => true", "", "")
PEER_TOOLS = {
    "BertViz": Tool(
        write_bertviz,
        "(heads) => document.querySelectorAll('.attn_background').length === heads",
        "svg > g:nth-of-type(14) > rect:last-of-type",
        "g.detail g:has(> text[style*='end'])",
    ),
    "CircuitsVis": Tool(
        write_circuitsvis,
        "(heads) => document.querySelectorAll('canvas').length >= heads",
        "",
        "canvas",
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
        late = threading.Event()
        control = browser.new_browser_cdp_session()
        pids = {one["type"]: int(one["id"]) for one in control.send("SystemInfo.getProcessInfo")["processInfo"]}

        def stop() -> None:
            late.set()
            os.kill(pids["browser"], 9)

        timer = threading.Timer(limit, stop)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
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
            timer = threading.Timer(limit, stop)
            timer.start()
            shown, hover_work = hover(browser, page, tool, limit)
            texts = [one.read_bytes() for one in file.parent.iterdir()]
            return Measured(
                fetched=sum(map(len, texts)),
                packed=sum(len(gzip.compress(text, 6)) for text in texts),
                painted=(painted - start["ts"]) / 1000,
                work=trace.work(start, painted),
                hover=shown,
                hover_work=hover_work,
                heap=metrics["JSHeapUsedSize"],
                memory=memory,
            )
        except Error as error:
            if late.is_set() or "crash" in str(error).lower():
                raise DidNotFinish from error
            raise
        finally:
            timer.cancel()
            with suppress(Error):
                browser.close()


def hover(browser: Any, page: Page, tool: Tool, limit: float) -> tuple[float, float]:
    """The median milliseconds from a mouse's move to the frame that shows what it does, and of work until then."""
    if not tool.hover:
        return float("nan"), float("nan")
    if tool.press:
        page.locator(tool.press).first.click(force=True)
    page.wait_for_function("(selector) => document.querySelector(selector)", arg=tool.hover)
    page.evaluate("(selector) => document.querySelector(selector).scrollIntoView()", tool.hover)
    until_still(page)
    points = page.evaluate(POINTS, [tool.hover, HOVERS])
    browser.start_tracing(page=page, categories=CATEGORIES)
    start, moves = time.perf_counter(), 0
    while moves < HOVERS and (moves < 2 or time.perf_counter() - start < limit / 3):
        page.mouse.move(*points[moves % len(points)])
        until_still(page, still=STILL / 4)
        moves += 1
    answers = Trace(browser.stop_tracing()).answers("mousemove")
    assert len(answers) > moves / 2, f"{len(answers)} of {moves} moves changed the picture"
    return statistics.median(one for one, _ in answers), statistics.median(work for _, work in answers)


def measured(tool: Tool, name: str, case: tuple[int, int, int], runs: int, limit: float) -> Measured | None:
    """The median of each figure over the runs; None for what did not finish."""
    with tempfile.TemporaryDirectory() as folder:
        tool.write(Path(folder), weights(*case))
        try:
            found = [astuple(measure(tool, Path(folder, "page.html"), case[0] * case[1], limit)) for _ in range(runs)]
        except DidNotFinish:
            return None
        return Measured(*map(statistics.median, zip(*found, strict=True)))


def line(name: str, one: Measured, ours: Measured) -> str:
    """The figures of a tool, and in brackets how many times ours they are."""
    cells = [f"  {name:12}"]
    for value, base, form in zip(astuple(one), astuple(ours), FORMS, strict=True):
        ratio = (
            ""
            if one is ours or not base
            else f" ({value / base:.1f}×)"
            if value < 10 * base
            else f" ({value / base:.0f}×)"
        )
        cells.append(f"{form(value)}{ratio}")
    return "  ".join(f"{cell:>16}" for cell in cells)


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
    print("".join(f"{name:>18}" for name in ("", *HEAD)))
    dead: set[str] = set()
    for title, case in cases.items():
        print(title, flush=True)
        ours = None
        for name, tool in tools.items():
            found = None if name in dead else measured(tool, name, case, runs, options.limit)
            if found:
                ours = ours or found
                print(line(name, found, ours), flush=True)
            else:
                why = (
                    "not tried: a smaller one did not finish"
                    if name in dead
                    else f"did not finish in {options.limit:g} s"
                )
                print(f"  {name:12}  {why}", flush=True)
                dead.add(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
