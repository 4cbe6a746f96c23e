"""ScalingLab and attnlib.lab.scaling: the draws, their variance, and what √d_k mends."""

import numpy as np
import pytest

from attnlib import attention_weights, entropy
from attnlib.formatting import compact, text
from attnlib.lab import draw_scores, saturation, score_variance, seeded_uniform
from attnlib.lab.scaling import BROKEN
from attnlib.scaled_dot_product import softmax_jacobian
from attnlib.widgets import InputError, ScalingLab


def test_the_draws_are_uniform_with_variance_one_and_not_correlated():
    draws = seeded_uniform(200_000, seed=5)
    assert abs(draws.mean()) < 0.01
    assert abs(draws.var() - 1) < 0.01
    assert np.abs(draws).max() <= 3**0.5
    counts = np.histogram(draws, 20, (-(3**0.5), 3**0.5))[0]
    assert np.abs(counts / 10_000 - 1).max() < 0.05
    for lag in (1, 2, 16, 36):
        assert abs(np.corrcoef(draws[lag:], draws[:-lag])[0, 1]) < 0.01
    assert abs(np.corrcoef(draws, seeded_uniform(200_000, seed=6))[0, 1]) < 0.01


def test_any_part_of_the_draws_can_be_had_alone():
    whole = seeded_uniform(50, seed=3)
    assert (seeded_uniform(20, seed=3, start=30) == whole[30:]).all()
    assert seeded_uniform(0).shape == (0,)
    with pytest.raises(ValueError, match="seed must be 0 or more, got -1"):
        seeded_uniform(3, seed=-1)


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("d_k", [1, 3, 16])
def test_the_variance_is_the_predicted_one(broken, d_k):
    pairs = [draw_scores(40, 40, d_k, broken=broken, seed=seed) for seed in range(60)]
    measured = np.mean([scores**2 for scores in pairs]) - np.mean(pairs) ** 2
    assert measured == pytest.approx(score_variance(d_k, broken=broken), rel=0.08)


def by_hand(n_q, n_k, d_k, broken, seed):
    """The same scores, one component at a time."""
    scores = np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            vectors = []
            for row in (i, n_q + j):
                starts = [(0 if broken == "copies" else c) * (n_q + n_k) + row for c in range(d_k)]
                vector = np.concatenate([seeded_uniform(1, seed=seed, start=start) for start in starts])
                vector = {"variance": 2 * vector, "mean": vector + 1, "unit": vector / np.sqrt(vector @ vector)}.get(
                    broken, vector
                )
                vectors.append(vector)
            query, key = vectors
            scores[i, j] = query @ (query * (-1) ** j if broken == "sign" else key)
    return scores


@pytest.mark.parametrize("broken", BROKEN)
def test_the_scores_are_products_of_the_draws(broken):
    assert np.allclose(draw_scores(3, 4, 5, broken=broken, seed=2), by_hand(3, 4, 5, broken, 2))


def test_a_larger_width_keeps_the_components_that_there_were():
    smaller, larger = (draw_scores(2, 3, d_k, seed=1) for d_k in (4, 5))
    last = seeded_uniform(5, seed=1, start=4 * 5)
    assert np.allclose(larger - smaller, np.outer(last[:2], last[2:]))


def test_saturation_averages_over_the_rows():
    scores = np.array([[3.0, -1.0, 0.5], [0.0, 0.0, 0.0]])
    weights = attention_weights(scores, np.eye(3), scale=1)
    norms = [np.sqrt((softmax_jacobian(row) ** 2).sum()) for row in weights]
    expected = [scores.mean(), scores.var(), (weights[0, 0] + 1 / 3) / 2, entropy(weights).mean(), np.mean(norms)]
    assert np.allclose(saturation(scores), expected)
    one_has_all = saturation(np.array([[1000.0, 0.0]]))
    assert np.allclose(one_has_all[2:], [1, 0, 0])
    assert np.isclose(saturation(np.array([[0.0, 0.0]])).slope, 0.5)  # the largest that there is


def test_without_the_root_one_key_takes_all_and_with_it_nothing_moves():
    wide, narrow = ScalingLab(d_k=4096), ScalingLab(d_k=4)
    assert wide.measures.largest > 0.9 > 0.5 > narrow.measures.largest
    assert wide.measures.slope < 0.1 < 0.3 < narrow.measures.slope
    wide.scaled = narrow.scaled = True
    assert np.abs(np.subtract(wide.measures, narrow.measures)[2:]).max() < 0.2
    assert np.allclose(wide.scores * 64, draw_scores(20, 16, 4096, seed=1))


def test_each_broken_assumption_shows():
    _, variance, largest, _, _ = np.transpose([ScalingLab(d_k=4096, scaled=True, broken=b).measures for b in BROKEN])
    lab = dict(zip(BROKEN, zip(variance, largest, strict=True), strict=True))
    assert 0.5 < lab["none"][0] < 1.5
    assert lab["variance"][0] > 10
    assert lab["mean"][0] > 2
    assert lab["copies"][0] > 1000
    assert lab["sign"][0] > 1000
    assert lab["sign"][1] == pytest.approx(1 / 8)  # half of the keys tie
    assert lab["copies"][1] > 0.9
    assert lab["unit"][1] == pytest.approx(1 / 16, abs=1e-3)


BAD = {
    "d_k": (lambda: ScalingLab(d_k=3), "d_k must be one of 1, 2, .*, 4096, got 3"),
    "too wide": (lambda: ScalingLab(d_k=8192), "got 8192"),
    "assumption": (lambda: ScalingLab(broken="luck"), "broken must be one of none, variance, .*, got 'luck'"),
    "seed": (lambda: ScalingLab(seed=-1), "seed must be from 0 to 2147483647, got -1"),
    "no keys": (lambda: ScalingLab(n_k=0), "n_k must be from 1 to 1024, got 0"),
    "too many": (lambda: ScalingLab(n_q=33, n_k=32), "33 queries and 32 keys: there must be 1 to 1024 scores"),
    "a word": (lambda: draw_scores(1, 1, 1, broken="luck"), "broken must be one of none, .*, got 'luck'"),
    "a size": (lambda: draw_scores(0, 1, 1), "n_q must be 1 or more, got 0"),
    "no width": (lambda: score_variance(0), "d_k must be 1 or more"),
    "a row": (
        lambda: saturation(np.zeros((0, 3))),
        r"scores must have shape \(n_q, n_k\), none of them 0, got \(0, 3\)",
    ),
    "scores too large": (lambda: saturation(np.array([[1e300, -1e300]])), "the variance of scores leaves its range"),
    "NaN": (lambda: saturation(np.array([[0, np.nan]])), r"scores\[0, 1\] is nan"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_the_old_value_stays_after_a_bad_one():
    lab = ScalingLab()
    with pytest.raises(InputError):
        lab.d_k = 5
    assert lab.d_k == 4


def test_what_is_read_without_a_script(page_of):
    lab = ScalingLab(d_k=64, broken="copies")
    page = page_of(lab)
    lines = [page.cells[k : k + 6] for k in range(6, len(page.cells), 6)]
    assert [line[0] for line in lines[4:6]] == ["dₖ = 64", "dₖ = 64, ÷ √dₖ"]
    _, variance, *rest = lab.measures
    assert lines[4][1:] == [compact(variance), "4096.00", *map(text, rest)]
    lab.scaled = True
    assert lines[5][1:] == [compact(lab.measures.variance), "64.00", *map(text, lab.measures[2:])]
    assert [line[0] for line in lines[::2]] == [f"dₖ = {d}" for d in (1, 16, 64, 256, 4096)]


def test_the_title_is_text(page_of, hostile):
    page = page_of(ScalingLab(title=hostile, n_q=2, n_k=2))
    assert "img" not in page.tags
