"""TensorCounter: the tensor that would map any n tokens to n outputs, counted against attention's three matrices."""

from types import SimpleNamespace

import traitlets

from attnlib.formatting import BYTES, large
from attnlib.lab.tensors import attention_parameters, ideal_tensor_parameters
from attnlib.widgets.base import PageWidget, check_limits
from attnlib.widgets.tables import table

SIZES = ("n", "d", "d_k", "d_v")
ITEMSIZE = 4
COLUMNS = ["numbers", "at 4 bytes", "for 2n tokens"]


class TensorCounter(PageWidget):
    """Attention's count of parameters does not contain n: the ideal tensor's grows with n², attention's stands still.

    The ideal tensor reads each of n · d_v outputs from all n · d inputs: n · d · n · d_v numbers. Attention makes do
    with W_Q and W_K (`d` × `d_k`) and W_V (`d` × `d_v`), for any `n`. All are synced.

    Raises ValueError (`InputError`) for a size out of range, naming it.

    >>> counter = TensorCounter(n=1024, d=768, d_k=768, d_v=768)
    >>> counter.ideal, counter.attention
    (618475290624, 1769472)
    """

    _alive = "change n and the widths, and see which of the two grows"
    title = traitlets.Unicode("The ideal tensor").tag(sync=True)
    provenance = traitlets.Unicode("counted from the sizes").tag(sync=True)
    n = traitlets.Int(1024).tag(sync=True, link=True)
    d = traitlets.Int(768).tag(sync=True, link=True)
    d_k = traitlets.Int(768).tag(sync=True, link=True)
    d_v = traitlets.Int(768).tag(sync=True, link=True)

    @property
    def ideal(self) -> int:
        """How many numbers the ideal tensor has."""
        return ideal_tensor_parameters(self.n, self.d, self.d_v)

    @property
    def attention(self) -> int:
        """How many numbers W_Q, W_K and W_V have together."""
        return attention_parameters(self.d, self.d_k, self.d_v)

    def check(self, inputs: SimpleNamespace) -> None:
        check_limits(inputs, *SIZES)

    def fallback(self) -> str:
        twice = ideal_tensor_parameters(2 * self.n, self.d, self.d_v) // self.ideal
        rows = [
            (name, [large(count), large(ITEMSIZE * count, BYTES), f"× {times}"])
            for name, count, times in (("ideal tensor", self.ideal, twice), ("attention", self.attention, 1))
        ]
        sizes = ", ".join(f"{name} = {getattr(self, name):,}" for name in SIZES)
        return table(f"{self.title} against attention, {sizes}. Numbers: {self.provenance}.", COLUMNS, rows)
