"""Answers to the graded set of chapter 8."""

from tests.classroom.sets.answers import variants

SLOPES = """def slope_bias(n, slopes):
    i, j = np.arange(n)[:, None], np.arange(n)
    return np.where(j <= i, -np.array(slopes)[:, None, None] * (i - j), -np.inf)"""
TABLE = """def table_of(scores):
    n = len(scores)
    return [np.mean([scores[i, i - t] for i in range(n) if 0 <= i - t < n]) for t in range(-(n - 1), n)]"""
MOVED = """def moved_scores(queries, keys, theta, by):
    c, s = np.cos(by * theta), np.sin(by * theta)
    turned_keys = np.stack([c * keys[:, 0] - s * keys[:, 1], s * keys[:, 0] + c * keys[:, 1]], axis=1)
    return queries @ turned_keys.T"""
BIAS = "np.log(share * others / (1 - share))"
ANGLE = "np.cos(np.pi * turn * (to - at) / 180)"
CASES = "[(k, b) for k in range(7) for b in (-3, -2, -1, 1, 2, 3)]"
MISPLACED = f"min({CASES}, key=lambda p: abs(scores_of(Q, K, *p) - grid).sum())"

RIGHT = {
    "slopes": [
        SLOPES,
        "def slope_bias(n, slopes):\n    return [[[-s * (i - j) if j <= i else -np.inf for j in range(n)] "
        "for i in range(n)] for s in slopes]",
        "def slope_bias(n, slopes):\n    d = np.subtract.outer(np.arange(n), np.arange(n))\n"
        "    bias = np.multiply.outer(-np.array(slopes), d)\n"
        "    bias[:, d < 0] = -np.inf\n    return bias",
    ],
    "table_of": [
        TABLE,
        "def table_of(scores):\n    n = len(scores)\n"
        "    return [np.trace(scores, -t) / (n - abs(t)) for t in range(1 - n, n)]",
        "def table_of(scores):\n    n = len(scores)\n"
        "    at = np.subtract.outer(np.arange(n), np.arange(n)).ravel() + n - 1\n"
        "    return np.bincount(at, np.ravel(scores)) / np.bincount(at)",
    ],
    "moved_scores": [
        MOVED,
        "def moved_scores(queries, keys, theta, by):\n    q, k = (one[:, 0] + 1j * one[:, 1] for one in (queries, keys))\n"
        "    return np.real(np.outer(q, np.conj(k * np.exp(1j * by * theta))))",
        "def moved_scores(queries, keys, theta, by):\n    c, s = np.cos(by * theta), np.sin(by * theta)\n"
        "    return queries @ np.array([[c, -s], [s, c]]) @ keys.T",
    ],
    "bias": [BIAS, f"round({BIAS}, 3)", "np.log(share) + np.log(others) - np.log(1 - share)"],
    "angle": [ANGLE, f"round({ANGLE}, 2)", "np.cos(np.deg2rad(turn * (at - to)))"],
    "misplaced": [MISPLACED, f"list({MISPLACED})", f"np.array({MISPLACED}).tolist()"],
}
WRONG = {
    "slopes": [
        *variants(
            SLOPES,
            ("-np.array", "np.array"),
            ("(i - j)", "(j - i)"),
            ("(i - j)", "j"),
            ("(i - j)", "i"),
            ("j <= i", "j < i"),
            ("j <= i", "i <= j"),
            ("-np.inf", "0"),
            ("-np.inf", "np.inf"),
            ("-np.inf", "-1e9"),
            ("* (i - j)", "** (i - j)"),
            ("np.array(slopes)[:, None, None]", "slopes[0]"),
            ("* (i - j)", "* (i - j) ** 2"),
            ("(i - j)", "(i - j + 1)"),
            ("j <= i", "j <= i + 1"),
        ),
        "def slope_bias(n, slopes):\n    i, j = np.arange(n)[:, None], np.arange(n)\n"
        "    return -np.array(slopes)[:, None, None] * ((i - j) + np.where(j > i, np.inf, 0))",
    ],
    "table_of": [
        *variants(
            TABLE,
            ("range(-(n - 1), n)", "range(n - 1, -n, -1)"),
            ("range(-(n - 1), n)", "range(n)"),
            ("range(-(n - 1), n)", "range(-n, n)"),
            ("range(-(n - 1), n)", "range(-(n - 1), n - 1)"),
            ("np.mean", "np.sum"),
            ("np.mean", "np.max"),
            ("np.mean", "np.median"),
            ("scores[i, i - t]", "scores[i - t, i]"),
            ("scores[i, i - t]", "scores[i, t - i]"),
            ("scores[i, i - t]", "scores[i, i]"),
            ("np.mean([scores[i, i - t] for i in range(n) if 0 <= i - t < n])",
                "sum(scores[i, i - t] for i in range(n) if 0 <= i - t < n) / n"),
        ),
        "def table_of(scores):\n    return np.concatenate([scores[0, ::-1], scores[1:, 0]])",
        "def table_of(scores):\n    n = len(scores)\n"
        "    return [np.diagonal(scores[::-1], t).mean() for t in range(1 - n, n)]",
        "def table_of(scores):\n    return scores.mean(axis=0)",
    ],
    "moved_scores": [
        *variants(
            MOVED,
            ("c * keys[:, 0] - s", "c * keys[:, 0] + s"),
            ("np.sin(by * theta)", "-np.sin(by * theta)"),
            ("queries @ turned_keys.T", "queries @ keys.T"),
            ("queries @ turned_keys.T", "turned_keys @ queries.T"),
            ("by * theta", "theta"),
            ("np.cos(by * theta), np.sin(by * theta)", "np.cos(theta), np.sin(theta)"),
            ("np.cos(by * theta)", "np.sin(by * theta)"),
            ("np.cos(by * theta), np.sin(by * theta)", "np.cos(by + theta), np.sin(by + theta)"),
            ("axis=1", "axis=0"),
            ("queries @ turned_keys.T", "queries @ turned_keys.T / np.sqrt(2)"),
            ("queries @ turned_keys.T", "queries[:, ::-1] @ turned_keys.T"),
        ),
        "def moved_scores(queries, keys, theta, by):\n    p = np.arange(len(keys)) + by\n    return queries @ turned(keys, p, theta).T",
        "def moved_scores(queries, keys, theta, by):\n    p = np.full(len(keys), by)\n    return turned(queries, p, theta) @ turned(keys, p, theta).T",
        "def moved_scores(queries, keys, theta, by):\n    return queries @ np.roll(keys, by, axis=0).T",
    ],
    "bias": [
        "np.log(share / (1 - share))", "share * others / (1 - share)", "np.log(share)",
        "np.log(share * (others + 1) / (1 - share))",
        "np.log(share * others)", f"-{BIAS}", f"np.exp({BIAS})", "share", "np.log2(share * others / (1 - share))",
        "np.log(others)",
        f"{BIAS} * 1.03", f"str({BIAS})", "None",
    ],
    "angle": [
        f"{ANGLE} + 0.05", f"-{ANGLE} - 0.05", "turn * (to - at)", "np.radians(turn * (to - at))", "2.0",
        f"{ANGLE} + 1.5", f"str({ANGLE})",
        "None", f"[{ANGLE}]", f"{ANGLE} + 0.02", f"100 * {ANGLE} + 5", "float('nan')",
    ],
    "misplaced": [
        f"({MISPLACED}[0], -{MISPLACED}[1])", f"({MISPLACED}[0] + 1, {MISPLACED}[1])", f"{MISPLACED}[0]",
        f"{MISPLACED}[1]", "()", "None",
        f"({MISPLACED}[0], {MISPLACED}[1] + 1)", f"({MISPLACED}[0], 0)", f"({MISPLACED}[0] - 1, {MISPLACED}[1])",
        f"str({MISPLACED})",
        f"{MISPLACED} + (0,)", f"({MISPLACED}[0], {MISPLACED}[0] + {MISPLACED}[1] + 7)",
    ],
}  # fmt: skip
