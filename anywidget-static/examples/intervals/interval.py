"""A widget that `define` draws: inputs with bounds, a check across them, a table, and a button that starts again."""

from pathlib import Path
from types import SimpleNamespace

from anywidget_static import InputError, OneOf, Real, Widget


class Interval(Widget):
    """How wide an interval is, in one of two units."""

    _bundle = Path(__file__).parent / "static"
    _alive = "move its ends"
    low = Real(0.0, min=-10, max=10).tag(sync=True, link=True)
    high = Real(1.0, min=-10, max=10).tag(sync=True, link=True)
    unit = OneOf(("m", "cm"), "m").tag(sync=True, link=True)

    def check(self, inputs: SimpleNamespace) -> None:
        if inputs.low > inputs.high:
            raise InputError(f"low is {inputs.low:g}, above high, which is {inputs.high:g}")

    @property
    def width(self) -> float:
        return (self.high - self.low) * (100 if self.unit == "cm" else 1)

    def fallback(self) -> str:
        ends = "".join(f"<td>{end:g}</td>" for end in (self.low, self.high, self.width))
        head = "".join(f"<th>{name}</th>" for name in ("low", "high", f"width in {self.unit}"))
        return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{ends}</tr></tbody></table>"
