"""What a model did with one text: for each layer its queries, keys, values and mask, and from them any head's grid."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy import ndarray as Array

from attnlib.checks import as_integer
from attnlib.scaled_dot_product import attention_weights


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer's attention, as the model computed with it: h query heads that share g key–value heads."""

    query: Array  # (h, n_q, d)
    key: Array  # (g, n_k, d)
    value: Array  # (g, n_k, d_v)
    scale: float
    mask: Array | None = None  # (n_q, n_k), True where a query may read; None: everywhere
    bias: Array | None = None  # (h or 1, n_q, n_k), added to the scores
    softcap: float | None = None
    sinks: Array | None = None  # (h), the logit of a key that nobody reads
    straight: tuple[Array, Array] | None = None  # query and key before rotation; None: not known


@dataclass(frozen=True, eq=False)
class Stack:
    """Layers × heads of one kind: those of a decoder, of an encoder, or those that read from one to the other.

    Layers and heads count from 0. No grid is kept: each is computed when it is asked for.

    Attributes:
        name: "self", or "encoder", "decoder" and "cross" in an encoder–decoder.
        layers: what was recorded. Layers that do not attend, as some of a hybrid model, are not counted.
        tokens, special: the n_q tokens that ask, as people read them, and whether each is special.
        key_tokens, key_special: the n_k tokens that are read.

    Raises:
        ValueError: for no layer, layers that differ in heads, and tokens that do not fit the queries or keys in number.

    >>> x = np.eye(2, dtype=np.float32)[None]
    >>> stack = Stack("self", [Layer(x, x, x, scale=1.0)], ["a", "b"], [False] * 2, ["a", "b"], [False] * 2)
    >>> stack.grid(0, 0).round(2)
    array([[0.73, 0.27], [0.27, 0.73]], dtype=float32)
    """

    name: str
    layers: list[Layer] = field(repr=False)
    tokens: list[str] = field(repr=False)
    special: list[bool] = field(repr=False)
    key_tokens: list[str] = field(repr=False)
    key_special: list[bool] = field(repr=False)

    def __post_init__(self) -> None:
        if not self.layers:
            raise ValueError(f"the stack {self.name} has no layers")
        if len({len(layer.query) for layer in self.layers}) > 1:
            raise ValueError(
                f"the layers of {self.name} have {[len(layer.query) for layer in self.layers]} heads: they differ"
            )
        for place, layer in enumerate(self.layers):
            sizes, given = (layer.query.shape[1], layer.key.shape[1]), (len(self.tokens), len(self.key_tokens))
            if sizes != given:
                raise ValueError(
                    f"layer {place} of {self.name} has {sizes[0]} queries and {sizes[1]} keys, "
                    f"but there are {given[0]} tokens that ask and {given[1]} that are read"
                )

    @property
    def num_layers(self) -> int:
        """Layers that attend."""
        return len(self.layers)

    @property
    def num_heads(self) -> int:
        """Heads of a layer."""
        return len(self.layers[0].query)

    @property
    def num_kv_heads(self) -> int:
        """Key–value heads of the first layer, which its heads share."""
        return len(self.layers[0].key)

    @property
    def d_head(self) -> int:
        """Numbers in a query of the first layer."""
        return int(self.layers[0].query.shape[2])

    @property
    def sinks(self) -> bool:
        """Whether heads have a learned sink: a key without a token, so that a grid's rows sum to less than 1."""
        return any(layer.sinks is not None for layer in self.layers)

    @property
    def causal(self) -> bool:
        """Whether no query reads a later key, in any layer."""
        masks = {id(layer.mask): layer.mask for layer in self.layers}.values()
        return self.name != "cross" and all(mask is not None and not np.triu(mask, 1).any() for mask in masks)

    def grid(self, layer: int, head: int) -> Array:
        """The head's weights, (n_q, n_k) float32, computed now.

        Each row sums to 1, to less with a learned sink, and to 0 for a query that may read nothing, as padding's.
        """
        at, bias = self._layer(layer), self.bias(layer, head)
        query, key, mask = self.queries(layer, head), self.keys(layer, head), at.mask
        sink = self.sink(layer, head)
        if sink is not None:  # one more key, of zeros: its score is its bias, the sink's logit
            bias = np.zeros((len(query), len(key)), np.float32) if bias is None else bias
            bias = np.pad(bias, ((0, 0), (0, 1)), constant_values=sink)
            key = np.pad(key, ((0, 1), (0, 0)))
            mask = None if mask is None else np.pad(mask, ((0, 0), (0, 1)), constant_values=True)
        weights = attention_weights(
            query, key, mask, bias=bias, scale=at.scale, softcap=at.softcap, zero_blocked=True
        )  # fmt: skip
        return weights[:, : len(self.key_tokens)]

    def queries(self, layer: int, head: int, rotated: bool = True) -> Array:
        """The head's queries, (n_q, d_head); before rotation with `rotated=False`."""
        return self._of(head, self._side(layer, 0, rotated))

    def keys(self, layer: int, head: int, rotated: bool = True) -> Array:
        """The keys that the head reads, (n_k, d_head), of the key–value head that it shares."""
        return self._of(head, self._side(layer, 1, rotated))

    def values(self, layer: int, head: int) -> Array:
        """The values that the head reads, (n_k, d_v), of the key–value head that it shares."""
        return self._of(head, self._layer(layer).value)

    def mask(self, layer: int) -> Array:
        """True where a query may read, (n_q, n_k)."""
        mask = self._layer(layer).mask
        return np.ones((len(self.tokens), len(self.key_tokens)), bool) if mask is None else mask

    def scale(self, layer: int) -> float:
        """What the layer multiplies its dot products by."""
        return self._layer(layer).scale

    def softcap(self, layer: int) -> float | None:
        """The layer's bound of a score, None where there is none."""
        return self._layer(layer).softcap

    def sink(self, layer: int, head: int) -> float | None:
        """The logit of the head's learned sink, a key without a token; None where it has none."""
        sinks = self._layer(layer).sinks
        return None if sinks is None else float(self._of(head, sinks[:, None])[0])

    def bias(self, layer: int, head: int) -> Array | None:
        """What is added to the head's scores, (n_q, n_k), as T5's for distances; None where nothing is."""
        bias = self._layer(layer).bias
        return None if bias is None else self._of(head, bias)

    def _layer(self, layer: int) -> Layer:
        return self.layers[as_integer("layer", layer, 0, self.num_layers - 1)]

    def _of(self, head: int, shared: Array) -> Array:
        """What belongs to the head, where as many or fewer share it."""
        head = as_integer("head", head, 0, self.num_heads - 1)
        own: Array = shared[head * len(shared) // self.num_heads]
        return own

    def _side(self, layer: int, side: int, rotated: bool) -> Array:
        at = self._layer(layer)
        if rotated:
            return (at.query, at.key)[side]
        if at.straight is None:
            raise ValueError(
                "this model rotates queries and keys in a way of its own: only the rotated ones are recorded"
            )
        return at.straight[side]


@dataclass(frozen=True, eq=False)
class Reading:
    """One text in one model, as `attnlib.models.read` gives it.

    Attributes:
        model: its name, such as "gpt2".
        text: what it read; in an encoder–decoder, what the decoder did.
        context: what the encoder of an encoder–decoder read, else None.
        stacks: {"self": …}, or {"encoder": …, "decoder": …, "cross": …} of an encoder–decoder.
        logits: a language model's, (n, v) float32; None of a model without that head.
        states: the last layer's output, (n, d) float32; the decoder's of an encoder–decoder.
        silent: the heads that were silenced, as (stack, layer, head).

    >>> x = np.eye(2, dtype=np.float32)[None]
    >>> stack = Stack("self", [Layer(x, x, x, scale=1.0)], ["a", "b"], [False] * 2, ["a", "b"], [False] * 2)
    >>> Reading("toy", "ab", None, {"self": stack}, None, x[0]).grid(0, 0).round(2)
    array([[0.73, 0.27], [0.27, 0.73]], dtype=float32)
    """

    model: str
    text: str
    context: str | None
    stacks: dict[str, Stack]
    logits: Array | None = field(repr=False)
    states: Array = field(repr=False)
    silent: frozenset[tuple[str, int, int]] = frozenset()
    again: Callable[[frozenset[tuple[str, int, int]]], "Reading"] | None = field(default=None, repr=False)
    written: Callable[[int], str] | None = field(default=None, repr=False)

    @property
    def stack(self) -> Stack:
        """The only stack; of an encoder–decoder, the decoder's own."""
        return self._stack(None)

    def grid(self, layer: int, head: int, stack: str | None = None) -> Array:
        """The weights of a head, (n_q, n_k): see `Stack`."""
        return self._stack(stack).grid(layer, head)

    def queries(self, layer: int, head: int, stack: str | None = None, rotated: bool = True) -> Array:
        """The queries of a head, (n_q, d_head): see `Stack`."""
        return self._stack(stack).queries(layer, head, rotated)

    def keys(self, layer: int, head: int, stack: str | None = None, rotated: bool = True) -> Array:
        """The keys that a head reads, (n_k, d_head): see `Stack`."""
        return self._stack(stack).keys(layer, head, rotated)

    def values(self, layer: int, head: int, stack: str | None = None) -> Array:
        """The values that a head reads, (n_k, d_v): see `Stack`."""
        return self._stack(stack).values(layer, head)

    def silenced(self, heads: Iterable[tuple[int, int]], stack: str | None = None) -> "Reading":
        """The same text, read again with these heads' outputs 0 before the output projection.

        Heads that were silenced before stay so. The model computes anew: it must still be in memory.

        Args:
            heads: pairs of a layer and a head, from 0.
            stack: whose they are; None means the only one, or the decoder's.

        Raises:
            ValueError: for a layer, head or stack that there is not, and for a reading that came without its model.
        """
        of = self._stack(stack)
        added = {
            (of.name, as_integer("layer", layer, 0, of.num_layers - 1), as_integer("head", head, 0, of.num_heads - 1))
            for layer, head in heads
        }
        if self.again is None:
            raise ValueError("this reading came without its model: silence heads of what `read` gives")
        return self.again(self.silent | added)

    def token(self, number: int) -> str:
        """The token of this number in the vocabulary, a column of `logits`, as people read it."""
        return f"token {number}" if self.written is None else self.written(number)

    def _stack(self, name: str | None) -> Stack:
        name = name or ("self" if "self" in self.stacks else "decoder")
        if name not in self.stacks:
            raise ValueError(f"{self.model} has the stacks {', '.join(self.stacks)}, not {name}")
        return self.stacks[name]
