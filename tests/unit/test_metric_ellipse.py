"""MetricEllipse on Python's side: its numbers, its errors, and what it says where no script runs."""

import json

import numpy as np
import pytest

from attnlib import attention_weights, houston
from attnlib.lab import cycle_product, stretch_matrix
from attnlib.widgets import InputError, MetricEllipse

X = np.random.default_rng(0).normal(size=(3, 2))


def an_ellipse(**options):
    return MetricEllipse("abc", X, ["east", "north"], **{"along": 1.5, "across": 0.25, "angle": 30.0, **options})


def test_scores_and_weights_are_those_of_attnlib():
    ellipse = an_ellipse()
    u = stretch_matrix(1.5, 0.25, 30)
    assert np.allclose(ellipse.u, u)
    assert np.allclose(ellipse.scores, X @ u @ (X @ u).T)
    assert np.allclose(ellipse.weights, attention_weights(X @ u, X @ u, scale=1))


@pytest.mark.parametrize("angle", [0, 35, -90])
@pytest.mark.parametrize("across", [0.0, 0.4, 2.0])
def test_scores_are_symmetric_whatever_u_and_weights_are_not(across, angle):
    ellipse = MetricEllipse(across=across, angle=angle)
    weights = ellipse.weights
    assert np.allclose(ellipse.scores, ellipse.scores.T)
    assert abs(weights - weights.T).max() > 0.05
    assert cycle_product(weights, [0, 1, 4]) == pytest.approx(cycle_product(weights, [4, 1, 0]))


def test_the_words_regroup_when_letters_no_longer_count():
    ellipse = MetricEllipse()
    assert ellipse.tokens == list(houston.TOKENS)
    assert ellipse.weights[0, 4] > ellipse.weights[0, 1]  # two long words
    ellipse.across = 0.0
    assert ellipse.weights[0, 1] > 4 * ellipse.weights[0, 4]  # two words for people
    people, rest = {"Houston", "we"}, {"have", "a", "problem"}
    for token, other in zip(ellipse.tokens, ellipse.most_read, strict=True):
        assert {token, other} <= people or {token, other} <= rest


BAD = {
    "tokens": (lambda: MetricEllipse("ab", X), "2 tokens for 3 points"),
    "no tokens of one's own": (lambda: MetricEllipse(points=X), "5 tokens for 3 points"),
    "one token": (lambda: MetricEllipse("a", X[:1]), "tokens must have from 2 to 16 entries, got 1"),
    "too many": (lambda: MetricEllipse("a" * 17, np.zeros((17, 2))), "tokens must have from 2 to 16 entries, got 17"),
    "width": (lambda: MetricEllipse("abc", np.eye(3)), r"points must have shape \(n, 2\).*got \(3, 3\)"),
    "NaN": (lambda: MetricEllipse("abc", X * np.nan), r"points\[0, 0\] is nan"),
    "axes": (lambda: MetricEllipse("abc", X, ["one"]), "axes must have from 2 to 2 entries, got 1"),
    "stretch": (lambda: setattr(an_ellipse(), "across", -0.1), "across must be from 0 to 2, got -0.1"),
    "no stretch": (lambda: an_ellipse(along=float("nan")), "along must be from 0 to 2, got nan"),
    "angle": (lambda: an_ellipse(angle=float("inf")), "angle must be finite, got inf"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_the_page_form_holds_both_grids_and_the_whole_state(page_of):
    ellipse = an_ellipse()
    page = page_of(ellipse)
    assert page.tags.count("table") == page.tags.count("figcaption") == 2
    numbers = [f"{x:.2f}".replace("-", "−").replace("−0.00", "0.00") for x in ellipse.scores[1]]
    assert numbers == page.cells[page.cells.index(f"b ({X[1, 0]:.2f}, {X[1, 1]:.2f})".replace("-", "−")) :][1:4]
    assert page.cells[-5:] == ["c", *[f"{x:.2f}" for x in ellipse.weights[2]], ellipse.most_read[2]]
    state = json.loads(page.state)
    assert (state["along"], state["across"], state["angle"]) == (1.5, 0.25, 30.0)
    assert state["points"] == X.tolist()


def test_names_are_text_and_never_html(page_of, hostile):
    page = page_of(MetricEllipse([hostile, "b", "c"], X, [hostile, hostile], title=hostile, provenance=hostile))
    assert "img" not in page.tags
    assert any(hostile in cell for cell in page.cells)
    assert "</script" not in page.state
