"""How causal multi-head attention is judged, in chapter 6."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.exercises.checkers_06 import cut, every_hth
from attnlib.exercises.slips import ANY, Map, Slips, agrees, drawn, slips, whole
from attnlib.masks import causal_mask
from attnlib.multihead import merge_heads, multi_head_attention, split_heads
from attnlib.scaled_dot_product import attention, softmax


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
    q, k, v = (cut(x @ w, h) for w in (w_q, w_k, w_v))
    blends = attention(q, k, v, causal_mask(x.shape[-2]))
    return np.asarray(blends.reshape(*x.shape[:-1], -1) @ w_o)


def _cut_merge(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    q, k, v, mask = _parts(x, w_q, w_k, w_v, h)
    return np.asarray(attention(q, k, v, mask).reshape(*x.shape[:-1], -1) @ w_o)


def _split_by(split: Map) -> Map:
    def wrong(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
        q, k, v = (split(x @ w, h) for w in (w_q, w_k, w_v))
        return np.asarray(merge_heads(attention(q, k, v, causal_mask(x.shape[-2]))) @ w_o)

    return wrong


def _scaled_late(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    d_k = w_q.shape[1] // h
    return np.asarray(_scaled(lambda *_: 1)(x, w_q, w_k, w_v, w_o, h) / np.sqrt(d_k))


CAUSAL_MISTAKES: Slips = [
    ("This is one head of full width: num_heads changes nothing.", lambda x, q, k, v, o, h: _causal(x, q, k, v, o, 1)),
    ("You split and merge by reshape alone, which mixes tokens and heads. Swap their axes.", _cut_both),
    ("You merge by reshape alone, which mixes tokens and heads. Swap their axes first.", _cut_merge),
    ("You split by reshape alone, which mixes tokens and heads. Swap their axes.", _split_by(cut)),
    ("Head a takes every h-th column. It should have d_k neighbours: the last axis of the reshape is d_k, not h.", _split_by(every_hth)),
    ("You divide the weights by √d_k, after the softmax: they no longer sum to 1. Divide the scores.", _scaled_late),
    ("W_O is missing: the merged heads come out as they are.", lambda x, q, k, v, o, h: _causal(x, q, k, v, np.eye(len(o)), h)),
    ("You divide by d_k. Divide by √d_k, once.", _scaled(lambda x, d_k, d_v, h: 1 / d_k)),
    ("The softmax runs over the queries. It must run over the keys, the last axis.", _with_weights(lambda s, m: _masked(s, m | m.T, axis=-2))),
    ("The softmax runs over the queries. It must run over the keys, the last axis.", _with_weights(lambda s, m: _masked(s, m, axis=-2))),
    ("The softmax runs over the heads. Each head has its own, over the keys.", _with_weights(lambda s, m: np.where(m, softmax(s, axis=-3), 0))),
    ("The causal mask is missing: every token reads the future.", _with_weights(lambda s, m: _masked(s, m | True))),
    ("The mask is inverted: tokens read the future and not the past.", _with_weights(lambda s, m: _masked(s, m.T))),
    ("Tokens may read themselves: block keys after the query, j > i, not j ≥ i.", _with_weights(lambda s, m: softmax(np.where(m & ~np.eye(len(m), dtype=bool), s, -1e9)))),
    ("The softmax runs over the heads. Each head has its own, over the keys.", _with_weights(lambda s, m: softmax(np.where(m, s, -1e9), axis=-3))),
    ("Tokens may read themselves: block keys after the query, j > i, not j ≥ i.", _with_weights(_strictly)),
    ("You mask after the softmax, so the rows no longer sum to 1. Mask the scores, with −∞.", _with_weights(lambda s, m: np.where(m, softmax(s), 0))),
    ("w_q and w_k are exchanged.", lambda x, q, k, v, o, h: _causal(x, k, q, v, o, h)),
    ("w_k and w_v are exchanged: keys make the scores, and values are blended.", lambda x, q, k, v, o, h: _causal(x, q, v, k, o, h)),
    ("The keys are made with w_q. They have a matrix of their own, w_k.", lambda x, q, k, v, o, h: _causal(x, q, q, v, o, h)),
    ("The values are made with w_k. They have a matrix of their own, w_v.", lambda x, q, k, v, o, h: _causal(x, q, k, k, o, h)),
    ("Tokens read the one after them, too: block keys with j > i, not j > i + 1.", _with_weights(lambda s, m: _masked(s, m | np.eye(len(m), k=1, dtype=bool)))),
    ("You multiply by √d_k. Divide.", _scaled(lambda x, d_k, d_v, h: d_k**0.5)),
    ("You set blocked scores to 0. That is a score like any other: they take −∞.", _with_weights(lambda s, m: softmax(s * m))),
    ("The softmax is missing: the scores themselves weigh the values.", _with_weights(lambda s, m: np.where(m, s, 0))),
    ("The weights are transposed: rows are queries.", _with_weights(lambda s, m: np.swapaxes(_masked(s, m), -1, -2))),
    ("All keys that may be read weigh alike: the scores have no effect.", _with_weights(lambda s, m: _masked(0 * s, m))),
    *slips(lambda weigh: _with_weights(lambda s, m: weigh(np.where(m, s, -np.inf))), ANY),
    ("Each token reads itself alone.", _with_weights(lambda s, m: np.where(np.eye(len(m)), 1.0, 0 * s))),
    ("The heads are in the reverse order when they are merged.", lambda x, q, k, v, o, h: _causal(x, q, k, v, np.concatenate(np.split(o, h)[::-1]), h)),
    ("The result is divided by the number of heads: W_O adds up what they write.", lambda x, q, k, v, o, h: _causal(x, q, k, v, o, h) / h),
]  # fmt: skip
BY_WIDTH: Slips = [
    ("The scaling is missing: divide the scores by √d_k.", _scaled(lambda x, d_k, d_v, h: 1)),
    ("You divide by √(h·d_k), the width of all heads. A score has d_k products: those of one head.", _scaled(lambda x, d_k, d_v, h: (h * d_k) ** -0.5)),
    ("You divide by √d, the width of x. A score has d_k products: those of one head.", _scaled(lambda x, d_k, d_v, h: x.shape[-1] ** -0.5)),
    ("You divide by √d_v. A score has d_k products: divide by √d_k.", _scaled(lambda x, d_k, d_v, h: d_v**-0.5)),
    ("You divide by √(h·d_v). A score has d_k products: divide by √d_k.", _scaled(lambda x, d_k, d_v, h: (h * d_v) ** -0.5)),
    ("You divide by √n. A score has d_k products: divide by √d_k.", _scaled(lambda x, d_k, d_v, h: x.shape[-2] ** -0.5)),
    ("You divide by √h. A score has d_k products: divide by √d_k.", _scaled(lambda x, d_k, d_v, h: h**-0.5)),
]  # fmt: skip
AGREED: Slips = [  # where n, d and the width of all heads are one size, and the answer may have taken any of them
    ("You divide by √6. A score has d_k = 2 products, those of one head: divide by √2.", BY_WIDTH[1][1]),
    BY_WIDTH[0],
    *CAUSAL_MISTAKES,
]
LEAKS: Slips = [
    ("Sentences of a batch read each other: the softmax or the blend runs over more than one sentence.", lambda x, q, k, v, o, h: _over_the_batch(x, q, k, v, o, h)),
    ("The first sentence of the batch came alone.", lambda x, q, k, v, o, h: _causal(x[:1], q, k, v, o, h)),
    ("The first sentence of the batch came alone.", lambda x, q, k, v, o, h: _causal(x[0], q, k, v, o, h)),
    ("Every sentence of the batch gets the result of the first.", lambda x, q, k, v, o, h: np.broadcast_to(_causal(x[:1], q, k, v, o, h), (*x.shape[:-1], o.shape[1]))),
    *CAUSAL_MISTAKES,
]  # fmt: skip


def _over_the_batch(x: np.ndarray, w_q: Any, w_k: Any, w_v: Any, w_o: Any, h: int) -> np.ndarray:
    """The batch laid end to end, as if it were one long sentence."""
    long = x.reshape(-1, x.shape[-1])
    return _causal(long, w_q, w_k, w_v, w_o, h).reshape(*x.shape[:-1], -1)


def _heads(
    seed: int, h: int, d_k: int, d_v: int, *x: int, draw: Callable[..., tuple[np.ndarray, ...]] = drawn
) -> tuple[Any, ...]:
    d = x[-1]
    return (*draw(seed, x, (d, h * d_k), (d, h * d_k), (d, h * d_v), (h * d_v, d + 1)), h)


CAUSAL_HEADS = (
    agrees("one sentence", _causal, [_heads(1, 3, 4, 2, 5, 7), _heads(2, 2, 3, 5, 4, 6), _heads(6, 3, 4, 2, 5, 7),
        _heads(7, 2, 3, 1, 6, 4, draw=whole), _heads(8, 2, 1, 3, 200, 2), _heads(9, 2, 2, 3, 1, 4)],
        [*BY_WIDTH, *CAUSAL_MISTAKES]),
    agrees("all sizes equal", _causal, [(*drawn(3, *5 * [(6, 6)]), 3)], AGREED),
    agrees("a single head", _causal, [_heads(4, 1, 4, 3, 6, 5),
        (*drawn(10, (4, 3), (3, 2), (3, 2), (3, 2), (2, 1)), 1)], [*BY_WIDTH, *CAUSAL_MISTAKES]),
    agrees("a batch of sentences", _causal, [_heads(5, 3, 2, 4, 4, 5, 7), _heads(11, 2, 2, 3, 1, 4, 3),
        _heads(12, 2, 3, 2, 3, 1, 4)], [*BY_WIDTH, *LEAKS]),
)  # fmt: skip
