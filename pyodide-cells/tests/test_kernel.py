"""The kernel of a page, run by this Python: what a cell prints, shows, hands on, and how its errors read."""

import asyncio
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from pyodide_cells import ipython
from pyodide_cells.kernel import MOST, VIEW, Kernel


def apart(work):
    """What a coroutine gives, in a thread of its own: a browser of other tests may have left a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class Asked:
    """A kernel that is spoken to as the worker does, and what it posted since the last cell began."""

    def __init__(self, kernel, posted):
        self.kernel, self.posted = kernel, posted

    def run(self, source, cell="1"):
        self.posted.clear()
        return apart(self.kernel.run(cell, source))

    def hand_on(self, source, values=(), lost=(), needs="torch"):
        record = {"values": {name: pickle.dumps(value) for name, value in dict(values).items()}, "lost": [*lost]}
        apart(self.kernel.hand_on("1", source, needs, record))

    @property
    def outputs(self):
        return [message["output"] for message in self.posted if message["type"] == "output"]

    @property
    def printed(self):
        return "".join(output["text"] for output in self.outputs if output["type"] == "stream")

    @property
    def shown(self):
        return [output["data"] for output in self.outputs if output["type"] == "display"]


@pytest.fixture
def page(monkeypatch):
    """A kernel in a namespace of its own, without torch."""
    posted = []
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    return Asked(Kernel(posted.append, missing=["torch"]), posted)


def test_the_last_expression_is_shown_and_cells_share_their_names(page):
    assert page.run("x = 6")["status"] == "ok"
    assert page.run("print('six'); x * 7")["status"] == "ok"
    assert page.printed == "six\n"
    assert page.shown == [{"text/plain": "42"}]
    page.run("x * 7;")
    assert page.shown == []
    page.run("None")
    assert page.shown == []
    page.run("import asyncio\nawait asyncio.sleep(0, 5)")
    assert page.shown == [{"text/plain": "5"}]


def test_an_error_reads_as_python_prints_it_from_the_cell_on(page):
    page.run("def f():\n    return 1 / 0", cell="3")
    ended = page.run("x = 1\nprint('before')\nf()", cell="4")
    assert (ended["status"], ended["line"], ended["error"]) == ("error", 3, "ZeroDivisionError")
    assert [output["type"] for output in page.outputs] == ["stream", "error"]
    text = page.outputs[-1]["text"]
    assert text.startswith('Traceback (most recent call last):\n  File "<cell 4>", line 3, in <module>\n    f()\n')
    assert '  File "<cell 3>", line 2, in f\n    return 1 / 0\n' in text
    assert text.endswith("ZeroDivisionError: division by zero\n")
    assert "kernel.py" not in text


@pytest.mark.parametrize(
    ("source", "error", "line"),
    [
        ("x = (", "SyntaxError", 1),
        ("a = 1\nreturn a", "SyntaxError", 2),
        ("raise SystemExit(3)", "SystemExit", 1),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
        ("class E(BaseException): pass\nraise E", "E", 2),
        ("def f(): return f()\nf()", "RecursionError", 1),
    ],
)
def test_nothing_that_a_cell_raises_ends_the_kernel(page, source, error, line):
    ended = page.run(source)
    assert (ended["status"], ended["error"], ended["line"]) == ("error", error, line)
    assert page.run("1")["status"] == "ok"


def test_a_name_that_is_not_there_is_named(page):
    assert page.run("y = 1 + above")["unknown"] == "above"


@pytest.mark.parametrize(
    "source", ["print = None", "import sys\nsys.stdout = None", "import builtins\nstr = 3", "del __name__"]
)
def test_a_cell_that_replaces_what_it_prints_with_harms_itself_alone(page, source):
    page.run(source)
    assert page.run("import sys\nsys.stdout.write('here')")["status"] == "ok"
    assert page.printed == "here"


def test_output_without_end_is_cut_with_a_word(page):
    page.run(f"for _ in range({MOST}): print('abcdefg')")
    assert len(page.printed) < MOST + 100
    assert page.printed.endswith(f"… cut after {MOST:,} characters\n")
    assert len(page.outputs) < 100


def test_a_missing_module_is_needed_and_what_it_made_is_handed_on(page):
    cell = "import torch\nimport math as m\ndef twice(x): return 2 * x\ndef grid(x): return torch.softmax(x)\n"
    cell += "t = torch.ones(3)"
    assert page.run(cell)["needs"] == "torch"
    page.hand_on(cell, {"y": [1.0, 2.0]}, ["t"])
    assert page.run("print(twice(y), m.pi)")["status"] == "ok"
    assert page.printed == "[1.0, 2.0, 1.0, 2.0] 3.141592653589793\n"
    for use in (
        "torch.ones(2)",
        "grid(y)",
        "t + 1",
        "3 @ t",
        "t[0]",
        "f'{t}'",
        "len(t)",
        "for _ in t: pass",
        "t.x = 1",
        "-t",
        "{} | t",
        "t | {}",
        "t % 2",
        "7 // t",
        "t == 1",
        "t != t",
        "{t}",
    ):
        assert page.run(use).get("needs") == "torch", use
    asked = page.run("import numpy as np\nnp.asarray(t)")
    assert asked.get("needs") == "torch"


def test_a_value_that_cannot_be_read_here_is_missing(page):
    apart(page.kernel.hand_on("1", "x = 1", "torch", {"values": {"x": b"no pickle"}, "lost": []}))
    assert page.run("x + 1")["needs"] == "torch"
    apart(page.kernel.hand_on("1", "x = 1", "torch", None))


def test_an_import_that_is_no_missing_module_stays_an_error(page):
    ended = page.run("import nowhere_at_all")
    assert (ended["status"], ended["error"]) == ("error", "ModuleNotFoundError")


@pytest.fixture
def later(page, monkeypatch, tmp_path):
    """A package that can be fetched: a kernel, and the names that it asked for."""
    asked = []

    async def load(name):
        asked.append(name)
        if name == "gone":
            raise OSError("no network")
        (tmp_path / f"{name}.py").write_text("value = 7\n")
        monkeypatch.syspath_prepend(tmp_path)

    page.kernel = Kernel(page.posted.append, ["torch"], ["fetched_later", "gone"], load)
    yield page, asked
    sys.modules.pop("fetched_later", None)


def test_a_package_that_the_network_did_not_bring_is_told_from_one_that_never_runs(later):
    page, _ = later
    asked = page.run("import gone")
    assert (asked["needs"], asked["lost"]) == ("gone", True)
    assert "lost" not in page.run("import torch")


def test_a_package_is_fetched_when_a_cell_first_imports_it(later):
    page, asked = later
    ended = page.run(
        "print('once')\ntry:\n    from fetched_later import value\nexcept ImportError:\n    value = 0\nprint(value)"
    )
    assert ended["status"] == "ok"
    assert (page.printed, asked) == ("once\n7\n", ["fetched_later"])


def test_a_package_that_does_not_come_is_missing_from_then_on(later):
    page, asked = later
    assert page.run("import gone")["needs"] == "gone"
    assert page.run("import gone")["needs"] == "gone"
    assert asked == ["gone"]


def test_the_richest_form_is_offered_and_a_form_that_fails_is_none(page):
    page.run("class H:\n    def _repr_html_(self): return '<b>h</b>'\n    def __repr__(self): return 'plain'\nH()")
    assert page.shown == [{"text/html": "<b>h</b>", "text/plain": "plain"}]
    page.run("class S:\n    def _repr_svg_(self): raise ValueError\n    def __repr__(self): return 's'\nS()")
    assert page.shown == [{"text/plain": "s"}]
    assert page.run("class B:\n    def __repr__(self): raise ValueError('no')\nB()")["error"] == "ValueError"
    page.run("H")
    assert page.shown[0].keys() == {"text/plain"}


def test_figures_are_drawn_as_svg(page):
    pytest.importorskip("matplotlib")
    page.run("from matplotlib.figure import Figure\nf = Figure()\nf.add_subplot().plot([1, 2])\nf")
    assert page.shown[0]["image/svg+xml"].lstrip().startswith("<?xml")
    page.run("import matplotlib\nmatplotlib.use('agg')\nfrom matplotlib import pyplot\n_ = pyplot.plot([1, 2])")
    assert [form.keys() >= {"image/svg+xml"} for form in page.shown] == [True]
    page.run("1")
    assert len(page.shown) == 1


@pytest.fixture
def widgets(page, monkeypatch):
    """A kernel whose widgets talk to the page, in the place of a notebook's front end."""
    import comm

    monkeypatch.setattr(comm, "create_comm", comm.create_comm)
    page.kernel.connect_widgets()
    page.run(
        "import ipywidgets\nslider = ipywidgets.IntSlider()\n"
        "slider.observe(lambda change: print('now', change['new']), 'value')\nslider",
        cell="7",
    )
    return page, page.shown[0][VIEW]["model_id"]


def test_a_widget_tells_the_page_and_is_told(widgets):
    page, model = widgets
    opened = [message for message in page.posted if message.get("kind") == "comm_open" and message["id"] == model]
    assert [message["data"]["state"]["value"] for message in opened] == [0]
    page.run("slider.value = 5", cell="8")
    (update,) = [message for message in page.posted if message["type"] == "comm"]
    assert (update["id"], update["data"]["state"]) == (model, {"value": 5})
    page.posted.clear()
    page.kernel.message(model, {"method": "update", "state": {"value": 9}, "buffer_paths": []})
    assert page.printed == "now 9\n"
    assert {message["id"] for message in page.posted if message["type"] == "output"} == {"7"}  # the cell that made it
    page.run("slider.value")
    assert page.shown == [{"text/plain": "9"}]


def test_an_error_in_what_a_widget_calls_reaches_its_cell(widgets, monkeypatch):
    page, model = widgets
    monkeypatch.setattr("ipywidgets.widgets.widget.get_ipython", lambda: page.kernel if page.kernel.answering else None)
    page.run("def fail(change): raise ValueError('from the slider')\nslider.observe(fail, 'value')")
    page.posted.clear()
    page.kernel.message(model, {"method": "update", "state": {"value": 3}, "buffer_paths": []})
    (error,) = [
        message for message in page.posted if message["type"] == "output" and message["output"]["type"] == "error"
    ]
    assert (error["id"], "from the slider" in error["output"]["text"]) == ("7", True)


def test_the_stand_in_for_ipython_gives_what_a_cell_asks_of_it(page, monkeypatch):
    for name in ("IPython", "IPython.display", "IPython.core", "IPython.core.interactiveshell"):
        monkeypatch.setitem(sys.modules, name, None)
    ipython.install(page.kernel)
    assert (
        page.run(
            "from IPython.display import HTML, SVG, clear_output, display\nclear_output()\ndisplay(HTML('<i>'), 3)"
        )["status"]
        == "ok"
    )
    assert page.outputs == [
        {"type": "clear"},
        {"type": "display", "data": {"text/html": "<i>", "text/plain": "'<i>'"}},
        {"type": "display", "data": {"text/plain": "3"}},
    ]
    page.run("import IPython\nIPython.get_ipython() is None")
    assert page.shown == [{"text/plain": "True"}]


def test_what_is_printed_first_stands_first(page):
    page.run("import sys\nfor i in range(2):\n    print('out', i)\n    print('err', i, file=sys.stderr)")
    assert page.printed == "out 0\nerr 0\nout 1\nerr 1\n"


def test_each_run_warns_anew(page):
    page.run("__warningregistry__ = {('careful', UserWarning, 1): True}")
    page.run("'__warningregistry__' in globals()")
    assert page.shown == [{"text/plain": "False"}]


@pytest.mark.parametrize(
    ("source", "shown"), [("3;", 0), ("3;  # quiet", 0), ("3 # a;", 1), ("'é'; # é", 0), ("3\n# x", 1)]
)
def test_a_semicolon_after_the_last_expression_hides_it(page, source, shown):
    page.run(source)
    assert len(page.shown) == shown


def test_a_future_import_holds_for_the_cell(page):
    assert page.run("from __future__ import annotations\ndef f(x: Nowhere): pass\nf.__annotations__")["status"] == "ok"
    assert page.shown == [{"text/plain": "{'x': 'Nowhere'}"}]


@pytest.mark.parametrize("source", ["%matplotlib inline\nx = 1", "!ls", "print?"])
def test_a_command_of_a_notebook_is_named_as_one(page, source):
    assert page.run(source)["error"] == "SyntaxError"
    assert "are commands of a notebook" in page.outputs[-1]["text"]
    page.run("x = (")
    assert "notebook" not in page.outputs[-1]["text"]


def test_a_cell_whose_code_no_python_reads_hands_on_its_values(page):
    page.hand_on("%matplotlib inline\nx = 1", {"x": 1})
    page.run("x")
    assert page.shown == [{"text/plain": "1"}]


def test_what_a_cell_puts_in_place_of_its_stream_takes_nothing_away(page):
    page.run("import io, sys\nprint('before')\nsys.stdout = io.StringIO()\nprint('inside')")
    assert page.printed == "before\n"
    page.run("import sys\nsys.stdout.close()\nprint('open')")
    assert page.printed == "open\n"


def test_a_value_too_long_for_a_page_is_cut(page):
    page.run(f"'a' * {2 * MOST}")
    assert len(page.shown[0]["text/plain"]) < MOST + 100
    page.run("class H:\n    def _repr_html_(self): return '<b>' * 9_000_000\n    def __repr__(self): return 'h'\nH()")
    assert page.shown == [{"text/plain": "text/html of 27,000,000 characters: too long for a page"}]


def test_an_error_with_any_name_is_an_error(page):
    assert page.run("raise ImportError('x', name=5)")["error"] == "ImportError"


def test_what_a_task_prints_after_its_cell_belongs_to_that_cell(page):
    page.run("1", cell="5")
    page.posted.clear()
    page.kernel.output({"type": "stream"})
    assert page.posted[0]["id"] == "5"


def test_what_is_printed_comes_before_a_cell_waits(page):
    page.run("import asyncio\nprint('first')\nawait asyncio.sleep(0.02)\nprint('second')")
    assert [output["text"] for output in page.outputs] == ["first\n", "second\n"]


def test_of_a_widgets_values_in_a_loop_the_page_hears_the_latest(widgets):
    page, _ = widgets
    page.run("for i in range(1, 2001):\n    slider.value = i % 100\nslider.value = 42")
    updates = [message["data"]["state"]["value"] for message in page.posted if message["type"] == "comm"]
    assert len(updates) < 1000
    assert updates[-1] == 42


def test_no_error_of_a_widgets_callback_ends_the_kernel(widgets):
    page, model = widgets
    page.run("def leave(change): raise SystemExit\nslider.observe(leave, 'value')")
    page.posted.clear()
    page.kernel.message(model, {"method": "update", "state": {"value": 3}, "buffer_paths": []})
    assert page.outputs[-1]["type"] == "error"


def test_a_callback_that_needs_what_does_not_run_says_so(widgets, monkeypatch):
    page, model = widgets
    monkeypatch.setattr("ipywidgets.widgets.widget.get_ipython", lambda: page.kernel if page.kernel.answering else None)
    page.run("def leave(change): import torch\nslider.observe(leave, 'value')")
    page.posted.clear()
    page.kernel.message(model, {"method": "update", "state": {"value": 3}, "buffer_paths": []})
    assert "torch does not run in this page." in page.printed


def test_input_is_refused_in_a_sentence(page, monkeypatch):
    monkeypatch.setattr("builtins.input", input)
    for name in ("IPython", "IPython.display", "IPython.core", "IPython.core.interactiveshell"):
        monkeypatch.setitem(sys.modules, name, None)
    ipython.install(page.kernel)
    assert page.run("input('name? ')")["error"] == "RuntimeError"
    assert "cannot ask for input" in page.outputs[-1]["text"]


def test_a_figure_is_closed_after_an_error_and_where_it_cannot_be_drawn(page):
    page.run("import matplotlib\nmatplotlib.use('agg')\nfrom matplotlib import pyplot")
    assert page.run("pyplot.plot([1, 2])\n1 / 0")["status"] == "error"
    assert len([data for data in page.shown if "image/svg+xml" in data]) == 1
    page.run("1")
    assert page.shown == [{"text/plain": "1"}]
    assert page.run(r"_ = pyplot.title('$\\nope$')")["status"] == "error"
    assert page.run("1")["status"] == "ok"


def test_a_view_that_has_outlived_its_widget_is_not_heard(widgets):
    page, _ = widgets
    page.run("1", cell="8")
    page.posted.clear()
    page.kernel.message("gone", {"method": "update", "state": {"value": 3}, "buffer_paths": []})
    assert page.posted == []


def test_what_is_cleared_goes_and_counts_no_more(page, monkeypatch):
    ipython.install(page.kernel)
    page.run("from IPython.display import clear_output\nprint('a')\nclear_output()\nprint('b')")
    assert [output.get("text", output["type"]) for output in page.outputs] == ["a\n", "clear", "b\n"]
    page.run(f"for _ in range(3):\n    clear_output()\n    print('x' * {MOST // 2})\nprint('end')")
    assert page.outputs[-1]["text"].endswith("end\n")


def test_what_kept_an_earlier_cells_output_prints_where_it_is_called(page):
    page.run("import sys\ndef say(text, out=sys.stdout):\n    print(text, file=out)", cell="1")
    page.run("say('one')\nsay('two')", cell="2")
    assert page.printed == "one\ntwo\n"
    assert {message["id"] for message in page.posted} == {"2"}
