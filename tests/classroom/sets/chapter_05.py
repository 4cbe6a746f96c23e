"""Answers to the graded set of chapter 5."""

from tests.classroom.sets.answers import variants

ANCHORED = """def anchored_mask(n, window, first):
    i, j = np.indices((n, n))
    return (j <= i) & ((i - j < window) | (j < first))"""
CONE = """def cone(masks):
    reads = np.eye(len(masks[0]))
    for mask in masks:
        reads = (mask @ reads > 0).astype(float)
    return reads > 0"""
LOSS = """def text_loss(logits, tokens, filler):
    asked = len(tokens) - filler - 1
    logits = logits - logits.max(axis=1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return -np.mean([logs[i, tokens[i + 1]] for i in range(asked)])"""
CELLS = "n * window - window * (window - 1) // 2"
COINS = "(1 - 1 / shown) * np.log(2)"
LEAK = (
    "next((q, k, 1 if k > q else 2 if q - k > 2 else 3) for q in range(9) for k in range(9) "
    "if grid[q, k] > 0 and (k > q or q - k > 2 or document[q] != document[k]))"
)

RIGHT = {
    "anchored": [
        ANCHORED,
        "def anchored_mask(n, window, first):\n    may = np.zeros((n, n), bool)\n    for i in range(n):\n"
        "        may[i, max(0, i - window + 1) : i + 1] = True\n        may[i, : min(first, i + 1)] = True\n"
        "    return may",
        "def anchored_mask(n, window, first):\n"
        "    return [[j <= i and (j < first or j > i - window) for j in range(n)] for i in range(n)]",
    ],
    "cone": [
        CONE,
        "def cone(masks):\n    reads = masks[0]\n    for mask in masks[1:]:\n        reads = mask @ reads\n"
        "    return reads",
        "def cone(masks):\n    n = len(masks[0])\n    reads = [{i} for i in range(n)]\n    for mask in masks:\n"
        "        reads = [set().union(*(reads[j] for j in range(n) if mask[i][j])) for i in range(n)]\n"
        "    return [[j in row for j in range(n)] for row in reads]",
    ],
    "text_loss": [
        LOSS,
        "def text_loss(logits, tokens, filler):\n    end = len(tokens) - filler\n"
        "    logits, right = logits[: end - 1], tokens[1:end]\n"
        "    lost = np.logaddexp.reduce(logits, axis=1) - logits[range(end - 1), right]\n    return lost.mean()",
        "def text_loss(logits, tokens, filler):\n    total, asked = 0.0, len(tokens) - filler - 1\n"
        "    for i in range(asked):\n"
        "        row = logits[i] - max(logits[i])\n        p = np.exp(row[tokens[i + 1]]) / sum(np.exp(row))\n"
        "        total -= np.log(p)\n    return total / asked",
    ],
    "cells": [CELLS, "sum(min(i + 1, window) for i in range(n))", "np.tri(n).sum() - np.tri(n, k=-window).sum()"],
    "coins": [COINS, f"round({COINS}, 4)", "np.mean([0] + [np.log(2)] * (shown - 1))"],
    "leak": [LEAK, f"list({LEAK})", f"np.array({LEAK}).tolist()"],
}
WRONG = {
    "anchored": variants(
        ANCHORED,
        ("i - j < window", "i - j <= window"),
        ("i - j < window", "abs(i - j) < window - 1"),
        ("(j <= i) & ((i - j < window) | (j < first))", "(j <= i) & (i - j < window) | (j < first)"),
        ("| (j < first)", "& (j < first)"),
        ("j < first", "j <= first"),
        ("j < first", "i < first"),
        ("j <= i", "j < i"),
        ("j <= i", "i <= j"),
        ("return ", "return ~"),
        ("(i - j < window) | ", ""),
        (" | (j < first)", ""),
        ("(j <= i) & ((i", "((i"),
        ("return (j", "return 1 * (j"),
        (
            "return (j <= i) & ((i - j < window) | (j < first))",
            "return np.where((j <= i) & ((i - j < window) | (j < first)), 0, -np.inf)",
        ),
        ("(j < first)", "(j > n - first)"),
    ),
    "cone": [
        *variants(
            CONE,
            ("mask @ reads", "reads @ mask"),
            ("mask @ reads", "mask.T @ reads"),
            ("return reads > 0", "return (reads > 0).T"),
            ("reads = (mask @ reads > 0).astype(float)", "reads = ((mask @ reads > 0) | (reads > 0)).astype(float)"),
            ("in masks:", "in masks[:-1]:"),
            ("in masks:", "in masks[1:]:"),
            ("in masks:", "in masks[::-1]:"),
            ("mask @ reads", "mask * reads"),
            ("mask @ reads", "mask + reads"),
            ("np.eye(len(masks[0]))", "np.ones((len(masks[0]), len(masks[0])))"),
            ("return reads > 0", "return reads"),
        ),
        "def cone(masks):\n    return np.logical_and.reduce(masks)",
        "def cone(masks):\n    return np.logical_or.reduce(masks)",
        "def cone(masks):\n    return masks[-1]",
        "def cone(masks):\n    return masks[0]",
        "def cone(masks):\n    n = np.eye(len(masks[0]), dtype=np.int64)\n    for m in masks:\n"
        "        n = m.astype(np.int64) @ n\n    return n == 1",
    ],
    "text_loss": [
        *variants(
            LOSS,
            ("tokens[i + 1]", "tokens[i]"),
            ("tokens[i + 1]", "tokens[i - 1]"),
            (" - filler - 1", " - 1"),
            (" - filler - 1", " - filler"),
            (" - filler - 1", " - filler - 2"),
            ("-np.mean", "-np.sum"),
            ("-np.mean", "np.mean"),
            ("np.log(", "np.log2("),
            ("    logits = logits - logits.max(axis=1, keepdims=True)\n", ""),
            ("logits.max(axis=1, keepdims=True)", "logits.max()"),
            ("sum(axis=1, keepdims=True))\n", "sum(axis=0, keepdims=True))\n"),
            ("logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))", "logs = logits"),
            ("logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))",
                "logs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)"),
            ("range(asked)", "range(1, asked)"),
        ),
        "def text_loss(logits, tokens, filler):\n    p = softmax(logits)\n"
        "    return -np.log(np.mean([p[i, tokens[i + 1]] for i in range(len(tokens) - filler - 1)]))",
        "def text_loss(logits, tokens, filler):\n    p = softmax(logits)\n"
        "    return np.mean([p[i].argmax() != tokens[i + 1] for i in range(len(tokens) - filler - 1)])",
    ],
    "cells": [
        "n * window", "n * (n + 1) // 2", "n * (window + 1) - (window + 1) * window // 2",
        "n * window - window * (window + 1) // 2",
        "n * n", "window * window", "(n - window) * window", f"{CELLS} + 1", f"{CELLS} - 1", "n + window",
        f"n * n - ({CELLS})",
        f"str({CELLS})", "n * (2 * window - 1)",
    ],
    "coins": [
        "np.log(2)", "np.log(2) / shown", "1 - 1 / shown", "-np.log((1 + 1 / shown) / 2)", "0", "0.5",
        "-(1 - 1 / shown) * np.log(2)",
        "(1 - 1 / shown) / 2", "np.log(2) - 1 / shown", "(1 - 1 / (shown + 1)) * np.log(2) + 0.02", "1 / shown",
        "(1 - 1 / shown) * np.log(2) * 1.02", "None",
    ],
    "leak": [
        f"({LEAK}[1], {LEAK}[0], {LEAK}[2])", f"{LEAK}[:2]", f"{LEAK}[:2] + ({LEAK}[2] % 3 + 1,)",
        f"{LEAK}[:2] + (({LEAK}[2] + 1) % 3 + 1,)",
        f"tuple(1 + i for i in {LEAK})", f"({LEAK}[0] + 1, {LEAK}[1] + 1, {LEAK}[2])",
        f"({LEAK}[0], {LEAK}[1] + 1, {LEAK}[2])",
        f"({LEAK}[0] + 1, {LEAK}[1], {LEAK}[2])", f"{LEAK}[2]", f"str({LEAK})", "()", "None", f"{LEAK}[::-1]",
    ],
}  # fmt: skip
