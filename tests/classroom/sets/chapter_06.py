"""Answers to the graded set of chapter 6."""

from tests.classroom.sets.answers import variants

ONLY = """def only_head(w, h, a):
    size = w.shape[1] // h
    out = np.zeros_like(w)
    out[:, (a - 1) * size : a * size] = w[:, (a - 1) * size : a * size]
    return out"""
PART = """def mean_part(merged, w_o, h):
    size = merged.shape[1] // h
    parts = [merged[:, a * size : (a + 1) * size] @ w_o[a * size : (a + 1) * size] for a in range(h)]
    return np.array([part.mean(axis=0) for part in parts])"""
APART = """def heads_apart(grids):
    gaps = np.abs(grids[:, None] - grids[None])
    rows = gaps.sum(axis=-1) / 2
    return rows[..., 1:].mean(axis=-1)"""
FIRST = "((1 - share_1) * y[1] - (1 - share_2) * y[0]) / (share_2 - share_1)"
ERROR = "(1 - share) ** 2 / (share**2 + (1 - share) ** 2)"
KEYS = (
    "min(((a, b) for a in range(1, 6) for b in range(1, 6) if a != b), key=lambda p: "
    "np.abs(grids_of(X, W_Q, W_K, [p[1] - 1 if a == p[0] - 1 else a for a in range(5)]) - grid).max())"
)

RIGHT = {
    "only_head": [
        ONLY,
        "def only_head(w, h, a):\n    keep = np.repeat(np.arange(1, h + 1) == a, w.shape[1] // h)\n    return w * keep",
        "def only_head(w, h, a):\n    new = w.reshape(len(w), h, -1).copy()\n    for b in range(h):\n"
        "        if b + 1 != a:\n            new[:, b] = 0\n    return new.reshape(w.shape)",
    ],
    "mean_part": [
        PART,
        "def mean_part(merged, w_o, h):\n    n, d = len(merged), w_o.shape[1]\n"
        "    return np.einsum('nhv,hvd->hd', merged.reshape(n, h, -1), w_o.reshape(h, -1, d)) / n",
        "def mean_part(merged, w_o, h):\n    m = merged.mean(axis=0)\n"
        "    return [a @ b for a, b in zip(np.split(m, h), np.split(w_o, h))]",
    ],
    "apart": [
        APART,
        "def heads_apart(grids):\n    h, n = len(grids), len(grids[0])\n"
        "    return [[sum(abs(grids[a][i] - grids[b][i]).sum() "
        "for i in range(1, n)) / 2 / (n - 1) for b in range(h)] for a in range(h)]",
        "def heads_apart(grids):\n    rows = grids[:, 1:]\n"
        "    return np.maximum(0, rows[:, None] - rows).sum(axis=(2, 3)) / rows.shape[1]",
    ],
    "first_number": [
        FIRST,
        f"round({FIRST}, 2)",
        "np.linalg.solve([[share_1, 1 - share_1], [share_2, 1 - share_2]], y)[0]",
    ],
    "error": [ERROR, f"round({ERROR}, 4)", "1 - share**2 / (share**2 + (1 - share) ** 2)"],
    "wrong_keys": [KEYS, f"list({KEYS})", f"np.array({KEYS}).tolist()"],
}
WRONG = {
    "only_head": [
        *variants(
            ONLY,
            ("(a - 1) * size : a * size] =", "a * size : (a + 1) * size] ="),
            ("w.shape[1] // h", "h"),
            ("    return out", "    return w - out"),
            ("    return out", "    return out[:, (a - 1) * size : a * size]"),
            ("    out = np.zeros_like(w)", "    out = w"),
            ("np.zeros_like(w)", "np.ones_like(w)"),
            ("w.shape[1] // h", "w.shape[0] // h"),
            ("w[:, (a - 1) * size : a * size]", "w[:, :size]"),
            ("    return out", "    return out.T"),
            ("    return out", "    w[:] = out\n    return w"),
        ),
        "def only_head(w, h, a):\n    s = w.shape[1] // h\n    return np.where(np.arange(w.shape[1]) // s == a, w, 0)",
        "def only_head(w, h, a):\n    return np.where(np.arange(w.shape[1]) % h == a - 1, w, 0)",
        "def only_head(w, h, a):\n    w = w.copy()\n    w[:, : (a - 1) * (w.shape[1] // h)] = 0\n    return w",
    ],
    "mean_part": [
        *variants(
            PART,
            ("part.mean(axis=0)", "part.sum(axis=0)"),
            ("part.mean(axis=0)", "part.mean()"),
            ("part.mean(axis=0)", "part.mean(axis=1)"),
            ("part.mean(axis=0)", "part[0]"),
            ("w_o[a * size : (a + 1) * size]", "w_o[:size]"),
            ("merged[:, a * size : (a + 1) * size]", "merged[:, :size]"),
            ("merged[:, a * size : (a + 1) * size] @ w_o[a * size : (a + 1) * size]", "merged @ w_o"),
            ("merged[:, a * size : (a + 1) * size] @ w_o[a * size : (a + 1) * size]", "merged[:, a::h] @ w_o[a::h]"),
            ("a * size : (a + 1) * size]", "a * size : (a + 2) * size]"),
            ("np.array([part.mean(axis=0) for part in parts])", "np.mean(parts, axis=0)"),
            ("np.array([part.mean(axis=0) for part in parts])", "np.array(parts)"),
        ),
        "def mean_part(merged, w_o, h):\n    return merged.mean(axis=0).reshape(h, -1)",
        "def mean_part(merged, w_o, h):\n    total = (merged @ w_o).mean(axis=0)\n"
        "    return np.tile(total / h, (h, 1))",
        "def mean_part(merged, w_o, h):\n    n = len(merged)\n"
        "    return np.einsum('nhv,hvd->hd', merged.reshape(n, h, -1), "
        "w_o.reshape(-1, h, w_o.shape[1]).swapaxes(0, 1)) / n",
    ],
    "apart": [
        *variants(
            APART,
            ("rows[..., 1:]", "rows"),
            (" / 2", ""),
            ("gaps.sum(axis=-1)", "gaps.mean(axis=-1)"),
            ("mean(axis=-1)", "sum(axis=-1)"),
            ("np.abs(grids[:, None] - grids[None])", "grids[:, None] - grids[None]"),
            ("np.abs(grids[:, None] - grids[None])", "(grids[:, None] - grids[None]) ** 2"),
            ("rows[..., 1:]", "rows[..., :-1]"),
            ("rows[..., 1:]", "rows[1:]"),
            ("mean(axis=-1)", "max(axis=-1)"),
            ("gaps.sum(axis=-1)", "gaps.max(axis=-1)"),
            ("gaps.sum(axis=-1)", "gaps.sum(axis=-2)"),
            ("return rows[..., 1:].mean(axis=-1)", "return 1 - rows[..., 1:].mean(axis=-1)"),
            ("return rows[..., 1:].mean(axis=-1)", "return rows[..., 1:].mean()"),
        ),
    ],
    "first_number": [
        "float(v)", "y[1] - y[0]", "(y[0] + y[1]) / 2", "y[1] / share_2", "y[0] / share_1", "y[0]", "y[1]",
        f"-({FIRST})",
        f"1.05 * {FIRST}", "(share_1 * y[1] - share_2 * y[0]) / (share_1 - share_2)", f"str({FIRST})", "[u, v]", "None",
    ],
    "error": [
        "share**2 / (share**2 + (1 - share) ** 2)", "2 * (1 - share) ** 2", "1 - share", "(1 - share) ** 2", "0.0",
        "1.0",
        "share / (share**2 + (1 - share) ** 2)", f"100 * {ERROR}", f"np.sqrt({ERROR})", f"{ERROR} + 0.02", f"-{ERROR}",
        "None",
    ],
    "wrong_keys": [
        f"{KEYS}[::-1]", f"tuple(a - 1 for a in {KEYS})", f"{KEYS}[0]", f"({KEYS}[0], {KEYS}[1] % 5 + 1)",
        f"({KEYS}[0] % 5 + 1, {KEYS}[1])",
        f"({KEYS}[0], {KEYS}[0])", "()", "None", f"str({KEYS})", f"{KEYS} + (1,)", f"set({KEYS})", "(0, 0)",
    ],
}  # fmt: skip
