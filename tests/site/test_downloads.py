"""What the site gives to take away is all there, holds no outputs, and the page and the chapters link to it."""

import os
import re
import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest
from hatchling.builders.wheel import WheelBuilder

from _ext import downloads
from tools.setup import TORCH_CPU

SITE = Path("_build/html")
CHAPTERS = sorted(file.stem for file in Path("chapters").glob("*.md"))
WHEEL = downloads.WHEEL


def test_the_archive_holds_every_notebook_and_the_package():
    with zipfile.ZipFile(SITE / "downloads" / downloads.ALL) as archive:
        assert sorted(archive.namelist()) == sorted(
            f"attention/{name}" for name in [*(f"{c}.ipynb" for c in CHAPTERS), WHEEL]
        )
        for name in archive.namelist():
            assert archive.read(name) == (SITE / "downloads" / Path(name).name).read_bytes()


def test_the_wheel_holds_the_package_as_it_is_now():
    with zipfile.ZipFile(SITE / "downloads" / WHEEL) as archive:
        sources = [*Path("attnlib").rglob("*.py"), *Path("attnlib").rglob("*.mjs"), *Path("attnlib/data").glob("*.npz")]
        sources += [
            *Path("anywidget-static/src/anywidget_static").rglob("*.mjs"),
            *Path("attnlib/widgets/static").iterdir(),
        ]
        for source in [*sources, Path("attnlib/py.typed"), *Path("chapters/attention_posters").glob("*.py")]:
            assert (
                archive.read(re.sub("^(chapters|anywidget-static/src)/", "", source.as_posix())) == source.read_bytes()
            )


@pytest.mark.parametrize("change", ["missing", "old"])
def test_no_wheel_is_built_without_what_a_notebook_carries(change, tmp_path):
    for name in ("pyproject.toml", "README.md", "tools", "anywidget-static", "chapters"):
        (tmp_path / name).symlink_to(Path(name).absolute())
    shutil.copytree("attnlib", tmp_path / "attnlib", ignore=shutil.ignore_patterns("__pycache__"))
    built = tmp_path / "attnlib/widgets/static/widgets.mjs"
    built.unlink() if change == "missing" else os.utime(built, (0, 0))
    with pytest.raises(FileNotFoundError, match="is missing or old"):
        list(WheelBuilder(str(tmp_path)).build(directory=str(tmp_path)))
    list(WheelBuilder(str(tmp_path)).build(directory=str(tmp_path), versions=["editable"]))  # may come before Node


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_notebook_installs_what_it_needs_first_and_has_no_outputs(name):
    first, *cells = nbformat.read(SITE / "downloads" / f"{name}.ipynb", 4).cells
    torch = any("import torch" in cell.source for cell in cells)
    assert first.source == downloads.first_cell(None, torch)
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    page = (SITE / "chapters" / f"{name}.html").read_text(encoding="utf8")
    link = f'href="../downloads/{name}.ipynb" download'
    assert link in page[page.index('<p class="notebook">') :]


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_exercises_begin_with_where_to_write_and_a_link_to_the_notebook(name):
    page = (SITE / "chapters" / f"{name}.html").read_text(encoding="utf8")
    begin = re.search(r'<h2>Exercises<a class="headerlink".*?</h2>\n?<p>(.*?)</p>', page, re.DOTALL)[1]
    assert f'<a href="../downloads/{name}.ipynb" download>' in begin
    assert "button" in begin


def test_where_the_site_knows_its_address_the_package_comes_from_there():
    address = f"https://host/book/downloads/{WHEEL}"
    assert f'"attnlib[plots,widgets] @ {address}"' in downloads.first_cell("https://host/book/")


def test_the_page_links_every_file_and_names_the_wheel_that_there_is():
    page = (SITE / "chapters/appendices/downloads.html").read_text(encoding="utf8")
    linked = re.findall(r'href="\.\./\.\./downloads/([^"]+)"', page)
    assert sorted(linked) == sorted(file.name for file in (SITE / "downloads").iterdir())
    assert set(re.findall(r"attnlib-[\w.-]+?\.whl", page)) == {WHEEL}


def test_every_line_to_type_can_be_copied_as_it_is():
    text = Path("chapters/appendices/downloads.md").read_text(encoding="utf8")
    windows, unix, small = re.findall(r"^```text\n(.+?)^```$", text, re.MULTILINE | re.DOTALL)
    assert windows.replace("\\", "/").replace("env/Scripts/", "env/bin/").replace("py -3.13", "python3.13") == unix
    # PowerShell splits an argument at a comma and zsh reads brackets, unless it stands in double quotes
    assert f'"./{WHEEL}[{downloads.EXTRAS}]"' in unix
    assert not re.search(r"[(),\[\]#']", re.sub(r'".+?"', "", windows + unix + small))


def test_torch_is_for_the_chapters_that_the_page_names():
    asking = [
        name for name in CHAPTERS if "import torch" in (SITE / "downloads" / f"{name}.ipynb").read_text(encoding="utf8")
    ]
    assert sorted({int(name[:2]) for name in asking}) == [2, 3, 4, 5, 6, 7, 9]


@pytest.mark.parametrize("there", [True, False])
def test_the_first_cell_installs_where_the_package_is_missing_and_stops_if_it_cannot(there):
    """With an installer that works, and one that does not."""
    installed = {}

    def find(name, *rest):
        if not installed.get(name):
            raise ModuleNotFoundError(f"No module named {name!r}")

    code = re.sub(r"%pip install (.+)", r"install(\1)", downloads.first_cell(None))
    names = {"__builtins__": {"__import__": find, "ModuleNotFoundError": ModuleNotFoundError, "print": print}}
    names["install"] = lambda what: installed.update(attnlib=there)
    if there:
        exec(code, names)
    else:
        with pytest.raises(ModuleNotFoundError, match="No module named 'attnlib'"):
            exec(code, names)


@pytest.mark.parametrize(
    ("there", "system", "card", "asked"),
    [
        (True, "Linux", None, []),
        (False, "Linux", None, [f"torch --index-url {TORCH_CPU}"]),
        (False, "Linux", "/usr/bin/nvidia-smi", ["torch "]),
        (False, "Darwin", None, ["torch "]),
    ],
)
def test_torch_is_the_small_build_where_there_is_no_card_and_none_where_it_is(there, system, card, asked, monkeypatch):
    here, installed = [there], []

    def install(what):
        installed.append(what)
        here[0] = True

    monkeypatch.setattr("importlib.util.find_spec", lambda name: here[0] or None)
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("shutil.which", lambda name: card)
    code = downloads.first_cell(None, torch=True).split("# Where PyTorch")[1]
    code = re.sub(r"%pip install (.+)", r'install(f"\1")', f"# {code}")
    exec(code, {"install": install})
    assert installed == asked


def test_the_wheel_brings_the_setting_that_saves_widgets_to_where_jupyter_reads_it():
    with zipfile.ZipFile(SITE / "downloads" / WHEEL) as archive:
        (name,) = (
            name for name in archive.namelist() if name.endswith("share/jupyter/lab/settings/overrides.d/attnlib.json")
        )
        assert archive.read(name) == Path("attnlib/widgets/jupyter.json").read_bytes()
