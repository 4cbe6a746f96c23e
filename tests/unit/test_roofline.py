"""The roofline: what is measured lies under the roof that the counts give, and the figure says what it was given."""

import json

import numpy as np
import pytest

from attnlib import cost, plots
from attnlib.lab import roofline
from attnlib.lab.roofline import Point, Roofline

SOME = Roofline("a machine", 80e9, 20e9, {"a product": Point(8.0, 30e9), "a copy": Point(0.25, 4e9)})


def test_the_counts_are_those_of_the_cost_module():
    found = roofline.measure(256, runs=1)
    counts = (cost.attention_cost(256, 256, 64, 64), cost.streaming_cost(256, 256, 64, 64),
              cost.attention_cost(1, 256, 128, 128, num_heads=32))  # fmt: skip
    for counted, measured in zip(counts, found.points.values(), strict=True):
        assert measured.intensity == counted.multiply_adds / counted.bytes_moved
        assert measured.rate > 0


def test_one_query_does_less_for_each_byte_than_a_text():
    whole, tiles, writing = roofline.measure(512, runs=1).points.values()
    assert writing.intensity < 0.25 < whole.intensity < tiles.intensity


def test_the_bound_is_the_lesser_and_they_meet_at_the_ridge():
    assert SOME.ridge == 4
    assert [SOME.bound(intensity) for intensity in (1, 4, 100)] == [20e9, 80e9, 80e9]


@pytest.mark.parametrize(
    ("given", "says"),
    [({"n": 63}, "n"), ({"width": 0}, "width"), ({"num_heads": 0}, "num_heads"), ({"runs": 0}, "runs")],
)
def test_a_size_below_its_least_is_named(given, says):
    with pytest.raises(ValueError, match=says):
        roofline.measure(**given)


def test_the_fastest_run_counts(monkeypatch):
    ticks = iter([0, 5, 10, 12, 20, 23])
    monkeypatch.setattr(roofline.time, "perf_counter", lambda: next(ticks))
    assert roofline.fastest(lambda: None, 3) == 2


def test_the_figure_has_a_roof_for_each_machine_and_a_mark_for_each_point():
    other = Roofline("another", 40e9, 40e9, {})
    axes = plots.roofline(SOME, other, title="Two").axes[0]
    assert axes.get_legend_handles_labels()[1] == ["a machine", "another"]
    assert [text.get_text() for text in axes.texts] == ["a product", "a copy"]
    roof = axes.lines[0]
    expected = [SOME.bound(each) / 1e9 for each in roof.get_xdata()]
    assert np.allclose(roof.get_ydata(), expected)
    marks = [line.get_xydata()[0].tolist() for line in axes.lines if line.get_marker() == "o"]
    assert marks == [[8, 30], [0.25, 4]]


@pytest.mark.parametrize(
    "broken", [SOME._replace(peak=0), SOME._replace(bandwidth=np.nan), SOME._replace(points={"x": Point(1, np.inf)})]
)
def test_a_figure_refuses_numbers_that_logarithmic_axes_cannot_hold(broken):
    with pytest.raises(ValueError, match="not positive and finite"):
        plots.roofline(broken)
    with pytest.raises(ValueError, match="got 0 machines"):
        plots.roofline()


@pytest.mark.parametrize(
    ("work", "runs", "error", "told"),
    [
        (3, 2, TypeError, "work must be a function, got 3"),
        (len, 2.0, TypeError, "runs must be an integer"),
        (len, 0, ValueError, "runs must be 1"),
    ],
)
def test_what_cannot_be_timed_is_refused_before_it_runs(work, runs, error, told, unchecked):
    with pytest.raises(error, match=told):
        roofline.fastest(work, runs)


def test_what_was_recorded_names_its_machine_and_the_script_writes_it(monkeypatch, tmp_path, one_thread):
    torch = pytest.importorskip("torch")
    from attnlib.training import roofline as recording

    kept = roofline.recorded()
    assert kept.machine.startswith("PyTorch on ")
    assert list(kept.points) == list(roofline.WAYS)
    assert all(one.rate < kept.peak for one in kept.points.values())
    small = recording.measure(torch.device("cpu"), 128, 64, 1000)
    monkeypatch.setattr(recording, "measure", lambda *sizes: small)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("sys.argv", ["roofline", "--out", str(out := tmp_path / "made.json")])
    recording.main()
    made = json.loads(out.read_text("utf8"))
    assert made["command"] == "python -m attnlib.training.roofline"
    assert {name: Point(**one) for name, one in made["points"].items()} == small.points
    assert made["machine"].endswith("numbers of 4 bytes")
