"""How long Python takes to come into a page, against Pyodide and NumPy alone, from the same files in the same run.

    PYTHON_WHEELS=folder make book && python bench/python.py [--rounds 5]

Each visit is a browser's first: bare (a worker that loads Pyodide and imports NumPy) and ours, in turn. Ours is the time from
the click on *Run* to the result of a cell that imports NumPy. Then the same cell again: what that takes beyond the cell's own
time. Prints medians in milliseconds, their ratio, and the bars.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools import chromium  # noqa: E402
from tools.site import FLAGS, SITE, open_page, served  # noqa: E402

RATIO, AGAIN = 1.3, 50  # the bars: bare times this, and milliseconds
BARE = """
import { loadPyodide } from "pyodide";
self.onmessage = async ({ data }) => {
  const python = await loadPyodide({ indexURL: data, packages: ["numpy"] });
  python.runPython("import numpy");
  self.postMessage("ready");
};
"""
ALONE = """async () => {
  const began = performance.now();
  const worker = new Worker(new URL("bare.js", location), { type: "module" });
  await new Promise((done) => {
    worker.onmessage = done;
    worker.postMessage(new URL("_static/python/pyodide/", location).href);
  });
  return performance.now() - began;
}"""
CLICK = """async () => {
  const cell = document.querySelector(".cell[data-cell]:has(.cell-run)");
  const state = () => cell.querySelector(".cell-state")?.textContent ?? "";
  cell.querySelector(".cell-state").textContent = ""; // of the run before
  const began = performance.now();
  cell.querySelector(".cell-run").click();
  while (!/ m?s$/.test(state())) await new Promise((wait) => setTimeout(wait, 2));
  return [performance.now() - began, parseFloat(state())];
}"""
SOURCE = "import numpy as np\nnp.arange(3).sum()"


def visit(browser: Browser, address: str) -> Page:
    page = browser.new_context().new_page()
    open_page(page, address)
    return page


def first_run(browser: Browser, address: str) -> tuple[float, list[float]]:
    """Milliseconds from the click to the result, and those of later runs beyond the cell's own time."""
    page = visit(browser, f"{address}/chapters/01_dot_product.html")
    page.locator(".cell_input pre").first.click()
    page.locator(".cm-content").fill(SOURCE)
    first = page.evaluate(CLICK)[0]
    later = [taken - own for taken, own in (page.evaluate(CLICK) for _ in range(10))]
    page.context.close()
    return first, later


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    rounds = options.parse_args().rounds
    if not (SITE / "_static/python/manifest.json").exists():
        sys.exit("The site has no Python: build it with PYTHON_WHEELS=folder make book, or with a network.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(folder, "site")
        shutil.copytree(SITE, site)
        entry = Path(folder, "bare.mjs")
        entry.write_text(BARE, encoding="utf8")
        esbuild = [ROOT / "node_modules/.bin/esbuild", entry, "--bundle", "--format=esm", "--external:node:*"]
        node = os.environ | {"NODE_PATH": str(ROOT / "node_modules")}
        subprocess.run([*map(str, esbuild), f"--outfile={site / 'bare.js'}", "--log-level=error"], check=True, env=node)
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        bare, ours, again = [], [], []
        with served(site) as address:
            for _ in range(rounds):
                page = visit(browser, f"{address}/index.html")
                bare.append(page.evaluate(ALONE))
                page.context.close()
                first, later = first_run(browser, address)
                ours.append(first)
                again += later
        browser.close()
    ratio = statistics.median(ours) / statistics.median(bare)
    print(f"Pyodide and NumPy alone   {statistics.median(bare):7.0f} ms")
    print(f"click to first result     {statistics.median(ours):7.0f} ms   {ratio:.2f} ×   (bar {RATIO})")
    print(f"the same cell again       {statistics.median(again):7.0f} ms beyond its own   (bar {AGAIN})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
