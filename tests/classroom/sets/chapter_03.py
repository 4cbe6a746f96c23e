"""Answers to the graded set of chapter 3."""

from tests.classroom.sets.answers import variants

MATRIX = "def matrix_for(x, places):\n    return np.linalg.pinv(x) @ places"
REVALUED = """def revalued(weights, output, t, before, after):
    return output + weights[:, [t]] * (after - before)"""
FIRST = """def ever_first(queries, keys):
    scores = queries @ keys.T
    return [j in scores.argmax(axis=1) for j in range(len(keys))]"""
PENCIL = "(2.0 ** (q * keys)) @ values / (2.0 ** (q * keys)).sum()"
GROWTH = "2 * d * d - 2 * d * (d_k + d_v)"
OFF = "np.abs(weights_of(X, W_Q, W_K, [p[1] if j == p[0] else j for j in range(5)]) - grid).max()"
SWAPPED = f"min(((i, j) for i in range(5) for j in range(5)), key=lambda p: {OFF})"

RIGHT = {
    "matrix_for": [
        MATRIX,
        "def matrix_for(x, places):\n    return np.linalg.lstsq(x, places, rcond=None)[0]",
        "def matrix_for(x, places):\n    return x.T @ np.linalg.solve(x @ x.T, places)",
        "def matrix_for(x, places):\n    x = np.asarray(x)\n    return x.T @ np.linalg.inv(x @ x.T) @ places",
    ],
    "revalued": [
        REVALUED,
        "def revalued(weights, output, t, before, after):\n    return [row + w * (after - before) for row, w in "
        "zip(output, weights[:, t])]",
        "def revalued(weights, output, t, before, after):\n    new = output.copy()\n    for i in range(len(new)):\n"
        "        new[i] += weights[i, t] * after - weights[i, t] * before\n    return new",
    ],
    "ever_first": [
        FIRST,
        "def ever_first(queries, keys):\n    found = np.zeros(len(keys), bool)\n"
        "    found[np.argmax(queries @ keys.T, axis=1)] = True\n    return found",
        "def ever_first(queries, keys):\n"
        "    best = {max(range(len(keys)), key=lambda j: q @ keys[j]) for q in queries}\n"
        "    return np.array([j in best for j in range(len(keys))])",
    ],
    "pencil": [PENCIL, f"round(float({PENCIL}), 2)", "np.average(values, weights=2.0 ** (q * keys))"],
    "growth": [GROWTH, "d * (2 * d - 2 * d_k - 2 * d_v)", f"float({GROWTH})"],
    "swapped": [SWAPPED, f"list({SWAPPED})", f"np.array({SWAPPED}).tolist()"],
}
WRONG = {
    "matrix_for": [
        *variants(
            MATRIX,
            ("np.linalg.pinv(x) @ places", "np.linalg.inv(x) @ places"),
            ("np.linalg.pinv(x)", "x.T"),
            ("np.linalg.pinv(x) @ places", "places"),
            ("np.linalg.pinv(x) @ places", "x @ places"),
            ("np.linalg.pinv(x) @ places", "places @ np.linalg.pinv(x)"),
            ("np.linalg.pinv(x) @ places", "(np.linalg.pinv(x) @ places).T"),
            ("np.linalg.pinv(x)", "np.linalg.pinv(x).T"),
            ("np.linalg.pinv(x)", "2 * np.linalg.pinv(x)"),
            ("np.linalg.pinv(x)", "1 / x"),
            ("np.linalg.pinv(x) @ places", "np.linalg.pinv(x @ x.T) @ places"),
            ("np.linalg.pinv(x) @ places", "np.zeros((x.shape[1], places.shape[1]))"),
        ),
        "def matrix_for(x, places):\n    return np.linalg.solve(x, places)",
    ],
    "revalued": variants(
        REVALUED,
        ("weights[:, [t]]", "weights[[t]].T"),
        ("weights[:, [t]] * ", ""),
        ("(after - before)", "after"),
        ("(after - before)", "(before - after)"),
        ("output + ", ""),
        ("output + ", "output - "),
        ("[t]]", "[0]]"),
        ("[t]]", "[t - 1]]"),
        ("weights[:, [t]]", "weights[t, t]"),
        ("weights[:, [t]]", "weights.mean(axis=1, keepdims=True)"),
        ("weights[:, [t]]", "(np.arange(len(output)) == t)[:, None]"),
        ("    return output + weights[:, [t]] * (after - before)", "    output += weights[:, [t]] * (after - before)\n"
        "    return output"),
        ("return output + ", "output = output + "),
    ),
    "ever_first": [
        *variants(
            FIRST,
            ("axis=1", "axis=0"),
            ("argmax", "argmin"),
            ("queries @ keys.T", "-queries @ keys.T"),
            ("queries @ keys.T", "keys @ queries.T"),
            ("queries @ keys.T", "(queries @ keys.T)[:1]"),
            ("queries @ keys.T", "np.abs(queries @ keys.T)"),
            ("j in", "j not in"),
            ("scores.argmax(axis=1)", "[scores.argmax()]"),
            ("scores.argmax(axis=1)", "[(keys**2).sum(axis=1).argmax()]"),
            ("range(len(keys))", "range(1, len(keys))"),
            ("queries @ keys.T", "queries @ (keys / (np.linalg.norm(keys, axis=1, keepdims=True) + 1e-9)).T"),
        ),
        "def ever_first(queries, keys):\n    s = queries @ keys.T\n"
        "    return (s == s.max(axis=1, keepdims=True)).any(axis=0)",
        "def ever_first(queries, keys):\n    return np.unique((queries @ keys.T).argmax(axis=1))",
        "def ever_first(queries, keys):\n    return (queries @ keys.T).argmax(axis=1)",
    ],
    "pencil": [
        "values.mean()", "(2.0 ** (q * keys)) @ values", "(q * keys) @ values / (q * keys).sum() + 0.1",
        "values[keys.argmax()]",
        "(2.0 ** keys) @ values / (2.0 ** keys).sum()", "np.exp(q * keys) @ values / np.exp(q * keys).sum()", "q",
        f"{PENCIL} + 0.5", "(2.0 ** (q * keys))[::-1] @ values / (2.0 ** (q * keys)).sum()", f"-({PENCIL})",
        "(2.0 ** (q * keys / 3**0.5)) @ values / (2.0 ** (q * keys / 3**0.5)).sum()", "None",
    ],
    "growth": [
        "2 * d * d", "2 * d * (d_k + d_v)", f"-({GROWTH})", f"{GROWTH} + 1", f"({GROWTH}) // 2",
        "d * d - d * (d_k + d_v)",
        "2 * d * d - d * (d_k + d_v)", "d_k**2 + d_v**2 - 2 * d * (d_k + d_v)", "2 * d - 2 * d_k - 2 * d_v", "0",
        f"str({GROWTH})", "2 * d * d / (2 * d * (d_k + d_v))",
    ],
    "swapped": [
        f"{SWAPPED}[::-1]", f"{SWAPPED}[0]", f"tuple(1 + i for i in {SWAPPED})", "(0, 0)", "()", "None", "(5, 5)",
        f"set({SWAPPED})", f"str({SWAPPED})", f"{SWAPPED} + (0,)", "'token'", f"tuple((i + 1) % 5 for i in {SWAPPED})",
    ],
}  # fmt: skip
