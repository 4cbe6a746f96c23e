"""What the site gives to take away: each chapter as a notebook, the package as a wheel, and all of them in one archive.

A notebook's first cell installs the package where it is missing: from the site, when the build knows its address
(`BASE_URL`), else from the wheel in the same folder. The directive `downloads` lists the files; a chapter ends with its own.
"""

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from freshness import once

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
    import attnlib
"""


def names(pages: Any) -> list[str]:
    """The notebooks' file names, one for each chapter among the pages."""
    return sorted(f"{found[1]}.ipynb" for page in pages if (found := CHAPTER.fullmatch(page)))


def wheel_name(root: Path) -> str:
    version = re.search(r'^__version__ = "(.+)"$', (root / "attnlib/__init__.py").read_text(encoding="utf8"), re.MULTILINE)
    assert version, "attnlib has no version"
    return f"attnlib-{version[1]}-py3-none-any.whl"


def first_cell(wheel: str, base: str | None) -> str:
    """What installs the package, from the site at the address `base` or from the notebook's own folder."""
    if base:
        return INSTALL.format(
            place="it comes from the book's site", requirement=f"attnlib[{EXTRAS}] @ {base}{FOLDER}/{wheel}"
        )
    return INSTALL.format(place=f"put {wheel} beside this notebook", requirement=f"./{wheel}[{EXTRAS}]")


class Downloads(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [nodes.bullet_list(classes=["downloads"])]


def fill(app: Sphinx, document: nodes.document, page: str) -> None:
    """List the files where a page asks for them: only when all pages are read are the chapters known."""
    for rows in document.findall(nodes.bullet_list):
        if "downloads" not in rows["classes"]:
            continue
        up = "../" * page.count("/")
        chapters = [name for name in app.env.toctree_includes[app.config.root_doc] if CHAPTER.fullmatch(name)]
        files = [(app.env.titles[name].astext(), f"{Path(name).name}.ipynb") for name in chapters]
        files += [("All notebooks and the package", ALL), ("The package alone", wheel_name(Path(app.srcdir)))]
        for says, file in files:
            link = nodes.reference("", file, refuri=f"{up}{FOLDER}/{file}")
            rows += nodes.list_item("", nodes.paragraph("", f"{says}: ", link))


def name_notebook(app: Sphinx, page: str, template: str, context: dict[str, Any], document: Any) -> None:
    if found := CHAPTER.fullmatch(page):
        context["notebook"] = f"{found[1]}.ipynb"


def write(app: Sphinx, exception: Exception | None) -> None:
    chapters = names(app.env.found_docs)
    if exception or app.builder.format != "html" or not chapters:
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    wheel = folder / wheel_name(root)
    key = app.config.attnlib_digest + (root / "pyproject.toml").read_text(encoding="utf8")
    once(app, "wheel", key, [wheel], lambda: _build_wheel(root, folder))
    sys.path.insert(0, str(root))
    from tools.notebooks import convert, notebook_of

    for old in {file.name for file in folder.glob("*.ipynb")} - set(chapters):
        (folder / old).unlink()
    for name in chapters:
        chapter = root / "chapters" / name.replace(".ipynb", ".md")
        cells = convert(chapter.read_text(encoding="utf8"), chapter.name).cells
        install = nbformat.v4.new_code_cell(first_cell(wheel.name, app.config.html_baseurl).strip())
        (folder / name).write_text(nbformat.writes(notebook_of([install, *cells])) + "\n", encoding="utf8")
    with zipfile.ZipFile(folder / ALL, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in [*chapters, wheel.name]:
            archive.writestr(zipfile.ZipInfo(f"attention/{name}", (2026, 1, 1, 0, 0, 0)), (folder / name).read_bytes())


def _build_wheel(root: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the package's wheel could not be built:\n{done.stdout}{done.stderr}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("downloads", Downloads)
    app.connect("doctree-resolved", fill)
    app.connect("html-page-context", name_notebook)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
