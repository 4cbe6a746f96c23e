"""The book's static figures: one look, shared with the widgets. None is pyplot's: a notebook shows it once, as a value."""

from attnlib.plots.boxes import flow, one_query, three_spaces
from attnlib.plots.colours import oklab
from attnlib.plots.diagrams import calculation, pipeline
from attnlib.plots.films import chunk, training_and_writing
from attnlib.plots.grid import draw_grid, heatmap
from attnlib.plots.lines import exponent, histograms, log_log, ranges
from attnlib.plots.maps import rate_maps
from attnlib.plots.roofline import roofline
from attnlib.plots.scores import three_variances, walks
from attnlib.plots.style import COLOURS, STYLE, WEIGHT_0, WEIGHT_1, WEIGHTS
from attnlib.plots.vectors import plane, planes

__all__ = [
    "COLOURS", "STYLE", "WEIGHTS", "WEIGHT_0", "WEIGHT_1", "calculation", "chunk", "draw_grid", "exponent", "flow",
    "heatmap", "histograms", "log_log", "oklab", "one_query", "pipeline", "plane", "planes", "ranges", "rate_maps", "roofline",
    "three_spaces", "three_variances", "training_and_writing", "walks",
]  # fmt: skip
