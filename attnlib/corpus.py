"""Synthetic English for a small model: sentences from a grammar in which a look back pays.

Three kinds of sentence follow each other until a stream is full:

- the call: *Houston we have a problem .*
- a read-back: *listen moon fire red roger moon fire red over .* What was said once is said again, word by word.
- a pronoun: *Anna met Tom . he paints .* What comes after the pronoun depends on whom it stands for.

Some streams open with an echo: words in any order, then the same words again. It teaches to repeat what no
sentence of the grammar holds.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int
from numpy import ndarray as Array

from attnlib.checks import as_generator, as_integer

WOMEN = {"Anna": "sings", "Mia": "paints", "Eva": "swims", "Zoe": "runs", "Ida": "cooks", "Nora": "reads"}
MEN = {"Tom": "paints", "Ben": "swims", "Leo": "runs", "Max": "cooks", "Sam": "reads", "Otto": "sings"}
THINGS = {"parrot": "sings", "robot": "paints", "turtle": "swims", "dog": "runs", "oven": "cooks", "owl": "reads"}
PRONOUNS = {"she": WOMEN, "he": MEN, "it": THINGS}
MEETINGS = ("met", "saw", "called")
CALL = ("Houston", "we", "have", "a", "problem", ".")
OPENINGS = ("Houston", "listen")  # of a read-back
ITEMS = (
    "moon", "earth", "sun", "star", "ship", "engine", "fuel", "water", "light", "door", "fire", "wind", "rain", "snow",
    "book", "fish", "tree", "stone", "red", "blue", "green", "gold", "white", "black", "north", "south", "east", "west",
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "left", "right",
)  # fmt: skip
VOCABULARY: tuple[str, ...] = tuple(
    dict.fromkeys((*CALL, "listen", "roger", "over", *PRONOUNS, *MEETINGS, "the", *WOMEN, *MEN, *THINGS,
        *WOMEN.values(), *ITEMS))
)  # fmt: skip
ROW = {word: row for row, word in enumerate(VOCABULARY)}
CONTEXT = 32  # tokens that a stream asks to continue
SHARES = {"call": 0.12, "read-back": 0.44, "pronoun": 0.44}
ECHOES = 0.25  # of all streams
COPY, PRONOUN = 1, 2  # what a token's next word is told by


class Streams(NamedTuple):
    """Token numbers, and which next words are told by an earlier token: by `task` how, and by `target` which one.

    `task` is 0 for a next word that may be anything, or is told by the words right before it; `target` is −1 there.
    """

    tokens: Int[Array, "count n_next"]
    task: Int[Array, "count n"]
    target: Int[Array, "count n"]


class Sentence(NamedTuple):
    """Words, and which of their next words are told by an earlier one: position → task, target."""

    words: list[str]
    told: dict[int, tuple[int, int]]


def read_back(rng: np.random.Generator) -> Sentence:
    """Three to six words, said by one and repeated by another.

    Args:
        rng: draws it.

    Returns:
        The words, and which of their next words are told.

    Raises:
        TypeError: for what is no generator.

    >>> " ".join(read_back(np.random.default_rng(0)).words)
    'listen west six ship north east gold roger west six ship north east gold over .'
    """
    rng = as_generator("rng", rng)
    items = _draw(rng, ITEMS, int(rng.integers(3, 7)))
    words = [OPENINGS[rng.integers(len(OPENINGS))], *items, "roger", *items, "over", "."]
    again = len(items) + 2
    return Sentence(words, {again + i: (COPY, i + 2) for i in range(len(items) - 1)})


def pronoun(rng: np.random.Generator) -> Sentence:
    """Two meet, and a pronoun stands for one of them; each has a habit of their own.

    Args:
        rng: draws it.

    Returns:
        The words, and which of their next words are told.

    Raises:
        TypeError: for what is no generator.

    >>> " ".join(pronoun(np.random.default_rng(3)).words)
    'Max called the owl . it reads .'
    """
    rng = as_generator("rng", rng)
    kinds = _draw(rng, tuple(PRONOUNS), 2)
    if kinds[0] == "it":
        kinds.reverse()  # a person comes first
    actors = [_draw(rng, tuple(PRONOUNS[kind]), 1)[0] for kind in kinds]
    met = MEETINGS[rng.integers(len(MEETINGS))]
    words = [actors[0], met, *(["the"] if kinds[1] == "it" else []), actors[1], "."]
    which = int(rng.integers(2))
    habit = PRONOUNS[kinds[which]][actors[which]]
    told = {len(words): (PRONOUN, words.index(actors[which]))}
    return Sentence([*words, kinds[which], habit, "."], told)


def echo(rng: np.random.Generator) -> Sentence:
    """Six to fifteen words of the whole vocabulary in any order, twice.

    Args:
        rng: draws it.

    Returns:
        The words, and which of their next words are told.

    Raises:
        TypeError: for what is no generator.

    >>> " ".join(echo(np.random.default_rng(1)).words)
    'water fish Mia sings called dog Anna black paints listen water fish Mia sings called dog Anna black paints listen .'
    """
    rng = as_generator("rng", rng)
    words = _draw(rng, VOCABULARY, int(rng.integers(6, 16)))
    n = len(words)
    return Sentence([*words, *words, "."], {n + i: (COPY, i + 1) for i in range(n - 1)})


def stream(rng: np.random.Generator, n: int = CONTEXT) -> Sentence:
    """n + 1 words: sentence after sentence, the last one cut.

    Args:
        rng: draws them.
        n: how many of them have a next word.

    Returns:
        The words, and which of their next words are told.

    Raises:
        ValueError: for n < 1.

    >>> " ".join(stream(np.random.default_rng(2), 12).words)
    'listen zero engine west five roger zero engine west five over . Houston'
    """
    rng, n = as_generator("rng", rng), as_integer("n", n, 1)
    words: list[str] = []
    told: dict[int, tuple[int, int]] = {}
    opening = rng.random() < ECHOES
    while len(words) <= n:
        kind = rng.choice(list(SHARES), p=list(SHARES.values())) if words or not opening else "echo"
        made, links = {"call": _call, "read-back": read_back, "pronoun": pronoun, "echo": echo}[kind](rng)
        start = len(words)
        told |= {start + i: (task, start + target) for i, (task, target) in links.items()}
        words += made
    return Sentence(words[: n + 1], {i: link for i, link in told.items() if i < n})


def streams(rng: np.random.Generator, count: int, n: int = CONTEXT) -> Streams:
    """Many streams of n tokens and the word after them.

    Args:
        rng: draws them.
        count: how many streams.
        n: the tokens of each.

    Returns:
        The tokens (count, n + 1), and of each with a next word its task and target, (count, n).

    Raises:
        ValueError: for a negative count and for n < 1.

    >>> [array.shape for array in streams(np.random.default_rng(0), 5)]
    [(5, 33), (5, 32), (5, 32)]
    """
    count, n = as_integer("count", count, 0), as_integer("n", n, 1)
    tokens = np.zeros((count, n + 1), int)
    task, target = np.zeros((count, n), int), np.full((count, n), -1)
    for row in range(count):
        words, told = stream(rng, n)
        tokens[row] = [ROW[word] for word in words]
        for i, (kind, key) in told.items():
            task[row, i], target[row, i] = kind, key
    return Streams(tokens, task, target)


def repeats(rng: np.random.Generator, count: int, length: int = 12) -> Int[Array, "count twice"]:
    """Sequences that no grammar makes: different words in random order, said twice.

    Args:
        rng: draws them.
        count: how many sequences.
        length: the words of each half.

    Returns:
        Rows of tokens, (count, 2 · length).

    Raises:
        ValueError: for a negative count, and a length that is not between 1 and the size of the vocabulary.

    >>> repeats(np.random.default_rng(0), 5).shape
    (5, 24)
    """
    count, length = as_integer("count", count, 0), as_integer("length", length, 1, len(VOCABULARY))
    every = np.tile(np.arange(len(VOCABULARY)), (count, 1))
    once = as_generator("rng", rng).permuted(every, axis=1)[:, :length]
    return np.hstack([once, once])


def _call(rng: np.random.Generator) -> Sentence:
    return Sentence(list(CALL), {})


def _draw(rng: np.random.Generator, words: tuple[str, ...], count: int) -> list[str]:
    """Different words; `rng.choice` of strings takes ten times as long."""
    return [words[i] for i in rng.permutation(len(words))[:count]]
