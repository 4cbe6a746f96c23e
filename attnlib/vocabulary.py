"""Words of a text as rows of an embedding."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from attnlib.checks import as_text, as_texts

EDGES = ".,;:!?()\"'“”‘’…"  # what may stand right before and after a word
SPACES = r"[ \t\n\r\xa0]+"


class Words(NamedTuple):
    """The rows of the words that a vocabulary holds, and the pieces of the text that it does not."""

    rows: list[int]
    unknown: list[str]


def read_words(text: str, vocabulary: Sequence[str]) -> Words:
    """A text as rows of a vocabulary.

    Upper and lower case make no difference. Punctuation at a word's edges counts where it is in the vocabulary
    itself, and is left out where it is not.

    Args:
        text: words with spaces between.
        vocabulary: a word for each row.

    Returns:
        The rows of known words, and the pieces of the text with others.

    Raises:
        TypeError: for what is no text, or no list of texts.

    >>> read_words("Tom, red and BLUE.", ["red", "blue", "."])
    Words(rows=[0, 1, 2], unknown=['Tom,', 'and'])
    """
    text = as_text("text", text)
    known = {word.lower(): row for row, word in enumerate(as_texts("vocabulary", vocabulary))}
    rows: list[int] = []
    unknown: list[str] = []
    for piece in re.split(SPACES, text):
        whole = piece.lower()
        word = whole if whole in known else whole.strip(EDGES)
        start = whole.find(word)
        for part in (*whole[:start], word, *whole[start + len(word) :]):
            if part in known:
                rows.append(known[part])
            elif part and part == word:
                unknown.append(piece)
    return Words(rows, unknown)
