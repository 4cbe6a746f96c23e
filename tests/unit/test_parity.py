"""The page's mathematics gives what attnlib gives, function by function, and the same constants bound both."""

import dataclasses
import json
from typing import get_args

import numpy as np
import pytest

import attnlib
from attnlib import cost
from attnlib.lab import budget
from attnlib.lab.cones import Preset
from attnlib.lab.scaling import BROKEN
from attnlib.lab.tiles import Forgotten, Stage
from attnlib.models import packing, weights
from attnlib.models.recording import Recording
from attnlib.widgets import (
    cycle_puzzle,
    model_view,
    roles_puzzle,
)
from tests.helpers.node import ask

RANDOM_CASES = 1000


def node(**request):
    return ask("parity", request)


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


def random_directions(rng, size):
    return random_attention(rng, size, with_value=False)[:2]


def random_rotary(rng, size):
    n, half = rng.integers(1, 6, size=2)
    layout = str(rng.choice(["half", "interleaved"]))
    positions = rng.integers(-300, 300, size=n)
    return [rng.normal(scale=size, size=(n, 2 * half)), positions, layout, float(rng.uniform(1, 1e4))]


def random_sizes(count, most=3000):
    """Sizes from 1 to `most`, small and large ones alike."""
    return lambda rng, size: [int(most ** rng.random()) for _ in range(count)]


def random_heads(rng):
    """d, num_heads and num_kv_heads that divide each other."""
    groups, times, d_head = (int(size) for size in rng.integers(1, 9, size=3))
    return d_head * times * groups, times * groups, groups


def random_block(rng, size):
    d, *heads = random_heads(rng)
    return [d, float(rng.choice([1, 4, 4.03125, 5.25])), *(heads if rng.random() < 0.5 else [1, None])]


def random_multi_head(rng, size):
    d, heads, groups = random_heads(rng)
    return [*random_sizes(1)(rng, size), d, heads, groups if rng.random() < 0.5 else None]


def random_budget(rng, size):
    d, heads, groups = random_heads(rng)
    n, layers = random_sizes(2)(rng, size)
    options = {"num_layers": layers, "num_heads": heads, "num_kv_heads": groups, "window": None}
    options |= {"expansion": float(rng.choice([1, 4, 4.03125])), "itemsize": int(rng.choice([1, 2, 4]))}
    options["linearised"] = linearised = bool(rng.random() < 0.3)
    options["tiles"] = not linearised and bool(rng.random() < 0.5)
    if not linearised and rng.random() < 0.5:
        options["window"] = random_sizes(1)(rng, size)[0]
    return [n, d, options]


def random_biased(rng, size):
    case = random_attention(rng, size, with_value=False)
    bias = rng.normal(scale=size, size=(len(case[0]), len(case[1])))
    return [*case, bias if rng.random() < 0.5 else None]


def random_projection(rng, size):
    n, d, d_out, _ = sizes(rng)
    return [
        rng.normal(scale=np.sqrt(size), size=(n, d)),
        rng.normal(scale=np.sqrt(size), size=(d, d_out)),
        rng.normal(scale=size, size=d_out) if rng.random() < 0.5 else None,
    ]


def random_square(rng, size):
    """Rounded, so that some entries are equal."""
    n = rng.integers(2, 8)
    return (rng.normal(size=(n, n)) * size).round(rng.integers(0, 4))


def random_cycle(rng, size):
    """Products of a few weights: of factors up to 10, so that the tolerance, for one product, holds."""
    weights = random_square(rng, min(size, 3))
    return [weights, rng.integers(len(weights), size=rng.integers(1, 5)).tolist()]


def random_row(rng, size):
    """Scores that every φ can take: exp stays in the range, sigmoid above 0."""
    return rng.normal(scale=min(size, 3), size=rng.integers(1, 9))


def random_stream(rng, size):
    n = int(rng.integers(1, 9))
    return [rng.normal(scale=size, size=n), rng.normal(size=n)]


def random_weights(rng, size):
    return [attnlib.softmax(random_softmax(rng, size)[0])]


def random_window(rng, size):
    n_q, n_k, window, offset = (int(one) for one in rng.integers(1, 9, size=4))
    return [n_q, n_k, window, offset - 1]


def random_preset(rng, size):
    n = int(rng.integers(1, 9))
    return [str(rng.choice(get_args(Preset))), n, int(rng.integers(1, n + 1))]


def random_layers(rng, size):
    n, layers = int(rng.integers(1, 9)), int(rng.integers(5))
    return [rng.random((n, n)) < 0.4, layers]


def random_padding(rng, size):
    n_q, n_k = (int(one) for one in rng.integers(1, 9, size=2))
    return [np.array(rng.integers(1, n_k + 1)), n_q, n_k]


def random_grouped(rng, size, *, grouped):
    groups, shared, n, d_head = (int(one) for one in rng.integers(1, 5, size=4))
    heads = rng.normal(scale=size, size=(groups * shared, n, d_head))
    return [heads, groups] if grouped else [heads]


def random_square_and_back(rng, size):
    n = int(rng.integers(1, 9))
    return [rng.random((n, n)) * size, int(rng.integers(n))]


def random_comparison(rng, size):
    """Whole scores, and fixed weights of which one at least is not 0."""
    n = int(rng.integers(1, 9))
    fixed = rng.integers(0, 3, size=n).astype(float)
    fixed[rng.integers(n)] = 1.0
    return [rng.integers(-16, 17, size=n), fixed, float(rng.choice([0, 0.25, 1, 5]))]


def random_rows(rng):
    rows, items, d, letters = (int(one) for one in rng.integers([1, 1, 4, 1], [6, 9, 9, 9]))
    return attnlib.lab.lookup_rows(rng, rows, items, d, letters)


def random_shares(rng, size):
    names, letters = random_rows(rng)
    fixed = rng.uniform(0.1, 1, size=letters.shape[1]).round(1)
    return [names, letters, fixed, float(rng.choice([0, 0.25, 1]))]


def random_parameters(rng, size):
    d, d_k, d_v, groups, shared = (int(one) for one in rng.integers(1, 900, size=5))
    return [d, d_k, d_v, groups * shared, groups]


def random_stack(rng, size):
    heads, n, width, _ = sizes(rng)
    return rng.normal(scale=size, size=(heads, n, width))


def random_sentence(rng, size):
    words, heads, width, layers = sizes(rng)
    parameters = attnlib.lab.random_decoder(
        rng, vocabulary=int(words), d=int(heads * width), num_layers=int(layers), num_heads=int(heads), reach=3
    )
    if rng.random() < 0.3:
        parameters["unembedding"] = rng.normal(size=(heads * width, words))
    return [parameters, rng.integers(words, size=rng.integers(1, 9)).tolist()]


def random_head(rng, size):
    layers, heads, width, columns = (int(one) for one in sizes(rng))
    w_o = rng.normal(scale=size, size=(layers, heads * width, columns))
    return [w_o, int(rng.integers(layers)), int(rng.integers(heads)), heads]


def random_reading(rng, size):
    n, d, d_u = (int(one) for one in rng.integers(1, 7, size=3))
    side = min(size, 30) ** 0.25  # the scores are products of four entries
    return [rng.normal(scale=side, size=(n, d)), rng.normal(scale=side, size=(d, d_u)), rng.integers(3, size=n)]


def random_kinds(rng, size):
    n = int(rng.integers(1, 9))
    return [rng.normal(scale=size, size=(n, n)), rng.integers(3, size=n)]


def random_columns(rng, size):
    """Rounded, and some of them without spread."""
    x = rng.normal(scale=size, size=rng.integers(1, 8, size=2)).round(int(rng.integers(0, 9)))
    x[:, rng.random(x.shape[1]) < 0.2] = 0.1
    return [x]


def random_partners(rng, size):
    n, n_k = (int(one) for one in rng.integers(1, 8, size=2))
    return [rng.normal(scale=size, size=(n, n_k)), rng.integers(n_k, size=n).tolist()]


def random_circle(rng, size):
    n = int(rng.integers(3, 8))
    return [(rng.normal(size=(n, n)) * size).round(int(rng.integers(0, 9)))]


def random_blends(rng, size):
    shares = rng.choice([rng.random(3), rng.integers(0, 3, size=3) / 2])[: rng.integers(1, 4)]
    return [shares, float(rng.choice([0, 1e-3, rng.random()]))]


def random_tiles(rng, size):
    heads, n, width, _ = (int(one) for one in sizes(rng))
    stage, forgotten = (str(rng.choice(get_args(names))) for names in (Stage, Forgotten))
    return [stage, min(n, 5), heads * min(width, 3), heads, forgotten]


POSITIVE = ("exp", "softplus", "sigmoid", "relu", "square")
CASES = {
    "rotary_permutation": lambda rng, size: [2 * int(rng.integers(1, 9))],
    "rotary_embedding": random_rotary,
    "attention_cost": random_sizes(6),
    "streaming_cost": random_sizes(6),
    "tile_sizes": lambda rng, size: [*random_sizes(2)(rng, size), bool(rng.random() < 0.5)],
    "multi_head_cost": random_multi_head,
    "block_multiply_adds": lambda rng, size: [*random_sizes(1)(rng, size), *random_block(rng, size)],
    "block_parameters": random_block,
    "crossover": random_block,
    "ideal_tensor_parameters": random_sizes(3),
    "attention_parameters": random_sizes(3),
    "cache_bytes": random_sizes(5),
    "reading_cost": random_budget,
    "cosine_similarity": random_directions,
    "distance_scores": random_directions,
    "standardise": random_columns,
    "kind_share": random_kinds,
    "reading_loss": random_reading,
    "reading_gradient": random_reading,
    "partner_share": random_partners,
    "blend_errors": random_blends,
    "blend_readout": random_blends,
    "positive_function": lambda rng, size: [random_row(rng, size), str(rng.choice(POSITIVE))],
    "positive_weights": lambda rng, size: [random_row(rng, size), str(rng.choice(POSITIVE))],
    "streamed_softmax": random_stream,
    "weight_properties": lambda rng, size: [
        random_row(rng, size).round(2),
        str(rng.choice(POSITIVE)),
        float(rng.normal()),
        float(rng.uniform(0, 9)),
    ],
    "entropy": random_weights,
    "softmax_jacobian": random_weights,
    "seeded_uniform": lambda rng, size: [int(k) for k in rng.integers([0, 0, 0], [9, 2**31, 2**31])],
    "draw_scores": lambda rng, size: [
        *(int(k) for k in rng.integers(1, 9, size=3)),
        str(rng.choice(BROKEN)),
        int(rng.integers(2**20)),
    ],
    "score_variance": lambda rng, size: [int(rng.integers(1, 5000)), str(rng.choice(BROKEN))],
    "saturation": lambda rng, size: [rng.normal(scale=min(size, 30), size=rng.integers(1, 7, size=2))],
    "softmax": random_softmax,
    "attention_scores": random_scores,
    "attention_weights": random_biased,
    "attention": lambda rng, size: random_attention(rng, size, with_value=True),
    "causal_mask": lambda rng, size: [int(rng.integers(1, 9)), int(rng.integers(1, 9)), int(rng.integers(0, 5))],
    "project": random_projection,
    "stretch_matrix": lambda rng, size: (rng.normal(size=3) * [1, 1, 360]).tolist(),
    "most_read": lambda rng, size: [random_square(rng, size)],
    "most_unequal_pair": lambda rng, size: [random_square(rng, size)],
    "cycle_product": random_cycle,
    "cycle_loss": random_circle,
    "cycle_means": random_circle,
    "cycle_bound": lambda rng, size: (rng.normal(size=2) * size).tolist(),
    "sliding_window_mask": random_window,
    "padding_mask": random_padding,
    "preset_mask": random_preset,
    "mask_reach": random_layers,
    "as_torch_reads": lambda rng, size: [
        rng.random((3, 5)) < 0.5,
        str(rng.choice(["scaled_dot_product_attention", "MultiheadAttention"])),
    ],
    "merge_heads": lambda rng, size: random_grouped(rng, size, grouped=False),
    "pool_heads": lambda rng, size: random_grouped(rng, size, grouped=True),
    "weight_back": random_square_and_back,
    "multi_head_parameters": random_parameters,
    "split_heads": lambda rng, size: [attnlib.merge_heads(heads := random_stack(rng, size)), len(heads)],
    "rms_norm": lambda rng, size: [random_stack(rng, size)[0], float(rng.uniform(0, 0.1))],
    "distance_bias": lambda rng, size: [rng.normal(scale=size, size=sizes(rng)[0]), int(sizes(rng)[1])],
    "silence_head": random_head,
    "tile_parents": random_tiles,
    "decoder_weights": random_sentence,
    "decoder_logits": random_sentence,
    "compared_weights": random_comparison,
    "largest_letter": lambda rng, size: [rng.random(8).round(1), rng.integers(5, size=8)],
    "share_right": random_shares,
    "most_right": lambda rng, size: [random_rows(rng).letters],
    "convex_hull": lambda rng, size: [(rng.normal(size=(rng.integers(1, 15), 2)) * size).round(rng.integers(0, 4))],
}
KEYWORDS = {"softmax": ["temperature"], "attention_scores": ["scale"], "causal_mask": ["offset"]}
KEYWORDS |= {
    "sliding_window_mask": ["window", "offset"],
    "multi_head_parameters": ["num_heads", "num_kv_heads"],
    "weight_properties": ["constant", "raised"],
    "seeded_uniform": ["seed", "start"],
    "draw_scores": ["broken", "seed"],
    "score_variance": ["broken"],
    "rotary_embedding": ["layout", "base"],
    "attention_cost": ["num_heads", "itemsize"],
    "streaming_cost": ["num_heads", "itemsize"],
    "multi_head_cost": ["num_heads", "num_kv_heads"],
    "cache_bytes": ["num_layers", "itemsize"],
    "blend_errors": ["noise"],
    "blend_readout": ["noise"],
}
for name in ("block_multiply_adds", "block_parameters", "crossover"):
    KEYWORDS[name] = ["expansion", "num_heads", "num_kv_heads"]
KEYWORDS |= {"attention_weights": ["scale", "bias"], "attention": ["scale"], "rms_norm": ["epsilon"]}


def in_python(name, arguments):
    """Python takes as keywords what JavaScript takes last, or as options."""
    *given, last = arguments
    named = last if isinstance(last, dict) else {}
    if not named:
        keywords = KEYWORDS.get(name, [])
        split = len(arguments) - len(keywords)
        given, named = arguments[:split], dict(zip(keywords, arguments[split:], strict=True))
    homes = (
        attnlib,
        attnlib.masks,
        attnlib.lab,
        attnlib.lab.lookup,
        attnlib.decoder,
        attnlib.positions,
        attnlib.scaled_dot_product,
        attnlib.streaming,
        cost,
    )
    function = next(getattr(home, name) for home in homes if hasattr(home, name))
    result = function(*given, **named)
    return dataclasses.asdict(result) if dataclasses.is_dataclass(result) else result


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


def test_every_function_of_the_page_is_compared():
    assert sorted(node(exports=True)) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_random_and_extreme_inputs_agree(name):
    rng = np.random.default_rng(0)
    number = RANDOM_CASES // 5 if name.startswith("decoder") else RANDOM_CASES  # each is a whole model
    cases = [CASES[name](rng, size) for size in (1.0, 1.0, 30.0, 1e4) for _ in range(number // 4 + 1)]
    answers = node(calls=[[name, [as_json(a) for a in arguments]] for arguments in cases])
    for arguments, answer in zip(cases, answers, strict=True):
        expected = in_python(name, arguments)
        if isinstance(answer, dict):  # of a cost the page has what it shows
            expected, answer = [expected[part] for part in answer], list(answer.values())
        expected = np.asarray(expected, dtype=float)
        assert expected.shape == np.shape(answer)
        assert np.abs(expected - np.asarray(answer, dtype=float)).max(initial=0) <= 1e-12 * max(
            largest(arguments), np.abs(expected).max(initial=0)
        )


def test_scores_of_ten_thousand_agree_to_the_last_digits():
    scores = np.array([1e4, -1e4, 1e4 - 1, 0.0, -np.inf])
    (answer,) = node(calls=[["softmax", [as_json(scores), 1]]])
    assert np.abs(attnlib.softmax(scores) - answer).max() <= 1e-15


SCALES = [0.5, 0.25]  # of the layers


def a_recording(causal, n, softcaps=(None, None), biased=(), blocked=False, sinks=None):
    """One with the queries and keys of all heads, and what these give; the heads in `biased` have a bias."""
    rng = np.random.default_rng(n)
    q, k = rng.normal(size=(2, 2, 3, n, 6)).astype(np.float16).astype(float)
    bias = rng.normal(size=(n, n)).astype(np.float16).astype(float)
    if blocked:
        bias[:, ::2] = packing.BLOCKED
    scores = np.empty((2, 3, n, n))
    for at in np.ndindex(2, 3):
        scores[at] = q[at] @ k[at].T * SCALES[at[0]]
        if softcaps[at[0]] is not None:
            scores[at] = softcaps[at[0]] * np.tanh(scores[at] / softcaps[at[0]])
        scores[at] += bias if at in biased else 0
    scores = np.where((np.tri(n, dtype=bool) | (not causal)) & (scores > -50_000), scores, -np.inf)
    logits = np.full((2, 3), -np.inf) if sinks is None else np.array(sinks)
    with_sink = np.concatenate([scores, np.broadcast_to(logits[..., None, None], (2, 3, n, 1))], axis=-1)
    powers = np.exp(with_sink - np.maximum(with_sink.max(axis=-1, keepdims=True), -1e9))
    sums = powers.sum(axis=-1, keepdims=True)
    grids = (powers / np.where(sums > 0, sums, 1))[..., :n]  # a row that may read nothing is 0
    given = Recording.from_grids(
        grids, ["t"] * n, causal=causal, scale=SCALES, softcap=softcaps, sinks=sinks, queries=q, keys=k
    )
    vectors = {at: dataclasses.replace(one, bias=bias) if at in biased else one for at, one in given.vectors.items()}
    return dataclasses.replace(given, vectors=vectors), scores, grids


RECORDED = {
    "causal": (True, 5, {}),
    "long": (True, 40, {}),
    "softcap of one layer": (False, 7, {"softcaps": (None, 1.5)}),
    "a bias of some heads": (False, 40, {"biased": [(0, 1), (1, 2)]}),
    "blocked keys": (False, 9, {"biased": [(0, 0), (1, 1)], "blocked": True}),
    "blocked and causal": (True, 6, {"biased": [(1, 1)], "blocked": True}),
    "sinks": (True, 8, {"sinks": [[0.5, -3, 9], [2, 30, -1]]}),
}


@pytest.mark.parametrize("name", RECORDED)
def test_the_page_unpacks_a_recording_and_does_its_arithmetic(name):
    causal, n, changed = RECORDED[name]
    given, scores, grids = a_recording(causal, n, **changed)
    packed = json.loads(json.dumps(packing.with_base64(given.to_dict())))
    for i, j in ((n - 2, n // 2), (0, 0)):
        answer = ask("packed", packed | {"at": [i, j]})
        assert answer["scores"] == {name: score.tolist() for name, score in given.scores.items()}
        for at, (layer, head) in enumerate(np.ndindex(2, 3)):
            assert answer["grids"][at] == np.rint(255 * given.grid(layer, head)).ravel().tolist()
            one, sums, row = given.vectors[layer, head], answer["sums"][at], scores[layer, head, i]
            products = one.queries[i].astype(float) * one.keys[j].astype(float)
            assert np.abs(products - sums["products"]).max() <= 1e-12
            assert abs(products.sum() - sums["raw"][j]) <= 1e-12
            seen = np.isfinite(row)
            assert [score is None for score in sums["scores"]] == (~seen).tolist()
            assert np.abs(row[seen] - np.array(sums["scores"], dtype=float)[seen]).max(initial=0) <= 1e-12
            assert np.abs(grids[layer, head, i] - sums["weights"]).max() <= 1e-12


# What modules without a model have in both languages: by module, the constant in the page and its value in Python.
CONSTANTS = [
    ("lab", "CARD", {"peak": budget.CARD.peak, "bandwidth": budget.CARD.bandwidth}),
    ("plane", "REACH", cycle_puzzle.LARGEST),
    ("plane", "REACH", roles_puzzle.LARGEST),
    ("packed", "SIDE", packing.SIDE),
    ("packed", "SCORE", weights.SCORE),
    ("packed", "BLOCKED", packing.BLOCKED),
    ("packed", "MOST", weights.MOST),
    ("overview", "MARKED", model_view.MARKED),
    ("overview", "FEWEST", model_view.FEWEST),
    ("overview", "SIGNS", model_view.HABITS),
]


def test_constants_are_the_same_in_the_page():
    asked = [(module, name) for module, name, _ in CONSTANTS]
    for (module, name, expected), answer in zip(CONSTANTS, ask("constants", asked), strict=True):
        if isinstance(expected, tuple):  # a list, or the names of what the page says more of
            answer, expected = {str(one) for one in answer}, {str(one) for one in expected}
        assert answer == expected, (module, name)
