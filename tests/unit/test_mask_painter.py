"""MaskPainter's Python side: its masks, what moves, its errors, and the table that a page holds."""

import json

import numpy as np
import pytest

from attnlib import attention, attention_weights, causal_mask, houston, padding_mask, sliding_window_mask
from attnlib.masks import as_torch_reads
from attnlib.widgets import InputError, MaskPainter

RNG = np.random.default_rng(0)
X, W_Q, W_K, W_V = (RNG.normal(size=shape) for shape in [(4, 5), (5, 3), (5, 3), (5, 2)])
OTHER = RNG.normal(size=5)


def a_painter(**options):
    given = {"tokens": "abcd", "x": X, "w_q": W_Q, "w_k": W_K, "w_v": W_V, "other_token": "z", "other": OTHER}
    return MaskPainter(**given | options)


def output(x, mask=None):
    return attention(x @ W_Q, x @ W_K, x @ W_V, mask)


@pytest.mark.parametrize(
    ("preset", "mask"),
    [
        ("none", np.ones((4, 4), bool)),
        ("causal", causal_mask(4)),
        ("padding", padding_mask(np.array(2), 4)),
        ("window", sliding_window_mask(4, window=2)),
        ("prefix", [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]),
        ("painted", [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]]),
    ],
)
def test_every_preset_is_a_mask_of_attnlib(preset, mask):
    mask = np.array(mask, dtype=bool)
    painter = a_painter(preset=preset, size=2, mask=mask if preset == "painted" else None)
    assert (painter.allowed == mask).all()
    assert np.allclose(painter.weights[:3, :3] > 0, mask[:3, :3])
    x = X.copy()
    x[3] = OTHER
    assert np.allclose(painter.weights, attention_weights(x @ W_Q, x @ W_K, mask))
    assert np.allclose(painter.moved, np.abs(output(x, mask) - output(X, mask)).max(axis=1))


def test_a_painting_that_nobody_began_blocks_nothing():
    assert a_painter(preset="painted").allowed.all()


@pytest.mark.parametrize("token", range(5))
def test_with_the_causal_mask_no_earlier_output_moves_at_all(token):
    painter = MaskPainter(replaced=[token])
    assert (painter.moved[:token] == 0).all()
    assert painter.moved[token] > 0.01
    painter.preset = "none"
    assert token == 0 or (painter.moved[:token] > 0).any()


def test_zeros_after_the_softmax_let_every_earlier_output_move():
    painter = MaskPainter(leaky=True)
    assert (painter.moved > 0.01).all()
    assert (painter.weights[~painter.allowed] == 0).all()
    assert (painter.weights.sum(axis=1)[:4] < 0.8).all()


def test_several_tokens_can_be_replaced_or_none():
    x = X.copy()
    x[[1, 3]] = OTHER
    both = a_painter(replaced=[1, 3], preset="none")
    assert np.allclose(both.moved, np.abs(output(x) - output(X)).max(axis=1))
    assert (a_painter(replaced=[]).moved == 0).all()


def test_torch_gets_the_mask_that_it_reads():
    painter = a_painter(api="MultiheadAttention")
    assert (painter.for_torch == as_torch_reads(causal_mask(4), "MultiheadAttention")).all()
    painter.api = "scaled_dot_product_attention"
    assert (painter.for_torch == causal_mask(4)).all()


def test_without_projections_x_is_taken_as_it_is_and_blank_is_zero():
    painter = MaskPainter("abcd", X)
    x = X.copy()
    x[3] = 0
    assert (painter.other_token, painter.replaced, painter.size) == ("blank", [3], 3)
    assert np.allclose(painter.weights, attention_weights(x, x, causal_mask(4)))


def test_the_running_example_takes_other_projections():
    painter = MaskPainter(w_v=np.eye(8))
    assert np.allclose(painter.moved[4], 1.0, atol=0.9)
    assert painter.w_v == np.eye(8).tolist()
    assert painter.w_q == houston.W_Q.tolist()


BAD = {
    "tokens": (lambda: MaskPainter("abc", X), "3 tokens for 4 rows of x"),
    "no tokens": (lambda: MaskPainter((), np.zeros((0, 2))), "tokens must have from 1 to 16 entries, got 0"),
    "a number": (lambda: MaskPainter("a", 3.0), "must have shape"),
    "w_q's rows": (lambda: MaskPainter("abcd", X, W_V.T), "x has width 5, w_q has 2 rows"),
    "w_v's rows": (lambda: a_painter(w_v=np.ones((4, 2))), "x has width 5, w_v has 4 rows"),
    "w_k's columns": (lambda: a_painter(w_k=np.ones((5, 2))), "w_q has 3 columns, w_k has 2"),
    "other": (lambda: a_painter(other=[1.0, 2.0]), "x has width 5, other has 2 entries"),
    "NaN": (lambda: a_painter(x=X * np.nan), r"x\[0, 0\] is nan"),
    "a token that is not there": (lambda: a_painter(replaced=[4]), "replaced token 4 is outside 0 … 3"),
    "a control that is not there": (lambda: a_painter(controls=["size"]), "controls"),
    "size 0": (lambda: setattr(a_painter(), "size", 0), "size must be 1 or more, got 0"),
    "a window too wide": (lambda: a_painter(size=5), "between 1 and the 4 tokens, got 5"),
    "mask's shape": (
        lambda: a_painter(mask=np.ones((4, 3), bool)),
        r"mask has shape \(4, 3\), the scores have shape \(4, 4\)",
    ),
    "a query without a key": (lambda: a_painter(mask=np.eye(4, k=1, dtype=bool)), "mask row 3 is all False: query 3"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_misspelt_option_is_an_error_even_if_it_is_none():
    with pytest.raises(TypeError, match="MaskPainter has no option 'msk'"):
        a_painter(msk=None)


def test_the_old_mask_stays_after_a_bad_one():
    painter = a_painter(preset="painted", mask=np.eye(4, dtype=bool))
    with pytest.raises(InputError):
        painter.mask = np.zeros((4, 4), bool)
    assert (painter.allowed == np.eye(4)).all()


@pytest.mark.parametrize("leaky", [False, True])
def test_the_table_holds_weights_sums_and_moves(leaky, page_of):
    painter = MaskPainter(leaky=leaky)
    page = page_of(painter)
    assert page.cells[:8] == ["", "Houston", "we", "have", "a", "launch", "sum", "output moves"]
    for i in range(5):
        row = page.cells[8 + 8 * i :][:8]
        expected = [f"{w:.2f}" if ok else "–" for w, ok in zip(painter.weights[i], causal_mask(5)[i], strict=True)]
        moves = f"{painter.moved[i]:.2f}" if leaky or i == 4 else "no"
        assert row[1:] == [*expected, f"{painter.weights[i].sum():.2f}", moves]
    assert json.loads(page.state).keys() == painter.state().keys()


def test_a_small_move_is_not_called_none(page_of):
    assert "< 0.01" in page_of(a_painter(other=X[3] + 1e-3, preset="none")).cells
    assert page_of(a_painter(replaced=[])).cells.count("no") == 4


def test_tokens_are_text_and_never_html(page_of, hostile):
    page = page_of(MaskPainter([hostile, "b"], np.eye(2), other_token=hostile, title=hostile))
    assert "img" not in page.tags
    assert page.cells.count(hostile) == 4
    assert "</script" not in page.state


@pytest.mark.parametrize("x", [[], np.zeros((2, 0)), [[1, 2], [3]]])
def test_tokens_that_are_no_matrix_are_refused_in_a_sentence(x):
    with pytest.raises(InputError, match="x must"):
        MaskPainter("ab", x)
