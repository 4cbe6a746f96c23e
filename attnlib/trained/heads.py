"""What the heads of such a decoder do: their scores, and what it can without one of them."""

from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from attnlib.arguments import as_parameters, as_tokens, checked_parameters
from attnlib.checks import as_array, as_integer
from attnlib.corpus import COPY, PRONOUN, Streams, repeats, streams
from attnlib.decoder import decoder_logits, decoder_weights
from attnlib.lab.heads import silence_head
from attnlib.scaled_dot_product import softmax
from attnlib.trained.model import Parameters


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

    >>> from attnlib.trained import parameters
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

    >>> from attnlib.trained import parameters
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

    >>> from attnlib.trained import parameters
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

    >>> from attnlib.trained import parameters
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

    >>> from attnlib.trained import parameters
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

    >>> from attnlib.trained import parameters
    >>> list(measure(parameters(), count=5))
    ['accuracies', 'named', 'heads']
    """
    count, (arrays, _) = as_integer("count", count, 1), checked_parameters(parameters)
    drawn = streams(np.random.default_rng(2024), count)
    sequences = repeats(np.random.default_rng(2025), count)
    whole = accuracies(arrays, drawn, sequences)
    scores = {
        "previous token": previous_token_scores(arrays, sequences),
        "induction": induction_scores(arrays, sequences),
        "pronoun": pronoun_scores(arrays, drawn),
    }
    without = partial(silence_head, arrays["w_o"], num_heads=arrays["bias"].shape[1])
    heads = [
        {"layer": layer, "head": head}
        | {name: float(score[layer, head]) for name, score in scores.items()}
        | {"without": accuracies(arrays | {"w_o": without(layer, head)}, drawn, sequences)}
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
