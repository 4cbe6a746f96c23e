"""Answers to the graded set of chapter 10."""

from tests.classroom.sets.answers import variants

SILENCED = """def silenced(added, silent, way):
    total = np.zeros((added.shape[0], added.shape[2]))
    for head in range(added.shape[1]):
        if head not in silent:
            total += added[:, head]
        elif way == "mean":
            total += added[:, head].mean(axis=0)
    return total"""
FOUND = """def partners_found(first, second):
    a = first / np.linalg.norm(first, axis=1, keepdims=True)
    b = second / np.linalg.norm(second, axis=1, keepdims=True)
    return sum(np.argmax(a @ b.T, axis=1) == np.arange(len(a)))"""
SHARES = """def shares(weights, values, w_o):
    length = np.sqrt(((values @ w_o) ** 2).sum(axis=1))
    reached = weights * length[None, :]
    return reached / reached.sum(axis=1)[:, None]"""
BOUND = "1 / (levels - 1) / 2"
APART = "silent[one, two] - silent[one,] - silent[two,] + silent[()]"
BLOCKED = "next(k for k in range(own) if not grid[:, k].any())"
READ = "next(k for k in range(own, len(tokens)) if grid[:, k].any())"

RIGHT = {
    "silenced": [
        SILENCED,
        "def silenced(added, silent, way):\n    gone = np.isin(np.arange(added.shape[1]), silent)[:, None]\n"
        "    instead = added.mean(axis=0) if way == 'mean' else 0.0\n"
        "    return np.where(gone, instead, added).sum(axis=1)",
        "def silenced(added, silent, way):\n    kept = np.delete(added, silent, axis=1).sum(axis=1)\n"
        "    return kept + added[:, silent].sum(axis=1).mean(axis=0) * (way == 'mean')",
    ],
    "partners_found": [
        FOUND,
        "def partners_found(first, second):\n    def cosine(a, b):\n"
        "        return a @ b / np.sqrt(a @ a) / np.sqrt(b @ b)\n\n    count = 0\n"
        "    for i, a in enumerate(first):\n"
        "        count += all(cosine(a, second[i]) >= cosine(a, b) for b in second)\n    return count",
        "def partners_found(first, second):\n    c = np.einsum('id,jd->ij', first, second) / np.sqrt((second**2).sum(axis=1))\n"
        "    return int((np.diag(c) == c.max(axis=1)).sum())",
    ],
    "shares": [
        SHARES,
        "def shares(weights, values, w_o):\n    parts = weights[:, :, None] * (values @ w_o)\n"
        "    reached = np.linalg.norm(parts, axis=2)\n"
        "    return (reached.T / reached.sum(axis=1)).T",
        "def shares(weights, values, w_o):\n    lengths = [float(np.sqrt(v @ w_o @ w_o.T @ v)) for v in values]\n"
        "    rows = [[w * size for w, size in zip(row, lengths)] for row in weights]\n    return [[one / sum(row) for one in row] for row in rows]",
    ],
    "rounding": [BOUND, "0.5 / (levels - 1)", f"round({BOUND}, 6)"],
    "interaction": [APART, f"round({APART}, 3)",
        "silent[one, two] - (silent[()] + (silent[one,] - silent[()]) + (silent[two,] - silent[()]))"],
    "masked": [f"({BLOCKED}, {READ})", f"[{BLOCKED}, {READ}]",
        "(int(np.flatnonzero(grid.sum(axis=0) == 0)[0]), own + int(grid[:, own:].sum(axis=0).argmax()))"],
}  # fmt: skip
WRONG = {
    "silenced": variants(
        SILENCED,
        ("head not in silent", "head in silent"),
        ("head not in silent", "True"),
        ('elif way == "mean":', 'elif way == "zero":'),
        ('elif way == "mean":', "else:"),
        ('elif way == "mean":', "elif False:"),
        ("added[:, head].mean(axis=0)", "added[:, head].mean()"),
        ("added[:, head].mean(axis=0)", "added.mean(axis=1)"),
        ("added[:, head].mean(axis=0)", "added[:, silent].mean(axis=(0, 1)) / len(silent)"),
        ("added[:, head].mean(axis=0)", "added.mean(axis=(0, 1))"),
        ("added[:, head].mean(axis=0)", "added[:, head].sum(axis=0)"),
        ("added[:, head].mean(axis=0)", "added[0, head]"),
        ("return total", "return total / added.shape[1]"),
        ("return total", "return total.mean(axis=0)"),
        ("range(added.shape[1])", "range(1, added.shape[1])"),
        ("    return total", "    added[:, silent] = 0\n    return total"),
    ),
    "partners_found": variants(
        FOUND,
        ("second / np.linalg.norm(second, axis=1, keepdims=True)", "second"),
        ("axis=1) ==", "axis=0) =="),
        ("a @ b.T", "b @ a.T"),
        ("np.argmax(a @ b.T", "np.argmin(a @ b.T"),
        ("a @ b.T", "abs(a @ b.T)"),
        ("a @ b.T", "-np.linalg.norm(first[:, None] - second, axis=2)"),
        ("return sum(np", "return np.mean(np"),
        ("return sum(", "return len(a) - sum("),
        ("sum(np.argmax(a @ b.T, axis=1) == np.arange(len(a)))", "sum((a * b).sum(axis=1) > 0.5)"),
        ("sum(np.argmax(a @ b.T, axis=1) == np.arange(len(a)))", "np.mean((a * b).sum(axis=1))"),
        ("a @ b.T", "a @ a.T"),
        ("second, axis=1, keepdims=True", "second"),
        ("np.linalg.norm(second, axis=1, keepdims=True)", "(second**2).sum(axis=1, keepdims=True)"),
        ("np.argmax(a @ b.T, axis=1) == np.arange(len(a))", "np.argmax(a @ b.T, axis=1)"),
    ),
    "shares": variants(
        SHARES,
        ("values @ w_o", "values"),
        ("weights * length", "weights + length"),
        ("np.sqrt(((values @ w_o) ** 2).sum(axis=1))", "((values @ w_o) ** 2).sum(axis=1)"),
        ("np.sqrt(((values @ w_o) ** 2).sum(axis=1))", "abs(values @ w_o).sum(axis=1)"),
        ("np.sqrt(((values @ w_o) ** 2).sum(axis=1))", "abs((values @ w_o).sum(axis=1))"),
        ("length[None, :]", "length[:, None]"),
        ("reached.sum(axis=1)[:, None]", "reached.sum(axis=0)"),
        ("reached.sum(axis=1)[:, None]", "reached.sum(axis=1)"),
        ("reached.sum(axis=1)[:, None]", "reached.sum()"),
        (" / reached.sum(axis=1)[:, None]", ""),
        ("return reached", "return weights"),
        ("weights * length[None, :]", "weights"),
        ("weights * length[None, :]", "np.ones_like(weights) * length"),
        ("weights * length", "weights**2 * length"),
        ("reached.sum(axis=1)[:, None]", "reached.max(axis=1)[:, None]"),
        ("weights * length", "weights.T * length"),
    ),
    "rounding": [
        "1 / (levels - 1)", f"many * {BOUND}", f"{BOUND} / many", f"{BOUND} / np.sqrt(many)", "0.5 / 255 / 2",
        "0.5 / 2**levels", "levels - 1", "0.0", f"-{BOUND}", f"{BOUND} * 1.03",
        f"str({BOUND})", "None", "0.5 / levels",
    ],
    "interaction": [
        "silent[one, two] - silent[()]", "silent[one, two] - silent[one,] - silent[two,]",
        "silent[one,] + silent[two,] - silent[()]", f"-({APART})", "silent[one, two]",
        "silent[one,] + silent[two,]", f"{APART} + 0.002", f"100 * ({APART})", f"str({APART})", "None", "0.5",
        "silent[one,] - silent[two,] + 0.1",
    ],
    "masked": [
        f"({READ}, {BLOCKED})", f"({BLOCKED} + 1, {READ} + 1)", f"({BLOCKED}, {READ} - own)", BLOCKED, READ, "()",
        "None", f"({BLOCKED}, {READ} + 1)", f"({BLOCKED} - 1, {READ})",
        f"str(({BLOCKED}, {READ}))", f"({BLOCKED}, {READ}, 0)", "(0, own)",
    ],
}  # fmt: skip
