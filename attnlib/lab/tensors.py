"""How many numbers there are to learn, in attention and in the map of everything to everything that it stands for."""

from attnlib.checks import as_integer


def ideal_tensor_parameters(n: int, d: int, d_v: int) -> int:
    """The map of any n tokens of width d to n outputs of width d_v, each from every number of every token: n · d · n · d_v.

    It is made for one length n, and linear: it reads the same from every text. Attention puts weights that depend
    on the text, times one W_V for all pairs of tokens, in its place.

    Args:
        n: how many tokens.
        d, d_v: the widths of a token and of an output.

    Returns:
        How many numbers.

    Raises:
        ValueError: for a size below 1.

    >>> f"{ideal_tensor_parameters(1024, 768, 768):.1e}"
    '6.2e+11'
    """
    n, d, d_v = as_integer("n", n, 1), as_integer("d", d, 1), as_integer("d_v", d_v, 1)
    return n * d * n * d_v


def attention_parameters(d: int, d_k: int, d_v: int) -> int:
    """W_Q and W_K (d × d_k each) and W_V (d × d_v): 2 · d · d_k + d · d_v numbers, for any n.

    Args:
        d, d_k, d_v: the widths of a token, of a query or key, and of a value.

    Returns:
        How many numbers.

    Raises:
        ValueError: for a size below 1.

    >>> f"{attention_parameters(768, 768, 768):.1e}"
    '1.8e+06'
    """
    d, d_k, d_v = as_integer("d", d, 1), as_integer("d_k", d_k, 1), as_integer("d_v", d_v, 1)
    return 2 * d * d_k + d * d_v
