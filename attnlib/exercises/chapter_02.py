"""Exercises of chapter 2, a learnable U."""

import numpy as np

from attnlib.exercises.checkers_02 import AXES_KEPT, BOTH_WAYS_ROUND, WRITE_U_ATTENTION
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

EXERCISES = (
    Exercise(
        id="u-parameters",
        title="Count what can be learned",
        difficulty="easy",
        minutes=2,
        misconception="U is square, or its size depends on the sentence.",
        hints=(
            "XU must be defined: the columns of X meet the rows of U.",
            "One number for each pair of an old axis and a new one. The sentence's length is not among them.",
        ),
        question=NumberQuestion(
            prompt="`X` holds 7 tokens with 12 numbers each, and `XU` has 5 numbers for each token. How many numbers "
            "does `U` hold?",
            right=60,
            tolerance=0,
            wrong=[
                (144, 0, "That is a square U, 12 × 12. Then XU would have 12 numbers for each token."),
                (35, 0, "That is the shape of XU, 7 × 5. U has one row for each *axis* of X, not for each token."),
                (84, 0, "That counts the entries of X. They are given; U is what can be learned."),
                (25, 0, "That is a square U, 5 × 5. It would fit an X of 5 columns, and this one has more."),
            ],
            explanation="U is d × d_u = 12 × 5. A longer sentence needs no more.",
        ),
    ),
    Exercise(
        id="write-u-attention",
        title="Attention through U",
        difficulty="easy",
        minutes=4,
        misconception="U changes the scores alone, or the values alone.",
        hints=(
            "Compute XU once and give it a name. It then plays all the parts that X played in chapter 1.",
            "Scores: the rows of XU with each other. Weights: the softmax of each row. Output: the weights times XU, so it has d_u columns.",
        ),
        properties=WRITE_U_ATTENTION,
    ),
    Exercise(
        id="axes-kept",
        title="What does U keep?",
        difficulty="easy",
        minutes=6,
        misconception="An axis of X belongs to a column of U, or to one entry.",
        hints=(
            "The token (0, …, 1, …, 0) has a 1 on one axis only. What is that token times U?",
            "A length: square, add, take the root. `np.linalg.norm` does it along the axis that you name.",
        ),
        properties=AXES_KEPT,
    ),
    Exercise(
        id="twice-u",
        title="Twice as large",
        difficulty="medium",
        minutes=4,
        misconception="U enters the scores once.",
        hints=(
            "Put 2U in the place of U in XU(XU)ᵀ, and collect the 2s.",
            "The temperature divides all scores. By what must you divide to undo what doubling U did?",
        ),
        question=NumberQuestion(
            prompt="`U` becomes `2U`. By what must the temperature be multiplied so that the *weights* stay as they were?",
            right=4,
            tolerance=0.001,
            wrong=[
                (2, 0.001, "U stands in the scores twice, once for the query and once for the key."),
                (0.25, 0.001, "The temperature divides. The scores have grown, so it must grow too."),
                (0.5, 0.001, "The temperature divides, so it must grow; and U stands in the scores twice."),
                (1, 0.001, "Scores that grow by a factor sharpen the softmax. Adding the same number to a whole row would change nothing."),
            ],
            explanation="2 for the query times 2 for the key. The values, XU, are doubled: they hold U once.",
        ),
    ),
    Exercise(
        id="fewer-columns",
        title="Fewer columns than rows",
        difficulty="medium",
        minutes=3,
        misconception="A narrow U deletes axes.",
        hints=(
            "What do the columns of U have to do with the axes of X? Look at the U of *Houston*: the column `agent`.",
            "Eight numbers go in, three come out. Can all vectors that differ stay different?",
        ),
        question=ChoiceQuestion(
            prompt="`U` has 8 rows and 3 columns. What is lost when `X` becomes `XU`?",
            options=[
                (
                    "Five of the eight axes: only three are left to count",
                    "Each new axis is a mixture, and may take something from all eight. It is not a choice of three.",
                ),
                (
                    "The grid of weights becomes 3 × 3",
                    "The grid has a row and a column for each *token*. U changes what its numbers are, never how many.",
                ),
                (
                    "Some vectors that differ become equal, and nothing that sees XU alone can tell them apart",
                    "Their difference is what U sends to 0. In eight dimensions at least five directions, none made of the others, go that way.",
                ),
                (
                    "Nothing, if U is trained long enough",
                    "Training only chooses *which* directions go to 0. Some must go to 0, because of the shape alone.",
                ),
            ],
            right=2,
            reveal="Training has to choose the directions that the task does not need.",
        ),
    ),
    Exercise(
        id="weights-symmetric",
        title="One score, two weights",
        difficulty="medium",
        minutes=4,
        misconception="Symmetric scores give symmetric weights.",
        hints=(
            "Each query shares out its *own* row. What else stands in the row of a, and what in the row of b?",
            "Row a holds the scores 2 and 2, row b holds 2 and 5. Take the softmax of each.",
        ),
        question=ChoiceQuestion(
            prompt="Two tokens, a and b. They score 2 with each other; a scores 2 with itself, b scores 5 with "
            "itself. Who reads more from the other?",
            options=[
                (
                    "Both alike, since the scores are symmetric",
                    "The *scores* are symmetric. But each row is then divided by its own total, and the totals differ.",
                ),
                ("a reads more from b", "Row a is shared half and half. In row b the 5 takes nearly everything."),
                (
                    "b reads more from a",
                    "b scores highest with *itself*, so little is left for a. A high score of its own makes a token read less from others.",
                ),
            ],
            right=1,
            reveal="a reads 0.50 from b, b reads 0.05 from a.",
        ),
    ),
    Exercise(
        id="both-ways-round",
        title="Both ways round",
        difficulty="medium",
        minutes=8,
        misconception="The weight A_ij belongs to a pair, whatever its order.",
        hints=(
            "`weights[i, j]` is how much i reads from j. Follow i → j → k and back to i.",
            "Each way is a product of three weights. Backward, i reads from k first.",
        ),
        properties=BOTH_WAYS_ROUND,
    ),
    Exercise(
        id="two-way-loss",
        title="Below the wall",
        difficulty="medium",
        minutes=5,
        misconception="What symmetric scores reach, a U reaches.",
        hints=(
            "Raise e to the scores of one row: e⁰ = 1, and e to the power of ln 2 is 2.",
            "Divide by the total of the row. The loss of a row is −ln of the right token's weight.",
        ),
        question=NumberQuestion(
            prompt="Rock, paper and scissors score 0 with themselves, and each two of them score ln 2 with one "
            "another. Each should read the one that it beats. What is the loss, the mean of −ln A over the three "
            "cells of *right* in the weights A? Enter the loss with two decimals, and decide for yourself whether a "
            "U can make these scores.",
            right=float(np.log(2.5)),
            tolerance=0.006,
            wrong=[
                (0.4, 0.001, "That is the weight. The loss is minus its logarithm."),
                (float(np.log(3)), 0.01, "That is the loss when each weight is a third. Here the own score is lower than the others."),
                (float(np.log(2)), 0.006, "You gave each of the other two tokens a half. But a token's own score, 0, gets a weight, too: each token reads 1/5 from itself."),
                (float(-np.log(2.5)), 0.006, "The logarithm of a weight is negative; the loss is *minus* it."),
                (float(3 * np.log(2.5)), 0.01, "That is the sum over the three rows. The loss is their mean."),
                (float(np.log(5)), 0.006, "That is −ln of the weight on the token itself, 1 of 1 + 2 + 2. Take the weight on the token that it beats."),
                (2.5, 0.001, "That is one over the weight of the right token. The loss is its logarithm."),
            ],
            explanation="−ln(2/5) = 0.92. It is below ln 3, so no U makes these scores.",
        ),
    ),
)  # fmt: skip
