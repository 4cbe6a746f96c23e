"""attnlib.streaming: the same numbers as the plain form, in less memory."""

import tracemalloc

import numpy as np
import pytest

from attnlib import attention, attention_weights, causal_mask, streaming, streaming_attention

BATCH, D_K, D_V = (2, 3), 6, 5


def example(n_q, n_k, seed=0, size=1.0, dtype=float, batch=BATCH):
    rng = np.random.default_rng(seed)
    shapes = [(*batch, n_q, D_K), (*batch, n_k, D_K), (*batch, n_k, D_V)]
    return [(size * rng.normal(size=shape)).astype(dtype) for shape in shapes]


def error(actual, expected):
    return np.abs(actual - expected).max() / max(1, np.abs(expected).max())


@pytest.fixture
def small_tiles(monkeypatch):
    """Many tiles and bands with little work, none of a size that divides another."""
    for name, value in (("COLUMNS", 7), ("ROWS", 5), ("CAUSAL_ROWS", 4)):
        monkeypatch.setattr(streaming, name, value)


@pytest.mark.parametrize("size", [1.0, 30.0])  # without and with the running maximum
@pytest.mark.parametrize(("n_q", "n_k"), [(1, 1), (1, 23), (23, 1), (5, 7), (17, 23), (24, 24)])
def test_tiles_give_what_the_whole_gives(n_q, n_k, size, small_tiles):
    given = example(n_q, n_k, size=size)
    assert error(streaming_attention(*given), attention(*given)) < 1e-13
    assert error(streaming_attention(*given, scale=0.7), attention(*given, scale=0.7)) < 1e-12


@pytest.mark.parametrize("size", [1.0, 30.0])
@pytest.mark.parametrize("offset", [0, 1, 6, 40])
@pytest.mark.parametrize(("n_q", "n_k"), [(1, 23), (17, 23), (24, 24), (23, 17)])
def test_causal_tiles_give_what_the_mask_gives(n_q, n_k, offset, size, small_tiles):
    given = example(n_q, n_k, size=size)
    expected = attention(*given, causal_mask(n_q, n_k, offset=offset))
    assert error(streaming_attention(*given, causal=True, offset=offset), expected) < 1e-13


def test_tiles_above_the_diagonal_are_skipped(small_tiles, monkeypatch):
    counted, exp = [], streaming.exp
    monkeypatch.setattr(streaming, "exp", lambda scores, out: (counted.append(scores.size), exp(scores, out=out)))
    streaming_attention(*example(24, 24), causal=True)
    heads = BATCH[0] * BATCH[1]
    assert sum(counted) == heads * sum(4 * (first + 4) for first in range(0, 24, 4)) < 0.6 * heads * 24**2


@pytest.mark.parametrize(("function", "factor"), [(np.exp, 1.0), (np.exp2, np.log2(np.e))])
def test_either_exponential_gives_the_same(function, factor, small_tiles, monkeypatch):
    """Which one runs depends on the machine."""
    monkeypatch.setattr(streaming, "exp", function)
    monkeypatch.setattr(streaming, "LOG", factor)
    for size in (1.0, 30.0):
        given = example(17, 23, size=size)
        assert error(streaming_attention(*given), attention(*given)) < 1e-12


LEAST = float(np.finfo(np.float32).min)  # which others write where a key is blocked
EDGES = {
    "a bias of the least number": ([[0.0]], [[0.0], [0.0]], {"bias": np.full((1, 2), LEAST)}, 1.5),
    "a score in the last half of the range": ([[1.5e154]], [[1e154], [1.0]], {"scale": 1}, 1.0),
    "a query whose square is 0": ([[1e-170]], [[1e150], [0.0]], {"scale": 1e25}, 1.0),
    "a blocked key": ([[3.0]], [[2.0], [5.0]], {"bias": np.array([[0.0, -np.inf]])}, 1.0),
}


@pytest.mark.parametrize(("function", "factor"), [(np.exp, 1.0), (np.exp2, np.log2(np.e))])
@pytest.mark.parametrize("edge", EDGES)
def test_numbers_at_the_ends_of_the_range_are_read_right(edge, function, factor, monkeypatch):
    """Neither exponential, times what its scores are multiplied by, leaves the range."""
    monkeypatch.setattr("attnlib.streaming.exp", function)
    monkeypatch.setattr("attnlib.streaming.LOG", factor)
    query, key, options, right = EDGES[edge]
    dtype = np.float32 if "least" in edge else np.float64
    query, key, value = (np.array(rows, dtype) for rows in (query, key, [[1.0], [2.0]]))
    options = {name: one.astype(dtype) if name == "bias" else one for name, one in options.items()}
    assert streaming_attention(query, key, value, **options) == right == attention(query, key, value, **options)


def test_a_score_beyond_the_range_is_named_where_another_key_is_blocked():
    query, key = np.array([[6e153]]), np.array([[6e153], [0.0]])
    with pytest.raises(ValueError, match=r"score\[0, 0\] leaves its range"):
        streaming_attention(query, key, key, bias=np.array([[1.5e308, -np.inf]]), scale=1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("causal", [False, True])
def test_floats_keep_their_dtype(dtype, causal):
    given = example(40, 40, dtype=dtype)
    exact = [array.astype(float) for array in given]
    out = streaming_attention(*given, causal=causal)
    assert out.dtype == dtype
    expected = attention(*exact, causal_mask(40) if causal else None)
    assert np.abs(out - expected).max() <= 8 * np.finfo(dtype).eps * np.abs(exact[2]).max()


def test_scores_far_beyond_exp_are_no_matter():
    given = example(17, 23, size=300.0)  # scores to about 1e5
    assert error(streaming_attention(*given), attention(*given)) < 1e-12


@pytest.mark.parametrize("causal", [False, True])
def test_large_values_do_not_overflow_their_sums(causal):
    """exp of a score of 55 is 8e23: times a value of 1e30 it leaves the range of float32."""
    query, key, value = example(40, 40, dtype=np.float32)
    query *= 55 / (np.linalg.norm(query, axis=-1, keepdims=True) * np.linalg.norm(key, axis=-1).max())
    given = query, key, np.float32(1e30) * value
    exact = attention(*(array.astype(float) for array in given), causal_mask(40) if causal else None, scale=1)
    out = streaming_attention(*given, causal=causal, scale=1)
    assert np.abs(out - exact).max() < 1e-5 * np.abs(exact).max()


def test_sums_beyond_the_range_are_averages_within_it():
    value = np.full((5, 1), 3e38, dtype=np.float32)
    given = np.zeros((1, 2), np.float32), np.zeros((5, 2), np.float32), value
    assert streaming_attention(*given).item() == pytest.approx(3e38)
    assert streaming_attention(*given).item() == pytest.approx(attention(*given).item())


def test_memory_grows_with_n_and_not_with_its_square():
    def peak(n):
        given = example(n, n, dtype=np.float32, batch=())
        tracemalloc.start()
        streaming_attention(*given, causal=True)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    small, large = peak(2000), peak(8000)
    assert large < 4.4 * small
    assert large < 0.01 * 8000**2 * 4  # one n × n array of float32


def test_inputs_are_never_changed():
    given = example(9, 9)
    before = [array.copy() for array in given]
    streaming_attention(*given, causal=True)
    assert all((a == b).all() for a, b in zip(given, before, strict=True))


Q, K, V = example(5, 7, batch=())


def overflowing():
    """One query of one head that no key can meet in range, although others of the same size can."""
    query, key, value = example(5, 7)
    query[1, 2, 3] *= 1e200
    return query, 1e200 * key, value


BAD = {
    "widths differ": (lambda: streaming_attention(Q, K[:, :3], V), r"share d_k.*key \(7, 3\)"),
    "no keys": (lambda: streaming_attention(Q, K[:0], V[:0]), r"key is an empty sequence .*\(0, 6\)"),
    "NaN": (lambda: streaming_attention(Q * np.nan, K, V), r"query\[0, 0\] is nan"),
    "negative offset": (lambda: streaming_attention(Q, K, V, offset=-1), "offset must be 0 or more, got -1"),
    "scale NaN": (lambda: streaming_attention(Q, K, V, scale=np.nan), "scale must be finite, got nan"),
    "scores overflow": (
        lambda: streaming_attention(1e200 * Q, 1e200 * K, V),
        r"score\[0, 0\] leaves its range: query and key are too large for float64",
    ),
    "one score overflows": (lambda: streaming_attention(*overflowing()), r"score\[1, 2, 3, 0\] leaves its range"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()


def given_grids(n_q, n_k, seed=0):
    """A mask and a bias with one batch axis of two; the mask leaves the third query nothing in most tiles, the bias blocks some cells."""
    rng = np.random.default_rng(seed)
    mask = rng.random((2, 1, n_q, n_k)) < 0.6
    mask[..., 0] = True
    mask[..., min(2, n_q - 1), :-1] = False
    mask[..., min(2, n_q - 1), -1] = True
    bias = 3 * rng.normal(size=(3, n_q, n_k))
    bias[..., ::3] = -np.inf
    bias[..., 0] = bias[..., -1] = 0.5
    return mask, bias


OPTIONS = {
    "a mask": lambda mask, bias: {"mask": mask},
    "a bias": lambda mask, bias: {"bias": bias},
    "a calm bias": lambda mask, bias: {"bias": np.where(bias == -np.inf, 0, bias)},
    "both": lambda mask, bias: {"mask": mask, "bias": bias, "zero_blocked": True},
    "causal with a mask": lambda mask, bias: {"mask": mask, "causal": True, "offset": 3, "zero_blocked": True},
    "causal with a bias and a cap": lambda mask, bias: {
        "bias": bias,
        "causal": True,
        "softcap": 2.0,
        "zero_blocked": True,
    },
    "a cap": lambda mask, bias: {"softcap": 0.8, "scale": 2.0},
    "a huge cap": lambda mask, bias: {"softcap": 1e300, "causal": True},
}


@pytest.mark.parametrize("size", [1.0, 30.0])
@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(("n_q", "n_k"), [(1, 23), (17, 23), (24, 24)])
def test_tiles_take_all_that_the_plain_form_takes(n_q, n_k, option, size, small_tiles):
    query, key, value = example(n_q, n_k, size=size)
    options = OPTIONS[option](*given_grids(n_q, n_k))
    expected = attention_weights(query, key, **options) @ value
    assert error(streaming_attention(query, key, value, **options), expected) < 1e-12


@pytest.mark.parametrize(
    "options", [{}, {"causal": True, "offset": 40}, {"softcap": 3.0}, {"bias": "bias"}, {"mask": "mask"}]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_attention_of_long_sequences_is_the_plain_form(options, dtype):
    query, key, value = example(300, 700, dtype=dtype, batch=(2, 3))
    mask, bias = given_grids(300, 700)
    options = {name: {"mask": mask, "bias": bias.astype(dtype)}.get(one, one) for name, one in options.items()}
    expected = attention_weights(query, key, **options) @ value
    assert error(attention(query, key, value, **options), expected) < (1e-12 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize(
    "shapes", [((2, 3), (3,), ()), ((), (2, 3), (3,)), ((2, 1), (3,), (1, 3)), ((), (), (4,)), ((3,), (1,), (1,))]
)
def test_batch_axes_broadcast(shapes, small_tiles):
    rng = np.random.default_rng(0)
    given = [rng.normal(size=(*batch, n, 4)) for batch, n in zip(shapes, (9, 8, 8), strict=True)]
    batch = np.broadcast_shapes(*shapes)
    whole = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in given]
    for function in (attention, streaming_attention):
        assert function(*given).shape == (*batch, 9, 4)
        assert error(function(*given), function(*whole)) < 1e-14


def test_a_query_without_keys_is_named_or_zero_in_tiles_too(small_tiles):
    given, mask = example(9, 23), np.ones((3, 9, 23), bool)
    mask[1, 4] = mask[2, 8] = False
    with pytest.raises(ValueError, match=r"query\[0, 1, 4\] may attend to no key"):
        streaming_attention(*given, mask)
    out = streaming_attention(*given, mask, zero_blocked=True)
    assert (out[:, 1, 4] == 0).all()
    assert error(out, attention(*given, mask, zero_blocked=True)) < 1e-13


def test_a_plain_attention_of_long_sequences_needs_no_grid():
    given = example(4000, 4000, dtype=np.float32, batch=())
    tracemalloc.start()
    attention(*given, causal=True)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 0.1 * 4000**2 * 4
