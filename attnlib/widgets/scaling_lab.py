"""ScalingLab: why the scores are divided by √d_k, and when that does not help."""

from types import SimpleNamespace

import traitlets
from jaxtyping import Float
from numpy import ndarray as Array

from anywidget_static import InputError, OneOf, Whole
from attnlib.formatting import compact
from attnlib.lab.scaling import BROKEN, Saturation, draw_scores, saturation, score_variance
from attnlib.widgets.base import PageWidget
from attnlib.widgets.tables import Row, table

SIZES = tuple(2**power for power in range(13))
MOST = 1024  # scores, so that a phone draws them within a frame
LABELS = {
    "none": "nothing: mean 0, variance 1, independent",
    "variance": "variance 4: of all components",
    "mean": "mean 1: of all components",
    "copies": "equal: the components of a vector",
    "sign": "q or −q: each is half of the keys",
    "unit": "length 1: every vector",
}


class ScalingLab(PageWidget):
    """Random queries and keys of width `d_k`. The surprise: as d_k grows one key takes all, unless √d_k divides.

    Then nothing moves, as long as the assumptions hold; `broken` names the one of `attnlib.lab.draw_scores` to break.
    `scaled` divides the scores by √d_k; `n_q` queries read from `n_k` keys, drawn from `seed`.

    Raises:
        ValueError: an `InputError`, for a d_k that is not a power of two up to 4096, for another assumption,
            and for more than 1,024 scores.

    >>> lab = ScalingLab(d_k=1024)
    >>> round(lab.measures.largest, 2)
    0.96
    >>> lab.scaled = True
    >>> round(lab.measures.largest, 2)
    0.28
    """

    _alive = "make dₖ larger and smaller, divide by its root, and break each assumption behind that"
    title = traitlets.Unicode("Scaling").tag(sync=True)
    provenance = traitlets.Unicode("random").tag(sync=True)
    d_k = OneOf(SIZES, 4).tag(sync=True, link=True)
    scaled = traitlets.Bool(False).tag(sync=True, link=True)
    broken = OneOf(BROKEN, "none").tag(sync=True, link=True)
    seed = Whole(1, min=0, max=2**31 - 1).tag(sync=True, link=True)
    n_q = Whole(20, min=1, max=MOST).tag(sync=True)
    n_k = Whole(16, min=1, max=MOST).tag(sync=True)
    labels = traitlets.Dict(LABELS, read_only=True).tag(sync=True)

    @property
    def scores(self) -> Float[Array, "n_q n_k"]:
        """What the histogram shows: the scores of `attnlib.lab.draw_scores`, divided by √d_k if `scaled`."""
        return self._scores(self.d_k, scaled=self.scaled)

    @property
    def measures(self) -> Saturation:
        """`attnlib.lab.saturation` of the scores."""
        return saturation(self.scores)

    def _scores(self, d_k: int, *, scaled: bool) -> Float[Array, "n_q n_k"]:
        scores = draw_scores(self.n_q, self.n_k, d_k, broken=self.broken, seed=self.seed)
        return scores / d_k**0.5 if scaled else scores

    def check(self, inputs: SimpleNamespace) -> None:
        if inputs.n_q * inputs.n_k > MOST:
            raise InputError(f"{inputs.n_q} queries and {inputs.n_k} keys: there must be 1 to {MOST} scores")

    def fallback(self) -> str:
        rows: list[Row] = []
        for d_k in sorted({1, 16, 256, 4096, self.d_k}):
            for scaled in (False, True):
                predicted = score_variance(d_k, broken=self.broken) / (d_k if scaled else 1)
                _, variance, largest, entropy, jacobian = saturation(self._scores(d_k, scaled=scaled))
                name = f"dₖ = {d_k}{', ÷ √dₖ' if scaled else ''}"
                rows.append((name, [compact(variance), compact(predicted), largest, entropy, jacobian]))
        caption = (
            f"{self.title}: {self.n_q} queries (rows) read from {self.n_k} keys (columns); each line is for one dₖ, "
            f"before and after division by √dₖ. Broken: {LABELS[self.broken]}. "
            f"Numbers: {self.provenance}, seed {self.seed}."
        )
        columns = ["variance of the scores", "predicted", "largest weight", "entropy of the weights"]
        return table(caption, [*columns, "norm of the softmax's Jacobian"], rows)
