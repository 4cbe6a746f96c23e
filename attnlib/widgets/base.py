"""The base of every widget: live in Jupyter, and equally alive in a web page with no kernel."""

import json
import re
from types import SimpleNamespace
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets

from attnlib.widgets.compose import notebook_module, style

LARGEST_SIZE = 2**20  # that a calculator takes


class InputError(traitlets.TraitError, ValueError):
    """A value that a widget cannot show. traitlets puts the old value back when it sees this."""


class Numbers(traitlets.TraitType[list[Any], Any]):
    """Finite numbers, such as `Numbers("n d")`: an axis for each name; takes an array, holds lists.

    An axis that is named by a number has that length. With `optional=True` there may be none: [].
    """

    def __init__(self, axes: str, *, optional: bool = False, **options: Any) -> None:
        self.axes, self.optional = axes.split(), optional
        smallest = np.zeros([int(axis) if axis.isdigit() else 1 for axis in self.axes]).tolist()
        super().__init__([] if optional else smallest, **options)

    def validate(self, owner: Any, value: Any) -> list[Any]:
        shape = f"({', '.join(self.axes)}{',' * (len(self.axes) == 1)})"
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"{self.name} must be numbers in the shape {shape}: {error}") from error
        if not self._fits(array.shape):
            free = ", ".join(axis for axis in self.axes if not axis.isdigit())
            least = f" with {free} ≥ 1" if free else ""
            raise InputError(f"{self.name} must have shape {shape}{least}, got {array.shape}")
        for index in np.argwhere(~np.isfinite(array)):
            raise InputError(f"{self.name}{index.tolist()} is {array[tuple(index)]}: every entry must be finite")
        return list(array.tolist())

    def _fits(self, shape: tuple[int, ...]) -> bool:
        if self.optional and shape == (0,):
            return True
        sizes = zip(self.axes, shape, strict=False)
        return len(shape) == len(self.axes) and all(axis == str(n) if axis.isdigit() else n for axis, n in sizes)


class Mask(traitlets.TraitType[list[list[bool]] | None, Any]):
    """Rows of booleans, True = may attend, or None; takes an array, holds a list of lists."""

    def __init__(self, **options: Any) -> None:
        super().__init__(None, allow_none=True, **options)

    def validate(self, owner: Any, value: Any) -> list[list[bool]] | None:
        if value is None:
            return None
        array = np.asarray(value)
        if array.dtype != bool or array.ndim != 2:
            raise InputError(f"{self.name} must be a boolean matrix, got shape {array.shape} and dtype {array.dtype}")
        rows: list[list[bool]] = array.tolist()
        return rows


class Tokens(traitlets.List[str]):
    """Names of tokens, shown as text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(traitlets.Unicode(), **options)

    def validate(self, owner: Any, value: Any) -> list[str]:
        names = super().validate(owner, list(value) if isinstance(value, tuple) else value)
        return list(names or ())


class PageWidget(anywidget.AnyWidget):
    """An anywidget whose `text/html` form is a table plus its state, which the page's script brings to life.

    A subclass names its module in `_module`, tags its inputs `sync=True`, compares them in `check`,
    and returns in `fallback` what is read where no script runs: without JavaScript, in print, by a
    screen reader. `_alive` says in a few words what the reader could do with a script. On a page a
    widget has an address of its own, made from its title.
    """

    _module: ClassVar[str]
    _alive: ClassVar[str]
    title = traitlets.Unicode().tag(sync=True)
    provenance = traitlets.Unicode("hand-made").tag(sync=True)

    def __init_subclass__(cls, **options: Any) -> None:
        if "_module" in vars(cls):  # ipywidgets derives a class for each instance too
            cls._esm = notebook_module(cls._module)
            cls._css = style()
            own = cls.mro()[: cls.mro().index(PageWidget)]
            named = [(name, trait) for part in own for name, trait in vars(part).items()]
            inputs = [
                name for name, trait in named if isinstance(trait, traitlets.TraitType) and trait.metadata.get("sync")
            ]
            cls._check_input = traitlets.validate(*inputs)(PageWidget._checked)
        super().__init_subclass__(**options)

    def __init__(self, **options: Any) -> None:
        if unknown := options.keys() - set(self.trait_names()):
            raise TypeError(f"{type(self).__name__} has no option {sorted(unknown)[0]!r}")
        super().__init__(**options)

    def check(self, inputs: SimpleNamespace) -> None:
        """Raise `InputError` when the inputs do not fit each other."""
        raise NotImplementedError

    def _checked(self, proposal: Any) -> Any:
        """The traitlets validator of every input of a subclass: the proposed value, checked beside the others.

        To change several inputs that must fit, set them inside `hold_trait_notifications()`: they
        are checked together at its end, and all put back if they do not fit.
        """
        self.check(SimpleNamespace(**self.state() | {proposal["trait"].name: proposal["value"]}))
        return proposal["value"]

    def fallback(self) -> str:
        """HTML to read where no script runs."""
        raise NotImplementedError

    def caption(self, shown: str) -> str:
        """The title, what is shown, and where the numbers come from."""
        return f"{self.title}: {shown} Numbers: {self.provenance}."

    def state(self) -> dict[str, Any]:
        """The synced inputs, as the page's script takes them."""
        inputs = self.trait_names(sync=True)
        inherited = anywidget.AnyWidget.class_trait_names()
        return {name: getattr(self, name) for name in inputs if name not in inherited and not name.startswith("_")}

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:  # anywidget's word for a widget without a view
            return None
        data, metadata = bundle
        state = json.dumps(self.state(), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        anchor = "-".join(re.findall(r"\w+", f"{self._module} {self.title}".lower().replace("_", " ")))
        data["text/html"] = (
            f'<div data-widget="{self._module}" id="{anchor}">'
            f'<a class="headerlink" href="#{anchor}" aria-label="Link to this widget">#</a>{self.fallback()}'
            f'<noscript><p class="attn-missing">This is how the widget starts. With JavaScript on you can {self._alive}.</p></noscript>'
            f'<script type="application/json">{state}</script></div>'
        )
        return data, metadata


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
