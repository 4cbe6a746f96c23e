"""Right and wrong answers to the exercises of chapter 2."""

import numpy as np

RIGHT = {}
WRONG = {}


def _softmax(scores, axis=1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


def _attend(query, key, value):
    return _softmax(query @ key.T) @ value


def _through_u(x, u):
    xu = x @ u
    return _attend(xu, xu, xu)


def _by_the_metric(x, u):
    return _softmax(x @ (u @ u.T) @ x.T) @ x @ u


def _loops(x, u):
    rows = [[sum(row[c] * u[c, b] for c in range(len(u))) for b in range(u.shape[1])] for row in x]
    out = []
    for query in rows:
        raised = [np.exp(np.dot(query, key)) for key in rows]
        out.append(
            [sum(r * row[b] for r, row in zip(raised, rows, strict=True)) / sum(raised) for b in range(u.shape[1])]
        )
    return np.array(out)  # fmt: skip


def _einsum(x, u):
    weights = _softmax(np.einsum("ic,cb,eb,je->ij", x, u, u, x))
    return np.einsum("ij,jc,cb->ib", weights, x, u)


def _over_queries(x, u):
    xu = x @ u
    return _softmax(xu @ xu.T, axis=0) @ xu


def _in_place(x, u):
    out = _through_u(x, u)
    x -= 1
    return out


def _scaled(x, u):
    xu = x @ u
    return _softmax(xu @ xu.T / np.sqrt(u.shape[1])) @ xu


def _right_for_one_size(x, u):
    return _through_u(x, u) if u.shape == (4, 4) else np.zeros((len(x), u.shape[1]))


RIGHT["write-u-attention"] = [_through_u, _by_the_metric, _loops, _einsum]
WRONG["write-u-attention"] = [
    ("the last factor is XU too, not X", lambda x, u: _attend(x @ u, x @ u, x)),
    ("compare the rows of XU, not those of X", lambda x, u: _attend(x, x, x @ u)),
    ("attention without U", lambda x, u: _attend(x, x, x)),
    ("You used Uᵀ", lambda x, u: _through_u(x, u.T)),
    ("the softmax runs over the queries, axis=0", _over_queries),
    ("divided the scores by √d_u", _scaled),
    ("The softmax is missing", lambda x, u: x @ u @ (x @ u).T @ (x @ u)),
    ("stopped with ValueError", lambda x, u: _softmax((x @ u) @ (x @ u)) @ x @ u),
    ("These are the weights: multiply them by XU", lambda x, u: _softmax(x @ u @ u.T @ x.T)),
    ("changed its argument 1 in place", _in_place),
    ("✗ right for a U that is not square", _right_for_one_size),
    ("does the function end in `return`", lambda x, u: None),
]


RIGHT["axes-kept"] = [
    lambda u: np.linalg.norm(u, axis=1),
    lambda u: np.sqrt(np.diag(u @ u.T)),
    lambda u: [sum(entry**2 for entry in row) ** 0.5 for row in u],
    lambda u: np.sqrt(np.einsum("cb,cb->c", u, u)),
]
WRONG["axes-kept"] = [
    ("the lengths of the columns", lambda u: np.linalg.norm(u, axis=0)),
    ("must not cancel", lambda u: u.sum(axis=1)),
    ("a length is the square root of that sum", lambda u: (u**2).sum(axis=1)),
    ("added the sizes of the entries", lambda u: np.abs(u).sum(axis=1)),
    ("the largest entry of each row", lambda u: np.abs(u).max(axis=1)),
    ("one length, that of all of U", np.linalg.norm),
    ("changed its argument 1 in place", lambda u: u.__imul__(u).sum(axis=1) ** 0.5),
]


def _cycles(a, i, j, k):
    return a[i, j] * a[j, k] * a[k, i], a[i, k] * a[k, j] * a[j, i]


def _by_steps(a, i, j, k):
    both = []
    for cycle in ([i, j, k], [i, k, j]):
        product = 1.0
        for step in range(3):
            product *= a[cycle[step], cycle[(step + 1) % 3]]
        both.append(product)
    return both


RIGHT["both-ways-round"] = [
    _cycles,
    _by_steps,
    lambda a, i, j, k: np.array([a[[i, j, k], [j, k, i]].prod(), a[[j, k, i], [i, j, k]].prod()]),
]
WRONG["both-ways-round"] = [
    ("directions are swapped", lambda a, i, j, k: _cycles(a.T, i, j, k)),
    ("You added the three weights", lambda a, i, j, k: (a[i, j] + a[j, k] + a[k, i], a[i, k] + a[k, j] + a[j, i])),
    ("The way back to the start is missing", lambda a, i, j, k: (a[i, j] * a[j, k], a[i, k] * a[k, j])),
    ("✗ A_ik A_kj A_ji: The two directions are swapped", lambda a, i, j, k: _cycles(a, i, j, k)[:1] * 2),
    ("Return two numbers", lambda a, i, j, k: _cycles(a, i, j, k)[0]),
    ("The tokens 0, 1 and 2 are taken", lambda a, *_: _cycles(a, 0, 1, 2)),
]


def _row_by_row(x, u):
    xu = x @ u
    out = np.empty_like(xu)
    for i, query in enumerate(xu):
        raised = np.exp(xu @ query)
        out[i] = raised @ xu / raised.sum()
    return out


RIGHT["write-u-attention"] += [
    _row_by_row,
    lambda x, u: _through_u(x, u).tolist(),
    lambda x, u: _through_u(x.astype(np.float32), u.astype(np.float32)),
    lambda x, u: _softmax(np.inner(x @ u, x @ u)).dot(x).dot(u),
    lambda x, u: [_softmax((x @ u) @ row, axis=0) @ (x @ u) for row in x @ u],
]
RIGHT["axes-kept"] += [
    lambda u: np.linalg.norm(np.eye(len(u)) @ u, axis=-1),
    lambda u: (u**2).sum(1) ** 0.5,
    lambda u: [np.linalg.norm(row) for row in u],
    lambda u: np.hypot.reduce(u, axis=1),
    lambda u: np.linalg.norm(u.astype(np.float32), axis=1),
]
RIGHT["both-ways-round"] += [
    lambda a, i, j, k: [a[i][j] * a[j][k] * a[k][i], a[i][k] * a[k][j] * a[j][i]],
    lambda a, i, j, k: (np.prod([a[i, j], a[j, k], a[k, i]]), np.prod([a[j, i], a[k, j], a[i, k]])),
    lambda a, i, j, k: tuple(b[i, j] * b[j, k] * b[k, i] for b in (a, a.T)),
    lambda a, i, j, k: _cycles(a, k, i, j),
    lambda a, i, j, k: _cycles(a.astype(np.float32), j, k, i),
]

WRONG["write-u-attention"] += [
    ("`squeeze` drops all of them", lambda x, u: np.squeeze(_through_u(x, u))),
    ("U stands in your scores once", lambda x, u: _softmax(x @ u @ x.T) @ x @ u if len(u) == len(u.T) else 1 / 0),
    ("A score of exactly 0 gets no weight", lambda x, u: _softmax(np.where(x @ u @ (x @ u).T == 0, -np.inf, x @ u @ (x @ u).T)) @ x @ u),
    ("Axes after the first 64 are left out", lambda x, u: _through_u(x[:, :64], u[:64])),
    ("Rows after the first 128 stay 0", lambda x, u: _through_u(x, u) * (np.arange(len(x)) < 128)[:, None]),
    ("Your output goes through U twice", lambda x, u: _through_u(x, u) @ u),
    ("Later tokens are hidden",
        lambda x, u: _softmax(np.where(np.tri(len(x)) > 0, x @ u @ (x @ u).T, -np.inf)) @ x @ u),
    ("twice as large", lambda x, u: 2 * _through_u(x, u)),
]  # fmt: skip
WRONG["axes-kept"] += [
    ("Only the first 64 columns", lambda u: np.linalg.norm(u[:, :64], axis=1)),
    ("Only the first 8 rows", lambda u: np.linalg.norm(u[:8], axis=1)),
    ("`squeeze` drops all of them", lambda u: np.squeeze(np.linalg.norm(u, axis=1))),
    ("the root of the *mean*", lambda u: np.sqrt((u**2).mean(axis=1))),
    ("the spread of each row", lambda u: u.std(axis=1)),
    ("the diagonal of U", lambda u: np.abs(np.diag(u))),
    ("the singular values of U", lambda u: np.linalg.svd(u)[1]),
]
WRONG["both-ways-round"] += [
    ("The tokens are put in order", lambda a, *c: _cycles(a, *sorted(c))),
    ("The middle weight is turned round", lambda a, i, j, k: (a[i, j] * a[k, j] * a[k, i], a[i, k] * a[j, k] * a[j, i])),
    ("The last weight is turned round", lambda a, i, j, k: (a[i, j] * a[j, k] * a[i, k], a[i, k] * a[k, j] * a[i, j])),
    ("The result should be 0.0007, got 0.0000", lambda a, i, j, k: (0.0, 0.0)),
    ("You took the logarithm", lambda a, i, j, k: np.log(_cycles(a, i, j, k))),
    ("stopped with IndexError", lambda a, i, j, k: _cycles(a[:64, :64], i, j, k)),
]  # fmt: skip
