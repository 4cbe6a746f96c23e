"""How the programs of chapter 1 are judged: attention, weights by angle and by distance, a look-up with a temperature."""

import tracemalloc
from typing import Any

import numpy as np

from attnlib.exercises.harness import Case, Mistake, Property, call, compare, minus, numbers
from attnlib.exercises.slips import (
    ANY,
    COLUMNS,
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
from attnlib.scaled_dot_product import attention, attention_weights, softmax


def _tokens(n: int, d: int, seed: int, size: float = 1.0) -> np.ndarray:
    return size * np.random.default_rng(seed).normal(size=(n, d))


ONE_HOT = np.eye(4)[[0, 1, 3, 0, 2]]  # most of the scores are exactly 0

# Write it yourself -----------------------------------------------------------------------------


def _mixed(x: np.ndarray) -> np.ndarray:
    return attention(x, x, x, scale=1)


def _weights(x: np.ndarray) -> np.ndarray:
    return attention_weights(x, x, scale=1)


_AXES = "You compared axes, not tokens: `x.T @ x` is d × d. Tokens are the rows of `x`, so their scores are `x @ x.T`."


def _of_axes(x: np.ndarray) -> np.ndarray:
    """Weights of the axes in place of the tokens."""
    return weights(x.T @ x)


def _mixing(weigh: Weigh) -> Map:
    return lambda x: weigh(x @ x.T) @ x


def _without_itself(scores: np.ndarray) -> np.ndarray:
    if len(scores) == 1:
        raise ValueError("nothing is left to read")
    return weights(np.where(np.eye(len(scores), dtype=bool), -np.inf, scores))


def _one_vector_each(answer: Any) -> None:
    """The shape alone, for sentences of any length."""
    for n, d in ((7, 3), (4, 6), (1, 5), (5, 1), (1, 1)):
        got = numbers(call(answer, (_tokens(n, d, 1),))).shape
        if got == (n, n) != (n, d):
            raise Mistake(
                f"{n} tokens gave {n} × {n}: those are the weights. Multiply them by `x`, and return the mixture."
            )
        if got == (d, d) != (n, d):
            raise Mistake(_AXES)
        if got != (n, d):
            raise Mistake(f"{n} × {d} numbers should give as many, shape {(n, d)}, got {got}.")


ATTENTION_MISTAKES: Slips = [
    (COLUMNS, _mixing(lambda s: weights(s).T)),
    ("These are the weights themselves: multiply them by `x` to mix the tokens.", _weights),
    ("These are the scores: take their softmax, and multiply it by `x`.", lambda x: x @ x.T),
    ("This is `x` as it came: no token has read another.", lambda x: x),
    ("The tokens are mixed twice.", lambda x: _weights(x) @ _weights(x) @ x),
    ("`x` is added to the mixture. Return the mixture alone.", lambda x: _mixed(x) + x),
    ("Your scores are divided by √d. That comes in chapter 4: here they stay as they are.", lambda x: attention(x, x, x)),
    ("Your scores are divided by d: here they stay as they are.", lambda x: attention(x, x, x, scale=1 / x.shape[1])),
    ("Your scores are divided by √n: here they stay as they are.", lambda x: attention(x, x, x, scale=len(x) ** -0.5)),
    ("Your scores are divided by n: here they stay as they are.", lambda x: attention(x, x, x, scale=1 / len(x))),
    ("The lengths of the tokens do not count in your scores: they are cosines. Here dot products stay as they are.", lambda x: weights(_cosines(x)) @ x),
    ("Your scores are twice as large as `x @ x.T`: here they stay as they are.", lambda x: weights(2 * x @ x.T) @ x),
    ("A token does not read itself in yours. It may: nothing is hidden here.", lambda x: _without_itself(x @ x.T) @ x),
    ("Later tokens are hidden. That comes in chapter 5: here each token reads all.", lambda x: weights(np.where(np.tri(len(x)) > 0, x @ x.T, -np.inf)) @ x),
    ("The result holds whole numbers: an array that is made like an integer `x` (`np.zeros_like`) cuts fractions off. Make one of floats.", lambda x: _mixed(x).astype(x.dtype)),
    *((f"Rows after the first {n} stay 0: is a size fixed in your code?", lambda x, n=n: _mixed(x) * (np.arange(len(x)) < n)[:, None]) for n in LENGTHS),
    *((f"Columns after the first {n} have no part in your scores: is a size fixed in your code?", lambda x, n=n: _weights(x[:, :n]) @ x) for n in LENGTHS),
    (_AXES, _of_axes),
    (_AXES, lambda x: _of_axes(x) @ x.T),
    (_AXES, lambda x: x @ _of_axes(x)),
    *slips(_mixing, GRID),
]  # fmt: skip
SENTENCES: list[Case] = [
    (_tokens(4, 4, 3, 0.8),),
    (_tokens(7, 3, 1),),
    (_tokens(7, 3, 7),),
    (_tokens(4, 6, 2),),
    (ONE_HOT,),
    (np.array([[2, 0, -1], [0, 1, 0], [1, 1, 1], [0, 0, 0]]),),
    (_tokens(1, 5, 4),),
    (_tokens(5, 1, 5),),
    (_tokens(3, 140, 6, 0.1),),
    (_tokens(140, 2, 6),),
]
LONG_TOKENS: list[Case] = [
    (_tokens(5, 2, 3, 40.0),),
    (np.array([[71.0, 0.0], [70.0, 1.0], [0.0, 0.0], [0.0, -50.0]]),),
    (np.array([[30.0, 1.0], [30.0, 1.1], [-30.0, 0.9]]),),
]
WRITE_ATTENTION = (
    Property("one vector for each token", _one_vector_each),
    agrees("the weighted averages", _mixed, SENTENCES, ATTENTION_MISTAKES),
    agrees("tokens forty times as long", _mixed, LONG_TOKENS, ATTENTION_MISTAKES, slips(_mixing, LARGE)),
)

# Take the length out ---------------------------------------------------------------------------


def _cosines(x: np.ndarray) -> np.ndarray:
    return np.asarray(unit(x) @ unit(x).T)


def _cosine(x: np.ndarray) -> np.ndarray:
    return attention_weights(unit(x), unit(x), scale=1)


def _by_angle(weigh: Weigh) -> Map:
    return lambda x: weigh(_cosines(x))


def _rows_sum_to_one(answer: Any) -> None:
    for x in (_tokens(6, 4, 4), _tokens(1, 4, 4), _tokens(140, 3, 4)):
        array = numbers(call(answer, (x,)))
        n = len(x)
        if array.shape != (n, n):
            raise Mistake(f"{n} token{'s have' if n > 1 else ' has'} {n} × {n} weights, got shape {array.shape}.")
        if np.allclose(array.sum(axis=0), 1) and not np.allclose(array.sum(axis=1), 1):
            raise Mistake("The columns of your weights sum to 1, not the rows: the softmax runs over the queries.")
        compare(array.sum(axis=1), np.ones(n), what="The sum of a row", tolerance=1e-6)


def _ignores_length(answer: Any) -> None:
    x = _tokens(5, 3, 5)
    for lengths in ([1, 2, 3, 4, 5], [1e-3, 1, 200, 1, 1]):
        longer = x * np.array(lengths, dtype=float)[:, None]
        before, after = (numbers(call(answer, (case,))) for case in (x, longer))
        if before.shape != after.shape or not np.allclose(before, after):
            raise Mistake(
                "Longer vectors of the same directions change your weights: divide each row of `x` by its length before anything else.",
                before,
                after,
            )


ONE_SIDE = "Only one side is divided by its length, the queries or the keys: divide both."
COSINE_MISTAKES: Slips = [
    (COLUMNS, _by_angle(lambda s: weights(s).T)),
    ("These are the cosines: the softmax is missing.", _cosines),
    ("The lengths still count: these are the weights of `x` as it is.", _weights),
    (ONE_SIDE, lambda x: weights(unit(x) @ x.T)),
    (ONE_SIDE, lambda x: weights(x @ unit(x).T)),
    ("Each column of `x` is divided by its length, not each row: take the norm over `axis=1`.", lambda x: _weights(x / np.linalg.norm(x, axis=0))),
    ("All of `x` is divided by one number: the norm needs `axis=1`, one length for each row.", lambda x: _weights(x / np.linalg.norm(x))),
    ("The rows are divided by the longest row's length: each needs its own.", lambda x: _weights(x / np.linalg.norm(x, axis=1).max())),
    ("The rows are divided by their squared lengths: the square root is missing.", lambda x: _weights(x / (x**2).sum(axis=1, keepdims=True))),
    ("The rows are divided by the sum of their entries. A length adds squares, and takes the root.", lambda x: _weights(x / x.sum(axis=1, keepdims=True))),
    ("The rows are divided by the sizes of their entries added up. A length adds squares, and takes the root.", lambda x: _weights(x / np.abs(x).sum(axis=1, keepdims=True))),
    ("The rows are divided by their largest entry. A length adds squares, and takes the root.", lambda x: _weights(x / np.abs(x).max(axis=1, keepdims=True))),
    ("The scores are divided by the root of the lengths: divide each side by its whole length.", lambda x: weights(x @ x.T / np.sqrt(np.outer(*[np.linalg.norm(x, axis=1)] * 2)))),
    ("You subtract the lengths. Divide by them.", lambda x: _weights(x - np.linalg.norm(x, axis=1, keepdims=True))),
    ("The rows of the weights are divided by their lengths. Divide the rows of `x`, before the scores.", lambda x: unit(_weights(x))),
    ("The rows of the scores are divided by their lengths. Divide the rows of `x`, before the scores.", lambda x: weights(unit(x @ x.T))),
    ("Each row lost its mean before its length was taken: divide by the length alone.", lambda x: _cosine(x - x.mean(axis=1, keepdims=True)) if x.shape[1] > 1 else np.nan),
    ("The cosines are divided by √d. That comes in chapter 4: here they stay as they are.", lambda x: attention_weights(unit(x), unit(x))),
    ("The cosines are divided by d: here they stay as they are.", lambda x: weights(_cosines(x) / x.shape[1])),
    ("The outputs came back: return the weights.", lambda x: _cosine(x) @ x),
    ("The outputs came back: return the weights.", lambda x: _cosine(x) @ unit(x)),
    ("You compared axes, not tokens: cosines of rows are `unit @ unit.T`.", lambda x: weights(unit(x).T @ unit(x))),
    ("A token does not read itself in yours. It may: nothing is hidden here.", lambda x: _without_itself(_cosines(x))),
    *((f"Columns after the first {n} have no part in your scores: is a size fixed in your code?", lambda x, n=n: _cosine(x[:, :n])) for n in LENGTHS),
    *slips(_by_angle, GRID),
]  # fmt: skip
DIRECTIONS: list[Case] = [
    (_tokens(4, 4, 3, 2.0),),
    (_tokens(6, 4, 4),),
    (_tokens(6, 4, 7),),
    (_tokens(3, 5, 6),),
    (3 * ONE_HOT,),
    (_tokens(1, 3, 8),),
    (_tokens(5, 1, 9),),
    (_tokens(3, 140, 6),),
    (_tokens(140, 3, 6),),
]
COSINE_WEIGHTS = (
    Property("each row sums to 1", _rows_sum_to_one),
    Property("lengths do not count", _ignores_length),
    agrees("the weights", _cosine, DIRECTIONS, COSINE_MISTAKES),
)

# A look-up with a temperature ------------------------------------------------------------------


def _look_up(query: np.ndarray, keys: np.ndarray, values: np.ndarray, temperature: float) -> np.ndarray:
    return np.asarray(softmax(keys @ query / temperature) @ values)


def _case(n: int, d: int, d_v: int, temperature: float, size: float = 1.0, seed: int = 0) -> Case:
    rng = np.random.default_rng(seed or n)
    return size * rng.normal(size=d), rng.normal(size=(n, d)), rng.normal(size=(n, d_v)), temperature


def _blending(weigh: Weigh) -> Map:
    return lambda q, k, v, t: weigh(k @ q / t) @ v


LOOK_UP_MISTAKES: Slips = [
    ("You return the value of the best key alone. A blend takes a share of every value.", lambda q, k, v, t: v[np.argmax(k @ q)]),
    ("These are the weights of the keys: multiply them by `values`.", lambda q, k, v, t: weights(k @ q / t)),
    ("These are the scores: take their softmax, and blend the values with it.", lambda q, k, v, t: k @ q / t),
    ("Your blend is made of the keys: return the values, each by its weight.", lambda q, k, v, t: weights(k @ q / t) @ k),
    ("The values are weighted, and not added up: the answer is one vector.", lambda q, k, v, t: weights(k @ q / t)[:, None] * v),
    ("Your scores are divided by √d. That comes in chapter 4: divide by the temperature alone.", lambda q, k, v, t: weights(k @ q / t / len(q) ** 0.5) @ v),
    ("Your scores are divided by d: divide by the temperature alone.", lambda q, k, v, t: weights(k @ q / t / len(q)) @ v),
    ("Your scores are divided by √n: divide by the temperature alone.", lambda q, k, v, t: weights(k @ q / t / len(k) ** 0.5) @ v),
    ("The temperature works the wrong way: the scores are *divided* by it.", lambda q, k, v, t: weights(k @ q * t) @ v),
    ("The temperature changes nothing: divide the scores by it, before the softmax.", lambda q, k, v, t: weights(k @ q) @ v),
    ("The temperature is subtracted from every score, which changes no weight: divide by it.", lambda q, k, v, t: weights(k @ q - t) @ v),
    ("You divide by the temperature twice.", lambda q, k, v, t: weights(k @ q / t**2) @ v),
    ("You divide by the root of the temperature.", lambda q, k, v, t: weights(k @ q / t**0.5) @ v),
    ("The weights are divided by the temperature, after the softmax: divide the scores, before it.", lambda q, k, v, t: weights(k @ q) / t @ v),
    ("The powers are divided by the temperature: that cancels in their shares. Divide the scores, before `exp`.", lambda q, k, v, t: shares(np.exp(k @ q) / t) @ v),
    ("The lengths of query and keys do not count in yours: the score is the dot product as it is.", lambda q, k, v, t: weights(unit(k) @ q / np.linalg.norm(q) / t) @ v),
    ("The lengths of the keys do not count in yours: the score is the dot product as it is.", lambda q, k, v, t: weights(unit(k) @ q / t) @ v),
    ("Your scores are distances. Here they are dot products, `keys @ query`.", lambda q, k, v, t: weights(np.linalg.norm(k - q, axis=1) / t) @ v),
    ("Your scores are distances with a minus sign. Here they are dot products, `keys @ query`.", lambda q, k, v, t: weights(-np.linalg.norm(k - q, axis=1) / t) @ v),
    ("The result has an axis too many: one query has one vector, of as many numbers as a value.", lambda q, k, v, t: _look_up(q, k, v, t)[None]),
    *slips(_blending, ANY),
]  # fmt: skip
ONE_HOT_QUERY: Case = (np.array([0.0, 2.0, 0.0, -1.0]), ONE_HOT, _tokens(5, 2, 6), 1.0)
NEAR_0: list[Case] = [_case(9, 4, 2, 0.001), _case(9, 4, 2, 0.001, -0.5), _case(4, 3, 1, 0.0005)]
LOOK_UP_LARGE: list[Case] = [
    _case(8, 3, 2, 1.0, 3000.0),
    (np.array([1000.0]), np.array([[5.0], [5 + 2**-10], [1.0], [-7.0]]), _tokens(4, 3, 7), 1.0),
    (np.array([1.0]), np.array([[-3000.0], [2000.0], [1999.0]]), _tokens(3, 3, 4), 1.0),
    (np.array([-500.0, 0.0]), np.abs(_tokens(6, 2, 8)) + 2, _tokens(6, 3, 9), 0.5),
    (np.array([0.5, 0.0]), np.array([[-8.0, 1.0], [-8 - 2**-9, 2.0], [-9.0, 0.0]]), _tokens(3, 2, 9), 2**-10),
]
SOFT_LOOK_UP = (
    agrees(
        "temperature 1",
        _look_up,
        [
            _case(4, 4, 4, 1.0),
            _case(5, 3, 2, 1.0),
            _case(5, 3, 2, 1.0, seed=9),
            _case(4, 2, 6, 1.0),
            ONE_HOT_QUERY,
            _case(1, 3, 2, 1.0),
            _case(3, 1, 1, 1.0),
            _case(300, 3, 2, 1.0),
            _case(3, 140, 2, 1.0, 0.1),
        ],
        LOOK_UP_MISTAKES,
    ),
    agrees(
        "any temperature",
        _look_up,
        [_case(6, 3, 2, 0.5), _case(3, 4, 5, 2.5), _case(5, 2, 1, 0.2), _case(4, 3, 3, 30.0), (*ONE_HOT_QUERY[:3], 4)],
        LOOK_UP_MISTAKES,
    ),
    agrees("near 0 it is a look-up", _look_up, NEAR_0, LOOK_UP_MISTAKES, slips(_blending, LARGE)),
    agrees("scores in the thousands", _look_up, LOOK_UP_LARGE, LOOK_UP_MISTAKES, slips(_blending, LARGE)),
)

# Weights by distance ---------------------------------------------------------------------------


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
    return _tokens(n_q, d, seed, size), _tokens(n_k, d, seed + 100, size)


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
    (_tokens(6, 3, 11), _tokens(5, 3, 12) * np.array([[0.3], [3], [1], [2], [0.6]])),
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
    tracemalloc.start()
    try:
        call(answer, MANY_AXES)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if held > 40 * 50 * 200 * 2:
        raise Mistake(
            f"For 40 queries and 50 keys of 200 numbers your function held {held / 1e6:.1f} MB: that is an array of "
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
