"""The wheel in environments that hold nothing else: what a student with pip alone gets."""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest

from tools import chromium

DOWNLOADS = Path("_build/html/downloads")
CHAPTERS = sorted(Path("chapters").glob("*.md"))
PINS = [line.split(" ")[0] for line in Path("requirements.txt").read_text().splitlines() if "==" in line]


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def wheel():
    """The one that the site offers."""
    (file,) = DOWNLOADS.glob("attnlib-*.whl")
    return file


@pytest.fixture
def fresh(tmp_path):
    """A new environment and a way to install into it, at this project's pins."""
    venv.create(tmp_path / "env", with_pip=True)
    (tmp_path / "pins.txt").write_text("\n".join(PINS))

    def install(*names):
        python = tmp_path / "env/bin/python"
        run(python, "-m", "pip", "install", "--constraint", tmp_path / "pins.txt", *names)
        return python

    return install


@pytest.mark.slow
def test_the_package_alone_works_with_what_it_declares(wheel, fresh, tmp_path):
    python = fresh(wheel)
    code = "import attnlib, json; from attnlib import houston; print(json.dumps(houston.stages()[6].weights.tolist()))"
    assert len(json.loads(run(python, "-c", code, cwd=tmp_path))) == 4  # heads
    installed = {entry["name"] for entry in json.loads(run(python, "-m", "pip", "list", "--format=json"))}
    assert installed - {"pip", "setuptools", "attnlib"} == {"numpy", "jaxtyping", "wadler_lindig"}


@pytest.mark.slow
def test_a_widget_shows_itself_from_the_wheel(wheel, fresh, tmp_path):
    python = fresh(f"{wheel.absolute()}[widgets]")
    code = "from attnlib.widgets import Choice; data, _ = Choice()._repr_mimebundle_(); print(json.dumps(data))"
    shown = json.loads(run(python, "-c", f"import json; {code}", cwd=tmp_path))
    assert {"application/vnd.jupyter.widget-view+json", "text/html"} <= set(shown)
    assert 'data-widget="choice"' in shown["text/html"]


@pytest.mark.slow
def test_every_notebook_of_the_site_runs_where_there_is_only_jupyter(fresh, tmp_path):
    """The first notebook installs the package from the wheel beside it; the others find it there."""
    python = fresh("ipykernel", "nbclient", "torch")  # whose small build comes from an index that a test may not reach
    with zipfile.ZipFile(DOWNLOADS / "attention-notebooks.zip") as archive:
        archive.extractall(tmp_path)
    written = sorted((tmp_path / "attention").glob("*.ipynb"))
    assert len(written) == len(CHAPTERS)
    settings = os.environ | {"PIP_CONSTRAINT": str(tmp_path / "pins.txt")}
    for notebook in written:
        run(python.with_name("jupyter-execute"), "--inplace", notebook, cwd=notebook.parent, env=settings)
        cells = [cell for cell in nbformat.read(notebook, 4).cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


ALONE = """
import sys
sys.modules |= dict.fromkeys(["attnlib", "pyodide_cells", "tests", "tools"])  # an import of one fails
import pytest
sys.exit(pytest.main(["-q", "-m", "not slow", "-p", "no:cacheprovider"]))
"""


@pytest.mark.slow
def test_the_tests_of_the_widgets_runtime_run_without_the_book(tmp_path):
    made = shutil.ignore_patterns("__pycache__", "static")
    folder = shutil.copytree("anywidget-static", tmp_path / "anywidget-static", ignore=made)
    (folder / "node_modules").symlink_to(Path("node_modules").absolute())
    environment = os.environ | {"CHROMIUM": chromium.find() or ""}
    said = run(sys.executable, "-c", ALONE, cwd=folder, env=environment)
    assert "passed" in said
