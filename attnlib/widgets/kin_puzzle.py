"""KinPuzzle: sixty tokens of four kinds, whose useless axes hide who is of a kind with whom."""

import numpy as np
import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import OneOf, Whole
from attnlib.lab.axes import standardise
from attnlib.lab.scaling import seeded_uniform
from attnlib.widgets.base import PageWidget, fixed
from attnlib.widgets.tables import Row, table

TOKENS, KINDS, MOST = 60, 4, 12  # and how many useless axes there are at most
SIGNAL, NOISE, LARGE = 2.0, 0.7, 3.0  # a kind's number on its axis, and the noise on useful and on useless axes
GOAL = 0.9
REMEDIES = ("as they are", "of length 1", "standardised")
TOLD = "told which axes count"


class KinPuzzle(PageWidget):
    """Does a token read most from one of its own kind, when useless axes drown the useful ones?

    Sixty tokens, fifteen of each of four kinds, have a 2 on the axis of their kind and noise of standard deviation 0.7 on
    all four axes; `useless` axes (0 to 12) hold noise of standard deviation 3. The noise is that of
    `attnlib.lab.seeded_uniform`, from `seed`. A token *finds its kin* if, apart from itself, it scores most with a token
    of its kind. `remedy` is done to the tokens first: nothing ("as they are"), dividing each by its length ("of length 1"),
    or standardising each axis ("standardised"). Where the page hands over what is missing (`handed`), it is told which axes
    count: these alone are kept, and standardised. All are synced.

    Raises:
        ValueError: an `InputError`, for a number outside its bounds, and for another remedy.

    >>> [round(KinPuzzle(remedy=remedy).share, 2) for remedy in ("as they are", "of length 1", "standardised")]
    [0.25, 0.22, 0.65]
    >>> round(KinPuzzle(handed=True).share, 2)
    0.95
    """

    _alive = "change the number of useless axes, and try remedies"
    title = traitlets.Unicode("Find the kin").tag(sync=True)
    provenance = traitlets.Unicode("random").tag(sync=True)
    useless = Whole(MOST, min=0, max=MOST).tag(sync=True, link=True)
    remedy = OneOf(REMEDIES, "as they are").tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    seed = Whole(0, min=0, max=2**20).tag(sync=True)
    constants = fixed(
        tokens=TOKENS,
        kinds=KINDS,
        most=MOST,
        signal=SIGNAL,
        noise=NOISE,
        large=LARGE,
        goal=GOAL,
        remedies=list(REMEDIES),
    )

    @property
    def scores(self) -> Float[Array, "60 60"]:
        """X Xᵀ of the tokens, sorted by kind, after the remedy."""
        return _scores(self.useless, TOLD if self.handed else self.remedy, self.seed)

    @property
    def share(self) -> float:
        """The share of tokens that find their kin."""
        return _share(self.scores)

    def fallback(self) -> str:
        counts = sorted({0, 1, 4, MOST, self.useless})
        rows: list[Row] = []
        for remedy in (*REMEDIES, TOLD):
            each = [_share(_scores(count, remedy, self.seed)) for count in counts]
            rows.append((remedy, [f"{share:.0%}" for share in each]))
        caption = self.caption(
            "how many of 60 tokens score most with one of their own kind, by the number of useless axes."
        )
        return table(caption, [f"{count} useless" for count in counts], rows)


def _scores(useless: int, remedy: str, seed: int) -> Float[Array, "60 60"]:
    drawn = seeded_uniform(TOKENS * (KINDS + MOST), seed=seed).reshape(TOKENS, -1)
    x = np.hstack([NOISE * drawn[:, :KINDS], LARGE * drawn[:, KINDS : KINDS + useless]])
    x[np.arange(TOKENS), _kinds()] += SIGNAL
    if remedy == TOLD:
        x = standardise(x[:, :KINDS])
    elif remedy == "standardised":
        x = standardise(x)
    elif remedy == "of length 1":
        x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.array(x @ x.T)


def _share(scores: Float[Array, "60 60"]) -> float:
    """The share of tokens whose largest score with another is with one of their kind."""
    kinds, others = _kinds(), np.where(np.eye(TOKENS), -np.inf, scores)
    return float((kinds[others.argmax(axis=1)] == kinds).mean())


def _kinds() -> Array:
    return np.arange(TOKENS) * KINDS // TOKENS
