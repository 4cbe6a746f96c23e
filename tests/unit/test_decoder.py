"""The attention-only decoder against a plain loop, torch, and what its parts promise."""

import numpy as np
import pytest

from attnlib import rms_norm, softmax
from attnlib.decoder import decoder_logits, decoder_weights, distance_bias
from attnlib.lab import random_decoder, silence_head

SIZES = {"vocabulary": 11, "d": 12, "num_layers": 2, "num_heads": 3, "reach": 4}
TOKENS = [3, 1, 4, 1, 5, 9, 2]


def a_decoder(**sizes):
    return random_decoder(np.random.default_rng(0), **SIZES | sizes)


def by_loops(parameters, tokens):
    """Weights and logits, one number at a time."""
    stream = [parameters["embedding"][token].copy() for token in tokens]
    layers, heads, reach = parameters["bias"].shape
    width = parameters["w_q"].shape[2] // heads
    weights = np.zeros((layers, heads, len(tokens), len(tokens)))
    for layer in range(layers):
        x = [row / np.sqrt(np.mean(row**2) + 1e-6) for row in stream]
        added = []
        for i in range(len(tokens)):
            found = []
            for head in range(heads):
                part = slice(head * width, (head + 1) * width)
                query = x[i] @ parameters["w_q"][layer][:, part]
                scores = []
                for j in range(i + 1):
                    key = x[j] @ parameters["w_k"][layer][:, part]
                    scores.append(query @ key / np.sqrt(width) + parameters["bias"][layer, head, min(i - j, reach - 1)])
                row = np.exp(scores) / np.exp(scores).sum()
                weights[layer, head, i, : i + 1] = row
                found += list(sum(row[j] * (x[j] @ parameters["w_v"][layer][:, part]) for j in range(i + 1)))
            added.append(np.array(found) @ parameters["w_o"][layer])
        stream = [row + more for row, more in zip(stream, added, strict=True)]
    last = np.array([row / np.sqrt(np.mean(row**2) + 1e-6) for row in stream])
    return weights, last @ parameters.get("unembedding", parameters["embedding"].T)


@pytest.mark.parametrize("tokens", [[7], TOKENS])
@pytest.mark.parametrize("untied", [False, True])
def test_a_plain_loop_gives_the_same(tokens, untied):
    parameters = a_decoder()
    if untied:
        parameters["unembedding"] = np.random.default_rng(1).normal(size=(12, 11))
    weights, logits = by_loops(parameters, tokens)
    assert np.abs(decoder_weights(parameters, tokens) - weights).max() <= 1e-12
    assert np.abs(decoder_logits(parameters, tokens) - logits).max() <= 1e-12


def test_torch_normalises_alike():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).normal(size=(2, 5, 7))
    expected = torch.nn.functional.rms_norm(torch.tensor(x), (7,), eps=1e-6).numpy()
    assert np.abs(rms_norm(x) - expected).max() <= 1e-12


def test_rows_sum_to_one_and_read_nothing_later():
    weights = decoder_weights(a_decoder(), TOKENS)
    assert weights.shape == (2, 3, 7, 7)
    assert np.allclose(weights.sum(axis=-1), 1)
    assert (weights[..., ~np.tri(7, dtype=bool)] == 0).all()


def test_many_sentences_at_once_are_each_read_alone():
    parameters = a_decoder()
    batch = np.random.default_rng(2).integers(11, size=(2, 5, 7))
    weights, logits = decoder_weights(parameters, batch), decoder_logits(parameters, batch)
    assert weights.shape == (2, 5, 2, 3, 7, 7)
    assert np.allclose(weights[1, 3], decoder_weights(parameters, batch[1, 3]), atol=1e-14)
    assert np.allclose(logits[1, 3], decoder_logits(parameters, batch[1, 3].tolist()), atol=1e-13)


def test_what_comes_later_changes_nothing_before():
    parameters = a_decoder()
    assert np.allclose(decoder_logits(parameters, TOKENS)[:4], decoder_logits(parameters, TOKENS[:4]), atol=1e-12)
    assert np.allclose(
        decoder_weights(parameters, TOKENS)[..., :4, :4], decoder_weights(parameters, TOKENS[:4]), atol=1e-12
    )


def test_without_queries_only_the_distance_decides():
    parameters = a_decoder() | {"w_q": np.zeros((2, 12, 12))}
    weights = decoder_weights(parameters, TOKENS)
    table = parameters["bias"][1, 2]
    assert np.allclose(weights[1, 2, 5, :6], softmax(table[[3, 3, 3, 2, 1, 0]]))


def test_a_head_can_be_made_to_read_the_token_before():
    bias = np.zeros((2, 3, 4))
    bias[0, 1, 1] = 100
    weights = decoder_weights(a_decoder() | {"bias": bias}, TOKENS)
    assert np.allclose(weights[0, 1, 1:], np.eye(7)[:-1], atol=1e-12)


def test_a_row_is_normalised_whatever_its_length():
    x = np.array([[3.0, -4.0, 0.0], [3e-3, -4e-3, 0.0], [3e8, -4e8, 0.0]])
    lengths = np.linalg.norm(rms_norm(x, epsilon=0), axis=-1)
    assert np.allclose(lengths, np.sqrt(3))
    assert (rms_norm(np.zeros((1, 3))) == 0).all()
    assert rms_norm(x.astype(np.float32)).dtype == np.float32


def test_far_keys_share_the_last_distance():
    bias = distance_bias(np.array([[5.0, 6.0, 7.0], [0.0, 1.0, 2.0]]), 4)
    assert bias[0].tolist() == [[5, 5, 5, 5], [6, 5, 5, 5], [7, 6, 5, 5], [7, 7, 6, 5]]
    assert bias[1, 3].tolist() == [2, 2, 1, 0]


def test_two_draws_from_one_seed_are_alike():
    first, second = a_decoder(), a_decoder()
    assert all((first[name] == second[name]).all() for name in first)


def test_a_silenced_head_reads_and_adds_nothing():
    parameters = a_decoder()
    silenced = parameters | {"w_o": silence_head(parameters["w_o"], 1, 2, 3)}
    assert (decoder_weights(silenced, TOKENS) == decoder_weights(parameters, TOKENS)).all()
    w_v = parameters["w_v"].copy()
    w_v[1, :, 8:] = 0  # a head without values adds nothing either
    assert np.allclose(decoder_logits(silenced, TOKENS), decoder_logits(parameters | {"w_v": w_v}, TOKENS), atol=1e-12)
    assert np.abs(decoder_logits(silenced, TOKENS) - decoder_logits(parameters, TOKENS)).max() > 1e-3


BAD = {
    "no head to silence": (lambda: silence_head(np.ones((2, 6, 5)), 0, 3, 3), "head must be 0 or more and at most 2, got 3"),
    "no layer to silence in": (lambda: silence_head(np.ones((2, 6, 5)), 2, 0, 3), "layer must be 0 or more and at most 1, got 2"),
    "heads to silence": (lambda: silence_head(np.ones((2, 6, 5)), 0, 0, 4), "num_heads must divide the rows of w_o = 6, got 4"),
    "missing": (lambda: decoder_weights({"embedding": np.eye(2)}, [0]), "parameters lack bias, w_k, w_o, w_q, w_v"),
    "axes": (lambda: decoder_weights(a_decoder() | {"w_q": np.eye(12)}, [0]),
        r"w_q has shape \(12, 12\), which stands for \(L, d, hk\)"),
    "empty": (lambda: decoder_weights(a_decoder() | {"embedding": np.zeros((0, 12))}, [0]),
        r"embedding has shape \(0, 12\)"),
    "width": (lambda: decoder_weights(a_decoder() | {"embedding": np.eye(11)}, [0]),
        r"w_q has shape \(2, 12, 12\).*but d = 11 elsewhere"),
    "heads": (lambda: decoder_weights(a_decoder() | {"bias": np.zeros((2, 5, 4))}, [0]), "heads in bias must divide the columns of w_q = 12, got 5"),
    "NaN": (lambda: decoder_weights(a_decoder() | {"embedding": np.full((11, 12), np.nan)}, [0]),
        r"embedding\[0, 0\] is nan"),
    "no tokens": (lambda: decoder_weights(a_decoder(), []), r"tokens must be 1 or more integers, got shape \(0,\)"),
    "a token outside": (lambda: decoder_logits(a_decoder(), [0, 11]), r"tokens\[1\] is 11: it must be from 0 to 10"),
    "a token below": (lambda: decoder_logits(a_decoder(), [-1]), r"tokens\[0\] is -1: it must be from 0 to 10"),
    "no token": (lambda: decoder_logits(a_decoder(), [0.5]), "tokens must hold integers, got dtype float64"),
    "no rows": (lambda: rms_norm(np.zeros((2, 0))), r"rows of 1 or more entries, got shape \(2, 0\)"),
    "no root": (lambda: rms_norm(np.zeros((2, 3)), epsilon=0), r"x\[0\] is a row of zeros, and epsilon is 0"),
    "a root below 0": (lambda: rms_norm(np.ones((2, 3)), epsilon=-1), "epsilon must be 0 or more, got -1"),
    "no length": (lambda: distance_bias(np.array([1.0]), 0), "n must be 1 or more, got 0"),
    "a bias that is NaN": (lambda: distance_bias(np.array([1.0, np.nan]), 2), r"table\[1\] is nan: it must be finite, or −∞ to block"),
    "no distance": (lambda: distance_bias(np.zeros((3, 0)), 2), r"1 or more distances, got shape \(3, 0\)"),
    "a width of heads": (lambda: random_decoder(np.random.default_rng(0), vocabulary=3, d=10),
        "num_heads must divide d = 10, got 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name, unchecked):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
