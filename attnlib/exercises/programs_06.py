"""How the programs of chapter 6 are judged: heads, split and merged."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.attention import attention, softmax
from attnlib.exercises.harness import Mistake, Property, agrees, call, compare, numbers
from attnlib.exercises.slips import ANY, Map, Slips, slips, squeezed
from attnlib.masks import causal_mask
from attnlib.multihead import merge_heads, multi_head_attention, split_heads


def _drawn(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


def _whole(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Whole numbers, many of them 0."""
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(-1, 2, size=shape).astype(float) for shape in shapes)


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


SPLIT_MISTAKES: Slips = [
    ("A head holds all columns of some tokens: reshape alone mixes tokens and heads. Reshape to (…, n, h, d_head), then swap the axes of tokens and heads.", _cut),
    ("Head a holds every h-th column. It should hold d_head neighbouring columns: the last axis of the reshape is d_head, not h.", _every_hth),
    ("The axes are (…, n, h, d_head): the swap of tokens and heads is missing.", lambda x, h: np.swapaxes(split_heads(x, h), -2, -3)),
    ("The axes are (…, h, d_head, n): one transpose too many.", lambda x, h: np.swapaxes(split_heads(x, h), -1, -2)),
    ("The heads are in the reverse order: head 0 has the first columns.", lambda x, h: np.flip(split_heads(x, h), axis=-3)),
    ("The axes are (…, n, d_head, h). They should be (…, h, n, d_head).", lambda x, h: np.moveaxis(split_heads(x, h), -3, -1)),
    ("The first head alone came. Return all h of them.", lambda x, h: split_heads(x, h)[..., 0, :, :]),
    ("Every head holds the columns of the first.", lambda x, h: split_heads(x, h)[..., [0] * h, :, :]),
    ("Nothing is split: x came back as it was.", lambda x, h: x),
    squeezed(split_heads),
]  # fmt: skip
MERGE_MISTAKES: Slips = [
    ("A row of your result holds several tokens of one head: reshape alone mixes tokens and heads. Swap their axes first.", lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1)),
    ("The heads' columns are interleaved: keep those of a head next to each other.", lambda x: np.moveaxis(x, -3, -1).reshape(*x.shape[:-3], x.shape[-2], -1)),
    ("The heads are added up. They should stand side by side.", lambda x: x.sum(axis=-3)),
    ("The heads stand below each other. They should stand side by side, in each token's row.", lambda x: x.reshape(*x.shape[:-3], -1, x.shape[-1])),
    ("The heads are in the reverse order: head 0 stands first.", lambda x: merge_heads(np.flip(x, axis=-3))),
    ("The mean of the heads came. They should stand side by side.", lambda x: x.mean(axis=-3)),
    ("The axes are exchanged and not joined yet: the result should have shape (…, n, h · d_head).", lambda x: np.swapaxes(x, -2, -3)),
    ("The first head alone came. All of them should stand side by side.", lambda x: x[..., 0, :, :]),
    ("Your result is transposed: a row for each token.", lambda x: np.swapaxes(merge_heads(x), -1, -2)),
    squeezed(merge_heads),
]  # fmt: skip
BATCHED = "With batch axes in front, count the axes from the end: −2 and −3, not 0 and 1."

# Causal multi-head attention -------------------------------------------------------------------


def _causal(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    return np.asarray(multi_head_attention(x, w_q, w_k, w_v, w_o, causal_mask(x.shape[-2]), num_heads=h))


def _parts(x: Any, w_q: Any, w_k: Any, w_v: Any, h: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    q, k, v = (split_heads(x @ w, h) for w in (w_q, w_k, w_v))
    return q, k, v, causal_mask(x.shape[-2])


def _scaled(scale: Callable[[np.ndarray, int, int, int], float]) -> Map:
    def wrong(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
        q, k, v, mask = _parts(x, w_q, w_k, w_v, h)
        return np.asarray(merge_heads(attention(q, k, v, mask, scale=scale(x, q.shape[-1], v.shape[-1], h))) @ w_o)

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


CAUSAL_MISTAKES: Slips = [
    ("This is one head of full width: num_heads changes nothing.", lambda x, q, k, v, o, h: _causal(x, q, k, v, o, 1)),
    ("You split and merge by reshape alone, which mixes tokens and heads. Swap their axes.", _cut_both),
    ("You merge by reshape alone, which mixes tokens and heads. Swap their axes first.", _cut_merge),
    ("W_O is missing: the merged heads come out as they are.", lambda x, q, k, v, o, h: _causal(x, q, k, v, np.eye(len(o)), h)),
    ("The scaling is missing: divide the scores by √d_k.", _scaled(lambda x, d_k, d_v, h: 1)),
    ("You divide by d_k. Divide by √d_k, once.", _scaled(lambda x, d_k, d_v, h: 1 / d_k)),
    ("You divide by √(h·d_k), the width of all heads. A score has d_k products: those of one head.", _scaled(lambda x, d_k, d_v, h: (h * d_k) ** -0.5)),
    ("The softmax runs over the queries. It must run over the keys, the last axis.", _with_weights(lambda s, m: _masked(s, m | m.T, axis=-2))),
    ("The softmax runs over the queries. It must run over the keys, the last axis.", _with_weights(lambda s, m: _masked(s, m, axis=-2))),
    ("The softmax runs over the heads. Each head has its own, over the keys.", _with_weights(lambda s, m: np.where(m, softmax(s, axis=-3), 0))),
    ("The causal mask is missing: every token reads the future.", _with_weights(lambda s, m: _masked(s, m | True))),
    ("The mask is inverted: tokens read the future and not the past.", _with_weights(lambda s, m: _masked(s, m.T))),
    ("Tokens may read themselves: block keys after the query, j > i, not j ≥ i.", _with_weights(_strictly)),
    ("You mask after the softmax, so the rows no longer sum to 1. Mask the scores, with −∞.", _with_weights(lambda s, m: np.where(m, softmax(s), 0))),
    ("w_q and w_k are exchanged.", lambda x, q, k, v, o, h: _causal(x, k, q, v, o, h)),
    ("w_k and w_v are exchanged: keys make the scores, and values are blended.", lambda x, q, k, v, o, h: _causal(x, q, v, k, o, h)),
    ("The keys are made with w_q. They have a matrix of their own, w_k.", lambda x, q, k, v, o, h: _causal(x, q, q, v, o, h)),
    ("The values are made with w_k. They have a matrix of their own, w_v.", lambda x, q, k, v, o, h: _causal(x, q, k, k, o, h)),
    ("Tokens read the one after them, too: block keys with j > i, not j > i + 1.", _with_weights(lambda s, m: _masked(s, m | np.eye(len(m), k=1, dtype=bool)))),
    ("You multiply by √d_k. Divide.", _scaled(lambda x, d_k, d_v, h: d_k**0.5)),
    ("You divide by √d, the width of x. A score has d_k products: those of one head.", _scaled(lambda x, d_k, d_v, h: x.shape[-1] ** -0.5)),
    ("You divide by √d_v. A score has d_k products: divide by √d_k.", _scaled(lambda x, d_k, d_v, h: d_v**-0.5)),
    ("You divide by √n. A score has d_k products: divide by √d_k.", _scaled(lambda x, d_k, d_v, h: x.shape[-2] ** -0.5)),
    ("You set blocked scores to 0. That is a score like any other: they take −∞.", _with_weights(lambda s, m: softmax(s * m))),
    ("The softmax is missing: the scores themselves weigh the values.", _with_weights(lambda s, m: np.where(m, s, 0))),
    ("The weights are transposed: rows are queries.", _with_weights(lambda s, m: np.swapaxes(_masked(s, m), -1, -2))),
    ("All keys that may be read weigh alike: the scores have no effect.", _with_weights(lambda s, m: _masked(0 * s, m))),
    *slips(lambda weigh: _with_weights(lambda s, m: weigh(np.where(m, s, -np.inf))), ANY),
    ("Each token reads itself alone.", _with_weights(lambda s, m: np.where(np.eye(len(m)), 1.0, 0 * s))),
    ("The heads are in the reverse order when they are merged.", lambda x, q, k, v, o, h: _causal(x, q, k, v, np.concatenate(np.split(o, h)[::-1]), h)),
    ("The result is divided by the number of heads: W_O adds up what they write.", lambda x, q, k, v, o, h: _causal(x, q, k, v, o, h) / h),
    squeezed(_causal),
]  # fmt: skip
LEAKS: Slips = [
    ("Sentences of a batch read each other: the softmax or the blend runs over more than one sentence.", lambda x, q, k, v, o, h: _over_the_batch(x, q, k, v, o, h)),
    ("Every sentence of the batch gets the result of the first.", lambda x, q, k, v, o, h: np.broadcast_to(_causal(x[:1], q, k, v, o, h), (*x.shape[:-1], o.shape[1]))),
    *CAUSAL_MISTAKES,
]  # fmt: skip


def _over_the_batch(x: np.ndarray, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    """The batch laid end to end, as if it were one long sentence."""
    long = x.reshape(-1, x.shape[-1])
    return _causal(long, w_q, w_k, w_v, w_o, h).reshape(*x.shape[:-1], -1)


def _heads(
    seed: int, h: int, d_k: int, d_v: int, *x: int, drawn: Callable[..., tuple[np.ndarray, ...]] = _drawn
) -> tuple[Any, ...]:
    d = x[-1]
    return (*drawn(seed, x, (d, h * d_k), (d, h * d_k), (d, h * d_v), (h * d_v, d + 1)), h)


# Share keys ------------------------------------------------------------------------------------


def _share(key: np.ndarray, h: int) -> np.ndarray:
    return np.repeat(key, h // len(key), axis=0)


SHARE_MISTAKES: Slips = [
    ("Nothing is handed out: the key heads came back as they are.", lambda key, h: key),
    ("The key heads take turns: 0, 1, 0, 1. Neighbours should share: 0, 0, 1, 1. (np.tile takes turns, np.repeat does not.)", lambda key, h: np.tile(key, (h // len(key), 1, 1))),
    ("You repeat the tokens. Repeat the heads, axis 0.", lambda key, h: np.repeat(key, h // len(key), axis=1)),
    ("You repeat the columns. Repeat the heads, axis 0.", lambda key, h: np.repeat(key, h // len(key), axis=2)),
    ("All query heads get the first key head. There are g of them.", lambda key, h: np.repeat(key[:1], h, axis=0)),
    ("All query heads get the mean of the key heads. Each group has one of its own.", lambda key, h: np.repeat(key.mean(axis=0, keepdims=True), h, axis=0)),
    ("The key heads are handed out in reverse order: the first group has key head 0.", lambda key, h: _share(key[::-1], h)),
    ("Each key head is repeated h times. There are h heads in all: repeat each h/g times.", lambda key, h: np.repeat(key, h, axis=0)),
    ("Each key head is repeated g times. There are h heads in all: repeat each h/g times.", lambda key, h: np.repeat(key, len(key), axis=0)),
    ("The groups have an axis of their own. Join it: h heads in a row.", lambda key, h: np.repeat(key[:, None], h // len(key), axis=1)),
    squeezed(_share),
]  # fmt: skip
ONE_FOR_ALL = (
    1,
    2,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
)  # with one head of keys, or one for each query, some mistakes make no difference
ONE_FOR_EACH = (3, 4, 5, 6, 7, 8, 10)


# What each head adds ---------------------------------------------------------------------------


def _added(heads: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    h, _, d_v = heads.shape
    return np.asarray(heads @ w_o.reshape(h, d_v, -1))


PART_MISTAKES: Slips = [
    ("That is the sum, the whole output. Return each head's part of it: shape (h, n, d).", lambda heads, o: merge_heads(heads) @ o),
    ("Every head goes through the first band of w_o. Head a has rows a·d_v to (a + 1)·d_v − 1.", lambda heads, o: heads @ o[: heads.shape[-1]]),
    ("Head a takes every h-th row of w_o. Its rows are neighbours: a·d_v to (a + 1)·d_v − 1.", lambda heads, o: heads @ o.reshape(heads.shape[-1], len(heads), -1).swapaxes(0, 1)),
    ("The bands of w_o are in the wrong order: head 0 has the first rows.", lambda heads, o: heads @ o.reshape(*heads.shape[::2], -1)[::-1]),
    ("Each band of w_o is transposed: a head's blend of width d_v meets its d_v rows.", lambda heads, o: heads @ np.swapaxes(o.reshape(*heads.shape[::2], -1), 1, 2)),
    ("w_o is missing: the heads' blends came back as they are.", lambda heads, o: heads),
    ("Each part is the whole output. Return what each head adds to it.", lambda heads, o: np.stack([merge_heads(heads) @ o] * len(heads))),
    ("Each part is the whole output divided by h. The heads do not add alike.", lambda heads, o: np.stack([merge_heads(heads) @ o] * len(heads)) / len(heads)),
    ("The axes are (n, h, d). They should be (h, n, d).", lambda heads, o: np.swapaxes(_added(heads, o), 0, 1)),
    ("Those are the sums so far, head after head. Return what each head adds by itself.", lambda heads, o: np.cumsum(_added(heads, o), axis=0)),
    ("Those are the outputs without each head. Return what each head adds.", lambda heads, o: merge_heads(heads) @ o - _added(heads, o)),
    ("The first head's part alone came. Each head has one.", lambda heads, o: _added(heads, o)[0]),
    squeezed(_added),
]  # fmt: skip


def _sums_up(answer: Any) -> None:
    for heads, w_o in (_drawn(7, (4, 6, 3), (12, 5)), _drawn(8, (3, 4, 2), (6, 2)), _whole(9, (2, 1, 3), (6, 1))):
        got = numbers(call(answer, (heads, w_o)))
        if got.shape != (shape := (*heads.shape[:2], w_o.shape[1])):
            raise Mistake(
                f"For heads of shape {heads.shape} and w_o of {w_o.shape} the parts should have shape {shape}, got {got.shape}."
            )
        compare(got.sum(axis=0), merge_heads(heads) @ w_o, what="The sum of the parts")


def _first_two(x: np.ndarray) -> np.ndarray:
    swapped = np.swapaxes(x, 0, 1)
    return swapped.reshape(*swapped.shape[:-2], -1)


def _first_only(right: Map, to: int) -> Map:
    """The first sentence's result for each sentence, or alone."""

    def wrong(x: np.ndarray, *rest: Any) -> np.ndarray:
        first = right(x[:1], *rest)
        return first[0] if to else np.repeat(first, len(x), axis=0)

    return wrong


ALIKE = "Every sentence of the batch gets the result of the first."
ALONE = "The first sentence of the batch came alone."
BATCHED_SPLIT = [
    (BATCHED, _batch_swapped),
    (ALIKE, _first_only(split_heads, 0)),
    (ALONE, _first_only(split_heads, 1)),
    *SPLIT_MISTAKES,
]
BATCHED_MERGE = [
    (BATCHED, _first_two),
    (ALIKE, _first_only(merge_heads, 0)),
    (ALONE, _first_only(merge_heads, 1)),
    *MERGE_MISTAKES,
]

SPLIT_HEADS = (
    agrees("one sentence", split_heads, [(*_drawn(1, (5, 12)), 3), (*_drawn(2, (2, 15)), 5), (*_drawn(5, (5, 12)), 3), (*_drawn(6, (4, 3)), 3), (*_drawn(7, (1, 4)), 2), (*_drawn(8, (3, 4)), 1), (*_whole(9, (300, 4)), 2), (*_drawn(10, (2, 160)), 2)], SPLIT_MISTAKES),
    agrees("a batch of sentences", split_heads, [(*_drawn(3, (3, 5, 8)), 4), (*_drawn(11, (1, 3, 4)), 2), (*_drawn(12, (3, 1, 2)), 2)], BATCHED_SPLIT),
    agrees("two batch axes", split_heads, [(*_drawn(4, (2, 3, 5, 8)), 4), (*_drawn(13, (1, 2, 3, 4)), 2)], BATCHED_SPLIT),
)  # fmt: skip
MERGE_HEADS = (
    agrees("one sentence", merge_heads, [_drawn(1, (3, 5, 4)), _drawn(2, (4, 7, 2)), _drawn(5, (3, 5, 4)), _drawn(6, (3, 4, 1)), _drawn(7, (2, 1, 3)), _drawn(8, (1, 4, 3)), _whole(9, (2, 300, 2)), _drawn(10, (3, 2, 60))], MERGE_MISTAKES),
    agrees("a batch of sentences", merge_heads, [_drawn(3, (2, 3, 5, 4)), _drawn(4, (2, 3, 2, 4, 5)), _drawn(11, (1, 2, 3, 2)), _drawn(12, (2, 1, 3, 1, 2))], BATCHED_MERGE),
)  # fmt: skip
CAUSAL_HEADS = (
    agrees("one sentence", _causal, [_heads(1, 3, 4, 2, 5, 7), _heads(2, 2, 3, 5, 4, 6), _heads(6, 3, 4, 2, 5, 7), _heads(7, 2, 3, 1, 6, 4, drawn=_whole), _heads(8, 2, 1, 3, 200, 2), _heads(9, 2, 2, 3, 1, 4)], CAUSAL_MISTAKES),
    agrees("sizes that agree", _causal, [(*_drawn(3, *5 * [(6, 6)]), 3)], CAUSAL_MISTAKES),
    agrees("a single head", _causal, [_heads(4, 1, 4, 3, 6, 5), (*_drawn(10, (4, 3), (3, 2), (3, 2), (3, 2), (2, 1)), 1)], CAUSAL_MISTAKES),
    agrees("a batch of sentences", _causal, [_heads(5, 3, 2, 4, 4, 5, 7), _heads(11, 2, 2, 3, 1, 4, 3), _heads(12, 2, 3, 2, 3, 1, 4)], LEAKS),
)  # fmt: skip
SHARE_KEYS = (
    agrees("groups of neighbours", _share, [(*_drawn(1, (2, 5, 3)), 6), (*_drawn(2, (3, 4, 2)), 12), (*_drawn(5, (2, 5, 3)), 6), (*_drawn(6, (2, 1, 3)), 4), (*_drawn(7, (4, 3, 1)), 8), (*_whole(8, (2, 300, 2)), 6)], SHARE_MISTAKES),
    agrees("one for all", _share, [(*_drawn(3, (1, 5, 3)), 4), (*_drawn(9, (1, 2, 3)), 1)], SHARE_MISTAKES),
    agrees("one for each", _share, [(*_drawn(4, (4, 5, 3)), 4)], SHARE_MISTAKES),
)  # fmt: skip
HEAD_PARTS = (
    agrees("each head's part", _added, [_drawn(1, (3, 5, 2), (6, 7)), _drawn(2, (2, 4, 3), (6, 5)), _drawn(3, (3, 5, 2), (6, 7)), _drawn(4, (3, 4, 2), (6, 2)), _drawn(5, (2, 3, 1), (2, 4)), _drawn(6, (1, 3, 4), (4, 2)), _whole(10, (2, 1, 3), (6, 2)), _drawn(11, (2, 300, 2), (4, 1))], PART_MISTAKES),
    Property("the parts add up to the output", _sums_up),
)  # fmt: skip
