"""Longer texts: what the file holds, that a part comes out again, what fails, and which change mends or breaks it."""

import json
from pathlib import Path

import numpy as np
import pytest

from attnlib import attention_weights, rotary_embedding
from attnlib.lab import lengths

torch = pytest.importorskip("torch")

from attnlib.training import lengths as training  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")
WAYS = ("none", "sinusoidal", "rotary", "bias")
MENDED = (
    "sinusoidal, all rows seen, window",
    "rotary, window",
    "rotary, far as the last",
    "bias, window",
    "bias, last number lower",
)


@pytest.fixture(params=training.TRAINED)
def found(request):
    return lengths.recorded(request.param)


def at(found, run, length, what="right"):
    """Of each seed."""
    return getattr(found, what)[run][:, found.lengths.index(length)]


def test_the_file_is_what_the_command_writes(monkeypatch, tmp_path):
    """Recorded with the same for every run, which the names and sizes do not ask for."""
    rows = {name: [[0] * len(training.LENGTHS)] * 5 for name in ("right", "before", "far")}
    monkeypatch.setattr(training, "train", lambda way, trained, anywhere: ())
    monkeypatch.setattr(training, "measure", lambda head, run: rows)
    monkeypatch.setattr("sys.argv", ["lengths", "--out", str(out := tmp_path / "lengths.json")])
    training.main()
    made, kept = json.loads(out.read_text("utf8")), json.loads(Path("attnlib/data/lengths.json").read_text("utf8"))
    assert made | {"trained": 0} == kept | {"trained": 0}
    assert {trained: list(runs) for trained, runs in kept["trained"].items()} == {
        str(trained): list(training.RUNS) for trained in training.TRAINED
    }
    assert all({*one} == {*rows} for runs in kept["trained"].values() for one in runs.values())


def test_shares_and_weights_stand_by_seed_and_length(found):
    assert found.lengths == training.LENGTHS
    assert list(found.right) == list(found.before) == list(found.far) == list(training.RUNS)
    for run in training.RUNS:
        for shares in (found.right[run], found.before[run], found.far[run]):
            assert shares.shape == (5, len(training.LENGTHS))
            assert shares.min() >= 0
            assert shares.max() <= 1.0
        assert (found.before[run] + found.far[run]).max() <= 1.001
        assert (found.far[run][:, np.array(found.lengths) <= found.trained] == 0).all()


def test_another_length_of_training_is_refused():
    with pytest.raises(ValueError, match="trained must be one of 9, 16, got '10'"):
        lengths.recorded(10)


def test_each_way_has_learned_the_lengths_of_training_and_without_places_none_has(found):
    within = np.array(found.lengths) <= found.trained
    for run, shares in found.right.items():
        if run != "none":
            assert shares[:, within].min() >= 0.995
    assert found.right["none"][:, found.lengths.index(found.trained)].max() < 0.35


def test_waves_fail_at_once_rotary_later_and_the_bias_least(found):
    beyond = {9: (12, 24, 48), 16: (20, 24, 48)}[found.trained]
    assert at(found, "sinusoidal", beyond[0]).mean() < 0.8
    assert at(found, "sinusoidal", beyond[1]).max() < 0.3
    assert at(found, "rotary", beyond[0]).min() > 0.99
    assert at(found, "rotary", beyond[2]).max() < 0.85
    assert at(found, "bias", 48).min() > 0.9
    for sinusoidal, rotary, bias in zip(*(at(found, way, 64) for way in WAYS[1:]), strict=True):
        assert sinusoidal < rotary < bias  # with each seed


@pytest.mark.parametrize("run", MENDED)
def test_what_mends_a_way_mends_it_at_every_length(run, found):
    assert found.right[run].min() >= 0.995


def test_of_waves_the_rows_are_to_blame_first_not_the_number_of_tokens(found):
    """As many tokens as in training, but rows that were not seen: as bad just beyond training."""
    just = {9: (10, 12, 14), 16: (18, 20)}[found.trained]
    for length in just:
        assert at(found, "sinusoidal, window", length) == pytest.approx(at(found, "sinusoidal", length), abs=0.02)
        assert at(found, "sinusoidal, all rows seen", length).min() > 0.6
    assert at(found, "sinusoidal, all rows seen", 64).min() < 0.3  # then the distances are


def test_where_rotary_and_waves_fail_the_weight_went_far_away(found):
    for way in ("sinusoidal", "rotary"):
        assert at(found, way, 64, "far").min() > 0.5
    assert at(found, "rotary, far as the last", 64, "far").max() < 0.03
    assert at(found, "rotary, far as the last", 64, "before").min() > 0.96


def test_under_the_bias_many_far_tokens_have_much_together_and_little_each(found):
    far = at(found, "bias", 64, "far")
    assert far.min() > 0.5
    assert (far / (64 - found.trained) < at(found, "bias", 64, "before") / 8).all()


@pytest.mark.parametrize("run", ["none", "sinusoidal", "rotary", "bias"])
def test_a_head_reads_as_attnlib_says(run):
    """Scores, rotary in the half-split layout, the bias for distances, and the causal mask, for one seed."""
    head = training.begin(torch.Generator().manual_seed(0), 9)
    texts = torch.randint(training.LETTERS, (5, 2, 12), generator=torch.Generator().manual_seed(1))
    _, weights = training.read(head, texts, training.RUNS[run])
    words, w_q, w_k, _, _, table = (part[3].numpy() for part in head)
    x = words[texts[3, 1].numpy()]
    if run == "sinusoidal":
        x = x + training.WAVES[:12].numpy()
    query, key = x @ w_q, x @ w_k
    if run == "rotary":
        query, key = (rotary_embedding(rows, layout="half") for rows in (query, key))
    back = np.subtract.outer(np.arange(12), np.arange(12))
    bias = table[back.clip(0, 8)] if run == "bias" else None
    expected = attention_weights(query, key, mask=back >= 0, bias=bias)
    assert weights[3, 1].numpy() == pytest.approx(expected, abs=1e-12)


def test_a_change_acts_only_beyond_training():
    """The lower number acts on the last distance of training too, which it belongs to."""
    head = training.begin(torch.Generator().manual_seed(0), 9)
    texts = torch.randint(training.LETTERS, (5, 2, 12), generator=torch.Generator().manual_seed(1))
    for run in MENDED:
        changed, plain = training.RUNS[run], training.Run(training.RUNS[run].way)
        (_, one), (_, other) = (training.read(head, texts, which) for which in (changed, plain))
        same = 8 if changed.lower else 9
        assert torch.equal(one[:, :, :same], other[:, :, :same])
        assert not torch.allclose(one[:, :, 9:], other[:, :, 9:])
        if changed.window:
            assert (one[:, :, 11, :3] == 0).all()
            assert (one[:, :, 11, 3:] > 0).all()


def test_far_as_the_last_turns_by_the_greatest_angle_of_training():
    """A distance of 8 is the last of training with nine letters: a farther key scores as one that is 8 back."""
    head = training.begin(torch.Generator().manual_seed(0), 9)
    texts = torch.zeros(5, 1, 12, dtype=torch.int64)  # so the scores of keys differ by their distance alone
    _, weights = training.read(head, texts, training.RUNS["rotary, far as the last"])
    assert torch.allclose(weights[:, 0, 11, :4], weights[:, 0, 11, 3:4].expand(5, 4), rtol=1e-9)
    assert not torch.allclose(weights[:, 0, 11, 3], weights[:, 0, 11, 4])


def test_a_text_that_begins_later_has_later_rows():
    head = training.begin(torch.Generator().manual_seed(0), 9)
    texts = torch.randint(training.LETTERS, (5, 2, 9), generator=torch.Generator().manual_seed(1))
    run = training.RUNS["sinusoidal"]
    begun = torch.zeros(5, 2, dtype=torch.int64)
    assert torch.equal(training.read(head, texts, run, begun)[1], training.read(head, texts, run)[1])
    long = torch.cat([texts, texts], dim=-1)
    late, _ = training.read(head, texts, run, begun + 9)
    within, _ = training.read(head, long, training.RUNS["sinusoidal, window"])
    assert torch.allclose(late[:, :, -1], within[:, :, -1])  # the last of a window of nine


@pytest.mark.slow
def test_a_part_comes_out_again():
    """One run, of the bias; answers near a tie may differ on another machine."""
    again = training.measure(training.train("bias", 9), training.RUNS["bias"])
    kept = lengths.recorded(9)
    assert np.array(again["right"]) / training.TEXTS == pytest.approx(kept.right["bias"], abs=0.02)
    assert np.array(again["far"]) == pytest.approx(kept.far["bias"], abs=0.02)


@pytest.mark.parametrize("run", training.RUNS)
def test_two_steps_are_not_enough(run):
    plan = training.RUNS[run]
    head = training.train(plan.way, 9, plan.anywhere, steps=2)
    assert [tuple(part.shape) for part in head][-1] == (5, 9)
    texts = next(training.new_texts())[:, :, :9]
    said, _ = training.read(head, texts, plan)
    assert (said[:, :, 1:].argmax(dim=-1) == texts[:, :, :-1]).double().mean() < 0.4
