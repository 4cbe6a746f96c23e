"""At which learning rates chapter 4's look-up was learned, with the root and without, recorded by `attnlib.training.rates`."""

import json
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.checks import as_text


class RateMap(NamedTuple):
    """What came of training at each of `rates`, at each of `widths`.

    Attributes:
        rates: learning rates of W_Q and W_K, (rates,).
        output_rate: the learning rate of W_O; None says that each run's W_O had the same rate as its W_Q and W_K.
        widths: sizes d_k of a query, (widths,).
        right: for each way to train the shares of new questions that were answered right, (widths, rates, seeds).
            "with the root" divides scores by √d_k; "without it, small start" does not, and starts W_Q and W_K at
            1/d_k^(1/4) of the size.

    >>> list(recorded().right)
    ['without the root', 'with the root', 'without it, small start']
    """

    rates: tuple[float, ...]
    output_rate: float | None
    widths: tuple[int, ...]
    right: dict[str, Float[Array, "widths rates seeds"]]


def recorded(name: str = "SGD") -> RateMap:
    """A recorded map: 400 steps of 24 questions, then 1,000 new questions, for each of five seeds.

    Args:
        name: "SGD" or "Adam", where only the rate of W_Q and W_K varies, and W_O learns at one that suits it; or
            "SGD, one rate" or "Adam, one rate", where W_O has theirs.

    Returns:
        The map.

    Raises:
        ValueError: for a name that no map has.
        TypeError: for what is no text.

    >>> found = recorded("SGD")
    >>> found.widths, found.output_rate, found.right["with the root"].shape
    ((4, 16, 64, 256), 0.5, (4, 17, 5))
    """
    made = record()
    if as_text("name", name) not in made["maps"]:
        raise ValueError(f"name must be one of {', '.join(map(repr, made['maps']))}, got {name!r}")
    found = made["maps"][name]
    right = {way: np.array(counts) / made["questions"] for way, counts in found["right"].items()}
    return RateMap(tuple(found["rates"]), found["output rate"], tuple(made["widths"]), right)


def record() -> dict[str, Any]:
    """All that was recorded, and with which command.

    Returns:
        The record, by name.

    >>> record()["command"], record()["seeds"], record()["steps"]
    ('python -m attnlib.training.rates', [0, 1, 2, 3, 4], 400)
    """
    made: dict[str, Any] = json.loads(files("attnlib").joinpath("data/rates.json").read_text(encoding="utf8"))
    return made
