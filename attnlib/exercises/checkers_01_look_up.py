"""How the program of chapter 1 about a look-up with a temperature is judged."""

import numpy as np

from attnlib.exercises.checkers_01 import ONE_HOT, tokens
from attnlib.exercises.harness import Case
from attnlib.exercises.slips import (
    ANY,
    LARGE,
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
ONE_HOT_QUERY: Case = (np.array([0.0, 2.0, 0.0, -1.0]), ONE_HOT, tokens(5, 2, 6), 1.0)
NEAR_0: list[Case] = [_case(9, 4, 2, 0.001), _case(9, 4, 2, 0.001, -0.5), _case(4, 3, 1, 0.0005)]
LOOK_UP_LARGE: list[Case] = [
    _case(8, 3, 2, 1.0, 3000.0),
    (np.array([1000.0]), np.array([[5.0], [5 + 2**-10], [1.0], [-7.0]]), tokens(4, 3, 7), 1.0),
    (np.array([1.0]), np.array([[-3000.0], [2000.0], [1999.0]]), tokens(3, 3, 4), 1.0),
    (np.array([-500.0, 0.0]), np.abs(tokens(6, 2, 8)) + 2, tokens(6, 3, 9), 0.5),
    (np.array([0.5, 0.0]), np.array([[-8.0, 1.0], [-8 - 2**-9, 2.0], [-9.0, 0.0]]), tokens(3, 2, 9), 2**-10),
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
