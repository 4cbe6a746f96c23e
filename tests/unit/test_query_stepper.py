"""QueryStepper's Python side: what it computes, what it refuses, and what is read where no script runs."""

import json

import numpy as np
import pytest

from attnlib import attention, attention_weights, houston
from attnlib.widgets import InputError, QueryStepper

RNG = np.random.default_rng(0)
X, W_Q, W_K, W_V = (RNG.normal(size=size) for size in ((5, 7), (7, 4), (7, 4), (7, 3)))


def a_stepper(**options):
    return QueryStepper("abcde", X, W_Q, W_K, W_V, **options)


@pytest.mark.parametrize("i", range(5))
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_weights_and_context_are_the_rows_of_attention(i, scaled, masked):
    stepper = a_stepper(selected=i, scaled=scaled, masked=masked)
    mask = np.tri(5, dtype=bool) if masked else None
    scale = None if scaled else 1
    query, key, value = X @ W_Q, X @ W_K, X @ W_V
    assert np.allclose(stepper.query, query[i])
    assert np.allclose(stepper.key, key)
    assert np.allclose(stepper.value, value)
    assert np.allclose(stepper.weights, attention_weights(query, key, mask, scale=scale)[i])
    assert np.allclose(stepper.context, attention(query, key, value, mask, scale=scale)[i])


@pytest.mark.parametrize("stage", [2, 3, 4])
def test_without_arguments_it_is_the_running_example(stage):
    stage = houston.stages()[stage]
    for i in range(5):
        stepper = QueryStepper(selected=i, scaled=stage.scale is None, masked=stage.mask is not None)
        assert np.allclose(stepper.weights, stage.weights[i])
    assert QueryStepper().tokens[QueryStepper().selected] == "have"
    assert QueryStepper().value_axes == list(houston.VALUE_AXES)


def test_a_masked_token_vanishes_and_the_others_grow_by_one_factor():
    before, after = QueryStepper().weights, QueryStepper(masked=True).weights
    assert (after[3:] == 0).all()
    assert np.allclose(after[:3] / before[:3], 1 / before[:3].sum())
    assert round(1 / before[:3].sum(), 2) == 1.63


def test_names_of_the_running_example_stay_away_from_other_numbers():
    stepper = a_stepper()
    assert stepper.axes == stepper.key_axes == stepper.value_axes == []
    assert stepper.selected == 0
    assert QueryStepper("abcde", X[:, :7] @ np.eye(7, 8)).key_axes == list(houston.ROLE_AXES)


BAD = {
    "tokens": (lambda: QueryStepper("ab"), "2 tokens for 5 rows of x"),
    "w_q's rows": (lambda: QueryStepper("abcde", X), "x has width 7, w_q has 8 rows"),
    "w_k's rows": (lambda: QueryStepper("abcde", X, W_Q), "x has width 7, w_k has 8 rows"),
    "w_v's rows": (lambda: QueryStepper("abcde", X, W_Q, W_K), "x has width 7, w_v has 8 rows"),
    "d_k": (lambda: QueryStepper("abcde", X, W_Q, W_V, W_V), "w_q has 4 columns, w_k has 3"),
    "NaN": (lambda: QueryStepper("abcde", X, W_Q * np.nan, W_K, W_V), r"w_q\[0, 0\] is nan"),
    "empty": (lambda: QueryStepper([], np.zeros((0, 8))), "tokens must have from 1 to 24 entries, got 0"),
    "axes": (lambda: a_stepper(axes=["one"]), "1 axes for 7 components"),
    "key_axes": (lambda: a_stepper(key_axes=list("abc")), "3 key_axes for 4 components"),
    "value_axes": (lambda: a_stepper(value_axes=list("abcd")), "4 value_axes for 3 components"),
    "selected": (lambda: a_stepper(selected=5), "selected token 5 is outside 0 … 4"),
    "step": (lambda: setattr(a_stepper(), "step", 9), "step must be from 0 to 8, got 9"),
    "many tokens": (
        lambda: QueryStepper(["t"] * 25, np.zeros((25, 8))),
        "tokens must have from 1 to 24 entries, got 25",
    ),
    "wide": (
        lambda: QueryStepper("a", np.zeros((1, 13)), *[np.zeros((13, 2))] * 3),
        "at most 12 components can be shown, got 13 for axes",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_the_table_holds_every_number_from_key_to_context(page_of):
    page = page_of(QueryStepper(masked=True))
    assert page.cells[:6] == ["", "key k", "score q·k", "÷ √4", "weight", "value v"]
    assert page.cells[12:18] == ["we", "(1.60, 0.00, 0.00, 0.00)", "3.52", "1.76", "0.74", "(1.50, 0.00, 0.00)"]
    assert page.cells[30:36] == ["problem", "(0.00, 1.70, 0.00, 0.00)", "2.72", "1.36", "–", "(0.00, 0.00, 1.50)"]
    assert page.cells[36:] == ["context vector: weights × values", "", "", "", "", "(1.20, 0.13, 0.10)"]
    assert "have (query) reads from each token (row), with q = (2.20, 1.60, 0.00, 0.00). Numbers: hand-made." in (
        QueryStepper().fallback()
    )
    assert json.loads(page.state).keys() == QueryStepper().state().keys()


def test_without_scaling_the_table_has_no_column_for_it(page_of):
    assert page_of(QueryStepper(scaled=False)).cells[:5] == ["", "key k", "score q·k", "weight", "value v"]
    assert page_of(QueryStepper(scaled=False)).cells[8] == f"{houston.stages()[2].weights[2, 0]:.2f}"
