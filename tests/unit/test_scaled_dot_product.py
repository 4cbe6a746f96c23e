"""attnlib.attention against hand values, plain loops, torch in float64, and its own promises."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnlib import attention, attention_scores, attention_weights, causal_mask, entropy, softmax
from attnlib.scaled_dot_product import single_query_attention, softmax_jacobian

# Distinct everywhere, so that no transpose goes unnoticed.
BATCH, HEADS, N_Q, N_K, D_K, D_V = 2, 3, 5, 7, 4, 6


def example(seed=0, scale=1.0, dtype=float):
    rng = np.random.default_rng(seed)
    shapes = [(BATCH, HEADS, N_Q, D_K), (BATCH, HEADS, N_K, D_K), (BATCH, HEADS, N_K, D_V)]
    return [(scale * rng.normal(size=shape)).astype(dtype) for shape in shapes]


def random_mask(seed=0, shape=(BATCH, HEADS, N_Q, N_K)):
    mask = np.random.default_rng(seed).random(shape) < 0.5
    mask[..., 0] = True  # no query is left without a key
    return mask


def torch_attention(query, key, value, mask=None, scale=None):
    tensors = [torch.from_numpy(a) for a in (query, key, value)]
    mask = None if mask is None else torch.from_numpy(mask)
    return torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=mask, scale=scale).numpy()


def assert_close(actual, expected, scores=0.0):
    bound = 1e-12 * max(1, np.abs(scores).max(), np.abs(expected).max())
    assert np.abs(actual - expected).max() <= bound


def looped(query, key, value, mask=None, scale=None):
    """One query at a time, in plain Python floats."""
    out = np.zeros((*query.shape[:-1], value.shape[-1]))
    for index in np.ndindex(query.shape[:-1]):
        lead = index[:-1]
        scores = []
        for j in range(key.shape[-2]):
            dot = math.fsum(query[index][c] * key[(*lead, j)][c] for c in range(query.shape[-1]))
            allowed = mask is None or np.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))[(*index, j)]
            scores.append(dot * (scale or 1 / math.sqrt(query.shape[-1])) if allowed else -math.inf)
        raised = [math.exp(s - max(scores)) for s in scores]
        for j, weight in enumerate(raised):
            out[index] += weight / math.fsum(raised) * value[(*lead, j)]
    return out


def test_the_nearest_key_does_not_win_against_a_long_one():
    weights = attention_weights(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [3.0, 3.0]]), scale=1)
    assert_close(weights, np.array([[1, math.e**2]]) / (1 + math.e**2))


def test_the_default_scale_is_one_over_the_root_of_d_k():
    query, key, _ = example()
    assert_close(attention_scores(query, key), query @ key.swapaxes(-1, -2) / np.sqrt(D_K))


@pytest.mark.parametrize("scale", [None, 1.0, 0.37])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_a_plain_loop(scale, masked):
    query, key, value = example()
    mask = random_mask() if masked else None
    assert_close(attention(query, key, value, mask, scale=scale), looped(query, key, value, mask, scale))


@pytest.mark.parametrize("size", [1.0, 100.0])
@pytest.mark.parametrize("mask", [None, random_mask(), causal_mask(N_Q, N_K), random_mask(1, (HEADS, N_Q, N_K))])
def test_attention_equals_torch_in_float64(mask, size):
    query, key, value = example(scale=size)
    whole = None if mask is None else np.broadcast_to(mask, (BATCH, HEADS, N_Q, N_K)).copy()
    expected = torch_attention(query, key, value, whole)
    assert_close(attention(query, key, value, mask), expected, query @ key.swapaxes(-1, -2))


@pytest.mark.parametrize("scale", [None, 0.3])
def test_one_query_at_a_time_gives_the_rows_of_all_at_once(scale):
    rng = np.random.default_rng(3)
    query, key, value = rng.normal(size=(5, 4)), rng.normal(size=(7, 4)), rng.normal(size=(7, 3))
    mask = causal_mask(5, 7, offset=1)
    for i, row in enumerate(query):
        everything = single_query_attention(row, key, value, scale=scale)
        assert np.abs(everything - attention(query, key, value, scale=scale)[i]).max() < 1e-15
        past = single_query_attention(row, key, value, mask[i], scale=scale)
        assert np.abs(past - attention(query, key, value, mask, scale=scale)[i]).max() < 1e-15
    assert (
        single_query_attention(query[0].astype(np.float16), key.astype(np.float16), value.astype(np.float16)).dtype
        == np.float16
    )


def test_a_bias_is_added_after_scaling_and_minus_infinity_blocks():
    query, key, value = example()
    bias = np.random.default_rng(3).normal(size=(HEADS, N_Q, N_K))
    bias[..., -1] = -np.inf
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(torch.from_numpy(a) for a in (query, key, value)), attn_mask=torch.from_numpy(bias)
    )
    assert_close(attention(query, key, value, bias=bias), expected.numpy())
    assert (attention_weights(query, key, bias=bias)[..., -1] == 0).all()


def test_a_softcap_bounds_the_scores_and_keeps_their_order():
    query, key, _ = example(scale=30)
    scores = attention_scores(query, key)
    assert_close(attention_weights(query, key, softcap=5.0), softmax(5 * np.tanh(scores / 5)), scores)


def test_masked_cells_weigh_exactly_zero_and_rows_sum_to_one():
    query, key, _ = example()
    mask = random_mask()
    weights = attention_weights(query, key, mask)
    assert (weights[~mask] == 0).all()
    assert (weights[mask] > 0).all()
    assert np.allclose(weights.sum(axis=-1), 1)


def test_the_softmax_runs_over_any_axis():
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    for axis in range(-3, 3):
        assert_close(softmax(x, axis), torch.softmax(torch.from_numpy(x), axis).numpy())


finite = st.floats(-1e4, 1e4)


@given(arrays(float, (3, 7), elements=finite), st.floats(-1e4, 1e4))
def test_a_constant_added_to_a_row_changes_no_weight(x, constant):
    assert np.allclose(softmax(x), softmax(x + constant), atol=1e-9)


@given(arrays(float, (3, 7), elements=finite), st.floats(0.05, 50))
def test_temperature_divides_the_scores(x, temperature):
    assert np.allclose(softmax(x, temperature=temperature), softmax(x / temperature), rtol=1e-9)


@given(arrays(float, (5, 3), elements=st.floats(-50, 50)), st.permutations(range(5)))
def test_the_order_of_keys_does_not_matter(x, order):
    order = list(order)
    assert np.allclose(attention(x, x, x), attention(x, x[order], x[order]), atol=1e-9)


@given(arrays(float, (5, 3), elements=st.floats(-50, 50)))
def test_outputs_stay_between_the_values(x):
    out = attention(x, x, x)
    assert (out <= x.max(axis=0) + 1e-9).all()
    assert (out >= x.min(axis=0) - 1e-9).all()


def test_huge_scores_do_not_overflow():
    assert softmax(np.array([1000.0, 1001.0])).round(4).tolist() == [0.2689, 0.7311]
    assert softmax(np.array([-1e308, 1e308])).tolist() == [0.0, 1.0]
    assert softmax(np.array([-np.inf, 3.0])).tolist() == [0.0, 1.0]


def test_one_key_gets_the_whole_weight():
    assert attention_weights(np.ones((1, 3)), np.ones((1, 3))).tolist() == [[1.0]]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype(dtype):
    query, key, value = example(dtype=dtype)
    out = attention(query, key, value)
    assert out.dtype == dtype
    exact = attention(*(a.astype(float) for a in (query, key, value)))
    assert np.abs(out - exact).max() <= 4 * np.finfo(dtype).eps * np.abs(value).max()


def test_float16_is_summed_in_float32():
    query = np.full((1, 64), 40.0, dtype=np.float16)  # q·k = 102,400 is beyond float16
    weights = attention_weights(query, np.concatenate([query, query / 2]), scale=1)
    assert weights.dtype == np.float16
    assert weights.tolist() == [[1.0, 0.0]]


def test_integers_become_float64():
    x = np.arange(6).reshape(3, 2)
    assert attention(x, x, x).dtype == np.float64
    assert_close(attention(x, x, x), attention(x.astype(float), x.astype(float), x.astype(float)))


def test_inputs_are_never_changed():
    arguments = [*example(), random_mask()]
    before = [a.copy() for a in arguments]
    attention(*arguments, bias=np.zeros((N_Q, N_K)), softcap=3.0)
    assert all((a == b).all() for a, b in zip(arguments, before, strict=True))


def test_a_query_without_keys_gives_zeros_when_asked_to():
    query, key, value = example()
    mask = random_mask()
    mask[1, 2, 3] = False
    weights = attention_weights(query, key, mask, zero_blocked=True)
    assert (weights[1, 2, 3] == 0).all()
    mask[1, 2, 3, 0] = True
    rest = attention_weights(query, key, mask)
    rest[1, 2, 3] = 0
    assert (weights == rest).all()
    mask[1, 2, 3] = False
    assert (attention(query, key, value, mask, zero_blocked=True)[1, 2, 3] == 0).all()


def test_the_jacobian_is_the_slope_that_torch_finds():
    scores = torch.from_numpy(np.random.default_rng(0).normal(size=7)).requires_grad_()
    expected = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), scores)
    assert np.abs(softmax_jacobian(softmax(scores.detach().numpy())) - expected.numpy()).max() < 1e-14
    batch = softmax(np.random.default_rng(1).normal(size=(2, 3, 7)))
    jacobian = softmax_jacobian(batch)
    assert jacobian.shape == (2, 3, 7, 7)
    assert_close(jacobian[1, 2], softmax_jacobian(batch[1, 2]))
    assert np.abs(jacobian.sum(axis=-1)).max() < 1e-14  # a constant added to all scores changes nothing


def test_entropy_runs_from_one_key_to_all_alike():
    assert entropy(np.eye(5)).tolist() == [0.0] * 5
    assert entropy(np.full((2, 8), 1 / 8)) == pytest.approx(math.log(8))
    weights = softmax(np.random.default_rng(0).normal(size=(3, 7)))
    expected = [-math.fsum(a * math.log(a) for a in row) for row in weights]
    assert np.abs(entropy(weights) - expected).max() < 1e-14
    assert entropy(softmax(np.ones((1, 7), np.float16))) == pytest.approx(math.log(7), abs=1e-2)


def changed(array, index, value):
    array = array.copy()
    array[index] = value
    return array


QUERY, KEY, VALUE = (a[0, 0] for a in example())
MASK = np.ones((N_Q, N_K), bool)
BAD = {
    "widths differ": (
        lambda: attention_weights(QUERY, KEY[:, :3]),
        r"share d_k.*query has shape \(5, 4\), key \(7, 3\)",
    ),
    "batches differ": (
        lambda: attention_weights(np.stack([QUERY] * 2), np.stack([KEY] * 3)),
        r"(batch axes do not broadcast: query \(2, 5, 4\), key \(3, 7, 4\))",
    ),
    "no rows": (lambda: attention_weights(QUERY[:0], KEY), r"query is an empty.*\(0, 4\)"),
    "no keys": (lambda: attention_weights(QUERY, KEY[:0]), r"key is an empty.*\(0, 4\)"),
    "one axis": (lambda: attention_weights(QUERY[0], KEY), r"two axes.*\(4,\)"),
    "too few values": (lambda: attention(QUERY, KEY, VALUE[:6]), r"\(7, 4\), value \(6, 6\)"),
    "NaN in a query": (lambda: attention_weights(changed(QUERY, (3, 1), np.nan), KEY), r"query\[3, 1\] is nan"),
    "∞ in a key": (lambda: attention_weights(QUERY, changed(KEY, (6, 0), np.inf)), r"key\[6, 0\] is inf"),
    "−∞ in a value": (lambda: attention(QUERY, KEY, changed(VALUE, (0, 5), -np.inf)), r"value\[0, 5\] is -inf"),
    "scores overflow": (
        lambda: attention_weights(1e200 * QUERY, 1e200 * KEY),
        r"score\[0, 0\] leaves its range: query and key are too large for float64",
    ),
    "many queries for one": (lambda: single_query_attention(QUERY, KEY, VALUE), r"query of shape \(5, 4\).*one query"),
    "one query, batches of values": (
        lambda: single_query_attention(QUERY[0], KEY, np.stack([VALUE, VALUE])),
        r"value of shape \(2, 7, 6\).*\(n_k, d_v\)",
    ),
    "one query, a mask of rows": (
        lambda: single_query_attention(QUERY[0], KEY, VALUE, MASK),
        r"mask of shape \(5, 7\)",
    ),
    "one query, values missing": (lambda: single_query_attention(QUERY[0], KEY, VALUE[1:]), r"value \(6, 6\)"),
    "one query, mask too short": (
        lambda: single_query_attention(QUERY[0], KEY, VALUE, MASK[0, :6]),
        r"mask of shape \(1, 6\)",
    ),
    "one query, all masked": (
        lambda: single_query_attention(QUERY[0], KEY, VALUE, np.zeros(N_K, dtype=bool)),
        r"query\[0\] may attend to no key",
    ),
    "a masked row": (
        lambda: attention_weights(QUERY, KEY, changed(MASK, 2, False)),
        r"query\[2\] may attend to no key",
    ),
    "a blocked row": (
        lambda: attention_weights(QUERY, KEY, bias=changed(np.zeros((N_Q, N_K)), 4, -np.inf)),
        r"query\[4\] may attend to no key",
    ),
    "weights below 0": (lambda: entropy(np.array([[1.0, 0.0], [1.5, -0.5]])), r"weights\[1, 1\] is -0.5: a weight is"),
    "weights of NaN": (lambda: entropy(np.array([np.nan, 1.0])), r"weights\[0\] is nan"),
    "weights that are scores": (
        lambda: softmax_jacobian(np.array([[0.5, 0.5], [1.0, 2.0]])),
        r"weights\[1\] must sum to 1, got 3.0",
    ),
    "no weights": (lambda: entropy(np.zeros((2, 0))), r"one entry for each key, got shape \(2, 0\)"),
    "mask of numbers": (lambda: attention_weights(QUERY, KEY, MASK.astype(int)), "mask must be boolean.*int64"),
    "mask transposed": (
        lambda: attention_weights(QUERY, KEY, MASK.T),
        r"mask of shape \(7, 5\) does not fit scores of shape \(…, 5, 7\)",
    ),
    "mask of one row": (lambda: attention_weights(QUERY, KEY, MASK[:1]), r"mask of shape \(1, 7\)"),
    "mask of other batches": (
        lambda: attention_weights(np.stack([QUERY] * 2), np.stack([KEY] * 2), np.stack([MASK] * 3)),
        r"do not broadcast: query \(2, 5, 4\), key \(2, 7, 4\), mask \(3, 5, 7\)",
    ),
    "NaN in a bias": (
        lambda: attention_weights(QUERY, KEY, bias=changed(np.zeros((N_Q, N_K)), (1, 2), np.nan)),
        r"bias\[1, 2\] is nan",
    ),
    "+∞ in a bias": (
        lambda: attention_weights(QUERY, KEY, bias=changed(np.zeros((N_Q, N_K)), (1, 2), np.inf)),
        r"bias\[1, 2\] is inf",
    ),
    "complex numbers": (lambda: attention_weights(QUERY + 1j, KEY), "query must hold real numbers.*complex128"),
    "words": (lambda: attention_weights(np.array([["a"]]), KEY), "query must hold real numbers"),
    "booleans": (lambda: softmax(MASK), "x must hold real numbers, got dtype bool"),
    "scale NaN": (lambda: attention_weights(QUERY, KEY, scale=np.nan), "scale must be finite, got nan"),
    "softcap 0": (lambda: attention_weights(QUERY, KEY, softcap=0.0), "softcap must be positive and finite, got 0"),
    "temperature 0": (lambda: softmax(QUERY, temperature=0.0), "temperature must be positive and finite, got 0"),
    "softmax of NaN": (lambda: softmax(np.array([0.0, np.nan])), r"x\[1\] is nan"),
    "softmax of +∞": (lambda: softmax(np.array([[0.0], [np.inf]])), r"x\[1, 0\] is inf"),
    "softmax of −∞": (lambda: softmax(np.full((2, 3), -np.inf)), r"x\[0, 0\] is −∞ throughout"),
    "softmax of nothing": (lambda: softmax(np.zeros((2, 0))), r"empty along axis -1: it has shape \(2, 0\)"),
    "softmax of a scalar": (lambda: softmax(np.array(1.0)), r"x of shape \(\) has no axis -1"),
    "no such axis": (lambda: softmax(QUERY, 2), r"x of shape \(5, 4\) has no axis 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
