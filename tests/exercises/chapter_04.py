"""Right and wrong answers to the exercises of chapter 4."""

import numpy as np

RIGHT = {}
WRONG = {}


def _softmax(scores, axis=-1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


# Scaled weights


def _weights(x, w_q, w_k):
    return _softmax((x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1]))


def _weights_by_loops(x, w_q, w_k):
    rows = []
    for token in x:
        scores = np.array([(token @ w_q) @ (other @ w_k) / len(w_q[0]) ** 0.5 for other in x])
        raised = [np.exp(score - scores.max()) for score in scores]
        rows.append([r / sum(raised) for r in raised])
    return np.array(rows)


def _weights_by_einsum(x, w_q, w_k):
    scores = np.einsum("id,dc,jc->ij", x, w_q, x @ w_k)
    return _softmax(scores * w_k.shape[1] ** -0.5)


def _weights_from_a_smaller_query(x, w_q, w_k):
    return _softmax(x @ (w_q / np.sqrt(w_q.shape[1])) @ (x @ w_k).T)


def _weights_in_place(x, w_q, w_k):
    w_q /= np.sqrt(w_q.shape[1])
    return _softmax((x @ w_q) @ (x @ w_k).T)


def _weights_that_overflow(x, w_q, w_k):
    with np.errstate(all="ignore"):
        raised = np.exp((x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1]))
        return raised / raised.sum(axis=1, keepdims=True)


def _divided(root):
    return lambda x, q, k: _softmax((x @ q) @ (x @ k).T / root(x, q))


RIGHT["scaled-weights"] = [_weights, _weights_by_loops, _weights_by_einsum, _weights_from_a_smaller_query]
WRONG["scaled-weights"] = [
    ("Nothing is divided", _divided(lambda x, q: 1)),
    ("You divide by d_k, or Q and K", _divided(lambda x, q: q.shape[1])),
    ("You multiply by √d_k", _divided(lambda x, q: q.shape[1] ** -0.5)),
    ("You divide by √d, the width of a token", _divided(lambda x, q: x.shape[1] ** 0.5)),
    ("You divide by √n", _divided(lambda x, q: len(x) ** 0.5)),
    ("You divide by 8, whatever d_k is", _divided(lambda x, q: 8)),
    ("You divide the weights", lambda x, q, k: _softmax((x @ q) @ (x @ k).T) / q.shape[1] ** 0.5),
    ("softmax runs over the queries", lambda x, q, k: _softmax((x @ q) @ (x @ k).T / q.shape[1] ** 0.5, 0)),
    ("The roles are swapped", lambda x, q, k: _weights(x, k, q)),
    ("The softmax is missing", lambda x, q, k: (x @ q) @ (x @ k).T / q.shape[1] ** 0.5),
    ("stopped with ValueError", lambda x, q, k: _softmax((x @ q) @ (x @ k))),
    ("should have shape (7, 7), got (3, 3)", lambda x, q, k: _softmax((x @ q).T @ (x @ k))),
    ("changed its argument 2 in place", _weights_in_place),
    ("For scores this large your result is not finite", _weights_that_overflow),
    ("is None", lambda x, q, k: None),
]

# Predict the variance


def _variance_by_loops(sigma_q, sigma_k):
    total = 0.0
    for c in range(len(sigma_q)):
        for e in range(len(sigma_q)):
            total += sigma_q[c, e] * sigma_k[c, e]
    return total


def _variance_in_place(sigma_q, sigma_k):
    sigma_q *= sigma_k
    return sigma_q.sum()


RIGHT["predict-variance"] = [
    lambda q, k: np.trace(q @ k),
    _variance_by_loops,
    lambda q, k: np.einsum("ce,ce->", q, k),
    lambda q, k: (q * k).sum(),
    lambda q, k: np.linalg.eigvals(q @ k).real.sum(),
]
WRONG["predict-variance"] = [
    ("You multiply the two traces", lambda q, k: np.trace(q) * np.trace(k)),
    ("You use the diagonals alone", lambda q, k: (np.diag(q) * np.diag(k)).sum()),
    ("This is d_k", lambda q, k: len(q)),
    ("This is the standard deviation", lambda q, k: np.trace(q @ k) ** 0.5),
    ("You added up all entries of the product", lambda q, k: (q @ k).sum()),
    ("You have the matrix", lambda q, k: q @ k),
    ("You squared the covariances", lambda a, b: np.trace(a.T @ a @ b.T @ b)),
    ("You divided by d_k", lambda q, k: np.trace(q @ k) / len(q)),
    ("the sum of the two traces", lambda q, k: np.trace(q + k)),
    ("changed its argument 1 in place", _variance_in_place),
    ("is None", lambda q, k: None),
    ("Hand over the function itself", 64.0),
]

# How saturated is each row?


def _slopes(scores):
    weights = _softmax(scores)
    jacobians = np.einsum("ij,jk->ijk", weights, np.eye(weights.shape[1])) - np.einsum("ij,ik->ijk", weights, weights)
    return np.sqrt((jacobians**2).sum(axis=(1, 2)))


def _slopes_by_loops(scores):
    norms = []
    for row in scores:
        a = np.exp(row - row.max())
        a = a / a.sum()
        norms.append(np.linalg.norm(np.diag(a) - np.outer(a, a)))
    return norms


def _slopes_in_short(scores):
    a = _softmax(scores)
    squares = (a**2).sum(axis=1)
    return np.sqrt(np.maximum(squares - 2 * (a**3).sum(axis=1) + squares**2, 0))


def _slopes_that_overflow(scores):
    with np.errstate(all="ignore"):
        a = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return np.array([np.linalg.norm(np.diag(row) - np.outer(row, row)) for row in a])


def _slopes_in_place(scores):
    scores -= scores.max(axis=1, keepdims=True)
    return _slopes(scores)


def _spectral(scores):
    return [np.linalg.norm(np.diag(a) - np.outer(a, a), 2) for a in _softmax(scores)]


def _without_outer(scores):
    return [np.linalg.norm(np.diag(a) - a @ a.T) for a in _softmax(scores)]


def _of_the_columns(scores):
    return [np.linalg.norm(np.diag(a) - np.outer(a, a)) for a in _softmax(scores, 0)]


RIGHT["row-slopes"] = [_slopes, _slopes_by_loops, _slopes_in_short]
WRONG["row-slopes"] = [
    ("The softmax runs over the queries", _of_the_columns),
    ("The softmax runs over the queries", lambda s: _slopes(s.T)),
    ("the softmax is missing", lambda s: [np.linalg.norm(np.diag(a) - np.outer(a, a)) for a in s]),
    ("Only the diagonal", lambda s: np.linalg.norm(_softmax(s) * (1 - _softmax(s)), axis=1)),
    ("for a row of numbers `a @ a.T` is a @ a", _without_outer),
    ("This is the sum of squares", lambda s: _slopes(s) ** 2),
    ("diag(a) alone", lambda s: [np.linalg.norm(np.diag(a)) for a in _softmax(s)]),
    ("its largest singular value", _spectral),
    ("This is the mean over the rows", lambda s: _slopes(s).mean()),
    ("This is one norm of everything", lambda s: np.sqrt((_slopes(s) ** 2).sum())),
    ("You divided the scores by √n_k", lambda s: _slopes(s / s.shape[1] ** 0.5)),
    ("For scores this large your result is not finite", _slopes_that_overflow),
    ("changed its argument 1 in place", _slopes_in_place),
    ("is None", lambda s: None),
]


# In other styles

RIGHT["scaled-weights"] += [
    lambda x, q, k: _softmax((x @ q) @ (x @ k).T * q.shape[1] ** -0.5).tolist(),
    lambda x, q, k: _softmax(x @ q / q.shape[1] ** 0.25 @ (x @ k / q.shape[1] ** 0.25).T),
    lambda x, q, k: _softmax((x @ k) @ (x @ q).T / np.sqrt(len(k[0])), 0).T,
    lambda x, q, k: np.vstack([_softmax(x @ k @ row / np.sqrt(row.size)) for row in x @ q]),
]
RIGHT["predict-variance"] += [
    lambda q, k: np.vdot(q, k),
    lambda q, k: np.tensordot(q, k),
    lambda q, k: float(np.float32((q * k).sum())),
    lambda q, k: np.array(sum(row @ column for row, column in zip(q, k.T, strict=True))),
    lambda q, k: np.linalg.norm(
        np.linalg.cholesky(q + 1e-14 * np.eye(len(q))).T @ np.linalg.cholesky(k + 1e-14 * np.eye(len(k)))) ** 2
        if len(q) == 5 else np.trace(k.T @ q.T),
]  # fmt: skip
RIGHT["row-slopes"] += [
    lambda s: [np.linalg.norm(a[:, None] * (np.eye(len(a)) - a)) for a in _softmax(s)],
    lambda s: np.sqrt(np.einsum("ijk,ijk->i",
        *[_softmax(s)[:, :, None] * (np.eye(s.shape[1]) - _softmax(s)[:, None])] * 2)),
    lambda s: np.array([np.sqrt(np.trace(j @ j)) for j in (np.diag(a) - np.outer(a, a) for a in _softmax(s))]),
    lambda s: _slopes(s.astype(np.float32)),
]  # fmt: skip

# What no case showed before


def _shifted_by(shift):
    def softmax(scores):
        raised = np.exp(scores - shift(scores))
        return raised / raised.sum(axis=1, keepdims=True)

    return softmax


def _hidden_zeros(scores):
    return _softmax(np.where(scores == 0, -np.inf, scores))


def _through(softmax):
    """The slopes of weights that this softmax makes."""
    return lambda s: [np.linalg.norm(np.diag(a) - np.outer(a, a)) for a in softmax(s)]


def _scaled_through(softmax):
    return lambda x, q, k: softmax((x @ q) @ (x @ k).T / q.shape[1] ** 0.5)


_AT_LEAST_0 = _shifted_by(lambda s: np.maximum(0, s.max(axis=1, keepdims=True)))
_BY_SIZE = _shifted_by(lambda s: np.abs(s).max(axis=1, keepdims=True))
WRONG["scaled-weights"] += [
    ("only where it is above 0", _scaled_through(_AT_LEAST_0)),
    ("A score of exactly 0 gets no weight", _scaled_through(_hidden_zeros)),
    ("Large scores are cut off", _scaled_through(lambda s: _softmax(np.clip(s, -50, 50)))),
    ("The largest score of *all* is subtracted", _scaled_through(_shifted_by(np.max))),
    ("`squeeze` drops all of them", lambda *given: np.squeeze(_weights(*given))),
    ("Components after the first 64", lambda x, q, k: _softmax((x @ q[:, :64]) @ (x @ k[:, :64]).T / q.shape[1] ** 0.5)),
    ("The keys are made with w_q", lambda x, q, k: _weights(x, q, q)),
    ("You divide the tokens", lambda x, q, k: _weights(x / q.shape[1] ** 0.5, q, k)),
    ("Parts of your result after the first 128 stay 0", lambda x, q, k: _weights(x, q, k) * (np.arange(len(x)) < 128)[:, None]),
    ("You divide by the fourth root", _divided(lambda x, q: q.shape[1] ** 0.25)),
]  # fmt: skip
WRONG["predict-variance"] += [
    ("You took the sizes of the covariances", lambda q, k: np.abs(q * k).sum()),
    ("the entries above the diagonal once", lambda q, k: np.triu(q * k).sum()),
    ("Components after the first 128 are left out", lambda q, k: (q * k)[:128, :128].sum()),
    ("This is the trace of Σ_q alone", lambda q, k: np.trace(q)),
    ("counted d_k times in yours", lambda q, k: len(q) * (np.diag(q) @ np.diag(k))),
]
WRONG["row-slopes"] += [
    ("only where it is above 0", _through(_AT_LEAST_0)),
    ("the largest *size* of a score", _through(_BY_SIZE)),
    ("The largest score of *all* is subtracted", _through(_shifted_by(np.max))),
    *(("Large scores are cut off", _through(lambda s, at=at: _softmax(np.clip(s, -at, at)))) for at in (30, 50, 700)),
    ("A score of exactly 0 gets no weight", _through(_hidden_zeros)),
    ("`squeeze` drops all of them", lambda s: np.squeeze(_slopes(s))),
    ("Keys after the first 64 are left out", lambda s: _slopes(s[:, :64])),
    ("Rows after the first 8 are left out", lambda s: _slopes(s[:8])),
    ("the determinant of a Jacobian is 0", lambda s: _slopes(s) * 0 + 1e-20),
]
