"""The map of learning rates: what the file holds, that a part of it comes out again, and what the root is for SGD."""

import itertools
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from attnlib.lab import rates

torch = pytest.importorskip("torch")

from attnlib.training import rates as training  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")
WITHOUT, WITH, SMALL = training.WAYS


def test_the_file_is_what_the_command_writes(monkeypatch, tmp_path):
    """Recorded with one answer for every cell, which the shapes, names, rates and sizes do not ask for."""
    monkeypatch.setattr(training, "right_at", lambda plan, way, d_k, rates: [[7] * 5 for _ in rates])
    monkeypatch.setattr("sys.argv", ["rates", "--out", str(out := tmp_path / "rates.json")])
    training.main()
    made, kept = json.loads(out.read_text("utf8")), json.loads(Path("attnlib/data/rates.json").read_text("utf8"))
    assert {
        type(count) for one in kept["maps"].values() for count in np.ravel(list(one["right"].values())).tolist()
    } == {int}
    for name, one in kept["maps"].items():
        right = {way: np.full(np.shape(counts), 7).tolist() for way, counts in one["right"].items()}
        assert made["maps"][name] == one | {"right": right}
    assert made | {"maps": 0} == kept | {"maps": 0}


@pytest.mark.parametrize("name", training.PLANS)
def test_shares_stand_by_width_rate_and_seed(name):
    found = rates.recorded(name)
    assert found.widths == (4, 16, 64, 256)
    assert np.array_equal(np.diff(np.log2(found.rates)), np.ones(16))
    for shares in found.right.values():
        assert shares.shape == (4, 17, 5)
        assert 0.02 < shares.min() < shares.max() < 1
        assert max(shares[:, 0].max(), shares[:, -1].max()) < 0.8  # the lowest rate is too low, the highest too high


def test_the_map_that_the_book_shows_has_these_rates_that_serve_with_every_seed():
    found = rates.recorded("SGD")
    ends = {
        way: [
            (min(some), max(some))
            for some in ([r for r, s in zip(found.rates, row, strict=True) if s.min() >= 0.9] for row in shares[1:])
        ]
        for way, shares in found.right.items()
    }
    assert ends[WITHOUT] == [(1 / 32, 1 / 2), (1 / 16, 1 / 4), (1 / 32, 1 / 2)]
    assert ends[WITH] == [(1 / 16, 2), (1 / 16, 4), (1 / 16, 4)]
    assert ends[SMALL] == [(1 / 64, 1 / 2), (1 / 128, 1 / 2), (1 / 256, 1 / 4)]


def test_another_map_is_refused():
    with pytest.raises(
        ValueError, match="name must be one of 'SGD', 'Adam', 'SGD, one rate', 'Adam, one rate', got 'sgd'"
    ):
        rates.recorded("sgd")


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("Adam", WITH),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in (("SGD", WITHOUT), ("SGD", WITH), ("SGD", SMALL), ("SGD, one rate", WITH))
        ),
    ],
)
def test_a_corner_comes_out_again(name, way):
    """At d_k = 16 and a rate in the middle; answers near a tie may differ on another machine."""
    plan = training.PLANS[name]
    middle = plan.rates[9]
    again = np.array(training.right_at(plan, training.WAYS[way], 16, [middle])) / training.NEW
    assert again == pytest.approx(rates.recorded(name).right[way][1, 9:10], abs=0.01)


def test_new_questions_are_none_that_were_trained_on_and_seeds_differ():
    trained, new = training.questions(1, 50), training.questions(2, 50)
    firsts = [part.called[..., 0].flatten().tolist() for part in (trained, new)]
    assert len({*firsts[0], *firsts[1]}) == 2 * 5 * 50
    more = training.questions(1, 2)
    assert more.right.shape == (5, 2)


def test_the_right_letter_is_that_of_the_nearest_name():
    asked = training.questions(2, 400)
    nearest = (asked.names - asked.called[:, :, None]).square().sum(dim=-1).argmin(dim=-1)
    letters = asked.values.argmax(dim=-1).take_along_dim(nearest[..., None], 2)[..., 0]
    assert (letters == asked.right).double().mean() > 0.98


def test_rates_that_train_side_by_side_do_not_meet():
    asked, first = training.questions(1, 72), training.start(4)
    train = partial(training.train, asked, first, training.Way(), torch.optim.SGD)
    for alone, beside in zip([*train([0.5]), *train([0.01])], train([0.5, 0.01]), strict=True):
        for one, other in zip(alone, beside, strict=True):
            assert torch.allclose(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("d_k", training.WIDTHS)
@pytest.mark.parametrize(
    ("optimiser", "power", "rate"),
    [(torch.optim.SGD, 1 / 2, 0.5), (partial(torch.optim.Adam, eps=0.0), 1 / 4, 0.02)],
    ids=["SGD", "Adam"],
)
def test_the_root_is_a_smaller_start_and_a_smaller_rate(d_k, optimiser, power, rate):
    """Step by step: scores without the root, from W/d_k^(1/4), at the rate divided by √d_k (for Adam by d_k^(1/4))."""
    shrink, root, small = d_k**0.25, training.WAYS[WITH], training.WAYS[SMALL]
    new = training.questions(2, 50)
    for steps in (1, 2, 3, 10):
        asked = training.questions(1, steps * training.BATCH)
        (scaled,) = training.train(asked, training.start(d_k), root, optimiser, [rate], 0.5)
        (other,) = training.train(asked, training.start(d_k, small), small, optimiser, [rate / d_k**power], 0.5)
        w_q, w_k, w_o = other
        for one, same in zip(scaled, (shrink * w_q, shrink * w_k, w_o), strict=True):
            assert torch.allclose(one, same, rtol=0, atol=1e-10)
        assert torch.allclose(
            training.answer(new, scaled, root), training.answer(new, other, small), rtol=0, atol=1e-10
        )
    (start_alone,) = training.train(asked, training.start(d_k, small), small, optimiser, [rate], 0.5)
    (rate_alone,) = training.train(asked, training.start(d_k), training.Way(), optimiser, [rate / d_k**power], 0.5)
    for half in (start_alone, rate_alone):
        apart = training.answer(new, scaled, root) - training.answer(new, half, small)
        assert apart.abs().max() > 1e-3


@pytest.mark.parametrize(("row", "columns"), [(0, 1), (1, 2), (2, 3), (3, 4)])
def test_the_third_map_of_sgd_is_the_second_slid_by_the_root(row, columns):
    """Rates are powers of 2, and √d_k is 2, 4, 8 and 16. At high rates d_k^(1/4) of 4 and 64 is rounded, and it shows."""
    right = rates.recorded("SGD").right
    with_root, small = right[WITH][row, columns:], right[SMALL][row, :-columns]
    exact = len(small) if row in (1, 3) else 10 - columns
    assert np.array_equal(with_root[:exact], small[:exact])
    assert with_root == pytest.approx(small, abs=0.3)
    assert not np.array_equal(right[WITH][row, :exact], small[:exact])


def working(shares, enough=0.9):
    """How many rates serve with every seed: for each width, and for all three from 16 on at once."""
    serves = shares.min(axis=-1) >= enough
    return serves.sum(axis=1).tolist(), int(serves[1:].all(axis=0).sum())


@pytest.mark.parametrize(("name", "enough"), list(itertools.product(training.PLANS, [0.85, 0.9])))
def test_with_the_root_more_rates_serve_and_more_serve_all_widths(name, enough):
    right = rates.recorded(name).right
    (each, every), (each_root, every_root) = working(right[WITHOUT], enough), working(right[WITH], enough)
    assert each[0] == each_root[0] == 0  # four components cannot tell the names apart
    assert all(root > none for root, none in zip(each_root[1:], each[1:], strict=True))
    assert every_root >= every + 2
