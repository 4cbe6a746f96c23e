"""The shipped parameters, and the words that they know."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int
from numpy import ndarray as Array

from attnlib import corpus
from attnlib.arguments import as_parameters, as_tokens
from attnlib.checks import as_array, as_integer, as_text
from attnlib.corpus import CONTEXT
from attnlib.decoder import decoder_logits
from attnlib.scaled_dot_product import softmax
from attnlib.trained import quantized
from attnlib.vocabulary import read_words

Parameters = Mapping[str, Array]
VOCABULARY = corpus.VOCABULARY


class NextWord(NamedTuple):
    """A word that may come next, and how probable it is."""

    word: str
    chance: float


def parameters() -> dict[str, Array]:
    """The shipped weights, by name: 2 layers of 4 heads, d = 64. They were stored in 8 bits by
    `attnlib.trained.quantized`, and are read-only.

    Returns:
        The arrays that `attnlib.decoder` names, in float64.

    >>> {name: array.shape for name, array in parameters().items()}["w_q"]
    (2, 64, 64)
    """
    return dict(_shipped())


@cache
def _shipped() -> dict[str, Array]:
    with files("attnlib").joinpath("data/model.npz").open("rb") as file:
        arrays = quantized.read(file)
    for array in arrays.values():
        array.setflags(write=False)
    return arrays


def record() -> dict[str, Any]:
    """Where the shipped weights come from, and what was measured of them.

    Returns:
        The record, by name.

    >>> record()["command"]
    'python -m attnlib.training --seed 3 --steps 2500 --out attnlib/data/model.npz'
    """
    made: dict[str, Any] = json.loads(files("attnlib").joinpath("data/model.json").read_text(encoding="utf8"))
    return made


def encode(text: str) -> list[int]:
    """The words of a text as rows of the embedding. Case makes no difference, and a full stop is a word.

    Args:
        text: words with spaces between.

    Returns:
        One number for each word.

    Raises:
        ValueError: for words that the model never saw, no words at all, and more than it reads at once.
        TypeError: for what is no text.

    >>> encode("Houston, we have a problem.")
    [0, 1, 2, 3, 4, 5]
    """
    rows, unknown = read_words(as_text("text", text), VOCABULARY)
    if unknown:
        known = f"the model knows {len(VOCABULARY)} words (attnlib.trained.VOCABULARY)"
        raise ValueError(f"{known}, and of the text not {', '.join(map(repr, unknown))}")
    if not 1 <= len(rows) <= CONTEXT:
        raise ValueError(f"text must have 1 to {CONTEXT} words, which the model reads at once, got {len(rows)}")
    return rows


def decode(tokens: Sequence[int] | Int[Array, "n"]) -> str:
    """The words of rows of the embedding, with spaces between.

    Args:
        tokens: the rows' numbers, (n,).

    Returns:
        The words, with one space between each two.

    Raises:
        ValueError: for another shape, and for a number that is no row, naming its index.
        TypeError: for what is no array.

    >>> decode([0, 1, 2, 3, 4, 5])
    'Houston we have a problem .'
    """
    ids = as_array("tokens", tokens, "iu", ndim=1)
    if ids.ndim > 1:
        raise ValueError(f"tokens must have the shape (n,), got {ids.shape}")
    return " ".join(VOCABULARY[row] for row in (as_tokens("tokens", ids, len(VOCABULARY)) if ids.size else ()))


def next_words(text: str, count: int = 3, *, using: Parameters | None = None) -> list[NextWord]:
    """What the model expects after a text: the likeliest words.

    Args:
        text: as for `encode`.
        count: how many words.
        using: the parameters of the model that is asked; None means the shipped one.

    Returns:
        Each word with its probability, the likeliest first.

    Raises:
        ValueError: as `encode` does, for a count below 1, and for parameters that are missing, do not fit or have
            another number of words.
        TypeError: for what is no text, no integer or no dict of arrays.

    >>> [word for word, _ in next_words("Houston we have a", 1)]
    ['problem']
    """
    count, rows = as_integer("count", count, 1), encode(text)
    using = parameters() if using is None else using
    words = len(as_parameters(using, "using")["embedding"])
    if words != len(VOCABULARY):
        raise ValueError(f"using must have a row of its embedding for each of {len(VOCABULARY)} words, got {words}")
    chances = softmax(decoder_logits(using, rows)[-1])
    return [NextWord(VOCABULARY[row], float(chances[row])) for row in np.argsort(-chances, kind="stable")[:count]]
