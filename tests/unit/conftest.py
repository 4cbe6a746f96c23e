"""Fixtures for the tests of functions, figures and widgets: no site, no browser."""

from html.parser import HTMLParser
from itertools import combinations

import pytest
from matplotlib import pyplot as plt

from attnlib.plots import style


class Page(HTMLParser):
    """The tags, the table's cells, and the state of a widget's HTML."""

    def __init__(self, widget):
        super().__init__()
        self.tags, self.cells, self.state, self._open = [], [], "", []
        self.feed(widget.to_html())

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._open.append(tag)
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_endtag(self, tag):
        self._open.pop()

    def handle_data(self, data):
        if "script" in self._open:
            self.state += data
        elif self._open[-1:] in (["td"], ["th"]):
            self.cells[-1] += data


@pytest.fixture
def page_of():
    """Read what a page of the book holds of a widget."""
    return Page


@pytest.fixture
def hostile():
    """A text that would be a script, were it not shown as text."""
    return "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def assert_tidy():
    """Check a drawn page: no text covers another, and nothing leaves the sheet, which is as wide as a page."""
    return check_tidy


def check_tidy(figure):
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


@pytest.fixture
def one_thread():
    """One of torch's threads: on small matrices they wait for each other."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def no_network(monkeypatch):
    """An error for whatever opens a socket to another machine."""

    def refuse(*_):
        raise AssertionError("a socket is opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
