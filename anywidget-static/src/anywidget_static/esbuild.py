"""JavaScript and styles, joined by esbuild: a package's library for Jupyter, and the script of a page.

Where `@swc/core` is beside esbuild in node_modules, it makes the scripts some percent shorter.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from anywidget_static.page import Source, script_folder

SITES = re.compile(r"""\b(?:from|import)\s*["'](https?://[^"']+)""")
DEFAULT, SAVABLE = "\nexport default ", "\nexport const savable = true;"
START = 'import "anywidget_static/page.css";\nimport { from_text, mount } from "anywidget_static/mount.mjs";\n'
SHORTEN = """
const { readFileSync, writeFileSync } = require("node:fs");
const { minifySync } = require("@swc/core");
for (const file of process.argv.slice(1)) {
  const options = { compress: true, mangle: true, ecma: 2022, module: "unknown", format: { comments: false } };
  writeFileSync(file, minifySync(readFileSync(file, "utf8"), options).code);
}
"""
COMMON = ("--bundle", "--minify", "--charset=utf8", "--log-level=error", "--loader:.mjs=js")


class BuildError(RuntimeError):
    """esbuild is missing, or cannot read a module."""


def program(root: Path = Path()) -> Path | None:
    """esbuild: that of `root`'s node_modules, else the machine's own, else None."""
    own = (root / "node_modules" / ".bin" / "esbuild").absolute()
    found = own if own.exists() else shutil.which("esbuild")
    return Path(found) if found else None


def run(entries: Mapping[str, str], out: Path, *options: str, root: Path = Path()) -> None:
    """Bundle each text of `entries` into `out/name.js`, and its styles, if it has any, into `out/name.css`.

    Where `root` has swc, it shortens the scripts once more.

    Raises:
        BuildError: when esbuild is missing or cannot read a module, or swc a script; its own message says which.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in entries.items():
            Path(folder, f"{name}.js").write_text(text, encoding="utf8")
        bundle([Path(folder, f"{name}.js") for name in entries], out, *options, root=root)
    if (root / "node_modules/@swc/core").is_dir() and shutil.which("node"):
        scripts = [str(file) for name in entries for file in out.glob(f"{name}.*js")]
        _run(["node", "-e", SHORTEN, *scripts], root, "swc cannot shorten this")


def bundle(files: Iterable[Path | str], out: Path, *options: str, root: Path = Path()) -> None:
    """Bundle modules into `out`; a package that is not beside a module is looked for in `root/node_modules`.

    Raises:
        BuildError: as `run`.
    """
    esbuild = program(root)
    if not esbuild:
        raise BuildError("esbuild is missing: run `npm ci`, or install it with `npm install esbuild`")
    out.mkdir(parents=True, exist_ok=True)
    command = [str(esbuild), *COMMON, f"--alias:anywidget_static={script_folder()}", f"--outdir={out.absolute()}"]
    quiet = "--watch" not in options  # which says what it does, until it is stopped
    _run([*command, *options, *map(str, files)], root, "esbuild cannot read this", quiet)


def _run(command: Sequence[str], root: Path, fault: str, quiet: bool = True) -> None:
    environment = os.environ | {"NODE_PATH": str(root.absolute() / "node_modules")}
    done = subprocess.run(command, capture_output=quiet, text=True, encoding="utf8", env=environment)
    if done.returncode:
        raise BuildError(f"{fault}: {done.stderr}")


def modules(folder: Path) -> list[Path]:
    """The widgets of a folder: each module with a default export."""
    return [file for file in sorted(folder.glob("*.mjs")) if _has(DEFAULT, file)]


def _has(line: str, file: Path) -> bool:
    """Whether a line of a file begins so."""
    return line in "\n" + file.read_text(encoding="utf8")


def imports(files: Iterable[Path]) -> str:
    """The lines that make `widgets` of modules, each by its name, which may be a word of JavaScript or of these lines."""
    paths = {file.stem: file.absolute().as_posix() for file in files}
    lines = [f'import widget_{n} from "{path}";\n' for n, path in enumerate(paths.values())]
    entries = [f"{json.dumps(name)}: widget_{n}" for n, name in enumerate(paths)]
    return f"{''.join(lines)}const widgets = {{ {', '.join(entries)} }};\n"


def build(folder: Path, root: Path = Path(), watch: bool = False) -> None:
    """Write what a notebook carries of all widgets in a folder: `static/widgets.mjs` and `static/widgets.css` in it.

    A module with `export const savable = true;` besides has `static/name.page.mjs` and `.page.css`, the script and the
    style of a page with this widget alone: `Widget.save` then needs no esbuild. To `watch` writes all again after each change of a module or a style, until Ctrl-C.
    """
    entry = (
        'import "anywidget_static/alive.css";\nimport { library } from "anywidget_static/library.mjs";\n'
        f"{imports(modules(folder))}export {{ widgets }};\nexport default library(widgets);\n"
    )
    savable = [file for file in modules(folder) if _has(SAVABLE, file)]
    alone = {f"{file.stem}.page": f"{START}{imports([file])}mount(document, widgets);\n" for file in savable}
    out = folder / "static"
    options = ("--format=esm", "--out-extension:.js=.mjs")
    run({"widgets": entry} | alone, out, *options, root=root)
    for old in out.glob("*.page.*"):  # of what is savable no more
        if old.stem not in alone:
            old.unlink()
    if watch:
        run({"widgets": entry} | alone, out, *options, "--watch", "--log-level=info", root=root)


def style(files: Iterable[Path], root: Path = Path()) -> str:
    """The style of modules, and of all that they import."""
    with tempfile.TemporaryDirectory() as folder:
        run({"style": "".join(f'import "{file.absolute().as_posix()}";\n' for file in files)}, Path(folder), root=root)
        found = Path(folder, "style.css")
        return found.read_text(encoding="utf8") if found.exists() else ""


def write_pages(
    pages: Mapping[str, Sequence[Source]], out: Path, options: Path | None = None, root: Path = Path()
) -> None:
    """Write `out/name.js` (and `out/name.css`) for each page: one script with what its widgets use and nothing else.

    A module that is a text starts by itself, when its widget does: no fault in it reaches the others.
    """
    extra = f'import options from "{options.absolute().as_posix()}";\n' if options else "const options = {};\n"
    with tempfile.TemporaryDirectory() as folder:
        loads = {source: _load(source, Path(folder), root) for source in texts(pages)}
        entries = {
            name: f"{START}{extra}{imports(module(source, root) for source in sources if source.package)}"
            f"{''.join(loads[source] for source in texts({name: sources}))}mount(document, widgets, options);\n"
            for name, sources in pages.items()
        }
        run(entries, out, "--format=iife", root=root)
    for name, sources in pages.items():
        if style := "\n".join(source.css for source in texts({name: sources})):
            with (out / f"{name}.css").open("a", encoding="utf8") as file:
                file.write(style)


def texts(pages: Mapping[str, Sequence[Source]]) -> list[Source]:
    """The sources that are texts, each once."""
    return list(dict.fromkeys(source for sources in pages.values() for source in sources if not source.package))


def _load(source: Source, folder: Path, root: Path) -> str:
    """A line of JavaScript that names what loads a module.

    One that takes code from another site, or that no script can hold, stays a text: the browser reads it as Jupyter does.
    """
    if not SITES.search(source.esm):
        with suppress(BuildError):
            run({source.name: source.esm}, folder, "--format=iife", root=root)
            file = folder / f"{source.name}.mjs"
            file.write_text(source.esm, encoding="utf8")
            return f"widgets.{source.name} = () => import({json.dumps(file.as_posix())});\n"
    return f"widgets.{source.name} = {_from_text(source)};\n"


def _from_text(source: Source) -> str:
    return f"() => from_text({json.dumps(source.esm)}, {json.dumps(SITES.findall(source.esm))})"


def page_of(source: Source, built: Path | None = None, root: Path = Path()) -> tuple[str, str]:
    """The script and the style of a page with one widget: those in the folder `built`, if they are there, else made now.

    Raises:
        BuildError: as `run`, where they are to be made.
    """
    with tempfile.TemporaryDirectory() as folder:
        script = (built or Path(folder)) / f"{source.name}.page.mjs"
        if not script.exists():
            write_pages({"page": [source]}, Path(folder), root=root)
            script = Path(folder, "page.js")
        return script.read_text(encoding="utf8"), script.with_suffix(".css").read_text(encoding="utf8")


def copy_pages(
    pages: Mapping[str, Sequence[Source]], out: Path, options: Path | None = None, root: Path = Path()
) -> None:
    """The same without esbuild: modules, which a page loads one by one, with the libraries of packages as they are."""
    shutil.copytree(script_folder(), out / "anywidget-static", dirs_exist_ok=True)
    extra = 'import options from "./anywidget-static/options.mjs";\n' if options else "const options = {};\n"
    if options:
        shutil.copy(options, out / "anywidget-static" / "options.mjs")
    for page, sources in pages.items():
        lines, names, styles = [], [], [(script_folder() / "page.css").read_text(encoding="utf8")]
        for package in sorted({source.package for source in sources} - {""}):
            library = package_folder(package, root) / "static"
            name = package.replace(".", "_")
            shutil.copy(library / "widgets.mjs", out / "anywidget-static" / f"{name}.mjs")
            lines.append(f'import {{ widgets as {name} }} from "./anywidget-static/{name}.mjs";\n')
            names.append(f"...{name}")
            styles.append((library / "widgets.css").read_text(encoding="utf8"))
        for source in texts({page: sources}):
            near = source.esm.replace('"anywidget_static/', '"./')  # this package's own, such as define.mjs
            (out / "anywidget-static" / f"{source.name}.mjs").write_text(near, encoding="utf8")
            far = SITES.search(source.esm)
            load = _from_text(source) if far else f'() => import("./anywidget-static/{source.name}.mjs")'
            names.append(f"{source.name}: {load}")
            styles.append(source.css)
        start = 'import { from_text, mount } from "./anywidget-static/mount.mjs";\n'
        end = f"mount(document, {{ {', '.join(names)} }}, options);\n"
        (out / f"{page}.js").write_text("".join([start, extra, *lines, end]), encoding="utf8")
        (out / f"{page}.css").write_text("\n".join(styles), encoding="utf8")


def module(source: Source, root: Path) -> Path:
    """The file of a package's widget."""
    return package_folder(source.package, root) / f"{source.name}.mjs"


def package_folder(package: str, root: Path) -> Path:
    """Where a package lies: beside the pages, whose cells find it there, or where Python has it."""
    beside = root.absolute().joinpath(*package.split("."))
    if beside.is_dir():
        return beside
    spec = find_spec(package)
    if not spec or not spec.submodule_search_locations:
        raise BuildError(f"there is no package {package}")
    return Path(spec.submodule_search_locations[0])
