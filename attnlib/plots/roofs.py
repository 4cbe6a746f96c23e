"""The roofline: how fast work can be, by how much of it each byte that moves is good for, and how fast it was."""

import numpy as np
from matplotlib.figure import Figure

from attnlib.lab.roofline import Roofline
from attnlib.plots.style import COLOURS, DASHES, HEIGHT, MARKERS, MUTED, drawing


def roofline(*machines: Roofline, title: str = "") -> Figure:
    """The roofs of machines on two logarithmic axes, and under each what was measured on it.

    Args:
        machines: from 1 to 4; see `attnlib.lab.roofline.measure`.
        title: above the figure.

    Returns:
        The figure, closed.

    Raises:
        ValueError: for no machine or more than 4, and for a number that is not positive and finite.

    >>> from attnlib.lab.roofline import Point
    >>> figure = roofline(Roofline("a machine", 80e9, 20e9, {"a product": Point(8.0, 30e9)}), title="One roof")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['a product']
    """
    if not 1 <= len(machines) <= len(COLOURS):
        raise ValueError(f"got {len(machines)} machines; from 1 to {len(COLOURS)} can be drawn")
    for machine in machines:
        numbers = [machine.peak, machine.bandwidth, *(part for point in machine.points.values() for part in point)]
        if not all(0 < number < np.inf for number in numbers):
            raise ValueError(f"{machine.machine!r} has a number that is not positive and finite: {numbers}")
    found = [intensity for machine in machines for intensity, _ in machine.points.values()]
    ridges = [machine.ridge for machine in machines]
    along = np.geomspace(min(found + ridges) / 3, max(found + ridges) * 4, 200)
    with drawing(height=HEIGHT + 0.25 * len(machines)) as (figure, [axes]):
        for colour, dash, marker, machine in zip(COLOURS, DASHES, MARKERS, machines, strict=False):
            roof = [machine.bound(each) / 1e9 for each in along]
            axes.plot(along, roof, dash, color=colour, label=machine.machine)
            for name, (intensity, rate) in machine.points.items():
                axes.plot(intensity, rate / 1e9, marker, color=colour)
                axes.plot([intensity] * 2, [rate / 1e9, machine.bound(intensity) / 1e9], ":", color=MUTED, linewidth=1)
                axes.annotate(name, (intensity, rate / 1e9), xytext=(0, -5), textcoords="offset points",
                              ha="center", va="top", fontsize=10)  # fmt: skip
        axes.set(xscale="log", yscale="log", title=title, xlabel="multiply–adds for each byte that moves",
                 ylabel="billion multiply–adds a second")  # fmt: skip
        axes.margins(y=0.16)
        figure.legend(loc="outside lower left", fontsize=10.5)
    return figure
