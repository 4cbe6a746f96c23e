"""What the site gives to take away: each chapter as a notebook, the package as a wheel, and all of them in one archive.

A notebook's first cell says what it installs and how much: the package where it is missing, from the site, when the build
knows its address (`BASE_URL`), else from the wheel in the same folder, and torch where the notebook uses it. The directive
`downloads` lists the files; a chapter ends with its own, and its exercises begin with it.
"""

import re
from functools import partial
from pathlib import Path

import nbformat
from docutils import nodes
from hatchling.builders.wheel import WheelBuilder
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import attnlib
from tools.notebooks import convert, notebook_of, numbers
from tools.setup import TORCH_CPU
from tools.site_zip import pack

from .freshness import once

CHAPTER = re.compile(r"chapters/(\d\d_\w+)")
FOLDER = "downloads"
ALL = "attention-notebooks.zip"
WHEEL = f"attnlib-{attnlib.__version__}-py3-none-any.whl"
EXTRAS = "plots,widgets,train"
NEEDED = "plots,widgets"  # torch comes by a line of its own, where a notebook needs it
PACKAGE = """\
# Where the book's package is missing, this installs it with NumPy, matplotlib and widgets: about 0.3 GB on disk.
# {place}.
try:
    import attnlib
except ModuleNotFoundError:
    %pip install "{requirement}"
    import attnlib
    print("The package is here. Reload this page once in the browser: then widgets come alive.")"""
TORCH = """\


# Where PyTorch is missing, this installs it: 0.2 GB to fetch and 0.9 GB on disk; with an NVIDIA card under Linux
# 2.5 GB to fetch and 5.5 GB on disk.
import importlib.util, platform, shutil

if not importlib.util.find_spec("torch"):
    small = platform.system() == "Linux" and not shutil.which("nvidia-smi")
    place = "--index-url {index}" if small else ""
    %pip install torch {{place}}
    importlib.invalidate_caches()
    if not importlib.util.find_spec("torch"):
        raise ModuleNotFoundError("PyTorch could not be installed: pip says above why. Try the cell again when you are online.")"""

HERE = """\
Functions are written in this page’s notebook, <a href="{address}" download>{file}</a><span class="on-screen">, or, where a
stub has a <em>Check</em> button, in the page</span>. <code>check</code> tests several properties of your function, and each that holds is a point; <code>hint</code> gives a
hint; <code>progress()</code> shows what is done."""


def first_cell(base: str | None, torch: bool = False) -> str:
    """What installs the package, from the site at the address `base` or from the notebook's own folder, and `torch`."""
    if base:
        place, source = "It comes from the book's site", f"attnlib[{NEEDED}] @ {base}{FOLDER}/{WHEEL}"
    else:
        place, source = f"Put {WHEEL} beside this notebook", f"./{WHEEL}[{NEEDED}]"
    return PACKAGE.format(place=place, requirement=source) + (TORCH.format(index=TORCH_CPU) if torch else "")


class Downloads(SphinxDirective):
    """Where the list of the files will stand."""

    def run(self) -> list[nodes.Node]:
        return [nodes.bullet_list(classes=["downloads"])]


def fill(app: Sphinx, document: nodes.document, page: str) -> None:
    """List the files where a page asks for them: only when all pages are read are the chapters known. Say over its exercises
    where a chapter's functions are written."""
    chapters = [name for name in app.env.toctree_includes.get(app.config.root_doc, []) if CHAPTER.fullmatch(name)]
    files = [(app.env.titles[name].astext(), f"{Path(name).name}.ipynb") for name in chapters]
    files += [("All notebooks and the package", ALL), ("The package alone", WHEEL)]
    for rows in document.findall(nodes.bullet_list):
        for says, file in files if "downloads" in rows["classes"] else ():
            link = nodes.reference("", file, refuri=f"{'../' * page.count('/')}{FOLDER}/{file}")
            rows += nodes.list_item("", nodes.paragraph("", f"{says}: ", link))
    for section in document.findall(nodes.section) if CHAPTER.fullmatch(page) else ():
        if section[0].astext() == "Exercises":
            file = f"{Path(page).name}.ipynb"
            said = HERE.format(address=f"../{FOLDER}/{file}", file=file)
            section.insert(1, nodes.raw("", f"<p>{said}</p>", format="html"))


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the files, each when what it is made of has changed."""
    chapters = sorted(match[1] for page in app.env.found_docs if (match := CHAPTER.fullmatch(page)))
    if exception or app.builder.format != "html" or not chapters:
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / FOLDER
    made = [folder / WHEEL, *(folder / f"{name}.ipynb" for name in chapters)]
    names = ("tools/notebooks.py", "pyproject.toml", "README.md", "LICENSE")
    converter, *project = ((root / file).read_text(encoding="utf8") for file in names)
    once(made[0], project, lambda: list(WheelBuilder(str(root)).build(directory=str(folder))))
    base = app.config.html_baseurl
    for file in made[1:]:
        text = (root / f"chapters/{file.stem}.md").read_text(encoding="utf8")
        told = (text, first_cell(base, torch=True), converter, numbers())
        once(file, told, partial(_write_notebook, file, base, text))
    for old in {*folder.glob("*.ipynb"), *folder.glob("*.whl")} - {*made}:  # what else lies there is somebody's
        old.unlink()
    packed = {f"attention/{file.name}": file for file in made}
    once(folder / ALL, [file.stat().st_mtime_ns for file in made], lambda: pack(folder / ALL, packed))


def _write_notebook(file: Path, base: str | None, text: str) -> None:
    cells = convert(text, f"{file.stem}.md").cells
    install = first_cell(base, torch=any("import torch" in cell.source for cell in cells))
    notebook = notebook_of([nbformat.v4.new_code_cell(install), *cells])
    file.write_text(nbformat.writes(notebook) + "\n", encoding="utf8")
