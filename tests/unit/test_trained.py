"""The shipped model: it is what its record says, and torch, NumPy and JavaScript compute it alike."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anywidget_static import esbuild
from attnlib import corpus, trained
from attnlib.decoder import decoder_logits, decoder_weights
from attnlib.lab import random_decoder
from attnlib.trained import VOCABULARY, decode, encode, next_words
from attnlib.trained.quantized import quantize
from attnlib.widgets.head_browser import packed

RECORD = trained.record()
NAMES = ("copy", "pronoun", "repeats")
ROUNDED = 5e-5  # the record keeps four decimals


@pytest.fixture(scope="module")
def measured():
    return trained.measure(trained.parameters())


def the_head(name):
    layer, head = RECORD["named"][name]
    return RECORD["heads"][4 * layer + head]


def test_the_weights_reach_the_accuracies_that_are_recorded(measured):
    for name, value in RECORD["accuracies"].items():
        assert measured["accuracies"][name] == pytest.approx(value, abs=ROUNDED + 1e-6)
    assert measured["named"] == RECORD["named"]


def test_every_heads_scores_and_ablation_are_those_recorded(measured):
    for head, kept in zip(measured["heads"], RECORD["heads"], strict=True):
        for name in ("previous token", "induction", "pronoun"):
            assert head[name] == pytest.approx(kept[name], abs=ROUNDED + 1e-6)
        for name, value in kept["without"].items():
            assert head["without"][name] == pytest.approx(value, abs=ROUNDED + 1e-6)


def test_the_model_is_as_good_as_promised():
    good = RECORD["accuracies"]
    assert good["copy"] >= 0.97
    assert good["pronoun"] >= 0.99
    assert good["repeats"] >= 0.90
    assert the_head("previous token")["previous token"] >= 0.95
    assert the_head("induction")["induction"] >= 0.95
    assert the_head("pronoun")["pronoun"] >= 0.9


def test_every_named_head_matters():
    whole = RECORD["accuracies"]
    assert the_head("previous token")["without"]["repeats"] < whole["repeats"] - 0.5
    assert the_head("induction")["without"]["repeats"] < whole["repeats"] - 0.3
    assert the_head("pronoun")["without"]["loss"] > whole["loss"]
    assert RECORD["named"]["previous token"][0] == 0  # the induction head reads what this one wrote
    assert RECORD["named"]["induction"][0] == 1


# In a process of its own, where nothing checks the types or counts the lines of 20,000 streams.
DRAW = """
import hashlib
import numpy as np
from attnlib import corpus, trained
recipe = trained.record()["recipe"]
tokens = corpus.streams(np.random.default_rng([recipe["seed"], 1]), recipe["streams"]).tokens
print(hashlib.sha256("".join(f"{trained.decode(row)}\\n" for row in tokens).encode()).hexdigest())
"""


def test_the_record_says_how_it_was_made():
    assert RECORD["command"] == "python -m attnlib.training --seed 3 --steps 2500 --out attnlib/data/model.npz"
    said = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, text=True, check=True).stdout
    assert said.split() == [RECORD["data"]["sha256"]]
    assert RECORD["data"]["words"] == len(VOCABULARY) == len(trained.parameters()["embedding"])


def test_the_weights_are_small_and_cannot_be_changed():
    assert Path("attnlib/data/model.npz").stat().st_size < 50_000
    trained.parameters().clear()  # of whoever asked, and of nobody else
    for array in trained.parameters().values():
        assert array.dtype == float
        assert (quantize("it", array).values == array).all()
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


NODE = """
import { decoder_logits } from "FOLDER/decoder.mjs";
import { dequantize } from "FOLDER/quantized.mjs";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { parameters, sentences } = JSON.parse(text);
const arrays = Object.fromEntries(Object.entries(parameters).map(([name, entry]) => [name, dequantize(name, entry)]));
process.stdout.write(JSON.stringify(sentences.map((tokens) => decoder_logits(arrays, tokens))));
"""


@pytest.fixture(scope="module")
def sentences():
    rng = np.random.default_rng(7)
    drawn = corpus.streams(rng, 200).tokens
    return [row[: rng.integers(1, 33)].tolist() for row in drawn]


@pytest.fixture(scope="module")
def expected(sentences):
    return [decoder_logits(trained.parameters(), tokens) for tokens in sentences]


def test_javascript_computes_the_same_from_what_a_page_holds(sentences, expected, tmp_path):
    script = NODE.replace("FOLDER", Path("attnlib/widgets").absolute().as_posix())
    esbuild.run({"script": script}, tmp_path, "--format=esm", "--platform=node", "--out-extension:.js=.mjs")
    entries = {name: packed(name, array) for name, array in trained.parameters().items()}
    done = subprocess.run(
        ["node", tmp_path / "script.mjs"],
        input=json.dumps({"parameters": entries, "sentences": sentences}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert worst(json.loads(done.stdout), expected) <= 1e-5


def test_torch_computes_the_same_in_single_precision(sentences, expected):
    torch = pytest.importorskip("torch")
    from attnlib.training.transformer import Transformer

    model = Transformer(v=len(VOCABULARY))
    model.load_state_dict({name: torch.tensor(array) for name, array in trained.parameters().items()})
    assert model.w_q.dtype == torch.float32
    with torch.no_grad():
        found = [model(torch.tensor([tokens]))[0][0].numpy() for tokens in sentences]
    assert worst(found, expected) <= 1e-5


def worst(found, expected):
    """The largest difference, as a share of the largest logit."""
    assert len(found) == 200
    differences = [np.abs(np.asarray(one) - other).max() for one, other in zip(found, expected, strict=True)]
    return max(differences) / max(np.abs(logits).max() for logits in expected)


def test_a_text_and_its_tokens():
    assert decode(encode("houston, we HAVE a problem.")) == "Houston we have a problem ."
    assert encode(decode(range(32))) == list(range(32))


BAD = {
    "unknown": (lambda: encode("we have a solution, Apollo"), r"knows 80 words \(attnlib.trained.VOCABULARY\), and of the text not 'solution,', 'Apollo'"),
    "empty": (lambda: encode(" … "), "text must have 1 to 32 words, .* got 0"),
    "too long": (lambda: encode("we " * 33), "text must have 1 to 32 words, .* got 33"),
    "below": (lambda: decode([0, -1]), r"tokens\[1\] is -1: it must be from 0 to 79"),
    "above": (lambda: decode([80]), r"tokens\[0\] is 80: it must be from 0 to 79"),
    "next": (lambda: next_words("Hello"), "'Hello'"),
    "head": (lambda: trained.ablate(trained.parameters(), 1, 4), "head must be 0 or more and at most 3, got 4"),
    "layer": (lambda: trained.ablate(trained.parameters(), -1, 0), "layer must be 0 or more and at most 1, got -1"),
    "once": (lambda: trained.induction_scores(trained.parameters(), np.array([[1, 2, 1, 3]])), r"sequences must hold words said twice, got shape \(1, 4\)"),
    "odd": (lambda: trained.induction_scores(trained.parameters(), np.array([[1, 2, 1, 2, 1]])),
        r"said twice, got shape \(1, 5\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_next_words_are_ordered_and_take_other_parameters():
    words = next_words("Houston we have a", 80)
    chances = [chance for _, chance in words]
    assert words[0][0] == "problem"
    assert chances[0] > 0.9
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) == pytest.approx(1)
    other = random_decoder(np.random.default_rng(0), vocabulary=80)
    assert next_words("Houston we have a", using=other) != words[:3]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Anna met Tom. he", "paints"),
        ("Anna met Tom. she", "sings"),
        ("Tom saw the owl. it", "reads"),
        ("listen moon fish red roger moon", "fish"),
        ("listen red moon fish roger moon", "fish"),
        ("Houston wind moon snow book roger moon", "snow"),
        ("she stone we five door she stone we", "five"),
    ],
)
def test_the_model_continues_what_it_was_taught(text, word):
    assert next_words(text, 1)[0][0] == word


def test_a_silenced_head_reads_as_before_and_what_follows_it_does_not():
    parameters = trained.parameters()
    layer, head = RECORD["named"]["previous token"]
    without, tokens = trained.ablate(parameters, layer, head), encode("listen moon fish red roger moon")
    whole, less = decoder_weights(parameters, tokens), decoder_weights(without, tokens)
    assert (whole[layer] == less[layer]).all()
    assert np.abs(whole[layer + 1] - less[layer + 1]).max() > 0.3
    assert without["w_o"] is not parameters["w_o"]
    assert next_words("she stone we five door she stone we", 1, using=without)[0][0] != "five"


def test_scores_are_means_over_what_is_read():
    parameters = random_decoder(np.random.default_rng(0), vocabulary=80, d=8, num_heads=2)
    twice = np.array([[5, 6, 7, 5, 6, 7], [1, 2, 3, 1, 2, 3]])
    grids = np.stack([decoder_weights(parameters, row) for row in twice])
    previous = np.mean([grids[..., i, i - 1] for i in range(1, 6)], axis=(0, 1))
    assert np.allclose(trained.previous_token_scores(parameters, twice), previous)
    induction = np.mean([grids[..., i, i - 2] for i in (3, 4)], axis=(0, 1))
    assert np.allclose(trained.induction_scores(parameters, twice), induction)
    drawn = corpus.streams(np.random.default_rng(0), 4)
    rows, places = np.nonzero(drawn.task == corpus.PRONOUN)
    found = [
        decoder_weights(parameters, drawn.tokens[r, :-1])[..., p, drawn.target[r, p]]
        for r, p in zip(rows, places, strict=True)
    ]
    assert np.allclose(trained.pronoun_scores(parameters, drawn), np.mean(found, axis=0))
