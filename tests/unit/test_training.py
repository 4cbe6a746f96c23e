"""Training: it learns, it can be killed and goes on as if it had not been, and it says what it made."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from attnlib import corpus, entropy, softmax, trained
from attnlib.decoder import decoder_logits, decoder_weights
from attnlib.trained import quantized

torch = pytest.importorskip("torch")
from attnlib import training  # noqa: E402
from attnlib.training import Recipe, recording, train  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")
SHORT = Recipe(steps=12, streams=40, batch=8, d=16, warmup=3)


def same(first, second):
    return all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))


def test_a_few_seconds_of_training_learn_what_follows_what():
    seen = []
    train(Recipe(steps=150, streams=1500, warmup=20), report=lambda step, loss: seen.append(loss))
    assert len(seen) == 150
    assert seen[0] > 4  # about log 80: nothing is known
    assert np.mean(seen[-10:]) < 2.6


def test_two_runs_of_one_seed_are_equal_bit_for_bit_and_two_seeds_are_not():
    assert same(train(SHORT), train(SHORT))
    assert not same(train(SHORT), train(Recipe(**vars(SHORT) | {"seed": 1})))


@pytest.mark.parametrize("stop", [5, 6, 7])
def test_an_interrupted_run_goes_on_to_the_same_end(stop, tmp_path):
    def interrupt(step, loss):
        if step == stop:
            raise KeyboardInterrupt

    file, seen = tmp_path / "run", []
    with pytest.raises(KeyboardInterrupt):
        train(SHORT, file, every=3, report=interrupt)
    resumed = train(SHORT, file, every=3, report=lambda step, loss: seen.append(step))
    assert seen[0] == (7 if stop == 7 else 4)  # the last checkpoint was written after step 6, or 3
    assert same(resumed, train(SHORT))


def command(*options):
    return [sys.executable, "-m", "attnlib.training", "--steps", "220", "--streams", "300", *options]


@pytest.mark.slow
def test_a_run_killed_in_the_middle_ends_as_one_that_was_not(tmp_path):
    whole, killed = tmp_path / "whole.npz", tmp_path / "killed.npz"
    run = subprocess.Popen(command("--out", killed), stderr=subprocess.DEVNULL)
    checkpoint = killed.with_suffix(".checkpoint")
    while not checkpoint.exists():
        assert run.poll() is None
        time.sleep(0.01)
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    assert not killed.exists()
    said = {
        file: subprocess.run(command("--out", file), check=True, capture_output=True, text=True)
        for file in (killed, whole)
    }
    assert "step 220 of 220" in said[whole].stderr
    assert "step 22 of 220" not in said[killed].stderr  # it did not start anew
    first, second = np.load(killed), np.load(whole)
    assert sorted(first) == sorted(second)
    assert all((first[name] == second[name]).all() for name in first)
    assert not checkpoint.exists()
    records = [json.loads(file.with_suffix(".json").read_text()) for file in (killed, whole)]
    assert records[0]["accuracies"] == records[1]["accuracies"]
    assert records[0]["processor seconds"] is None
    loss = float(re.match(r"loss ([\d.]+), copy ", said[whole].stdout)[1])  # both are rounded, to different digits
    assert abs(loss - records[1]["accuracies"]["loss"]) < 1e-3


def test_a_checkpoint_of_another_recipe_is_refused(tmp_path):
    file = tmp_path / "run"
    train(SHORT, file, every=6)
    with pytest.raises(ValueError, match=r"run is a run with seed = 3, not 1, d = 16, not 8: remove it to start anew"):
        train(Recipe(**vars(SHORT) | {"seed": 1, "d": 8}), file)
    with pytest.raises(SystemExit, match="is a run with"):
        training.main(["--out", str(file.with_suffix(".npz")), *_renamed(file)])


def _renamed(file):
    """Puts the checkpoint where the command looks for it."""
    file.rename(file.with_suffix(".checkpoint"))
    return ["--steps", "12"]


@pytest.mark.parametrize("kept", [False, True])
def test_ctrl_c_says_how_to_go_on(kept, tmp_path, monkeypatch):
    def interrupted(recipe, checkpoint, report):
        if kept:
            checkpoint.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "train", interrupted)
    with pytest.raises(SystemExit) as stopped:
        training.main(["--out", str(tmp_path / "m.npz")])
    assert ("goes on from" in str(stopped.value)) == kept


def test_the_command_writes_weights_and_where_they_come_from(tmp_path, capsys):
    out = tmp_path / "new" / "m.npz"
    training.main(["--seed", "3", "--steps", "10", "--streams", "20", "--out", str(out)])
    record = json.loads(out.with_suffix(".json").read_text())
    assert record["command"] == f"python -m attnlib.training --seed 3 --steps 10 --out {out}"
    assert record["recipe"]["streams"] == 20
    assert record["processor seconds"] > 0
    assert {array.dtype for array in np.load(out).values()} == {np.dtype("int8"), np.dtype("float32")}
    with out.open("rb") as file:
        weights = quantized.read(file)
    assert record["accuracies"]["loss"] == round(trained.measure(weights)["accuracies"]["loss"], 4)
    assert record["heads"][5]["layer"] == record["heads"][5]["head"] == 1
    assert capsys.readouterr().out.count("\n") == 11  # accuracies, a blank line, a head line, eight heads


def test_the_rate_rises_in_a_line_and_falls_to_a_twentieth():
    recipe = Recipe(steps=1000, warmup=100, rate=2.0)
    rates = [recipe.rate_at(step) for step in range(1000)]
    assert rates[0] == pytest.approx(0.02)
    assert max(rates) == pytest.approx(2, rel=0.03)
    assert rates[-1] == pytest.approx(0.1, rel=0.01)
    assert np.argmax(rates) == 99


def test_focus_costs_nothing_at_first_and_all_from_two_fifths_on():
    recipe = Recipe(steps=100, focus=0.3)
    assert [round(recipe.focus_at(step), 3) for step in (0, 20, 30, 40, 99)] == [0, 0, 0.15, 0.3, 0.3]


def test_losses_are_those_that_numpy_finds():
    model = training.Transformer(v=len(corpus.VOCABULARY), d=16)
    tokens = corpus.streams(np.random.default_rng(0), 3, n=9).tokens
    loss, spread = (value.item() for value in training.losses(model, torch.from_numpy(tokens)))
    parameters = {name: p.detach().numpy().astype(float) for name, p in model.named_parameters()}
    chances = [softmax(decoder_logits(parameters, row[:-1])) for row in tokens]
    following = [chance[np.arange(9), row[1:]] for chance, row in zip(chances, tokens, strict=True)]
    assert loss == pytest.approx(-np.log(following).mean(), rel=1e-5)
    spreads = [entropy(decoder_weights(parameters, row[:-1])).mean(axis=(1, 2)).sum() for row in tokens]
    assert spread == pytest.approx(np.mean(spreads), rel=1e-5)


def test_the_data_depend_on_the_seed_alone_and_have_a_fingerprint():
    first, again, other = (training.data(Recipe(seed=seed, streams=9)) for seed in (0, 0, 1))
    assert (first == again).all()
    assert training.data_hash(first) == training.data_hash(again) != training.data_hash(other)


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_is_one_line_on_a_terminal_and_ten_elsewhere(terminal, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    report = training.progress(40)
    for step in range(1, 41):
        report(step, math.pi)
    said = capsys.readouterr().err
    assert said.count("\n") == (1 if terminal else 10)
    assert said.count("\r") == (39 if terminal else 0)
    assert said.rstrip().splitlines()[-1].split("\r")[-1].startswith("━" * 24 + " step 40 of 40  loss 3.142")


def test_a_folder_that_is_not_there_is_named_before_anything_is_recorded(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("sys.argv", ["x", "--out", str(tmp_path / "none/x.json")])
    with pytest.raises(SystemExit):
        recording.write("x", lambda: pytest.fail("it recorded"))
    assert "none is no folder" in capsys.readouterr().err
