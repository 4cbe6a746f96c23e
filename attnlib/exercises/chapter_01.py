"""Exercises and predictions of chapter 1, the dot product."""

from typing import Any

import numpy as np

from attnlib.attention import attention, attention_weights, softmax
from attnlib.exercises.harness import Exercise, Mistake, Property, agrees, call, compare


def _tokens(n: int, d: int, seed: int, size: float = 1.0) -> np.ndarray:
    return size * np.random.default_rng(seed).normal(size=(n, d))


def _mixed(x: np.ndarray) -> np.ndarray:
    return attention(x, x, x, scale=1)


def _weights(x: np.ndarray) -> np.ndarray:
    return attention_weights(x, x, scale=1)


def _shares(x: np.ndarray) -> np.ndarray:
    """Scores divided by their sum, with no exponential."""
    scores = x @ x.T
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))


_AXES = "You compared axes, not tokens: `x.T @ x` is d × d. Tokens are the rows of `x`, so their scores are `x @ x.T`."


def _of_axes(x: np.ndarray) -> np.ndarray:
    """Weights of the axes in place of the tokens."""
    return softmax(x.T @ x)


_COMPARES_AXES = (  # the weights themselves, and both ways to multiply them by `x`
    (_AXES, _of_axes),
    (_AXES, lambda x: _of_axes(x) @ x.T),
    (_AXES, lambda x: x @ _of_axes(x)),
)


def _one_vector_each(answer: Any) -> None:
    """The shape alone, for sentences of any length."""
    for n, d in ((7, 3), (4, 6), (1, 5)):
        got = np.shape(call(answer, (_tokens(n, d, 1),)))
        if got == (n, n) != (n, d):
            raise Mistake(
                f"{n} tokens gave {n} × {n}: those are the weights. Multiply them by `x`, and return the mixture."
            )
        if got == (d, d) != (n, d):
            raise Mistake(_AXES)
        if got != (n, d):
            raise Mistake(f"{n} tokens with {d} numbers each should give shape {(n, d)}, got {got}.")


_EXP = "`exp` met a number too large for it: subtract each row's largest score first. No weight changes by that."
_LONG = (_tokens(5, 2, 3, 40.0),)

_ATTENTION = (
    Property("one vector for each token", _one_vector_each),
    agrees(
        "the weighted averages",
        _mixed,
        [(_tokens(7, 3, 1),), (_tokens(4, 6, 2),)],
        [
            (
                "The columns of your weights sum to 1, not the rows: the softmax runs over the queries. Sum over `axis=1`.",
                lambda x: softmax((x @ x.T).T).T @ x,
            ),
            (
                "All weights together sum to 1, not each row: sum over `axis=1` alone.",
                lambda x: softmax((x @ x.T).ravel()).reshape(len(x), -1) @ x,
            ),
            ("These are the weights themselves: multiply them by `x` to mix the tokens.", _weights),
            ("The scores mix the tokens as they are: the softmax is missing.", lambda x: x @ x.T @ x),
            (
                "The scores are divided by their sum, without `exp`: then a weight can be negative.",
                lambda x: _shares(x) @ x,
            ),
            ("`exp` is not divided by the row's total: your weights do not sum to 1.", lambda x: np.exp(x @ x.T) @ x),
            (
                "The softmax is taken twice: weights went into it as if they were scores.",
                lambda x: softmax(_weights(x)) @ x,
            ),
            (
                "Your scores are divided by √d. That comes in chapter 4: here they stay as they are.",
                lambda x: attention(x, x, x),
            ),
            (
                "Your scores are divided by d: here they stay as they are.",
                lambda x: attention(x, x, x, scale=1 / x.shape[1]),
            ),
            (
                "Each token reads all others alike: your weights do not depend on the scores.",
                lambda x: np.ones((len(x), len(x))) @ x / len(x),
            ),
            *_COMPARES_AXES,
        ],
    ),
    agrees(
        "tokens forty times as long",
        _mixed,
        [_LONG],
        [
            (_EXP, lambda x: np.exp(x @ x.T) / np.exp(x @ x.T).sum(axis=1, keepdims=True) @ x),
            *_COMPARES_AXES,
        ],
    ),
)


def _unit(x: np.ndarray) -> np.ndarray:
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def _cosine(x: np.ndarray) -> np.ndarray:
    return attention_weights(_unit(x), _unit(x), scale=1)


def _rows_sum_to_one(answer: Any) -> None:
    x = _tokens(6, 4, 4)
    weights = np.asarray(call(answer, (x,)))
    if weights.shape != (6, 6):
        raise Mistake(f"6 tokens have 6 × 6 weights, got shape {weights.shape}.")
    if np.allclose(weights.sum(axis=0), 1) and not np.allclose(weights.sum(axis=1), 1):
        raise Mistake("The columns of your weights sum to 1, not the rows: the softmax runs over the queries.")
    compare(weights.sum(axis=1), np.ones(6), what="The sum of a row")


def _ignores_length(answer: Any) -> None:
    x = _tokens(5, 3, 5)
    longer = x * np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    before, after = (np.asarray(call(answer, (case,))) for case in (x, longer))
    if before.shape != after.shape or not np.allclose(before, after):
        raise Mistake(
            "Longer vectors of the same directions change your weights: divide each row of `x` by its length first.",
            before,
            after,
        )


_COSINE = (
    Property("each row sums to 1", _rows_sum_to_one),
    Property("lengths do not count", _ignores_length),
    agrees(
        "the weights",
        _cosine,
        [(_tokens(6, 4, 4),), (_tokens(3, 5, 6),)],
        [
            ("These are the cosines: the softmax is missing.", lambda x: _unit(x) @ _unit(x).T),
            ("The lengths still count: these are the weights of `x` as it is.", _weights),
            (
                "Only one side is divided by its length, the queries or the keys: divide both.",
                lambda x: attention_weights(_unit(x), x, scale=1),
            ),
            (
                "Only one side is divided by its length, the queries or the keys: divide both.",
                lambda x: attention_weights(x, _unit(x), scale=1),
            ),
            (
                "Each column of `x` is divided by its length, not each row: take the norm over `axis=1`.",
                lambda x: _weights(x / np.linalg.norm(x, axis=0)),
            ),
            (
                "All of `x` is divided by one number: the norm needs `axis=1`, one length for each row.",
                lambda x: _weights(x / np.linalg.norm(x)),
            ),
            (
                "The rows are divided by their squared lengths: the square root is missing.",
                lambda x: _weights(x / (x**2).sum(axis=1, keepdims=True)),
            ),
            ("The softmax is taken twice: weights went into it as if they were scores.", lambda x: softmax(_cosine(x))),
            (
                "The columns of your weights sum to 1, not the rows: the softmax runs over the queries.",
                lambda x: _cosine(x).T,
            ),
            (
                "The cosines are divided by √d. That comes in chapter 4: here they stay as they are.",
                lambda x: attention_weights(_unit(x), _unit(x)),
            ),
            ("The outputs came back: return the weights.", lambda x: _cosine(x) @ x),
        ],
    ),
)


def _look_up(query: np.ndarray, keys: np.ndarray, values: np.ndarray, temperature: float) -> np.ndarray:
    return np.asarray(softmax(keys @ query / temperature) @ values)


def _case(n: int, d: int, d_v: int, temperature: float, size: float = 1.0) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return size * rng.normal(size=d), rng.normal(size=(n, d)), rng.normal(size=(n, d_v)), temperature


def _finds_the_best(answer: Any) -> None:
    query, keys, values, _ = _case(9, 4, 2, 1.0)
    best = int(np.argmax(keys @ query))
    cold = call(answer, (query, keys, values, 0.001))
    if np.shape(cold) == (2,) and np.allclose(cold, values.mean(axis=0), atol=0.05):
        raise Mistake(
            "At a temperature near 0 yours blends all values alike: divide the scores by the temperature, do not multiply."
        )
    compare(cold, values[best], tolerance=1e-6, what="At a temperature near 0 the result")


def _exact_look_up(query: np.ndarray, keys: np.ndarray, values: np.ndarray, temperature: float) -> np.ndarray:
    return np.asarray(values[int(np.argmax(keys @ query))])


_LOOK_UP = (
    agrees(
        "temperature 1",
        _look_up,
        [_case(5, 3, 2, 1.0), _case(4, 2, 6, 1.0)],
        [
            ("These are the weights of the keys: multiply them by `values`.", lambda q, k, v, t: softmax(k @ q)),
            ("The scores blend the values as they are: the softmax is missing.", lambda q, k, v, t: k @ q @ v),
            ("You return the value of the best key alone. A blend takes a share of every value.", _exact_look_up),
            (
                "Your blend is made of the keys: return the values, each by its weight.",
                lambda q, k, v, t: softmax(k @ q) @ k,
            ),
            ("`exp` is not divided by its total: your weights do not sum to 1.", lambda q, k, v, t: np.exp(k @ q) @ v),
            (
                "The softmax is taken twice: weights went into it as if they were scores.",
                lambda q, k, v, t: softmax(softmax(k @ q)) @ v,
            ),
            (
                "Your scores are divided by √d. That comes in chapter 4: divide by the temperature alone.",
                lambda q, k, v, t: softmax(k @ q / np.sqrt(len(q))) @ v,
            ),
            (
                "Your scores are divided by d: divide by the temperature alone.",
                lambda q, k, v, t: softmax(k @ q / len(q)) @ v,
            ),
        ],
    ),
    agrees(
        "any temperature",
        _look_up,
        [_case(6, 3, 2, 0.5), _case(3, 4, 5, 2.5)],
        [
            (
                "The temperature works the wrong way: the scores are *divided* by it.",
                lambda q, k, v, t: softmax(k @ q * t) @ v,
            ),
            (
                "The temperature changes nothing: divide the scores by it, before the softmax.",
                lambda q, k, v, t: softmax(k @ q) @ v,
            ),
            (
                "The weights are divided by the temperature, after the softmax: divide the scores, before it.",
                lambda q, k, v, t: softmax(k @ q) / t @ v,
            ),
        ],
    ),
    Property("near 0 it is a look-up", _finds_the_best),
    agrees(
        "scores in the thousands",
        _look_up,
        [_case(8, 3, 2, 1.0, 3000.0)],
        [
            (
                "`exp` met a number too large for it: subtract the largest score first. No weight changes by that.",
                lambda q, k, v, t: np.exp(k @ q / t) / np.exp(k @ q / t).sum() @ v,
            )
        ],
    ),
)


EXERCISES = (
    Exercise(
        id="which-shape",
        title="Which shape?",
        kind="concept",
        difficulty="easy",
        minutes=2,
        misconception="Tokens are columns, so XXᵀ compares axes.",
        hints=(
            "The softmax changes numbers, never a shape.",
            "For a product, the inner sizes must agree and disappear.",
        ),
        question={
            "prompt": "`X` holds 7 tokens with 3 numbers each. What shape has softmax(XXᵀ)?",
            "options": [
                ("3 × 3", "That is the shape of XᵀX, which compares axes. XXᵀ compares tokens."),
                ("7 × 7", "One weight for each pair of tokens."),
                ("7 × 3", "That is the shape of the output softmax(XXᵀ)X; the weights come before the last product."),
            ],
            "right": 1,
            "reveal": "It grows with the square of the sentence's length.",
        },
    ),
    Exercise(
        id="average-limits",
        title="What an average cannot do",
        kind="concept",
        difficulty="medium",
        minutes=4,
        misconception="Attention selects a token, or can go beyond all of them.",
        hints=(
            "An average lies between the smallest and the largest of what it averages.",
            "Is any softmax weight ever exactly 0?",
        ),
        question={
            "prompt": "On the axis `letters` the entries of `X` are 1.4, 0.4, 0.8, 0.2 and 1.4. "
            "Which of these can happen to an output of softmax(XXᵀ)X, in exact arithmetic?",
            "options": [
                (
                    "It has 1.5 there",
                    "The largest entry is 1.4, and no average is larger than all that it averages: the output stays in the hull.",
                ),
                (
                    "It has 0.6 there, which no token has",
                    "An average lies between the tokens, and may meet none of them.",
                ),
                (
                    "It has 0.2 there, like *a*",
                    "Then all weight would be on *a*, the only token with 0.2. But no softmax weight is exactly 0: "
                    "attention blends, it never selects.",
                ),
                (
                    "It has 0 there, at a low temperature",
                    "All entries are 0.2 or more, so every average is too, at any temperature.",
                ),
            ],
            "right": 1,
            "reveal": "A grid may show 1.00 at a low temperature; that is rounded.",
        },
    ),
    Exercise(
        id="thief",
        title="How long must a thief be?",
        kind="derive",
        difficulty="medium",
        minutes=6,
        misconception="The angle alone decides which key is read.",
        hints=(
            "With two keys, the larger score has more than half of the weight.",
            "The second key's score is c · cos 60°, and cos 60° = 1/2. What is the first key's?",
        ),
        question={
            "prompt": "A query (1, 0) reads from two keys. One is (1, 0), the query itself. The other stands at 60° from it "
            "and has length `c`. Above which `c` does the second key get more than half of the weight?",
            "right": 2.0,
            "tolerance": 0.01,
            "wrong": [
                (1.0, 0.01, "At equal length the closer angle wins: the scores are then 1 and 1/2."),
                (
                    0.5,
                    0.01,
                    "1/2 is the cosine. The score is `c` times that, and has to reach the first key's score, 1.",
                ),
                (0.0, 0.01, "The length counts: with `c` near 0 the second score is near 0, and the first is 1."),
                (1.15, 0.02, "That is 1/cos 30°. The angle is 60°, and its cosine 1/2."),
                (4.0, 0.01, "The length is not squared: the score is c · cos 60°."),
                (
                    6.0,
                    0.01,
                    "At 6 it leads by a score of 2 already, and has 0.88 of the weight. It has more than half much earlier.",
                ),
            ],
            "explanation": "The scores are 1 and c/2. A long vector wins though its angle is worse: the dot product counts both.",
        },
    ),
    Exercise(
        id="longer-query",
        title="A query three times as long",
        kind="derive",
        difficulty="medium",
        minutes=5,
        misconception="Only the direction of a query matters; or: weights grow in proportion to its length.",
        hints=(
            "The first weight is 0.6 and the second 0.4, so the first is 1.5 times the second. That is e to the power of the lead.",
            "Every score is three times as large, so the lead is too. What does that do to the ratio of the two weights?",
        ),
        question={
            "prompt": "A query reads from two keys, 0.6 from the first and 0.4 from the second. Now the query is made three times "
            "as long, in the same direction. What weight does the first key get? Two decimals are enough.",
            "right": float(1.5**3 / (1.5**3 + 1)),
            "tolerance": 0.006,
            "wrong": [
                (
                    0.6,
                    0.01,
                    "The direction is the same, but a dot product counts length too: every score is three times as large.",
                ),
                (1.8, 0.01, "Weights sum to 1, so none can be 1.8. It is the *scores* that are three times as large."),
                (
                    0.82,
                    0.006,
                    "That makes the *ratio* of the weights three times as large. The lead is three times as large, "
                    "and e is raised to it.",
                ),
                (0.216, 0.006, "0.6 to the power 3 is not yet a weight: cube 0.4 too, and divide by the sum of both."),
                (0.69, 0.005, "That is for a query twice as long."),
                (
                    0.9,
                    0.015,
                    "The *lead* is three times as large, neither a weight nor the ratio. Which lead makes a ratio of 1.5?",
                ),
                (
                    1.0,
                    0.01,
                    "It would come near 1 for a much longer query. How large is the ratio of the weights here?",
                ),
                (3.375, 0.01, "That is the ratio of the two weights, 1.5 to the power 3. Together they make 1."),
            ],
            "explanation": "The ratio 1.5 becomes 1.5³ = 3.375, and 3.375 / 4.375 is 0.77. A longer query is a sharper one.",
        },
    ),
    Exercise(
        id="write-attention",
        title="Write it yourself",
        kind="program",
        difficulty="easy",
        minutes=8,
        misconception="The softmax runs over queries.",
        hints=(
            "Three lines: scores, weights, mixture.",
            "Look at the axis of your sums: each *row* of the weights must sum to 1. `keepdims=True` keeps the totals a column.",
        ),
        properties=_ATTENTION,
    ),
    Exercise(
        id="cosine-weights",
        title="Take the length out",
        kind="program",
        difficulty="medium",
        minutes=10,
        misconception="Without lengths, attention reads what matters.",
        hints=(
            "Every word scores exactly 1 with itself once all lengths are 1. The softmax stays.",
            "`np.linalg.norm(x, axis=1, keepdims=True)` gives one length for each row. "
            "For the rest call the chapter's `softmax`, or `attention_weights` with `scale=1`.",
        ),
        properties=_COSINE,
    ),
    Exercise(
        id="soft-look-up",
        title="A look-up with a temperature",
        kind="program",
        difficulty="medium",
        minutes=8,
        misconception="A high temperature sharpens.",
        hints=(
            "The query is one vector, so `keys @ query` is one score for each key.",
            "Divide the scores by the temperature, then take their softmax: a small temperature makes large differences.",
        ),
        properties=_LOOK_UP,
    ),
)
