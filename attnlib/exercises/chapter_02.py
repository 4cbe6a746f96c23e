"""Exercises of chapter 2, a learnable U."""

from typing import Any

import numpy as np

from attnlib.attention import attention, attention_weights, softmax
from attnlib.exercises.harness import Exercise, Mistake, Property, agrees, call, compare
from attnlib.reading import cycle_product
from attnlib.variants import tied_attention


def _drawn(*shapes: tuple[int, int], seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


def _over_queries(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    xu = x @ u
    return np.asarray(softmax(xu @ xu.T).T @ xu)  # symmetric scores: the softmax of columns is the rows' transposed


_THROUGH_U = [
    (
        "Your scores go through U and your values do not: the last factor is XU too, not X.",
        lambda x, u: attention(x @ u, x @ u, x, scale=1),
    ),
    (
        "Your values go through U and your scores do not: compare the rows of XU, not those of X.",
        lambda x, u: attention(x, x, x @ u, scale=1),
    ),
    ("This is attention without U: compute XU first, and use it three times.", lambda x, u: attention(x, x, x, scale=1)),
    (
        "The columns of your weights sum to 1, not the rows: the softmax runs over the queries. Sum over axis=1.",
        _over_queries,
    ),
    ("You divided the scores by √d_u. Chapter 4 will; here the scores stay as they are.", lambda x, u: tied_attention(x, u, scale=None)),
    ("There is no softmax: scores are not weights until each row sums to 1.", lambda x, u: x @ u @ (x @ u).T @ (x @ u)),
]  # fmt: skip


def _with_u_transposed(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    return tied_attention(x, u.T)


_NOT_A_LENGTH = [
    ("You took the lengths of the columns. A row of U belongs to an axis of X: sum over axis=1.", lambda u: np.linalg.norm(u, axis=0)),
    ("You added the entries of each row: a 2 and a −2 must not cancel. Add their squares.", lambda u: u.sum(axis=1)),
    ("You added the squares of each row: a length is the square root of that sum.", lambda u: (u**2).sum(axis=1)),
    ("You added the sizes of the entries. A length adds squares, and takes the root.", lambda u: np.abs(u).sum(axis=1)),
    ("You took the largest entry of each row: a row of many small entries counts too.", lambda u: np.abs(u).max(axis=1)),
    ("You returned one length, that of all of U. Each row has its own: axis=1.", lambda u: np.linalg.norm(u)),
]  # fmt: skip


def _turned(u: np.ndarray) -> np.ndarray:
    """U with its columns turned into each other: the same UUᵀ, other entries."""
    turn, _ = np.linalg.qr(_drawn((u.shape[1], u.shape[1]), seed=9)[0])
    return np.asarray(u @ turn)


def _one_way(part: int) -> Property:
    """The answer's first or second product, for weights that differ both ways, and tokens in any order."""

    def test(answer: Any) -> None:
        query, key = _drawn((5, 3), (5, 3), seed=4)
        weights = attention_weights(query, key, scale=0.3)
        for i, j, k in ((0, 1, 2), (4, 1, 3)):
            got = call(answer, (weights, i, j, k))
            if not isinstance(got, tuple | list | np.ndarray) or np.shape(got) != (2,):
                raise Mistake(f"Return two numbers, forward and backward: got {got!r}.")
            ways = [(i, j, k), (i, k, j)]
            right = [cycle_product(weights, way) for way in ways]
            a, b, c = ways[part]
            compare(
                got[part],
                right[part],
                [
                    ("The two directions are swapped: A_ij is `weights[i, j]`, query first.", right[1 - part]),
                    ("You added the three weights: round a cycle they are multiplied.", weights[a, b] + weights[b, c] + weights[c, a]),
                    ("The way back to the start is missing: a cycle of three tokens has three weights.", weights[a, b] * weights[b, c]),
                ],
                what=("The forward product", "The backward product")[part],
            )  # fmt: skip

    return Property(("A_ij A_jk A_ki", "A_ik A_kj A_ji")[part], test)


EXERCISES = (
    Exercise(
        id="u-parameters",
        title="Count what can be learned",
        kind="derive",
        difficulty="easy",
        minutes=2,
        misconception="U is square, or its size depends on the sentence.",
        hints=(
            "XU must be defined: the columns of X meet the rows of U.",
            "One number for each pair of an old axis and a new one. The sentence's length is not among them.",
        ),
        question={
            "prompt": "`X` holds 7 tokens with 12 numbers each, and `XU` has 5 numbers for each token. How many numbers does `U` hold?",
            "right": 60,
            "tolerance": 0,
            "wrong": [
                (144, 0, "That is a square U, 12 × 12. Then XU would have 12 numbers for each token."),
                (35, 0, "That is the shape of XU, 7 × 5. U has one row for each *axis* of X, not for each token."),
                (84, 0, "That counts the entries of X. They are given; U is what can be learned."),
                (25, 0, "That is a square U, 5 × 5. It would fit an X of 5 columns, and this one has more."),
            ],
            "explanation": "U is d × d_u = 12 × 5. A longer sentence needs no more.",
        },
    ),
    Exercise(
        id="write-u-attention",
        title="Attention through U",
        kind="program",
        difficulty="easy",
        minutes=8,
        misconception="U changes the scores alone, or the values alone.",
        hints=(
            "Compute XU once and give it a name. It then plays all the parts that X played in chapter 1.",
            "Scores: the rows of XU with each other. Weights: the softmax of each row. Output: the weights times XU, so it has d_u columns.",
        ),
        properties=(
            agrees(
                "right for a square U",
                tied_attention,
                [_drawn((6, 4), (4, 4), seed=1)],
                [
                    ("You used Uᵀ. Tokens are rows, so U stands on the right: XU.", _with_u_transposed),
                    *_THROUGH_U,
                ],
            ),
            agrees(
                "right for a U that is not square",
                tied_attention,
                [_drawn((7, 5), (5, 3), seed=2), _drawn((4, 3), (3, 6), seed=3)],
                _THROUGH_U,
            ),
        ),
    ),
    Exercise(
        id="axes-kept",
        title="What does U keep?",
        kind="program",
        difficulty="easy",
        minutes=6,
        misconception="An axis of X belongs to a column of U, or to one entry.",
        hints=(
            "The token (0, …, 1, …, 0) has a 1 on one axis only. What is that token times U?",
            "A length: square, add, take the root. `np.linalg.norm` does it along the axis that you name.",
        ),
        properties=(
            agrees(
                "the length of each row",
                lambda u: np.linalg.norm(u, axis=1),
                [_drawn((8, 6), seed=5), _drawn((5, 5), seed=6), _drawn((3, 7), seed=7)],
                _NOT_A_LENGTH,
            ),
            agrees(
                "the same for every U with the same UUᵀ",
                lambda u: np.linalg.norm(u, axis=1),
                [(_turned(np.eye(6, 4)),), (_turned(np.diag([2.0, 0.0, 1.0])),)],
                _NOT_A_LENGTH,
            ),
        ),
    ),
    Exercise(
        id="twice-u",
        title="Twice as large",
        kind="derive",
        difficulty="medium",
        minutes=4,
        misconception="U enters the scores once.",
        hints=(
            "Put 2U in the place of U in XU(XU)ᵀ, and collect the 2s.",
            "The temperature divides all scores. By what must you divide to undo what doubling U did?",
        ),
        question={
            "prompt": "`U` becomes `2U`. By what must the temperature be multiplied so that the *weights* stay as they were?",
            "right": 4,
            "tolerance": 0.001,
            "wrong": [
                (2, 0.001, "U stands in the scores twice, once for the query and once for the key."),
                (0.25, 0.001, "The temperature divides. The scores have grown, so it must grow too."),
                (0.5, 0.001, "The temperature divides, so it must grow; and U stands in the scores twice."),
                (1, 0.001, "Scores that grow by a factor sharpen the softmax. Only *adding* to them changes nothing."),
            ],
            "explanation": "2 for the query times 2 for the key. The values, XU, are doubled: they hold U once.",
        },
    ),
    Exercise(
        id="fewer-columns",
        title="Fewer columns than rows",
        kind="concept",
        difficulty="medium",
        minutes=3,
        misconception="A narrow U deletes axes.",
        hints=(
            "What do the columns of U have to do with the axes of X? Look at the U of *Houston*: the column `agent`.",
            "Eight numbers go in, three come out. Can all vectors that differ stay different?",
        ),
        question={
            "prompt": "`U` has 8 rows and 3 columns. What is lost?",
            "options": [
                (
                    "Five of the eight axes: only three are left to count",
                    "Each new axis is a mixture, and may take something from all eight. It is not a choice of three.",
                ),
                (
                    "The grid of weights becomes 3 × 3",
                    "The grid has a row and a column for each *token*. U changes what its numbers are, never how many.",
                ),
                (
                    "Some vectors that differ become equal, and nothing after U can tell them apart",
                    "Their difference is what U sends to 0. In eight dimensions at least five directions go that way.",
                ),
                (
                    "Nothing, if U is trained long enough",
                    "Training chooses *which* directions go to 0. That some do follows from the shape alone.",
                ),
            ],
            "right": 2,
            "reveal": "Training has to choose the directions that the task does not need.",
        },
    ),
    Exercise(
        id="weights-symmetric",
        title="One score, two weights",
        kind="concept",
        difficulty="medium",
        minutes=4,
        misconception="Symmetric scores give symmetric weights.",
        hints=(
            "Each query shares out its *own* row. What else stands in the row of a, and what in the row of b?",
            "Row a holds the scores 2 and 2, row b holds 2 and 5. Take the softmax of each.",
        ),
        question={
            "prompt": "Two tokens, a and b. They score 2 with each other; a scores 2 with itself, b scores 5 with itself. Who reads more from the other?",
            "options": [
                (
                    "Both alike, since the scores are symmetric",
                    "The *scores* are. Each row is then divided by its own total, and the totals differ.",
                ),
                ("a reads more from b", "Row a is shared half and half. In row b the 5 takes nearly everything."),
                (
                    "b reads more from a",
                    "b scores highest with *itself*, so little is left for a. A high score of its own makes a token read less from others.",
                ),
            ],
            "right": 1,
            "reveal": "a reads 0.50 from b, b reads 0.05 from a.",
        },
    ),
    Exercise(
        id="both-ways-round",
        title="Both ways round",
        kind="program",
        difficulty="medium",
        minutes=8,
        misconception="The weight A_ij belongs to a pair, whatever its order.",
        hints=(
            "`weights[i, j]` is how much i reads from j. Follow i → j → k and back to i.",
            "Each way is a product of three weights. Backward, i reads from k first.",
        ),
        properties=(_one_way(0), _one_way(1)),
    ),
    Exercise(
        id="two-way-loss",
        title="The best that symmetric scores can do",
        kind="derive",
        difficulty="medium",
        minutes=5,
        misconception="A loss of ln 2 means that two of three answers are right.",
        hints=(
            "What weight does the token that it should read from get in each row?",
            "The loss of one row is −ln of that weight, and all three rows have the same.",
        ),
        question={
            "prompt": "Rock, paper and scissors each read nothing from themselves and *equally* from the other two. What is the loss, the mean of −ln A over the three right cells? Two decimals are enough.",
            "right": float(np.log(2)),
            "tolerance": 0.006,
            "wrong": [
                (0.5, 0.001, "That is the weight. The loss is minus its logarithm."),
                (float(np.log(3)), 0.01, "That is the loss when each reads a third from all three. Here nobody reads itself."),
                (1.0, 0.001, "That is the logarithm to the base 2. The loss takes the natural one, ln."),
                (float(-np.log(2)), 0.006, "The logarithm of a weight is negative; the loss is *minus* it."),
                (2.08, 0.01, "That is the sum over the three rows. The loss is their mean."),
            ],
            "explanation": "−ln ½ = ln 2. No symmetric scores do better.",
        },
    ),
)  # fmt: skip
