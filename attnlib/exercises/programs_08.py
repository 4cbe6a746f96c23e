"""How the programs of chapter 8 are judged: positions, and what heads do."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from attnlib.exercises.slips import Slips, agrees
from attnlib.positions import rotary_embedding, sinusoidal_encoding


def _drawn(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


# Places as waves -------------------------------------------------------------------------------


def _waves(
    n: int, d: int, *, start: int = 0, power: Callable[[np.ndarray, int], np.ndarray] | None = None
) -> tuple[Any, Any]:
    c = np.arange(d // 2)
    exponent = -2 * c / d if power is None else power(c, d)
    angles = np.arange(start, start + n)[:, None] * 10_000.0**exponent
    return np.sin(angles), np.cos(angles)


def _in_turns(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.stack([first, second], axis=-1).reshape(len(first), -1)


def _own_columns(n: int, d: int, step: int) -> np.ndarray:
    column = np.arange(d)
    angles = np.arange(n)[:, None] * 10_000.0 ** (-step * column / d)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))


WAVE_MISTAKES: Slips = [
    ("All sines come first, then all cosines. They should take turns: sine in column 2c, cosine in column 2c + 1.", lambda n, d: np.hstack(_waves(n, d))),
    ("Sine and cosine are exchanged: the sine has the even columns.", lambda n, d: _in_turns(*_waves(n, d)[::-1])),
    ("The positions start at 1. They count from 0, so the first row is 0, 1, 0, 1, …", lambda n, d: _in_turns(*_waves(n, d, start=1))),
    ("The frequencies fall half as fast as they should: the exponent is −2c/d, not −c/d.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -c / d))),
    ("The frequencies rise: the exponent of the base is negative.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: 2 * c / d))),
    ("Every pair has the frequency 1: the base is missing.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: 0.0 * c))),
    ("Rows and columns are exchanged: a row for each position.", lambda n, d: sinusoidal_encoding(n, d).T),
    ("Every column has a frequency of its own. The two columns of a pair share one.", lambda n, d: _own_columns(n, d, 1)),
    ("Every column has a frequency of its own. The two columns of a pair share one.", lambda n, d: _own_columns(n, d, 2)),
    ("The frequencies begin one step too low: ω_0 is 1.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -2 * (c + 1) / d))),
    ("The frequencies end at 1/10000: you divide by d/2 − 1. The exponent is −2c/d.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -c / max(d // 2 - 1, 1)))),
    ("The frequencies fall twice as fast as they should: the exponent is −2c/d.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -4 * c / d))),
    ("The frequencies do not depend on d: the exponent is −2c/d.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -2.0 * c))),
    ("The base is 1000. It should be 10000.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -1.5 * c / d))),
    ("The sine stands in both columns of a pair. The second takes the cosine.", lambda n, d: _in_turns(_waves(n, d)[0], _waves(n, d)[0])),
    ("The cosine stands in both columns of a pair. The first takes the sine.", lambda n, d: _in_turns(_waves(n, d)[1], _waves(n, d)[1])),
    ("Those are the angles: take their sine and cosine.", lambda n, d: np.arange(n)[:, None] * np.repeat(10_000.0 ** (-2 * np.arange(d // 2) / d), 2)),
    ("The columns of the cosine are 0.", lambda n, d: _in_turns(_waves(n, d)[0], 0 * _waves(n, d)[0])),
]  # fmt: skip

# Turn in halves --------------------------------------------------------------------------------


def _turn(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return np.asarray(rotary_embedding(x, positions, layout="half"))


def _turned_by(angles: np.ndarray, x: np.ndarray) -> np.ndarray:
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=-1)


def _angles(x: np.ndarray, positions: np.ndarray, step: int = 2) -> np.ndarray:
    d = x.shape[-1]
    return np.asarray(positions[:, None] * 10_000.0 ** (-step * np.arange(d // 2) / d))


TURN_MISTAKES: Slips = [
    ("That is the interleaved layout, with pairs 2c and 2c + 1. In the half layout column c goes with column c + d/2.", lambda x, p: rotary_embedding(x, p, layout="interleaved")),
    ("You turn backwards: (a, b) becomes (a cos − b sin, a sin + b cos).", lambda x, p: _turned_by(-_angles(x, p), x)),
    ("The positions are ignored: you turn by 0, 1, 2, …", lambda x, p: _turn(x, np.arange(x.shape[-2]))),
    ("The frequencies fall half as fast as they should: the exponent is −2c/d.", lambda x, p: _turned_by(_angles(x, p, 1), x)),
    ("Every pair turns as fast as the first.", lambda x, p: _turned_by(_angles(x, p, 0), x)),
    ("The new b is made from the new a. Keep both old columns until both new ones are made.", lambda x, p: _one_after_the_other(x, p)),
    ("Nothing is turned.", lambda x, p: x),
    ("The positions are one too high: turn by `positions` as they are.", lambda x, p: _turn(x, p + 1)),
    ("You turn by the distance from the first position. Turn by the positions themselves.", lambda x, p: _turn(x, p - p[0])),
    ("All rows are turned by the first position. Each has its own.", lambda x, p: _turn(x, np.full_like(p, p[0]))),
    ("The positions are taken in reverse order.", lambda x, p: _turn(x, p[::-1])),
    ("The frequencies fall twice as fast as they should: the exponent is −2c/d.", lambda x, p: _turned_by(_angles(x, p, 4), x)),
    ("The frequencies rise: the exponent of the base is negative.", lambda x, p: _turned_by(_angles(x, p, -2), x)),
    ("The two new halves are exchanged: the first has a cos − b sin.", lambda x, p: np.roll(_turn(x, p), x.shape[-1] // 2, axis=-1)),
    ("Both terms of the first half are added: it is a cos − b sin.", lambda x, p: _both(x, p, 1, 1)),
    ("Both new halves have a minus: the second is a sin + b cos.", lambda x, p: _both(x, p, -1, -1)),
    ("Only the first half is new: the second is a sin + b cos.", lambda x, p: np.concatenate([np.split(_turn(x, p), 2, axis=-1)[0], np.split(x, 2, axis=-1)[1]], axis=-1)),
    ("Only the second half is new: the first is a cos − b sin.", lambda x, p: np.concatenate([np.split(x, 2, axis=-1)[0], np.split(_turn(x, p), 2, axis=-1)[1]], axis=-1)),
    ("Sine and cosine are exchanged.", lambda x, p: _turned_by(np.pi / 2 - _angles(x, p), x)),
    ("The angles are in radians already: nothing is to be made of degrees.", lambda x, p: _turned_by(np.deg2rad(_angles(x, p)), x)),
    ("The columns of x are only multiplied by the cosine: the other half's sine is missing.", lambda x, p: x * np.tile(np.cos(_angles(x, p)), 2)),
    ("The sinusoidal table is added, as at a model's start. RoPE turns.", lambda x, p: x + np.concatenate([np.sin(_angles(x, p)), np.cos(_angles(x, p))], axis=-1)),
    ("The result of the first sentence or head alone came.", lambda x, p: _turn(x, p)[0]),
]  # fmt: skip


def _both(x: np.ndarray, positions: np.ndarray, first: int, second: int) -> np.ndarray:
    """Turned halves with signs of their own."""
    (a, b), angles = np.split(x, 2, axis=-1), _angles(x, positions)
    return np.concatenate(
        [a * np.cos(angles) + first * b * np.sin(angles), a * np.sin(angles) + second * b * np.cos(angles)], axis=-1
    )


def _one_after_the_other(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    half, angles = x.shape[-1] // 2, _angles(x, positions)
    a = x[..., :half] * np.cos(angles) - x[..., half:] * np.sin(angles)
    return np.concatenate([a, a * np.sin(angles) + x[..., half:] * np.cos(angles)], axis=-1)


def _rows(seed: int, positions: Sequence[int], *shape: int) -> tuple[np.ndarray, np.ndarray]:
    return _drawn(seed, (*shape[:-1], len(positions), shape[-1]))[0], np.array(positions)


# A bias for each distance ----------------------------------------------------------------------


def _by_distance(table: np.ndarray, n: int) -> np.ndarray:
    back = np.subtract.outer(np.arange(n), np.arange(n))
    return np.where(back < 0, -np.inf, table[back.clip(0, len(table) - 1)])


BIAS_MISTAKES: Slips = [
    ("Rows and columns are exchanged: entry [i, j] is for the query i, so its key stands i − j places before it.", lambda t, n: _by_distance(t, n).T),
    ("Keys after the query get a number. They should get −∞, as under the causal mask.", lambda t, n: t[np.abs(np.subtract.outer(np.arange(n), np.arange(n))).clip(0, len(t) - 1)]),
    ("Keys after the query get a number. They should get −∞, as under the causal mask.", lambda t, n: t[np.subtract.outer(np.arange(n), np.arange(n)).clip(0, len(t) - 1)]),
    ("Keys after the query get 0, and may still be read. They should get −∞.", lambda t, n: np.where(np.tri(n, dtype=bool), _by_distance(t, n), 0)),
    ("A key at the query's own place is blocked: its distance is 0, and table[0] is for it.", lambda t, n: np.where(np.tri(n, k=-1, dtype=bool), _by_distance(t, n), -np.inf)),
    ("The distances are off by one: table[0] is for the query's own place.", lambda t, n: _by_distance(np.append(t[1:], t[-1]), n)),
    ("The distances are one too small: table[1] is for the key before the query, not table[0].", lambda t, n: _by_distance(np.append(t[0], t), n)),
    ("Distances beyond the table get 0. They share its last entry.", lambda t, n: _by_distance(np.append(t, 0), n)),
    ("Distances beyond the table get −∞. They share its last entry.", lambda t, n: _by_distance(np.append(t, -np.inf), n)),
    ("Distances beyond the table get its first entry. They share its last one.", lambda t, n: _by_distance(np.append(t, t[0]), n)),
    ("Distances from the table's last entry on get the one before it: there is room for len(table) distances.", lambda t, n: _by_distance(t[: max(len(t) - 1, 1)], n)),
    ("The table is read from its end. table[0] is for distance 0.", lambda t, n: _by_distance(t[::-1], n)),
    ("The signs are turned: a bias is added as it stands in the table.", lambda t, n: np.where(np.tri(n, dtype=bool), -_by_distance(t, n), -np.inf)),
    ("A bias of exactly 0 blocks its key. It is a number like any other.", lambda t, n: np.where(_by_distance(t, n) == 0, -np.inf, _by_distance(t, n))),
    ("+∞ stands where −∞ should.", lambda t, n: np.where(np.tri(n, dtype=bool), _by_distance(t, n), np.inf)),
    ("A large finite number stands in place of −∞.", lambda t, n: np.where(np.tri(n, dtype=bool), _by_distance(t, n), -1e9)),
    ("Keys before the query get −∞, and those after it a number. Rows are queries.", lambda t, n: np.where(np.tri(n, dtype=bool).T, t[np.abs(np.subtract.outer(np.arange(n), np.arange(n))).clip(0, len(t) - 1)], -np.inf)),
    ("The same row stands there for each query. A row begins with the largest distance.", lambda t, n: np.broadcast_to(t[np.arange(n).clip(0, len(t) - 1)], (n, n))),
    ("Distances count from the first key: a key's place chooses its bias. What counts is i − j.", lambda t, n: np.where(np.tri(n, dtype=bool), t[np.arange(n).clip(0, len(t) - 1)], -np.inf)),
    ("The query's place chooses the bias. What counts is i − j.", lambda t, n: np.where(np.tri(n, dtype=bool), t[np.arange(n).clip(0, len(t) - 1)][:, None], -np.inf)),
    ("Distances beyond the table start it anew. They share its last entry.", lambda t, n: np.where(np.tri(n, dtype=bool), t[np.subtract.outer(np.arange(n), np.arange(n)) % len(t)], -np.inf)),
]  # fmt: skip

# Who reads the token before --------------------------------------------------------------------


def _before(weights: np.ndarray, back: int = 1) -> np.ndarray:
    return np.asarray(np.diagonal(weights, -back, -2, -1).mean(axis=-1))


BEFORE_MISTAKES: Slips = [
    ("You divide by n. The first token has none before it, so n − 1 queries count.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / w.shape[-1]),
    ("That is the weight on the token *after*: query and key are exchanged.", lambda w: _before(w, -1)),
    ("That is the weight on the token itself.", lambda w: _before(w, 0)),
    ("That is the weight on the second token before.", lambda w: _before(w, 2)),
    ("You average over the heads too. Return a score for each head.", lambda w: _before(w).mean()),
    ("You count how often the token before gets the largest weight. Take the mean of its weight.", lambda w: (w.argmax(axis=-1)[:, 1:] == np.arange(w.shape[-1] - 1)).mean(axis=-1)),
    ("That is the largest weight on a token before. Take the mean.", lambda w: np.diagonal(w, -1, -2, -1).max(axis=-1)),
    ("That is the smallest weight on a token before. Take the mean.", lambda w: np.diagonal(w, -1, -2, -1).min(axis=-1)),
    ("That is the median. Take the mean.", lambda w: np.median(np.diagonal(w, -1, -2, -1), axis=-1)),
    ("That is the sum over all tokens. Take the mean.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1)),
    ("The first token counts, with its weight on the *last* one: index −1 goes round. It has none before it.", lambda w: (np.diagonal(w, -1, -2, -1).sum(axis=-1) + w[:, 0, -1]) / w.shape[-1]),
    ("The first token counts, with its weight on itself. It has none before it.", lambda w: (np.diagonal(w, -1, -2, -1).sum(axis=-1) + w[:, 0, 0]) / w.shape[-1]),
    ("That is the last token's weight alone. Take the mean over all but the first.", lambda w: w[:, -1, -2]),
    ("That is the second token's weight alone. Take the mean over all but the first.", lambda w: w[:, 1, 0]),
    ("You divide by n − 2. n − 1 queries have a token before.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / (w.shape[-1] - 2)),
    ("All tokens before count together. Take the weight on the one just before.", lambda w: np.tril(w, -1).sum(axis=-1)[:, 1:].mean(axis=-1)),
    ("The first query that has a token before, query 1, is left out.", lambda w: np.diagonal(w, -1, -2, -1)[:, 1:].mean(axis=-1)),
    ("The last query is left out.", lambda w: np.diagonal(w, -1, -2, -1)[:, :-1].mean(axis=-1)),
    ("Those are the weights of all tokens. Take their mean, for each head.", lambda w: np.diagonal(w, -1, -2, -1)),
    ("You average over the heads, and not over the tokens: heads are the first axis.", lambda w: np.diagonal(w, -1, -2, -1).mean(axis=0)),
    ("You go along heads and queries. Queries and keys are the last two axes.", lambda w: np.diagonal(w, -1, 0, 1).mean(axis=-1)),
    ("The mean is taken over the whole grid, with its zeros: n · n cells in place of n − 1.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / w.shape[-1] ** 2),
    ("The first head's score alone came. Return one for each head.", lambda w: _before(w)[0]),
]  # fmt: skip


def _grids(seed: int, h: int, n: int) -> tuple[np.ndarray]:
    return (np.random.default_rng(seed).dirichlet(np.ones(n), size=(h, n)),)


# How much does a head add? ---------------------------------------------------------------------


def _bands(value: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    h, _, d_v = value.shape
    return w_o.reshape(h, d_v, -1)


def _length(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def _adds(weights: np.ndarray, value: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    return _length(weights @ value @ _bands(value, w_o))


ADDS_MISTAKES: Slips = [
    ("You add up the lengths of the cells. Add their vectors first: those that point opposite ways cancel.", lambda A, v, o: (A * _length(v @ _bands(v, o))[:, None]).sum(axis=-1)),
    ("That is the brightest cell alone. Add the vectors of all cells of the row.", lambda A, v, o: np.take_along_axis(A * _length(v @ _bands(v, o))[:, None], A.argmax(axis=-1, keepdims=True), axis=-1)[..., 0]),
    ("w_o is missing: that is the length of the blend, before the head writes it.", lambda A, v, o: _length(A @ v)),
    ("Every head goes through the first band of w_o. Head a has rows a·d_v to (a + 1)·d_v − 1.", lambda A, v, o: _length(A @ v @ o[: v.shape[-1]])),
    ("Head a takes every h-th row of w_o. Its rows are neighbours: a·d_v to (a + 1)·d_v − 1.", lambda A, v, o: _length(A @ v @ o.reshape(v.shape[-1], len(v), -1).swapaxes(0, 1))),
    ("That is the length of what all heads add together. Return one for each head.", lambda A, v, o: _length((A @ v @ _bands(v, o)).sum(axis=0))),
    ("Those are the vectors that are added. Return the length of each.", lambda A, v, o: A @ v @ _bands(v, o)),
    ("That is the square of the length.", lambda A, v, o: _adds(A, v, o) ** 2),
    ("Rows and columns of the weights are exchanged: row i holds what query i reads.", lambda A, v, o: _adds(A.swapaxes(1, 2), v, o)),
    ("The weights are missing: that is what each key would add with a weight of 1.", lambda A, v, o: _length(v @ _bands(v, o))),
    ("Each band of w_o is transposed: a value of width d_v meets its d_v rows.", lambda A, v, o: _length(A @ v @ _bands(v, o).swapaxes(1, 2))),
    ("The bands of w_o are in the reverse order: head 0 has the first rows.", lambda A, v, o: _length(A @ v @ _bands(v, o)[::-1])),
    ("That is the sum of the sizes of the vector's numbers. Its length is the root of the sum of their squares.", lambda A, v, o: np.abs(A @ v @ _bands(v, o)).sum(axis=-1)),
    ("That is the largest size among the vector's numbers. Its length is the root of the sum of their squares.", lambda A, v, o: np.abs(A @ v @ _bands(v, o)).max(axis=-1)),
    ("That is the sum of the vector's numbers. Its length is the root of the sum of their squares.", lambda A, v, o: (A @ v @ _bands(v, o)).sum(axis=-1)),
    ("You divide by √d: the root of the mean square. The length takes the sum.", lambda A, v, o: _adds(A, v, o) / np.sqrt(o.shape[1])),
    ("The lengths are divided by the number of heads. Each head has its own.", lambda A, v, o: _adds(A, v, o) / len(A)),
    ("The lengths run over the tokens. Take the length of each token's vector.", lambda A, v, o: np.linalg.norm(A @ v @ _bands(v, o), axis=1)),
    ("You average over the tokens. Return a length for each head and token.", lambda A, v, o: _adds(A, v, o).mean(axis=-1)),
    ("That is the length for the whole head. Return one for each of its tokens.", lambda A, v, o: np.linalg.norm(A @ v @ _bands(v, o), axis=(1, 2))),
    ("You multiply the length of the blend by the size of the band. The vector itself must go through w_o.", lambda A, v, o: _length(A @ v) * np.linalg.norm(_bands(v, o), axis=(1, 2))[:, None]),
    ("Your result is transposed: heads are the rows.", lambda A, v, o: _adds(A, v, o).T),
    ("Every head has the first head's lengths.", lambda A, v, o: _adds(A, v, o)[[0] * len(A)]),
]  # fmt: skip


def _opposite() -> tuple[np.ndarray, ...]:
    """Two keys with opposite values, read half and half by two of three queries."""
    (v, w_o) = _drawn(7, (3, 1, 4), (12, 5))
    weights = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]]) * np.ones((3, 1, 1))
    return weights, np.concatenate([v, -v, 2 * v], axis=1), w_o


def _causal_grid(h: int, n: int) -> tuple[np.ndarray]:
    return (np.tri(n) / np.arange(1, n + 1)[:, None] * np.ones((h, 1, 1)),)


def _blends(seed: int, h: int, n: int, d_v: int, d: int) -> tuple[np.ndarray, ...]:
    return (*_grids(seed, h, n), *_drawn(seed, (h, n, d_v), (h * d_v, d)))


def _bright(seed: int) -> tuple[np.ndarray, ...]:
    """Each query reads one key alone; values and w_o hold integers."""
    rng = np.random.default_rng(seed)
    weights = np.eye(5)[rng.integers(5, size=(2, 5))]
    return weights, rng.integers(-1, 2, size=(2, 5, 3)), rng.integers(-2, 3, size=(6, 4))


TABLES = [*_drawn(1, (7,), (4,)), *_drawn(2, (7,), (3,))]
WITH_ZERO = np.array([0.0, 1.5, 0.0, -2.0, 0.5])
SINUSOIDAL_TABLE = (
    agrees("a small table", sinusoidal_encoding, [(5, 8), (3, 2), (4, 4), (300, 6)], WAVE_MISTAKES),
    agrees("a wide one", sinusoidal_encoding, [(7, 64), (3, 160)], WAVE_MISTAKES),
    agrees("the first position", sinusoidal_encoding, [(1, 6), (1, 2)], WAVE_MISTAKES),
)
TURN_HALF = (
    agrees("positions 0, 1, 2, …", _turn, [_rows(1, range(5), 8), _rows(2, range(3), 4), _rows(5, range(5), 8), _rows(6, range(4), 2), _rows(7, range(300), 4), (np.eye(6)[[2, 0, 5]], np.arange(3))], TURN_MISTAKES),
    agrees("positions that start elsewhere", _turn, [_rows(3, [9, 11, 2, 40], 6), _rows(9, [7], 4), _rows(10, [1000, 300, 300], 2), _rows(11, [5, 3], 160)], TURN_MISTAKES),
    agrees("heads in front", _turn, [_rows(4, [3, 4, 5, 6, 7], 2, 3, 8), _rows(12, [2, 1], 3, 6), _rows(13, [4, 6, 5], 3, 4), _rows(14, [5], 2, 1, 2), _rows(15, [8, 3], 1, 4)], TURN_MISTAKES),
)  # fmt: skip
DISTANCE_TABLE = (
    agrees("a table that is long enough", _by_distance, [(TABLES[0], 5), (TABLES[1], 4), (TABLES[2], 5), (WITH_ZERO, 5), (TABLES[3], 1), *[(t, 300) for t in _drawn(4, (310,))]], [], BIAS_MISTAKES),
    agrees("a table that is too short", _by_distance, [(TABLES[3], 7), (WITH_ZERO[:3], 6), (TABLES[0][:1], 4), *[(t, 300) for t in _drawn(5, (20,))]], [], BIAS_MISTAKES),
)  # fmt: skip
PREVIOUS_SCORE = (
    agrees("three heads", _before, [_grids(1, 3, 6), _grids(2, 2, 4), _grids(4, 3, 6), _grids(5, 1, 5), _grids(6, 3, 2), _grids(7, 2, 200), _grids(9, 140, 3)], BEFORE_MISTAKES),
    agrees("a causal grid", _before, [_causal_grid(2, 5), (np.eye(4)[[[0, 0, 1, 2], [0, 1, 1, 0]]],)], BEFORE_MISTAKES),
    agrees("as many heads as tokens", _before, [_grids(3, 4, 4), _grids(8, 4, 4)], BEFORE_MISTAKES),
)  # fmt: skip
HEAD_ADDS = (
    agrees("any values", _adds, [_blends(4, 3, 5, 2, 7), _blends(5, 2, 4, 3, 5), _blends(8, 3, 5, 2, 7), _blends(9, 3, 4, 2, 2), _blends(10, 1, 4, 3, 5), _blends(11, 2, 3, 1, 4), _blends(12, 2, 1, 3, 1), _bright(13), _blends(14, 2, 200, 2, 3)], ADDS_MISTAKES),
    agrees("values that cancel", _adds, [_opposite()], ADDS_MISTAKES),
)  # fmt: skip
