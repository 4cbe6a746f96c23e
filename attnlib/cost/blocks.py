"""What several heads, a transformer block and a key–value cache cost."""

import math

from attnlib.checks import LARGEST, as_divisor, as_number
from attnlib.cost.forms import Cost, attention_cost, products, sizes


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
    n, d, n_z, itemsize = sizes(n=n, d=d, n_z=n_z, itemsize=itemsize)
    num_heads = as_divisor("num_heads", num_heads, d, "d")
    d_head = d // num_heads
    shared = _groups(num_heads, num_kv_heads) * d_head
    adds, moved = products((n, d, d), (n_z, d, shared), (n_z, d, shared), (n, d, d))
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
    n, d = sizes(n=n, d=d)
    if not 1 <= (expansion := as_number("expansion", expansion)) <= LARGEST:
        raise ValueError(f"expansion must be from 1 to {LARGEST}, got {expansion}")
    attention = multi_head_cost(n, d, num_heads=num_heads, num_kv_heads=num_kv_heads).multiply_adds
    scores = blends = attention_cost(n, n, d, d).multiply_adds // 2
    mix, _ = products((n, d, d))
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

    Source: Kaplan et al. (2020), table 1, which counts half of the n² term.

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
    d, d_k, d_v, num_heads = sizes(d=d, d_k=d_k, d_v=d_v, num_heads=num_heads)
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
    n, num_kv_heads, d_head, num_layers, itemsize = sizes(
        n=n, num_kv_heads=num_kv_heads, d_head=d_head, num_layers=num_layers, itemsize=itemsize
    )
    return 2 * n * num_kv_heads * d_head * num_layers * itemsize


def _rounded(number: float) -> int:
    return math.floor(number + 0.5)


def _groups(num_heads: int, num_kv_heads: int | None) -> int:
    return num_heads if num_kv_heads is None else as_divisor("num_kv_heads", num_kv_heads, num_heads, "num_heads")
