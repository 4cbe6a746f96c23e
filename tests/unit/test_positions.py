"""attnlib.positions against complex numbers, plain loops, and the property that rotary embedding is made for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlib import rotary_embedding, sinusoidal_encoding
from attnlib.positions import rotary_permutation, scaled_base

BATCH, HEADS, N, D = 2, 3, 5, 8
LAYOUTS = ("half", "interleaved")


def example(seed=0, shape=(BATCH, HEADS, N, D)):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("base", [10_000.0, 7.0])
def test_the_encoding_equals_its_formula(base):
    expected = [[(math.cos if c % 2 else math.sin)(p / base ** (2 * (c // 2) / D)) for c in range(D)] for p in range(N)]
    assert np.abs(sinusoidal_encoding(N, D, base=base) - expected).max() < 1e-14


def test_a_shift_of_the_encoding_is_one_linear_map():
    pe = sinusoidal_encoding(20, D)
    shift = np.linalg.lstsq(pe[:-3], pe[3:], rcond=None)[0]
    assert np.abs(pe[:-3] @ shift - pe[3:]).max() < 1e-12


def test_interleaved_pairs_turn_as_complex_numbers_do():
    x = example()
    z = x[..., 0::2] + 1j * x[..., 1::2]
    turned = z * np.exp(1j * np.arange(N)[:, None] * 10_000.0 ** (-np.arange(0, D, 2) / D))
    out = rotary_embedding(x, layout="interleaved")
    assert np.abs(out[..., 0::2] - turned.real).max() < 1e-14
    assert np.abs(out[..., 1::2] - turned.imag).max() < 1e-14


def test_the_half_layout_is_the_usual_rotate_half():
    x = example()
    angles = np.arange(N)[:, None] * 10_000.0 ** (-np.arange(0, D, 2) / D)
    angles = np.concatenate([angles, angles], axis=-1)
    rotated = np.concatenate([-x[..., D // 2 :], x[..., : D // 2]], axis=-1)
    assert np.abs(rotary_embedding(x, layout="half") - (x * np.cos(angles) + rotated * np.sin(angles))).max() < 1e-14


def test_the_permutation_translates_between_the_layouts():
    x, p = example(), rotary_permutation(D)
    interleaved = rotary_embedding(x, layout="interleaved")
    assert np.abs(rotary_embedding(x[..., p], layout="half") - interleaved[..., p]).max() < 1e-14
    assert (x[..., p][..., np.argsort(p)] == x).all()
    assert not np.allclose(rotary_embedding(x, layout="half"), interleaved)


@given(st.sampled_from(LAYOUTS), st.integers(-1000, 1000), st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_a_score_depends_on_the_difference_of_positions_alone(layout, m, n, shift):
    query, key = example(1, (2, 1, D))

    def score(at_query, at_key):
        turn = [rotary_embedding(v, np.array([p]), layout=layout) for v, p in ((query, at_query), (key, at_key))]
        return (turn[0] @ turn[1].T).item()

    assert score(m, n) == pytest.approx(score(m + shift, n + shift), abs=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_lengths_are_kept_and_position_0_is_left_alone(layout):
    x = example()
    out = rotary_embedding(x, layout=layout)
    assert np.abs(np.linalg.norm(out, axis=-1) - np.linalg.norm(x, axis=-1)).max() < 1e-12
    assert (out[..., 0, :] == x[..., 0, :]).all()
    assert not np.allclose(out[..., 1, :], x[..., 1, :])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_may_differ_between_sequences(layout):
    x = example()
    positions = np.array([[0, 1, 2, 3, 4], [7, 8, 9, 10, 30]])
    out = rotary_embedding(x, positions[:, None], layout=layout)  # the same for every head
    for b in range(BATCH):
        assert np.allclose(out[b], rotary_embedding(x[b], positions[b], layout=layout), atol=1e-14)
    assert np.allclose(rotary_embedding(x[:1], layout=layout), out[:1], atol=1e-14)
    later = rotary_embedding(x[..., 2:, :], np.arange(2, N), layout=layout)
    assert np.allclose(later, rotary_embedding(x, layout=layout)[..., 2:, :], atol=1e-14)


def test_a_scaled_base_slows_the_slowest_pair_by_its_factor_and_the_fastest_by_none():
    slowest = D - 2
    old, new = (base ** (-np.array([0, slowest]) / D) for base in (10_000.0, scaled_base(4, D)))
    assert old / new == pytest.approx([1, 4])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_floats_keep_their_dtype_and_integers_become_float64(dtype):
    x = (10 * example()).astype(dtype)
    out = rotary_embedding(x, layout="half")
    assert out.dtype == (np.float64 if dtype is np.int64 else dtype)
    exact = rotary_embedding(x.astype(float), layout="half")
    assert np.abs(out - exact).max() <= 4 * np.finfo(out.dtype).eps * np.abs(exact).max()
    assert (x == (10 * example()).astype(dtype)).all()


BAD = {
    "odd width": (lambda: rotary_embedding(np.ones((2, 3)), layout="half"), "the width of x must be even, .*got 3"),
    "odd encoding": (lambda: sinusoidal_encoding(2, 5), "d must be even, .*got 5"),
    "no width": (lambda: rotary_permutation(0), "d must be 2 or more, got 0"),
    "no rows": (lambda: sinusoidal_encoding(0, 4), "n must be 1 or more, got 0"),
    "base 0": (lambda: sinusoidal_encoding(2, 4, base=0), "base must be positive and finite, got 0"),
    "one axis": (lambda: rotary_embedding(np.ones(4), layout="half"), r"x needs two axes or more, got shape \(4,\)"),
    "unknown layout": (
        lambda: rotary_embedding(np.ones((1, 4)), layout="neox"),
        "one of half, interleaved, got 'neox'",
    ),
    "too few positions": (
        lambda: rotary_embedding(np.ones((3, 4)), np.arange(2), layout="half"),
        r"positions of shape \(2,\) do not fit x of shape \(3, 4\)",
    ),
    "positions of another batch": (
        lambda: rotary_embedding(np.ones((2, 3, 4)), np.zeros((5, 3), int), layout="half"),
        r"positions of shape \(5, 3\) do not fit x of shape \(2, 3, 4\)",
    ),
    "half a position": (
        lambda: rotary_embedding(np.ones((1, 4)), np.array([0.5]), layout="half"),
        "positions must hold integers, got dtype float64",
    ),
    "NaN": (lambda: rotary_embedding(np.array([[1.0, np.nan]]), layout="half"), r"x\[0, 1\] is nan"),
    "a base so small": (
        lambda: sinusoidal_encoding(3, 400, base=5e-324),
        r"angle\[0, 191\] leaves its range: positions and 1 / base",
    ),
    "a base beyond the range": (
        lambda: scaled_base(1e300, 4),
        "the base for factor = 1e.300 .* must be positive and finite, got inf",
    ),
    "a pair to scale": (lambda: scaled_base(2, 2), "d must be 4 or more, got 2"),
    "factor 0": (lambda: scaled_base(0, 4), "factor must be positive and finite, got 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
