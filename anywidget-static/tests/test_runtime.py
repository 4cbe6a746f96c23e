"""The Python side: bounds with one sentence in both languages, classes of any origin, and what esbuild joins."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import traitlets

import counter
from anywidget_static import InputError, OneOf, Real, Whole, Widget, base85, esbuild, page
from anywidget_static.page import Source
from anywidget_static.sphinx import drop_old
from anywidget_static.widget import library
from pages import ROOT

FAULT = f"""
import {{ fault }} from "{(page.script_folder() / "bounds.mjs").as_uri()}";
const [name, value, bounds] = JSON.parse(process.argv[1]);
process.stdout.write(fault(name, value, bounds));
"""


class Bounded(Widget):
    """One trait of each kind."""

    _esm = "export default { render() {} };"
    whole = Whole(2, min=1, max=8).tag(sync=True, link=True)
    least = Whole(2, min=1).tag(sync=True)
    real = Real(0.5, min=0, max=2).tag(sync=True)
    one = OneOf(("a", "b"), "a").tag(sync=True)
    maybe = Whole(None, min=0, max=3, allow_none=True).tag(sync=True)


@pytest.mark.parametrize(
    ("name", "value"), [("whole", 0), ("whole", 9), ("least", 0), ("real", 2.5), ("real", -1.5), ("maybe", 4)]
)
def test_a_wrong_value_has_the_same_sentence_in_both_languages(name, value):
    widget = Bounded()
    before = getattr(widget, name)
    with pytest.raises(InputError) as raised:
        setattr(widget, name, value)
    told = json.dumps([name, value, widget._bounds[name]])
    said = subprocess.run(
        ["node", "--input-type=module", "-e", FAULT, told], capture_output=True, text=True, check=True
    )
    assert said.stdout == str(raised.value) != ""
    assert getattr(widget, name) == before


@pytest.mark.parametrize(("name", "value"), [("whole", 10**20), ("real", 10**400), ("real", -(10**400))])
def test_a_number_of_any_size_is_refused_in_a_sentence(name, value):
    with pytest.raises(InputError, match=f"{name} must be from"):
        setattr(Bounded(), name, value)


def test_true_is_one():
    assert json.dumps(Bounded(whole=True).whole) == "1"


def test_numbers_are_written_as_javascript_writes_them():
    texts = "[0.00002,0.0000042,-1e-7,1.5e-9,1e-10,1e+21,123456789012345680000,1.25]"
    assert page.packed(json.loads(texts)) == texts
    assert page.packed(["1e-05", 'a "1e-05" b']) == '["1e-05","a \\"1e-05\\" b"]'
    in_javascript = subprocess.run(
        ["node", "-p", "JSON.stringify(JSON.parse(process.argv[1]))", texts], capture_output=True, text=True, check=True
    )
    assert in_javascript.stdout.strip() == texts


def test_a_class_of_a_cell_keeps_the_module_and_has_its_own_inputs_checked():
    names = {
        "__name__": "a cell",
        "Interval": importlib.import_module("intervals").Interval,
        "Counter": counter.Counter,
        "Whole": Whole,
    }
    names["InputError"] = InputError
    exec("class Wide(Interval):\n    pass\n", names)
    assert 'data-widget="interval"' in names["Wide"]().to_html()
    check = "    def check(self, inputs):\n        if inputs.count < inputs.least: raise InputError('few')\n"
    exec(f"class Counter(Counter):\n    least = Whole(0).tag(sync=True)\n{check}", names)
    with pytest.raises(InputError, match="few"):
        names["Counter"](count=5).least = 7


def test_the_common_base_may_stand_in_the_packages_own_file(tmp_path, monkeypatch):
    (tmp_path / "knobs/static").mkdir(parents=True)
    for name in ("widgets.mjs", "widgets.css"):
        (tmp_path / "knobs/static" / name).write_text("")
    base = "class Base(Widget):\n    _bundle = Path(__file__).parent / 'static'\n"
    (tmp_path / "knobs/__init__.py").write_text(
        f"from pathlib import Path\nfrom anywidget_static import Widget\n{base}"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert library(importlib.import_module("knobs").Base).package == "knobs"


def test_files_of_the_authors_own_stay(tmp_path):
    static = tmp_path / "_static"
    (static / "widgets-demo").mkdir(parents=True)
    for name in ("widgets-guide.css", "state-machine.js", "widgets-0123abcd.js"):
        (static / name).touch()
    drop_old(SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"), env=SimpleNamespace()), None)
    assert {file.name for file in static.iterdir()} == {"widgets-demo", "widgets-guide.css", "state-machine.js"}


def test_bounds_reach_javascript_as_they_are_declared():
    bounds = dict(Bounded()._bounds)
    assert bounds["whole"] == {"type": "int", "min": 1, "max": 8, "link": True}
    assert bounds["real"] == {"type": "float", "min": 0, "max": 2}
    assert bounds["one"] == {"values": ["a", "b"]}
    assert bounds["maybe"]["nullable"] is True


def test_a_class_of_a_cell_brings_its_module_as_text_and_needs_no_file():
    names = {"__name__": "a cell", "Widget": Widget}
    exec("class Hello(Widget):\n    _esm = 'export default { render() {} };'\n", names)
    html = names["Hello"](title="Hi there").to_html()
    assert 'data-widget="Hello"' in html
    assert 'id="hello-hi-there"' in html


def test_a_misspelt_option_is_named_in_one_sentence():
    with pytest.raises(TypeError, match=r"^Counter has no option 'cuont'; did you mean 'count'\?$") as raised:
        counter.Counter(cuont=1)
    (line,) = raised.value._render_traceback_()  # what a notebook shows
    assert line.endswith(str(raised.value))


@pytest.mark.parametrize(
    ("name", "said"),
    [("cuont", r"Counter has no 'cuont'; did you mean 'count'\?$"), ("nothing", "Counter has no 'nothing'$")],
)
def test_what_a_widget_does_not_have_cannot_be_set_but_names_of_ones_own_that_begin_with_a_line(name, said):
    one = counter.Counter()
    with pytest.raises(AttributeError, match=said) as raised:
        setattr(one, name, 1)
    assert len(raised.value._render_traceback_()) == 1
    assert not hasattr(one, name)
    one._mine = 2
    assert (one.count, one._mine) == (counter.Counter().count, 2)


def test_a_library_is_made_anew_after_it_was_closed(examples):
    kind = type(examples["Interval"])
    one, two = kind(), kind()
    assert one._library == two._library
    library(kind).close()
    assert kind()._library != one._library


def test_a_packages_widget_sends_json_as_javascript_writes_it_and_takes_it(examples):
    one = type(examples["Interval"])(title="Ü", low=-1.0, high=2.5)
    state = one.get_state()
    assert (state["title"], state["high"]) == ('"Ü"', 2.5)
    assert json.loads(state["_bounds"]) == one._bounds
    assert page.unpacked(state)["title"] == "Ü"
    one.set_state({"unit": '"cm"', "title": '"new"'})
    assert (one.unit, one.title) == ("cm", "new")
    assert page.packed([1.0, -2.5, [3.0, None, True]]) == "[1,-2.5,[3,null,true]]"
    assert page.packed([b"bytes"]) == [b"bytes"]


DECODED = """async ([source, texts]) => {
    const { bytes_of } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    const decoded = (text) => {
        try { return [...bytes_of(text)]; } catch ({ message }) { return message; }
    };
    return texts.map(decoded);
}"""


def test_bytes_as_text_are_the_same_in_python_and_in_the_browser_and_what_is_none_is_refused(show_html):
    rng = np.random.default_rng(0)
    many = [rng.bytes(n) for n in range(12)] + [bytes(9), b"\xff" * 9, rng.bytes(10_000)]
    texts = [base85.encode(data) for data in many]
    assert not set("".join(texts)) & set("<\"'\\")
    assert [base85.decode(text) for text in texts] == many
    source = (page.script_folder() / "base85.mjs").read_text("utf8")
    found = show_html("", "").evaluate(DECODED, [source, [*texts, "00<00", "000é0"]])
    assert found == [*map(list, many), *["a text is not in base 85"] * 2]
    for wrong in ("00<00", "000é0"):
        with pytest.raises(ValueError, match=r"base 85|ASCII"):
            base85.decode(wrong)


UNPACKED = """async (text) => {
    const load = () => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    const [one] = [await load(), await load()]; // as in two notebooks of a window
    const styles = [...document.querySelectorAll("style[id='anywidget-static-intervals']")];
    return [Object.keys(one.default), styles.map((style) => style.textContent)];
}"""


def test_a_notebook_carries_a_library_packed_and_the_browser_unpacks_it_with_its_style(examples, show_html):
    kind = type(examples["Interval"])
    state = library(kind).get_state()
    files = [(kind._bundle / name).read_text("utf8") for name in ("widgets.mjs", "widgets.css")]
    packed = re.search(r'const packed = "([^"]+)"', state["_esm"])[1]
    assert len(packed) < 0.61 * sum(map(len, files))
    assert len(state["_esm"]) - len(packed) < 1000  # what unpacks it, however large it is
    assert "_css" not in state
    assert show_html("", "").evaluate(UNPACKED, state["_esm"]) == [["initialize", "render"], [files[1]]]


def test_a_missing_bundle_says_what_to_run(tmp_path):
    kind = type("Lost", (Widget,), {"_bundle": tmp_path / "static"})
    with pytest.raises(FileNotFoundError, match=r"widgets\.mjs is missing: build it with `python -m anywidget_static"):
        kind()


def test_a_pages_script_holds_what_its_widgets_use_once_and_nothing_else(tmp_path):
    alone = 'export default define((model, figure) => () => figure.append("a square"));'
    square = Source("square", esm=f'import {{ define }} from "anywidget_static/define.mjs";\n{alone}')
    interval = Source("interval", package="intervals")
    pages = {"interval": [interval], "square": [square], "both": [interval, square]}
    esbuild.write_pages(pages, tmp_path, root=ROOT)
    one, other, both = ((tmp_path / f"{name}.js").read_text("utf8") for name in pages)
    assert both.count("This picture cannot be drawn") == 1
    assert ["width in" in script for script in (one, other, both)] == [True, False, True]
    assert ["a square" in script for script in (one, other, both)] == [False, True, True]
    assert max(len(one), len(other)) < len(both) < len(one) + len(other) - 4000  # what they share


def test_swc_shortens_a_script_where_it_is_and_says_what_it_cannot_read(tmp_path, monkeypatch):
    if not (ROOT / "node_modules/@swc/core").is_dir():
        pytest.skip("swc is not installed")
    module = f'import {{ define }} from "{(page.script_folder() / "define.mjs").as_posix()}";\nexport default define;\n'
    bare = tmp_path / "bare/node_modules/.bin"
    bare.mkdir(parents=True)
    (bare / "esbuild").symlink_to(esbuild.program(ROOT))
    sizes = []
    for root in (ROOT, tmp_path / "bare"):
        esbuild.run({"page": module}, tmp_path, "--format=esm", root=root)
        script = (tmp_path / "page.js").read_text("utf8")
        assert "This picture cannot be drawn" in script
        sizes.append(len(script))
    assert sizes[0] < sizes[1]
    monkeypatch.setattr(esbuild, "SHORTEN", "throw new Error('no luck')")
    with pytest.raises(esbuild.BuildError, match=r"swc cannot shorten this: [^$]*no luck"):
        esbuild.run({"page": module}, tmp_path, "--format=esm", root=ROOT)


def test_a_script_that_cannot_be_made_says_why(tmp_path, monkeypatch):
    with pytest.raises(esbuild.BuildError, match=re.escape("esbuild cannot read this") + r".*nobody\.mjs"):
        esbuild.write_pages({"page": [Source("nobody", package="intervals")]}, tmp_path, root=ROOT)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(esbuild.BuildError, match="esbuild is missing: run `npm ci`"):
        esbuild.run({"page": ""}, tmp_path, root=tmp_path)
    with pytest.raises(esbuild.BuildError, match="there is no package nobody"):
        esbuild.package_folder("nobody", Path())


def test_a_package_is_found_beside_the_pages_whose_cells_import_it(tmp_path):
    (tmp_path / "dials" / "static").mkdir(parents=True)
    assert esbuild.package_folder("dials", tmp_path) == tmp_path / "dials"
    assert esbuild.package_folder("anywidget_static", tmp_path) == page.script_folder().parent


def test_without_esbuild_a_module_finds_define_beside_itself(tmp_path):
    esm = 'import { define } from "anywidget_static/define.mjs";\nexport default define(() => () => {});\n'
    esbuild.copy_pages({"page": [Source("square", esm=esm, css="b { color: red }")]}, tmp_path)
    written = (tmp_path / "anywidget-static/square.mjs").read_text()
    assert written == esm.replace("anywidget_static/", "./")
    assert (tmp_path / "anywidget-static/define.mjs").exists()
    assert 'import("./anywidget-static/square.mjs")' in (tmp_path / "page.js").read_text()
    assert "color: red" in (tmp_path / "page.css").read_text()


@pytest.mark.parametrize(
    "code", ["Stated(level='x')", "Stated(level=9)", "one = Stated()\none.level = None", "Stated(title=3)"]
)
def test_a_notebook_shows_an_error_in_one_line_and_the_whole_way_when_asked_again(code, monkeypatch):
    ultratb = pytest.importorskip("IPython.core.ultratb")
    shell = SimpleNamespace(InteractiveTB=ultratb.FormattedTB(mode="Context"))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))

    class Stated(Widget):
        level = Whole(0, max=3).tag(sync=True)

    with pytest.raises(traitlets.TraitError) as raised:
        exec(compile(f"\n{code}", "<cell>", "exec"), {"Stated": Stated, "__name__": "__main__"})
    (line,) = raised.value._render_traceback_()
    assert isinstance(raised.value, ValueError)
    assert line == f"\x1b[31mInputError\x1b[0m: {raised.value} (line {code.count(chr(10)) + 2})"
    whole = "\n".join(raised.value._render_traceback_())
    assert "traitlets" in whole
    assert str(raised.value) in whole


def test_a_module_may_have_any_name_and_begin_with_its_export(tmp_path):
    names = ["switch", "widgets", "library", "options", "mount"]
    for name in names:
        (tmp_path / f"{name}.mjs").write_text("export default { render() {} };\n")
    esbuild.build(tmp_path, ROOT)
    library = (tmp_path / "static/widgets.mjs").read_text(encoding="utf8")
    assert all(re.search(rf'[{{,]"?{name}"?:', library) for name in names)
    assert [file.stem for file in esbuild.modules(tmp_path)] == sorted(names)
