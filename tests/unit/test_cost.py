"""attnlib.cost: the formulas, against the products that NumPy and torch are counted doing, and the memory they take."""

import math
import sys
import tracemalloc

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attnlib import (
    KeyValueCache,
    attention,
    attention_weights,
    cost,
    houston,
    lab,
    linear_attention,
    multi_head_attention,
    scaled_dot_product,
    streaming,
    streaming_attention,
    variants,
    window_attention,
)
from attnlib.checks import working_copies

N_Q, N_K, D_K, D_V, HEADS = 37, 53, 11, 5, 3


class Counting(np.ndarray):
    """An array that writes down every matrix product it takes part in."""

    products: list[tuple[tuple, tuple, tuple]] = []  # noqa: RUF012  the shapes of both factors and of the result
    outer: list[int] = []  # noqa: RUF012  the sizes of elementwise products

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        plain = [x.view(np.ndarray) if isinstance(x, Counting) else x for x in inputs]
        if out is not None:
            options["out"] = tuple(x.view(np.ndarray) if isinstance(x, Counting) else x for x in out)
        result = getattr(ufunc, method)(*plain, **options)
        if ufunc is np.matmul:
            self.products.append((np.shape(plain[0]), np.shape(plain[1]), np.shape(result)))
        if ufunc is np.multiply:
            self.outer.append(np.size(result))
        return result.view(Counting) if isinstance(result, np.ndarray) else result


@pytest.fixture
def counted(monkeypatch):
    def counting(*optional, **arrays):
        copies, dtype = working_copies(*optional, **arrays)
        return [None if copy is None else copy.view(Counting) for copy in copies], dtype

    for module in ("arguments", "key_value_cache", "multihead", "scaled_dot_product", "variants"):
        monkeypatch.setattr(sys.modules[f"attnlib.{module}"], "working_copies", counting)
    applied = variants.applied
    monkeypatch.setattr(variants, "applied", lambda *given: applied(*given).view(Counting))
    monkeypatch.setattr(Counting, "products", [])
    monkeypatch.setattr(Counting, "outer", [])
    return Counting.products


def multiply_adds(products):
    return sum(math.prod(result) * first[-1] for first, _, result in products)


def numbers_moved(products):
    return sum(math.prod(shape) for product in products for shape in product)


def drawn(n_q=N_Q, n_k=N_K, heads=HEADS, d_k=D_K, d_v=D_V):
    rng = np.random.default_rng(0)
    return [rng.normal(size=(heads, *shape)) for shape in [(n_q, d_k), (n_k, d_k), (n_k, d_v)]]


def test_attention_does_the_products_and_moves_the_bytes_of_the_formula(counted, monkeypatch):
    monkeypatch.setattr(scaled_dot_product, "PLAIN", math.inf)
    attention(*drawn())
    expected = cost.attention_cost(N_Q, N_K, D_K, D_V, num_heads=HEADS, itemsize=8)
    assert multiply_adds(counted) == expected.multiply_adds == HEADS * N_Q * N_K * (D_K + D_V)
    softmax = 2 * HEADS * N_Q * N_K
    assert 8 * (numbers_moved(counted) + softmax) == expected.bytes_moved


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n_q", "n_k"), [(N_Q, N_K), (N_K, N_Q), (1, N_K), (40, 40)])
def test_streaming_does_the_products_of_the_formula(counted, monkeypatch, causal, n_q, n_k):
    for name, value in (("COLUMNS", 7), ("ROWS", 5), ("CAUSAL_ROWS", 4)):
        monkeypatch.setattr(streaming, name, value)
    streaming_attention(*drawn(n_q, n_k), causal=causal)
    expected = cost.streaming_cost(n_q, n_k, D_K, D_V, causal=causal, num_heads=HEADS, itemsize=8)
    assert multiply_adds(counted) == expected.multiply_adds
    queries_and_keys = [(first, second) for first, second, _ in counted if first[-1] == D_K]
    keys = sum(math.prod(second) for _, second in queries_and_keys)
    assert 8 * (HEADS * n_q * (D_K + D_V) + keys * (D_K + D_V) // D_K) == expected.bytes_moved


def test_causal_streaming_does_half_the_work_when_n_is_large():
    full, causal = (cost.streaming_cost(2**15, 2**15, 64, 64, causal=causal) for causal in (False, True))
    assert 0.5 < causal.multiply_adds / full.multiply_adds < 0.51


@pytest.mark.parametrize("read", [0, 9, 40])
def test_a_step_with_the_cache_does_what_its_formula_says(counted, read):
    query, key, value = drawn(read + 1, read + 1)
    cache = KeyValueCache((HEADS,), D_K, D_V)
    if read:
        cache.attend(query[:, :-1], key[:, :-1], value[:, :-1])
    counted.clear()
    cache.attend(query[:, -1:], key[:, -1:], value[:, -1:])
    sums = HEADS * (read + 1)
    assert multiply_adds(counted) - sums == cost.attention_cost(1, read + 1, D_K, D_V, num_heads=HEADS).multiply_adds
    whole = cost.attention_cost(read + 1, read + 1, D_K, D_V, num_heads=HEADS).multiply_adds
    assert whole == (read + 1) * (multiply_adds(counted) - sums)


@pytest.mark.parametrize("window", [4, 100])
def test_a_window_does_the_products_of_the_formula(counted, window):
    window_attention(*drawn(N_Q, N_Q), window=window)
    expected = cost.window_cost(N_Q, window, D_K, D_V, num_heads=HEADS, itemsize=8)
    assert multiply_adds(counted) == expected.multiply_adds
    softmax = 2 * HEADS * N_Q * min(window, N_Q)
    assert 8 * (numbers_moved(counted) + softmax) == expected.bytes_moved


def test_linear_attention_does_the_products_of_the_formula(counted):
    linear_attention(*drawn())
    expected = cost.linear_cost(N_Q, N_K, D_K, D_V, num_heads=HEADS, itemsize=8)
    assert multiply_adds(counted) == expected.multiply_adds
    features = 2 * HEADS * (N_Q + N_K) * D_K
    assert 8 * (numbers_moved(counted) + features) == expected.bytes_moved


def test_causal_linear_attention_multiplies_as_much(counted):
    linear_attention(*drawn(N_Q, N_Q), causal=True)
    outer = sum(size for size in Counting.outer if size == HEADS * D_K * (D_V + 1))
    expected = cost.linear_cost(N_Q, N_Q, D_K, D_V, num_heads=HEADS)
    assert multiply_adds(counted) + outer == expected.multiply_adds


@pytest.mark.parametrize("num_kv_heads", [None, 2, 1])
def test_multi_head_attention_does_the_products_of_the_formula(counted, num_kv_heads):
    n, n_z, d, num_heads = 7, 11, 24, 4
    shared = d // num_heads * (num_kv_heads or num_heads)
    rng = np.random.default_rng(0)
    given = [rng.normal(size=size) for size in [(n, d), (d, d), (d, shared), (d, shared), (d, d)]]
    multi_head_attention(*given, num_heads=num_heads, num_kv_heads=num_kv_heads, context=rng.normal(size=(n_z, d)))
    expected = cost.multi_head_cost(n, d, num_heads=num_heads, num_kv_heads=num_kv_heads, n_z=n_z, itemsize=8)
    assert multiply_adds(counted) == expected.multiply_adds
    assert 8 * (numbers_moved(counted) + 2 * num_heads * n * n_z) == expected.bytes_moved


def test_torch_counts_the_same_for_a_whole_block():
    n, d = 13, 12
    block = torch.nn.TransformerEncoderLayer(d, 3, 4 * d, batch_first=True, dropout=0.0)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:  # a fused kernel is not counted
        block(torch.zeros(1, n, d))
    assert counter.get_total_flops() == 2 * cost.block_multiply_adds(n, d)


def test_a_block_spends_as_much_on_its_grid_as_on_all_else_at_the_crossover():
    for expansion in (1, 4):
        n, d = cost.crossover(5, expansion=expansion), 5
        grid = cost.attention_cost(n, n, d, d).multiply_adds
        assert 2 * grid == cost.block_multiply_adds(n, d, expansion=expansion)
    assert cost.crossover(5) == 6 * 5


def test_a_blocks_parts_are_the_products_of_its_matrices_and_add_up_to_it():
    n, d, heads = 7, 24, {"num_heads": 6, "num_kv_heads": 2}
    d_head = d // 6
    products = {  # (m × k) · (k × p), so often
        "queries, keys, values": [(1, n, d, d), (2, n, d, 2 * d_head)],
        "QKᵀ": [(6, n, d_head, n)],
        "AV": [(6, n, n, d_head)],
        "W_O": [(1, n, d, d)],
        "feed-forward": [(1, n, d, 3 * d), (1, n, 3 * d, d)],
    }
    parts = cost.block_parts(n, d, expansion=3, **heads)
    assert parts == {name: sum(map(math.prod, sizes)) for name, sizes in products.items()}
    assert sum(parts.values()) == cost.block_multiply_adds(n, d, expansion=3, **heads)


def test_a_blocks_parameters_are_those_of_its_matrices():
    d, num_heads, num_kv_heads, gated = 24, 6, 2, (3, 28)  # three matrices of width 28
    shared = d // num_heads * num_kv_heads
    matrices = [(d, d), (d, shared), (d, shared), (d, d), *[(d, gated[1])] * gated[0]]
    heads = {"num_heads": num_heads, "num_kv_heads": num_kv_heads, "expansion": 1.5 * 28 / d}
    assert cost.block_parameters(d, **heads) == sum(math.prod(matrix) for matrix in matrices)
    assert cost.block_parameters(d) == 12 * d**2
    grid = cost.attention_cost(7, 7, d, d).multiply_adds
    assert cost.block_multiply_adds(7, d, **heads) == 7 * cost.block_parameters(d, **heads) + grid


def test_the_crossover_comes_earlier_with_fewer_key_and_value_heads():
    d, heads = 24, {"num_heads": 6, "num_kv_heads": 2}
    n = cost.crossover(d, **heads)
    assert n == 5 * d + d // 3
    assert cost.block_multiply_adds(n, d, **heads) == 2 * cost.attention_cost(n, n, d, d).multiply_adds


def test_the_ideal_tensor_has_a_number_for_each_pair_of_input_and_output():
    n, d, d_v = 3, 5, 2
    rng = np.random.default_rng(0)
    tensor = rng.normal(size=(n, d_v, n, d))
    assert np.einsum("ivjc,jc->iv", tensor, rng.normal(size=(n, d))).shape == (n, d_v)
    assert tensor.size == lab.ideal_tensor_parameters(n, d, d_v)


def test_attentions_parameters_are_the_sizes_of_three_matrices():
    d, d_k, d_v = houston.EMBEDDINGS.shape[1], houston.W_K.shape[1], houston.W_V.shape[1]
    assert lab.attention_parameters(d, d_k, d_v) == houston.W_Q.size + houston.W_K.size + houston.W_V.size


def test_a_cache_holds_the_bytes_of_the_formula():
    cache = KeyValueCache((HEADS,), D_K, D_K, np.float32)
    query, key, value = (array.astype(np.float32) for array in drawn(9, 9, d_v=D_K))
    cache.attend(query, key, value)
    assert cache._key.nbytes + cache._value.nbytes == cost.cache_bytes(9, HEADS, D_K)


N = 600
SHAPE = {"num_heads": 2, "itemsize": 8}
FORMS = {
    "attention": (
        lambda query, key, value: attention_weights(query, key) @ value,
        cost.attention_cost(N, N, 16, 24, **SHAPE),
    ),
    "streaming": (streaming_attention, cost.streaming_cost(N, N, 16, 24, **SHAPE)),
    "window": (lambda *given: window_attention(*given, window=50), cost.window_cost(N, 50, 16, 24, **SHAPE)),
    "linear": (linear_attention, cost.linear_cost(N, N, 16, 24, **SHAPE)),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_peak_is_what_the_formula_says_but_for_passing_copies(form, monkeypatch):
    monkeypatch.setattr(streaming, "ALONE", math.inf)  # another thread has another tile
    function, expected = FORMS[form]
    given = drawn(N, N, 2, 16, 24)
    tracemalloc.start()
    function(*given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert expected.peak_bytes <= 1.1 * peak <= 2.2 * expected.peak_bytes


SIZES = {
    "attention": lambda n: cost.attention_cost(2, n, 2, 2),
    "streaming": lambda n: cost.streaming_cost(n, 2, 2, 2),
    "window": lambda n: cost.window_cost(3, 2, n, 2),
    "linear": lambda n: cost.linear_cost(3, 2, 2, n),
    "multi-head": lambda n: cost.multi_head_cost(3, 4, num_heads=n),
    "block": lambda n: cost.block_multiply_adds(n, 2),
    "crossover": cost.crossover,
    "expansion": lambda n: cost.crossover(2, expansion=n),
    "ideal tensor": lambda n: lab.ideal_tensor_parameters(2, n, 2),
    "parameters": lambda n: lab.attention_parameters(2, 2, n),
    "multi-head parameters": lambda n: cost.multi_head_parameters(n, 2, 2, num_heads=1),
    "cache": lambda n: cost.cache_bytes(n, 1, 1),
}


@pytest.mark.parametrize("form", SIZES)
def test_a_size_below_one_is_named(form):
    with pytest.raises(ValueError, match=r"must be (1 or more|from 1 to \d+), got -?\d"):
        SIZES[form](-1)


def test_heads_that_do_not_divide_are_named():
    with pytest.raises(ValueError, match="num_heads must divide d = 8, got 3"):
        cost.multi_head_cost(5, 8, num_heads=3)
    with pytest.raises(ValueError, match="num_kv_heads must divide num_heads = 6, got 4"):
        cost.multi_head_parameters(5, 2, 3, num_heads=6, num_kv_heads=4)


@pytest.mark.parametrize(("heads", "kv_heads"), [(6, 6), (6, 3), (6, 1)])
def test_the_parameters_are_the_numbers_in_the_four_matrices(heads, kv_heads):
    d, d_k, d_v = 7, 4, 5
    matrices = {
        "w_q": (d, heads * d_k),
        "w_k": (d, kv_heads * d_k),
        "w_v": (d, kv_heads * d_v),
        "w_o": (heads * d_v, d),
    }
    counted = sum(np.zeros(shape).size for shape in matrices.values())
    assert cost.multi_head_parameters(d, d_k, d_v, num_heads=heads, num_kv_heads=kv_heads) == counted
    if heads == kv_heads:
        assert cost.multi_head_parameters(d, d_k, d_v, num_heads=heads) == counted
