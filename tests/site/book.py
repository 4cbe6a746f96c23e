"""Small books to build in tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path.cwd()
HEADER = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3, language: python}
myst: {html_meta: {description: A page to test with.}}
---

"""


class Book:
    """A small book with this project's configuration: one page, and more where a test adds them."""

    def __init__(self, folder):
        self.folder = folder
        self.site = folder / "_build/html"
        folder.mkdir()
        for name in ("_config.yml", "references.bib", "node_modules", "tools", "pyproject.toml", "README.md"):
            (folder / name).symlink_to(ROOT / name)
        for name in ("_ext", "attnlib", "chapters/attention_posters"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "_toc.yml").write_text("format: jb-book\nroot: index\n")

    def __call__(self, text, header=HEADER, **environment):
        """Build the book with this page; give the exit code, the log and the page."""
        (self.folder / "index.md").write_text(header + text)
        command = [Path(sys.executable).with_name("jupyter-book"), "build", self.folder, "-W", "-n", "--keep-going"]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
        page = self.site / "index.html"
        if done.returncode:
            shutil.rmtree(self.folder / "_build/.doctrees", ignore_errors=True)  # as `make book` does
        return done.returncode, done.stdout + done.stderr, page.read_text() if page.exists() else ""
