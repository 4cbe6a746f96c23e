"""Answers to the graded set of chapter 0."""

from tests.classroom.sets.answers import variants

REHEATED = """def reheated(weights, temperature):
    s = np.log(weights) / temperature
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)"""
MANY = """def how_many(weights, mass):
    down = np.sort(weights, axis=1)[:, ::-1]
    return [next(k for k in range(1, len(row) + 1) if row[:k].sum() >= mass - 1e-9) for row in down]"""
RAISE = """def raise_to(scores, j, share):
    others = np.delete(scores, j)
    top = others.max()
    rest = top + np.log(np.exp(others - top).sum())
    return np.log(share / (1 - share)) + rest - scores[j]"""
PRODUCT = "fields - 2 * differ"
HOT = "gap / np.log(times)"
TWICE = (
    "min(((i, k) for i in range(5) for k in range(6)), key=lambda p: abs(1 - grid[p[0]].sum() - grid[p]) "
    "+ (grid[p[0]].sum() > 1 - 1e-9))"
)

RIGHT = {
    "reheated": [
        REHEATED,
        "def reheated(weights, temperature):\n    out = []\n    for row in weights:\n"
        "        power = (row / max(row)) ** (1 / temperature)\n"
        "        out.append(power / sum(power))\n    return out",
        "def reheated(weights, temperature):\n    s = np.log(weights) / temperature\n"
        "    return np.exp(s - np.logaddexp.reduce(s, axis=1)[:, None])",
        "def reheated(weights, temperature):\n    return softmax(np.log(weights) / temperature)",
    ],
    "how_many": [
        MANY,
        "def how_many(weights, mass):\n    down = -np.sort(-weights, axis=1)\n"
        "    return (np.cumsum(down, axis=1) < mass - 1e-12).sum(axis=1) + 1",
        "def how_many(weights, mass):\n    out = []\n    for row in weights:\n        k, total = 0, 0.0\n"
        "        for w in sorted(row, reverse=True):\n"
        "            if total >= mass - 1e-12:\n                break\n            total += w\n            k += 1\n"
        "        out.append(k)\n    return np.array(out)",
    ],
    "raise_to": [
        RAISE,
        "def raise_to(scores, j, share):\n    rest = np.logaddexp.reduce([s for i, s in enumerate(scores) if i != j])\n"
        "    return rest - scores[j] + np.log(share) - np.log1p(-share)",
        "def raise_to(scores, j, share):\n    low, high = -1e5, 1e5\n    for _ in range(200):\n"
        "        m = (low + high) / 2\n        s = np.array(scores, float)\n"
        "        s[j] += m\n        e = np.exp(s - s.max())\n"
        "        low, high = (m, high) if e[j] / e.sum() < share else (low, m)\n    return m",
    ],
    "product": [PRODUCT, "(fields - differ) - differ", "float(fields) - 2 * differ"],
    "temperature": [HOT, f"round({HOT}, 3)", "1 / (np.log(times) / gap)"],
    "twice": [TWICE, f"list({TWICE})", f"np.array({TWICE}).tolist()"],
}
WRONG = {
    "reheated": [
        *variants(
            REHEATED,
            ("np.log(weights)", "weights"),
            (" / temperature", ""),
            ("/ temperature", "* temperature"),
            ("e / e.sum(axis=1, keepdims=True)", "e"),
            ("e.sum(axis=1, keepdims=True)", "e.sum(axis=0)"),
            ("e.sum(axis=1, keepdims=True)", "e.sum()"),
            ("np.log(", "np.log2("),
            ("np.log(", "np.log10("),
            (" - s.max(axis=1, keepdims=True)", ""),
            ("s.max(axis=1, keepdims=True)", "s.max()"),
            ("e / e.sum(axis=1, keepdims=True)", "np.round(e / e.sum(axis=1, keepdims=True))"),
            ("np.log(weights)", "np.log(weights / (1 - weights))"),
            ("np.log(weights)", "-np.log(weights)"),
        ),
        "def reheated(weights, temperature):\n    return np.log(weights) / temperature",
        "def reheated(weights, temperature):\n    return weights / temperature",
        "def reheated(weights, temperature):\n    power = weights ** (1 / temperature)\n"
        "    return power / power.sum(axis=1, keepdims=True)",
        "def reheated(weights, temperature):\n    return weights ** (1 / temperature)",
        "def reheated(weights, temperature):\n    return 1.0 * (weights == weights.max(axis=1, keepdims=True))",
    ],
    "how_many": [
        *variants(
            MANY,
            ("[:, ::-1]", ""),
            ("np.sort(weights, axis=1)[:, ::-1]", "weights"),
            ("range(1, len(row) + 1) if row[:k]", "range(len(row)) if row[: k + 1]"),
            (">= mass - 1e-9", ">= 1 - mass"),
            (">= mass - 1e-9", "> mass + 1e-9"),
            ("row[:k].sum()", "row[k - 1]"),
            ("row[:k].sum()", "row[:k].mean()"),
            ("axis=1)[:, ::-1]", "axis=0)[::-1]"),
            ("return [next", "return [1 + next"),
            ("np.sort(weights, axis=1)[:, ::-1]", "-np.sort(weights, axis=1)[:, ::-1]"),
        ),
        "def how_many(weights, mass):\n    return (weights > mass).sum(axis=1)",
        "def how_many(weights, mass):\n    return (weights >= 1 - mass).sum(axis=1)",
        "def how_many(weights, mass):\n    return np.ceil(mass * np.ones(len(weights)) * weights.shape[1])",
        "def how_many(weights, mass):\n"
        "    return (np.sort(weights, axis=1)[:, ::-1].cumsum(axis=1) <= mass).sum(axis=1) + 1",
    ],
    "raise_to": variants(
        RAISE,
        (" - scores[j]", ""),
        ("np.log(share / (1 - share)) + rest - scores[j]", "scores[j] - rest - np.log(share / (1 - share))"),
        ("np.delete(scores, j)", "scores"),
        ("share / (1 - share)", "share"),
        ("share / (1 - share)", "(1 - share) / share"),
        ("others.max()", "0"),
        ("others.max()", "scores.max()"),
        ("rest = top + ", "rest = "),
        ("top + np.log(np.exp(others - top).sum())", "top"),
        ("top + np.log(np.exp(others - top).sum())", "others.mean()"),
        ("np.log(share / (1 - share)) + rest - scores[j]", "np.exp(np.log(share / (1 - share)) + rest - scores[j])"),
        ("np.log(share / (1 - share))", "share / (1 - share)"),
        ("np.log(np.exp(others", "np.log2(np.exp(others"),
        (".sum())", ".mean())"),
        ("scores[j]", "scores[0]"),
    ),
    "product": [
        "fields - differ", "fields", "-differ", "2 * differ - fields", "fields - 2 * differ + 1",
        "(fields - 2 * differ) / fields", "fields // 2",
        "differ", "fields * differ", "fields - differ**2 - 1", "str(fields - 2 * differ)", "None",
    ],
    "temperature": [
        "np.log(times) / gap", "gap / times", "gap / np.log2(times)", "gap * np.log(times)", "gap", "np.log(times)",
        "np.exp(gap / times)",
        "gap / np.log10(times)", f"-{HOT}", f"{HOT} * 1.03", f"str({HOT})", "None",
    ],
    "twice": [
        f"({TWICE}[0], ({TWICE}[1] + 1) % 6)", f"(({TWICE}[0] + 1) % 5, {TWICE}[1])", f"tuple(1 + i for i in {TWICE})",
        f"{TWICE}[0]", f"{TWICE}[1]",
        "()", "None", f"str({TWICE})", f"{TWICE} + (0,)", f"({TWICE}[0], {TWICE}[1] - 1)", f"({TWICE}[0], 6)",
        f"({TWICE}[0] - 1, {TWICE}[1])",
    ],
}  # fmt: skip
