"""What the site gives to take away: each chapter as a notebook, the package as a wheel, and all of them in one archive.

A notebook's first cell installs the package where it is missing: from the site, when the build knows its address
(`BASE_URL`), else from the wheel in the same folder. The directive `downloads` lists the files; a chapter ends with its own.
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
from tools.notebooks import convert, notebook_of
from tools.site_zip import pack

from .freshness import once

CHAPTER = re.compile(r"chapters/(\d\d_\w+)")
FOLDER = "downloads"
ALL = "attention-notebooks.zip"
WHEEL = f"attnlib-{attnlib.__version__}-py3-none-any.whl"
EXTRAS = "plots,widgets,train"
INSTALL = """\
# The book's package. Where it is missing, {place}.
try:
    import attnlib
except ModuleNotFoundError:
    %pip install --quiet "{requirement}"
    import attnlib"""


def first_cell(base: str | None) -> str:
    """What installs the package, from the site at the address `base` or from the notebook's own folder."""
    if base:
        place, source = "it comes from the book's site", f"attnlib[{EXTRAS}] @ {base}{FOLDER}/{WHEEL}"
    else:
        place, source = f"put {WHEEL} beside this notebook", f"./{WHEEL}[{EXTRAS}]"
    return INSTALL.format(place=place, requirement=source)


class Downloads(SphinxDirective):
    """Where the list of the files will stand."""

    def run(self) -> list[nodes.Node]:
        return [nodes.bullet_list(classes=["downloads"])]


def fill(app: Sphinx, document: nodes.document, page: str) -> None:
    """List the files where a page asks for them: only when all pages are read are the chapters known."""
    chapters = [name for name in app.env.toctree_includes.get(app.config.root_doc, []) if CHAPTER.fullmatch(name)]
    files = [(app.env.titles[name].astext(), f"{Path(name).name}.ipynb") for name in chapters]
    files += [("All notebooks and the package", ALL), ("The package alone", WHEEL)]
    for rows in document.findall(nodes.bullet_list):
        for says, file in files if "downloads" in rows["classes"] else ():
            link = nodes.reference("", file, refuri=f"{'../' * page.count('/')}{FOLDER}/{file}")
            rows += nodes.list_item("", nodes.paragraph("", f"{says}: ", link))


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the files, each when what it is made of has changed."""
    chapters = sorted(match[1] for page in app.env.found_docs if (match := CHAPTER.fullmatch(page)))
    if exception or app.builder.format != "html" or not chapters:
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / FOLDER
    made = [folder / WHEEL, *(folder / f"{name}.ipynb" for name in chapters)]
    project, converter = ((root / file).read_text(encoding="utf8") for file in ("pyproject.toml", "tools/notebooks.py"))
    once(made[0], project, lambda: list(WheelBuilder(str(root)).build(directory=str(folder))))
    install = first_cell(app.config.html_baseurl)
    for file in made[1:]:
        text = (root / f"chapters/{file.stem}.md").read_text(encoding="utf8")
        once(file, (text, install, converter), partial(_write_notebook, file, install, text))
    for old in {*folder.iterdir()} - {*made, folder / ALL}:
        old.unlink()
    packed = {f"attention/{file.name}": file for file in made}
    once(folder / ALL, [file.stat().st_mtime_ns for file in made], lambda: pack(folder / ALL, packed))


def _write_notebook(file: Path, install: str, text: str) -> None:
    cells = convert(text, f"{file.stem}.md").cells
    notebook = notebook_of([nbformat.v4.new_code_cell(install), *cells])
    file.write_text(nbformat.writes(notebook) + "\n", encoding="utf8")
