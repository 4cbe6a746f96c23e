"""Build _build/lite: the chapters' notebooks in a JupyterLite of the site's own, where Python runs in the browser.

    python -m tools.lite

Nothing in it comes from another site: Pyodide, JupyterLite's kernel and every package lie in one folder, with a lock that
lists them all, so that a cell's `import attnlib` loads what it needs from there. Wheels for WebAssembly are those of the
book's own pages (see pyodide_cells.runtime), pure Python comes from PyPI.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from email.message import Message
from email.parser import HeaderParser
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from pyodide_cells import runtime
from tools.notebooks import convert, notebook_of

ROOT = Path(__file__).resolve().parent.parent
OUT, WHEELS = ROOT / "_build/lite", ROOT / "_build/lite-wheels"
KERNEL = "jupyterlite-pyodide-kernel==0.7.2"  # the last for Pyodide 0.29
EXTENSION = "@jupyterlite/pyodide-kernel-extension"
MANAGER = "jupyterlab-widgets==3.0.16"  # the last made for the JupyterLab that is in JupyterLite 0.7
# For a host that sends a policy: JupyterLab checks settings by code that it makes, anywidget loads modules from blobs.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
)
# What the kernel would else ask its package index for, one by one, when it starts.
STARTS_WITH = ["micropip", "piplite", "sqlite3", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython"]
OF_LOCK = ("micropip", "jedi", "ipython")  # in the version of Pyodide's lock, with what they depend on
OF_BOOK = ("jaxtyping", "wadler-lindig", "ipywidgets", "comm", "anywidget", "psygnal", "typing-extensions", "traitlets")
SCRIPT = re.compile(r'(<script(?: type="module")?)>(.+?)</script>', re.DOTALL)
EXTRAS = ("", "plots", "widgets")  # of the book's package
WITHOUT = """\
*This notebook runs in your browser, with nothing installed, but without {missing}: a cell that imports {it} ends with an
error, and so do those that use its results. In a Jupyter on your own computer all of them run; the chapter's page in the book
has the file for it at its end.*"""


# The kernel would hand a widget undefined for None; here it is null, as in every other Jupyter.
NULLS = """

from pyodide.ffi import jsnull as _null


def _told(value):
    if isinstance(value, dict):
        return {key: _told(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_told(one) for one in value]
    return _null if value is None else value


_publish = Comm.publish_msg
Comm.publish_msg = lambda self, kind, data=None, **keys: _publish(self, kind, data=_told(data or {}), **keys)
"""


class Unavailable(Exception):
    """Something that JupyterLite needs is not to be had; the text says what."""


def build(out: Path = OUT) -> None:
    """Write the folder whole, or raise Unavailable and leave it as it was."""
    work = out.with_name(f"{out.name}.part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        missing = write_python(work / "pyodide")
        write_notebooks(work / "files", missing)
        write_settings(work)
        command = [sys.executable, "-m", "jupyterlite_core", "build"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"JupyterLite could not be built.\n{done.stdout}{done.stderr}")
        (work / "pyodide").rename(work / "out/static/pyodide")
        take_out_scripts(work / "out")
        shutil.rmtree(out, ignore_errors=True)
        (work / "out").rename(out)
    finally:
        shutil.rmtree(work)


def write_python(folder: Path) -> list[str]:
    """Put Pyodide, every wheel and the lock of them into the folder; give the modules that are not to be had."""
    folder.mkdir()
    missing = ["torch"]
    try:
        source = runtime.Wheels.of(ROOT)
        found = {name: source.find(name) for name in source.closure(["numpy"])}
    except runtime.Missing as reason:
        raise Unavailable(f"JupyterLite is not built: {reason}.") from None
    for name in ("matplotlib", "sqlite3"):
        try:
            found |= {one: source.find(one) for one in source.closure([name])}
        except runtime.Missing as reason:
            print(f"JupyterLite has no {name}: {reason}.")
            missing.append(name)
    for file in (*runtime.CORE, "pyodide.js"):
        shutil.copy(source.pyodide / file, folder)
    notice = runtime.NOTICE.format(version=source.version, files=", ".join(runtime.CORE), library="")
    about_pyodide, _, _ = notice.rpartition("\n\n")  # what follows is about the library of the pages
    (folder / "LICENSE.txt").write_text(f"{about_pyodide}\n\nEach wheel (.whl) holds its own licence.\n")
    for wheel in found.values():
        (folder / wheel.file).write_bytes(wheel.data)
    lock = source.lock(found)
    if "sqlite3" in missing:
        lock["packages"]["sqlite3"] = entry(stand_in(folder, "sqlite3"), ())
    kernel, _, *pure = fetch([KERNEL, MANAGER, *pins(source)], source.info["python"])
    pure = [Path(shutil.copy(wheel, folder)) for wheel in pure]
    pure += unpack_kernel(kernel, folder)
    pure += [Path(wheel) for wheel in WheelBuilder(str(ROOT)).build(directory=str(folder))]
    names = {*lock["packages"], *(str(parse_wheel_filename(wheel.name)[0]) for wheel in pure)}
    lock["packages"] |= {(row := entry(wheel, names))["name"]: row for wheel in pure}
    (folder / runtime.LOCK).write_text(json.dumps(lock, indent=1, sort_keys=True))
    return [name for name in missing if name != "sqlite3"]


def pins(source: runtime.Wheels) -> list[str]:
    """The packages of pure Python, exact: the kernel's as in Pyodide's lock, the book's as they are installed here."""
    pinned, wanted = {name: version(name) for name in OF_BOOK}, [*OF_LOCK]
    while wanted:
        name = canonicalize_name(wanted.pop())
        if name not in pinned and source.packages[name]["file_name"].endswith("none-any.whl"):
            pinned[name] = source.packages[name]["version"]
            wanted += source.packages[name]["depends"]
    return [f"{name}=={number}" for name, number in sorted(pinned.items())]


def fetch(pinned: Sequence[str], python: str) -> list[Path]:
    """The pure wheels of these, from PyPI where no earlier build has kept them."""
    if absent := [pin for pin in pinned if not kept(pin)]:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"--dest={WHEELS}"]
        command += ["--only-binary=:all:", "--implementation=py", "--abi=none", "--platform=any"]
        done = subprocess.run([*command, f"--python-version={python}", *absent], capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"JupyterLite is not built: pip could not get what it needs.\n{done.stderr}")
    return [kept(pin)[0] for pin in pinned]


def kept(pin: str) -> list[Path]:
    """The wheel of a pin, if it is here."""
    name, number = pin.split("==")
    files = {file: parse_wheel_filename(file.name) for file in WHEELS.glob("*.whl") if zipfile.is_zipfile(file)}
    return [file for file, (named, numbered, *_) in files.items() if (named, str(numbered)) == (name, number)]


def unpack_kernel(kernel: Path, folder: Path) -> list[Path]:
    """The wheels that JupyterLite's kernel carries: itself, and stand-ins for what only a server can have."""
    made = []
    with zipfile.ZipFile(kernel) as archive:
        for name in archive.namelist():
            file = folder / Path(name).name
            if f"{EXTENSION}/static/pypi/" in name and file.suffix == ".whl" and file.name[:7] != "widgets":
                file.write_bytes(archive.read(name))
                made.append(file)
    (itself,) = folder.glob("pyodide_kernel-*.whl")
    add(itself, "pyodide_kernel/comm.py", NULLS)
    return made


def add(wheel: Path, name: str, text: str) -> None:
    """Add text to the end of a file in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        files = {info: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in files.items():
            archive.writestr(info, data + text.encode() if info.filename == name else data)


def stand_in(folder: Path, name: str) -> Path:
    """A wheel without modules, for what the kernel's list of packages must hold and nothing here imports."""
    file = folder / f"{name}-0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}-0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
        archive.writestr(f"{name}-0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{name}-0.dist-info/RECORD", "")
    return file


def entry(wheel: Path, known: Iterable[str]) -> dict[str, Any]:
    """A wheel's row in the lock: what it holds, and which of the known packages it needs."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        about = HeaderParser().parsestr(
            archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        )
    tops = {name.split("/")[0].removesuffix(".py") for name in names if name.endswith(".py")}
    return {
        "name": canonicalize_name(about["Name"]),
        "version": about["Version"],
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "imports": sorted(top for top in tops if top.isidentifier()),
        "depends": sorted(needs(about) & {*known}),
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }


def needs(about: Message) -> set[str]:
    """The packages that a wheel's metadata asks for in the browser."""
    extras = EXTRAS if about["Name"] == "attnlib" else ("",)
    there = {"sys_platform": "emscripten", "platform_system": "Emscripten", "python_version": "3.13"}
    wanted = map(Requirement, about.get_all("Requires-Dist", ()))
    return {
        canonicalize_name(one.name)
        for one in wanted
        if not one.marker or any(one.marker.evaluate({**there, "extra": extra}) for extra in extras)
    }


def write_notebooks(folder: Path, missing: Sequence[str]) -> None:
    """Write the chapters as notebooks for this kernel, each with a note where it imports what is missing."""
    folder.mkdir()
    for chapter in sorted((ROOT / "chapters").glob("*.md")):
        text = chapter.read_text(encoding="utf8")
        cells = convert(text, chapter.name).cells
        if lacking := [name for name in missing if uses(name, cells)]:
            note = WITHOUT.format(missing=" and ".join(lacking), it="it" if len(lacking) == 1 else "one of them")
            cells = [nbformat.v4.new_markdown_cell(note), *cells]
        notebook = notebook_of(cells)
        notebook.metadata.kernelspec.name = "python"
        (folder / f"{chapter.stem}.ipynb").write_text(nbformat.writes(notebook) + "\n", encoding="utf8")


def uses(module: str, cells: list[nbformat.NotebookNode]) -> bool:
    """Whether some code of these cells imports the module, or figures of the book, which are made with matplotlib."""
    names = "matplotlib|plots|attention_posters" if module == "matplotlib" else module
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    return re.search(rf"^\s*(import|from)\b.*\b({names})\b", code, re.MULTILINE) is not None


def write_settings(folder: Path) -> None:
    """Say what JupyterLite shall be built of, and where its kernel finds Python."""
    anywidget = Path(sys.prefix) / "share/jupyter/labextensions/anywidget"
    made = {
        "apps": ["lab"],
        "contents": ["files"],
        "federated_extensions": [str(path) for path in (*kept(KERNEL), *kept(MANAGER), anywidget)],
        "ignore_sys_prefix": ["federated_extensions"],
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "cache_dir": "cache",
        "output_dir": "out",
    }
    (folder / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": made}))
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.js",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": STARTS_WITH, "convertNullToNone": True},  # a widget's null is None
    }
    page = {"appName": "Attention from the Dot Product Up", "litePluginSettings": {f"{EXTENSION}:kernel": kernel}}
    (folder / "jupyter-lite.json").write_text(
        json.dumps({"jupyter-lite-schema-version": 0, "jupyter-config-data": page})
    )


def take_out_scripts(site: Path) -> None:
    """Put the scripts that stand in JupyterLite's pages into files, so that a policy need not allow them there."""
    for page in (site / "index.html", site / "lab/index.html"):
        text = page.read_text(encoding="utf8")
        for number, (tag, script) in enumerate(SCRIPT.findall(text)):
            (page.parent / f"start-{number}.js").write_text(script, encoding="utf8")
            text = text.replace(f"{tag}>{script}<", f'{tag} src="start-{number}.js"><')
        page.write_text(text, encoding="utf8")


if __name__ == "__main__":
    try:
        build()
    except Unavailable as reason:
        sys.exit(str(reason))
    size = sum(file.stat().st_size for file in OUT.rglob("*") if file.is_file())
    print(f"{OUT}: {size / 1e6:.0f} MB")
