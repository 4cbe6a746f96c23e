"""The convex hull, by the definition of one, and angles."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnlib import attention_scores
from attnlib.lab import convex_hull, cosine_similarity
from attnlib.lab.geometry import _turn


@given(arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(-9, 9).map(float)))
def test_every_point_lies_left_of_every_edge(points):
    corners = points[convex_hull(points)]
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        assert all(_turn(start, end, point) >= 0 for point in points) or len(corners) == 2


@given(arrays(float, st.tuples(st.integers(3, 12), st.just(2)), elements=st.integers(-9, 9).map(float)))
def test_no_corner_could_be_left_out(points):
    corners = points[convex_hull(points)]
    if len(corners) > 2:
        for i in range(len(corners)):
            assert _turn(corners[i - 2], corners[i - 1], corners[i]) > 0


@given(arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(-9, 9).map(float)))
def test_the_corners_run_counter_clockwise_from_the_leftmost(points):
    x, y = points[convex_hull(points)].T
    assert x[0] == points[:, 0].min()
    twice_the_area = (x * np.roll(y, -1) - np.roll(x, -1) * y).sum()
    assert twice_the_area >= 0


def test_degenerate_points_have_a_hull_too():
    assert convex_hull(np.array([[1, 1], [1, 1], [1, 1]])) == [0]
    assert convex_hull(np.array([[0, 0], [2, 2], [1, 1]])) == [0, 1]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.zeros((0, 2)), r"\(0, 2\)"),
        (np.zeros((3, 3)), r"\(3, 3\)"),
        (np.array([[0, 0], [1, np.nan]]), r"points\[1, 1\] is nan"),
    ],
)
def test_bad_points_are_named(points, message, unchecked):
    with pytest.raises(ValueError, match=message):
        convex_hull(points)


def test_cosines_are_torchs():
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 7, 4))
    ours = cosine_similarity(query, key)
    theirs = torch.nn.functional.cosine_similarity(
        torch.from_numpy(query)[:, :, None], torch.from_numpy(key)[:, None], dim=-1
    )
    assert np.abs(ours - theirs.numpy()).max() < 1e-14
    lengths = np.linalg.norm(query, axis=-1)[..., None] * np.linalg.norm(key, axis=-1)[:, None]
    assert np.abs(ours * lengths - attention_scores(query, key, scale=1)).max() < 1e-13


def test_a_cosine_never_leaves_its_range_however_long_or_short_the_vectors():
    x = np.array([[1e-200, 2e-200, 3e-200], [1e200, 2e200, 3e200], [-0.1, -0.2, -0.3]])
    assert np.abs(np.abs(cosine_similarity(x, x)) - 1).max() < 1e-15
    assert np.abs(cosine_similarity(x, x)).max() <= 1
    assert cosine_similarity(x[2:].astype(np.float16), x[2:].astype(np.float16)).dtype == np.float16


def test_a_row_of_zeros_has_no_direction(unchecked):
    with pytest.raises(ValueError, match=r"key\[1\] is a row of zeros"):
        cosine_similarity(np.ones((3, 2)), np.array([[1, 1], [0, 0]]))
    with pytest.raises(ValueError, match=r"query\[0, 1\] is inf"):
        cosine_similarity(np.array([[1, np.inf]]), np.ones((1, 2)))
    with pytest.raises(ValueError, match="share d_k"):
        cosine_similarity(np.ones((3, 2)), np.ones((3, 4)))
