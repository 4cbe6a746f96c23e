"""The picture that a shared link shows, and the small one of old browsers' tabs, drawn from the running example.

Drawn once for each state of `attnlib`, of this folder and of the title; a build with nothing changed skips it.
"""

import textwrap
from pathlib import Path

from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from sphinx.application import Sphinx

from attnlib import houston
from attnlib.plots import COLOURS, WEIGHT_1, draw_grid
from fonts import fonts
from freshness import digest, once

SIZE = (1200, 630)  # pixels, as the Open Graph protocol's readers expect
PAPER, INK, MUTED = "#fffefb", "#1d2126", "#5a6068"


def draw_preview(title: str, font: Path, target: Path) -> None:
    """The book's title beside the grid of the landing page."""
    figure = Figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), dpi=100, facecolor=PAPER)
    serif = FontProperties(fname=str(font))
    figure.text(0.06, 0.86, textwrap.fill(title, 18), font=serif, fontsize=37, color=INK, va="top", linespacing=1.1)
    figure.text(0.06, 0.12, "An interactive book", font=serif, fontsize=20, color=MUTED)
    figure.add_artist(Rectangle((0, 0), 0.012, 1, transform=figure.transFigure, color=COLOURS[0]))
    last = houston.stages()[-1]
    axes = figure.add_axes((0.57, 0.12, 0.38, 0.7))
    draw_grid(axes, houston.TOKENS, last.weights[houston.PREVIOUS], last.mask)
    axes.tick_params(labelsize=14, labelcolor=INK)
    for text in axes.texts:
        text.set(fontsize=15, color=INK)
    figure.savefig(target)


def draw_icon(target: Path) -> None:
    """A causal grid of three tokens, 64 × 64 pixels."""
    figure = Figure(figsize=(0.64, 0.64), dpi=100)
    figure.patch.set_alpha(0)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    for row in range(3):
        for column in range(row + 1):
            axes.barh(2 - row, 0.86, 0.86, column, color=COLOURS[0] if row == column else WEIGHT_1)
    axes.set(xlim=(-0.07, 2.93), ylim=(-0.5, 2.5))
    figure.savefig(target)


def draw_all(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    preview, icon = (Path(app.outdir) / "_static" / name for name in ("preview.png", "favicon.png"))

    def draw() -> None:
        font = Path(app.doctreedir) / "serif.ttf"
        with TTFont(fonts(Path(app.srcdir) / "node_modules")["fonts/serif.woff2"]) as source:
            source.flavor = None
            instantiateVariableFont(source, {"wght": 600}, inplace=True)
            source.save(font)
        draw_preview(app.config.html_title, font, preview)
        draw_icon(icon)

    key = (
        f"{app.config.attnlib_digest} {app.config.site_digest} {digest(Path(__file__).parent)} {app.config.html_title}"
    )
    once(app, "preview", key, [preview, icon], draw)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", draw_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
