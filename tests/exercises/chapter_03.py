"""Right and wrong answers to the exercises of chapter 3."""

import numpy as np

RIGHT = {}
WRONG = {}


def _softmax(scores, axis=-1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


# One token reads


def _read(token, z, w_q, w_k, w_v):
    return _softmax(z @ w_k @ (token @ w_q)) @ (z @ w_v)


def _read_by_loops(token, z, w_q, w_k, w_v):
    raised = [np.exp((token @ w_q) @ (row @ w_k)) for row in z]
    return sum(r / sum(raised) * (row @ w_v) for r, row in zip(raised, z, strict=True))


def _read_by_einsum(token, z, w_q, w_k, w_v):
    scores = np.einsum("d,dc,jc->j", token, w_q, np.einsum("jd,dc->jc", z, w_k))
    return np.einsum("j,jd,dv->v", _softmax(scores), z, w_v)


def _read_by_the_form(token, z, w_q, w_k, w_v):
    return _softmax(token @ (w_q @ w_k.T) @ z.T) @ z @ w_v


def _read_after_shrinking_in_place(token, z, w_q, w_k, w_v):
    w_q /= np.sqrt(w_q.shape[1])
    return _read(token, z, w_q, w_k, w_v)


def _read_of_seven(token, z, w_q, w_k, w_v):
    out = np.zeros(3)
    out[:] = _read(token, z, w_q, w_k, w_v)
    return out


RIGHT["read-one"] = [_read, _read_by_loops, _read_by_einsum, _read_by_the_form]
WRONG["read-one"] = [
    ("You blend the tokens themselves", lambda t, z, q, k, v: _softmax(z @ k @ (t @ q)) @ z),
    ("You blend the keys", lambda t, z, q, k, v: _softmax(z @ k @ (t @ q)) @ (z @ k)),
    ("The roles are swapped", lambda t, z, q, k, v: _softmax(z @ q @ (t @ k)) @ (z @ v)),
    ("You divide by √d_k", lambda t, z, q, k, v: _softmax(z @ k @ (t @ q) / np.sqrt(k.shape[1])) @ (z @ v)),
    ("You divide by d_k:", lambda t, z, q, k, v: _softmax(z @ k @ (t @ q) / k.shape[1]) @ (z @ v)),
    ("The softmax is missing", lambda t, z, q, k, v: z @ k @ (t @ q) @ (z @ v)),
    ("is not divided by its total", lambda t, z, q, k, v: np.exp(z @ k @ (t @ q)) @ (z @ v)),
    ("stopped with ValueError", lambda t, z, q, k, v: _softmax(z @ k.T @ (t @ q)) @ (z @ v)),
    ("changed its argument 3 in place", _read_after_shrinking_in_place),
    ("stopped with ValueError", _read_of_seven),
    ("The values are weighted, and not added up", lambda t, z, q, k, v: _softmax(z @ k @ (t @ q))[:, None] * (z @ v)),
    ("is None", lambda t, z, q, k, v: None),
]

# Cross-attention with biases


def _cross(x, z, w_q, w_k, w_v, b_q, b_k, b_v):
    return _softmax((x @ w_q + b_q) @ (z @ w_k + b_k).T) @ (z @ w_v + b_v)


def _cross_by_loops(x, z, w_q, w_k, w_v, b_q, b_k, b_v):
    out = []
    for row in x:
        raised = [np.exp((row @ w_q + b_q) @ (other @ w_k + b_k)) for other in z]
        out.append(sum(r / sum(raised) * (other @ w_v + b_v) for r, other in zip(raised, z, strict=True)))
    return np.array(out)


def _cross_by_einsum(x, z, w_q, w_k, w_v, b_q, b_k, b_v):
    query, key = np.einsum("id,dc->ic", x, w_q) + b_q, np.einsum("jd,dc->jc", z, w_k) + b_k
    return np.einsum("ij,jv->iv", _softmax(np.einsum("ic,jc->ij", query, key)), z @ w_v + b_v)


def _cross_without_the_inert_bias(x, z, w_q, w_k, w_v, b_q, b_k, b_v):
    return _softmax((x @ w_q + b_q) @ (z @ w_k).T) @ z @ w_v + b_v


def _cross_after_adding_in_place(x, z, w_q, w_k, w_v, b_q, b_k, b_v):
    b_q += 1
    return _cross(x, z, w_q, w_k, w_v, b_q - 1, b_k, b_v)


def _cross_of_three(x, z, w_q, w_k, w_v, b_q, b_k, b_v):
    return _cross(x, z, w_q, w_k, w_v, b_q, b_k, b_v)[:3]


RIGHT["cross-attention"] = [_cross, _cross_by_loops, _cross_by_einsum, _cross_without_the_inert_bias]
WRONG["cross-attention"] = [
    (
        "softmax runs over the queries",
        lambda x, z, q, k, v, bq, bk, bv: _softmax((x @ q + bq) @ (z @ k + bk).T, 0) @ (z @ v + bv),
    ),
    (
        "You divide by √d_k",
        lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q / len(bq) ** 0.5, k, v, bq / len(bq) ** 0.5, bk, bv),
    ),
    ("You divide by d_k:", lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q / len(bq), k, v, bq / len(bq), bk, bv)),
    (
        "The softmax is missing",
        lambda x, z, q, k, v, bq, bk, bv: (x @ q + bq) @ (z @ k + bk).T @ (z @ v + bv),
    ),
    ("The bias b_q is missing", lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q, k, v, 0, bk, bv)),
    ("The biases b_q and b_v are missing", lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q, k, v, 0, 0, 0)),
    ("The bias b_v is missing", lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q, k, v, bq, bk, 0)),
    (
        "The values come from x",
        lambda x, z, q, k, v, bq, bk, bv: _softmax((x @ q + bq) @ (z @ k + bk).T) @ (x @ v + bv),
    ),
    ("x and z are exchanged", lambda x, z, q, k, v, bq, bk, bv: _cross(z, x, q, k, v, bq, bk, bv)),
    ("self-attention of x", lambda x, z, q, k, v, bq, bk, bv: _cross(x, x, q, k, v, bq, bk, bv)),
    ("or transposed", lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q.T, k.T, v.T, bq, bk, bv)),
    ("changed its argument 6 in place", _cross_after_adding_in_place),
    ("should have shape (4, 4), got (3, 4)", _cross_of_three),
]

# Turn the keys


def _turn(degrees):
    angle = np.deg2rad(degrees)
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def _by_solving():
    angle = np.deg2rad([0, 120, 240])
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.linalg.lstsq(points, points[[1, 2, 0]], rcond=None)[0]


RIGHT["turn-the-keys"] = [
    lambda: _turn(120),
    lambda: [[-0.5, 3**0.5 / 2], [-(3**0.5) / 2, -0.5]],
    _by_solving,
    lambda: 2 * _turn(-240),
]
WRONG["turn-the-keys"] = [
    ("Each token reads itself most", lambda: np.eye(2)),
    ("✗ with a weight above 0.99: As above.", lambda: _turn(120).T),
    ("should be above 0.99, got 0.9", lambda: 0.7 * _turn(120)),
    ("The turn is right, but the keys became shorter", lambda: 0.6 * _turn(120)),
    ("does not turn every key by exactly a third", lambda: _turn(90)),
    ("Row 1 reads rows 0 and 1 alike: it should read row 0 most", lambda: _turn(120) @ np.diag([1, 0])),
    ("they read", lambda: np.array([[0.0, 1.0], [1.0, 0.0]])),
    ("should have shape (2, 2), got (3, 2)", lambda: np.ones((3, 2))),
    ("Hand over the function itself", _turn(120)),
]

# Who swapped what?


def _diagnose(x, w_q, w_k, weights):
    scores = x @ w_q @ (x @ w_k).T
    for name, grid in (("right", _softmax(scores)), ("swapped", _softmax(scores.T)), ("axis", _softmax(scores, 0))):
        if np.allclose(grid, weights):
            return name
    return None


def _diagnose_by_sums(x, w_q, w_k, weights):
    if not np.allclose(weights.sum(axis=1), 1):
        return "axis"
    i, j, k = range(3)
    scores = x @ w_q @ (x @ w_k).T
    return "right" if np.isclose(np.log(weights[i, j] / weights[i, k]), scores[i, j] - scores[i, k]) else "swapped"


def _diagnose_by_nearest(x, w_q, w_k, weights):
    scores = np.einsum("ic,jc->ij", x @ w_q, x @ w_k)
    grids = {"right": _softmax(scores), "swapped": _softmax(scores.T), "axis": _softmax(scores, 0)}
    return min(grids, key=lambda name: np.abs(grids[name] - weights).max())


def _scaled_diagnosis(x, w_q, w_k, weights):
    return _diagnose(x, w_q / np.sqrt(w_q.shape[1]), w_k, weights)


def _late(name):
    """Takes the transposed weights for the grid of this mistake."""

    def diagnose(x, w_q, w_k, weights):
        scores = x @ w_q @ (x @ w_k).T
        grids = {"right": _softmax(scores), "swapped": _softmax(scores.T), "axis": _softmax(scores, 0)}
        grids[name] = _softmax(scores).T
        return next((said for said, grid in grids.items() if np.allclose(grid, weights)), None)

    return diagnose


RIGHT["swapped-roles"] = [_diagnose, _diagnose_by_sums, _diagnose_by_nearest]
WRONG["swapped-roles"] = [
    ("sums cannot tell", lambda x, q, k, a: "right" if np.allclose(a.sum(axis=1), 1) else "axis"),
    ("need not be symmetric", lambda x, q, k, a: "right" if np.allclose(a, a.T) else "swapped"),
    ("and you said 'right'", lambda x, q, k, a: "right"),
    (
        "the softmax ran over the queries, and you said 'swapped'",
        lambda x, q, k, a: "right" if np.allclose(a, _softmax(x @ q @ (x @ k).T)) else "swapped",
    ),
    ("You divide by √d_k", _scaled_diagnosis),
    ("What you call swapped are the right weights, transposed", _late("swapped")),
    ("What you call the wrong axis are the right weights", _late("axis")),
]

# In other styles

RIGHT["read-one"] += [
    lambda t, z, q, k, v: (_softmax((t @ q)[None] @ (z @ k).T) @ (z @ v))[0],
    lambda t, z, q, k, v: ((z @ v).T @ _softmax((z @ k) @ (q.T @ t))).tolist(),
    lambda t, z, q, k, v: sum(w * row for w, row in zip(_softmax(z @ k @ (t @ q)), z @ v, strict=True)),
    lambda *given: _read(*(a.astype(np.float32) for a in given)),
]
RIGHT["cross-attention"] += [
    lambda x, z, q, k, v, bq, bk, bv: [_softmax((z @ k + bk) @ (row @ q + bq)) @ (z @ v + bv) for row in x],
    lambda x, z, q, k, v, bq, bk, bv: _softmax(x @ q @ (z @ k).T + bq @ (z @ k).T) @ (z @ v) + bv[None],
    lambda x, z, q, k, v, bq, bk, bv: _softmax((z @ k + bk) @ (x @ q + bq).T, 0).T @ (z @ v + bv),
    lambda *given: _cross(*(a.astype(np.float32) for a in given)).tolist(),
]
RIGHT["turn-the-keys"] += [
    lambda: np.linalg.matrix_power(_turn(60), 2),
    lambda: 1000 * _turn(120),
    lambda: _turn(120).astype(np.float32),
]
RIGHT["swapped-roles"] += [
    lambda x, q, k, a: next(
        name
        for name, grid in (
            ("right", _softmax(x @ q @ k.T @ x.T)),
            ("swapped", _softmax(x @ k @ q.T @ x.T)),
            ("axis", _softmax(x @ k @ q.T @ x.T).T),
        )
        if np.allclose(grid, a)
    ),
    lambda x, q, k, a: np.array(["right", "swapped", "axis"])[np.argmin([np.abs(g - a).sum() for g in (
        _softmax(x @ q @ (x @ k).T), _softmax(x @ k @ (x @ q).T), _softmax(x @ q @ (x @ k).T, 0))])],
    lambda x, q, k, a: str(np.array(["right", "swapped", "axis"])[np.argmin([np.abs(g - a).sum() for g in (
        _softmax(x @ q @ (x @ k).T), _softmax(x @ k @ (x @ q).T), _softmax(x @ q @ (x @ k).T, 0))])]),
    lambda x, q, k, a: "axis" if np.allclose(a.sum(0), 1) and not np.allclose(a.sum(1), 1) else (
        "right" if np.allclose(np.diff(np.log(a)), np.diff(x @ q @ (x @ k).T)) else "swapped"),
]  # fmt: skip

# What no case showed before

WRONG["read-one"] += [
    ("`squeeze` drops all of them", lambda *given: np.squeeze(_read(*given))),
    ("Tokens after the first 64 are not read", lambda t, z, q, k, v: _read(t, z[:64], q, k, v)),
    ("The keys are made with w_q", lambda t, z, q, k, v: _read(t, z, q, q, v)),
    ("The query is made with w_k", lambda t, z, q, k, v: _read(t, z, k, k, v)),
    ("A score of exactly 0 gets no weight", lambda t, z, q, k, v: _softmax(np.where(z @ k @ (t @ q) == 0, -np.inf, z @ k @ (t @ q))) @ (z @ v)),
    ("You divide by √d, the width of a token", lambda t, z, q, k, v: _softmax(z @ k @ (t @ q) / len(t) ** 0.5) @ (z @ v)),
    ("The token's own value", lambda t, z, q, k, v: t @ v),
    ("The query's projection is transposed", lambda t, z, q, k, v: _read(t, z, q.T, k, v)),
    ("an axis too many", lambda *given: _read(*given)[None]),
]  # fmt: skip
WRONG["cross-attention"] += [
    ("`squeeze` drops all of them", lambda *given: np.squeeze(_cross(*given))),
    ("The keys come from x", lambda x, z, q, k, v, bq, bk, bv: _softmax((x @ q + bq) @ (x @ k + bk).T) @ (z @ v + bv)),
    ("b_k stands where b_q belongs", lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q, k, v, bk, bq, bv)),
    ("b_v is subtracted", lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q, k, v, bq, bk, -bv)),
    ("You divide by √d_v", lambda x, z, q, k, v, bq, bk, bv: _cross(x, z, q / len(bv) ** 0.5, k, v, bq / len(bv) ** 0.5, bk, bv)),
    ("Rows after the first 64 of z are not read", lambda x, z, *rest: _cross(x, z[:64], *rest)),
    ("A bias is added before the product", lambda x, z, q, k, v, bq, bk, bv: _cross(x + bq, z + bk, q, k, v, 0, 0, (bv - bk) @ v)),
    ("w_q is transposed", lambda x, z, q, *rest: _cross(x, z, q.T, *rest)),
    ("A score of exactly 0 gets no weight", lambda x, z, q, k, v, bq, bk, bv: _softmax(np.where((x @ q + bq) @ (z @ k + bk).T == 0, -np.inf, (x @ q + bq) @ (z @ k + bk).T)) @ (z @ v + bv)),
]  # fmt: skip
WRONG["turn-the-keys"] += [
    ("got 0.9899", lambda: 0.88087 * _turn(120)),
    ("the keys are turned the wrong way.\n", lambda: np.array([[-1, -1], [2, 1]])),
    ("Row 0 reads rows 0 and 1 alike", lambda: -_turn(120)),
    ("W_K holds zeros only", lambda: np.zeros((2, 2))),
    ("W_K holds nan", lambda: np.full((2, 2), np.nan)),
]


def _best_keys(part):
    def diagnose(x, w_q, w_k, weights):
        scores = x @ w_q @ (x @ w_k).T
        grids = {"right": _softmax(scores), "swapped": _softmax(scores.T), "axis": _softmax(scores, 0)}
        return next((name for name, grid in grids.items() if np.array_equal(part(grid), part(weights))), None)

    return diagnose


WRONG["swapped-roles"] += [
    ("sums cannot tell", _best_keys(lambda grid: grid.argmax(axis=1))),
    ("your function said None", _best_keys(lambda grid: grid)),
    ("the softmax ran over the keys, and you said 'axis'", lambda x, q, k, a: "axis"),
    ("your function said 'Right'", lambda x, q, k, a: _diagnose(x, q, k, a).capitalize()),
]
