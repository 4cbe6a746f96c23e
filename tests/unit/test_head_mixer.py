"""HeadMixer's Python side: weights and output by attnlib, weights given as bytes, its errors, and its tables."""

import json
import re

import numpy as np
import pytest

from anywidget_static import base85
from attnlib import attention_weights, causal_mask, houston, merge_heads, multi_head_attention
from attnlib.lab import pool_heads, weight_back
from attnlib.widgets import HeadMixer, InputError

HEADS, N, D, D_K, D_V, D_OUT = 4, 5, 6, 3, 2, 7
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, D))
W_Q, W_K, W_V = (RNG.normal(size=(HEADS, D, width)) for width in (D_K, D_K, D_V))
W_O = RNG.normal(size=(HEADS * D_V, D_OUT))


def a_mixer(**options):
    given = {"tokens": "abcde", "query": X @ W_Q, "key": X @ W_K, "value": X @ W_V, "w_o": W_O}
    return HeadMixer(**given | options)


def given_weights(heads=3, n=4, *, causal=False):
    weights = np.random.default_rng(1).dirichlet(np.ones(n), size=(heads, n))
    if causal:
        weights = weights * np.tri(n)
        weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def by_attnlib(mask, kv_heads, w_o=W_O):
    pooled = (merge_heads(pool_heads(w, kv_heads)) for w in (W_K, W_V))
    return multi_head_attention(X, merge_heads(W_Q), *pooled, w_o, mask, num_heads=HEADS, num_kv_heads=kv_heads)


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("mask", [None, causal_mask(N)])
def test_weights_and_output_are_those_of_multi_head_attention(kv_heads, mask):
    mixer = a_mixer(mask=mask, num_kv_heads=kv_heads, mixed=True)
    keys = np.repeat(X @ pool_heads(W_K, kv_heads), HEADS // kv_heads, axis=0)
    assert np.allclose(mixer.weights, attention_weights(X @ W_Q, keys, mask), atol=1e-12)
    assert np.allclose(mixer.output, by_attnlib(mask, kv_heads), atol=1e-12)
    mixer.mixed = False
    assert np.allclose(mixer.output, by_attnlib(mask, kv_heads, np.eye(HEADS * D_V)), atol=1e-12)


def test_a_zeroed_head_is_one_whose_rows_of_w_o_are_zero():
    without = W_O.copy()
    without[2 * D_V : 3 * D_V] = 0
    assert np.allclose(a_mixer(zeroed=[2], mixed=True).output, by_attnlib(None, 4, without), atol=1e-12)


@pytest.mark.parametrize("head", range(HEADS))
def test_without_w_o_a_head_changes_its_own_columns_and_with_it_all(head):
    own = np.arange(HEADS * D_V) // D_V == head
    mixer = a_mixer(zeroed=[head])
    assert ((mixer.change > 1e-12) == own).all()
    mixer.mixed = True
    assert (mixer.change > 1e-3).all()
    mixer.zeroed = []
    assert (mixer.change == 0).all()


def test_the_default_is_two_trained_heads():
    mixer = HeadMixer()
    small = houston.two_heads()
    assert np.allclose(mixer.weights, attention_weights(small["query"], small["key"], causal_mask(5)))
    assert (mixer.provenance, mixer.heads, mixer.zeroed) == ("trained", ["head 1", "head 2"], [0])
    assert min(weight_back(mixer.weights[0], 2), weight_back(mixer.weights[1], 1)) > 0.9  # two tokens back, and one


def test_the_stage_of_several_heads_can_be_mixed():
    stage = houston.stages()[-2]
    mixer = HeadMixer(
        houston.TOKENS, stage.query, stage.key, stage.value, houston.W_O, mask=stage.mask, heads=("who", "what")
    )
    assert np.allclose(mixer.weights, stage.weights)
    assert (mixer.heads, mixer.num_kv_heads, mixer.provenance) == (["who", "what"], 2, "hand-made")


@pytest.mark.parametrize("causal", [False, True])
def test_given_weights_come_back_within_half_a_step(causal):
    weights = given_weights(causal=causal)
    mixer = HeadMixer("abcd", weights=weights)
    assert np.abs(mixer.weights - weights).max() <= 0.5 / 255 + 1e-12
    assert len(base85.decode(mixer.packed)) == 3 * (10 if causal else 16)
    with pytest.raises(InputError, match="weights alone give no output"):
        _ = mixer.output


def test_144_causal_heads_of_32_tokens_take_at_most_110_kilobytes():
    names = [f"{layer}.{head}" for layer in range(1, 13) for head in range(1, 13)]
    mixer = HeadMixer(["token"] * 32, weights=given_weights(144, 32, causal=True), heads=names, columns=12)
    assert len(mixer.to_html().encode()) <= 110_000
    assert mixer.weights.shape == (144, 32, 32)


NAN = np.full((HEADS, N, D_V), np.nan)
BAD = {
    "widths": (lambda: a_mixer(key=X @ W_V), "query has width 3, key has width 2"),
    "heads": (lambda: a_mixer(heads=["one"]), r"query has shape \(4, 5, 3\) for 1 heads and 5 tokens"),
    "tokens": (lambda: a_mixer(tokens="ab"), r"query has shape \(4, 5, 3\) for 4 heads and 2 tokens"),
    "values": (lambda: a_mixer(value=(X @ W_V)[:2]), r"value has shape \(2, 5, 2\) for 4 heads"),
    "w_o": (lambda: a_mixer(w_o=W_O[1:]), "w_o has 7 rows for 4 heads with values of width 2"),
    "axes": (lambda: a_mixer(axes=["a", "b"]), "2 names of axes for the 7 columns of w_o"),
    "no value": (lambda: a_mixer(value=None, w_o=None), "value, w_o missing"),
    "both": (lambda: a_mixer(weights=given_weights()), "give either weights, or"),
    "mask beside weights": (lambda: HeadMixer("abcd", weights=given_weights(), mask=causal_mask(4)), "give either"),
    "NaN": (lambda: a_mixer(value=NAN), r"value\[0, 0, 0\] is nan"),
    "one matrix": (lambda: a_mixer(query=X), r"query must have shape \(h, n, d\).*got \(5, 6\)"),
    "a number": (lambda: a_mixer(query=1.0), r"query must have shape"),
    "ragged": (
        lambda: setattr(a_mixer(), "query", [[[1.0], [2.0, 3.0]]]),
        r"query must be numbers in the shape \(h, n, d\)",
    ),
    "groups": (lambda: a_mixer(num_kv_heads=3), "4 heads do not divide into num_kv_heads = 3"),
    "no groups": (lambda: a_mixer(num_kv_heads=0), "num_kv_heads must be 1 or more, got 0"),
    "selected": (lambda: a_mixer(selected=4), "selected head 4 is outside 0 … 3"),
    "zeroed": (lambda: a_mixer(zeroed=[1, -1]), "zeroed head -1 is outside 0 … 3"),
    "columns": (lambda: a_mixer(columns=5), "between 0 and the 4 heads, got 5"),
    "mask's shape": (
        lambda: a_mixer(mask=np.ones((5, 4), bool)),
        r"mask has shape \(5, 4\), the scores have shape \(5, 5\)",
    ),
    "a query without a key": (lambda: a_mixer(mask=np.eye(5, k=1, dtype=bool)), "mask row 4 is all False"),
    "weights' shape": (lambda: HeadMixer("ab", weights=np.ones((2, 2, 3))), r"\(h, n, n\).*got \(2, 2, 3\)"),
    "weights beyond 1": (lambda: HeadMixer("a", weights=[[[1.5]]]), r"weights\[0, 0, 0\] is 1.5: a weight lies"),
    "weights of NaN": (lambda: HeadMixer("a", weights=[[[np.nan]]]), r"weights\[0, 0, 0\] is nan"),
    "tokens for weights": (lambda: HeadMixer("abc", weights=given_weights()), "48 weights for 3 heads of 3 tokens"),
    "packed": (lambda: setattr(HeadMixer("abcd", weights=given_weights()), "packed", "<"), "not in base 85"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_the_tables_hold_every_weight_and_the_output(page_of):
    mixer = HeadMixer(mixed=True)
    page = page_of(mixer)
    assert page.tags.count("table") == 2
    assert page.cells[:6] == ["", *houston.TOKENS]
    allowed = causal_mask(5)
    for a in range(2):
        for i in range(5):
            row = page.cells[6 + 6 * (5 * a + i) :][:6]
            shown = [f"{w:.2f}" if ok else "–" for w, ok in zip(mixer.weights[a, i], allowed[i], strict=True)]
            assert row == [f"head {a + 1}: {houston.TOKENS[i]}", *shown]
    output = page.cells[66:]
    assert output[:9] == ["", *houston.AXES]
    assert output[9:18] == [
        "Houston",
        *(f"{y:.2f}".replace("-", "−").replace("−0.00", "0.00") for y in mixer.output[0]),
    ]
    assert output[-9:] == ["largest change", *(f"{size:.2f}" for size in mixer.change)]
    assert json.loads(page.state).keys() == mixer.state().keys()


@pytest.mark.parametrize(("mixed", "name"), [(False, "Heads side by side"), (True, "Output")])
def test_the_table_is_named_after_what_it_holds(mixed, name):
    assert f">{name}, without head 1. Numbers: trained.<" in HeadMixer(mixed=mixed).fallback()


def test_columns_without_names_are_counted_and_small_changes_are_not_called_none(page_of):
    assert page_of(a_mixer(mixed=True)).cells[-8 * 7 :][1:8] == ["1", "2", "3", "4", "5", "6", "7"]
    plain = page_of(a_mixer(value=(X @ W_V) * [[[1.0]], [[1e-4]], [[1.0]], [[1.0]]], zeroed=[1])).cells
    assert plain[-9:] == ["largest change", "0", "0", "< 0.01", "< 0.01", "0", "0", "0", "0"]
    assert "head 2, 1" in plain


@pytest.mark.parametrize("causal", [False, True])
def test_given_weights_are_in_the_table(causal, page_of):
    mixer = HeadMixer("abcd", weights=given_weights(causal=causal))
    page = page_of(mixer)
    assert page.tags.count("table") == 1
    assert page.cells[5:10] == [
        "head 1: a",
        *(f"{w:.2f}" if j == 0 or not causal else "–" for j, w in enumerate(mixer.weights[0, 0])),
    ]


@pytest.mark.parametrize("columns", [0, 5])
def test_many_weights_are_summed_up_head_by_head(columns, page_of):
    weights = given_weights(14, 9, causal=True)
    mixer = HeadMixer("abcdefghi", weights=weights, columns=columns)
    page, before = page_of(mixer), weight_back(mixer.weights, 1)
    wide = columns or 12
    assert page.cells[: wide + 1] == ["", *(str(c + 1) for c in range(wide))]
    assert page.cells[wide + 1 : 2 * wide + 2] == [f"head 1 to head {wide}", *(f"{b:.2f}" for b in before[:wide])]
    assert [cell for cell in page.cells if "." in cell] == [f"{b:.2f}" for b in before]


def test_many_heads_of_one_token_have_none_before(page_of):
    page = page_of(HeadMixer("a", weights=np.ones((1001, 1, 1))))
    assert page.cells.count("0.00") == 1001
    assert "head 997 to head 1001" in page.cells
    assert "head 1001" in page_of(HeadMixer("a", weights=np.ones((1001, 1, 1)), columns=1000)).cells


def test_names_are_text_and_never_html(page_of, hostile):
    page = page_of(a_mixer(tokens=[hostile] * 5, heads=[hostile] * 4, axes=[hostile] * 7, title=hostile, mixed=True))
    assert "img" not in page.tags
    assert page.cells.count(hostile) == 5 + 7 + 5
    assert "</script" not in page.state


def test_a_small_weight_is_no_blocked_cell():
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", HeadMixer("ab", weights=[[[0.999, 0.001], [0.5, 0.5]]]).fallback())
    assert cells == ["", "1.00", "0.00", "0.50", "0.50"]
