"""What the Python of a page is made of: wheels from a folder or the network, each held to the lock; the library; the manifest."""

import base64
import hashlib
import io
import json
import os
import subprocess
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path

import pytest

from pyodide_cells import runtime

NODE_MODULES = Path(__file__).parents[2] / "node_modules"
NUMPY = "numpy-2.2.5-cp313-cp313-pyemscripten_2025_0_wasm32.whl"
DATES, PLOT = "dates-1.0-py3-none-any.whl", "plot-3.0-cp313-cp313-pyemscripten_2025_0_wasm32.whl"
IN_NODE = """
import { readFileSync } from "node:fs";
const [out, pyodide, code] = process.argv.slice(1);
const { loadPyodide } = await import(pyodide);
const python = await loadPyodide({ indexURL: `${out}/pyodide/`, packageCacheDir: `${out}/pyodide` });
const manifest = JSON.parse(readFileSync(`${out}/manifest.json`));
await python.loadPackage(manifest.packages, { messageCallback() {} });
const extractDir = python.runPython("import site; site.getsitepackages()[0]");
python.unpackArchive(new Uint8Array(readFileSync(`${out}/${manifest.library}`)), "zip", { extractDir });
console.log(python.runPython(code));
"""
STAND_IN = """
import sys
from types import ModuleType

for name in ("IPython", "IPython.display", "IPython.core", "IPython.core.interactiveshell"):
    module = sys.modules[name] = ModuleType(name)
    module.get_ipython = lambda: None
    module.display = module.clear_output = print
    module.InteractiveShell = object
"""


def a_wheel(says):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("module.py", f"# {says}")
    return whole.getvalue()


WHEELS = {name: a_wheel(name) for name in (NUMPY, DATES, PLOT)}


def entry(file, depends=(), imports=()):
    name, version, *_ = file.split("-")
    sha256 = hashlib.sha256(WHEELS[file]).hexdigest()
    imports = [*imports] or [name]
    return {
        "name": name,
        "version": version,
        "file_name": file,
        "sha256": sha256,
        "depends": [*depends],
        "imports": imports,
    }


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Where pages lie, with a small Pyodide in node_modules and nothing said by the environment."""
    for name in ("PYTHON_WHEELS", "PYODIDE_CELLS_CACHE"):
        monkeypatch.delenv(name, raising=False)
    pyodide = tmp_path / "book/node_modules/pyodide"
    pyodide.mkdir(parents=True)
    for name in runtime.CORE:
        (pyodide / name).write_text(f"the contents of {name}")
    (pyodide / "package.json").write_text('{"version": "0.1.2"}')
    packages = {
        "numpy": entry(NUMPY),
        "plot": entry(PLOT, ["dates", "numpy"], ["plot", "plotlib"]),
        "dates": entry(DATES),
    }
    info = {"abi_version": "2025_0", "python": "3.13.2"}
    (pyodide / runtime.LOCK).write_text(json.dumps({"info": info, "packages": packages}))
    return tmp_path / "book"


@pytest.fixture
def write(root, tmp_path):
    """Write the runtime of those pages; `write.said` is what it said the last time."""

    def run(**options):
        run.said = []
        options = {"root": root, "base": "http://localhost:9/", "cache": tmp_path / "cache", **options}
        return runtime.write(tmp_path / "out", say=run.said.append, **options)

    return run


@pytest.fixture
def folder(tmp_path):
    """A folder with wheels of these names: as released, or else of other contents."""

    def made(*names):
        place = tmp_path / "wheels"
        place.mkdir(exist_ok=True)
        for name in names:
            (place / name).write_bytes(WHEELS.get(name) or a_wheel("another"))
        return place

    return made


@pytest.fixture
def server():
    """A site with the release: `files` are what it has, and `asked` what was asked for."""
    files, asked, over = {f"/v0.1.2/{name}": data for name, data in WHEELS.items()}, [], threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            data = files.get(self.path)
            if data is None:
                self.send_error(404)
            elif data == b"silence":
                over.wait()
            elif data != b"hang up":
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("localhost", 0), Handler) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        site.base, site.files, site.asked = f"http://localhost:{site.server_port}/v{{version}}/", files, asked
        yield site
        over.set()
        site.shutdown()
        thread.join()


def members(out):
    with zipfile.ZipFile(out / "library.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_folder_with_the_release_gives_a_runtime_and_a_manifest_that_holds_it(write, folder, tmp_path):
    out = tmp_path / "out"
    (out / "pages").mkdir(parents=True)
    (out / "pages/one.json").touch()
    manifest = write(wheels=folder(NUMPY, DATES, PLOT), later=["plot"], missing=["torch"])
    assert write.said == []
    assert (manifest.pyodide, manifest.packages, manifest.library) == ("0.1.2", ["numpy"], "library.zip")
    assert (manifest.later, manifest.missing, manifest.foreign) == (["plot"], ["torch"], [])
    assert json.loads((out / "manifest.json").read_bytes()) == vars(manifest)
    first = [*runtime.CORE, runtime.LOCK, NUMPY]
    assert [file["url"] for file in manifest.files] == [*(f"pyodide/{name}" for name in first), "library.zip"]
    for file in manifest.files:
        data = (out / file["url"]).read_bytes()
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        assert (file["bytes"], file["integrity"]) == (len(data), f"sha256-{digest}")
    assert {file.name for file in (out / "pyodide").iterdir()} == {*first, DATES, PLOT, "LICENSE.txt"}
    lock = json.loads((out / "pyodide" / runtime.LOCK).read_bytes())
    assert {name: one["file_name"] for name, one in lock["packages"].items()} == {
        "numpy": NUMPY,
        "dates": DATES,
        "plot": PLOT,
    }
    licence = (out / "pyodide/LICENSE.txt").read_text()
    assert "Mozilla Public License 2.0" in licence
    assert "https://github.com/pyodide/pyodide/tree/0.1.2" in licence
    assert (out / "pages/one.json").exists()


def test_without_change_nothing_is_written_and_each_change_writes(write, folder, root, tmp_path):
    out, wheels = tmp_path / "out", folder(NUMPY, DATES, PLOT)
    (root / "book.py").write_text("a = 1")
    options = {"wheels": wheels, "later": ["plot"], "library": ["book.py"]}

    def times():
        return {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file()}

    one, before = write(**options), times()
    os.utime(root / "book.py", (0, 0))
    assert write(**options) == one
    assert times() == before
    (root / "book.py").write_text("a = 2")
    two = write(**options)
    assert two.version != one.version
    (out / "pyodide" / PLOT).unlink()
    assert write(**options) == two
    assert (out / "pyodide" / PLOT).read_bytes() == WHEELS[PLOT]
    (out / "library.zip").write_bytes(b"cut")
    assert write(**options) == two
    assert members(out)["book.py"] == b"a = 2"
    (out / "manifest.json").write_text("[]")
    assert write(**options) == two
    three = write(**options | {"later": []})
    assert three.version != two.version
    assert not (out / "pyodide" / PLOT).exists()
    assert write(**options | {"missing": ["torch"]}).version not in (one.version, two.version)


def test_a_write_that_is_cut_short_leaves_no_manifest(write, folder, tmp_path):
    wheels, blocked = folder(NUMPY), tmp_path / "out/pyodide/LICENSE.txt"
    assert write(wheels=wheels)
    blocked.unlink()
    blocked.mkdir()
    with pytest.raises(OSError, match=r"LICENSE\.txt"):
        write(wheels=wheels, missing=["torch"])
    assert not (tmp_path / "out/manifest.json").exists()


@pytest.mark.parametrize(
    "name",
    [
        "numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl",
        "numpy-2.2.5-1-cp313-cp313-pyemscripten_2025_0_wasm32.whl",
        "NumPy-2.3.0-py2.py3-none-any.whl",
        NUMPY,
    ],
)
def test_a_wheel_that_fits_is_taken_and_said_not_to_be_the_releases(name, write, folder, tmp_path, monkeypatch):
    wheels = folder("numpy-2.0.0-cp313-cp313-pyodide_2025_0_wasm32.whl")  # an older one
    (wheels / name).write_bytes(a_wheel("foreign"))
    monkeypatch.setenv("PYTHON_WHEELS", str(wheels))
    manifest = write()
    assert manifest.foreign == ["numpy"]
    assert write.said == [f"{name} is not the release's numpy, but one of the same binary interface."]
    entry = json.loads((tmp_path / "out/pyodide" / runtime.LOCK).read_bytes())["packages"]["numpy"]
    assert entry["file_name"] == name
    assert entry["version"] == name.split("-")[1]
    assert entry["sha256"] == hashlib.sha256((tmp_path / "out/pyodide" / name).read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "name",
    [
        "numpy-2.2.5-cp312-cp312-pyodide_2025_0_wasm32.whl",
        "numpy-2.2.5-cp313-cp313-pyodide_2024_0_wasm32.whl",
        "numpy-2.2.5-cp313-cp313-manylinux_2_17_x86_64.whl",
        "numpyro-2.2.5-py3-none-any.whl",
        "numpy.whl",
    ],
)
def test_a_wheel_that_does_not_fit_is_not_taken_and_no_old_runtime_stays(name, write, folder, tmp_path):
    assert write(wheels=folder(NUMPY)) is not None
    (tmp_path / "out/cells.js").touch()
    (tmp_path / "wheels" / NUMPY).unlink()
    assert write(wheels=folder(name)) is None
    where = f"{tmp_path / 'wheels'} holds no wheel of numpy for 2025_0, such as {NUMPY}"
    assert write.said == [f"The pages show their code without Python: {where}."]
    assert [file.name for file in (tmp_path / "out").rglob("*")] == ["cells.js"]


def test_a_damaged_wheel_of_a_folder_is_refused(write, folder):
    wheels = folder()
    (wheels / NUMPY).write_bytes(WHEELS[NUMPY][:-30])
    assert write(wheels=wheels) is None
    assert write.said == [f"The pages show their code without Python: {wheels / NUMPY} is damaged."]


def test_what_is_not_there_is_said_in_one_line(write, root, tmp_path):
    assert write(wheels=tmp_path / "nowhere") is None
    gone = f"the folder of wheels {tmp_path / 'nowhere'} is not there"
    assert write.said == [f"The pages show their code without Python: {gone}."]
    (root / "node_modules/pyodide/pyodide.asm.wasm").unlink()
    assert write() is None
    assert len(write.said) == 1
    assert "pyodide.asm.wasm is missing (`npm ci` brings it)" in write.said[0]


def test_a_later_package_without_its_wheels_is_missing_with_all_its_modules(write, folder):
    manifest = write(wheels=folder(NUMPY, PLOT), later=["plot"], missing=["torch"])
    assert (manifest.later, manifest.missing) == ([], ["torch", "plot", "plotlib"])
    assert write.said == [
        f"The Python of the pages has no plot: {folder()} holds no wheel of dates for 2025_0, such as {DATES}."
    ]
    assert not (folder().parent / "out/pyodide" / PLOT).exists()


def test_the_network_is_asked_once_and_what_it_gave_is_kept(write, server, tmp_path, monkeypatch):
    monkeypatch.setenv("PYODIDE_CELLS_CACHE", str(tmp_path / "kept"))
    manifest = write(base=server.base, cache=None, later=["plot"])
    assert (manifest.later, manifest.foreign) == (["plot"], [])
    assert sorted(server.asked) == sorted(f"/v0.1.2/{name}" for name in WHEELS)
    assert {file.name: file.read_bytes() for file in (tmp_path / "kept/0.1.2").iterdir()} == WHEELS
    assert write.said == [f"Fetched {server.base.format(version='0.1.2')}{name}" for name in (NUMPY, PLOT, DATES)]
    server.asked.clear()
    assert write(base=server.base, cache=None, later=["plot"]) == manifest
    assert (server.asked, write.said) == ([], [])


def test_a_damaged_file_of_the_cache_is_fetched_again(write, server, tmp_path):
    kept = tmp_path / "cache/0.1.2" / NUMPY
    assert write(base=server.base)
    kept.write_bytes(b"damaged")
    assert write(base=server.base)
    assert kept.read_bytes() == (tmp_path / "out/pyodide" / NUMPY).read_bytes() == WHEELS[NUMPY]
    assert write.said[0] == f"{kept} is damaged: its sha256 is not that of Pyodide's lock. It is fetched again."


def test_what_comes_with_another_sha256_is_refused_and_not_kept(write, server, tmp_path):
    server.files[f"/v0.1.2/{NUMPY}"] = a_wheel("not what was released")
    assert write(base=server.base) is None
    assert write.said[-1].endswith(f"{NUMPY} was refused: its sha256 is not that of Pyodide's lock.")
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_written_stops_nothing(write, server, tmp_path):
    (tmp_path / "cache").write_text("a file, where a folder should be")
    assert write(base=server.base)
    assert f"{tmp_path / 'cache/0.1.2' / NUMPY} cannot be kept for the next build" in write.said[-1]


def test_a_network_that_failed_is_not_asked_again(write, server):
    assert write(base=server.base)
    server.files |= {f"/v0.1.2/{name}": b"hang up" for name in (PLOT, DATES)}
    server.asked.clear()
    manifest = write(base=server.base, later=["plot", "dates"])
    assert manifest.missing == ["plot", "plotlib", "dates"]
    assert server.asked == [f"/v0.1.2/{PLOT}"]
    assert [line.partition(": ")[0] for line in write.said] == [
        "The Python of the pages has no plot",
        "The Python of the pages has no dates",
    ]


def test_a_file_that_the_network_has_not_hides_no_other(write, server):
    del server.files[f"/v0.1.2/{PLOT}"]
    manifest = write(base=server.base, later=["plot", "dates"])
    assert (manifest.later, manifest.missing) == (["dates"], ["plot", "plotlib"])
    assert "404" in write.said[1]


@pytest.mark.parametrize("limit", ["SILENCE", "WHOLE"])
def test_a_network_that_is_silent_or_slow_holds_no_build_up(limit, write, server, monkeypatch):
    if limit == "SILENCE":
        server.files[f"/v0.1.2/{NUMPY}"] = b"silence"
    monkeypatch.setattr(runtime, limit, 0.05 if limit == "SILENCE" else 0)
    assert write(base=server.base) is None
    assert len(write.said) == 1
    assert "is out of reach (" in write.said[0]


def test_the_library_holds_what_python_reads_and_nothing_else(write, folder, root, tmp_path):
    package = root / "parts/thing"
    for name in ("__init__.py", "a.pyc", "b.so", "c.pyi", "data/d.json", "e.mjs", "e.css", "tests/test_f.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("contents")
    (root / "alone.py").write_text("x = 1")
    assert write(wheels=folder(NUMPY), library=["parts/thing", "alone.py", "traitlets", "typing_extensions"])
    found = members(tmp_path / "out")
    assert {name: data for name, data in found.items() if name.startswith(("thing/", "alone"))} == {
        "alone.py": b"x = 1",
        "thing/__init__.py": b"contents",
        "thing/data/d.json": b"contents",
        "thing/e.css": b"",
        "thing/e.mjs": b"",
    }
    assert {"traitlets/traitlets.py", "typing_extensions.py", "pyodide_cells/kernel.py"} <= {*found}
    about = {
        Path(name).parts[-1] for name in found if ".dist-info" in name and name.startswith(("traitlets", "typing"))
    }
    assert about == {"METADATA", "LICENSE"}
    metadata = next(data for name, data in found.items() if name.startswith("traitlets") and "METADATA" in name)
    assert b"Name: traitlets\n" in metadata
    assert b"\n\n" not in metadata


def test_the_same_members_make_the_same_zip():
    one = runtime.packed({"a.py": b"1", "b.py": b"2"})
    assert one == runtime.packed({"b.py": b"2", "a.py": b"1"})
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


@pytest.mark.parametrize("wrong", [{"packages": ["nothing"]}, {"later": ["nothing"]}, {"library": ["nothing"]}])
def test_a_name_that_nobody_knows_is_a_fault_of_the_book(wrong, write, folder):
    with pytest.raises(ValueError, match="'nothing'"):
        write(wheels=folder(NUMPY), **wrong)


def test_the_pyodide_of_node_modules_runs_what_was_written(tmp_path):
    said = []
    library = ["anywidget", "comm", "ipywidgets", "psygnal", "traitlets", "typing_extensions"]
    manifest = runtime.write(tmp_path, library=library, root=NODE_MODULES.parent, say=said.append)
    if manifest is None:
        pytest.skip(f"needs NumPy for WebAssembly: {said[-1]}")
    code = (
        f"{STAND_IN}\nimport anywidget\nimport numpy\nimport pyodide_cells.kernel\n"
        "class Counter(anywidget.AnyWidget):\n    _esm = 'export default {}'\n"
        "f'{numpy.arange(4).sum()} {Counter().comm is not None} {anywidget.__version__}'"
    )
    script = ["node", "--input-type=module", "-e", IN_NODE, str(tmp_path), str(NODE_MODULES / "pyodide/pyodide.mjs")]
    done = subprocess.run([*script, code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"6 True {version('anywidget')}"
    assert done.stderr == ""
