"""The steps of a build: record values, mark the cells, and write what the pages' Python is made of into `_static/python`.

`there` says whether the pages have Python. It needs Pyodide's files and wheels, and esbuild; where one of them is not to be
had, one line says so, and the pages stay as they would be without this extension.
"""

import ast
import hashlib
import json
import pickle
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import jupyter_cache.executors.utils
import nbformat
from docutils import nodes
from jupyter_cache.cache.main import JupyterCacheBase
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError, ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from anywidget_static import esbuild
from anywidget_static.page import script_folder
from anywidget_static.sphinx import copy_changed
from pyodide_cells import record, runtime

HERE = Path(__file__).parent
SCRIPTS = HERE / "js"
PYTHON = "_static/python"
OF_RUNTIME = {"pyodide", runtime.LIBRARY, runtime.MANIFEST}  # what in the folder is not this module's
BUTTON = '<button class="cell-run script-only" type="button">{}</button>'
BUILDERS = {"html", "dirhtml"}
OPTIONS = ("packages", "later", "library", "missing", "widgets")
UNKNOWN = "a cell that imports {} holds no record of what it hands on: let the build execute the notebook"
logger = logging.getLogger(__name__)


@dataclass
class Page:
    """The code cells of a document, in their order, and by their numbers what they hand on."""

    cells: list[dict[str, Any]] = field(default_factory=list)
    values: dict[int, dict[str, Any]] = field(default_factory=dict)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the settings and the steps."""
    for option in OPTIONS:
        app.add_config_value(f"pyodide_cells_{option}", ["numpy"] * (option == "packages"), "", types=[list])
    app.add_node(Cell, html=(visit_cell, depart_cell))
    app.add_node(Button, html=(visit_button, None))
    app.add_post_transform(MarkCells)
    app.connect("config-inited", record_values, priority=900)  # after all that say where outputs are kept
    app.connect("builder-inited", write_runtime)
    app.connect("env-purge-doc", lambda app, env, name: pages(env).pop(name, None))
    app.connect("env-merge-info", lambda app, env, names, other: pages(env).update(pages(other)))
    app.connect("doctree-read", read)
    app.connect("env-updated", write_again)
    app.connect("html-page-context", tell_template)
    app.connect("build-finished", write)
    return {"env_version": int(_digest(HERE.glob("*.py")), 16), "parallel_read_safe": True, "parallel_write_safe": True}


def pages(env: BuildEnvironment) -> dict[str, Page]:
    """The documents with code cells, by name."""
    found: dict[str, Page] = env.__dict__.setdefault("pyodide_cells", {})
    return found


def there(env: BuildEnvironment) -> bool:
    """Whether the pages have Python."""
    return bool(env.__dict__.get("pyodide_cells_there"))


def record_values(app: Sphinx, config: Config) -> None:
    """Have the values recorded while notebooks are executed, and keep the outputs apart from those without a record."""
    modules = record.Modules(
        packages=tuple(config.pyodide_cells_packages),
        library=tuple(Path(name).name.partition(".")[0] for name in config.pyodide_cells_library),
        missing=(*config.pyodide_cells_missing, *config.pyodide_cells_later),  # whose wheels may not be to be had
    )
    options = getattr(jupyter_cache.executors.utils.executenb, "keywords", {})  # what another extension has set
    jupyter_cache.executors.utils.executenb = partial(record.execute, **options | {"modules": modules})
    record.keep(JupyterCacheBase)
    kept = Path(config.nb_execution_cache_path or Path(app.outdir).parent / ".jupyter_cache")
    key = _digest([Path(record.__file__), record.WATCH], modules)
    config.nb_execution_cache_path = str(kept / f"recorded-{key}")


def write_runtime(app: Sphinx) -> None:
    """Write Pyodide, its wheels and the library, if they are to be had."""
    env, config = app.env, app.config
    before, env.__dict__["pyodide_cells_there"] = there(env), False
    if app.builder.name in BUILDERS:
        env.__dict__["pyodide_cells_there"] = _write_runtime(app, config)
    env.__dict__["pyodide_cells_again"] = before != there(env)


def _write_runtime(app: Sphinx, config: Config) -> bool:
    if not esbuild.program(Path(app.srcdir)):
        logger.info("The pages show their code without Python: esbuild is missing.")
        return False
    given = {option: config[f"pyodide_cells_{option}"] for option in OPTIONS if option != "widgets"}
    try:
        return bool(runtime.write(_folder(app), **given, root=Path(app.srcdir), say=logger.info))
    except ValueError as error:
        raise ConfigError(str(error)) from error


def read(app: Sphinx, document: nodes.document) -> None:
    """Note a document's cells, as MyST-NB has written them with their outputs, and number them."""
    found = [node for node in document.findall(nodes.container) if node.get("nb_element") == "cell_code"]
    if not found:
        return
    name = app.env.docname
    file = Path(vars(app.env)["mystnb_config"].output_folder, f"{name}.ipynb")
    cells = nbformat.read(file, as_version=4).cells
    code = [index for index, cell in enumerate(cells) if cell.cell_type == "code"]
    page = pages(app.env)[name] = Page([{"source": cells[index].source, "shown": False} for index in code])
    for number, index in enumerate(code):
        handed = record.values(cells[index])
        if handed is None:
            _warn_of_missing(app, cells[index].source)
        elif handed["values"] or handed["lost"]:
            page.values[number] = handed
    for node in found:
        number = node["cell"] = code.index(node["cell_index"])
        page.cells[number]["shown"] = bool(_input(node))


def _warn_of_missing(app: Sphinx, source: str) -> None:
    imported = set()
    for part in ast.walk(record.parsed(source)[0]):
        if isinstance(part, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in part.names}
        elif isinstance(part, ast.ImportFrom):
            imported.add((part.module or "").partition(".")[0])
    for module in sorted(imported & {*app.config.pyodide_cells_missing}):
        logger.warning(UNKNOWN.format(module), location=app.env.docname, type="pyodide_cells")


def _input(cell: nodes.Element) -> nodes.Element | None:
    return next((node for node in cell.findall(nodes.container) if node.get("nb_element") == "cell_code_source"), None)


def write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The pages to write anew, because Python has come, or gone, since the last build."""
    return [*pages(env)] if env.__dict__["pyodide_cells_again"] else []


class Cell(nodes.container):
    """A code cell that the page can run."""


class Button(nodes.General, nodes.Element):
    """What runs it."""


class MarkCells(SphinxPostTransform):
    """Give each code cell its number and its button."""

    default_priority = 900  # after all that look for containers
    formats = ("html",)

    def run(self, **options: Any) -> None:
        if there(self.env):
            for node in [node for node in self.document.findall(nodes.container) if "cell" in node]:
                if shown := _input(node):
                    shown.insert(0, Button())
                node.replace_self(Cell("", *node.children, **node.attributes))


def visit_cell(self: Any, node: Cell) -> None:
    self.body.append(self.starttag(node, "div", CLASS="docutils container", **{"data-cell": str(node["cell"])}))


def depart_cell(self: Any, node: Cell) -> None:
    self.body.append("</div>\n")


def visit_button(self: Any, node: Button) -> None:
    self.body.append(BUTTON.format("Run"))
    raise nodes.SkipNode


def tell_template(app: Sphinx, name: str, template: str, context: dict[str, Any], document: Any) -> None:
    """Give the template of a page with cells the address of the folder."""
    if there(app.env) and name in pages(app.env):
        context["pyodide_cells"] = context["pathto"](f"{PYTHON}/", 1)


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages' cells and values and the scripts; drop what earlier builds have left."""
    if exception or app.builder.name not in BUILDERS:
        return
    folder, worker = _folder(app), Path(app.outdir, "sw.js")
    if not there(app.env):
        if folder.exists():
            shutil.rmtree(folder)
            worker.unlink(missing_ok=True)
        return
    with tempfile.TemporaryDirectory() as made:
        try:
            shutil.copytree(_scripts(app), made, dirs_exist_ok=True)
        except esbuild.BuildError as error:
            raise ExtensionError(str(error)) from error
        _write_pages(Path(made, PYTHON, "pages"), pages(app.env))
        for old in {*_files(folder)} - {*_files(Path(made, PYTHON))}:
            if old.parts[0] not in OF_RUNTIME:
                (folder / old).unlink()
        copy_changed(Path(made), Path(app.outdir))


def _folder(app: Sphinx) -> Path:
    return Path(app.outdir, PYTHON)


def _write_pages(out: Path, found: Mapping[str, Page]) -> None:
    out.mkdir()
    for name, page in found.items():
        file = out / name.replace("/", "-")
        cells = json.dumps({"cells": page.cells}, ensure_ascii=False, separators=(",", ":"))
        file.with_name(f"{file.name}.json").write_text(cells, encoding="utf8")
        file.with_name(f"{file.name}.values").write_bytes(pickle.dumps(page.values, protocol=5))


def _scripts(app: Sphinx) -> Path:
    """A folder with the scripts as they will lie in the site, kept until something that they are made of changes."""
    root, packages = Path(app.srcdir), app.config.pyodide_cells_widgets
    widgets = [esbuild.package_folder(package, root) / "static/widgets" for package in packages]
    libraries = [file.with_suffix(suffix) for file in widgets for suffix in (".mjs", ".css")]
    lock = root / "node_modules/.package-lock.json"
    sources = [*SCRIPTS.iterdir(), *script_folder().iterdir(), *libraries, *([lock] if lock.exists() else [])]
    made = Path(app.doctreedir, "pyodide_cells", _digest(sources, packages))
    if not made.exists():
        shutil.rmtree(made.parent, ignore_errors=True)
        with tempfile.TemporaryDirectory() as folder:
            _write_scripts(Path(folder), root, widgets)
            shutil.copytree(folder, made)
    return made


def _write_scripts(site: Path, root: Path, widgets: Iterable[Path]) -> None:
    """Bundle the page's scripts, with what they load only when it is needed apart, and the widgets of packages."""
    out = site / PYTHON
    page, worker = [SCRIPTS / "cells.mjs", SCRIPTS / "editor.mjs"], f"worker={SCRIPTS / 'worker.mjs'}"
    esbuild.bundle(page, out, "--format=esm", "--splitting", root=root)
    esbuild.bundle([worker], out, "--format=esm", "--external:node:*", root=root)
    esbuild.bundle([f"sw={SCRIPTS / 'service-worker.mjs'}"], site, "--format=iife", root=root)
    lines, names = [], []
    for number, library in enumerate(widgets):
        path = library.absolute().as_posix()
        lines.append(f'import {{ widgets as from{number} }} from "{path}.mjs";\nimport "{path}.css";\n')
        names.append(f"...from{number}")
    text = f"{''.join(lines)}export const widgets = {{ {', '.join(names)} }};\n"
    esbuild.run({"widgets": text}, out / "widgets", "--format=esm", root=root)
    (out / "widgets/widgets.css").touch()


def _files(folder: Path) -> Iterable[Path]:
    return (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())


def _digest(files: Iterable[Path], *more: object) -> str:
    whole = hashlib.sha256(repr(more).encode())
    for file in sorted(files):
        whole.update(file.read_bytes())
    return whole.hexdigest()[:12]
