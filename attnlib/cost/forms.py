"""What one attention costs, in each of its forms."""

from dataclasses import dataclass

from attnlib.checks import as_flag, as_integer
from attnlib.streaming import tile_sizes


@dataclass(frozen=True)
class Cost:
    """Multiply–adds of the matrix products, bytes moved to and from memory, and bytes held beyond the inputs, passing copies left out."""

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

    Source: Counted from the formula; compare Dao et al. (2022), section 2.2.

    >>> attention_cost(1000, 1000, 64, 64)
    Cost(multiply_adds=128000000, bytes_moved=17024000, peak_bytes=8256000)
    """
    n_q, n_k, d_k, d_v, num_heads, itemsize = sizes(
        n_q=n_q, n_k=n_k, d_k=d_k, d_v=d_v, num_heads=num_heads, itemsize=itemsize
    )
    grid = n_q * n_k
    adds, moved = products((n_q, d_k, n_k), (n_q, n_k, d_v))
    return _cost(adds, moved + 2 * grid, 2 * grid + n_q * d_v, num_heads, itemsize)


def streaming_cost(
    n_q: int, n_k: int, d_k: int, d_v: int, *, causal: bool = False, num_heads: int = 1, itemsize: int = 4
) -> Cost:
    """`streaming_attention`: as many products, but no grid in memory, only the output and a tile (each further thread has one more).

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
    n_q, n_k, d_k, d_v, num_heads, itemsize = sizes(
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
    n, window, d_k, d_v, num_heads, itemsize = sizes(
        n=n, window=window, d_k=d_k, d_v=d_v, num_heads=num_heads, itemsize=itemsize
    )
    window = min(window, n)
    adds, moved = products((1, d_k, window), (1, window, d_v))
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
    n_q, n_k, d_k, d_v, num_heads, itemsize = sizes(
        n_q=n_q, n_k=n_k, d_k=d_k, d_v=d_v, num_heads=num_heads, itemsize=itemsize
    )
    adds, moved = products((d_k, n_k, d_v + 1), (n_q, d_k, d_v + 1))
    features = (n_q + n_k) * d_k
    peak = features + (n_k + d_k) * (d_v + 1) + n_q * (2 * d_v + 1)
    return _cost(adds, moved + 2 * features, peak, num_heads, itemsize)


def products(*sizes: tuple[int, int, int]) -> tuple[int, int]:
    """Multiply–adds, and numbers read and written, of products of m × k with k × n."""
    return sum(m * k * n for m, k, n in sizes), sum(m * k + k * n + m * n for m, k, n in sizes)


def sizes(**sizes: int) -> list[int]:
    """The sizes, each an integer of 1 or more."""
    return [as_integer(name, size, 1) for name, size in sizes.items()]


def _cost(multiply_adds: int, moved: int, peak: int, num_heads: int, itemsize: int) -> Cost:
    return Cost(num_heads * multiply_adds, num_heads * moved * itemsize, num_heads * peak * itemsize)
