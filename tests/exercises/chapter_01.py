"""Right and wrong answers to the exercises of chapter 1."""

import numpy as np

RIGHT = {}
WRONG = {}


def softmax(scores, axis=-1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


def unstable(scores):
    raised = np.exp(scores)
    return raised / raised.sum(axis=-1, keepdims=True)


def blend(scores, values):
    """One row of attention, with loops alone."""
    top = max(scores)
    raised = [np.exp(score - top) for score in scores]
    return sum(r / sum(raised) * value for r, value in zip(raised, values, strict=True))


# Write it yourself


def attention_plain(x):
    return softmax(x @ x.T) @ x


def attention_loops(x):
    return [blend([sum(a * b for a, b in zip(query, key, strict=True)) for key in x], x) for query in x]


def attention_einsum(x):
    scores = np.einsum("ic,jc->ij", x, x)
    raised = np.exp(scores - scores.max(axis=1)[:, None])
    return np.einsum("ij,i,jc->ic", raised, 1 / np.einsum("ij->i", raised), x)


def in_place(x):
    weights = softmax(x @ x.T)
    x[:] = weights @ x
    return x


def seven_rows(x):
    out = np.zeros_like(x)
    for i in range(7):
        out[i] = softmax(x @ x[i]) @ x
    return out


RIGHT["write-attention"] = [attention_plain, attention_loops, attention_einsum]
WRONG["write-attention"] = [
    ("the softmax runs over the queries, axis=0", lambda x: softmax(x @ x.T, axis=0) @ x),
    ("All weights together sum to 1", lambda x: softmax((x @ x.T).reshape(1, -1)).reshape(len(x), -1) @ x),
    ("those are the weights", lambda x: softmax(x @ x.T)),
    ("The softmax is missing", lambda x: x @ x.T @ x),
    ("divided by their sum, without `exp`", lambda x: x @ x.T / (x @ x.T).sum(axis=1, keepdims=True) @ x),
    ("is not divided by its total", lambda x: np.exp(x @ x.T) @ x),
    ("The softmax is taken twice", lambda x: softmax(softmax(x @ x.T)) @ x),
    ("divided by √d", lambda x: softmax(x @ x.T / np.sqrt(x.shape[1])) @ x),
    ("divided by d", lambda x: softmax(x @ x.T / x.shape[1]) @ x),
    ("do not depend on the scores", lambda x: np.tile(x.mean(axis=0), (len(x), 1))),
    ("For scores this large your result is not finite", lambda x: unstable(x @ x.T) @ x),
    ("changed its argument 1 in place", in_place),
    ("Is a transpose missing, or of other axes?", lambda x: softmax(x @ x) @ x),
    ("You compared axes, not tokens", lambda x: softmax(x.T @ x) @ x.T @ x),
    ("✗ the weighted averages: As above.", lambda x: softmax(x.T @ x)),
    ("✗ tokens forty times as long: As above.", lambda x: x @ softmax(x.T @ x)),
    ("✗ the weighted averages: You compared axes", lambda x: softmax(x.T @ x) @ x.T),
    ("stopped with IndexError at line", seven_rows),
    ("is None", lambda x: None),
    ("no token has read another", lambda x: x),
]


# Take the length out


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def cosine_plain(x):
    return softmax(unit(x) @ unit(x).T)


def cosine_loops(x):
    lengths = [np.sqrt(sum(a * a for a in row)) for row in x]
    weights = []
    for query, q in zip(x, lengths, strict=True):
        weights.append(blend([query @ key / (q * k) for key, k in zip(x, lengths, strict=True)], np.eye(len(x))))
    return weights


def cosine_einsum(x):
    lengths = np.sqrt(np.einsum("ic,ic->i", x, x))
    return softmax(np.einsum("ic,jc,i,j->ij", x, x, 1 / lengths, 1 / lengths))


def cosine_in_place(x):
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return softmax(x @ x.T)


RIGHT["cosine-weights"] = [cosine_plain, cosine_loops, cosine_einsum]
WRONG["cosine-weights"] = [
    ("the softmax is missing", lambda x: unit(x) @ unit(x).T),
    ("The lengths still count", lambda x: softmax(x @ x.T)),
    ("Only one side", lambda x: softmax(unit(x) @ x.T)),
    ("Only one side", lambda x: softmax(x @ unit(x).T)),
    ("Each column of `x`", lambda x: softmax((x / np.linalg.norm(x, axis=0)) @ (x / np.linalg.norm(x, axis=0)).T)),
    ("divided by one number", lambda x: softmax(x @ x.T / np.linalg.norm(x) ** 2)),
    ("squared lengths", lambda x: softmax(x @ x.T / np.outer(*[(x**2).sum(axis=1)] * 2))),
    ("The softmax is taken twice", lambda x: softmax(cosine_plain(x))),
    ("The columns of your weights sum to 1", lambda x: softmax(unit(x) @ unit(x).T, axis=0)),
    ("divided by √d", lambda x: softmax(unit(x) @ unit(x).T / np.sqrt(x.shape[1]))),
    ("The outputs came back", lambda x: cosine_plain(x) @ x),
    ("changed its argument 1 in place", cosine_in_place),
    ("Is a transpose missing, or of other axes?", lambda x: softmax(unit(x) @ unit(x))),
    (
        "1 token has 1 × 1 weights, got shape (6, 6)",
        lambda x: softmax(unit(np.resize(x, (6, 4))) @ unit(np.resize(x, (6, 4))).T),
    ),
]


# A look-up with a temperature


def look_up_plain(query, keys, values, temperature):
    return softmax(keys @ query / temperature) @ values


def look_up_loops(query, keys, values, temperature):
    return blend([sum(q * k for q, k in zip(query, key, strict=True)) / temperature for key in keys], values)


def look_up_einsum(query, keys, values, temperature):
    return np.einsum("j,jv->v", softmax(np.einsum("c,jc->j", query, keys) / temperature), values)


def scores_in_place(query, keys, values, temperature):
    keys *= query / temperature
    return softmax(keys.sum(axis=1)) @ values


RIGHT["soft-look-up"] = [look_up_plain, look_up_loops, look_up_einsum]
WRONG["soft-look-up"] = [
    ("These are the weights", lambda q, k, v, t: softmax(k @ q / t)),
    ("The softmax is missing", lambda q, k, v, t: k @ q / t @ v),
    ("value of the best key alone", lambda q, k, v, t: v[np.argmax(k @ q)]),
    ("made of the keys", lambda q, k, v, t: softmax(k @ q / t) @ k),
    ("is not divided by its total", lambda q, k, v, t: np.exp(k @ q / t) @ v),
    ("The softmax is taken twice", lambda q, k, v, t: softmax(softmax(k @ q / t)) @ v),
    ("divided by √d", lambda q, k, v, t: softmax(k @ q / t / np.sqrt(len(q))) @ v),
    ("divided by d", lambda q, k, v, t: softmax(k @ q / t / len(q)) @ v),
    ("the wrong way", lambda q, k, v, t: softmax(k @ q * t) @ v),
    ("changes nothing", lambda q, k, v, t: softmax(k @ q) @ v),
    ("after the softmax", lambda q, k, v, t: softmax(k @ q) / t @ v),
    ("For scores this large your result is not finite", lambda q, k, v, t: unstable(k @ q / t) @ v),
    ("changed its argument 2 in place", scores_in_place),
    ("Is a transpose missing, or of other axes?", lambda q, k, v, t: softmax(q @ k / t) @ v),
    ("The result has an axis too many", lambda q, k, v, t: softmax(q[None] @ k.T / t) @ v),
]


# In other styles


def row_by_row(x):
    out = np.zeros(x.shape)
    for i in range(len(x)):
        raised = np.exp(x @ x[i] - (x @ x[i]).max())
        for j in range(len(x)):
            out[i] += raised[j] / raised.sum() * x[j]
    return out


def columns_first(x):
    scores = (x @ x.T).T
    return (np.exp(scores - scores.max(axis=0)) / np.exp(scores - scores.max(axis=0)).sum(axis=0)).T @ x


RIGHT["write-attention"] += [
    row_by_row,
    columns_first,
    lambda x: attention_plain(x.astype(np.float32)),
    lambda x: attention_plain(x).tolist(),
    lambda x: np.vstack([softmax(row @ x.T) @ x for row in x]),
    lambda x: np.exp(x @ x.T - np.logaddexp.reduce(x @ x.T, axis=1)[:, None]).dot(x),
]
RIGHT["cosine-weights"] += [
    lambda x: softmax(x @ x.T / np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(x, axis=1))),
    lambda x: softmax(x @ x.T / np.sqrt(np.diag(x @ x.T)) / np.sqrt(np.diag(x @ x.T))[:, None]),
    lambda x: np.exp(unit(x) @ unit(x).T) / np.exp(unit(x) @ unit(x).T).sum(axis=1)[:, None],
    lambda x: cosine_plain(x.astype(np.float32)),
    lambda x: [softmax(row @ unit(x).T).tolist() for row in unit(x)],
    lambda x: cosine_plain(np.array([row / np.hypot.reduce(row) for row in x])),
]
RIGHT["soft-look-up"] += [
    lambda q, k, v, t: softmax((q / t) @ k.T) @ v,
    lambda q, k, v, t: v.T @ softmax(k @ q / t),
    lambda q, k, v, t: (softmax(k @ q / t)[:, None] * v).sum(axis=0),
    lambda q, k, v, t: np.average(v, axis=0, weights=softmax(k @ q / t)),
    lambda q, k, v, t: (softmax((q[None] @ k.T) / t) @ v)[0].tolist(),
    lambda q, k, v, t: look_up_plain(*(a.astype(np.float32) for a in (q, k, v)), np.float32(t)),
]


# What no case showed before


def filled_like_x(x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        out[i] = softmax(x @ x[i]) @ x
    return out


def hidden_zeros(scores):
    return softmax(np.where(scores == 0, -np.inf, scores))


WRONG["write-attention"] += [
    ("`np.zeros_like`", filled_like_x),
    ("A score of exactly 0 gets no weight", lambda x: hidden_zeros(x @ x.T) @ x),
    ("`squeeze` drops all of them", lambda x: np.squeeze(attention_plain(x))),
    ("Later tokens are hidden", lambda x: softmax(np.where(np.tri(len(x)) > 0, x @ x.T, -np.inf)) @ x),
    ("Rows after the first 128 stay 0", lambda x: attention_plain(x) * (np.arange(len(x)) < 128)[:, None]),
    ("Columns after the first 64 have no part", lambda x: softmax(x[:, :64] @ x[:, :64].T) @ x),
    ("Scores after the first 64 of a row", lambda x: softmax(x @ x[:64].T) @ x[:64]),
    ("Large scores are cut off", lambda x: softmax(np.clip(x @ x.T, -500, 500)) @ x),
    ("The largest score of *all* is subtracted", lambda x: np.exp(x @ x.T - (x @ x.T).max()) / np.exp(x @ x.T - (x @ x.T).max()).sum(1)[:, None] @ x),
    ("by a total without `keepdims=True`", lambda x: np.exp(x @ x.T) / np.exp(x @ x.T).sum(1) @ x),
    ("A token does not read itself", lambda x: softmax(x @ x.T - 1e9 * np.eye(len(x))) @ x if len(x) > 1 else 1 / 0),
]  # fmt: skip
WRONG["cosine-weights"] += [
    ("A score of exactly 0 gets no weight", lambda x: hidden_zeros(unit(x) @ unit(x).T)),
    ("`squeeze` drops all of them", lambda x: np.squeeze(cosine_plain(x))),
    ("divided by the sum of their entries", lambda x: softmax((x / x.sum(1)[:, None]) @ (x / x.sum(1)[:, None]).T)),
    ("by their largest entry", lambda x: softmax((x / abs(x).max(1)[:, None]) @ (x / abs(x).max(1)[:, None]).T)),
    ("The rows of the scores are divided", lambda x: softmax(unit(x @ x.T))),
    ("Columns after the first 64 have no part", lambda x: cosine_plain(x[:, :64])),
]
WRONG["soft-look-up"] += [
    ("A score of exactly 0 gets no weight", lambda q, k, v, t: hidden_zeros(k @ q / t) @ v),
    ("`squeeze` drops all of them", lambda q, k, v, t: np.squeeze(look_up_plain(q, k, v, t))),
    ("Large scores are cut off", lambda q, k, v, t: softmax(np.clip(k @ q / t, -700, 700)) @ v),
    ("only where it is above 0", lambda q, k, v, t: np.exp(k @ q / t - max(0, (k @ q / t).max())) / np.exp(k @ q / t - max(0, (k @ q / t).max())).sum() @ v),
    ("the largest *size* of a score", lambda q, k, v, t: np.exp(k @ q / t - abs(k @ q / t).max()) / np.exp(k @ q / t - abs(k @ q / t).max()).sum() @ v),
    ("Scores after the first 64", lambda q, k, v, t: look_up_plain(q, k[:64], v[:64], t)),
    ("The lengths of the keys do not count", lambda q, k, v, t: softmax(unit(k) @ q / t) @ v),
    ("Your scores are distances with a minus sign", lambda q, k, v, t: softmax(-np.linalg.norm(k - q, axis=1) / t) @ v),
    ("You divide by the temperature twice", lambda q, k, v, t: softmax(k @ q / t / t) @ v),
]  # fmt: skip


# Weights by distance


def near(query, keys):
    return query @ keys.T - (keys**2).sum(axis=1) / 2


def apart(query, keys):
    return np.linalg.norm(query[:, None] - keys, axis=-1)


def distance_plain(query, keys):
    return softmax(near(query, keys))


def distance_in_full(query, keys):
    squares = (query**2).sum(axis=1, keepdims=True) + (keys**2).sum(axis=1) - 2 * query @ keys.T
    return softmax(-0.5 * squares)


def distance_loops(query, keys):
    rows = []
    for q in query:
        scores = [-sum((a - b) ** 2 for a, b in zip(q, k, strict=True)) / 2 for k in keys]
        rows.append(blend(scores, np.eye(len(keys))))
    return rows


def distance_row_by_row(query, keys):
    return np.stack([softmax(-((keys - q) ** 2).sum(axis=1) / 2) for q in query])


def distance_einsum(query, keys):
    scores = np.einsum("ic,jc->ij", query, keys) - np.einsum("jc,jc->j", keys, keys)[None] / 2
    return np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])


def one_axis_more(query, keys):
    longer = np.hstack([query, np.ones((len(query), 1))])
    return softmax(longer @ np.hstack([keys, -(keys**2).sum(axis=1, keepdims=True) / 2]).T)


def keys_in_place(query, keys):
    scores = near(query, keys)
    keys *= keys
    return softmax(scores)


def weights_like_the_scores(query, keys):
    out = np.zeros_like(query @ keys.T)
    out[:] = distance_plain(query, keys)
    return out


RIGHT["distance-weights"] = [
    distance_plain,
    distance_in_full,
    distance_loops,
    distance_row_by_row,
    distance_einsum,
    one_axis_more,
    lambda q, k: distance_plain(q.astype(np.float32), k.astype(np.float32)),
    lambda q, k: distance_in_full(q.astype(np.float32), k.astype(np.float32)).tolist(),
    lambda q, k: softmax(near(q, k).T, axis=0).T,
    lambda q, k: distance_plain(q - k.mean(axis=0), k - k.mean(axis=0)),
]
WRONG["distance-weights"] = [
    ("those of the dot products alone", lambda q, k: softmax(q @ k.T)),
    ("½‖k‖² is added to the scores", lambda q, k: softmax(q @ k.T + (k**2).sum(axis=1) / 2)),
    ("the distances themselves", lambda q, k: softmax(-apart(q, k))),
    ("the distances themselves", lambda q, k: softmax(-apart(q, k) / 2)),
    ("The ½ is missing", lambda q, k: softmax(-(apart(q, k) ** 2))),
    ("The queries' squared lengths are taken from the columns", lambda q, k: softmax(q @ k.T - (q**2).sum(axis=1) / 2)),
    ("stand in a column", lambda q, k: softmax(q @ k.T - (k**2).sum(axis=1, keepdims=True) / 2)),
    ("lie along the columns", lambda q, k: softmax(q @ k.T - (q**2).sum(axis=1) / 2 - (k**2).sum(axis=1) / 2)),
    ("added up over the keys", lambda q, k: softmax(q @ k.T - (k**2).sum(axis=0) / 2)),
    ("All of ‖k‖² is taken", lambda q, k: softmax(q @ k.T - (k**2).sum(axis=1))),
    ("q · k counts half", lambda q, k: softmax(-((k**2).sum(axis=1) - q @ k.T) / 2)),
    ("q · k has the wrong sign", lambda q, k: softmax(-((q[:, None] + k) ** 2).sum(axis=-1) / 2)),
    ("‖k‖ is taken from the scores", lambda q, k: softmax(q @ k.T - np.linalg.norm(k, axis=1))),
    ("The minus is missing: the farthest key gets most.", lambda q, k: softmax(apart(q, k) ** 2 / 2)),
    ("The columns of your weights sum to 1", lambda q, k: softmax(near(q, k), axis=0)),
    ("All weights together sum to 1", lambda q, k: softmax(near(q, k).ravel()).reshape(len(q), -1)),
    ("For scores this large your result is not finite", lambda q, k: unstable(near(q, k))),
    ("A query far from every key gets NaN", lambda q, k: unstable(-(apart(q, k) ** 2) / 2)),
    ("The largest score of *all* is subtracted", lambda q, k: unstable(near(q, k) - near(q, k).max())),
    ("held more than 1.2 MB: that is an array of n_q × n_k × d", lambda q, k: softmax(-((q[:, None] - k) ** 2).sum(axis=-1) / 2)),
    ("The softmax is missing", near),
    ("These are the squared distances", lambda q, k: apart(q, k) ** 2),
    ("is not divided by its total", lambda q, k: np.exp(-(apart(q, k) ** 2) / 2)),
    ("shares of 1/distance", lambda q, k: 1 / apart(q, k) / (1 / apart(q, k)).sum(axis=1, keepdims=True)),
    ("averaged over the axes", lambda q, k: softmax(-((q[:, None] - k) ** 2).mean(axis=-1) / 2)),
    ("divided by √d", lambda q, k: softmax(near(q, k) / np.sqrt(q.shape[1]))),
    ("weights by angle", lambda q, k: softmax(unit(q) @ unit(k).T)),
    ("by `//`", lambda q, k: softmax(q @ k.T - (k**2).sum(axis=1) // 2)),
    ("`np.zeros_like`", weights_like_the_scores),
    ("return the weights", lambda q, k: distance_plain(q, k) @ k),
    ("Your weights are transposed: a row is a query", lambda q, k: distance_plain(q, k).T),
    ("Is a transpose missing, or of other axes?", lambda q, k: softmax(q @ k)),
    ("changed its argument 2 in place", keys_in_place),
    ("All weights are the same: yours do not depend on the distances", lambda q, k: np.full((len(q), len(k)), 1 / len(k))),
    ("Columns after the first 64 have no part", lambda q, k: distance_plain(q[:, :64], k[:, :64])),
    ("Scores after the first 64 of a row", lambda q, k: softmax(np.where(np.arange(len(k)) < 64, near(q, k), -np.inf))),
]  # fmt: skip
