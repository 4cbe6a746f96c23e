"""Measure every page of the built site and hold it against the bars: `make audit`.

    python -m tools.audit.audit [PAGE …]

Lighthouse runs two or three times for phones (two of three decide on performance, the worst run on the other
categories) and once for desktops. Bytes, requests and console errors are those of a first visit that scrolls to the end,
served with gzip below a sub-path under a content-security policy; axe runs at two widths in both colour schemes.
Prints one table; the exit code is 1 when a bar is missed.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tools import chromium
from tools.site import FLAGS, ROOT, pages, scroll_through, served

AXE = ROOT / "node_modules/axe-core/axe.min.js"
LIGHTHOUSE = Path(__file__).parent / "node_modules/lighthouse/cli/index.js"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
PERFORMANCE = 95  # on a phone
KILOBYTES = 300
ROW = "{:34} {:>16} {:>16} {:>6} {:>5} {:>6} {:>6} {:>4}  {}"
HEAD = ROW.format("page", "phone p a b s", "desktop p a b s", "KB", "reqs", "others", "errors", "axe", "bars")


@dataclass
class Result:
    """One page's figures; scores are of 100."""

    page: str
    mobile: dict[str, float]
    desktop: dict[str, float]
    kilobytes: float = 0.0
    requests: int = 0
    elsewhere: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    axe: list[tuple[str, str, str]] = field(default_factory=list)

    def missed(self) -> list[str]:
        """The bars that the page misses, each in words."""
        bars = [("performance", "phone", PERFORMANCE)]
        bars += [(category, device, 100) for device in ("phone", "desktop") for category in CATEGORIES[1:]]
        scores = {"phone": self.mobile, "desktop": self.desktop}
        missed = [f"{c} on a {d} is {scores[d][c]:.0f}, the bar is {bar}" for c, d, bar in bars if scores[d][c] < bar]
        if self.kilobytes > KILOBYTES:
            missed.append(f"{self.kilobytes:.0f} KB are transferred, the bar is {KILOBYTES}")
        missed += [f"asks another site: {url}" for url in self.elsewhere]
        missed += [f"console: {message}" for message in self.errors]
        return missed + [f"axe: {rule} at {element[:120]}" for rule, element, _ in self.axe]

    def row(self) -> str:
        phone, desktop = (" ".join(f"{of[c]:3.0f}" for c in CATEGORIES) for of in (self.mobile, self.desktop))
        counts = (f"{self.kilobytes:.0f}", self.requests, len(self.elsewhere), len(self.errors), len(self.axe))
        return ROW.format(self.page, phone, desktop, *counts, "MISSED" if self.missed() else "met")


def lighthouse(url: str, device: str, browser: str) -> dict[str, float]:
    """The four categories' scores of one run."""
    command = ["node", str(LIGHTHOUSE), url, "--quiet", "--output=json", f"--only-categories={','.join(CATEGORIES)}"]
    command += [f"--chrome-flags=--headless=new {' '.join(FLAGS)}"]
    command += ["--preset=desktop"] if device == "desktop" else []
    environment = os.environ | {"CHROME_PATH": browser}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"Lighthouse failed on {url}:\n{done.stdout}{done.stderr}")
    found = json.loads(done.stdout)["categories"]
    return {name: 100 * found[name]["score"] for name in CATEGORIES}


def of_phone(url: str, browser: str) -> dict[str, float]:
    """The least scores of the two runs, of at most three, that agree on the bar for performance: as the median of three does."""
    runs: list[dict[str, float]] = []
    while True:
        runs.append(lighthouse(url, "phone", browser))
        same = [run for run in runs if (run["performance"] >= PERFORMANCE) == (runs[-1]["performance"] >= PERFORMANCE)]
        if len(same) == 2:
            of = {c: min(run[c] for run in runs) for c in CATEGORIES}
            return of | {"performance": min(run["performance"] for run in same)}


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
            page.goto(f"{address}/{result.page}")
            scroll_through(page)
            result.axe += violations(page)
            page.close()


def violations(page: Page) -> list[tuple[str, str, str]]:
    """What axe finds on a page, with every rule on: the rule, the element, the reason."""
    page.evaluate(AXE.read_text(encoding="utf8"))  # no script tag: the policy forbids it
    found = page.evaluate("() => axe.run(document)")["violations"]
    return [(rule["id"], node["html"], node["failureSummary"]) for rule in found for node in rule["nodes"]]


def main(chosen: list[str]) -> int:
    path = chromium.find() or sys.exit("No Chromium here: python tools/chromium.py installs one.")
    results = []
    print(HEAD, flush=True)
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in chosen or pages():
            url = f"{address}/{name}"
            result = Result(name, of_phone(url, path), lighthouse(url, "desktop", path))
            visit(browser, address, result)
            look_with_axe(browser, address, result)
            print(result.row(), flush=True)
            results.append(result)
        browser.close()
    faults = [f"{result.page}: {fault}" for result in results for fault in result.missed()]
    print("\n".join(faults) or f"Every bar is met on {len(results)} pages.")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
