"""How the programs of chapter 2 are judged: attention through U, what U keeps, and both ways round a cycle."""

import functools
from typing import Any

import numpy as np

from attnlib.exercises.harness import Case, Mistake, Property, call, numbers
from attnlib.exercises.slips import COLUMNS, GRID, LENGTHS, Map, Slips, Weigh, agrees, drawn, slips, unit, weights
from attnlib.lab.grids import cycle_product
from attnlib.scaled_dot_product import attention, attention_weights
from attnlib.variants import tied_attention

# Attention through U ---------------------------------------------------------------------------


def _mixed(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return attention(query, key, value, scale=1)


def _through(weigh: Weigh) -> Map:
    return lambda x, u: weigh(x @ u @ (x @ u).T) @ (x @ u)


U_MISTAKES: Slips = [
    ("Your scores go through U and your values do not: the last factor is XU too, not X.", lambda x, u: _mixed(x @ u, x @ u, x)),
    ("Your values go through U and your scores do not: compare the rows of XU, not those of X.", lambda x, u: _mixed(x, x, x @ u)),
    ("This is attention without U: compute XU first, and use it three times.", lambda x, u: _mixed(x, x, x)),
    ("U stands in your scores once: query and key both go through it.", lambda x, u: weights(x @ u @ x.T) @ (x @ u)),
    ("U stands in your scores twice on one side, UU in the place of UUᵀ.", lambda x, u: weights(x @ u @ u @ x.T) @ (x @ u)),
    ("Your output goes through U twice: the values are XU already.", lambda x, u: tied_attention(x, u) @ u),
    ("This is XU: no token has read another.", lambda x, u: x @ u),
    ("These are the weights: multiply them by XU.", lambda x, u: weights(x @ u @ (x @ u).T)),
    ("These are the scores: take their softmax, and multiply it by XU.", lambda x, u: x @ u @ (x @ u).T),
    ("You compare the columns of XU. Tokens are its rows: XU(XU)ᵀ.", lambda x, u: x @ u @ weights((x @ u).T @ (x @ u))),
    (COLUMNS, _through(lambda s: weights(s).T)),
    ("The tokens of XU are mixed twice.", lambda x, u: weights(x @ u @ (x @ u).T) @ tied_attention(x, u)),
    ("XU is added to the mixture. Return the mixture alone.", lambda x, u: tied_attention(x, u) + x @ u),
    ("The rows of XU are divided by their lengths. Here the dot products stay as they are.", lambda x, u: _mixed(unit(x @ u), unit(x @ u), x @ u)),
    ("You divided the scores by √d_u. Chapter 4 will; here the scores stay as they are.", lambda x, u: tied_attention(x, u, scale=None)),
    ("You divided the scores by d_u. Here they stay as they are.", lambda x, u: tied_attention(x, u, scale=1 / u.shape[1])),
    ("You divided the scores by √d. Here they stay as they are.", lambda x, u: tied_attention(x, u, scale=len(u) ** -0.5)),
    ("You divided the scores by √n. Here they stay as they are.", lambda x, u: tied_attention(x, u, scale=len(x) ** -0.5)),
    ("Your scores are twice as large as XU(XU)ᵀ. Here they stay as they are.", lambda x, u: tied_attention(x, u, scale=2)),
    ("Later tokens are hidden. That comes in chapter 5: here each token reads all.", lambda x, u: tied_attention(x, u, np.tri(len(x)) > 0)),
    *((f"Rows after the first {n} stay 0: is a size fixed in your code?", lambda x, u, n=n: tied_attention(x, u) * (np.arange(len(x)) < n)[:, None]) for n in LENGTHS),
    *((f"Axes after the first {n} are left out: is a size fixed in your code?", lambda x, u, n=n: tied_attention(x[:, :n], u[:n])) for n in LENGTHS),
    *((f"Columns of U after the first {n} have no part in your scores: is a size fixed in your code?", lambda x, u, n=n: _mixed(x @ u[:, :n], x @ u[:, :n], x @ u)) for n in LENGTHS),
    *slips(_through, GRID),
]  # fmt: skip
SQUARE_U: Slips = [
    ("You divided the scores by the root of a size, √d or √d_u. Here they stay as they are.", lambda x, u: tied_attention(x, u, scale=None)),
    ("You divided the scores by d or d_u. Here they stay as they are.", lambda x, u: tied_attention(x, u, scale=1 / len(u))),
    ("You used Uᵀ. Tokens are rows, so U stands on the right: XU.", lambda x, u: tied_attention(x, u.T)),
    (
        "Your scores use Uᵀ. Tokens are rows, so U stands on the right: XU.",
        lambda x, u: _mixed(x @ u.T, x @ u.T, x @ u),
    ),
    ("Your values use Uᵀ. Tokens are rows, so U stands on the right: XU.", lambda x, u: _mixed(x @ u, x @ u, x @ u.T)),
    (
        "The query goes through U, the key through Uᵀ: both go through U, as XU(XU)ᵀ.",
        lambda x, u: _mixed(x @ u, x @ u.T, x @ u),
    ),
]  # fmt: skip
SQUARE: list[Case] = [
    drawn(1, (6, 4), (4, 4), size=0.7),
    drawn(8, (6, 4), (4, 4), size=0.7),
    (np.eye(3)[[0, 1, 0, 2]], np.diag([1.0, 0.5, 2.0]) + np.eye(3, k=1)),
]
NARROW_AND_WIDE: list[Case] = [
    drawn(2, (7, 5), (5, 3)),
    drawn(3, (4, 3), (3, 6)),
    drawn(4, (1, 3), (3, 2)),
    drawn(5, (5, 3), (3, 1)),
    drawn(6, (4, 1), (1, 3)),
    (np.eye(4)[[0, 1, 3, 0, 2]], np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0], [-1.0, 0.0]])),
    drawn(7, (3, 140), (140, 2), size=0.3),
    drawn(9, (3, 2), (2, 140), size=0.3),
    drawn(10, (140, 3), (3, 2)),
]  # fmt: skip
WRITE_U_ATTENTION = (
    agrees("right for a square U", tied_attention, SQUARE, SQUARE_U + U_MISTAKES),
    agrees("right for a U that is not square", tied_attention, NARROW_AND_WIDE, U_MISTAKES),
)

# What does U keep? -----------------------------------------------------------------------------


def _lengths(u: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(u, axis=1))


def _turned(u: np.ndarray) -> np.ndarray:
    """U with its columns turned into each other: the same UUᵀ, other entries."""
    turn, _ = np.linalg.qr(drawn(9, (u.shape[1], u.shape[1]))[0])
    return np.asarray(u @ turn)


NOT_A_LENGTH: Slips = [
    ("You took the lengths of the columns. A row of U belongs to an axis of X: sum over axis=1.", lambda u: np.linalg.norm(u, axis=0)),
    ("You added the entries of each row: a 2 and a −2 must not cancel. Add their squares.", lambda u: u.sum(axis=1)),
    ("You added the entries of each row, and took the sign away: a 2 and a −2 must not cancel. Add their squares.", lambda u: np.abs(u.sum(axis=1))),
    ("You added the squares of each row: a length is the square root of that sum.", lambda u: (u**2).sum(axis=1)),
    ("You added the sizes of the entries. A length adds squares, and takes the root.", lambda u: np.abs(u).sum(axis=1)),
    ("You took the largest entry of each row: a row of many small entries counts too.", lambda u: np.abs(u).max(axis=1)),
    ("You took the largest entry of each row, with its sign: a length adds squares, and takes the root.", lambda u: u.max(axis=1)),
    ("You took the mean size of each row's entries. A length adds squares, and takes the root.", lambda u: np.abs(u).mean(axis=1)),
    ("You took the mean of each row. A length adds squares, and takes the root.", lambda u: u.mean(axis=1)),
    ("You took the root of the *mean* of the squares. A length is the root of their sum.", lambda u: np.sqrt((u**2).mean(axis=1))),
    ("You took the mean of the squares. A length is the root of their sum.", lambda u: (u**2).mean(axis=1)),
    ("You took the spread of each row, which leaves its mean out. A length adds the squares of the entries as they are.", lambda u: u.std(axis=1)),
    ("You returned one length, that of all of U. Each row has its own: axis=1.", lambda u: np.linalg.norm(u)),
    ("You returned one length for all rows. Each row has its own: axis=1.", lambda u: np.full(len(u), np.linalg.norm(u))),
    ("Your lengths are divided by the largest. Leave them as they are.", lambda u: _lengths(u) / _lengths(u).max()),
    ("Your lengths are divided by their sum. Leave them as they are.", lambda u: _lengths(u) / _lengths(u).sum()),
    ("Your lengths went through a softmax. Leave them as they are.", lambda u: weights(_lengths(u))),
    ("Your lengths are sorted. Each belongs to its axis: leave them in the order of the rows.", lambda u: np.sort(_lengths(u))),
    ("Your lengths are sorted. Each belongs to its axis: leave them in the order of the rows.", lambda u: np.sort(_lengths(u))[::-1]),
    ("This is the order of the rows by length. The lengths themselves are asked for.", lambda u: np.argsort(_lengths(u))),
    ("These are the rows themselves. How long is each?", lambda u: u),
    ("This is UUᵀ. Only its diagonal counts, and a length is the root of it.", lambda u: u @ u.T),
    ("This is the diagonal of U. A row has other entries too.", lambda u: np.abs(np.diag(u))),
    ("This is the first entry of each row. A row has other entries too.", lambda u: u[:, 0]),
    ("This is the size of each row's first entry. A row has other entries too.", lambda u: np.abs(u[:, 0])),
    ("These are the singular values of U, the stretches along directions of its own. The axes of X are asked for.", lambda u: np.linalg.svd(u)[1]),
    ("A column too many: one number for each row of U makes a vector.", lambda u: _lengths(u)[:, None]),
    ("This counts the entries that are not 0. A length adds squares, and takes the root.", lambda u: (u != 0).sum(axis=1)),
    *((f"Only the first {n} columns of U count in yours: is a size fixed in your code?", lambda u, n=n: _lengths(u[:, :n])) for n in LENGTHS),
    *((f"Only the first {n} rows of U have a length in yours: is a size fixed in your code?", lambda u, n=n: _lengths(u[:n])) for n in LENGTHS),
]  # fmt: skip
MATRICES: list[Case] = [
    drawn(6, (5, 5)),
    drawn(5, (8, 6)),
    drawn(10, (8, 6)),
    drawn(7, (3, 7)),
    (np.array([[0.0, 0.0], [3.0, -4.0], [0.0, -2.0]]),),
    drawn(8, (1, 4)),
    drawn(9, (4, 1)),
    drawn(11, (300, 3)),
    drawn(12, (3, 300)),
]
AXES_KEPT = (
    agrees("the length of each row", _lengths, MATRICES, NOT_A_LENGTH),
    agrees(
        "the same for every U with the same UUᵀ",
        _lengths,
        [(_turned(np.eye(6, 4)),), (_turned(np.diag([2.0, 0.0, 1.0])),), (_turned(np.ones((1, 2))),)],
        NOT_A_LENGTH,
    ),
)

# Both ways round -------------------------------------------------------------------------------


def _grid(seed: int, n: int, size: float = 0.3) -> np.ndarray:
    """Weights that differ both ways."""
    query, key = drawn(seed, (n, 3), (n, 3))
    return attention_weights(query, key, scale=size)


def _long_grid() -> np.ndarray:
    """Many tokens, of which three read each other for the most part."""
    grid = _grid(7, 300)
    for query, key, share in ((17, 270, 0.5), (270, 5, 0.6), (5, 17, 0.4), (17, 5, 0.3), (5, 270, 0.2), (270, 17, 0.1)):
        grid[query] *= 1 - share
        grid[query, key] += share
    return grid


def _way(part: int) -> Map:
    """The forward or the backward product of the cycle identity."""
    return lambda a, i, j, k: cycle_product(a, (i, k, j) if part else (i, j, k))


def _half(answer: Any, part: int) -> Any:
    """The answer's first or second number alone."""

    @functools.wraps(answer)
    def product(*given: Any) -> Any:
        got = answer(*given)
        return got[part] if np.shape(got) == (2,) else got

    return product


def _cycle_mistakes(part: int) -> Slips:
    def steps(a: np.ndarray, i: int, j: int, k: int) -> np.ndarray:
        return np.array([a[i, k], a[k, j], a[j, i]] if part else [a[i, j], a[j, k], a[k, i]])

    right, other = _way(part), _way(1 - part)
    return [
        ("The two directions are swapped: A_ij is `weights[i, j]`, query first.", other),
        ("The tokens are put in order, so that a direction can get lost: take i, j and k as they come.", lambda a, *c: right(a, *sorted(c))),
        ("The tokens 0, 1 and 2 are taken, whatever i, j and k are.", lambda a, *_: right(a, 0, 1, 2)),
        ("You added the three weights: round a cycle they are multiplied.", lambda *g: steps(*g).sum()),
        ("You took the mean of the three weights: round a cycle they are multiplied.", lambda *g: steps(*g).mean()),
        ("You took the cube root: the product as it is is asked for.", lambda *g: steps(*g).prod() ** (1 / 3)),
        ("You took the logarithm: the product as it is is asked for.", lambda *g: np.log(steps(*g)).sum()),
        ("You took the smallest of the three weights: round a cycle they are multiplied.", lambda *g: steps(*g).min()),
        ("The way back to the start is missing: a cycle of three tokens has three weights.", lambda *g: steps(*g)[:2].prod()),
        ("The first step is missing: a cycle of three tokens has three weights.", lambda *g: steps(*g)[1:].prod()),
        ("The last weight is turned round: the last token reads from i, not i from it.", lambda a, i, j, k: steps(a, i, j, k)[:2].prod() * (a[i, j] if part else a[i, k])),
        ("The middle weight is turned round: each token reads from the next one.", lambda a, i, j, k: steps(a, i, j, k)[[0, 2]].prod() * (a[j, k] if part else a[k, j])),
        ("The first weight is turned round: i reads first.", lambda a, i, j, k: steps(a, i, j, k)[1:].prod() * (a[k, i] if part else a[j, i])),
        ("This is the difference of the two products. Return both.", lambda *g: right(*g) - other(*g)),
        ("This is the ratio of the two products. Return both.", lambda *g: right(*g) / other(*g)),
        ("That goes forward one way and back the same way: the other two tokens are to be met in turn.", lambda a, i, j, k: a[i, j] * a[j, i] * a[i, k] * a[k, i]),
    ]  # fmt: skip


CYCLES: list[Case] = [
    (_grid(4, 5), 0, 1, 2),
    (_grid(4, 5), 4, 1, 3),
    (_grid(4, 5), 0, 2, 1),
    (_grid(4, 5), 4, 3, 1),
    (_grid(5, 3), 2, 1, 0),
    (_grid(6, 5, 1.0), 1, 3, 2),
    (_long_grid(), 17, 270, 5),
    (np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.1, 0.0, 0.9]]), 0, 1, 2),
]


def _one_way(part: int) -> Property:
    judged = agrees(
        ("A_ij A_jk A_ki", "A_ik A_kj A_ji")[part], _way(part), CYCLES, _cycle_mistakes(part), tolerance=1e-7
    )

    def test(answer: Any) -> str | None:
        got = numbers(call(answer, CYCLES[0]))
        if got.shape != (2,):
            raise Mistake(f"Return two numbers, forward and backward: got shape {got.shape}.")
        return judged.test(_half(answer, part))

    return Property(judged.name, test)


BOTH_WAYS_ROUND = (_one_way(0), _one_way(1))
