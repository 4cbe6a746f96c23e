"""What the book's widgets share: where their modules lie, a caption, and checks of inputs that must fit."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from anywidget_static import InputError, Numbers, Texts, Whole, Widget
from attnlib import houston


class PageWidget(Widget):
    """A widget of the book: `title`, and the `provenance` of its numbers, stand in its caption."""

    _bundle = Path(__file__).parent / "static"
    provenance = traitlets.Unicode("hand-made").tag(sync=True)

    def caption(self, shown: str) -> str:
        """The title, what is shown, and where the numbers come from, with their seed where there is one."""
        seed = f", seed {self.seed}" if self.has_trait("seed") else ""
        return f"{self.title}: {shown} Numbers: {self.provenance}{seed}."


class ProjectedWidget(PageWidget):
    """Tokens with the vectors `x`, which `w_q`, `w_k` and `w_v` make queries, keys and values of.

    What is not given is that of *Houston we have a problem*, or what `_beside` says.
    """

    tokens = Texts().tag(sync=True)
    x = Numbers("n d", houston.EMBEDDINGS).tag(sync=True)
    w_q = Numbers("n d", houston.W_Q).tag(sync=True)
    w_k = Numbers("n d", houston.W_K).tag(sync=True)
    w_v = Numbers("n d", houston.W_V).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str] | None = None,
        x: ArrayLike | None = None,
        w_q: ArrayLike | None = None,
        w_k: ArrayLike | None = None,
        w_v: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        options |= {"tokens": tokens, "x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v}
        given = {name: value for name, value in options.items() if value is not None or not self.has_trait(name)}
        super().__init__(**self._beside(given) | given | {"tokens": list(given.get("tokens", houston.TOKENS))})

    def _beside(self, given: dict[str, Any]) -> dict[str, Any]:
        """Inputs that follow from what is given and what is not."""
        return {}

    def check(self, inputs: SimpleNamespace) -> None:
        check_count(inputs.tokens, inputs.x, "rows of x")
        width = len(inputs.x[0])
        for name in ("w_q", "w_k", "w_v"):
            if len(getattr(inputs, name)) != width:
                raise InputError(f"x has width {width}, {name} has {len(getattr(inputs, name))} rows")
        if len(inputs.w_q[0]) != len(inputs.w_k[0]):
            raise InputError(f"w_q has {len(inputs.w_q[0])} columns, w_k has {len(inputs.w_k[0])}")


def fixed(**values: Any) -> traitlets.Dict:
    """What nobody changes and JavaScript needs too: declared here, it reaches the module as the field `constants`."""
    return traitlets.Dict(values, read_only=True).tag(sync=True)


def size(default: int, most: int = 2**20) -> Whole:
    """A size that a reader can change, from 1 to `most`."""
    return Whole(default, min=1, max=most).tag(sync=True, link=True)


def check_count(tokens: list[str], rows: list[Any], what: str) -> None:
    """Raise `InputError` unless there is a token for each row."""
    if len(tokens) != len(rows):
        raise InputError(f"{len(tokens)} tokens for {len(rows)} {what}")


def check_index(what: str, index: int, count: int) -> None:
    """Raise `InputError` unless the index is that of one of `count` things."""
    if not 0 <= index < count:
        raise InputError(f"{what} {index} is outside 0 … {count - 1}")


def check_within(name: str, rows: list[list[float]], low: float, high: float) -> None:
    """Raise `InputError` for the first entry outside the bounds, naming its index."""
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            if not low <= entry <= high:
                raise InputError(f"{name}[{i}, {j}] is {entry:g}, outside {low:g} to {high:g}".replace("-", "−"))


def check_mask(mask: list[list[bool]] | None, n_q: int, n_k: int) -> None:
    """Raise `InputError` unless there is no mask, or one that fits the scores and lets every query read something."""
    if mask is None:
        return
    if np.shape(mask) != (n_q, n_k):
        raise InputError(f"mask has shape {np.shape(mask)}, the scores have shape {(n_q, n_k)}")
    for row, may_attend in enumerate(mask):
        if not any(may_attend):
            raise InputError(f"mask row {row} is all False: query {row} may attend to no key")
