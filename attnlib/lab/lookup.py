"""Envelopes with a name and a letter: what fixed weights can find, and what weights that compare names find."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Real
from numpy import ndarray as Array

from attnlib.checks import as_array, as_number, forbid, must_be_finite


class Lookup(NamedTuple):
    """Rows of envelopes: `names` (rows, items, d) of −1 and 1, no two of a row alike, `letters` (rows, items)."""

    names: Int[Array, "rows items d"]
    letters: Int[Array, "rows items"]


def lookup_rows(rng: np.random.Generator, rows: int = 32, items: int = 8, d: int = 16, letters: int = 16) -> Lookup:
    """Draw rows of envelopes, each with a name and one of the letters 0, 1, ….

    Args:
        rng: where the numbers come from.
        rows: how many rows.
        items: envelopes in a row.
        d: entries of a name, each −1 or 1.
        letters: how many letters there are.

    Raises ValueError where a row has more envelopes than there are names.

    >>> lookup_rows(np.random.default_rng(0), rows=2).names.shape
    (2, 8, 16)
    """
    if items > 2**d:
        raise ValueError(f"{items} items need {items} names, and there are {2**d} with d = {d}")
    names = rng.choice([-1, 1], size=(rows, items, d))
    while len(alike := [row for row in range(rows) if len(np.unique(names[row], axis=0)) < items]):
        names[alike] = rng.choice([-1, 1], size=(len(alike), items, d))
    return Lookup(names, rng.integers(letters, size=(rows, items)))


def compared_weights(
    scores: Real[Array, "*batch n"], fixed: Real[Array, "n_fixed"], strength: float
) -> Float[Array, "*batch n"]:
    """Weights in proportion to fixed · exp(strength · score): at strength 0 the fixed ones alone.

    Args:
        scores: how well each name fits the one that is called, (…, n).
        fixed: one weight for each place, (n,), none below 0.
        strength: how much the scores count.

    Raises ValueError for what is not finite, for a fixed weight below 0, naming its index, and where all are 0.

    >>> compared_weights(np.array([2.0, 0.0]), np.array([1.0, 1.0]), 0.0)
    array([0.5, 0.5])
    """
    scores, fixed = as_array("scores", scores).astype(float), as_array("fixed", fixed).astype(float)
    strength = as_number("strength", strength)
    must_be_finite(scores=scores, fixed=fixed)
    if scores.shape[-1:] != fixed.shape:
        raise ValueError(
            f"scores have shape {scores.shape}, fixed has shape {fixed.shape}: one for each score is needed"
        )
    forbid("fixed", fixed, fixed < 0, "is below 0")
    if not fixed.any():
        raise ValueError("fixed is 0 throughout: nothing is mixed")
    s = strength * scores
    top = np.where(fixed > 0, s, -np.inf).max(axis=-1, keepdims=True)
    raised = fixed * np.exp(np.minimum(s - top, 0))  # beyond the top nothing is counted: its fixed weight is 0
    weights: Float[Array, "*batch n"] = raised / raised.sum(axis=-1, keepdims=True)
    return weights


def largest_letter(weights: Real[Array, "n"], letters: Int[Array, "n"]) -> int:
    """The letter with the largest share of the weights; of equals, to ten decimals, the first.

    Args:
        weights: one for each envelope, (n,).
        letters: the letter of each, (n,), from 0 on.

    >>> largest_letter(np.array([0.4, 0.3, 0.3]), np.array([2, 7, 7]))
    7
    """
    return int(np.bincount(letters, weights).round(10).argmax())


def share_right(
    names: Real[Array, "rows items d"], letters: Int[Array, "rows items"], fixed: Real[Array, "items"], strength: float
) -> float:
    """How often the letter with the largest share is the one asked for, over every call of every row.

    Args:
        names: of the envelopes, (rows, items, d); a score is the dot product of two of a row.
        letters: theirs, (rows, items), from 0 on.
        fixed: one weight for each place, (items,).
        strength: how much the scores count.

    Raises ValueError as `compared_weights` does.

    >>> share_right(*lookup_rows(np.random.default_rng(1)), np.ones(8), 1.0)
    1.0
    """
    scores = names @ names.swapaxes(1, 2)  # (rows, called, items)
    weights = compared_weights(scores, fixed, strength)
    found = [
        largest_letter(weights[row, called], of_row) == of_row[called]
        for row, of_row in enumerate(letters)
        for called in range(len(of_row))
    ]
    return float(np.mean(found))


def most_right(letters: Int[Array, "rows items"]) -> float:
    """The most that `share_right` can be at strength 0: a row has one answer then, right as often as its letter stands there.

    Args:
        letters: of the envelopes, (rows, items), from 0 on.

    >>> round(most_right(lookup_rows(np.random.default_rng(1)).letters), 2)
    0.27
    """
    return float(np.mean([np.bincount(row).max() for row in letters]) / letters.shape[1])
