"""Small books, built as the book is; tests that only look at pages share one."""

import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path.cwd()
HEADER = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3, language: python}
myst: {html_meta: {description: A page to test with.}}
---

"""
WARNING = r"^(?:%s/([\w/]+)\.md:.*?)?(?:WARNING|ERROR): (.+)$"


class Built(NamedTuple):
    """How a build ended, every warning with its page, and all that was said."""

    code: int
    warnings: list[tuple[str, str]]
    log: str


class Book:
    """A small book with this project's configuration, steps and package."""

    def __init__(self, folder):
        self.folder, self.site = folder, folder / "_build/html"
        folder.mkdir()
        for name in (
            "_config.yml",
            "references.bib",
            "node_modules",
            "tools",
            "pyproject.toml",
            "README.md",
            "LICENSE",
            "CHANGELOG.md",
        ):
            (folder / name).symlink_to(ROOT / name)
        for name in ("_ext", "attnlib", "chapters/attention_posters"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))

    def build(self, pages, **environment):
        """Write these pages, the first at the root, and build the book."""
        for page, text in pages.items():
            file, text = self.folder / f"{page}.md", text if text.startswith("---") else HEADER + text
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists() or file.read_text() != text:  # a page that is as it was keeps its time
                file.write_text(text)
        root, *others = pages
        chapters = "".join(f"- file: {page}\n" for page in others)
        (self.folder / "_toc.yml").write_text(
            f"format: jb-book\nroot: {root}\n" + (chapters and f"chapters:\n{chapters}")
        )
        command = [Path(sys.executable).with_name("jupyter-book"), "build", self.folder, "-W", "-n", "--keep-going"]
        # the copies, not the originals that are installed
        environment = os.environ | {"PYTHONPATH": str(self.folder)} | environment
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        log = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
        return Built(done.returncode, re.findall(WARNING % re.escape(str(self.folder)), log, re.MULTILINE), log)

    def page(self, name="index"):
        """What a page of the site holds."""
        return (self.site / f"{name}.html").read_text(encoding="utf8")


@pytest.fixture
def book(tmp_path):
    """A book for a test that builds it more than once."""
    return Book(tmp_path / "book")


@pytest.fixture(scope="session")
def built_once(once):
    """A book of these pages that several tests look at, and how its build ended."""

    def build(pages, folder):
        book = Book(folder / "book")
        return book, book.build(pages)

    return lambda name, pages: once(name, partial(build, pages))
