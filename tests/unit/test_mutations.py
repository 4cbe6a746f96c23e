"""Plausible mistakes in `attnlib`, one at a time: the tests of that module must fail for each.

A suite that passes with an inverted mask says nothing about masks. Every mistake here is one that people make.
"""

import os
import shutil
import subprocess
import sys

import pytest

MISTAKES = {
    "scaled_dot_product": {
        "softmax over the wrong axis": ("weights.sum(axis=axis,", "weights.sum(axis=0,"),
        "the largest of all is subtracted, not of the row": ("x.max(axis=axis, keepdims=True)", "x.max(keepdims=True)"),
        "no temperature": (" / x.dtype.type(temperature)", ""),
        "no scale": ("query.shape[-1] ** -0.5 if", "1.0 if"),
        "divided by d and not by its root": ("query.shape[-1] ** -0.5 if", "1 / query.shape[-1] if"),
        "scaled by √n": ("query.shape[-1] ** -0.5 if", "query.shape[-2] ** -0.5 if"),
        "query and key swapped": ("scores = _checked_scores(query, key, scale)", "scores = _checked_scores(key, query, scale)"),
        "mask inverted": ("np.where(mask, scores,", "np.where(~mask, scores,"),
        "masked to a finite number": ("scores.dtype.type(-np.inf))", "scores.dtype.type(-20))"),
        "masked after the softmax": (
            "scores = _masked(scores, np.asarray(mask))\n    blocked",
            "return (softmax(scores) * mask).astype(dtype)\n    blocked",
        ),
        "bias forgotten": ("scores = scores + bias", "scores = scores + 0"),
        "bias before the cap": ("scores = cap * np.tanh(scores / cap)", "scores = cap * np.tanh((scores + 1) / cap)"),
        "a blocked row becomes uniform": ("return np.where(blocked[..., None], 0, weights)", "return weights"),
        "one query reads the average": ("softmax(scores) @ value", "softmax(0 * scores) @ value"),
        "values out of order": ("out: Array = weights @ value\n", "out: Array = weights @ value[..., ::-1, :]\n"),
        "float16 computed in float16": ("np.promote_types(dtype, np.float32)", "np.promote_types(dtype, np.float16)"),
        "Jacobian without its diagonal": ("column * np.eye(weights.shape[-1]) - ", "-"),
        "entropy of the wrong sign": ("0.0 - (weights * logarithms)", "0.0 + (weights * logarithms)"),
    },
    "masks": {
        "a query does not read itself": ("n_k, offset) >= 0", "n_k, offset) > 0"),
        "a query reads one token ahead": ("n_k, offset) >= 0", "n_k, offset) >= -1"),
        "the offset is ignored": ("= offset[..., None, None] + np.arange", "= 0 * offset[..., None, None] + np.arange"),
        "a window one too long": ("(ages < window)", "(ages <= window)"),
        "one padded key is read": ("np.arange(n_k) < lengths", "np.arange(n_k) <= lengths"),
        "queries padded in place of keys": ("[..., None, :], n_q, axis=-2)", "[..., :n_q, None], n_k, axis=-1)"),
        "the wrong API blocks": ('return api == "Multi', 'return api != "Multi'),
        "a bias that keeps what it should block": ("np.where(_boolean(mask), 0.0, -np.inf)", "np.where(_boolean(mask), -np.inf, 0.0)"),
    },
    "decoder": {
        "the mean of a row's entries, not of their squares": ("(x * x).mean(", "abs(x).mean("),
        "the sum in place of the mean": ("(x * x).mean(", "(x * x).sum("),
        "a distance to what comes later": ("np.subtract.outer(np.arange(n), np.arange(n))", "-np.subtract.outer(np.arange(n), np.arange(n))"),
        "the last distance is lost": ("table.shape[-1] - 1)", "table.shape[-1] - 2)"),
        "no mask": ("attention_weights(query, key, mask,", "attention_weights(query, key,"),
        "no bias": (", bias=distance_bias(table, n))", ")"),
        "nothing is added to the stream": ("stream = stream + project", "stream = project"),
        "layers read the stream as it is": ("x = rms_norm(stream)", "x = stream"),
        "keys from the values": ("for w in (w_q, w_k, w_v)\n        )", "for w in (w_q, w_v, w_k)\n        )"),
        "the last row is not normalised": ("project(rms_norm(_run(parameters, tokens)[1]), unembedding)", "project(_run(parameters, tokens)[1], unembedding)"),
        "always tied": ('parameters.get("unembedding", parameters["embedding"].T)', 'parameters["embedding"].T'),
    },
    "geometry": {
        "points on an edge are corners": ("<= 0:", "< 0:"),
        "a cosine of one length alone": ("attention_scores(*directions, scale=1)", "attention_scores(query, directions[1], scale=1)"),
        "turns the wrong way": ("return float((b[0]", "return -float((b[0]"),
    },
    "multihead": {
        "heads mixed": (
            "return np.swapaxes(apart, -2, -3)",
            "return x.reshape(*x.shape[:-2], num_heads, x.shape[-2], x.shape[-1] // num_heads)",
        ),
        "heads merged in the wrong order": ("beside = np.swapaxes(x, -2, -3)", "beside = np.swapaxes(x[..., ::-1, :, :], -2, -3)"),
        "heads pooled across groups": (
            "num_kv_heads, h // num_kv_heads, n, d_head)",
            "h // num_kv_heads, num_kv_heads, n, d_head).swapaxes(-3, -4)",
        ),
        "reads ahead and not back": ("np.diagonal(weights, -back,", "np.diagonal(weights, back,"),
        "groups dealt out in turn": (
            "np.repeat(shared, num_heads // num_kv_heads, axis=-3)",
            "np.concatenate([shared] * (num_heads // num_kv_heads), axis=-3)",
        ),
        "keys and values swapped": ('key = split_heads(projected("z", z, "w_k", w_k', 'key = split_heads(projected("z", z, "w_k", w_v'),
        "self-attention although z is given": ("z=x if z is None else z", "z=x"),
        "the mask of a sequence goes to a head": ("np.asarray(mask)[..., None, :, :]", "np.asarray(mask)"),
        "scale not passed on": ("attention_weights(query, key, mask, scale=scale)", "attention_weights(query, key, mask)"),
        "the bias of the keys goes to the values": ('"w_v", w_v, b_v)', '"w_v", w_v, b_k)'),
        "no bias at the end": ('"w_o", w_o, b_o)', '"w_o", w_o)'),
        "dropout without rescaling": (" / (1 - probability)", ""),
        "dropout keeps what it should drop": (">= probability", "< probability"),
    },
    "stages": {
        "a grid transposed": ("(cell, ROW), weights, allowed)", "(cell, ROW), weights.T, allowed)"),
        "names from below": ("top - (i + 0.5) * ROW, token", "top - (n - i - 0.5) * ROW, token"),
        "stages counted from 0": ("{place + 1}  {name}", "{place}  {name}"),
    },
    "positions": {
        "turned the other way": ("a * np.cos(angles) - b * np.sin(angles)", "a * np.cos(angles) + b * np.sin(angles)"),
        "sine and cosine swapped": ("[np.sin(angles), np.cos(angles)]", "[np.cos(angles), np.sin(angles)]"),
        "layouts swapped": ('if layout == "half" else slice(0, d, 2)', 'if layout != "half" else slice(0, d, 2)'),
        "frequencies by c and not by 2c": ("-np.arange(0, d, 2) / d", "-np.arange(d // 2) / d"),
        "the base scaled without its power": ("factor ** (d / (d - 2))", "factor"),
        "positions ignored": ("angles = _angles(positions, d, base)", "angles = _angles(np.arange(n), d, base)"),
        "the permutation is its own inverse": (
            "return np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])",
            "return np.argsort(np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)]))",
        ),
    },
    "streaming": {
        "values that overflow their sum stay infinite": ("                    _fill(*given, False)", "                    pass"),
        "the sum is not rescaled": ("                total *= shrink", "                pass"),
        "the blend is not rescaled": ("                out *= shrink", "                pass"),
        "a tile on the diagonal passes": ("tile.stop > place + 1:", "tile.stop > place + 2:"),
        "a query reads one key less": ("return np.tri(n, dtype=dtype)", "return np.tri(n, k=-1, dtype=dtype)"),
        "a late tile starts at the diagonal": ("max(0, start - place)", "0"),
        "the second head gets the first one's keys": ("(x[head : head + together] for x in apart)", "(x[head : head + together] if x is apart[0] else x[:together] for x in apart)"),
        "the maximum is never subtracted": ("            scores -= larger", "            pass"),
        "the last tile is lost": ("min(n_k, place + n_q)", "min(n_k, place + n_q - 1)"),
        "the cache forgets": ("self._length, self._length + rows", "0, self._length + rows"),
    },
    "plots": {
        "a grid transposed": ("np.ndenumerate(weights)", "np.ndenumerate(weights.T)"),
        "queries from below": ("ylim=(len(tokens), 0)", "ylim=(0, len(tokens))"),
        "the panels' names backwards": ("axes.set_title(names[a]", "axes.set_title(names[-1 - a]"),
        "what may be read is hatched": ("np.zeros(weights.shape, dtype=bool) if mask is None else ~mask", "np.zeros(weights.shape, dtype=bool) if mask is None else mask"),
        "an exponent upside down": ("/ (from_mean @ from_mean)", "/ (np.log(y) @ np.log(y))"),
        "counts, not densities": ("np.histogram(values, edges, density=True)", "np.histogram(values, edges)"),
        "arrows to (y, x)": ("*still.T, *vectors.T,", "*still.T, *vectors.T[::-1],"),
    },
    "projections": {
        "no bias": ("x @ w + b", "x @ w"),
        "a bias for each row": ("x @ w + b", "x @ w + b[: len(x), None]"),
    },
    "cost": {
        "the product with the values forgotten": ("_products((n_q, d_k, n_k), (n_q, n_k, d_v))", "_products((n_q, d_k, n_k))"),
        "what is written forgotten": ("m * k + k * n + m * n", "m * k + k * n"),
        "tiles above the diagonal counted": ("min(n_k, first + rows, n_q) if causal", "min(n_k, n_q) if causal"),
        "heads forgotten": ("Cost(num_heads * multiply_adds", "Cost(multiply_adds"),
        "shared keys at full width": ("shared = num_kv_heads * d_head", "shared = d"),
        "one grid in memory": ("2 * grid + n_q * d_v", "n_q * d_v"),
        "the crossover without the projections": ("block / (2 * d)", "(block - 4 * d**2) / (2 * d)"),
        "grouped keys at full cost": ("num_kv_heads=num_kv_heads) - grid", "num_kv_heads=None) - grid"),
        "two matrices, not three": ("2 * d * d_k + d * d_v", "d * d_k + d * d_v"),
        "the ideal tensor for one token": ("n * d * n * d_v", "n * d * d_v"),
        "keys cached, values not": ("2 * n * num_kv_heads", "n * num_kv_heads"),
        "W_O counted with the projections": ("attention - scores - blends - mix", "attention - scores - blends"),
    },
    "costs": {
        "a share of the wrong whole": ("whose == group) / total", "whose == group) / max(parts.values())"),
        "grids coloured as projections": ('("$A_a V_a$, all heads", "$n^2 d$", 1)', '("$A_a V_a$, all heads", "$n^2 d$", 0)'),
        "keys without their heads": ("cost.cache_bytes(m, num_heads,", "cost.cache_bytes(m, 1,"),
    },
    "variants": {
        "a window one too short": ("np.arange(window) < window - 1", "np.arange(window) < window"),
        "the causal sum is not kept": ("    read += key", "    read = key"),
        "weights over the largest sum": ("weights: Array = raised / sums", "weights: Array = raised / sums.max()"),
        "φ(x) = elu(x), which may be 0": ("np.where(x > 0, x + 1,", "np.where(x > 0, x,"),
        "not normalised": ("out = out[..., :-1] / sums", "out = out[..., :-1]"),
        "φ on the queries alone": ('_applied("φ(key)", feature, key)', "abs(key)"),
        "u for the scores alone": ("return attention(x, x, x, mask", "return attention(x, x, x[..., ::-1], mask"),
    },
}  # fmt: skip


ALL = [(module, mistake) for module, mistakes in MISTAKES.items() for mistake in mistakes]


@pytest.fixture(scope="module")
def server():
    """A process that runs the tests of a folder at a word, libraries loaded."""
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "tests/unit/mutants.py"]
    with subprocess.Popen(command, env=alone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield server
        server.stdin.close()


def write_with(module, mistake, folder):
    """A copy of the package with one mistake, and of its tests."""
    right, wrong = MISTAKES[module][mistake]
    for name in ("attnlib", "tests"):
        shutil.copytree(name, folder / name, ignore=shutil.ignore_patterns("browser", "js"))
    shutil.copy("pyproject.toml", folder)
    homes = [file for file in (folder / "attnlib").rglob("*.py") if right in file.read_text()]
    assert {home.stem for home in homes} & {module, "checks"} or module in {home.parent.name for home in homes}, (
        f"no line of {module} reads {right!r}"
    )
    for home in homes:
        home.write_text(home.read_text().replace(right, wrong, 1))


@pytest.mark.parametrize(("module", "mistake"), ALL)
def test_the_suite_fails_for(module, mistake, server, tmp_path):
    write_with(module, mistake, tmp_path)
    server.stdin.write(f"{tmp_path}\ttests/unit/test_{module}.py\n")
    server.stdin.flush()
    code = int(server.stdout.readline())
    assert code == 1, (tmp_path / "said").read_text()[-2000:]  # 1: tests ran, and failed
