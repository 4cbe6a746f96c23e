"""The convex hull, by the definition of one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnlib import convex_hull
from attnlib.geometry import _turn


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
        (np.array([[0, 0], [1, np.nan]]), r"points\[1\]"),
    ],
)
def test_bad_points_are_named(points, message, unchecked):
    with pytest.raises(ValueError, match=message):
        convex_hull(points)
