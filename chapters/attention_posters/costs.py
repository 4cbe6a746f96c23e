"""What a transformer block costs, on one page: its products, who takes which share of the work, and what lies in memory."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from attnlib import cost
from attnlib.plots.style import COLOURS, LINE, MUTED, drawing

SMALL = 9.5  # points
TIMES = (1 / 6, 1, 6, 36)  # lengths as multiples of d: the grid's share is 1/37, 1/7, 1/2 and 6/7
# What is multiplied, how large the factors are, how many multiply–adds that makes, and whose colour it has.
PRODUCTS = {
    "queries, keys, values": ("$X W_Q$, $X W_K$, $X W_V$", "$3\\,nd^2$", 0),
    "QKᵀ": ("$Q_a K_a^\\top$, all heads", "$n^2 d$", 1),
    "AV": ("$A_a V_a$, all heads", "$n^2 d$", 1),
    "W_O": ("merged $\\cdot\\ W_O$", "$nd^2$", 0),
    "feed-forward": ("$d \\to 4d \\to d$", "$8\\,nd^2$", 2),
}
GROUPS = ("projections", "n × n grids", "feed-forward")


def cost_page(d: int, num_heads: int, *, itemsize: int = 2, title: str = "") -> Figure:
    """One block of width d: its matrix products, their shares of the work at four lengths, and its bytes over the length.

    The numbers are those of `cost.block_parts` and, in memory, of `cost.attention_cost`, `cost.streaming_cost`,
    `cost.cache_bytes` and `cost.block_parameters`.

    Args:
        d: the width, a multiple of 6 and of `num_heads`.
        num_heads: how many heads.
        itemsize: the bytes of a number.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: for a size below 1, heads that do not divide, and a d that 6 does not divide.

    >>> figure = cost_page(768, 12)
    >>> [text.get_text() for text in figure.axes[1].texts if "%" in text.get_text()][:3]
    ['32 %', '65 %', '29 %']
    """
    if d < 6 or d % 6:
        raise ValueError(f"cost_page needs a d that 6 divides, since it draws n = d/6, got {d}")
    lengths = [round(times * d) for times in TIMES]
    with drawing(3, height=9.3) as (figure, [table, shares, held]):
        _products(table, d)
        _shares(shares, lengths, d, num_heads)
        _held(held, lengths, d, num_heads, itemsize)
        figure.suptitle(title, x=0.01, ha="left")
    return figure


def _products(axes: Axes, d: int) -> None:
    """A row for each part: its products, and its multiply–adds as a formula."""
    axes.set(xlim=(0, 1), ylim=(7.9, -0.6), title="1  The products of one block")
    axes.axis("off")
    columns = (0.045, 0.43, 0.76)
    heads = ("part", "product", "multiply–adds")
    rows = [(name, *says) for name, (*says, _) in PRODUCTS.items()]
    rows.append(("together", "", "$12\\,nd^2 + 2\\,n^2 d$"))
    for i, row in enumerate([heads, *rows]):
        for x, says in zip(columns, row, strict=True):
            weight = "bold" if i == len(rows) else "normal"
            axes.text(x, i, says, va="center", fontsize=SMALL + 0.5, color="black" if i else MUTED, weight=weight)
    for i, (*_, group) in enumerate(PRODUCTS.values(), 1):
        axes.add_patch(Rectangle((0, i - 0.3), 0.028, 0.6, fc=COLOURS[group], lw=0))
    axes.plot([0, 1], [5.5, 5.5], color=LINE, linewidth=0.8)
    note = f"$2\\,n^2 d = 12\\,nd^2$ at $n = 6d$. Here $d$ = {d:,}, so $6d$ = {cost.crossover(d):,}."
    axes.text(0, 7, note, va="center", fontsize=SMALL + 0.5, color=COLOURS[1])


def _shares(axes: Axes, lengths: list[int], d: int, num_heads: int) -> None:
    """For each length a bar of all multiply–adds, divided among projections, grids and feed-forward layer."""
    axes.set(xlim=(0, 1), ylim=(len(lengths) + 0.1, -0.75), title="2  Who takes which share of the work")
    axes.axis("off")
    left, right = 0.0, 1.0
    for i, (n, says) in enumerate(zip(lengths, ("d/6", "d", "6d", "36d"), strict=True)):
        parts = cost.block_parts(n, d, num_heads=num_heads)
        total = sum(parts.values())
        axes.text(0, i - 0.12, f"n = {says} = {n:,}", va="center", fontsize=SMALL)
        axes.text(1, i - 0.12, f"{_large(total)} multiply–adds", ha="right", va="center", fontsize=SMALL, color=MUTED)
        begin = left
        for group in (0, 2, 1):
            share = sum(parts[name] for name, (_, _, whose) in PRODUCTS.items() if whose == group) / total
            wide = share * (right - left)
            axes.add_patch(Rectangle((begin, i + 0.06), wide, 0.46, fc=COLOURS[group], ec="white", lw=1))
            if share > 0.08:
                middle = begin + wide / 2
                axes.text(middle, i + 0.29, f"{share:.0%}".replace("%", " %"), ha="center", va="center", fontsize=SMALL,
                    color="white")  # fmt: skip
            begin += wide
    for x, group in zip((0, 0.3, 0.64), (0, 2, 1), strict=True):
        axes.add_patch(Rectangle((x, -0.66), 0.028, 0.24, fc=COLOURS[group], lw=0))
        axes.text(x + 0.04, -0.53, GROUPS[group], va="center", fontsize=SMALL)


def _held(axes: Axes, lengths: list[int], d: int, num_heads: int, itemsize: int) -> None:
    """Bytes over the length, on two logarithmic axes."""
    n = np.geomspace(lengths[0], lengths[-1], 40).round().astype(int)
    shape: dict[str, Any] = {"num_heads": num_heads, "itemsize": itemsize}
    d_head = d // num_heads
    lines = {
        "grids and output": ([cost.attention_cost(m, m, d_head, d_head, **shape).peak_bytes for m in n.tolist()],
            1, "-"),
        "one tile and output": ([cost.streaming_cost(m, m, d_head, d_head, **shape).peak_bytes for m in n.tolist()],
            1, "--"),
        "keys and values": ([cost.cache_bytes(m, num_heads, d_head, itemsize=itemsize) for m in n.tolist()], 3, "-."),
        "parameters": ([cost.block_parameters(d) * itemsize] * len(n), 2, ":"),
    }  # fmt: skip
    for name, (held, colour, dashes) in lines.items():
        axes.plot(n, held, label=name, color=COLOURS[colour], linestyle=dashes, linewidth=2)
    axes.set(xscale="log", yscale="log", xlabel="tokens n", title=f"3  Bytes of one block, {itemsize} for each number")
    axes.set_xticks(lengths, [f"{length:,}" for length in lengths])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_locator(LogLocator(numticks=12))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda held, _: _bytes(held)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.legend(fontsize=SMALL)


def _large(number: int) -> str:
    """Three digits, and what they count: 9.66 billion."""
    for power, name in ((12, "trillion"), (9, "billion"), (6, "million")):
        if number >= 10**power:
            return f"{number / 10**power:.3g} {name}"
    return f"{number:,}"


def _bytes(held: float) -> str:
    for power, name in ((12, "TB"), (9, "GB"), (6, "MB"), (3, "kB")):
        if held >= 10**power:
            return f"{held / 10**power:.3g} {name}"
    return f"{held:.3g} B"
