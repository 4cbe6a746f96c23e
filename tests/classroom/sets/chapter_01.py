"""Answers to the graded set of chapter 1."""

from tests.classroom.sets.answers import variants

TEMPERED = """def tempered_attention(x, temperature):
    scores = x @ x.T / temperature
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True) @ x"""
COSINES = """def cosines(dots):
    length = np.sqrt(np.diag(dots))
    return dots / np.outer(length, length)"""
OTHER = """def most_read_other(x):
    scores = x @ x.T
    scores = scores - 1e9 * np.eye(len(x))
    return np.argmax(scores, axis=1)"""
LONG = "np.log(9) / length / (1 - np.cos(np.pi * angle / 180))"
ROW = "int(np.argmax(np.diag(grid) / (points**2).sum(axis=1)))"
FACTOR = "round(float(np.sqrt(max(np.diag(grid) / (points**2).sum(axis=1)))))"

RIGHT = {
    "tempered": [
        TEMPERED,
        "def tempered_attention(x, temperature):\n    out = []\n    for q in x:\n"
        "        s = np.array([q @ k for k in x]) / temperature\n"
        "        e = np.exp(s - max(s))\n        out.append(sum(a * v for a, v in zip(e / e.sum(), x)))\n"
        "    return out",
        "def tempered_attention(x, temperature):\n    s = np.einsum('id,jd->ij', x, x) / temperature\n"
        "    s -= np.logaddexp.reduce(s, axis=1)[:, None]\n"
        "    return np.einsum('ij,jd->id', np.exp(s), x)",
    ],
    "cosines": [
        COSINES,
        "def cosines(dots):\n    square = dots.diagonal()\n    return dots / np.sqrt(square[:, None] * square)",
        "def cosines(dots):\n    n = range(len(dots))\n"
        "    return [[dots[i][j] / dots[i][i] ** 0.5 / dots[j][j] ** 0.5 for j in n] for i in n]",
    ],
    "other": [
        OTHER,
        "def most_read_other(x):\n    n = range(len(x))\n"
        "    return [max((j for j in n if j != i), key=lambda j: x[i] @ x[j]) for i in n]",
        "def most_read_other(x):\n    s = np.array(x @ x.T, dtype=float)\n    np.fill_diagonal(s, -np.inf)\n"
        "    return s.argsort(axis=1)[:, -1]",
    ],
    "grows": ["times**2", "times * times", "float(times) ** 2"],
    "long_enough": [LONG, f"round({LONG}, 2)", "float(2 * np.log(3) / (length - length * np.cos(np.deg2rad(angle))))"],
    "longer": [
        f"({ROW}, {FACTOR})",
        f"[{ROW}, {FACTOR}]",
        "next((i, f) for i in range(5) for f in (2, 3, 4) if (scores_of(points, i, f) == grid).all())",
    ],
}
WRONG = {
    "tempered": [
        *variants(
            TEMPERED,
            ("/ temperature", "* temperature"),
            (" / temperature", ""),
            ("/ temperature", "/ temperature**0.5"),
            ("/ temperature", "/ temperature**2"),
            ("raised.sum(axis=1, keepdims=True)", "raised.sum(axis=0)"),
            ("raised.sum(axis=1, keepdims=True)", "raised.sum()"),
            (" / raised.sum(axis=1, keepdims=True)", ""),
            ("np.exp(scores - scores.max(axis=1, keepdims=True))", "np.exp(scores)"),
            ("np.exp(scores - scores.max(axis=1, keepdims=True))", "scores"),
            ("scores.max(axis=1, keepdims=True)", "scores.max(axis=0)"),
            ("raised.sum(axis=1, keepdims=True) @ x", "raised.sum(axis=1, keepdims=True)"),
            ("np.exp(", "np.exp2("),
            ("x @ x.T / temperature", "x @ x.T / temperature / np.sqrt(x.shape[1])"),
        ),
        "def tempered_attention(x, temperature):\n    return x",
    ],
    "cosines": [
        *variants(
            COSINES,
            (" / np.outer(length, length)", ""),
            ("np.outer(length, length)", "length[:, None]"),
            ("np.outer(length, length)", "length"),
            ("np.sqrt(np.diag(dots))", "np.diag(dots)"),
            ("np.outer(length, length)", "length[:, None] ** 2"),
            ("np.outer(length, length)", "np.add.outer(length, length)"),
            ("np.sqrt(np.diag(dots))", "np.linalg.norm(dots, axis=1)"),
            ("np.sqrt(np.diag(dots))", "dots.max(axis=1)"),
            ("return dots", "return abs(dots)"),
            ("dots / np.outer(length, length)", "np.arccos(np.clip(dots / np.outer(length, length), -1, 1))"),
            ("dots / np.outer(length, length)", "np.outer(length, length)"),
            ("dots / np.outer(length, length)", "dots / dots.max()"),
        ),
        "def cosines(dots):\n    unit = dots / np.linalg.norm(dots, axis=1, keepdims=True)\n    return unit @ unit.T",
    ],
    "other": [
        *variants(
            OTHER,
            ("    scores = scores - 1e9 * np.eye(len(x))\n", ""),
            ("np.argmax(scores, axis=1)", "np.argmax(scores, axis=1) + 1"),
            ("np.argmax(scores, axis=1)", "np.max(scores, axis=1)"),
            ("np.argmax", "np.argmin"),
            ("scores - 1e9 * np.eye(len(x))", "scores * (1 - np.eye(len(x)))"),
            ("x @ x.T", "abs(x @ x.T)"),
            ("x @ x.T", "x @ x.T / np.linalg.norm(x, axis=1)"),
            ("x @ x.T", "-np.linalg.norm(x[:, None] - x, axis=2)"),
            ("np.argmax(scores, axis=1)", "scores.argsort(axis=1)[:, -2]"),
            ("scores - 1e9 * np.eye(len(x))", "scores - 1e9 * np.tri(len(x))"),
            ("np.argmax(scores, axis=1)", "np.argmax(scores)"),
        ),
        "def most_read_other(x):\n    return (x @ x.T).argsort(axis=1)[:, -2]",
        "def most_read_other(x):\n    return [1, 2, 1]",
    ],
    "grows": [
        "times", "2 * times", "1", "4", "times**3", "100 * times", "times**2 - 1", "times**2 + 1", "'c'", "None",
        "times * (times - 1) // 2", "0",
    ],
    "long_enough": [
        "np.log(10) / length / (1 - np.cos(np.radians(angle)))", "np.log(9) / length",
        "np.log(9) / length / np.cos(np.radians(angle))",
        "np.log(9) / (1 - np.cos(np.radians(angle)))", "np.log(9) / length / (1 - np.sin(np.radians(angle)))",
        "9 / length / (1 - np.cos(np.radians(angle)))",
        "np.log10(9) / length / (1 - np.cos(np.radians(angle)))", "np.log(9) / length / (1 - np.cos(angle))",
        f"{LONG} * 1.03", f"-{LONG}", f"str({LONG})",
        "None", f"[{LONG}]", "angle", f"{LONG} * 3",
    ],
    "longer": [
        f"({ROW}, {FACTOR}**2)", f"({ROW} + 1, {FACTOR})", f"({ROW}, {FACTOR} + 1)", f"({ROW} - 1, {FACTOR})", ROW,
        FACTOR, "()", "None", f"({ROW}, 1 / {FACTOR})",
        f"str(({ROW}, {FACTOR}))", f"({ROW}, {FACTOR}, 0)", f"({ROW}, 1)",
    ],
}  # fmt: skip
