"""Training from several starts at once."""

import pytest
import torch

from attnlib.training.tasks import learn


def line(count, draw, w):
    """Each of three starts looks for w = 3, and sees samples of its own."""
    x = torch.randn(3, count, 1, 1, generator=draw)
    return ((x @ w - 3 * x) ** 2).mean(dim=(1, 2, 3))


def test_each_start_begins_elsewhere_and_finds_what_is_asked_for():
    before, (begun,) = learn(line, [(1, 1)], starts=3, steps=0)
    after, (found,) = learn(line, [(1, 1)], starts=3, steps=600)
    assert len({round(w, 6) for w in begun.flatten().tolist()}) == 3
    assert torch.allclose(found, torch.tensor(3.0), atol=0.01)
    assert (after < 1e-3).all()
    assert (before > 1).all()
    assert not found.requires_grad


def test_the_test_comes_after_the_last_step_with_its_own_number_of_samples():
    counts = []

    def counted(count, draw, w):
        counts.append((count, w.requires_grad))
        return line(count, draw, w)

    learn(counted, [(1, 1)], starts=3, steps=4, batch=5, test=7)
    assert counts == [(5, True)] * 4 + [(7, False)]


@pytest.mark.parametrize("shape", [(), (1,), (3, 1)])
def test_a_loss_that_is_not_one_number_a_start_is_refused(shape):
    with pytest.raises(ValueError, match="one number for each of 3 starts, got shape"):
        learn(lambda count, draw, w: line(count, draw, w).sum().expand(shape), [(1, 1)], starts=3)
