"""How the programs of chapter 1 are judged: attention, and weights by angle."""

from typing import Any

import numpy as np

from attnlib.exercises.harness import Case, Mistake, Property, call, compare, numbers
from attnlib.exercises.slips import (
    COLUMNS,
    GRID,
    LARGE,
    LENGTHS,
    Map,
    Slips,
    Weigh,
    agrees,
    slips,
    unit,
    weights,
)
from attnlib.scaled_dot_product import attention, attention_weights


def tokens(n: int, d: int, seed: int, size: float = 1.0) -> np.ndarray:
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
        array = numbers(call(answer, (tokens(n, d, 1),)))
        got = array.shape
        if got == (n, n) != (n, d):
            if not any(np.allclose(array.sum(axis=axis), 1) for axis in (0, 1)):
                raise Mistake(
                    f"{n} tokens gave {n} × {n}: a number for each pair. Return the tokens, mixed by weights."
                )
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
    (tokens(4, 4, 3, 0.8),),
    (tokens(7, 3, 1),),
    (tokens(7, 3, 7),),
    (tokens(4, 6, 2),),
    (ONE_HOT,),
    (np.array([[2, 0, -1], [0, 1, 0], [1, 1, 1], [0, 0, 0]]),),
    (tokens(1, 5, 4),),
    (tokens(5, 1, 5),),
    (tokens(3, 140, 6, 0.1),),
    (tokens(140, 2, 6),),
]
LONG_TOKENS: list[Case] = [
    (tokens(5, 2, 3, 40.0),),
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
    for x in (tokens(6, 4, 4), tokens(1, 4, 4), tokens(140, 3, 4)):
        array = numbers(call(answer, (x,)))
        n = len(x)
        if array.shape != (n, n):
            raise Mistake(f"{n} token{'s have' if n > 1 else ' has'} {n} × {n} weights, got shape {array.shape}.")
        if np.allclose(array.sum(axis=0), 1) and not np.allclose(array.sum(axis=1), 1):
            raise Mistake(COLUMNS)
        compare(array.sum(axis=1), np.ones(n), what="The sum of a row", tolerance=1e-6)


def _ignores_length(answer: Any) -> None:
    x = tokens(5, 3, 5)
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
    *(("Each row lost its mean before its length was taken: divide by the length alone.", lambda x, of=of: of(x - x.mean(axis=1, keepdims=True)))
      for of in (_cosine, lambda x: weights(_cosines(x)))),  # with one axis an error, or NaN
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
    (tokens(4, 4, 3, 2.0),),
    (tokens(6, 4, 4),),
    (tokens(6, 4, 7),),
    (tokens(3, 5, 6),),
    (3 * ONE_HOT,),
    (tokens(1, 3, 8),),
    (tokens(5, 1, 9),),
    (tokens(3, 140, 6),),
    (tokens(140, 3, 6),),
]
COSINE_WEIGHTS = (
    Property("each row sums to 1", _rows_sum_to_one),
    Property("lengths do not count", _ignores_length),
    agrees("the weights", _cosine, DIRECTIONS, COSINE_MISTAKES),
)
