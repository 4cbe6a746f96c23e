"""How long a writer waits after changing a sentence: this book's toolchain against the stock one, in one run.

    python bench/rebuild.py [--rounds 5] [--chapters 4]

Both build the same book of copies of a real chapter, once with this project's configuration and once as Jupyter Book comes:
its own theme, MathJax, no step of ours. Then one sentence changes and both build again, in turn. Nothing is executed anew in
either, so that the ratio is of the page building alone. Prints the median seconds and their ratio; and, for this checkout,
the seconds of `make book` with nothing changed.
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
BAR = 1.3
UNCHANGED = 3  # seconds
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
LABELLED = (("(", ")="), ("<", ">`"), (":label: ", "\n"), ("{solution} ", "\n"), ("{solution-start} ", "\n"))
SENTENCE = "Nothing in this formula is trained: it has no parameter."


def make_book(folder: Path, chapters: int) -> None:
    """A book whose chapters are copies of chapter 1, each with labels of its own."""
    (folder / "chapters").mkdir(parents=True)
    text = (ROOT / "chapters/01_dot_product.md").read_text(encoding="utf8").replace("\\new{", "{")
    assert SENTENCE in text, "chapter 1 has another sentence now: change it here too"
    labels = [line[1:-2] for line in text.splitlines() if line.startswith("(") and line.endswith(")=")]
    labels += [line.removeprefix(":label: ") for line in text.splitlines() if line.startswith(":label: ")]
    for number in range(chapters):
        own = text
        for label in labels:
            for before, after in LABELLED:
                own = own.replace(f"{before}{label}{after}", f"{before}{label}-{number}{after}")
        (folder / f"chapters/{number:02}_copy.md").write_text(own, encoding="utf8")
    header = "---\nmyst: {html_meta: {description: A book to measure with.}}\n---\n\n"
    (folder / "index.md").write_text(f"{header}# Book\n\n```{{tableofcontents}}\n```\n")
    lines = "".join(f"  - file: chapters/{number:02}_copy\n" for number in range(chapters))
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n{lines}")


def make_ours(folder: Path) -> None:
    for name in ("_ext", "attnlib", "chapters/attention_posters"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("node_modules", "tools", "_config.yml", "references.bib", "pyproject.toml", "README.md", "LICENSE"):
        (folder / name).symlink_to(ROOT / name)


def seconds(command: list[str | Path]) -> float:
    """Run a command; return how long it took."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} fails:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return time.perf_counter() - start


def build(folder: Path) -> float:
    return seconds([Path(sys.executable).with_name("jupyter-book"), "build", folder, "--quiet"])


def after_a_sentence(rounds: int, chapters: int) -> float:
    """The ratio of the median seconds, ours to stock."""
    with tempfile.TemporaryDirectory() as temporary:
        ours, stock = Path(temporary, "ours"), Path(temporary, "stock")
        for folder in (ours, stock):
            make_book(folder, chapters)
        make_ours(ours)
        (stock / "_config.yml").write_text(STOCK)
        first = {folder: build(folder) for folder in (ours, stock)}
        took: dict[Path, list[float]] = {ours: [], stock: []}
        for turn in range(rounds):
            for folder in (ours, stock) if turn % 2 else (stock, ours):
                page = folder / "chapters/00_copy.md"
                page.write_text(page.read_text().replace(SENTENCE, f"{SENTENCE} {turn}", 1))
                took[folder].append(build(folder))
    for folder, runs in took.items():
        shown = f"median {statistics.median(runs):.2f} s of {[round(run, 2) for run in sorted(runs)]}"
        print(f"{folder.name:6} first {first[folder]:6.1f} s   after a sentence: {shown}")
    return statistics.median(took[ours]) / statistics.median(took[stock])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--chapters", type=int, default=4)
    options = parser.parse_args()
    ratio = after_a_sentence(options.rounds, options.chapters)
    print(f"ratio {ratio:.2f} (bar {BAR})")
    seconds(["make", "-C", ROOT, "book"])
    unchanged = seconds(["make", "-C", ROOT, "book"])
    print(f"nothing changed {unchanged:.2f} s (bar {UNCHANGED})")
    return ratio > BAR or unchanged > UNCHANGED


if __name__ == "__main__":
    sys.exit(main())
