"""Words of a text as rows: what is read, what is left over."""

import pytest

from attnlib.vocabulary import EDGES, read_words

WORDS = ["Red", "green", ".", "o'clock", "…"]


@pytest.mark.parametrize(
    ("text", "rows", "unknown"),
    [
        ("red GREEN Red", [0, 1, 0], []),
        ("“red”, (green)?", [0, 1], []),
        ("red.", [0, 2], []),
        (".red. . ..", [2, 0, 2, 2, 2, 2], []),
        ("red….", [0, 4, 2], []),
        ("o'clock, 'red'", [3, 0], []),
        ("blue. re-d\tgreen\xa0red\n", [2, 1, 0], ["blue.", "re-d"]),
        ("", [], []),
        (" , !", [], []),
    ],
)
def test_a_text_is_read_word_by_word(text, rows, unknown):
    assert read_words(text, WORDS) == (rows, unknown)


def test_punctuation_that_no_vocabulary_has_is_never_unknown():
    assert read_words(EDGES, ["red"]) == ([], [])
