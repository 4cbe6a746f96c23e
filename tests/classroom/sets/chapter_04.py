"""Answers to the graded set of chapter 4."""

from tests.classroom.sets.answers import variants

LOGS = """def stable_log_softmax(scores, d_k):
    s = scores / np.sqrt(d_k)
    s = s - s.max(axis=1, keepdims=True)
    return s - np.log(np.exp(s).sum(axis=1, keepdims=True))"""
GAPS = """def gaps(x, i):
    squared = ((x[:, None] - x) ** 2).sum(axis=2) * (x[i] ** 2).sum()
    return np.sqrt(squared / x.shape[1] ** 2)"""
HOME = """def divisor_for(row, share):
    low, high = 1e-4, 1e4
    for _ in range(100):
        t = (low * high) ** 0.5
        if 1 / np.exp((row - row.max()) / t).sum() > share:
            low = t
        else:
            high = t
    return t"""
DEVIATION = "spread_q * spread_k * np.sqrt(width)"
WIDER = "factor * factor * width"
BY = "(np.ptp(Q @ K.T, axis=1) / np.ptp(np.log(grid), axis=1))"
ROW = f"int(abs({BY} - d_k**0.5).argmax())"
DIVIDED = f"({ROW}, round(float({BY}[{ROW}])))"

RIGHT = {
    "log_softmax": [
        LOGS,
        "def stable_log_softmax(scores, d_k):\n    out = []\n    for row in scores / d_k**0.5:\n"
        "        top = max(row)\n"
        "        out.append([v - top - np.log(sum(np.exp(w - top) for w in row)) for v in row])\n    return out",
        "def stable_log_softmax(scores, d_k):\n    s = scores / d_k**0.5\n"
        "    return s - np.logaddexp.reduce(s, axis=1, keepdims=True)",
    ],
    "gaps": [
        GAPS,
        "def gaps(x, i):\n    n, d = x.shape\n    length = np.linalg.norm(x[i])\n"
        "    return [[length * np.linalg.norm(x[j] - x[m]) / d for m in range(n)] for j in range(n)]",
        "def gaps(x, i):\n    dots = x @ x.T\n    s = np.diag(dots)\n"
        "    return np.sqrt(np.maximum(0, s[:, None] + s - 2 * dots) * s[i]) / x.shape[1]",
    ],
    "divisor_for": [
        HOME,
        "def divisor_for(row, share):\n    ts = np.geomspace(0.001, 1000, 200001)\n    e = np.zeros(len(ts))\n"
        "    for s in row:\n        e += np.exp((s - row.max()) / ts)\n    return ts[np.abs(1 / e - share).argmin()]",
        "def divisor_for(row, share):\n    gap, u, step = row.max() - row, 1e-6, 1.0\n    while step > 1e-9:\n"
        "        if 1 / np.exp(-gap * (u + step)).sum() < share:\n            u += step\n        else:\n"
        "            step /= 2\n    return 1 / u",
    ],
    "deviation": [DEVIATION, f"round({DEVIATION}, 2)", "(spread_q**2 * spread_k**2 * width) ** 0.5"],
    "wider": [WIDER, f"int({WIDER})", "width * factor**2"],
    "divided_by": [DIVIDED, f"list({DIVIDED})", f"({ROW}, {BY}[{ROW}])", f"({ROW}, float({DIVIDED}[1]))"],
}
WRONG = {
    "log_softmax": [
        *variants(
            LOGS,
            ("np.sqrt(d_k)", "d_k"),
            ("np.sqrt(d_k)", "1"),
            ("scores / np.sqrt(d_k)", "scores * np.sqrt(d_k)"),
            ("    s = s - s.max(axis=1, keepdims=True)\n", ""),
            ("np.exp(s).sum(axis=1, keepdims=True)", "np.exp(s).sum(axis=0, keepdims=True)"),
            ("np.exp(s).sum(axis=1, keepdims=True)", "np.exp(s).sum()"),
            ("return s - np", "return np.exp(s) - np"),
            ("return s - ", "return s + "),
            ("s.max(axis=1, keepdims=True)", "s.max()"),
            ("s.max(axis=1, keepdims=True)", "s.min(axis=1, keepdims=True)"),
            ("np.log(", "np.log2("),
            ("s - np.log(np.exp(s).sum(axis=1, keepdims=True))", "np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)"),
        ),
        "def stable_log_softmax(scores, d_k):\n    return np.log(softmax(scores / np.sqrt(d_k)))",
        "def stable_log_softmax(scores, d_k):\n    return np.log(softmax(scores / np.sqrt(d_k)) + 1e-12)",
        "def stable_log_softmax(scores, d_k):\n    return np.log(softmax(scores)) / np.sqrt(d_k)",
    ],
    "gaps": variants(
        GAPS,
        ("np.sqrt(squared / x.shape[1] ** 2)", "squared / x.shape[1] ** 2"),
        ("x.shape[1] ** 2", "x.shape[1]"),
        ("x.shape[1]", "x.shape[0]"),
        (" * (x[i] ** 2).sum()", ""),
        ("(x[i] ** 2).sum()", "np.sqrt((x[i] ** 2).sum())"),
        ("x[i]", "x[0]"),
        ("(x[i] ** 2).sum()", "(x ** 2).sum(axis=1)"),
        ("x[:, None] - x", "x[:, None] + x"),
        ("squared / x.shape[1] ** 2", "squared"),
        ("((x[:, None] - x) ** 2).sum(axis=2)", "np.abs(x[:, None] - x).sum(axis=2) ** 2"),
        ("((x[:, None] - x) ** 2).sum(axis=2)", "((x - x[i]) ** 2).sum(axis=1)"),
        ("((x[:, None] - x) ** 2).sum(axis=2)", "(x @ x.T) ** 2"),
    ),
    "divisor_for": [
        *variants(
            HOME,
            ("return t", "return 1 / t"),
            ("> share", "< share"),
            ("row.max()) / t", "row.max()) * t"),
            ("row.max()) / t", "row.min()) / t"),
            ("range(100)", "range(3)"),
            ("return t", "return t**2"),
            ("1 / np.exp", "np.exp"),
            ("1e-4, 1e4", "1.0, 1e4"),
            ("share:", "1 - share:"),
            ("return t", "return -t"),
            ("return t", "return t + 0.1"),
        ),
        "def divisor_for(row, share):\n    return np.sqrt(len(row))",
        "def divisor_for(row, share):\n    return row.std()",
        "def divisor_for(row, share):\n    top, second = np.sort(row)[:-3:-1]\n    return (top - second) / np.log(share / (1 - share))",
    ],
    "deviation": [
        f"({DEVIATION}) ** 2", "np.sqrt(width)", "spread_q * spread_k * width",
        "(spread_q + spread_k) * np.sqrt(width)",
        "np.sqrt(spread_q * spread_k * width)", f"{DEVIATION} / 2", "spread_q * spread_k", "1.0", "width",
        f"1.03 * {DEVIATION}", "np.hypot(spread_q, spread_k) * np.sqrt(width)", f"str({DEVIATION})", "None",
    ],
    "wider": [
        "factor * width", "width / factor**2", "np.sqrt(factor) * width", "(factor**2 - 1) * width", "factor**2",
        "width + factor", "width", f"{WIDER} + 1", f"-{WIDER}", "width**factor", f"str({WIDER})", "None",
        "width / factor",
    ],
    "divided_by": [
        f"{DIVIDED} + (0,)", f"({ROW} + 1, {DIVIDED}[1])", f"({ROW}, round(d_k**0.5))", f"{DIVIDED}[0]",
        f"{DIVIDED}[1]",
        f"(({ROW} + 1) % 6, {DIVIDED}[1])", f"({ROW}, {DIVIDED}[1] ** 2 + 1)", "()", "None",
        f"({ROW}, {DIVIDED}[1] + 1)",
        f"str({DIVIDED})", f"({ROW}, {DIVIDED}[1] / d_k**0.5)", f"({ROW}, 3)",
    ],
}  # fmt: skip
