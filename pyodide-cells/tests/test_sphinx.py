"""A small book without a theme of its own: its pages, and what lies beside them."""

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
CONF = """
extensions = ["myst_nb", "pyodide_cells"]
html_theme = "basic"
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
exclude_patterns = ["node_modules", "_build"]
templates_path = ["."]
pyodide_cells_packages = []
pyodide_cells_library = ["toy", "parts/alone.py"]
pyodide_cells_missing = ["heavy"]
"""
HEADER = "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\nkernelspec: {name: python3, language: python}\n---\n\n"
ONE = """# One

```{code-cell}
print("shown", 1 < 2)
```

```{code-cell}
:tags: [remove-input]
import heavy
made = heavy.made()
```

```{code-cell}
:tags: [remove-cell]
half = made / 2
```

```{code-cell}
:tags: [hide-cell]
print(made, "“é”")
```

```{code-cell}
:tags: [remove-output]
1
```

```{toctree}
parts/two
plain
```
"""
PAGES = {
    "index": HEADER + ONE,
    "parts/two": f"{HEADER}# Two\n\n```{{code-cell}}\nhalf = 3\n```\n",
    "plain": "# Plain\n",
}
FILES = {"heavy.py": "def made(): return 4", "toy/__init__.py": "x = 1", "parts/alone.py": "y = 2", "conf.py": CONF}
FILES["layout.html"] = '{% extends "!layout.html" %}{% block extrahead %}<i>{{ pyodide_cells }}</i>{% endblock %}'
FILES |= {f"{name}.md": text for name, text in PAGES.items()}
BUTTON = '<button class="cell-run script-only" type="button">Run</button>'


class Book:
    """A folder with a book."""

    def __init__(self, folder):
        self.folder, self.site = folder, folder / "_build/html"
        self.python = self.site / "_static/python"
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf8")
        self.link("node_modules")

    def link(self, *parts):
        """Let the book have these of Node's packages."""
        own = self.folder / "node_modules"
        if own.is_symlink():
            own.unlink()
        elif own.exists():
            shutil.rmtree(own)
        for part in parts:
            (self.folder / part).parent.mkdir(exist_ok=True)
            (self.folder / part).symlink_to(ROOT / part)

    def build(self, *options):
        """Build it, and return what was said."""
        command = [sys.executable, "-m", "sphinx", "-W", "-b", "html", *options, self.folder, self.site]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHON_WHEELS"}
        environment |= {"PYTHONPATH": str(self.folder), "PATH": "/usr/bin:/bin"}  # where no esbuild is
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def pages(self):
        texts = {name: (self.site / f"{name}.html").read_text(encoding="utf8") for name in PAGES}
        return {name: re.sub(r"\?v=\w+", "", text) for name, text in texts.items()}  # not in each build

    def files(self):
        """All files of the site, with their times."""
        found = (file for file in self.site.rglob("*") if file.is_file())
        return {file.relative_to(self.site).as_posix(): file.stat().st_mtime_ns for file in found}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A book that tests only look at."""
    book = Book(tmp_path_factory.mktemp("built"))
    book.build()
    return book


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The pages of the same book without the extension."""
    book = Book(tmp_path_factory.mktemp("plain"))
    (book.folder / "conf.py").write_text(CONF.replace(', "pyodide_cells"', ""))
    book.build()
    return book.pages()


def test_the_cells_of_a_page_are_marked(built):
    text = built.pages()["index"]
    cells = re.findall(r'<div class="(cell [^"]*)" data-cell="(\d)">', text)
    assert [number for _, number in cells] == ["0", "1", "3", "4"]
    assert cells[1][0] == "cell tag_remove-input docutils container"
    assert text.count(BUTTON) == text.count('<div class="cell_input') == 3
    assert len(re.findall(rf'<div class="cell_input[^>]*>\s*{BUTTON}\s*<div class="highlight', text)) == 3


def test_but_for_the_marks_the_pages_are_as_ever(built, plain):
    for name, text in built.pages().items():
        text = re.sub(rf'{BUTTON}| data-cell="\d"|(?<=<i>)[^<]*', "", text)
        assert text == re.sub(r"(?<=<i>)[^<]*", "", plain[name])


def test_the_template_is_told_where_python_lies(built):
    told = {name: re.search("<i>(.*?)</i>", text)[1] for name, text in built.pages().items()}
    assert told == {"index": "_static/python/", "parts/two": "../_static/python/", "plain": ""}
    assert "cell-run" not in (built.site / "search.html").read_text()
    assert '"run"' not in (built.site / "searchindex.js").read_text().lower()


def test_every_cell_of_a_page_is_in_its_file_with_what_it_hands_on(built):
    assert sorted(file.name for file in (built.python / "pages").iterdir()) == [
        "index.json",
        "index.values",
        "parts-two.json",
        "parts-two.values",
    ]
    page = json.loads((built.python / "pages/index.json").read_text(encoding="utf8"))
    assert [cell["shown"] for cell in page["cells"]] == [True, False, False, True, True]
    assert [cell["source"].splitlines()[-1] for cell in page["cells"]] == [
        'print("shown", 1 < 2)',
        "made = heavy.made()",
        "half = made / 2",
        'print(made, "“é”")',
        "1",
    ]
    values = pickle.loads((built.python / "pages/index.values").read_bytes())
    assert values == {1: {"values": {"made": pickle.dumps(4, protocol=5)}, "lost": []}}
    assert pickle.loads((built.python / "pages/parts-two.values").read_bytes()) == {}


def test_the_scripts_and_the_runtime_lie_beside_the_pages(built):
    lie = {file.relative_to(built.python).as_posix() for file in built.python.rglob("*") if file.is_file()}
    assert {"cells.js", "cells.css", "editor.js", "worker.js", "manifest.json", "library.zip"} <= lie
    assert {"widgets/widgets.js", "widgets/widgets.css"} <= lie
    assert 'import("./editor.js")' in (built.python / "cells.js").read_text()
    assert "export" in (built.python / "widgets/widgets.js").read_text()
    assert "addEventListener" in (built.site / "sw.js").read_text()
    for script in [*built.python.glob("*.js"), built.site / "sw.js"]:
        assert str(ROOT) not in script.read_text(encoding="utf8")
    assert json.loads((built.python / "manifest.json").read_text())["missing"] == ["heavy"]


@pytest.mark.slow
def test_a_book_whose_python_comes_and_goes(tmp_path, plain):
    book = Book(tmp_path / "book")
    book.link("node_modules/.bin")
    assert "without Python" in book.build()
    assert book.pages() == plain
    assert not book.python.exists()
    assert not (book.site / "sw.js").exists()

    book.link("node_modules")
    said = book.build()
    assert "Executing" not in said
    assert all(BUTTON in book.pages()[name] for name in ("index", "parts/two"))

    (book.python / "old.js").write_text("old")
    (book.folder / "parts/two.md").write_text("# Two\n")
    before = book.files()
    book.build()
    after = book.files()
    gone = {"_static/python/old.js", "_static/python/pages/parts-two.json", "_static/python/pages/parts-two.values"}
    assert before.keys() - after.keys() == gone
    changed = {name for name in after if before.get(name) != after[name] and name.startswith("_static/python")}
    assert changed == set()

    book.link("node_modules/.bin")
    book.build()
    assert book.pages()["index"] == plain["index"]
    assert not book.python.exists()
    assert not (book.site / "sw.js").exists()

    book.link()
    assert "esbuild is missing" in book.build("-E")


@pytest.mark.slow
def test_outputs_of_a_build_without_records_are_not_taken(tmp_path):
    book = Book(tmp_path / "book")
    (book.folder / "conf.py").write_text(CONF.replace(', "pyodide_cells"', ""))
    book.build()
    (book.folder / "conf.py").write_text(CONF)
    book.build("-E")
    assert pickle.loads((book.python / "pages/index.values").read_bytes())[1]["values"].keys() == {"made"}
    assert "Executing" not in book.build("-E")  # a page with records is found again


def test_a_saved_notebook_without_a_record_is_named(tmp_path):
    book = Book(tmp_path / "book")
    language = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# T"), nbformat.v4.new_code_cell("from heavy.parts import one")],
        metadata=language,
    )
    nbformat.write(notebook, book.folder / "saved.ipynb")
    (book.folder / "conf.py").write_text(CONF.replace('"cache"', '"off"'))
    (book.folder / "index.md").write_text("# One\n\n```{toctree}\nsaved\nplain\nparts/two\n```\n")
    with pytest.raises(AssertionError, match=r"saved.*a cell that imports heavy"):
        book.build()


@pytest.mark.parametrize("wrong", ['["nowhere"]', '["no/such.py"]'])
def test_a_library_that_is_nowhere_is_named(tmp_path, wrong):
    book = Book(tmp_path / "book")
    (book.folder / "conf.py").write_text(f"{CONF}pyodide_cells_library = {wrong}")
    with pytest.raises(AssertionError, match=r"Configuration error.*\n.*there is no module or package"):
        book.build()
