"""HeadBrowser: what it reads of a sentence, what it computes, and the form that a page takes."""

import gzip
import json

import numpy as np
import pytest

from anywidget_static import base85
from attnlib import softmax, trained
from attnlib.decoder import decoder_logits, decoder_weights
from attnlib.lab import random_decoder
from attnlib.trained.quantized import quantize
from attnlib.widgets import HeadBrowser, InputError
from attnlib.widgets.head_browser import packed, unpacked

WORDS = ["Red", "green", "blue", "sky"]


def parameters(**sizes):
    return random_decoder(
        np.random.default_rng(0), **{"vocabulary": 4, "d": 6, "num_layers": 2, "num_heads": 3, "reach": 5} | sizes
    )


def a_browser(sentence="red sky", **options):
    return HeadBrowser(sentence, WORDS, parameters(), **options)


def test_weights_and_logits_are_those_of_attnlib_in_8_bits():
    browser = a_browser("blue sky green sky")
    kept = {name: quantize(name, array).values for name, array in parameters().items()}
    assert browser.ids == [2, 3, 1, 3]
    assert (browser.weights == decoder_weights(kept, [2, 3, 1, 3])).all()
    assert (browser.logits == decoder_logits(kept, [2, 3, 1, 3])).all()
    assert all((browser.arrays[name] == kept[name]).all() for name in kept)


def test_case_and_punctuation_make_no_difference_and_unknown_words_are_left_out():
    assert a_browser("“RED”, (sky)… violet\tblue!").tokens == ["Red", "sky", "blue"]
    assert a_browser("").tokens == a_browser(" … ").tokens == []


def test_a_word_of_punctuation_is_read_when_it_is_known():
    assert HeadBrowser("a.", ["a", "."], parameters(vocabulary=2)).tokens == ["a", "."]
    assert HeadBrowser("a .", ["a", "."], parameters(vocabulary=2)).tokens == ["a", "."]


def test_at_most_32_words_are_read():
    assert len(a_browser("sky " * 40).tokens) == 32


def test_python_sees_what_the_reader_types():
    browser, seen = a_browser(), []
    browser.observe(lambda change: seen.append(change.new), "sentence")
    browser.sentence = "blue"
    assert seen == ["blue"]
    assert browser.weights.shape == (2, 3, 1, 1)


def test_without_arguments_it_is_the_trained_model():
    browser = HeadBrowser()
    assert all((browser.arrays[name] == array).all() for name, array in trained.parameters().items())
    assert browser.vocabulary == list(trained.VOCABULARY)
    assert browser.tokens == ["Houston", "we", "have", "a", "problem"]
    assert browser.provenance == "trained"
    assert HeadBrowser("Houston we have a").next_words[0][0] == "problem"


def test_the_state_is_small_enough_for_a_page():
    state = json.dumps(HeadBrowser().state())
    assert len(state) < 70_000
    assert len(gzip.compress(state.encode())) < 50_000


def test_a_silenced_head_is_ablated_and_compared_with_the_sentence_as_it_stands():
    browser = a_browser("red sky blue", layer=1, head=2, silenced=True)
    whole = a_browser("red sky blue")
    assert (browser.logits == decoder_logits(trained.ablate(whole.arrays, 1, 2), [0, 3, 2])).all()
    assert (browser.weights == whole.weights).all()  # nothing comes after the last layer
    before, after = softmax(whole.logits[-1]), softmax(browser.logits[-1])
    for word, chances in browser.next_words:
        assert chances == [before[WORDS.index(word)], after[WORDS.index(word)]]
    assert all(len(chances) == 1 for _, chances in whole.next_words)
    assert len(whole.next_words) == 3


def test_a_swapped_token_is_read_in_its_place():
    browser = a_browser("red sky blue", swapped=1, other="GREEN")
    assert browser.ids == [0, 1, 2]
    assert (browser.logits == a_browser("red green blue").logits).all()
    assert browser.sentence == "red sky blue"
    assert len(browser.next_words[0][1]) == 2
    for nothing in ({"swapped": 9, "other": "green"}, {"swapped": 1}, {"other": "green"}):
        assert a_browser("red sky blue", **nothing).ids == [0, 3, 2]


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
def test_8_bits_keep_each_number_within_half_a_step_and_stay_what_they_are(size):
    values = np.random.default_rng(0).normal(size=(3, 20, 33)) * size
    entry = packed("x", values)
    kept = unpacked(entry)
    assert entry["shape"] == [3, 20, 33]
    assert (np.abs(kept - values) <= np.abs(values).max(axis=-1, keepdims=True) / 254 * 1.001).all()
    assert np.abs(kept - values).max() > np.abs(values).max() / 300  # 7 bits or 9 would be another's
    assert packed("x", kept) == entry
    assert (unpacked(packed("x", np.zeros((2, 3)))) == 0).all()


BAD = {
    "layer": (lambda: a_browser(layer=2), "layer 2 is outside 0 … 1"),
    "head": (lambda: setattr(a_browser(), "head", -1), "head must be 0 or more, got -1"),
    "token": (lambda: a_browser(token=-1), "token must be 0 or more, got -1"),
    "swapped": (lambda: a_browser(swapped=-1), "swapped must be 0 or more, got -1"),
    "other": (lambda: setattr(a_browser(), "other", "violet"), "other is 'violet', which is not in the vocabulary"),
    "vocabulary": (lambda: HeadBrowser("a", ["a"], parameters()), "1 words for 4 rows of the embedding"),
    "twice": (lambda: HeadBrowser("a", ["a", "b", "c", "A"], parameters()), "word 3 of the vocabulary, 'A'"),
    "space": (lambda: HeadBrowser("a", ["a", "b", "c", "d e"], parameters()), "word 3 of the vocabulary, 'd e'"),
    "missing": (lambda: HeadBrowser("a", WORDS, {"embedding": np.eye(4)}), "parameters lack bias"),
    "sizes": (lambda: HeadBrowser("a", WORDS, parameters() | {"w_o": np.zeros((2, 5, 6))}), "w_o has shape"),
    "levels": (
        lambda: setattr(a_browser(), "parameters", a_browser().parameters | {"bias": {"shape": [9], "levels": base85.encode(bytes(2)), "steps": base85.encode(bytes(4))}}),
        r"cannot reshape array of size 1 into shape \(9,\)|shape",
    ),
    "infinite": (lambda: HeadBrowser("a", WORDS, parameters() | {"bias": np.full((2, 3, 5), 1e39)}),
        r"bias\[0, 0, 0\] is 1e\+39: float32 holds"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_the_page_form_holds_the_querys_row_in_every_head_and_one_whole_grid(page_of):
    browser = a_browser("red green sky", layer=1, head=2)
    page, weights = page_of(browser), browser.weights
    assert page.tags.count("table") == 3
    assert page.cells[:4] == ["", "Red", "green", "sky"]
    shown = [
        [f"layer {layer + 1}, head {head + 1}", *(f"{w:.2f}" for w in weights[layer, head, 2])]
        for layer in range(2)
        for head in range(3)
    ]
    assert page.cells[4:28] == [cell for row in shown for cell in row]
    following = [cell for word, (chance,) in browser.next_words for cell in (word, f"{chance:.2f}")]
    assert page.cells[28:36] == ["", "probability", *following]
    assert page.cells[36:44] == ["", "Red", "green", "sky", "Red", "1.00", "–", "–"]
    assert json.loads(page.state) == browser.state()
    assert "Numbers: of the parameters given." in browser.fallback()


def test_the_page_form_says_what_is_changed(page_of):
    said = a_browser("red green sky", layer=1, silenced=True, swapped=1, other="blue").fallback()
    assert (
        "The next word after “sky”, before and after layer 2, head 1 is silenced and “green” is swapped for “blue”."
        in said
    )
    assert "“Red blue sky”" in said
    assert page_of(a_browser(silenced=True)).cells.count("before") == 1


def test_an_earlier_query_shows_the_keys_it_may_read(page_of):
    assert "<strong>" not in a_browser(token=0).fallback()
    page = page_of(a_browser("red green sky", token=1))
    assert page.cells[:3] == ["", "Red", "green"]
    assert page.cells[3] == "layer 1, head 1"


def test_a_long_sentence_has_no_whole_grid_and_an_unknown_one_no_table(page_of):
    assert page_of(a_browser("sky " * 11)).tags.count("table") == 2
    assert "No word of the sentence is known." in a_browser("violet").fallback()


def test_words_are_never_html(page_of, hostile):
    page = page_of(
        HeadBrowser("<img> red", ["<img>", "red", "</script>", "d"], parameters(), title=hostile, provenance=hostile)
    )
    assert "img" not in page.tags
    assert "<img>" in page.cells
    assert "</script" not in page.state
