"""BudgetPuzzle: a text of 100,000 tokens, and a machine with 24 GB that must hold what reading it takes."""

from types import SimpleNamespace
from typing import Any

import traitlets

from anywidget_static import InputError, OneOf, Whole
from attnlib.formatting import BYTES, large
from attnlib.lab.budget import CARD, MEMORY, Budget, reading_cost
from attnlib.widgets.base import PageWidget, fixed
from attnlib.widgets.cost_calculator import MODELS
from attnlib.widgets.tables import Row, table

TEXT = 100_000  # tokens of the text
FEWEST = 1_000  # tokens that are kept
WINDOW = 4_096
SHARED = 8  # query heads that share one head of keys and values
PUBLISHED = {"small": "GPT-2 small", "7B": "Llama 2 7B"}
SIZES = ("d", "num_layers", "num_heads", "expansion")
READERS: dict[str, dict[str, Any]] = {
    model: {name: sizes[name] for name in SIZES}
    for model, published in PUBLISHED.items()
    for sizes in MODELS
    if sizes["name"] == published
}
REMEDIES = {"tiles": "tiles", "shared": "shared keys", "window": "window", "linearised": "linearised"}
OFFERED = {"small": ("tiles",), "7B": tuple(REMEDIES)}
# What stands in the table without a script: bytes of a number, and what is taken.
SHOWN: dict[str, list[tuple[int, tuple[str, ...]]]] = {
    "small": [(4, ()), (1, ()), (4, ("tiles",))],
    "7B": [(2, ()), *((2, taken) for taken in [("tiles",), ("tiles", "shared"), ("tiles", "window"), ("linearised",)])],
}


class BudgetPuzzle(PageWidget):
    """A machine with 24 GB must read a text of 100,000 tokens whole. What does that take, and what has to change?

    Two goals: the bytes `held` at once are 24 GB or less, and in each layer all 100,000 tokens are kept for the last
    one's look-up. All heads of a layer work at once, and all layers keep what writing on needs. Of the text `tokens`
    (1,000 to 100,000) are kept; a number takes `itemsize` bytes (4, 2 or 1). The counts are those of
    `attnlib.lab.reading_cost`, with the sizes of GPT-2 small ("small") or of Llama 2 7B ("7B") as `model`: blocks
    alone, without embeddings.

    The small model has the whole grids of all heads until the page hands over the tiles (`handed`, then `tiles`). With
    whole grids the two goals cannot both be reached. With 7B all is offered from the start: `tiles`, `shared` (8 query
    heads to a head of keys and values), `window` (the 4,096 tokens up to each one) and `linearised`, which goes with
    neither tiles nor a window. What is not offered counts nothing. A reader moves all but the model.

    Raises:
        ValueError: an `InputError`, for an input out of range, naming it, and for `linearised` with tiles or a
            window.

    >>> round(BudgetPuzzle(itemsize=1).reading.held / 1e9)
    242
    >>> BudgetPuzzle(handed=True, tiles=True).reached, BudgetPuzzle(model="7B", tiles=True, itemsize=2).reached
    (True, False)
    """

    _alive = "move the tokens, the bytes of a number, and what is handed over"
    title = traitlets.Unicode("24 GB for 100,000 tokens").tag(sync=True)
    provenance = traitlets.Unicode(
        f"counted from the sizes, without a mask, not measured; seconds at the rates of an {CARD.machine}"
    ).tag(sync=True)
    model = OneOf(tuple(READERS), "small").tag(sync=True)
    tokens = Whole(TEXT, min=FEWEST, max=TEXT).tag(sync=True, link=True)
    itemsize = OneOf((4, 2, 1), 4).tag(sync=True, link=True)
    handed = traitlets.Bool(False).tag(sync=True, link=True)
    tiles = traitlets.Bool(False).tag(sync=True, link=True)
    shared = traitlets.Bool(False).tag(sync=True, link=True)
    window = traitlets.Bool(False).tag(sync=True, link=True)
    linearised = traitlets.Bool(False).tag(sync=True, link=True)
    constants = fixed(text=TEXT, memory=MEMORY, window=WINDOW, shared=SHARED, readers=READERS)

    @property
    def remedies(self) -> tuple[str, ...]:
        """What is both offered and taken, by the names of the inputs."""
        offered = OFFERED[self.model] if self.handed or self.model != "small" else ()
        return tuple(name for name in offered if getattr(self, name))

    @property
    def reading(self) -> Budget:
        """What reading takes: bytes in `parameters`, `keys_and_values`, `stream` and `grids`, and the other meters."""
        return count(self.model, self.tokens, self.itemsize, self.remedies)

    @property
    def reached(self) -> bool:
        """Whether it fits the machine, and the last token can look up the whole text."""
        return is_reached(self.reading)

    def check(self, inputs: SimpleNamespace) -> None:
        if inputs.linearised and (inputs.tiles or inputs.window):
            raise InputError(f"linearised goes without {'tiles' if inputs.tiles else 'window'}")

    def fallback(self) -> str:
        rows: list[Row] = []
        for itemsize, remedies in dict.fromkeys([(self.itemsize, self.remedies), *SHOWN[self.model]]):
            reading = count(self.model, self.tokens, itemsize, remedies)
            ways = ", ".join(REMEDIES[name] for name in remedies) or "whole grids"
            cells = [large(reading.held, BYTES[:4]), large(reading.multiply_adds), f"{reading.seconds:.3g} s"]
            cells += [f"{reading.looked_up:,}", _function(itemsize, remedies)]
            rows.append((f"{ways}, {itemsize} byte{'s' * (itemsize > 1)} a number", cells))
        sizes, whole = READERS[self.model], count(self.model, 1, 1, ())
        gated = "" if sizes["expansion"] == 4 else " (feed-forward layers as Llama 2’s)"
        shown = (
            f"hold 24 GB or less, all heads of a layer at once, and keep all {TEXT:,} tokens for writing on. "
            f"{sizes['num_layers']} blocks of width {sizes['d']:,}, {sizes['num_heads']} heads, "
            f"{large(whole.parameters)} parameters in the blocks{gated}. Tokens kept: {self.tokens:,}."
        )
        columns = ["held at once", "multiply–adds", "time at best", "kept for the last token", "function"]
        return table(self.caption(shown), columns, rows)


def count(model: str, tokens: int, itemsize: int, remedies: tuple[str, ...]) -> Budget:
    """`reading_cost` with the sizes of a model and what is changed."""
    sizes = READERS[model]
    return reading_cost(
        tokens,
        **sizes,
        itemsize=itemsize,
        num_kv_heads=sizes["num_heads"] // (SHARED if "shared" in remedies else 1),
        tiles="tiles" in remedies,
        window=WINDOW if "window" in remedies else None,
        linearised="linearised" in remedies,
    )


def is_reached(reading: Budget) -> bool:
    return reading.held <= MEMORY and reading.looked_up == TEXT


def _function(itemsize: int, remedies: tuple[str, ...]) -> str:
    if set(remedies) - {"tiles"}:
        return "another"
    return "the same" if itemsize > 1 else "rounded to 256 values"
