"""The widgets' Python side: inputs, errors, weights, and the form that a page takes."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from ipywidgets import Widget

from attnlib import attention, attention_weights, causal_mask, houston, widgets
from attnlib.widgets import AttentionGrid, InputError, TokenPlane

FOLDER = Path(widgets.__file__).parent
RNG = np.random.default_rng(0)
QUERY, KEY, POINTS = RNG.normal(size=(3, 4)), RNG.normal(size=(5, 4)), RNG.normal(size=(3, 2))


def a_grid(**options):
    return AttentionGrid("abc", QUERY, KEY, key_tokens="vwxyz", **options)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_the_weights_are_those_of_attnlib(scaled, masked):
    grid = a_grid(scaled=scaled, masked=masked, temperature=2.5)
    mask = causal_mask(3, 5) if masked else None
    scale = (0.5 if scaled else 1) / 2.5  # √4 = 2
    assert np.allclose(grid.weights, attention_weights(QUERY, KEY, mask, scale=scale))


def test_a_mask_of_ones_own_takes_the_place_of_the_causal_one():
    mask = np.array([[1, 0, 1, 0, 1], [0, 1, 0, 1, 0], [1, 1, 1, 1, 0]], dtype=bool)
    assert ((a_grid(mask=mask, masked=True).weights > 0) == mask).all()


FIXED = [name for name in widgets.__all__ if hasattr(getattr(widgets, name), "constants")]


@pytest.mark.parametrize("name", FIXED)
def test_what_is_fixed_reaches_the_module_as_json_and_cannot_be_changed(name):
    widget = getattr(widgets, name)()
    told = json.loads(widget.get_state()["constants"])
    assert told == widget.constants != {}
    with pytest.raises(InputError):
        widget.constants = {}
    module = (FOLDER / f"{widget._module}.mjs").read_text("utf8")
    assert all(re.search(rf"\b{constant}\b", module) for constant in told)


@pytest.mark.parametrize("name", [*FIXED, "ContextPuzzle"])
def test_the_table_of_a_widget_makes_no_other_widget(name):  # which a notebook would save with it
    widget = getattr(widgets, name)()
    before = set(Widget.get_manager_state()["state"])
    widget.to_html()
    assert set(Widget.get_manager_state()["state"]) == before


def test_python_sees_every_change_of_an_input():
    grid, seen = a_grid(), []
    grid.observe(lambda change: seen.append((change.name, change.new)), ["temperature", "masked", "selected"])
    grid.temperature, grid.masked, grid.selected = 2.0, True, [1, 2]
    assert seen == [("temperature", 2.0), ("masked", True), ("selected", [1, 2])]


def test_several_inputs_change_together_or_not_at_all():
    grid = a_grid()
    with grid.hold_trait_notifications():
        grid.query, grid.key, grid.query_tokens, grid.key_tokens = np.eye(2), np.eye(2), ["a", "b"], ["c", "d"]
    assert grid.weights.shape == (2, 2)
    with pytest.raises(ValueError, match="query has width 3, key has width 2"), grid.hold_trait_notifications():
        grid.query, grid.temperature = np.eye(2, 3), 3.0
    assert grid.weights.shape == (2, 2)
    assert grid.temperature == 1.0


def test_the_plane_gives_scores_weights_and_repeated_outputs():
    plane = TokenPlane("abc", POINTS, steps=2)
    once = attention(POINTS, POINTS, POINTS, scale=1)
    assert np.allclose(plane.scores, POINTS @ POINTS.T)
    assert np.allclose(plane.weights @ POINTS, once)
    assert np.allclose(plane.output, attention(once, once, once, scale=1))


BAD = {
    "tokens": (lambda: AttentionGrid("ab", QUERY), "2 tokens for 3 queries"),
    "widths": (
        lambda: AttentionGrid("abc", QUERY, KEY[:, :2], key_tokens="vwxyz"),
        "query has width 4, key has width 2",
    ),
    "empty": (lambda: AttentionGrid([], np.zeros((0, 4))), r"query must have shape \(n, d\).*got \(0, 4\)"),
    "ragged": (lambda: AttentionGrid("ab", [[1, 2], [3]]), r"query must be numbers in the shape \(n, d\)"),
    "NaN": (lambda: AttentionGrid("a", [[1.0, np.nan]]), r"query\[0, 1\] is nan"),
    "infinite": (lambda: setattr(a_grid(), "key", np.full((5, 4), np.inf)), r"key\[0, 0\] is inf"),
    "words": (lambda: AttentionGrid("a", [["x"]]), r"query must be numbers in the shape \(n, d\)"),
    "mask's shape": (
        lambda: a_grid(mask=np.ones((5, 3), bool)),
        r"mask has shape \(5, 3\), the scores have shape \(3, 5\)",
    ),
    "mask's dtype": (lambda: a_grid(mask=np.ones((3, 5))), "mask must be a boolean matrix.*float64"),
    "masked row": (lambda: a_grid(mask=np.arange(3)[:, None] * np.ones(5) > 0), "mask row 0 is all False"),
    "bias's shape": (
        lambda: a_grid(bias=np.ones((5, 3))),
        r"bias has shape \(5, 3\), the scores have shape \(3, 5\)",
    ),
    "bias of −∞": (lambda: a_grid(bias=np.full((3, 5), -np.inf)), r"bias\[0, 0\] is -inf"),
    "axes": (lambda: a_grid(axes=["one"]), "1 names of axes for vectors of width 4"),
    "cell": (lambda: a_grid(selected=[3, 0]), r"\[3, 0\] is outside the 3 × 5 grid"),
    "half a cell": (lambda: a_grid(selected=[1]), r"\[1\] is outside"),
    "temperature": (lambda: setattr(a_grid(), "temperature", 0.0), "temperature must be above 0, got 0.0"),
    "plane's width": (lambda: TokenPlane("abc", QUERY), r"points must have shape \(n, 2\).*got \(3, 4\)"),
    "plane's tokens": (lambda: TokenPlane("ab", POINTS), "2 tokens for 3 points"),
    "plane's steps": (lambda: setattr(TokenPlane("abc", POINTS), "steps", 0), "steps must be from 1 to 12, got 0"),
    "plane's query": (lambda: TokenPlane("abc", POINTS, selected=3), "selected token 3 is outside 0 … 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_misspelt_option_is_an_error():
    with pytest.raises(TypeError, match="AttentionGrid has no option 'temprature'"):
        a_grid(temprature=2.0)


def test_the_old_value_stays_after_a_bad_one():
    grid = a_grid()
    before = grid.weights
    with pytest.raises(InputError):
        grid.temperature = -1.0
    assert (grid.weights == before).all()


def test_the_page_form_holds_a_table_and_the_whole_state(page_of):
    page = page_of(a_grid(masked=True))
    assert {"table", "thead", "tbody", "figcaption"} <= set(page.tags)
    assert page.cells[:7] == ["", "v", "w", "x", "y", "z", "sum"]
    assert page.cells[7:14] == ["a", "1.00", "–", "–", "–", "–", "1.00"]
    state = json.loads(page.state)
    assert state["query"] == QUERY.tolist()
    assert state["masked"] is True
    assert state.keys() == a_grid().state().keys()


@pytest.mark.parametrize(
    "make", [lambda t: AttentionGrid([t, "b"], np.eye(2)), lambda t: TokenPlane([t, "b"], np.eye(2))]
)
def test_tokens_are_text_and_never_html(make, page_of, hostile):
    page = page_of(make(hostile))
    assert "img" not in page.tags
    assert any(hostile in cell for cell in page.cells)
    assert "</script" not in page.state
    assert hostile in json.loads(page.state).get("tokens", json.loads(page.state).get("query_tokens"))


def test_every_widget_can_be_shown_by_every_stage():
    for stage in houston.stages():
        heads = stage.query.shape[:-2] or (1,)
        weights = stage.weights.reshape(*heads, 5, 5)
        queries, keys = stage.query.reshape(*heads, 5, -1), stage.key.reshape(*heads, 5, -1)
        for a in range(heads[0]):
            bias = None if stage.bias is None else stage.bias[a]
            options = {"scaled": stage.scale is None, "masked": stage.mask is not None, "bias": bias}
            grid = AttentionGrid(houston.TOKENS, queries[a], keys[a], **options)
            assert np.allclose(grid.weights, weights[a])


def test_the_temperature_divides_scores_and_bias_alike():
    bias = np.random.default_rng(0).normal(size=(3, 5))
    grid = a_grid(bias=bias, temperature=2.0)
    assert np.allclose(grid.weights, attention_weights(QUERY / 2, KEY, scale=1, bias=bias / 2))


def test_no_module_writes_html():
    for file in FOLDER.glob("*.*js"):
        text = file.read_text()
        assert not [word for word in ("innerHTML", "insertAdjacentHTML", "document.write", "eval(") if word in text], (
            file
        )


def test_above_a_thousand_cells_the_page_form_sums_up(page_of):
    rng = np.random.default_rng(0)
    grid = AttentionGrid([f"t{i}" for i in range(40)], rng.normal(size=(40, 6)))
    page = page_of(grid)
    assert len(page.cells) == 4 + 40 * 4
    assert page.cells[:4] == ["", "reads most from", "weight", "entropy in nats"]
    strongest = grid.weights[3].argmax()
    assert page.cells[4 + 3 * 4 :][:3] == ["t3", f"t{strongest}", f"{grid.weights[3, strongest]:.2f}"]
    assert len(page_of(AttentionGrid(["t"] * 512, rng.normal(size=(512, 6)))).cells) == 4 + 64 * 4


def test_no_line_of_a_script_or_a_style_is_longer_than_120():
    """Where its formatter stops: comments, texts, and styles."""
    files = [*FOLDER.iterdir(), *Path("_ext/theme").rglob("*"), *Path("classroom").rglob("*")]
    files = [file for file in files if file.suffix in {".css", ".js", ".mjs", ".cjs"}]
    long = [(file.name, line[:40]) for file in files for line in file.read_text().splitlines() if len(line) > 120]
    assert len(files) > 30
    assert long == []
