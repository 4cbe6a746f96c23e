"""What the sentence model all-MiniLM-L6-v2 does with some texts, recorded by `attnlib.training.minilm`."""

import base64
import copy
import gzip
import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.checks import as_choice, as_integer, as_list
from attnlib.models.packing import without_base64
from attnlib.models.recording import Recording


class LongText(NamedTuple):
    """A text of 256 tokens, and head 1.3's queries and keys, (256, 32), which NumPy can make its grid from.

    >>> tokens, queries, keys = long_text()
    >>> len(tokens), queries.shape == keys.shape == (256, 32)
    (256, True)
    """

    tokens: list[str]
    queries: Float[Array, "n d"]
    keys: Float[Array, "n d"]


def texts() -> list[str]:
    """The texts that are shown, in their order.

    Returns:
        Each text, once.

    >>> texts()[0], len(texts())
    ('Houston we have a problem', 18)
    """
    return list(_shown())


def recording(text: str = "Houston we have a problem") -> Recording:
    """All 72 heads of the model reading a text, and what silencing each changes.

    Args:
        text: one of `texts()`.

    Returns:
        The recording. Of the first text it holds the queries and keys of three heads as well.

    Raises:
        ValueError: for a text that was not recorded.

    >>> recording().grid(0, 2)[1:, :-1].diagonal().min() > 0.98
    np.True_
    """
    return _recording(as_choice("text", text, tuple(_shown())))


def vectors() -> Float[Array, "texts 384"]:
    """The model's vector of each of `texts()`, of length 1.

    Returns:
        One row for each text, (18, 384).

    >>> vectors().shape
    (18, 384)
    """
    return _array(record()["vectors"])


def last_rows(text: str) -> Float[Array, "n 384"]:
    """The last layer's row of each token of a text.

    Args:
        text: *The dog bites the man.* or *The man bites the dog.*

    Returns:
        One row for each token, (n, 384), the first of them for `[CLS]`.

    Raises:
        ValueError: for another text.

    >>> last_rows("The dog bites the man.").shape
    (8, 384)
    """
    kept = {name: one["states"] for name, one in _shown().items() if "states" in one}
    return _array(kept[as_choice("text", text, tuple(kept))])


def long_text() -> LongText:
    """The long text that is kept.

    Returns:
        The tokens, and the queries and keys of head 1.3.

    >>> tokens, queries, keys = long_text()
    >>> tokens[0], queries.shape
    ('[CLS]', (256, 32))
    """
    made = record()["long"]["text"]
    return LongText(made["tokens"], _array(made["queries"]), _array(made["keys"]))


def silenced_layers(layers: Iterable[int], way: str = "zero") -> dict[str, Any]:
    """What is left of the similarities when all heads of some layers are silent.

    Args:
        layers: the silent layers, counted from 0; () for none.
        way: "zero" or "mean", what stands in place of what these heads give.

    Returns:
        "right": how many of the 40 first sentences are nearest to their partner, and "back", the other direction;
        "within" and "across": the mean cosine of partners, and of sentences of different pairs; "swapped": that of the
        twelve pairs with exchanged nouns; "shown": of the first three of `texts()` the two cosines.

    Raises:
        ValueError: for a layer that the model does not have, or another way.
        TypeError: for what is no list of integers or no text.

    >>> silenced_layers([0])["shown"][1], silenced_layers(range(6))["right"]
    ([0.283, 0.355], 35)
    """
    found = record()["silenced"][as_choice("way", way, ("zero", "mean"))]["layers"]
    last = len(found).bit_length() - 2
    silent = {as_integer(f"layers[{i}]", layer, 0, last) for i, layer in enumerate(as_list("layers", layers))}
    made: dict[str, Any] = found[sum(1 << (last - layer) for layer in silent)]
    return copy.deepcopy(made)


@cache
def record() -> dict[str, Any]:
    """All that was recorded, and with which command.

    Returns:
        The record, by name.

    >>> record()["model"], record()["license"], record()["command"]
    ('all-MiniLM-L6-v2', 'Apache License 2.0', 'python -m attnlib.training.minilm')
    """
    made: dict[str, Any] = json.loads(gzip.decompress(files("attnlib").joinpath("data/minilm.json.gz").read_bytes()))
    return made


@cache
def _recording(text: str) -> Recording:
    return Recording.from_dict(without_base64(_shown()[text]["recording"]))


def _shown() -> dict[str, dict[str, Any]]:
    return {one["text"]: one for one in record()["shown"]}


def _array(given: dict[str, Any]) -> Array:
    """An array in float32."""
    return np.frombuffer(base64.b64decode(given["base64"]), "<f2").astype(np.float32).reshape(given["shape"])
