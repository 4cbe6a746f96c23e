"""How long a writer waits after changing a sentence: this book's toolchain against the stock one, in one run.

    python bench/rebuild.py [--rounds 5] [--chapters 4]

Both build the same book of copies of a real chapter, once with this project's configuration and once as Jupyter Book comes:
its own theme, MathJax, no step of ours. Then one sentence changes and both build again, in turn. Nothing is executed anew in
either, so that the ratio is of the page building alone. Prints the median seconds and their ratio.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BAR = 1.5
STOCK = """\
title: Stock
author: nobody
only_build_toc_files: true
execute: {execute_notebooks: cache, timeout: 60}
parse: {myst_enable_extensions: [amsmath, colon_fence, deflist, dollarmath, substitution]}
sphinx:
  extra_extensions: [sphinx_exercise]
  config: {numfig: true}
"""


def make_book(folder: Path, chapters: int) -> None:
    """A book whose chapters are copies of chapter 1, each with labels of its own."""
    (folder / "chapters").mkdir(parents=True)
    text = (ROOT / "chapters/01_dot_product.md").read_text(encoding="utf8")
    labels = [line[1:-2] for line in text.splitlines() if line.startswith("(") and line.endswith(")=")]
    labels += [line.removeprefix(":label: ") for line in text.splitlines() if line.startswith(":label: ")]
    for number in range(chapters):
        own = text
        for label in labels:
            for before, after in (
                ("(", ")="),
                ("<", ">`"),
                (":label: ", "\n"),
                ("{solution} ", "\n"),
                ("{solution-start} ", "\n"),
            ):
                own = own.replace(f"{before}{label}{after}", f"{before}{label}-{number}{after}")
        (folder / f"chapters/{number}.md").write_text(own.replace("\\new{", "{"), encoding="utf8")
    header = "---\nmyst: {html_meta: {description: A book to measure with.}}\n---\n\n"
    (folder / "index.md").write_text(f"{header}# Book\n\n```{{tableofcontents}}\n```\n")
    lines = "".join(f"  - file: chapters/{number}\n" for number in range(chapters))
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n{lines}")


def make_ours(folder: Path) -> None:
    for name in ("_ext", "attnlib"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    for name in ("_config.yml", "references.bib"):
        shutil.copy(ROOT / name, folder)


def build(folder: Path) -> float:
    """Build the book; return the seconds that it took."""
    command = [Path(sys.executable).with_name("jupyter-book"), "build", str(folder), "--quiet"]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{folder.name} does not build:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return time.perf_counter() - start


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--chapters", type=int, default=4)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        ours, stock = Path(temporary, "ours"), Path(temporary, "stock")
        for folder in (ours, stock):
            make_book(folder, options.chapters)
        make_ours(ours)
        (stock / "_config.yml").write_text(STOCK)
        first = {folder.name: build(folder) for folder in (ours, stock)}
        seconds: dict[str, list[float]] = {"ours": [], "stock": []}
        for turn in range(options.rounds):
            for folder in (ours, stock) if turn % 2 else (stock, ours):
                page = folder / "chapters/0.md"
                page.write_text(
                    page.read_text().replace(
                        "Nothing in this formula is learned.", f"Nothing in this formula is learned. {turn}", 1
                    )
                )
                seconds[folder.name].append(build(folder))
    medians = {name: statistics.median(runs) for name, runs in seconds.items()}
    ratio = medians["ours"] / medians["stock"]
    for name, runs in seconds.items():
        print(
            f"{name:6} first {first[name]:6.1f} s   after a sentence: median {medians[name]:.2f} s of {[round(run, 2) for run in sorted(runs)]}"
        )
    print(f"ratio {ratio:.2f} (bar {BAR})")
    return ratio > BAR


if __name__ == "__main__":
    sys.exit(main())
