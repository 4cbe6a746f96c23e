"""Tokens in a circle, each to read from the one before it: the loss, and a bound from three means."""

import numpy as np
from jaxtyping import Real
from numpy import ndarray as Array

from attnlib.checks import as_number, must_fit
from attnlib.lab.grids import as_square


def cycle_loss(scores: Real[Array, "n n"]) -> float:
    """The mean of −ln A_ij over the cells with j = i − 1, A the softmax of each row: token 0 is to read the last one.

    It is a cross-entropy, computed by log-sum-exp. Of the dot products of three vectors with each other it is
    ln 3 at least, with equality where all are one; of any symmetric 3 × 3 scores it is above ln 2. See `cycle_bound`.

    Args:
        scores: a grid of 3 rows or more, (n, n).

    Returns:
        The loss, in nats.

    Raises:
        ValueError: for a grid that is not square, has fewer than 3 rows or an entry that is not finite, and for
            scores so far apart that the loss leaves the range of float64.

    >>> round(cycle_loss(np.zeros((3, 3))), 4)  # ln 3
    1.0986
    >>> cycle_loss(np.array([[0, 0, 1000], [1000, 0, 0], [0, 1000, 0]]))
    0.0
    """
    scores = as_square("scores", scores, 3)
    rows = np.arange(len(scores))
    strongest = scores.argmax(axis=1)
    top = scores[rows, strongest]
    with np.errstate(over="ignore", under="ignore"):
        raised = np.exp(scores - top[:, None])
        raised[rows, strongest] = 0  # the 1 that log1p adds
        losses = top - scores[rows, rows - 1] + np.log1p(raised.sum(axis=1))
        loss = (losses / len(losses)).sum()
    must_fit("the loss", loss, "scores are")
    return float(loss)


def cycle_means(scores: Real[Array, "n n"]) -> tuple[float, float, float]:
    """The mean own score (i = j), the mean right one (j = i − 1) and the mean of all other, wrong ones.

    Args:
        scores: a grid of 3 rows or more, (n, n).

    Returns:
        The three means, in this order.

    Raises:
        ValueError: for a grid that is not square, has fewer than 3 rows or an entry that is not finite.

    >>> cycle_means(np.array([[1.0, 0, 5], [5, 1, 0], [0, 5, 1]]))
    (1.0, 5.0, 0.0)
    """
    scores = as_square("scores", scores, 3)
    rows = np.arange(len(scores))
    wrong = np.ones(scores.shape, dtype=bool)
    wrong[rows, rows] = wrong[rows, rows - 1] = False
    means = []
    for cells in (scores[rows, rows], scores[rows, rows - 1], scores[wrong]):
        with np.errstate(over="ignore", under="ignore"):
            mean = (cells / len(cells)).sum()
        must_fit("a mean", mean, "scores are")
        means.append(float(mean))
    own, right, other = means
    return own, right, other


def cycle_bound(x: float, y: float) -> float:
    """ln(1 + eˣ + eʸ): the least loss of three tokens in a circle, by the means of their scores.

    With `cycle_means`, x is own − right and y is wrong − right. A row's loss is ln(1 + eˢ + eᵗ), s and t its own and
    its wrong score less its right one; that is convex in s and t, so the mean of the losses is no less than the loss at
    the means (Jensen). Symmetric scores have y = 0, since each wrong cell mirrors a right one. The dot products of
    three vectors with each other have x ≥ 0 besides.

    Args:
        x, y: the differences.

    Returns:
        The bound, in nats.

    Raises:
        TypeError: for what is no number.
        ValueError: for one that is not finite.

    Source: Boyd & Vandenberghe (2004), *Convex Optimization*, section 3.1.5: log-sum-exp is convex.

    >>> [round(cycle_bound(x, 0), 4) for x in (0, -10, 1000)]
    [1.0986, 0.6932, 1000.0]
    """
    first, *others = sorted((0.0, as_number("x", x), as_number("y", y)), reverse=True)
    with np.errstate(over="ignore", under="ignore"):
        return float(first + np.log1p(np.exp(np.array(others) - first).sum()))
