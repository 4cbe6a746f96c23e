"""What it takes to read a long text at once: bytes held, multiply–adds, and the seconds of a machine at best."""

from dataclasses import dataclass

from attnlib.checks import as_divisor, as_flag, as_integer
from attnlib.cost import block_parameters
from attnlib.lab.roofline import Roofline
from attnlib.streaming import tile_sizes

MEMORY = 24 * 10**9  # bytes
# Published for numbers of 4 bytes: 82.6 · 10¹² operations a second, of which a multiply–add is two, without sparsity.
# With sums in 4 bytes, the products of numbers of 2 bytes are twice as fast, and of 1 byte four times.
CARD = Roofline("NVIDIA GeForce RTX 4090", peak=41.3e12, bandwidth=1.008e12, points={})


@dataclass(frozen=True)
class Budget:
    """What `reading_cost` counts: bytes held, part by part, multiply–adds, seconds at best, and how far the last token sees.

    >>> reading_cost(100_000, 768, num_layers=12, num_heads=12, itemsize=1).grids == 2 * 12 * 100_000**2
    True
    """

    parameters: int
    keys_and_values: int
    stream: int
    grids: int
    multiply_adds: int
    seconds: float
    looked_up: int

    @property
    def held(self) -> int:
        """The bytes of all parts together."""
        return self.parameters + self.keys_and_values + self.stream + self.grids


def reading_cost(
    n: int,
    d: int,
    *,
    num_layers: int = 1,
    num_heads: int = 1,
    num_kv_heads: int | None = None,
    expansion: float | int = 4,
    itemsize: int = 4,
    tiles: bool = False,
    window: int | None = None,
    linearised: bool = False,
) -> Budget:
    """n tokens are read once, layer after layer, on `CARD`; what the layers keep is for writing on.

    Held at once are the parameters of the blocks, the stream (n × d), and keys and values: of all tokens in the layer at
    work and in the layers that keep all; with a `window` the other layers keep its tokens, and `linearised` ones a state
    of d_k × (d_k + 1) for each head. Beside that a layer holds two n × n grids for each query head, of scores and of
    weights. With a window they are n × window; with `tiles` there is one tile of `streaming_attention`; linearised there
    is one state for each head. All else is worked out for a few tokens at a time, and does not count.

    The seconds are a bound: for the matrices of each layer, and for its attention, the larger of two times. One is
    that of the products at the published rate. The other is that of the bytes at the published bandwidth: each number that
    is read or written is moved once, and each grid is written and read twice in all, as scores and as weights. With b
    bytes a number, products are 1/b as fast as with one. The last token looks up what is kept, one key at a time;
    linearised, no more than d_k, since d_k is the rank of its grid at most.

    Args:
        n, d: tokens that are read, and the width.
        num_layers: how many layers.
        num_heads, num_kv_heads, expansion: as in `block_parts`.
        itemsize: the bytes of a number.
        tiles, window, linearised: how the layers attend. All False or None is `attention` with its whole grid.

    Returns:
        The counts, by name.

    Raises:
        ValueError: for a size below 1, for heads that do not divide, and for a linearised form with tiles or a
            window.

    Source: Counted from the shapes; the seconds as in Williams et al. (2009), with the rates of NVIDIA's Ada white paper.

    >>> gpt_2 = {"d": 768, "num_layers": 12, "num_heads": 12, "itemsize": 1}
    >>> [round(reading_cost(100_000, tiles=tiles, **gpt_2).held / 1e9, 1) for tiles in (False, True)]
    [242.0, 2.0]
    """
    n, d = as_integer("n", n, 1), as_integer("d", d, 1)
    num_layers, itemsize = as_integer("num_layers", num_layers, 1), as_integer("itemsize", itemsize, 1)
    num_heads = as_divisor("num_heads", num_heads, d, "d")
    groups = num_heads if num_kv_heads is None else as_divisor("num_kv_heads", num_kv_heads, num_heads, "num_heads")
    seen = n if window is None else min(n, as_integer("window", window, 1))
    tiles, linearised = as_flag("tiles", tiles), as_flag("linearised", linearised)
    if linearised and (tiles or window is not None):
        raise ValueError("linearised attention has no grid: it takes neither tiles nor a window")
    d_head = d // num_heads
    state = groups * d_head * (d_head + 1)
    cells = num_heads * n * seen  # of each of the two grids
    if linearised:
        kept, beside, moved, adds = state, state, 0, n * (num_heads + groups) * d_head * (d_head + 1)
    else:
        rows, columns, _ = tile_sizes(n, seen, causal=False)
        kept, adds = 2 * seen * groups * d_head, 2 * n * seen * d
        beside, moved = (rows * columns, 0) if tiles else (2 * cells, 4 * cells)
    keys = 2 * n * groups * d_head  # and values, of one layer
    matrices = block_parameters(d, expansion=expansion, num_heads=num_heads, num_kv_heads=groups)
    times = _at_best(n * matrices, matrices + 2 * n * d, itemsize), _at_best(adds, moved + keys + 2 * n * d, itemsize)
    return Budget(
        parameters=num_layers * matrices * itemsize,
        keys_and_values=(keys + (num_layers - 1) * kept) * itemsize,
        stream=n * d * itemsize,
        grids=beside * itemsize,
        multiply_adds=num_layers * (n * matrices + adds),
        seconds=num_layers * sum(times),
        looked_up=min(n, d_head) if linearised else seen,
    )


def _at_best(multiply_adds: int, moved: int, itemsize: int) -> float:
    """Seconds on `CARD`, with every product and every byte at its published rate, both at the same time."""
    return max(multiply_adds * itemsize / (4 * CARD.peak), moved * itemsize / CARD.bandwidth)
