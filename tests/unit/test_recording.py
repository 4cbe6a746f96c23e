"""A recording: the bound of its weights, its size, and what it says of a file that is broken."""

import base64
import json
from types import SimpleNamespace

import numpy as np
import pytest

from attnlib.models.packing import SIDE, Vectors
from attnlib.models.recording import BOUND, Recording
from attnlib.models.scores import head_scores
from attnlib.scaled_dot_product import softmax


def grids(layers=2, heads=3, n=5, n_k=None, causal=True, size=2.0, seed=0):
    scores = np.random.default_rng(seed).normal(size=(layers, heads, n, n_k or n)) * size
    return softmax(np.where(np.tri(n, n_k or n, dtype=bool), scores, -np.inf) if causal else scores)


def words(n):
    return [f"word{i}" for i in range(n)]


def a_stack(n=4, **changes):
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(2, 2, 3, n, 6))
    mask = np.tri(n, dtype=bool)
    weights = softmax(np.where(mask, q @ k.swapaxes(-1, -2) * 0.5, -np.inf))
    return SimpleNamespace(
        **{
            "name": "self",
            "tokens": words(n),
            "special": [True] + [False] * (n - 1),
            "key_tokens": words(n),
            "key_special": [True] + [False] * (n - 1),
            "num_layers": 2,
            "num_heads": 3,
            "causal": True,
            "scale": 0.5,
            "softcap": None,
            "grid": lambda layer, head: weights[layer, head].astype(np.float32),
            "queries": lambda layer, head: q[layer, head],
            "keys": lambda layer, head: k[layer, head],
            "bias": lambda layer, head: None,
            "mask": lambda layer: mask,
        }
        | changes
    )


EFFECTS = {"what": "chance", "labels": ["a"], "before": [0.5], "after": np.full((2, 3, 1), 0.25)}


@pytest.mark.parametrize("n", [1, 5, SIDE, SIDE + 1, 70])
@pytest.mark.parametrize("causal", [True, False])
def test_every_weight_is_within_the_bound(n, causal):
    true = grids(n=n, causal=causal)
    recording = Recording.from_grids(true, words(n), causal=causal)
    again = Recording.from_dict(recording.to_dict())
    for at in np.ndindex(2, 3):
        assert np.abs(recording.grid(*at) - true[at]).max() <= BOUND + 1e-7
        assert (again.grid(*at) == recording.grid(*at)).all()
        assert recording.grid(*at).shape == (n, n)
        assert recording.grid(*at).dtype == np.float32


def test_cross_attention_keeps_its_own_keys():
    true = grids(n=4, n_k=40, causal=False)
    recording = Recording.from_grids(true, words(4), key_tokens=words(40))
    assert not recording.causal
    assert recording.key_tokens == words(40)
    assert np.abs(Recording.from_dict(recording.to_dict()).grid(1, 2) - true[1, 2]).max() <= BOUND + 1e-7
    assert set(recording.scores) == {"first token", "entropy"}


@pytest.mark.parametrize(("causal", "most"), [(True, 80_000), (False, 120_000)])
def test_144_heads_of_32_tokens_are_small_even_where_the_scores_are_noise(causal, most):
    true = grids(12, 12, 32, causal=causal)
    given = Recording.from_grids(true, words(32)).to_dict()
    assert len(base64.b64encode(given.pop("small"))) + len(json.dumps(given)) <= most


def test_a_long_text_has_small_pictures_of_largest_weights():
    true, n = grids(n=70), 70
    given = Recording.from_grids(true, words(n)).to_dict()
    assert len(given["heads"]) == 6
    edges = np.append(np.arange(SIDE) * n // SIDE, n)
    largest = np.array(
        [
            [np.rint(255 * true[0, 1, edges[i] : edges[i + 1], edges[j] : edges[j + 1]].max()) for j in range(i + 1)]
            + [0] * (SIDE - i - 1)
            for i in range(SIDE)
        ]
    )
    short = {**given, "tokens": words(SIDE), "special": [False] * SIDE, "heads": []}
    assert np.allclose(Recording.from_dict(short).grid(0, 1) * 255, largest, atol=1e-4)


def test_a_stack_or_a_reading_is_recorded_with_its_scores_vectors_and_effects():
    stack = a_stack()
    recording = Recording.of(SimpleNamespace(stack=stack, model="tiny"), vectors=[(1, 2)], effects=EFFECTS)
    assert recording.name == "tiny"
    assert recording.special == [True, False, False, False]
    expected = head_scores(
        np.stack([[stack.grid(layer, head) for head in range(3)] for layer in range(2)]),
        stack.tokens,
        stack.special,
        mask=np.tri(4, dtype=bool),
    )
    assert recording.scores.keys() == expected.keys()
    assert all(np.abs(recording.scores[name] - expected[name]).max() <= 5e-4 + 1e-6 for name in expected)
    again = Recording.from_dict(recording.to_dict())
    assert (again.vectors[1, 2].queries == stack.queries(1, 2).astype(np.float16)).all()
    assert (again.vectors[1, 2].keys == stack.keys(1, 2).astype(np.float16)).all()
    assert again.effects == {**EFFECTS, "after": EFFECTS["after"].tolist()}
    assert len(Recording.of(stack, vectors="all", name="x").vectors) == 6


def test_a_recording_says_how_many_queries_each_score_has():
    tokens = ["the", "cat", "saw", "the", "dog"]
    recording = Recording.from_grids(grids(n=5), tokens)
    assert recording.cases["induction"] == 1
    assert recording.cases["previous token"] == 4
    assert Recording.from_dict(recording.to_dict()).cases == recording.cases


def test_a_window_counts_as_a_bias_that_nothing_overcomes():
    mask = np.tri(4, dtype=bool) & ~np.tri(4, k=-2, dtype=bool)
    one = Vectors.of(a_stack(mask=lambda layer: mask), 0, 0)
    assert (one.bias == np.where(mask, 0, -60_000)).all()
    assert Vectors.of(a_stack(), 0, 0).bias is None


def test_a_file_of_its_own_comes_back(tmp_path):
    recording = Recording.of(a_stack(), vectors="all", effects=EFFECTS)
    recording.save(tmp_path / "one.json")
    assert Recording.load(tmp_path / "one.json").to_dict() == recording.to_dict()
    text = (tmp_path / "one.json").read_text()
    (tmp_path / "cut.json").write_text(text[: len(text) // 2])
    with pytest.raises(ValueError, match=r"cut.json holds no recording"):
        Recording.load(tmp_path / "cut.json")


def test_texts_are_kept_and_lone_surrogates_replaced():
    tokens = ["<script>", "שלום", "\ud83d", "\U0001f680"]
    recording = Recording.from_grids(grids(n=4), tokens)
    assert recording.tokens == ["<script>", "שלום", "\ufffd", "\U0001f680"]
    assert json.dumps(recording.tokens, ensure_ascii=False).encode()


def changed(**fields):
    return lambda: Recording.from_dict(Recording.of(a_stack(), vectors=[(0, 0)], effects=EFFECTS).to_dict() | fields)


def with_vectors(**fields):
    given = Recording.of(a_stack(), vectors=[(0, 0)]).to_dict()
    return lambda: Recording.from_dict(given | {"vectors": given["vectors"] | fields})


BAD = {
    "lacking": (lambda: Recording.from_dict({"name": "x"}), "the recording lacks cases, causal, effects"),
    "cut": (changed(small=b"123"), "small has 3 bytes, which do not unpack to its 60 weights"),
    "long": (changed(heads=[b"1"]), "1 heads of their own, for 6 heads of 4 × 4"),
    "marks": (changed(special=[True]), "1 marks of special tokens for 4 tokens"),
    "scores": (changed(scores={"itself": [[1]]}), r"scores\['itself'\] of shape \(1, 1\)"),
    "cases": (changed(cases={"itself": 0}), r"cases\['"),
    "unknown": (changed(scores={"other": np.ones((2, 3))}), "scores"),
    "layers": (changed(num_layers=0), "num_layers"),
    "vectors": (with_vectors(data=b"12"), "vectors have 2 bytes, for 1 heads of 96 bytes"),
    "vector": (with_vectors(heads=[[9, 0]]), "layer"),
    "effects": (changed(effects=EFFECTS | {"before": []}), r"effects before \(0,\)"),
    "axes": (lambda: Recording.from_grids(np.eye(2), ["a", "b"]), "axes"),
    "tokens": (lambda: Recording.from_grids(grids(), ["a"]), r"shape \(3, 5, 5\), for 3 heads of 1 × 1 tokens"),
    "nothing": (lambda: Recording.from_grids(np.ones((1, 1, 0, 0)), []), "nothing to record"),
    "weights": (lambda: Recording.from_grids(2 * grids(), words(5)), r"weight \[0, 0\] is 2.0"),
    "later": (lambda: Recording.from_grids(grids(causal=False), words(5), causal=True), "layer 0 reads later keys"),
    "much": (lambda: Recording.of(a_stack(tokens=["t"] * 20_000, special=[False] * 20_000)), "1,200 MB|20,000|marks"),
    "head": (lambda: Recording.of(a_stack(), vectors=[(2, 0)]), "layer"),
    "queries": (
        lambda: Recording.from_grids(grids(), words(5), queries=np.ones((1, 3, 5, 2)), keys=np.ones((2, 3, 5, 2))),
        "do not fit 2 × 3 heads",
    ),
    "large": (
        lambda: Recording.from_grids(grids(), words(5), queries=np.full((2, 3, 5, 2), 1e6), keys=np.ones((2, 3, 5, 2))),
        "float16",
    ),
    "grid": (lambda: Recording.from_grids(grids(), words(5)).grid(2, 0), "layer"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_said(name):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
