"""Right and wrong answers to the exercises of chapter 6."""

import numpy as np

RIGHT = {}
WRONG = {}


def _softmax(scores, axis=-1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


# Split


def _split(x, h):
    return x.reshape(*x.shape[:-1], h, -1).swapaxes(-2, -3)


def _split_by_slices(x, h):
    wide = x.shape[-1] // h
    return np.stack([x[..., a * wide : (a + 1) * wide] for a in range(h)], axis=-3)


def _split_by_einsum(x, h):
    return np.einsum("...nhc->...hnc", x.reshape(*x.shape[:-1], h, x.shape[-1] // h))


def _split_by_numpy(x, h):
    return np.moveaxis(np.array(np.split(x, h, axis=-1)), 0, -3)


def _cut(x, h):
    return x.reshape(*x.shape[:-2], h, x.shape[-2], -1)


def _split_in_place(x, h):
    x *= 2
    return _split(x / 2, h)


RIGHT["split-heads"] = [_split, _split_by_slices, _split_by_einsum, _split_by_numpy]
WRONG["split-heads"] = [
    ("reshape alone mixes tokens and heads", _cut),
    ("every h-th column", lambda x, h: np.moveaxis(x.reshape(*x.shape[:-1], -1, h), -1, -3)),
    ("the swap of tokens and heads is missing", lambda x, h: x.reshape(*x.shape[:-1], h, -1)),
    ("one transpose too many", lambda x, h: _split(x, h).swapaxes(-1, -2)),
    ("count the axes from the end", lambda x, h: x.reshape(*x.shape[:-1], h, -1).swapaxes(0, 1)),
    ("stopped with ValueError", lambda x, h: x.reshape(len(x), h, x.shape[1] // h).swapaxes(0, 1)),
    ("should have shape (3, 5, 4), got (1, 5, 12)", lambda x, h: _split(x, 1)),
    ("changed its argument 1 in place", _split_in_place),
    ("is None", lambda x, h: None),
    ("An axis of length 1 is missing", lambda x, h: np.squeeze(_split(x, h))),
    ("in the reverse order", lambda x, h: np.flip(_split(x, h), axis=-3)),
    ("should be (…, h, n, d_head)", lambda x, h: np.moveaxis(_split(x, h), -3, -1)),
    (
        "Every sentence of the batch gets the result of the first",
        lambda x, h: _split(x, h) if x.ndim == 2 else np.stack([_split(x[0], h)] * len(x)),
    ),
]

# Merge


def _merge(x):
    swapped = x.swapaxes(-2, -3)
    return swapped.reshape(*swapped.shape[:-2], -1)


def _merge_by_concatenation(x):
    return np.concatenate([x[..., a, :, :] for a in range(x.shape[-3])], axis=-1)


def _merge_by_einsum(x):
    return np.einsum("...hnc->...nhc", x).reshape(*x.shape[:-3], x.shape[-2], -1)


def _merge_by_loops(x):
    *batch, h, n, wide = x.shape
    out = np.zeros((*batch, n, h * wide))
    for a in range(h):
        for c in range(wide):
            out[..., a * wide + c] = x[..., a, :, c]
    return out


def _merge_first_two(x):
    swapped = x.swapaxes(0, 1)
    return swapped.reshape(*swapped.shape[:-2], -1)


RIGHT["merge-heads"] = [_merge, _merge_by_concatenation, _merge_by_einsum, _merge_by_loops]
WRONG["merge-heads"] = [
    ("reshape alone mixes tokens and heads", lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1)),
    ("interleaved", lambda x: np.moveaxis(x, -3, -1).reshape(*x.shape[:-3], x.shape[-2], -1)),
    ("The heads are added up", lambda x: x.sum(axis=-3)),
    ("below each other", lambda x: x.reshape(*x.shape[:-3], -1, x.shape[-1])),
    ("count the axes from the end", _merge_first_two),
    ("not joined yet", lambda x: x.swapaxes(-2, -3)),
    (
        "stopped with",
        lambda x: _merge(x) if x.ndim < 4 else x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1),
    ),
    ("An axis of length 1 is missing", lambda x: np.squeeze(_merge(x))),
    ("in the reverse order", lambda x: _merge(np.flip(x, axis=-3))),
    ("result of the first", lambda x: _merge(x) if x.ndim == 3 else np.stack([_merge(x[0])] * len(x))),
]

# Causal multi-head attention


def _causal(x, w_q, w_k, w_v, w_o, h):
    q, k, v = (_split(x @ w, h) for w in (w_q, w_k, w_v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    may = np.tri(x.shape[-2], dtype=bool)
    return _merge(_softmax(np.where(may, scores, -np.inf)) @ v) @ w_o


def _causal_by_loops(x, w_q, w_k, w_v, w_o, h):
    if x.ndim > 2:
        return np.array([_causal_by_loops(one, w_q, w_k, w_v, w_o, h) for one in x])
    d_k, d_v = w_q.shape[1] // h, w_v.shape[1] // h
    out = np.zeros((len(x), w_o.shape[1]))
    for a in range(h):
        narrow, wide = slice(a * d_k, (a + 1) * d_k), slice(a * d_v, (a + 1) * d_v)
        for i, row in enumerate(x):
            query = row @ w_q[:, narrow]
            raised = [np.exp(query @ (other @ w_k[:, narrow]) / d_k**0.5) for other in x[: i + 1]]
            blend = sum(r / sum(raised) * (other @ w_v[:, wide]) for r, other in zip(raised, x, strict=False))
            out[i] += blend @ w_o[wide]
    return out


def _causal_by_einsum(x, w_q, w_k, w_v, w_o, h):
    d = w_q.shape[0]
    q, k, v = (np.einsum("...nd,dhc->...hnc", x, w.reshape(d, h, -1)) for w in (w_q, w_k, w_v))
    scores = np.einsum("...ic,...jc->...ij", q, k) / q.shape[-1] ** 0.5
    scores = scores + np.triu(np.full(scores.shape[-2:], -np.inf), 1)
    blends = np.einsum("...ij,...jc->...ic", _softmax(scores), v)
    return np.einsum("...hic,hcd->...id", blends, w_o.reshape(h, -1, w_o.shape[1]))


def _variant(weights=None, split=_split, merge=_merge, scale=None):
    def answer(x, w_q, w_k, w_v, w_o, h):
        q, k, v = (split(x @ w, h) for w in (w_q, w_k, w_v))
        scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale(q.shape[-1], h))
        may = np.tri(x.shape[-2], dtype=bool)
        made = _softmax(np.where(may, scores, -np.inf)) if weights is None else weights(scores, may)
        return merge(made @ v) @ w_o

    return answer


def _join(x):
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)


def _strict(scores, may):
    past = may & ~np.eye(len(may), dtype=bool)
    past[0, 0] = True
    return _softmax(np.where(past, scores, -np.inf))


def _one_long_sentence(x, w_q, w_k, w_v, w_o, h):
    return _causal(x.reshape(-1, x.shape[-1]), w_q, w_k, w_v, w_o, h).reshape(*x.shape[:-1], -1)


def _first_of_the_batch(x, *rest):
    return _causal(x, *rest) if x.ndim == 2 else np.stack([_causal(x[0], *rest)] * len(x))


def _one_sentence_only(x, *rest):
    n, _ = x.shape
    return _causal(x, *rest)[:n]


def _scaled_in_place(x, w_q, w_k, w_v, w_o, h):
    w_q /= 2
    return _causal(x, 2 * w_q, w_k, w_v, w_o, h)


def _causal_in_single_precision(*given):
    return _causal(*(w.astype(np.float32) for w in given[:-1]), given[-1])


RIGHT["causal-heads"] = [_causal, _causal_by_loops, _causal_by_einsum, _causal_in_single_precision]
WRONG["causal-heads"] = [
    ("one head of full width", lambda x, q, k, v, o, h: _causal(x, q, k, v, o, 1)),
    ("You split and merge by reshape alone", _variant(split=_cut, merge=_join)),
    ("You merge by reshape alone", _variant(merge=_join)),
    ("You split by reshape alone", _variant(split=_cut)),
    ("W_O is missing", lambda x, q, k, v, o, h: _causal(x, q, k, v, np.eye(len(o)), h)),
    ("The scaling is missing", _variant(scale=lambda d_k, h: 1)),
    ("You divide by d_k", _variant(scale=lambda d_k, h: 1 / d_k)),
    ("the width of all heads", _variant(scale=lambda d_k, h: (h * d_k) ** -0.5)),
    ("The softmax runs over the queries", _variant(lambda s, m: _softmax(np.where(m, s, -np.inf), axis=-2))),
    ("The softmax runs over the heads", _variant(lambda s, m: np.where(m, _softmax(s, axis=-3), 0))),
    ("The causal mask is missing", _variant(lambda s, m: _softmax(s))),
    ("The mask is inverted", _variant(lambda s, m: _softmax(np.where(m.T, s, -np.inf)))),
    ("Tokens may read themselves", _variant(_strict)),
    ("You mask after the softmax", _variant(lambda s, m: np.where(m, _softmax(s), 0))),
    ("w_q and w_k are exchanged", lambda x, q, k, v, o, h: _causal(x, k, q, v, o, h)),
    ("stopped with ValueError", lambda x, q, k, v, o, h: _causal(x, q, k, v, o.T, h)),
    ("Sentences of a batch read each other", _one_long_sentence),
    ("gets the result of the first", _first_of_the_batch),
    ("stopped with ValueError", _one_sentence_only),
    ("changed its argument 2 in place", _scaled_in_place),
    ("w_k and w_v are exchanged", lambda x, q, k, v, o, h: _causal(x, q, v, k, o, h)),
    (
        "You divide by √d_v",
        lambda x, q, k, v, o, h: _variant(scale=lambda d_k, h: (v.shape[1] // h) ** -0.5)(x, q, k, v, o, h),
    ),
    ("A score of exactly 0", _variant(lambda s, m: _softmax(np.where(m & (s != 0), s, -np.inf)))),
    ("An axis of length 1 is missing", lambda *given: np.squeeze(_causal(*given))),
    ("You set blocked scores to 0", _variant(lambda s, m: _softmax(s * m))),
    ("should be", _variant(lambda s, m: _softmax(np.where(m & ~np.tri(len(m), k=-8, dtype=bool), s, -np.inf)))),
]

# Hand out the keys

RIGHT["share-keys"] = [
    lambda key, h: np.repeat(key, h // len(key), axis=0),
    lambda key, h: key[np.arange(h) * len(key) // h],
    lambda key, h: np.array([key[a // (h // len(key))] for a in range(h)]),
    lambda key, h: np.einsum("gnc,r->grnc", key, np.ones(h // len(key))).reshape(h, *key.shape[1:]),
]
WRONG["share-keys"] = [
    ("The key heads take turns", lambda key, h: key[np.arange(h) % len(key)]),
    ("You repeat the tokens", lambda key, h: np.repeat(key, h // len(key), axis=1)),
    ("You repeat the columns", lambda key, h: np.repeat(key, h // len(key), axis=2)),
    ("get the first key head", lambda key, h: np.stack([key[0]] * h)),
    ("get the mean", lambda key, h: np.stack([key.mean(axis=0)] * h)),
    ("Nothing is handed out", lambda key, h: key),
    ("in reverse order", lambda key, h: np.repeat(key[::-1], h // len(key), axis=0)),
    ("An axis of length 1 is missing", lambda key, h: np.squeeze(np.repeat(key, h // len(key), axis=0))),
    ("is repeated h times", lambda key, h: np.repeat(key, h, axis=0)),
    ("have an axis of their own", lambda key, h: np.repeat(key[:, None], h // len(key), axis=1)),
]

# What each head adds


def _parts(heads, w_o):
    return heads @ w_o.reshape(len(heads), heads.shape[2], -1)


def _parts_by_silence(heads, w_o):
    out = []
    for a in range(len(heads)):
        alone = np.zeros_like(heads)
        alone[a] = heads[a]
        out.append(_merge(alone) @ w_o)
    return np.array(out)


def _parts_by_einsum(heads, w_o):
    return np.einsum("hnc,hcd->hnd", heads, w_o.reshape(*heads.shape[::2], -1))


def _parts_by_slices(heads, w_o):
    d_v = heads.shape[2]
    return [one @ w_o[a * d_v : (a + 1) * d_v] for a, one in enumerate(heads)]


def _transposed_where_it_can(heads, w_o):
    bands = w_o.reshape(*heads.shape[::2], -1)
    return heads @ (bands.swapaxes(1, 2) if bands.shape[1] == bands.shape[2] else bands)


RIGHT["head-parts"] = [_parts, _parts_by_silence, _parts_by_einsum, _parts_by_slices]
WRONG["head-parts"] = [
    ("That is the sum", lambda heads, o: _merge(heads) @ o),
    ("the first band of w_o", lambda heads, o: heads @ o[: heads.shape[2]]),
    ("every h-th row", lambda heads, o: heads @ np.stack([o[a :: len(heads)] for a in range(len(heads))])),
    ("in the wrong order", lambda heads, o: heads @ o.reshape(*heads.shape[::2], -1)[::-1]),
    ("The sum of the parts", lambda heads, o: 2 * _parts(heads, o)),
    ("stopped with ValueError", lambda heads, o: heads @ o.reshape(*heads.shape[::2], -1).swapaxes(1, 2)),
    ("should be", _transposed_where_it_can),
    ("divided by h", lambda heads, o: np.stack([_merge(heads) @ o / len(heads)] * len(heads))),
    ("An axis of length 1 is missing", lambda heads, o: np.squeeze(_parts(heads, o))),
    ("parts should have shape", lambda heads, o: _parts(heads, o)[:, 0]),
]
