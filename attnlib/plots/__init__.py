"""The book's static figures: one look, shared with the widgets. None is pyplot's: a notebook shows it once, as a value."""

from attnlib.plots.boxes import flow, three_spaces
from attnlib.plots.colours import oklab
from attnlib.plots.diagrams import calculation, pipeline, three_tilings
from attnlib.plots.films import chunk, training_and_writing
from attnlib.plots.grid import draw_grid, heatmap
from attnlib.plots.lines import exponent, log_log, ranges
from attnlib.plots.roofs import roofline
from attnlib.plots.rows import dots
from attnlib.plots.scores import three_variances, walks
from attnlib.plots.style import COLOURS, STYLE, WEIGHT_0, WEIGHT_1, WEIGHTS
from attnlib.plots.vectors import plane

__all__ = [
    "COLOURS", "STYLE", "WEIGHTS", "WEIGHT_0", "WEIGHT_1", "calculation", "chunk", "dots", "draw_grid", "exponent", "flow",
    "heatmap", "log_log", "oklab", "pipeline", "plane", "ranges", "roofline",
    "three_spaces", "three_tilings", "three_variances", "training_and_writing", "walks",
]  # fmt: skip
