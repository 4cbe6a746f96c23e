"""Exercises of chapter 8: position, and heads that were trained."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.exercises.harness import Exercise, agrees
from attnlib.positions import rotary_embedding, sinusoidal_encoding

Map = Callable[..., Any]


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


WAVE_MISTAKES: list[tuple[str, Map]] = [
    ("All sines come first, then all cosines. They should take turns: sine in column 2c, cosine in column 2c + 1.", lambda n, d: np.hstack(_waves(n, d))),
    ("Sine and cosine are exchanged: the sine has the even columns.", lambda n, d: _in_turns(*_waves(n, d)[::-1])),
    ("The positions start at 1. They count from 0, so the first row is 0, 1, 0, 1, …", lambda n, d: _in_turns(*_waves(n, d, start=1))),
    ("The frequencies fall half as fast as they should: the exponent is −2c/d, not −c/d.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: -c / d))),
    ("The frequencies rise: the exponent of the base is negative.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: 2 * c / d))),
    ("Every pair has the frequency 1: the base is missing.", lambda n, d: _in_turns(*_waves(n, d, power=lambda c, d: 0.0 * c))),
    ("Rows and columns are exchanged: a row for each position.", lambda n, d: sinusoidal_encoding(n, d).T),
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


TURN_MISTAKES: list[tuple[str, Map]] = [
    ("That is the interleaved layout, with pairs 2c and 2c + 1. In the half layout column c goes with column c + d/2.", lambda x, p: rotary_embedding(x, p, layout="interleaved")),
    ("You turn backwards: (a, b) becomes (a cos − b sin, a sin + b cos).", lambda x, p: _turned_by(-_angles(x, p), x)),
    ("The positions are ignored: you turn by 0, 1, 2, …", lambda x, p: _turn(x, np.arange(x.shape[-2]))),
    ("The frequencies fall half as fast as they should: the exponent is −2c/d.", lambda x, p: _turned_by(_angles(x, p, 1), x)),
    ("Every pair turns as fast as the first.", lambda x, p: _turned_by(_angles(x, p, 0), x)),
    ("The new b is made from the new a. Keep both old columns until both new ones are made.", lambda x, p: _one_after_the_other(x, p)),
    ("Nothing is turned.", lambda x, p: x),
]  # fmt: skip


def _one_after_the_other(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    half, angles = x.shape[-1] // 2, _angles(x, positions)
    a = x[..., :half] * np.cos(angles) - x[..., half:] * np.sin(angles)
    return np.concatenate([a, a * np.sin(angles) + x[..., half:] * np.cos(angles)], axis=-1)


def _rows(seed: int, positions: list[int], *shape: int) -> tuple[np.ndarray, np.ndarray]:
    return _drawn(seed, (*shape[:-1], len(positions), shape[-1]))[0], np.array(positions)


# A bias for each distance ----------------------------------------------------------------------


def _by_distance(table: np.ndarray, n: int) -> np.ndarray:
    back = np.subtract.outer(np.arange(n), np.arange(n))
    return np.where(back < 0, -np.inf, table[back.clip(0, len(table) - 1)])


BIAS_MISTAKES: list[tuple[str, Map]] = [
    ("Rows and columns are exchanged: entry [i, j] is for the query i, so its key stands i − j places before it.", lambda t, n: _by_distance(t, n).T),
    ("Keys after the query get a number. They should get −∞, as under the causal mask.", lambda t, n: t[np.abs(np.subtract.outer(np.arange(n), np.arange(n))).clip(0, len(t) - 1)]),
    ("Keys after the query get a number. They should get −∞, as under the causal mask.", lambda t, n: t[np.subtract.outer(np.arange(n), np.arange(n)).clip(0, len(t) - 1)]),
    ("Keys after the query get 0, and may still be read. They should get −∞.", lambda t, n: np.where(np.tri(n, dtype=bool), _by_distance(t, n), 0)),
    ("A key at the query's own place is blocked: its distance is 0, and table[0] is for it.", lambda t, n: np.where(np.tri(n, k=-1, dtype=bool), _by_distance(t, n), -np.inf)),
    ("The distances are off by one: table[0] is for the query's own place.", lambda t, n: _by_distance(np.append(t[1:], t[-1]), n)),
    ("Distances beyond the table start it anew. They share its last entry.", lambda t, n: np.where(np.tri(n, dtype=bool), t[np.subtract.outer(np.arange(n), np.arange(n)) % len(t)], -np.inf)),
]  # fmt: skip

# Who reads the token before --------------------------------------------------------------------


def _before(weights: np.ndarray, back: int = 1) -> np.ndarray:
    return np.asarray(np.diagonal(weights, -back, -2, -1).mean(axis=-1))


BEFORE_MISTAKES: list[tuple[str, Map]] = [
    ("You divide by n. The first token has none before it, so n − 1 queries count.", lambda w: np.diagonal(w, -1, -2, -1).sum(axis=-1) / w.shape[-1]),
    ("That is the weight on the token *after*: query and key are exchanged.", lambda w: _before(w, -1)),
    ("That is the weight on the token itself.", lambda w: _before(w, 0)),
    ("That is the weight on the second token before.", lambda w: _before(w, 2)),
    ("You average over the heads too. Return a score for each head.", lambda w: _before(w).mean()),
    ("You count how often the token before gets the largest weight. Take the mean of its weight.", lambda w: (w.argmax(axis=-1)[:, 1:] == np.arange(w.shape[-1] - 1)).mean(axis=-1)),
    ("That is the largest weight on a token before. Take the mean.", lambda w: np.diagonal(w, -1, -2, -1).max(axis=-1)),
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


ADDS_MISTAKES: list[tuple[str, Map]] = [
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
]  # fmt: skip


def _opposite() -> tuple[np.ndarray, ...]:
    """Two keys with opposite values, read half and half by two of three queries."""
    (v, w_o) = _drawn(7, (3, 1, 4), (12, 5))
    weights = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]]) * np.ones((3, 1, 1))
    return weights, np.concatenate([v, -v, 2 * v], axis=1), w_o


EXERCISES = (
    Exercise(
        id="order-blind",
        title="What a query cannot tell",
        kind="concept",
        difficulty="easy",
        minutes=3,
        misconception="A context is a set, or it is a list.",
        hints=(
            "The output is a sum over keys. What about the list of keys does not change a sum?",
            "A word that stands there twice adds its term twice.",
        ),
        question={
            "prompt": "One attention layer, no mask, no positions. The query is *met*. Which two contexts give it the same output?",
            "options": [
                ("*Anna Tom* and *Anna Tom Tom*", "*Tom* now has two terms in the sum, so he weighs more: duplicates count."),
                ("*Anna Tom Tom* and *Tom Anna Tom*", "The same words, each as often. Only the order differs, and a sum does not know it."),
                ("*Anna Tom* and *Anna Max*", "Other words have other keys and values."),
                ("Any two with as many words", "Other words have other keys and values; their number is not all."),
            ],
            "right": 1,
        },
    ),
    Exercise(
        id="sinusoidal-table",
        title="Places as waves",
        kind="program",
        difficulty="medium",
        minutes=8,
        misconception="Sines and cosines stand in two blocks, and every column has a frequency of its own.",
        hints=(
            "Make the d/2 frequencies first, then an n × d/2 table of angles: a column of positions times a row of frequencies.",
            "`table[:, 0::2]` is every second column, from 0 on.",
        ),
        properties=(
            agrees("a small table", sinusoidal_encoding, [(5, 8), (3, 2)], WAVE_MISTAKES),
            agrees("a wide one", sinusoidal_encoding, [(7, 64)], WAVE_MISTAKES),
            agrees("the first position", lambda n, d: np.tile([0.0, 1.0], (1, d // 2)), [(1, 6)], WAVE_MISTAKES),
        ),
    ),
    Exercise(
        id="turned-score",
        title="The angle between",
        kind="derive",
        difficulty="easy",
        minutes=4,
        misconception="The score depends on both positions, or on their sum.",
        hints=(
            "The dot product of two arrows is length · length · cosine of the angle between them.",
            "Both arrows started in the same direction. By how much more was the query turned?",
        ),
        question={
            "prompt": "One pair of columns, frequency ω = 1. The query (1, 0) stands at position 7, the key (2, 0) at position 5; "
            "both are turned. What is their dot product? Two decimals; angles are in radians.",
            "right": float(2 * np.cos(2)),
            "tolerance": 0.01,
            "wrong": [
                (2.0, 0.0005, "That is the product before turning. The query is turned by 7, the key by 5."),
                (float(2 * np.cos(12)), 0.01, "You added the angles. What counts is the angle *between* the two arrows, 7 − 5."),
                (float(np.cos(2)), 0.01, "The key has length 2, and turning keeps it."),
                (float(2 * np.cos(np.deg2rad(2))), 0.0005, "That is 2 degrees. The angles are radians: 2 is about 115°."),
                (float(2 * np.sin(2)), 0.01, "The sine is for arrows at a right angle to each other. A dot product takes the cosine."),
            ],
            "explanation": "1 · 2 · cos(7 − 5) ≈ −0.83. At positions 107 and 105 it is the same.",
        },
    ),
    Exercise(
        id="turn-half",
        title="Turn in halves",
        kind="program",
        difficulty="medium",
        minutes=8,
        misconception="The layout does not matter as long as every column is turned.",
        hints=(
            "Cut x into `a = x[..., :d // 2]` and `b = x[..., d // 2:]`: pair c is a's column c with b's.",
            "The angles are n × d/2: `positions[:, None]` times the frequencies of the sinusoidal table. They fit every axis in front.",
            "Make both new halves from the old ones, then put them side by side with `np.concatenate(…, axis=-1)`.",
        ),
        properties=(
            agrees("positions 0, 1, 2, …", _turn, [_rows(1, [0, 1, 2, 3, 4], 8), _rows(2, [0, 1, 2], 4)], TURN_MISTAKES),
            agrees("positions that start elsewhere", _turn, [_rows(3, [9, 11, 2, 40], 6)], TURN_MISTAKES),
            agrees("heads in front", _turn, [_rows(4, [3, 4, 5, 6, 7], 2, 3, 8)], TURN_MISTAKES),
        ),
    ),
    Exercise(
        id="distance-table",
        title="A bias for each distance",
        kind="program",
        difficulty="easy",
        minutes=6,
        misconception="Row and column of a grid can be exchanged when only their distance counts.",
        hints=(
            "`i - j` for all pairs at once: `np.arange(n)[:, None] - np.arange(n)`.",
            "`.clip(0, r)` turns what is below 0 into 0, and what is above r into r. Only then look it up.",
        ),
        properties=(
            agrees("a table that is long enough", _by_distance, [(*_drawn(1, (7,)), 5), (*_drawn(2, (4,)), 4)], BIAS_MISTAKES),
            agrees("a table that is too short", _by_distance, [(*_drawn(3, (3,)), 7)], BIAS_MISTAKES),
        ),
    ),
    Exercise(
        id="previous-score",
        title="Who reads the token before?",
        kind="program",
        difficulty="easy",
        minutes=6,
        misconception="A grid is read by its columns, and every row has a token before it.",
        hints=(
            "The cells are [1, 0], [2, 1], [3, 2], …: a diagonal one below the main one.",
            "`weights[:, later, later - 1]` with `later = np.arange(1, n)` picks them in every head.",
        ),
        properties=(
            agrees("three heads", _before, [_grids(1, 3, 6), _grids(2, 2, 4)], BEFORE_MISTAKES),
            agrees("a causal grid", _before, [(np.tri(5) / np.arange(1, 6)[:, None] * np.ones((2, 1, 1)),)], BEFORE_MISTAKES),
            agrees("as many heads as tokens", _before, [_grids(3, 4, 4)], BEFORE_MISTAKES),
        ),
    ),
    Exercise(
        id="head-adds",
        title="How much does a head add?",
        kind="program",
        difficulty="medium",
        minutes=6,
        misconception="What a head adds is as long as its cells' additions together.",
        hints=(
            "First the vectors: blend the values of each head, then send each blend through that head's rows of w_o.",
            "`w_o.reshape(h, d_v, -1)` holds a band for each head, and `@` multiplies head by head.",
        ),
        properties=(
            agrees("any values", _adds, [(*_grids(4, 3, 5), *_drawn(4, (3, 5, 2), (6, 7))), (*_grids(5, 2, 4), *_drawn(5, (2, 4, 3), (6, 5)))], ADDS_MISTAKES),
            agrees("values that cancel", _adds, [_opposite()], ADDS_MISTAKES),
        ),
    ),
    Exercise(
        id="bright-head",
        title="A bright head falls silent",
        kind="concept",
        difficulty="medium",
        minutes=4,
        misconception="A bright cell explains the answer, and what can be removed did nothing.",
        hints=(
            "What would you see if two heads did the same job?",
            "Removing one thing tests whether it is needed *while all others are there*.",
        ),
        question={
            "prompt": "A head puts a weight of 0.97 on the word that the answer depends on. Without it, the answers are as good as before. "
            "What follows?",
            "options": [
                ("The head does nothing", "It may do the job together with another one. Silence both, and see."),
                (
                    "The model does not need the head here. Whether it takes part is still open",
                    "Others may do its work. Silencing sets of heads, and what each adds, narrows it down.",
                ),
                ("The weight was measured wrongly", "The weight is what it is. It says where a head reads, not what comes of it."),
                ("The answer does not depend on that word", "It does. Swap the word, and the answer changes: other heads read it too."),
            ],
            "right": 1,
        },
    ),
)  # fmt: skip
