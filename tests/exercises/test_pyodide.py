"""The exercises and the package in the page's Python: what they say there is what they say here."""

import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import files
from pathlib import Path
from types import SimpleNamespace

import pytest

WHEELS = Path(os.environ.get("PYTHON_WHEELS", "no-such-folder")).glob("numpy-*-cp313-cp313-py*_2025_0_wasm32.whl")
NUMPY = next(WHEELS, None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NUMPY is None, reason="no NumPy for the page's Python: PYTHON_WHEELS names its folder"),
]

NODE = """
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";
const pyodide = await loadPyodide();
for (const archive of process.argv.slice(1)) {
  pyodide.unpackArchive(new Uint8Array(readFileSync(archive)), archive.split(".").at(-1));
}
try {
  pyodide.runPython(readFileSync(0, "utf8"));
} catch (error) {  // uncaught, it would be shown with the line of minified code that threw it
  console.error(error.message);
  process.exit(1);
}
"""
ASKS = "import json; from tests.exercises import said; print(json.dumps({}))"
THERE = ASKS.format("[said.reports(), said.doctests(), said.unending()]")
HERE = ASKS.format("said.reports()")


@pytest.fixture(scope="session")
def in_page(once):
    """What is said in the page's Python, with NumPy and jaxtyping alone; and what is said here, in a new process too."""
    return SimpleNamespace(**once("pyodide", said_in_both))


def said_in_both(folder):
    library = folder / "library.zip"
    pack(library)
    node = ["node", "--input-type=module", "-e", NODE, NUMPY, library]
    reports, doctests, unending = last_line_of(node, input=THERE)
    return {
        "reports": reports,
        "doctests": doctests,
        "unending": unending,
        "here": last_line_of([sys.executable, "-c", HERE]),
    }


def last_line_of(command, **given):
    run = subprocess.run(command, capture_output=True, text=True, timeout=500, **given)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


def pack(library):
    """The package, what its functions need, and the published answers."""
    with zipfile.ZipFile(library, "w") as archive:
        for root, name in ((".", "attnlib"), ("anywidget-static/src", "anywidget_static"), (".", "tests/exercises")):
            for file in Path(root, name).rglob("*.*"):
                if file.suffix in {".py", ".json", ".npz", ".gz"}:
                    archive.write(file, file.relative_to(root))
        for file in [*files("jaxtyping"), *files("wadler_lindig")]:
            if file.suffix == ".py" or file.name == "METADATA":
                archive.write(file.locate(), file)


def test_every_published_answer_gets_the_same_report(in_page):
    assert len(in_page.here) > 50
    here, there = ({name: told(text) for name, text in one.items()} for one in (in_page.here, in_page.reports))
    assert {name: there[name] for name in here if there[name] != here[name]} == {}


def told(reports):
    """Reports without how far float32's numbers are off, which is the machine's own."""
    return [[re.sub(r"(largest difference) [^)]+", r"\1", text) for text in report] for report in reports]


def test_every_example_of_the_package_runs_that_needs_no_widget_figure_or_torch(in_page):
    assert in_page.doctests["attempted"] > 200
    assert in_page.doctests["failed"] == [
        "attnlib.exercises.predict", "attnlib.exercises.question", "attnlib.masks.to_torch",
    ]  # fmt: skip
    needing = ("attnlib.models.hugging_face", "attnlib.plots", "attnlib.training", "attnlib.widgets")
    assert [name for name in in_page.doctests["missing"] if not name.startswith(needing)] == []


def test_a_function_that_does_not_end_is_interrupted_where_no_alarm_is_to_be_had(in_page):
    *late, recursion = in_page.unending
    assert len(late) == 3
    assert [
        says for says in late if not says.startswith("Your function had not ended after 0.2 seconds at line ")
    ] == []
    assert recursion.startswith("Your function calls itself without an end at line ")
