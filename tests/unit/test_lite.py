"""JupyterLite's parts: a lock of wheels that are all there, notebooks that say what they lack, and one sentence if it cannot be."""

import hashlib
import json
import zipfile
from pathlib import Path

import nbformat
import pytest
from packaging.utils import canonicalize_name

from tools import lite


@pytest.fixture
def wheel(tmp_path):
    """A wheel of a package with these requirements and modules."""

    def make(name, *requirements, modules=()):
        file = tmp_path / f"{name}-1.0-py3-none-any.whl"
        about = [f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {one}" for one in requirements)]
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(f"{name}-1.0.dist-info/METADATA", "\n".join(about))
            for module in modules:
                archive.writestr(module, "")
        return file

    return make


def test_a_wheel_that_was_cut_short_is_not_there(wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(lite, "WHEELS", tmp_path)
    whole = wheel("one")
    (tmp_path / "two-1.0-py3-none-any.whl").write_bytes(b"PK\x03\x04")
    assert lite.kept("one==1.0") == [whole]
    assert lite.kept("two==1.0") == []


def test_a_row_of_the_lock_names_what_the_wheel_holds_and_needs_here(wheel):
    needs = ["numpy", "pexpect; sys_platform != 'emscripten'", "typing_extensions>=4; python_version < '3.14'"]
    file = wheel(
        "My_Package",
        *needs,
        "colorama",
        "torch; extra == 'train'",
        modules=["one/__init__.py", "two.py", "x-1.data/a.py"],
    )
    row = lite.entry(file, {"numpy", "pexpect", "typing-extensions", "torch"})
    assert (row["name"], row["version"], row["file_name"]) == ("my-package", "1.0", file.name)
    assert row["imports"] == ["one", "two"]
    assert row["depends"] == ["numpy", "typing-extensions"]
    assert row["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_the_books_package_brings_its_figures_and_widgets(wheel):
    file = wheel(
        "attnlib", "numpy", "matplotlib; extra == 'plots'", "anywidget; extra == 'widgets'", "torch; extra == 'train'"
    )
    known = {"numpy", "matplotlib", "anywidget", "torch"}
    assert lite.entry(file, known)["depends"] == ["anywidget", "matplotlib", "numpy"]


def test_every_pin_is_exact_and_the_kernels_are_those_of_pyodides_lock():
    source = lite.runtime.Wheels.of(lite.ROOT)
    pinned = dict(pin.split("==") for pin in lite.pins(source))
    assert {*lite.OF_BOOK, *lite.OF_LOCK, "prompt-toolkit", "parso"} <= set(pinned)
    assert "sqlite3" not in pinned  # it is no pure Python
    for name in set(pinned) - set(lite.OF_BOOK):
        assert pinned[name] == source.packages[name]["version"]
        assert canonicalize_name(name) == name


@pytest.mark.slow
def test_a_notebook_says_what_it_lacks_and_another_does_not(tmp_path):
    lite.write_notebooks(tmp_path / "files", ["torch", "matplotlib"])
    first = {
        file.stem: nbformat.read(file, 4).cells[0].source.replace("\n", " ") for file in (tmp_path / "files").iterdir()
    }
    assert set(first) == {file.stem for file in Path("chapters").glob("*.md")}
    assert "without matplotlib: a cell that imports it ends" in first["01_dot_product"]
    assert "without torch and matplotlib: a cell that imports one of them ends" in first["04_scaling"]
    lite.write_notebooks(tmp_path / "all", [])
    assert nbformat.read(tmp_path / "all/04_scaling.ipynb", 4).cells[0].source.startswith("# 4")
    assert nbformat.read(tmp_path / "all/04_scaling.ipynb", 4).metadata.kernelspec.name == "python"


@pytest.fixture
def built(tmp_path):
    """A folder in which an earlier build lies."""
    (tmp_path / "lite").mkdir()
    (tmp_path / "lite/index.html").write_text("as it was")
    return tmp_path / "lite"


def as_it_was(folder):
    return [file.read_text() for file in folder.iterdir()] == ["as it was"] and [*folder.parent.glob("*.part")] == []


def test_without_numpys_wheel_nothing_is_built_and_one_sentence_says_so(built, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHON_WHEELS", str(tmp_path))
    with pytest.raises(lite.Unavailable, match=r"JupyterLite is not built: .* holds no wheel of numpy"):
        lite.build(built)
    assert as_it_was(built)


def test_without_an_index_nothing_is_built(built, tmp_path, monkeypatch, capsys):
    fake = tmp_path / "numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl"
    zipfile.ZipFile(fake, "w").close()
    monkeypatch.setenv("PYTHON_WHEELS", str(tmp_path))
    monkeypatch.setattr(lite, "WHEELS", tmp_path / "kept")
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(lite.Unavailable, match=r"pip could not get what it needs"):
        lite.build(built)
    assert as_it_was(built)
    assert "JupyterLite has no matplotlib" in capsys.readouterr().out


def test_text_is_added_to_one_file_of_a_wheel(wheel):
    file = wheel("one", modules=["one/a.py", "one/b.py"])
    lite.add(file, "one/a.py", "more\n")
    with zipfile.ZipFile(file) as archive:
        assert [archive.read(f"one/{name}.py") for name in "ab"] == [b"more\n", b""]
        assert archive.testzip() is None


def test_a_wheel_without_modules_stands_in_for_what_the_kernel_asks_for(tmp_path):
    row = lite.entry(lite.stand_in(tmp_path, "sqlite3"), ())
    assert (row["name"], row["imports"], row["depends"]) == ("sqlite3", [], [])
    assert set(map(canonicalize_name, lite.STARTS_WITH)) == set(lite.STARTS_WITH)


def test_no_script_stands_in_jupyterlites_pages(tmp_path):
    (tmp_path / "lab").mkdir()
    data = '<script type="application/json">{}</script>'
    for name, tag in {"index.html": '<script type="module"', "lab/index.html": "<script"}.items():
        (tmp_path / name).write_text(f"{data}{tag}>\nstart();\n</script>")
    lite.take_out_scripts(tmp_path)
    assert (tmp_path / "index.html").read_text() == f'{data}<script type="module" src="start-0.js"></script>'
    assert (tmp_path / "lab/index.html").read_text() == f'{data}<script src="start-0.js"></script>'
    assert (tmp_path / "lab/start-0.js").read_text() == "\nstart();\n"


def test_the_kernel_asks_no_index_and_finds_python_beside_it(tmp_path):
    lite.write_settings(tmp_path)
    page = json.loads((tmp_path / "jupyter-lite.json").read_text())["jupyter-config-data"]
    (kernel,) = page["litePluginSettings"].values()
    assert kernel["disablePyPIFallback"]
    assert kernel["pyodideUrl"] == "./static/pyodide/pyodide.js"
    assert kernel["loadPyodideOptions"] == {"packages": lite.STARTS_WITH, "convertNullToNone": True}
