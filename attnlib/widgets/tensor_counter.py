"""TensorCounter: the tensor that would map any n tokens to n outputs, counted against attention's three matrices."""

import traitlets

from attnlib.formatting import BYTES, large
from attnlib.lab.tensors import attention_parameters, ideal_tensor_parameters
from attnlib.widgets.base import PageWidget, size
from attnlib.widgets.tables import table


class TensorCounter(PageWidget):
    """Attention's count of parameters does not contain n: the ideal tensor's grows with n², attention's stands still.

    The ideal tensor reads each of n · d_v outputs from all n · d inputs: n · d · n · d_v numbers. Attention makes do
    with W_Q and W_K (`d` × `d_k`) and W_V (`d` × `d_v`), for any `n`. All are synced.

    Raises:
        ValueError: an `InputError`, for a size out of range, naming it.

    >>> counter = TensorCounter(n=1024, d=768, d_k=768, d_v=768)
    >>> counter.ideal, counter.attention
    (618475290624, 1769472)
    """

    _alive = "change n and the widths, and see which of the two grows"
    title = traitlets.Unicode("The ideal tensor").tag(sync=True)
    provenance = traitlets.Unicode("counted from the sizes").tag(sync=True)
    n, d, d_k, d_v = size(1024), size(768), size(768), size(768)

    @property
    def ideal(self) -> int:
        """How many numbers the ideal tensor has."""
        return ideal_tensor_parameters(self.n, self.d, self.d_v)

    @property
    def attention(self) -> int:
        """How many numbers W_Q, W_K and W_V have together."""
        return attention_parameters(self.d, self.d_k, self.d_v)

    def fallback(self) -> str:
        twice = ideal_tensor_parameters(2 * self.n, self.d, self.d_v) // self.ideal
        counts = {"ideal tensor": (self.ideal, twice), "attention": (self.attention, 1)}
        rows = [(name, [large(n), large(4 * n, BYTES), f"× {times}"]) for name, (n, times) in counts.items()]
        sizes = f"n = {self.n:,}, d = {self.d:,}, d_k = {self.d_k:,}, d_v = {self.d_v:,}"
        columns = ["numbers", "at 4 bytes", "for 2n tokens"]
        return table(f"{self.title} against attention, {sizes}. Numbers: {self.provenance}.", columns, rows)
