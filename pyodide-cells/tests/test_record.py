"""What a cell hands on is found, kept with its outputs, and read by the page's Python; the notebook stays as it was."""

import base64
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import nbclient
import nbformat
import numpy as np
import pytest

from pyodide_cells import record
from pyodide_cells.watch import Watch

NODE_MODULES = Path(__file__).parents[2] / "node_modules"
MODULES = record.Modules(packages=("numpy",), library=("toy",), missing=("heavy", "drawing"))
HEAVY = """
class Tensor:
    def __init__(self, numbers):
        self.numbers = numbers

def ones(n):
    return Tensor([1.0] * n)
"""
FILES = {"heavy.py": HEAVY, "drawing.py": "", "toy/__init__.py": ""}
FILES["toy/plots.py"] = "import drawing\ndef plot(): return 1\n"
FILES["toy/plain.py"] = "def plain(): return 1\ndef lazily():\n    import heavy\n    return heavy.ones(1)\n"
CELLS = {
    "light": "import numpy as np\nrng = np.random.default_rng(0)\nlight, rows, x, alias = 1, [], 7, 7",
    "heavy": "import heavy\ndef model(n):\n    return heavy.ones(n)\nmade = model(3)\nlist_of = [made, 2]\n"
    "sum_ = sum(made.numbers)",
    "reads what is lost": "double = [2 * one for one in made.numbers]; rows.append(len(list_of)); unread = 1",
    "calls": "noise = rng.normal(size=2); also = model(1).numbers[0]",
    "plots": "from toy.plots import plot\nfrom toy.plain import plain, lazily\nheight = plot()",
    "plain": "depth = plain() + rng.random()",
    "lazily": "width = lazily().numbers[0]; f = lambda: x",
    "fails": "import heavy; before = 1; 1 / 0",
    "defines": "def total():\n    return x + before + f()\nclass Own: pass\nown = Own()",
    "becomes plain": "made = made.numbers; x = heavy.ones(1).numbers; alias += 1",
    "plain now": "print(len(made), x, alias, light, rows, sum_, double, noise, also, height, depth, width, own)",
    "shows": "from IPython.display import display\nd = display(1, display_id='a'); d.update(2)\ntotal",
}


def notebook():
    cells = [nbformat.v4.new_markdown_cell("# Title")]
    for name, source in CELLS.items():
        tags = {"tags": ["raises-exception"]} if name == "fails" else {}
        cells += [nbformat.v4.new_code_cell(source, metadata=tags), nbformat.v4.new_markdown_cell("Text.")]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=[*cells, nbformat.v4.new_code_cell(" ")], metadata={"kernelspec": kernel})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def executed(folder):
    """A notebook of these cells, and the same as it is without a record."""
    recorded, plain = notebook(), notebook()
    assert record.execute(recorded, str(folder), modules=MODULES, timeout=60) is recorded
    nbclient.execute(plain, str(folder), timeout=60)
    return recorded, plain


@pytest.fixture(scope="module")
def handed(executed):
    """What each cell hands on, with the values themselves where this Python can read them."""
    code = [cell for cell in executed[0].cells if cell.cell_type == "code"]
    return dict(zip(CELLS, map(record.values, code), strict=False))


def without_addresses(cell):
    return re.sub("0x[0-9a-f]+", "", json.dumps(cell.get("outputs")))


def loaded(record):
    return {name: pickle.loads(value) for name, value in record["values"].items()}


def test_a_record_changes_nothing_that_a_reader_sees(executed):
    recorded, plain = executed
    for one, other in zip(recorded.cells, plain.cells, strict=True):
        assert one.get("execution_count") == other.get("execution_count")
        assert without_addresses(one) == without_addresses(other)
    assert recorded.metadata == plain.metadata
    nbformat.validate(recorded)


@pytest.mark.parametrize("name", ["light", "plain", "plain now", "shows"])
def test_a_cell_that_needs_nothing_that_is_missing_hands_nothing_on(handed, name):
    assert handed[name] == {"values": {}, "lost": []}


@pytest.mark.parametrize(
    ("name", "values", "lost"),
    [
        ("heavy", {"sum_": 3.0}, ["list_of", "made"]),
        ("reads what is lost", {"double": [2.0, 2.0, 2.0], "rows": [2]}, []),
        ("plots", {"height": 1}, []),
        ("lazily", {"width": 1.0}, ["f"]),
        ("fails", {"before": 1}, []),
        ("becomes plain", {"made": [1.0, 1.0, 1.0], "x": [1.0], "alias": 8}, []),
    ],
)
def test_a_cell_that_needs_it_hands_on_what_it_changed_and_others_read(handed, name, values, lost):
    assert (loaded(handed[name]), handed[name]["lost"]) == (values, lost)


def test_what_is_drawn_changes_the_generator(handed):
    assert sorted(handed["calls"]["values"]) == ["also", "noise", "rng"]


def test_a_cell_that_defines_what_uses_a_lost_name_hands_on_its_values_alone(handed):
    assert handed["defines"].keys() == {"values", "lost"}
    assert [*handed["defines"]["values"]] == ["own"]


def test_a_cell_that_nothing_was_asked_of_has_no_record(executed):
    assert record.values(nbformat.v4.new_code_cell("1")) is None
    assert record.values(executed[0].cells[-1]) == {"values": {}, "lost": []}


def test_a_notebook_that_fails_says_so_as_ever(folder):
    broken = notebook()
    broken.cells = [nbformat.v4.new_code_cell("1 / 0"), nbformat.v4.new_code_cell("2")]
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="ZeroDivisionError"):
        record.execute(broken, str(folder), modules=MODULES)


def test_a_kernel_that_cannot_answer_is_a_fault(folder):
    hides = notebook()
    hides.cells = [nbformat.v4.new_code_cell("import sys; del sys.modules['_pyodide_cells']")]
    with pytest.raises(RuntimeError, match="cannot say what a cell has changed: '_pyodide_cells'"):
        record.execute(hides, str(folder), modules=MODULES)


@pytest.mark.parametrize(
    ("source", "at_once", "called"),
    [
        ("a + b.c; d = 1", "ab", ""),
        ("a += 1; del b", "a", ""),
        ("[a * b for b in c]", "ac", ""),
        ("f = lambda b: a + b", "", "a"),
        ("def f(b, c=d):\n    global g\n    g += a\n    return [h for _ in b]", "d", "gah"),
        ("class A:\n    b = c\n    def f(self): return d", "", "cd"),
        ("await a", "a", ""),
        ("%time a", "", ""),
        ("a b", "", ""),
    ],
)
def test_the_names_that_a_cell_reads(source, at_once, called):
    reads = {*record.reads(record.parsed(source)[1])}
    expected = {(name, False) for name in at_once} | {(name, True) for name in called}
    assert {(name, when) for name, when in reads if len(name) == 1} == expected


def test_only_names_that_are_read_later_are_looked_at():
    found = record.watched({0: "import a.b, c as d\na = e = x = 1", 2: "e; y = 2\ndef f(): return y", 5: "x"})
    assert found[0].names == ["e", "x", "y"]
    assert (found[0].bound, found[2].bound) == (["a", "d"], ["f"])
    assert (found[2].names, found[5].names) == (["x", "y"], ["y"])


@pytest.fixture
def watch():
    """A watch over names of its own."""
    watch = Watch(["numpy"], ["toy"], ["heavy"])
    watch.held = {}
    return watch


class Hidden:
    def __reduce__(self):
        raise RecursionError


Foreign = type("Foreign", (), {"__module__": "heavy.inside"})


@pytest.mark.parametrize(
    "value", [Foreign, Foreign(), [{"a": (Foreign(),)}], np.array([Foreign()], object), Hidden(), lambda: 1]
)
def test_what_the_page_cannot_read_is_lost(watch, value):
    assert watch.pickled(value) is None


def test_a_value_is_told_once_until_it_changes(watch):
    rows = watch.held["rows"] = [1]
    watch.gone.add("lost")
    ask = lambda: sorted(watch.changed(["rows"], [], ["lost"])["values"])  # noqa: E731
    assert (ask(), ask()) == (["rows"], [])
    rows.append(2)
    assert ask() == ["rows"]
    del watch.held["rows"]
    assert ask() == []
    watch.held["rows"] = rows
    assert ask() == ["rows"]


def test_needs_are_followed_through_the_library(watch, monkeypatch):
    def module(name, **parts):
        made = ModuleType(name)
        for key, part in parts.items():
            setattr(made, key, part)
        monkeypatch.setitem(sys.modules, name, made)
        return made

    draws = module("toy.draws", figure=SimpleNamespace, part=type("Part", (), {"__module__": "heavy.parts"}))
    shows = module("toy.shows", draws=draws)
    alone = module("toy.alone", json=json)
    around = module("toy.around", alone=alone)
    alone.around = around
    assert watch.needs([shows])
    assert watch.needs([type("Show", (), {"__module__": "toy.shows"})()])
    assert not watch.needs([alone, around, np.array, json, 1])


VALUES = {
    "matrix": np.arange(6.0).reshape(2, 3),
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "every other": np.arange(10)[::2],
    "zero": np.array(3, np.float32),
    "flags": np.array([True, False]),
    "words": np.array(["a", "bc"]),
    "records": np.array([(1, 2.0)], [("n", "i4"), ("x", "f8")]),
    "masked": np.ma.masked_array([1, 2], [True, False]),
    "scalar": np.float32(1.5),
    "type": np.dtype("f4"),
    "rng": np.random.default_rng(3),
    "legacy": np.random.RandomState(3),
    "seeds": np.random.SeedSequence(3).spawn(1),
    "function": np.tanh,
    "nested": {"a": [np.int64(1), (2j, {3})], "b": range(3)},
}
DRAWN = """{
    name: value.random(3).tolist() if hasattr(value, "random")
    else [value.dtype.str, value.tolist()] if hasattr(value, "tolist")
    else [seeds.generate_state(2).tolist() for seeds in value] if name == "seeds"
    else repr(value)
    for name, value in values.items()
}"""
IN_NODE = """
import { readFileSync } from "node:fs";
const [pyodide, wheel, data] = process.argv.slice(1);
const { loadPyodide } = await import(pyodide);
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
python.globals.set("data", data);
console.log(python.runPython(`import base64, json, pickle
values = {name: pickle.loads(value) for name, value in pickle.loads(base64.b64decode(data)).items()}
json.dumps(DRAWN)`));
"""


def test_the_python_of_a_page_reads_what_this_one_writes(watch):
    wheels = sorted(Path(os.environ.get("PYTHON_WHEELS") or "nowhere").glob("numpy-*_wasm32.whl"))
    if not wheels:
        pytest.skip("PYTHON_WHEELS names no folder with NumPy for WebAssembly")
    pickles = {name: watch.pickled(value) for name, value in VALUES.items()}
    data = base64.b64encode(pickle.dumps(pickles)).decode()
    script = IN_NODE.replace("DRAWN", DRAWN)
    module = (NODE_MODULES / "pyodide/pyodide.mjs").as_uri()
    command = ["node", "--input-type=module", "-e", script, module, wheels[-1], data]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1000:]
    there = json.loads(done.stdout.splitlines()[-1])
    here = eval(DRAWN, {"values": {name: pickle.loads(value) for name, value in pickles.items()}})
    assert there == json.loads(json.dumps(here))
