"""attnlib.projections: X W + b, as torch's nn.Linear gives it, with errors that name the sizes."""

import numpy as np
import pytest
import torch

from attnlib import project

RNG = np.random.default_rng(0)
X, W, B = RNG.normal(size=(2, 5, 7)), RNG.normal(size=(7, 3)), RNG.normal(size=3)


def test_hand_values():
    assert project(np.array([[1, 2]]), np.array([[3, 4, 5], [6, 7, 8]])).tolist() == [[15, 18, 21]]
    assert project(np.array([[1, 2]]), np.array([[3], [6]]), np.array([10])).tolist() == [[25]]


@pytest.mark.parametrize("bias", [False, True])
def test_it_is_torchs_linear_layer_with_the_matrix_transposed(bias):
    layer = torch.nn.Linear(7, 3, bias=bias, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(W.T))
        if bias:
            layer.bias.copy_(torch.from_numpy(B))
        expected = layer(torch.from_numpy(X)).numpy()
    assert np.abs(project(X, W, B if bias else None) - expected).max() < 1e-14


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype(dtype):
    out = project(X.astype(dtype), W.astype(dtype), B.astype(dtype))
    assert out.dtype == dtype
    assert np.abs(out - project(X, W, B)).max() < 50 * np.finfo(dtype).eps


BAD = {
    "widths differ": ((X, W.T), r"x of shape \(2, 5, 7\) does not fit w of shape \(3, 7\)"),
    "one axis": ((X[0, 0], W), r"x of shape \(7,\) does not fit"),
    "a bias too long": ((X, W, np.zeros(4)), r"b of shape \(4,\) does not fit w of shape \(7, 3\)"),
    "NaN": ((X, W, B * np.nan), r"b\[0\] is nan"),
    "too large": ((1e200 * X, 1e200 * W), r"x times w\[0, 0, 0\] leaves its range"),
    "words": ((np.array([["a"]]), W), "x must hold real numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    given, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        project(*given)
