"""HeadBrowser: type a sentence and see what every head of a decoder does with it."""

import html
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import InputError, Texts, Whole, base85
from attnlib import trained
from attnlib.decoder import decoder_logits, decoder_weights
from attnlib.scaled_dot_product import softmax
from attnlib.trained.quantized import Quantized, quantize
from attnlib.vocabulary import read_words
from attnlib.widgets.base import PageWidget, check_index
from attnlib.widgets.tables import table

LONGEST = 32  # words of a sentence
MOST = 10  # of these whose whole grid is a table
LIKELIEST = 3  # next words of each reading


class Parameters(traitlets.TraitType[dict[str, Any], Any]):
    """Arrays by name; takes numbers, holds of each its shape, its levels and its rows' steps (float32, little-endian), in
    base 85, by `attnlib.trained.quantized`."""

    def __init__(self, **options: Any) -> None:
        super().__init__({}, **options)

    def validate(self, owner: Any, value: Any) -> dict[str, Any]:
        return {name: entry if isinstance(entry, dict) else packed(name, entry) for name, entry in value.items()}


def packed(name: str, array: Any) -> dict[str, Any]:
    """An array as a page takes it."""
    try:
        levels, steps = quantize(name, array)
    except ValueError as error:
        raise InputError(str(error)) from error
    return {"shape": list(levels.shape), "levels": _coded(levels), "steps": _coded(steps.astype("<f4"))}


def unpacked(entry: Mapping[str, Any]) -> Float[Array, "..."]:
    """What `packed` packed, in float64."""
    levels, steps = (
        np.frombuffer(base85.decode(entry[name]), kind) for name, kind in (("levels", np.int8), ("steps", "<f4"))
    )
    return Quantized(levels.reshape(entry["shape"]), steps.reshape(entry["shape"][:-1])).values


def _coded(array: Array) -> str:
    return base85.encode(array.tobytes())


class HeadBrowser(PageWidget):
    """Eight heads of a trained decoder read one sentence, and you see all of them while you type.

    `sentence` is what is read: upper and lower case make no difference, punctuation counts where the vocabulary
    has it, words that it has not are left out, and so is what follows the 32nd. `layer` and `head`, counted from 0, are
    shown large, and `token` is the query whose row is given in numbers (None means the last). With `silenced` that
    head adds nothing to the stream; with `swapped`, a token counted from 0, the word `other` is read in its place.
    Whatever is changed so, the likeliest next words are compared with those of the sentence as it stands.

    `parameters` are those of `attnlib.decoder`, one row of its `embedding` for each word of `vocabulary`; they
    are kept in 8 bits, each off by at most 1/254 of the largest in its row. Without them it is the model of `attnlib.trained`.

    Raises:
        ValueError: an `InputError`, for parameters that do not fit each other or the vocabulary, words that are
            in it twice, and a layer, head or other word that is not there.

    >>> browser = HeadBrowser("Anna met Tom. He")
    >>> browser.tokens
    ['Anna', 'met', 'Tom', '.', 'he']
    >>> browser.weights.shape
    (2, 4, 5, 5)
    >>> browser.next_words[0][0]
    'paints'
    """

    _alive = "type a sentence of your own, see every head read it, and silence one"
    title = traitlets.Unicode("One sentence in every head").tag(sync=True)
    provenance = traitlets.Unicode("trained").tag(sync=True)
    vocabulary = Texts().tag(sync=True)
    parameters = Parameters().tag(sync=True)
    sentence = traitlets.Unicode("Houston we have a problem").tag(sync=True, link=True)
    layer = Whole(0, min=0).tag(sync=True, link=True)
    head = Whole(0, min=0).tag(sync=True, link=True)
    token = Whole(None, min=0, allow_none=True).tag(sync=True, link=True)
    silenced = traitlets.Bool(False).tag(sync=True, link=True)
    swapped = Whole(None, min=0, allow_none=True).tag(sync=True, link=True)
    other = traitlets.Unicode("").tag(sync=True, link=True)

    def __init__(
        self,
        sentence: str | None = None,
        vocabulary: Sequence[str] | None = None,
        parameters: Mapping[str, Array] | None = None,
        **options: Any,
    ) -> None:
        if parameters is not None:
            options = {"provenance": "of the parameters given"} | options
        options |= {"vocabulary": list(trained.VOCABULARY if vocabulary is None else vocabulary)}
        options |= {"parameters": trained.parameters() if parameters is None else dict(parameters)}
        super().__init__(**options | ({} if sentence is None else {"sentence": sentence}))

    @property
    def arrays(self) -> dict[str, Array]:
        """The parameters as they are computed with."""
        return {name: unpacked(entry) for name, entry in self.parameters.items()}

    @property
    def ids(self) -> list[int]:
        """The words that are read, as rows of the embedding: the known ones of the sentence, one of them swapped perhaps."""
        ids = self._typed
        if self.swapped is not None and self.swapped < len(ids) and self.other:
            ids[self.swapped] = [word.lower() for word in self.vocabulary].index(self.other.lower())
        return ids

    @property
    def tokens(self) -> list[str]:
        """The words that are read."""
        return [self.vocabulary[i] for i in self.ids]

    @property
    def weights(self) -> Float[Array, "layers h n n"]:
        """Query (row) reads from key (column), for every layer and head, by `attnlib.decoder.decoder_weights`."""
        return decoder_weights(self._heard, self.ids)

    @property
    def logits(self) -> Float[Array, "n v"]:
        """For every token the scores of all words as the next one, by `attnlib.decoder.decoder_logits`."""
        return decoder_logits(self._heard, self.ids)

    @property
    def next_words(self) -> list[tuple[str, list[float]]]:
        """The likeliest words after the query, each with its probability; with that of before too, when something is changed."""
        query = self._query
        readings = [softmax(self.logits[query])]
        if self.silenced or self.ids != self._typed:
            readings.insert(0, softmax(decoder_logits(self.arrays, self._typed)[query]))
        rows = [int(row) for reading in readings for row in np.argsort(-reading, kind="stable")[:LIKELIEST]]
        return [(self.vocabulary[row], [float(reading[row]) for reading in readings]) for row in dict.fromkeys(rows)]

    @property
    def _typed(self) -> list[int]:
        return read_words(self.sentence, self.vocabulary).rows[:LONGEST]

    @property
    def _query(self) -> int:
        last = len(self._typed) - 1
        return last if self.token is None else min(self.token, last)

    @property
    def _heard(self) -> dict[str, Array]:
        """The parameters, without the silenced head."""
        return trained.ablate(self.arrays, self.layer, self.head) if self.silenced else self.arrays

    def check(self, inputs: SimpleNamespace) -> None:
        try:
            arrays = {name: unpacked(entry) for name, entry in inputs.parameters.items()}
            layers, heads = decoder_weights(arrays, [0]).shape[:2]
        except ValueError as error:
            raise InputError(str(error)) from error
        if len(arrays["embedding"]) != len(inputs.vocabulary):
            raise InputError(f"{len(inputs.vocabulary)} words for {len(arrays['embedding'])} rows of the embedding")
        seen: set[str] = set()
        for i, word in enumerate(inputs.vocabulary):
            if not word or word.lower() in seen or re.search(r"[ \t\n\r\xa0]", word):
                raise InputError(f"word {i} of the vocabulary, {word!r}, is empty, holds a space, or is there already")
            seen.add(word.lower())
        check_index("layer", inputs.layer, layers)
        check_index("head", inputs.head, heads)
        if inputs.other and inputs.other.lower() not in seen:
            raise InputError(f"other is {inputs.other!r}, which is not in the vocabulary")

    def fallback(self) -> str:
        tokens = self.tokens
        caption = self.caption("query (row) reads from key (column).")
        if not tokens:
            said = f"<figcaption>{html.escape(caption)}</figcaption><p>No word of the sentence is known.</p>"
            return f'<figure class="attn">{said}</figure>'
        weights, query = self.weights, self._query
        read, asks = tokens[: query + 1], f"“{tokens[query]}”"
        reads = weights[:, :, query, : query + 1].reshape(-1, query + 1)  # (layers · h, keys so far)
        names = [f"layer {layer + 1}, head {head + 1}" for layer, head in np.ndindex(weights.shape[:2])]
        what = f"{caption} “{' '.join(tokens)}”: what {asks} reads, in every head."
        out = table(what, read, zip(names, reads, strict=True), reads)
        following = self.next_words
        chances = np.array([chances for _, chances in following])
        columns = ["probability"] if chances.shape[1] == 1 else ["before", "after"]
        out += table(f"The next word after {asks}{self._changes()}.", columns, following, chances)
        if len(tokens) > MOST:
            return out
        grid = weights[self.layer, self.head]
        rows = [(token, [*grid[i, : i + 1], *"–" * (len(tokens) - i - 1)]) for i, token in enumerate(tokens)]
        return out + table(f"Layer {self.layer + 1}, head {self.head + 1}: all queries.", tokens, rows, grid)

    def _changes(self) -> str:
        """What is changed, in words."""
        made = [f"layer {self.layer + 1}, head {self.head + 1} is silenced"] if self.silenced else []
        if self.ids != self._typed:
            made.append(f"“{self.vocabulary[self._typed[self.swapped or 0]]}” is swapped for “{self.other}”")
        return f", before and after {' and '.join(made)}" if made else ""
