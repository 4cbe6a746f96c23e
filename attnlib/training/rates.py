"""Record at which learning rates a look-up is learned, with and without the root, in attnlib/data/rates.json.

    python -m attnlib.training.rates [--out FILE]     # a few minutes on one thread

The task is chapter 4's. Eight items have names of 16 random numbers and one of 10 letters each. A name is called, with
noise: which letter has its item? Queries come from the called name, keys from the names, and the blended letter goes
through a matrix W_O to the answer. `attnlib.lab.rates` reads the file.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlib.training.recording import write

ITEMS, SIZE, LETTERS = 8, 16, 10
WIDTHS = (4, 16, 64, 256)
SEEDS = (0, 1, 2, 3, 4)
STEPS, BATCH, NEW = 400, 24, 1000  # steps, questions of each, and new questions at the end


class Way(NamedTuple):
    """Whether scores are divided by √d_k, and whether W_Q and W_K start at 1/d_k^(1/4) of the size."""

    root: bool = False
    small: bool = False


class Plan(NamedTuple):
    """An optimiser, powers of 2 as rates of W_Q and W_K, from the least to the greatest, and the rate of W_O.

    A rate of None is that of W_Q and W_K.
    """

    optimiser: Callable[..., torch.optim.Optimizer]
    powers: tuple[int, int]
    output_rate: float | None = None

    @property
    def rates(self) -> list[float]:
        return [2.0**power for power in range(self.powers[0], self.powers[1] + 1)]


WAYS = {"without the root": Way(), "with the root": Way(root=True), "without it, small start": Way(small=True)}
PLANS = {
    "SGD": Plan(torch.optim.SGD, (-11, 5), 2**-1),
    "Adam": Plan(torch.optim.Adam, (-16, 0), 2**-6),
    "SGD, one rate": Plan(torch.optim.SGD, (-11, 5)),
    "Adam, one rate": Plan(torch.optim.Adam, (-16, 0)),
}


class Questions(NamedTuple):
    """Names, letters as one-hot values, called names with noise, and the right letters."""

    names: Float[Tensor, "seeds many n d"]
    values: Float[Tensor, "seeds many n letters"]
    called: Float[Tensor, "seeds many d"]
    right: Int[Tensor, "seeds many"]


Matrices = tuple[Tensor, Tensor, Tensor]  # W_Q, W_K and W_O


def questions(part: int, many: int) -> Questions:
    """For each of `SEEDS` as many questions; those of part 1 are trained on, those of part 2 are new.

    >>> [tuple(part.shape) for part in questions(1, 3)]
    [(5, 3, 8, 16), (5, 3, 8, 10), (5, 3, 16), (5, 3)]
    """
    draws = []
    for seed in SEEDS:
        rng = np.random.default_rng([seed, part])
        names, letters = rng.normal(size=(many, ITEMS, SIZE)), rng.integers(LETTERS, size=(many, ITEMS))
        rows, item = np.arange(many), rng.integers(ITEMS, size=many)
        called = names[rows, item] + 0.5 * rng.normal(size=(many, SIZE))
        draws.append((names, np.eye(LETTERS)[letters], called, letters[rows, item]))
    return Questions(*(torch.tensor(np.stack(part)) for part in zip(*draws, strict=True)))


def start(d_k: int, way: Way = WAYS["without the root"]) -> Matrices:
    """For each of `SEEDS` the matrices before the first step, entries of variance 1/16 (W_Q, W_K) and 1/10 (W_O).

    >>> [tuple(matrix.shape) for matrix in start(4)]
    [(5, 16, 4), (5, 16, 4), (5, 10, 10)]
    """
    draws = []
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 3])
        w_q, w_k = rng.normal(size=(2, SIZE, d_k)) / SIZE**0.5 / (d_k**0.25 if way.small else 1)
        draws.append((w_q, w_k, rng.normal(size=(LETTERS, LETTERS)) / LETTERS**0.5))
    w_q, w_k, w_o = (torch.tensor(np.stack(part)) for part in zip(*draws, strict=True))
    return w_q, w_k, w_o


def answer(asked: Questions, matrices: Matrices, way: Way) -> Float[Tensor, "*rates seeds many letters"]:
    """What each letter scores as the answer. Matrices may have more axes in front than the questions."""
    w_q, w_k, w_o = matrices
    scores = (asked.names @ (asked.called @ w_q @ w_k.mT)[..., None])[..., 0]
    if way.root:
        scores = scores / w_q.shape[-1] ** 0.5
    return (scores.softmax(dim=-1)[..., None, :] @ asked.values)[..., 0, :] @ w_o


def train(
    asked: Questions,
    matrices: Matrices,
    way: Way,
    optimiser: Callable[..., torch.optim.Optimizer],
    rates: Sequence[float],
    output_rate: float | None = None,
) -> list[Matrices]:
    """The matrices after training at each of several rates, side by side, `BATCH` questions a step while they last.

    Args:
        asked: questions to train on, of which each is used once.
        matrices: where every rate starts from.
        way: whether scores are divided.
        optimiser: of torch.
        rates: of W_Q and W_K.
        output_rate: of W_O; None means the one of W_Q and W_K.

    Returns:
        W_Q, W_K and W_O for each rate, the seeds on their first axis.
    """
    learned = [tuple(matrix.clone().requires_grad_() for matrix in matrices) for _ in rates]
    groups: list[dict[str, Any]] = []
    for (w_q, w_k, w_o), rate in zip(learned, rates, strict=True):
        groups.append({"params": [w_q, w_k], "lr": rate})
        groups.append({"params": [w_o], "lr": rate if output_rate is None else output_rate})
    stepper = optimiser(groups)
    for first in range(0, asked.right.shape[1], BATCH):
        batch = Questions(*(part[:, first : first + BATCH] for part in asked))
        w_q, w_k, w_o = (torch.stack(matrix) for matrix in zip(*learned, strict=True))
        guess = answer(batch, (w_q, w_k, w_o), way)
        right = batch.right.expand(guess.shape[:-1])
        loss = torch.nn.functional.cross_entropy(guess.flatten(0, -2), right.flatten(), reduction="sum")
        stepper.zero_grad()
        (loss / batch.right.shape[1]).backward()
        stepper.step()
    return [(w_q.detach(), w_k.detach(), w_o.detach()) for w_q, w_k, w_o in learned]


def right_answers(asked: Questions, matrices: Matrices, way: Way) -> list[int]:
    """How many of the questions are answered right, for each seed."""
    right: list[int] = (answer(asked, matrices, way).argmax(dim=-1) == asked.right).sum(dim=-1).tolist()
    return right


def right_at(plan: Plan, way: Way, d_k: int, rates: Sequence[float], steps: int = STEPS) -> list[list[int]]:
    """How many of the `NEW` questions are answered right after training, one row a rate and one column a seed.

    >>> [[answered < 500 for answered in row] for row in right_at(PLANS["SGD"], Way(), 4, [0.25], steps=2)]
    [[True, True, True, True, True]]
    """
    asked, new = questions(1, steps * BATCH), questions(2, NEW)
    learned = train(asked, start(d_k, way), way, plan.optimiser, rates, plan.output_rate)
    return [right_answers(new, matrices, way) for matrices in learned]


def record() -> dict[str, Any]:
    """All maps: right answers of `NEW` by way, width, rate and seed."""
    maps = {}
    for name, plan in PLANS.items():
        right = {}
        for called, way in WAYS.items():
            right[called] = [right_at(plan, way, d_k, plan.rates) for d_k in WIDTHS]
            print(f"{name}, {called}", flush=True)
        maps[name] = {"rates": plan.rates, "output rate": plan.output_rate, "right": right}
    return {
        "command": "python -m attnlib.training.rates",
        "seeds": SEEDS,
        "steps": STEPS,
        "questions": NEW,
        "widths": WIDTHS,
        "maps": maps,
    }


def main() -> None:
    torch.set_num_threads(1)
    write("rates", record)


if __name__ == "__main__":
    main()
