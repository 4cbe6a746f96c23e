"""Small stock Jupyter Books, with nothing of this project but the extension, and their pages in a browser."""

import functools
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest

from tools.site import ROOT

CONFIG = {"title": "Stock", "only_build_toc_files": True, "sphinx": {"extra_extensions": ["anywidget_static.sphinx"]}}
BARE = "# Bare\n\nThis page has no widget.\n"


class Stock:
    """A folder with a Jupyter Book, whose first page has no widget."""

    def __init__(self, folder, python=sys.executable):
        self.folder, self.site, self.python = folder, folder / "_build/html", Path(python)
        folder.mkdir(exist_ok=True)

    def write(self, **files):
        """Pages by their names: a text is Markdown, a list the sources of a notebook's cells."""
        for name, content in files.items():
            if isinstance(content, str):
                (self.folder / f"{name}.md").write_text(content)
            else:
                kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
                notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
                cells = [nbformat.v4.new_code_cell(source) for source in content]
                notebook.cells = [nbformat.v4.new_markdown_cell(f"# {name.capitalize()}"), *cells]
                nbformat.write(notebook, self.folder / f"{name}.ipynb")

    def run(self):
        """Run the notebooks and save them with the state of their widgets, as JupyterLab does."""
        self.call("jupyter-execute", "--inplace", *sorted(self.folder.glob("*.ipynb")))

    def build(self, *options, execute="off", bundle=True, config=None):
        """Build the book, with esbuild or without, and return what was said."""
        pages = sorted(file.stem for file in self.folder.iterdir() if file.suffix in {".md", ".ipynb"})
        if "bare" not in pages:
            self.write(bare=BARE)
        pages = [page for page in pages if page not in {"bare", "README"}]
        toc = {"format": "jb-book", "root": "bare", "chapters": [{"file": page} for page in pages]}
        (self.folder / "_toc.yml").write_text(json.dumps(toc))
        sphinx = CONFIG["sphinx"] | {"config": config or {}}
        settings = CONFIG | {"execute": {"execute_notebooks": execute}, "sphinx": sphinx}
        (self.folder / "_config.yml").write_text(json.dumps(settings))
        return self.call("jupyter-book", "build", ".", "-W", "--keep-going", *options, bundle=bundle)

    def call(self, program, *command, bundle=True):
        """Run a program of the book's environment in its folder, with esbuild on the path or without."""
        tools = [str(self.python.parent), *([str(ROOT / "node_modules/.bin")] * bundle), "/usr/bin", "/bin"]
        environment = os.environ | {"PATH": os.pathsep.join(tools)}
        command = [str(part) for part in [self.python.with_name(program), *command]]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
        assert done.returncode == 0, said
        return said


@contextmanager
def served(folder):
    """The address at which a plain server offers a folder."""
    handler = functools.partial(Quiet, directory=folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Quiet(SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def readme():
    """The blocks of code of the package's README: language and text, in their order."""
    text = (ROOT / "anywidget-static/README.md").read_text(encoding="utf8")
    blocks = re.findall(r"^(`{3,4})(\w+)\n(.*?)^\1$", text, re.MULTILINE | re.DOTALL)
    return [(language, code) for _, language, code in blocks]


@pytest.fixture(scope="session")
def counter(readme):
    """Write the README's own widget into a folder."""

    def write(folder):
        (folder / "counter.py").write_text(readme[1][1])
        (folder / "counter.mjs").write_text(readme[2][1])

    return write


@pytest.fixture
def stock(tmp_path):
    """A new stock book."""
    return Stock(tmp_path / "stock")


@pytest.fixture(scope="module")
def new_stock(tmp_path_factory):
    """Make a stock book that the tests of a module share; `python` is that of another environment."""
    return lambda **options: Stock(tmp_path_factory.mktemp("stock"), **options)


@pytest.fixture
def serve_folder():
    """Serve a folder until the test ends."""
    with ExitStack() as servers:
        yield lambda folder: servers.enter_context(served(folder))


@pytest.fixture
def look(new_page, settle, serve_folder):
    """Open a page of a book, by default from its folder.

    Its `problems` and `third_party` are those that the book's page without a widget does not have.
    """
    opened = []

    def open_it(book, name, over="file", bare="bare", **options):
        address = serve_folder(book.site) if over == "http" else book.site.as_uri()
        bare = new_page(f"{address}/{bare}.html")
        settle(bare)
        page = new_page(f"{address}/{name}.html", **options)
        opened.extend([bare, page])
        if options.get("java_script_enabled", True):
            settle(page)
        page.own_problems = lambda: [one for one in page.problems if one not in bare.problems]
        page.own_requests = lambda: [one for one in page.third_party if one not in bare.third_party]
        return page

    yield open_it
    for page in opened:
        page.context.close()
