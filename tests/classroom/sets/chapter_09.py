"""Answers to the graded set of chapter 9."""

from tests.classroom.sets.answers import variants

NORM = "def rms_norm(x):\n    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True))"
SCORE = """def induction_score(weights, tokens):
    found = []
    for i in range(len(tokens)):
        before = [j for j in range(i) if tokens[j] == tokens[i]]
        if before:
            found.append(weights[i, before[-1] + 1])
    return sum(found) / len(found) if found else 0"""
LEAD = """def lead_without(parts, unembedding, good, bad, out):
    row = parts.sum(axis=0) - parts[out]
    row = row / np.sqrt(np.mean(row**2))
    return row @ (unembedding[:, good] - unembedding[:, bad])"""
SURE = "1 / (1 + others * np.exp(-lead))"
ASTRAY = (
    "max(((q, k + 1) for q in range(6, 12) for k in range(6) if tokens[k] == tokens[q]), "
    "key=lambda p: grid[p[0], p[1] - 1] - grid[p])"
)

RIGHT = {
    "rms_norm": [
        NORM,
        "def rms_norm(x):\n    return x * x.shape[-1] ** 0.5 / np.linalg.norm(x, axis=-1, keepdims=True)",
        "def rms_norm(x):\n    return (x.T / np.sqrt((x.T**2).mean(axis=0))).T",
    ],
    "induction_score": [
        SCORE,
        "def induction_score(weights, tokens):\n    last, total, count = {}, 0.0, 0\n"
        "    for i, t in enumerate(tokens):\n        if t in last:\n"
        "            total, count = total + weights[i, last[t] + 1], count + 1\n        last[t] = i\n"
        "    return total / max(count, 1)",
        "def induction_score(weights, tokens):\n    t = np.asarray(tokens)\n"
        "    w = [weights[i, i - list(t[:i][::-1]).index(t[i])] "
        "for i in range(len(t)) if t[i] in t[:i]]\n    return np.mean(w) if w else 0.0",
    ],
    "lead_without": [
        LEAD,
        "def lead_without(parts, unembedding, good, bad, out):\n    kept = [part for i, part in enumerate(parts) if i != out]\n    row = sum(kept)\n"
        "    logits = row @ unembedding / (row @ row / len(row)) ** 0.5\n    return logits[good] - logits[bad]",
        "def lead_without(parts, unembedding, good, bad, out):\n    use = np.arange(len(parts)) != out\n    row = use @ parts\n"
        "    logits = (row / np.linalg.norm(row) * np.sqrt(len(row))) @ unembedding\n"
        "    return float(logits[good] - logits[bad])",
    ],
    "length": ["np.sqrt(d)", "d**0.5", "round(float(d) ** 0.5, 2)"],
    "sure": [SURE, f"round({SURE}, 5)", "np.exp(lead) / (np.exp(lead) + others)"],
    "astray": [ASTRAY, f"list({ASTRAY})", f"np.array({ASTRAY}).tolist()"],
}
WRONG = {
    "rms_norm": variants(
        NORM,
        ("np.mean(", "np.sum("),
        ("np.sqrt(np.mean(x * x, axis=-1, keepdims=True))", "np.mean(x * x, axis=-1, keepdims=True)"),
        ("axis=-1", "axis=0"),
        ("axis=-1", "axis=1"),
        (", axis=-1, keepdims=True", ""),
        (", keepdims=True", ""),
        ("return x /", "return (x - x.mean(axis=-1, keepdims=True)) /"),
        ("x * x", "abs(x)"),
        ("np.sqrt(np.mean(x * x, axis=-1, keepdims=True))", "x.std(axis=-1, keepdims=True)"),
        ("np.sqrt(np.mean(x * x, axis=-1, keepdims=True))", "np.abs(x).max(axis=-1, keepdims=True)"),
        ("return x / np", "x /= np"),
        ("return x / ", "return x * "),
        ("    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True))",
            "    x /= np.sqrt(np.mean(x * x, axis=-1, keepdims=True))\n    return x"),
    ),
    "induction_score": variants(
        SCORE,
        ("before[-1] + 1", "before[-1]"),
        ("before[-1] + 1", "before[-1] - 1"),
        ("before[-1]", "before[0]"),
        ("weights[i, before[-1] + 1]", "weights[before[-1] + 1, i]"),
        (" / len(found) if found else 0", ""),
        ("/ len(found)", "/ len(tokens)"),
        (" if found else 0", ""),
        (" if found else 0", " if found else 1"),
        ("range(i)", "range(i + 1)"),
        ("range(i)", "range(i + 1, len(tokens) - 1)"),
        ("sum(found) / len(found)", "max(found)"),
        ("tokens[j] == tokens[i]", "tokens[j] != tokens[i]"),
        ("weights[i, before[-1] + 1]", "weights[i].max()"),
        ("weights[i, before[-1] + 1]", "sum(weights[i, j + 1] for j in before)"),
    ),
    "lead_without": variants(
        LEAD,
        (" - parts[out]", ""),
        ("parts.sum(axis=0) - parts[out]", "parts[out]"),
        ("    row = row / np.sqrt(np.mean(row**2))\n", ""),
        ("np.sqrt(np.mean(row**2))", "np.linalg.norm(row)"),
        ("np.sqrt(np.mean(row**2))", "np.sqrt(np.mean(parts.sum(axis=0) ** 2))"),
        ("np.sqrt(np.mean(row**2))", "np.mean(row**2)"),
        ("unembedding[:, good] - unembedding[:, bad]", "unembedding[:, bad] - unembedding[:, good]"),
        (" - unembedding[:, bad]", ""),
        ("unembedding[:, good] - unembedding[:, bad]", "unembedding[good] - unembedding[bad]"),
        ("parts[out]", "parts[out - 1]"),
        ("parts.sum(axis=0) - parts[out]", "parts.sum(axis=0) + parts[out]"),
        ("parts.sum(axis=0) - parts[out]", "parts.sum(axis=1)"),
        ("    row = row / np.sqrt(np.mean(row**2))\n    return row", "    return row / len(parts)"),
    ),
    "length": [
        "1.0", "float(d)", "1 / np.sqrt(d)", "d / 2", "np.sqrt(d) * 1.05", "np.sqrt(d) / 2", "-np.sqrt(d)", "np.log(d)",
        "d**2", "np.sqrt(2 * d)",
        "str(d**0.5)", "None",
    ],
    "sure": [
        "1 / (1 + np.exp(-lead))", "lead / (lead + others)", "np.exp(lead) / others", "1 / (1 + others * np.exp(lead))",
        "1 / (1 + others)", f"1 - {SURE} / 2", "1 / (1 + (others + 1) * np.exp(-lead))",
        f"np.log({SURE})", f"-np.log({SURE}) - 1", f"100 * {SURE}", f"{SURE} * 0.97", f"str({SURE})", "None",
    ],
    "astray": [
        f"({ASTRAY}[0], {ASTRAY}[1] - 1)", f"{ASTRAY}[::-1] + (1,)", f"tuple(1 + i for i in {ASTRAY})", f"{ASTRAY}[0]",
        f"{ASTRAY}[1]", "()", "None", f"str({ASTRAY})",
        f"{ASTRAY} + (0,)", f"({ASTRAY}[0] - 6, {ASTRAY}[1])", f"({ASTRAY}[0], {ASTRAY}[1] + 1)",
        f"({ASTRAY}[0] + 1, {ASTRAY}[1])",
    ],
}  # fmt: skip
