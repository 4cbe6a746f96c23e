"""What a page needs of a model's reading, small: weights in 8 bits, what each head does, and some vectors.

How exact weights are says `attnlib.models.weights`. In a page, without vectors and effects, 12 × 12 heads of 32 tokens take
at most 110 KB where no query reads a later key; elsewhere noise (softmax of normal scores, Dirichlet rows) took up to 109 KB.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from attnlib.checks import as_array, as_choice, as_integer
from attnlib.models.effects import checked_effects, every_effect
from attnlib.models.fields import bounds, checked_sinks, named, numbers
from attnlib.models.packing import (
    Head,
    Vectors,
    inflated,
    kept_cells,
    kept_size,
    pack_vectors,
    readable_text,
    unpack_vectors,
    with_base64,
    without_base64,
)
from attnlib.models.weights import check_bytes, kept_weights, packed_score, unpacked_scores

SIMPLE: tuple[str, ...] = ("name", "special", "tokens", "num_layers", "num_heads", "causal", "scales", "softcaps")
SIMPLE += ("sinks", "cases", "effects", "small", "heads")
NEEDED = {*SIMPLE, "scores", "vectors"}  # of what `to_dict` gives


@dataclass(frozen=True, eq=False)
class Recording:
    """All heads of one text in one model, as `Recording.of` or `Recording.from_grids` makes it.

    Layers, heads and tokens count from 0. `scores` holds what each head does, (num_layers, num_heads), by the names of
    `attnlib.models.scores.SCORES`, and `cases` how many queries each is the mean of. `scales` and `softcaps` are what each
    layer multiplies its dot products by and bounds its scores with (None: nothing), and `sinks` the logits of the learned
    sinks of each layer's heads (None: there are none). `effects` is None, or says what silencing each head changes: "what"
    is measured, the "labels" of its m figures, their values "before" (m), and "after" each head is silenced, (num_layers,
    num_heads, m).

    >>> recording = Recording.from_grids([[[[1, 0], [0.25, 0.75]]]], ["we", "read"], name="two words")
    >>> recording.tokens, recording.scores["previous token"].tolist()
    (['we', 'read'], [[0.25]])
    """

    name: str
    tokens: list[str]
    special: list[bool]
    key_tokens: list[str]
    key_special: list[bool]
    num_layers: int
    num_heads: int
    causal: bool
    scales: list[float]
    softcaps: list[float | None]
    sinks: list[list[float] | None] | None
    crossed: bool
    scores: dict[str, Array]
    cases: dict[str, int]
    vectors: dict[Head, Vectors]
    effects: dict[str, Any] | None
    small: bytes
    heads: list[bytes]

    @classmethod
    def of(
        cls,
        source: Any,
        *,
        stack: str | None = None,
        vectors: Iterable[Head] | str = (),
        effects: Mapping[str, Any] | str | None = None,
        name: str | None = None,
    ) -> "Recording":
        """A recording of a `Reading`, or of a `Stack` alone.

        Args:
            source: what `attnlib.models.read` gave, or what has the tokens, sizes and methods of `attnlib.models.Stack`.
            stack: which of a reading's; None means the only one, or the decoder's.
            vectors: the (layer, head) whose queries and keys go along, in float16; or "all".
            effects: what silencing each head changes, as the class says; or "all", for which a reading's model reads once
                for each head.
            name: what a reader sees; None means the model's name.

        Raises:
            ValueError: for a stack or head that is not there, weights outside 0 … 1, more than 250 MB of weights,
                vectors or effects that do not fit, and effects of what came without its model.
        """
        of = getattr(source, "stack", source)
        if stack is not None:
            stacks = getattr(source, "stacks", {})
            of = stacks[as_choice("stack", stack, tuple(stacks))]
        if effects == "all":
            if not hasattr(source, "silenced"):
                raise ValueError('effects="all" asks the model again: pass what `read` gave')
            effects = every_effect(source, of.name)
        shape = (int(of.num_layers), int(of.num_heads))
        every: Any = np.ndindex(shape) if vectors == "all" else vectors
        kept = {}
        for layer, head in every:
            at = as_integer("layer", layer, 0, shape[0] - 1), as_integer("head", head, 0, shape[1] - 1)
            kept[at] = Vectors.of(of, *at)
        sinks = [[of.sink(layer, head) for head in range(shape[1])] for layer in range(shape[0])]
        crossed = of.name == "cross" or list(of.key_tokens) != list(of.tokens)
        return cls._made(
            ([np.asarray(of.grid(layer, head)) for head in range(shape[1])] for layer in range(shape[0])),
            shape,
            of.mask,
            name=getattr(source, "model", of.name) if name is None else name,
            queries=(of.tokens, of.special),
            keys=(of.key_tokens, of.key_special) if crossed else None,
            causal=bool(of.causal),
            scales=[of.scale(layer) for layer in range(shape[0])],
            softcaps=[of.softcap(layer) for layer in range(shape[0])],
            sinks=[None if None in row else np.round(row, 6).tolist() for row in sinks],
            vectors=kept,
            effects=effects,
        )

    @classmethod
    def from_grids(
        cls,
        grids: ArrayLike,
        tokens: Sequence[str],
        special: Sequence[bool] | None = None,
        *,
        key_tokens: Sequence[str] | None = None,
        key_special: Sequence[bool] | None = None,
        causal: bool | None = None,
        scale: float | Sequence[float] = 1.0,
        softcap: float | Sequence[float | None] | None = None,
        sinks: ArrayLike | None = None,
        queries: ArrayLike | None = None,
        keys: ArrayLike | None = None,
        effects: Mapping[str, Any] | None = None,
        name: str = "a model",
    ) -> "Recording":
        """A recording of weights that you have, wherever they come from.

        Args:
            grids: weights, query (row) reads from key (column), (num_layers, num_heads, n_q, n_k), from 0 to 1.
            tokens: what asks, n_q texts; `special` says which are none of the text.
            key_tokens, key_special: what is read, n_k, for cross-attention; None means the same tokens.
            causal: whether no query reads a later key; None looks at the grids.
            scale, softcap: what a product q · k is multiplied by, and the bound that it is squeezed into, if any: for all
                layers, or one for each.
            sinks: the logit of each head's learned sink, on which lies what its rows lack to 1, (num_layers, num_heads).
            queries, keys: (num_layers, num_heads, n_q, d) and (num_layers, num_heads, n_k, d), or None.
            effects: what silencing each head changes, as the class says.
            name: what a reader sees.

        Raises:
            ValueError: as `of` does, and for sizes that do not fit.

        >>> recording = Recording.from_grids([[[[1, 0], [0.25, 0.75]]]], ["we", "read"])
        >>> recording.causal, recording.grid(0, 0).round(2).tolist()
        (True, [[1.0, 0.0], [0.25, 0.75]])
        """
        array = as_array("grids", grids)
        if array.ndim != 4:
            raise ValueError(f"grids must have the axes layers, heads, n_q, n_k, got shape {array.shape}")
        layers, heads, n_q, n_k = array.shape
        if causal is None:
            causal = key_tokens is None and not np.triu(array, 1).any()
        elif causal and n_q > n_k:
            raise ValueError(f"causal=True needs a key for each query, got {n_q} queries and {n_k} keys")
        vectors = {}
        if queries is not None and keys is not None:
            q, k = as_array("queries", queries), as_array("keys", keys)
            if {q.shape[:2], k.shape[:2]} != {(layers, heads)}:
                raise ValueError(f"queries {q.shape} and keys {k.shape} do not fit {layers} × {heads} heads")
            vectors = {at: Vectors(q[at], k[at]) for at in np.ndindex(layers, heads)}
        if sinks is not None and (logits := as_array("sinks", sinks)).shape != (layers, heads):
            raise ValueError(f"sinks of shape {logits.shape} do not fit {layers} × {heads} heads")
        return cls._made(
            iter(array),
            (layers, heads),
            lambda layer: None,
            name=name,
            queries=(tokens, special),
            keys=None if key_tokens is None else (key_tokens, key_special),
            causal=causal,
            scales=list(scale) if isinstance(scale, Sequence) else [scale] * layers,
            softcaps=list(softcap) if isinstance(softcap, Sequence) else [softcap] * layers,
            sinks=[None] * layers if sinks is None else logits.tolist(),
            vectors=vectors,
            effects=effects,
        )

    @classmethod
    def _made(
        cls,
        layers: Iterable[Any],
        shape: tuple[int, int],
        mask: Callable[[int], Array | None],
        *,
        queries: tuple[Sequence[str], Sequence[bool] | None],
        keys: tuple[Sequence[str], Sequence[bool] | None] | None,
        sinks: Sequence[Any],
        vectors: Mapping[Head, Vectors],
        **others: Any,
    ) -> "Recording":
        asks, is_read = named(*queries), None if keys is None else named(*keys)
        made = kept_weights(layers, shape, asks, is_read, others["causal"], mask, [row is not None for row in sinks])
        made |= {} if is_read is None else {"key_tokens": is_read[0], "key_special": is_read[1]}
        made |= others | {"num_layers": shape[0], "num_heads": shape[1], "sinks": sinks if any(sinks) else None}
        packed = pack_vectors(vectors, len(asks[0]), len((is_read or asks)[0]))
        return cls.from_dict(made | {"tokens": asks[0], "special": asks[1], "vectors": packed})

    def grid(self, layer: int, head: int) -> Float[Array, "n_q n_k"]:
        """The weights of a head, (n_q, n_k) float32, each within 1/510 of the true one.

        Raises:
            ValueError: for a head that is not there.
        """
        layer = as_integer("layer", layer, 0, self.num_layers - 1)
        head = as_integer("head", head, 0, self.num_heads - 1)
        n_q, n_k = len(self.tokens), len(self.key_tokens)
        at, size = layer * self.num_heads + head, kept_size(n_q, n_k, self.causal)
        if self.heads:
            flat = inflated(f"head {layer}, {head}", self.heads[at], size)
        else:
            flat = inflated("small", self.small, size * self.num_layers * self.num_heads)[at * size : (at + 1) * size]
        grid = np.zeros((n_q, n_k), dtype=np.float32)
        grid[kept_cells(n_q, n_k, self.causal)] = np.frombuffer(flat, np.uint8) / np.float32(255)
        return grid

    def to_dict(self) -> dict[str, Any]:
        """Numbers, texts and bytes by name, for `from_dict` and a page."""
        found = {name: getattr(self, name) for name in SIMPLE}
        if self.crossed:
            found |= {"key_tokens": self.key_tokens, "key_special": self.key_special}
        return found | {
            "scores": {name: packed_score(score) for name, score in self.scores.items()},
            "vectors": pack_vectors(self.vectors, len(self.tokens), len(self.key_tokens)),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Recording":
        """The recording that `to_dict` gave.

        Raises:
            ValueError: for what is missing, cut off, or does not fit, with the sizes.
        """
        if lacking := sorted(NEEDED - set(given)):
            raise ValueError(f"the recording lacks {', '.join(lacking)}")
        tokens, special = named(given["tokens"], given["special"])
        crossed = "key_tokens" in given
        key_tokens, key_special = named(given["key_tokens"], given.get("key_special")) if crossed else (tokens, special)
        shape = as_integer("num_layers", given["num_layers"], 1), as_integer("num_heads", given["num_heads"], 1)
        n_q, n_k, causal = len(tokens), len(key_tokens), bool(given["causal"])
        small, heads = bytes(given["small"]), [bytes(one) for one in given["heads"]]
        check_bytes(small, heads, shape, n_q, n_k, causal)
        scores = unpacked_scores(given["scores"], shape)
        return cls(
            name=readable_text("name", given["name"]),
            tokens=tokens,
            special=special,
            key_tokens=key_tokens,
            key_special=key_special,
            num_layers=shape[0],
            num_heads=shape[1],
            causal=causal,
            scales=numbers("scales", given["scales"], shape[0]),
            softcaps=bounds("softcaps", given["softcaps"], shape[0]),
            sinks=checked_sinks(given["sinks"], shape),
            crossed=crossed,
            scores=scores,
            cases={name: as_integer(f"cases[{name!r}]", given["cases"].get(name, 0), 1) for name in scores},
            vectors=unpack_vectors(given["vectors"], shape, n_q, n_k),
            effects=checked_effects(given["effects"], shape),
            small=small,
            heads=heads,
        )

    def save(self, path: str | Path) -> None:
        """Write the recording into a file of JSON, bytes as base64."""
        Path(path).write_text(json.dumps(with_base64(self.to_dict()), separators=(",", ":")), encoding="ascii")

    @classmethod
    def load(cls, path: str | Path) -> "Recording":
        """The recording in a file that `save` wrote.

        Raises:
            ValueError: for one that is cut off or no recording, naming the file.
        """
        try:
            return cls.from_dict(without_base64(json.loads(Path(path).read_text(encoding="utf8"))))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{path} holds no recording: {error}") from error
