"""How the programs of chapter 8 are judged: positions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from attnlib.exercises.slips import Slips, agrees, drawn
from attnlib.positions import rotary_embedding, sinusoidal_encoding

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


def _of_angles(n: int, d: int, factor: float) -> np.ndarray:
    angles = factor * np.arange(n)[:, None] * 10_000.0 ** (-2 * np.arange(d // 2) / d)
    return _in_turns(np.sin(angles), np.cos(angles))


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
    ("The base is 100,000. It should be 10,000.",
        lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -2.5 * c / d))),
    ("The sines have the wrong sign: sin(−p·ω) in place of sin(p·ω).", lambda n, d: _in_turns(-_waves(n, d)[0], _waves(n, d)[1])),
    ("The angles are in radians already: nothing is to be made of degrees.", lambda n, d: _of_angles(n, d, np.pi / 180)),
    ("The angles are multiplied by 2π. Take p·ω as it is.", lambda n, d: _of_angles(n, d, 2 * np.pi)),
    ("The positions are divided by n. They count 0, 1, 2, …", lambda n, d: _of_angles(n, d, 1 / n)),
    ("The table is divided by √d. Take the sines and cosines as they are.", lambda n, d: sinusoidal_encoding(n, d) / np.sqrt(d)),
    ("The frequencies are in reverse order: the first pair has ω = 1.", lambda n, d: _in_turns(*(wave[:, ::-1] for wave in _waves(n, d)))),
    ("The base is 1000. It should be 10,000.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -1.5 * c / d))),
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


def _angles(x: np.ndarray, positions: np.ndarray, step: float = 2) -> np.ndarray:
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
    ("The base is 1000. It should be 10,000.", lambda x, p: _turned_by(_angles(x, p, 1.5), x)),
    ("You turn twice as far as you should: by p·ω, not 2·p·ω.", lambda x, p: _turn(x, 2 * p)),
    ("Signs are wrong in both halves: (a, b) becomes (a cos − b sin, a sin + b cos).", lambda x, p: _both(x, p, 1, -1)),
    ("The new halves take turns. They stand one after the other: first all a, then all b.", lambda x, p: np.stack(np.split(_turn(x, p), 2, axis=-1), axis=-1).reshape(x.shape)),
    ("The frequencies are in reverse order: the first pair turns fastest.", lambda x, p: _turned_by(_angles(x, p)[:, ::-1], x)),
    ("The two new halves have an axis of their own. Join them: d columns.", lambda x, p: np.stack(np.split(_turn(x, p), 2, axis=-1))),
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
    return drawn(seed, (*shape[:-1], len(positions), shape[-1]))[0], np.array(positions)


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

TABLES = [*drawn(1, (7,), (4,)), *drawn(2, (7,), (3,))]
WITH_ZERO = np.array([0.0, 1.5, 0.0, -2.0, 0.5])
SINUSOIDAL_TABLE = (
    agrees("a small table", sinusoidal_encoding, [(5, 8), (3, 2), (4, 4), (300, 6)], WAVE_MISTAKES),
    agrees("a wide one", sinusoidal_encoding, [(7, 64), (3, 160)], WAVE_MISTAKES),
    agrees("the first position", sinusoidal_encoding, [(1, 6), (1, 2)], WAVE_MISTAKES),
)
TURN_HALF = (
    agrees("positions 0, 1, 2, …", _turn, [_rows(1, range(5), 8), _rows(2, range(3), 4), _rows(5, range(5), 8),
        _rows(6, range(4), 2), _rows(7, range(300), 4), (np.eye(6)[[2, 0, 5]], np.arange(3))], TURN_MISTAKES),
    agrees("positions that start elsewhere", _turn, [_rows(3, [9, 11, 2, 40], 6), _rows(9, [7], 4),
        _rows(10, [1000, 300, 300], 2), _rows(11, [5, 3], 160)], TURN_MISTAKES),
    agrees("heads in front", _turn, [_rows(4, [3, 4, 5, 6, 7], 2, 3, 8), _rows(12, [2, 1], 3, 6),
        _rows(13, [4, 6, 5], 3, 4), _rows(14, [5], 2, 1, 2), _rows(15, [8, 3], 1, 4)], TURN_MISTAKES),
)  # fmt: skip
DISTANCE_TABLE = (
    agrees("a table that is long enough", _by_distance, [(TABLES[0], 5), (TABLES[1], 4), (TABLES[2], 5), (WITH_ZERO, 5), (TABLES[3], 1), *[(t, 300) for t in drawn(4, (310,))]], [], BIAS_MISTAKES),
    agrees("a table that is too short", _by_distance, [(TABLES[3], 7), (WITH_ZERO[:3], 6), (TABLES[0][:1], 4), *[(t, 300) for t in drawn(5, (20,))]], [], BIAS_MISTAKES),
)  # fmt: skip
