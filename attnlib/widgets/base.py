"""The base of every widget: live in Jupyter, and equally alive in a web page with no kernel."""

import html
import json
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from types import SimpleNamespace
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets

from attnlib.scaled_dot_product import entropy
from attnlib.widgets.compose import FOLDER, notebook_module


class InputError(traitlets.TraitError, ValueError):
    """A value that a widget cannot show. traitlets puts the old value back when it sees this."""


class Matrix(traitlets.TraitType[list[list[float]], Any]):
    """Rows of finite numbers; takes an array, holds a list of lists. `columns` fixes the width."""

    def __init__(self, columns: int | None = None, **options: Any) -> None:
        self.columns = columns
        super().__init__([[0.0] * (columns or 1)], **options)

    def validate(self, owner: Any, value: Any) -> list[list[float]]:
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"{self.name} must be rows of numbers of one length: {error}") from error
        if array.ndim != 2 or 0 in array.shape or self.columns not in (None, array.shape[1]):
            raise InputError(f"{self.name} must have shape (n, {self.columns or 'd'}) with n ≥ 1, got {array.shape}")
        if not np.isfinite(array).all():
            i, j = (int(index) for index in np.argwhere(~np.isfinite(array))[0])
            raise InputError(f"{self.name}[{i}, {j}] is {array[i, j]}: every entry must be finite")
        rows: list[list[float]] = array.tolist()
        return rows


class Vector(traitlets.TraitType[list[float], Any]):
    """Finite numbers; takes an array, holds a list."""

    def __init__(self, **options: Any) -> None:
        super().__init__([0.0], **options)

    def validate(self, owner: Any, value: Any) -> list[float]:
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"{self.name} must be numbers: {error}") from error
        if array.ndim != 1 or not array.size:
            raise InputError(f"{self.name} must have shape (n,) with n ≥ 1, got {array.shape}")
        if not np.isfinite(array).all():
            i = int(np.argmin(np.isfinite(array)))
            raise InputError(f"{self.name}[{i}] is {array[i]}: every entry must be finite")
        numbers: list[float] = array.tolist()
        return numbers


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
            cls._css = (FOLDER / "theme.css").read_text(encoding="utf8")
        super().__init_subclass__(**options)

    def __init__(self, **options: Any) -> None:
        if unknown := options.keys() - set(self.trait_names()):
            raise TypeError(f"{type(self).__name__} has no option {sorted(unknown)[0]!r}")
        super().__init__(**options)

    def check(self, inputs: SimpleNamespace) -> None:
        """Raise `InputError` when the inputs do not fit each other."""
        raise NotImplementedError

    def _checked(self, proposal: Any) -> Any:
        """For the subclass's traitlets validator: the proposed value, checked beside the other inputs.

        To change several inputs that must fit, set them inside `hold_trait_notifications()`: they
        are checked together at its end, and all put back if they do not fit.
        """
        self.check(SimpleNamespace(**self.state() | {proposal["trait"].name: proposal["value"]}))
        return proposal["value"]

    def fallback(self) -> str:
        """HTML to read where no script runs."""
        raise NotImplementedError

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


MOST_CELLS = 1000  # a larger grid is summed up, where no script draws it
MOST_ROWS = 64


def weights_table(
    caption: str, queries: list[str], keys: list[str], weights: np.ndarray, cells: list[list[str]]
) -> str:
    """The weights cell by cell with each row's sum; of more than 1,000 cells, the key that each query reads most."""
    if weights.size <= MOST_CELLS:
        with_sum = [[*row, text(total)] for row, total in zip(cells, weights.sum(axis=1), strict=True)]
        return table(caption, [*keys, "sum"], list(zip(queries, with_sum, strict=True)), weights)
    strongest, spread = weights.argmax(axis=1), entropy(weights)
    rows = [(queries[i], [keys[j], text(weights[i, j]), text(spread[i])]) for i, j in enumerate(strongest[:MOST_ROWS])]
    left = f" The first {MOST_ROWS} of {len(queries)} queries." if len(queries) > MOST_ROWS else ""
    return table(caption + left, ["reads most from", "weight", "entropy in nats"], rows)


def table(caption: str, columns: list[str], rows: list[tuple[str, list[str]]], shades: np.ndarray | None = None) -> str:
    """An HTML table; `shades` colours its first cells by weight, row by row. All texts are escaped."""
    head = "".join(f'<th scope="col" dir="auto">{html.escape(name)}</th>' if name else "<td></td>" for name in columns)
    body = ""
    for i, (name, cells) in enumerate(rows):
        shade = [f' style="--w:{weight:.3f}"' for weight in shades[i]] if shades is not None else []
        shade += [' class="attn-plain"'] * (len(cells) - len(shade))
        texts = "".join(f"<td{s}>{html.escape(cell)}</td>" for s, cell in zip(shade, cells, strict=True))
        body += f'<tr><th scope="row" dir="auto">{html.escape(name)}</th>{texts}</tr>'
    return (
        f'<figure class="attn"><figcaption>{html.escape(caption)}</figcaption>'
        f'<div class="attn-scroll" tabindex="0" role="group" aria-label="{html.escape(caption)}">'
        f'<table class="attn-table"><thead><tr><td class="attn-corner"></td>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div></figure>"
    )


def text(number: float, digits: int = 2) -> str:
    """Two decimals with a true minus sign, as the page's script writes numbers: an exact half is rounded away from 0."""
    shown = f"{Decimal(float(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"
    return shown.replace("-", "" if float(shown) == 0 else "−")


LIMIT = 2**20  # the largest size that a calculator takes
COUNT = [
    (1000**i, name)
    for i, name in enumerate(
        ["", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion"]
    )
]
BYTES = [(1000**i, name) for i, name in enumerate(["B", "kB", "MB", "GB", "TB", "PB", "EB"])]


def check_sizes(inputs: SimpleNamespace, *names: str) -> None:
    """Raise `InputError` unless each is a size that a calculator takes."""
    for name in names:
        if not 1 <= getattr(inputs, name) <= LIMIT:
            raise InputError(f"{name} must be from 1 to {LIMIT:,}, got {getattr(inputs, name)}")


def large(number: float, units: list[tuple[int, str]] = COUNT) -> str:
    """Three digits and the largest unit that fits, as the page's script writes large numbers.

    >>> large(84_934_656), large(999_900, BYTES), large(12)
    ('84.9 million', '1.00 MB', '12')
    """

    def three(size: int) -> Decimal:
        rounded = Context(prec=3, rounding=ROUND_HALF_UP).create_decimal(number / size)
        return rounded.quantize(Decimal(1).scaleb(rounded.adjusted() - 2))

    size, name = next((unit for unit in reversed(units) if three(unit[0]) >= 1), units[0])
    if size == 1 and number < 1000 and number == int(number):
        return f"{int(number)} {name}".strip()
    if three(size) >= 1000:
        return f"{int(three(size)):,} {name}".strip()
    return f"{three(size):f} {name}".strip()


def compact(number: float) -> str:
    """Two decimals, or for numbers far from 1 a power of ten."""
    if number == 0 or 0.01 <= abs(number) < 1e4:
        return text(number)
    mantissa, exponent = f"{number:.1e}".split("e")
    return f"{mantissa.replace('-', '−')}×10{str(int(exponent)).translate(_RAISED)}"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
