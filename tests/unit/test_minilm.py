"""The real model's record: what the file holds, that parts of it fit together, and that they come out again."""

import json

import numpy as np
import pytest

from attnlib.lab import minilm
from attnlib.models.packing import with_base64, without_base64
from attnlib.models.recording import Recording
from attnlib.models.weights import BOUND

LAYERS, HEADS = 6, 12


@pytest.fixture(scope="module")
def training():
    """What records, and a model whose weights `make record` fetched."""
    pytest.importorskip("transformers")
    from attnlib.training import minilm as recorder

    return recorder


@pytest.mark.parametrize("text", minilm.texts())
def test_a_recorded_text_has_all_heads_and_what_silencing_them_changes(text):
    recording = minilm.recording(text)
    assert (recording.num_layers, recording.num_heads) == (LAYERS, HEADS)
    assert (recording.tokens[0], recording.tokens[-1]) == ("[CLS]", "[SEP]")
    n = len(recording.tokens)
    for at in np.ndindex(LAYERS, HEADS):
        assert np.abs(recording.grid(*at).sum(axis=1) - 1).max() <= n * BOUND
    assert np.shape(recording.effects["after"]) == (LAYERS, HEADS, len(recording.effects["labels"]))


def test_queries_and_keys_give_the_grid_that_was_recorded():
    recording = minilm.recording()
    for at, one in recording.vectors.items():
        scores = recording.scales[at[0]] * one.queries.astype(float) @ one.keys.T.astype(float)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        assert np.abs(weights - recording.grid(*at)).max() < 0.01


def test_vectors_have_length_1_and_agree_with_what_silencing_starts_from():
    vectors, texts = minilm.vectors(), minilm.texts()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    compared = 0
    for i, text in enumerate(texts):
        effects = minilm.recording(text).effects
        for label, before in zip(effects["labels"], effects["before"], strict=True):
            if label in texts:
                assert vectors[i] @ vectors[texts.index(label)] == pytest.approx(before, abs=2e-3)
                compared += 1
    assert compared >= 4


def test_silenced_layers_are_found_by_their_numbers():
    layers = minilm.record()["silenced"]["zero"]["layers"]
    assert len(layers) == 2**LAYERS
    whole = minilm.silenced_layers(())
    assert whole["right"] == minilm.record()["silenced"]["whole"]["right"]
    assert whole["shown"][1] == pytest.approx(minilm.recording(minilm.texts()[1]).effects["before"], abs=1e-3)
    assert minilm.silenced_layers([0, 5, 5]) == layers[0b100001]
    assert minilm.silenced_layers(range(LAYERS), "mean") == minilm.record()["silenced"]["mean"]["layers"][-1]


def test_a_layer_or_a_way_that_was_not_silenced_is_named():
    with pytest.raises(ValueError, match=r"layers\[0\] must be .* 5, got 6"):
        minilm.silenced_layers([6])
    with pytest.raises(ValueError, match="way must be one of zero, mean, got 'none'"):
        minilm.silenced_layers([0], "none")


def test_a_text_that_was_not_recorded_is_named():
    with pytest.raises(ValueError, match=r"text must be one of Houston we have a problem, .*got 'no'"):
        minilm.recording("no")
    with pytest.raises(ValueError, match=r"The dog bites the man\., The man bites the dog\., got 'Houston"):
        minilm.last_rows("Houston we have a problem")


def test_what_is_recorded_is_counted_as_it_says(training):
    vectors = np.eye(4, 5)[[0, 0, 1, 1, 2, 3]].reshape(3, 2, 5)  # the third pair is none
    assert training.matches(vectors) == {"within": 0.667, "across": 0.0, "right": 2, "back": 2}
    assert [training.kind_of(*one) for one in (("[CLS]", True), (".", False), ("##b", False))] == [
        "[CLS]",
        "punctuation",
        "other",
    ]
    made = minilm.record()
    assert made["sentences"] == list(training.SENTENCES)
    assert made["pairs"] == [list(pair) for pair in training.PAIRS]
    assert minilm.texts() == [text for text, *_ in training.SHOWN]


def test_words_alone_find_fewer_partners_than_the_model_without_heads():
    made = minilm.record()["baselines"]
    assert made["words"]["right"] < made["no heads"]["right"] < made["whole"]["right"]


@pytest.fixture
def small(training, monkeypatch, tmp_path):
    """A BERT of three layers with nine heads that knows a few words, and few and short texts for it."""
    from tests.helpers import real_models

    pairs = (("we have a problem", "Houston we have a problem"), ("the pump and the pump", "we have the pump"))
    sentences = ("Houston we have a problem 🙂", "the pump has a problem with the pump", "we have the pump")
    shown = tuple((one, "a problem", "the pump has") for one in sentences)
    for name, value in {"PAIRS": pairs, "SWAPS": pairs[:1], "SENTENCES": sentences, "SHOWN": shown}.items():
        monkeypatch.setattr(training, name, value)
    for name, value in {"LENGTHS": (6, 10, 14), "LONG": 10, "CUT": 8, "ORDERS": range(1), "POOLED": (1,)}.items():
        monkeypatch.setattr(training, name, value)
    sizes = {"num_hidden_layers": 3, "num_attention_heads": 9, "hidden_size": 36, "intermediate_size": 36}
    real_models.a_model("Bert", "Model", **sizes).save_pretrained(tmp_path)
    real_models.word_pieces().save_pretrained(tmp_path)
    return training.Encoder(tmp_path)


@pytest.mark.usefixtures("one_thread", "no_network")
def test_a_record_of_a_small_model_says_what_the_model_does(training, small):
    made = json.loads(json.dumps(training.record(small)))
    shown = [one["text"] for one in made["shown"]]
    recordings = [Recording.from_dict(without_base64(one["recording"])) for one in made["shown"]]
    whole = small.vectors([text for text, *_ in training.SHOWN])
    for i, (text, recording) in enumerate(zip(shown, recordings, strict=True)):
        reading = small.read(text)
        assert np.abs(recording.grid(1, 7) - reading.grid(1, 7)).max() <= BOUND + 1e-6
        others = small.vectors(recording.effects["labels"])
        assert recording.effects["before"] == pytest.approx(others @ whole[i], abs=1e-3)
        with small.silenced([(2, 5)]):
            alone = small.vectors([text, *recording.effects["labels"]])
        assert recording.effects["after"][2][5] == pytest.approx(alone[1:] @ alone[0], abs=1e-3)
        silent = reading.silenced([(2, 5)]).states.mean(axis=0)
        assert alone[0] == pytest.approx(silent / np.linalg.norm(silent), abs=1e-5)
    assert recordings[0].vectors.keys() == {(0, 2), (1, 8), (2, 7)}
    silenced = made["silenced"]
    assert silenced["zero"]["layers"][0] == silenced["mean"]["layers"][0] == silenced["whole"]
    with small.silenced([(1, head) for head in range(9)], small.means(training.SENTENCES)):
        swapped = training.swaps(small)[0]
    assert silenced["mean"]["layers"][0b010]["swapped"] == pytest.approx(swapped, abs=1e-4)
    assert made["baselines"]["words"]["within"] == pytest.approx(
        training.matches(small.words(np.ravel(training.PAIRS).tolist()).reshape(2, 2, -1))["within"]
    )
    assert np.sum(made["rest"]["weight"], axis=2) == pytest.approx(np.ones((3, 9)), abs=2e-3)
    assert np.shape(made["long"]["before"]) == (1, 3)
    assert np.shape(made["long"]["place"]) == (1, 2)  # of the two lengths beyond the cut
    assert len(made["long"]["text"]["tokens"]) == 10


@pytest.mark.slow  # it needs the model's weights
def test_the_model_itself_gives_what_was_recorded(training):
    from attnlib.training.encoder import FOLDER

    if not FOLDER.exists():
        pytest.skip("make record fetches the weights")
    encoder, text = training.Encoder(), minilm.texts()[3]
    long = encoder.tokenizer(" ".join(training.SENTENCES), add_special_tokens=False)["input_ids"]
    cut = [encoder.read(encoder.tokenizer.decode(long[start : start + 30])) for start in (0, 100, 200)]
    read = [with_base64(Recording.of(one).to_dict()) for one in cut if len(one.stack.tokens) == 32]
    sizes = [2 * len(json.dumps(one, separators=(",", ":"))) for one in read]
    print(f"144 heads of 32 tokens: {sizes} bytes")
    assert sizes
    assert max(sizes) <= 110_000
    assert np.allclose(encoder.vectors([text])[0], minilm.vectors()[3], atol=1e-3)
    reading, recording = encoder.read(text), minilm.recording(text)
    for at in np.ndindex(LAYERS, HEADS):
        assert np.abs(reading.grid(*at) - recording.grid(*at)).max() <= BOUND + 1e-4
    silent = reading.silenced([(5, 8)]).states.mean(axis=0)
    with encoder.silenced([(5, 8)]):
        assert np.allclose(encoder.vectors([text])[0], silent / np.linalg.norm(silent), atol=1e-5)
