"""What a head does, as numbers from 0 to 1: how much of its weight goes to the previous token, to the first, and so on.

Each score but the entropy is about some keys of each query. A query has a choice if it may read at least one of these keys,
and at least one other. The score is the mean weight on these keys, over the queries that have a choice. A learned sink, on
which lies what a row lacks to 1, is a key that every query may read.
"""

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from attnlib.checks import as_array, as_flag, as_list, as_texts, forbid
from attnlib.models.tokens import SHAPES

CHOICE = (
    "Each score is a mean over queries. A query counts if it may read at least one key that the score is about, and at least "
    "one other key. A learned sink is such a key."
)
SCORES = {
    "previous token": "The weight on the token right before the query.",
    "next token": "The weight on the token right after the query.",
    "itself": "The weight on the query's own token.",
    "first token": "The weight on the first token.",
    "separator": "The weight on special tokens and punctuation, the first token left out.",
    "same token": "The weight on other occurrences of the query's own token.",
    "induction": "The weight on the token that came after an earlier occurrence of the query's own token.",
    "entropy": "The entropy of the query's weights, divided by ln of the number of keys that it may read: 0 is one key, 1 is "
    "all keys alike.",
}
WRITTEN = str.maketrans({shape: space for space, shape in SHAPES.items()})  # white space for ␣, ↵ and ⇥


def head_scores(
    grids: Float[Array, "*heads n_q n_k"],
    tokens: Sequence[str],
    special: Sequence[bool] | None = None,
    *,
    key_tokens: Sequence[str] | None = None,
    key_special: Sequence[bool] | None = None,
    mask: Bool[Array, "n_q n_k"] | None = None,
    sinks: bool = False,
) -> dict[str, Float[Array, "*heads"]]:
    """Every score of `SCORES` that has a case here: a text without a repeated token has no "same token".

    Args:
        grids: weights, query (row) reads from key (column), (…, n_q, n_k), from 0 to 1.
        tokens: what asks, n_q texts.
        special: which of them are none of the text ([CLS], padding), n_q; None means none.
        key_tokens: what is read, n_k texts, for cross-attention; None means that the queries are the keys. Of
            cross-attention there are the scores "first token", "separator" and "entropy".
        key_special: which of these are none of the text, n_k; None means none.
        mask: True where a query may read, (n_q, n_k); None means everywhere.
        sinks: whether each head has a learned sink, on which lies what its rows lack to 1.

    Returns:
        By its name each score, one number from 0 to 1 for each head, (…).

    Raises:
        ValueError: for sizes that do not fit each other, and for a weight outside 0 to 1.
        TypeError: for what is no array, text or truth value.

    >>> grid = np.array([[1, 0, 0], [0.75, 0.25, 0], [0, 1, 0]])
    >>> scores = head_scores(grid, ["we", "read", "we"], mask=np.tri(3, dtype=bool))
    >>> {name: round(float(score), 3) for name, score in scores.items()}
    {'previous token': 0.875, 'itself': 0.125, 'first token': 0.375, 'same token': 0.0, 'induction': 1.0, 'entropy': 0.406}
    """
    grids = as_array("grids", grids, ndim=2)
    forbid("grids", grids, ~((grids >= 0) & (grids <= 1 + 1e-3)), "is {value}: a weight lies between 0 and 1")
    grids = grids.astype(float) if grids.dtype.kind in "iu" else grids
    tokens, keys, marks, visible = _read(tokens, special, key_tokens, key_special, mask)
    sinks = as_flag("sinks", sinks)
    if visible.shape != grids.shape[-2:]:
        raise ValueError(f"{len(tokens)} tokens and {len(keys)} keys do not fit grids of shape {grids.shape}")
    found = {}
    for name, counts, chosen in _choices(tokens, keys, marks, visible, key_tokens is not None, sinks):
        if name == "entropy":
            rows = np.where(visible[chosen], grids[..., chosen, :], 0)
            rest = np.maximum(1 - rows.sum(axis=-1, keepdims=True), 0) * sinks
            rows = np.concatenate([rows, rest], axis=-1)
            spread = -(rows * np.log(np.where(rows > 0, rows, 1))).sum(axis=-1)
            found[name] = (spread / np.log(visible[chosen].sum(axis=1) + sinks)).mean(axis=-1)
        else:
            weights = grids[..., chosen, :]
            found[name] = np.einsum("...qk,qk->...", weights, counts[chosen].astype(grids.dtype)) / chosen.sum()
    return {name: np.asarray(np.clip(score, 0, 1)) for name, score in found.items()}


def score_cases(
    tokens: Sequence[str],
    special: Sequence[bool] | None = None,
    *,
    key_tokens: Sequence[str] | None = None,
    key_special: Sequence[bool] | None = None,
    mask: Bool[Array, "n_q n_k"] | None = None,
    sinks: bool = False,
) -> dict[str, int]:
    """How many queries each score of `head_scores` is the mean of.

    Args:
        tokens, special, key_tokens, key_special, mask, sinks: as `head_scores` takes them.

    Returns:
        By the score's name a number of queries, 1 or more.

    Raises:
        ValueError: for sizes that do not fit each other.
        TypeError: for what is no array, text or truth value.

    >>> score_cases(["we", "read", "we"], mask=np.tri(3, dtype=bool))["induction"]
    1
    """
    tokens, keys, marks, visible = _read(tokens, special, key_tokens, key_special, mask)
    found = _choices(tokens, keys, marks, visible, key_tokens is not None, as_flag("sinks", sinks))
    return {name: int(chosen.sum()) for name, _, chosen in found}


def _read(
    tokens: Sequence[str],
    special: Sequence[bool] | None,
    key_tokens: Sequence[str] | None,
    key_special: Sequence[bool] | None,
    mask: Array | None,
) -> tuple[list[str], list[str], list[bool], Array]:
    """The queries, the keys, which of these are none of the text, and where a query may read, (n_q, n_k)."""
    queries = as_texts("tokens", tokens)
    keys = queries if key_tokens is None else as_texts("key_tokens", key_tokens)
    name, marks = ("special", special) if key_tokens is None else ("key_special", key_special)
    marks = [False] * len(keys) if marks is None else as_list(name, marks)
    marks = [as_flag(f"{name}[{i}]", mark) for i, mark in enumerate(marks)]
    if len(marks) != len(keys):
        raise ValueError(f"{name} must have one entry for each of {len(keys)} tokens, got {len(marks)}")
    shape = (len(queries), len(keys))
    visible = np.ones(shape, dtype=bool) if mask is None else as_array("mask", mask, "b")
    if visible.shape != shape:
        raise ValueError(f"mask of shape {visible.shape} does not fit {shape[0]} tokens and {shape[1]} keys")
    return queries, keys, marks, visible


def _choices(
    tokens: list[str], keys: list[str], marks: list[bool], visible: Array, crossed: bool, sinks: bool
) -> Iterator[tuple[str, Array, Array]]:
    """Each score that has a case: its name, the keys that it is about (n_q, n_k), and the queries that have a choice (n_q)."""
    for name, counts in _targets(tokens, keys, marks, crossed).items():
        chosen = (counts & visible).any(axis=1) & ((~counts & visible).any(axis=1) | sinks)
        if chosen.any():
            yield name, counts, chosen
    several = visible.sum(axis=1) + sinks >= 2
    if several.any():
        yield "entropy", visible, several


def _targets(tokens: list[str], keys: list[str], marks: list[bool], crossed: bool) -> dict[str, Array]:
    """The keys that count for each query, by the name of the score."""
    n_q, n_k = len(tokens), len(keys)
    first = np.zeros((n_q, n_k), dtype=bool)
    first[:, :1] = True
    rests = np.array([mark or _is_punctuation(key) for key, mark in zip(keys, marks, strict=True)], dtype=bool)
    found = {"first token": first, "separator": ~first & rests}
    if crossed:
        return found
    number = {token: at for at, token in enumerate(dict.fromkeys(keys))}
    ids = np.array([number[token] for token in keys], dtype=int)
    same = (ids[:, None] == ids) & ~np.array(marks, dtype=bool)
    np.fill_diagonal(same, False)
    after = np.zeros_like(same)
    after[:, 1:] = np.tril(same, -1)[:, :-1]
    np.fill_diagonal(after, False)
    beside = [np.eye(n_q, k=k, dtype=bool) for k in (-1, 1, 0)]
    return (
        dict(zip(("previous token", "next token", "itself"), beside, strict=True))
        | found
        | {"same token": same, "induction": after}
    )


def _is_punctuation(token: str) -> bool:
    text = token.translate(WRITTEN).strip()
    named = text in {"⟨?⟩", "⟨⟩"}  # what a tokenizer has no text for: see `attnlib.models.tokens`
    return bool(text) and not named and all(unicodedata.category(letter)[0] == "P" for letter in text)
