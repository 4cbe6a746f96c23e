"""RatesPuzzle: which learning rates are good at three widths at once, with the root of scaled attention and without it?"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import InputError, Numbers, OneOf, Whole
from attnlib.lab.rates import recorded
from attnlib.widgets.base import PageWidget, check_within, fixed
from attnlib.widgets.tables import Row, table

WAYS = {
    "without the root": "without the root",
    "with the root": "with the root",
    "small start": "without it, small start",
}  # and their names in the record
WIDTHS = (16, 64, 256)
RATES = [f"1/{2**power}" for power in range(11, 0, -1)] + [str(2**power) for power in range(5)]
GOOD = 0.9  # of the worst seed
CODES = 2 * len(WAYS) * len(RATES)


class RatesPuzzle(PageWidget):
    """Which learning rates of W_Q and W_K train chapter 4's look-up well at the widths d_k of 16, 64 and 256?

    A rate is good at a width if each of five seeds ends with 90 % of new questions right, by `attnlib.lab.rates`. There
    are three ways to train: with the root of scaled attention, without it, and without it from smaller matrices
    (`way`). W_O learns at a rate of its own, or at the same (`shared`). `rate` is the place of a rate in the row from
    1/2048 to 16 (0 to 15). What was tried stays in sight: `tried` holds 16 · (3 · shared + way) + rate for each (0 to
    95). `shares` are the shares right of the worst seed, the ways with W_O's own rate first.

    Raises:
        ValueError: an `InputError`, for what was tried and is none, and for a share outside 0 to 1.

    >>> RatesPuzzle(way="with the root", rate=8).right
    array([0.955, 0.974, 0.981])
    >>> [RatesPuzzle(way=way).common() for way in ("without the root", "with the root")]
    [['1/16', '1/8', '1/4'], ['1/16', '1/8', '1/4', '1/2', '1', '2']]
    """

    _alive = "try a learning rate, and another way to train"
    title = traitlets.Unicode("One rate for three widths").tag(sync=True)
    provenance = traitlets.Unicode("trained, and recorded").tag(sync=True)
    way = OneOf(tuple(WAYS), "without the root").tag(sync=True, link=True)
    shared = traitlets.Bool(False).tag(sync=True, link=True)
    rate = Whole(11, min=0, max=len(RATES) - 1).tag(sync=True, link=True)
    tried = traitlets.List(traitlets.Int()).tag(sync=True, link=True)
    shares = Numbers(f"{2 * len(WAYS)} {len(WIDTHS)} {len(RATES)}").tag(sync=True)
    constants = fixed(ways=list(WAYS), widths=list(WIDTHS), rates=RATES, good=GOOD)

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"shares": _as_recorded()} | options)

    @property
    def right(self) -> Float[Array, "3"]:
        """The share of questions answered right at each width, in the worst seed."""
        return np.array(self.shares[self._setting])[:, self.rate]

    def good(self, width: int) -> list[str]:
        """The rates that are good at a width, for this way to train."""
        return _good(self.shares[self._setting], WIDTHS.index(width))

    def common(self) -> list[str]:
        """The rates that are good at all three widths, for this way to train."""
        return _good(self.shares[self._setting], slice(None))

    @property
    def _setting(self) -> int:
        return len(WAYS) * self.shared + list(WAYS).index(self.way)

    def check(self, inputs: SimpleNamespace) -> None:
        for i, one in enumerate(inputs.tried):
            if not 0 <= one < CODES:
                raise InputError(f"tried[{i}] is {one}, outside 0 to {CODES - 1}")
        for i, rows in enumerate(inputs.shares):
            check_within(f"shares[{i}]", rows, 0, 1)

    def fallback(self) -> str:
        rows: list[Row] = []
        names = [*WAYS, *(f"{way}, one rate for all" for way in WAYS)]
        for name, shares in zip(names, self.shares, strict=True):
            each = [_good(shares, widths) for widths in (*range(len(WIDTHS)), slice(None))]
            rows.append((name, [_listed(rates) for rates in each]))
        caption = self.caption(
            "the learning rates of W_Q and W_K, from 1/2048 to 16, with which a look-up gets 90 % or more of new questions "
            "right after training, in each of five seeds. W_O learns at 1/2; below, at the same rate."
        )
        return table(caption, [*(f"dₖ\u00a0=\u00a0{width}" for width in WIDTHS), "at all three"], rows)


@cache
def _as_recorded() -> list[Any]:
    """The worst seed's share for each way, width and rate: W_O's own rate first, then one rate for all."""
    found = [recorded(name) for name in ("SGD", "SGD, one rate")]
    narrowest, columns = len(found[0].widths) - len(WIDTHS), slice(len(RATES))
    maps = [one.right[way][narrowest:, columns].min(axis=-1).tolist() for one in found for way in WAYS.values()]
    return maps


def _good(shares: Any, widths: Any) -> list[str]:
    """The rates whose shares, of one way to train, are enough at a width, or at several."""
    worst = np.atleast_2d(np.array(shares)[widths]).min(axis=0)
    return [name for name, share in zip(RATES, worst, strict=True) if share >= GOOD]


def _listed(rates: list[str]) -> str:
    """How many rates there are, and which: from the least to the greatest where none is left out between them."""
    if not rates:
        return "none"
    first, last = RATES.index(rates[0]), RATES.index(rates[-1])
    whole = last - first + 1 == len(rates) > 2
    return f"{len(rates)}: {f'{rates[0]} to {rates[-1]}' if whole else ', '.join(rates)}"
