"""Attention and multi-head attention against torch in float64, over sizes, masks and magnitudes drawn by hypothesis."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import (
    KeyValueCache,
    attention,
    attention_scores,
    attention_weights,
    causal_mask,
    linear_attention,
    multi_head_attention,
    project,
    rotary_embedding,
    split_heads,
    streaming_attention,
    window_attention,
)
from attnlib.masks import mask_to_bias, to_torch
from attnlib.scaled_dot_product import single_query_attention
from attnlib.variants import tied_attention

MASKS = st.sampled_from(["none", "boolean", "causal", "bias", "blocking bias"])
sizes = st.lists(st.integers(1, 11), min_size=4, max_size=4, unique=True)  # n_q, n_k, d_k, d_v: no transpose can hide
batches = st.lists(st.integers(1, 3), max_size=2).map(tuple)
many = settings(max_examples=500)


def close(actual, expected, scores):
    return np.abs(actual - expected).max() <= 1e-12 * max(1, np.abs(scores).max(), np.abs(expected).max())


def drawn_mask(kind, rng, shape):
    """A mask or a bias of ours, and what torch's function takes for it."""
    if kind == "none":
        return {}, None
    if kind == "causal":
        mask = np.broadcast_to(causal_mask(*shape[-2:]), shape)
    else:
        mask = rng.random(shape) < 0.6
        mask[..., 0] = True  # no query is left without a key
    if kind in {"boolean", "causal"}:
        return {"mask": mask}, to_torch(mask, "scaled_dot_product_attention")
    bias = rng.normal(size=shape) + (mask_to_bias(mask) if kind == "blocking bias" else 0)
    return {"bias": bias}, torch.from_numpy(bias)


@many
@given(sizes, batches, MASKS, st.sampled_from([1e-3, 1.0, 30.0]), st.integers(0, 10**6))
def test_attention_equals_torchs_function(size, batch, kind, magnitude, seed):
    n_q, n_k, d_k, d_v = size
    rng = np.random.default_rng(seed)
    shapes = [(*batch, n_q, d_k), (*batch, n_k, d_k), (*batch, n_k, d_v)]
    query, key, value = (magnitude * rng.normal(size=shape) for shape in shapes)
    ours, theirs = drawn_mask(kind, rng, (*batch, n_q, n_k))
    tensors = [torch.from_numpy(array) for array in (query, key, value)]
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=theirs).numpy()
    scores = attention_scores(query, key)
    assert close(attention(query, key, value, **ours), expected, scores)
    if kind in {"none", "causal"}:
        assert close(streaming_attention(query, key, value, causal=kind == "causal"), expected, scores)


@many
@given(sizes, st.integers(1, 4), st.integers(1, 3), st.booleans(), st.booleans(), st.integers(0, 10**6))
def test_multi_head_attention_equals_torchs_module_with_its_weights(size, heads, batch, masked, biased, seed):
    n_q, n_k, d_head, d_z = size
    width = heads * d_head
    rng = np.random.default_rng(seed)
    module = torch.nn.MultiheadAttention(
        width, heads, bias=biased, batch_first=True, dtype=torch.float64, kdim=d_z, vdim=d_z
    )
    w_q, w_k, w_v, w_o = (
        rng.normal(size=shape) for shape in [(width, width), (d_z, width), (d_z, width), (width, width)]
    )
    biases = {name: rng.normal(size=width) for name in ("b_q", "b_k", "b_v", "b_o")} if biased else {}
    x, z = rng.normal(size=(batch, n_q, width)), rng.normal(size=(batch, n_k, d_z))
    mask = drawn_mask("boolean", rng, (n_q, n_k))[0]["mask"] if masked else None
    with torch.no_grad():
        if width == d_z:  # torch then packs the three into one
            module.in_proj_weight.copy_(torch.from_numpy(np.concatenate([w_q.T, w_k.T, w_v.T])))
        else:
            for name, w in (("q", w_q), ("k", w_k), ("v", w_v)):
                getattr(module, f"{name}_proj_weight").copy_(torch.from_numpy(w.T))
        module.out_proj.weight.copy_(torch.from_numpy(w_o.T))
        if biased:
            module.in_proj_bias.copy_(
                torch.from_numpy(np.concatenate([biases[name] for name in ("b_q", "b_k", "b_v")]))
            )
            module.out_proj.bias.copy_(torch.from_numpy(biases["b_o"]))
        theirs = to_torch(mask, "MultiheadAttention") if masked else None
        expected, _ = module(*(torch.from_numpy(array) for array in (x, z, z)), attn_mask=theirs)
    out = multi_head_attention(x, w_q, w_k, w_v, w_o, mask, num_heads=heads, context=z, **biases)
    query, key = (
        split_heads(project(*given), heads) for given in [(x, w_q, biases.get("b_q")), (z, w_k, biases.get("b_k"))]
    )
    assert close(out, expected.numpy(), attention_scores(query, key))


def test_the_slope_of_the_output_in_w_q_is_the_books_formula():
    """∂L/∂W_Q = Xᵀ [A ∘ (G Vᵀ − rowsum(A ∘ G Vᵀ))] K / √d_k, with G = ∂L/∂Y."""
    rng = np.random.default_rng(0)
    x, z, w_q, w_k, value = (rng.normal(size=s) for s in [(5, 6), (7, 6), (6, 4), (6, 4), (7, 3)])
    g = rng.normal(size=(5, 3))
    leaf = torch.from_numpy(w_q).requires_grad_()
    key = torch.from_numpy(z @ w_k)
    out = torch.softmax(torch.from_numpy(x) @ leaf @ key.T / 4**0.5, -1) @ torch.from_numpy(value)
    (out * torch.from_numpy(g)).sum().backward()
    weights = attention(x @ w_q, z @ w_k, np.eye(7))
    reaches = g @ value.T
    inner = weights * (reaches - (weights * reaches).sum(axis=-1, keepdims=True))
    assert np.abs(x.T @ inner @ (z @ w_k) / 4**0.5 - leaf.grad.numpy()).max() < 1e-10


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1.0, 100.0, 1e4])  # scores to 1e8, and so small that they vanish
@pytest.mark.parametrize(("n_q", "n_k", "d"), [(1, 1, 1), (1, 5, 1), (5, 1, 3), (3, 4, 1), (1, 1, 7), (6, 4, 5)])
def test_extremes_give_the_same_in_every_form_without_a_warning(n_q, n_k, d, size):
    """Warnings are errors here."""
    rng = np.random.default_rng(0)
    query, key, value = size * rng.normal(size=(n_q, d)), rng.normal(size=(n_k, d)), rng.normal(size=(n_k, 2))
    tensors = [torch.from_numpy(array)[None, None] for array in (query, size * key, value)]
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors)[0, 0].numpy()
    scores = attention_scores(query, size * key)
    assert close(attention(query, size * key, value), expected, scores)
    assert close(streaming_attention(query, size * key, value), expected, scores)
    rows = [single_query_attention(row, size * key, value) for row in query]
    assert close(np.stack(rows), expected, scores)


def test_differences_of_1e_300_between_scores_change_nothing():
    near = np.array([[1e-300], [2e-300]])
    assert np.abs(attention(near, near, np.array([[0.0], [1.0]])) - 0.5).max() < 1e-15
    scores = np.array([[0.0], [1e-300]])
    assert attention(np.ones((1, 1)), scores, np.array([[0.0], [1.0]])).item() == 0.5


def test_scores_of_plus_and_minus_1e4_give_weights_of_one_and_zero():
    weights = attention_weights(np.array([[1.0]]), np.array([[1e4], [-1e4], [9e3]]))
    assert weights.tolist() == [[1, 0, 0]]


@pytest.mark.parametrize("function", [attention, streaming_attention, linear_attention])
def test_a_batch_of_none_gives_none(function):
    assert function(np.zeros((0, 3, 2)), np.zeros((0, 4, 2)), np.zeros((0, 4, 5))).shape == (0, 3, 5)


def test_a_batch_of_none_passes_every_other_form():
    x = np.zeros((0, 3, 4))
    assert window_attention(x, x, x, window=2).shape == (0, 3, 4)
    assert tied_attention(x).shape == (0, 3, 4)
    assert multi_head_attention(x, *[np.eye(4)] * 4, num_heads=2).shape == (0, 3, 4)
    assert rotary_embedding(x, layout="half").shape == (0, 3, 4)
    assert KeyValueCache((0,), 4, 4).attend(x, x, x).shape == (0, 3, 4)


@pytest.mark.parametrize("num_heads", [0, -2])
def test_no_heads_are_refused(num_heads):
    with pytest.raises(ValueError, match=f"num_heads = {num_heads}"):
        split_heads(np.zeros((3, 4)), num_heads)
    with pytest.raises(ValueError, match=f"num_heads = {num_heads}"):
        multi_head_attention(np.zeros((3, 4)), *[np.eye(4)] * 4, num_heads=num_heads)
