"""Measure every page of the built site and hold it against the bars: `make audit`.

    python -m tools.audit.audit [PAGE …]

Lighthouse runs three to five times for phones, until three runs agree on each bar that varies, as the median of five
does; of the other categories the worst run counts. A page that misses a bar that varies has five runs more when all
others are measured, since what else a machine does may last for minutes: then the median of all its runs counts. It
runs once for desktops, beside what follows, since no bar is held to its clock. Bytes, requests and console errors are
those of a first visit that scrolls to the end, served with gzip below a
sub-path under a content-security policy; axe runs at two widths in both colour schemes.
Prints one table; the exit code is 1 when a bar is missed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, ConsoleMessage, sync_playwright

from anywidget_static.axe import violations
from tools import chromium
from tools.site import FLAGS, ROOT, open_page, pages, scroll_through, served

LIGHTHOUSE = Path(__file__).parent / "node_modules/lighthouse/cli/index.js"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
# Lighthouse's launcher switches RenderDocument off, which a reader's browser has on: a first frame then comes a second
# late now and then. The last list of features counts; this is the launcher's, as far as it concerns a page of this book.
FEATURES = "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider"
PERFORMANCE = 98  # on a phone
PAINT, SHIFT = 1.6, 0.05  # on a phone: seconds to the largest contentful paint; how far its layout shifts is less
KILOBYTES, MEDIAN = 300, 200  # of a page; of all pages in the median
VARIES: dict[str, Callable[[float], bool]] = {  # on a phone: what meets a bar
    "performance": lambda score: score >= PERFORMANCE,
    "paint": lambda seconds: seconds <= PAINT,
    "shift": lambda shift: shift < SHIFT,
}
ROW = "{:34} {:>16} {:>5} {:>5} {:>16} {:>6} {:>5} {:>6} {:>6} {:>4}  {}"
HEAD = ROW.format(
    "page", "phone p a b s", "paint", "shift", "desktop p a b s", "KB", "reqs", "others", "errors", "axe", "bars"
)


@dataclass
class Result:
    """One page's figures; scores are of 100, a phone's also has the seconds of `paint`, and the `shift`."""

    page: str
    runs: list[dict[str, float]]  # on a phone
    desktop: dict[str, float] = field(default_factory=dict)
    kilobytes: float = 0.0
    requests: int = 0
    elsewhere: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    axe: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def mobile(self) -> dict[str, float]:
        """The least scores of all runs, and the medians of what varies."""
        least = {category: min(run[category] for run in self.runs) for category in CATEGORIES}
        return least | {name: median(run[name] for run in self.runs) for name in VARIES}

    def misses_by_clock(self) -> bool:
        """Whether it misses a bar that varies."""
        return not all(meets(self.mobile[name]) for name, meets in VARIES.items())

    def missed(self) -> list[str]:
        """The bars that the page misses, each in words."""
        bars = [("performance", "phone", PERFORMANCE)]
        bars += [(category, device, 100) for device in ("phone", "desktop") for category in CATEGORIES[1:]]
        scores = {"phone": self.mobile, "desktop": self.desktop}
        missed = [f"{c} on a {d} is {scores[d][c]:.0f}, the bar is {bar}" for c, d, bar in bars if scores[d][c] < bar]
        if not VARIES["paint"](self.mobile["paint"]):
            missed.append(f"the largest paint on a phone comes after {self.mobile['paint']:.2f} s, the bar is {PAINT}")
        if not VARIES["shift"](self.mobile["shift"]):
            missed.append(f"the layout on a phone shifts by {self.mobile['shift']:.3f}, the bar is less than {SHIFT}")
        if self.kilobytes > KILOBYTES:
            missed.append(f"{self.kilobytes:.0f} KB are transferred, the bar is {KILOBYTES}")
        missed += [f"asks another site: {url}" for url in self.elsewhere]
        missed += [f"console: {message}" for message in self.errors]
        return missed + [f"axe: {rule} at {element[:120]}" for rule, element, _ in self.axe]

    def row(self) -> str:
        phone, desktop = (" ".join(f"{of[c]:3.0f}" for c in CATEGORIES) for of in (self.mobile, self.desktop))
        counts = (f"{self.kilobytes:.0f}", self.requests, len(self.elsewhere), len(self.errors), len(self.axe))
        moved = (f"{self.mobile['paint']:.2f}", f"{self.mobile['shift']:.3f}")
        return ROW.format(self.page, phone, *moved, desktop, *counts, "MISSED" if self.missed() else "met")


def lighthouse(url: str, device: str, browser: str) -> dict[str, float]:
    """The four categories' scores of one run, the seconds of its largest contentful paint, and its layout shift."""
    command = ["node", str(LIGHTHOUSE), url, "--quiet", "--output=json", f"--only-categories={','.join(CATEGORIES)}"]
    command += ["--disable-full-page-screenshot"]  # of a long page it takes seconds, and no bar asks for it
    command += [f"--chrome-flags=--headless=new {' '.join([*FLAGS, FEATURES])}"]
    command += ["--preset=desktop"] if device == "desktop" else []
    environment = os.environ | {"CHROME_PATH": browser}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"Lighthouse failed on {url}:\n{done.stdout}{done.stderr}")
    found = json.loads(done.stdout)
    value = {name: audit["numericValue"] for name, audit in found["audits"].items() if "numericValue" in audit}
    moved = {"paint": value["largest-contentful-paint"] / 1000, "shift": value["cumulative-layout-shift"]}
    return {name: 100 * found["categories"][name]["score"] for name in CATEGORIES} | moved


def on_phone(url: str, browser: str) -> list[dict[str, float]]:
    """At most five runs: three agree on each bar that varies."""
    runs = [lighthouse(url, "phone", browser) for _ in range(3)]
    while not all(_agreed([meets(run[name]) for run in runs]) for name, meets in VARIES.items()):
        runs.append(lighthouse(url, "phone", browser))
    return runs


def once_more(results: list[Result], address: str, browser: str) -> None:
    """Five runs more for each page that misses a bar that varies."""
    for result in filter(Result.misses_by_clock, results):
        result.runs += [lighthouse(f"{address}/{result.page}", "phone", browser) for _ in range(5)]
        print(result.row(), "with five runs more", flush=True)


def _agreed(verdicts: list[bool]) -> bool:
    return max(verdicts.count(True), verdicts.count(False)) >= 3


def visit(browser: Browser, address: str, result: Result) -> None:
    """A first visit to the end of the page: what it transfers, whom it asks, what it complains of."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    sizes: list[float] = []
    asked: list[str] = []
    said: list[ConsoleMessage] = []
    # not append itself: Playwright marks what it calls, and cannot mark a built-in
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message))
    page.on("pageerror", lambda error: result.errors.append(str(error)))
    page.goto(f"{address}/{result.page}", wait_until="networkidle")
    scroll_through(page)
    page.wait_for_load_state("networkidle")
    result.kilobytes, result.requests = sum(sizes) / 1000, len(sizes)
    result.elsewhere += [url for url in asked if not url.startswith((address, "data:"))]
    result.errors += [message.text for message in said if message.type in {"error", "warning"}]
    context.close()


def look_with_axe(browser: Browser, address: str, result: Result) -> None:
    for width in (1280, 390):
        for dark in (False, True):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
            open_page(page, f"{address}/{result.page}")
            scroll_through(page, answers=dark or width > 390)
            result.axe += violations(page, ROOT)
            page.close()


def faults_of(results: list[Result], whole: bool) -> list[str]:
    """The bars that are missed, each in words: of every page, and of the `whole` site."""
    faults = [f"{result.page}: {fault}" for result in results for fault in result.missed()]
    middle = median(result.kilobytes for result in results)
    if whole and middle > MEDIAN:
        faults.append(f"{middle:.0f} KB are transferred in the median of all pages, the bar is {MEDIAN}")
    return faults


def main(chosen: list[str]) -> int:
    path = chromium.find() or sys.exit("No Chromium here: python tools/chromium.py installs one.")
    results = []
    print(HEAD, flush=True)
    with served() as address, sync_playwright() as playwright, ThreadPoolExecutor(1) as beside:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in chosen or pages():
            url = f"{address}/{name}"
            result = Result(name, on_phone(url, path))
            desktop = beside.submit(lighthouse, url, "desktop", path)
            visit(browser, address, result)
            look_with_axe(browser, address, result)
            result.desktop = desktop.result()
            print(result.row(), flush=True)
            results.append(result)
        browser.close()
        once_more(results, address, path)
    faults = faults_of(results, whole=not chosen)
    print("\n".join(faults) or f"Every bar is met on {len(results)} pages.")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
