"""What each form of attention costs: multiply–adds, bytes and memory, as functions of the sizes.

Everything is made of matrix products: one of m × k with k × n takes m·k·n multiply–adds, reads m·k + k·n numbers and
writes m·n. What happens entry by entry (exp, masks) is counted by what it moves alone: it waits for memory, not for arithmetic.
"""

import math
from dataclasses import dataclass

from attnlib.checks import LARGEST, as_divisor, as_flag, as_integer, as_number
from attnlib.streaming import tile_sizes


@dataclass(frozen=True)
class Cost:
    """Multiply–adds of the matrix products, bytes moved to and from memory, and the most bytes held beyond the inputs."""

    multiply_adds: int
    bytes_moved: int
    peak_bytes: int


def attention_cost(n_q: int, n_k: int, d_k: int, d_v: int, *, num_heads: int = 1, itemsize: int = 4) -> Cost:
    """`attention` with its whole grid: h · n_q · n_k · (d_k + d_v) multiply–adds, and two n_q × n_k grids for each head.

    The softmax reads the scores and writes the weights. A mask saves nothing: what it blocks is
    computed first. With n_q = 1 this is one step of decoding with a cache.

    Args:
        n_q, n_k, d_k, d_v: the sizes in the shapes of `attention`.
        num_heads, itemsize: h, and the bytes of a number.

    Returns:
        The three counts.

    Raises:
        ValueError: for a size below 1.

    Source: Counted from the formula; compare Dao et al. (2022), section 3.1.

    >>> attention_cost(1000, 1000, 64, 64)
    Cost(multiply_adds=128000000, bytes_moved=17024000, peak_bytes=8256000)
    """
    n_q, n_k, d_k, d_v, num_heads, itemsize = _sizes(
        n_q=n_q, n_k=n_k, d_k=d_k, d_v=d_v, num_heads=num_heads, itemsize=itemsize
    )
    grid = n_q * n_k
    adds, moved = _products((n_q, d_k, n_k), (n_q, n_k, d_v))
    return _cost(adds, moved + 2 * grid, 2 * grid + n_q * d_v, num_heads, itemsize)


def streaming_cost(
    n_q: int, n_k: int, d_k: int, d_v: int, *, causal: bool = False, num_heads: int = 1, itemsize: int = 4
) -> Cost:
    """`streaming_attention`: as many products, but no grid in memory, only the output and a tile for each thread.

    `attention` of long sequences is this too. A tile of scores stays in the processor's cache. What moves are queries and output, and the keys and values once for
    each band of queries. A product with a column of ones sums the rows, hence n_q · n_k multiply–adds more. `causal`
    skips the tiles above the diagonal, nearly half of all when n is large.

    Args:
        n_q, n_k, d_k, d_v, causal: as in `streaming_attention`.
        num_heads, itemsize: h, and the bytes of a number.

    Returns:
        The three counts.

    Raises:
        ValueError: for a size below 1.

    Source: Dao et al. (2022), theorems 1 and 2.

    >>> attention_cost(32768, 32768, 64, 64).peak_bytes // streaming_cost(32768, 32768, 64, 64).peak_bytes
    964
    """
    n_q, n_k, d_k, d_v, num_heads, itemsize = _sizes(
        n_q=n_q, n_k=n_k, d_k=d_k, d_v=d_v, num_heads=num_heads, itemsize=itemsize
    )
    rows, columns, together = tile_sizes(n_q, n_k, as_flag("causal", causal))
    bands = [(min(rows, n_q - first), min(n_k, first + rows, n_q) if causal else n_k) for first in range(0, n_q, rows)]
    grid, keys_read = sum(band * seen for band, seen in bands), sum(seen for _, seen in bands)
    tile = min(together, num_heads) * rows * columns
    cost = _cost(grid * (d_k + d_v + 1), (n_q + keys_read) * (d_k + d_v), n_q * d_v, num_heads, itemsize)
    return Cost(cost.multiply_adds, cost.bytes_moved, cost.peak_bytes + tile * itemsize)


def window_cost(n: int, window: int, d_k: int, d_v: int, *, num_heads: int = 1, itemsize: int = 4) -> Cost:
    """`window_attention`: h · n · w · (d_k + d_v) multiply–adds, and two n × w grids for each head.

    Every query meets its own window, so that each key is read w times.

    Args:
        n, window, d_k, d_v: as in `window_attention`.
        num_heads, itemsize: h, and the bytes of a number.

    Returns:
        The three counts.

    Raises:
        ValueError: for a size below 1.

    Source: Beltagy, Peters & Cohan (2020), section 3.1.

    >>> attention_cost(8192, 8192, 64, 64).multiply_adds // window_cost(8192, 256, 64, 64).multiply_adds
    32
    """
    n, window, d_k, d_v, num_heads, itemsize = _sizes(
        n=n, window=window, d_k=d_k, d_v=d_v, num_heads=num_heads, itemsize=itemsize
    )
    window = min(window, n)
    adds, moved = _products((1, d_k, window), (1, window, d_v))
    peak = 2 * n * window + (n + window - 1) * d_v + n * d_v
    return _cost(n * adds, n * (moved + 2 * window), peak, num_heads, itemsize)


def linear_cost(n_q: int, n_k: int, d_k: int, d_v: int, *, num_heads: int = 1, itemsize: int = 4) -> Cost:
    """`linear_attention`: h · (n_q + n_k) · d_k · (d_v + 1) multiply–adds, and no grid. The column more sums the weights.

    Args:
        n_q, n_k, d_k, d_v: the sizes in the shapes of `attention`.
        num_heads, itemsize: h, and the bytes of a number.

    Returns:
        The three counts.

    Raises:
        ValueError: for a size below 1.

    Source: Katharopoulos et al. (2020), section 3.2.

    >>> linear_cost(8192, 8192, 64, 64).multiply_adds / linear_cost(1024, 1024, 64, 64).multiply_adds
    8.0
    """
    n_q, n_k, d_k, d_v, num_heads, itemsize = _sizes(
        n_q=n_q, n_k=n_k, d_k=d_k, d_v=d_v, num_heads=num_heads, itemsize=itemsize
    )
    adds, moved = _products((d_k, n_k, d_v + 1), (n_q, d_k, d_v + 1))
    features = (n_q + n_k) * d_k
    peak = features + (n_k + d_k) * (d_v + 1) + n_q * (2 * d_v + 1)
    return _cost(adds, moved + 2 * features, peak, num_heads, itemsize)


def multi_head_cost(
    n: int, d: int, *, num_heads: int, num_kv_heads: int | None = None, n_z: int | None = None, itemsize: int = 4
) -> Cost:
    """`multi_head_attention` at width d: four projections and h attentions of width d / h.

    The number of heads changes no multiply–add, but each head has its own two n × n_z grids. Fewer key and value heads (g < h)
    shrink their two projections to width d · g / h.

    Args:
        n: how many queries.
        d: the width.
        num_heads, num_kv_heads: h, and g of keys and values; None means g = h.
        n_z: how many keys; None means n.
        itemsize: the bytes of a number.

    Returns:
        The three counts.

    Raises:
        ValueError: for a size below 1 and for heads that do not divide.

    Source: Vaswani et al. (2017), section 3.2.2.

    >>> [multi_head_cost(512, 256, num_heads=h).multiply_adds for h in (1, 8)]
    [268435456, 268435456]
    """
    n_z = n if n_z is None else n_z
    n, d, n_z, itemsize = _sizes(n=n, d=d, n_z=n_z, itemsize=itemsize)
    num_heads = as_divisor("num_heads", num_heads, d, "d")
    d_head = d // num_heads
    shared = _groups(num_heads, num_kv_heads) * d_head
    adds, moved = _products((n, d, d), (n_z, d, shared), (n_z, d, shared), (n, d, d))
    inner = attention_cost(n, n_z, d_head, d_head, num_heads=num_heads, itemsize=itemsize)
    held = (n * d + 2 * n_z * d) * itemsize  # queries, keys and values, one set for each head
    return Cost(adds + inner.multiply_adds, moved * itemsize + inner.bytes_moved, held + inner.peak_bytes)


def block_parts(
    n: int, d: int, *, expansion: float | int = 4, num_heads: int = 1, num_kv_heads: int | None = None
) -> dict[str, int]:
    """One transformer block's multiply–adds, by part. QKᵀ and AV take n²d each, for any number of heads; all else grows with n.

    Fewer key and value heads make the first part less, as in `multi_head_cost`.

    Args:
        n: how many tokens.
        d: the width.
        expansion: the feed-forward layer's width over d; a gated layer has three matrices instead of two, and counts as 1.5 times as wide.
        num_heads, num_kv_heads: as in `multi_head_cost`.

    Returns:
        Multiply–adds, by the name of the part.

    Raises:
        ValueError: for a size below 1 and for heads that do not divide.

    Source: Counted from the formula; compare Kaplan et al. (2020), table 1.

    >>> block_parts(10, 3)
    {'queries, keys, values': 270, 'QKᵀ': 300, 'AV': 300, 'W_O': 90, 'feed-forward': 720}
    """
    n, d = _sizes(n=n, d=d)
    if not 1 <= (expansion := as_number("expansion", expansion)) <= LARGEST:
        raise ValueError(f"expansion must be from 1 to {LARGEST}, got {expansion}")
    attention = multi_head_cost(n, d, num_heads=num_heads, num_kv_heads=num_kv_heads).multiply_adds
    scores = blends = attention_cost(n, n, d, d).multiply_adds // 2
    mix, _ = _products((n, d, d))
    projections = attention - scores - blends - mix
    inner = _rounded(2 * expansion * d**2) * n
    return {"queries, keys, values": projections, "QKᵀ": scores, "AV": blends, "W_O": mix, "feed-forward": inner}


def block_multiply_adds(
    n: int, d: int, *, expansion: float | int = 4, num_heads: int = 1, num_kv_heads: int | None = None
) -> int:
    """One transformer block: the sum of its `block_parts`. Commonly 12nd² + 2n²d.

    Args:
        n, d, expansion, num_heads, num_kv_heads: as in `block_parts`.

    Returns:
        How many multiply–adds.

    Raises:
        ValueError: for a size below 1 and for heads that do not divide.

    Source: Kaplan et al. (2020), table 1, which leaves the n² term out.

    >>> block_multiply_adds(10, 3) == 12 * 10 * 3**2 + 2 * 10**2 * 3
    True
    """
    return sum(block_parts(n, d, expansion=expansion, num_heads=num_heads, num_kv_heads=num_kv_heads).values())


def block_parameters(d: int, *, expansion: float | int = 4, num_heads: int = 1, num_kv_heads: int | None = None) -> int:
    """One block's matrices: (2 + 2g/h + 2 · expansion) · d² numbers, 12d² commonly. Biases and norms are left out.

    Each is used in one multiply–add per token, so that n tokens cost n times as much, and the n × n grid on top.

    Args:
        d, expansion, num_heads, num_kv_heads: as in `block_parts`.

    Returns:
        How many numbers.

    Raises:
        ValueError: for a size below 1 and for heads that do not divide.

    Source: Kaplan et al. (2020), table 1.

    >>> 12 * block_parameters(768)  # GPT-2 small without its embeddings
    84934656
    """
    whole = block_multiply_adds(1, d, expansion=expansion, num_heads=num_heads, num_kv_heads=num_kv_heads)
    return whole - attention_cost(1, 1, d, d).multiply_adds


def crossover(d: int, *, expansion: float | int = 4, num_heads: int = 1, num_kv_heads: int | None = None) -> int:
    """The length at which a block spends as much on its n × n grid as on all else: (1 + g/h + expansion) · d, commonly 6d.

    Args:
        d, expansion, num_heads, num_kv_heads: as in `block_parts`.

    Returns:
        A number of tokens.

    Raises:
        ValueError: for a size below 1 and for heads that do not divide.

    >>> crossover(768)
    4608
    """
    block = block_parameters(d, expansion=expansion, num_heads=num_heads, num_kv_heads=num_kv_heads)
    return _rounded(block / (2 * d))


def multi_head_parameters(d: int, d_k: int, d_v: int, *, num_heads: int, num_kv_heads: int | None = None) -> int:
    """The numbers in W_Q and W_O, of h heads, and in W_K and W_V, of g key and value heads: d · (h + g) · (d_k + d_v).

    Without biases.

    Args:
        d, d_k, d_v: as in `attention_parameters`, for each head.
        num_heads, num_kv_heads: h, and g of keys and values; None means g = h.

    Returns:
        How many numbers.

    Raises:
        ValueError: for a size below 1 and for heads that do not divide.

    Source: Counted from the shapes; Ainslie et al. (2023) for g < h.

    >>> [multi_head_parameters(768, 64, 64, num_heads=12, num_kv_heads=g) for g in (12, 1)]
    [2359296, 1277952]
    """
    d, d_k, d_v, num_heads = _sizes(d=d, d_k=d_k, d_v=d_v, num_heads=num_heads)
    return d * (num_heads + _groups(num_heads, num_kv_heads)) * (d_k + d_v)


def cache_bytes(n: int, num_kv_heads: int, d_head: int, *, num_layers: int = 1, itemsize: int = 4) -> int:
    """What a key–value cache holds after n tokens: a key and a value for each layer and key–value head.

    Args:
        n: how many tokens.
        num_kv_heads: the heads of keys and values in a layer.
        d_head: the width of each.
        num_layers: how many layers.
        itemsize: the bytes of a number.

    Returns:
        How many bytes.

    Raises:
        ValueError: for a size below 1.

    Source: Shazeer (2019), section 2.4.1.

    >>> cache_bytes(4096, 32, 128, num_layers=32, itemsize=2) / 2**30
    2.0
    """
    n, num_kv_heads, d_head, num_layers, itemsize = _sizes(
        n=n, num_kv_heads=num_kv_heads, d_head=d_head, num_layers=num_layers, itemsize=itemsize
    )
    return 2 * n * num_kv_heads * d_head * num_layers * itemsize


def _products(*sizes: tuple[int, int, int]) -> tuple[int, int]:
    """Multiply–adds, and numbers read and written, of products of m × k with k × n."""
    return sum(m * k * n for m, k, n in sizes), sum(m * k + k * n + m * n for m, k, n in sizes)


def _cost(multiply_adds: int, moved: int, peak: int, num_heads: int, itemsize: int) -> Cost:
    return Cost(num_heads * multiply_adds, num_heads * moved * itemsize, num_heads * peak * itemsize)


def _rounded(number: float) -> int:
    return math.floor(number + 0.5)


def _groups(num_heads: int, num_kv_heads: int | None) -> int:
    return num_heads if num_kv_heads is None else as_divisor("num_kv_heads", num_kv_heads, num_heads, "num_heads")


def _sizes(**sizes: int) -> list[int]:
    return [as_integer(name, size, 1) for name, size in sizes.items()]
