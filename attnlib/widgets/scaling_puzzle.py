"""ScalingPuzzle: four clouds of softmax weights, of four widths d_k, which one divisor does not bring home together."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import InputError, Numbers, Real, Whole
from attnlib.lab.scaling import seeded_uniform
from attnlib.scaled_dot_product import softmax
from attnlib.widgets.base import PageWidget
from attnlib.widgets.tables import Row, table

WIDTHS = (4, 16, 64, 256)
KEYS = 3  # a triangle has three corners
HOME = (0.55, 0.65)  # where a cloud's mean largest weight should lie
SMALLEST, LARGEST = 1, 64  # of a divisor


class ScalingPuzzle(PageWidget):
    """By what should the scores be divided, so that the softmax neither gives all to one key nor the same to all three?

    For each width d_k of 4, 16, 64 and 256 there are `dots` draws (1 to 400) of one query and three keys by
    `attnlib.lab.seeded_uniform`, from `seed`. A larger d_k adds components to the same vectors. A cloud is at home while its
    mean largest weight, as a whole percentage, is 55 to 65 %. One `divisor` (1 to 64) is for all four, and no value
    of it brings more than one of these default clouds home. Where the page hands over what is missing (`handed`), each
    width has its own of the `divisors` (4, each 1 to 64); otherwise they count nothing. All are synced.

    Raises:
        ValueError: an `InputError`, for another number of divisors, and for one outside its bounds, naming its
            index.

    >>> ScalingPuzzle(divisor=4).shares.round(2).tolist()
    [0.49, 0.6, 0.74, 0.85]
    >>> ScalingPuzzle(handed=True, divisors=[2, 4, 8, 16]).shares.round(2).tolist()
    [0.61, 0.6, 0.6, 0.6]
    """

    _alive = "move the divisor, and hand over what is missing"
    title = traitlets.Unicode("Four widths, one divisor").tag(sync=True)
    provenance = traitlets.Unicode("random").tag(sync=True)
    divisor = Real(1.0, min=SMALLEST, max=LARGEST).tag(sync=True, link=True)
    divisors = Numbers("4", np.ones(len(WIDTHS))).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    seed = Whole(0, min=0, max=2**20).tag(sync=True)
    dots = Whole(100, min=1, max=400).tag(sync=True)

    @property
    def scores(self) -> Float[Array, "4 dots 3"]:
        """Of each draw's query with its three keys, not divided, for each width."""
        return _draw(self.dots, self.seed)

    @property
    def weights(self) -> Float[Array, "4 dots 3"]:
        """The softmax of the divided scores: each row is a dot."""
        return _weigh(self.scores, self.divisors if self.handed else [self.divisor] * len(WIDTHS))

    @property
    def shares(self) -> Float[Array, "4"]:
        """The mean over the dots of the largest weight, for each width."""
        return _shares(self.weights)

    def check(self, inputs: SimpleNamespace) -> None:
        for i, divisor in enumerate(inputs.divisors):
            if not SMALLEST <= divisor <= LARGEST:
                raise InputError(f"divisors[{i}] is {divisor:g}, outside {SMALLEST} to {LARGEST}".replace("-", "−"))

    def fallback(self) -> str:
        scores = self.scores
        each = self.divisors if self.handed else [width**0.5 for width in WIDTHS]
        one = sorted({*(2.0**power for power in range(5)), self.divisor})
        columns = [_shares(_weigh(scores, [divisor] * len(WIDTHS))) for divisor in one]
        shares = np.array([*columns, _shares(_weigh(scores, each))]).T  # (4, columns)
        rows: list[Row] = []
        for width, divisor, row in zip(WIDTHS, each, shares, strict=True):
            *ones, own = [f"{share:.0%}{' ✓' if _is_home(share) else ''}" for share in row]
            rows.append((f"dₖ\u00a0=\u00a0{width}", [*ones, f"÷ {divisor:.3g}: {own}"]))
        low, high = HOME
        shown = (
            f"the mean largest of three softmax weights, over {self.dots} random queries with three keys each, by what the "
            f"scores are divided by. ✓: {low:.0%} to {high:.0%}, at home."
        )
        return table(self.caption(shown), [*(f"÷ {divisor:.3g}" for divisor in one), "one for each"], rows, shares)


def _draw(dots: int, seed: int) -> Float[Array, "4 dots 3"]:
    drawn = seeded_uniform(dots * (1 + KEYS) * WIDTHS[-1], seed=seed).reshape(dots, 1 + KEYS, -1)
    query, keys = drawn[:, :1], drawn[:, 1:]  # (dots, 1, 256) and (dots, 3, 256)
    return np.array([(query[..., :width] * keys[..., :width]).sum(axis=-1) for width in WIDTHS])


def _weigh(scores: Float[Array, "4 dots 3"], divisors: Sequence[float]) -> Float[Array, "4 dots 3"]:
    return softmax(scores / np.array(divisors)[:, None, None])


def _shares(weights: Float[Array, "4 dots 3"]) -> Float[Array, "4"]:
    return np.array(weights.max(axis=-1).mean(axis=-1))


def _is_home(share: float) -> bool:
    return HOME[0] <= round(float(share), 2) <= HOME[1]  # as it is shown
