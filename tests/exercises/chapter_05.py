"""Right and wrong answers to the exercises of chapter 5."""

import numpy as np

RIGHT = {}
WRONG = {}


def _softmax(scores, axis=-1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


# A causal mask with an offset


def _causal(n_q, n_k, offset):
    return np.arange(n_k) <= np.arange(n_q)[:, None] + offset


def _causal_by_loops(n_q, n_k, offset):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        for j in range(n_k):
            mask[i, j] = j <= i + offset
    return mask


RIGHT["causal-offset"] = [
    _causal,
    _causal_by_loops,
    lambda n, m, o: np.tri(n, m, o, dtype=bool),
    lambda n, m, o: np.tril(np.ones((n, m), dtype=bool), o),
]
WRONG["causal-offset"] = [
    ("must read its own key", lambda n, m, o: np.tri(n, m, o - 1, dtype=bool)),
    ("one key too many", lambda n, m, o: np.tri(n, m, o + 1, dtype=bool)),
    ("The mask is inverted", lambda n, m, o: ~_causal(n, m, o)),
    ("The offset is missing", lambda n, m, o: np.tri(n, m, dtype=bool)),
    ("The offset has the wrong sign", lambda n, m, o: np.tri(n, m, -o, dtype=bool)),
    ("reads keys from its own on", lambda n, m, o: np.triu(np.ones((n, m), dtype=bool), o)),
    ("Rows and columns are exchanged", lambda n, m, o: _causal(n, m, o).T),
    ("should have shape (3, 7), got (3, 3)", lambda n, m, o: np.tri(n, dtype=bool)),
    ("A mask holds True and False", lambda n, m, o: np.tri(n, m, o)),
    ("You take n_k − n_q for the offset", lambda n, m, o: np.tri(n, m, m - n, dtype=bool)),
    ("as far as the first one", lambda n, m, o: np.tri(1, m, o, dtype=bool).repeat(n, axis=0)),
    ("An axis of length 1 is missing", lambda n, m, o: np.squeeze(_causal(n, m, o))),
    (
        "should be",
        lambda n, m, o: np.arange(m).astype(np.int8) <= np.arange(n).astype(np.int8)[:, None] + np.int8(o % 128),
    ),
    ("is None", lambda n, m, o: None),
]

# The mask before the softmax


def _mask_first(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("a query has no key")
    return _softmax(np.where(mask, scores, -np.inf))


def _mask_first_by_loops(scores, mask):
    out = np.zeros(scores.shape)
    for index in np.ndindex(scores.shape[:-1]):
        allowed = mask[index[-1]]
        if not allowed.any():
            raise ValueError(index)
        out[index][allowed] = _softmax(scores[index][allowed])
    return out


def _mask_first_by_einsum(scores, mask):
    if (~mask).all(axis=-1).any():
        raise ValueError("a query has no key")
    kept = scores + np.where(mask, 0, -np.inf)
    raised = np.exp(kept - kept.max(axis=-1, keepdims=True))
    return np.einsum("...ij,...i->...ij", raised, 1 / np.einsum("...ij->...i", raised))


def _renormalised(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("a query has no key")
    kept = _softmax(scores) * mask
    with np.errstate(invalid="ignore"):
        return kept / kept.sum(axis=-1, keepdims=True)


def _in_place(scores, mask):
    scores[..., ~mask] = -np.inf
    return _softmax(scores)


def _that_overflows(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("a query has no key")
    raised = np.exp(np.where(mask, scores, -np.inf))
    return raised / raised.sum(axis=-1, keepdims=True)


def _of_two_axes(scores, mask):
    return np.array([_softmax(np.where(m, s, -np.inf)) for s, m in zip(scores, mask, strict=True)])


def _mask_first_in_single_precision(scores, mask):
    return _mask_first(scores.astype(np.float32), mask)


RIGHT["mask-first"] = [_mask_first, _mask_first_by_loops, _mask_first_by_einsum, _mask_first_in_single_precision]
WRONG["mask-first"] = [
    ("you round your weights to integers", lambda s, m: _mask_first(s, m).astype(s.dtype)),
    ("You put the zeros in after the softmax", lambda s, m: _softmax(s) * m),
    ("takes the whole row in the softmax", _renormalised),
    ("`exp` met a number too large", _that_overflows),
    ("You set blocked *scores* to 0", lambda s, m: _softmax(s * m)),
    ("The mask is inverted", lambda s, m: _softmax(np.where(m, -1e300, s))),
    ("The mask has no effect", lambda s, m: _softmax(s)),
    ("The softmax runs over the queries", lambda s, m: _softmax(np.where(m, s, -np.inf), axis=-2)),
    ("adds 1 to the scores that stay", lambda s, m: _softmax(s + m)),
    ("its weights sum to 1, as they do when −∞ is a finite number", lambda s, m: _softmax(np.where(m, s, -1e9))),
    ("its row is NaN", lambda s, m: _softmax(np.where(m, s, -np.inf))),
    ("raise a ValueError; yours was a KeyError", lambda s, m: _mask_first_or(s, m, KeyError)),
    ("there are no weights that sum to 1", lambda s, m: np.nan_to_num(_mask_first_or(s, m, None))),
    ("changed its argument 1 in place", _in_place),
    ("stopped with", _of_two_axes),
    ("ValueError", lambda s, m: _guarded(s, m, mask=m.any(axis=0))),
    ("An axis of length 1 is missing", lambda s, m: np.squeeze(_guarded(s, m))),
    ("A score of exactly 0 gets no weight", lambda s, m: _guarded(np.where(s == 0, -np.inf, s), m)),
    (
        "only where it is above 0",
        lambda s, m: _guarded(s, m, shift=lambda kept: kept.max(axis=-1, keepdims=True).clip(0)),
    ),
    (
        "largest *size*",
        lambda s, m: _guarded(s, m, shift=lambda kept: abs(np.where(m, kept, 0)).max(axis=-1, keepdims=True)),
    ),
    ("Large scores are cut off", lambda s, m: _guarded(s.clip(-50, 50), m)),
    ("after the first 64", lambda s, m: _guarded(np.where(np.arange(s.shape[-1]) < 64, s, -np.inf), m)),
    ("a sum of its own", lambda s, m: np.where(m, np.exp(s), 0) / np.where(m, np.exp(s), 0).sum()),
]


def _guarded(scores, made_of, mask=None, shift=lambda kept: kept.max(axis=-1, keepdims=True)):
    if not (made_of.any(axis=-1) if mask is None else mask).all():
        raise ValueError("no key")
    kept = np.where(made_of, scores, -np.inf)
    raised = np.exp(kept - shift(kept))
    return raised / raised.sum(axis=-1, keepdims=True)


def _mask_first_or(scores, mask, error):
    empty = ~mask.any(axis=-1)
    if empty.any() and error:
        raise error("no key")
    weights = _softmax(np.where(mask | empty[:, None], scores, -np.inf))
    return weights * ~empty[:, None]


# Causal and padded


def _padded(lengths, n):
    keys = np.arange(n)
    return np.tri(n, dtype=bool) & (keys < lengths[:, None, None])


def _padded_by_loops(lengths, n):
    return np.array([[[j <= i and j < length for j in range(n)] for i in range(n)] for length in lengths])


def _padded_by_einsum(lengths, n):
    inside = (np.arange(n) < lengths[:, None]).astype(int)
    return np.einsum("ij,bj->bij", np.tri(n, dtype=int), inside).astype(bool)


RIGHT["padded-batch"] = [_padded, _padded_by_loops, _padded_by_einsum, lambda s, n: _padded(s, n).tolist()]
WRONG["padded-batch"] = [
    ("Both must allow it: &", lambda s, n: np.tri(n, dtype=bool) | (np.arange(n) < s[:, None, None])),
    ("The causal mask is missing", lambda s, n: np.repeat((np.arange(n) < s[:, None])[:, None], n, axis=1)),
    ("The padding mask is missing", lambda s, n: np.repeat(np.tri(n, dtype=bool)[None], len(s), axis=0)),
    (
        "You block the padding as a query",
        lambda s, n: _padded(s, n) & (np.arange(n) < s[:, None])[:, :, None],
    ),
    ("The mask is inverted", lambda s, n: ~_padded(s, n)),
    ("got the length of the first one", lambda s, n: np.repeat(_padded(s, n)[:1], len(s), axis=0)),
    ("One key of padding is still read", lambda s, n: np.tri(n, dtype=bool) & (np.arange(n) <= s[:, None, None])),
    ("A query must read its own key", lambda s, n: np.tri(n, k=-1, dtype=bool) & (np.arange(n) < s[:, None, None])),
    ("mask of the first sequence alone", lambda s, n: _padded(s, n)[0]),
    ("Rows and columns are exchanged", lambda s, n: _padded(s, n).swapaxes(1, 2)),
    ("A mask holds True and False", lambda s, n: np.tri(n) * (np.arange(n) < s[:, None, None])),
    ("A mask holds True and False", lambda s, n: _padded(s, n).astype(int)),
    ("counts as padding", lambda s, n: np.tri(n, dtype=bool) & (np.arange(n) < s[:, None, None] - 1)),
    ("got the length of the last one", lambda s, n: np.stack([_padded(s[-1:], n)[0]] * len(s))),
    ("sorted the sequences", lambda s, n: _padded(np.sort(s), n)),
    ("An axis of length 1 is missing", lambda s, n: np.squeeze(_padded(s, n))),
    ("start of each sentence", lambda s, n: np.tri(n, dtype=bool) & (np.arange(n) >= n - s[:, None, None])),
]

# Three ways to say no


def _polarity(mask, to):
    if to == "bias":
        return np.where(mask, 0, -np.inf)
    return ~mask if to == "MultiheadAttention" else mask


def _polarity_by_loops(mask, to):
    out = np.empty(mask.shape, dtype=float if to == "bias" else bool)
    for cell, allowed in np.ndenumerate(mask):
        out[cell] = (0 if allowed else -np.inf) if to == "bias" else bool(allowed) != (to == "MultiheadAttention")
    return out


def _polarity_by_a_table(mask, to):
    table = {"scaled_dot_product_attention": [False, True], "MultiheadAttention": [True, False], "bias": [-np.inf, 0]}
    return np.array(table[to])[mask.astype(int)]


def _with_nan(mask, to):
    with np.errstate(invalid="ignore"):
        return ~mask * -np.inf if to == "bias" else _polarity(mask, to)


RIGHT["polarity"] = [_polarity, _polarity_by_loops, _polarity_by_a_table]
WRONG["polarity"] = [
    ("For MultiheadAttention it is the other way round", lambda m, to: m if to != "bias" else _polarity(m, to)),
    (
        "For scaled_dot_product_attention it is the other way round",
        lambda m, to: ~m if to != "bias" else _polarity(m, to),
    ),
    ("a bias blocks with −∞", lambda m, to: m.astype(float) if to == "bias" else _polarity(m, to)),
    ("This bias blocks what the mask allows", lambda m, to: _polarity(~m, to) if to == "bias" else _polarity(m, to)),
    ("A finite number is no −∞", lambda m, to: np.where(m, 0, -1e9) if to == "bias" else _polarity(m, to)),
    ("0 · ∞ has no value", _with_nan),
    ("A mask holds True and False", lambda m, to: _polarity(m, to).astype(float)),
    ("adds 1 to the scores that stay", lambda m, to: np.where(m, 1, -np.inf) if to == "bias" else _polarity(m, to)),
    ("is None", lambda m, to: None),
    ("That is a bias", lambda m, to: _polarity(m, "bias")),
    ("This bias holds +∞", lambda m, to: np.where(m, 0, np.inf) if to == "bias" else _polarity(m, to)),
    ("An axis of length 1 is missing", lambda m, to: np.squeeze(_polarity(m, to))),
    ("−1 blocks nothing", lambda m, to: m - 1.0 if to == "bias" else _polarity(m, to)),
]

# One step with a cache


def _step(cache, query, key, value):
    keys, values = cache or (np.empty((0, len(key))), np.empty((0, len(value))))
    keys, values = np.vstack([keys, key]), np.vstack([values, value])
    return (keys, values), _softmax(keys @ query / np.sqrt(len(query))) @ values


def _step_with_lists(cache, query, key, value):
    cache = [*(cache or []), (key, value)]
    raised = [np.exp(sum(q * k for q, k in zip(query, held, strict=True)) / len(query) ** 0.5) for held, _ in cache]
    return cache, sum(r / sum(raised) * v for r, (_, v) in zip(raised, cache, strict=True))


def _step_by_einsum(cache, query, key, value):
    cache = {"key": [], "value": []} if cache is None else cache
    cache["key"].append(key)
    cache["value"].append(value)
    scores = np.einsum("jc,c->j", np.array(cache["key"]), query) * len(query) ** -0.5
    return cache, np.einsum("j,jv->v", _softmax(scores), np.array(cache["value"]))


_remembered = []


def _global_step(cache, query, key, value):
    _remembered.append((key, value))
    keys, values = (
        np.array(rows)
        for rows in zip(*[r for r in _remembered if len(r[0]) == len(key) and len(r[1]) == len(value)], strict=True)
    )
    return None, _softmax(keys @ query / np.sqrt(len(query))) @ values


def _late_step(cache, query, key, value):
    keys, values = cache or (key[None], value[None])
    out = _softmax(keys @ query / np.sqrt(len(query))) @ values
    return (np.vstack([keys, key]) if cache else keys, np.vstack([values, value]) if cache else values), out


def _two_step(cache, query, key, value):
    keys, values = cache or (np.empty((0, len(key))), np.empty((0, len(value))))
    keys, values = np.vstack([keys[-1:], key]), np.vstack([values[-1:], value])
    return (keys, values), _softmax(keys @ query / np.sqrt(len(query))) @ values


def _kept_in_a_default(cache, query, key, value, keys=[], values=[]):  # noqa: B006
    keys.append(key)
    values.append(value)
    return None, _softmax(np.array(keys) @ query / np.sqrt(len(query))) @ np.array(values)


def _first_remembered(cache, query, key, value):
    keys, values = cache or (key[None], value[None])
    return (keys, values), _softmax(keys @ query / np.sqrt(len(query))) @ values


def _that_stops(cache, query, key, value):
    made = _step(cache, query, key, value)
    return made + missing


def _changed(what):
    def step(cache, query, key, value):
        (keys, values), _ = _step(cache, query, key, value)
        return (keys, values), what(keys, values, query)

    return step


def _step_of_rows(cache, query, key, value):
    """A list of two is returned, and the output as a row."""
    keys, values = cache or ([], [])
    keys, values = [*keys, key], [*values, value]
    return [[keys, values], _softmax(query[None] @ np.array(keys).T / np.sqrt(len(key))) @ np.array(values)]


RIGHT["cached-step"] = [_step, _step_with_lists, _step_by_einsum, _step_of_rows]
WRONG["cached-step"] = [
    ("Each token reads itself alone", lambda c, q, k, v: (None, _step(None, q, k, v)[1])),
    ("changed its argument 2 in place", lambda c, q, k, v: (q.__imul__(2), _step(c, q / 2, k, v))[1]),
    ("not divided by √d_k", _changed(lambda k, v, q: _softmax(k @ q) @ v)),
    ("You divide by d_k", _changed(lambda k, v, q: _softmax(k @ q / len(q)) @ v)),
    ("You divide by √d_v", _changed(lambda k, v, q: _softmax(k @ q / np.sqrt(v.shape[1])) @ v)),
    (
        "A score of exactly 0",
        _changed(lambda k, v, q: _softmax(np.where(k @ q == 0, -np.inf, k @ q / np.sqrt(len(q)))) @ v),
    ),
    ("The output of token 8 ", _changed(lambda k, v, q: _softmax(k[-8:] @ q / np.sqrt(len(q))) @ v[-8:])),
    ("yours are exchanged", lambda c, q, k, v: _step(c, q, k, v)[::-1]),
    ("Every output is the first token's value", _first_remembered),
    ("A second text still reads the first", _kept_in_a_default),
    ("return made + missing", _that_stops),
    ("You average all values alike", _changed(lambda k, v, q: v.mean(axis=0))),
    ("is not read by its own query", _late_step),
    ("Only the token before is remembered", _two_step),
    ("A second text still reads the first", _global_step),
    ("Return two things", lambda c, q, k, v: _step(c, q, k, v)[1]),
    ("should have shape", _changed(lambda k, v, q: _softmax(k @ q)[:, None] * v)),
    ("should be", _changed(lambda k, v, q: k @ q / np.sqrt(len(q)) @ v)),
    ("stopped with ValueError", lambda c, q, k, v: _step(c, k, v, q)),
    ("Hand over the function itself", _step(None, np.ones(2), np.ones(2), np.ones(3))),
]

# Dropout


def _drop(scores, value, kept, p):
    return _softmax(scores) * kept / (1 - p) @ value


def _drop_by_loops(scores, value, kept, p):
    out = np.zeros((len(scores), value.shape[1]))
    for i, row in enumerate(_softmax(scores)):
        for j, weight in enumerate(row):
            if kept[i, j]:
                out[i] += weight / (1 - p) * value[j]
    return out


def _drop_by_einsum(scores, value, kept, p):
    return np.einsum("ij,ij,jc->ic", _softmax(scores), kept / (1 - p), value)


def _drop_by_where(scores, value, kept, p):
    return np.where(kept, _softmax(scores) / (1 - p), 0) @ value


def _renormalised(scores, value, kept, p):
    weights = _softmax(scores) * kept
    return weights / weights.sum(axis=1, keepdims=True) @ value


def _renormalised_where_it_can(scores, value, kept, p):
    weights = _softmax(scores) * kept
    sums = weights.sum(axis=1, keepdims=True)
    return weights / np.where(sums == 0, 1, sums) @ value


def _drop_in_place(scores, value, kept, p):
    value /= 1 - p
    return _softmax(scores) * kept @ value


RIGHT["drop-weights"] = [_drop, _drop_by_loops, _drop_by_einsum, _drop_by_where]
WRONG["drop-weights"] = [
    ("You set scores to 0", lambda s, v, kept, p: _softmax(s * kept) @ v),
    ("You set scores to 0", lambda s, v, kept, p: _softmax(s * kept / (1 - p)) @ v),
    ("The division by 1 − p is missing", lambda s, v, kept, p: _softmax(s) * kept @ v),
    ("You divide by p", lambda s, v, kept, p: _softmax(s) * kept / p @ v),
    ("You multiply by 1 − p", lambda s, v, kept, p: _softmax(s) * kept * (1 - p) @ v),
    ("kept is inverted", lambda s, v, kept, p: _softmax(s) * ~kept / (1 - p) @ v),
    ("Your rows sum to 1 again", _renormalised_where_it_can),
    ("A row that loses all its weights gives NaN", _renormalised),
    ("before they are divided by 1 − p", lambda s, v, kept, p: _softmax(np.where(kept, s, -np.inf)) / (1 - p) @ v),
    ("Nothing is dropped", lambda s, v, kept, p: _softmax(s) @ v),
    ("The softmax runs over the queries", lambda s, v, kept, p: _softmax(s, axis=0) * kept / (1 - p) @ v),
    ("changed its argument 2 in place", _drop_in_place),
    ("stopped with ValueError", lambda s, v, kept, p: _softmax(s) @ (v * kept / (1 - p))),
    ("An axis of length 1 is missing", lambda *given: np.squeeze(_drop(*given))),
    ("the share that was kept in this draw", lambda s, v, kept, p: _softmax(s) * kept / kept.mean() @ v),
    ("A score of exactly 0", lambda s, v, kept, p: _drop(np.where(s == 0, -np.inf, s), v, kept, p)),
    ("(1 − p) twice", lambda s, v, kept, p: _drop(s, v, kept, p) / (1 - p)),
    ("after the first 64", lambda s, v, kept, p: _drop(np.where(np.arange(s.shape[1]) < 64, s, -np.inf), v, kept, p)),
]
