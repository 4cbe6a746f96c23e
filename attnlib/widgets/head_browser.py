"""HeadBrowser: type a sentence and see what every head of a decoder does with it."""

import base64
import html
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.decoder import decoder_logits, decoder_weights, random_decoder
from attnlib.widgets.base import InputError, PageWidget, Tokens, table, text

LONGEST = 32  # words of a sentence
MOST = 10  # of these whose whole grid is a table
EDGES = ".,;:!?()\"'“”‘’…"  # stripped from a word that is not known with them
VOCABULARY = """
    Houston we have a problem the an this that my your our you I they he she it is are was has had no not and or but
    in on of to from for with at by as so if then when what who where why how here there now again all one two three
    moon earth space ship crew engine fire water light door night day time home friend cat dog bird book word city
    call see hear say read write go come turn find need want know think help stop start new old big small red blue
    good bad
""".split()  # noqa: SIM905 (a hundred pairs of quotes would hide the words)


class Parameters(traitlets.TraitType[dict[str, Any], Any]):
    """Arrays by name; takes numbers, holds the shape of each and its entries as float16, little-endian, in base64."""

    def __init__(self, **options: Any) -> None:
        super().__init__({}, **options)

    def validate(self, owner: Any, value: Any) -> dict[str, Any]:
        return {name: entry if isinstance(entry, dict) else packed(name, entry) for name, entry in value.items()}


def packed(name: str, array: Any) -> dict[str, Any]:
    """An array as a page takes it."""
    array = np.asarray(array, dtype=float)
    with np.errstate(over="ignore"):
        halves = array.astype("<f2")
    if not np.isfinite(halves).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(halves))[0])
        raise InputError(f"{name}{list(index)} is {array[index]}: float16 holds what is finite and below 65,520")
    return {"shape": list(array.shape), "data": base64.b64encode(halves.tobytes()).decode("ascii")}


def unpacked(entry: Mapping[str, Any]) -> Float[Array, "..."]:
    """What `packed` packed, in float64."""
    halves = np.frombuffer(base64.b64decode(entry["data"], validate=True), "<f2")
    return halves.reshape(entry["shape"]).astype(float)


class HeadBrowser(PageWidget):
    """Eight heads read one sentence in eight ways, and you see all of them while you type.

    `parameters` are those of `attnlib.decoder`, one row of its `embedding` for each word of `vocabulary`; they
    are kept in float16. `sentence` is what is read: upper and lower case and punctuation make no difference,
    words that are not in the vocabulary are left out, and so is what follows the 32nd. `layer` and
    `head`, counted from 0, are shown large, and `token` is the query whose row is given in numbers (None means the last).
    Without arguments the decoder is drawn at random.

    Raises ValueError (`InputError`) for parameters that do not fit each other or the vocabulary, words that are
    in it twice, and a layer or head that is not there.

    >>> browser = HeadBrowser("We have a problem, Houston!")
    >>> browser.tokens
    ['we', 'have', 'a', 'problem', 'Houston']
    >>> browser.weights.shape
    (2, 4, 5, 5)
    """

    _module = "head_browser"
    _alive = "type a sentence of your own and see every head read it"
    title = traitlets.Unicode("One sentence in every head").tag(sync=True)
    provenance = traitlets.Unicode("random, not trained").tag(sync=True)
    vocabulary = Tokens().tag(sync=True)
    parameters = Parameters().tag(sync=True)
    sentence = traitlets.Unicode("Houston we have a problem").tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    token = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        sentence: str | None = None,
        vocabulary: Sequence[str] | None = None,
        parameters: Mapping[str, Array] | None = None,
        **options: Any,
    ) -> None:
        vocabulary = list(VOCABULARY if vocabulary is None else vocabulary)
        if parameters is None:
            parameters = random_decoder(np.random.default_rng(0), vocabulary=len(vocabulary), reach=LONGEST)
        if sentence is not None:
            options["sentence"] = sentence
        super().__init__(vocabulary=vocabulary, parameters=dict(parameters), **options)

    @property
    def arrays(self) -> dict[str, Array]:
        """The parameters as they are computed with."""
        return {name: unpacked(entry) for name, entry in self.parameters.items()}

    @property
    def ids(self) -> list[int]:
        """The words of the sentence that are known, as rows of the embedding."""
        known = {word.lower(): i for i, word in enumerate(self.vocabulary)}
        pieces = [piece.lower() for piece in re.split(r"[ \t\n\r\xa0]+", self.sentence)]
        words = [piece if piece in known else piece.strip(EDGES) for piece in pieces]
        return [known[word] for word in words if word in known][:LONGEST]

    @property
    def tokens(self) -> list[str]:
        """The words of the sentence that are known."""
        return [self.vocabulary[i] for i in self.ids]

    @property
    def weights(self) -> Float[Array, "layers h n n"]:
        """Query (row) reads from key (column), for every layer and head, by `attnlib.decoder_weights`."""
        return decoder_weights(self.arrays, self.ids)

    @property
    def logits(self) -> Float[Array, "n v"]:
        """For every token the scores of all words as the next one, by `attnlib.decoder_logits`."""
        return decoder_logits(self.arrays, self.ids)

    @traitlets.validate("vocabulary", "parameters", "layer", "head", "token")
    def _check_input(self, proposal: Any) -> Any:
        return self._checked(proposal)

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
        for name, value, count in [("layer", inputs.layer, layers), ("head", inputs.head, heads)]:
            if not 0 <= value < count:
                raise InputError(f"{name} {value} is outside 0 … {count - 1}")
        if inputs.token is not None and inputs.token < 0:
            raise InputError(f"token {inputs.token} is below 0")

    def fallback(self) -> str:
        tokens = self.tokens
        caption = f"{self.title}: query (row) reads from key (column). Numbers: {self.provenance}."
        if not tokens:
            return f'<figure class="attn"><figcaption>{html.escape(caption)}</figcaption><p>No word of the sentence is known.</p></figure>'
        weights, last = self.weights, len(tokens) - 1
        query = last if self.token is None else min(self.token, last)
        reads = weights[:, :, query, : query + 1].reshape(-1, query + 1)  # (layers · h, keys so far)
        names = [
            f"layer {place // weights.shape[1] + 1}, head {place % weights.shape[1] + 1}" for place in range(len(reads))
        ]
        cells = [[text(weight) for weight in row] for row in reads]
        out = table(
            f"{caption} “{' '.join(tokens)}”: what “{tokens[query]}” reads, in every head.",
            tokens[: query + 1],
            list(zip(names, cells, strict=True)),
            reads,
        )
        if len(tokens) > MOST:
            return out
        grid = weights[self.layer, self.head]
        rows = [[text(weight) if j <= i else "–" for j, weight in enumerate(row)] for i, row in enumerate(grid)]
        return out + table(
            f"Layer {self.layer + 1}, head {self.head + 1}: all queries.",
            tokens,
            list(zip(tokens, rows, strict=True)),
            grid,
        )
