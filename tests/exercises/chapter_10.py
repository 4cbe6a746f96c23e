"""Right and wrong answers to the exercises of chapter 10."""

import numpy as np

RIGHT = {}
WRONG = {}

# From pieces to words


def _joined(weights, word):
    belongs = np.equal.outer(np.arange(max(word) + 1), word)
    return belongs @ weights @ belongs.T / belongs.sum(axis=1, keepdims=True)


def _joined_by_loops(weights, word):
    m = max(word) + 1
    out = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            out[i, j] = sum(
                sum(weights[a, b] for b in range(len(word)) if word[b] == j) for a in range(len(word)) if word[a] == i
            )
        out[i] /= sum(1 for w in word if w == i)
    return out


def _joined_by_add_at(weights, word):
    m = max(word) + 1
    columns = np.zeros((len(word), m))
    np.add.at(columns.T, word, weights.T)
    return np.array([columns[np.asarray(word) == i].mean(axis=0) for i in range(m)])


def _means(weights, word):
    return np.array(
        [[weights[np.ix_(word == i, word == j)].mean() for j in range(max(word) + 1)] for i in range(max(word) + 1)]
    )


RIGHT["join-pieces"] = [_joined, _joined_by_loops, _joined_by_add_at]
WRONG["join-pieces"] = [
    ("You take the mean over the pieces that are read", _means),
    ("You add up over the pieces that ask", lambda A, w: _joined(A, w) * np.bincount(w)[:, None]),
    ("Your result is transposed", lambda A, w: _joined(A, w).T),
    ("each word's first piece alone", lambda A, w: A[np.unique(w, return_index=True)[1]][:, np.unique(w, return_index=True)[1]]),
    ("Of a word that asks you take the first piece alone", lambda A, w: np.stack([A[:, w == j].sum(axis=1) for j in range(max(w) + 1)], axis=1)[np.unique(w, return_index=True)[1]]),
    ("Only the keys are joined", lambda A, w: np.stack([A[:, w == j].sum(axis=1) for j in range(max(w) + 1)], axis=1)),
    ("Only the queries are joined", lambda A, w: np.stack([A[w == j].mean(axis=0) for j in range(max(w) + 1)])),
]  # fmt: skip

# A sentence's vector


def _pooled(rows, own):
    mean = rows[own].mean(axis=0)
    return mean / np.sqrt((mean**2).sum())


def _pooled_by_sum(rows, own):
    total = (rows * own[:, None]).sum(axis=0)
    return total / np.linalg.norm(total)


def _pooled_by_loop(rows, own):
    kept = [row for row, keep in zip(rows, own, strict=True) if keep]
    mean = sum(kept) / len(kept)
    return mean / np.linalg.norm(mean)


RIGHT["mean-pooled"] = [_pooled, _pooled_by_sum, _pooled_by_loop]
WRONG["mean-pooled"] = [
    ("Padding counts in your mean", lambda r, o: r.mean(axis=0) / np.linalg.norm(r.mean(axis=0))),
    ("should be", lambda r, o: r[: o.sum()].mean(axis=0) / np.linalg.norm(r[: o.sum()].mean(axis=0))),
    ("not brought to length 1", lambda r, o: r[o].mean(axis=0)),
    ("the sum of the rows", lambda r, o: (r * o[:, None]).sum(axis=0)),
    ("the first row alone", lambda r, o: r[0] / np.linalg.norm(r[0])),
    ("each row to length 1 before the mean", lambda r, o: _pooled(r / np.linalg.norm(r, axis=1, keepdims=True), o)),
    ("divide by the sum of the numbers", lambda r, o: r[o].mean(axis=0) / np.sum(r[o].mean(axis=0))),
    ("max pooling", lambda r, o: r[o].max(axis=0) / np.linalg.norm(r[o].max(axis=0))),
]  # fmt: skip

# One head silent


def _without(blends, w_o, head, h):
    wide = blends.shape[1] // h
    kept = blends.copy()
    kept[:, head * wide : (head + 1) * wide] = 0
    return kept @ w_o


def _without_by_rows(blends, w_o, head, h):
    left = w_o.copy().reshape(h, -1, w_o.shape[1])
    left[head] = 0
    return blends @ left.reshape(w_o.shape)


def _without_by_sum(blends, w_o, head, h):
    wide = blends.shape[1] // h
    bands = [slice(a * wide, (a + 1) * wide) for a in range(h) if a != head]
    return sum(blends[:, band] @ w_o[band] for band in bands)


def _in_place(blends, w_o, head, h):
    wide = blends.shape[1] // h
    blends[:, head * wide : (head + 1) * wide] = 0
    return blends @ w_o


RIGHT["silence-one"] = [_without, _without_by_rows, _without_by_sum]
WRONG["silence-one"] = [
    ("Nothing is silenced", lambda b, w, a, h: b @ w),
    ("what the silenced head alone adds", lambda b, w, a, h: b @ w - _without(b, w, a, h)),
    ("The head before that is silenced", lambda b, w, a, h: _without(b, w, (a - 1) % h, h)),
    ("Every h-th column", lambda b, w, a, h: (b * (np.arange(b.shape[1]) % h != a)) @ w),
    ("w_o is missing", lambda b, w, a, h: _without(b, np.eye(len(w)), a, h)),
    ("One column alone", lambda b, w, a, h: (b * (np.arange(b.shape[1]) != a)) @ w),
    ("changed its argument", _in_place),
]  # fmt: skip
