"""ConventionSwitch's Python side: both conventions, what it refuses, and what is read where no script runs."""

import json

import numpy as np
import pytest

from attnlib import attention, softmax
from attnlib.widgets import ConventionSwitch, InputError
from attnlib.widgets.convention_switch import FORMULAS

SIZES = {"n": 2, "n_z": 7, "d": 5, "d_k": 3, "d_v": 4}


def matrices(switch):
    """The named matrices, cut from the numbers by a plain loop."""
    n, n_z, d, d_k, d_v = (getattr(switch, name) for name in ("n", "n_z", "d", "d_k", "d_v"))
    shapes = {"x": (n, d), "w_q": (d, d_k), "q": (n, d_k), "k": (n_z, d_k), "s": (n, n_z), "v": (n_z, d_v)}
    shapes |= {"y": (3 * n, d_v), "w_o": (3 * d_v, d), "b": (1, d_k)}
    cut = {}
    for place, (name, (rows, columns)) in enumerate(shapes.items()):
        cut[name] = np.zeros((rows, columns))
        for at in range(rows * columns):
            cut[name].flat[at] = switch.numbers[(11 * place + at) % len(switch.numbers)]
    return cut


BY_HAND = {
    "projection": lambda m: m["x"] @ m["w_q"],
    "scores": lambda m: m["q"] @ m["k"].T / np.sqrt(m["q"].shape[1]),
    "weights": lambda m: np.exp(m["s"]) / np.exp(m["s"]).sum(axis=1, keepdims=True),
    "output": lambda m: softmax(m["s"]) @ m["v"],
    "several heads": lambda m: np.hstack(np.split(m["y"], 3)) @ m["w_o"],
    "bias": lambda m: m["x"] @ m["w_q"] + m["b"],
}


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("sizes", [{}, SIZES, dict.fromkeys(SIZES, 1), dict.fromkeys(SIZES, 8)])
def test_both_conventions_give_the_numbers_of_the_formula(formula, sizes):
    switch = ConventionSwitch(formula=formula, **sizes)
    expected = BY_HAND[formula](matrices(switch))
    assert np.allclose(switch.row_result, expected)
    assert np.allclose(switch.column_result, expected.T)
    assert switch.difference < 1e-12


def test_a_difference_is_seen_where_there_is_one(monkeypatch):
    monkeypatch.setattr(ConventionSwitch, "column_result", property(lambda self: self.row_result.T + 0.5))
    assert ConventionSwitch().difference == pytest.approx(0.5)


def test_the_formulas_in_sequence_are_attention():
    m = matrices(ConventionSwitch())
    assert np.allclose(softmax(BY_HAND["scores"](m)) @ m["v"], attention(m["q"], m["k"], m["v"]))


def test_the_shapes_on_the_page_are_those_of_the_results():
    switch = ConventionSwitch(**SIZES)
    for formula, (_, by_row, _, by_column) in FORMULAS.items():
        switch.formula = formula
        for shape, result in ((by_row, switch.row_result), (by_column, switch.column_result)):
            left = shape.replace(",", " ").split()[0].split("×")
            assert tuple(SIZES[name] for name in left) == result.shape


BAD = {
    "n": ({"n": 0}, "n must be from 1 to 8, got 0"),
    "d_v": ({"d_v": 9}, "d_v must be from 1 to 8, got 9"),
    "no numbers": ({"numbers": []}, r"numbers must have shape \(n,\) with n ≥ 1, got \(0,\)"),
    "NaN": ({"numbers": [1.0, float("nan")]}, r"numbers\[1\] is nan: every entry must be finite"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    options, message = BAD[name]
    with pytest.raises(InputError, match=message):
        ConventionSwitch(**options)


def test_the_tables_hold_every_formula_and_the_numbers_both_ways(page_of):
    switch = ConventionSwitch()
    page = page_of(switch)
    assert page.tags.count("table") == 3
    assert page.cells[:3] == ["", "formula", "shapes"]
    assert page.cells[3:6] == ["projection, rows", "Q = X W_Q", "n×d_k = (n×d)(d×d_k)"]
    assert page.cells[36:39] == ["bias, columns", "Q = W_q X + b 1ᵀ", "d_k×n = (d_k×d)(d×n) + (d_k×1)(1×n)"]
    numbers = [f"{number:.2f}".replace("-", "−") for number in switch.row_result.flat]
    assert [cell for cell in page.cells[39:59] if "." in cell] == numbers
    assert "Columns: Q = W_q X, with n = 3, n_z = 5, d = 7, d_k = 4, d_v = 2. Numbers: random." in switch.fallback()
    assert json.loads(page.state).keys() == switch.state().keys()
