"""The running example: seven stages, each of which changes the grid."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from attnlib import attention_weights, causal_mask, houston, merge_heads, trained
from attnlib.decoder import decoder_weights
from attnlib.training import two_heads

STAGES = houston.stages()


def test_there_are_seven_stages_and_each_visibly_changes_the_grid():
    assert len(STAGES) == 7
    shown = [stage.weights for stage in STAGES[:5]] + [STAGES[5].weights[0], STAGES[6].weights[houston.PREVIOUS]]
    for before, after in itertools.pairwise(shown):
        assert np.abs(after - before).max() > 0.1


def test_every_row_of_every_stage_sums_to_one():
    for stage in STAGES:
        assert stage.weights.shape[-2:] == (5, 5)
        assert np.allclose(stage.weights.sum(axis=-1), 1)


def test_all_sizes_differ():
    n, d = houston.EMBEDDINGS.shape
    heads, _, d_v = houston.HEADS_W_V.shape
    sizes = [n, d, houston.U.shape[1], houston.W_Q.shape[1], d_v, heads]
    assert sizes == [5, 8, 6, 4, 3, 2]
    assert houston.W_O.shape == (heads * d_v, d)
    assert len(houston.TOKENS) == n
    assert len(houston.AXES) == d


def test_the_stages_tell_the_books_story():
    raw, metric, roles, scaled, masked, heads, last = (stage.weights for stage in STAGES)
    assert raw[0].argsort()[-2] == 4  # Houston reads most from 'problem', for its letters
    scores = STAGES[1].query @ STAGES[1].key.T
    assert np.allclose(scores, scores.T)  # U: symmetric scores …
    assert not np.allclose(metric, metric.T)  # … asymmetric weights
    assert roles[3].argmax() == 4  # 'a' reads from its noun
    assert (scaled.max(axis=-1) < roles.max(axis=-1)).all()  # scaling flattens every row
    assert (masked[np.triu_indices(5, 1)] == 0).all()
    assert heads.shape == (2, 5, 5)
    assert last[houston.PREVIOUS, [1, 2, 3, 4], [0, 1, 2, 3]].min() > 0.95  # one head reads the word before


def test_the_last_stage_is_the_first_layer_of_the_trained_model():
    tokens = trained.encode("Houston we have a problem")
    assert np.allclose(STAGES[-1].weights, decoder_weights(trained.parameters(), tokens)[0], rtol=0, atol=1e-12)
    parts = STAGES[-1].weights @ STAGES[-1].value
    added = merge_heads(parts) @ trained.parameters()["w_o"][0]
    silent = merge_heads(parts * (np.arange(4) != houston.PREVIOUS)[:, None, None]) @ trained.parameters()["w_o"][0]
    assert np.abs(added - silent).max() > 0.1


def test_the_frozen_parameters_cannot_be_changed():
    for array in (houston.EMBEDDINGS, houston.U, houston.HEADS_W_Q, houston.two_heads()["w_o"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.slow
def test_training_again_gives_heads_as_sharp(tmp_path):
    record = json.loads(Path("attnlib/data/two_heads.json").read_text())
    assert record["command"] == "python -m attnlib.training.two_heads --seed 0 --steps 3000"
    parameters, loss = two_heads.train(seed=0, steps=3000)
    assert loss < 1.5 * record["loss"]
    placed = houston.EMBEDDINGS + parameters["position"]
    weights = attention_weights(placed @ parameters["w_q"], placed @ parameters["w_k"], causal_mask(5))
    best = weights[:, [2, 3, 4]].max(axis=-1)
    assert best.min() > 0.95
