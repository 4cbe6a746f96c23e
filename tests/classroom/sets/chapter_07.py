"""Answers to the graded set of chapter 7."""

from tests.classroom.sets.answers import variants

TOTAL = """def log_total(parts):
    every = np.concatenate(parts)
    top = every.max()
    return top + np.log(np.exp(every - top).sum())"""
WITHOUT = """def without(whole, part):
    m, total, blend = whole
    shrink = np.exp(part[0] - m)
    return (blend - part[2] * shrink) / (total - part[1] * shrink)"""
LONGEST = """def longest(memory, full, window, w, kv_heads, d_k, itemsize):
    token = 2 * kv_heads * d_k * itemsize
    left = memory - window * w * token
    return left // (full * token)"""
EQUAL = "(2 + wider) * d"
BYTES = "4 * h * n**2 / 1e9"
SHRUNK = (
    "max(((q, t) for q in range(6) for t in (2, 3, 4)), key=lambda p: abs(np.log(grid[p[0], 2 * p[1] - 3] / "
    "grid[p[0], 2 * p[1] - 2]) - scores[p[0], 2 * p[1] - 3] + scores[p[0], 2 * p[1] - 2]))"
)

RIGHT = {
    "log_total": [
        TOTAL,
        "def log_total(parts):\n    return np.logaddexp.reduce(np.concatenate(parts))",
        "def log_total(parts):\n    m, total = -np.inf, 0.0\n    for part in parts:\n        new = max(m, part.max())\n"
        "        if new > -np.inf:\n            total = total * np.exp(m - new) + np.exp(part - new).sum()\n"
        "            m = new\n"
        "    return m + np.log(total)",
    ],
    "without": [
        WITHOUT,
        "def without(whole, part):\n    stretch = np.exp(whole[0] - part[0])\n"
        "    return (whole[2] * stretch - part[2]) / (whole[1] * stretch - part[1])",
        "def without(whole, part):\n    total, blend = (np.exp(whole[0]) * whole[i] - np.exp(part[0]) * part[i] "
        "for i in (1, 2))\n"
        "    return [one / total for one in blend]",
    ],
    "longest": [
        LONGEST,
        "def longest(memory, full, window, w, kv_heads, d_k, itemsize):\n    token = 2 * kv_heads * d_k * itemsize\n"
        "    return int(np.floor((memory / token - window * w) / full))",
        "def longest(memory, full, window, w, kv_heads, d_k, itemsize):\n    token = 2 * kv_heads * d_k * itemsize\n    low, high = 0, memory\n"
        "    while low < high:\n        n = (low + high + 1) // 2\n"
        "        fits = (full * n + window * w) * token <= memory\n"
        "        low, high = (n, high) if fits else (low, n - 1)\n    return low",
    ],
    "equal": [EQUAL, f"float({EQUAL})", "(4 * d * d + 2 * wider * d * d) // (2 * d)"],
    "gigabytes": [BYTES, f"round({BYTES}, 4)", "2 * h * n * n * 2 / 1000**3"],
    "not_shrunk": [SHRUNK, f"list({SHRUNK})", f"np.array({SHRUNK}).tolist()"],
}
WRONG = {
    "log_total": [
        *variants(
            TOTAL,
            ("    top = every.max()\n", "    top = 0\n"),
            ("top + np.log", "np.log"),
            ("sum())", "mean())"),
            ("np.log(", "np.log2("),
            ("top + np.log(np.exp(every - top).sum())", "np.exp(every).sum()"),
            ("np.log(np.exp(every - top).sum())", "np.exp(every - top).sum()"),
            ("every.max()", "every.min()"),
            ("every.max()", "every[0]"),
            ("np.concatenate(parts)", "parts[-1]"),
            ("np.concatenate(parts)", "np.concatenate(parts[:-1])"),
            ("top + np.log(np.exp(every - top).sum())", "top"),
            ("np.concatenate(parts)", "np.array([part.max() for part in parts])"),
            ("np.concatenate(parts)", "np.array(parts)"),
        ),
        "def log_total(parts):\n    return sum(np.log(np.exp(part).sum()) for part in parts)",
        "def log_total(parts):\n    m, total = -np.inf, 0.0\n    for part in parts:\n        new = max(m, part.max())\n"
        "        total = total + np.exp(part - new).sum()\n        m = new\n    return m + np.log(total)",
    ],
    "without": [
        *variants(
            WITHOUT,
            ("np.exp(part[0] - m)", "1"),
            ("part[0] - m", "m - part[0]"),
            (" / (total - part[1] * shrink)", " / total"),
            (" / (total - part[1] * shrink)", ""),
            ("(total - part[1] * shrink)", "(total - part[1])"),
            ("blend - part[2] * shrink", "blend - part[2]"),
            ("blend - part[2] * shrink", "blend"),
            ("blend - part[2] * shrink", "blend + part[2] * shrink"),
            ("np.exp(part[0] - m)", "part[0] / m if m else 1"),
            ("np.exp(part[0] - m)", "2 ** (part[0] - m)"),
        ),
        "def without(whole, part):\n    return whole[2] / whole[1] - part[2] / part[1]",
        "def without(whole, part):\n    return whole[2] / whole[1]",
        "def without(whole, part):\n    return part[2] / part[1]",
        "def without(whole, part):\n    a, b = whole[2] / whole[1], part[2] / part[1]\n"
        "    return (whole[1] * a - part[1] * b) / (whole[1] - part[1])",
    ],
    "longest": variants(
        LONGEST,
        ("2 * kv_heads", "kv_heads"),
        ("2 * kv_heads", "3 * kv_heads"),
        (" * itemsize", ""),
        (" * d_k", ""),
        ("memory - window * w * token", "memory"),
        ("memory - window * w * token", "memory - window * w"),
        ("memory - window * w * token", "memory - w * token"),
        ("full * token", "(full + window) * token"),
        ("left // (full * token)", "left / (full * token)"),
        ("left // (full * token)", "left // (full * token) + 1"),
        ("left // (full * token)", "-(-left // (full * token)) + 0.5"),
        ("left // (full * token)", "left // token"),
        ("left // (full * token)", "left // (full * token) + w"),
    ),
    "equal": [
        "(4 + wider) * d / 2", "(4 + 2 * wider) * d", "2 * d", "wider * d", "d", "(1 + wider / 2) * d",
        "(3 + wider) * d", "(2 + wider) * d * d",
        "(2 + wider)", f"{EQUAL} + 64", f"str({EQUAL})", "2 * wider * d", "None",
    ],
    "gigabytes": [
        "2 * h * n * n / 1e9", "h * n * n / 1e9", "4 * n * n / 1e9", "4 * h * n * n / 2**30", "4 * h * n / 1e9",
        "4 * h * n * n", "4 * h * n * n / 1e6",
        "8 * h * n * n / 1e9", "4 * h * n * (n - 1) / 2e9", f"{BYTES} * 1.03", f"str({BYTES})", "None",
    ],
    "not_shrunk": [
        f"({SHRUNK}[0], {SHRUNK}[1] - 1)", f"({SHRUNK}[0] + 1, {SHRUNK}[1])", f"({SHRUNK}[0], {SHRUNK}[1] + 1)",
        f"({SHRUNK}[0] - 1, {SHRUNK}[1])",
        f"{SHRUNK}[0]", f"{SHRUNK}[1]", "()", "None", f"str({SHRUNK})", f"{SHRUNK} + (0,)", f"({SHRUNK}[0], 1)",
        f"({SHRUNK}[0], 2 * {SHRUNK}[1] - 1)",
    ],
}  # fmt: skip
