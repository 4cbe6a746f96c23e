"""attnlib.multihead against a loop over heads, torch's module with the same weights, and its own promises."""

import numpy as np
import pytest
import torch

from attnlib import attention, attention_weights, causal_mask, merge_heads, multi_head_attention, split_heads
from attnlib.lab import pool_heads, weight_back
from attnlib.masks import to_torch
from attnlib.multihead import dropout_weights

# Distinct everywhere, so that no transpose and no mixed head goes unnoticed.
BATCH, HEADS, N, N_Z, D, D_Z, D_K, D_V, D_OUT = 2, 3, 5, 7, 6, 8, 4, 10, 11


def example(seed=0, heads=HEADS, kv_heads=HEADS, dtype=float):
    rng = np.random.default_rng(seed)
    shapes = {
        "x": (BATCH, N, D), "w_q": (D, heads * D_K), "w_k": (D_Z, kv_heads * D_K), "w_v": (D_Z, kv_heads * D_V),
        "w_o": (heads * D_V, D_OUT), "context": (BATCH, N_Z, D_Z),
    }  # fmt: skip
    return {name: rng.normal(size=shape).astype(dtype) for name, shape in shapes.items()}


def looped(x, w_q, w_k, w_v, w_o, context, mask=None, scale=None, heads=HEADS, kv_heads=HEADS):
    """One head of one sequence at a time, columns cut by hand."""
    out = np.zeros((len(x), x.shape[1], w_o.shape[1]))
    for b in range(len(x)):
        for a in range(heads):
            g = a * kv_heads // heads
            q, k, v = slice(a * D_K, (a + 1) * D_K), slice(g * D_K, (g + 1) * D_K), slice(g * D_V, (g + 1) * D_V)
            own = None if mask is None else np.broadcast_to(mask, (len(x), N, N_Z))[b]
            head = attention(x[b] @ w_q[:, q], context[b] @ w_k[:, k], context[b] @ w_v[:, v], own, scale=scale)
            out[b] += head @ w_o[a * D_V : (a + 1) * D_V]
    return out


def close(actual, expected):
    return np.abs(actual - expected).max() <= 1e-12 * max(1, np.abs(expected).max())


@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("mask", [None, causal_mask(N, N_Z), causal_mask(N, N_Z, offset=np.array([1, 4]))])
def test_it_equals_a_loop_over_its_heads(mask, scale):
    given = example()
    assert close(
        multi_head_attention(**given, mask=mask, num_heads=HEADS, scale=scale), looped(**given, mask=mask, scale=scale)
    )


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("axes", [(), (6,), (3, 6)], ids=["for all heads", "for each head", "for each text and head"])
def test_scores_are_capped_and_biased_in_each_head(axes, dropout):
    rng = np.random.default_rng(6)
    x, w = rng.normal(size=(5, 12)), rng.normal(size=(4, 12, 12))
    bias = rng.normal(size=(*axes, 5, 5))
    bias[..., 2, 0] = -np.inf
    drawn = {"dropout": dropout, "rng": np.random.default_rng(0)} if dropout else {}
    found = multi_head_attention(x, *w, num_heads=6, bias=bias, softcap=2.0, **drawn)
    query, key, value = (split_heads(x @ one, 6) for one in w[:3])
    weights = attention_weights(query, key, bias=bias, softcap=2.0)
    weights = dropout_weights(weights, dropout, np.random.default_rng(0)) if dropout else weights
    assert found.shape == (*axes[:-1], 5, 12)
    assert np.allclose(found, merge_heads(weights @ value) @ w[3], atol=1e-12)


def test_a_bias_for_other_heads_is_named(unchecked):
    with pytest.raises(ValueError, match=r"do not broadcast: query \(6, .* bias \(4, 5, 5\)"):
        multi_head_attention(np.ones((5, 12)), *np.ones((4, 12, 12)), num_heads=6, bias=np.zeros((4, 5, 5)))


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_queries_share_keys_and_values(kv_heads):
    given = example(heads=6, kv_heads=kv_heads)
    out = multi_head_attention(**given, num_heads=6, num_kv_heads=kv_heads)
    assert close(out, looped(**given, heads=6, kv_heads=kv_heads))


@pytest.mark.parametrize("missing", ["b_q", "b_k", "b_v", "b_o", None])
def test_each_projection_has_a_bias_of_its_own(missing):
    """A bias is a row of W for a column of ones in the input."""
    given, rng = example(), np.random.default_rng(1)
    sizes = {"b_q": HEADS * D_K, "b_k": HEADS * D_K, "b_v": HEADS * D_V, "b_o": D_OUT}
    biases = {name: rng.normal(size=size) for name, size in sizes.items() if name != missing}
    wider = {
        name: np.concatenate([given[name], np.ones((*given[name].shape[:-1], 1))], axis=-1) for name in ("x", "context")
    }
    taller = {
        f"w_{role}": np.vstack([given[f"w_{role}"], biases.get(f"b_{role}", np.zeros(sizes[f"b_{role}"]))])
        for role in "qkv"
    }
    expected = multi_head_attention(**given | wider | taller, num_heads=HEADS) + biases.get("b_o", 0)
    assert close(multi_head_attention(**given, **biases, num_heads=HEADS), expected)


def test_a_bias_of_the_keys_changes_nothing():
    """It adds the same to all the scores of a query (Phuong & Hutter's b_k is inert)."""
    given = example()
    assert close(
        multi_head_attention(**given, b_k=np.arange(12.0), num_heads=HEADS),
        multi_head_attention(**given, num_heads=HEADS),
    )


@pytest.mark.parametrize("masked", [False, True])
def test_it_equals_torchs_module_with_the_same_weights(masked):
    heads, width, seed = 3, 12, 4
    rng = np.random.default_rng(seed)
    module = torch.nn.MultiheadAttention(
        width, heads, bias=False, batch_first=True, dtype=torch.float64, kdim=D_Z, vdim=D_Z
    )
    x, z = rng.normal(size=(BATCH, N, width)), rng.normal(size=(BATCH, N_Z, D_Z))
    mask = causal_mask(N, N_Z, offset=1) if masked else None
    with torch.no_grad():
        translated = to_torch(mask, "MultiheadAttention") if masked else None
        expected, _ = module(*(torch.from_numpy(array) for array in (x, z, z)), attn_mask=translated)
        weights = [getattr(module, name).numpy().T for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")]
        w_o = module.out_proj.weight.numpy().T  # nn.Linear holds Wᵀ
    assert close(multi_head_attention(x, *weights, w_o, mask, num_heads=heads, context=z), expected.numpy())


def test_self_attention_reads_x_twice():
    given = example()
    given |= {"context": given["x"], "w_k": given["w_k"][:D], "w_v": given["w_v"][:D]}
    without = {name: array for name, array in given.items() if name != "context"}
    assert (multi_head_attention(**without, num_heads=3) == multi_head_attention(**given, num_heads=3)).all()


@pytest.mark.parametrize("batch", [(), (2,), (2, 3), (0,)])
def test_any_number_of_batch_axes(batch):
    given = example()
    rng = np.random.default_rng(5)
    given |= {"x": rng.normal(size=(*batch, N, D)), "context": rng.normal(size=(*batch, N_Z, D_Z))}
    out = multi_head_attention(**given, num_heads=HEADS)
    assert out.shape == (*batch, N, D_OUT)
    for index in np.ndindex(batch):
        alone = given | {"x": given["x"][index], "context": given["context"][index]}
        assert close(out[index], multi_head_attention(**alone, num_heads=HEADS))


def test_split_cuts_columns_and_merge_undoes_it():
    x = np.random.default_rng(0).normal(size=(BATCH, N, HEADS * D_K))
    apart = split_heads(x, HEADS)
    assert apart.shape == (BATCH, HEADS, N, D_K)
    assert (apart[1, 2] == x[1, :, 2 * D_K :]).all()
    assert (merge_heads(apart) == x).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype_and_float16_is_summed_in_float32(dtype):
    given = {name: array / 4 for name, array in example(dtype=dtype).items()}
    given = {name: array.astype(dtype) for name, array in given.items()}
    out = multi_head_attention(**given, num_heads=HEADS)
    exact = multi_head_attention(**{name: array.astype(float) for name, array in given.items()}, num_heads=HEADS)
    assert out.dtype == dtype
    assert np.abs(out - exact).max() <= 4 * np.finfo(dtype).eps * max(1, np.abs(exact).max())


@pytest.mark.parametrize("kv_heads", [6, 3, 2, 1])
def test_pooled_keys_are_the_keys_of_the_pooled_projection(kv_heads):
    given = example(heads=6, kv_heads=6)
    pooled = {name: pool_heads(split_heads(given[name], 6), kv_heads) for name in ("w_k", "w_v")}  # (g, d_z, width)
    grouped = {name: merge_heads(heads) for name, heads in pooled.items()}
    expected = multi_head_attention(**(given | grouped), num_heads=6, num_kv_heads=kv_heads)
    query, key, value = (
        split_heads(given[of] @ given[w], 6) for of, w in (("x", "w_q"), ("context", "w_k"), ("context", "w_v"))
    )
    key, value = (np.repeat(pool_heads(x, kv_heads), 6 // kv_heads, axis=-3) for x in (key, value))
    assert close(merge_heads(attention(query, key, value)) @ given["w_o"], expected)


def test_pooling_takes_neighbours_and_keeps_the_dtype():
    heads = np.arange(6, dtype=np.float32)[:, None, None] * np.ones((6, N, D_K), np.float32)
    assert pool_heads(heads, 2)[:, 0, 0].tolist() == [1, 4]
    assert pool_heads(heads, 3)[:, 0, 0].tolist() == [0.5, 2.5, 4.5]
    assert pool_heads(heads, 2).dtype == np.float32
    assert pool_heads(heads[None].astype(int), 1).dtype == float
    assert (pool_heads(heads, 6) == heads).all()


def test_the_weight_back_is_the_mean_along_a_diagonal():
    weights = np.random.default_rng(0).random((BATCH, HEADS, N, N))
    for back in range(N):
        looped_mean = sum(weights[..., i, i - back] for i in range(back, N)) / (N - back)
        assert close(weight_back(weights, back), looped_mean)
    assert weight_back(np.eye(N, k=-2), 2) == 1
    assert weight_back(np.eye(N, k=2), 2) == 0


def test_dropout_draws_from_its_rng_and_keeps_the_expected_weight():
    weights = np.full((400, 50), 0.02)
    dropped = dropout_weights(weights, 0.25, np.random.default_rng(0))
    assert set(np.unique(dropped.round(12))) == {0.0, round(0.02 / 0.75, 12)}
    assert abs((dropped == 0).mean() - 0.25) < 0.01
    assert abs(dropped.sum(axis=-1).mean() - 1) < 0.01
    assert np.ptp(dropped.sum(axis=-1)) > 0.1  # rows no longer sum to 1
    given = example()
    runs = [multi_head_attention(**given, num_heads=3, dropout=0.3, rng=np.random.default_rng(s)) for s in (1, 1, 2)]
    assert (runs[0] == runs[1]).all()
    assert not np.allclose(runs[0], runs[2])
    assert (multi_head_attention(**given, num_heads=3, dropout=0.0) == multi_head_attention(**given, num_heads=3)).all()


def test_inputs_are_never_changed():
    given = example()
    before = {name: array.copy() for name, array in given.items()}
    multi_head_attention(**given, num_heads=3, dropout=0.5, rng=np.random.default_rng(0))
    assert all((given[name] == before[name]).all() for name in given)


def without(changes):
    return lambda: multi_head_attention(**(example() | {"num_heads": HEADS} | changes))


X = np.zeros((N, D))
NAN = np.full((D_Z, HEADS * D_V), 0.0)
NAN[3, 4] = np.nan
BAD = {
    "no heads": (lambda: split_heads(X, 0), "width of 6 does not divide into num_heads = 0"),
    "heads that do not divide": (lambda: split_heads(X, 4), "width of 6 does not divide into num_heads = 4"),
    "a tall w_k": (
        lambda: multi_head_attention(
            X, np.ones((6, 12)), np.ones((8, 12)), np.ones((6, 12)), np.ones((12, 6)), num_heads=3
        ),
        r"^x of shape \(5, 6\) does not fit w_k of shape \(8, 12\)",
    ),
    "zero heads": (without({"num_heads": 0, "num_kv_heads": 1}), "width of 12 does not divide into num_heads = 0"),
    "split of a vector": (lambda: split_heads(X[0], 2), r"x needs two axes or more, got shape \(6,\)"),
    "merge of a matrix": (lambda: merge_heads(X), r"\(…, h, n, d_head\), got shape \(5, 6\)"),
    "more keys than queries": (lambda: weight_back(X, 1), r"as many keys as queries, got shape \(5, 6\)"),
    "back too far": (lambda: weight_back(np.eye(3), 3), "back must be 0 or more and at most 2, got 3"),
    "pooling a matrix": (lambda: pool_heads(X, 1), r"x needs three axes or more, got shape \(5, 6\)"),
    "pools that do not divide": (lambda: pool_heads(X[None], 2), "num_kv_heads must divide the number of heads = 1, got 2"),
    "no pools": (lambda: pool_heads(X[None], 0), "num_kv_heads must be 1 or more, got 0"),
    "groups that do not divide": (without({"num_kv_heads": 2}), "num_heads = 3 does not divide into num_kv_heads = 2"),
    "no groups": (without({"num_kv_heads": 0}), "into num_kv_heads = 0 groups"),
    "w_q too narrow": (without({"w_q": np.zeros((D + 1, 12))}), r"x of shape \(2, 5, 6\) does not fit w_q of shape \(7, 12\)"),
    "w_o too short": (without({"w_o": np.zeros((7, 2))}), r"the output of all heads of shape \(2, 5, 30\) does not fit w_o of shape \(7, 2\)"),
    "NaN in w_v": (without({"w_v": NAN}), r"w_v\[3, 4\] is nan"),
    "dropout of all": (without({"dropout": 1.0, "rng": np.random.default_rng(0)}),
        r"dropout must lie in \[0, 1\), got 1"),
    "dropout below 0": (lambda: dropout_weights(X, -0.1, np.random.default_rng(0)), "got -0.1"),
    "dropout without rng": (without({"dropout": 0.1}), "pass rng"),
    "a masked row": (without({"mask": np.zeros((N, N_Z), bool)}), r"query\[0, 0, 0\] may attend to no key"),
    "mask transposed": (without({"mask": np.ones((N_Z, N), bool)}), "mask of shape"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
