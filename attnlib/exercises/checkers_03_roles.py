"""How the programs of chapter 3 about roles are judged: turned keys, and a diagnosis."""

from typing import Any

import numpy as np

from attnlib.exercises.checkers_03 import ROOT
from attnlib.exercises.harness import Case, Mistake, Property, call, kind, minus, numbers
from attnlib.exercises.slips import ANY, Map, drawn, weights
from attnlib.scaled_dot_product import softmax

# Turn the keys ---------------------------------------------------------------------------------

ANGLES = np.deg2rad([0, 120, 240])
POINTS = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
BEATS = (2, 0, 1)
THIRD = np.array([POINTS[1], [-POINTS[1, 1], POINTS[1, 0]]])  # a turn by 120°, for rows


def _key_matrix(answer: Any) -> np.ndarray:
    matrix = numbers(call(answer, ()))
    if matrix.shape != (2, 2):
        raise Mistake(f"W_K should have shape (2, 2), got {matrix.shape}.")
    if not np.isfinite(matrix).all():
        raise Mistake(f"W_K holds {minus(str(matrix[~np.isfinite(matrix)][0]))}: four finite numbers make a matrix.")
    return matrix


def _turned_weights(answer: Any) -> np.ndarray:
    return weights(4 * POINTS @ (POINTS @ _key_matrix(answer)).T)


def _right_token(answer: Any) -> None:
    if not _key_matrix(answer).any():
        raise Mistake("W_K holds zeros only: all keys are alike, and each token reads all three alike.")
    grid = _turned_weights(answer)
    for row, most in enumerate(np.isclose(grid, grid.max(axis=1, keepdims=True))):  # rounding decides between these
        if most.sum() > 1:
            alike = " and ".join(map(str, np.flatnonzero(most)))
            raise Mistake(f"Row {row} reads rows {alike} alike: it should read row {BEATS[row]} most.")
    read = tuple(grid.argmax(axis=1).tolist())
    if read == BEATS:
        return
    if read == (0, 1, 2):
        raise Mistake("Each token reads itself most. Turn the keys, so that another one stands where it asks.")
    if read == (1, 2, 0):
        back = tuple(weights(POINTS @ (POINTS @ _key_matrix(answer).T).T).argmax(axis=1).tolist()) == BEATS
        way = " Transpose the matrix." if back else ""
        raise Mistake(f"Each token reads the one that beats it: the keys are turned the wrong way.{way}")
    raise Mistake(f"Rock, paper and scissors should read rows {list(BEATS)} most, they read {list(read)}.")


def _clearly(answer: Any) -> None:
    _right_token(answer)  # who reads another one hears that, and nothing of the turn
    reached = _turned_weights(answer)[range(3), BEATS].min()
    if reached > 0.99:
        return
    shown = np.floor(reached * 10_000) / 10_000  # not rounded up to what it does not reach
    got = f"The weight on the one that is beaten should be above 0.99, got {shown:.4f}. "
    matrix = _key_matrix(answer)
    length = np.sqrt(abs(np.linalg.det(matrix)))
    if length and np.allclose(matrix / length, THIRD):
        raise Mistake(got + "The turn is right, but the keys became shorter: a turn alone keeps their length.")
    raise Mistake(got + "The matrix does not turn every key by exactly a third.")


TURN_THE_KEYS = (
    Property("each reads the one that it beats", _right_token),
    Property("with a weight above 0.99", _clearly),
)

# Who swapped what? -----------------------------------------------------------------------------


def _grids(seed: int, n: int, d: int, d_k: int, size: float = 1.0) -> tuple[Case, dict[str, np.ndarray]]:
    x, w_q, w_k = drawn(seed, (n, d), (d, d_k), (d, d_k), size=size)
    scores = x @ (w_q @ w_k.T) @ x.T  # in another order than most: only rounding differs
    return (x, w_q, w_k), {"right": softmax(scores), "swapped": softmax(scores.T), "axis": softmax(scores, axis=0)}


# Of the last ones the best keys are the same for all three, and the grids differ elsewhere.
COLLEAGUES = (
    (0, 5, 8, 3),
    (1, 7, 4, 2),
    (2, 6, 6, 6),
    (3, 4, 2, 1),
    (4, 140, 3, 2, 0.6),
    (6, 4, 140, 2, 0.3),
    (5, 3, 3, 3, 0.7),
    (43, 4, 3, 3, 0.7),
    (220, 3, 3, 3, 0.7),
)
SAID = {
    ("swapped", "right"): "These weights come from exchanged roles, and you said 'right'. Their rows sum to 1 as well: sums cannot tell.",
    ("axis", "right"): "The columns of these weights sum to 1, not the rows, and you said 'right'.",
    ("right", "swapped"): "These weights are right, and you said 'swapped'. Right weights need not be symmetric.",
    ("axis", "swapped"): "The columns of these weights sum to 1: the softmax ran over the queries, and you said 'swapped'.",
    ("right", "axis"): "These weights are right, and you said 'axis'. Their rows sum to 1: the softmax ran over the keys.",
    ("swapped", "axis"): "The rows of these weights sum to 1: the softmax ran over the keys, and you said 'axis'. The roles are exchanged.",
}  # fmt: skip
AS: dict[str, Map] = {
    "right": lambda weigh, scores: weigh(scores),
    "swapped": lambda weigh, scores: weigh(scores.T),
    "axis": lambda weigh, scores: weigh(scores.T).T,
}
LATE = {  # answers that take the transposed weights for one of the two
    "swapped": "What you call swapped are the right weights, transposed. Exchanged roles transpose the scores; the softmax comes after that.",
    "axis": "What you call the wrong axis are the right weights, transposed. It is a softmax down the columns of the same scores, axis=0.",
}


def _said(answer: Any, given: Case) -> Any:
    """What an answer says; a text of NumPy's is a text."""
    said = call(answer, given)
    return str(said) if isinstance(said, str) else said


def _likely(answer: Any, truth: str, given: Case) -> str | None:
    """Why an answer knows no name for these weights: with a softmax gone wrong in this way it would say the right one."""
    x, w_q, w_k = given
    scores = x @ w_q @ w_k.T @ x.T
    late = [] if truth == "right" else [(LATE[truth], weights(scores).T)]
    scaled = [(ROOT, AS[truth](weights, scores / w_q.shape[1] ** 0.5))]
    slipped = ((says, AS[truth](weigh, scores)) for says, weigh in ANY)
    return next(
        (says for says, grid in (*late, *scaled, *slipped) if repr(_said(answer, (*given, grid))) == repr(truth)), None
    )


def _diagnosis(truth: str) -> Property:
    def test(answer: Any) -> None:
        for colleague in COLLEAGUES:
            given, grids = _grids(*colleague)
            said = _said(answer, (*given, grids[truth]))
            spoken = repr(said) if isinstance(said, str) else kind(said)
            if spoken == repr(truth):
                continue
            if isinstance(said, str) and said in grids:
                raise Mistake(SAID[truth, said])
            why = _likely(answer, truth, given) if said is None else None
            raise Mistake(why or f"These weights are {truth!r}; your function said {spoken}.")

    return Property({"right": "right weights", "swapped": "swapped roles", "axis": "the wrong axis"}[truth], test)


SWAPPED_ROLES = tuple(_diagnosis(truth) for truth in ("right", "swapped", "axis"))
