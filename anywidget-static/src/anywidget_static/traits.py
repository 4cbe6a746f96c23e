"""Inputs of widgets: traits with bounds, which reach JavaScript as JSON, and with errors that name what is wrong."""

import sys
from traceback import walk_tb
from typing import Any

import numpy as np
import traitlets


class InputError(traitlets.TraitError, ValueError):
    """A value that a widget cannot show. traitlets puts the old value back when it sees this.

    A notebook shows it in one line, with the line of the cell. Asked again, as by `%tb`, it shows the whole way.
    """

    _shown = False

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback, which would be 40 lines and more of traitlets."""
        if self._shown:
            shell = sys.modules["IPython"].get_ipython()
            return list(shell.InteractiveTB.structured_traceback(type(self), self, self.__traceback__))
        self._shown = True
        lines = [line for frame, line in walk_tb(self.__traceback__) if frame.f_globals.get("__name__") == "__main__"]
        return [f"\x1b[31m{type(self).__name__}\x1b[0m: {self}{f' (line {lines[-1]})' if lines else ''}"]


class UnknownInput(InputError, TypeError, AttributeError):
    """A name that a widget does not have, as an option or to be set."""


class _Bounded:
    """A number from `min` to `max`, both included; either may be left out."""

    name: str | None

    def __init__(self, default: Any, *, min: float = -np.inf, max: float = np.inf, **options: Any) -> None:
        self.low, self.high = min, max
        super().__init__(default, **options)  # type: ignore[call-arg]

    def validate(self, owner: Any, value: Any) -> Any:
        try:
            found = super().validate(owner, value)  # type: ignore[misc]
        except OverflowError:  # no float is so large
            found = np.inf
        if found is None:
            return None
        if abs(found) < np.inf and self.low <= found <= self.high:
            return +found  # 1, where True was given
        raise InputError(f"{self.name} must be {_range(self.low, self.high)}, got {value}")


def _range(low: float, high: float) -> str:
    if high < sys.maxsize:
        return f"from {low} to {high}"
    return "finite" if np.isinf(low) else f"{low} or more"


class Whole(_Bounded, traitlets.Int[int, int]):
    """An integer from `min` to `max`."""


class Real(_Bounded, traitlets.Float[float, float]):
    """A finite number from `min` to `max`."""


class OneOf(traitlets.Enum[Any]):
    """One of some values, such as `OneOf(("none", "causal"), "causal")`."""

    def validate(self, owner: Any, value: Any) -> Any:
        known = [*(self.values or ()), *([None] if self.allow_none else [])]
        for one in known:
            if one is value or (np.isscalar(value) and one == value):
                return one  # 4, where 4.0 or NumPy's 4 was given
        raise InputError(f"{self.name} must be one of {', '.join(map(str, self.values or ()))}, got {value!r}")


class Numbers(traitlets.TraitType[list[Any], Any]):
    """Finite numbers, such as `Numbers("n d")`: an axis for each name; takes an array, holds lists.

    An axis that is named by a number has that length, and the first at most `maxlen`. With `optional=True` there may be
    none: [].
    """

    def __init__(
        self, axes: str, default: Any = None, *, maxlen: int = sys.maxsize, optional: bool = False, **options: Any
    ) -> None:
        self.axes, self.optional, self._minlen, self._maxlen = axes.split(), optional, int(not optional), maxlen
        smallest = np.zeros([0 if optional else int(axis) if axis.isdigit() else 1 for axis in self.axes])
        super().__init__(np.asarray(smallest if default is None else default).tolist(), **options)

    def validate(self, owner: Any, value: Any) -> list[Any]:
        shape = f"({', '.join(self.axes)}{',' * (len(self.axes) == 1)})"
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"{self.name} must be numbers in the shape {shape}: {error}") from error
        if not self._fits(array.shape):
            free = ", ".join(axis for axis in self.axes if not axis.isdigit())
            least = f" with {free} ≥ 1" if free else ""
            raise InputError(f"{self.name} must have shape {shape}{least}, got {array.shape}")
        if len(array) > self._maxlen:
            raise _wrong_length(self, array)
        for index in np.argwhere(~np.isfinite(array)):
            raise InputError(f"{self.name}{index.tolist()} is {array[tuple(index)]}: every entry must be finite")
        return list(array.tolist())

    def _fits(self, shape: tuple[int, ...]) -> bool:
        if self.optional and shape == (0,):
            return True
        sizes = zip(self.axes, shape, strict=False)
        return len(shape) == len(self.axes) and all(axis == str(n) if axis.isdigit() else n for axis, n in sizes)


class Booleans(traitlets.TraitType[list[list[bool]] | None, Any]):
    """Rows of booleans, or None; takes an array, holds a list of lists."""

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


def _wrong_length(trait: Any, value: Any) -> InputError:
    return InputError(f"{trait.name} must have from {trait._minlen} to {trait._maxlen} entries, got {len(value)}")


class Texts(traitlets.List[str]):
    """A list of `minlen` to `maxlen` texts; takes a tuple too."""

    def __init__(self, **options: Any) -> None:
        super().__init__(traitlets.Unicode(), **options)

    def length_error(self, owner: Any, value: Any) -> None:
        raise _wrong_length(self, value)

    def validate(self, owner: Any, value: Any) -> list[str]:
        texts = super().validate(owner, list(value) if isinstance(value, tuple) else value)
        return list(texts or ())


def bounds_of(traits: dict[str, traitlets.TraitType[Any, Any]]) -> dict[str, dict[str, Any]]:
    """What JavaScript is told of the traits: see js/bounds.mjs.

    Traits tagged `link=True` are those a reader can change. `on_demand=keys` on a list of dictionaries lets a page load
    these keys of all entries but the first when the module asks for them.
    """
    told = {name: _bounds(trait) for name, trait in traits.items() if trait.metadata.get("sync")}
    return {name: bounds for name, bounds in told.items() if bounds}


def _bounds(trait: traitlets.TraitType[Any, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(trait, Whole | Real):
        found["type"] = "int" if isinstance(trait, Whole) else "float"
        found |= {side: limit for side, limit in (("min", trait.low), ("max", trait.high)) if np.isfinite(limit)}
    elif isinstance(trait, traitlets.Enum):
        found["values"] = list(trait.values or ())
    elif isinstance(trait, Texts | Numbers) and trait._maxlen < sys.maxsize:
        found |= {"type": "list", "min": trait._minlen, "max": trait._maxlen}
    elif isinstance(trait, traitlets.List) and trait.allow_none:
        found["type"] = "list"  # the author's null does not tell a link what it may carry
    if trait.allow_none and (found or trait.metadata.get("link")):
        found["nullable"] = True
    return found | {tag: trait.metadata[tag] for tag in ("link", "on_demand") if trait.metadata.get(tag)}
