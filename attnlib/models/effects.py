"""What silencing heads changes: the chances of the next tokens, or how alike a token's last state stays."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy import ndarray as Array

from attnlib.models.packing import Head, readable_text

DIGITS = 3
LIKELIEST = 3  # tokens before, and as many after, where some heads are silenced together
SHARED = 5  # tokens whose figures are kept for every head
MOST = 8  # with those that a silent head makes the likeliest
NEXT = "probability of the next token"
ALIKE = "cosine of each token's last state with that of the whole model"


def effects_of(reading: Any, stack: str, heads: Iterable[Head]) -> dict[str, Any]:
    """Figures before and after some heads are silenced together, of the tokens that it changes or that are likely.

    Args:
        reading: what `attnlib.models.read` gave.
        stack: whose heads they are.
        heads: pairs of a layer and a head, from 0.

    Returns:
        "what" is measured, "labels" of m figures, "before" (m) and "after" (m).
    """
    after = reading.silenced(heads, stack=stack)
    if _writes(reading):
        chances = np.array([_chances(reading), _chances(after)])
        likely = list(dict.fromkeys(int(i) for row in chances for i in np.argsort(-row, kind="stable")[:LIKELIEST]))
        return _told(NEXT, [reading.token(i) for i in likely], *chances[:, likely])
    alike = _cosines(reading, after)
    far = np.argsort(alike, kind="stable")[:LIKELIEST]
    return _told(f"{ALIKE}, the farthest first", _numbered(reading, far), np.ones(len(far)), alike[far])


def every_effect(reading: Any, stack: str) -> dict[str, Any]:
    """Figures before and after each head of a stack is silenced alone: the model reads once for each.

    Of a decoder they are the chances of the five likeliest next tokens, and of others, up to eight in all, that a silent
    head makes the likeliest. Of other models they are cosines, of the five tokens that move farthest on average.

    Args:
        reading: what `attnlib.models.read` gave.
        stack: whose heads are silenced.

    Returns:
        "what" is measured, "labels" of m figures, "before" (m) and "after" (num_layers, num_heads, m).
    """
    of = reading.stacks[stack]
    shape = of.num_layers, of.num_heads
    silent = (reading.silenced([at], stack=stack) for at in np.ndindex(shape))
    if _writes(reading):
        whole = _chances(reading)
        rows = np.stack([_chances(one).astype(np.float32) for one in silent])
        likely = np.argsort(-whole, kind="stable")[:SHARED]
        shown = list(dict.fromkeys(map(int, [*likely, *rows.argmax(axis=1)])))[:MOST]
        what, before, labels = NEXT, whole[shown], [reading.token(i) for i in shown]
    else:
        rows = np.stack([_cosines(reading, one) for one in silent])
        shown = [int(i) for i in np.argsort(rows.mean(axis=0), kind="stable")[:SHARED]]
        what, before, labels = ALIKE, np.ones(len(shown)), _numbered(reading, shown)
    return _told(what, labels, before, rows[:, shown].reshape(*shape, -1))


def checked_effects(given: Mapping[str, Any] | None, shape: tuple[int, int]) -> dict[str, Any] | None:
    """Effects of each head as a recording of `shape` (layers, heads) holds them, or None for none.

    Raises ValueError for what is missing, for sizes that do not fit each other, and figures that are not finite.
    """
    if given is None:
        return None
    if lacking := sorted({"what", "labels", "before", "after"} - set(given)):
        raise ValueError(f"effects lack {', '.join(lacking)}")
    before, after = np.asarray(given["before"], dtype=float), np.asarray(given["after"], dtype=float)
    labels = [readable_text("label", label) for label in given["labels"]]
    if before.shape != (len(labels),) or after.shape != (*shape, len(labels)):
        raise ValueError(
            f"effects before {before.shape} and after {after.shape} do not fit {len(labels)} labels and heads {shape}"
        )
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        raise ValueError("effects must be finite")
    return _told(readable_text("what", given["what"]), labels, before, after)


def _told(what: str, labels: list[str], before: Array, after: Array) -> dict[str, Any]:
    return {
        "what": what,
        "labels": labels,
        "before": before.round(DIGITS).tolist(),
        "after": after.round(DIGITS).tolist(),
    }


def _writes(reading: Any) -> bool:
    """Whether its last logits are of a next token: what an encoder fills in is none."""
    return reading.logits is not None and bool(reading.stack.causal)


def _chances(reading: Any) -> Array:
    """The probability of each token as the next one, (v)."""
    row = np.asarray(reading.logits[-1], dtype=float)
    powers = np.exp(row - row.max())
    chances: Array = powers / powers.sum()
    return chances


def _cosines(reading: Any, after: Any) -> Array:
    """Of each token, the last state of one reading with that of the other, (n)."""
    whole, cut = np.asarray(reading.states, float), np.asarray(after.states, float)
    norms = np.linalg.norm(whole, axis=1) * np.linalg.norm(cut, axis=1)
    cosines: Array = (whole * cut).sum(axis=1) / np.where(norms > 0, norms, 1)
    return cosines


def _numbered(reading: Any, places: Iterable[Any]) -> list[str]:
    return [f"{reading.stack.tokens[i]} ({i + 1})" for i in places]
