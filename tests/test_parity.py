"""math.mjs gives what attnlib gives, function by function."""

import json
import subprocess

import numpy as np
import pytest

import attnlib
from attnlib import cost

RANDOM_CASES = 1000


def node(**request):
    """What tests/js/parity.mjs answers."""
    result = subprocess.run(
        ["node", "tests/js/parity.mjs"], input=json.dumps(request), capture_output=True, text=True, check=True
    )
    return json.loads(result.stdout)


def sizes(rng):
    """n_q, n_k, d_k, d_v: small, different more often than not, 1 among them."""
    return rng.integers(1, 7, size=4)


def random_softmax(rng, size):
    scores = rng.normal(scale=size, size=rng.integers(1, 12))
    scores[1:][rng.random(len(scores) - 1) < 0.2] = -np.inf
    return [scores, float(rng.uniform(0.1, 5))]


def random_attention(rng, size, *, with_value):
    n_q, n_k, d_k, d_v = sizes(rng)
    side = np.sqrt(size)  # the scores are products of two entries
    query, key = rng.normal(scale=side, size=(n_q, d_k)), rng.normal(scale=side, size=(n_k, d_k))
    mask = rng.random((n_q, n_k)) < 0.6
    mask[np.arange(n_q), rng.integers(n_k, size=n_q)] = True
    values = [rng.normal(scale=size, size=(n_k, d_v))] if with_value else []
    return [
        query,
        key,
        *values,
        mask if rng.random() < 0.5 else None,
        None if rng.random() < 0.5 else rng.uniform(0.1, 2),
    ]


def random_scores(rng, size):
    query, key, _, scale = random_attention(rng, size, with_value=False)
    return [query, key, scale]


def random_projection(rng, size):
    n, d, d_out, _ = sizes(rng)
    side = np.sqrt(size)
    bias = None if rng.random() < 0.5 else rng.normal(scale=size, size=d_out)
    return [rng.normal(scale=side, size=(n, d)), rng.normal(scale=side, size=(d, d_out)), bias]


def random_window(rng, size):
    n_q, n_k, window, offset = (int(one) for one in rng.integers(1, 9, size=4))
    return [n_q, n_k, window, offset - 1]


def random_padding(rng, size):
    n_q, n_k = (int(one) for one in rng.integers(1, 9, size=2))
    return [np.array(rng.integers(1, n_k + 1)), n_q, n_k]


def random_heads(rng, size, *, grouped):
    groups, shared, n, d_head = (int(one) for one in rng.integers(1, 5, size=4))
    heads = rng.normal(scale=size, size=(groups * shared, n, d_head))
    return [heads, groups] if grouped else [heads]


def random_square(rng, size):
    n = int(rng.integers(1, 9))
    return [rng.random((n, n)) * size, int(rng.integers(n))]


def random_parameters(rng, size):
    d, d_k, d_v, groups, shared = (int(one) for one in rng.integers(1, 900, size=5))
    return [d, d_k, d_v, groups * shared, groups]


CASES = {
    "softmax": random_softmax,
    "attention_scores": random_scores,
    "attention_weights": lambda rng, size: random_attention(rng, size, with_value=False),
    "attention": lambda rng, size: random_attention(rng, size, with_value=True),
    "causal_mask": lambda rng, size: [int(rng.integers(1, 9)), int(rng.integers(1, 9)), int(rng.integers(0, 5))],
    "sliding_window_mask": random_window,
    "padding_mask": random_padding,
    "to_torch": lambda rng, size: [
        rng.random((3, 5)) < 0.5,
        str(rng.choice(["scaled_dot_product_attention", "MultiheadAttention"])),
    ],
    "project": random_projection,
    "merge_heads": lambda rng, size: random_heads(rng, size, grouped=False),
    "pool_heads": lambda rng, size: random_heads(rng, size, grouped=True),
    "weight_back": random_square,
    "multi_head_parameters": random_parameters,
    "cache_bytes": lambda rng, size: [int(one) for one in rng.integers(1, 300, size=5)],
    "convex_hull": lambda rng, size: [(rng.normal(size=(rng.integers(1, 15), 2)) * size).round(rng.integers(0, 4))],
}
KEYWORDS = {
    "softmax": ["temperature"],
    "attention_scores": ["scale"],
    "causal_mask": ["offset"],
    "sliding_window_mask": ["window", "offset"],
    "multi_head_parameters": ["num_heads", "num_kv_heads"],
    "cache_bytes": ["num_layers", "itemsize"],
}
for name in ("attention_weights", "attention"):
    KEYWORDS[name] = ["scale"]


def in_python(name, arguments):
    """Python takes as keywords what JavaScript takes last."""
    keywords = KEYWORDS.get(name, [])
    split = len(arguments) - len(keywords)
    function = getattr(attnlib if hasattr(attnlib, name) else cost, name)
    return function(*arguments[:split], **dict(zip(keywords, arguments[split:], strict=True)))


def as_json(value):
    if isinstance(value, np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, list):
        return [as_json(entry) for entry in value]
    return "-inf" if value == -np.inf else value


def largest(arguments):
    """The largest magnitude among the finite inputs, and the scores they make."""
    arrays = [
        np.abs(a[np.isfinite(a)]).max(initial=0) for a in arguments if isinstance(a, np.ndarray) and a.dtype == float
    ]
    return max(1.0, *arrays, arrays[0] * arrays[1] if len(arrays) > 1 else 0)


def test_every_function_of_math_mjs_is_compared():
    assert sorted(node(exports=True)) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_random_and_extreme_inputs_agree(name):
    rng = np.random.default_rng(0)
    cases = [CASES[name](rng, size) for size in (1.0, 1.0, 30.0, 1e4) for _ in range(RANDOM_CASES // 4 + 1)]
    answers = node(calls=[[name, [as_json(a) for a in arguments]] for arguments in cases])
    for arguments, answer in zip(cases, answers, strict=True):
        expected = np.asarray(in_python(name, arguments), dtype=float)
        assert expected.shape == np.shape(answer)
        assert np.abs(expected - np.asarray(answer, dtype=float)).max(initial=0) <= 1e-12 * largest(arguments)


def test_scores_of_ten_thousand_agree_to_the_last_digits():
    scores = np.array([1e4, -1e4, 1e4 - 1, 0.0, -np.inf])
    (answer,) = node(calls=[["softmax", [as_json(scores), 1]]])
    assert np.abs(attnlib.softmax(scores) - answer).max() <= 1e-15
