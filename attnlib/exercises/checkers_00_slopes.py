"""How the program of chapter 0 about the softmax's slopes is judged."""

from typing import Any

import numpy as np

from attnlib.exercises.harness import Case, Mistake, Property, call, minus, numbers
from attnlib.exercises.slips import Slips, agrees, weights
from attnlib.scaled_dot_product import softmax_jacobian

WEIGHTS: list[Case] = [
    (np.array([0.5, 0.3, 0.2]),),
    (np.array([0.1, 0.2, 0.3, 0.4]),),
    (np.array([0.9, 0.06, 0.04]),),
    (np.full(5, 0.2),),
    (weights(2 * np.random.default_rng(14).normal(size=150)),),
]
JACOBIAN_MISTAKES: Slips = [
    ("That is the diagonal alone. The sum below the line moves too, so each score moves every weight.", lambda a: np.diag(a * (1 - a))),
    ("That is diag(a) alone: the sum below the line moves too, and takes a_j a_k off every slope.", np.diag),
    ("The weights on the diagonal are missing: for j = k the upper part of the fraction moves as well.", lambda a: -np.outer(a, a)),
    ("The sign is turned round.", lambda a: np.outer(a, a) - np.diag(a)),
    ("The products are added. The slope of v has a minus sign in (u′v − uv′)/v²: subtract them.", lambda a: np.diag(a) + np.outer(a, a)),
    ("That is how the *logarithm* of a weight moves. Multiply row j by the weight j.", lambda a: np.eye(len(a)) - a),
    ("Off the diagonal you take a_k² where a_j a_k belongs: `np.outer(weights, weights)`.", lambda a: a * (np.eye(len(a)) - a)),
    ("The identity stands where diag(a) belongs: the upper part of the fraction moves by a_j, not by 1.", lambda a: np.eye(len(a)) - np.outer(a, a)),
    ("You subtract one number, the sum of the squared weights, everywhere: for a row of numbers `a @ a.T` is a @ a. Take `np.outer(a, a)`.", lambda a: np.diag(a) - a @ a),
    ("Off the diagonal the sign is lost: raising one score lowers all other weights.", lambda a: abs(np.diag(a) - np.outer(a, a))),
    ("Off the diagonal all is right. On it stands a_j: for j = k it is a_j (1 − a_j).", lambda a: np.diag(a + a**2) - np.outer(a, a)),
    ("Off the diagonal all is right. On it −a_j² is missing a_j: there it is a_j (1 − a_j).", lambda a: np.diag(a * (1 - a)) - np.outer(a, a)),
    ("Every slope is a_j (1 − a_k). That is for j = k alone: otherwise it is −a_j a_k.", lambda a: np.outer(a, 1 - a)),
    ("Every slope is a_j (1 − a_j). That is for j = k alone: otherwise it is −a_j a_k.",
        lambda a: np.tile((a * (1 - a))[:, None], len(a))),
    ("You took the weights for scores, and their softmax for the weights: they come as weights.", lambda a: np.diag(weights(a)) - np.outer(weights(a), weights(a))),
]  # fmt: skip


def _slopes(answer: Any, given: np.ndarray) -> np.ndarray:
    got = numbers(call(answer, (given,)))
    if got.shape != (len(given), len(given)):
        raise Mistake(
            f"The result should have shape {(len(given), len(given))}, got {got.shape}: a slope for each weight and score."
        )
    if not np.isfinite(got).all():
        raise Mistake(f"The result holds {minus(str(got[~np.isfinite(got)][0]))}: every slope is a finite number.")
    return got


def _others_fall(answer: Any) -> None:
    for (given,) in WEIGHTS:
        slopes = _slopes(answer, given)
        apart = slopes[~np.eye(len(given), dtype=bool)]
        if not (apart < 0).all():
            raise Mistake(
                f"Raising one score lowers every other weight, so slopes off the diagonal are negative: got {minus(f'{apart.max() + 0.0:.3g}')}."
            )
        if not (slopes.diagonal() > 0).all():
            raise Mistake(
                f"Raising a score raises its own weight: on the diagonal got {minus(f'{slopes.diagonal().min():.3g}')}, not above 0."
            )


def _shift_moves_nothing(answer: Any) -> None:
    for (given,) in WEIGHTS:
        slopes = _slopes(answer, given)
        if not slopes.any():
            raise Mistake("All slopes are 0. Then no score would move any weight.")
        sums = slopes.sum(axis=1)
        if abs(sums).max() > 1e-4:  # what a small step leaves is no mistake
            raise Mistake(
                f"The same added to all scores changes no weight, so every row of slopes sums to 0: got {minus(f'{sums[abs(sums).argmax()]:.3g}')}."
            )


SOFTMAX_JACOBIAN = (
    Property("raising a score lifts its own weight and lowers the others", _others_fall),
    Property("the same added to all scores moves nothing", _shift_moves_nothing),
    agrees("every slope", softmax_jacobian, [*WEIGHTS, (np.array([1.0]),)], JACOBIAN_MISTAKES),
)
