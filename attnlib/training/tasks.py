"""Small tasks that are learned by reading from other tokens, and the gradient descent that learns them.

Each draw is a sentence, or several, and what each of its tokens should answer. `descend` is the loop that chapter 2 of the
book shows in full, for any attention with any matrices. `learn` is for any loss, from several starts at once.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

Draw = Callable[[Sequence[int]], tuple[Tensor, Tensor]]  # from a seed: the tokens, and what each should answer
Answer = Callable[..., Tensor]  # from the tokens and some matrices: what each token answers
Loss = Callable[..., Tensor]  # from a number of samples, a generator and some matrices: the mean loss of each start


# How `draw_levels` turns its axes. Runs are to start from other seeds than its own.
TURN: Float[np.ndarray, "7 7"] = np.linalg.qr(np.random.default_rng(7).normal(size=(7, 7)))[0]


def draw_levels(seed: Sequence[int]) -> tuple[Float[Tensor, "n d"], Float[Tensor, " n"]]:
    """Sixty tokens of four kinds; each should answer the level of its kind, and has a number that is roughly the level.

    Args:
        seed: of the random numbers, one or several.

    Returns:
        The tokens (60, 7), and the levels (60,), of standard deviation 1. Before all axes are turned by `TURN`, four of
        them show the kind, the fifth holds the rough number, the level with noise of standard deviation 0.7, and the last
        two hold useless numbers of standard deviation 3.

    >>> [tuple(part.shape) for part in draw_levels([0])]
    [(60, 7), (60,)]
    """
    rng = np.random.default_rng(seed)
    kind = rng.integers(4, size=60)
    level = rng.normal(size=4)[kind]
    shown = 2 * np.eye(4)[kind] + 0.3 * rng.normal(size=(60, 4))
    rough = level + 0.7 * rng.normal(size=60)
    x = np.column_stack([shown, rough, 3 * rng.normal(size=(60, 2))])
    return torch.tensor(x @ TURN), torch.tensor(level)


def draw_marks(seed: Sequence[int]) -> tuple[Float[Tensor, "batch n d"], Float[Tensor, "batch n"]]:
    """Eight sentences of sixteen tokens; each should answer the number of the token that has the marks it looks for.

    Args:
        seed: of the random numbers, one or several.

    Returns:
        The tokens (8, 16, 9), and the numbers to answer (8, 16). Four axes hold the marks that a token looks for and the
        next four those that it has, each 1 or −1; the last its own number, of standard deviation 1. In a sentence each of
        the sixteen combinations of marks is had once, and looked for once.

    >>> x, number = draw_marks([0])
    >>> found = x[..., :4] @ x[..., 4:8].mT == 4
    >>> bool((found.sum(dim=-1) == 1).all()), bool((found.double() @ x[..., 8:] == number[..., None]).all())
    (True, True)
    """
    rng = np.random.default_rng(seed)
    marks = 2.0 * (np.arange(16)[:, None] >> np.arange(4) & 1) - 1
    seeks, has = (np.array([rng.permutation(16) for _ in range(8)]) for _ in range(2))
    own = rng.normal(size=(8, 16))
    number = np.take_along_axis(own, np.take_along_axis(has.argsort(axis=1), seeks, axis=1), axis=1)
    return torch.tensor(np.concatenate([marks[seeks], marks[has], own[..., None]], axis=-1)), torch.tensor(number)


def descend(
    answer: Answer,
    draw: Draw,
    shapes: Iterable[tuple[int, int]],
    seed: int,
    *,
    steps: int = 600,
    rate: float = 0.03,
    size: float = 0.1,
) -> list[Tensor]:
    """Train matrices by gradient descent on the mean squared error, with new tokens in each step.

    Args:
        answer: a function of the tokens and one matrix for each of the shapes, (..., n).
        draw: gives tokens and what they should answer for a seed, such as `draw_levels`.
        shapes: of the matrices, rows and columns.
        seed: of the random start, and of what is drawn.
        steps: how many.
        rate: by how much of the gradient a step changes each number.
        size: the standard deviation of the numbers at the start.

    Returns:
        The trained matrices.

    >>> (w,) = descend(lambda x, w: (x @ w)[:, 0], draw_levels, [(7, 1)], 0, steps=2)
    >>> tuple(w.shape)
    (7, 1)
    """
    rng = np.random.default_rng(seed)
    matrices = [torch.tensor(size * rng.normal(size=shape), requires_grad=True) for shape in shapes]
    for number in range(steps):
        x, wanted = draw([100 + seed, number])
        loss = ((answer(x, *matrices) - wanted) ** 2).mean()
        slopes = torch.autograd.grad(loss, matrices)
        with torch.no_grad():
            for matrix, slope in zip(matrices, slopes, strict=True):
                matrix -= rate * slope
    return [matrix.detach() for matrix in matrices]


def squared_error(answer: Answer, draw: Draw, matrices: Iterable[Tensor], draws: int = 200) -> float:
    """The mean squared error of answers on draws that `descend` never makes.

    Args:
        answer: as for `descend`.
        draw: as for `descend`.
        matrices: what the answer is made with; none for a rule that needs none.
        draws: how many, with the seeds [1, 0], [1, 1], …

    Returns:
        The mean over all tokens of all draws.

    >>> rough = torch.tensor(TURN[4])
    >>> round(squared_error(lambda x: x @ rough / 1.49, draw_levels, []), 2)
    0.33
    """
    given, tests = [*matrices], [draw([1, number]) for number in range(draws)]
    return float(np.mean([((answer(x, *given) - wanted) ** 2).mean() for x, wanted in tests]))


def learn(
    loss: Loss,
    shapes: Iterable[tuple[int, int]],
    *,
    starts: int = 5,
    steps: int = 300,
    batch: int = 16,
    rate: float = 0.05,
    test: int = 4000,
) -> tuple[Float[np.ndarray, " starts"], list[Float[Tensor, "starts 1 rows columns"]]]:
    """Train matrices from several random starts side by side, with Adam, and test each on samples drawn for the test.

    Args:
        loss: a function of a number of samples, a `torch.Generator` to draw them with, and one matrix for each of the
            shapes, with all starts in front (starts, 1, rows, columns). It returns the mean loss of each start (starts,).
        shapes: of the matrices, rows and columns. At the start their numbers have the variance 1 / rows.
        starts: how many.
        steps: of Adam.
        batch: samples of each step.
        rate: of learning.
        test: samples of the test, which no step follows.

    Returns:
        What each start loses in the test (starts,), and the trained matrices.

    Raises:
        ValueError: if the loss is not one number for each start.

    >>> errors, _ = learn(lambda count, draw, w: ((torch.randn(5, count, 1, 2, generator=draw) @ (w - 3)) ** 2)
    ...                   .mean(dim=(1, 2, 3)), [(2, 1)])
    >>> errors.shape, bool(errors.max() < 0.001)
    ((5,), True)
    """
    draw = torch.Generator().manual_seed(0)
    matrices = [(torch.randn(starts, 1, *shape, generator=draw) / shape[0] ** 0.5).requires_grad_() for shape in shapes]
    optimiser = torch.optim.Adam(matrices, lr=rate)
    for _ in range(steps):
        lost = loss(batch, draw, *matrices)
        if lost.shape != (starts,):
            raise ValueError(f"loss must give one number for each of {starts} starts, got shape {tuple(lost.shape)}")
        optimiser.zero_grad()
        lost.sum().backward()
        optimiser.step()
    matrices = [matrix.detach() for matrix in matrices]
    return loss(test, draw, *matrices).numpy(), matrices
