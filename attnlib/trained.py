"""The model of chapter 9: a small decoder that was really trained, its words, and what its heads do.

`parameters` are those of `attnlib.decoder`, which computes with them: `decoder_weights(parameters(), encode("…"))`.
They were made by `python -m attnlib.training`; `record` says with which seed, on which data, and how good they are.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from attnlib import corpus
from attnlib.arguments import as_parameters, as_tokens, checked_parameters
from attnlib.checks import as_array, as_integer, as_text
from attnlib.corpus import CONTEXT, COPY, PRONOUN, Streams, repeats, streams
from attnlib.decoder import decoder_logits, decoder_weights
from attnlib.lab.heads import silence_head
from attnlib.scaled_dot_product import softmax
from attnlib.vocabulary import read_words

Parameters = Mapping[str, Array]
VOCABULARY = corpus.VOCABULARY


class NextWord(NamedTuple):
    """A word that may come next, and how probable it is."""

    word: str
    chance: float


@cache
def parameters() -> dict[str, Array]:
    """The shipped weights, by name: 2 layers of 4 heads, d = 64. They were stored in float16, and are read-only.

    Returns:
        The arrays that `attnlib.decoder` names, in float64.

    >>> {name: array.shape for name, array in parameters().items()}["w_q"]
    (2, 64, 64)
    """
    with files("attnlib").joinpath("data/model.npz").open("rb") as file:
        arrays = {name: half.astype(float) for name, half in np.load(file).items()}
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


def ablate(parameters: Parameters, layer: int, head: int) -> dict[str, Array]:
    """The same parameters, but the head adds nothing to the stream: its rows of W_O are 0.

    Args:
        parameters: those of `attnlib.decoder`.
        layer, head: which head, both counted from 0.

    Returns:
        Arrays by name; all but `w_o` are those that were given.

    Raises:
        ValueError: for a head that is not there, and for parameters that are missing or do not fit.
        TypeError: for what is no dict of arrays or no integer.

    >>> without = ablate(parameters(), 0, 1)
    >>> bool((without["w_o"][0, 16:32] == 0).all())
    True
    """
    arrays, _ = checked_parameters(parameters)
    return dict(parameters) | {"w_o": silence_head(parameters["w_o"], layer, head, arrays["bias"].shape[1])}


def previous_token_scores(parameters: Parameters, sequences: Int[Array, "count n"]) -> Float[Array, "layers h"]:
    """How much every head reads from the token before, on average over all tokens but the first.

    Args:
        parameters: those of `attnlib.decoder`.
        sequences: rows of tokens, (count, n).

    Returns:
        Mean weights, (layers, h), from 0 to 1.

    Raises:
        ValueError: as `decoder_weights`, and for rows of fewer than two tokens.
        TypeError: for what is no array or no dict of arrays.

    >>> scores = previous_token_scores(parameters(), repeats(np.random.default_rng(0), 5))
    >>> scores.shape, bool(scores.max() > 0.9)
    ((2, 4), True)
    """
    sequences = _sequences(sequences, parameters, 2)
    later = np.arange(1, sequences.shape[1])
    scores: Array = decoder_weights(parameters, sequences)[..., later, later - 1].mean(axis=(0, -1))
    return scores


def induction_scores(parameters: Parameters, sequences: Int[Array, "count twice"]) -> Float[Array, "layers h"]:
    """How much every head reads, in words said twice, from the token that came next when the word was said first.

    Args:
        parameters: those of `attnlib.decoder`.
        sequences: the same words twice in each row, as `attnlib.corpus.repeats` makes them, (count, twice).

    Returns:
        Mean weights, (layers, h), from 0 to 1.

    Raises:
        ValueError: as `decoder_weights`, and for other sequences.
        TypeError: for what is no array or no dict of arrays.

    >>> scores = induction_scores(parameters(), repeats(np.random.default_rng(0), 5))
    >>> scores.shape, bool(scores.max() > 0.9)
    ((2, 4), True)
    """
    sequences = _twice(sequences, parameters)
    n = sequences.shape[1] // 2
    later = np.arange(n, 2 * n - 1)
    scores: Array = decoder_weights(parameters, sequences)[..., later, later - n + 1].mean(axis=(0, -1))
    return scores


def pronoun_scores(parameters: Parameters, drawn: Streams) -> Float[Array, "layers h"]:
    """How much every head reads, at a pronoun, from the one whom it stands for.

    Args:
        parameters: those of `attnlib.decoder`.
        drawn: what `attnlib.corpus.streams` gave.

    Returns:
        Mean weights, (layers, h), from 0 to 1.

    Raises:
        ValueError: as `decoder_weights`, and for streams without a pronoun.
        TypeError: for what are no streams or no dict of arrays.

    >>> scores = pronoun_scores(parameters(), streams(np.random.default_rng(0), 20))
    >>> scores.shape, bool(scores.max() > 0.9)
    ((2, 4), True)
    """
    drawn = _streams(drawn, parameters, PRONOUN)
    rows, places = np.nonzero(drawn.task == PRONOUN)
    weights = decoder_weights(parameters, drawn.tokens[:, :-1])
    scores: Array = weights[rows, :, :, places, drawn.target[rows, places]].mean(axis=0)  # of (pronouns, layers, h)
    return scores


def accuracies(parameters: Parameters, drawn: Streams, sequences: Int[Array, "count twice"]) -> dict[str, float]:
    """How good the model is on fresh text: its loss in nats for a word, and how often its likeliest word is right.

    Args:
        parameters, drawn, sequences: as in `pronoun_scores` and `induction_scores`.

    Returns:
        By name: `loss`; of the words of a list said again `copy`, of the word after a pronoun `pronoun`, and of the
        later half of `sequences`, which no grammar makes, `repeats`.

    Raises:
        ValueError: as `decoder_weights`, for streams without a list that is said again or without a pronoun, and for
            other sequences than words said twice.
        TypeError: for what are no streams, no array or no dict of arrays.

    >>> measured = accuracies(parameters(), streams(np.random.default_rng(0), 20), repeats(np.random.default_rng(0), 5))
    >>> list(measured), measured["pronoun"] > 0.9
    (['loss', 'copy', 'pronoun', 'repeats'], True)
    """
    drawn, sequences = _streams(drawn, parameters, COPY, PRONOUN), _twice(sequences, parameters)
    logits = decoder_logits(parameters, drawn.tokens[:, :-1])
    following = drawn.tokens[:, 1:]
    right = logits.argmax(axis=-1) == following
    chances = np.take_along_axis(softmax(logits), following[..., None], axis=-1)
    n = sequences.shape[1] // 2
    again = decoder_logits(parameters, sequences[:, :-1])[:, n:].argmax(axis=-1) == sequences[:, n + 1 :]
    return {
        "loss": float(-np.log(chances).mean()),
        "copy": float(right[drawn.task == COPY].mean()),
        "pronoun": float(right[drawn.task == PRONOUN].mean()),
        "repeats": float(again.mean()),
    }


def measure(parameters: Parameters, *, count: int = 300) -> dict[str, Any]:
    """All that `record` keeps of a model: accuracies, each head's three scores, and the accuracies without each head.

    The streams are fresh: no run trains on them.

    Args:
        parameters: those of `attnlib.decoder`.
        count: how many streams and how many sequences.

    Returns:
        By name: "accuracies" of the whole model, "named", the layer and head with the highest score of each
        kind, and "heads".

    Raises:
        ValueError: as `decoder_weights`, and for a count below 1.
        TypeError: for what is no integer or no dict of arrays.

    >>> list(measure(parameters(), count=5))
    ['accuracies', 'named', 'heads']
    """
    count = as_integer("count", count, 1)
    drawn = streams(np.random.default_rng(2024), count)
    sequences = repeats(np.random.default_rng(2025), count)
    whole = accuracies(parameters, drawn, sequences)
    scores = {
        "previous token": previous_token_scores(parameters, sequences),
        "induction": induction_scores(parameters, sequences),
        "pronoun": pronoun_scores(parameters, drawn),
    }
    heads = [
        {"layer": layer, "head": head}
        | {name: float(score[layer, head]) for name, score in scores.items()}
        | {"without": accuracies(ablate(parameters, layer, head), drawn, sequences)}
        for layer, head in np.ndindex(scores["induction"].shape)
    ]
    best = {name: [int(i) for i in np.unravel_index(score.argmax(), score.shape)] for name, score in scores.items()}
    return {"accuracies": whole, "named": best, "heads": heads}


def _sequences(sequences: Array, parameters: Parameters, least: int) -> Array:
    """Rows of tokens, so many or more in each."""
    words = len(as_parameters(parameters)["embedding"])  # all else the decoder checks
    ids = as_tokens("sequences", sequences, words, ndim=2)
    if ids.ndim > 2 or ids.shape[1] < least:
        raise ValueError(f"sequences must have the shape (count, n), n {least} or more, got {ids.shape}")
    return ids


def _twice(sequences: Array, parameters: Parameters) -> Array:
    """Rows of two words or more, said twice."""
    ids = _sequences(sequences, parameters, 4)
    n, odd = divmod(ids.shape[1], 2)
    if odd or (ids[:, :n] != ids[:, n:]).any():
        raise ValueError(f"sequences must hold words said twice, got shape {ids.shape}")
    return ids


def _streams(drawn: Streams, parameters: Parameters, *tasks: int) -> Streams:
    """Streams of words that the model knows, in which each of the tasks occurs."""
    if not isinstance(drawn, Streams):
        raise TypeError(f"drawn must be what attnlib.corpus.streams gives, got {type(drawn).__name__}")
    words = len(as_parameters(parameters)["embedding"])
    tokens = as_tokens("drawn.tokens", drawn.tokens, words, ndim=2)
    task, target = (as_array(f"drawn.{name}", getattr(drawn, name), "iu") for name in ("task", "target"))
    if not task.shape == target.shape == tokens[:, 1:].shape:
        raise ValueError(
            f"drawn.tokens of shape {tokens.shape} do not fit {task.shape} tasks and {target.shape} targets"
        )
    for kind in tasks:
        if not (task == kind).any():
            told = {COPY: "a list that is said again", PRONOUN: "a pronoun"}[kind]
            raise ValueError(f"drawn holds {len(tokens)} streams without {told}: draw more")
    return Streams(tokens, task, target)
