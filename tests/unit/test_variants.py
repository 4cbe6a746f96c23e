"""attnlib.variants against the plain forms that they rewrite, and the claims made for them."""

import numpy as np
import pytest
import torch

from attnlib import (
    attention,
    attention_weights,
    causal_mask,
    linear_attention,
    sliding_window_mask,
    softmax,
    window_attention,
)
from attnlib.lab import convex_hull, positive_weights
from attnlib.variants import elu_plus_one, tied_attention

BATCH, N_Q, N_K, D_K, D_V = 2, 5, 7, 4, 6


def example(seed=0, n_q=N_Q, n_k=N_K, dtype=float):
    rng = np.random.default_rng(seed)
    shapes = [(BATCH, 3, n_q, D_K), (BATCH, 3, n_k, D_K), (BATCH, 3, n_k, D_V)]
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def by_weights(query, key, value, mask=None):
    """Linear attention the long way: all n × n weights."""
    weights = elu_plus_one(query) @ elu_plus_one(key).swapaxes(-1, -2)
    weights = weights if mask is None else weights * mask
    return weights / weights.sum(axis=-1, keepdims=True) @ value


def test_elu_plus_one_is_one_more_than_torchs_elu():
    x = np.linspace(-40, 40, 81)
    assert np.abs(elu_plus_one(x) - (torch.nn.functional.elu(torch.from_numpy(x)).numpy() + 1)).max() < 1e-15
    assert (elu_plus_one(x) > 0).all()


def test_swapping_the_brackets_changes_no_result():
    given = example()
    assert np.abs(linear_attention(*given) - by_weights(*given)).max() < 1e-13


def test_the_causal_sum_equals_causal_weights():
    given = example(n_q=N_K)
    out = linear_attention(*given, causal=True)
    assert np.abs(out - by_weights(*given, causal_mask(N_K))).max() < 1e-13
    assert np.abs(out[..., -1, :] - linear_attention(*given)[..., -1, :]).max() < 1e-13


@pytest.mark.parametrize("offset", [0, 2, 9])
def test_a_causal_sum_begins_where_its_queries_stand(offset):
    given = example()
    out = linear_attention(*given, causal=True, offset=offset)
    assert np.abs(out - by_weights(*given, causal_mask(N_Q, N_K, offset=offset))).max() < 1e-13


def test_batch_axes_broadcast():
    query, key, value = example(n_q=N_K)
    for form in (linear_attention, lambda *given: window_attention(*given, window=3)):
        assert (
            form(query[0], key, value[:1]) == form(np.stack([query[0]] * BATCH), key, np.stack([value[0]] * BATCH))
        ).all()


def test_lists_are_arrays(unchecked):
    assert elu_plus_one([1, 2]).tolist() == [2, 3]
    assert linear_attention([[1.0]], [[1]], [[5]]).tolist() == [[5.0]]
    assert window_attention([[1], [2]], [[1], [2]], [[1], [2]], window=1).tolist() == [[1.0], [2.0]]
    assert positive_weights([1, 3], np.square).tolist() == [0.1, 0.9]


def test_linear_attention_is_not_softmax_attention():
    given = example()
    assert np.abs(linear_attention(*given) - attention(*given)).max() > 0.1


@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("window", [1, 2, 5, 7, 40])
def test_a_window_equals_its_mask(window, scale):
    given = example(n_q=N_K)
    expected = attention(*given, sliding_window_mask(N_K, window=window), scale=scale)
    assert np.abs(window_attention(*given, window=window, scale=scale) - expected).max() < 1e-14


def test_tied_attention_is_symmetric_in_its_scores_and_takes_u_for_all_roles():
    x = example()[0]
    u = np.random.default_rng(1).normal(size=(D_K, 9))
    assert (tied_attention(x) == attention(x, x, x, scale=1)).all()
    projected = x @ u
    mask = causal_mask(N_Q)
    assert (tied_attention(x, u, mask) == attention(projected, projected, projected, mask, scale=1)).all()
    assert (tied_attention(x, u, scale=None) == attention(projected, projected, projected)).all()


def test_an_output_of_tied_attention_stays_in_the_convex_hull():
    x = np.random.default_rng(0).normal(size=(N_Q, 2))
    hull = {tuple(x[i]) for i in convex_hull(x)}
    both = np.concatenate([x, tied_attention(x)])
    assert {tuple(both[i]) for i in convex_hull(both)} == hull


def test_exp_gives_the_softmax_and_it_alone_ignores_a_shift():
    scores = np.random.default_rng(0).normal(size=(3, N_K))
    assert np.abs(positive_weights(scores, np.exp) - softmax(scores)).max() < 1e-15
    shifts = {"exp": np.exp, "softplus": lambda s: np.logaddexp(0, s), "sigmoid": lambda s: 1 / (1 + np.exp(-s))}
    moved = {n: np.abs(positive_weights(scores, f) - positive_weights(scores + 2, f)).max() for n, f in shifts.items()}
    assert moved["exp"] < 1e-14
    assert min(moved["softplus"], moved["sigmoid"]) > 0.01


@pytest.mark.parametrize(
    ("positive", "reached"),
    [(np.exp, 6.3), (lambda s: np.logaddexp(0, s), 393.1), (lambda s: 1 / (1 + np.exp(-s)), None)],
)
def test_how_large_a_score_must_be_to_lead_64_keys_depends_on_phi(positive, reached):
    """To weigh .9 against 63 scores of 0."""

    def weight(score):
        return positive_weights(np.array([score] + [0.0] * 63), positive)[0]

    if reached is None:
        assert weight(700.0) < 0.04
    else:
        assert weight(reached - 0.1) < 0.9 < weight(reached + 0.1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype(dtype):
    given = example(n_q=N_K, dtype=dtype)
    exact = [array.astype(float) for array in given]
    forms = {
        "linear": linear_attention,
        "causal": lambda *g: linear_attention(*g, causal=True),
        "window": lambda *g: window_attention(*g, window=3),
        "tied": lambda *g: tied_attention(g[0]),
        "positive": lambda *g: positive_weights(g[0], np.exp),
    }
    for name, form in forms.items():
        out, expected = form(*given), form(*exact)
        assert out.dtype == dtype, name
        assert np.abs(out - expected).max() <= 8 * np.finfo(dtype).eps * max(1, np.abs(expected).max()), name


def test_inputs_are_never_changed():
    given = example(n_q=N_K)
    before = [array.copy() for array in given]
    linear_attention(*given, causal=True)
    window_attention(*given, window=3)
    tied_attention(given[0])
    assert all((a == b).all() for a, b in zip(given, before, strict=True))


Q, K, V = (array[0, 0] for array in example())
NAN = V.copy()
NAN[6, 5] = np.nan
BAD = {
    "widths differ": (
        lambda: linear_attention(Q, K[:, :3], V),
        r"share d_k.*query has shape \(5, 4\), key \(7, 3\)",
    ),
    "too few values": (lambda: linear_attention(Q, K, V[:6]), r"value \(6, 6\)"),
    "no keys": (lambda: linear_attention(Q, K[:0], V[:0]), r"key is an empty sequence.*\(0, 4\)"),
    "one axis": (lambda: linear_attention(Q[0], K, V), r"query needs two axes or more, got shape \(4,\)"),
    "NaN in a value": (lambda: linear_attention(Q, K, NAN), r"value\[6, 5\] is nan"),
    "a negative feature": (
        lambda: linear_attention(Q, K, V, feature=np.tanh),
        r"feature\(query\)\[.*feature must give finite",
    ),
    "no feature": (lambda: linear_attention(Q, K, V, feature=np.zeros_like), r"query\[0\] gives every key"),
    "a feature of another shape": (
        lambda: linear_attention(Q, K, V, feature=lambda x: x[:1]),
        r"keep the shape \(5, 4\)",
    ),
    "sums beyond the range": (lambda: linear_attention(Q, 1e200 * abs(K), 1e200 * V), r"sum\[0, 0\] leaves its range"),
    "causal sums beyond the range": (
        lambda: linear_attention(K, 1e200 * abs(K), 1e200 * V, causal=True),
        r"sum\[0, 0\] leaves its range",
    ),
    "no window": (lambda: window_attention(K, K, V, window=0), "window must be 1 or more, got 0"),
    "a window across": (
        lambda: window_attention(Q, K, V, window=2),
        r"as many queries as keys: query has shape \(5, 4\), key \(7, 4\)",
    ),
    "scale ∞": (lambda: window_attention(K, K, V, window=2, scale=np.inf), "scale must be finite, got inf"),
    "NaN in a feature": (lambda: elu_plus_one(np.array([np.nan])), r"x\[0\] is nan"),
    "u of another width": (lambda: tied_attention(Q, V), r"x of shape \(5, 4\) does not fit u of shape \(7, 6\)"),
    "NaN in u": (lambda: tied_attention(Q, np.full((4, 2), np.nan)), r"u\[0, 0\] is nan"),
    "φ below 0": (lambda: positive_weights(np.array([1.0, -1.0]), lambda s: s), r"positive\(scores\)\[1\] is -1.0"),
    "φ of ∞": (lambda: positive_weights(np.array([1.0, 1000.0]), np.exp), r"positive\(scores\)\[1\] is inf"),
    "φ of 0": (
        lambda: positive_weights(np.zeros((2, 3)), lambda s: s),
        r"scores\[0\] is a row in which positive gives 0",
    ),
    "scores of NaN": (lambda: positive_weights(np.array([np.nan]), np.exp), r"scores\[0\] is nan"),
    "no scores": (lambda: positive_weights(np.zeros((2, 0)), np.exp), r"got shape \(2, 0\)"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_window_computes_the_same_weights_as_attention_weights():
    query, key, _ = example(n_q=N_K)
    identity = np.broadcast_to(np.eye(N_K), (BATCH, 3, N_K, N_K))
    masked = attention_weights(query, key, sliding_window_mask(N_K, window=3))
    assert np.abs(window_attention(query, key, identity, window=3) - masked).max() < 1e-15
