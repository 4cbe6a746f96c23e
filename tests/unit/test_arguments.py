"""attnlib.arguments: what every form of attention takes means the same in each, and a fault has one sentence."""

import numpy as np
import pytest

from attnlib import attention, attention_weights, causal_mask, streaming_attention

N_Q, N_K = 5, 7


def example(dtype=float):
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape).astype(dtype) for shape in [(2, 3, N_Q, 4), (2, 3, N_K, 4), (2, 3, N_K, 6)]]


@pytest.mark.parametrize("of_inputs", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("of_bias", [np.float16, np.float32, np.float64, np.int64])
def test_a_bias_counts_for_the_dtype_of_the_result_in_every_form(of_inputs, of_bias):
    query, key, value = example(dtype=of_inputs)
    bias = np.zeros((N_Q, N_K), of_bias)
    expected = np.result_type(of_inputs, np.float64 if of_bias == np.int64 else of_bias)
    assert attention_weights(query, key, bias=bias).dtype == expected
    assert attention(query, key, value, bias=bias).dtype == expected
    assert streaming_attention(query, key, value, bias=bias).dtype == expected


def test_causal_is_the_causal_mask_in_every_form_and_holds_beside_another():
    query, key, value = example()
    mask = np.random.default_rng(2).random((3, N_Q, N_K)) < 0.5
    mask[..., 0] = True
    for offset in (0, 2, 9):
        below = causal_mask(N_Q, N_K, offset=offset)
        weights = attention_weights(query, key, mask, causal=True, offset=offset)
        assert (weights == attention_weights(query, key, mask & below)).all()
        assert (attention(query, key, value, mask, causal=True, offset=offset) == weights @ value).all()
        out = streaming_attention(query, key, value, mask, causal=True, offset=offset)
        assert np.abs(out - weights @ value).max() < 1e-13


def test_lists_will_do(unchecked):
    x = [[1, 0], [0, 1]]
    assert (attention(x, x, x, [[True, False], [True, True]]) == attention(*[np.eye(2)] * 3, causal=True)).all()


FORMS = {
    "attention": attention,
    "streaming": streaming_attention,
    "weights": lambda query, key, value, **options: attention_weights(query, key, **options),
}


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"key": "abc"}, TypeError, "key must be an array, got 'abc' (str)"),
        ({"mask": np.ones((5, 7))}, ValueError, "mask must be boolean (True = may attend), got dtype float64"),
        (
            {"mask": np.ones((3, 2), bool)},
            ValueError,
            "mask of shape (3, 2) does not fit scores of shape (…, 5, 7): (…, n_q, n_k)",
        ),
        ({"causal": 1}, TypeError, "causal must be True or False, got 1"),
        ({"causal": True, "offset": 1.5}, TypeError, "offset must be an integer, got 1.5"),
        (
            {"offset": 2},
            ValueError,
            "offset moves the diagonal of a causal attention: pass causal=True with offset = 2",
        ),
        ({"scale": "1"}, TypeError, "scale must be a number, got '1' (str)"),
        ({"softcap": -1.0}, ValueError, "softcap must be positive and finite, got -1.0"),
        ({"zero_blocked": None}, TypeError, "zero_blocked must be True or False, got None (NoneType)"),
        ({"mask": np.zeros((5, 7), bool)}, ValueError, "query[0, 0, 0] may attend to no key: its whole row is masked"),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_one_fault_has_one_sentence(form, change, kind, sentence, unchecked):
    with pytest.raises(kind) as raised:
        FORMS[form](**dict(zip(("query", "key", "value"), example(), strict=True)) | change)
    assert str(raised.value) == sentence
