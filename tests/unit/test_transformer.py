"""The torch model computes what attnlib.decoder computes."""

import numpy as np
import pytest

import attnlib
from attnlib.decoder import decoder_logits, decoder_weights
from attnlib.lab import random_decoder

torch = pytest.importorskip("torch")
from attnlib.training.transformer import Transformer, rms_norm  # noqa: E402

SIZES = {"d": 12, "num_layers": 3, "num_heads": 2, "reach": 4}
SENTENCES = [[3, 1, 4, 1, 5, 9, 2], [10, 0, 0, 7, 8, 8, 6]]


def a_model():
    return Transformer(v=11, **SIZES, generator=torch.Generator().manual_seed(0)).double()


def arrays(model):
    return {name: p.detach().numpy() for name, p in model.named_parameters()}


def test_weights_and_logits_are_those_of_the_decoder():
    model = a_model()
    logits, weights = model(torch.tensor(SENTENCES))
    assert weights.shape == (3, 2, 2, 7, 7)
    for row, tokens in enumerate(SENTENCES):
        expected = decoder_logits(arrays(model), tokens)
        assert np.abs(logits[row].detach().numpy() - expected).max() <= 1e-12 * max(1, np.abs(expected).max())
        assert np.abs(weights[:, row].detach().numpy() - decoder_weights(arrays(model), tokens)).max() <= 1e-12


def test_any_parameters_of_the_decoder_fit():
    parameters = random_decoder(np.random.default_rng(0), vocabulary=11, **SIZES)
    parameters["unembedding"] = np.random.default_rng(1).normal(size=(12, 11))
    model = a_model()
    model.load_state_dict({name: torch.tensor(array) for name, array in parameters.items()})
    logits = model(torch.tensor(SENTENCES))[0].detach().numpy()
    assert np.abs(logits[1] - decoder_logits(parameters, SENTENCES[1])).max() <= 1e-11


def test_every_parameter_is_learned_from_and_the_future_is_not_read():
    model = a_model()
    logits, _ = model(torch.tensor(SENTENCES))
    logits[:, :3].square().sum().backward()
    unread = {row for sentence in SENTENCES for row in sentence[3:]} - {row for s in SENTENCES for row in s[:3]}
    assert all(p.grad.abs().sum() > 0 for p in model.parameters())
    assert (model.embedding.grad[list(unread)] == 0).all()


def test_rows_are_normalised_alike():
    x = np.random.default_rng(0).normal(size=(3, 5, 7))
    assert np.abs(rms_norm(torch.tensor(x)).numpy() - attnlib.rms_norm(x)).max() <= 1e-14


def test_a_generator_decides_the_start():
    first, again = a_model(), a_model()
    other = Transformer(v=11, **SIZES, generator=torch.Generator().manual_seed(1)).double()
    assert torch.equal(first.w_q, again.w_q)
    assert not torch.equal(first.w_q, other.w_q)
