"""math.mjs gives what attnlib gives, function by function."""

import json
import subprocess

import numpy as np
import pytest

import attnlib

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


def random_weights(rng, size):
    case = random_attention(rng, size, with_value=False)
    bias = rng.normal(scale=size, size=(len(case[0]), len(case[1])))
    return [*case, bias if rng.random() < 0.5 else None]


def random_projection(rng, size):
    n, d, d_out, _ = sizes(rng)
    side = np.sqrt(size)
    bias = rng.normal(scale=size, size=d_out) if rng.random() < 0.5 else None
    return [rng.normal(scale=side, size=(n, d)), rng.normal(scale=side, size=(d, d_out)), bias]


def random_heads(rng, size):
    heads, n, width, _ = sizes(rng)
    return rng.normal(scale=size, size=(heads, n, width))


def random_sentence(rng, size):
    words, heads, width, layers = sizes(rng)
    parameters = attnlib.random_decoder(
        rng, vocabulary=int(words), d=int(heads * width), num_layers=int(layers), num_heads=int(heads), reach=3
    )
    if rng.random() < 0.3:
        parameters["unembedding"] = rng.normal(size=(heads * width, words))
    return [parameters, rng.integers(words, size=rng.integers(1, 9)).tolist()]


CASES = {
    "softmax": random_softmax,
    "attention_scores": random_scores,
    "attention_weights": random_weights,
    "attention": lambda rng, size: random_attention(rng, size, with_value=True),
    "causal_mask": lambda rng, size: [int(rng.integers(1, 9)), int(rng.integers(1, 9)), int(rng.integers(0, 5))],
    "project": random_projection,
    "split_heads": lambda rng, size: [attnlib.merge_heads(heads := random_heads(rng, size)), len(heads)],
    "merge_heads": lambda rng, size: [random_heads(rng, size)],
    "rms_norm": lambda rng, size: [random_heads(rng, size)[0], float(rng.uniform(0, 0.1))],
    "distance_bias": lambda rng, size: [rng.normal(scale=size, size=sizes(rng)[0]), int(sizes(rng)[1])],
    "decoder_weights": random_sentence,
    "decoder_logits": random_sentence,
    "convex_hull": lambda rng, size: [(rng.normal(size=(rng.integers(1, 15), 2)) * size).round(rng.integers(0, 4))],
}
KEYWORDS = {"softmax": ["temperature"], "attention_scores": ["scale"], "causal_mask": ["offset"]}
KEYWORDS |= {"attention_weights": ["scale", "bias"], "attention": ["scale"], "rms_norm": ["epsilon"]}


def in_python(name, arguments):
    """Python takes as keywords what JavaScript takes last."""
    keywords = KEYWORDS.get(name, [])
    split = len(arguments) - len(keywords)
    return getattr(attnlib, name)(*arguments[:split], **dict(zip(keywords, arguments[split:], strict=True)))


def as_json(value):
    if isinstance(value, np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, list):
        return [as_json(entry) for entry in value]
    if isinstance(value, dict):
        return {name: as_json(entry) for name, entry in value.items()}
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
