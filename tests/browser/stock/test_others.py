"""Widgets that others wrote, unchanged, in a page of a stock book that no kernel stands behind."""

import json
import re

import pytest

pytestmark = pytest.mark.slow  # a book is built for it
WIDGETS = """\
from drawdata import ScatterWidget
from mopad import GamepadWidget
from wigglystuff import (
    CircularRangeSlider, ColorPicker, Knob, Matrix, Slider2D, SortableList, TangleSlider,
)"""
SHOWN = [
    "Slider2D(width=200, height=200)",
    "Matrix(rows=2, cols=2, min_value=0, max_value=10)",
    "SortableList(['a', 'b', 'c'], addable=True, removable=True)",
    "TangleSlider(amount=3)",
    "ColorPicker(color='#102030')",
    "Knob(value=20)",
    "CircularRangeSlider(0, 10, value=(2, 6))",
    "ScatterWidget()",
    "GamepadWidget()",
]
# A back end that writes on the page what a widget would have told Python.
OPTIONS = """
export default {
  backend: (home) => ({
    ...home.without_kernel,
    save: (changes) => {
      home.told = { ...home.told, ...changes };
      home.element.dataset.told = JSON.stringify(home.told);
    },
  }),
};
"""
TEXTS = """\
import anywidget, traitlets

def widget(esm, **fields):
    traits = {name: traitlets.Any(value).tag(sync=True) for name, value in fields.items()}
    return type("Text", (anywidget.AnyWidget,), {"_esm": esm, **traits})()

def drawn(text):
    return f"export default {{ render({{ model, el, experimental, host }}) {{ {text} }} }};"
"""
BROKEN = {
    "no JavaScript": (
        "widget('export default { render( {')",
        "This widget could not start: Unexpected end of input",
    ),
    "a module that fails": (
        "widget('throw new Error(\"at the top\");')",
        "This widget could not start: at the top",
    ),
    "code from another site": (
        """widget('import "https://elsewhere.example/x.mjs"; ' + drawn(''))""",
        "This widget could not start: it needs https://elsewhere.example/x.mjs",
    ),
    "a module on another site": (
        "widget('https://elsewhere.example/y.mjs')",
        "This widget could not start: it needs https://elsewhere.example/y.mjs",
    ),
    "a message to Python": (
        "widget(drawn('el.textContent = \"sent\"; model.send({})'))",
        "sent This needs Python, which does not run in this page.",
    ),
    "a call of Python": (
        "widget(drawn('return experimental.invoke(\"f\")'))",
        "This needs Python, which does not run in this page.",
    ),
    "a widget in another": (
        "widget(drawn('return host.getModel(model.get(\"child\"))'), child='IPY_MODEL_1')",
        "This widget shows another inside itself, which it can in Jupyter alone.",
    ),
    "a widget in another, as of old": (
        "widget(drawn('return model.widget_manager.get_model(\"1\")'))",
        "This widget shows another inside itself, which it can in Jupyter alone.",
    ),
}
WHOLE = {
    "await": ("widget('const word = await \"late\"; ' + drawn('el.textContent = word'))", "late"),
    "a function": ("widget('export default async () => ({ render: ({ el }) => el.append(\"made\") })')", "made"),
    "of old": ("widget('export function render({ el }) { el.textContent = \"old\" }')", "old"),
    "a listener that sets what there is": (
        'widget(drawn(\'model.on("change:v", () => { el.append("!"); model.set("v", [1]) }); '
        'model.set("v", [1])\'), v=[])',
        "!",
    ),
    "a hidden field": ("widget(drawn('el.textContent = model.get(\"_mode\")'), _mode='dark')", "dark"),
    "bytes": ("widget(drawn('el.textContent = model.get(\"b\").getUint8(1)'), b=b'ab')", "98"),
}


def cell(*widgets):
    return f"display({', '.join(widgets)})"


@pytest.fixture(scope="module")
def book(new_stock):
    """Both kinds of widgets, run and saved with their state, as an author leaves his notebook."""
    book = new_stock()
    (book.folder / "options.mjs").write_text(OPTIONS)
    faults = [widget for widget, _ in [*BROKEN.values(), *WHOLE.values()]]
    book.write(
        others=[WIDGETS, *map(cell, SHOWN), "same = Knob(value=1)\ndisplay(same, same, Knob(value=2))"],
        texts=[TEXTS, *map(cell, faults)],
    )
    book.run()
    return book


@pytest.fixture(scope="module", params=[True, pytest.param(False, marks=pytest.mark.slow)], ids=["script", "modules"])
def built(request, book):
    book.build(bundle=request.param, config={"anywidget_static_options": "options.mjs"})
    return book


@pytest.fixture
def opened(built, look, request):
    return lambda name: look(built, name, over="http")


@pytest.fixture
def widget_of(opened, until):
    """One of the widgets of others, alive, by its place."""
    page = opened("others")

    def widget(name):
        place = [re.match(r"\w+", shown)[0] for shown in SHOWN].index(name) if isinstance(name, str) else name
        home = page.locator("[data-widget]").nth(place)
        home.scroll_into_view_if_needed()
        until(
            page,
            f"document.querySelectorAll('[data-widget]')[{place}].querySelector(':scope > div')?.children.length > 0",
        )
        return home

    yield widget
    assert not page.own_requests()
    drawdata = 'Error: <svg> attribute height: Expected length, "auto".'
    assert [problem for problem in page.own_problems() if problem != drawdata] == []


def told(home):
    return json.loads(home.get_attribute("data-told"))


def pull(home, start, by):
    """Press the mouse on an element, and move it."""
    box, mouse = start.bounding_box(), home.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + by[0] / 2, y + by[1] / 2)
    mouse.move(x + by[0], y + by[1])
    mouse.up()


def test_a_plane_is_dragged(widget_of):
    home = widget_of("Slider2D")
    pull(home, home.locator("canvas"), (40, -20))
    assert told(home) == {"x": pytest.approx(0.5, abs=0.05), "y": pytest.approx(0.25, abs=0.05)}
    assert "X: 0.5" in home.inner_text()


def test_an_entry_of_a_matrix_is_dragged(widget_of):
    home = widget_of("Matrix")
    pull(home, home.locator(".matrix-element").nth(2), (4, 0))  # the second column
    assert home.locator(".matrix-element").all_inner_texts() == ["5.0", "5.0", "7.0", "5.0"]
    assert told(home)["matrix"] == [[5, 7], [5, 5]]


def test_a_list_takes_what_is_typed_and_loses_what_is_clicked(widget_of):
    home = widget_of("SortableList")
    home.locator("input").fill("d")
    home.locator("input").press("Enter")
    home.get_by_label("Remove a").click()
    assert home.locator(".item-label").all_inner_texts() == ["b", "c", "d"]
    assert told(home) == {"value": ["b", "c", "d"]}


def test_a_number_in_the_text_is_dragged(widget_of):
    home = widget_of("TangleSlider")
    pull(home, home.get_by_text("3.0"), (20, 0))
    assert told(home)["amount"] == float(home.inner_text()) > 3


def test_a_colour_is_chosen(widget_of):
    home = widget_of("ColorPicker")
    home.locator("input").fill("#ff0000")
    assert home.inner_text() == "#ff0000"
    assert told(home)["color"] == "#ff0000"


def test_a_knob_is_turned(widget_of):
    home = widget_of("Knob")
    pull(home, home.locator("svg").first, (15, 0))
    assert told(home)["value"] > 20
    assert str(round(told(home)["value"])) in home.inner_text()


def test_a_slider_with_a_hidden_field_has_both_its_ends(widget_of):
    """Its field `_mode` says that it is a range: a field may begin with a line."""
    home = widget_of("CircularRangeSlider")
    assert re.findall(r"\d+", home.inner_text()) == ["2", "6"]


def test_points_are_drawn(widget_of):
    home = widget_of("ScatterWidget")
    pull(home, home.locator("svg").last, (60, 10))
    assert len(told(home)["data"]) > 0
    assert {"x", "y"} <= told(home)["data"][0].keys()


def test_a_gamepad_is_waited_for(widget_of):
    home = widget_of("GamepadWidget")
    assert "No Gamepad Detected" in home.inner_text()
    home.locator("button").click()
    assert "To connect" not in home.inner_text()


def test_each_view_and_each_instance_lives_by_itself(widget_of):
    first, again, other = map(widget_of, range(len(SHOWN), len(SHOWN) + 3))
    pull(first, first.locator("svg").first, (15, 0))
    assert told(first)["value"] > 1
    assert [home.inner_text().strip() for home in (again, other)] == ["1", "2"]


def test_a_module_that_fails_says_a_sentence_and_leaves_the_others_alone(opened, until):
    page = opened("texts")
    expected = [sentence for _, sentence in [*BROKEN.values(), *WHOLE.values()]]
    until(
        page,
        f"[...document.querySelectorAll('[data-widget]')].filter((home) => home.innerText).length == {len(expected)}",
    )
    shown = [" ".join(home.inner_text().split()) for home in page.locator("[data-widget]").all()]
    assert dict(zip([*BROKEN, *WHOLE], shown, strict=True)) == dict(zip([*BROKEN, *WHOLE], expected, strict=True))
    assert {request for request in page.own_requests()} == {
        "https://elsewhere.example/x.mjs",
        "https://elsewhere.example/y.mjs",
    }
