"""The grammar: what its sentences say, and that its labels are true."""

import numpy as np
import pytest

from attnlib import corpus
from attnlib.corpus import COPY, PRONOUN, ROW, VOCABULARY


@pytest.fixture(scope="module")
def drawn():
    return corpus.streams(np.random.default_rng(1), 2000)


def texts(drawn):
    return [" ".join(VOCABULARY[i] for i in row) for row in drawn.tokens]


def test_the_vocabulary_is_small_each_word_once_and_holds_no_word_about_the_grammar():
    lower = [word.lower() for word in VOCABULARY]
    assert len(set(lower)) == len(lower) <= 200
    labels = {"call", "read-back", "pronoun", "echo", "copy", "task", "target", "subject", "object", "person", "thing"}
    assert not labels & set(lower)
    assert not any(mark in word for word in VOCABULARY for mark in "<>[]_")


def test_the_books_sentence_is_there_and_every_word_is_used(drawn):
    lines = texts(drawn)
    assert sum("Houston we have a problem ." in line for line in lines) > 400
    assert {word for line in lines for word in line.split()} == set(VOCABULARY)


def test_kinds_of_sentence_come_in_their_shares(drawn):
    lines = texts(drawn)
    counts = [sum(line.count(mark) for line in lines) for mark in ("we have a", "roger", " she ", " he ", " it ")]
    assert min(counts) > 200
    echoed = [any((row[:k] == row[k : 2 * k]).all() for k in range(6, 16)) for row in drawn.tokens]
    assert np.mean(echoed) == pytest.approx(corpus.ECHOES, abs=0.03)


def test_what_is_labelled_a_copy_is_told_by_an_earlier_pair(drawn):
    rows, places = np.nonzero(drawn.task == COPY)
    target = drawn.target[rows, places]
    assert (target < places).all()
    assert (drawn.tokens[rows, target] == drawn.tokens[rows, places + 1]).all()
    assert (drawn.tokens[rows, target - 1] == drawn.tokens[rows, places]).all()


def test_what_is_labelled_a_pronoun_stands_for_its_target(drawn):
    rows, places = np.nonzero(drawn.task == PRONOUN)
    assert len(rows) > 1000
    for row, place in zip(rows, places, strict=True):
        words = [VOCABULARY[i] for i in drawn.tokens[row]]
        actors = corpus.PRONOUNS[words[place]]
        assert actors[words[drawn.target[row, place]]] == words[place + 1]
        sentence = words[drawn.target[row, place] : place]
        assert sum(word in actors for word in sentence) == 1


def test_what_is_not_labelled_has_no_target(drawn):
    assert ((drawn.task == 0) == (drawn.target == -1)).all()
    assert set(np.unique(drawn.task)) == {0, COPY, PRONOUN}


def test_a_habit_is_told_by_neither_the_pronoun_nor_the_other_actor():
    for actors in corpus.PRONOUNS.values():
        assert sorted(actors.values()) == sorted(corpus.WOMEN.values())  # each habit once for each pronoun


def test_repeats_are_different_words_twice():
    sequences = corpus.repeats(np.random.default_rng(0), 50, length=7)
    assert sequences.shape == (50, 14)
    assert (sequences[:, :7] == sequences[:, 7:]).all()
    assert all(len(set(row[:7])) == 7 for row in sequences)


def test_a_seed_draws_the_same_and_another_seed_does_not():
    first, again, other = (corpus.streams(np.random.default_rng(seed), 20).tokens for seed in (3, 3, 4))
    assert (first == again).all()
    assert (first != other).any()


def test_a_stream_has_the_length_that_is_asked_for():
    words, told = corpus.stream(np.random.default_rng(0), 5)
    assert len(words) == 6
    assert all(place < 5 for place in told)
    assert all(word in ROW for word in words)
