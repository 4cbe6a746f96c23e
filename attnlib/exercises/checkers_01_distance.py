"""How the program of chapter 1 about weights by distance is judged."""

from typing import Any

import numpy as np

from attnlib.exercises.checkers_01 import ONE_HOT, tokens
from attnlib.exercises.harness import Case, Mistake, Property, call, call_traced, compare, minus, numbers
from attnlib.exercises.slips import (
    GRID,
    LARGE,
    LENGTHS,
    Map,
    Slips,
    Weigh,
    agrees,
    shares,
    slips,
    unit,
    weights,
)
from attnlib.scaled_dot_product import softmax


def _near(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """The scores q · k − ½‖k‖²: those of the definition, but for what is the same for a whole row."""
    return np.asarray(query @ keys.T - (keys**2).sum(axis=1) / 2)


def _distances(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """For each pair by its differences, so that a distance of 0 is one."""
    return np.stack([np.linalg.norm(keys - one, axis=1) for one in query])


def _by_distance(query: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return softmax(_near(query, keys))


def _nearing(weigh: Weigh) -> Map:
    return lambda q, k: weigh(_near(q, k))


def _nearing_in_full(weigh: Weigh) -> Map:
    return lambda q, k: weigh(-(_distances(q, k) ** 2) / 2)


def _pair(n_q: int, n_k: int, d: int, seed: int, size: float = 1.0) -> Case:
    return tokens(n_q, d, seed, size), tokens(n_k, d, seed + 100, size)


def _weights_of(answer: Any, case: Case) -> np.ndarray:
    """The weights of a case in which nothing is large: the shape is right, and all are finite."""
    array = numbers(call(answer, case))
    n_q, n_k = (len(points) for points in case)
    if array.shape == (n_k, n_q) != (n_q, n_k):
        raise Mistake("Your weights are transposed: a row is a query, a column a key.")
    if array.shape != (n_q, n_k):
        raise Mistake(f"Weights of n_q = {n_q} and n_k = {n_k} should have shape {(n_q, n_k)}, got {array.shape}.")
    if not np.isfinite(array).all():
        raise Mistake(
            "A weight is NaN or ∞, though all points are near 0: is something divided by a distance or a length that is 0?"
        )
    return array


def _shares_of_one(answer: Any) -> None:
    for case in (_pair(3, 5, 4, 1), _pair(6, 2, 3, 2), _pair(1, 4, 2, 3), _pair(4, 1, 2, 4), _pair(150, 140, 3, 5)):
        array = _weights_of(answer, case)
        if np.allclose(array.sum(axis=0), 1) and not np.allclose(array.sum(axis=1), 1):
            raise Mistake("The columns of your weights sum to 1, not the rows: the softmax runs over the queries.")
        compare(array.sum(axis=1), np.ones(len(array)), what="The sum of a row", tolerance=1e-5)


UNEQUAL: list[Case] = [  # keys of unequal length, first those of the chapter
    (np.array([[1.0, 0.0]]), np.array([[3.0, 3.0], [1.0, 0.0]])),
    (np.array([[1.0, 0.5], [-1.0, 1.0], [0.0, 0.0]]), np.array([[4.0, 2.0], [-3.0, 3.5], [0.5, 0.5], [-1.0, 0.0]])),
    (tokens(6, 3, 11), tokens(5, 3, 12) * np.array([[0.3], [3], [1], [2], [0.6]])),
]


def _nearest_first(answer: Any) -> None:
    for case in UNEQUAL:
        array, far = _weights_of(answer, case), _distances(*case)
        for i, (row, distance) in enumerate(zip(array, far, strict=True)):
            near = int(distance.argmin())
            other = max((j for j in range(len(row)) if j != near), key=lambda j: row[j])
            if row[other] >= row[near]:
                raise Mistake(
                    f"Query {i} stands at distance {distance[near]:.2f} from key {near} and {distance[other]:.2f} from "
                    f"key {other}. But in yours key {near} gets {minus(f'{row[near]:.2f}')}, and key {other} gets "
                    f"{minus(f'{row[other]:.2f}')}. The nearest must get most, however long the others are."
                )


def _moved_together(answer: Any) -> None:
    for case, by in ((_pair(4, 5, 3, 6), [2, -3, 1]), (_pair(3, 3, 2, 7), [-1, 0.5])):
        moved = tuple(points + np.array(by, dtype=float) for points in case)
        before, after = (_weights_of(answer, one) for one in (case, moved))
        if not np.allclose(before, after, rtol=1e-4, atol=1e-4):
            raise Mistake(
                "All queries and keys were moved by one vector, and your weights changed. No distance did: "
                "something else than the distance counts in yours.",
                before,
                after,
            )


def _of_columns(n: int) -> Map:
    return lambda q, k: _by_distance(q[:, :n], k[:, :n])


UNSQUARED = "Your scores hold the distances themselves: they belong squared."
UNHALVED = "The ½ is missing: your scores are twice as large, and the nearest key gets too much."
ADDED = "½‖k‖² is added to the scores: subtract it. Of two keys with the same dot product the longer is farther away."
INVERSE = "Your weights are shares of 1/distance. A softmax shares out powers of e: here the power is −½‖q − k‖²."
DISTANCE_MISTAKES: Slips = [
    ("Your weights are those of the dot products alone, and a long key gets too much: ‖k‖² has no part in them. What is the same for a whole row, such as ‖q‖², drops out.", lambda q, k: weights(q @ k.T)),
    ("All weights are the same: yours do not depend on the distances.", lambda q, k: np.full((len(q), len(k)), 1 / len(k))),
    (ADDED, lambda q, k: weights(q @ k.T + (k**2).sum(axis=1) / 2)),
    ("‖k‖² is added to the scores: subtract it, and half of it alone.", lambda q, k: weights(q @ k.T + (k**2).sum(axis=1))),
    (UNSQUARED, lambda q, k: weights(-_distances(q, k))),
    (UNSQUARED, lambda q, k: weights(-_distances(q, k) / 2)),
    (UNHALVED, lambda q, k: weights(2 * _near(q, k))),
    ("The queries' squared lengths are taken from the columns of the scores. A column is a key: its own squared length belongs there.", lambda q, k: weights(q @ k.T - (q**2).sum(axis=1) / 2)),
    ("The keys' squared lengths stand in a column, and are taken from rows: there they drop out of the softmax. One number for each key belongs to its *column* of the scores.", lambda q, k: weights(q @ k.T - (k**2).sum(axis=1, keepdims=True) / 2)),
    ("The queries' squared lengths lie along the columns, which are keys. A query's own is the same for its whole row: leave it out, or make it a column with `keepdims=True`.", lambda q, k: weights(_near(q, k) - (q**2).sum(axis=1) / 2)),
    ("The keys' squares are added up over the keys, one sum for each axis: a length adds up along a row, axis=1.", lambda q, k: weights(q @ k.T - (k**2).sum(axis=0) / 2)),
    ("All of ‖k‖² is taken from q · k. The ½ before the squared distance halves it.", lambda q, k: weights(q @ k.T - (k**2).sum(axis=1))),
    ("q · k counts twice. The ½ before the squared distance halves 2 q · k too.", lambda q, k: weights(2 * q @ k.T - (k**2).sum(axis=1) / 2)),
    ("q · k counts half. In the squared distance it stands twice, and the ½ leaves it once.", lambda q, k: weights((q @ k.T - (k**2).sum(axis=1)) / 2)),
    ("q · k has the wrong sign: your weights fall with ‖q + k‖, the distance from −q.", lambda q, k: weights(-q @ k.T - (k**2).sum(axis=1) / 2)),
    ("The dot products are missing: your weights fall with a key's length, whatever the query is.", lambda q, k: weights(0 * q @ k.T - (k**2).sum(axis=1) / 2)),
    ("‖k‖ is taken from the scores where ½‖k‖² belongs: a root too many.", lambda q, k: weights(q @ k.T - np.linalg.norm(k, axis=1))),
    ("½‖k‖ is taken from the scores where ½‖k‖² belongs: a root too many.", lambda q, k: weights(q @ k.T - np.linalg.norm(k, axis=1) / 2)),
    ("The minus is missing: the farthest key gets most.", lambda q, k: weights(_distances(q, k) ** 2 / 2)),
    ("The minus is missing: the farthest key gets most. And the ½ is too.", lambda q, k: weights(_distances(q, k) ** 2)),
    ("The minus is missing: the farthest key gets most. And distances belong squared.", lambda q, k: weights(_distances(q, k))),
    ("The minus is missing: the farthest key gets most. And distances belong squared.", lambda q, k: weights(_distances(q, k) / 2)),
    ("The differences are added up and then squared: square each, and add up the squares.", lambda q, k: weights(-((q[:, None] - k).sum(axis=-1) ** 2) / 2)),
    ("The sizes of the differences are added up: square them first.", lambda q, k: weights(-np.abs(q[:, None] - k).sum(axis=-1) / 2)),
    ("The sizes of the differences are added up: square them first.", lambda q, k: weights(-np.abs(q[:, None] - k).sum(axis=-1))),
    ("The squares are averaged over the axes: add them up.", lambda q, k: weights(_near(q, k) / q.shape[1])),
    ("Your scores are divided by √d. That comes in chapter 4: here they stay as they are.", lambda q, k: weights(_near(q, k) / q.shape[1] ** 0.5)),
    ("The lengths are divided away: these are weights by angle. A distance counts both.", lambda q, k: weights(unit(q) @ unit(k).T)),
    ("½‖k‖² is cut to a whole number by `//`: divide with `/`.", lambda q, k: weights(q @ k.T - (k**2).sum(axis=1) // 2)),
    (INVERSE, lambda q, k: shares(1 / _distances(q, k))),
    (INVERSE, lambda q, k: shares(1 / _distances(q, k) ** 2)),
    (INVERSE, lambda q, k: shares(1 / (1 + _distances(q, k)))),
    (INVERSE, lambda q, k: shares(1 / (1 + _distances(q, k) ** 2))),
    ("These are the squared distances. Their softmax is missing, with −½ before them.", lambda q, k: _distances(q, k) ** 2),
    ("These are the distances. The softmax of −½ times their squares is missing.", _distances),
    ("The keys are mixed: return the weights.", lambda q, k: _by_distance(q, k) @ k),
    ("The result holds whole numbers: an array that is made like an integer one (`np.zeros_like`) cuts fractions off. Make one of floats.", lambda q, k: _by_distance(q, k).astype(np.result_type(q, k))),
    *((f"Columns after the first {n} have no part in your distances: is a size fixed in your code?", _of_columns(n)) for n in LENGTHS),
    *slips(_nearing_in_full, GRID),
    *slips(_nearing, GRID),
]  # fmt: skip
POINTS: list[Case] = [
    _pair(4, 4, 4, 3, 0.8),
    _pair(3, 5, 2, 1),
    _pair(3, 5, 2, 2),
    _pair(6, 2, 3, 4),
    (ONE_HOT, ONE_HOT[[1, 3, 2]] * np.array([[1.0], [2.0], [0.5]])),
    (np.array([[2, 0, -1], [0, 1, 0], [1, 1, 1], [9, 0, 9]]), np.array([[1, 0, 0], [0, 1, 0], [9, 0, 9]])),
    _pair(1, 4, 3, 5),
    _pair(4, 1, 3, 6),
    _pair(5, 3, 1, 7),
    _pair(3, 4, 140, 8, 0.1),
    _pair(135, 140, 2, 9),
]
FAR_POINTS: list[Case] = [
    (
        np.array([[71.0, 0.0], [70.0, 1.0], [0.0, -60.0], [-50.0, 50.0]]),
        np.array([[71.0, 0.0], [70.0, 1.0], [70.0, 0.0], [0.0, 50.0]]),
    ),
    (
        np.array([[30.0, 1.0], [-30.0, 1.0], [0.0, 100.0]]),
        np.array([[30.0, 1.0], [30.0, 1.5], [-30.0, 0.5], [-31.0, 1.0]]),
    ),
    _pair(5, 5, 2, 3, 40.0),
]
NO_POWER = "A query far from every key gets NaN: all its powers are rounded to 0, and 0/0 is left. Subtract each row's largest score before `exp`."
FAR_MISTAKES: Slips = [
    (NO_POWER, lambda q, k: shares(np.exp(-(_distances(q, k) ** 2) / 2))),
    ("A query far from every key gets a row of 0, by powers that are all rounded to 0. Subtract each row's largest score before `exp`.", lambda q, k: np.nan_to_num(shares(np.exp(-(_distances(q, k) ** 2) / 2)))),
    *slips(_nearing, LARGE),
    *slips(_nearing_in_full, LARGE),
]  # fmt: skip
MANY_AXES = _pair(40, 50, 200, 10, 0.15)
OF_MANY_AXES = agrees("many axes", _by_distance, [MANY_AXES], DISTANCE_MISTAKES)


def _no_cube(answer: Any) -> None:
    """Points of many axes, in memory that no array of all differences fits into."""
    OF_MANY_AXES.test(answer)
    _, held = call_traced(answer, MANY_AXES)
    if held > (most := 40 * 50 * 200 * 3):
        raise Mistake(
            f"For 40 queries and 50 keys of 200 numbers your function held more than {most / 1e6} MB: that is an array of "
            "n_q × n_k × d. Multiply the squared distance out: then one matrix product does the work of all differences."
        )


DISTANCE_WEIGHTS = (
    Property("each row sums to 1", _shares_of_one),
    Property("the nearest key gets most", _nearest_first),
    Property("only distances count", _moved_together),
    agrees("the weights", _by_distance, POINTS, DISTANCE_MISTAKES),
    agrees("scores in the thousands", _by_distance, FAR_POINTS, DISTANCE_MISTAKES, FAR_MISTAKES),
    Property("no array of n_q × n_k × d", _no_cube),
)
