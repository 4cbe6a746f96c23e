"""What every drawn page keeps: no text covers another, and nothing leaves the sheet, which is as wide as a page."""

from itertools import combinations

from matplotlib import pyplot as plt

from attnlib.plots import style


def assert_tidy(figure):
    figure.draw_without_rendering()
    for axes in figure.axes:
        boxes = [(text.get_text(), text.get_window_extent()) for text in axes.texts if text.get_text()]
        for (one, box), (other, another) in combinations(boxes, 2):
            assert not box.overlaps(another), (one, other)
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()  # inches
    assert min(drawn.x0, drawn.y0) > -0.02
    assert drawn.x1 < width + 0.02
    assert drawn.y1 < height + 0.02
    assert width == style.WIDTH
    assert plt.get_fignums() == []
