"""HeadsPuzzle: two numbers are wanted of one blend of them, and then of two blends."""

import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import Real
from attnlib.formatting import text
from attnlib.lab.blends import blend_errors, blend_readout
from attnlib.widgets.base import PageWidget
from attnlib.widgets.tables import Row, table


class HeadsPuzzle(PageWidget):
    """Each token needs two numbers, u of the token one before and v of the token two before. It gets one blend of them.

    The blend is a·u + (1 − a)·v + noise, and `first` (0 to 1) is a. The `errors` of u and of v are mean squared ones of
    the best linear readout, by `attnlib.lab.blend_errors`, with nothing drawn: u, v and the noise are independent, of mean
    0, u and v of variance 1, the noise of standard deviation `noise` (0 to 0.3). With one blend both errors sum to 1 or
    more, so they cannot both be 0.1. Where the page hands over what is missing (`handed`), there is a second blend, with
    noise of its own and the share `second` (0 to 1), which counts nothing otherwise. Without noise any two shares that
    differ give both numbers exactly; with it, two that differ little leave large errors. A reader moves all but `noise`.

    Raises:
        ValueError: an `InputError`, for a number outside its bounds, naming it.

    >>> [round(error, 3) for error in HeadsPuzzle().errors]
    [0.502, 0.502]
    >>> [round(error, 3) for error in HeadsPuzzle(first=1.0, second=0.0, handed=True).errors]
    [0.002, 0.002]
    """

    _alive = "move the share, and hand over what is missing"
    title = traitlets.Unicode("Two numbers, one blend").tag(sync=True)
    provenance = traitlets.Unicode("computed in closed form").tag(sync=True)
    first = Real(0.5, min=0, max=1).tag(sync=True, link=True)
    second = Real(0.5, min=0, max=1).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    noise = Real(0.05, min=0, max=0.3).tag(sync=True)

    @property
    def shares(self) -> list[float]:
        """The share of u in each blend that there is."""
        return [self.first, self.second] if self.handed else [self.first]

    @property
    def errors(self) -> tuple[float, float]:
        """The error of u and that of v, by the best linear readout."""
        return blend_errors(self.shares, self.noise)

    @property
    def readout(self) -> Float[Array, "h 2"]:
        """What the best linear readout multiplies each blend by, for u and for v, by `attnlib.lab.blend_readout`."""
        return blend_readout(self.shares, self.noise)

    def fallback(self) -> str:
        states = {
            _named(shares): blend_errors(shares, self.noise) for shares in (self.shares, [1.0], [0.0], [1.0, 0.0])
        }
        rows: list[Row] = [(name, [f"{error:.0%}" for error in (*both, sum(both))]) for name, both in states.items()]
        caption = self.caption(
            "each token needs u, the number of the token one before, and v, that of the token two before. It gets a blend: "
            f"a share of u, the rest of v, and noise of standard deviation {self.noise:g}. An error is the mean square "
            "that the best linear readout leaves."
        )
        return table(caption, ["error of u", "error of v", "sum of both"], rows)


def _named(shares: list[float]) -> str:
    blends = "one blend, share" if len(shares) == 1 else "two blends, shares"
    return f"{blends} of u {' and '.join(map(text, shares))}"
