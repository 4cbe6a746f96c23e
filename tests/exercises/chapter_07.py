"""Right and wrong answers to the exercises of chapter 7."""

import numpy as np

RIGHT = {}
WRONG = {}


def _softmax(scores, axis=-1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


# A window


def _window(n, w):
    back = np.arange(n)[:, None] - np.arange(n)
    return (back >= 0) & (back < w)


def _window_by_loops(n, w):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        mask[i, max(0, i - w + 1) : i + 1] = True
    return mask


def _window_by_triangles(n, w):
    return np.tri(n, dtype=bool) & ~np.tri(n, k=-w, dtype=bool)


def _window_by_sum(n, w):
    return np.sum([np.eye(n, k=-back) for back in range(w)], axis=0) > 0


def _back(n):
    return np.arange(n)[:, None] - np.arange(n)


RIGHT["window-mask"] = [
    lambda n, w: _window(n, w).tolist(),
    _window,
    _window_by_loops,
    _window_by_triangles,
    _window_by_sum,
]
WRONG["window-mask"] = [
    ("holds w + 1 keys", lambda n, w: (_back(n) >= 0) & (_back(n) <= w)),
    ("does not read itself", lambda n, w: (_back(n) > 0) & (_back(n) <= w)),
    ("does not read itself", lambda n, w: (_back(n) > 0) & (_back(n) < w)),
    ("The window is inverted", lambda n, w: ~_window(n, w)),
    ("looks ahead too", lambda n, w: np.abs(_back(n)) < w),
    ("Nothing limits the future", lambda n, w: np.tri(n, k=-w) == 0),
    ("Nothing limits the past", lambda n, w: np.tri(n, dtype=bool)),
    ("Rows and columns are exchanged", lambda n, w: _window(n, w).T),
    ("Those are blocks", lambda n, w: np.tri(n, dtype=bool) & (np.arange(n)[:, None] // w == np.arange(n) // w)),
    ("A mask holds True and False", lambda n, w: _window(n, w).astype(int)),
    ("holds w − 1 keys", lambda n, w: (_back(n) >= 0) & (_back(n) < w - 1)),
    ("The window goes round", lambda n, w: _back(n) % n < w),
    ("Every query may read every key", lambda n, w: _back(n) < n),
    ("Each query reads its own key alone", lambda n, w: np.eye(n, dtype=bool)),
    ("should be", lambda n, w: (_back(n) >= 0) & (_back(n).astype(np.int8) < w)),
    ("stopped with", lambda n, w: np.array([np.eye(n, k=-back) for back in range(w)])[w] > 0),
]

# Two halves of the keys


def _join(left, right, least=-np.inf):
    larger = np.maximum(np.maximum(left[0], right[0]), least)
    a, b = np.exp(left[0] - larger), np.exp(right[0] - larger)
    return (left[2] * a + right[2] * b) / (left[1] * a + right[1] * b)


def _join_by_loops(left, right):
    rows = []
    for m, t, b, m2, t2, b2 in zip(*left, *right, strict=True):
        larger = max(m[0], m2[0])
        a, c = np.exp(m[0] - larger), np.exp(m2[0] - larger)
        rows.append((b * a + b2 * c) / (t[0] * a + t2[0] * c))
    return np.array(rows)


def _join_by_logarithms(left, right):
    mass = [part[0] + np.log(part[1]) for part in (left, right)]  # the logarithm of each part's sum of exponentials
    share = _softmax(np.concatenate(mass, axis=1))
    return share[:, :1] * left[2] / left[1] + share[:, 1:] * right[2] / right[1]


def _join_by_einsum(left, right):
    largest, total, blend = (np.stack(both) for both in zip(left, right, strict=True))
    shrink = np.exp(largest - largest.max(axis=0))
    return np.einsum("pij,pik->ik", shrink, blend) / np.einsum("pij,pij->i", shrink, total)[:, None]


def _join_by_largest(left, right):
    share = _softmax(np.concatenate([left[0], right[0]], axis=1))
    return share[:, :1] * left[2] / left[1] + share[:, 1:] * right[2] / right[1]


def _join_wrong_way(left, right):
    larger = np.maximum(left[0], right[0])
    a, b = np.exp(larger - left[0]), np.exp(larger - right[0])
    return (left[2] * a + right[2] * b) / (left[1] * a + right[1] * b)


def _join_blend_only(left, right):
    larger = np.maximum(left[0], right[0])
    blends = [part[2] * np.exp(part[0] - larger) for part in (left, right)]
    return sum(blends) / (left[1] + right[1])


def _join_total_only(left, right):
    larger = np.maximum(left[0], right[0])
    totals = [part[1] * np.exp(part[0] - larger) for part in (left, right)]
    return (left[2] + right[2]) / sum(totals)


def _join_without_largest(left, right):
    a, b = np.exp(left[0]), np.exp(right[0])
    return (left[2] * a + right[2] * b) / (left[1] * a + right[1] * b)


def _join_left_alone(left, right):
    shrink = np.exp(left[0] - right[0])
    return (left[2] * shrink + right[2]) / (left[1] * shrink + right[1])


def _join_one_largest(left, right):
    larger = max(left[0].max(), right[0].max())
    a, b = np.exp(left[0] - larger), np.exp(right[0] - larger)
    return (left[2] * a + right[2] * b) / (left[1] * a + right[1] * b)


def _join_in_place(left, right):
    out = _join(left, right)
    left[2][:] = 0
    return out


def _not_divided(left, right):
    larger = np.maximum(left[0], right[0])
    return left[2] * np.exp(left[0] - larger) + right[2] * np.exp(right[0] - larger)


RIGHT["join-parts"] = [_join, _join_by_loops, _join_by_logarithms, _join_by_einsum]
WRONG["join-parts"] = [
    ("has subtracted a largest score of its own", lambda a, b: (a[2] + b[2]) / (a[1] + b[1])),
    ("the mean of two answers", lambda a, b: (a[2] / a[1] + b[2] / b[1]) / 2),
    ("the wrong way round", _join_wrong_way),
    ("the totals are not", _join_blend_only),
    ("the blends are not", _join_total_only),
    ("The division by the total is missing", _not_divided),
    ("the left part alone", lambda a, b: a[2] / a[1]),
    ("the right part alone", lambda a, b: b[2] / b[1]),
    ("Take it of differences to the larger", _join_without_largest),
    ("You bring the left part to the right one's largest score", _join_left_alone),
    ("You bring all queries to one largest score", _join_one_largest),
    ("only where it is above 0", lambda a, b: _join(a, b, least=0)),
    ("Large numbers are cut off", lambda a, b: _join((a[0].clip(-50, 50), *a[1:]), (b[0].clip(-50, 50), *b[1:]))),
    ("the higher largest score. The other", lambda a, b: np.where(a[0] > b[0], a[2] / a[1], b[2] / b[1])),
    ("by their largest scores alone", _join_by_largest),
    ("An axis of length 1 is missing", lambda a, b: np.squeeze(_join(a, b))),
    ("changed its argument 1 in place", _join_in_place),
    ("is a tuple of 3", lambda a, b: tuple(x + y for x, y in zip(a, b, strict=True))),
]

# Running sums


def _sums(query, key, value):
    state, norm = np.zeros((key.shape[1], value.shape[1])), np.zeros(key.shape[1])
    out = np.zeros(value.shape)
    for i, (q, k, v) in enumerate(zip(query, key, value, strict=True)):
        state, norm = state + np.outer(k, v), norm + k
        out[i] = q @ state / (q @ norm)
    return out


def _sums_at_once(query, key, value):
    state = np.cumsum(key[:, :, None] * value[:, None, :], axis=0)  # (n, d_k, d_v)
    norm = np.cumsum(key, axis=0)
    return np.einsum("ic,icv->iv", query, state) / np.einsum("ic,ic->i", query, norm)[:, None]


def _sums_with_ones(query, key, value):
    value = np.column_stack([value, np.ones(len(value))])
    state, rows = 0, []
    for i in range(len(query)):
        state = state + key[i : i + 1].T @ value[i : i + 1]
        rows.append(query[i] @ state)
    rows = np.array(rows)
    return rows[:, :-1] / rows[:, -1:]


def _by_grid(change=np.tril, divide=None):
    def answer(query, key, value):
        grid = change(query @ key.T)
        sums = grid.sum(axis=1, keepdims=True)
        return grid / np.where(sums == 0, 1, sums) @ value if divide is None else divide(grid, query, key) @ value

    return answer


def _replaced(query, key, value):
    rows = []
    for q, k, v in zip(query, key, value, strict=True):
        rows.append(q @ np.outer(k, v) / (q @ k))
    return np.array(rows)


def _causal_softmax(query, key, value):
    scores = query @ key.T
    return _softmax(np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)) @ value


def _sums_in_place(query, key, value):
    out = _sums(query, key, value)
    np.cumsum(key, axis=0, out=key)
    return out


def _sums_in_its_type(query, key, value):
    return _sums(query, key, value).astype(value.dtype)


RIGHT["causal-sums"] = [_sums, _sums_at_once, _sums_with_ones]
WRONG["causal-sums"] = [
    ("you round your result to integers", _sums_in_its_type),
    ("Every token reads the future", _by_grid(lambda grid: grid)),
    ("A token does not read itself", _by_grid(lambda grid: np.tril(grid, -1))),
    ("The sums run backwards", _by_grid(np.triu)),
    ("The division is missing", _by_grid(divide=lambda grid, q, k: grid)),
    ("You divide by the number of keys", _by_grid(divide=lambda grid, q, k: grid / np.arange(1, len(q) + 1)[:, None])),
    ("the sum over all keys", _by_grid(divide=lambda grid, q, k: grid / (q @ k.T).sum(axis=1, keepdims=True))),
    ("query and key are exchanged", lambda q, k, v: _sums(k, q, v)),
    ("That is softmax attention", _causal_softmax),
    ("You forget what was read before", _replaced),
    ("held more than 4.5 MB: that is an n × n grid", _by_grid()),
    ("changed its argument 2 in place", _sums_in_place),
    ("An axis of length 1 is missing", lambda *given: np.squeeze(_sums(*given))),
    ("φ is applied once more", lambda q, k, v: _sums(np.exp(q), np.exp(k), v)),
    (
        "the newest key's weight alone",
        _by_grid(divide=lambda grid, q, k: np.tril(grid) / (q * k).sum(axis=1, keepdims=True)),
    ),
    ("For 1500 tokens", lambda q, k, v: np.concatenate([_sums(q[:64], k[:64], v[:64]), v[64:]])),
]
