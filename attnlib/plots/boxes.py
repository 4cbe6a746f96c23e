"""Boxes and arrows: what is made of what."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from attnlib.plots.style import COLOURS, LINE, MUTED, WEIGHT_0, drawing

ROW_HEIGHT = 0.9  # inches


def flow(
    boxes: Mapping[str, tuple[float, float]],
    arrows: Sequence[tuple[str, str, str]],
    *,
    parameters: Sequence[str] = (),
    title: str = "",
    note: str = "",
) -> Figure:
    """Boxes, each with its name in it, and arrows between them.

    Args:
        boxes: for each name its (column, row), rows counted from the top.
        arrows: each (from, to, what it says).
        parameters: names of boxes with a dashed frame: they are learned, and all else is computed.
        title: above the figure.
        note: below it.

    Returns:
        The figure, closed.

    Raises:
        ValueError: when there is no box, an arrow's end or a parameter is no box, or two boxes share a place.

    >>> figure = flow({"X": (0, 0), "Q": (0, 1)}, [("X", "Q", "times W_Q")])
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    ['X', 'Q', 'times W_Q']
    """
    if not boxes:
        raise ValueError("boxes is empty: nothing to draw")
    named = [*parameters, *(end for first, last, _ in arrows for end in (first, last))]
    if strangers := [name for name in named if name not in boxes]:
        raise ValueError(f"{strangers[0]!r} is none of the boxes {', '.join(map(repr, boxes))}")
    if len(set(boxes.values())) < len(boxes):
        raise ValueError(f"two of the {len(boxes)} boxes share a place")
    columns, rows = zip(*boxes.values(), strict=True)
    height = (max(rows) - min(rows) + 1.2) * ROW_HEIGHT + 0.3 * (bool(title) + bool(note))
    with drawing(height=height) as (figure, [axes]):
        drawn = {}
        for name, (column, row) in boxes.items():
            learned = name in parameters
            frame = {"boxstyle": "round,pad=0.35", "linestyle": "--" if learned else "-"}
            frame |= {"facecolor": "white" if learned else WEIGHT_0, "edgecolor": COLOURS[0] if learned else LINE}
            drawn[name] = axes.text(column, row, name, ha="center", va="center", fontsize=12.5, bbox=frame, zorder=2)
        axes.set(xlim=(min(columns) - 0.5, max(columns) + 0.5), ylim=(max(rows) + 0.6, min(rows) - 0.6), title=title)
        axes.set_axis_off()
        if note:
            figure.supxlabel(note, x=0.01, ha="left", fontsize=10, color=MUTED)
        for first, last, says in arrows:
            ends = {"patchA": drawn[first].get_bbox_patch(), "patchB": drawn[last].get_bbox_patch()}
            look = {"arrowstyle": "-|>", "color": MUTED, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 1, **ends}
            axes.annotate(
                "", boxes[last], boxes[first], arrowprops=look, zorder=3
            )  # after its ends: it stops at their frames
            if says:
                (x0, y0), (x1, y1) = boxes[first], boxes[last]
                axes.text((x0 + x1) / 2, (y0 + y1) / 2, says, ha="center", va="center", fontsize=11.5, color=MUTED,
                          zorder=4, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0})  # fmt: skip
    return figure


def three_spaces() -> Figure:
    """The input space, and the attention space and the output space to which W_Q, W_K and W_V lead.

    Returns:
        The figure.

    >>> [text.get_text() for text in three_spaces().axes[0].texts if text.get_text()][3:]
    ['$W_Q$ and $W_K$', '$W_V$', 'weights']
    """
    x, qk, vy = "input space\n$d$ numbers", "attention space\n$d_k$ numbers", "output space\n$d_v$ numbers"
    arrows = [(x, qk, "$W_Q$ and $W_K$"), (x, vy, "$W_V$"), (qk, vy, "weights")]
    return flow({x: (1, 0), qk: (0, 1.6), vy: (2, 1.6)}, arrows, title="Three spaces, three matrices")
