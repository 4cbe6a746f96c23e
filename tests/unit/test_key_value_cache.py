"""attnlib.key_value_cache: one token at a time, and the same numbers as for the whole sequence."""

import numpy as np
import pytest

from attnlib import KeyValueCache, attention, streaming

BATCH, D_K, D_V = (2, 3), 6, 5


def example(n_q, n_k, dtype=float, batch=BATCH):
    rng = np.random.default_rng(0)
    shapes = [(*batch, n_q, D_K), (*batch, n_k, D_K), (*batch, n_k, D_V)]
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def error(actual, expected):
    return np.abs(actual - expected).max() / max(1, np.abs(expected).max())


@pytest.fixture
def small_tiles(monkeypatch):
    for name, value in (("COLUMNS", 7), ("ROWS", 5), ("CAUSAL_ROWS", 4)):
        monkeypatch.setattr(streaming, name, value)


Q, K, V = example(5, 7, batch=())


@pytest.mark.parametrize("blocks", [[1] * 12, [12], [5, 1, 1, 4, 1], [1, 3, 8]])
def test_a_cache_gives_what_the_whole_sequence_gives(blocks, small_tiles):
    query, key, value = example(12, 12)
    cache, rows, place = KeyValueCache(BATCH, D_K, D_V), [], 0
    for block in blocks:
        new = slice(place, place + block)
        rows.append(cache.attend(query[..., new, :], key[..., new, :], value[..., new, :]))
        place += block
        assert len(cache) == place
    assert error(np.concatenate(rows, axis=-2), attention(query, key, value, causal=True)) < 1e-13


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_cache_keeps_its_dtype(dtype):
    query, key, value = example(6, 6, dtype=dtype)
    cache = KeyValueCache(BATCH, D_K, D_V, dtype)
    out = [cache.attend(*(a[..., t : t + 1, :] for a in (query, key, value)), scale=0.5) for t in range(6)]
    assert out[0].dtype == dtype
    expected = attention(*(a.astype(float) for a in (query, key, value)), causal=True, scale=0.5)
    assert np.abs(np.concatenate(out, axis=-2) - expected).max() <= 8 * np.finfo(dtype).eps * np.abs(value).max()


def test_a_refused_token_leaves_the_cache_as_it_was():
    query, key, value = example(4, 4)
    cache = KeyValueCache(BATCH, D_K, D_V)
    cache.attend(query[..., :3, :], key[..., :3, :], value[..., :3, :])
    broken = key[..., 3:, :].copy()
    broken[1, 2, 0, 4] = np.nan
    with pytest.raises(ValueError, match=r"key\[1, 2, 0, 4\] is nan"):
        cache.attend(query[..., 3:, :], broken, value[..., 3:, :])
    out = cache.attend(query[..., 3:, :], key[..., 3:, :], value[..., 3:, :])
    assert len(cache) == 4
    assert error(out, attention(query, key, value, causal=True)[..., 3:, :]) < 1e-13


def test_a_truncated_cache_continues_as_if_it_had_read_no_more():
    query, key, value = example(9, 9)
    cache = KeyValueCache(BATCH, D_K, D_V)
    cache.attend(query, key, 100 * value)
    cache.truncate(0)
    cache.attend(query[..., :4, :], key[..., :4, :], value[..., :4, :])
    out = cache.attend(query[..., 4:, :], key[..., 4:, :], value[..., 4:, :])
    assert error(out, attention(query, key, value, causal=True)[..., 4:, :]) < 1e-13


@pytest.mark.parametrize("length", [-1, 3])
def test_a_cache_cannot_be_cut_to_what_it_does_not_hold(length):
    cache = KeyValueCache((), D_K, D_V)
    cache.attend(Q[:2], K[:2], V[:2])
    with pytest.raises(ValueError, match=f"holds 2 tokens: it cannot be cut to length {length}"):
        cache.truncate(length)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((3, 2, 2), "batch must be a tuple of sizes, got 3"),
        (((), 2.0, 2), "d_k must be an integer, got 2.0"),
        (((), 2, 2, None), "dtype must be a dtype, got None"),
    ],
)
def test_a_cache_of_wrong_types_is_named(arguments, sentence, unchecked):
    with pytest.raises(TypeError, match=sentence):
        KeyValueCache(*arguments)


def test_inputs_are_never_changed():
    given = example(9, 9)
    before = [array.copy() for array in given]
    KeyValueCache(BATCH, D_K, D_V).attend(*given)
    assert all((a == b).all() for a, b in zip(given, before, strict=True))


BAD = {
    "another batch": (
        lambda: KeyValueCache((2,), D_K, D_V).attend(K, K, V),
        r"query of shape \(7, 6\) does not fit this cache, which needs \(2, 7, 6\)",
    ),
    "another width": (lambda: KeyValueCache((), D_K, 4).attend(K, K, V), r"value of shape \(7, 5\).*needs \(7, 4\)"),
    "more queries": (lambda: KeyValueCache((), D_K, D_V).attend(Q, K, V), r"query of shape \(5, 6\).*needs \(7, 6\)"),
    "no token": (
        lambda: KeyValueCache((), D_K, D_V).attend(Q[:0], K[:0], V[:0]),
        r"query of shape \(0, 6\).*needs \(1, 6\)",
    ),
    "one axis": (lambda: KeyValueCache((), D_K, D_V).attend(Q, K[0], V), r"query of shape \(5, 6\)"),
    "too large for the cache": (
        lambda: KeyValueCache((), D_K, D_V, np.float16).attend(K, K, V + 1e6),
        r"value\[0, 0\] is inf",
    ),
    "cache of integers": (
        lambda: KeyValueCache((), 2, 2, int),
        r"dtype must be float16, float32 or float64, got .*int",
    ),
    "cache of no width": (lambda: KeyValueCache((), 0, 2), "d_k must be 1 or more, got 0"),
    "cache of half a batch": (lambda: KeyValueCache((2, -1), 2, 2), r"batch\[1\] must be 0 or more, got -1"),
    "cache and scale": (lambda: KeyValueCache((), D_K, D_V).attend(K, K, V, scale=np.inf), "scale must be finite"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
