"""Answers to the graded set of chapter 2."""

from tests.classroom.sets.answers import variants

FACTOR = """def factor(m):
    values, vectors = np.linalg.eigh(m)
    return vectors * np.sqrt(np.maximum(values, 0))"""
SCORES = """def scores_from(weights):
    logs = np.log(weights)
    return logs - np.diag(logs)[:, None]"""
LOSS = """def kind_loss(x, u, kind):
    xu = x @ u
    raised = np.exp(xu @ xu.T)
    weights = raised / raised.sum(axis=1, keepdims=True)
    same = kind[:, None] == kind
    return -np.mean(np.log((weights * same).sum(axis=1)))"""

RIGHT = {
    "factor": [
        FACTOR,
        "def factor(m):\n    u, s, v = np.linalg.svd(m)\n    return u * np.sqrt(s)",
        "def factor(m):\n    w, v = np.linalg.eigh(m)\n    return v @ np.diag(np.sqrt(np.abs(w))) @ v.T",
        "def factor(m):\n    return np.linalg.cholesky(np.asarray(m) + 1e-12 * np.eye(len(m)))",
        "def factor(m):\n    w, v = np.linalg.eigh(m)\n    u = v * np.sqrt(w.clip(0))\n    return np.hstack([u, u]) / 2**0.5",
    ],
    "scores_from": [
        SCORES,
        "def scores_from(weights):\n    return np.log(weights / weights.diagonal()[:, None])",
        "def scores_from(weights):\n    n = range(len(weights))\n"
        "    return [[np.log(weights[i][j]) - np.log(weights[i][i]) for j in n] for i in n]",
    ],
    "kind_loss": [
        LOSS,
        "def kind_loss(x, u, kind):\n    a = softmax(x @ (u @ u.T) @ x.T)\n    n = len(x)\n"
        "    return sum(-np.log(a[i][kind == kind[i]].sum()) for i in range(n)) / n",
        "def kind_loss(x, u, kind):\n    e = np.exp((x @ u) @ (x @ u).T)\n    same = np.equal.outer(kind, kind)\n"
        "    return (np.log(e.sum(1)) - np.log((e * same).sum(1))).mean()",
    ],
    "long": ["np.linalg.norm(a @ U)", "round(float((a @ U @ U.T @ a) ** 0.5), 3)", "[*np.hypot(*(a @ U)[:, None])][0]"],
    "circle": [
        "1 / (2 + np.exp(-drop))",
        "round(float(1 / (2 + np.exp(-drop))), 4)",
        "softmax(np.diag([-drop] * 3))[0, 1]",
    ],
    "dented_pair": [
        pair := "max(((i, j) for i in range(5) for j in range(i)), key=lambda p: sum(abs(np.log(grid[p[0], p[1]] * "
        "grid[p[1], k] * grid[k, p[0]] / grid[p[1], p[0]] / grid[k, p[1]] / grid[p[0], k])) > 0.1 "
        "for k in range(5)))[::-1]",
        f"list({pair})",
        f"tuple(np.int64(one) for one in {pair})",
    ],
}
WRONG = {
    "factor": [
        *variants(
            FACTOR,
            ("np.sqrt(np.maximum(values, 0))", "values"),
            ("np.sqrt(np.maximum(values, 0))", "np.sqrt(values)"),
            ("vectors * np.sqrt(np.maximum(values, 0))", "(vectors * np.sqrt(np.maximum(values, 0))).T"),
            ("vectors * np", "vectors.T * np"),
            ("vectors * np", "vectors @ np"),
            ("np.maximum(values, 0)", "np.maximum(values, 1)"),
            ("return vectors * np.sqrt(np.maximum(values, 0))", "return vectors"),
            ("vectors * np.sqrt(np.maximum(values, 0))", "np.diag(np.sqrt(np.maximum(values, 0)))"),
        ),
        "def factor(m):\n    return np.linalg.cholesky(m)",
        "def factor(m):\n    return np.linalg.cholesky(m).T",
        "def factor(m):\n    return np.sqrt(m)",
        "def factor(m):\n    return m",
        "def factor(m):\n    return m / 2",
        "def factor(m):\n    return np.sqrt(np.linalg.det(m)) * np.eye(len(m))",
    ],
    "scores_from": [
        *variants(
            SCORES,
            ("[:, None]", ""),
            ("logs - np.diag(logs)[:, None]", "logs"),
            ("logs - np.diag(logs)[:, None]", "np.diag(logs)[:, None] - logs"),
            ("logs - np", "logs + np"),
            ("np.log(weights)", "weights"),
            ("np.log(weights)", "np.exp(weights)"),
            ("np.log(weights)", "np.log2(weights)"),
            ("np.log(weights)", "np.log10(weights)"),
            ("np.diag(logs)[:, None]", "logs.max(axis=1, keepdims=True)"),
            ("np.diag(logs)[:, None]", "logs[:, :1]"),
            ("np.diag(logs)[:, None]", "logs.mean(axis=1, keepdims=True)"),
            ("np.diag(logs)[:, None]", "np.diag(np.diag(logs))"),
        ),
        "def scores_from(weights):\n    s = np.log(weights / np.diag(weights)[:, None])\n    return (s + s.T) / 2",
        "def scores_from(weights):\n    return weights / np.diag(weights)[:, None]",
    ],
    "kind_loss": variants(
        LOSS,
        ("axis=1, keepdims=True", "axis=0, keepdims=True"),
        ("raised.sum(axis=1, keepdims=True)", "raised.sum()"),
        ("xu @ xu.T", "x @ x.T"),
        ("xu @ xu.T", "xu @ x[:, :xu.shape[1]].T"),
        ("xu = x @ u", "xu = x @ u.T"),
        ("xu = x @ u", "xu = x @ u @ u.T"),
        ("-np.mean(np.log((weights * same).sum(axis=1)))", "-np.log(np.mean((weights * same).sum(axis=1)))"),
        ("-np.mean", "np.mean"),
        ("-np.mean", "-np.sum"),
        ("np.log(", "np.log2("),
        ("(weights * same).sum(axis=1)", "(weights * same).sum(axis=0)"),
        ("kind[:, None] == kind", "kind[:, None] != kind"),
        ("(weights * same).sum(axis=1)", "np.diag(weights)"),
        ("kind[:, None] == kind", "(kind[:, None] == kind) & ~np.eye(len(x), dtype=bool)"),
        ("-np.mean(np.log((weights * same).sum(axis=1)))", "np.mean((weights * same).sum(axis=1))"),
        ("(weights * same).sum(axis=1)", "(weights * same).mean(axis=1)"),
    ),
    "long": [
        "np.linalg.norm(a)", "np.linalg.norm(a @ U) ** 2", "np.linalg.norm(U @ a)",
        "np.linalg.norm(a) * np.linalg.norm(U)",
        "np.linalg.norm(a @ U) * 1.05", "abs(a @ U).sum()", "abs(a @ U).max()", "-np.linalg.norm(a @ U)", "a @ U",
        "str(np.linalg.norm(a @ U))", "np.linalg.norm(a @ U @ U.T)", "None",
    ],
    "circle": [
        "0.5", "1 / 3", "1 / (2 + np.exp(drop))", "np.exp(-drop) / (2 + np.exp(-drop))", "1 / (1 + np.exp(-drop))",
        "1 / (2 - drop - 0.001)", "100 / (2 + np.exp(-drop))", "2 / (2 + np.exp(-drop))", "np.exp(-drop)",
        "-np.log(1 / (2 + np.exp(-drop)))", "1 / (2 + 2 * np.exp(-drop))", "None",
    ],
    "dented_pair": [
        "()", "(0, 0)", f"{pair}[::-1]", f"{pair}[0]", f"tuple(1 + i for i in {pair})", "(5, 6)", "(None, None)",
        f"str({pair})", f"{pair} + (1,)", "'d'", f"{{*{pair}}}", f"np.add({pair}, 0.5).tolist()",
    ],
}  # fmt: skip
