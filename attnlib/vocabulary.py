"""Words of a text as rows of an embedding."""

import re
from collections.abc import Sequence

EDGES = ".,;:!?()\"'“”‘’…"  # what may stand right before and after a word
SPACES = r"[ \t\n\r\xa0]+"


def read_words(text: str, vocabulary: Sequence[str]) -> tuple[list[int], list[str]]:
    """The rows of the words that `vocabulary` holds, and the pieces of the text that it does not.

    Upper and lower case make no difference. Punctuation at a word's edges counts where it is in the vocabulary
    itself, and is left out where it is not.

    >>> read_words("Tom, red and BLUE.", ["red", "blue", "."])
    ([0, 1, 2], ['Tom,', 'and'])
    """
    known = {word.lower(): row for row, word in enumerate(vocabulary)}
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
    return rows, unknown
