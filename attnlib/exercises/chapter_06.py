"""Exercises and predictions of chapter 6: several heads."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib import cost
from attnlib.attention import attention, softmax
from attnlib.exercises.harness import Exercise, Mistake, Property, agrees, call, compare
from attnlib.masks import causal_mask
from attnlib.multihead import merge_heads, multi_head_attention, split_heads

Map = Callable[..., Any]


def _drawn(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


# Split and merge -------------------------------------------------------------------------------


def _cut(x: np.ndarray, h: int) -> np.ndarray:
    """The reshape that forgets the swap."""
    *batch, n, width = x.shape
    return x.reshape(*batch, h, n, width // h)


def _every_hth(x: np.ndarray, h: int) -> np.ndarray:
    *batch, n, width = x.shape
    return np.moveaxis(x.reshape(*batch, n, width // h, h), -1, -3)


def _batch_swapped(x: np.ndarray, h: int) -> np.ndarray:
    *batch, n, width = x.shape
    return np.swapaxes(x.reshape(*batch, n, h, width // h), 0, 1)


SPLIT_MISTAKES: list[tuple[str, Map]] = [
    ("A head holds all columns of some tokens: reshape alone mixes tokens and heads. Reshape to (…, n, h, d_head), then swap the axes of tokens and heads.", _cut),
    ("Head a holds every h-th column. It should hold d_head neighbouring columns: the last axis of the reshape is d_head, not h.", _every_hth),
    ("The axes are (…, n, h, d_head): the swap of tokens and heads is missing.", lambda x, h: np.swapaxes(split_heads(x, h), -2, -3)),
    ("The axes are (…, h, d_head, n): one transpose too many.", lambda x, h: np.swapaxes(split_heads(x, h), -1, -2)),
]  # fmt: skip
MERGE_MISTAKES: list[tuple[str, Map]] = [
    ("A row of your result holds several tokens of one head: reshape alone mixes tokens and heads. Swap their axes first.", lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1)),
    ("The heads' columns are interleaved: keep those of a head next to each other.", lambda x: np.moveaxis(x, -3, -1).reshape(*x.shape[:-3], x.shape[-2], -1)),
    ("The heads are added up. They should stand side by side.", lambda x: x.sum(axis=-3)),
    ("The heads stand below each other. They should stand side by side, in each token's row.", lambda x: x.reshape(*x.shape[:-3], -1, x.shape[-1])),
]  # fmt: skip
BATCHED = "With batch axes in front, count the axes from the end: −2 and −3, not 0 and 1."

# Causal multi-head attention -------------------------------------------------------------------


def _causal(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    return np.asarray(multi_head_attention(x, w_q, w_k, w_v, w_o, causal_mask(x.shape[-2]), num_heads=h))


def _parts(x: Any, w_q: Any, w_k: Any, w_v: Any, h: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    q, k, v = (split_heads(x @ w, h) for w in (w_q, w_k, w_v))
    return q, k, v, causal_mask(x.shape[-2])


def _scaled(power: float, *, all_heads: bool = False) -> Map:
    def wrong(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
        q, k, v, mask = _parts(x, w_q, w_k, w_v, h)
        size = w_q.shape[1] if all_heads else q.shape[-1]
        return np.asarray(merge_heads(attention(q, k, v, mask, scale=float(size) ** -power)) @ w_o)

    return wrong


def _with_weights(make: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Map:
    def wrong(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
        q, k, v, mask = _parts(x, w_q, w_k, w_v, h)
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        return np.asarray(merge_heads(make(scores, mask) @ v) @ w_o)

    return wrong


def _masked(scores: np.ndarray, mask: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.asarray(softmax(np.where(mask, scores, -np.inf), axis=axis))


def _strictly(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    past = mask & ~np.eye(len(mask), dtype=bool)
    past[0, 0] = True  # else the first row has nothing to read
    return _masked(scores, past)


def _cut_both(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    q, k, v = (_cut(x @ w, h) for w in (w_q, w_k, w_v))
    blends = attention(q, k, v, causal_mask(x.shape[-2]))
    return np.asarray(blends.reshape(*x.shape[:-1], -1) @ w_o)


def _cut_merge(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    q, k, v, mask = _parts(x, w_q, w_k, w_v, h)
    return np.asarray(attention(q, k, v, mask).reshape(*x.shape[:-1], -1) @ w_o)


CAUSAL_MISTAKES: list[tuple[str, Map]] = [
    ("This is one head of full width: num_heads changes nothing.", lambda x, q, k, v, o, h: _causal(x, q, k, v, o, 1)),
    ("You split and merge by reshape alone, which mixes tokens and heads. Swap their axes.", _cut_both),
    ("You merge by reshape alone, which mixes tokens and heads. Swap their axes first.", _cut_merge),
    ("W_O is missing: the merged heads come out as they are.", lambda x, q, k, v, o, h: _causal(x, q, k, v, np.eye(len(o)), h)),
    ("The scaling is missing: divide the scores by √d_k.", _scaled(0)),
    ("You divide by d_k. Divide by its root.", _scaled(1)),
    ("You divide by √(h·d_k), the width of all heads. A score has d_k products: those of one head.", _scaled(0.5, all_heads=True)),
    ("The softmax runs over the queries. It must run over the keys, the last axis.", _with_weights(lambda s, m: _masked(s, m | m.T, axis=-2))),
    ("The softmax runs over the queries. It must run over the keys, the last axis.", _with_weights(lambda s, m: _masked(s, m, axis=-2))),
    ("The softmax runs over the heads. Each head has its own, over the keys.", _with_weights(lambda s, m: np.where(m, softmax(s, axis=-3), 0))),
    ("The causal mask is missing: every token reads the future.", _with_weights(lambda s, m: _masked(s, m | True))),
    ("The mask is inverted: tokens read the future and not the past.", _with_weights(lambda s, m: _masked(s, m.T))),
    ("Tokens may read themselves: block keys after the query, j > i, not j ≥ i.", _with_weights(_strictly)),
    ("You mask after the softmax, so the rows no longer sum to 1. Mask the scores, with −∞.", _with_weights(lambda s, m: np.where(m, softmax(s), 0))),
    ("w_q and w_k are exchanged.", lambda x, q, k, v, o, h: _causal(x, k, q, v, o, h)),
]  # fmt: skip
LEAKS: list[tuple[str, Map]] = [
    ("Sentences of a batch read each other: the softmax or the blend runs over more than one sentence.", lambda x, q, k, v, o, h: _over_the_batch(x, q, k, v, o, h)),
    ("Every sentence of the batch gets the result of the first.", lambda x, q, k, v, o, h: np.broadcast_to(_causal(x[:1], q, k, v, o, h), (*x.shape[:-1], o.shape[1]))),
    *CAUSAL_MISTAKES,
]  # fmt: skip


def _over_the_batch(x: np.ndarray, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    """The batch laid end to end, as if it were one long sentence."""
    long = x.reshape(-1, x.shape[-1])
    return _causal(long, w_q, w_k, w_v, w_o, h).reshape(*x.shape[:-1], -1)


def _heads(seed: int, h: int, d_k: int, d_v: int, *x: int) -> tuple[Any, ...]:
    d = x[-1]
    return (*_drawn(seed, x, (d, h * d_k), (d, h * d_k), (d, h * d_v), (h * d_v, d + 1)), h)


# Share keys ------------------------------------------------------------------------------------


def _share(key: np.ndarray, h: int) -> np.ndarray:
    return np.repeat(key, h // len(key), axis=0)


SHARE_MISTAKES: list[tuple[str, Map]] = [
    ("The key heads take turns: 0, 1, 0, 1. Neighbours should share: 0, 0, 1, 1. (np.tile takes turns, np.repeat does not.)", lambda key, h: np.tile(key, (h // len(key), 1, 1))),
    ("You repeat the tokens. Repeat the heads, axis 0.", lambda key, h: np.repeat(key, h // len(key), axis=1)),
    ("You repeat the columns. Repeat the heads, axis 0.", lambda key, h: np.repeat(key, h // len(key), axis=2)),
    ("All query heads get the first key head. There are g of them.", lambda key, h: np.repeat(key[:1], h, axis=0)),
    ("All query heads get the mean of the key heads. Each group has one of its own.", lambda key, h: np.repeat(key.mean(axis=0, keepdims=True), h, axis=0)),
]  # fmt: skip


# What each head adds ---------------------------------------------------------------------------


def _added(heads: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    h, _, d_v = heads.shape
    return np.asarray(heads @ w_o.reshape(h, d_v, -1))


PART_MISTAKES: list[tuple[str, Map]] = [
    ("That is the sum, the whole output. Return each head's part of it: shape (h, n, d).", lambda heads, o: merge_heads(heads) @ o),
    ("Every head goes through the first band of w_o. Head a has rows a·d_v to (a + 1)·d_v − 1.", lambda heads, o: heads @ o[: heads.shape[-1]]),
    ("Head a takes every h-th row of w_o. Its rows are neighbours: a·d_v to (a + 1)·d_v − 1.", lambda heads, o: heads @ o.reshape(heads.shape[-1], len(heads), -1).swapaxes(0, 1)),
    ("The bands of w_o are in the wrong order: head 0 has the first rows.", lambda heads, o: heads @ o.reshape(*heads.shape[::2], -1)[::-1]),
]  # fmt: skip


def _sums_up(answer: Any) -> None:
    heads, w_o = _drawn(7, (4, 6, 3), (12, 5))
    got = np.asarray(call(answer, (heads, w_o)), dtype=float)
    if got.shape != (4, 6, 5):
        raise Mistake(f"Four heads, 6 tokens, w_o of 12 × 5: the parts should have shape (4, 6, 5), got {got.shape}.")
    compare(got.sum(axis=0), merge_heads(heads) @ w_o, what="The sum of the parts")


def _batched_split() -> tuple[tuple[str, Map], ...]:
    return ((BATCHED, _batch_swapped), *SPLIT_MISTAKES)


def _batched_merge() -> tuple[tuple[str, Map], ...]:
    def first_two(x: np.ndarray) -> np.ndarray:
        swapped = np.swapaxes(x, 0, 1)
        return swapped.reshape(*swapped.shape[:-2], -1)

    return ((BATCHED, first_two), *MERGE_MISTAKES)


EXERCISES = (
    Exercise(
        id="split-heads",
        title="Split",
        kind="program",
        difficulty="easy",
        minutes=8,
        misconception="A reshape to the right shape puts the right numbers there.",
        hints=(
            "Which axis must be cut into two, and which of the two new axes comes first?",
            "After the reshape, tokens and heads stand the other way round. One more call exchanges them.",
            "With batch axes in front, −1, −2 and −3 name the last axes whatever stands before them.",
        ),
        properties=(
            agrees("one sentence", split_heads, [(*_drawn(1, (5, 12)), 3), (*_drawn(2, (2, 15)), 5)], SPLIT_MISTAKES),
            agrees("a batch of sentences", split_heads, [(*_drawn(3, (3, 5, 8)), 4)], _batched_split()),
            agrees("two batch axes", split_heads, [(*_drawn(4, (2, 3, 5, 8)), 4)], _batched_split()),
        ),
    ),
    Exercise(
        id="merge-heads",
        title="Merge",
        kind="program",
        difficulty="easy",
        minutes=6,
        misconception="Undoing a reshape is a reshape.",
        hints=(
            "Undo the two steps of the split, the last one first. Count the axes from the end: −2 and −3.",
            "In a reshape, −1 stands for whatever size is left.",
        ),
        properties=(
            agrees("one sentence", merge_heads, [_drawn(1, (3, 5, 4)), _drawn(2, (4, 7, 2))], MERGE_MISTAKES),
            agrees("a batch of sentences", merge_heads, [_drawn(3, (2, 3, 5, 4))], _batched_merge()),
        ),
    ),
    Exercise(
        id="causal-heads",
        title="Causal multi-head attention",
        kind="program",
        difficulty="hard",
        minutes=20,
        misconception="Heads need a loop, and share one softmax or one scale.",
        hints=(
            "Project first, split then: your two functions above do half of the work.",
            "The keys are a stack of matrices. Transpose each one: exchange axes −1 and −2, counted from the end. `.T` turns round all axes.",
            "The width under the root is that of one head, the last axis of the split query.",
            "np.tri(n, dtype=bool) is True where a query may read. It fits every head and every sentence.",
        ),
        properties=(
            agrees("one sentence", _causal, [_heads(1, 3, 4, 2, 5, 7), _heads(2, 2, 3, 5, 4, 6)], CAUSAL_MISTAKES),
            agrees("sizes that agree", _causal, [(*_drawn(3, *5 * [(6, 6)]), 3)], CAUSAL_MISTAKES),
            agrees("a single head", _causal, [_heads(4, 1, 4, 3, 6, 5)], CAUSAL_MISTAKES[3:]),
            agrees("a batch of sentences", _causal, [_heads(5, 3, 2, 4, 4, 5, 7)], LEAKS),
        ),
    ),
    Exercise(
        id="share-keys",
        title="Hand out the keys",
        kind="program",
        difficulty="medium",
        minutes=6,
        misconception="Query heads take turns at the key heads.",
        hints=(
            "With h = 6 and g = 2, which key head belongs to query heads 0 to 5? The text prints it.",
            "How many query heads read one key head? NumPy can repeat along an axis.",
        ),
        properties=(
            agrees("groups of neighbours", _share, [(*_drawn(1, (2, 5, 3)), 6), (*_drawn(2, (3, 4, 2)), 12)], SHARE_MISTAKES),
            agrees("one for all", _share, [(*_drawn(3, (1, 5, 3)), 4)], SHARE_MISTAKES[1:3]),
            agrees("one for each", _share, [(*_drawn(4, (4, 5, 3)), 4)], SHARE_MISTAKES[3:]),
        ),
    ),
    Exercise(
        id="head-parts",
        title="What each head adds",
        kind="program",
        difficulty="medium",
        minutes=8,
        misconception="After W_O nobody can say what came from which head.",
        hints=(
            "Which rows of w_o does head a meet when the heads stand side by side?",
            "A reshape of w_o to three axes gives each head its band. Here no swap is needed: why?",
        ),
        properties=(
            agrees("each head's part", _added, [_drawn(1, (3, 5, 2), (6, 7)), _drawn(2, (2, 4, 3), (6, 5))], PART_MISTAKES),
            Property("the parts add up to the output", _sums_up),
        ),
    ),
    Exercise(
        id="zero-two-heads",
        title="Two silent heads",
        kind="concept",
        difficulty="easy",
        minutes=3,
        misconception="A column of the output belongs to a head.",
        hints=(
            "Column c of the output is the merged row times column c of W_O. Which heads' numbers stand in the merged row?",
            "Which numbers in that column of W_O would have to be 0 for a head not to be felt in column c?",
        ),
        question={
            "prompt": "Eight heads of width 64, d = 512, a trained `W_O` without a zero in it. Heads 2 and 5 are set to zero. "
            "In how many columns of the output Y is that felt?",
            "options": [
                ("128", "So many columns of the *merged* heads become zero. Then comes `W_O`."),
                ("384", "The other six heads go on, but they write to the same columns as the two."),
                ("512", "Each head writes to every column, through its own rows of `W_O`."),
                ("0: the other heads take over", "No head knows what another one does. Only training could make up for it."),
            ],
            "right": 2,
        },
    ),
    Exercise(
        id="double-the-heads",
        title="Twice as many heads",
        kind="concept",
        difficulty="medium",
        minutes=4,
        misconception="More heads mean more parameters and more work.",
        hints=(
            "At equal width, twice as many heads are half as wide. What becomes of h · n² · d_k?",
            "How many grids of n × n are there, and does a grid's size know d_k?",
        ),
        question={
            "prompt": "Width d stays as it is, d_k = d_v = d/h, and h doubles. What doubles with it?",
            "options": [
                ("The parameters", "Twice as many matrices `W_Q,a`, each half as wide."),
                ("The multiply–adds", "A grid costs n² · d_k: twice as many grids, at half the price each."),
                ("The cache of keys and values", "It holds h · d_k numbers for each key: twice as many heads, half as wide."),
                ("The numbers in the grids of weights", "h grids of n × n numbers, however narrow the heads are."),
                ("Nothing", "Count the grids of weights."),
            ],
            "right": 3,
        },
    ),
    Exercise(
        id="grouped-cache",
        title="A cache for a long text",
        kind="derive",
        difficulty="medium",
        minutes=5,
        misconception="The cache has one key for each query head.",
        hints=(
            "What does one token leave behind in one layer: how many vectors, of which width?",
            "Keys *and* values; groups, not query heads; and all layers.",
        ),
        question={
            "prompt": "A model has 24 layers, 16 query heads of width 64 and g = 4 groups; a number takes 2 bytes. "
            "How many *kilobytes* (1000 bytes) does one token leave in the cache?",
            "right": cost.cache_bytes(1, 4, 64, num_layers=24, itemsize=2) / 1000,
            "tolerance": 0.1,
            "wrong": [
                (98.304, 0.1, "That is a cache for 16 heads. Only the g = 4 heads of keys and values are kept."),
                (12.288, 0.1, "A token leaves a key *and* a value."),
                (1.024, 0.01, "That is one layer. Each of the 24 has its own keys and values."),
                (49.152, 0.1, "One factor of 2 too many. Two bytes, and a key and a value: 2 · 2."),
                (24.0, 0.05, "You divided by 1024. Nearly: a kilobyte here is 1000 bytes."),
                (24576.0, 1.0, "Those are bytes. How many kilobytes?"),
            ],
            "explanation": "2 vectors · 4 heads · 64 numbers · 24 layers · 2 bytes = 24,576 bytes. Sixteen heads would leave four times as much.",
        },
    ),
)  # fmt: skip
