"""The book's static figures: one look, shared with the widgets. Each is closed: a notebook shows it once, as a value."""

from attnlib.plots.boxes import flow, one_query, three_spaces
from attnlib.plots.colours import oklab
from attnlib.plots.costs import cost_page
from attnlib.plots.diagrams import calculation, pipeline
from attnlib.plots.grid import draw_grid, heatmap
from attnlib.plots.heads import multi_head_shapes
from attnlib.plots.lines import exponent, histograms, log_log, ranges
from attnlib.plots.masks import masks_page
from attnlib.plots.scaling import scaling_page
from attnlib.plots.stages import stages_page
from attnlib.plots.style import COLOURS, STYLE, WEIGHT_0, WEIGHT_1, WEIGHTS
from attnlib.plots.vectors import plane, planes

__all__ = [
    "COLOURS",
    "STYLE",
    "WEIGHTS",
    "WEIGHT_0",
    "WEIGHT_1",
    "calculation",
    "cost_page",
    "draw_grid",
    "exponent",
    "flow",
    "heatmap",
    "histograms",
    "log_log",
    "masks_page",
    "multi_head_shapes",
    "oklab",
    "one_query",
    "pipeline",
    "plane",
    "planes",
    "ranges",
    "scaling_page",
    "stages_page",
    "three_spaces",
]
