"""attnlib.masks against plain loops, and against both of torch's conventions."""

import sys

import numpy as np
import pytest
import torch

from attnlib import attention, attention_weights, causal_mask, padding_mask, sliding_window_mask
from attnlib.masks import from_torch, mask_to_bias, to_torch

N_Q, N_K, D, HEADS = 5, 7, 6, 2
APIS = ("scaled_dot_product_attention", "MultiheadAttention")


def looped(may_attend, n_q=N_Q, n_k=N_K):
    return np.array([[may_attend(i, j) for j in range(n_k)] for i in range(n_q)])


@pytest.mark.parametrize("offset", [0, 1, 4, 9])
def test_a_causal_query_reads_what_precedes_it_and_itself(offset):
    assert (causal_mask(N_Q, N_K, offset=offset) == looped(lambda i, j: j <= i + offset)).all()
    assert (causal_mask(N_Q) == looped(lambda i, j: j <= i, N_Q, N_Q)).all()


@pytest.mark.parametrize("offset", [0, 2])
@pytest.mark.parametrize("window", [1, 3, 20])
def test_a_window_ends_at_the_query(window, offset):
    expected = looped(lambda i, j: i + offset - window < j <= i + offset)
    assert (sliding_window_mask(N_Q, N_K, window=window, offset=offset) == expected).all()


def test_each_sequence_of_a_batch_has_its_own_offset():
    offsets = np.array([[0, 3], [1, 5]])
    for make in (causal_mask, lambda *sizes, offset: sliding_window_mask(*sizes, window=2, offset=offset)):
        batch = make(N_Q, N_K, offset=offsets)
        assert batch.shape == (2, 2, N_Q, N_K)
        for index, offset in np.ndenumerate(offsets):
            assert (batch[index] == make(N_Q, N_K, offset=int(offset))).all()


def test_a_padded_key_is_read_by_nobody():
    lengths = np.array([3, 7, 1])
    mask = padding_mask(lengths, N_Q, N_K)
    assert mask.shape == (3, N_Q, N_K)
    for own, length in zip(mask, lengths, strict=True):
        assert (own == looped(lambda i, j, length=length: j < length)).all()
    rng = np.random.default_rng(0)
    query, key, value = (rng.normal(size=(3, n, D)) for n in (N_Q, N_K, N_K))
    out = attention(query, key, value, mask)
    for b, length in enumerate(lengths):
        assert np.allclose(out[b], attention(query[b], key[b, :length], value[b, :length]), atol=1e-14)


def test_masks_combine_and_a_bias_does_the_same():
    mask = padding_mask(np.array([4, 6]), N_K) & causal_mask(N_K)
    assert (mask == np.array([looped(lambda i, j, n=n: j < n and j <= i, N_K, N_K) for n in (4, 6)])).all()
    query, key = np.random.default_rng(1).normal(size=(2, 2, N_K, D))
    blocked = attention_weights(query, key, bias=mask_to_bias(mask))
    assert (blocked == attention_weights(query, key, mask)).all()
    assert mask_to_bias(mask, np.float32).dtype == np.float32


@pytest.fixture
def example():
    rng = np.random.default_rng(2)
    mask = rng.random((N_Q, N_K)) < 0.5
    mask[:, 0] = True
    return (*(rng.normal(size=(n, D)) for n in (N_Q, N_K, N_K)), mask)


def test_torchs_function_reads_what_to_torch_gives(example):
    query, key, value, mask = example
    translated = to_torch(mask, "scaled_dot_product_attention")
    tensors = [torch.from_numpy(array) for array in (query, key, value)]
    out = torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=translated)
    assert np.abs(attention(query, key, value, mask) - out.numpy()).max() < 1e-12


def test_torchs_module_reads_what_to_torch_gives(example):
    query, key, value, mask = example
    module = torch.nn.MultiheadAttention(D, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():  # every projection is the identity: what is left is attention
        module.in_proj_weight.copy_(torch.eye(D, dtype=torch.float64).repeat(3, 1))
        module.out_proj.weight.copy_(torch.eye(D, dtype=torch.float64))
        translated = to_torch(mask, "MultiheadAttention")
        out, weights = module(*(torch.from_numpy(array) for array in (query, key, value)), attn_mask=translated)
    assert np.abs(attention(query, key, value, mask) - out.numpy()).max() < 1e-12
    assert np.abs(attention_weights(query, key, mask) - weights.numpy()).max() < 1e-12


@pytest.mark.parametrize("api", APIS)
def test_translating_to_and_from_torch_changes_nothing(api, example):
    mask = example[-1]
    assert (from_torch(to_torch(mask, api), api) == mask).all()
    assert (from_torch(mask_to_bias(mask, np.float32), api) == mask).all()


def test_without_torch_the_array_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        ImportError, match="to_torch gives a tensor and needs torch; as_torch_reads gives the same as an array"
    ):
        to_torch(np.ones(2, bool), APIS[0])


def test_a_tensor_has_memory_of_its_own_and_comes_back(unchecked):
    mask = np.array([True, False])
    theirs = to_torch(mask, APIS[0])
    theirs[0] = False
    assert mask[0]
    assert (from_torch(torch.tensor([0.0, -np.inf], requires_grad=True), APIS[0]) == mask).all()


BAD = {
    "no queries": (lambda: causal_mask(0), "n_q must be 1 or more, got 0"),
    "no keys": (lambda: sliding_window_mask(2, 0, window=1), "n_k must be 1 or more, got 0"),
    "negative offset": (lambda: causal_mask(2, 3, offset=-1), "offset is -1: it must be 0 or more"),
    "one negative offset": (
        lambda: causal_mask(2, 3, offset=np.array([0, -1])),
        r"offset\[1\] is -1: it must be 0 or more",
    ),
    "no window": (lambda: sliding_window_mask(2, window=0), "window must be 1 or more, got 0"),
    "empty sequence": (
        lambda: padding_mask(np.array([2, 0]), 3),
        r"lengths\[1\] is 0: it must lie between 1 and n_k = 3",
    ),
    "too long": (lambda: padding_mask(np.array([[4]]), 3), r"lengths\[0, 0\] is 4"),
    "half a token": (lambda: padding_mask(np.array([1.5]), 3), "lengths must hold integers, got dtype float64"),
    "padding of nothing": (lambda: padding_mask(np.array([1]), 0), "n_q must be 1 or more, got 0"),
    "numbers": (lambda: to_torch(np.ones(2), APIS[0]), "mask must be boolean .*, got dtype float64"),
    "integers": (lambda: from_torch(np.ones(2, int), APIS[0]), "mask must be boolean .*, got dtype int64"),
    "bias of integers": (lambda: mask_to_bias(np.ones(2, int)), "mask must be boolean"),
    "a bias": (
        lambda: from_torch(np.array([[0.0, -1e9]]), APIS[0]),
        r"mask\[0, 1\] is -1000000000.0, neither 0 nor −∞",
    ),
    "unknown API": (lambda: to_torch(np.ones(2, bool), "sdpa"), "api must be one of scaled_dot.*got 'sdpa'"),
    "unknown API, floats": (lambda: from_torch(np.zeros(2), "sdpa"), "api must be one of"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
