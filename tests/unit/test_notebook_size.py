"""A notebook that saves its widgets stays small: it carries their modules once."""

import json
import re
import zlib
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from anywidget_static import base85
from tools import notebooks

STATES = "application/vnd.jupyter.widget-state+json"
MOST = 402_000  # bytes of a notebook with every widget, of which there are 40; the aim was 350,000 for 34


@pytest.fixture
def saved(tmp_path):
    """Run cells, and save them with their widgets as JupyterLab does, without what is not set; return the file's text."""

    def save(notebook):
        NotebookClient(notebook, resources={"metadata": {"path": Path.cwd()}}, record_timing=False).execute()
        for model in notebook.metadata.widgets[STATES]["state"].values():
            model["state"] = {name: value for name, value in model["state"].items() if value is not None}
        file = tmp_path / "saved.ipynb"
        nbformat.write(notebook, file)
        return file.read_text(encoding="utf8")

    return save


def test_a_notebook_with_every_widget_of_the_gallery(saved):
    gallery = Path("chapters/appendices/gallery.md")
    text = saved(notebooks.convert(gallery.read_text(encoding="utf8"), gallery.name))
    modules = [model["state"].get("_module") for model in states(text)]
    assert {"attention_grid", "head_browser", "choice"} < set(modules)
    size = len(text.encode())
    print(f"{size:,} bytes for {len(set(modules) - {None})} widgets")
    assert size <= MOST


def test_forty_questions_carry_the_shared_modules_once(saved):
    code = "from attnlib.widgets import Choice\nfor _ in range(40):\n    display(Choice())"
    text = saved(notebooks.notebook_of([nbformat.v4.new_code_cell(code)]))
    assert [model["state"].get("_module") for model in states(text)].count("choice") == 40
    (library,) = [model["state"]["_esm"] for model in states(text) if "const packed" in model["state"].get("_esm", "")]
    packed = base85.decode(re.search(r'const packed = "([^"]+)"', library)[1])
    assert zlib.decompress(packed).count(b"quintillion") == 1  # ui.mjs has it, in one function
    assert "quintillion" not in text


def states(text):
    return json.loads(text)["metadata"]["widgets"][STATES]["state"].values()
