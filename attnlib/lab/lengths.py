"""What a head that names the letter before does with longer texts, recorded by `attnlib.training.lengths`."""

import json
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.checks import as_choice, as_integer


class Lengths(NamedTuple):
    """What came of texts of each of `lengths`, always at their last token, for each run and five seeds.

    A run is a way to tell places: "none", "sinusoidal" (waves added to the embeddings), "rotary", or "bias" (a learned number
    for each distance, and for all distances beyond training the last of them). Or it is a way with a change. With "window"
    the token reads no farther back than it could in training. With "all rows seen" the texts of training began at any
    place, so that each row of waves was seen. With "far as the last" what is farther away than in training is turned
    by the greatest angle of training. With "last number lower" 3 is taken from the last number of the bias.

    Attributes:
        trained: the length of the texts of training.
        lengths: of the texts that are read, (lengths,).
        right: for each run the shares of texts whose last token names the letter before it, (seeds, lengths).
        before: for each run the mean weight of the last token on the one before it, (seeds, lengths).
        far: for each run the mean weight on all tokens that are farther away than any in training, (seeds, lengths).

    >>> list(recorded().right)[:4]
    ['none', 'sinusoidal', 'sinusoidal, window', 'sinusoidal, all rows seen']
    """

    trained: int
    lengths: tuple[int, ...]
    right: dict[str, Float[Array, "seeds lengths"]]
    before: dict[str, Float[Array, "seeds lengths"]]
    far: dict[str, Float[Array, "seeds lengths"]]


def recorded(trained: int = 9) -> Lengths:
    """The recorded runs: 2,000 steps of 32 texts, then 1,000 new texts of each length, for each of five seeds.

    Args:
        trained: the length of the texts of training, 9 or 16.

    Returns:
        The runs.

    Raises:
        ValueError: for another length of training.
        TypeError: for what is no integer.

    >>> found = recorded()
    >>> found.lengths[:5], found.right["rotary"].shape
    ((3, 6, 9, 10, 12), (5, 16))
    >>> [round(float(found.right[way][:, -1].mean()), 2) for way in ("none", "sinusoidal", "rotary", "bias")]
    [0.18, 0.1, 0.2, 0.92]
    """
    made = record()
    trained = as_integer("trained", trained)
    runs = made["trained"][as_choice("trained", str(trained), made["trained"])]
    right, before, far = (
        {run: np.array(kept[what]) for run, kept in runs.items()} for what in ("right", "before", "far")
    )
    right = {run: counts / made["texts"] for run, counts in right.items()}
    return Lengths(trained, tuple(made["lengths"]), right, before, far)


def record() -> dict[str, Any]:
    """All that was recorded, and with which command.

    Returns:
        The record, by name.

    >>> record()["command"], record()["seeds"], record()["steps"]
    ('python -m attnlib.training.lengths', [0, 1, 2, 3, 4], 2000)
    """
    made: dict[str, Any] = json.loads(files("attnlib").joinpath("data/lengths.json").read_text(encoding="utf8"))
    return made
