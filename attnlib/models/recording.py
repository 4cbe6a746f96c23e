"""What a page needs of a model's reading, small: weights in 8 bits, what each head does, and some vectors.

A weight w, from 0 to 1, is kept as the whole number q = round(255 w), and read as q / 255: the error is at most 1/510.
Where no query reads a later key, the lower triangle alone is kept. Bytes are deflated where that is shorter.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array
from numpy.typing import ArrayLike

from attnlib.checks import as_array, as_integer
from attnlib.models.packing import (
    SIDE,
    Head,
    Vectors,
    deflated,
    flattened,
    halved,
    inflated,
    kept_cells,
    kept_size,
    pack_vectors,
    pooled,
    readable_text,
    unpack_vectors,
    with_base64,
    without_base64,
)
from attnlib.models.scores import SCORES, head_scores, score_cases

BOUND = 1 / 510  # the largest error of a weight
MOST = 250_000_000  # bytes of all weights, before they are deflated
DIGITS = 3  # of a score and an effect


@dataclass(frozen=True, eq=False)
class Recording:
    """All heads of one text in one model, as `Recording.of` or `Recording.from_grids` makes it.

    Layers, heads and tokens count from 0. `scores` holds what each head does, (num_layers, num_heads), by the names of
    `attnlib.models.scores.SCORES`, and `cases` how many queries each is the mean of. `effects` is None, or says what
    silencing each head changes: "what" is measured, the "labels" of its m figures, their values "before" (m), and
    "after" each head is silenced, (num_layers, num_heads, m).

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
    scale: float
    softcap: float | None
    crossed: bool
    scores: dict[str, Array]
    cases: dict[str, int]
    vectors: dict[Head, Vectors]
    effects: dict[str, Any] | None
    small: bytes
    heads: tuple[bytes, ...]

    @classmethod
    def of(
        cls,
        source: Any,
        *,
        vectors: Iterable[Head] | str = (),
        effects: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> "Recording":
        """A recording of a `Stack`, or of the stack of a `Reading`.

        Args:
            source: what has the tokens, sizes and `grid(layer, head)` of `attnlib.models.Stack`.
            vectors: the (layer, head) whose queries and keys go along, in float16; or "all".
            effects: what silencing each head changes, as the class says.
            name: what a reader sees; None means the model's name.

        Raises:
            ValueError: for a head that is not there, weights outside 0 … 1, more than 250 MB of weights, and
                vectors or effects that do not fit.
        """
        stack = getattr(source, "stack", source)
        shape = (int(stack.num_layers), int(stack.num_heads))
        every: Any = np.ndindex(shape) if vectors == "all" else vectors
        kept = {}
        for layer, head in every:
            at = as_integer("layer", layer, 0, shape[0] - 1), as_integer("head", head, 0, shape[1] - 1)
            kept[at] = Vectors.of(stack, *at)
        crossed = stack.name == "cross" or list(stack.key_tokens) != list(stack.tokens)
        return cls._made(
            ([np.asarray(stack.grid(layer, head)) for head in range(shape[1])] for layer in range(shape[0])),
            shape,
            lambda layer: stack.mask(layer),
            name=getattr(source, "model", stack.name) if name is None else name,
            queries=(stack.tokens, stack.special),
            keys=(stack.key_tokens, stack.key_special) if crossed else None,
            causal=bool(stack.causal),
            scale=float(stack.scale),
            softcap=None if stack.softcap is None else float(stack.softcap),
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
        scale: float = 1.0,
        softcap: float | None = None,
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
            scale, softcap: what a score q · k is multiplied by, and the bound that it is squeezed into, if any.
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
        if causal is None:
            causal = key_tokens is None and not np.triu(array, 1).any()
        shape = (array.shape[0], array.shape[1])
        vectors = {}
        if queries is not None and keys is not None:
            q, k = as_array("queries", queries), as_array("keys", keys)
            if q.shape[:2] != shape or k.shape[:2] != shape:
                raise ValueError(f"queries {q.shape} and keys {k.shape} do not fit {shape[0]} × {shape[1]} heads")
            vectors = {at: Vectors(q[at], k[at]) for at in np.ndindex(shape)}
        return cls._made(
            iter(array),
            shape,
            lambda layer: None,
            name=name,
            queries=(tokens, special),
            keys=None if key_tokens is None else (key_tokens, key_special),
            causal=causal,
            scale=float(scale),
            softcap=softcap,
            vectors=vectors,
            effects=effects,
        )

    @classmethod
    def _made(
        cls,
        layers: Iterable[Any],
        shape: tuple[int, int],
        mask: Any,
        *,
        name: str,
        queries: tuple[Sequence[str], Sequence[bool] | None],
        keys: tuple[Sequence[str], Sequence[bool] | None] | None,
        causal: bool,
        scale: float,
        softcap: float | None,
        vectors: Mapping[Head, Vectors],
        effects: Mapping[str, Any] | None,
    ) -> "Recording":
        tokens, special = _named(*queries)
        key_tokens, key_special = (tokens, special) if keys is None else _named(*keys)
        n_q, n_k = len(tokens), len(key_tokens)
        size = kept_size(n_q, n_k, causal)
        if not (n_q and n_k and shape[0] and shape[1]):
            raise ValueError(f"there is nothing to record: {shape[0]} × {shape[1]} heads, {n_q} queries, {n_k} keys")
        if shape[0] * shape[1] * size > MOST:
            raise ValueError(
                f"{shape[0]} × {shape[1]} heads of {n_q:,} × {n_k:,} weights are {shape[0] * shape[1] * size / 1e6:,.0f} MB, "
                f"more than {MOST // 10**6} MB: record a shorter text"
            )
        long = max(n_q, n_k) > SIDE
        read: dict[str, Any] = {} if keys is None else {"key_tokens": key_tokens, "key_special": key_special}
        small, heads, found, cases = [], [], [], []
        for layer, given in enumerate(layers):
            grids = np.asarray(given, dtype=float)
            if grids.shape != (shape[1], n_q, n_k):
                raise ValueError(
                    f"layer {layer} has weights of shape {grids.shape}, for {shape[1]} heads of {n_q} × {n_k} tokens"
                )
            wrong = np.argwhere(~((grids >= 0) & (grids <= 1 + 1e-3)))
            for head, i, j in wrong[:1]:
                raise ValueError(f"layer {layer}, head {head}: weight [{i}, {j}] is {grids[head, i, j]}, outside 0 … 1")
            if causal and np.triu(grids, 1).any():
                raise ValueError(f"layer {layer} reads later keys, and the recording is to be causal")
            bytes_of = np.rint(255 * np.minimum(grids, 1)).astype(np.uint8)
            small.append(flattened(pooled(bytes_of), causal))
            if long:
                heads += [deflated(flattened(grid, causal).tobytes()) for grid in bytes_of]
            sees = mask(layer)
            sees = np.tri(n_q, n_k, dtype=bool) if sees is None and causal else sees
            found.append(head_scores(grids, tokens, special, mask=sees, **read))
            cases.append(score_cases(tokens, special, mask=sees, **read))
        names = [name for name in SCORES if all(name in layer for layer in found)]
        return cls.from_dict(
            read
            | {
                "name": name,
                "tokens": tokens,
                "special": special,
                "num_layers": shape[0],
                "num_heads": shape[1],
                "causal": causal,
                "scale": scale,
                "softcap": softcap,
                "scores": {name: np.stack([layer[name] for layer in found]).round(DIGITS) for name in names},
                "cases": {name: min(layer[name] for layer in cases) for name in names},
                "vectors": pack_vectors({at: halved(at, one, n_q, n_k) for at, one in vectors.items()}, n_q, n_k),
                "effects": effects,
                "small": deflated(np.concatenate([part.ravel() for part in small]).tobytes()),
                "heads": heads,
            }
        )

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
        crossed = {"key_tokens": self.key_tokens, "key_special": self.key_special} if self.crossed else {}
        return crossed | {
            "name": self.name,
            "tokens": self.tokens,
            "special": self.special,
            "num_layers": self.num_layers,
            "num_heads": self.num_heads,
            "causal": self.causal,
            "scale": self.scale,
            "softcap": self.softcap,
            "scores": {name: score.tolist() for name, score in self.scores.items()},
            "cases": self.cases,
            "vectors": pack_vectors(self.vectors, len(self.tokens), len(self.key_tokens)),
            "effects": self.effects,
            "small": self.small,
            "heads": list(self.heads),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Recording":
        """The recording that `to_dict` gave.

        Raises:
            ValueError: for what is missing, cut off, or does not fit, with the sizes.
        """
        needed = {"name", "tokens", "special", "num_layers", "num_heads", "causal", "scale", "softcap", "scores"}
        if lacking := sorted((needed | {"cases", "vectors", "effects", "small", "heads"}) - set(given)):
            raise ValueError(f"the recording lacks {', '.join(lacking)}")
        tokens, special = _named(given["tokens"], given["special"])
        crossed = "key_tokens" in given
        key_tokens, key_special = (
            _named(given["key_tokens"], given.get("key_special")) if crossed else (tokens, special)
        )
        shape = as_integer("num_layers", given["num_layers"], 1), as_integer("num_heads", given["num_heads"], 1)
        count, n_q, n_k, causal = math.prod(shape), len(tokens), len(key_tokens), bool(given["causal"])
        heads, size = tuple(bytes(one) for one in given["heads"]), kept_size(n_q, n_k, causal)
        if count * size > MOST:
            raise ValueError(f"{count} heads of {n_q} × {n_k} weights are more than {MOST // 10**6} MB")
        if len(heads) != (count if max(n_q, n_k) > SIDE else 0):
            raise ValueError(f"the recording holds {len(heads)} heads of their own, for {count} heads of {n_q} × {n_k}")
        small = bytes(given["small"])
        inflated("small", small, count * kept_size(min(n_q, SIDE), min(n_k, SIDE), causal))
        for at, one in enumerate(heads):
            inflated(f"head {at // shape[1]}, {at % shape[1]}", one, size)
        scores = {}
        for name, rows in given["scores"].items():
            score = as_array(f"scores[{name!r}]", rows)
            if name not in SCORES or score.shape != shape or not ((score >= 0) & (score <= 1)).all():
                raise ValueError(f"scores[{name!r}] of shape {score.shape} is no score, or does not fit {shape} heads")
            scores[name] = score.astype(float)
        return cls(
            name=readable_text("name", given["name"]),
            tokens=tokens,
            special=special,
            key_tokens=key_tokens,
            key_special=key_special,
            num_layers=shape[0],
            num_heads=shape[1],
            causal=causal,
            scale=float(given["scale"]),
            softcap=None if given["softcap"] is None else float(given["softcap"]),
            crossed=crossed,
            scores=scores,
            cases={name: as_integer(f"cases[{name!r}]", given["cases"].get(name, 0), 1) for name in scores},
            vectors=unpack_vectors(given["vectors"], shape, n_q, n_k),
            effects=_effects(given["effects"], shape),
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


def _named(tokens: Sequence[str], special: Sequence[bool] | None) -> tuple[list[str], list[bool]]:
    """Tokens that any encoding can hold, and for each whether it is special."""
    if isinstance(tokens, str):
        raise TypeError("tokens must be a list of texts, got one text")
    names = [readable_text(f"tokens[{i}]", token) for i, token in enumerate(tokens)]
    marks = [False] * len(names) if special is None else [bool(mark) for mark in special]
    if len(marks) != len(names):
        raise ValueError(f"{len(marks)} marks of special tokens for {len(names)} tokens")
    return names, marks


def _effects(given: Mapping[str, Any] | None, shape: tuple[int, int]) -> dict[str, Any] | None:
    if given is None:
        return None
    before, after = np.asarray(given["before"], dtype=float), np.asarray(given["after"], dtype=float)
    labels = [readable_text("label", label) for label in given["labels"]]
    if before.shape != (len(labels),) or after.shape != (*shape, len(labels)):
        raise ValueError(
            f"effects before {before.shape} and after {after.shape} do not fit {len(labels)} labels and heads {shape}"
        )
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        raise ValueError("effects must be finite")
    return {
        "what": readable_text("what", given["what"]),
        "labels": labels,
        "before": before.round(DIGITS).tolist(),
        "after": after.round(DIGITS).tolist(),
    }
