"""What the site gives to take away: each chapter as a notebook, the package as a wheel, and all of them in one archive.

A notebook's first cell installs the package where it is missing: from the site, when the build knows its address
(`BASE_URL`), else from the wheel in the same folder. The directive `downloads` lists the files; a chapter ends with its own.
"""

import re
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .freshness import once

CHAPTER = re.compile(r"chapters/(\d\d_\w+)")
FOLDER = "downloads"
ALL = "attention-notebooks.zip"
EXTRAS = "plots,widgets,train"
INSTALL = """\
# The book's package. Where it is missing, {place}.
try:
    import attnlib
except ModuleNotFoundError:
    %pip install --quiet "{requirement}"
    import attnlib"""


def wheel_name(root: Path) -> str:
    """The wheel's file name, for the version of the package."""
    text = (root / "attnlib/__init__.py").read_text(encoding="utf8")
    version = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    assert version, "attnlib has no version"
    return f"attnlib-{version[1]}-py3-none-any.whl"


def first_cell(wheel: str, base: str | None) -> str:
    """What installs the package, from the site at the address `base` or from the notebook's own folder."""
    if base:
        place, source = "it comes from the book's site", f"attnlib[{EXTRAS}] @ {base}{FOLDER}/{wheel}"
    else:
        place, source = f"put {wheel} beside this notebook", f"./{wheel}[{EXTRAS}]"
    return INSTALL.format(place=place, requirement=source)


class Downloads(SphinxDirective):
    """Where the list of the files will stand."""

    def run(self) -> list[nodes.Node]:
        return [nodes.bullet_list(classes=["downloads"])]


def fill(app: Sphinx, document: nodes.document, page: str) -> None:
    """List the files where a page asks for them: only when all pages are read are the chapters known."""
    chapters = [name for name in app.env.toctree_includes.get(app.config.root_doc, []) if CHAPTER.fullmatch(name)]
    files = [(app.env.titles[name].astext(), f"{Path(name).name}.ipynb") for name in chapters]
    files += [("All notebooks and the package", ALL), ("The package alone", wheel_name(Path(app.srcdir)))]
    for rows in document.findall(nodes.bullet_list):
        for says, file in files if "downloads" in rows["classes"] else ():
            link = nodes.reference("", file, refuri=f"{'../' * page.count('/')}{FOLDER}/{file}")
            rows += nodes.list_item("", nodes.paragraph("", f"{says}: ", link))


def name_notebook(app: Sphinx, page: str, template: str, context: dict[str, Any], document: Any) -> None:
    """Tell the template of a chapter its notebook."""
    if match := CHAPTER.fullmatch(page):
        context["notebook"] = f"{match[1]}.ipynb"


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the files, each when what it is made of has changed."""
    chapters = sorted(match[1] for page in app.env.found_docs if (match := CHAPTER.fullmatch(page)))
    if exception or app.builder.format != "html" or not chapters:
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    wheel = folder / wheel_name(root)
    project = (root / "pyproject.toml").read_text(encoding="utf8")
    once(wheel, app.config.attnlib_digest + project, partial(_build_wheel, root, folder))
    made = [wheel, *(folder / f"{name}.ipynb" for name in chapters)]
    install = first_cell(wheel.name, app.config.html_baseurl)
    converter = (root / "tools/notebooks.py").read_text(encoding="utf8")
    for file in made[1:]:
        text = (root / f"chapters/{file.stem}.md").read_text(encoding="utf8")
        key = (text, install, converter, app.config.attnlib_digest)
        once(file, key, partial(_write_notebook, file, install, text))
    for old in {*folder.iterdir()} - {*made, folder / ALL}:
        old.unlink()
    once(folder / ALL, [file.stat().st_mtime_ns for file in made], partial(_pack, folder / ALL, made))


def _build_wheel(root: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the package's wheel could not be built:\n{done.stdout}{done.stderr}")


def _write_notebook(file: Path, install: str, text: str) -> None:
    from tools.notebooks import convert, notebook_of  # only where a chapter has changed

    cells = convert(text, f"{file.stem}.md").cells
    notebook = notebook_of([nbformat.v4.new_code_cell(install), *cells])
    file.write_text(nbformat.writes(notebook) + "\n", encoding="utf8")


def _pack(archive: Path, files: list[Path]) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in files:
            packed.writestr(zipfile.ZipInfo(f"attention/{file.name}", (2026, 1, 1, 0, 0, 0)), file.read_bytes())
