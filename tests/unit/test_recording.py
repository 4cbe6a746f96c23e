"""A recording: the bound of its weights, its size, and what it says of a file that is broken."""

import base64
import json
from types import SimpleNamespace

import numpy as np
import pytest
from ipywidgets.widgets.widget import _remove_buffers

from anywidget_static import page
from attnlib.models.packing import SIDE, Vectors
from attnlib.models.recording import Recording
from attnlib.models.scores import head_scores
from attnlib.models.weights import BOUND
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
            "scale": lambda layer: 0.5,
            "softcap": lambda layer: None,
            "sink": lambda layer, head: None,
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


def size_of(recording):
    """Characters of a recording in a page."""
    state, paths, buffers = _remove_buffers({"recording": recording.to_dict()})
    kept = [{"path": path, "data": base64.b64encode(one)} for path, one in zip(paths, buffers, strict=True)]
    return len(page.serialized({"state": state, "buffers": kept}))


NOISE = {
    f"softmax of {size} × normal": grids(12, 12, 32, causal=False, size=size) for size in (0.5, 0.75, 1, 1.5, 2, 4)
}
NOISE |= {
    f"Dirichlet {a}": np.random.default_rng(0).dirichlet(np.full(32, a), size=(12, 12, 32))
    for a in (0.25, 0.5, 0.75, 1, 1.5, 2, 4)
}


@pytest.mark.parametrize(("causal", "most"), [(True, 69_000), (False, 110_000)])
@pytest.mark.parametrize("which", NOISE)
def test_144_heads_of_32_tokens_are_small_even_where_weights_are_noise(which, causal, most):
    """`test_minilm` has what a model's own heads take."""
    true = NOISE[which] * (np.tri(32) if causal else 1)
    tokens = ["." if i == 9 else f"word{i % 16}" for i in range(32)]  # a score of every kind
    recording = Recording.from_grids(true / true.sum(axis=-1, keepdims=True), tokens)
    assert recording.causal == causal
    assert size_of(recording) <= most


def test_144_causal_heads_of_32_tokens_stay_below_110_kb_whatever_they_read():
    """Bytes that no packing shortens, more than rows that sum to 1 can have, with a score of every kind."""
    rng = np.random.default_rng(0)
    worst = rng.uniform(size=(12, 12, 32, 32)) * np.tri(32)
    tokens = ["." if i == 9 else f"word{i % 16}" for i in range(32)]
    given = Recording.from_grids(worst, tokens)
    assert len(given.small) == 144 * 32 * 33 // 2
    assert len(given.scores) == 7
    assert size_of(given) <= 110_000


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


def test_each_layer_keeps_its_own_scale_bound_and_sinks():
    stack = a_stack(
        scale=lambda layer: [0.5, 0.25][layer],
        softcap=lambda layer: [None, 2.0][layer],
        sink=lambda layer, head: [None, 0.5 + head][layer],
    )
    again = Recording.from_dict(Recording.of(stack).to_dict())
    assert (again.scales, again.softcaps, again.sinks) == ([0.5, 0.25], [None, 2.0], [None, [0.5, 1.5, 2.5]])
    assert Recording.of(a_stack()).sinks is None


def test_heads_may_have_vectors_of_several_widths_and_a_bias_or_none():
    """A bias that several heads have is kept once."""
    window = np.tri(4, dtype=bool) & ~np.tri(4, k=-2, dtype=bool)
    mask = lambda layer: window if layer else np.tri(4, dtype=bool)  # noqa: E731
    rng = np.random.default_rng(2)
    q = {at: rng.normal(size=(4, 6 + at[0])) for at in np.ndindex(2, 3)}
    stack = a_stack(mask=mask, queries=lambda *at: q[at], keys=lambda *at: q[at])
    given = Recording.of(stack, vectors="all").to_dict()
    again = Recording.from_dict(given).vectors
    assert len(given["vectors"]["biases"]) == 1
    for at, one in again.items():
        assert (one.queries == q[at].astype(np.float16)).all()
        assert (one.keys == q[at].astype(np.float16)).all()
        assert one.bias is None if at[0] == 0 else (one.bias == np.where(window, 0, -60_000)).all()


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
    "few sinks": (
        lambda: Recording.from_grids(np.ones((2, 3, 1, 1)), ["a"], sinks=[[0.5] * 3]),
        r"sinks of shape \(1, 3\)",
    ),
    "half effects": (
        lambda: Recording.from_grids(np.ones((1, 1, 1, 1)), ["a"], effects={"what": "x", "labels": []}),
        "effects lack after, before",
    ),
    "lacking": (lambda: Recording.from_dict({"name": "x"}), "the recording lacks cases, causal, effects"),
    "cut": (changed(small=b"123"), "small has 3 bytes, which do not unpack to its 60 weights"),
    "long": (changed(heads=[b"1"]), "1 heads of their own, for 6 heads of 4 × 4"),
    "marks": (changed(special=[True]), "1 marks of special tokens for 4 tokens"),
    "scores": (
        changed(scores={"itself": bytes(2)}),
        r"scores\['itself'\] of 2 bytes is no score, or does not fit \(2, 3\) heads",
    ),
    "scores above 1": (changed(scores={"itself": b"\xff" * 12}), r"scores\['itself'\] of 12 bytes is no score"),
    "cases": (changed(cases={"itself": 0}), r"cases\['"),
    "unknown": (changed(scores={"other": bytes(12)}), "scores"),
    "layers": (changed(num_layers=0), "num_layers"),
    "vectors": (with_vectors(data=b"12"), "vectors have 2 bytes, and their 1 heads take 96 in float16"),
    "vector": (with_vectors(heads=[[9, 0, 6, None]]), "layer"),
    "width": (with_vectors(heads=[[0, 0, 0, None]]), "vectors' width"),
    "bias": (with_vectors(heads=[[0, 0, 6, 0]]), "the number of a bias"),
    "biases": (with_vectors(biases=[b"1"]), "bias 0 has 1 bytes, for 4 × 4 tokens"),
    "scales": (changed(scales=[1]), "scales has 1 entries, for 2"),
    "scale": (changed(scales=[1, np.inf]), r"scales\[1\] must be finite"),
    "softcap": (changed(softcaps=[None, 0]), r"softcaps\[1\] must be positive"),
    "sinks": (changed(sinks=[None, [1, 2]]), r"sinks\[1\] has 2 entries, for 3"),
    "stack": (lambda: Recording.of(a_stack(), stack="cross"), "stack"),
    "no model": (lambda: Recording.of(a_stack(), effects="all"), "asks the model again: pass what `read` gave"),
    "effects": (changed(effects=EFFECTS | {"before": []}), r"effects before \(0,\)"),
    "axes": (lambda: Recording.from_grids(np.eye(2), ["a", "b"]), "axes"),
    "tokens": (lambda: Recording.from_grids(grids(), ["a"]), r"shape \(3, 5, 5\), for 3 heads of 1 × 1 tokens"),
    "nothing": (lambda: Recording.from_grids(np.ones((1, 1, 0, 0)), []), "nothing to record"),
    "weights": (lambda: Recording.from_grids(2 * grids(), words(5)), r"weight \[0, 0\] is 2.0"),
    "later": (lambda: Recording.from_grids(grids(causal=False), words(5), causal=True), "layer 0 reads later keys"),
    "fewer keys": (
        lambda: Recording.from_grids(grids(n=3, n_k=2), words(3), key_tokens=words(2), causal=True),
        "causal=True needs a key for each query, got 3 queries and 2 keys",
    ),
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
