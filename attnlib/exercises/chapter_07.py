"""Exercises of chapter 7: cost and engineering."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib import cost
from attnlib.attention import attention, softmax
from attnlib.exercises.harness import Exercise, Mistake, Property, agrees, call, compare, kind
from attnlib.masks import causal_mask, sliding_window_mask
from attnlib.variants import linear_attention

Map = Callable[..., Any]


def _drawn(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


# Two halves of the keys ------------------------------------------------------------------------

Part = tuple[np.ndarray, np.ndarray, np.ndarray]


def _part(scores: np.ndarray, value: np.ndarray) -> Part:
    """What one machine remembers of its keys: largest score, total and blend for each query."""
    largest = scores.max(axis=1, keepdims=True)
    raised = np.exp(scores - largest)
    return largest, raised.sum(axis=1, keepdims=True), raised @ value


def _halves(cut: int, scores: np.ndarray, value: np.ndarray) -> tuple[Part, Part]:
    return _part(scores[:, :cut], value[:cut]), _part(scores[:, cut:], value[cut:])


def _joined(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    shrinks = [np.exp(part[0] - larger) for part in (left, right)]
    total = sum(part[1] * shrink for part, shrink in zip((left, right), shrinks, strict=True))
    blend = sum(part[2] * shrink for part, shrink in zip((left, right), shrinks, strict=True))
    return np.asarray(blend / total)


def _upside_down(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    a, b = np.exp(larger - left[0]), np.exp(larger - right[0])
    return np.asarray((left[2] * a + right[2] * b) / (left[1] * a + right[1] * b))


def _totals_as_they_are(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    a, b = np.exp(left[0] - larger), np.exp(right[0] - larger)
    return np.asarray((left[2] * a + right[2] * b) / (left[1] + right[1]))


def _blends_as_they_are(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    a, b = np.exp(left[0] - larger), np.exp(right[0] - larger)
    return np.asarray((left[2] + right[2]) / (left[1] * a + right[1] * b))


def _not_divided(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    return np.asarray(left[2] * np.exp(left[0] - larger) + right[2] * np.exp(right[0] - larger))


JOIN_MISTAKES: list[tuple[str, Map]] = [
    ("Each part has subtracted a largest score of its own. Bring both to the larger of the two before you add.", lambda a, b: (a[2] + b[2]) / (a[1] + b[1])),
    ("That is the mean of two answers. A part with higher scores must count more.", lambda a, b: (a[2] / a[1] + b[2] / b[1]) / 2),
    ("You correct the wrong way round: multiply by e^(old − new), which is 1 at most.", _upside_down),
    ("The blends are corrected and the totals are not. Both were summed under the old largest score.", _totals_as_they_are),
    ("The totals are corrected and the blends are not. Both were summed under the old largest score.", _blends_as_they_are),
    ("The division by the total is missing.", _not_divided),
    ("That is the answer of the left part alone.", lambda a, b: a[2] / a[1]),
    ("That is the answer of the right part alone.", lambda a, b: b[2] / b[1]),
]  # fmt: skip


def _far_apart(shift: float) -> tuple[Part, Part]:
    (scores, value) = _drawn(3, (4, 9), (9, 3))
    scores[:, 5:] += shift
    return _halves(5, scores, value)


def _uneven() -> tuple[Part, Part]:
    (scores, value) = _drawn(4, (3, 8), (8, 2))
    return _halves(3, scores + np.array([[1000.0], [0.0], [-1000.0]]), value)


# Running sums ----------------------------------------------------------------------------------


def _causal_linear(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.asarray(linear_attention(query, key, value, causal=True, feature=lambda x: x))


def _shares(change: Callable[[np.ndarray], np.ndarray]) -> Map:
    """Linear attention by its grid, changed before each row is divided by its sum."""

    def wrong(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
        grid = change(query @ key.T)
        sums = grid.sum(axis=1, keepdims=True)
        return np.asarray(grid / np.where(sums == 0, 1, sums) @ value)

    return wrong


def _running(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.asarray(np.tril(query @ key.T) @ value)


SUM_MISTAKES: list[tuple[str, Map]] = [
    ("Every token reads the future: add a key and its value to the sums before its own query reads them, not all keys at once.", _shares(lambda grid: grid)),
    ("A token does not read itself: put its key and value into the sums first, then let its query read.", _shares(lambda grid: np.tril(grid, -1))),
    ("The sums run backwards: a token reads itself and those *before* it.", _shares(np.triu)),
    ("The division is missing: divide by φ(q) times the sum of the keys so far.", _running),
    ("You divide by the number of keys. Divide by φ(q) times their sum.", lambda q, k, v: _running(q, k, v) / np.arange(1, len(q) + 1)[:, None]),
    ("You divide by the sum over all keys, also the future ones. Keep a running sum of the keys too.", lambda q, k, v: _running(q, k, v) / (q @ k.sum(axis=0))[:, None]),
    ("query and key are exchanged.", lambda q, k, v: _causal_linear(k, q, v)),
    ("That is softmax attention. Here the weights are φ(q)·φ(k), and no exp is left to take.", lambda q, k, v: attention(q, k, v, causal_mask(len(q)), scale=1)),
    ("That is softmax attention. Here the weights are φ(q)·φ(k), and no exp is left to take.", lambda q, k, v: attention(q, k, v, causal_mask(len(q)))),
    ("You forget what was read before: add to the sums, do not replace them.", lambda q, k, v: v),
]  # fmt: skip


def _positive(seed: int, n: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
    query, key, value = _drawn(seed, (n, d_k), (n, d_k), (n, d_v))
    return np.exp(query / 2), np.exp(key / 2), value


def _no_grid(answer: Any) -> None:
    """A long text, in memory that no n × n grid fits into."""
    case = _positive(5, 1500, 3, 2)
    tracemalloc.start()
    try:
        got = call(answer, case)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    compare(got, _causal_linear(*case), what="For 1500 tokens the result")
    if held > 1500**2 * 4:
        raise Mistake(
            f"For 1500 tokens your function held {held / 1e6:.0f} MB: that is an n × n grid. "
            "Two running sums of fixed size are enough."
        )


# A window --------------------------------------------------------------------------------------


def _window(n: int, w: int) -> np.ndarray:
    return np.asarray(sliding_window_mask(n, window=w))


def _ages(n: int) -> np.ndarray:
    """How many places key j lies before query i."""
    return np.arange(n)[:, None] - np.arange(n)


WINDOW_MISTAKES: list[tuple[str, Map]] = [
    ("Your window holds w + 1 keys: the query's own is one of the w. Block j = i − w.", lambda n, w: (_ages(n) >= 0) & (_ages(n) <= w)),
    ("A query does not read itself: its own key is the last of the window.", lambda n, w: (_ages(n) > 0) & (_ages(n) <= w)),
    ("A query does not read itself: its own key is the last of the window.", lambda n, w: (_ages(n) > 0) & (_ages(n) < w)),
    ("The window is inverted: True means that a query *may* attend.", lambda n, w: ~_window(n, w)),
    ("Your window looks ahead too. It should end at the query's own key.", lambda n, w: abs(_ages(n)) < w),
    ("Nothing limits the future: block j > i.", lambda n, w: _ages(n) < w),
    ("Nothing limits the past: that is the causal mask. Block keys further back than w − 1.", lambda n, w: _ages(n) >= 0),
    ("Rows and columns are exchanged, so that queries look ahead: the query is the row.", lambda n, w: _window(n, w).T),
    ("Those are blocks of w tokens. The window moves along with the query.", lambda n, w: (_ages(n) >= 0) & (np.arange(n)[:, None] // w == np.arange(n) // w)),
]  # fmt: skip


def _is_boolean(answer: Any) -> None:
    got = call(answer, (5, 2))
    if not isinstance(got, np.ndarray):
        raise Mistake(f"Return a NumPy array of True and False, got {kind(got)}.")
    if got.dtype != bool:
        raise Mistake(
            f"The mask holds {got.dtype} numbers. It should hold True and False, else ~mask and mask & other go wrong."
        )


# Dropout ---------------------------------------------------------------------------------------


def _dropped(scores: np.ndarray, value: np.ndarray, kept: np.ndarray, p: float) -> np.ndarray:
    return np.asarray(softmax(scores) * kept / (1 - p) @ value)


def _renormalised(scores: np.ndarray, value: np.ndarray, kept: np.ndarray, p: float) -> np.ndarray:
    weights = softmax(scores) * kept
    return np.asarray(weights / weights.sum(axis=1, keepdims=True) @ value)


DROP_MISTAKES: list[tuple[str, Map]] = [
    ("You set scores to 0, before the softmax. A score of 0 is an ordinary score: drop the weights, after it.", lambda s, v, kept, p: softmax(s * kept) @ v),
    ("You set scores to 0, before the softmax. A score of 0 is an ordinary score: drop the weights, after it.", lambda s, v, kept, p: softmax(s * kept) / (1 - p) @ v),
    ("You set scores to 0, before the softmax. A score of 0 is an ordinary score: drop the weights, after it.", lambda s, v, kept, p: softmax(s * kept / (1 - p)) @ v),
    ("The division by 1 − p is missing: the average over many draws would shrink.", lambda s, v, kept, p: softmax(s) * kept @ v),
    ("You divide by p. Of the weights the share 1 − p is left: divide by that.", lambda s, v, kept, p: softmax(s) * kept / p @ v),
    ("You multiply by 1 − p. What is left must grow, not shrink: divide.", lambda s, v, kept, p: softmax(s) * kept * (1 - p) @ v),
    ("kept is inverted: True stays, False goes.", lambda s, v, kept, p: _dropped(s, v, ~kept, p)),
    ("Your rows sum to 1 again. Dropout divides by 1 − p, the same for all rows, whatever was dropped.", _renormalised),
    ("You block scores with −∞, before the softmax, so the rows sum to 1. Drop the weights, after it.", lambda s, v, kept, p: softmax(np.where(kept, s, -np.inf)) / (1 - p) @ v),
    ("Nothing is dropped.", lambda s, v, kept, p: softmax(s) @ v),
    ("The softmax runs over the queries. It must run over the keys, the last axis.", lambda s, v, kept, p: softmax(s, axis=0) * kept / (1 - p) @ v),
]  # fmt: skip


def _draws(seed: int, n_q: int, n_k: int, d_v: int, p: float) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    kept = rng.random((n_q, n_k)) >= p
    kept[:, 0] = True  # every row keeps something, so that each mistake is one of its own
    return rng.normal(size=(n_q, n_k)), rng.normal(size=(n_k, d_v)), kept, p


def _a_row_that_loses_all(answer: Any) -> None:
    scores, value, kept, p = _draws(4, 3, 5, 2, 0.4)
    kept[1] = False
    got = np.asarray(call(answer, (scores, value, kept, p)), dtype=float)
    if got.shape == (3, 2) and not np.isfinite(got[1]).all():
        raise Mistake(
            "A row that loses all its weights gives NaN. It should give 0: the softmax comes first, and no row is divided by its sum again."
        )
    compare(
        got,
        _dropped(scores, value, kept, p),
        [(says, wrong(scores, value, kept, p)) for says, wrong in DROP_MISTAKES[:7]],
    )


EXERCISES = (
    Exercise(
        id="window-mask",
        title="A window",
        kind="program",
        difficulty="easy",
        minutes=8,
        misconception="A window of w reaches w tokens back.",
        hints=(
            "Take w = 1. Which keys may a query read? And with w = 2?",
            "i − j says how far back key j lies. Which values of i − j are allowed?",
            "np.arange(n)[:, None] − np.arange(n) is a grid of all i − j. Two conditions, joined by &.",
        ),
        properties=(
            agrees("the window ends at the query", _window, [(7, 3), (6, 2)], WINDOW_MISTAKES),
            agrees("a window of one, and one wider than the text", _window, [(5, 1), (4, 9)], WINDOW_MISTAKES),
            Property("the mask is boolean", _is_boolean),
        ),
    ),
    Exercise(
        id="join-parts",
        title="Two halves of the keys",
        kind="program",
        difficulty="hard",
        minutes=15,
        misconception="Answers for parts of the keys can be averaged.",
        hints=(
            "What would each total have been, had the larger of both largest scores been subtracted?",
            "The streaming softmax multiplies by e^(old − new). Here both parts have an old largest score, and share a new one.",
            "np.maximum compares entry by entry: one largest score for each query. Divide once, at the end.",
        ),
        properties=(
            agrees("two halves", _joined, [_halves(3, *_drawn(1, (5, 8), (8, 3))), _halves(6, *_drawn(2, (4, 7), (7, 2)))], JOIN_MISTAKES),
            agrees("scores far apart", _joined, [_far_apart(-2000.0), _far_apart(2000.0)], JOIN_MISTAKES[1:2]),
            agrees("each query has its own largest score", _joined, [_uneven()], JOIN_MISTAKES),
        ),
    ),
    Exercise(
        id="causal-sums",
        title="A state instead of a cache",
        kind="program",
        difficulty="medium",
        minutes=15,
        misconception="Causal attention needs a grid to put a mask on.",
        hints=(
            "Two things are kept while you go from token to token: what shape has each?",
            "φ(k)ᵀv of one token is a matrix of d_k × d_v: np.outer(key[i], value[i]).",
            "Order matters: first add the token's own key and value, then let its query read.",
        ),
        properties=(
            agrees("one text", _causal_linear, [_positive(1, 6, 4, 3), _positive(2, 7, 2, 5)], SUM_MISTAKES),
            agrees("sizes that agree", _causal_linear, [_positive(3, 5, 5, 5)], SUM_MISTAKES),
            Property("no n × n grid", _no_grid),
        ),
    ),
    Exercise(
        id="drop-weights",
        title="Dropout in its place",
        kind="program",
        difficulty="medium",
        minutes=10,
        misconception="Dropping scores is dropping weights.",
        hints=(
            "Which of the three comes first: softmax, dropping, blending?",
            "True counts as 1 and False as 0 when you multiply.",
            "What share of the weights is left on average, and what number makes up for it?",
        ),
        properties=(
            agrees("some weights are dropped", _dropped, [_draws(1, 4, 6, 3, 0.25), _draws(2, 5, 3, 2, 0.4)], DROP_MISTAKES),
            agrees("sizes that agree", _dropped, [_draws(3, 4, 4, 4, 0.3)], DROP_MISTAKES),
            Property("a row that loses all its weights", _a_row_that_loses_all),
        ),
    ),
    Exercise(
        id="no-feed-forward",
        title="Without feed-forward layers",
        kind="derive",
        difficulty="medium",
        minutes=5,
        misconception="The crossover is at 6d, whatever the block is made of.",
        hints=(
            "Which terms of 12nd² + 2n²d are left?",
            "Set the grids equal to what is left of the rest, and divide by n and d.",
        ),
        question={
            "prompt": "A block has attention and no feed-forward layer, like those of the model in chapter 8. For d = 512, at how many tokens do "
            "the grids take half of the multiply–adds? Write the number without a comma.",
            "right": float(cost.crossover(512) - 4 * 512),
            "tolerance": 0.5,
            "wrong": [
                (3072.0, 0.5, "That is 6d, with the feed-forward layer's 8nd². It is gone."),
                (2048.0, 0.5, "That is 4d. There are two products with the grid, QKᵀ and AV: 2n²d."),
                (1536.0, 0.5, "That is 3d. W_O takes nd² as well: 4nd² in all."),
                (512.0, 0.5, "At n = d the grids take 2d³ and the projections 4d³."),
            ],
            "explanation": "4nd² = 2n²d at n = 2d. Without feed-forward layers the grids matter three times as soon.",
        },
    ),
    Exercise(
        id="mask-saves",
        title="What does the mask save?",
        kind="concept",
        difficulty="easy",
        minutes=4,
        misconception="Masked scores are not computed.",
        hints=(
            "Look at the order of things in `attention`: when does the mask come in?",
            "A tile of keys that is masked as a whole, for all queries at hand: who can know that before computing it?",
        ),
        question={
            "prompt": "A causal mask blocks nearly half of all pairs. Which function needs only about half of the multiply–adds because of it?",
            "options": [
                ("`attention` with `causal_mask(n)`", "It makes all scores, then puts −∞ on some. The work is done."),
                ("`streaming_attention` with `causal=True`", "It never starts on a tile of keys that lies in the future of all its queries."),
                ("Both", "Does `attention` know what will be masked when it computes `Q @ K.T`?"),
                ("Neither", "One of the two goes through the keys in tiles, and whole tiles lie in the future."),
            ],
            "right": 1,
        },
    ),
    Exercise(
        id="same-function",
        title="The same function?",
        kind="concept",
        difficulty="medium",
        minutes=4,
        misconception="All fast forms of attention are approximations.",
        hints=(
            "For each: is there a text for which it gives other numbers than attention does?",
            "Which of the four changes only the *order* of the sums?",
        ),
        question={
            "prompt": "You have a trained model with ordinary attention, and may change how it is computed, but not train it again. With which change does it give the same "
            "answers, up to rounding?",
            "options": [
                ("Sliding windows in every layer", "Each query loses what lies further back."),
                ("Linearised attention", "Its weights are other weights, and much flatter."),
                ("One head of keys for all, the mean of the trained ones", "The scores change. Such a model is trained that way from the start."),
                ("A streaming softmax, in tiles of keys", "It adds the same numbers in another order."),
            ],
            "right": 3,
        },
    ),
    Exercise(
        id="state-or-cache",
        title="When the state is smaller",
        kind="derive",
        difficulty="medium",
        minutes=7,
        misconception="A state of fixed size is always smaller than a cache.",
        hints=(
            "How many numbers does one token leave in the cache: a key and a value, for this one head?",
            "The state has a matrix of d_k × d_v and a vector of d_k, and both stay as they are when the text goes on.",
        ),
        question={
            "prompt": "One head with d_k = d_v = 64. From which number of tokens on does the key–value cache hold *more* numbers than "
            "linearised attention's two sums?",
            "right": 33.0,
            "tolerance": 0.1,
            "wrong": [
                (32.5, 0.1, "There the two would be equal, and tokens come whole. Which is the first to be above?"),
                (32.0, 0.1, "32 tokens leave 4096 numbers. You forgot the sum of the keys, 64 numbers more: 4160."),
                (65.0, 0.5, "A token leaves a key *and* a value: 128 numbers."),
                (66.0, 0.5, "A token leaves a key *and* a value: 128 numbers."),
                (64.0, 0.5, "A token leaves a key *and* a value, and the state has a sum of the keys too."),
            ],
            "explanation": "The state has 64 · 65 = 4160 numbers. 32 tokens leave 32 · 128 = 4096 in the cache, 33 leave 4224.",
        },
    ),
)  # fmt: skip
