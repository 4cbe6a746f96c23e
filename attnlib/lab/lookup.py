"""Envelopes with a name and a letter: what fixed weights can find, and what weights that compare names find."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Real
from numpy import ndarray as Array

from attnlib.checks import as_array, as_generator, as_integer, as_number, forbid, must_be_finite, must_fit

MOST_LETTERS = 2**16


class Lookup(NamedTuple):
    """Rows of envelopes: `names` (rows, items, d) of −1 and 1, no two of a row alike, `letters` (rows, items).

    >>> lookup_rows(np.random.default_rng(1), num_rows=1, num_items=2, d=3).letters.shape
    (1, 2)
    """

    names: Int[Array, "rows items d"]
    letters: Int[Array, "rows items"]


def lookup_rows(
    rng: np.random.Generator, num_rows: int = 32, num_items: int = 8, d: int = 16, num_letters: int = 16
) -> Lookup:
    """Draw rows of envelopes, each with a name and one of the letters 0, 1, ….

    Args:
        rng: where the numbers come from.
        num_rows: how many rows.
        num_items: envelopes in a row, at most 2 · 2^(d/2): with more, names that all differ are hard to draw.
        d: entries of a name, each −1 or 1.
        num_letters: how many letters there are.

    Returns:
        The names and the letters, each row's in a row.

    Raises:
        ValueError: for a size below 1, and for more items than there may be, naming both.

    >>> lookup_rows(np.random.default_rng(0), num_rows=2).names.shape
    (2, 8, 16)
    """
    rng, num_rows = as_generator("rng", rng), as_integer("num_rows", num_rows, 1)
    num_items, d = as_integer("num_items", num_items, 1), as_integer("d", d, 1, 256)
    num_letters = as_integer("num_letters", num_letters, 1, MOST_LETTERS)
    if num_items > (most := int(2 * 2 ** (d / 2))):
        raise ValueError(f"num_items must be at most {most} for names with d = {d}, got {num_items}")
    names = rng.choice([-1, 1], size=(num_rows, num_items, d))
    while len(alike := [row for row in range(num_rows) if len(np.unique(names[row], axis=0)) < num_items]):
        names[alike] = rng.choice([-1, 1], size=(len(alike), num_items, d))
    return Lookup(names, rng.integers(num_letters, size=(num_rows, num_items)))


def compared_weights(
    scores: Real[Array, "*batch n_k"], fixed: Real[Array, "n_fixed"], strength: float
) -> Float[Array, "*batch n_k"]:
    """Weights in proportion to fixed · exp(strength · score): at strength 0 the fixed ones alone.

    Args:
        scores: how well each key fits the query, (…, n_k).
        fixed: one weight for each place, (n_k,), none below 0.
        strength: how much the scores count.

    Returns:
        The weights, (…, n_k); each row sums to 1.

    Raises:
        ValueError: for what is not finite, for a fixed weight below 0, naming its index, and where all are 0.

    >>> compared_weights(np.array([2.0, 0.0]), np.array([1.0, 1.0]), 0.0)
    array([0.5, 0.5])
    """
    scores, fixed = as_array("scores", scores, ndim=1).astype(float), as_array("fixed", fixed).astype(float)
    strength = as_number("strength", strength)
    must_be_finite(scores=scores, fixed=fixed)
    if fixed.ndim != 1 or scores.shape[-1:] != fixed.shape:
        raise ValueError(
            f"fixed must have one weight for each score of a row, scores {scores.shape}, fixed {fixed.shape}"
        )
    forbid("fixed", fixed, fixed < 0, "is below 0")
    if not fixed.any():
        raise ValueError("fixed is 0 throughout: nothing is mixed")
    with np.errstate(over="ignore"):
        s = strength * scores
    must_fit("strength · scores", s, "scores are")
    top = np.where(fixed > 0, s, -np.inf).max(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):  # beyond the top nothing is counted: its fixed weight is 0
        raised = fixed / fixed.max() * np.exp(np.minimum(s - top, 0))
    weights: Float[Array, "*batch n_k"] = raised / raised.sum(axis=-1, keepdims=True)
    return weights


def largest_letter(weights: Array, letters: Array) -> int:
    """The letter with the largest share of the weights, one for each envelope; of equals, to ten decimals, the first."""
    shares = np.bincount(letters, weights)
    return int((shares >= shares.max() - 1e-10).argmax())


def share_right(
    names: Real[Array, "rows items d"],
    letters: Int[Array, "rows items"],
    fixed: Real[Array, "n_fixed"],
    strength: float,
) -> float:
    """How often the letter with the largest share is the one asked for, over every call of every row.

    Args:
        names: of the envelopes, (rows, items, d); a score is the dot product of two of a row.
        letters: theirs, (rows, items), from 0 on.
        fixed: one weight for each place, (items,).
        strength: how much the scores count.

    Returns:
        A share, from 0 to 1.

    Raises:
        ValueError: for sizes that do not fit, and as `compared_weights` does.

    >>> share_right(*lookup_rows(np.random.default_rng(1)), np.ones(8), 1.0)
    1.0
    """
    names, letters = as_array("names", names).astype(float), _as_letters(letters)
    must_be_finite(names=names)
    if names.ndim != 3 or names.shape[:2] != letters.shape:
        raise ValueError(
            f"names must be (rows, items, d) for letters (rows, items), got {names.shape} and {letters.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        scores = names @ names.swapaxes(1, 2)  # (rows, called, items)
    must_fit("the scores of names", scores, "names are")
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

    Returns:
        A share, from 0 to 1.

    Raises:
        ValueError: for letters that are no matrix of whole numbers from 0 on.

    >>> round(most_right(lookup_rows(np.random.default_rng(1)).letters), 2)
    0.27
    """
    letters = _as_letters(letters)
    return float(np.mean([np.bincount(row).max() for row in letters]) / letters.shape[1])


def _as_letters(letters: Array) -> Array:
    letters = as_array("letters", letters, kinds="iu")
    if letters.ndim != 2 or 0 in letters.shape:
        raise ValueError(f"letters must have shape (rows, items), none of them 0, got {letters.shape}")
    forbid("letters", letters, (letters < 0) | (letters >= MOST_LETTERS), f"is not from 0 to {MOST_LETTERS - 1}")
    return letters.astype(int)
