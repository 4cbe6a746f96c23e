"""Exercises and predictions of chapter 3: query, key, value."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.attention import attention, single_query_attention, softmax
from attnlib.exercises.harness import Exercise, Mistake, Property, agrees, call

Map = Callable[..., Any]

ROOT = "You divide by √d_k. That comes in the next chapter: here scores are plain dot products."
NO_SOFTMAX = "You blend with the scores themselves. The softmax of each row makes weights of them first."


def _drawn(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


# One token reads -------------------------------------------------------------------------------


def _read(token: np.ndarray, z: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray) -> np.ndarray:
    return np.asarray(single_query_attention(token @ w_q, z @ w_k, z @ w_v, scale=1))


def _reading(seed: int, n: int, d: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
    return _drawn(seed, (d,), (n, d), (d, d_k), (d, d_k), (d, d_v))


READ_MISTAKES: list[tuple[str, Map]] = [
    ("You blend the tokens themselves. Blend their values, z @ w_v.", lambda t, z, q, k, v: _read(t, z, q, k, np.eye(len(v)))),
    ("You blend the keys. Keys only make scores; what is handed over are the values, z @ w_v.", lambda t, z, q, k, v: _read(t, z, q, k, k)),
    ("The roles are swapped: the token that reads is multiplied by w_q, the tokens that are read by w_k.", lambda t, z, q, k, v: _read(t, z, k, q, v)),
    (ROOT, lambda t, z, q, k, v: single_query_attention(t @ q, z @ k, z @ v)),
    (NO_SOFTMAX, lambda t, z, q, k, v: z @ k @ (t @ q) @ (z @ v)),
    ("You blend with e to the scores, but do not divide by their sum: the weights must add up to 1.", lambda t, z, q, k, v: np.exp(z @ k @ (t @ q)) @ (z @ v)),
]  # fmt: skip

# Cross-attention -------------------------------------------------------------------------------


def _cross(x: Any, z: Any, w_q: Any, w_k: Any, w_v: Any, b_q: Any, b_k: Any, b_v: Any) -> np.ndarray:
    return np.asarray(attention(x @ w_q + b_q, z @ w_k + b_k, z @ w_v + b_v, scale=1))


def _crossing(seed: int, n: int, n_z: int, d: int, d_z: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
    return _drawn(seed, (n, d), (n_z, d_z), (d, d_k), (d_z, d_k), (d_z, d_v), (d_k,), (d_k,), (d_v,))


def _over_queries(x: Any, z: Any, q: Any, k: Any, v: Any, b_q: Any, b_k: Any, b_v: Any) -> np.ndarray:
    return np.asarray(softmax((x @ q + b_q) @ (z @ k + b_k).T, axis=0) @ (z @ v + b_v))


CROSS_MISTAKES: list[tuple[str, Map]] = [
    ("The columns of your weights sum to 1: the softmax runs over the queries. It must run over the keys, axis=1.", _over_queries),
    ("The biases are missing: each of the three projections has its own, added after the product.", lambda x, z, q, k, v, b_q, b_k, b_v: _cross(x, z, q, k, v, 0, 0, 0)),
    (ROOT, lambda x, z, q, k, v, b_q, b_k, b_v: attention(x @ q + b_q, z @ k + b_k, z @ v + b_v)),
    (NO_SOFTMAX, lambda x, z, q, k, v, b_q, b_k, b_v: (x @ q + b_q) @ (z @ k + b_k).T @ (z @ v + b_v)),
    ("The bias b_q is missing. It gives some keys a head start, so it changes the weights.", lambda x, z, q, k, v, b_q, b_k, b_v: _cross(x, z, q, k, v, 0, b_k, b_v)),
    ("The bias b_v is missing: every output is off by exactly b_v.", lambda x, z, q, k, v, b_q, b_k, b_v: _cross(x, z, q, k, v, b_q, b_k, 0)),
]  # fmt: skip
SAME_SIZE_MISTAKES: list[tuple[str, Map]] = [
    ("The values come from x. Keys and values both come from z, the sequence that is read.", lambda x, z, q, k, v, b_q, b_k, b_v: attention(x @ q + b_q, z @ k + b_k, x @ v + b_v, scale=1)),
    ("x and z are exchanged: x asks, z answers.", lambda x, z, q, k, v, b_q, b_k, b_v: _cross(z, x, q, k, v, b_q, b_k, b_v)),
    ("This is self-attention of x: nothing is read from z.", lambda x, z, q, k, v, b_q, b_k, b_v: _cross(x, x, q, k, v, b_q, b_k, b_v)),
    ("A projection has its matrix on the wrong side, or transposed: rows are tokens, so x @ w_q.", lambda x, z, q, k, v, b_q, b_k, b_v: _cross(x, z, q.T, k.T, v.T, b_q, b_k, b_v)),
    *CROSS_MISTAKES,
]  # fmt: skip

# Turn the keys ---------------------------------------------------------------------------------

ANGLES = np.deg2rad([0, 120, 240])
POINTS = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
BEATS = (2, 0, 1)
THIRD = np.array([POINTS[1], [-POINTS[1, 1], POINTS[1, 0]]])  # a turn by 120°, for rows


def _key_matrix(answer: Any) -> np.ndarray:
    matrix = np.asarray(call(answer, ()), dtype=float)
    if matrix.shape != (2, 2):
        raise Mistake(f"W_K should have shape (2, 2), got {matrix.shape}.")
    return matrix


def _turned_weights(answer: Any) -> np.ndarray:
    return np.asarray(softmax(4 * POINTS @ (POINTS @ _key_matrix(answer)).T))


def _right_token(answer: Any) -> None:
    read = tuple(_turned_weights(answer).argmax(axis=1).tolist())
    if read == BEATS:
        return
    if read == (0, 1, 2):
        raise Mistake("Each token reads itself most. Turn the keys, so that another one stands where it asks.")
    if read == (1, 2, 0):
        raise Mistake(
            "Each token reads the one that beats it: the keys are turned the wrong way. Transpose the matrix."
        )
    raise Mistake(f"Rock, paper and scissors should read rows {list(BEATS)} most, they read {list(read)}.")


def _clearly(answer: Any) -> None:
    _right_token(answer)  # who reads another one hears that, and nothing of the turn
    reached = _turned_weights(answer)[range(3), BEATS].min()
    if reached > 0.99:
        return
    got = f"The weight on the one that is beaten should be above 0.99, got {reached:.2f}. "
    matrix = _key_matrix(answer)
    length = np.sqrt(abs(np.linalg.det(matrix)))
    if length and np.allclose(matrix / length, THIRD):
        raise Mistake(got + "The turn is right, but the keys became shorter: a turn alone keeps their length.")
    raise Mistake(got + "The matrix does not turn every key by exactly a third.")


# Who swapped what? -----------------------------------------------------------------------------


def _grids(seed: int, n: int, d: int, d_k: int) -> tuple[tuple[np.ndarray, ...], dict[str, np.ndarray]]:
    x, w_q, w_k = _drawn(seed, (n, d), (d, d_k), (d, d_k))
    scores = x @ w_q @ (x @ w_k).T
    return (x, w_q, w_k), {"right": softmax(scores), "swapped": softmax(scores.T), "axis": softmax(scores, axis=0)}


SAID = {
    ("swapped", "right"): "These weights come from exchanged roles, and you said 'right'. Their rows sum to 1 as well: sums cannot tell.",
    ("axis", "right"): "The columns of these weights sum to 1, not the rows, and you said 'right'.",
    ("right", "swapped"): "These weights are right, and you said 'swapped'. Right weights need not be symmetric.",
    ("axis", "swapped"): "The columns of these weights sum to 1: the softmax ran over the queries, and you said 'swapped'.",
}  # fmt: skip

LATE = {  # answers that take the transposed weights for one of the two
    "swapped": "Exchanged roles transpose the scores, and the softmax comes after that. Transpose the scores, not the weights.",
    "axis": "The wrong axis is a softmax down the columns of the same scores, axis=0. Transposed weights are something else.",
}


def _diagnosis(truth: str) -> Property:
    def test(answer: Any) -> None:
        for seed, sizes in enumerate([(5, 8, 3), (7, 4, 2), (6, 6, 6)]):
            parameters, grids = _grids(seed, *sizes)
            said = call(answer, (*parameters, grids[truth]))
            if said != truth:
                late = softmax(parameters[0] @ parameters[1] @ (parameters[0] @ parameters[2]).T).T
                if truth != "right" and call(answer, (*parameters, late)) == truth:
                    raise Mistake(LATE[truth])
                spoken = SAID.get((truth, str(said)), f"These weights are {truth!r}; your function said {said!r}.")
                raise Mistake(spoken)

    return Property({"right": "right weights", "swapped": "swapped roles", "axis": "the wrong axis"}[truth], test)


EXERCISES = (
    Exercise(
        id="cross-shapes",
        title="Shapes between two sequences",
        kind="concept",
        difficulty="easy",
        minutes=3,
        misconception="There is one output for each key.",
        hints=(
            "Who asks? Each query gets one row of weights and one output.",
            "Write Q, K and V with their shapes first. Which size do Q and K share, and where does it go?",
        ),
        question={
            "prompt": "`X` (it asks) is 4 × 5 and `Z` (it answers) is 9 × 7. `W_Q` is 5 × 6, `W_K` is 7 × 6, `W_V` is 7 × 2. "
            "What are the shapes of the weights and of the output?",
            "options": [
                ("4 × 9 and 9 × 2", "There is one output for each *query*, and X holds four."),
                ("9 × 4 and 9 × 2", "Queries are the rows of the grid, and X asks."),
                ("4 × 9 and 4 × 2", "Four queries read nine keys; each output is as wide as a value."),
                ("4 × 4 and 4 × 2", "That is self-attention of X. Here the keys come from Z."),
                ("6 × 6 and 6 × 2", "6 is the width in which queries and keys meet. It disappears in QKᵀ."),
            ],
            "right": 2,
        },
    ),
    Exercise(
        id="read-one",
        title="One token reads",
        kind="program",
        difficulty="easy",
        minutes=8,
        misconception="What is blended are the tokens, or the keys.",
        hints=(
            "Four steps: query, scores, weights, blend. The figure with the boxes shows them.",
            "The scores of all keys with one query are one product: keys (n × d_k) times the query (d_k).",
            "If the shape of your result is off, ask what you blended: tokens, keys or values.",
        ),
        properties=(
            agrees("the context vector", _read, [_reading(1, 7, 5, 4, 3), _reading(2, 2, 6, 3, 8)], READ_MISTAKES),
            agrees("matrices of one size", _read, [_reading(3, 5, 4, 4, 4)], READ_MISTAKES),
            agrees("a single token to read", _read, [_reading(4, 1, 3, 2, 5)], READ_MISTAKES),
        ),
    ),
    Exercise(
        id="cross-attention",
        title="Cross-attention with biases",
        kind="program",
        difficulty="medium",
        minutes=10,
        misconception="Values come from the sequence that asks.",
        hints=(
            "Which of the three projections take x, and which take z?",
            "NumPy adds a vector of length d_k to each row of an n × d_k matrix by itself.",
            "Each row of the weights, one for each query, must sum to 1.",
        ),
        properties=(
            agrees(
                "the output",
                _cross,
                [_crossing(1, 3, 7, 4, 5, 6, 2), _crossing(2, 6, 2, 3, 8, 4, 5)],
                CROSS_MISTAKES,
            ),
            agrees("keys and values from z", _cross, [_crossing(3, 4, 4, 4, 4, 4, 4)], SAME_SIZE_MISTAKES),
            agrees("a single key", _cross, [_crossing(4, 5, 1, 3, 2, 4, 6)], CROSS_MISTAKES),
        ),
    ),
    Exercise(
        id="turn-the-keys",
        title="Turn the keys",
        kind="program",
        difficulty="medium",
        minutes=10,
        misconception="Queries and keys must be alike for a token to be read.",
        hints=(
            "Where does rock's query stand? That is where the key of scissors must go.",
            "Every key makes the same turn. By how many degrees, and which way?",
            "With rows as vectors, the first row of the matrix is where (1, 0) lands, the second where (0, 1) lands.",
        ),
        properties=(
            Property("each reads the one that it beats", _right_token),
            Property("with a weight above 0.99", _clearly),
        ),
    ),
    Exercise(
        id="swapped-roles",
        title="Who swapped what?",
        kind="program",
        difficulty="medium",
        minutes=12,
        misconception="Weights whose rows sum to one are right.",
        hints=(
            "What would the weights be for each of the three? You have all that it takes to compute them.",
            "Exchanging the roles transposes the scores, before the softmax. The wrong axis is the same scores with axis=0.",
            "Compare with np.allclose, never with ==.",
        ),
        properties=tuple(_diagnosis(truth) for truth in ("right", "swapped", "axis")),
    ),
    Exercise(
        id="everybody-reads",
        title="A word that everybody reads",
        kind="concept",
        difficulty="medium",
        minutes=4,
        misconception="A bias of the keys makes keys more popular.",
        hints=(
            "The scores of one row must change by another number for *Houston* than for the other words.",
            "Multiply out (q + b_q)·(k_j + b_k). Which terms know j, and which of these does not need q?",
        ),
        question={
            "prompt": "All matrices are fixed. Every word, whatever its query, should read more from *Houston*. "
            "Which one bias can do that?",
            "options": [
                (
                    "`b_k`",
                    "It moves *every* key by the same vector, so each score of a row gains the same. Nothing changes.",
                ),
                ("`b_q`", "It adds `b_q`·k_j to the score of key j. Point it along the key of *Houston*."),
                ("`b_v`", "It adds the same vector to every output, and changes no weight."),
                (
                    "None of them",
                    "One of the four terms of (q + `b_q`)·(k_j + `b_k`) knows the key and not the query. Which?",
                ),
            ],
            "right": 1,
        },
    ),
    Exercise(
        id="count-saved",
        title="How much smaller?",
        kind="derive",
        difficulty="easy",
        minutes=4,
        misconception="The ideal tensor needs one matrix for each token, not for each pair.",
        hints=(
            "The ideal tensor has a cell for each pair of tokens. What is the size of one cell?",
            "Attention has two matrices of d × d_k, and one of d × d_v.",
        ),
        question={
            "prompt": "Take n = 10 tokens with d = 8, d_k = 4 and d_v = 3. How many *times* more numbers does the ideal "
            "tensor have than W_Q, W_K and W_V together? A whole number is enough.",
            "right": 2400 / 88,
            "tolerance": 0.5,
            "wrong": [
                (240 / 88, 0.3, "You counted one cell for each token. The grid has n × n cells, one for each pair."),
                (2400 / 56, 0.5, "W_Q and W_K are two matrices: 8 · 4 counts twice."),
                (88 / 2400, 0.01, "The other way round: the ideal tensor has more."),
                (2400.0, 0.5, "That is the ideal tensor's count. Divide it by that of the three matrices."),
                (88.0, 0.5, "That is the count of the three matrices. How often does it go into the ideal tensor's?"),
            ],
            "explanation": "100 cells of 8 · 3 numbers are 2400; 2 · 8 · 4 + 8 · 3 = 88. And the 2400 serve 10 tokens only.",
        },
    ),
)
