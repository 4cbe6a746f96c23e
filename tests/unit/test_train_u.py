"""TrainU and the mathematics behind it, on the Python side."""

from pathlib import Path

import numpy as np
import pytest
import torch

from attnlib.lab.reading import kind_share, reading_gradient, reading_loss
from attnlib.widgets import InputError
from attnlib.widgets.train_u import FACTORS, KINDS, TrainU, best_factors, draw_points

RNG = np.random.default_rng(0)
FOUR = [[1, 0], [0, 1], [1, 1], [-1, 0]]


def drawn(rng):
    n, d, d_u, number = (int(one) for one in rng.integers([1, 1, 1, 1], [9, 5, 5, 4]))
    return rng.normal(size=(n, d)), rng.normal(size=(d, d_u)), rng.integers(number, size=n)


def by_torch(x, u, kinds):
    """The loss and its gradient, the share first and its logarithm then."""
    u = torch.tensor(u, requires_grad=True)
    projected = torch.tensor(x) @ u
    weights = torch.softmax(projected @ projected.T, dim=-1)
    same = torch.tensor(kinds[:, None] == kinds)
    loss = -(weights * same).sum(dim=-1).log().mean()
    loss.backward()
    return loss.item(), u.grad.numpy()


@pytest.mark.parametrize("seed", range(40))
def test_loss_and_gradient_are_those_of_torch_and_of_differences(seed):
    x, u, kinds = drawn(np.random.default_rng(seed))
    loss, expected = by_torch(x, u, kinds)
    gradient = reading_gradient(x, u, kinds)
    assert reading_loss(x, u, kinds) == pytest.approx(loss, abs=1e-10)
    assert np.abs(gradient - expected).max() <= 1e-10
    step = 1e-6
    for index in np.ndindex(u.shape):
        apart = np.zeros_like(u)
        apart[index] = step
        difference = (reading_loss(x, u + apart, kinds) - reading_loss(x, u - apart, kinds)) / (2 * step)
        assert gradient[index] == pytest.approx(difference, abs=1e-6)


def test_the_share_is_that_of_a_loop():
    weights, kinds = RNG.random((5, 5)), RNG.integers(3, size=5)
    expected = [sum(weights[i, j] for j in range(5) if kinds[i] == kinds[j]) for i in range(5)]
    assert kind_share(weights, kinds) == pytest.approx(expected)
    assert kind_share(weights.astype(np.float16), kinds).dtype == np.float16


def test_a_share_that_is_rounded_to_0_has_a_loss_and_a_gradient():
    x, kinds = np.array([[1.0], [40.0], [2.0]]), np.array([0, 1, 0])
    u = np.array([[8.0]])
    assert np.exp(-64.0 * 38) == 0
    assert reading_loss(x, u, kinds) == pytest.approx(64 * (40 - 2) / 3 + 64 * 2 * 38 / 3)
    assert np.isfinite(reading_gradient(x, u, kinds)).all()


def test_one_kind_alone_has_no_loss_and_a_rotation_changes_nothing():
    x, u, kinds = RNG.normal(size=(6, 2)), RNG.normal(size=(2, 2)), np.array([0, 1, 0, 1, 0, 1])
    assert reading_loss(x, u, np.zeros(6, int)) == 0
    assert (reading_gradient(x, u, np.zeros(6, int)) == 0).all()
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    assert reading_loss(x, u @ turn, kinds) == pytest.approx(reading_loss(x, u, kinds), abs=1e-12)
    assert np.allclose(reading_gradient(x, u @ turn, kinds), reading_gradient(x, u, kinds) @ turn)


def test_whole_numbers_will_do_and_a_dtype_is_kept(unchecked):
    x, kinds = [[1, 0], [0, 1], [1, 1]], [0, 0, 1]
    assert reading_loss(x, [[1], [2]], kinds) == reading_loss(np.array(x, float), np.array([[1.0], [2]]), kinds)
    small = reading_gradient(np.array(x, np.float32), np.array([[1], [2]], np.float32), kinds)
    assert small.dtype == np.float32
    assert np.allclose(small, reading_gradient(x, [[1], [2]], kinds))


@pytest.mark.parametrize("function", [reading_loss, reading_gradient])
@pytest.mark.parametrize(
    ("x", "u", "kinds", "says"),
    [
        (np.eye(2), np.eye(3), [0, 1], r"u must have one row for each column of x: x has shape \(2, 2\), u \(3, 3\)"),
        (np.eye(2), np.eye(2), [0], r"kinds must be one for each of 2 rows of x, \(n,\), got shape \(1,\)"),
        (np.eye(2), np.eye(2), [0.0, 1.0], "kinds must hold integers"),
        (np.zeros((0, 2)), np.eye(2), [], r"x must be a matrix with rows and columns, got shape \(0, 2\)"),
        (np.zeros(3), np.eye(2), [0], r"x must be a matrix with rows and columns, got shape \(3,\)"),
        (np.eye(2), np.zeros((2, 0)), [0, 1], r"u must be a matrix with rows and columns, got shape \(2, 0\)"),
        ([[1.0, np.nan]], np.eye(2), [0], r"x\[0, 1\] is nan: it must be finite"),
        (np.eye(2), [[1.0], [np.inf]], [0, 1], r"u\[1, 0\] is inf"),
        (np.full((2, 2), 1e200), np.eye(2), [0, 1], "x and u are too large for float64"),
    ],
)
def test_what_cannot_be_read_is_named(function, x, u, kinds, says, unchecked):
    with pytest.raises(ValueError, match=says):
        function(x, u, kinds)


def test_a_loss_may_fit_where_its_gradient_does_not(unchecked):
    x, kinds = np.array([[1e300], [2e300], [-1e300]]), [0, 1, 0]
    assert reading_loss(x, [[1e-200]], kinds) == pytest.approx(1e200 / 3)
    with pytest.raises(ValueError, match=r"out\[0, 0\] leaves its range: x and u are too large for float64"):
        reading_gradient(x, [[1e-200]], kinds)
    near = np.array([[0.65e154]] * 8 + [[1.3e154]])  # the sum of the losses leaves the range, their mean does not
    assert np.isfinite(reading_loss(near, [[1.0]], list(range(9))))


@pytest.mark.parametrize(
    ("weights", "kinds", "says"),
    [
        (np.ones((2, 3)), [0, 1], r"weights must have shape \(n, n\) with n ≥ 1, got \(2, 3\)"),
        (np.zeros((0, 0)), [], r"weights must have shape \(n, n\)"),
        (np.eye(2), [0, 1, 1], r"kinds must be one for each of 2 rows of weights, \(n,\), got shape \(3,\)"),
        ([[np.nan]], [0], r"weights\[0, 0\] is nan"),
        (np.full((2, 2), 1.7e308), [0, 0], "weights are too large for float64"),
    ],
)
def test_shares_that_cannot_be_are_named(weights, kinds, says, unchecked):
    with pytest.raises(ValueError, match=says):
        kind_share(weights, kinds)


def test_factors_for_the_axes_do_not_reach_the_goal():
    scores = [np.multiply.outer(column, column) for column in draw_points().T]  # of each axis by itself
    same = np.equal.outer(KINDS, KINDS)
    reached = (0.0, 0.0, 0.0)
    for across in np.arange(61) / 20:
        for up in np.arange(61) / 20:
            raised = np.exp(across**2 * scores[0] + up**2 * scores[1])
            share = ((raised * same).sum(axis=1) / raised.sum(axis=1)).mean()
            reached = max(reached, (share, across, up))
    assert reached == pytest.approx((0.7208, 0.75, 1.95), abs=1e-4)
    assert TrainU(u=np.diag(reached[1:])).share == pytest.approx(reached[0], abs=1e-12)
    points = tuple(map(tuple, draw_points().tolist()))
    assert best_factors(points, KINDS) == reached[1:]
    assert FACTORS.tolist() == (np.arange(61) / 20).tolist()


def test_the_sum_of_the_axes_passes_the_goal():
    shares = [TrainU(handed=True, u=[[c, 0], [c, 0]]).share for c in (1.0, 2.0, 3.0)]
    assert shares[1] > 0.99
    assert max(shares) == shares[-1] > 0.999


def test_gradient_descent_passes_the_goal_within_the_bounds():
    start = TrainU(handed=True)
    shares, losses, u = [], [], start.u
    for _ in range(400):
        one = TrainU(handed=True, u=u)
        u = one.stepped(1)
        assert np.allclose(u, one.matrix - one.rate * one.gradient, atol=1e-15)
        one.u = u
        shares.append(one.share)
        losses.append(one.loss)
        assert np.abs(u).max() < 2
    passed = np.round(np.array(shares) * 100) >= 90  # as the page shows it
    assert (np.argmax(passed) + 1, passed.sum()) == (25, 400 - 24)
    assert (np.diff(losses) < 0).all()
    assert shares[39] == pytest.approx(0.9331, abs=1e-4)
    assert (start.stepped(40) == TrainU(handed=True, u=start.stepped(39)).stepped(1)).all()


def test_steps_are_held_within_the_bounds():
    wide = TrainU(handed=True, u=[[2.9, 0], [0, 0.1]], rate=5.0)
    assert np.abs(wide.stepped(30)).max() <= 3


def test_until_the_whole_is_handed_over_the_diagonal_counts_alone():
    u = [[1.5, 2.0], [-1.0, -0.5]]
    plain = TrainU(u=u, turn=30.0)
    assert plain.matrix.tolist() == [[1.5, 0], [0, 0.5]]
    assert plain.share == TrainU(u=[[1.5, 0], [0, 0.5]]).share == TrainU(u=[[-1.5, 0], [0, 0.5]], handed=True).share
    assert TrainU(u=u, handed=True).matrix.tolist() == u


@pytest.mark.parametrize("turn", [-180.0, -35.0, 90.0, 180.0])
def test_turning_changes_neither_weights_nor_loss(turn):
    u = [[1.0, 0.4], [-0.3, 2.0]]
    plain, turned = TrainU(u=u, handed=True), TrainU(u=u, handed=True, turn=turn)
    assert not np.allclose(plain.matrix, turned.matrix)
    assert np.allclose(plain.matrix @ plain.matrix.T, turned.matrix @ turned.matrix.T)
    assert np.allclose(plain.weights, turned.weights, atol=1e-12)
    assert plain.loss == pytest.approx(turned.loss, abs=1e-12)
    across = np.array([1.0, 0.0]) @ TrainU(handed=True, turn=90.0).matrix
    assert across == pytest.approx([0, 1])  # counter-clockwise


def test_the_tokens_lie_aslant_in_two_kinds():
    points, kinds = draw_points(), np.array(KINDS)
    assert TrainU().points == points.tolist()
    sums = points.sum(axis=1)
    assert sums[kinds == 1].min() > 0 > sums[kinds == 0].max()
    apart = np.linalg.norm(points[:, None] - points, axis=-1) + np.eye(12)
    assert apart.min() > 0.19  # no dot covers another


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"points": np.zeros((3, 2)), "kinds": [0, 1, 0]}, "3 points are fewer than the 4 that are needed"),
        ({"points": np.zeros((25, 2)), "kinds": [0, 1] * 12}, "points must have from 1 to 24 entries, got 25"),
        ({"points": np.zeros((4, 3))}, r"points must have shape \(n, 2\) with n ≥ 1, got \(4, 3\)"),
        ({"points": FOUR}, "12 kinds for 4 points"),
        ({"points": FOUR, "kinds": [0, 1, 1, 2]}, r"kinds\[3\] is 2, not 0 or 1"),
        ({"points": FOUR, "kinds": [0, 0.5, 1, 1]}, r"kinds\[1\] is 0.5, not 0 or 1"),
        ({"points": FOUR, "kinds": [-1, 0, 1, 1]}, r"kinds\[0\] is −1, not 0 or 1"),
        ({"points": FOUR, "kinds": [0, 0, 0, 1]}, "kinds has 1 of the kind 1: two or more are needed"),
        ({"points": FOUR, "kinds": [1, 1, 1, 1]}, "kinds has 0 of the kind 0"),
        ({"points": [*FOUR[:3], [0, -3.5]], "kinds": [0, 0, 1, 1]}, r"points\[3, 1\] is −3.5, outside −3 to 3"),
        ({"points": [*FOUR[:3], [np.nan, 0]], "kinds": [0, 0, 1, 1]}, r"points\[3, 0\] is nan"),
        ({"u": [[1, 0], [3.2, 1]]}, r"u\[1, 0\] is 3.2, outside −3 to 3"),
        ({"u": [1, 1]}, r"u must have shape \(2, 2\), got \(2,\)"),
        ({"turn": 181.0}, "turn must be from -180 to 180, got 181"),
        ({"rate": 0.0}, "rate must be from 0.001 to 5, got 0"),
        ({"moves": -1}, "moves must be from 0 to 9999, got -1"),
        ({"losses": [0.5, -0.1]}, r"losses\[1\] is −0.1, below 0"),
        ({"losses": [0.5, np.inf]}, r"losses\[1\] is inf"),
        ({"losses": [0.5] * 401}, "losses must have from 0 to 400 entries, got 401"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        TrainU(**options)


def test_four_tokens_and_twenty_four_will_do():
    few = TrainU(FOUR, [0, 1, 0, 1])
    many = TrainU(np.clip(RNG.normal(size=(24, 2)), -3, 3), [0, 1] * 12, handed=True)
    for one in (few, many):
        assert one.weights.sum(axis=1) == pytest.approx(np.ones(len(one.points)))
        assert "the two factors with the largest share" in one.to_html()


def test_without_a_script_both_states_stand_in_print(page_of):
    page = page_of(TrainU())
    assert page.cells[-12:] == [
        "U as it is here",
        "[1.00 0.00; 0.00 1.00]",
        "66%",
        "0.50",
        "the two factors with the largest share",
        "[0.75 0.00; 0.00 1.95]",
        "72%",
        "0.40",
        "the whole U, after 40 steps from the identity",
        "[1.07 0.53; 0.50 1.29]",
        "93%",
        "0.07",
    ]
    assert page_of(TrainU(handed=True, u=[[1, -1], [1, 1]])).cells[-11] == "[1.00 −1.00; 1.00 1.00]"
    assert page_of(TrainU(training=False)).cells[-6:] == [  # what a reader is to find is not told
        *("as it is here", "[1.00 0.00; 0.00 1.00]", "66%"),
        *("the two factors with the largest share", "[0.75 0.00; 0.00 1.95]", "72%"),
    ]


def test_chapter_2_says_how_far_the_best_factors_get():
    def share(points):
        one = TrainU(points)
        best = best_factors(tuple(map(tuple, one.points)), tuple(one.kinds))
        return TrainU(points, handed=True, u=np.diag(best)).share

    text = Path("chapters/02_learnable_u.md").read_text(encoding="utf8")
    reached = sum(share(draw_points(seed).clip(-3, 3)) >= 0.9 for seed in range(100))
    assert f"in {reached} of 100 such draws the best two factors from 0 to 3 reach 90 %" in text
    assert f"the best two factors from 0 to 3 reach {100 * share(draw_points()):.0f} %." in text
