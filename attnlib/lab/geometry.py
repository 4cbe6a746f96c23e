"""The little plane geometry that the pictures need."""

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.arguments import broadcast_batch, check_rows
from attnlib.checks import as_array, as_number, forbid, must_be_finite, must_fit, returned, working_copies
from attnlib.scaled_dot_product import attention_scores


def cosine_similarity(
    query: Real[Array, "*#batch n_q d"], key: Real[Array, "*#batch n_k d"]
) -> Float[Array, "*batch n_q n_k"]:
    """The cosine of the angle between each query and each key: q·k / (|q| |k|), from −1 to 1.

    The score without its lengths: q·k = |q| |k| cos.

    Args:
        query: rows of queries, (…, n_q, d).
        key: rows of keys, (…, n_k, d).

    Returns:
        The cosines, (…, n_q, n_k).

    Raises:
        ValueError: for a row of zeros, which has no direction, naming it, and as `attention_scores` does.

    Source: Any book on linear algebra; Manning, Raghavan & Schütze (2008), section 6.3.

    >>> cosine_similarity(np.array([[1, 0]]), np.array([[2, 0], [0, 3], [-1, 0]]))
    array([[ 1.,  0., -1.]])
    """
    (query, key), dtype = working_copies(query=query, key=key)
    check_rows(query, key)
    must_be_finite(query=query, key=key)
    directions = []
    for name, rows in (("query", query), ("key", key)):
        largest = np.abs(rows).max(axis=-1, keepdims=True)
        forbid(name, largest[..., 0], largest[..., 0] == 0, "is a row of zeros: it has no direction")
        rows = rows / largest  # so that no square leaves the range
        directions.append(rows / np.linalg.norm(rows, axis=-1, keepdims=True))
    return returned(attention_scores(*directions, scale=1).clip(-1, 1), dtype, "query and key are")


def lone_corners(points: Real[Array, "n 2"]) -> list[int]:
    """The corners of the convex hull of points in a plane, but for those where another point stands.

    These are the points that some query, by the dot product, reads more than all others.

    Args:
        points: in a plane, (n, 2).

    Returns:
        Their numbers, in rising order.

    Raises:
        ValueError: as `convex_hull` does.

    >>> lone_corners(np.array([[0, 0], [1, 0], [0, 1], [1, 0], [0.2, 0.2]]))
    [0, 2]
    """
    corners = convex_hull(points)
    return sorted(i for i in corners if (np.asarray(points) == np.asarray(points)[i]).all(axis=1).sum() == 1)


def distance_scores(
    query: Real[Array, "*#batch n_q d"], key: Real[Array, "*#batch n_k d"]
) -> Float[Array, "*batch n_q n_k"]:
    """Scores that fall with the distance from query to key: −½ |q − k|² = q·k − ½ |k|² − ½ |q|².

    The softmax of a row does not see the last term, so distance is the dot product less ½ |k|².

    Args:
        query: rows of queries, (…, n_q, d).
        key: rows of keys, (…, n_k, d).

    Returns:
        The scores, (…, n_q, n_k), 0 or less.

    Raises:
        ValueError: for widths that differ, for batches that do not broadcast, for entries that are not finite,
            and for a distance too large to be held.

    >>> distance_scores(np.array([[1, 0]]), np.array([[1, 0], [3, 3]]))
    array([[ 0. , -6.5]])
    """
    (query, key), dtype = working_copies(query=query, key=key)
    check_rows(query, key)
    broadcast_batch(query=query, key=key)
    must_be_finite(query=query, key=key)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = query[..., :, None, :] - key[..., None, :, :]
        scores = 0 - (apart**2).sum(axis=-1) / 2
    must_fit("the squared distance", scores, "query and key are")
    return returned(scores, dtype, "query and key are")


def convex_hull(points: Real[Array, "n 2"]) -> list[int]:
    """The corners of the smallest convex polygon around `points`, as indices, counter-clockwise.

    The first corner is the leftmost point (the lowest of these). Points on an edge and repeated
    points are left out; points all on one line give its two ends, equal points give one.

    Args:
        points: one in each row, (n, 2).

    Returns:
        The rows of `points` that are corners; a single one where all points are the same.

    Raises:
        ValueError: when `points` is not n × 2 with n ≥ 1, or an entry is not finite.

    Source: Andrew (1979), "Another efficient algorithm for convex hulls in two dimensions".

    >>> convex_hull(np.array([[0, 0], [2, 0], [1, 1], [0, 2]]))
    [0, 1, 3]
    """
    points = as_array("points", points).astype(float)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"points must be n × 2 with n ≥ 1, got shape {points.shape}")
    must_be_finite(points=points)
    points = points / max(1.0, np.abs(points).max() / 1e150)  # so that no product leaves the range
    order = [int(i) for i in np.lexsort((points[:, 1], points[:, 0]))]
    lower, upper = _left_turns(points, order), _left_turns(points, order[::-1])
    return lower[:-1] + upper[:-1] or lower


def stretch_matrix(along: float, across: float, degrees: float = 0.0) -> Float[Array, "2 2"]:
    """The U that stretches the plane by `along` in the direction `degrees` and by `across` at a right angle to it.

    U = along · e eᵀ + across · f fᵀ with e = (cos θ, sin θ), f = (−sin θ, cos θ). It is symmetric, and a token x lies
    at distance 1 from 0 after it, |xU| = 1, on the ellipse with the half-axes e / along and f / across. Every metric
    UUᵀ of the plane comes from such a U.

    Args:
        along, across: the factors.
        degrees: the direction, θ.

    Returns:
        The symmetric matrix U, (2, 2).

    Raises:
        ValueError: for a number that is not finite.

    Source: Horn & Johnson (2013), *Matrix Analysis*, section 7.3, on the polar decomposition.

    >>> stretch_matrix(2, 0.5, 90).round(2)
    array([[0.5, 0. ],
           [0. , 2. ]])
    """
    along, across = as_number("along", along), as_number("across", across)
    turn = np.deg2rad(as_number("degrees", degrees) % 360)
    cos, sin = np.cos(turn), np.sin(turn)
    with np.errstate(over="ignore", invalid="ignore"):
        mixed = (along - across) * cos * sin
        u = np.array([[along * cos**2 + across * sin**2, mixed], [mixed, along * sin**2 + across * cos**2]])
    must_fit("u", u, "along and across are")
    return u


def _left_turns(points: Array, order: list[int]) -> list[int]:
    """The chain of left turns through the points in the given order."""
    chain: list[int] = []
    for i in order:
        if chain and (points[chain[-1]] == points[i]).all():
            continue
        while len(chain) > 1 and _turn(*points[[chain[-2], chain[-1], i]]) <= 0:
            chain.pop()
        chain.append(i)
    return chain


def _turn(a: Array, b: Array, c: Array) -> float:
    """Positive when a → b → c turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
