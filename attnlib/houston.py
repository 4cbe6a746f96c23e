"""The running example: *Houston we have a problem*, with frozen parameters for every stage of the book.

One sentence goes through seven stages, and each changes the 5 × 5 grid of attention weights:

1. raw dot product, 2. learnable U, 3. query, key and value, 4. scaled, 5. masked,
6. several heads, 7. trained.

The numbers of stages 1–6 are made by hand: chosen so that each stage shows its point, not measured
in any language model. Stage 7 is the first layer of the model in `attnlib.trained`, which was trained to
guess the next word. The sizes of the others all differ, so that a transposed matrix cannot pass
unnoticed: n = 5 tokens, d = 8, d_u = 6, d_k = 4, d_v = 3, h = 2 heads.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from attnlib.decoder import distance_bias, rms_norm
from attnlib.masks import causal_mask
from attnlib.multihead import split_heads
from attnlib.scaled_dot_product import attention_weights
from attnlib.trained import encode, parameters

TOKENS = ("Houston", "we", "have", "a", "problem")
AXES = ("noun", "pronoun", "verb", "article", "place", "people", "trouble", "letters")
PREVIOUS = 3  # the head of stage 7 that reads the token before


def _frozen(rows: Any) -> Array:
    array = np.array(rows, dtype=float)
    array.setflags(write=False)
    return array


def _table(text: str) -> Array:
    return _frozen(np.loadtxt(text.splitlines()))


# Hand-made embeddings X (n × d). The last axis, `letters`, is the word's length over 5: a nuisance
# dimension, true of the word and irrelevant to what it means.
EMBEDDINGS = _table("""
    # noun pron verb art  plac peop trou letters
     1.0  0.0  0.0  0.0  1.0  0.5  0.0  1.4  # Houston
     0.0  1.0  0.0  0.0  0.0  1.0  0.0  0.4  # we
     0.0  0.0  1.0  0.0  0.0  0.0  0.0  0.8  # have
     0.0  0.0  0.0  1.0  0.0  0.0  0.0  0.2  # a
     1.0  0.0  0.0  0.0  0.0  0.0  1.0  1.4  # problem
""")

# Where the words lie in the plane of chapter 1 (n × 2): *a* within the convex hull of the others.
PLACES = _table("""
     1.8  0.6  # Houston
    -0.6  1.3  # we
    -1.3  0.5  # have
     0.2  0.3  # a
     1.5 -0.9  # problem
""")

# U (d × d_u): what a learned metric might keep. It drops `letters` and ties an article to nouns.
U_AXES = ("who", "deed", "thing", "place", "trouble", "agent")
U = _table("""
    # who  deed thing place trou agent
     0.0  0.0  0.9  0.0  0.0  0.0  # noun
     1.0  0.0  0.0  0.0  0.0  0.7  # pronoun
     0.0  1.1  0.0  0.0  0.0  1.0  # verb
     0.0  0.0  1.2  0.0  0.0  0.0  # article
     0.0  0.0  0.0  1.2  0.0  0.0  # place
     0.8  0.0  0.0  0.0  0.0  0.0  # people
     0.0  0.0  0.0  0.0  1.3  0.0  # trouble
     0.0  0.0  0.0  0.0  0.0  0.0  # letters
""")

# W_Q, W_K (d × d_k) and W_V (d × d_v): what each word looks for, what it offers, what it passes on.
ROLE_AXES = ("subject", "object", "addressee", "deed")
W_Q = _table("""
    # subj obj  addr deed
     0.0  0.0  0.0  0.5  # noun
     0.0  0.0  2.0  1.2  # pronoun
     2.2  1.6  0.0  0.0  # verb
     0.0  2.4  0.0  0.0  # article
     0.0  1.8  0.0  0.0  # place
     0.0  0.0  0.0  0.0  # people
     0.6  0.0  0.0  1.6  # trouble
     0.0  0.0  0.0  0.0  # letters
""")
W_K = _table("""
    # subj obj  addr deed
     0.0  0.7  0.0  0.0  # noun
     1.6  0.0  0.0  0.0  # pronoun
     0.0  0.0  0.0  1.8  # verb
     0.0  0.0  0.0  0.3  # article
     0.0 -0.7  1.8  0.0  # place
     0.0  0.0  0.0  0.0  # people
     0.0  1.0  0.0  0.0  # trouble
     0.0  0.0  0.0  0.0  # letters
""")
VALUE_AXES = ("who", "deed", "what")
W_V = _table("""
    # who  deed what
     0.0  0.0  0.5  # noun
     1.0  0.0  0.0  # pronoun
     0.0  1.0  0.0  # verb
     0.0  0.0  0.2  # article
     0.4  0.0  0.3  # place
     0.5  0.0  0.0  # people
     0.0  0.0  1.0  # trouble
     0.0  0.0  0.0  # letters
""")

# Two heads: one matches who (subject, addressee), one matches what (object, deed). W_O is h·d_v × d.
HEADS_W_Q = _frozen([W_Q * [1.6, 0.0, 1.6, 0.0], W_Q * [0.0, 1.6, 0.0, 1.6]])
HEADS_W_K = _frozen([W_K * [1.6, 0.0, 1.6, 0.0], W_K * [0.0, 1.6, 0.0, 1.6]])
HEADS_W_V = _frozen([W_V * [1.0, 0.4, 0.2], W_V * [0.2, 1.0, 1.0]])
W_O = _table("""
    # noun pron verb art  plac peop trou letters
     0.0  0.6  0.0  0.0  0.2  0.5  0.0  0.0  # head who: who
     0.0  0.0  0.3  0.0  0.0  0.0  0.0  0.0  # head who: deed
     0.1  0.0  0.0  0.0  0.1  0.0  0.0  0.0  # head who: what
     0.0  0.1  0.0  0.0  0.0  0.1  0.0  0.0  # head what: who
     0.0  0.0  0.8  0.0  0.0  0.0  0.0  0.0  # head what: deed
     0.4  0.0  0.0  0.1  0.0  0.0  0.7  0.0  # head what: what
""")


@dataclass(frozen=True)
class Stage:
    """What one stage puts into `attention`: `weights` is its grid.

    `query` and `key` are (*heads, n, width), `value` is (*heads, n, width of a value); `scale`, `mask` and
    `bias` are as in `attention`. `provenance` says where the numbers come from.
    """

    name: str
    query: Float[Array, "*heads n d_k"]
    key: Float[Array, "*heads n d_k"]
    value: Float[Array, "*heads n d_v"]
    scale: float | None = 1.0
    mask: Bool[Array, "n n"] | None = None
    provenance: str = "hand-made"
    bias: Float[Array, "*heads n n"] | None = None

    @property
    def weights(self) -> Float[Array, "*heads n n"]:
        """How much each query (row) reads from each key (column)."""
        return attention_weights(self.query, self.key, self.mask, scale=self.scale, bias=self.bias)


def two_heads() -> dict[str, Array]:
    """A small layer that was trained on these words: the `query`, `key` and `value` of two heads, and their `w_o`.

    It learned to tell facts of each word's two predecessors at once (`attnlib.training.two_heads`), and `HeadMixer` shows it.

    Returns:
        Arrays by name: (2, 5, 4), the values (2, 5, 3), and `w_o` (6, 8).

    >>> {name: array.shape for name, array in two_heads().items()}
    {'query': (2, 5, 4), 'key': (2, 5, 4), 'value': (2, 5, 3), 'w_o': (6, 8)}
    """
    return dict(_two_heads())


@cache
def _two_heads() -> dict[str, Array]:
    record = json.loads(files("attnlib").joinpath("data/two_heads.json").read_text())
    learned = {name: np.array(rows) for name, rows in record["parameters"].items()}
    placed = EMBEDDINGS + learned["position"]
    heads = {name: _frozen(placed @ learned[w]) for name, w in [("query", "w_q"), ("key", "w_k"), ("value", "w_v")]}
    return heads | {"w_o": _frozen(learned["w_o"])}


class WordVectors(NamedTuple):
    """Vectors that a training found, for `words` in lower case: `vectors` (5, 100).

    >>> word_vectors().words
    ('houston', 'we', 'have', 'the', 'problem')
    """

    words: tuple[str, ...]
    vectors: Float[Array, "n d"]


@cache
def word_vectors() -> WordVectors:
    """GloVe's vectors of *Houston we have the problem*; the package that they come from has none for *a*.

    Returns:
        The five words, and a row for each, (5, 100).

    Source: Pennington, Socher & Manning (2014), "GloVe: Global Vectors for Word Representation"; recorded by
    `attnlib.training.word_vectors`.

    >>> word_vectors().vectors.shape
    (5, 100)
    """
    record = json.loads(files("attnlib").joinpath("data/word_vectors.json").read_text())
    return WordVectors(tuple(record["words"]), _frozen(record["vectors"]))


def stages() -> tuple[Stage, ...]:
    """The seven stages, in the book's order.

    Returns:
        The stages.

    >>> [stage.name for stage in stages()]
    ['raw dot product', 'learnable U', 'query, key, value', 'scaled', 'masked', 'several heads', 'trained']
    >>> stages()[0].weights.round(2)[0]
    array([0.72, 0.03, 0.03, 0.01, 0.21])
    """
    x, mask = EMBEDDINGS, causal_mask(len(TOKENS))
    xu = x @ U
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    head_query, head_key, head_value = x @ HEADS_W_Q, x @ HEADS_W_K, x @ HEADS_W_V
    return (
        Stage("raw dot product", x, x, x),
        Stage("learnable U", xu, xu, xu),
        Stage("query, key, value", query, key, value),
        Stage("scaled", query, key, value, scale=None),
        Stage("masked", query, key, value, scale=None, mask=mask),
        Stage("several heads", head_query, head_key, head_value, scale=None, mask=mask),
        _first_layer(),
    )


def _first_layer() -> Stage:
    """The first layer of the trained model, as it reads the sentence: four heads."""
    model, n = parameters(), len(TOKENS)
    x = rms_norm(model["embedding"][encode(" ".join(TOKENS))])
    tables = model["bias"][0]
    query, key, value = (split_heads(x @ model[w][0], len(tables)) for w in ("w_q", "w_k", "w_v"))
    return Stage("trained", query, key, value, None, causal_mask(n), "trained", distance_bias(tables, n))
