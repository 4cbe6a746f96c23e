"""CostCalculator: what a transformer computes and holds in memory, as a function of its sizes."""

from types import SimpleNamespace
from typing import Any

import traitlets

from anywidget_static import InputError
from attnlib import cost
from attnlib.formatting import BYTES, large, text
from attnlib.widgets.base import PageWidget, check_limits
from attnlib.widgets.tables import table

SIZES = ("n", "d", "num_heads", "num_kv_heads", "num_layers")
ITEMSIZES = (8, 4, 2, 1)


def _model(
    name: str, source: str, n: int | None, d: int, heads: int, kv_heads: int, layers: int, expansion: float = 4.0
) -> dict[str, Any]:
    sizes = {"n": n, "d": d, "num_heads": heads, "num_kv_heads": kv_heads, "num_layers": layers, "expansion": expansion}
    return {"name": name, "source": source, **sizes}


# Published sizes; n is the longest text that the model was trained to read. Llama's feed-forward layer is gated: three
# matrices of width 11,008 and 28,672 count as two that are half as wide again.
MODELS = [
    _model("Transformer base, encoder", "Vaswani et al. (2017)", None, 512, 8, 8, 6),
    _model("BERT base", "Devlin et al. (2018)", 512, 768, 12, 12, 12),
    _model("GPT-2 small", "Radford et al. (2019)", 1024, 768, 12, 12, 12),
    _model("GPT-2 XL", "Radford et al. (2019)", 1024, 1600, 25, 25, 48),
    _model("GPT-3 175B", "Brown et al. (2020), here with every layer dense", 2048, 12288, 96, 96, 96),
    _model("Llama 2 7B", "Touvron et al. (2023)", 4096, 4096, 32, 32, 32, 1.5 * 11008 / 4096),
    _model("Llama 2 70B", "Touvron et al. (2023)", 4096, 8192, 64, 8, 80, 1.5 * 28672 / 8192),
]


class CostCalculator(PageWidget):
    """Below n = 6d the famous n² is the smaller part of the work; in memory an n × n grid grows out of hand long before.

    One pass over `n` tokens through `num_layers` blocks of width `d`: multiply–adds, and memory with all scores of a
    layer held at once or tile by tile. Fewer `num_kv_heads` than `num_heads` shrink the key–value cache, and hardly the
    work. `itemsize` is the bytes of a number, `expansion` the feed-forward layer's width over d. `models` is what the menu
    offers: names, sources and sizes, with n None where the source gives none; `chosen` is one of the names. Embeddings,
    biases and norms are left out; a masked cell counts, since it is computed first; 1 GB is 10⁹ bytes. All are synced.

    Raises ValueError (`InputError`) for sizes out of range, naming them, and for heads that do not divide.

    >>> CostCalculator(n=1024, d=768).work
    {'grid': 19327352832, 'projections': 28991029248, 'feed-forward': 57982058496}
    """

    _alive = "change every size, or take those of a published model, and see which part grows"
    title = traitlets.Unicode("What a transformer costs").tag(sync=True)
    provenance = traitlets.Unicode("counted from the sizes, not measured").tag(sync=True)
    n = traitlets.Int(1024).tag(sync=True, link=True)
    d = traitlets.Int(768).tag(sync=True, link=True)
    num_heads = traitlets.Int(12).tag(sync=True, link=True)
    num_kv_heads = traitlets.Int(12).tag(sync=True, link=True)
    num_layers = traitlets.Int(12).tag(sync=True, link=True)
    itemsize = traitlets.Enum(ITEMSIZES, 4).tag(sync=True, link=True)
    expansion = traitlets.Float(4.0).tag(sync=True, link=True)
    chosen = traitlets.Unicode("GPT-2 small").tag(sync=True, link=True)
    models = traitlets.List(traitlets.Dict(), MODELS).tag(sync=True)

    @property
    def work(self) -> dict[str, int]:
        """Multiply–adds of one pass, by part, in all layers."""
        heads: dict[str, Any] = {"num_heads": self.num_heads, "num_kv_heads": self.num_kv_heads}
        d_head = self.d // self.num_heads
        grid = cost.attention_cost(self.n, self.n, d_head, d_head, num_heads=self.num_heads).multiply_adds
        attention = cost.multi_head_cost(self.n, self.d, **heads).multiply_adds
        block = cost.block_multiply_adds(self.n, self.d, expansion=self.expansion, **heads)
        parts = {"grid": grid, "projections": attention - grid, "feed-forward": block - attention}
        return {name: self.num_layers * adds for name, adds in parts.items()}

    @property
    def memory(self) -> dict[str, int]:
        """Bytes: the scores and output of one layer, all at once or tile by tile, and what all layers hold."""
        heads: dict[str, Any] = {"num_heads": self.num_heads, "num_kv_heads": self.num_kv_heads}
        d_head = self.d // self.num_heads
        shape: dict[str, Any] = {"num_heads": self.num_heads, "itemsize": self.itemsize}
        parameters = self.num_layers * cost.block_parameters(self.d, expansion=self.expansion, **heads)
        kept: dict[str, Any] = {"num_layers": self.num_layers, "itemsize": self.itemsize}
        return {
            "all at once": cost.attention_cost(self.n, self.n, d_head, d_head, **shape).peak_bytes,
            "tile by tile": cost.streaming_cost(self.n, self.n, d_head, d_head, **shape).peak_bytes,
            "cache": cost.cache_bytes(self.n, self.num_kv_heads, d_head, **kept),
            "parameters": parameters * self.itemsize,
        }

    @property
    def crossover(self) -> int:
        """The n at which the n × n grid is half of the work: 6d, and a little less with grouped keys."""
        return cost.crossover(
            self.d, expansion=self.expansion, num_heads=self.num_heads, num_kv_heads=self.num_kv_heads
        )

    def check(self, inputs: SimpleNamespace) -> None:
        _check_model(inputs)
        for i, model in enumerate(inputs.models):
            if missing := {"name", "source", "expansion", *SIZES} - model.keys():
                raise InputError(f"model {i} has no {min(missing)!r}")
            _check_model(SimpleNamespace(**model | {"n": model["n"] or 1}))

    def fallback(self) -> str:
        work, memory = self.work, self.memory
        total = sum(work.values())
        rows = [
            (name, [large(adds), f"{text(100 * adds / total, 1)} %"])
            for name, adds in zip(WORK, work.values(), strict=True)
        ]
        sizes = f"n = {self.n:,}, d = {self.d:,}, heads = {self.num_heads}, key and value heads = {self.num_kv_heads}, layers = {self.num_layers}"
        half = f"The grid is half of the work at n = {self.crossover:,}."
        first = table(self.caption(f"multiply–adds of one pass, {sizes}. {half}"), WORK_COLUMNS, rows)
        rest = [memory["cache"], memory["parameters"]]
        columns = [[memory[way], *rest, memory[way] + sum(rest)] for way in MEMORY_COLUMNS]
        held = [(name, [large(way[i], BYTES) for way in columns]) for i, name in enumerate([*MEMORY, "together"])]
        return first + table(self.caption(f"memory, {self.itemsize} bytes a number."), MEMORY_COLUMNS, held)


WORK = ["n × n grid of attention", "projections", "feed-forward layers"]
WORK_COLUMNS = ["multiply–adds", "share"]
MEMORY = ["grids and output of one layer", "key–value cache", "parameters"]
MEMORY_COLUMNS = ["all at once", "tile by tile"]


def _check_model(sizes: SimpleNamespace) -> None:
    check_limits(sizes, *SIZES, "expansion")
    if sizes.d % sizes.num_heads or sizes.num_heads % sizes.num_kv_heads:
        raise InputError(
            f"d = {sizes.d}, num_heads = {sizes.num_heads} and num_kv_heads = {sizes.num_kv_heads} do not divide each other"
        )
