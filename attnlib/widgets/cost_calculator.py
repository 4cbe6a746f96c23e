"""CostCalculator: what a transformer computes and holds in memory, as a function of its sizes."""

from types import SimpleNamespace
from typing import Any

import traitlets

from anywidget_static import InputError, OneOf, Real
from attnlib import cost
from attnlib.formatting import BYTES, large, text
from attnlib.widgets.base import PageWidget, size
from attnlib.widgets.tables import table

SIZES = ("n", "d", "num_heads", "num_kv_heads", "num_layers", "expansion")
WORK = ["n × n grid of attention", "projections", "feed-forward layers"]
MEMORY = ["grids and output of one layer", "key–value cache", "parameters"]
WAYS = ["all at once", "tile by tile"]
GPT_3 = "Brown et al. (2020), here with every layer dense"

# Published sizes; n is the longest text that the model was trained to read. Llama's feed-forward layer is gated: three
# matrices of width 11,008 and 28,672 count as two that are half as wide again.
PUBLISHED: dict[tuple[str, str], tuple[float | None, ...]] = {
    ("Transformer base, encoder", "Vaswani et al. (2017)"): (None, 512, 8, 8, 6, 4.0),
    ("BERT base", "Devlin et al. (2018)"): (512, 768, 12, 12, 12, 4.0),
    ("GPT-2 small", "Radford et al. (2019)"): (1024, 768, 12, 12, 12, 4.0),
    ("GPT-2 XL", "Radford et al. (2019)"): (1024, 1600, 25, 25, 48, 4.0),
    ("GPT-3 175B", GPT_3): (2048, 12288, 96, 96, 96, 4.0),
    ("Llama 2 7B", "Touvron et al. (2023)"): (4096, 4096, 32, 32, 32, 1.5 * 11008 / 4096),
    ("Llama 2 70B", "Touvron et al. (2023)"): (4096, 8192, 64, 8, 80, 1.5 * 28672 / 8192),
}
MODELS: list[dict[str, Any]] = [
    {"name": name, "source": source} | dict(zip(SIZES, sizes, strict=True))
    for (name, source), sizes in PUBLISHED.items()
]


class CostCalculator(PageWidget):
    """Below n = 6d the famous n² is the smaller part of the work; in memory an n × n grid grows out of hand long before.

    One pass over `n` tokens through `num_layers` blocks of width `d`: multiply–adds, and memory with all scores of a
    layer held at once or tile by tile. Fewer `num_kv_heads` than `num_heads` shrink the key–value cache, and hardly the
    work. `itemsize` is the bytes of a number, `expansion` the feed-forward layer's width over d. `models` is what the menu
    offers: names, sources and sizes, with n None where the source gives none; `chosen` is one of the names. Embeddings,
    biases and norms are left out; a masked cell counts, since it is computed first; 1 GB is 10⁹ bytes. All are synced.

    Raises:
        ValueError: an `InputError`, for sizes out of range, naming them, and for heads that do not divide.

    >>> CostCalculator(n=1024, d=768).work
    {'grid': 19327352832, 'projections': 28991029248, 'feed-forward': 57982058496}
    """

    _alive = "change every size, or take those of a published model, and see which part grows"
    title = traitlets.Unicode("What a transformer costs").tag(sync=True)
    provenance = traitlets.Unicode("counted from the sizes, not measured").tag(sync=True)
    n, d = size(1024), size(768)
    num_heads, num_kv_heads, num_layers = size(12), size(12), size(12)
    itemsize = OneOf((8, 4, 2, 1), 4).tag(sync=True, link=True)
    expansion = Real(4.0, min=1, max=2**20).tag(sync=True, link=True)
    chosen = traitlets.Unicode("GPT-2 small").tag(sync=True, link=True)
    models = traitlets.List(traitlets.Dict(), MODELS).tag(sync=True)

    @property
    def work(self) -> dict[str, int]:
        """Multiply–adds of one pass, by part, in all layers."""
        grid = cost.attention_cost(self.n, self.n, *self._head, num_heads=self.num_heads).multiply_adds
        attention = cost.multi_head_cost(self.n, self.d, **self._heads).multiply_adds
        block = cost.block_multiply_adds(self.n, self.d, expansion=self.expansion, **self._heads)
        parts = {"grid": grid, "projections": attention - grid, "feed-forward": block - attention}
        return {name: self.num_layers * adds for name, adds in parts.items()}

    @property
    def memory(self) -> dict[str, int]:
        """Bytes: the scores and output of one layer, all at once or tile by tile, and what all layers hold."""
        shape: dict[str, Any] = {"num_heads": self.num_heads, "itemsize": self.itemsize}
        kept: dict[str, Any] = {"num_layers": self.num_layers, "itemsize": self.itemsize}
        parameters = cost.block_parameters(self.d, expansion=self.expansion, **self._heads)
        return {
            "all at once": cost.attention_cost(self.n, self.n, *self._head, **shape).peak_bytes,
            "tile by tile": cost.streaming_cost(self.n, self.n, *self._head, **shape).peak_bytes,
            "cache": cost.cache_bytes(self.n, self.num_kv_heads, self._head[0], **kept),
            "parameters": self.num_layers * parameters * self.itemsize,
        }

    @property
    def crossover(self) -> int:
        """The n at which the n × n grid is half of the work: 6d, and a little less with grouped keys."""
        return cost.crossover(self.d, expansion=self.expansion, **self._heads)

    @property
    def _heads(self) -> dict[str, Any]:
        return {"num_heads": self.num_heads, "num_kv_heads": self.num_kv_heads}

    @property
    def _head(self) -> tuple[int, int]:
        """The width of a head's keys, and of its values."""
        return self.d // self.num_heads, self.d // self.num_heads

    def check(self, inputs: SimpleNamespace) -> None:
        for i, model in enumerate(inputs.models):
            if missing := {"name", "source", *SIZES} - model.keys():
                raise InputError(f"model {i} has no {min(missing)!r}")
            for name in SIZES[1:] if model["n"] is None else SIZES:
                self.traits()[name].validate(self, model[name])
        for sizes in (vars(inputs), *inputs.models):
            d, heads, groups = sizes["d"], sizes["num_heads"], sizes["num_kv_heads"]
            if d % heads or heads % groups:
                what = f"d = {d}, num_heads = {heads} and num_kv_heads = {groups}"
                raise InputError(f"{what} do not divide each other")

    def fallback(self) -> str:
        work, memory = self.work, self.memory
        total = sum(work.values())
        shares = [[large(adds), f"{text(100 * adds / total, 1)} %"] for adds in work.values()]
        heads = f"heads = {self.num_heads}, key and value heads = {self.num_kv_heads}"
        sizes = f"n = {self.n:,}, d = {self.d:,}, {heads}, layers = {self.num_layers}"
        half = f"The grid is half of the work at n = {self.crossover:,}."
        caption = self.caption(f"multiply–adds of one pass, {sizes}. {half}")
        first = table(caption, ["multiply–adds", "share"], zip(WORK, shares, strict=True))
        rest = [memory["cache"], memory["parameters"]]
        columns = [[memory[way], *rest, memory[way] + sum(rest)] for way in WAYS]
        held = [[large(part, BYTES) for part in parts] for parts in zip(*columns, strict=True)]
        rows = zip([*MEMORY, "together"], held, strict=True)
        return first + table(self.caption(f"memory, {self.itemsize} bytes a number."), WAYS, rows)
