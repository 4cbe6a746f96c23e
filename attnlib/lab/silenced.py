"""What chapter 9's model can do with any of its eight heads silenced, recorded by `attnlib.training.silenced`."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.checks import as_choice, as_texts

HEADS = ("1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "2.3", "2.4")  # layer and head, both counted from 1


@dataclass(frozen=True)
class Silenced:
    """What was measured with each set of heads silenced. `row` says which row is which set's; row 0 is the whole model.

    The texts are five draws of fresh ones: 200 streams of `attnlib.corpus`, and 100 lists of 12 words said twice.

    Attributes:
        pronoun: the share of right habits after a pronoun, (256, 5); a guess among six habits is right in 1/6.
        repeats: the share of right words in the second round of a list, less its first word, (256, 5); a guess among
            80 words is right in 1/80.
        loss: the cross-entropy of a next word in nats, over all words of the streams, (256, 5).
        said: after *Anna met Tom . he* the probability of each of `habits`, (256, 6).
        habits: the six habits, of which Tom's is *paints* and Anna's *sings*.

    >>> recorded().pronoun[row("1.2", "2.2")].mean().round(2)
    np.float64(0.25)
    """

    pronoun: Float[Array, "256 draws"]
    repeats: Float[Array, "256 draws"]
    loss: Float[Array, "256 draws"]
    said: Float[Array, "256 6"]
    habits: tuple[str, ...]


def row(*heads: str) -> int:
    """The row of a set of heads in a record: the sum of 2^i over their places i in `HEADS`.

    Args:
        heads: any number of names such as "1.2", which is head 2 of layer 1.

    Returns:
        A number from 0 to 255.

    Raises:
        ValueError: for a head that is not there, or is named twice.
        TypeError: for what is no text.

    >>> row(), row("1.2"), row("1.2", "2.2")
    (0, 2, 34)
    """
    for head in as_texts("heads", heads):
        if head not in HEADS or heads.count(head) > 1:
            raise ValueError(f"heads must be different ones of {', '.join(HEADS)}, got {', '.join(map(str, heads))}")
    return sum(2 ** HEADS.index(head) for head in heads)


def recorded(way: str = "zero") -> Silenced:
    """What was measured with what silenced heads add to the stream replaced.

    Args:
        way: "zero" replaces it by 0; "mean" by the mean of what the head adds in the whole model, over all positions of
            200 other streams. What a head adds is its output times its rows of W_O.

    Returns:
        The record. Its arrays are read-only.

    Raises:
        ValueError: for another way.
        TypeError: for what is no text.

    >>> found = recorded()
    >>> found.pronoun[row("1.2", "2.2")].shape, found.said.shape
    ((5,), (256, 6))
    """
    return _recorded(as_choice("way", way, ("zero", "mean")))


@cache
def _recorded(way: str) -> Silenced:
    made = record()
    found = {name: np.array(each) for name, each in made["ways"][way].items()}
    found["pronoun"] = found["pronoun"] / made["pronouns"]
    found["repeats"] = found["repeats"] / made["repeated"]
    for array in found.values():
        array.setflags(write=False)
    return Silenced(**found, habits=tuple(made["habits"]))


def record() -> dict[str, Any]:
    """All that was recorded, and with which command.

    Returns:
        The record, by name.

    >>> record()["command"], record()["seeds"], record()["sentence"]
    ('python -m attnlib.training.silenced', [100, 101, 102, 103, 104], 'Anna met Tom . he')
    """
    made: dict[str, Any] = json.loads(files("attnlib").joinpath("data/silenced.json").read_text(encoding="utf8"))
    return made
