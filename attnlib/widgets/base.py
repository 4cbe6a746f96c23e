"""What the book's widgets share: where their modules lie, a caption, and checks of inputs that must fit."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import traitlets

from anywidget_static import InputError, Widget

LARGEST_SIZE = 2**20  # that a calculator takes


class PageWidget(Widget):
    """A widget of the book: `title`, and the `provenance` of its numbers, stand in its caption."""

    _bundle = Path(__file__).parent / "static"
    provenance = traitlets.Unicode("hand-made").tag(sync=True)

    def caption(self, shown: str) -> str:
        """The title, what is shown, and where the numbers come from."""
        return f"{self.title}: {shown} Numbers: {self.provenance}."


def check_index(what: str, index: int, count: int) -> None:
    """Raise `InputError` unless the index is that of one of `count` things."""
    if not 0 <= index < count:
        raise InputError(f"{what} {index} is outside 0 … {count - 1}")


def check_mask(mask: list[list[bool]] | None, n_q: int, n_k: int) -> None:
    """Raise `InputError` unless there is no mask, or one that fits the scores and lets every query read something."""
    if mask is None:
        return
    if np.shape(mask) != (n_q, n_k):
        raise InputError(f"mask has shape {np.shape(mask)}, the scores have shape {(n_q, n_k)}")
    for row, may_attend in enumerate(mask):
        if not any(may_attend):
            raise InputError(f"mask row {row} is all False: query {row} may attend to no key")


def check_projections(inputs: SimpleNamespace) -> None:
    """Raise `InputError` unless `tokens`, `x`, `w_q`, `w_k` and `w_v` fit each other."""
    n, width = np.shape(inputs.x)
    if len(inputs.tokens) != n:
        raise InputError(f"{len(inputs.tokens)} tokens for {n} rows of x")
    for name in ("w_q", "w_k", "w_v"):
        if len(getattr(inputs, name)) != width:
            raise InputError(f"x has width {width}, {name} has {len(getattr(inputs, name))} rows")
    if len(inputs.w_q[0]) != len(inputs.w_k[0]):
        raise InputError(f"w_q has {len(inputs.w_q[0])} columns, w_k has {len(inputs.w_k[0])}")


def check_limits(inputs: SimpleNamespace, *names: str) -> None:
    """Raise `InputError` unless each is a size that a calculator takes: from 1 to `LARGEST_SIZE`."""
    for name in names:
        if not 1 <= getattr(inputs, name) <= LARGEST_SIZE:
            raise InputError(f"{name} must be from 1 to {LARGEST_SIZE:,}, got {getattr(inputs, name)}")
