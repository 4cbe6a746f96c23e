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
    ("Queries and keys are exchanged", lambda n, m, o: np.triu(np.ones((n, m), dtype=bool), o)),
    ("should have shape (3, 7), got (7, 3)", lambda n, m, o: _causal(n, m, o).T),
    ("should have shape (3, 7), got (3, 3)", lambda n, m, o: np.tri(n, dtype=bool)),
    ("A mask holds True and False", lambda n, m, o: np.tri(n, m, o)),
    ("is None", lambda n, m, o: None),
]

# The mask before the softmax


def _mask_first(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("a query has no key")
    return _softmax(np.where(mask, scores, -np.inf))


def _mask_first_by_loops(scores, mask):
    out = np.zeros_like(scores)
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


RIGHT["mask-first"] = [_mask_first, _mask_first_by_loops, _mask_first_by_einsum]
WRONG["mask-first"] = [
    ("You put the zeros in after the softmax", lambda s, m: _softmax(s) * m),
    ("takes the whole row in the softmax", _renormalised),
    ("did `exp` meet a number too large", _that_overflows),
    ("You set blocked *scores* to 0", lambda s, m: _softmax(s * m)),
    ("The mask is inverted", lambda s, m: _softmax(np.where(m, -1e300, s))),
    ("The mask has no effect", lambda s, m: _softmax(s)),
    ("The softmax runs over the queries", lambda s, m: _softmax(np.where(m, s, -np.inf), axis=-2)),
    ("adds 1 to the scores that stay", lambda s, m: _softmax(s + m)),
    ("your −∞ is a finite number", lambda s, m: _softmax(np.where(m, s, -1e9))),
    ("its row is NaN", lambda s, m: _softmax(np.where(m, s, -np.inf))),
    ("raise a ValueError; yours was a KeyError", lambda s, m: _mask_first_or(s, m, KeyError)),
    ("there are no weights that sum to 1", lambda s, m: np.nan_to_num(_mask_first_or(s, m, None))),
    ("changed its argument 1 in place", _in_place),
    ("stopped with", _of_two_axes),
]


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


RIGHT["padded-batch"] = [_padded, _padded_by_loops, _padded_by_einsum]
WRONG["padded-batch"] = [
    ("Both must allow it: &", lambda s, n: np.tri(n, dtype=bool) | (np.arange(n) < s[:, None, None])),
    ("The causal mask is missing", lambda s, n: np.repeat((np.arange(n) < s[:, None])[:, None], n, axis=1)),
    ("The padding mask is missing", lambda s, n: np.repeat(np.tri(n, dtype=bool)[None], len(s), axis=0)),
    (
        "You block the filler as a query",
        lambda s, n: _padded(s, n) & (np.arange(n) < s[:, None])[:, :, None],
    ),
    ("The mask is inverted", lambda s, n: ~_padded(s, n)),
    ("got the length of the first one", lambda s, n: np.repeat(_padded(s, n)[:1], len(s), axis=0)),
    ("One key of filler is still read", lambda s, n: np.tri(n, dtype=bool) & (np.arange(n) <= s[:, None, None])),
    ("A query must read its own key", lambda s, n: np.tri(n, k=-1, dtype=bool) & (np.arange(n) < s[:, None, None])),
    ("should have shape (2, 5, 5), got (5, 5)", lambda s, n: _padded(s, n)[0]),
    ("should be", lambda s, n: _padded(s, n).swapaxes(1, 2)),
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
    ("A large finite number is no −∞", lambda m, to: np.where(m, 0, -1e9) if to == "bias" else _polarity(m, to)),
    ("0 · ∞ has no value", _with_nan),
    ("needs True and False here", lambda m, to: _polarity(m, to).astype(float)),
    ("should be 0 where the mask is True", lambda m, to: np.where(m, 1, -np.inf) if to == "bias" else _polarity(m, to)),
    ("is None", lambda m, to: None),
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


def _changed(what):
    def step(cache, query, key, value):
        (keys, values), _ = _step(cache, query, key, value)
        return (keys, values), what(keys, values, query)

    return step


RIGHT["cached-step"] = [_step, _step_with_lists, _step_by_einsum]
WRONG["cached-step"] = [
    ("Each token reads itself alone", lambda c, q, k, v: (None, _step(None, q, k, v)[1])),
    ("not divided by √d_k", _changed(lambda k, v, q: _softmax(k @ q) @ v)),
    ("should be", _changed(lambda k, v, q: _softmax(k @ q / len(q)) @ v)),
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
