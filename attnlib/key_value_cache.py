"""Keys and values of earlier tokens, kept: attention token by token."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Real
from numpy import ndarray as Array

from attnlib.arguments import checked
from attnlib.checks import as_float_dtype, as_integer, must_be_finite, working_copies
from attnlib.streaming import in_tiles


class KeyValueCache:
    """Keys and values of what was read before, so that a new token costs O(n) and not O(n²).

    The room grows by doubling.

    Args:
        batch: the shape of the leading axes, such as (sequences, heads).
        d_k: the width of a query and of a key.
        d_v: the width of a value.
        dtype: what the cache holds and gives: float16, float32 or float64.

    Raises:
        ValueError: for a negative size, a width below 1, or another dtype.
        TypeError: for a size that is no integer.

    >>> cache = KeyValueCache((), d_k=2, d_v=1)
    >>> for t in range(3):
    ...     out = cache.attend(np.eye(2)[:1], np.eye(2)[:1], np.array([[float(t)]]))
    >>> len(cache), out
    (3, array([[1.]]))
    """

    def __init__(self, batch: tuple[int, ...], d_k: int, d_v: int, dtype: type | np.dtype = np.float64) -> None:
        if not isinstance(batch, tuple | list):
            raise TypeError(f"batch must be a tuple of sizes, got {batch!r}")
        dtype = as_float_dtype("dtype", dtype)
        batch = tuple(as_integer(f"batch[{i}]", size, 0) for i, size in enumerate(batch))
        self._key = np.empty((*batch, 0, as_integer("d_k", d_k, 1)), dtype)
        self._value = np.empty((*batch, 0, as_integer("d_v", d_v, 1)), dtype)
        self._length = 0
        self._longest = 0.0, 0.0  # of the keys and of the values, by their length

    def __len__(self) -> int:
        return self._length

    def attend(
        self,
        query: Real[Array, "*batch n d_k"],
        key: Real[Array, "*batch n d_k"],
        value: Real[Array, "*batch n d_v"],
        *,
        scale: float | None = None,
    ) -> Float[Array, "*batch n d_v"]:
        """Append the keys and values of n new tokens; return what their queries read, each from all up to itself.

        Equal to the last n rows of causal attention over all tokens so far.

        Args:
            query: of the new tokens, (…, n, d_k).
            key: likewise.
            value: likewise, (…, n, d_v).
            scale: what scores are multiplied by; None means 1/√d_k.

        Returns:
            One row for each new token, (…, n, d_v), in the cache's dtype.

        Raises:
            ValueError: when the three do not fit each other or the cache, naming the sizes, and for an entry that is
                not finite; the cache is then what it was before.
            TypeError: for what is no array.
        """
        given, _ = working_copies(query=query, key=key, value=value)
        rows = max(1, given[1].shape[-2]) if given[1].ndim > 1 else 1
        rooms = {"query": self._key, "key": self._key, "value": self._value}
        for (name, room), new in zip(rooms.items(), given, strict=True):
            expected = (*room.shape[:-2], rows, room.shape[-1])
            if new.shape != expected:
                raise ValueError(f"{name} of shape {new.shape} does not fit this cache, which needs {expected}")
        with np.errstate(over="ignore"):
            query, key, value = (new.astype(self._key.dtype, copy=False) for new in given)
        must_be_finite(query=query, key=key, value=value)
        before, after = self._length, self._length + rows
        self._key, self._value = (self._room(held, after) for held in (self._key, self._value))
        self._key[..., before:after, :], self._value[..., before:after, :] = key, value
        new = checked(query, key, value, causal=True, offset=before, scale=scale)  # what was read before is checked
        longest = max(self._longest[0], new.longest_key), max(self._longest[1], new.longest_value)
        (key, value), _ = working_copies(key=self._key[..., :after, :], value=self._value[..., :after, :])
        out = in_tiles(replace(new, key=key, value=value, longest_key=longest[0], longest_value=longest[1]))
        self._length, self._longest = after, longest
        return out.astype(new.dtype, copy=False)

    def truncate(self, length: int) -> None:
        """Forget all but the first `length` tokens, as to try another continuation.

        Args:
            length: how many tokens stay.

        Raises:
            ValueError: for a length that is negative or beyond what was read.
            TypeError: for one that is no integer.
        """
        if not 0 <= as_integer("length", length) <= self._length:
            raise ValueError(f"the cache holds {self._length} tokens: it cannot be cut to length {length}")
        self._length = length

    def _room(self, held: Array, needed: int) -> Array:
        if needed <= held.shape[-2]:
            return held
        larger = np.empty((*held.shape[:-2], max(needed, 2 * held.shape[-2]), held.shape[-1]), held.dtype)
        larger[..., : self._length, :] = held[..., : self._length, :]
        return larger
